/* convert_activation.c - activation functions */
#include "convert/pnnx/convert_functions.h"

#include <string.h>
#include <strings.h>

static struct imported *input(struct say *s)
{
    return say_argument(s, "input", 0);
}

/* --- those that ONNX has under another name --------------------------------------------------- */

struct imported *say_same(struct say *s)
{
    static const struct {
        const char *type, *onnx;
    } names[] = {
        {"relu", "Relu"},           {"sigmoid", "Sigmoid"},   {"tanh", "Tanh"},
        {"silu", "Swish"},          {"softsign", "Softsign"}, {"mish", "Mish"},
        {"hardswish", "HardSwish"}, {"selu", "Selu"},         {"isnan", "IsNaN"},
        {"isinf", "IsInf"},         {"logical_not", "Not"},
    };
    const char *type = strrchr(s->op->type, '.');

    type = type ? type + 1 : s->op->type;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcasecmp(names[i].type, type) == 0)
            return say1(s, names[i].onnx, input(s));
    return NULL;
}

/* --- with parameters -------------------------------------------------------------------------- */

static struct imported *with_alpha(struct say *s, const char *type, double alpha)
{
    say_begin(s, type);
    node_real(s, "alpha", alpha);
    return say_end1(s, input(s));
}

struct imported *say_leaky_relu(struct say *s)
{
    return with_alpha(s, "LeakyRelu", say_real(s, "negative_slope", 0.01));
}

struct imported *say_elu(struct say *s)
{
    return with_alpha(s, "Elu", say_real(s, "alpha", 1));
}

struct imported *say_celu(struct say *s)
{
    return with_alpha(s, "Celu", say_real(s, "alpha", 1));
}

/* Slopes are drawn in training only. */
struct imported *say_rrelu(struct say *s)
{
    return with_alpha(s, "LeakyRelu",
                      (say_real(s, "lower", 1.0 / 8) + say_real(s, "upper", 1.0 / 3)) / 2);
}

struct imported *say_gelu(struct say *s)
{
    say_begin(s, "Gelu");
    node_text(s, "approximate", say_text(s, "approximate", "none"));
    return say_end1(s, input(s));
}

struct imported *say_hardsigmoid(struct say *s)
{
    say_begin(s, "HardSigmoid");
    node_real(s, "alpha", 1.0 / 6);
    node_real(s, "beta", 0.5);
    return say_end1(s, input(s));
}

static struct imported *between(struct say *s, double low, double high)
{
    return op3(&s->t, OP_clamp, input(s), literal(&s->t, low), literal(&s->t, high));
}

struct imported *say_relu6(struct say *s)
{
    return between(s, 0, 6);
}

struct imported *say_hardtanh(struct say *s)
{
    return between(s, say_real(s, "min_val", -1), say_real(s, "max_val", 1));
}

struct imported *say_prelu(struct say *s)
{
    struct imported *x = input(s), *slope = say_weight(s, "weight");

    slope = slope ? slope : say_argument(s, "weight", 1);
    if (x && slope && shape_volume(&slope->shape) > 1)
        slope = per_channel(&s->t, slope, x->shape.rank);
    return say2(s, "PRelu", x, slope);
}

/* log(1 + exp(beta x)) / beta, and x where that is beyond the threshold */
struct imported *say_softplus(struct say *s)
{
    enum { DIFFERS_UP_TO = 20 }; /* beyond, log(1 + exp(x)) is x in 32 bits */
    struct translation *t = &s->t;
    double beta = say_real(s, "beta", 1), threshold = say_real(s, "threshold", DIFFERS_UP_TO);
    struct imported *x = input(s), *factor = literal(t, beta);

    if (beta >= 1 && beta <= 1 && threshold >= DIFFERS_UP_TO)
        return op1(t, OP_softplus, x);
    struct imported *scaled = op2(t, OP_mul, x, factor);
    struct imported *bent = op2(t, OP_div, op1(t, OP_softplus, scaled), factor);
    struct imported *limit = literal(t, threshold);
    return op3(t, OP_select, op2(t, OP_gt, scaled, limit), x, bent);
}

struct imported *say_logsigmoid(struct say *s)
{
    return op1(&s->t, OP_neg, op1(&s->t, OP_softplus, op1(&s->t, OP_neg, input(s))));
}

struct imported *say_hardshrink(struct say *s)
{
    say_begin(s, "Shrink");
    node_real(s, "lambd", say_real(s, "lambd", 0.5));
    return say_end1(s, input(s));
}

struct imported *say_softshrink(struct say *s)
{
    double lambda = say_real(s, "lambd", 0.5);

    say_begin(s, "Shrink");
    node_real(s, "lambd", lambda);
    node_real(s, "bias", lambda);
    return say_end1(s, input(s));
}

struct imported *say_tanhshrink(struct say *s)
{
    return op2(&s->t, OP_sub, input(s), op1(&s->t, OP_tanh, input(s)));
}

struct imported *say_threshold(struct say *s)
{
    struct translation *t = &s->t;
    struct imported *x = input(s), *limit = literal(t, say_real(s, "threshold", 0));

    return op3(t, OP_select, op2(t, OP_gt, x, limit), x, literal(t, say_real(s, "value", 0)));
}

/* --- along an axis ----------------------------------------------------------------------------- */

/* The axis that is not named: 0 of ranks 0, 1 and 3, else 1. */
static bool find_axis(struct say *s, const struct imported *x, int *axis)
{
    int rank = x->shape.rank;

    return say_axis(s, "dim", rank <= 1 || rank == 3 ? 0 : 1, rank, axis);
}

static struct imported *softmax(struct say *s, const char *type, struct imported *x)
{
    int axis;

    if (!x || !find_axis(s, x, &axis))
        return NULL;
    say_begin(s, type);
    node_int(s, "axis", axis);
    return say_end1(s, x);
}

struct imported *say_softmax(struct say *s)
{
    return softmax(s, "Softmax", input(s));
}

struct imported *say_log_softmax(struct say *s)
{
    return softmax(s, "LogSoftmax", input(s));
}

struct imported *say_softmin(struct say *s)
{
    return softmax(s, "Softmax", op1(&s->t, OP_neg, input(s)));
}

struct imported *say_softmax2d(struct say *s)
{
    say_begin(s, "Softmax");
    node_int(s, "axis", -3);
    return say_end1(s, input(s));
}

/* One half, as far as the other lets it through. */
struct imported *say_glu(struct say *s)
{
    struct imported *x = input(s);
    int axis;

    if (!x || !say_axis(s, "dim", -1, x->shape.rank, &axis))
        return NULL;
    int64_t half = x->shape.extent[axis] / 2;
    if (half * 2 != x->shape.extent[axis])
        return say_refuse(s, "halves shape %s at axis %d", SHAPE_TEXT(&x->shape), axis);
    struct imported *gate = op1(&s->t, OP_sigmoid, slice_at(&s->t, x, axis, half, 2 * half));
    return op2(&s->t, OP_mul, slice_at(&s->t, x, axis, 0, half), gate);
}
