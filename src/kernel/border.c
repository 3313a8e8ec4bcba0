/*
 * border.c - copies of images with zeros around them
 *
 * The copy holds all pixels that windows reach, and no more: pixel [0, 0] is the first tap of the
 * first output.  Its channels are dense.
 */
#include "kernel/table.h"

#include "kernel/range.h"

#include <assert.h>

/* The work that members share, by rows of the copy. */
struct copying {
    const struct conv *conv;
    struct plane extents;
    const float *src;
    float *copy;
};

struct plane KERNEL(border_extents)(const struct conv *conv)
{
    assert(conv->stride.y > 0 && conv->stride.x > 0);
    assert(conv->dilation.y > 0 && conv->dilation.x > 0);
    return (struct plane){
        windows_reach(conv->out.y, conv->stride.y, conv->kernel.y, conv->dilation.y),
        windows_reach(conv->out.x, conv->stride.x, conv->kernel.x, conv->dilation.x),
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

static void copy_rows(void *data, int64_t begin, int64_t end, int member)
{
    const struct copying *c = data;
    const struct conv *conv = c->conv;
    int64_t channels = conv->in_channels, width = c->extents.x;

    /* The columns of the copy that are inside the image: `count` from `left` on. */
    int64_t left = limit(conv->before.x, width), first = limit(-conv->before.x, conv->in.x);
    int64_t inside = limit(width - left, conv->in.x - first);

    (void)member;
    for (int64_t i = begin; i < end; i++) {
        int64_t y = i % c->extents.y - conv->before.y;
        int64_t count = y < 0 || y >= conv->in.y ? 0 : inside;
        const float *src = c->src + i / c->extents.y * conv->src.image;
        float *to = c->copy + i * width * channels, *from_left = to + left * channels;

        zero(to, left * channels);
        if (count > 0)
            src += y * conv->src.row + first * conv->src.pixel;
        if (conv->src.pixel == channels)
            memcpy(from_left, src, (size_t)(count * channels) * sizeof *to);
        else
            for (int64_t x = 0; x < count; x++)
                memcpy(from_left + x * channels, src + x * conv->src.pixel,
                       (size_t)channels * sizeof *to);
        zero(from_left + count * channels, (width - left - count) * channels);
    }
}

void KERNEL(border_copy)(const struct conv *conv, const float *src, float *copy, struct team *team)
{
    struct copying c = {.conv = conv, .extents = KERNEL(border_extents)(conv), .src = src};
    int64_t rows = conv->batch * c.extents.y, members = team_size(team);

    assert(src && copy && (const void *)src != copy);
    c.copy = copy;
    team_share(team, rows, rows / (4 * members) + 1, copy_rows, &c);
}
