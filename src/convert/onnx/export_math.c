/*
 * export_math.c - operations item by item that are no single operator of ONNX, and copies
 *
 * NNEF aligns operands of different ranks at their first dimension, ONNX at the last one; hence
 * each operand that may be broadcast is brought to the rank of the result first.
 */
#include "convert/onnx/export_out.h"
#include "convert/onnx/export_rules.h"

const char *export_round(const struct emit *e)
{
    return emit_round(e, emit_in(e, 0));
}

const char *export_sqr(const struct emit *e)
{
    return emit(e, "Mul", emit_in(e, 0), emit_in(e, 0), NULL);
}

const char *export_rsqr(const struct emit *e)
{
    const char *squared = emit(e, "Mul", emit_in(e, 0), emit_in(e, 0), NULL);

    return emit(e, "Reciprocal", squared, NULL);
}

const char *export_rsqrt(const struct emit *e)
{
    return emit(e, "Reciprocal", emit(e, "Sqrt", emit_in(e, 0), NULL), NULL);
}

const char *export_log2(const struct emit *e)
{
    const double per_bit = 1.4426950408889634; /* 1 / ln 2 */

    return emit(e, "Mul", emit(e, "Log", emit_in(e, 0), NULL), emit_scalar(e, per_bit), NULL);
}

const char *export_ne(const struct emit *e)
{
    int rank = emit_result_shape(e, 0)->rank;
    const char *x = emit_in_rank(e, 0, rank), *y = emit_in_rank(e, 1, rank);

    return emit(e, "Not", emit(e, "Equal", x, y, NULL), NULL);
}

/* x * (1 + erf(x / sqrt(2))) / 2, which is Gelu since opset 20. */
const char *export_gelu_erf(const struct emit *e)
{
    const double sqrt_half = 0.70710678118654752;
    const char *x = emit_in(e, 0);

    if (e->opset >= 20)
        return emit(e, "Gelu", x, NULL);
    const char *half = emit(e, "Mul", x, emit_scalar(e, 0.5), NULL);
    const char *scaled = emit(e, "Mul", x, emit_scalar(e, sqrt_half), NULL);
    const char *curve = emit(e, "Erf", scaled, NULL);
    return emit(e, "Mul", half, emit(e, "Add", curve, emit_scalar(e, 1), NULL), NULL);
}

/* x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2, which Gelu of opset 20 also has. */
const char *export_gelu_tanh(const struct emit *e)
{
    const double sqrt_2_pi = 0.7978845608028654;
    const char *x = emit_in(e, 0);

    if (e->opset >= 20) {
        x = emit(e, "Gelu", x, NULL);
        emit_attr_string(e, "approximate", "tanh");
        return x;
    }
    const char *half = emit(e, "Mul", x, emit_scalar(e, 0.5), NULL);
    const char *square = emit(e, "Mul", x, x, NULL);
    const char *factor = emit(e, "Mul", square, emit_scalar(e, sqrt_2_pi * 0.044715), NULL);
    const char *sum = emit(e, "Add", factor, emit_scalar(e, sqrt_2_pi), NULL);
    const char *curve = emit(e, "Tanh", emit(e, "Mul", sum, x, NULL), NULL);
    return emit(e, "Mul", half, emit(e, "Add", curve, emit_scalar(e, 1), NULL), NULL);
}

/* NNEF's gelu is the approximation x * sigmoid(1.702 * x), which Gelu of ONNX is not. */
const char *export_silu(const struct emit *e)
{
    const char *x = emit_in(e, 0), *scaled = x;

    if (e->node->op->id == OP_gelu)
        scaled = emit(e, "Mul", x, emit_scalar(e, 1.702), NULL);
    return emit(e, "Mul", x, emit(e, "Sigmoid", scaled, NULL), NULL);
}

/* PRelu of ONNX does not let the slope widen its operand. */
const char *export_prelu(const struct emit *e)
{
    int rank = emit_result_shape(e, 0)->rank;
    const char *x = emit_in_rank(e, 0, rank), *alpha = emit_in_rank(e, 1, rank);

    if (shape_equal(emit_shape(e, 0), emit_result_shape(e, 0)))
        return emit(e, "PRelu", x, alpha, NULL);
    const char *below = emit(e, "Less", x, emit_scalar(e, 0), NULL);
    return emit(e, "Where", below, emit(e, "Mul", alpha, x, NULL), x, NULL);
}

/* There is no kernel of Where for logical values in ONNX Runtime. */
const char *export_select(const struct emit *e)
{
    int rank = emit_result_shape(e, 0)->rank;
    const char *c = emit_in_rank(e, 0, rank);
    const char *t = emit_in_rank(e, 1, rank), *f = emit_in_rank(e, 2, rank);

    if (e->node->out[0].dtype != DTYPE_LOGICAL)
        return emit(e, "Where", c, t, f, NULL);
    const char *other = emit(e, "Not", c, NULL);
    const char *chosen = emit(e, "And", c, t, NULL);
    return emit(e, "Or", chosen, emit(e, "And", other, f, NULL), NULL);
}

/* Clip wants single numbers, and with bounds that cross gives the other one. */
const char *export_clamp(const struct emit *e)
{
    const struct tensor *low = emit_constant(e, 1), *high = emit_constant(e, 2);
    int rank = emit_result_shape(e, 0)->rank;

    if (low && high && emit_shape(e, 1)->rank == 0 && emit_shape(e, 2)->rank == 0 &&
        tensor_item(low, 0) <= tensor_item(high, 0))
        return emit(e, "Clip", emit_in(e, 0), emit_in(e, 1), emit_in(e, 2), NULL);
    const char *x = emit_in_rank(e, 0, rank), *a = emit_in_rank(e, 1, rank);
    const char *least = emit(e, "Min", x, emit_in_rank(e, 2, rank), NULL);
    return emit(e, "Max", least, a, NULL);
}

const char *export_cast(const struct emit *e)
{
    return emit_cast(e, emit_in(e, 0), (int32_t)onnx_type_of((enum dtype)e->node->out[0].dtype));
}

const char *export_copy_n(const struct emit *e)
{
    const char *first = onnx_out_result(e->out, 0, emit_in(e, 0));

    for (uint32_t i = 1; i < e->node->nout; i++)
        onnx_out_result(e->out, (int)i, emit_in(e, 0));
    return first;
}

/* export.c makes ports of the variable; the result of the node is the new value. */
const char *export_update(const struct emit *e)
{
    return emit_in_rank(e, 1, emit_result_shape(e, 0)->rank);
}

/* A format of scalars, and the integers of as many bits. */
struct bits_type {
    int32_t scalar, integer;
};

/* False if the opset has no operator that looks at bits. */
static bool find_bits(const struct emit *e, struct bits_type *type)
{
    static const struct bits_type types[] = {
        [FORMAT_FLOAT32] = {ONNX_FLOAT, ONNX_UINT32},
        [FORMAT_FLOAT16] = {ONNX_FLOAT16, ONNX_UINT16},
        [FORMAT_BFLOAT16] = {ONNX_BFLOAT16, ONNX_UINT16},
    };
    const struct bits_attrs *attrs = e->attrs;

    *type = types[attrs->format];
    return e->opset >= 26 || emit_refuse(e, "needs opset 26");
}

static const char *emit_bits(const struct emit *e, const char *x, int32_t to)
{
    const char *y = emit(e, "BitCast", x, NULL);

    emit_attr_int(e, "to", to);
    return y;
}

const char *export_bits_of_scalar(const struct emit *e)
{
    const char *x = emit_in(e, 0);
    struct bits_type type;

    if (!find_bits(e, &type))
        return NULL;
    x = type.scalar == ONNX_FLOAT ? x : emit_cast(e, x, type.scalar);
    return emit_cast(e, emit_bits(e, x, type.integer), ONNX_INT64);
}

const char *export_scalar_of_bits(const struct emit *e)
{
    struct bits_type type;

    if (!find_bits(e, &type))
        return NULL;
    const char *y = emit_bits(e, emit_cast(e, emit_in(e, 0), type.integer), type.scalar);
    return type.scalar == ONNX_FLOAT ? y : emit_cast(e, y, ONNX_FLOAT);
}
