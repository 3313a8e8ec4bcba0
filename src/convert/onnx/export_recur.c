/* export_recur.c - rnn, gru and lstm in ONNX, which has the same operands and layouts */
#include "convert/onnx/export_out.h"
#include "convert/onnx/export_rules.h"

#include "op/recurrent.h"

#include <assert.h>
#include <string.h>

/* Operands of ONNX; the lengths of sequences stand between bias and state. */
enum { ONNX_LENGTHS = 4, ONNX_STATE, ONNX_MEMORY, ONNX_PEEPHOLE, ONNX_OPERANDS };

static int directions(const struct emit *e)
{
    return (int)emit_result_shape(e, 0)->extent[1];
}

/* An operand that is 0 is left out; a single number is repeated. */
static const char *optional_operand(const struct emit *e, int index, const struct shape *shape)
{
    if (emit_is(e, index, 0))
        return "";
    if (emit_shape(e, index)->rank > 0)
        return emit_in(e, index);
    return emit(e, "Expand", emit_in(e, index), emit_vector(e, shape->extent, shape->rank), NULL);
}

/* Parameters of the activation functions, of which only some take one. */
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
        onnx_node_floats(emit_arena(e), e->out->last, beta ? "activation_beta" : "activation_alpha",
                         items, count);
}

/* The name that ONNX has for an activation: "leaky_relu" is LeakyRelu. */
static const char *activation_name(const struct emit *e, const char *name)
{
    char *theirs = emit_room(e, (int64_t)strlen(name) + 1, 1), *to = theirs;

    for (bool capital = true; *name; name++) {
        if (*name != '_')
            *to++ = (char)(capital ? *name - 'a' + 'A' : *name);
        capital = *name == '_';
    }
    *to = '\0';
    return theirs;
}

static void add_attributes(const struct emit *e, const struct cell_kind *kind)
{
    const struct recurrent_attrs *attrs = e->attrs;
    int count = attrs->activations.count;
    const char **names = emit_room(e, count, sizeof *names);

    assert(count == 0 || count == directions(e) * kind->activations);
    emit_attr_int(e, "hidden_size", emit_shape(e, RECURRENCE)->extent[2]);
    emit_attr_string(e, "direction", direction_words[attrs->direction]);
    for (int i = 0; i < count; i++)
        names[i] = activation_name(e, attrs->activations.item[i].string);
    if (count > 0)
        onnx_node_strings(emit_arena(e), e->out->last, "activations", names, count);
    add_numbers(e, kind, false);
    add_numbers(e, kind, true);
    if (attrs->clip > 0)
        emit_attr_float(e, "clip", attrs->clip);
    if (e->node->op->id == OP_gru)
        emit_attr_int(e, "linear_before_reset", attrs->linear_before_reset);
    if (e->node->op->id == OP_lstm)
        emit_attr_int(e, "input_forget", attrs->input_forget);
}

/* Operands at the end that are left out need no place. */
const char *export_recurrent(const struct emit *e)
{
    const struct cell_kind *kind = cell_kind_of(e->node->op);
    const struct shape *state = emit_result_shape(e, 1);
    int64_t n = state->extent[0], hidden = state->extent[2];
    const struct shape bias = {.rank = 2, .extent = {n, (int64_t)2 * kind->gates * hidden}};
    const struct shape peephole = {.rank = 2, .extent = {n, PEEPHOLES * hidden}};
    const char **in = emit_room(e, ONNX_OPERANDS, sizeof *in);
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
    const char *y = onnx_out_result(e->out, 0, emit_list(e, e->type, in, count));
    for (int i = 1; i < (int)e->node->nout; i++)
        onnx_out_result(e->out, i, emit_also(e));
    add_attributes(e, kind);
    return y;
}
