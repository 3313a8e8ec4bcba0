/* quantize.h - operators that quantize (NNEF 1.0.5, section 4.9.5), for kernels and emitters */
#ifndef NNEFC_OP_QUANTIZE_H
#define NNEFC_OP_QUANTIZE_H

#include <stdbool.h>
#include <stdint.h>

struct emit;

struct quantize_attrs {
    int64_t bits;
    bool is_signed, symmetric;
};

/* The greatest integer of so many bits. */
double quantize_greatest(int64_t bits);

/*
 * As QuantizeLinear and DequantizeLinear of ONNX, or if a variable is quantized as integers and
 * DequantizeLinear.  What comes to lie just between two steps goes to the even one, by NNEF to the
 * upper; all else is the same, or refused.
 */
bool min_max_to_qdq(const struct emit *emit);
bool zero_point_to_qdq(const struct emit *emit);
bool logarithmic_to_qdq(const struct emit *emit);

#endif
