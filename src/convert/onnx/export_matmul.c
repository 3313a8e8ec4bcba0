/* export_matmul.c - products of matrices: matmul, linear and attention */
#include "convert/onnx/export_out.h"
#include "convert/onnx/export_rules.h"

#include "op/matmul.h"

#include <assert.h>

enum { QUERY, KEY, VALUE, MASK }; /* operands of attention */

/* With the last two dimensions exchanged. */
static const char *emit_transposed(const struct emit *e, const char *factor, int rank)
{
    int64_t order[MAX_RANK];

    for (int i = 0; i < rank; i++)
        order[i] = i;
    order[rank - 2] = rank - 1;
    order[rank - 1] = rank - 2;
    return emit_transpose(e, factor, order, rank);
}

const char *emit_product(const struct emit *e, const char *a, const char *b, int rank,
                         const struct matmul_attrs *attrs)
{
    assert(rank >= 2);
    if (attrs->transpose_a)
        a = emit_transposed(e, a, rank);
    if (attrs->transpose_b)
        b = emit_transposed(e, b, rank);
    return emit(e, "MatMul", a, b, NULL);
}

/* Gemm transposes matrices by itself, but takes no batches. */
const char *export_matmul(const struct emit *e)
{
    const struct matmul_attrs *attrs = e->attrs;
    int rank = emit_result_shape(e, 0)->rank;
    const char *a = emit_in_rank(e, 0, rank), *b = emit_in_rank(e, 1, rank);

    if (rank > 2 || (!attrs->transpose_a && !attrs->transpose_b))
        return emit_product(e, a, b, rank, attrs);
    a = emit(e, "Gemm", a, b, NULL);
    emit_attr_int(e, "transA", attrs->transpose_a);
    emit_attr_int(e, "transB", attrs->transpose_b);
    return a;
}

/* Gemm takes a bias that does not widen the product. */
const char *export_linear(const struct emit *e)
{
    static const struct matmul_attrs transposed = {.transpose_b = true};
    const struct shape *out = emit_result_shape(e, 0), *input = emit_shape(e, 0);
    bool biased = !emit_is(e, 2, 0);
    bool plain = out->rank == 2 && input->rank >= 1 && input->extent[0] == out->extent[0] &&
                 emit_shape(e, 1)->rank >= 1 && emit_shape(e, 1)->extent[0] == out->extent[1];

    if (plain) {
        const char *x = emit_in_rank(e, 0, 2), *filter = emit_in_rank(e, 1, 2);
        const struct shape vector = {.rank = 1, .extent = {out->extent[1]}};
        const char *bias = biased ? emit_in_before(e, 2, &vector) : NULL;
        bias = biased && !bias ? emit_in_rank(e, 2, 2) : bias;
        x = emit(e, "Gemm", x, filter, bias, NULL);
        emit_attr_int(e, "transB", 1);
        return x;
    }
    int rank = input->rank > emit_shape(e, 1)->rank ? input->rank : emit_shape(e, 1)->rank;
    rank = rank < 2 ? 2 : rank;
    const char *x = emit_in_rank(e, 0, rank), *filter = emit_in_rank(e, 1, rank);
    const char *product = emit_product(e, x, filter, rank, &transposed);
    if (!biased)
        return product;
    /* A bias of more dimensions begins with those of the product. */
    int64_t behind[MAX_RANK];
    for (int i = rank; i < out->rank; i++)
        behind[i - rank] = i;
    product = emit_unsqueeze(e, product, behind, out->rank > rank ? out->rank - rank : 0);
    return emit(e, "Add", product, emit_in_rank(e, 2, out->rank), NULL);
}

/*
 * Attention takes batches and heads that are those of the result, as [batch, heads, length, size],
 * and a mask for each query and key.  ONNX Runtime has it for tensors with items only.
 */
static bool is_whole_attention(const struct emit *e)
{
    const struct shape *out = emit_result_shape(e, 0);
    bool whole = e->opset >= 23 && out->rank == 4 && shape_volume(out) > 0;

    for (int i = QUERY; whole && i <= VALUE; i++) {
        const struct shape *in = emit_shape(e, i);
        whole = in->extent[0] == out->extent[0] && in->extent[1] == out->extent[1] &&
                shape_volume(in) > 0;
    }
    return whole;
}

static const char *emit_attention(const struct emit *e)
{
    const struct attention_attrs *attrs = e->attrs;
    const bool masked = e->node->nin > MASK;
    const char *mask = masked ? emit_in_rank(e, MASK, 4) : NULL;
    struct shape each = masked ? *emit_shape(e, MASK) : (struct shape){0};
    int64_t rows = emit_shape(e, QUERY)->extent[2], keys = emit_shape(e, KEY)->extent[2];

    if (masked && (shape_extent(&each, 2) != rows || shape_extent(&each, 3) != keys)) {
        const int64_t extent[] = {shape_extent(&each, 0), shape_extent(&each, 1), rows, keys};
        mask = emit(e, "Expand", mask, emit_vector(e, extent, 4), NULL);
    }
    const char *y =
        emit(e, "Attention", emit_in(e, QUERY), emit_in(e, KEY), emit_in(e, VALUE), mask, NULL);
    emit_attr_float(e, "scale", attrs->scale);
    return y;
}

/* softmax(query * transposed key * scale + mask) * value, over the last two dimensions. */
const char *export_attention(const struct emit *e)
{
    const struct attention_attrs *attrs = e->attrs;
    int rank = emit_result_shape(e, 0)->rank;

    assert(rank >= 2);
    if (is_whole_attention(e))
        return emit_attention(e);
    const char *key = emit_transposed(e, emit_in(e, KEY), rank);
    const char *weights = emit(e, "MatMul", emit_in(e, QUERY), key, NULL);
    weights = emit(e, "Mul", weights, emit_scalar(e, attrs->scale), NULL);
    if (e->node->nin > MASK)
        weights = emit(e, "Add", weights, emit_in_rank(e, MASK, rank), NULL);
    weights = emit(e, "Softmax", weights, NULL);
    emit_attr_int(e, "axis", rank - 1);
    return emit(e, "MatMul", weights, emit_in(e, VALUE), NULL);
}

/* --- attention by a state ------------------------------------------------------------------- */

enum { STATE = VALUE + 1, DECAY, BETA };

/* An operand of that shape, of which one item may stand for all. */
static const char *emit_whole(const struct emit *e, int index, const struct shape *shape)
{
    if (emit_shape(e, index)->rank > 0)
        return emit_in(e, index);
    const char *to = emit_vector(e, shape->extent, shape->rank);
    return emit(e, "Expand", emit_in(e, index), to, NULL);
}

/* What ONNX leaves out by its rule is what changes nothing. */
const char *export_linear_attention(const struct emit *e)
{
    static const char *const rules[2][2] = {{"linear", "gated"}, {"delta", "gated_delta"}};
    const struct linear_attention_attrs *attrs = e->attrs;
    const struct shape *query = emit_shape(e, QUERY);
    const struct shape each = {.rank = 3,
                               .extent = {query->extent[0], query->extent[1], attrs->heads}};
    const bool starts = !emit_is(e, STATE, 0), fades = !emit_is(e, DECAY, 0);

    if (e->opset < 27 || (!attrs->delta && !emit_is(e, BETA, 1)) || attrs->scale == 0) {
        emit_refuse(e, e->opset < 27 ? "needs opset 27"
                                     : "has a scale of 0, or 'beta' without 'delta'");
        return NULL;
    }
    const char *state = starts ? emit_whole(e, STATE, emit_result_shape(e, 1)) : "";
    const char *decay = fades ? emit_whole(e, DECAY, &each) : "";
    const char *beta = attrs->delta ? emit_whole(e, BETA, &each) : "";
    const char *y = emit(e, "LinearAttention", emit_in(e, QUERY), emit_in(e, KEY),
                         emit_in(e, VALUE), state, decay, beta, NULL);
    emit_attr_string(e, "update_rule", rules[attrs->delta][fades]);
    emit_attr_int(e, "q_num_heads", attrs->query_heads);
    emit_attr_int(e, "kv_num_heads", attrs->heads);
    emit_attr_float(e, "scale", attrs->scale);
    onnx_out_result(e->out, 1, emit_also(e));
    return y;
}
