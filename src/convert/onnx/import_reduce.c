/*
 * import_reduce.c - reductions and running sums along axes
 *
 * NNEF keeps the axes with extent 1.  `keepdims` of ONNX says whether they stay.
 */
#include "convert/onnx/import_share.h"

#include <assert.h>

/* An empty list of axes stands for all of them, unless the attribute says that it is none. */
bool reduced_axes(struct translation *t, struct integers *axes)
{
    static const int64_t all[MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7};
    int rank = input_at(t, 0)->shape.rank;
    struct integers named = {0};

    bool given = get_integers(t, "axes", 1, &named);
    if (t->failed)
        return false;
    if (given && named.count > 0)
        return resolve_axes(t, &named, rank, axes);
    /* Before opset 18, an input that is left out did not count as an empty list. */
    bool none = get_int(t, "noop_with_empty_axes", 0) && (t->opset >= 18 || given || t->nin < 2);
    *axes = (struct integers){none ? 0 : rank, all};
    return true;
}

/* The greatest and the least of logicals are any and all of them. */
struct imported *reduction_of(struct translation *t, enum op_id op)
{
    struct imported *x = input_at(t, 0);
    struct integers axes;

    if (!reduced_axes(t, &axes))
        return NULL;
    return drop_axes(t, reduce(t, op, x, &axes), &axes, get_int(t, "keepdims", 1));
}

struct imported *import_reduction(struct translation *t)
{
    enum op_id op = t->row->op;

    if (input_at(t, 0)->type == ONNX_BOOL && (op == OP_max_reduce || op == OP_min_reduce))
        op = op == OP_max_reduce ? OP_any_reduce : OP_all_reduce;
    return reduction_of(t, op);
}

/* --- running sums --------------------------------------------------------------------------- */

/* Weighed by a triangle: [to, from] is 1 where the sum at `to` has the item at `from`. */
struct imported *running_sum(struct translation *t, struct imported *x, int axis, bool exclusive,
                             bool reverse)
{
    if (!x)
        return NULL;
    assert(axis >= 0 && axis < x->shape.rank);
    int64_t extent = x->shape.extent[axis];
    struct shape shape = {.rank = 2, .extent = {extent, extent}};
    struct tensor *items;
    struct imported *ones = known_new(t, ONNX_FLOAT, &shape, &items);

    for (int64_t to = 0; ones && to < extent; to++)
        for (int64_t from = 0; from < extent; from++) {
            int64_t distance = reverse ? from - to : to - from;
            ((float *)items->data)[to * extent + from] = distance >= (exclusive ? 1 : 0);
        }
    return weigh_axis(t, x, axis, convert(t, ones, x->type));
}

struct imported *import_cum_sum(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    double number;
    int axis;

    if (!input_number(t, 1, &number) || !resolve_axis(t, (int64_t)number, x->shape.rank, &axis))
        return NULL;
    return running_sum(t, x, axis, get_int(t, "exclusive", 0), get_int(t, "reverse", 0));
}

/* One item after the other; an exclusive product begins with 1. */
struct imported *import_cum_prod(struct translation *t)
{
    bool exclusive = get_int(t, "exclusive", 0), reverse = get_int(t, "reverse", 0);
    struct imported *x = input_at(t, 0), *product = literal(t, 1);
    double number;
    int axis;

    if (!input_number(t, 1, &number) || !resolve_axis(t, (int64_t)number, x->shape.rank, &axis))
        return NULL;
    int64_t extent = x->shape.extent[axis];
    struct imported **parts = import_alloc(t, extent, sizeof *parts);
    for (int64_t i = 0; i < extent; i++) {
        int64_t at = reverse ? extent - 1 - i : i;
        struct imported *item = slice_at(t, x, axis, at, at + 1);
        struct shape shape = item ? item->shape : (struct shape){0};
        struct imported *next = op2(t, OP_mul, product, item);
        parts[at] = !exclusive ? next
                    : i        ? product
                               : spread_to(t, convert(t, literal(t, 1), x->type), &shape);
        product = next;
        if (!parts[at])
            return NULL;
    }
    return join(t, parts, (int)extent, axis);
}
