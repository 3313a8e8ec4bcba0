/*
 * roi_unroll.c - roi_align as operations of NNEF
 *
 * They can say the mean of so many points of each cell: roi_resample looks these up, those that are
 * too far from the map become 0, and avg_pool takes their mean.
 */
#include "op/interpolate.h"

#include "base/arena.h"
#include "diag/context.h"
#include "ir/site.h"
#include "op/unroll.h"

enum { SPATIAL = 2, CORNERS = 4 };

/* --- regions ---------------------------------------------------------------------------------- */

/* Corners with the first dimension first, as resampling takes them: it shifts them by half an item.
 */
static struct value *corners_of(const struct unroll *u, const struct roi_align_attrs *attrs)
{
    struct datum order[CORNERS] = {{0}};
    const struct shape shape = {.rank = 1, .extent = {CORNERS}};

    for (int i = 0; i < CORNERS; i++)
        order[i] = (struct datum){.kind = DATUM_INTEGER, .integer = i ^ 1};
    struct value *scaled = unroll_pair(u, OP_SPEC(gather, .axis = 1), u->node->in[ROI_ROIS].value,
                                       unroll_constant(u, &shape, order, CORNERS));
    scaled = unroll_plain(u, OP_mul, scaled, unroll_number(u, attrs->scale));
    if (attrs->half_pixel)
        return scaled;
    struct value *begin = unroll_slice(u, scaled, 1, 0, SPATIAL);
    struct value *size =
        unroll_plain(u, OP_sub, unroll_slice(u, scaled, 1, SPATIAL, CORNERS), begin);
    size = unroll_plain(u, OP_max, size, unroll_number(u, 1));
    begin = unroll_plain(u, OP_add, begin, unroll_number(u, 0.5));
    return unroll_pair(u, OP_SPEC(concat, .axis = 1), begin, unroll_plain(u, OP_add, begin, size));
}

/* Which points along an axis are on the map, or less than an item beside it, in four dimensions. */
static struct value *on_map(const struct unroll *u, struct value *corners, int axis, int64_t points)
{
    const int64_t extent = u->node->in[ROI_INPUT].value->shape->extent[2 + axis];
    const int64_t regions = u->node->in[ROI_ROIS].value->shape->extent[0];
    const struct shape along = {.rank = 2, .extent = {1, points}};
    struct shape shape = {.rank = 2 + SPATIAL, .extent = {regions, 1, 1, 1}};
    struct datum *items = arena_array_of(u->graph->context->arena, struct datum, points);

    for (int64_t i = 0; i < points; i++)
        items[i] =
            (struct datum){.kind = DATUM_SCALAR, .scalar = ((double)i + 0.5) / (double)points};
    struct value *parts = unroll_constant(u, &along, items, (int)points);
    struct value *begin = unroll_slice(u, corners, 1, axis, axis + 1);
    struct value *size = unroll_plain(
        u, OP_sub, unroll_slice(u, corners, 1, SPATIAL + axis, SPATIAL + axis + 1), begin);
    struct value *at = unroll_plain(u, OP_add, begin, unroll_plain(u, OP_mul, size, parts));
    at = unroll_plain(u, OP_and, unroll_plain(u, OP_ge, at, unroll_number(u, -0.5)),
                      unroll_plain(u, OP_le, at, unroll_number(u, (double)extent + 0.5)));
    shape.extent[2 + axis] = points;
    return unroll_reshape(u, at, &shape);
}

bool roi_align_unroll(struct graph *graph, struct node *node, struct value **results)
{
    const struct roi_align_attrs *attrs = node->attrs;
    const struct unroll u = {graph, node};
    const int64_t ratio = attrs->sampling_ratio;
    const int64_t cell[] = {1, 1, ratio, ratio}, dilation[] = {1, 1, 1, 1};
    static const int64_t none[2 + SPATIAL][2];
    int64_t points[SPATIAL];

    if (ratio == 0)
        return unroll_refuse(&u, " with as many points as a cell has items");
    if (attrs->align_mode != ALIGN_MODE_AVG)
        return unroll_refuse(&u, " with mode 'max'");
    for (int i = 0; i < SPATIAL; i++)
        points[i] = attrs->output_size.item[i] * ratio;
    struct value *corners = corners_of(&u, attrs);
    struct value *in[] = {node->in[ROI_INPUT].value, corners, node->in[ROI_BATCH_INDEX].value};
    struct value *samples =
        unroll_first(&u, OP_SPEC(roi_resample, .output_size = {SPATIAL, points}), in, 3);
    struct value *inside = corners ? unroll_plain(&u, OP_and, on_map(&u, corners, 0, points[0]),
                                                  on_map(&u, corners, 1, points[1]))
                                   : NULL;
    samples = unroll_select(&u, inside, samples, unroll_number(&u, 0));
    *results =
        unroll_first(&u,
                     OP_SPEC(avg_pool, .size = {2 + SPATIAL, cell}, .stride = {2 + SPATIAL, cell},
                             .padding = {2 + SPATIAL, none}, .dilation = {2 + SPATIAL, dilation}),
                     &samples, 1);
    return *results;
}
