/*
 * import_index.c - items by indices that are computed
 *
 * NNEF gathers along one dimension.  Dimensions that are indexed together become one before that.
 * Arithmetic computes the indices into it, which scalars do exactly below 2^24.  An index beyond
 * its own dimension could be a valid one into all of them: -1 takes its place, which gather
 * refuses.
 */
#include "convert/onnx/import_share.h"

enum { EXACT_MAX = 1 << 24 };

struct imported *from_front(struct translation *t, struct imported *indices, int64_t extent)
{
    struct imported *later = op2(t, OP_add, indices, literal(t, (double)extent));

    return op3(t, OP_select, op2(t, OP_lt, indices, literal(t, 0)), later, indices);
}

/* The offset of an index into one of several dimensions; *inside: have all so far been in range? */
static struct imported *offset_of(struct translation *t, struct imported *index, int64_t extent,
                                  int64_t stride, struct imported **inside)
{
    index = convert(t, index, ONNX_INT64);
    struct imported *kept = op2(t, OP_max, index, literal(t, -(double)extent));
    kept = op2(t, OP_min, kept, literal(t, (double)extent - 1));
    struct imported *same = op2(t, OP_eq, index, kept);
    *inside = *inside ? op2(t, OP_and, *inside, same) : same;
    kept = from_front(t, kept, extent);
    return stride == 1 ? kept : op2(t, OP_mul, kept, literal(t, (double)stride));
}

static struct imported *if_inside(struct translation *t, struct imported *inside,
                                  struct imported *at)
{
    return op3(t, OP_select, inside, at, convert(t, literal(t, -1), ONNX_INT64));
}

bool index_is_exact(struct translation *t, const struct shape *shape)
{
    return shape_volume(shape) <= EXACT_MAX ||
           import_unsupported(t, "indexes shape %s of more than %d items", SHAPE_TEXT(shape),
                              EXACT_MAX);
}

/* Offsets of the items of `shape` by `strides`. */
static struct imported *offsets(struct translation *t, const struct shape *shape,
                                const int64_t *strides)
{
    struct tensor *items;
    struct imported *imported = known_new(t, ONNX_FLOAT, shape, &items);

    for (int64_t i = 0; imported && i < shape_volume(shape); i++)
        ((float *)items->data)[i] = (float)shape_offset(shape, strides, i);
    return imported;
}

/*
 * The index of an item is one into all items of x: what its place has in front of it along the
 * other axes, which is known, and its index times the stride of the axis.
 */
struct imported *gather_elements(struct translation *t, struct imported *x, int64_t named,
                                 struct imported *indices)
{
    struct shape base = indices->shape, flat = {.rank = 1, .extent = {shape_volume(&x->shape)}};
    int64_t strides[MAX_RANK];
    int axis;

    if (!resolve_axis(t, named, x->shape.rank, &axis) || !index_is_exact(t, &x->shape))
        return NULL;
    for (int i = 0; i < x->shape.rank; i++)
        if (indices->shape.rank != x->shape.rank ||
            (i != axis && indices->shape.extent[i] > x->shape.extent[i]))
            return import_refuse(t, DIAG_SHAPE_MISMATCH, "has indices of shape %s for shape %s",
                                 SHAPE_TEXT(&indices->shape), SHAPE_TEXT(&x->shape));
    base.extent[axis] = 1;
    shape_strides(&x->shape, strides);
    struct imported *inside = NULL;
    struct imported *at = offset_of(t, indices, x->shape.extent[axis], strides[axis], &inside);
    at = op2(t, OP_add, convert(t, offsets(t, &base, strides), ONNX_INT64), at);
    x = reshape_to(t, x, &flat);
    return make2(t, OP_SPEC(gather, .axis = 0), x, if_inside(t, inside, at));
}

struct imported *import_gather_elements(struct translation *t)
{
    return gather_elements(t, input_at(t, 0), get_int(t, "axis", 0), input_at(t, 1));
}

/*
 * The last dimension of `indices` has an index for each of `count` dimensions of `shape` behind the
 * first `batch` ones.  They become one index into all these dimensions.
 */
static struct imported *flat_indices(struct translation *t, struct imported *indices,
                                     const struct shape *shape, int batch, int count)
{
    int last = indices->shape.rank - 1;
    struct shape outer = indices->shape;
    int64_t strides[MAX_RANK] = {0}, unit = 1;
    struct imported *sum = NULL, *inside = NULL;

    for (int i = batch + count - 1; i >= 0; unit *= shape->extent[i--]) {
        if (i < batch) {
            strides[i] = unit;
            continue;
        }
        struct imported *at =
            squeeze_at(t, slice_at(t, indices, last, i - batch, i - batch + 1), last);
        at = offset_of(t, at, shape->extent[i], unit, &inside);
        sum = sum ? op2(t, OP_add, sum, at) : at;
    }
    outer.rank = last;
    for (int i = batch; i < last; i++)
        outer.extent[i] = 1;
    if (batch)
        sum = op2(t, OP_add, sum, convert(t, offsets(t, &outer, strides), ONNX_INT64));
    return if_inside(t, inside, sum);
}

/*
 * The last dimension of the indices names an item, or a part of x if it is shorter than the rank.
 * Batches of both tensors belong together.
 */
struct imported *import_gather_nd(struct translation *t)
{
    struct imported *x = input_at(t, 0), *indices = input_at(t, 1);
    int64_t batch = get_int(t, "batch_dims", 0);
    int rank = indices->shape.rank;
    int64_t count = rank ? indices->shape.extent[rank - 1] : 0;

    if (count < 1 || batch < 0 || batch >= rank || count > x->shape.rank - batch)
        return import_refuse(t, DIAG_SHAPE_MISMATCH, "has indices of shape %s for shape %s",
                             SHAPE_TEXT(&indices->shape), SHAPE_TEXT(&x->shape));
    for (int i = 0; i < batch; i++)
        if (indices->shape.extent[i] != x->shape.extent[i])
            return import_refuse(t, DIAG_SHAPE_MISMATCH, "has batches of shapes %s and %s",
                                 SHAPE_TEXT(&indices->shape), SHAPE_TEXT(&x->shape));
    int inner = (int)(batch + count);
    struct shape flat = {.rank = 1 + x->shape.rank - inner,
                         .extent = {shape_volume_range(&x->shape, 0, inner)}};
    for (int i = inner; i < x->shape.rank; i++)
        flat.extent[1 + i - inner] = x->shape.extent[i];
    if (!index_is_exact(t, &x->shape))
        return NULL;
    struct imported *at = flat_indices(t, indices, &x->shape, (int)batch, (int)count);
    x = reshape_to(t, x, &flat);
    return make2(t, OP_SPEC(gather, .axis = 0), x, at);
}

struct imported *import_top_k(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    double count = (double)get_int(t, "k", 0);
    int axis;

    if ((has_input(t, 1) && !input_number(t, 1, &count)) ||
        !resolve_axis(t, get_int(t, "axis", -1), x->shape.rank, &axis))
        return NULL;
    return extreme_item(t, x, axis, get_int(t, "largest", 1), count);
}
