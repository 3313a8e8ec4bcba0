/* quantize_show.h - what nnefc quantize has found: a table, JSON, or a page of HTML */
#ifndef NNEFC_DRIVER_QUANTIZE_SHOW_H
#define NNEFC_DRIVER_QUANTIZE_SHOW_H

#include "driver/record.h"

/* What the command line decides. */
struct quantized_shown {
    const char *model;   /* as named there */
    int samples, checks; /* how many there were */
    int top;             /* layers of the table; 0: all */
};

struct record *quantized_record(const struct nnefc_quantized *found,
                                const struct quantized_shown *shown);

/* As a table; as JSON or as a page that needs nothing else.  Both free it. */
void quantized_print(struct record *record, FILE *to);
void quantized_write(struct record *record, bool as_page, FILE *to);

#endif
