/* import_reduce.c - along axes, which are kept with extent 1 or not at all */
#include "convert/onnx/import_share.h"

take_function take_reduce_sum, take_reduce_mean, take_reduce_max, take_reduce_min, take_reduce_prod,
    take_reduce_l1, take_reduce_l2, take_reduce_log_sum, take_reduce_log_sum_exp,
    take_reduce_sum_square, take_arg_max, take_arg_min, take_cum_sum, take_cum_prod;

/* All of them if none is named, or none if so is asked. */
static bool find_axes(struct take *t, struct integers *axes)
{
    static const int64_t all[MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7};
    int rank = take_in(t, 0)->shape.rank;
    struct integers named = {0};

    bool given = take_integers(t, "axes", 1, &named);
    if (t->failed)
        return false;
    if (given && named.count > 0)
        return take_axes(t, &named, rank, axes);
    bool none = take_int(t, "noop_with_empty_axes", 0) && (t->opset >= 18 || given || t->nin < 2);
    *axes = (struct integers){none ? 0 : rank, all};
    return true;
}

static struct entry *finish(struct take *t, struct entry *x, const struct integers *axes)
{
    if (!x || axes->count == 0 || take_int(t, "keepdims", 1))
        return x;
    set_integers(t, "axes", axes->item, axes->count);
    return op1(t, OP_squeeze, x);
}

static struct entry *plain(struct take *t, enum op_id op)
{
    struct entry *x = take_in(t, 0);
    struct integers axes;

    if (!find_axes(t, &axes))
        return NULL;
    return finish(t, reduce(t, op, x, &axes), &axes);
}

struct entry *take_reduce_sum(struct take *t)
{
    return plain(t, OP_sum_reduce);
}

struct entry *take_reduce_mean(struct take *t)
{
    return plain(t, OP_mean_reduce);
}

struct entry *take_reduce_max(struct take *t)
{
    return plain(t, take_in(t, 0)->type == ONNX_BOOL ? OP_any_reduce : OP_max_reduce);
}

struct entry *take_reduce_min(struct take *t)
{
    return plain(t, take_in(t, 0)->type == ONNX_BOOL ? OP_all_reduce : OP_min_reduce);
}

/* --- around a sum ------------------------------------------------------------------------- */

/* `before` and `after` it; OP_copy: nothing. */
static struct entry *around(struct take *t, enum op_id before, enum op_id after)
{
    struct entry *x = take_in(t, 0);
    struct integers axes;

    if (!find_axes(t, &axes))
        return NULL;
    int32_t type = x->type;
    if (before != OP_copy)
        x = op1(t, before, x);
    x = reduce(t, OP_sum_reduce, x, &axes);
    if (after != OP_copy)
        x = convert(t, op1(t, after, x), type);
    return finish(t, x, &axes);
}

struct entry *take_reduce_l1(struct take *t)
{
    return around(t, OP_abs, OP_copy);
}

struct entry *take_reduce_l2(struct take *t)
{
    return around(t, OP_sqr, OP_sqrt);
}

struct entry *take_reduce_sum_square(struct take *t)
{
    return around(t, OP_sqr, OP_copy);
}

struct entry *take_reduce_log_sum(struct take *t)
{
    return around(t, OP_copy, OP_log);
}

/* The greatest item is taken out, so that no power overflows. */
struct entry *take_reduce_log_sum_exp(struct take *t)
{
    struct entry *x = take_in(t, 0);
    struct integers axes;

    if (!find_axes(t, &axes))
        return NULL;
    struct entry *most = reduce(t, OP_max_reduce, x, &axes);
    struct entry *powers = op1(t, OP_exp, op2(t, OP_sub, x, most));
    struct entry *sum = reduce(t, OP_sum_reduce, powers, &axes);
    return finish(t, op2(t, OP_add, op1(t, OP_log, sum), most), &axes);
}

/* --- products ------------------------------------------------------------------------------ */

/* One half times the other, again and again. */
static struct entry *product(struct take *t, struct entry *x, int axis)
{
    while (x && x->shape.extent[axis] > 1) {
        int64_t extent = x->shape.extent[axis], half = extent / 2;
        struct entry *rest = extent % 2 ? slice_at(t, x, axis, 2 * half, extent) : NULL;
        struct entry *pairs =
            op2(t, OP_mul, slice_at(t, x, axis, 0, half), slice_at(t, x, axis, half, 2 * half));
        x = extent % 2 && pairs && rest ? join(t, (struct entry *[]){pairs, rest}, 2, axis) : pairs;
    }
    return x;
}

struct entry *take_reduce_prod(struct take *t)
{
    struct entry *x = take_in(t, 0);
    struct integers axes;

    if (!find_axes(t, &axes))
        return NULL;
    if (shape_volume(&x->shape) == 0) {
        struct shape shape = x->shape;
        struct tensor *items;
        for (int i = 0; i < axes.count; i++)
            shape.extent[axes.item[i]] = 1;
        struct entry *ones = known_new(t, x->type, &shape, &items);
        if (ones && shape_volume(&shape) == 0)
            return take_refuse(t, "has a result without items");
        ones = op2(t, OP_add, ones, literal(t, 1));
        return finish(t, ones, &axes);
    }
    for (int i = 0; i < axes.count; i++)
        x = product(t, x, (int)axes.item[i]);
    return finish(t, x, &axes);
}

/* --- indices ------------------------------------------------------------------------------- */

static struct entry *flip(struct take *t, struct entry *x, int axis)
{
    int64_t axes[] = {axis}, begin[] = {x->shape.extent[axis] - 1};
    int64_t end[] = {-x->shape.extent[axis] - 1}, stride[] = {-1};

    set_integers(t, "axes", axes, 1);
    set_integers(t, "begin", begin, 1);
    set_integers(t, "end", end, 1);
    set_integers(t, "stride", stride, 1);
    return op1(t, OP_slice, x);
}

static struct entry *index_of(struct take *t, enum op_id op)
{
    bool last = take_int(t, "select_last_index", 0);
    struct entry *x = take_in(t, 0);
    int axis;

    if (!take_axis(t, take_int(t, "axis", 0), x->shape.rank, &axis))
        return NULL;
    int64_t extent = x->shape.extent[axis], axes[] = {axis};
    struct entry *index = reduce_at(t, op, last ? flip(t, x, axis) : x, axis);
    if (last)
        index = op2(t, OP_sub, literal(t, (double)extent - 1), index);
    return finish(t, index, &(struct integers){1, axes});
}

struct entry *take_arg_max(struct take *t)
{
    return index_of(t, OP_argmax_reduce);
}

struct entry *take_arg_min(struct take *t)
{
    return index_of(t, OP_argmin_reduce);
}

/* --- running sums --------------------------------------------------------------------------- */

/* [to, from] is 1 where the sum at `to` has the item at `from`. */
static struct entry *triangle(struct take *t, int64_t extent, bool exclusive, bool reverse)
{
    struct shape shape = {.rank = 2, .extent = {extent, extent}};
    struct tensor *items;
    struct entry *entry = known_new(t, ONNX_FLOAT, &shape, &items);

    for (int64_t to = 0; entry && to < extent; to++)
        for (int64_t from = 0; from < extent; from++) {
            int64_t distance = reverse ? from - to : to - from;
            ((float *)items->data)[to * extent + from] = distance >= (exclusive ? 1 : 0);
        }
    return entry;
}

/* Weighed by a triangle of ones. */
struct entry *take_cum_sum(struct take *t)
{
    struct entry *x = take_in(t, 0);
    double number;
    int axis;

    if (!take_number(t, 1, &number) || !take_axis(t, (int64_t)number, x->shape.rank, &axis))
        return NULL;
    struct entry *ones =
        triangle(t, x->shape.extent[axis], take_int(t, "exclusive", 0), take_int(t, "reverse", 0));
    return convert(t, weigh_axis(t, convert(t, x, ONNX_FLOAT), axis, ones), x->type);
}

/* One item after the other. */
struct entry *take_cum_prod(struct take *t)
{
    bool exclusive = take_int(t, "exclusive", 0), reverse = take_int(t, "reverse", 0);
    struct entry *x = take_in(t, 0), *product = literal(t, 1);
    double number;
    int axis;

    if (!take_number(t, 1, &number) || !take_axis(t, (int64_t)number, x->shape.rank, &axis))
        return NULL;
    int64_t extent = x->shape.extent[axis];
    struct entry **parts = take_room(t, extent, sizeof *parts);
    for (int64_t i = 0; i < extent; i++) {
        int64_t at = reverse ? extent - 1 - i : i;
        struct entry *item = slice_at(t, x, axis, at, at + 1);
        struct shape shape = item ? item->shape : (struct shape){0};
        struct entry *next = op2(t, OP_mul, product, item);
        parts[at] = !exclusive ? next
                    : i        ? product
                               : spread_to(t, convert(t, literal(t, 1), x->type), &shape);
        product = next;
        if (!parts[at])
            return NULL;
    }
    return join(t, parts, (int)extent, axis);
}
