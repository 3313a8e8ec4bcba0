/*
 * bytes_depthwise.c - depthwise convolution of bytes
 *
 * Floats hold these sums exactly, so the kernel for floats computes them.  It works in bands of
 * rows, so that the floats stay in the cache.
 */
#include "base/num.h"
#include "kernel/bytes_put.h"
#include "kernel/table.h"

#include <assert.h>

enum { BAND_ITEMS = 1 << 14 };

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

/* The same order as in depthwise.c: [taps][channels in whole vectors]. */
static void bytes_depthwise_pack(const struct conv *conv, const struct filter *filter,
                                 float *packed, struct team *team)
{
    const int64_t width = width_of(conv);

    (void)team;
    for (int64_t tap = 0; tap < conv->kernel.y * conv->kernel.x; tap++)
        for (int64_t c = 0; c < width; c++) {
            const int64_t at = tap / conv->kernel.x * filter->y + tap % conv->kernel.x * filter->x +
                               c * filter->group;
            packed[tap * width + c] =
                c < conv->out_channels ? (float)(filter_integer(filter->items, filter->form, at) -
                                                 filter->zero[c * filter->zero_step])
                                       : 0;
        }
}

/* --- bands ----------------------------------------------------------------------------------- */

/* The number of rows of the source that this number of neighbouring rows of results reads. */
static int64_t rows_read(const struct conv *conv, int64_t rows)
{
    return num_min(windows_reach(rows, conv->stride.y, conv->kernel.y, conv->dilation.y),
                   conv->in.y);
}

/* The floats of a band: a ring of rows of the source, and the rows of results. */
static int64_t band_items(const struct conv *conv, int64_t rows)
{
    return (rows_read(conv, rows) * conv->in.x + rows * conv->out.x) * conv->in_channels;
}

/* At least two rows, because the kernel can compute two together. */
static int64_t band_rows(const struct conv *conv)
{
    int64_t rows = num_min(conv->out.y, 2);

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
    return rooms_size((size_t)room_of(conv) * sizeof(float), members);
}

/* A run, shared among members by parts of images. */
struct bytes_depthwise {
    const struct byte_layer *layer;
    const struct byte_operands *operands;
    struct conv floats; /* of the floats, but for rows */
    int64_t parts;      /* of an image */
};

/* The floats of row y of an image in the ring. */
static void read_row(const struct bytes_depthwise *r, int64_t image, int64_t y, float *ring)
{
    const struct conv *conv = &r->layer->conv, *floats = &r->floats;
    const uint8_t *from =
        (const uint8_t *)r->operands->src + image * conv->src.image + y * conv->src.row;
    float *to = ring + y % floats->ring * floats->src.row;
    bool dense = conv->src.pixel == conv->in_channels;

    for (int64_t x = 0; x < (dense ? 1 : conv->in.x); x++)
        BYTE_KERNEL(bytes).numbers(to + x * floats->src.pixel, from + x * conv->src.pixel,
                                   &r->layer->src, 1, conv->in_channels * (dense ? conv->in.x : 1));
}

struct rows {
    int64_t begin, end;
};

/* The results of some rows. */
static void write_rows(const struct bytes_depthwise *r, int64_t image, struct rows rows,
                       const float *from)
{
    const struct conv *conv = &r->layer->conv;
    const int64_t channels = conv->out_channels, pixels = conv->out.x, step = conv->dst.pixel;
    const struct byte_sink sink = sink_of(r->layer, r->operands);
    const int32_t *bias = r->operands->bias;

    for (int64_t y = rows.begin; y < rows.end; y++) {
        int64_t at = image * conv->dst.image + y * conv->dst.row;
        for (int64_t x = 0; x < pixels; x++, at += step, from += channels)
            for (int64_t c = 0; c < channels; c += LANES) {
                const int count = (int)num_min(channels - c, LANES);
                const vec sums = vec_load_most(from + c, count);
                put_sums(sink, ints_of_vec(sums) + ints_load(bias + c), at + c, c, count);
            }
    }
}

/* Part `index` of all images, band by band.  Each band reads the rows that the ring lacks. */
static void do_part(const struct bytes_depthwise *r, int64_t index, float *ring)
{
    const struct conv *conv = &r->layer->conv;
    const int64_t image = index / r->parts, part = index % r->parts;
    const int64_t last = conv->out.y * (part + 1) / r->parts, band = band_rows(conv);
    float *sums = ring + r->floats.ring * r->floats.src.row;
    int64_t done = 0;

    for (int64_t y = conv->out.y * part / r->parts, end; y < last; y = end) {
        end = num_min(y + band, last);
        const int64_t top = y * conv->stride.y - conv->before.y;
        const int64_t reach =
            windows_reach(end - y, conv->stride.y, conv->kernel.y, conv->dilation.y);
        const int64_t bottom = num_min(top + reach, conv->in.y);
        for (done = num_max(done, num_max(top, 0)); done < bottom; done++)
            read_row(r, image, done, ring);
        struct conv floats = r->floats;
        floats.out.y = end - y;
        floats.before.y = -top;
        KERNEL(depthwise).run(
            &floats,
            &(struct conv_operands){.src = ring, .packed = r->operands->packed, .dst = sums}, NULL);
        write_rows(r, image, (struct rows){y, end}, sums);
    }
}

static void do_parts(void *data, int64_t begin, int64_t end, int member)
{
    const struct bytes_depthwise *r = data;
    const size_t room = (size_t)room_of(&r->layer->conv) * sizeof(float);
    float *ring = (void *)((char *)r->operands->scratch + room_begin(room, member));

    for (; begin < end; begin++)
        do_part(r, begin, ring);
}

void BYTE_KERNEL(run_byte_depthwise)(const struct byte_layer *layer,
                                     const struct byte_operands *operands, struct team *team)
{
    const struct conv *conv = &layer->conv;
    const int members = team_size(team);
    struct bytes_depthwise r = {.layer = layer, .operands = operands, .floats = *conv, .parts = 1};

    assert(bytes_depthwise_fits(conv) && layer->result <= RESULT_SUMS);
    if (members > 1)
        r.parts = num_max(num_min(conv->out.y / band_rows(conv), (int64_t)2 * members), 1);
    r.floats.batch = 1;
    r.floats.ring = rows_read(conv, band_rows(conv));
    r.floats.src = steps_dense(conv->in_channels, conv->in);
    r.floats.dst = steps_dense(conv->out_channels, conv->out);
    team_share(team, conv->batch * r.parts, 1, do_parts, &r);
}

const struct conv_kernel BYTE_KERNEL(byte_depthwise) = {
    .name = "depthwise, bytes",
    .fits = bytes_depthwise_fits,
    .packed_size = bytes_depthwise_packed_size,
    .pack = bytes_depthwise_pack,
    .scratch_size = bytes_depthwise_scratch_size,
};
