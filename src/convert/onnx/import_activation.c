/* import_activation.c - activation functions */
#include "convert/onnx/import_share.h"

take_function take_elu, take_selu, take_celu, take_leaky_relu, take_prelu, take_hard_sigmoid,
    take_hard_swish, take_mish, take_swish, take_softsign, take_shrink, take_thresholded_relu,
    take_gelu, take_softmax, take_log_softmax, take_hardmax;

struct entry *take_elu(struct take *t)
{
    set_scalar(t, "alpha", take_float(t, "alpha", 1));
    return op1(t, OP_elu, take_in(t, 0));
}

struct entry *take_selu(struct take *t)
{
    bool old = t->opset < 6;

    set_scalar(t, "alpha", take_float(t, "alpha", old ? 1.6732 : 1.67326319217681884765625));
    set_scalar(t, "lambda", take_float(t, "gamma", old ? 1.0507 : 1.05070102214813232421875));
    return op1(t, OP_selu, take_in(t, 0));
}

/* max(0, x) + min(0, alpha * (exp(x / alpha) - 1)) */
struct entry *take_celu(struct take *t)
{
    struct entry *x = take_in(t, 0), *alpha = literal(t, take_float(t, "alpha", 1));
    struct entry *power = op1(t, OP_exp, op2(t, OP_div, x, alpha));
    struct entry *below = op2(t, OP_mul, alpha, op2(t, OP_sub, power, literal(t, 1)));

    return op3(t, OP_select, op2(t, OP_lt, x, literal(t, 0)), below, x);
}

struct entry *take_leaky_relu(struct take *t)
{
    set_scalar(t, "alpha", take_float(t, "alpha", 0.01));
    return op1(t, OP_leaky_relu, take_in(t, 0));
}

/* Before opset 7 the slopes were those of channels. */
struct entry *take_prelu(struct take *t)
{
    struct entry *x = take_in(t, 0), *slope = take_in(t, 1);

    if (t->opset < 7 && slope->shape.rank == 1)
        slope = per_channel(t, slope, x->shape.rank);
    return op2(t, OP_prelu, x, slope);
}

static struct entry *hard_sigmoid(struct take *t, double alpha, double beta)
{
    struct entry *line =
        op2(t, OP_add, op2(t, OP_mul, take_in(t, 0), literal(t, alpha)), literal(t, beta));

    return op3(t, OP_clamp, line, literal(t, 0), literal(t, 1));
}

struct entry *take_hard_sigmoid(struct take *t)
{
    return hard_sigmoid(t, take_float(t, "alpha", 0.2), take_float(t, "beta", 0.5));
}

struct entry *take_hard_swish(struct take *t)
{
    return op2(t, OP_mul, take_in(t, 0), hard_sigmoid(t, 1.0 / 6, 0.5));
}

struct entry *take_mish(struct take *t)
{
    struct entry *x = take_in(t, 0);

    return op2(t, OP_mul, x, op1(t, OP_tanh, op1(t, OP_softplus, x)));
}

struct entry *take_swish(struct take *t)
{
    struct entry *x = take_in(t, 0);
    double alpha = take_float(t, "alpha", 1);

    if (alpha >= 1 && alpha <= 1)
        return op1(t, OP_silu, x);
    return op2(t, OP_mul, x, op1(t, OP_sigmoid, op2(t, OP_mul, x, literal(t, alpha))));
}

struct entry *take_softsign(struct take *t)
{
    struct entry *x = take_in(t, 0);

    return op2(t, OP_div, x, op2(t, OP_add, op1(t, OP_abs, x), literal(t, 1)));
}

/* Toward 0 by `bias` where it is further away than `lambd`, else 0. */
struct entry *take_shrink(struct take *t)
{
    double bias = take_float(t, "bias", 0), lambda = take_float(t, "lambd", 0.5);
    struct entry *x = take_in(t, 0), *shift = literal(t, bias);
    struct entry *low = convert(t, op2(t, OP_add, x, shift), x->type);
    struct entry *high = convert(t, op2(t, OP_sub, x, shift), x->type);
    struct entry *zero = convert(t, literal(t, 0), x->type);

    zero = op3(t, OP_select, op2(t, OP_gt, x, literal(t, lambda)), high, zero);
    return op3(t, OP_select, op2(t, OP_lt, x, literal(t, -lambda)), low, zero);
}

struct entry *take_thresholded_relu(struct take *t)
{
    struct entry *x = take_in(t, 0), *alpha = literal(t, take_float(t, "alpha", 1));

    return op3(t, OP_select, op2(t, OP_gt, x, alpha), x, literal(t, 0));
}

/* NNEF's own is off by up to 0.02. */
struct entry *take_gelu(struct take *t)
{
    struct entry *x = take_in(t, 0);
    const char *how = take_string(t, "approximate", "none");

    if (how[0] != 't')
        return op1(t, OP_gelu_erf, x);
    struct entry *half = op2(t, OP_mul, x, literal(t, 0.5));
    struct entry *cube = op2(t, OP_mul, op1(t, OP_sqr, x), x);
    struct entry *sum = op2(t, OP_add, x, op2(t, OP_mul, cube, literal(t, 0.044715)));
    struct entry *curve = op1(t, OP_tanh, op2(t, OP_mul, sum, literal(t, 0.79788456080286535588)));
    return op2(t, OP_mul, half, op2(t, OP_add, curve, literal(t, 1)));
}

/* --- along axes -------------------------------------------------------------------------- */

/* Before opset 13 all axes from the one that is named. */
static bool find_axes(struct take *t, struct integers *axes)
{
    int rank = take_in(t, 0)->shape.rank, axis;
    int64_t *items = take_room(t, MAX_RANK, sizeof *items);

    if (!take_axis(t, take_int(t, "axis", t->opset < 13 ? 1 : -1), rank, &axis))
        return false;
    *axes = (struct integers){t->opset < 13 ? rank - axis : 1, items};
    for (int i = 0; i < axes->count; i++)
        items[i] = axis + i;
    return true;
}

struct entry *take_softmax(struct take *t)
{
    struct integers axes;

    if (!find_axes(t, &axes))
        return NULL;
    set_integers(t, "axes", axes.item, axes.count);
    return op1(t, OP_softmax, take_in(t, 0));
}

struct entry *take_log_softmax(struct take *t)
{
    struct entry *x = take_in(t, 0);
    struct integers axes;

    if (!find_axes(t, &axes))
        return NULL;
    x = op2(t, OP_sub, x, reduce(t, OP_max_reduce, x, &axes));
    return op2(t, OP_sub, x, op1(t, OP_log, reduce(t, OP_sum_reduce, op1(t, OP_exp, x), &axes)));
}

/* 1 at the first greatest item along an axis, else 0; the axes become one. */
struct entry *take_hardmax(struct take *t)
{
    struct entry *x = take_in(t, 0);
    struct shape shape = x->shape, flat = {.rank = 3, .extent = {1, 1, 1}}, ramp = flat;
    struct integers axes;

    if (!find_axes(t, &axes))
        return NULL;
    for (int i = 0; i < shape.rank; i++)
        flat.extent[i < axes.item[0]                ? 0
                    : i < axes.item[0] + axes.count ? 1
                                                    : 2] *= shape.extent[i];
    ramp.extent[1] = flat.extent[1];
    struct entry *index = reduce_at(t, OP_argmax_reduce, reshape_to(t, x, &flat), 1);
    struct entry *at = reshape_to(t, known_ramp(t, ONNX_INT64, flat.extent[1]), &ramp);
    return reshape_to(t, convert(t, op2(t, OP_eq, index, at), x->type), &shape);
}
