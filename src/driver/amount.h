/* amount.h - large numbers, in full and in short */
#ifndef NNEFC_DRIVER_AMOUNT_H
#define NNEFC_DRIVER_AMOUNT_H

#include <stdint.h>

enum amount_kind { AMOUNT_TENSORS, AMOUNT_COUNT, AMOUNT_BYTES };

/* A line: "macs 12345678 (12.3 M)", "peak_bytes unknown".  Of tensors there are never many. */
void amount_print(const char *what, int64_t amount, enum amount_kind kind);

#endif
