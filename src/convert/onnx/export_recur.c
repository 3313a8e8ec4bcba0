/* export_recur.c - rnn, gru and lstm in ONNX, which has them with the same operands and layouts */
#include "convert/onnx/export_rules.h"

#include "op/recurrent.h"

#include <assert.h>

/* Operands of ONNX; the lengths of sequences stand between bias and state. */
enum { ONNX_LENGTHS = 4, ONNX_STATE, ONNX_MEMORY, ONNX_PEEPHOLE, ONNX_OPERANDS };

static int directions(const struct emit *e)
{
    return (int)emit_result_shape(e, 0)->extent[1];
}

/* Left out if it is 0; a single number is repeated. */
static const char *optional_operand(const struct emit *e, int index, const struct shape *shape)
{
    if (emit_is(e, index, 0))
        return "";
    if (emit_shape(e, index)->rank > 0)
        return emit_in(e, index);
    return emit(e, EMIT_TEMP, "Expand", emit_in(e, index),
                emit_vector(e, shape->extent, shape->rank), NULL);
}

static void add_names(const struct emit *e, const struct cell_kind *kind)
{
    const struct recurrent_attrs *attrs = e->attrs;
    int count = directions(e) * kind->activations;

    assert(attrs->activations.count == count);
    const char **names = emit_names(e, count);

    for (int i = 0; i < count; i++)
        names[i] = activation_find(attrs->activations.item[i].string)->onnx;
    emit_attr_strings(e, "activations", names, count);
}

/* Numbers stand there for those functions only that take one. */
static void add_numbers(const struct emit *e, const struct cell_kind *kind, bool beta)
{
    int count = 0, per_direction = kind->activations;
    float *items = emit_room(e, directions(e) * (int64_t)per_direction, sizeof *items);

    for (int i = 0; i < directions(e) * per_direction; i++) {
        struct cell_activation a =
            cell_activation(kind, e->attrs, i / per_direction, i % per_direction);
        if (beta ? a.function->takes_beta : a.function->takes_alpha)
            items[count++] = (float)(beta ? a.beta : a.alpha);
    }
    if (count > 0)
        emit_attr_floats(e, beta ? "activation_beta" : "activation_alpha", items, count);
}

static void add_attributes(const struct emit *e, const struct cell_kind *kind)
{
    static const char *const names[] = {"forward", "reverse", "bidirectional"};
    const struct recurrent_attrs *attrs = e->attrs;

    emit_attr_int(e, "hidden_size", emit_shape(e, RECURRENCE)->extent[2]);
    emit_attr_string(e, "direction", names[attrs->direction]);
    if (attrs->activations.count > 0)
        add_names(e, kind);
    add_numbers(e, kind, false);
    add_numbers(e, kind, true);
    if (attrs->clip > 0)
        emit_attr_float(e, "clip", attrs->clip);
}

static void emit_sequence(const struct emit *e, const char *type, const struct cell_kind *kind)
{
    const struct shape *state = emit_result_shape(e, 1);
    int64_t n = state->extent[0], hidden = state->extent[2];
    const struct shape bias = {.rank = 2, .extent = {n, (int64_t)2 * kind->gates * hidden}};
    const struct shape peephole = {.rank = 2, .extent = {n, PEEPHOLES * hidden}};
    const char **in = emit_names(e, ONNX_OPERANDS);
    int count = kind->has_memory ? ONNX_OPERANDS : ONNX_STATE + 1;

    for (int i = INPUT; i <= RECURRENCE; i++)
        in[i] = emit_in(e, i);
    in[BIAS] = optional_operand(e, BIAS, &bias);
    in[ONNX_LENGTHS] = "";
    in[ONNX_STATE] = optional_operand(e, STATE, state);
    if (kind->has_memory) {
        in[ONNX_MEMORY] = optional_operand(e, MEMORY, state);
        in[ONNX_PEEPHOLE] = optional_operand(e, PEEPHOLE, &peephole);
    }
    while (!*in[count - 1])
        count--;
    emit_list(e, 0, type, in, count);
    for (int i = 1; i < (int)e->node->nout; i++)
        emit_also(e, i);
    add_attributes(e, kind);
}

bool export_rnn(const struct emit *e)
{
    emit_sequence(e, "RNN", &rnn_kind);
    return true;
}

bool export_gru(const struct emit *e)
{
    const struct recurrent_attrs *attrs = e->attrs;

    emit_sequence(e, "GRU", &gru_kind);
    emit_attr_int(e, "linear_before_reset", attrs->linear_before_reset);
    return true;
}

bool export_lstm(const struct emit *e)
{
    const struct recurrent_attrs *attrs = e->attrs;

    emit_sequence(e, "LSTM", &lstm_kind);
    emit_attr_int(e, "input_forget", attrs->input_forget);
    return true;
}
