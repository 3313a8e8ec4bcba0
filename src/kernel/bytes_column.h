/*
 * bytes_column.h - columns of quads, and sums of their products
 *
 * A quad is four rows of one channel in a column of the image.  A block is the quads of 64
 * neighbouring bytes: of the channels of a column or, in bytes_rows.c, of the pixels of a row.
 */
#ifndef NNEFC_KERNEL_BYTES_COLUMN_H
#define NNEFC_KERNEL_BYTES_COLUMN_H

#include "kernel/bytes.h"
#include "kernel/pairs.h"

#if defined __AVX512VNNI__

enum {
    QUAD = 4,
    VECS = 4,
    WIDTH = VECS * LANES,  /* quads of a block */
    COLUMN = WIDTH * QUAD, /* bytes of a block */
    ROW_TAPS = 3,          /* of filters that are held in registers */
};

/* Four rows of 64 bytes as quads: vector v has bytes 4v to 4v + 3 of each 16. */
ALWAYS_INLINE void column_of(quads column[VECS], const __m512i row[QUAD])
{
    const __m512i low = _mm512_unpacklo_epi8(row[0], row[1]);
    const __m512i high = _mm512_unpackhi_epi8(row[0], row[1]);
    const __m512i next_low = _mm512_unpacklo_epi8(row[2], row[3]);
    const __m512i next_high = _mm512_unpackhi_epi8(row[2], row[3]);

    column[0] = (quads)_mm512_unpacklo_epi16(low, next_low);
    column[1] = (quads)_mm512_unpackhi_epi16(low, next_low);
    column[2] = (quads)_mm512_unpacklo_epi16(high, next_high);
    column[3] = (quads)_mm512_unpackhi_epi16(high, next_high);
}

ALWAYS_INLINE void put_column(uint8_t *to, const __m512i row[QUAD])
{
    quads column[VECS];

    column_of(column, row);
    UNROLL
    for (int v = 0; v < VECS; v++)
        memcpy(to + (size_t)v * sizeof column[v], &column[v], sizeof column[v]);
}

/* Add the products of a block. */
ALWAYS_INLINE void add_quads(ints *sum, const quads *column, const signed_quads *weights)
{
    UNROLL
    for (int v = 0; v < VECS; v++)
        sum[v] = quads_add_products(sum[v], column[v], weights[v]);
}

ALWAYS_INLINE void add_column(ints *sum, const uint8_t *from, const signed_quads *weights)
{
    quads column[VECS];

    UNROLL
    for (int v = 0; v < VECS; v++)
        memcpy(&column[v], from + (size_t)v * sizeof column[v], sizeof column[v]);
    add_quads(sum, column, weights);
}

/* The weights of a block for a tap of a row. */
ALWAYS_INLINE void block_weights(signed_quads *to, const int8_t *weights, int64_t tap)
{
    UNROLL
    for (int v = 0; v < VECS; v++)
        to[v] = quads_load(weights + tap * COLUMN + (int64_t)v * LANES * QUAD);
}

/* A filter of few taps for a block, which registers hold. */
struct held_filter {
    signed_quads weights[ROW_TAPS][VECS];
    ints begin[VECS];
    vec factor[VECS];
};

ALWAYS_INLINE void hold_filter(struct held_filter *held, const int8_t *weights,
                               const int32_t *begin, const float *factor)
{
    UNROLL
    for (int v = 0; v < VECS; v++) {
        held->begin[v] = ints_load(begin + (int64_t)v * LANES);
        held->factor[v] = vec_load(factor + (int64_t)v * LANES);
    }
    UNROLL
    for (int tap = 0; tap < ROW_TAPS; tap++)
        block_weights(held->weights[tap], weights, tap);
}

/* The steps of a block, whose taps are `step` bytes apart. */
ALWAYS_INLINE void held_steps(vec steps[VECS], const struct held_filter *held, const uint8_t *from,
                              int64_t step)
{
    ints sum[VECS];

    UNROLL
    for (int v = 0; v < VECS; v++)
        sum[v] = held->begin[v];
    UNROLL
    for (int tap = 0; tap < ROW_TAPS; tap++)
        add_column(sum, from + tap * step, held->weights[tap]);
    UNROLL
    for (int v = 0; v < VECS; v++)
        steps[v] = vec_of_ints(sum[v]) * held->factor[v];
}

#endif

#endif
