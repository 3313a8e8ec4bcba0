/*
 * import_fold.c - arithmetic on known integers, in 64 bits
 *
 * NNEF's arithmetic is on scalars, but shapes and indices are computed with integers.  Results wrap
 * as those of their type do.
 */
#include "convert/onnx/import_make.h"
#include "convert/onnx/import_value.h"
#include "op/op.h"

#include "base/num.h"

#include <assert.h>

/* Arithmetic on unsigned numbers wraps; on signed ones it may not overflow. */
static uint64_t bits_of(int64_t value)
{
    return (uint64_t)value;
}

/* By squares.  Wraps; a result that is no integer becomes 0. */
static int64_t power(int64_t base, int64_t exponent)
{
    uint64_t result = 1, factor = bits_of(base);

    if (exponent < 0)
        return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
    for (; exponent; exponent >>= 1, factor *= factor)
        if (exponent & 1)
            result *= factor;
    return (int64_t)result;
}

/* x op y, wrapped to 64 bits; false if op is no arithmetic on two integers. */
static bool apply(enum op_id op, int64_t x, int64_t y, int64_t *z)
{
    bool ok = true;

    if (op == OP_add)
        *z = (int64_t)(bits_of(x) + bits_of(y));
    else if (op == OP_sub)
        *z = (int64_t)(bits_of(x) - bits_of(y));
    else if (op == OP_mul)
        *z = (int64_t)(bits_of(x) * bits_of(y));
    else if (op == OP_div)
        *z = y == 0 ? 0 : y == -1 ? (int64_t)(0 - bits_of(x)) : x / y;
    else if (op == OP_min)
        *z = x < y ? x : y;
    else if (op == OP_max)
        *z = x > y ? x : y;
    else if (op == OP_pow)
        *z = power(x, y);
    else if (op == OP_lt)
        *z = x < y;
    else if (op == OP_gt)
        *z = x > y;
    else if (op == OP_le)
        *z = x <= y;
    else if (op == OP_ge)
        *z = x >= y;
    else if (op == OP_eq)
        *z = x == y;
    else if (op == OP_ne)
        *z = x != y;
    else
        ok = false;
    return ok;
}

/* The same for one integer; rounding leaves it as it is. */
static bool apply_one(enum op_id op, int64_t x, int64_t *y)
{
    if (op == OP_neg)
        *y = (int64_t)(0 - bits_of(x));
    else if (op == OP_abs)
        *y = x < 0 ? (int64_t)(0 - bits_of(x)) : x;
    else if (op == OP_sign)
        *y = (x > 0) - (x < 0);
    else if (op == OP_floor || op == OP_ceil || op == OP_round)
        *y = x;
    else
        return false;
    return true;
}

/* A value as an integer of fewer bits, of which the upper ones are lost. */
static int64_t wrap(int32_t type, int64_t value)
{
    switch (type) {
    case ONNX_INT8:
        return (int8_t)(uint8_t)value;
    case ONNX_UINT8:
        return (uint8_t)value;
    case ONNX_INT16:
        return (int16_t)(uint16_t)value;
    case ONNX_UINT16:
        return (uint16_t)value;
    case ONNX_INT32:
        return (int32_t)(uint32_t)value;
    case ONNX_UINT32:
        return (uint32_t)value;
    }
    return value;
}

/* An item as an integer; false for an item of a literal that is none. */
static bool integer_at(const struct imported *x, int64_t index, int64_t *item)
{
    if (x->known->dtype == DTYPE_INTEGER) {
        *item = ((const int64_t *)x->known->data)[index];
        return true;
    }
    double number = tensor_item(x->known, index);
    return num_truncate(number, item) && (double)*item >= number && (double)*item <= number;
}

/* --- item by item ------------------------------------------------------------------------ */

/* Item `index` of `shape`, in row-major order, by the strides of a tensor that broadcasts to it. */
static int64_t index_in(const struct shape *shape, const int64_t *stride, int64_t index)
{
    int64_t at = 0;

    for (int k = shape->rank - 1; k >= 0; k--) {
        at += index % shape->extent[k] * stride[k];
        index /= shape->extent[k];
    }
    return at;
}

/* The type of the integers; UNDEFINED if some operand is neither that nor a literal. */
static int32_t integer_type(struct imported *const *in, int count)
{
    int32_t type = ONNX_UNDEFINED;

    for (int i = 0; i < count; i++) {
        bool integers = dtype_of(in[i]->type) == DTYPE_INTEGER;
        if (!in[i]->known || (!integers && in[i]->type != ONNX_UNDEFINED))
            return ONNX_UNDEFINED;
        if (integers && type == ONNX_UNDEFINED)
            type = in[i]->type;
    }
    return type;
}

/* Item by item.  False if this is not for integers, such as a literal 0.5 or operands that do not
 * broadcast; true with NULL in *out after a report. */
static bool fold_elements(struct translation *t, enum op_id op, struct imported *const *in,
                          int count, struct imported **out)
{
    bool is_comparison = op_table[op]->result[0] == OP_RESULT_LOGICAL;
    int32_t type = is_comparison ? ONNX_BOOL : integer_type(in, count);
    int64_t stride[2][MAX_RANK] = {{0}}, x, y = 0, z;
    struct imported *ready[2];
    struct shape shape = {0};
    struct tensor *to;
    int rank = 0, axis;

    assert(count == 1 || count == 2);
    *out = NULL;
    for (int64_t i = 0; op == OP_div && i < shape_volume(&in[1]->shape); i++) {
        double item = tensor_item(in[1]->known, i);
        if (!(item < 0 || item > 0))
            return !import_error(t, DIAG_DIVISION_BY_ZERO, "a known integer is divided by 0");
    }
    for (int i = 0; i < count; i++)
        rank = in[i]->shape.rank > rank ? in[i]->shape.rank : rank;
    for (int i = 0; i < count; i++) {
        ready[i] = in[i]->shape.rank ? with_rank(t, in[i], rank) : in[i];
        if (!broadcast(BROADCAST_NNEF, &shape, &ready[i]->shape, &axis))
            return false;
    }
    *out = known_new(t, type, &shape, &to);
    for (int i = 0; i < count; i++)
        shape_broadcast_strides(&ready[i]->shape, &shape, stride[i]);
    for (int64_t i = 0, volume = *out ? shape_volume(&shape) : 0; i < volume; i++) {
        if (!integer_at(ready[0], index_in(&shape, stride[0], i), &x) ||
            (count > 1 && !integer_at(ready[1], index_in(&shape, stride[1], i), &y)) ||
            !(count > 1 ? apply(op, x, y, &z) : apply_one(op, x, &z)))
            return false;
        if (is_comparison)
            ((unsigned char *)to->data)[i] = z != 0;
        else
            ((int64_t *)to->data)[i] = wrap(type, z);
    }
    return true;
}

/* --- along axes -------------------------------------------------------------------------- */

/* The sum, the greatest or the least along axes, which keep extent 1.  As for fold_elements(). */
static bool fold_reduction(struct translation *t, struct op_spec spec, const struct imported *x,
                           struct imported **out)
{
    const struct integers *axes = &((const struct reduce_attrs *)spec.attrs)->axes;
    const enum op_id step = spec.op == OP_max_reduce   ? OP_max
                            : spec.op == OP_min_reduce ? OP_min
                                                       : OP_add;
    struct shape shape = x->shape;
    int64_t stride[MAX_RANK], item;
    struct tensor *items;

    for (int i = 0; i < axes->count; i++)
        shape.extent[axes->item[i]] = 1;
    *out = known_new(t, x->type, &shape, &items);
    if (!*out || shape_volume(&x->shape) == 0)
        return !*out;
    shape_broadcast_strides(&shape, &x->shape, stride);
    bool *begun = import_alloc(t, shape_volume(&shape), sizeof *begun);
    for (int64_t i = 0, volume = shape_volume(&x->shape); i < volume; i++) {
        int64_t at = index_in(&x->shape, stride, i), *sum = (int64_t *)items->data + at;
        integer_at(x, i, &item);
        if (begun[at])
            apply(step, *sum, item, sum);
        else
            *sum = item;
        begun[at] = true;
        *sum = wrap(x->type, *sum);
    }
    return true;
}

bool fold_integers(struct translation *t, struct op_spec spec, struct imported *const *in,
                   int count, struct imported **out)
{
    const struct reduce_attrs *sum = spec.op == OP_sum_reduce ? spec.attrs : NULL;
    int64_t any;

    assert(spec.op < OP_COUNT && count >= 0);
    if (integer_type(in, count) == ONNX_UNDEFINED)
        return false;
    /* A sum may be asked to become a mean, which is no integer. */
    if ((spec.op == OP_max_reduce || spec.op == OP_min_reduce || (sum && !sum->normalize)) &&
        (sum || shape_volume(&in[0]->shape) > 0)) /* the greatest of nothing is reported */
        return fold_reduction(t, spec, in[0], out);
    bool folds =
        count == 2 ? apply(spec.op, 1, 1, &any) : count == 1 && apply_one(spec.op, 1, &any);
    return folds && fold_elements(t, spec.op, in, count, out);
}
