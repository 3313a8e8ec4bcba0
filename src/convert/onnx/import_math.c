/* import_math.c - arithmetic, item by item */
#include "convert/onnx/import_share.h"

#include <math.h>

take_function take_identity, take_dropout, take_sum, take_mean, take_min, take_max, take_pow,
    take_mod, take_xor, take_where, take_cast, take_cast_like, take_clip, take_round, take_is_nan;

struct entry *take_identity(struct take *t)
{
    return take_in(t, 0);
}

/* Of a mask nothing but true is known, and needed. */
static struct entry *full_mask(struct take *t, const struct entry *x)
{
    struct shape one = {.rank = x->shape.rank};
    struct tensor *items;

    for (int i = 0; i < one.rank; i++)
        one.extent[i] = 1;
    struct entry *mask = known_new(t, t->opset < 10 ? x->type : ONNX_BOOL, &one, &items);
    if (mask && items->dtype == DTYPE_LOGICAL)
        ((unsigned char *)items->data)[0] = 1;
    else if (mask)
        ((float *)items->data)[0] = 1;
    return spread_to(t, mask, &x->shape);
}

struct entry *take_dropout(struct take *t)
{
    double training = 0;

    if (t->opset >= 12 && take_has(t, 2) && !take_number(t, 2, &training))
        return NULL;
    if (training > 0 || (t->opset < 7 && !take_int(t, "is_test", 0)))
        return take_refuse(t, "drops items at random, as in training");
    if (take_wants(t, 1))
        take_result(t, 1, full_mask(t, take_in(t, 0)));
    return take_in(t, 0);
}

static struct entry *chain(struct take *t, enum op_id op)
{
    struct entry *result = take_in(t, 0);

    for (int i = 1; i < t->nin; i++)
        result = op2(t, op, result, take_in(t, i));
    return result;
}

struct entry *take_sum(struct take *t)
{
    return chain(t, OP_add);
}

struct entry *take_mean(struct take *t)
{
    return op2(t, OP_div, chain(t, OP_add), literal(t, t->nin));
}

struct entry *take_min(struct take *t)
{
    return chain(t, OP_min);
}

struct entry *take_max(struct take *t)
{
    return chain(t, OP_max);
}

struct entry *take_pow(struct take *t)
{
    struct entry *power = op2(t, OP_pow, take_in(t, 0), take_in(t, 1));

    return convert(t, power, take_in(t, 0)->type);
}

/* Toward zero. */
static struct entry *truncate(struct take *t, struct entry *x)
{
    if (!x || dtype_of(x->type) == DTYPE_INTEGER)
        return x;
    return op3(t, OP_select, op2(t, OP_lt, x, literal(t, 0)), op1(t, OP_ceil, x),
               op1(t, OP_floor, x));
}

/* The remainder has the sign of the dividend, or else that of the divisor. */
struct entry *take_mod(struct take *t)
{
    struct entry *x = take_in(t, 0), *y = take_in(t, 1);
    struct entry *whole = truncate(t, op2(t, OP_div, x, y));
    struct entry *rest = op2(t, OP_sub, x, op2(t, OP_mul, whole, y));

    if (take_int(t, "fmod", 0))
        return rest;
    struct entry *other_sign = op2(t, OP_lt, op2(t, OP_mul, rest, y), literal(t, 0));
    return op3(t, OP_select, other_sign, op2(t, OP_add, rest, y), rest);
}

struct entry *take_xor(struct take *t)
{
    struct entry *x = take_in(t, 0), *y = take_in(t, 1);

    return op2(t, OP_and, op2(t, OP_or, x, y), op1(t, OP_not, op2(t, OP_and, x, y)));
}

struct entry *take_where(struct take *t)
{
    return op3(t, OP_select, take_in(t, 0), take_in(t, 1), take_in(t, 2));
}

/* --- types ------------------------------------------------------------------------------- */

static struct entry *cast(struct take *t, int32_t type)
{
    if (dtype_of(type) == DTYPE_UNKNOWN || type == ONNX_UNDEFINED)
        return take_refuse(t, "casts to a type that NNEF does not have");
    return convert(t, take_in(t, 0), type);
}

struct entry *take_cast(struct take *t)
{
    if (t->opset < 6)
        return take_refuse(t, "names a type by text, as before opset 6");
    return cast(t, (int32_t)take_int(t, "to", ONNX_UNDEFINED));
}

struct entry *take_cast_like(struct take *t)
{
    return cast(t, take_in(t, 1)->type);
}

/* --- bounds ------------------------------------------------------------------------------ */

/* The greatest number there is, as old versions of ONNX write it. */
static const double greatest = 3.402823e+38;

/* A bound that is an attribute or an input; NULL: none that matters. */
static struct entry *bound_of(struct take *t, const char *name, int index, double none)
{
    struct entry *bound = take_in(t, index);
    double value = none;

    if (!bound && take_has_attribute(t, name))
        bound = literal(t, value = take_float(t, name, none));
    else if (bound && bound->known && shape_volume(&bound->shape) == 1)
        value = tensor_item(bound->known, 0);
    else
        return bound;
    return fabs(value) < greatest ? bound : (value < 0) == (none < 0) ? NULL : bound;
}

struct entry *take_clip(struct take *t)
{
    struct entry *x = take_in(t, 0);
    struct entry *low = bound_of(t, "min", 1, -HUGE_VAL), *high = bound_of(t, "max", 2, HUGE_VAL);

    if (low && high && low->known && high->known && shape_volume(&low->shape) == 1 &&
        shape_volume(&high->shape) == 1 &&
        tensor_item(low->known, 0) <= tensor_item(high->known, 0))
        return op3(t, OP_clamp, x, low, high);
    if (low)
        x = op2(t, OP_max, x, low);
    return high ? op2(t, OP_min, x, high) : x;
}

/* --- functions that NNEF lacks ------------------------------------------------------------ */

struct entry *round_even(struct take *t, struct entry *x)
{
    struct entry *floor = op1(t, OP_floor, x);
    struct entry *rest = op2(t, OP_sub, x, floor), *half = literal(t, 0.5);
    struct entry *even =
        op2(t, OP_mul, op1(t, OP_floor, op2(t, OP_mul, floor, half)), literal(t, 2));
    struct entry *up = op2(t, OP_or, op2(t, OP_gt, rest, half),
                           op2(t, OP_and, op2(t, OP_eq, rest, half), op2(t, OP_ne, floor, even)));

    return op3(t, OP_select, up, op2(t, OP_add, floor, literal(t, 1)), floor);
}

struct entry *take_round(struct take *t)
{
    return round_even(t, take_in(t, 0));
}

struct entry *take_is_nan(struct take *t)
{
    return op2(t, OP_ne, take_in(t, 0), take_in(t, 0));
}
