/*
 * border.c - copies of images with zeros around them
 *
 * The copy has all that windows reach, and no more: pixel [0, 0] is the first tap of the first
 * output.  Its channels are dense.
 */
#include "kernel/table.h"

#include "kernel/range.h"

struct copying {
    const struct conv *conv;
    struct plane extents;
    const float *src;
    float *copy;
};

static int64_t reach(int64_t out, int64_t stride, int64_t kernel, int64_t dilation)
{
    return (out - 1) * stride + (kernel - 1) * dilation + 1;
}

struct plane KERNEL(border_extents)(const struct conv *conv)
{
    return (struct plane){
        reach(conv->out.y, conv->stride.y, conv->kernel.y, conv->dilation.y),
        reach(conv->out.x, conv->stride.x, conv->kernel.x, conv->dilation.x),
    };
}

bool KERNEL(border_is_reached)(const struct conv *conv)
{
    struct plane extents = KERNEL(border_extents)(conv);

    return conv->before.y > 0 || conv->before.x > 0 || extents.y - conv->before.y > conv->in.y ||
           extents.x - conv->before.x > conv->in.x;
}

static void zero(float *items, int64_t count)
{
    memset(items, 0, (size_t)count * sizeof *items);
}

/* Pixels of a row, `count` from `src` on. */
static void copy_pixels(const struct conv *conv, const float *src, float *to, int64_t count)
{
    int64_t channels = conv->in_channels;

    if (conv->src.pixel == channels) {
        memcpy(to, src, (size_t)(count * channels) * sizeof *to);
        return;
    }
    for (int64_t x = 0; x < count; x++)
        memcpy(to + x * channels, src + x * conv->src.pixel, (size_t)channels * sizeof *to);
}

static void copy_row(const struct copying *c, int64_t n, int64_t y, float *to)
{
    const struct conv *conv = c->conv;
    int64_t channels = conv->in_channels, in_y = y - conv->before.y;
    int64_t begin = limit(conv->before.x, c->extents.x);
    int64_t first = limit(-conv->before.x, conv->in.x);
    int64_t count = limit(c->extents.x - begin, conv->in.x - first);

    if (in_y < 0 || in_y >= conv->in.y)
        count = 0;
    zero(to, begin * channels);
    if (count > 0)
        copy_pixels(conv,
                    c->src + n * conv->src.image + in_y * conv->src.row + first * conv->src.pixel,
                    to + begin * channels, count);
    zero(to + (begin + count) * channels, (c->extents.x - begin - count) * channels);
}

static void copy_rows(void *data, int64_t begin, int64_t end, int member)
{
    const struct copying *c = data;

    (void)member;
    for (int64_t i = begin; i < end; i++)
        copy_row(c, i / c->extents.y, i % c->extents.y,
                 c->copy + i * c->extents.x * c->conv->in_channels);
}

void KERNEL(border_copy)(const struct conv *conv, const float *src, float *copy, struct team *team)
{
    struct copying c = {.conv = conv, .extents = KERNEL(border_extents)(conv), .src = src};
    int64_t rows = conv->batch * c.extents.y, members = team_size(team);

    c.copy = copy;
    team_share(team, rows, rows / (4 * members) + 1, copy_rows, &c);
}
