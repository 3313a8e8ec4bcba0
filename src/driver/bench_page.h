/* bench_page.h - what nnefc bench measured, as a page */
#ifndef NNEFC_DRIVER_BENCH_PAGE_H
#define NNEFC_DRIVER_BENCH_PAGE_H

#include "driver/record.h"

/* The record of bench with its steps, which is freed, as a page that needs nothing else. */
void bench_page(struct record *record, FILE *to);

#endif
