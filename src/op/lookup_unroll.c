/*
 * lookup_unroll.c - gather_elements and gather_nd as operations of NNEF
 *
 * NNEF gathers along one dimension, so dimensions that are indexed together become one.  Scalars
 * compute the indices into it, exactly below 2^24.  An index beyond its own dimension could be a
 * valid one into all of them: -1 takes its place, which gather refuses.
 */
#include "op/lookup.h"

#include "base/arena.h"
#include "diag/context.h"
#include "ir/site.h"
#include "op/unroll.h"

#include <assert.h>

struct lookup_unroll {
    struct unroll u;
    struct value *at, *inside; /* so far: the index, and are all that make it in range? */
};

/* --- indices ---------------------------------------------------------------------------------- */

static void add_to(struct lookup_unroll *l, struct value *at)
{
    l->at = l->at ? unroll_plain(&l->u, OP_add, l->at, at) : at;
}

/* An index into a dimension, negative ones from its end. */
static void add_index(struct lookup_unroll *l, struct value *index, int64_t extent, int64_t stride)
{
    const struct unroll *u = &l->u;
    struct value *size = unroll_number(u, (double)extent), *zero = unroll_number(u, 0),
                 *at = unroll_cast(u, index, DTYPE_SCALAR);

    at = unroll_select(u, unroll_plain(u, OP_lt, at, zero), unroll_plain(u, OP_add, at, size), at);
    struct value *inside =
        unroll_plain(u, OP_and, unroll_plain(u, OP_ge, at, zero), unroll_plain(u, OP_lt, at, size));
    l->inside = l->inside ? unroll_plain(u, OP_and, l->inside, inside) : inside;
    if (stride != 1)
        at = unroll_plain(u, OP_mul, at, unroll_number(u, (double)stride));
    add_to(l, at);
}

/* What rows have in front of their indices, in the shape of all indices: multiples of strides. */
static void add_rows(struct lookup_unroll *l, const struct shape *shape, const int64_t *strides,
                     int count)
{
    for (int i = 0; i < count; i++) {
        const int64_t extent = shape->extent[i];
        if (strides[i] == 0 || extent == 1)
            continue;
        struct datum *items = arena_array_of(l->u.graph->context->arena, struct datum, extent);
        struct shape along = {.rank = shape->rank};
        for (int k = 0; k < shape->rank; k++)
            along.extent[k] = k == i ? extent : 1;
        for (int64_t k = 0; k < extent; k++)
            items[k] = (struct datum){.kind = DATUM_SCALAR, .scalar = (double)(k * strides[i])};
        add_to(l, unroll_constant(&l->u, &along, items, (int)extent));
    }
}

/* The items of `x` in that shape, of which the first dimension is indexed. */
static bool finish(struct lookup_unroll *l, const struct shape *flat, struct value **result)
{
    const struct unroll *u = &l->u;
    struct value *at = unroll_select(u, l->inside, l->at, unroll_number(u, -1));

    *result =
        unroll_pair(u, OP_SPEC(gather, .axis = 0), unroll_reshape(u, u->node->in[0].value, flat),
                    unroll_cast(u, at, DTYPE_INTEGER));
    return *result;
}

/* Can scalars hold every index into these items, of which there are some? */
static bool is_exact(const struct unroll *u, int64_t items)
{
    const struct place place = {u->graph->context->diag, u->node->site, u->node->span};

    if (items == 0 || shape_volume(u->node->out[0].shape) == 0)
        return place_fault(&place, DIAG_NOT_IN_NNEF,
                           "'%s' makes shape %s of shape %s, and NNEF has no tensors without items",
                           u->node->op->name, SHAPE_TEXT(u->node->out[0].shape),
                           SHAPE_TEXT(u->node->in[0].value->shape));
    return items <= SCALAR_EXACT ||
           place_fault(&place, DIAG_NOT_IN_NNEF, "'%s' indexes shape %s of more than %d items",
                       u->node->op->name, SHAPE_TEXT(u->node->in[0].value->shape), SCALAR_EXACT);
}

bool unroll_gather_elements(struct graph *graph, struct node *node, struct value **results)
{
    const struct shape *shape = node->in[0].value->shape, *indices = node->in[1].value->shape;
    const int axis = (int)attr_axis(node);
    const struct shape flat = {.rank = 1, .extent = {shape_volume(shape)}};
    struct lookup_unroll l = {.u = {graph, node}};
    int64_t strides[MAX_RANK] = {0};

    if (!is_exact(&l.u, flat.extent[0]))
        return false;
    shape_strides(shape, strides);
    add_index(&l, node->in[1].value, shape->extent[axis], strides[axis]);
    strides[axis] = 0;
    add_rows(&l, indices, strides, indices->rank);
    return finish(&l, &flat, results);
}

bool unroll_gather_nd(struct graph *graph, struct node *node, struct value **results)
{
    const struct shape *shape = node->in[0].value->shape, *indices = node->in[1].value->shape;
    const int batch = (int)attr_batch(node), last = indices->rank - 1;
    const int inner = batch + (int)indices->extent[last];
    struct shape flat = {.rank = 1, .extent = {shape_volume_range(shape, 0, inner)}};
    struct shape outer = *indices;
    struct lookup_unroll l = {.u = {graph, node}};
    int64_t strides[MAX_RANK] = {0};

    if (!is_exact(&l.u, flat.extent[0]))
        return false;
    for (int i = inner; i < shape->rank; i++)
        flat.extent[flat.rank++] = shape->extent[i];
    outer.rank = last;
    for (int i = 0; i < inner; i++)
        strides[i] = shape_volume_range(shape, i + 1, inner);
    for (int i = batch; i < inner; i++) {
        struct value *column =
            unroll_slice(&l.u, node->in[1].value, last, i - batch, i - batch + 1);
        column = unroll_first(&l.u, OP_SPEC(squeeze, .axes = {1, &(int64_t){last}}), &column, 1);
        add_index(&l, column, shape->extent[i], strides[i]);
    }
    add_rows(&l, &outer, strides, batch);
    return finish(&l, &flat, results);
}
