/* import_activation.c - activation functions */
#include "convert/onnx/import_share.h"

import_function import_elu, import_selu, import_celu, import_leaky_relu, import_prelu,
    import_hard_sigmoid, import_hard_swish, import_mish, import_swish, import_softsign,
    import_shrink, import_thresholded_relu, import_gelu, import_softmax, import_log_softmax,
    import_hardmax;

struct imported *import_elu(struct translation *t)
{
    set_scalar(t, "alpha", get_float(t, "alpha", 1));
    return op1(t, OP_elu, input_at(t, 0));
}

struct imported *import_selu(struct translation *t)
{
    bool old = t->opset < 6;

    set_scalar(t, "alpha", get_float(t, "alpha", old ? 1.6732 : 1.67326319217681884765625));
    set_scalar(t, "lambda", get_float(t, "gamma", old ? 1.0507 : 1.05070102214813232421875));
    return op1(t, OP_selu, input_at(t, 0));
}

/* max(0, x) + min(0, alpha * (exp(x / alpha) - 1)) */
struct imported *import_celu(struct translation *t)
{
    struct imported *x = input_at(t, 0), *alpha = literal(t, get_float(t, "alpha", 1));
    struct imported *power = op1(t, OP_exp, op2(t, OP_div, x, alpha));
    struct imported *below = op2(t, OP_mul, alpha, op2(t, OP_sub, power, literal(t, 1)));

    return op3(t, OP_select, op2(t, OP_lt, x, literal(t, 0)), below, x);
}

struct imported *import_leaky_relu(struct translation *t)
{
    set_scalar(t, "alpha", get_float(t, "alpha", 0.01));
    return op1(t, OP_leaky_relu, input_at(t, 0));
}

/* Before opset 7 the slopes were those of channels. */
struct imported *import_prelu(struct translation *t)
{
    struct imported *x = input_at(t, 0), *slope = input_at(t, 1);

    if (t->opset < 7 && slope->shape.rank == 1)
        slope = per_channel(t, slope, x->shape.rank);
    return op2(t, OP_prelu, x, slope);
}

static struct imported *hard_sigmoid(struct translation *t, double alpha, double beta)
{
    struct imported *line =
        op2(t, OP_add, op2(t, OP_mul, input_at(t, 0), literal(t, alpha)), literal(t, beta));

    return op3(t, OP_clamp, line, literal(t, 0), literal(t, 1));
}

struct imported *import_hard_sigmoid(struct translation *t)
{
    return hard_sigmoid(t, get_float(t, "alpha", 0.2), get_float(t, "beta", 0.5));
}

struct imported *import_hard_swish(struct translation *t)
{
    return op2(t, OP_mul, input_at(t, 0), hard_sigmoid(t, 1.0 / 6, 0.5));
}

struct imported *import_mish(struct translation *t)
{
    struct imported *x = input_at(t, 0);

    return op2(t, OP_mul, x, op1(t, OP_tanh, op1(t, OP_softplus, x)));
}

struct imported *import_swish(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    double alpha = get_float(t, "alpha", 1);

    if (alpha >= 1 && alpha <= 1)
        return op1(t, OP_silu, x);
    return op2(t, OP_mul, x, op1(t, OP_sigmoid, op2(t, OP_mul, x, literal(t, alpha))));
}

struct imported *import_softsign(struct translation *t)
{
    struct imported *x = input_at(t, 0);

    return op2(t, OP_div, x, op2(t, OP_add, op1(t, OP_abs, x), literal(t, 1)));
}

/* Toward 0 by `bias` where it is further away than `lambd`, else 0. */
struct imported *import_shrink(struct translation *t)
{
    double bias = get_float(t, "bias", 0), lambda = get_float(t, "lambd", 0.5);
    struct imported *x = input_at(t, 0), *shift = literal(t, bias);
    struct imported *low = convert(t, op2(t, OP_add, x, shift), x->type);
    struct imported *high = convert(t, op2(t, OP_sub, x, shift), x->type);
    struct imported *zero = convert(t, literal(t, 0), x->type);

    zero = op3(t, OP_select, op2(t, OP_gt, x, literal(t, lambda)), high, zero);
    return op3(t, OP_select, op2(t, OP_lt, x, literal(t, -lambda)), low, zero);
}

struct imported *import_thresholded_relu(struct translation *t)
{
    struct imported *x = input_at(t, 0), *alpha = literal(t, get_float(t, "alpha", 1));

    return op3(t, OP_select, op2(t, OP_gt, x, alpha), x, literal(t, 0));
}

/* NNEF's own is off by up to 0.02. */
struct imported *import_gelu(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    const char *how = get_string(t, "approximate", "none");

    if (how[0] != 't')
        return op1(t, OP_gelu_erf, x);
    struct imported *half = op2(t, OP_mul, x, literal(t, 0.5));
    struct imported *cube = op2(t, OP_mul, op1(t, OP_sqr, x), x);
    struct imported *sum = op2(t, OP_add, x, op2(t, OP_mul, cube, literal(t, 0.044715)));
    struct imported *curve =
        op1(t, OP_tanh, op2(t, OP_mul, sum, literal(t, 0.79788456080286535588)));
    return op2(t, OP_mul, half, op2(t, OP_add, curve, literal(t, 1)));
}

/* --- along axes -------------------------------------------------------------------------- */

/* Before opset 13 all axes from the one that is named. */
static bool find_axes(struct translation *t, struct integers *axes)
{
    int rank = input_at(t, 0)->shape.rank, axis;
    int64_t *items = import_alloc(t, MAX_RANK, sizeof *items);

    if (!resolve_axis(t, get_int(t, "axis", t->opset < 13 ? 1 : -1), rank, &axis))
        return false;
    *axes = (struct integers){t->opset < 13 ? rank - axis : 1, items};
    for (int i = 0; i < axes->count; i++)
        items[i] = axis + i;
    return true;
}

struct imported *import_softmax(struct translation *t)
{
    struct integers axes;

    if (!find_axes(t, &axes))
        return NULL;
    set_integers(t, "axes", axes.item, axes.count);
    return op1(t, OP_softmax, input_at(t, 0));
}

struct imported *import_log_softmax(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    struct integers axes;

    if (!find_axes(t, &axes))
        return NULL;
    x = op2(t, OP_sub, x, reduce(t, OP_max_reduce, x, &axes));
    return op2(t, OP_sub, x, op1(t, OP_log, reduce(t, OP_sum_reduce, op1(t, OP_exp, x), &axes)));
}

/* 1 at the first greatest item along an axis, else 0; the axes become one. */
struct imported *import_hardmax(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    struct shape shape = x->shape, flat = {.rank = 3, .extent = {1, 1, 1}}, ramp = flat;
    struct integers axes;

    if (!find_axes(t, &axes))
        return NULL;
    for (int i = 0; i < shape.rank; i++)
        flat.extent[i < axes.item[0]                ? 0
                    : i < axes.item[0] + axes.count ? 1
                                                    : 2] *= shape.extent[i];
    ramp.extent[1] = flat.extent[1];
    struct imported *index = reduce_at(t, OP_argmax_reduce, reshape_to(t, x, &flat), 1);
    struct imported *at = reshape_to(t, known_ramp(t, ONNX_INT64, flat.extent[1]), &ramp);
    return reshape_to(t, convert(t, op2(t, OP_eq, index, at), x->type), &shape);
}
