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

static uint64_t bits_of(int64_t value)
{
    return (uint64_t)value;
}

/* Wraps; what is no integer becomes 0. */
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

/* The same for one integer. */
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

/* What is left of a value in an integer of fewer bits. */
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

/* A literal stands for an integer if it is one. */
static bool integer_at(const struct imported *x, int64_t index, int64_t *item)
{
    if (x->known->dtype == DTYPE_INTEGER) {
        *item = ((const int64_t *)x->known->data)[index];
        return true;
    }
    double number = tensor_item(x->known, index);
    return num_truncate(number, item) && (double)*item >= number && (double)*item <= number;
}

static void store(struct tensor *to, int64_t index, int32_t type, int64_t value)
{
    if (to->dtype == DTYPE_LOGICAL)
        ((unsigned char *)to->data)[index] = value != 0;
    else
        ((int64_t *)to->data)[index] = wrap(type, value);
}

/* --- item by item ------------------------------------------------------------------------ */

/* The index of what stands at `index` of `shape` in something that broadcasts to it. */
static int64_t index_in(const struct shape *shape, const int64_t *stride, int64_t index)
{
    int64_t at = 0;

    for (int k = shape->rank - 1; k >= 0; k--) {
        at += index % shape->extent[k] * stride[k];
        index /= shape->extent[k];
    }
    return at;
}

/* False if an item is no integer, such as a literal 0.5. */
static bool fill(enum op_id op, struct imported *const *in, int count, struct imported *out,
                 struct tensor *to)
{
    int64_t stride[2][MAX_RANK] = {{0}}, x, y = 0, z;
    const struct shape *shape = &out->shape;

    assert(count == 1 || count == 2);

    for (int i = 0; i < count; i++)
        shape_broadcast_strides(&in[i]->shape, shape, stride[i]);
    for (int64_t i = 0, volume = shape_volume(shape); i < volume; i++) {
        if (!integer_at(in[0], index_in(shape, stride[0], i), &x) ||
            (count > 1 && !integer_at(in[1], index_in(shape, stride[1], i), &y)) ||
            !(count > 1 ? apply(op, x, y, &z) : apply_one(op, x, &z)))
            return false;
        store(to, i, out->type, z);
    }
    return true;
}

/* Of equal rank; a rank of 0 fits all. */
static bool widen(struct shape *shape, const struct shape *with)
{
    if (with->rank == 0)
        return true;
    if (shape->rank == 0) {
        *shape = *with;
        return true;
    }
    for (int i = 0; i < shape->rank; i++) {
        if (shape->extent[i] == 1)
            shape->extent[i] = with->extent[i];
        else if (with->extent[i] != 1 && with->extent[i] != shape->extent[i])
            return false;
    }
    return true;
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

static bool divides_by_zero(const struct imported *x)
{
    for (int64_t i = 0, volume = shape_volume(&x->shape); i < volume; i++) {
        double item = tensor_item(x->known, i);
        if (!(item < 0 || item > 0))
            return true;
    }
    return false;
}

static bool fold_elements(struct translation *t, enum op_id op, struct imported *const *in,
                          int count, struct imported **out)
{
    bool is_comparison = op_table[op]->result[0] == OP_RESULT_LOGICAL;
    int32_t type = is_comparison ? ONNX_BOOL : integer_type(in, count);
    struct imported *ready[2];
    struct shape shape = {0};
    struct tensor *items;
    int rank = 0;

    *out = NULL;
    if (op == OP_div && divides_by_zero(in[1]))
        return !import_error(t, DIAG_DIVISION_BY_ZERO, "a known integer is divided by 0");
    for (int i = 0; i < count; i++)
        rank = in[i]->shape.rank > rank ? in[i]->shape.rank : rank;
    for (int i = 0; i < count; i++) {
        ready[i] = in[i]->shape.rank ? with_rank(t, in[i], rank) : in[i];
        if (!widen(&shape, &ready[i]->shape))
            return false;
    }
    *out = known_new(t, type, &shape, &items);
    return !*out || fill(op, ready, count, *out, items);
}

/* --- along axes -------------------------------------------------------------------------- */

/* The sum, the greatest or the least; a sum may be asked to become a mean. */
static bool is_plain_reduction(struct op_spec spec)
{
    return spec.op == OP_max_reduce || spec.op == OP_min_reduce ||
           (spec.op == OP_sum_reduce && !((const struct reduce_attrs *)spec.attrs)->normalize);
}

/* The result has extent 1 along the axes. */
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
    int64_t any;

    if (integer_type(in, count) == ONNX_UNDEFINED)
        return false;
    if (is_plain_reduction(spec))
        return fold_reduction(t, spec, in[0], out);
    bool folds =
        count == 2 ? apply(spec.op, 1, 1, &any) : count == 1 && apply_one(spec.op, 1, &any);
    return folds && fold_elements(t, spec.op, in, count, out);
}
