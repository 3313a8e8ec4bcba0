/* import_norm.c - normalizations */
#include "convert/onnx/import_make.h"

#include <inttypes.h>
#include <string.h>

import_function import_batch_normalization, import_layer_normalization, import_rms_normalization,
    import_instance_normalization, import_group_normalization, import_mean_variance_normalization,
    import_lp_normalization;

struct imported *import_batch_normalization(struct translation *t)
{
    struct imported *in[5] = {input_at(t, 0)};
    static const int order[] = {0, 3, 4, 2, 1}; /* mean, variance, offset, scale */

    if (get_int(t, "training_mode", 0) || (t->opset < 7 && !get_int(t, "is_test", 0)))
        return import_unsupported(t, "normalizes as in training");
    for (int i = 1; i < t->nout; i++)
        if (wants_output(t, i))
            return import_unsupported(t, "gives output %d, as in training", i);
    if (!get_int(t, "spatial", 1))
        return import_unsupported(t, "has statistics for each item, as before opset 9");
    for (int i = 1; i < 5; i++)
        in[i] = per_channel(t, input_at(t, order[i]), 2);
    set_scalar(t, "epsilon", get_float(t, "epsilon", 1e-5));
    return op_all(t, OP_batch_normalization, in, 5);
}

/* --- around moments ------------------------------------------------------------------------- */

struct moments {
    struct imported *mean, *centered, *scale; /* 1 / sqrt(variance + epsilon) */
};

static struct moments moments_of(struct translation *t, struct imported *x,
                                 const struct integers *axes, double epsilon)
{
    struct moments m = {.mean = reduce(t, OP_mean_reduce, x, axes)};

    m.centered = op2(t, OP_sub, x, m.mean);
    struct imported *variance = reduce(t, OP_mean_reduce, op1(t, OP_sqr, m.centered), axes);
    m.scale = op1(t, OP_rcp, op1(t, OP_sqrt, op2(t, OP_add, variance, literal(t, epsilon))));
    return m;
}

static struct imported *scale_and_shift(struct translation *t, struct imported *x,
                                        struct imported *scale, struct imported *shift)
{
    if (scale)
        x = op2(t, OP_mul, x, scale);
    return shift ? op2(t, OP_add, x, shift) : x;
}

/* From an axis to the last. */
static bool trailing_axes(struct translation *t, struct integers *axes)
{
    int64_t *items = import_alloc(t, MAX_RANK, sizeof *items);
    int rank = input_at(t, 0)->shape.rank, axis;

    if (!resolve_axis(t, get_int(t, "axis", -1), rank, &axis))
        return false;
    for (int i = axis; i < rank; i++)
        items[i - axis] = i;
    *axes = (struct integers){rank - axis, items};
    return true;
}

/* Parameters are aligned at the last dimension. */
static struct imported *layer_normalization(struct translation *t, const struct integers *axes)
{
    struct imported *x = input_at(t, 0), *offset = input_at(t, 2);
    struct imported *scale = with_rank(t, input_at(t, 1), x->shape.rank);

    offset = offset ? with_rank(t, offset, x->shape.rank) : literal(t, 0);
    set_integers(t, "axes", axes->item, axes->count);
    set_scalar(t, "epsilon", get_float(t, "epsilon", 1e-5));
    return op3(t, OP_layer_normalization, x, scale, offset);
}

struct imported *import_layer_normalization(struct translation *t)
{
    struct integers axes;

    if (!trailing_axes(t, &axes))
        return NULL;
    if (!wants_output(t, 1) && !wants_output(t, 2))
        return layer_normalization(t, &axes);
    struct moments m = moments_of(t, input_at(t, 0), &axes, get_float(t, "epsilon", 1e-5));
    if (wants_output(t, 1))
        set_output(t, 1, m.mean);
    if (wants_output(t, 2))
        set_output(t, 2, m.scale);
    return scale_and_shift(t, op2(t, OP_mul, m.centered, m.scale), input_at(t, 1), input_at(t, 2));
}

struct imported *import_rms_normalization(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    struct integers axes;

    if (!trailing_axes(t, &axes))
        return NULL;
    struct imported *power = reduce(t, OP_mean_reduce, op1(t, OP_sqr, x), &axes);
    struct imported *root =
        op1(t, OP_sqrt, op2(t, OP_add, power, literal(t, get_float(t, "epsilon", 1e-5))));
    return op2(t, OP_mul, op2(t, OP_div, x, root), input_at(t, 1));
}

static struct integers axes_from(struct translation *t, int first, int rank)
{
    int64_t *items = import_alloc(t, MAX_RANK, sizeof *items);

    for (int i = first; i < rank; i++)
        items[i - first] = i;
    return (struct integers){rank > first ? rank - first : 0, items};
}

struct imported *import_instance_normalization(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    struct integers axes = axes_from(t, 2, x->shape.rank);
    struct moments m = moments_of(t, x, &axes, get_float(t, "epsilon", 1e-5));

    return scale_and_shift(t, op2(t, OP_mul, m.centered, m.scale),
                           per_channel(t, input_at(t, 1), x->shape.rank),
                           per_channel(t, input_at(t, 2), x->shape.rank));
}

/* Before opset 21 there is a scale for each group, from then on one for each channel. */
struct imported *import_group_normalization(struct translation *t)
{
    struct imported *x = input_at(t, 0), *scale = input_at(t, 1), *shift = input_at(t, 2);
    int64_t groups = get_int(t, "num_groups", 0), channels = shape_extent(&x->shape, 1);
    struct shape shape = x->shape;

    if (x->shape.rank < 3 || groups < 1 || channels % groups) {
        import_error(t, DIAG_NOT_DIVISIBLE, "has %" PRId64 " groups of %" PRId64 " channels",
                     groups, channels);
        return NULL;
    }
    struct shape grouped = {
        .rank = 3,
        .extent = {shape.extent[0], groups,
                   channels / groups * shape_volume_range(&shape, 2, shape.rank)}};
    struct integers axes = axes_from(t, 2, 3);
    struct moments m =
        moments_of(t, reshape_to(t, x, &grouped), &axes, get_float(t, "epsilon", 1e-5));
    x = op2(t, OP_mul, m.centered, m.scale);
    if (shape_volume(&scale->shape) == channels)
        return scale_and_shift(t, reshape_to(t, x, &shape), per_channel(t, scale, shape.rank),
                               per_channel(t, shift, shape.rank));
    x = scale_and_shift(t, x, per_channel(t, scale, 3), per_channel(t, shift, 3));
    return reshape_to(t, x, &shape);
}

struct imported *import_mean_variance_normalization(struct translation *t)
{
    static const int64_t standard[] = {0, 2, 3};
    struct integers named = {3, standard}, axes;
    struct imported *x = input_at(t, 0);

    get_ints(t, "axes", &named);
    if (t->failed || !resolve_axes(t, &named, x->shape.rank, &axes))
        return NULL;
    struct imported *centered = op2(t, OP_sub, x, reduce(t, OP_mean_reduce, x, &axes));
    struct imported *deviation =
        op1(t, OP_sqrt, reduce(t, OP_mean_reduce, op1(t, OP_sqr, centered), &axes));
    return op2(t, OP_div, centered, op2(t, OP_add, deviation, literal(t, 1e-9)));
}

/* What has norm 0 stays 0. */
struct imported *import_lp_normalization(struct translation *t)
{
    struct imported *x = input_at(t, 0), *zero = literal(t, 0);
    int64_t power = get_int(t, "p", 2);
    int axis;

    if (!resolve_axis(t, get_int(t, "axis", -1), x->shape.rank, &axis))
        return NULL;
    struct imported *norm =
        reduce_at(t, OP_sum_reduce, op1(t, power == 1 ? OP_abs : OP_sqr, x), axis);
    if (power != 1)
        norm = op1(t, OP_sqrt, norm);
    norm = op3(t, OP_select, op2(t, OP_eq, norm, zero), literal(t, 1), norm);
    return op2(t, OP_div, x, norm);
}
