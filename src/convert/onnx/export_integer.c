/*
 * export_integer.c - operations on integers
 *
 * ONNX Runtime computes INT64 everywhere, narrower types here and there.  So the nodes compute
 * INT64, and casts to the width of the operation and back make the result wrap.  Only what depends
 * on a sign is asked of UINT64 if the operands are of that type.
 */
#include "convert/onnx/export_rules.h"

#include "convert/proto/onnx.h"

#include <assert.h>

/* The type of so many bits; UNDEFINED: ONNX has none. */
static int32_t type_of(const struct emit *e)
{
    bool is_signed = attr_is_signed(e->node);

    switch (attr_bits(e->node)) {
    case 8:
        return is_signed ? ONNX_INT8 : ONNX_UINT8;
    case 16:
        return is_signed ? ONNX_INT16 : ONNX_UINT16;
    case 32:
        return is_signed ? ONNX_INT32 : ONNX_UINT32;
    case 64:
        return is_signed ? ONNX_INT64 : ONNX_UINT64;
    }
    return ONNX_UNDEFINED;
}

static const char *cast_to(const struct emit *e, int result, const char *x, int32_t type)
{
    const char *y = emit(e, result, "Cast", x, NULL);

    emit_attr_int(e, "to", type);
    return y;
}

/* Does the result stay within the width of the operands? */
static bool stays(enum op_id op)
{
    switch ((int)op) {
    case OP_integer_rest:
    case OP_integer_mod:
    case OP_integer_min:
    case OP_integer_max:
    case OP_integer_and:
    case OP_integer_or:
    case OP_integer_xor:
    case OP_integer_sign:
    case OP_integer_max_reduce:
    case OP_integer_min_reduce:
        return true;
    }
    return op_table[op]->result[0] == OP_RESULT_LOGICAL;
}

/* How the operands of an operation on 64 bits without a sign are given to it. */
enum view {
    AS_THEY_ARE, /* it does not see a sign */
    IN_ORDER,    /* less 2^63, so that the order of INT64 is theirs: ONNX Runtime has few UINT64 */
    AS_UINT64,
};

static enum view view_of(const struct emit *e)
{
    const enum op_id op = (enum op_id)e->node->op->id;

    switch ((int)op) {
    case OP_integer_shift_left:
    case OP_integer_shift_right:
        return AS_UINT64; /* ONNX shifts nothing else */
    case OP_integer_div:
    case OP_integer_rest:
    case OP_integer_mod:
    case OP_integer_pow:
    case OP_integer_abs:
    case OP_integer_sign:
        return type_of(e) == ONNX_UINT64 ? AS_UINT64 : AS_THEY_ARE;
    case OP_integer_min:
    case OP_integer_max:
    case OP_integer_lt:
    case OP_integer_gt:
    case OP_integer_le:
    case OP_integer_ge:
    case OP_integer_max_reduce:
    case OP_integer_min_reduce:
        return type_of(e) == ONNX_UINT64 ? IN_ORDER : AS_THEY_ARE;
    }
    return AS_THEY_ARE;
}

static const char *with_offset(const struct emit *e, int result, const char *x)
{
    return emit(e, result, "Add", x, emit_integer(e, INT64_MIN), NULL);
}

/* The node itself, on operands in[]; it makes `result`. */
static const char *emit_operation(const struct emit *e, int result, const char *const *in)
{
    const enum op_id op = (enum op_id)e->node->op->id;
    const char *made;

    if (op == OP_integer_matmul) {
        const char *factor[2] = {in[0], in[1]};
        const bool transpose[2] = {attr_transpose_a(e->node), attr_transpose_b(e->node)};
        for (int i = 0; i < 2; i++)
            if (transpose[i])
                factor[i] = emit_transposed(e, in[i], emit_result_shape(e, 0)->rank);
        return emit(e, result, "MatMul", factor[0], factor[1], NULL);
    }
    if (op_attr_row(e->node->op, ATTR_axes))
        return emit_reduce(e, result, e->type, in[0], attr_axes(e->node));
    if (op == OP_integer_ne)
        return emit(e, result, "Not", emit(e, EMIT_TEMP, "Equal", in[0], in[1], NULL), NULL);
    made = emit_list(e, result, e->type, in, (int)e->node->nin);
    if (op == OP_integer_rest)
        emit_attr_int(e, "fmod", 1);
    if (op == OP_integer_shift_left || op == OP_integer_shift_right)
        emit_attr_string(e, "direction", op == OP_integer_shift_left ? "LEFT" : "RIGHT");
    return made;
}

bool export_integer(const struct emit *e)
{
    const enum op_id op = (enum op_id)e->node->op->id;
    const int rank = emit_result_shape(e, 0)->rank;
    bool shifts = op == OP_integer_shift_left || op == OP_integer_shift_right;
    bool is_bitwise = shifts || op == OP_integer_and || op == OP_integer_or ||
                      op == OP_integer_xor || op == OP_integer_not;
    const int32_t type = type_of(e);
    const char *in[2] = {NULL}, *made;

    assert(e->node->nin <= 2);
    if (type == ONNX_UNDEFINED)
        return emit_refuse(e, "has integers of %d bits", (int)attr_bits(e->node));
    if (is_bitwise && !shifts && e->opset < 18)
        return emit_refuse(e, "needs opset 18");
    if (op == OP_integer_shift_right && attr_is_signed(e->node))
        return emit_refuse(e, "shifts integers with a sign, which ONNX cannot");
    const enum view view = view_of(e);
    for (uint32_t i = 0; i < e->node->nin; i++) {
        in[i] = e->node->nin > 1 ? emit_in_rank(e, (int)i, rank) : emit_in(e, (int)i);
        if (view == AS_UINT64)
            in[i] = cast_to(e, EMIT_TEMP, in[i], ONNX_UINT64);
        else if (view == IN_ORDER)
            in[i] = with_offset(e, EMIT_TEMP, in[i]);
    }
    if (op_table[op]->result[0] == OP_RESULT_LOGICAL)
        return emit_operation(e, 0, in);
    bool wraps = type != ONNX_INT64 && type != ONNX_UINT64 && !stays(op);
    bool is_whole = view == AS_THEY_ARE && !wraps && op != OP_integer_wrap;
    made = op == OP_integer_wrap ? in[0] : emit_operation(e, is_whole ? 0 : EMIT_TEMP, in);
    if (wraps)
        made = cast_to(e, EMIT_TEMP, made, type);
    if (view == IN_ORDER)
        with_offset(e, 0, made);
    else if (!is_whole)
        cast_to(e, 0, made, ONNX_INT64);
    return true;
}

bool export_integer_arg(const struct emit *e)
{
    if (type_of(e) == ONNX_UINT64)
        return emit_refuse(e, "looks for an extreme among integers of 64 bits without a sign");
    return export_arg_reduction(e);
}
