/* import_recur.c - recurrent layers, each one operation over its whole sequence (nnefc-ext.nnef) */
#include "convert/onnx/import_make.h"
#include "op/recurrent.h"

#include <assert.h>

/* Inputs of ONNX behind x, filters, recurrent filters and bias. */
enum { ONNX_LENGTHS = 4, ONNX_STATE, ONNX_MEMORY, ONNX_PEEPHOLE };

struct layer {
    const struct cell_kind *kind;
    enum direction direction;
    int directions;
    int64_t steps;
    bool batch_first;
};

/* --- attributes ------------------------------------------------------------------------------ */

/* ONNX has numbers for those activations only that take one, in their order. */
struct numbers {
    const float *item;
    int count, next;
};

static double number(struct numbers *numbers, bool taken, double otherwise)
{
    return taken && numbers->next < numbers->count ? (double)numbers->item[numbers->next++]
                                                   : otherwise;
}

/* ONNX has the names of ours without underscores, in any case; NULL if it is none of them. */
static const struct activation *find_activation(const char *name)
{
    for (const struct activation *a = cell_activations; a->name; a++) {
        const char *ours = a->name, *theirs = name;
        while (*ours && (*ours == '_' || (*ours | 32) == (*theirs | 32)))
            theirs += *ours++ != '_';
        if (!*ours && !*theirs)
            return a;
    }
    return NULL;
}

/* The functions of all directions; the usual ones if none are named.  A fault sets t->failed. */
static void read_activations(struct translation *t, const struct layer *layer,
                             struct recurrent_attrs *attrs)
{
    int count = layer->directions * layer->kind->activations, named = 0;
    struct datum *names = import_alloc(t, count, sizeof *names);
    struct datum *alpha = import_alloc(t, count, sizeof *alpha);
    struct datum *beta = import_alloc(t, count, sizeof *beta);
    struct numbers alphas = {0}, betas = {0};
    bool numbered = false;
    const char **texts;

    assert(count <= 2 * ACTIVATIONS_MAX);
    if (!get_strings(t, "activations", &texts, &named))
        return;
    if (named != count) {
        import_error(t, DIAG_ITEM_COUNT, "has %d activations, expected %d", named, count);
        return;
    }
    get_floats(t, "activation_alpha", &alphas.item, &alphas.count);
    get_floats(t, "activation_beta", &betas.item, &betas.count);
    for (int i = 0; i < count; i++) {
        const struct activation *a = find_activation(texts[i]);
        if (!a) {
            import_unsupported(t, "has activation '%s', which is not supported", texts[i]);
            return;
        }
        names[i] = (struct datum){.kind = DATUM_STRING, .string = a->name};
        alpha[i] = (struct datum){.kind = DATUM_SCALAR,
                                  .scalar = number(&alphas, a->takes_alpha, a->alpha)};
        beta[i] =
            (struct datum){.kind = DATUM_SCALAR, .scalar = number(&betas, a->takes_beta, a->beta)};
        numbered |= a->takes_alpha;
    }
    attrs->activations = (struct values){count, names};
    if (numbered) {
        attrs->alpha = (struct values){count, alpha};
        attrs->beta = (struct values){count, beta};
    }
}

/* --- operands -------------------------------------------------------------------------------- */

/* Ranks, direction and lengths; false after a report. */
static bool read_layer(struct translation *t, struct layer *layer)
{
    const struct shape *x = &input_at(t, 0)->shape, *w = &input_at(t, 1)->shape;
    const struct shape *r = &input_at(t, 2)->shape;

    layer->batch_first = get_int(t, "layout", 0);
    if (x->rank != 3 || w->rank != 3 || r->rank != 3)
        return import_error(t, DIAG_RANK, "has inputs of shapes %s, %s and %s, expected rank 3",
                            SHAPE_TEXT(x), SHAPE_TEXT(w), SHAPE_TEXT(r));
    int direction = get_word(t, "direction", "forward", direction_words);
    if (direction < 0)
        return false;
    layer->direction = (enum direction)direction;
    layer->directions = layer->direction == DIRECTION_BIDIRECTIONAL ? 2 : 1;
    layer->steps = x->extent[layer->batch_first];

    /* Lengths may be given if all sequences have the full one. */
    const struct tensor *lengths =
        !t->failed && has_input(t, ONNX_LENGTHS) ? known_input(t, ONNX_LENGTHS) : NULL;
    for (int64_t i = 0; lengths && i < shape_volume(&lengths->shape); i++)
        if ((int64_t)tensor_item(lengths, i) != layer->steps)
            return import_error(t, DIAG_NOT_IN_NNEF, "has sequences of different lengths");
    return !t->failed;
}

/* With the batch as its second dimension, as steps or directions are then the first. */
static struct imported *batch_second(struct translation *t, const struct layer *layer,
                                     struct imported *x)
{
    static const int64_t order[] = {1, 0, 2};

    return x && layer->batch_first ? transpose_by(t, x, order) : x;
}

/* 0 stands for an operand that is left out. */
static struct imported *optional(struct translation *t, struct imported *x)
{
    return x ? x : literal(t, 0);
}

/* --- RNN, GRU and LSTM ----------------------------------------------------------------------- */

/* One operation for all steps and directions.  With layout 1 the batch goes first outside of it. */
struct imported *import_recurrent(struct translation *t)
{
    static const int64_t batch_first[] = {2, 0, 1, 3};
    const enum op_id op = t->row->op;
    struct layer layer = {.kind = cell_kind_of(op_table[op])};
    struct recurrent_attrs attrs = {.clip = get_float(t, "clip", 0),
                                    .linear_before_reset =
                                        op == OP_gru && get_int(t, "linear_before_reset", 0),
                                    .input_forget = op == OP_lstm && get_int(t, "input_forget", 0)};
    const bool memory = layer.kind->has_memory;
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
    if (!make_all(t, (struct op_spec){op, &attrs}, in, memory ? PEEPHOLE + 1 : STATE + 1))
        return NULL;
    struct imported *const *made = t->made;
    assert(t->nmade == (memory ? 3 : 2));
    for (int i = 1; i < t->nout && i < (memory ? 3 : 2); i++)
        if (wants_output(t, i))
            set_output(t, i, batch_second(t, &layer, made[i]));
    return layer.batch_first && wants_output(t, 0) ? transpose_by(t, made[0], batch_first)
                                                   : made[0];
}
