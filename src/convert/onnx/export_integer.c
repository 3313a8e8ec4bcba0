/*
 * export_integer.c - operations on integers
 *
 * ONNX Runtime computes INT64 everywhere, narrower types here and there.  So the nodes compute
 * INT64, and casts to the width of the operation and back make the result wrap.  Only what depends
 * on a sign is asked of UINT64 if the operands are of that type.  Nothing is left to kernels that
 * compute integers beyond 2^53 in floating point (Pow, Mod with 'fmod', sums), that compare halves
 * of integers beyond 32 bits (Min, Max, Sign and their reductions), or that stop the process, as
 * the quotient of the least INT64 by -1 does.
 */
#include "convert/onnx/export_out.h"
#include "convert/onnx/export_rules.h"

#include "convert/proto/onnx_data.h"
#include "pass/bounds.h"

#include <assert.h>

/* The type of so many bits; UNDEFINED: ONNX Runtime casts to none. */
static int32_t type_of(const struct emit *e)
{
    const enum item_type type = attr_is_signed(e->node) ? ITEM_SIGNED : ITEM_UNSIGNED;
    const struct item_format items = {.type = type, .bits = (int)attr_bits(e->node)};

    return items.bits >= 8 ? onnx_type_of_items(&items) : ONNX_UNDEFINED;
}

/* How the operands of an operation on 64 bits without a sign are given to it. */
enum view {
    AS_THEY_ARE, /* it does not see a sign */
    IN_ORDER,    /* less 2^63, so that the order of INT64 is theirs: ONNX Runtime has few UINT64 */
    AS_UINT64,
};

static enum view view_of(const struct emit *e)
{
    if (!bounds_mistake_sign(e->out->bounds, e->node))
        return AS_THEY_ARE;
    switch ((int)e->node->op->id) {
    case OP_integer_rest:
    case OP_integer_mod:
    case OP_integer_sign:
        return AS_UINT64;
    case OP_integer_min:
    case OP_integer_max:
    case OP_integer_lt:
    case OP_integer_gt:
    case OP_integer_le:
    case OP_integer_ge:
    case OP_integer_max_reduce:
    case OP_integer_min_reduce:
        return IN_ORDER;
    }
    return AS_THEY_ARE;
}

static const char *with_offset(const struct emit *e, const char *x)
{
    return emit(e, "Add", x, emit_integer(e, INT64_MIN), NULL);
}

static const char *chosen(const struct emit *e, const char *condition, const char *x, const char *y)
{
    return emit(e, "Where", condition, x, y, NULL);
}

static struct interval operand(const struct emit *e, uint32_t index)
{
    return bounds_of_operand(e->out->bounds, e->node, index);
}

/* Are the operands known to be INT32, seen as `view` has them? */
static bool is_small(const struct emit *e, enum view view)
{
    const struct interval int32 = {INT32_MIN, INT32_MAX};

    for (uint32_t i = 0; i < e->node->nin; i++)
        if (view != AS_THEY_ARE || !interval_has(int32, operand(e, i)))
            return false;
    return true;
}

/* All bits the other way round; `ones` has all that count. */
static const char *complement_of(const struct emit *e, const char *x, int64_t ones)
{
    return emit(e, "Sub", emit_integer(e, ones), x, NULL);
}

/* --- operations that ONNX Runtime computes otherwise, or not at all ------------------------- */

/* The rest has the sign of x, the modulus that of y: where it is not 0 and these differ, it is less
 * by y.  ONNX Runtime would take x - x / y * y for 0 where x is the literal 1. */
static const char *emit_rest(const struct emit *e, const char *x, const char *y)
{
    const struct interval a = operand(e, 0), b = operand(e, 1);
    const struct interval exact = {-((int64_t)1 << 53), (int64_t)1 << 53};
    const char *zero = emit_integer(e, 0), *left = emit(e, "Mod", x, y, NULL);

    if (view_of(e) == AS_UINT64 || (a.low >= 0 && b.low >= 0))
        return left;
    if (interval_has(exact, a) && interval_has(exact, b)) {
        emit_attr_int(e, "fmod", 1);
        return left;
    }
    const char *below[2] = {emit(e, "Less", x, zero, NULL), emit(e, "Less", y, zero, NULL)};
    const char *same = emit(e, "Equal", below[0], below[1], NULL);
    const char *none = emit(e, "Equal", left, zero, NULL);
    return chosen(e, emit(e, "Or", same, none, NULL), left, emit(e, "Sub", left, y, NULL));
}

/* Of the quotient by -1, which may stop the process in 64 bits, the one by 1 is taken. */
static const char *emit_division(const struct emit *e, const char *x, const char *y)
{
    const enum op_id op = (enum op_id)e->node->op->id;
    bool is_safe = view_of(e) == AS_UINT64 || operand(e, 0).low > INT64_MIN ||
                   operand(e, 1).low > -1 || operand(e, 1).high < -1;
    const char *by = y, *is_minus = NULL, *quotient;

    if (!is_safe) {
        is_minus = emit(e, "Equal", y, emit_integer(e, -1), NULL);
        by = chosen(e, is_minus, emit_integer(e, 1), y);
    }
    if (op == OP_integer_rest)
        return emit_rest(e, x, by);
    if (op == OP_integer_mod)
        return emit(e, "Mod", x, by, NULL);
    quotient = emit(e, "Div", x, by, NULL);
    return is_safe ? quotient : chosen(e, is_minus, emit(e, "Neg", x, NULL), quotient);
}

/* Squares and multiplies, by a known exponent that is not negative. */
static const char *emit_power(const struct emit *e, const char *x)
{
    int64_t left = operand(e, 1).low;
    const char *result = NULL;

    if (left == 0) /* 1 in the shape of x */
        return emit(e, "Add", emit(e, "Sub", x, x, NULL), emit_integer(e, 1), NULL);
    for (; left; left >>= 1) {
        if (left & 1)
            result = result ? emit(e, "Mul", result, x, NULL) : x;
        if (left > 1)
            x = emit(e, "Mul", x, x, NULL);
    }
    return result;
}

/*
 * ONNX shifts integers without a sign, by less bits than they have.  To the right, the complement
 * of a negative item is moved, so that zeros fill in.
 */
static const char *emit_shift(const struct emit *e, const char *x, const char *by)
{
    bool is_left = e->node->op->id == OP_integer_shift_left;
    bool is_safe = operand(e, 1).low >= 0 && operand(e, 1).high < 64;
    bool fills = !is_left && attr_is_signed(e->node) && operand(e, 0).low < 0;
    const char *negative = NULL, *in_range = NULL, *zero = emit_integer(e, 0), *moved;

    if (fills) {
        negative = emit(e, "Less", x, zero, NULL);
        x = chosen(e, negative, complement_of(e, x, -1), x);
    }
    if (!is_safe) {
        in_range = emit(e, "And", emit(e, "Less", by, emit_integer(e, 64), NULL),
                        emit(e, "Greater", by, emit_integer(e, -1), NULL), NULL);
        by = chosen(e, in_range, by, zero);
    }
    moved = emit(e, "BitShift", emit_cast(e, x, ONNX_UINT64), emit_cast(e, by, ONNX_UINT64), NULL);
    emit_attr_string(e, "direction", is_left ? "LEFT" : "RIGHT");
    moved = emit_cast(e, moved, ONNX_INT64);
    if (!is_safe)
        moved = chosen(e, in_range, moved, zero);
    return fills ? chosen(e, negative, complement_of(e, moved, -1), moved) : moved;
}

static const char *emit_sign(const struct emit *e, const char *x)
{
    const char *zero = emit_integer(e, 0);
    const char *above = emit(e, "Greater", x, zero, NULL);
    const char *below = emit(e, "Less", x, zero, NULL);

    return emit(e, "Sub", emit_cast(e, above, ONNX_INT64), emit_cast(e, below, ONNX_INT64), NULL);
}

/* The sum is the last one of those so far, the extremum the first when they are sorted. */
static const char *emit_along(const struct emit *e, const char *x, int64_t axis)
{
    const int64_t one = 1, last = -1, end = INT64_MAX;
    const struct emit_range range = {1, &axis, &last, &end, NULL};

    if (e->node->op->id == OP_integer_sum_reduce) {
        x = emit(e, "CumSum", x, emit_integer(e, axis), NULL);
        return emit_slice(e, x, &range);
    }
    x = emit(e, "TopK", x, emit_vector(e, &one, 1), NULL);
    emit_attr_int(e, "axis", axis);
    emit_attr_int(e, "largest", e->node->op->id == OP_integer_max_reduce);
    emit_also(e);
    return x;
}

/* What is known of the integers before they wrap, whatever open extents will be. */
static bool before_wrap(const struct emit *e, struct interval *result)
{
    return !(e->out->open && bounds_go_by_extents(e->node->op)) &&
           bounds_before_wrap(e->out->bounds, e->node, result);
}

static const char *emit_reduction(const struct emit *e, const char *x, enum view view)
{
    const struct interval exact = {-((int64_t)1 << 53), (int64_t)1 << 53};
    const struct integers *axes = attr_axes(e->node);
    struct interval sum;
    bool is_exact = is_small(e, view);

    if (e->node->op->id == OP_integer_sum_reduce)
        is_exact = before_wrap(e, &sum) && interval_has(exact, sum);
    if (is_exact)
        return emit_reduce(e, e->type, x, axes);
    for (int i = 0; i < axes->count; i++)
        x = emit_along(e, x, axes->item[i]);
    return x;
}

/* --- one node, in most cases ---------------------------------------------------------------- */

/* The operation before it wraps, on operands in[]. */
static const char *emit_operation(const struct emit *e, const char *const *in, enum view view)
{
    bool has_kernel = is_small(e, view);

    switch ((int)e->node->op->id) {
    case OP_integer_wrap:
        return in[0];
    case OP_integer_not: /* BitwiseNot is younger, and of no help without a sign */
        return complement_of(e, in[0], bounds_of_ones(e->node));
    case OP_integer_abs:
        return attr_is_signed(e->node) ? emit(e, "Abs", in[0], NULL) : in[0];
    case OP_integer_sign:
        if (has_kernel)
            break;
        return view == AS_UINT64 ? emit(e, "Sign", in[0], NULL) : emit_sign(e, in[0]);
    case OP_integer_min:
    case OP_integer_max:
        if (has_kernel)
            break;
        return chosen(
            e, emit(e, e->node->op->id == OP_integer_min ? "Less" : "Greater", in[0], in[1], NULL),
            in[0], in[1]);
    case OP_integer_matmul:
        return emit_product(e, in[0], in[1], emit_result_shape(e, 0)->rank,
                            &(struct matmul_attrs){.transpose_a = attr_transpose_a(e->node),
                                                   .transpose_b = attr_transpose_b(e->node)});
    case OP_integer_ne:
        return emit(e, "Not", emit(e, "Equal", in[0], in[1], NULL), NULL);
    case OP_integer_div:
    case OP_integer_rest:
    case OP_integer_mod:
        return emit_division(e, in[0], in[1]);
    case OP_integer_pow:
        return emit_power(e, in[0]);
    case OP_integer_shift_left:
    case OP_integer_shift_right:
        return emit_shift(e, in[0], in[1]);
    }
    if (op_attr_row(e->node->op, ATTR_axes))
        return emit_reduction(e, in[0], view);
    return emit_list(e, e->type, in, (int)e->node->nin);
}

/* What is left of x in the width of the operation, as INT64. */
static const char *emit_wrapped(const struct emit *e, const char *x)
{
    const int64_t bits = attr_bits(e->node), modulus = (int64_t)1 << (bits < 63 ? bits : 0);
    const int32_t type = type_of(e);
    const char *half = emit_integer(e, modulus / 2);
    struct interval result;

    if (bits >= 64 || (before_wrap(e, &result) && interval_has(bounds_of_width(e->node), result)))
        return x;
    if (type != ONNX_UNDEFINED)
        return emit_cast(e, emit_cast(e, x, type), ONNX_INT64);
    if (attr_is_signed(e->node))
        x = emit(e, "Add", x, half, NULL);
    x = emit(e, "Mod", x, emit_integer(e, modulus), NULL);
    return attr_is_signed(e->node) ? emit(e, "Sub", x, half, NULL) : x;
}

/* What cannot be computed in INT64.  Returns false, like emit_refuse(). */
static bool check(const struct emit *e)
{
    const enum op_id op = (enum op_id)e->node->op->id;
    bool is_bitwise =
        op == OP_integer_and || op == OP_integer_or || op == OP_integer_xor || op == OP_integer_not;

    if (attr_bits(e->node) == 63)
        return emit_refuse(e, "has integers of %d bits", 63);
    if (is_bitwise && e->opset < 18)
        return emit_refuse(e, "needs opset 18");
    if (op == OP_integer_div && bounds_mistake_sign(e->out->bounds, e->node))
        return emit_refuse(e, "divides integers of 64 bits without a sign");
    if (op == OP_integer_pow && (operand(e, 1).low < 0 || operand(e, 1).low < operand(e, 1).high ||
                                 !shape_equal(emit_shape(e, 0), emit_result_shape(e, 0))))
        return emit_refuse(e, "raises integers to a power that is negative, or not one constant");
    return true;
}

const char *export_integer(const struct emit *e)
{
    const enum op_id op = (enum op_id)e->node->op->id;
    const int rank = emit_result_shape(e, 0)->rank;
    const char *in[2] = {NULL}, *made;

    assert(e->node->nin <= 2);
    if (!check(e))
        return NULL;
    const enum view view = view_of(e);
    for (uint32_t i = 0; i < e->node->nin; i++) {
        in[i] = e->node->nin > 1 ? emit_in_rank(e, (int)i, rank) : emit_in(e, (int)i);
        if (view == AS_UINT64)
            in[i] = emit_cast(e, in[i], ONNX_UINT64);
        else if (view == IN_ORDER)
            in[i] = with_offset(e, in[i]);
    }
    made = emit_operation(e, in, view);
    if (op_table[op]->result[0] != OP_RESULT_LOGICAL) {
        if (view == AS_UINT64)
            made = emit_cast(e, made, ONNX_INT64);
        else if (view == IN_ORDER)
            made = with_offset(e, made);
        made = emit_wrapped(e, made);
    }
    return made;
}

const char *export_integer_arg(const struct emit *e)
{
    if (!bounds_mistake_sign(e->out->bounds, e->node))
        return export_arg_reduction(e);
    emit_refuse(e, "looks for an extreme among integers of 64 bits without a sign");
    return NULL;
}
