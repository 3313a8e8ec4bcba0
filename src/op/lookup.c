/* lookup.c - the parts of a tensor that indices name; see lookup.h */
#include "op/lookup.h"

#include "op/check.h"

#include <assert.h>
#include <inttypes.h>

static struct lookup elements_of(const struct shape *shape, const struct tensor *indices, int axis)
{
    const int last = shape->rank - 1;

    assert(axis >= 0 && axis <= last && indices->shape.rank == shape->rank);
    struct lookup lookup = {.index = indices->data,
                            .depth = 1,
                            .axis = axis,
                            .extent = {shape->extent[axis]},
                            .rows = indices->shape,
                            .length = indices->shape.extent[last],
                            .step = axis != last,
                            .size = 1};
    shape_strides(shape, lookup.begin);
    lookup.stride[0] = lookup.begin[axis];
    lookup.begin[axis] = 0;
    lookup.rows.rank = last;
    return lookup;
}

static struct lookup sections_of(const struct shape *shape, const struct tensor *indices, int batch)
{
    const int last = indices->shape.rank - 1, inner = batch + (int)indices->shape.extent[last];
    const int rows = last - 1 > batch ? last - 1 : batch;
    int64_t strides[MAX_RANK];

    assert(last >= batch && inner <= shape->rank);
    struct lookup lookup = {.index = indices->data,
                            .depth = inner - batch,
                            .axis = batch,
                            .rows = indices->shape,
                            .length = shape_volume_range(&indices->shape, rows, last),
                            .size = shape_volume_range(shape, inner, shape->rank)};
    shape_strides(shape, strides);
    for (int i = 0; i < batch; i++)
        lookup.begin[i] = strides[i];
    for (int i = batch; i < inner; i++) {
        lookup.extent[i - batch] = shape->extent[i];
        lookup.stride[i - batch] = strides[i];
    }
    lookup.rows.rank = rows;
    return lookup;
}

struct lookup lookup_of(const struct eval *eval)
{
    const struct node *node = eval->node;
    const struct shape *shape = &eval->in[0]->shape;

    if (node_has_attr(node, ATTR_axis))
        return elements_of(shape, eval->in[1], (int)attr_axis(node));
    return sections_of(shape, eval->in[1],
                       node_has_attr(node, ATTR_batch) ? (int)attr_batch(node) : 0);
}

/* The sum of an index and the extent is 0 or more, and below twice the extent. */
bool lookup_check(const struct eval *eval, const struct lookup *lookup)
{
    const int64_t count = shape_volume(&eval->in[1]->shape);

    for (int dimension = 0; dimension < lookup->depth; dimension++) {
        const int64_t extent = lookup->extent[dimension];
        for (int64_t i = dimension; i < count; i += lookup->depth)
            if ((uint64_t)lookup->index[i] + (uint64_t)extent >= 2 * (uint64_t)extent)
                return eval_error(eval, DIAG_RUN_INDEX,
                                  "item %" PRId64 " of 'indices' of '%s' is %" PRId64
                                  ", expected %" PRId64 " or more and below %" PRId64
                                  ", the extent of dimension %d",
                                  i, eval->node->op->name, lookup->index[i], -extent, extent,
                                  lookup->axis + dimension);
    }
    return true;
}

/* --- shapes ------------------------------------------------------------------------------- */

static bool do_not_fit(const struct infer *infer)
{
    return infer_error(infer, "indices", DIAG_SHAPE_MISMATCH,
                       "'%s' has indices of shape %s for shape %s", infer_name(infer),
                       SHAPE_TEXT(infer_in(infer, 1)), SHAPE_TEXT(infer_in(infer, 0)));
}

bool infer_elements(const struct infer *infer, int64_t axis, struct shape *parts)
{
    const struct shape *input = infer_in(infer, 0), *indices = infer_in(infer, 1);

    *parts = *indices;
    if (!check_axis(infer, "axis", axis, input->rank) || !check_rank(infer, 1, input->rank, false))
        return false;
    for (int i = 0; i < input->rank; i++)
        if (i != axis && indices->extent[i] > input->extent[i])
            return do_not_fit(infer);
    return true;
}

bool infer_sections(const struct infer *infer, int64_t batch, struct shape *parts)
{
    const struct shape *input = infer_in(infer, 0), *indices = infer_in(infer, 1);

    if (!check_rank(infer, 1, 1, true))
        return false;
    const int last = indices->rank - 1;
    const int64_t depth = indices->extent[last];
    if (batch > last || batch > input->rank || depth < 1 || depth > input->rank - batch)
        return do_not_fit(infer);
    for (int i = 0; i < batch; i++)
        if (indices->extent[i] != input->extent[i])
            return do_not_fit(infer);
    const int inner = (int)(batch + depth);
    if (!check_rank_limit(infer, last + input->rank - inner))
        return false;
    *parts = *indices;
    parts->rank = last;
    for (int i = inner; i < input->rank; i++)
        parts->extent[parts->rank++] = input->extent[i];
    return true;
}
