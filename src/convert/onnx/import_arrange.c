/*
 * import_arrange.c - shapes and orders of tensors, and tensors that are known
 *
 * A function makes no node if the tensor is as wanted already.  Known items get another shape
 * without a copy.
 */
#include "convert/onnx/import_make.h"

#include "base/num.h"
#include "convert/onnx/import_value.h"
#include "diag/context.h"
#include "ir/graph.h"

#include <assert.h>
#include <string.h>

/* --- what is known ----------------------------------------------------------------------- */

/* The items count against the memory that is left, since a small file may ask for large ones. */
static struct imported *known_of(struct translation *t, int32_t type, const struct shape *shape,
                                 bool nibbles, struct tensor **items)
{
    const struct context *context = t->builder->context;
    const int64_t budget = context_budget(context);
    int64_t volume = 0;
    struct tensor tensor;
    const bool fits = shape_volume_checked(shape, num_min(budget, context->limits.volume), &volume);
    const bool small = nibbles && volume >= BYTES_MANY;

    if (!fits || volume > budget / (small ? 1 : (int64_t)sizeof(int64_t))) {
        import_error(t, DIAG_VOLUME_LIMIT, "a known tensor of shape %s is larger than the limits",
                     SHAPE_TEXT(shape));
        return NULL;
    }
    if (!(small ? tensor_allocate_nibbles(&tensor, shape)
                : tensor_allocate(&tensor, dtype_of(type), shape))) {
        import_error(t, DIAG_RUN_MEMORY, "not enough memory for a tensor of shape %s",
                     SHAPE_TEXT(shape));
        return NULL;
    }
    struct tensor *kept = builder_keep(t->builder, &tensor);
    if (items)
        *items = kept;
    return imported_known(t->builder, NULL, type, kept);
}

struct imported *known_new(struct translation *t, int32_t type, const struct shape *shape,
                           struct tensor **items)
{
    return known_of(t, type, shape, false, items);
}

struct imported *known_nibbles(struct translation *t, const struct shape *shape,
                               struct tensor **items)
{
    return known_of(t, ONNX_UINT8, shape, true, items);
}

struct imported *nibbles_of(struct translation *t, const struct imported *bytes,
                            const struct shape *shape)
{
    struct tensor *nibbles = import_tensors(t, 1);

    *nibbles = *bytes->known;
    assert(nibbles->bytes && !nibbles->are_nibbles && shape_volume(shape) > 0);
    assert(shape_volume(shape) <= 2 * shape_volume(&bytes->shape));
    nibbles->shape = *shape;
    nibbles->release = NULL;
    nibbles->are_nibbles = true;
    return imported_known(t->builder, bytes->name, ONNX_UINT8, nibbles);
}

struct imported *known_copy(struct translation *t, int32_t type, const struct shape *shape,
                            const void *from)
{
    struct tensor *items;
    struct imported *imported = known_new(t, type, shape, &items);

    if (imported && shape_volume(shape) > 0)
        memcpy(items->data, from, tensor_bytes(items));
    return imported;
}

struct imported *literal(struct translation *t, double value)
{
    struct imported *imported =
        known_copy(t, ONNX_UNDEFINED, &(struct shape){0}, &(float){(float)value});

    if (imported) {
        imported->number = value;
        imported->is_number = true;
    }
    return imported;
}

struct imported *known_integer(struct translation *t, int64_t item, int32_t type)
{
    assert(dtype_of(type) == DTYPE_INTEGER);
    return known_copy(t, type, &(struct shape){0}, &item);
}

struct imported *known_integers(struct translation *t, const int64_t *items, int count)
{
    const struct shape shape = {.rank = 1, .extent = {count}};

    assert(count >= 0 && (items || count == 0));
    return known_copy(t, ONNX_INT64, &shape, items);
}

struct imported *known_ramp(struct translation *t, int32_t type, const struct shape *shape,
                            double begin, double step)
{
    struct tensor *items;
    struct imported *imported = known_new(t, type, shape, &items);

    assert(dtype_of(type) == DTYPE_INTEGER || dtype_of(type) == DTYPE_SCALAR);
    for (int64_t i = 0, count = imported ? shape_volume(shape) : 0; i < count; i++) {
        double item = begin + (double)i * step;
        if (items->dtype == DTYPE_INTEGER)
            ((int64_t *)items->data)[i] = (int64_t)item;
        else
            ((float *)items->data)[i] = (float)item;
    }
    return imported;
}

/* --- shapes ------------------------------------------------------------------------------ */

struct shape shape_along(int rank, int axis, int64_t extent)
{
    struct shape shape = {.rank = rank};

    assert(rank >= 0 && rank <= MAX_RANK && axis < rank);
    for (int i = 0; i < rank; i++)
        shape.extent[i] = i == axis ? extent : 1;
    return shape;
}

/* The same items seen with another shape, once for each shape. */
static struct imported *view(struct translation *t, struct imported *x, const struct shape *shape)
{
    for (struct imported *v = x->views; v; v = v->next)
        if (shape_equal(&v->shape, shape))
            return v;
    struct tensor *tensor = import_tensors(t, 1);
    *tensor = *x->known;
    tensor->shape = *shape;
    tensor->release = NULL;
    struct imported *v = imported_known(t->builder, x->name, x->type, tensor);
    v->made = x->made;
    v->view = true;
    v->number = x->number;
    v->is_number = x->is_number;
    v->next = x->views;
    x->views = v;
    return v;
}

bool has_no_items(const struct shape *shape)
{
    for (int i = 0; i < shape->rank; i++)
        if (shape->extent[i] == 0)
            return true;
    return false;
}

struct imported *reshape_to(struct translation *t, struct imported *x, const struct shape *shape)
{
    int64_t volume;

    assert(shape->rank >= 0 && shape->rank <= MAX_RANK);
    if (!x || shape_equal(&x->shape, shape))
        return x;
    if (x->known && shape_volume_checked(shape, INT64_MAX, &volume) &&
        volume == shape_volume(&x->shape))
        return view(t, x, shape);
    if (shape_volume(&x->shape) == 0 && has_no_items(shape)) /* a 0 would inherit an extent */
        return known_new(t, x->type, shape, NULL);
    return make1(t, OP_SPEC(reshape, .shape = {shape->rank, shape->extent}, .axis_count = -1), x);
}

struct imported *with_rank(struct translation *t, struct imported *x, int rank)
{
    int64_t axes[MAX_RANK];

    if (!x || x->shape.rank >= rank)
        return x;
    struct shape shape = shape_along(rank, -1, 1);
    int more = rank - x->shape.rank;
    for (int i = 0; i < rank; i++)
        axes[i] = i;
    memcpy(shape.extent + more, x->shape.extent, (size_t)x->shape.rank * sizeof *shape.extent);
    if (x->known)
        return view(t, x, &shape);
    return make1(t, OP_SPEC(unsqueeze, .axes = {more, axes}), x);
}

struct imported *unsqueeze_at(struct translation *t, struct imported *x, int axis)
{
    return make1(t, OP_SPEC(unsqueeze, .axes = {1, &(int64_t){axis}}), x);
}

struct imported *squeeze_at(struct translation *t, struct imported *x, int axis)
{
    return make1(t, OP_SPEC(squeeze, .axes = {1, &(int64_t){axis}}), x);
}

struct imported *transpose_by(struct translation *t, struct imported *x, const int64_t *order)
{
    bool same = true;

    assert(!x || x->shape.rank <= MAX_RANK);
    for (int i = 0; x && i < x->shape.rank; i++)
        same &= order[i] == i;
    if (!x || same)
        return x;
    return make1(t, OP_SPEC(transpose, .axes = {x->shape.rank, order}), x);
}

struct imported *swap_axes(struct translation *t, struct imported *x, int a, int b)
{
    int64_t order[MAX_RANK];

    assert(!x || (a >= 0 && a < x->shape.rank && b >= 0 && b < x->shape.rank));
    for (int i = 0; i < MAX_RANK; i++)
        order[i] = i == a ? b : i == b ? a : i;
    return transpose_by(t, x, order);
}

struct imported *move_channels(struct translation *t, struct imported *x, bool last)
{
    int64_t order[MAX_RANK];
    const int rank = x ? x->shape.rank : 0;
    const int from = last ? 1 : rank - 1, to = last ? rank - 1 : 1, step = last ? 1 : -1;

    if (rank < 3)
        return x ? import_refuse(t, DIAG_RANK, "has an input of rank %d, expected 3 or more", rank)
                 : NULL;
    for (int i = 0; i < rank; i++)
        order[i] = i == 0 ? 0 : i == to ? from : i + step;
    return transpose_by(t, x, order);
}

/* Below rank 2 there is nothing to do. */
struct imported *transpose_last(struct translation *t, struct imported *x)
{
    return x && x->shape.rank >= 2 ? swap_axes(t, x, x->shape.rank - 2, x->shape.rank - 1) : x;
}

/* --- parts and repetitions ---------------------------------------------------------------- */

/* All of the items need no node. */
struct imported *slice_at(struct translation *t, struct imported *x, int axis, int64_t begin,
                          int64_t end)
{
    struct shape shape = x ? x->shape : (struct shape){0};
    int64_t axes[] = {axis};

    assert(!x || (axis >= 0 && axis < x->shape.rank));
    if (!x || (begin == 0 && end == x->shape.extent[axis]))
        return x;
    shape.extent[axis] = end - begin;
    if (shape_volume(&shape) == 0)
        return known_new(t, x->type, &shape, NULL);
    return make1(t, OP_SPEC(slice, .axes = {1, axes}, .begin = {1, &begin}, .end = {1, &end}), x);
}

struct imported *join(struct translation *t, struct imported *const *in, int count, int axis)
{
    assert(count > 0);
    if (count == 1)
        return in[0];
    return make_all(t, OP_SPEC(concat, .axis = axis), in, count);
}

struct imported *spread_to(struct translation *t, struct imported *x, const struct shape *shape)
{
    int64_t repeats[MAX_RANK];
    bool any = false;

    if (x && has_no_items(shape)) /* nothing is repeated 0 times */
        return known_new(t, x->type, shape, NULL);
    x = with_rank(t, x, shape->rank);
    assert(!x || x->shape.rank == shape->rank);
    for (int i = 0; x && i < shape->rank; i++) {
        repeats[i] = x->shape.extent[i] == 1 ? shape->extent[i] : 1;
        any |= repeats[i] != 1;
    }
    if (!x || !any)
        return x;
    return make1(t, OP_SPEC(tile, .repeats = {shape->rank, repeats}), x);
}

/* --- along axes -------------------------------------------------------------------------- */

/* Along no axes, x itself. */
struct imported *reduce(struct translation *t, enum op_id op, struct imported *x,
                        const struct integers *axes)
{
    const struct reduce_attrs attrs = {.axes = *axes};

    return axes->count == 0 ? x : make1(t, (struct op_spec){op, &attrs}, x);
}

struct imported *reduce_at(struct translation *t, enum op_id op, struct imported *x, int axis)
{
    int64_t axes[] = {axis};

    return reduce(t, op, x, &(struct integers){1, axes});
}

struct imported *drop_axes(struct translation *t, struct imported *x, const struct integers *axes,
                           bool keep)
{
    return axes->count == 0 || keep ? x : make1(t, OP_SPEC(squeeze, .axes = *axes), x);
}

struct imported *per_channel(struct translation *t, struct imported *x, int rank)
{
    if (!x)
        return NULL;
    struct shape shape = shape_along(rank < 2 ? 2 : rank, 1, shape_volume(&x->shape));
    return reshape_to(t, x, &shape);
}

/* Vectors are a row on the left, a column on the right. */
struct imported *matmul(struct translation *t, struct imported *a, struct imported *b)
{
    if (!a || !b)
        return NULL;
    if (a->shape.rank == 0 || b->shape.rank == 0)
        return import_unsupported(t, "a product of matrices has an operand of rank 0");
    bool row = a->shape.rank == 1, column = b->shape.rank == 1;
    if (row)
        a = unsqueeze_at(t, a, 0);
    if (column)
        b = unsqueeze_at(t, b, 1);
    int rank = !a || !b ? 0 : a->shape.rank > b->shape.rank ? a->shape.rank : b->shape.rank;
    struct imported *product = op2(t, OP_matmul, with_rank(t, a, rank), with_rank(t, b, rank));
    if (column)
        product = squeeze_at(t, product, rank - 1);
    return row ? squeeze_at(t, product, rank - 2) : product;
}
