/* convert_norm.c - normalizations; they have their own weights, or are given them as arguments */
#include "convert/pnnx/convert_functions.h"

#include <inttypes.h>
#include <string.h>

static struct imported *weight_or_argument(struct say *s, const char *name)
{
    struct imported *weight = say_weight(s, name);

    return weight ? weight : say_option(s, name);
}

static struct imported *all_of(struct say *s, int64_t count, float number)
{
    struct shape shape = {.rank = 1, .extent = {count}};
    struct tensor *items;
    struct imported *imported = known_new(&s->t, ONNX_FLOAT, &shape, &items);

    for (int64_t i = 0; imported && i < count; i++)
        ((float *)items->data)[i] = number;
    return imported;
}

/* What scales and shifts nothing unless there are weights, one for each of the channels. */
static struct imported *scale_of(struct say *s, int64_t channels)
{
    struct imported *weight = weight_or_argument(s, "weight");

    return weight ? weight : all_of(s, channels, 1);
}

static struct imported *shift_of(struct say *s, int64_t channels)
{
    struct imported *bias = weight_or_argument(s, "bias");

    return bias ? bias : all_of(s, channels, 0);
}

struct imported *say_batch_norm(struct say *s)
{
    struct imported *x = say_argument(s, "input", 0);
    struct imported *mean = weight_or_argument(s, "running_mean");
    struct imported *variance = weight_or_argument(s, "running_var");

    if (!x || s->t.failed)
        return NULL;
    if (!mean || !variance || say_flag(s, "training", false))
        return say_refuse(s, "normalizes by the statistics of its input, as in training");
    int64_t channels = shape_volume(&mean->shape);
    struct imported *in[] = {x, scale_of(s, channels), shift_of(s, channels), mean, variance};
    say_begin(s, "BatchNormalization");
    node_real(s, "epsilon", say_real(s, "eps", 1e-5));
    return say_end(s, in, 5, NULL, 1);
}

static bool trailing_axis(struct say *s, int64_t *axis)
{
    struct integers shape;

    if (!say_ints(s, "normalized_shape", &shape))
        return import_error(&s->t, DIAG_PNNX_VALUE, "does not say which shape it normalizes");
    *axis = -shape.count;
    return true;
}

static struct imported *normalize_trailing(struct say *s, const char *type, double epsilon)
{
    struct imported *x = say_argument(s, "input", 0), *scale = weight_or_argument(s, "weight");
    struct imported *shift =
        strcmp(type, "LayerNormalization") == 0 ? weight_or_argument(s, "bias") : NULL;
    int64_t axis = 0;

    if (!trailing_axis(s, &axis))
        return NULL;
    scale = scale ? scale : literal(&s->t, 1);
    say_begin(s, type);
    node_int(s, "axis", axis);
    node_real(s, "epsilon", say_real(s, "eps", epsilon));
    return say_end(s, (struct imported *[]){x, scale, shift}, 3, NULL, 1);
}

struct imported *say_layer_norm(struct say *s)
{
    return normalize_trailing(s, "LayerNormalization", 1e-5);
}

struct imported *say_rms_norm(struct say *s)
{
    return normalize_trailing(s, "RMSNormalization", 0x1p-23);
}

struct imported *say_group_norm(struct say *s)
{
    struct imported *x = say_argument(s, "input", 0);

    if (!x || x->shape.rank < 2)
        return x ? say_refuse(s, "has an input without channels") : NULL;
    struct shape shape = x->shape;
    int64_t channels = shape.extent[1];
    if (shape.rank == 2)
        x = unsqueeze_at(&s->t, x, 2);
    struct imported *in[] = {x, scale_of(s, channels), shift_of(s, channels)};
    say_begin(s, "GroupNormalization");
    node_int(s, "num_groups", say_int(s, "num_groups", 1));
    node_real(s, "epsilon", say_real(s, "eps", 1e-5));
    return reshape_to(&s->t, say_end(s, in, 3, NULL, 1), &shape);
}

/* With statistics of its own it is a batch normalization. */
struct imported *say_instance_norm(struct say *s)
{
    struct imported *x = say_argument(s, "input", 0);

    if (weight_or_argument(s, "running_mean") && !say_flag(s, "use_input_stats", false))
        return say_batch_norm(s);
    if (!x || x->shape.rank < 3)
        return x ? say_refuse(s, "has an input without batch, channels and items") : NULL;
    struct imported *in[] = {x, scale_of(s, x->shape.extent[1]), shift_of(s, x->shape.extent[1])};
    say_begin(s, "InstanceNormalization");
    node_real(s, "epsilon", say_real(s, "eps", 1e-5));
    return say_end(s, in, 3, NULL, 1);
}

struct imported *say_local_response_norm(struct say *s)
{
    int64_t size = say_int(s, "size", 1);

    if (size % 2 == 0)
        return say_refuse(s, "has windows of %" PRId64 " channels, of which none is in the middle",
                          size);
    say_begin(s, "LRN");
    node_int(s, "size", size);
    node_real(s, "alpha", say_real(s, "alpha", 1e-4));
    node_real(s, "beta", say_real(s, "beta", 0.75));
    node_real(s, "bias", say_real(s, "k", 1));
    return say_end1(s, say_argument(s, "input", 0));
}

/* x / max(norm, eps) */
struct imported *say_normalize(struct say *s)
{
    struct imported *x = say_argument(s, "input", 0), *norm;
    double power = say_real(s, "p", 2);
    int axis;

    if (!x || !say_axis(s, "dim", 1, x->shape.rank, &axis))
        return NULL;
    if (power >= 2 && power <= 2)
        norm = op1(&s->t, OP_sqrt, reduce_at(&s->t, OP_sum_reduce, op1(&s->t, OP_sqr, x), axis));
    else if (power >= 1 && power <= 1)
        norm = reduce_at(&s->t, OP_sum_reduce, op1(&s->t, OP_abs, x), axis);
    else
        return say_refuse(s, "has a norm of order %g", power);
    return op2(&s->t, OP_div, x,
               op2(&s->t, OP_max, norm, literal(&s->t, say_real(s, "eps", 1e-12))));
}
