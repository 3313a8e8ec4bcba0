/*
 * bytes_depthwise.c - convolution of bytes, each channel by a filter of its own
 *
 * Floats hold these sums exactly, so that the kernel of floats computes them: in bands of rows of
 * which the floats stay in the cache.
 */
#include "base/num.h"
#include "kernel/bytes_put.h"
#include "kernel/table.h"

#include <assert.h>

enum { BAND_ITEMS = 1 << 15 };

static bool bytes_depthwise_fits(const struct conv *conv)
{
    return KERNEL(depthwise).fits(conv);
}

static size_t bytes_depthwise_packed_size(const struct conv *conv)
{
    return KERNEL(depthwise).packed_size(conv);
}

static int64_t width_of(const struct conv *conv)
{
    return num_divide_up(conv->out_channels, LANES) * LANES;
}

/* As depthwise.c has it: [taps][channels in whole vectors]. */
static void bytes_depthwise_pack(const struct conv *conv, const struct filter *filter,
                                 float *packed, struct team *team)
{
    const int64_t width = width_of(conv);
    const int64_t *items = filter->items;

    (void)team;
    for (int64_t tap = 0; tap < conv->kernel.y * conv->kernel.x; tap++)
        for (int64_t c = 0; c < width; c++) {
            const int64_t *from = items + tap / conv->kernel.x * filter->y +
                                  tap % conv->kernel.x * filter->x;
            packed[tap * width + c] =
                c < conv->out_channels
                    ? (float)(from[c * filter->group] - filter->zero[c * filter->zero_step])
                    : 0;
        }
}

/* --- bands ----------------------------------------------------------------------------------- */

/* Rows of results that are computed at once, of one image. */
struct band {
    struct conv conv; /* of the floats */
    int64_t image, first, row; /* the first row of the source, and of the results */
};

/* Rows of the source that so many rows of results read, at most. */
static int64_t rows_read(const struct conv *conv, int64_t rows)
{
    return num_min(windows_reach(rows, conv->stride.y, conv->kernel.y, conv->dilation.y),
                   conv->in.y);
}

static int64_t band_items(const struct conv *conv, int64_t rows)
{
    return (rows_read(conv, rows) * conv->in.x + rows * conv->out.x) * conv->in_channels;
}

static int64_t band_rows(const struct conv *conv)
{
    int64_t rows = 1;

    while (rows < conv->out.y && band_items(conv, rows + 1) <= BAND_ITEMS)
        rows++;
    return rows;
}

static int64_t room_of(const struct conv *conv)
{
    enum { LINE = KERNEL_ALIGNMENT / sizeof(float) };

    return num_divide_up(band_items(conv, band_rows(conv)), LINE) * LINE;
}

static size_t bytes_depthwise_scratch_size(const struct conv *conv, int members)
{
    return (size_t)(room_of(conv) * members) * sizeof(float);
}

static struct band band_at(const struct conv *conv, int64_t index)
{
    const int64_t bands = num_divide_up(conv->out.y, band_rows(conv));
    const int64_t begin = conv->out.y * (index % bands) / bands;
    const int64_t end = conv->out.y * (index % bands + 1) / bands;
    const int64_t top = begin * conv->stride.y - conv->before.y;
    const int64_t reach =
        windows_reach(end - begin, conv->stride.y, conv->kernel.y, conv->dilation.y);
    const int64_t first = num_max(num_min(top, conv->in.y - 1), 0);
    const int64_t last = num_max(num_min(top + reach, conv->in.y), first + 1);
    struct band band = {.conv = *conv, .image = index / bands, .first = first, .row = begin};

    band.conv.batch = 1;
    band.conv.in.y = last - first;
    band.conv.out.y = end - begin;
    band.conv.before.y = first - top;
    band.conv.src = steps_dense(conv->in_channels, band.conv.in);
    band.conv.dst = steps_dense(conv->out_channels, band.conv.out);
    return band;
}

struct bytes_depthwise {
    const struct byte_layer *layer;
    const struct byte_operands *operands;
};

static void read_band(const struct bytes_depthwise *r, const struct band *band, float *to)
{
    const struct conv *conv = &r->layer->conv;

    for (int64_t y = 0; y < band->conv.in.y; y++)
        for (int64_t x = 0; x < conv->in.x; x++) {
            const uint8_t *from = (const uint8_t *)r->operands->src +
                                  band->image * conv->src.image +
                                  (band->first + y) * conv->src.row + x * conv->src.pixel;
            bool dense = conv->src.pixel == conv->in_channels;
            if (!dense || x == 0)
                KERNEL(bytes).numbers(to + y * band->conv.src.row + x * band->conv.src.pixel, from,
                                      &r->layer->src, 1,
                                      conv->in_channels * (dense ? conv->in.x : 1));
        }
}

static void write_band(const struct bytes_depthwise *r, const struct band *band, const float *from)
{
    const struct conv *conv = &r->layer->conv;
    const int64_t channels = conv->out_channels;

    for (int64_t y = 0; y < band->conv.out.y; y++)
        for (int64_t x = 0; x < conv->out.x; x++) {
            const int64_t at = band->image * conv->dst.image + (band->row + y) * conv->dst.row +
                               x * conv->dst.pixel;
            for (int64_t c = 0; c < channels; c += LANES) {
                const int count = (int)num_min(channels - c, LANES);
                const vec sums = vec_load_most(from + c, count);
                put_sums(r->layer, r->operands,
                         __builtin_convertvector(sums, ints) + ints_load(r->operands->bias + c),
                         (struct place){at + c, c, count});
            }
            from += channels;
        }
}

static void do_bands(void *data, int64_t begin, int64_t end, int member)
{
    const struct bytes_depthwise *r = data;
    const struct conv *conv = &r->layer->conv;
    float *room = (float *)r->operands->scratch + room_of(conv) * member;

    for (; begin < end; begin++) {
        const struct band band = band_at(conv, begin);
        float *sums = room + band.conv.in.y * band.conv.src.row;
        read_band(r, &band, room);
        KERNEL(depthwise).run(&band.conv,
                              &(struct conv_operands){
                                  .src = room, .packed = r->operands->packed, .dst = sums},
                              NULL);
        write_band(r, &band, sums);
    }
}

void KERNEL(run_byte_depthwise)(const struct byte_layer *layer,
                                const struct byte_operands *operands, struct team *team)
{
    struct bytes_depthwise r = {layer, operands};
    const struct conv *conv = &layer->conv;

    assert(bytes_depthwise_fits(conv) && layer->result <= RESULT_SUMS);
    team_share(team, conv->batch * num_divide_up(conv->out.y, band_rows(conv)), 1, do_bands, &r);
}

const struct conv_kernel KERNEL(byte_depthwise) = {
    .name = "depthwise, bytes",
    .fits = bytes_depthwise_fits,
    .packed_size = bytes_depthwise_packed_size,
    .pack = bytes_depthwise_pack,
    .scratch_size = bytes_depthwise_scratch_size,
};
