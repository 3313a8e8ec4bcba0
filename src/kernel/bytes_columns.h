/*
 * bytes_columns.h - depthwise convolution of bytes, as products of quads
 *
 * The quads (bytes_column.h) under a band of rows of results are gathered once, with the zeros
 * around the image, but for filters that move by two pixels.  Each result is then a sum of products
 * of a few quads.  Items and weights are those of bytes_quads.c.
 */
#ifndef NNEFC_KERNEL_BYTES_COLUMNS_H
#define NNEFC_KERNEL_BYTES_COLUMNS_H

#include "kernel/bytes_column.h"
#include "kernel/bytes_put.h"

#include <assert.h>

#if defined __AVX512VNNI__

enum {
    MOVED = 128,     /* is added to bytes with a sign */
    LEAST_PIECE = 8, /* pixels */
};

static inline bool is_depthwise(const struct conv *conv)
{
    return conv->groups == conv->in_channels && conv->groups == conv->out_channels;
}

static inline int64_t quads_of(const struct conv *conv)
{
    return num_divide_up(conv->kernel.y, QUAD);
}

/* The number of rows of results that read the same quads. */
static inline int64_t band_of(const struct conv *conv)
{
    return conv->dilation.y > 1 ? 1 : (quads_of(conv) * QUAD - conv->kernel.y) / conv->stride.y + 1;
}

static inline int64_t taps_in(const struct conv *conv)
{
    return quads_of(conv) * conv->kernel.x;
}

/* The columns that the windows of so many neighbouring pixels reach. */
static inline int64_t columns_under(const struct conv *conv, int64_t pixels)
{
    return windows_reach(pixels, conv->stride.x, conv->kernel.x, conv->dilation.x);
}

/* The number of pixels of a row that are computed at a time, because their columns have to be no
 * more than `most`, about, to stay in the first cache. */
static inline int64_t piece_of(const struct conv *conv, int64_t most)
{
    int64_t pixels = conv->out.x;

    while (pixels > LEAST_PIECE && columns_under(conv, pixels) * quads_of(conv) > most)
        pixels = num_divide_up(pixels, 2);
    return pixels;
}

/* The sum of the weights of each lane, then a block of weights for each row of a band and tap. */
static inline size_t block_size(const struct conv *conv)
{
    return WIDTH * sizeof(int32_t) + (size_t)(band_of(conv) * taps_in(conv)) * COLUMN;
}

/* The weights of a channel, for a lane of a block. */
static inline void pack_lane(const struct conv *conv, const struct filter *f, int64_t channel,
                             char *block, int64_t lane)
{
    const int64_t zero = f->zero[channel * f->zero_step];
    int32_t *sums = (int32_t *)(void *)block;
    int8_t *to = (int8_t *)(sums + WIDTH) + lane * QUAD;

    for (int64_t row = 0; row < band_of(conv); row++)
        for (int64_t y = 0; y < conv->kernel.y; y++)
            for (int64_t x = 0; x < conv->kernel.x; x++) {
                const int64_t at = channel * f->group + y * f->y + x * f->x;
                const int64_t below = y + row * conv->stride.y;
                const int64_t tap = below / QUAD * conv->kernel.x + x;
                const int64_t w = filter_integer(f->items, f->form, at) - zero;
                to[(row * taps_in(conv) + tap) * COLUMN + below % QUAD] = (int8_t)w;
                sums[lane] += row == 0 ? (int8_t)w : 0;
            }
}

/* Where the sums of a lane begin: with the bias, less what is added to the bytes. */
static inline int32_t begin_of(const struct byte_operands *operands, int64_t channel,
                               const char *block, int64_t lane, uint32_t excess)
{
    const uint32_t sum = (uint32_t)((const int32_t *)(const void *)block)[lane];

    return (int32_t)((uint32_t)operands->bias[channel] - sum * excess);
}

/* A run of a kernel with so many blocks of weights. */
struct quads_run {
    const struct byte_layer *layer;
    const struct byte_operands *operands;
    int64_t quads, bands, blocks;
    int64_t band, taps;   /* band_of(), taps_in() */
    int64_t piece;        /* pixels of a row whose quads a buffer holds at a time */
    size_t block, buffer; /* bytes of a block of weights, and of a buffer */
    int32_t *begin;       /* the initial sums of the lanes of all blocks, and their factors */
    float *factor;
    char *buffers; /* the quads of each member */
    enum byte_saturation saturation;
    uint8_t flip, zero[WIDTH]; /* zero: bytes as they are in memory */
};

/* What is at the begin of the scratch memory. */
static inline size_t lists_size(int64_t blocks)
{
    return (size_t)blocks * WIDTH * (sizeof(int32_t) + sizeof(float));
}

/* Where the buffers are in the scratch memory. */
static inline size_t buffers_begin(int64_t blocks)
{
    return lists_size(blocks) + MEMBERS_APART;
}

/* The lists are the caller's to fill. */
static inline struct quads_run quads_run_of(const struct byte_layer *layer,
                                            const struct byte_operands *operands, int64_t blocks,
                                            size_t buffer)
{
    const struct conv *conv = &layer->conv;
    struct quads_run r = {.layer = layer,
                          .operands = operands,
                          .quads = quads_of(conv),
                          .bands = num_divide_up(conv->out.y, band_of(conv)),
                          .blocks = blocks,
                          .band = band_of(conv),
                          .taps = taps_in(conv),
                          .block = block_size(conv),
                          .buffer = buffer,
                          .begin = operands->scratch,
                          .flip = layer->src.is_signed ? MOVED : 0};

    assert(is_depthwise(conv) && layer->result <= RESULT_SUMS);
    r.factor = (float *)(void *)(r.begin + blocks * WIDTH);
    r.buffers = (char *)operands->scratch + buffers_begin(blocks);
    r.saturation = saturation_of(layer, operands->factor, conv->out_channels);
    memset(r.zero, layer->src.zero, sizeof r.zero);
    return r;
}

/* The addresses of bytes in four rows, and the number of bytes to the next ones. */
struct column_source {
    const uint8_t *from[QUAD];
    int64_t step[QUAD];
    bool far; /* see bytes_put.h */
};

/* Columns of rows of one image, from this channel on; `first`: among those that windows reach. */
struct column_area {
    int64_t image, channel, top, rows, first, count;
};

/* The rows of quad q of a column that have weights. */
static inline int64_t rows_of_quad(const struct quads_run *r, int64_t q)
{
    const struct conv *conv = &r->layer->conv;

    return num_min((r->band - 1) * conv->stride.y + conv->kernel.y - q * QUAD, QUAD);
}

/* From column `first` of an area on.  It may lie outside the image, where nothing is read. */
static inline struct column_source source_of(const struct quads_run *r,
                                             const struct column_area *area, int64_t first)
{
    const struct conv *conv = &r->layer->conv;
    const int64_t x = area->first + first - conv->before.x;
    const uint8_t *from = (const uint8_t *)r->operands->src + area->image * conv->src.image +
                          x * conv->src.pixel + area->channel;
    struct column_source source = {.far = is_far(conv->src.image)};

    for (int i = 0; i < QUAD; i++) {
        const int64_t y = area->top + i * conv->dilation.y;
        const bool inside = i < area->rows && y >= 0 && y < conv->in.y;
        source.from[i] = inside ? from + y * conv->src.row : r->zero;
        source.step[i] = inside ? conv->src.pixel : 0;
    }
    return source;
}

/* Columns `begin` to `end` of an area lie in the image, the others are zeros. */
struct column_span {
    int64_t begin, end;
    struct column_source source;
};

static inline struct column_span span_of(const struct quads_run *r, const struct column_area *area)
{
    const struct conv *conv = &r->layer->conv;
    const int64_t before = conv->before.x - area->first;
    const int64_t begin = num_min(num_max(before, 0), area->count);
    const int64_t end = num_max(num_min(before + conv->in.x, area->count), begin);

    return (struct column_span){begin, end, source_of(r, area, begin)};
}

/* So many bytes that are zeros. */
static inline void put_zeros(const struct quads_run *r, uint8_t *to, int64_t count)
{
    memset(to, r->zero[0] ^ r->flip, (size_t)count);
}

#endif

#endif
