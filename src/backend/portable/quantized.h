/* quantized.h - layers of bytes: the findings of a match, from which their steps are made */
#ifndef NNEFC_BACKEND_PORTABLE_QUANTIZED_H
#define NNEFC_BACKEND_PORTABLE_QUANTIZED_H

#include "kernel/bytes.h"

struct tensor;
struct value;

/* A group of a layer and what makes bytes or numbers of its sums. */
struct byte_match {
    struct byte_layer layer;
    struct filter filter;
    const struct value *weights;         /* the constant that the filter reads */
    const struct tensor *bias, *zeros;   /* integers for all channels or for each */
    const struct tensor *factor;         /* floats, likewise; NULL: computed, or sums are the result */
    const struct value *zero_value, *factor_value; /* those that are computed; else NULL */
    int axis;                            /* of the result, along which channels lie */
};

/* Numbers from bytes and back, and sums and products of bytes. */
struct byte_items {
    const struct byte_kernels *kernels;
    int op; /* enum op_id */
    int64_t count;
    float scale;
    struct byte_code code;
    int64_t low, high; /* of integers that are made */
    struct byte_target to;
    struct byte_pair pair;
    const struct value *scale_value, *zero_value; /* those that are computed; else NULL */
    int other_in, scale_in, zero_in; /* operands of the step: the second list, and these; 0: none */
    bool zero_is_signed;
};

#endif
