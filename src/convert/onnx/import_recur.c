/* import_recur.c - recurrent layers, each one operation over its whole sequence (nnefc-ext.nnef) */
#include "convert/onnx/import_make.h"
#include "op/recurrent.h"

#include <assert.h>
#include <string.h>

enum { ONNX_LENGTHS = 4, ONNX_STATE, ONNX_MEMORY, ONNX_PEEPHOLE };

struct layer {
    const struct cell_kind *kind;
    enum direction direction;
    int directions;
    int64_t steps;
    bool batch_first;
};

/* --- attributes ------------------------------------------------------------------------------ */

static bool read_direction(struct translation *t, struct layer *layer)
{
    static const char first[] = "frb";
    const char *direction = get_string(t, "direction", "forward");
    const char *found = *direction ? strchr(first, *direction | 32) : NULL;

    if (!found)
        return import_error(t, DIAG_ENUM_VALUE,
                            "direction is '%s', expected 'forward', 'reverse' or 'bidirectional'",
                            direction);
    layer->direction = (enum direction)(found - first);
    layer->directions = layer->direction == DIRECTION_BIDIRECTIONAL ? 2 : 1;
    return !t->failed;
}

/* Numbers of ONNX are for those activations only, in their order, that take one. */
struct numbers {
    const float *item;
    int count, next;
};

static double number(struct numbers *numbers, bool taken, double otherwise)
{
    return taken && numbers->next < numbers->count ? (double)numbers->item[numbers->next++]
                                                   : otherwise;
}

/* The functions of all directions; false after a report, or if they are the usual ones. */
static bool read_functions(struct translation *t, const struct layer *layer,
                           const struct activation **functions)
{
    int expected = layer->directions * layer->kind->activations, count = 0;
    const char **names;

    if (!get_strings(t, "activations", &names, &count))
        return false;
    if (count != expected)
        return import_error(t, DIAG_ITEM_COUNT, "has %d activations, expected %d", count, expected);
    for (int i = 0; i < count; i++) {
        functions[i] = activation_of_onnx(names[i]);
        if (!functions[i])
            return import_unsupported(t, "has activation '%s', which is not supported", names[i]);
    }
    return true;
}

static struct datum scalar(double value)
{
    return (struct datum){.kind = DATUM_SCALAR, .scalar = value};
}

static void read_activations(struct translation *t, const struct layer *layer,
                             struct recurrent_attrs *attrs)
{
    const struct activation *functions[2 * ACTIVATIONS_MAX] = {NULL};
    int count = layer->directions * layer->kind->activations;
    struct datum *names = import_alloc(t, count, sizeof *names);
    struct datum *alpha = import_alloc(t, count, sizeof *alpha);
    struct datum *beta = import_alloc(t, count, sizeof *beta);
    struct numbers alphas = {0}, betas = {0};
    bool numbered = false;

    if (!read_functions(t, layer, functions))
        return;
    get_floats(t, "activation_alpha", &alphas.item, &alphas.count);
    get_floats(t, "activation_beta", &betas.item, &betas.count);
    for (int i = 0; i < count; i++) {
        assert(functions[i]);
        names[i] = (struct datum){.kind = DATUM_STRING, .string = functions[i]->name};
        alpha[i] = scalar(number(&alphas, functions[i]->takes_alpha, functions[i]->alpha));
        beta[i] = scalar(number(&betas, functions[i]->takes_beta, functions[i]->beta));
        numbered |= functions[i]->takes_alpha;
    }
    attrs->activations = (struct values){count, names};
    if (numbered) {
        attrs->alpha = (struct values){count, alpha};
        attrs->beta = (struct values){count, beta};
    }
}

/* --- operands -------------------------------------------------------------------------------- */

/* They may be told if they are those of all. */
static bool check_lengths(struct translation *t, const struct layer *layer)
{
    const struct tensor *lengths = has_input(t, ONNX_LENGTHS) ? known_input(t, ONNX_LENGTHS) : NULL;

    for (int64_t i = 0; lengths && i < shape_volume(&lengths->shape); i++)
        if ((int64_t)tensor_item(lengths, i) != layer->steps) {
            import_unsupported(t, "has sequences of different lengths");
            return false;
        }
    return !t->failed;
}

static bool read_layer(struct translation *t, struct layer *layer)
{
    const struct shape *x = &input_at(t, 0)->shape, *w = &input_at(t, 1)->shape;
    const struct shape *r = &input_at(t, 2)->shape;

    layer->batch_first = get_int(t, "layout", 0);
    if (x->rank != 3 || w->rank != 3 || r->rank != 3)
        return import_error(t, DIAG_RANK, "has inputs of shapes %s, %s and %s, expected rank 3",
                            SHAPE_TEXT(x), SHAPE_TEXT(w), SHAPE_TEXT(r));
    if (!read_direction(t, layer))
        return false;
    layer->steps = x->extent[layer->batch_first];
    return check_lengths(t, layer);
}

/* With the batch as its second dimension, as steps or directions are then the first. */
static struct imported *batch_second(struct translation *t, const struct layer *layer,
                                     struct imported *x)
{
    static const int64_t order[] = {1, 0, 2};

    return x && layer->batch_first ? transpose_by(t, x, order) : x;
}

static struct imported *optional(struct translation *t, struct imported *x)
{
    return x ? x : literal(t, 0);
}

/* --- the whole ------------------------------------------------------------------------------- */

static struct imported *finish(struct translation *t, const struct layer *layer)
{
    static const int64_t batch_first[] = {2, 0, 1, 3};
    struct imported *made[3] = {NULL};

    for (int i = 0; i < t->nmade; i++)
        made[i] = t->made[i];
    for (int i = 1; i < (layer->kind->has_memory ? 3 : 2); i++)
        if (wants_output(t, i))
            set_output(t, i, batch_second(t, layer, made[i]));
    return layer->batch_first && wants_output(t, 0) ? transpose_by(t, made[0], batch_first)
                                                    : made[0];
}

static struct imported *recur(struct translation *t, enum op_id op, const struct cell_kind *kind)
{
    struct recurrent_attrs attrs = {.clip = get_float(t, "clip", 0),
                                    .linear_before_reset =
                                        op == OP_gru && get_int(t, "linear_before_reset", 0),
                                    .input_forget = op == OP_lstm && get_int(t, "input_forget", 0)};
    struct layer layer = {.kind = kind};
    struct imported *in[PEEPHOLE + 1];

    if (!read_layer(t, &layer))
        return NULL;
    in[INPUT] = batch_second(t, &layer, input_at(t, 0));
    in[FILTER] = input_at(t, 1);
    in[RECURRENCE] = input_at(t, 2);
    in[BIAS] = optional(t, input_at(t, 3));
    in[STATE] = optional(t, batch_second(t, &layer, input_at(t, ONNX_STATE)));
    in[MEMORY] = optional(t, batch_second(t, &layer, input_at(t, ONNX_MEMORY)));
    in[PEEPHOLE] = optional(t, input_at(t, ONNX_PEEPHOLE));
    attrs.direction = layer.direction;
    read_activations(t, &layer, &attrs);
    if (!make_all(t, (struct op_spec){op, &attrs}, in, kind->has_memory ? PEEPHOLE + 1 : STATE + 1))
        return NULL;
    return finish(t, &layer);
}

struct imported *import_rnn(struct translation *t)
{
    return recur(t, OP_rnn, &rnn_kind);
}

struct imported *import_gru(struct translation *t)
{
    return recur(t, OP_gru, &gru_kind);
}

struct imported *import_lstm(struct translation *t)
{
    return recur(t, OP_lstm, &lstm_kind);
}
