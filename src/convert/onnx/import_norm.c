/* import_norm.c - normalizations */
#include "convert/onnx/import_make.h"

#include <inttypes.h>
#include <string.h>

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
    return make_all(t, OP_SPEC(batch_normalization, .epsilon = get_float(t, "epsilon", 1e-5)), in,
                    5);
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

static struct integers axes_from(struct translation *t, int first, int rank)
{
    int64_t *items = import_alloc(t, MAX_RANK, sizeof *items);

    for (int i = first; i < rank; i++)
        items[i - first] = i;
    return (struct integers){rank > first ? rank - first : 0, items};
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
