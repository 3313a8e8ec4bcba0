/*
 * bytes_wide.h - tiles whose sums have more than 32 bits; a part of bytes_tile.h
 *
 * The products of up to MOST_TUPLES tuples are summed in 32 bits.  These sums are added up in
 * 64-bit floats, which hold integers below 2^53 exactly.
 */
#ifndef NNEFC_KERNEL_BYTES_WIDE_H
#define NNEFC_KERNEL_BYTES_WIDE_H

typedef double doubles __attribute__((vector_size(4 * LANES)));
typedef int32_t half_ints __attribute__((vector_size(2 * LANES)));
typedef float half_vec __attribute__((vector_size(2 * LANES)));

enum { HALVES = 2 };

/* A lane for each one of `ints`. */
struct wide {
    doubles half[HALVES];
};

ALWAYS_INLINE struct wide wide_of(ints x)
{
    half_ints half[HALVES];
    struct wide wide;

    memcpy(half, &x, sizeof x);
    UNROLL
    for (int h = 0; h < HALVES; h++)
        wide.half[h] = __builtin_convertvector(half[h], doubles);
    return wide;
}

/* The nearest floats of 32 bits. */
ALWAYS_INLINE vec vec_of_wide(const struct wide *wide)
{
    half_vec half[HALVES];
    vec x;

    UNROLL
    for (int h = 0; h < HALVES; h++)
        half[h] = __builtin_convertvector(wide->half[h], half_vec);
    memcpy(&x, half, sizeof x);
    return x;
}

/* The biases, less the sums of the excess of items. */
ALWAYS_INLINE struct wide wide_begin(const struct layer_run *r, const struct tile *tile, int64_t v)
{
    const double excess = item_excess(&r->layer->src);
    const struct wide sums = wide_of(ints_load(tile->sums + v * LANES));
    struct wide begin = wide_of(ints_load(r->operands->bias + tile->padded + v * LANES));

    UNROLL
    for (int h = 0; h < HALVES; h++)
        begin.half[h] -= sums.half[h] * excess;
    return begin;
}

/* Add the sums of 32 bits to the wide ones, and set them to 0; returns the number of tuples for
 * which they have room again. */
ALWAYS_INLINE int64_t add_to_wide(struct wide (*wide)[PANEL_VECS], ints (*sum)[PANEL_VECS],
                                  const int pixels, const int vecs)
{
    UNROLL
    for (int i = 0; i < pixels; i++) {
        UNROLL
        for (int v = 0; v < vecs; v++) {
            const struct wide more = wide_of(sum[i][v]);
            for (int h = 0; h < HALVES; h++)
                wide[i][v].half[h] += more.half[h];
            sum[i][v] = (ints){0};
        }
    }
    return MOST_TUPLES;
}

static void put_wide(const struct layer_run *r, const struct wide *sums, int64_t at, int64_t padded,
                     int count)
{
    const struct byte_sink sink = sink_of(r->layer, r->operands);

    if (sink.result != RESULT_SUMS) {
        put_steps(sink, vec_of_wide(sums) * vec_load(sink.factor + padded), at, count);
        return;
    }
    for (int i = 0; i < count; i++)
        ((int64_t *)sink.dst)[at + i] = (int64_t)sums->half[i / (LANES / 2)][i % (LANES / 2)];
}

/* The results of a tile. */
static void put_tile(const struct layer_run *r, const struct tile *tile,
                     struct wide (*wide)[PANEL_VECS], int pixels)
{
    for (int i = 0; i < pixels; i++)
        for (int64_t v = 0; v < tile->vecs; v++)
            put_wide(r, &wide[i][v], tile->dst[i] + tile->channel + v * LANES,
                     tile->padded + v * LANES, (int)num_min(tile->count - v * LANES, LANES));
}

ALWAYS_INLINE void do_tile(const struct layer_run *r, const struct tile *tile, const int pixels,
                           const int vecs)
{
    const int64_t count = r->taps.tuples;
    const weight *from = tile->weights;
    const char *ahead = tile->ahead;
    struct wide wide[PIXELS][PANEL_VECS];
    ints sum[PIXELS][PANEL_VECS] = {0};
    int64_t left = MOST_TUPLES;

    for (int64_t v = 0; v < vecs; v++) {
        const struct wide begin = wide_begin(r, tile, v);
        for (int i = 0; i < pixels; i++)
            wide[i][v] = begin;
    }
    for (int64_t run = 0; run < r->taps.runs; run++) {
        const int64_t at = run_offset(r, run);
        const item *src[PIXELS];
        UNROLL
        for (int i = 0; i < pixels; i++)
            src[i] = tile->src[i] + at;
        for (int64_t k = 0; k < count;) {
            const int64_t end = num_min(count, k + left);
            left -= end - k;
            for (; k < end; k++, from += (int64_t)vecs * LANES * TUPLE,
                            ahead = fetch(ahead, tile->ahead_step, vecs))
                add_tuple(sum, src, from, pixels, vecs);
            if (left == 0)
                left = add_to_wide(wide, sum, pixels, vecs);
        }
    }
    add_to_wide(wide, sum, pixels, vecs);
    put_tile(r, tile, wide, pixels);
}

#endif
