/* import_index.c - items by indices that are computed, and the greatest or least items */
#include "convert/onnx/import_share.h"
#include "convert/proto/onnx_data.h"

#include "base/num.h"

#include <assert.h>
#include <inttypes.h>

struct imported *from_front(struct translation *t, struct imported *indices, int64_t extent)
{
    struct imported *later = op2(t, OP_add, indices, literal(t, (double)extent));

    return op3(t, OP_select, op2(t, OP_lt, indices, literal(t, 0)), later, indices);
}

bool index_is_exact(struct translation *t, const struct shape *shape)
{
    return shape_volume(shape) <= SCALAR_EXACT ||
           import_unsupported(t, "indexes shape %s of more than %d items", SHAPE_TEXT(shape),
                              SCALAR_EXACT);
}

static bool are_indices(struct translation *t, const struct imported *indices)
{
    return dtype_of(indices->type) == DTYPE_INTEGER ||
           import_error(t, DIAG_TYPE_MISMATCH, "has indices of type %s, expected integers",
                        onnx_type_name(indices->type));
}

/* --- gathering ------------------------------------------------------------------------------ */

struct imported *gather_elements(struct translation *t, struct imported *x, int64_t named,
                                 struct imported *indices)
{
    int axis;

    if (!x || !indices || !are_indices(t, indices) || !resolve_axis(t, named, x->shape.rank, &axis))
        return NULL;
    return make2(t, OP_SPEC(gather_elements, .axis = axis), x, indices);
}

struct imported *import_gather_elements(struct translation *t)
{
    return gather_elements(t, input_at(t, 0), get_int(t, "axis", 0), input_at(t, 1));
}

struct imported *import_gather_nd(struct translation *t)
{
    struct imported *x = input_at(t, 0), *indices = input_at(t, 1);
    const int64_t batch = get_int(t, "batch_dims", 0);

    if (!are_indices(t, indices))
        return NULL;
    if (batch < 0)
        return import_refuse(t, DIAG_NEGATIVE, "has %" PRId64 " dimensions of batches", batch);
    return make2(t, OP_SPEC(gather_nd, .batch = batch), x, indices);
}

/* --- scattering ----------------------------------------------------------------------------- */

/* Integers of 64 bits without a sign, less 2^63: their order is that of integers with a sign. */
static struct imported *in_order(struct translation *t, struct imported *x)
{
    x = convert(t, x, ONNX_INT64);
    return op2(t, OP_add, x, known_integer(t, INT64_MIN, ONNX_INT64));
}

static struct imported *from_order(struct translation *t, struct imported *x)
{
    return convert(t, in_order(t, x), ONNX_UINT64);
}

/*
 * Items that are combined are wrapped to their type.  Logicals are added by "or" and multiplied by
 * "and", which are the greater and the lesser one.
 */
static struct imported *scatter(struct translation *t, struct op_spec spec, enum combining how,
                                struct imported *const in[3])
{
    struct imported *ready[3] = {in[0], in[1], in[2]};
    const int32_t type = in[0]->type;
    const bool by_order = how == COMBINING_MAX || how == COMBINING_MIN;

    if (type == ONNX_UINT64 && by_order)
        for (int i = 0; i < 3; i += 2)
            ready[i] = in_order(t, ready[i]);
    if (dtype_of(type) == DTYPE_LOGICAL && how != COMBINING_NONE)
        for (int i = 0; i < 3; i += 2)
            ready[i] = convert(t, ready[i], ONNX_UINT8);
    struct imported *y = make_all(t, spec, ready, 3);
    if (type == ONNX_UINT64 && by_order)
        return from_order(t, y);
    if (!y || how == COMBINING_NONE || dtype_of(type) == DTYPE_SCALAR)
        return y;
    if (dtype_of(type) == DTYPE_LOGICAL)
        return convert(t, y, ONNX_BOOL);
    y->type = by_order ? type : ONNX_INT64;
    return convert(t, y, type);
}

/* Inputs 0 to 2 and how they are combined.  False after a report. */
static bool read_scatter(struct translation *t, struct imported *in[3], enum combining *how)
{
    for (int i = 0; i < 3; i++)
        in[i] = input_at(t, i);
    if (!are_indices(t, in[1]))
        return false;
    if (in[0]->type != in[2]->type)
        return import_error(t, DIAG_TYPE_MISMATCH, "has updates of type %s for an input of type %s",
                            onnx_type_name(in[2]->type), onnx_type_name(in[0]->type));
    int word = get_word(t, "reduction", "none", combining_words);
    *how = word < 0 ? COMBINING_NONE : (enum combining)word;
    if (in[0]->type == ONNX_BOOL && *how != COMBINING_NONE)
        *how = *how == COMBINING_ADD || *how == COMBINING_MAX ? COMBINING_MAX : COMBINING_MIN;
    return word >= 0;
}

struct imported *import_scatter(struct translation *t)
{
    struct imported *in[3];
    enum combining how = COMBINING_NONE;
    int axis;

    if (!read_scatter(t, in, &how))
        return NULL;
    if (t->row->op == OP_scatter_nd)
        return scatter(t, OP_SPEC(scatter_nd, .combining = how), how, in);
    if (!resolve_axis(t, get_int(t, "axis", 0), in[0]->shape.rank, &axis))
        return NULL;
    return scatter(t, OP_SPEC(scatter_elements, .axis = axis, .combining = how), how, in);
}

struct imported *scatter_sums(struct translation *t, struct imported *x, int64_t named,
                              struct imported *indices, struct imported *updates)
{
    struct imported *const in[3] = {x, indices, updates};
    int axis;

    if (!x || !indices || !updates || !are_indices(t, indices) ||
        !resolve_axis(t, named, x->shape.rank, &axis))
        return NULL;
    return scatter(t, OP_SPEC(scatter_elements, .axis = axis, .combining = COMBINING_ADD),
                   COMBINING_ADD, in);
}

/* --- a cache that is written to ------------------------------------------------------------- */

/* Coordinates of the items of a shape along its first `count` dimensions, in one more dimension. */
static struct imported *coordinates(struct translation *t, const struct shape *shape, int count)
{
    struct shape all = *shape;
    struct tensor *items;

    assert(shape->rank < MAX_RANK && count <= shape->rank);
    all.extent[all.rank++] = count;
    struct imported *made = known_new(t, ONNX_INT64, &all, &items);
    for (int64_t i = 0, volume = made ? shape_volume(shape) : 0; i < volume; i++) {
        int64_t rest = i;
        for (int axis = shape->rank - 1; axis >= 0; rest /= shape->extent[axis--])
            if (axis < count)
                ((int64_t *)items->data)[i * count + axis] = rest % shape->extent[axis];
    }
    return made;
}

/* Where each position of the updates goes along the axis, which is the last one of `shape`.  A
 * negative begin is out of range. */
static struct imported *positions(struct translation *t, const struct shape *shape, int64_t extent,
                                  bool circular)
{
    const int axis = shape->rank - 1;
    const struct shape along = shape_along(shape->rank, axis, shape->extent[axis]);
    const struct shape batches = shape_along(shape->rank, 0, shape->extent[0]);
    struct imported *place = known_ramp(t, ONNX_INT64, &along, 0, 1);
    struct imported *all = known_integer(t, extent, ONNX_INT64), *begin = input_at(t, 2);

    if (begin) {
        begin = reshape_to(t, convert(t, begin, ONNX_INT64), &batches);
        place = op2(t, OP_add, place, begin);
    }
    if (circular)
        place = modulo(t, place, all, false);
    if (begin)
        place = op3(t, OP_select, op2(t, OP_lt, begin, literal(t, 0)), all, place);
    return spread_to(t, place, shape);
}

/* Input 2, if there is one, has an index for each batch.  False after a report. */
static bool are_written_at(struct translation *t, int64_t batches)
{
    const struct imported *begin = input_at(t, 2);

    if (!begin)
        return true;
    return are_indices(t, begin) &&
           ((begin->shape.rank == 1 && begin->shape.extent[0] == batches) ||
            import_error(t, DIAG_SHAPE_MISMATCH,
                         "has write_indices of shape %s, expected [%" PRId64 "]",
                         SHAPE_TEXT(&begin->shape), batches));
}

/* Sections behind the axis are scattered to the same batch, heads and so on, and to the positions.
 */
struct imported *import_tensor_scatter(struct translation *t)
{
    static const char *const modes[] = {"linear", "circular", NULL};
    struct imported *x = input_at(t, 0), *update = input_at(t, 1);
    const int mode = get_word(t, "mode", "linear", modes);
    int axis;

    if (mode < 0 || !resolve_axis(t, get_int(t, "axis", -2), x->shape.rank, &axis))
        return NULL;
    if (axis == 0)
        return import_refuse(t, DIAG_AXIS, "writes along axis 0, which is that of batches");
    if (x->type != update->type || !shape_equal_but(&x->shape, &update->shape, axis) ||
        update->shape.extent[axis] > x->shape.extent[axis])
        return import_refuse(t, DIAG_SHAPE_MISMATCH, "writes shape %s along axis %d of %s",
                             SHAPE_TEXT(&update->shape), axis, SHAPE_TEXT(&x->shape));
    if (!are_written_at(t, x->shape.extent[0]))
        return NULL;
    if (axis + 1 == MAX_RANK)
        return import_unsupported(t, "writes along axis %d", axis);
    if (has_no_items(&update->shape))
        return x;
    struct shape outer = update->shape;
    outer.rank = axis + 1;
    struct imported *last = positions(t, &outer, x->shape.extent[axis], mode == 1);
    struct imported *parts[2] = {coordinates(t, &outer, axis), unsqueeze_at(t, last, outer.rank)};
    struct imported *in[3] = {x, parts[0] && parts[1] ? join(t, parts, 2, outer.rank) : NULL,
                              update};
    return make_all(t, op_plain(OP_scatter_nd), in, 3);
}

/* --- the greatest and the least items ------------------------------------------------------- */

struct imported *extreme_items(struct translation *t, struct imported *x, int axis, bool largest,
                               int64_t count)
{
    if (!x)
        return NULL;
    if (count < 0 || count > x->shape.extent[axis])
        return import_refuse(t, DIAG_NEGATIVE,
                             "wants %" PRId64 " items of extent %" PRId64 " along axis %d", count,
                             x->shape.extent[axis], axis);
    if (count == 1) {
        set_output(t, 1, reduce_at(t, largest ? OP_argmax_reduce : OP_argmin_reduce, x, axis));
        return reduce_at(t, largest ? OP_max_reduce : OP_min_reduce, x, axis);
    }
    const bool huge = x->type == ONNX_UINT64;
    struct imported *values =
        make1(t, OP_SPEC(topk, .axis = axis, .count = count, .largest = largest),
              huge ? in_order(t, x) : x);
    if (!values)
        return NULL;
    set_output(t, 1, t->made[1]);
    return huge ? from_order(t, values) : values;
}

struct imported *import_top_k(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    double count = (double)get_int(t, "k", 0);
    int64_t whole;
    int axis;

    if ((has_input(t, 1) && !input_number(t, 1, &count)) ||
        !resolve_axis(t, get_int(t, "axis", -1), x->shape.rank, &axis))
        return NULL;
    if (!num_truncate(count, &whole))
        return import_refuse(t, DIAG_NEGATIVE, "wants %g items", count);
    return extreme_items(t, x, axis, get_int(t, "largest", 1), whole);
}
