/* export_matmul.c - products of matrices: matmul, linear and attention */
#include "convert/onnx/export_rules.h"

#include "op/matmul.h"

#include <assert.h>

enum { QUERY, KEY, VALUE, MASK }; /* operands of attention */

const char *emit_transposed(const struct emit *e, const char *factor, int rank)
{
    int64_t order[MAX_RANK];

    for (int i = 0; i < rank; i++)
        order[i] = i;
    order[rank - 2] = rank - 1;
    order[rank - 1] = rank - 2;
    return emit_transpose(e, EMIT_TEMP, factor, order, rank);
}

/* Factors of `rank` dimensions, of which those before the last two are batches. */
static const char *emit_product(const struct emit *e, int result, const struct matmul_attrs *attrs,
                                int rank)
{
    const char *a = emit_in_rank(e, 0, rank), *b = emit_in_rank(e, 1, rank);

    if (attrs->transpose_a)
        a = emit_transposed(e, a, rank);
    if (attrs->transpose_b)
        b = emit_transposed(e, b, rank);
    return emit(e, result, "MatMul", a, b, NULL);
}

/* Gemm transposes matrices by itself, but takes no batches. */
bool export_matmul(const struct emit *e)
{
    const struct matmul_attrs *attrs = e->attrs;
    int rank = emit_result_shape(e, 0)->rank;

    if (rank > 2 || (!attrs->transpose_a && !attrs->transpose_b)) {
        emit_product(e, 0, attrs, rank);
        return true;
    }
    emit(e, 0, "Gemm", emit_in_rank(e, 0, 2), emit_in_rank(e, 1, 2), NULL);
    emit_attr_int(e, "transA", attrs->transpose_a);
    emit_attr_int(e, "transB", attrs->transpose_b);
    return true;
}

static const struct matmul_attrs filter_transposed = {.transpose_b = true};

/* Gemm takes a bias that does not widen the product. */
bool export_linear(const struct emit *e)
{
    const struct shape *out = emit_result_shape(e, 0), *input = emit_shape(e, 0);
    bool biased = !emit_is(e, 2, 0);
    bool plain = out->rank == 2 && input->rank >= 1 && input->extent[0] == out->extent[0] &&
                 emit_shape(e, 1)->rank >= 1 && emit_shape(e, 1)->extent[0] == out->extent[1];

    if (plain) {
        const char *x = emit_in_rank(e, 0, 2), *filter = emit_in_rank(e, 1, 2);
        emit(e, 0, "Gemm", x, filter, biased ? emit_in_rank(e, 2, 2) : NULL, NULL);
        emit_attr_int(e, "transB", 1);
        return true;
    }
    int rank = input->rank > emit_shape(e, 1)->rank ? input->rank : emit_shape(e, 1)->rank;
    rank = rank < 2 ? 2 : rank;
    const char *product =
        emit_product(e, biased || rank < out->rank ? EMIT_TEMP : 0, &filter_transposed, rank);
    if (biased)
        emit(e, 0, "Add", product, emit_in_rank(e, 2, out->rank), NULL);
    return true;
}

/* softmax(query * transposed key * scale + mask) * value, over the last two dimensions. */
bool export_attention(const struct emit *e)
{
    const struct attention_attrs *attrs = e->attrs;
    int rank = emit_result_shape(e, 0)->rank;

    assert(rank >= 2);
    const char *key = emit_transposed(e, emit_in(e, KEY), rank);
    const char *weights = emit(e, EMIT_TEMP, "MatMul", emit_in(e, QUERY), key, NULL);
    weights = emit(e, EMIT_TEMP, "Mul", weights, emit_scalar(e, attrs->scale), NULL);
    if (e->node->nin > MASK)
        weights = emit(e, EMIT_TEMP, "Add", weights, emit_in_rank(e, MASK, rank), NULL);
    weights = emit(e, EMIT_TEMP, "Softmax", weights, NULL);
    emit_attr_int(e, "axis", rank - 1);
    emit(e, 0, "MatMul", weights, emit_in(e, VALUE), NULL);
    return true;
}
