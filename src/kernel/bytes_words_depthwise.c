/*
 * bytes_words_depthwise.c - depthwise convolution of words
 *
 * Channels are lanes, and the final sums fit 32 bits (bytes.h).  Taps outside the image add
 * nothing.
 */
#include "base/num.h"
#include "kernel/bytes_put.h"
#include "kernel/table.h"

#include <assert.h>

static bool words_depthwise_fits(const struct conv *conv)
{
    return KERNEL(depthwise).fits(conv);
}

static int64_t width_of(const struct conv *conv)
{
    return num_divide_up(conv->out_channels, LANES) * LANES;
}

static size_t words_depthwise_packed_size(const struct conv *conv)
{
    return (size_t)(conv->kernel.y * conv->kernel.x * width_of(conv)) * sizeof(int32_t);
}

/* [taps][channels in whole vectors] */
static void words_depthwise_pack(const struct conv *conv, const struct filter *filter,
                                 float *packed, /* NOLINT(readability-non-const-parameter) */
                                 struct team *team)
{
    int32_t *to = (void *)packed;

    (void)team;
    memset(to, 0, words_depthwise_packed_size(conv));
    for (int64_t tap = 0; tap < conv->kernel.y * conv->kernel.x; tap++, to += width_of(conv))
        for (int64_t c = 0; c < conv->out_channels; c++) {
            const int64_t at = tap / conv->kernel.x * filter->y + tap % conv->kernel.x * filter->x +
                               c * filter->group;
            to[c] = (int32_t)(filter_integer(filter->items, filter->form, at) -
                              filter->zero[c * filter->zero_step]);
        }
}

static size_t words_depthwise_scratch_size(const struct conv *conv, int members)
{
    (void)conv;
    (void)members;
    return 0;
}

/* Taps along a dimension that are inside the image, and where the first of all taps would be. */
struct span {
    int64_t begin, end, at;
};

static struct span span_of(int64_t at, int64_t taps, int64_t dilation, int64_t extent)
{
    const int64_t begin = at < 0 ? num_divide_up(-at, dilation) : 0;
    const int64_t end = at < extent ? num_divide_up(extent - at, dilation) : 0;

    return (struct span){begin, num_min(end, taps), at};
}

struct words_depthwise {
    const struct byte_layer *layer;
    const struct byte_operands *operands;
    struct byte_sink sink;
    int64_t width;
};

/* The taps of a pixel, in its image. */
struct pixel_taps {
    struct span y, x;
    const uint16_t *image;
    int64_t to; /* items from the first result */
};

/* The results of `count` channels of a pixel from channel c on. */
ALWAYS_INLINE void do_channels(const struct words_depthwise *d, const struct pixel_taps *p,
                               int64_t c, const int count)
{
    const struct conv *conv = &d->layer->conv;
    const struct byte_code src = d->layer->src;
    const int32_t *packed = d->operands->packed;
    bits sum = (bits)ints_load(d->operands->bias + c);

    for (int64_t ky = p->y.begin; ky < p->y.end; ky++) {
        const uint16_t *row = p->image + (p->y.at + ky * conv->dilation.y) * conv->src.row + c;
        for (int64_t kx = p->x.begin; kx < p->x.end; kx++) {
            const uint16_t *from = row + (p->x.at + kx * conv->dilation.x) * conv->src.pixel;
            const ints items = ints_of_some_words(from, src.is_signed, count) - src.zero;
            sum +=
                (bits)items * (bits)ints_load(packed + (ky * conv->kernel.x + kx) * d->width + c);
        }
    }
    put_sums(d->sink, (ints)sum, p->to + c, c, count);
}

static void do_rows(void *data, int64_t begin, int64_t end, int member)
{
    const struct words_depthwise *d = data;
    const struct conv *conv = &d->layer->conv;
    const int64_t channels = conv->out_channels;

    (void)member;
    for (int64_t row = begin; row < end; row++) {
        const int64_t image = row / conv->out.y, y = row % conv->out.y;
        struct pixel_taps p = {.y = span_of(y * conv->stride.y - conv->before.y, conv->kernel.y,
                                            conv->dilation.y, conv->in.y),
                               .image =
                                   (const uint16_t *)d->operands->src + image * conv->src.image};
        for (int64_t x = 0; x < conv->out.x; x++) {
            p.x = span_of(x * conv->stride.x - conv->before.x, conv->kernel.x, conv->dilation.x,
                          conv->in.x);
            p.to = image * conv->dst.image + y * conv->dst.row + x * conv->dst.pixel;
            int64_t c = 0;
            for (; c + LANES <= channels; c += LANES)
                do_channels(d, &p, c, LANES);
            /* The last vector may have channels that are done already. */
            if (c < channels && c > 0)
                do_channels(d, &p, channels - LANES, LANES);
            else if (c < channels)
                do_channels(d, &p, c, (int)(channels - c));
        }
    }
}

void BYTE_KERNEL(run_byte_words_depthwise)(const struct byte_layer *layer,
                                           const struct byte_operands *operands, struct team *team)
{
    struct words_depthwise d = {layer, operands, sink_of(layer, operands), width_of(&layer->conv)};

    assert(words_depthwise_fits(&layer->conv) && layer->result <= RESULT_SUMS);
    team_share(team, layer->conv.batch * layer->conv.out.y, 1, do_rows, &d);
}

const struct conv_kernel BYTE_KERNEL(byte_words_depthwise) = {
    .name = "depthwise, words",
    .fits = words_depthwise_fits,
    .packed_size = words_depthwise_packed_size,
    .pack = words_depthwise_pack,
    .scratch_size = words_depthwise_scratch_size,
};
