/* quantize.h - operators that quantize (NNEF 1.0.5, section 4.9.5), for kernels and emitters */
#ifndef NNEFC_OP_QUANTIZE_H
#define NNEFC_OP_QUANTIZE_H

#include <stdbool.h>
#include <stdint.h>

/* The greatest integer of so many bits. */
double quantize_greatest(int64_t bits);

#endif
