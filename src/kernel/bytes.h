/*
 * bytes.h - layers of integers of 8 and 16 bits, and conversions between these and numbers
 *
 * Formulas and rounding are those of tensor/quantization.h.  Each variant gives the same bits, and
 * so does any number of threads.
 */
#ifndef NNEFC_KERNEL_BYTES_H
#define NNEFC_KERNEL_BYTES_H

#include "kernel/conv.h"
#include "kernel/mix.h"

#include <stdbool.h>
#include <stdint.h>

/* Bytes of a tensor: with or without a sign, less `zero`. */
struct byte_code {
    bool is_signed;
    int32_t zero;
    bool wide; /* they are words of 16 bits instead */
};

/* How steps become bytes: they are rounded, cut to low <= steps <= high, and moved by `zero`. */
struct byte_target {
    float low, high;
    int32_t zero;
    bool wide; /* the same for words; of layers RESULT_WORDS says so */
};

/* Are the results bytes of any value? */
static inline bool byte_target_is_whole(const struct byte_target *to)
{
    const int32_t low = (int32_t)to->low + to->zero;

    return !to->wide && (low == 0 || low == INT8_MIN) && to->high - to->low == UINT8_MAX;
}

/* The form in which the sums of a layer are stored. */
enum byte_result {
    RESULT_BYTES,   /* sums * factor, rounded, as bytes */
    RESULT_WORDS,   /* the same, as words */
    RESULT_NUMBERS, /* sums * factor, as floats */
    RESULT_SUMS,    /* as integers of 64 bits */
};

/*
 * A convolution of images whose channels are stored last, or a product of matrices
 * (conv_of_matrices()).  For any source, the sums with the bias stay below 2^31; for words, they
 * stay below 2^53.
 */
struct byte_layer {
    struct conv conv; /* without epilogue */
    struct byte_code src;
    enum byte_result result;
    struct byte_target to;
};

struct byte_operands {
    const void *src;
    const void *packed;  /* by pack(), at a multiple of KERNEL_ALIGNMENT */
    const int32_t *bias; /* [channels rounded up to BYTE_PANEL in each group]; so is `factor` */
    const float *factor; /* NULL for sums */
    void *dst;
    void *scratch; /* at a multiple of KERNEL_ALIGNMENT */
};

/* Maxima over windows.  Taps outside the image are `zero` if `zeros`, else they do not count; a
 * window without a tap has `zero`. */
struct byte_pool {
    struct conv conv;
    bool is_signed, zeros;
    uint8_t zero;
};

typedef void byte_layer_run(const struct byte_layer *layer, const struct byte_operands *operands,
                            struct team *team);

enum { BYTE_PANEL = 32 };              /* the room of lists by channel is a multiple of it */
enum { BYTE_WINOGRAD_SUMS = 1 << 25 }; /* see bytes_winograd.c */

/* Two lists of bytes or words, and the coefficients of struct quantized_sum; `factor` of products.
 */
struct byte_pair {
    bool is_signed[2], wide[2]; /* wide: words */
    bool saturates;             /* the result is a whole byte, and its steps are below 2^31 */
    int32_t zero[2];            /* of products */
    float a, b, offset;
    float factor;
    struct byte_target to;
};

struct byte_kernels {
    /* They pack integers of 64 bits; the function behind takes the place of run(), which is NULL.
     */
    const struct conv_kernel *pairs; /* of any geometry */
    byte_layer_run *run_pairs;
    /* Where weights less their zero are bytes with a sign, and the zero of the source is one of its
     * bytes. */
    const struct conv_kernel *quads;
    byte_layer_run *run_quads;
    bool prefers_quads; /* they are faster */
    /* Where quads could be used, too, and sums without the bias are below BYTE_WINOGRAD_SUMS. */
    const struct conv_kernel *winograd;
    byte_layer_run *run_winograd;
    /* The source is words, of which its zero is one; weights less their zero are bytes with a sign,
     * and their sums stay below 2^31. */
    const struct conv_kernel *words;
    byte_layer_run *run_words;
    const struct conv_kernel *words_depthwise; /* of words; sums stay below 2^31 */
    byte_layer_run *run_words_depthwise;
    const struct conv_kernel *depthwise; /* each channel its own group; sums stay below 2^24 */
    byte_layer_run *run_depthwise;
    /* Where quads can be used, too; NULL: they are not faster. */
    const struct conv_kernel *columns, *rows; /* rows: the faster one if it fits */
    byte_layer_run *run_columns, *run_rows;

    /* to[i] = (from[i] - zero) * scale */
    void (*numbers)(float *to, const void *from, const struct byte_code *code, float scale,
                    int64_t count);

    /* from[i] / scale steps */
    void (*bytes)(void *to, const float *from, float scale, const struct byte_target *target,
                  int64_t count);

    /* The same for the items of a row of mixes, which variants round in their own ways. */
    void (*mixed_bytes)(void *to, const struct mixed_row *mixed, float scale,
                        const struct byte_target *target);

    /* Means of bytes, see mix.h. */
    mix_byte_items *mix;
    mix_byte_pixels *mean;

    void (*max_pool)(const struct byte_pool *pool, const void *src, void *dst, struct team *team);

    /* to[i] = table[from[i]], of 256 entries */
    void (*look_up)(uint8_t *to, const uint8_t *from, const uint8_t *table, int64_t count);

    /* Sums or products of two lists. */
    void (*add)(void *to, const void *x, const void *y, const struct byte_pair *pair,
                int64_t count);
    void (*multiply)(void *to, const void *x, const void *y, const struct byte_pair *pair,
                     int64_t count);
};

#endif
