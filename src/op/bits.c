/*
 * bits.c - scalars as the integers that have the same bits, of the extensions
 *
 * Formats are those of IEEE 754 with 32 and 16 bits, and bfloat16, the upper half of the former.  A
 * scalar that a format lacks is rounded to the nearest one, of two to that whose last bit is 0.
 */
#include "op/broadcast.h"
#include "op/compute.h"

#include "tensor/bytes.h"
#include "tensor/item.h"

static void bits_item(const void *data, int64_t i)
{
    const struct eval *eval = data;
    const struct bits_attrs *attrs = eval->attrs;
    float x = ((const float *)eval->in[0]->data)[i];
    int64_t *to = (int64_t *)eval->out[0]->data + i;

    switch ((enum format)attrs->format) {
    case FORMAT_FLOAT32:
        *to = bits_of_float(x);
        return;
    case FORMAT_FLOAT16:
        *to = float16_encode(x);
        return;
    case FORMAT_BFLOAT16:
        *to = bfloat16_encode(x);
        return;
    }
}

static void scalar_item(const void *data, int64_t i)
{
    const struct eval *eval = data;
    const struct bits_attrs *attrs = eval->attrs;
    uint32_t bits = (uint32_t)((const int64_t *)eval->in[0]->data)[i];
    float *to = (float *)eval->out[0]->data + i;

    switch ((enum format)attrs->format) {
    case FORMAT_FLOAT32:
        *to = float_of_bits(bits);
        return;
    case FORMAT_FLOAT16:
        *to = float16_decode((uint16_t)bits);
        return;
    case FORMAT_BFLOAT16:
        *to = bfloat16_decode((uint16_t)bits);
        return;
    }
}

static bool bits_eval(const struct eval *eval)
{
    const bool is_scalar = eval->in[0]->dtype == DTYPE_SCALAR;

    eval_share(eval, shape_volume(&eval->out[0]->shape), is_scalar ? bits_item : scalar_item, eval);
    return true;
}

DESCRIPTOR(bits_of_scalar, OP_ELEMENTWISE | OP_PARTIAL | OP_ANY_LAYOUT, .infer = infer_same,
           .eval = bits_eval);
DESCRIPTOR(scalar_of_bits, OP_ELEMENTWISE | OP_PARTIAL | OP_ANY_LAYOUT, .infer = infer_same,
           .eval = bits_eval);
