/*
 * export_math.c - operations item by item that are no single operator of ONNX, and copies
 *
 * NNEF aligns operands of different ranks at their first dimension, ONNX at the last one; hence
 * each operand that may be broadcast is brought to the rank of the result first.
 */
#include "convert/onnx/export_rules.h"

bool export_round(const struct emit *e)
{
    emit_round(e, 0, emit_in(e, 0));
    return true;
}

bool export_sqr(const struct emit *e)
{
    emit(e, 0, "Mul", emit_in(e, 0), emit_in(e, 0), NULL);
    return true;
}

bool export_rsqr(const struct emit *e)
{
    const char *squared = emit(e, EMIT_TEMP, "Mul", emit_in(e, 0), emit_in(e, 0), NULL);

    emit(e, 0, "Reciprocal", squared, NULL);
    return true;
}

bool export_rsqrt(const struct emit *e)
{
    emit(e, 0, "Reciprocal", emit(e, EMIT_TEMP, "Sqrt", emit_in(e, 0), NULL), NULL);
    return true;
}

bool export_log2(const struct emit *e)
{
    const double per_bit = 1.4426950408889634; /* 1 / ln 2 */

    emit(e, 0, "Mul", emit(e, EMIT_TEMP, "Log", emit_in(e, 0), NULL), emit_scalar(e, per_bit),
         NULL);
    return true;
}

bool export_ne(const struct emit *e)
{
    int rank = emit_result_shape(e, 0)->rank;
    const char *x = emit_in_rank(e, 0, rank), *y = emit_in_rank(e, 1, rank);

    emit(e, 0, "Not", emit(e, EMIT_TEMP, "Equal", x, y, NULL), NULL);
    return true;
}

/* x * (1 + erf(x / sqrt(2))) / 2, which is Gelu since opset 20. */
bool export_gelu_erf(const struct emit *e)
{
    const double sqrt_half = 0.70710678118654752;
    const char *x = emit_in(e, 0);

    if (e->opset >= 20) {
        emit(e, 0, "Gelu", x, NULL);
        return true;
    }
    const char *half = emit(e, EMIT_TEMP, "Mul", x, emit_scalar(e, 0.5), NULL);
    const char *scaled = emit(e, EMIT_TEMP, "Mul", x, emit_scalar(e, sqrt_half), NULL);
    const char *curve = emit(e, EMIT_TEMP, "Erf", scaled, NULL);
    emit(e, 0, "Mul", half, emit(e, EMIT_TEMP, "Add", curve, emit_scalar(e, 1), NULL), NULL);
    return true;
}

/* NNEF's gelu is the approximation x * sigmoid(1.702 * x), which Gelu of ONNX is not. */
bool export_silu(const struct emit *e)
{
    const char *x = emit_in(e, 0), *scaled = x;

    if (e->node->op->id == OP_gelu)
        scaled = emit(e, EMIT_TEMP, "Mul", x, emit_scalar(e, 1.702), NULL);
    emit(e, 0, "Mul", x, emit(e, EMIT_TEMP, "Sigmoid", scaled, NULL), NULL);
    return true;
}

/* PRelu of ONNX does not let the slope widen its operand. */
bool export_prelu(const struct emit *e)
{
    int rank = emit_result_shape(e, 0)->rank;
    const char *x = emit_in_rank(e, 0, rank), *alpha = emit_in_rank(e, 1, rank);

    if (shape_equal(emit_shape(e, 0), emit_result_shape(e, 0))) {
        emit(e, 0, "PRelu", x, alpha, NULL);
        return true;
    }
    const char *below = emit(e, EMIT_TEMP, "Less", x, emit_scalar(e, 0), NULL);
    emit(e, 0, "Where", below, emit(e, EMIT_TEMP, "Mul", alpha, x, NULL), x, NULL);
    return true;
}

/* There is no kernel of Where for logical values in ONNX Runtime. */
bool export_select(const struct emit *e)
{
    int rank = emit_result_shape(e, 0)->rank;
    const char *c = emit_in_rank(e, 0, rank);
    const char *t = emit_in_rank(e, 1, rank), *f = emit_in_rank(e, 2, rank);

    if (e->node->out[0].dtype != DTYPE_LOGICAL) {
        emit(e, 0, "Where", c, t, f, NULL);
        return true;
    }
    const char *other = emit(e, EMIT_TEMP, "Not", c, NULL);
    const char *chosen = emit(e, EMIT_TEMP, "And", c, t, NULL);
    emit(e, 0, "Or", chosen, emit(e, EMIT_TEMP, "And", other, f, NULL), NULL);
    return true;
}

/* Clip wants single numbers, and with bounds that cross gives the other one. */
bool export_clamp(const struct emit *e)
{
    const struct tensor *low = emit_constant(e, 1), *high = emit_constant(e, 2);
    int rank = emit_result_shape(e, 0)->rank;

    if (low && high && emit_shape(e, 1)->rank == 0 && emit_shape(e, 2)->rank == 0 &&
        tensor_item(low, 0) <= tensor_item(high, 0)) {
        emit(e, 0, "Clip", emit_in(e, 0), emit_in(e, 1), emit_in(e, 2), NULL);
        return true;
    }
    const char *x = emit_in_rank(e, 0, rank), *a = emit_in_rank(e, 1, rank);
    const char *least = emit(e, EMIT_TEMP, "Min", x, emit_in_rank(e, 2, rank), NULL);
    emit(e, 0, "Max", least, a, NULL);
    return true;
}

bool export_cast(const struct emit *e)
{
    emit_cast(e, 0, emit_in(e, 0), (enum dtype)e->node->out[0].dtype);
    return true;
}

bool export_copy_n(const struct emit *e)
{
    for (uint32_t i = 0; i < e->node->nout; i++)
        emit(e, (int)i, "Identity", emit_in(e, 0), NULL);
    return true;
}

/* export.c makes ports of the variable; the result of the node is the new value. */
bool export_update(const struct emit *e)
{
    emit(e, 0, "Identity", emit_in_rank(e, 1, emit_result_shape(e, 0)->rank), NULL);
    return true;
}
