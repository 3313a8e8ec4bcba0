/*
 * bytes_copy.h - images as products of bytes read them, with zeros around them; a part of
 * bytes_layer.h, which says what has to be defined before
 */
#ifndef NNEFC_KERNEL_BYTES_COPY_H
#define NNEFC_KERNEL_BYTES_COPY_H

#include "kernel/bytes_pack.h"
#include "kernel/bytes_put.h"

/* The number of items to add behind the last one, so that the last tuple is complete. */
static int64_t copy_count(const struct conv *conv)
{
    const struct plane extents = KERNEL(border_extents)(conv);

    return conv->batch * extents.y * extents.x * conv->in_channels + TUPLE - 1;
}

static size_t layer_scratch_size(const struct conv *conv, int members)
{
    (void)members;
    return (size_t)copy_count(conv) * sizeof(item);
}

struct layer_run {
    const struct byte_layer *layer;
    const struct byte_operands *operands;
    struct taps taps;
    struct plane extents; /* of the area that windows reach */
    int64_t channels;     /* of a group of the source */
    item *copy;
    const item *first;     /* the first item of the first window, in the copy or the source */
    struct steps steps;    /* of the copy or source */
    int64_t group;         /* its distance from a group to the next one */
    int64_t tiles, blocks; /* of all images, in a group; blocks of them */
    int64_t units, unit;   /* of few weights: blocks have whole units of so many pixels */
    struct panels panels;
    int64_t parts;   /* of the panels of a group */
    int64_t stripes; /* of blocks: a member does all panels of one before it goes on */
    enum byte_saturation saturation;
    size_t vec_size; /* of a vector of channels that is packed */
};

static void fill_zero(const struct layer_run *r, item *to, int64_t count)
{
    const item zero = item_of_zero(&r->layer->src);

    for (int64_t i = 0; i < count; i++)
        to[i] = zero;
}

/* Row `row` of all images, for each group: pixels of a group follow each other. */
static void copy_row(const struct layer_run *r, int64_t row)
{
    const struct conv *conv = &r->layer->conv;
    const int64_t channels = group_in(conv), y = row % r->extents.y - conv->before.y;
    const int64_t width = r->extents.x * channels, images = conv->batch * r->extents.y;
    const int64_t begin = num_min(num_max(conv->before.x, 0), r->extents.x);
    const int64_t end = num_max(num_min(conv->before.x + conv->in.x, r->extents.x), begin);
    const bool inside = y >= 0 && y < conv->in.y && begin < end;
    const source *from = r->operands->src;

    if (inside)
        from += row / r->extents.y * conv->src.image + y * conv->src.row +
                num_max(-conv->before.x, 0) * conv->src.pixel;
    for (int64_t group = 0; group < conv->groups; group++) {
        item *to = r->copy + (group * images + row) * width;
        if (!inside) {
            fill_zero(r, to, width);
            continue;
        }
        fill_zero(r, to, begin * channels);
        if (conv->groups == 1 && conv->src.pixel == channels)
            items_of(to + begin * channels, from, &r->layer->src, (end - begin) * channels);
        else
            for (int64_t x = begin; x < end; x++)
                items_of(to + x * channels, from + (x - begin) * conv->src.pixel + group * channels,
                         &r->layer->src, channels);
        fill_zero(r, to + end * channels, width - end * channels);
    }
}

static void copy_rows(void *data, int64_t begin, int64_t end, int member)
{
    (void)member;
    for (; begin < end; begin++)
        copy_row(data, begin);
}

/* Copy all images, or use them where they are. */
static void prepare_source(struct layer_run *r, struct team *team)
{
    const struct conv *conv = &r->layer->conv;
    const bool follow = r->taps.row_runs == conv->kernel.x || conv->src.pixel == r->channels;

    if (are_items(&r->layer->src) && !KERNEL(border_is_reached)(conv) && follow &&
        r->taps.length % TUPLE == 0) {
        r->first = (const item *)r->operands->src - conv->before.y * conv->src.row -
                   conv->before.x * conv->src.pixel;
        r->steps = conv->src;
        r->group = r->channels;
        return;
    }
    r->first = r->copy = r->operands->scratch;
    r->steps = steps_dense(r->channels, r->extents);
    r->group = conv->batch * r->steps.image;
    fill_zero(r, r->copy + copy_count(conv) - (TUPLE - 1), TUPLE - 1);
    team_share(team, conv->batch * r->extents.y, 8, copy_rows, r);
}

#endif
