/*
 * select.c - choice between operands, item by item (NNEF 1.0.5, sections 4.2.3 and 4.2.4)
 *
 *     select: output[i] = condition[i] ? true_value[i] : false_value[i]
 *     clamp:  y[i] = max(min(x[i], b[i]), a[i])
 */
#include "op/broadcast.h"
#include "op/op_families.h"
#include "op/to_onnx.h"

#include <string.h>

static void select_run(const void *data, const struct run *run)
{
    const struct eval *eval = data;
    size_t size = dtype_size(eval->out[0]->dtype);
    const unsigned char *condition = eval->in[0]->data;
    unsigned char *to = (unsigned char *)eval->out[0]->data + (size_t)run->first * size;

    for (int64_t i = 0; i < run->count; i++, to += size) {
        int chosen = condition[run->at[0] + i * run->step[0]] ? 1 : 2;
        int64_t at = run->at[chosen] + i * run->step[chosen];
        memcpy(to, (const unsigned char *)eval->in[chosen]->data + (size_t)at * size, size);
    }
}

static bool select_eval(const struct eval *eval)
{
    struct walk walk;

    walk_init(&walk, &eval->out[0]->shape, eval->in, 3);
    walk_share(eval, &walk, select_run, eval);
    return true;
}

static void apply_clamp(struct items *items)
{
    const double *x = items->in[0], *low = items->in[1], *high = items->in[2];

    for (int64_t i = 0; i < items->count; i++) {
        double least = x[i] < high[i] ? x[i] : high[i];
        items->out[i] = least > low[i] ? least : low[i];
    }
}

static bool clamp_eval(const struct eval *eval)
{
    return eval_elementwise(eval, 3, apply_clamp);
}

/* There is no kernel of Where for logical values in ONNX Runtime. */
static bool select_to_onnx(const struct emit *e)
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
static bool clamp_to_onnx(const struct emit *e)
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

const struct op_desc op_select = {
    .name = "select",
    .traits = OP_ELEMENTWISE | OP_PARTIAL,
    .result = {OP_RESULT_GENERIC},
    .infer = infer_broadcast,
    .eval = select_eval,
    .to_onnx = select_to_onnx,
};

const struct op_desc op_clamp = {
    .name = "clamp",
    .traits = OP_ELEMENTWISE | OP_PARTIAL,
    .infer = infer_broadcast,
    .eval = clamp_eval,
    .to_onnx = clamp_to_onnx,
};
