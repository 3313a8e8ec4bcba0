/* quantized.h - layers of bytes: the findings of a match, from which their steps are made */
#ifndef NNEFC_BACKEND_PORTABLE_QUANTIZED_H
#define NNEFC_BACKEND_PORTABLE_QUANTIZED_H

#include "kernel/bytes.h"

struct move;
struct node;
struct planner;
struct step;
struct tensor;
struct value;

/* A group of a layer and what makes bytes or numbers of its sums. */
struct byte_match {
    struct byte_layer layer;
    struct filter filter;
    const struct value *weights;       /* the constant that the filter reads */
    const struct tensor *bias, *zeros; /* integers for all channels or for each */
    const struct tensor *factor; /* floats, likewise; NULL: computed, or sums are the result */
    const struct value *zero_value, *factor_value; /* those that are computed; else NULL */
    int axis;                                      /* of the result, along which channels lie */
    int64_t most; /* the largest size of items of the source less their zero */
};

/* How an operand is broadcast: result i reads its item i / stretch % period.  Period 0: as it is.
 */
struct byte_spread {
    int64_t period, stretch;
};

/* Numbers from bytes and back, and sums and products of bytes. */
struct byte_items {
    const struct byte_kernels *kernels;
    int op; /* enum op_id */
    int64_t count;
    int size[3]; /* bytes of an item of both operands and of the result */
    float scale;
    struct byte_code code;
    int64_t low, high; /* of integers that are made */
    struct byte_target to;
    struct byte_pair pair;
    const struct value *scale_value, *zero_value; /* those that are computed; else NULL */
    struct byte_spread spread[2];
    const void *fixed[2];         /* bytes of a constant; NULL: it is an operand of the step, */
    int in[2], scale_in, zero_in; /* and this one; so are these, 0: none */
    bool zero_is_signed;
};

/* Is it a sum or product of integers, which has scales and zeros of its own? */
static inline bool is_pair(const struct node *node)
{
    return is_op(node, OP_quantized_add) || is_op(node, OP_quantized_mul);
}

/* Is it one, with or without a sign? */
static inline bool is_byte(int64_t number)
{
    return number >= INT8_MIN && number <= UINT8_MAX;
}

/* The same for words, if `wide`. */
static inline bool is_narrow(int64_t number, bool wide)
{
    return wide ? number >= INT16_MIN && number <= UINT16_MAX : is_byte(number);
}

/* The least of such integers, and the greatest. */
static inline int64_t code_low(const struct byte_code *code)
{
    return !code->is_signed ? 0 : code->wide ? INT16_MIN : INT8_MIN;
}

static inline int64_t code_high(const struct byte_code *code)
{
    return code_low(code) + (code->wide ? UINT16_MAX : UINT8_MAX);
}

/* Is it one of those? */
static inline bool is_code(int64_t number, const struct byte_code *code)
{
    return number >= code_low(code) && number <= code_high(code);
}

/*
 * Bytes less a zero that is one, too: kernels hold the difference in 16 bits.  Or words.  *computed
 * is the zero if only a run knows it, else NULL; of words it is known.
 */
bool byte_code_of(const struct planner *planner, const struct value *value,
                  const struct value *zero, struct byte_code *code, const struct value **computed);

struct byte_target byte_target_of(int64_t low, int64_t high, int64_t zero);

/* Read an operand that is not known; its place among those of the step, 0: there is none.  False
 * after a report. */
bool read_computed(struct planner *planner, struct step *step, const struct value *value, int *at);

/* Of 'quantize' or 'dequantize' with one scale and one zero, if its other side has numbers: the
 * kernels, the code, and the bounds of bytes that are made. */
bool match_coded(const struct planner *planner, const struct node *node, struct byte_items *s);

/* The match of an image of bytes that is upsampled. */
struct byte_upsample {
    struct byte_items source, target;
    bool quantizes; /* the result has bytes, too */
};

/* A scale and a zero that are known. */
struct known_code {
    float scale;
    int64_t zero;
};

/* Of 'quantize' or 'dequantize'; false: one of them is computed, or there are several. */
bool known_code(const struct planner *planner, const struct node *node, struct known_code *code);

/* Numbers of bytes, a function or a maximum of them, and perhaps bytes again. */
struct byte_group {
    const struct byte_kernels *kernels; /* of a table */
    bool is_signed, quantizes;          /* quantizes: the results are bytes */
    bool computes;                      /* more than the numbers of the bytes */
    bool repeats;                       /* results are repeated */
    struct known_code from;
    int64_t count;            /* of results before they are repeated */
    const struct move *moves; /* of results in scratch memory, if they are repeated */
    uint8_t byte[256];        /* results by the byte as it lies in memory: if it quantizes, */
    float number[256];        /* and if it does not */
    struct byte_pool pool;
};

#endif
