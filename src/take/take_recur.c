/*
 * take_recur.c - recurrent layers, unrolled over their sequence
 *
 * Products with the input are those of all steps at once.  Gates lie one after the other in the order
 * that ONNX has: i, o, f, c; z, r, h.
 */
#include "take/make.h"

#include <string.h>

take_function take_rnn, take_gru, take_lstm;

enum { GATES_MAX = 4, ACTIVATIONS_MAX = 3, DIRECTIONS = 2 };

struct layer {
    int gates, activations; /* of each direction */
    const char *const *standard;
    const char **names; /* of activations, for all directions */
    const float *alpha, *beta;
    int nalpha, nbeta;
    int64_t steps, batch, hidden;
    int directions;
    bool reverse, batch_first;
    double clip; /* 0: none */
};

/* One direction. */
struct cell {
    const struct layer *layer;
    struct entry *state, *memory; /* h, c */
    struct entry *recurrence;     /* R, transposed */
    struct entry *peephole[3];    /* i, o, f */
    struct entry *bias;           /* of the recurrence, by gates; NULL: none */
    int direction;
};

/* --- activations --------------------------------------------------------------------------- */

static double parameter(const float *items, int count, int index, double otherwise)
{
    return index < count ? (double)items[index] : otherwise;
}

static bool is_named(const char *name, const char *wanted)
{
    for (; *name && *wanted; name++, wanted++)
        if ((*name | 32) != (*wanted | 32))
            return false;
    return *name == *wanted;
}

static struct entry *activate(struct take *t, const struct cell *cell, int which, struct entry *x)
{
    const struct layer *layer = cell->layer;
    int index = cell->direction * layer->activations + which;
    const char *name = layer->names ? layer->names[index] : layer->standard[which];
    double alpha = parameter(layer->alpha, layer->nalpha, index, 0.01);

    if (layer->clip > 0 && x)
        x = op3(t, OP_clamp, x, literal(t, -layer->clip), literal(t, layer->clip));
    if (is_named(name, "Sigmoid"))
        return op1(t, OP_sigmoid, x);
    if (is_named(name, "Tanh"))
        return op1(t, OP_tanh, x);
    if (is_named(name, "Relu"))
        return op1(t, OP_relu, x);
    if (is_named(name, "Softplus"))
        return op1(t, OP_softplus, x);
    if (is_named(name, "LeakyRelu")) {
        set_scalar(t, "alpha", alpha);
        return op1(t, OP_leaky_relu, x);
    }
    if (is_named(name, "HardSigmoid")) {
        alpha = parameter(layer->alpha, layer->nalpha, index, 0.2);
        double beta = parameter(layer->beta, layer->nbeta, index, 0.5);
        x = op2(t, OP_add, op2(t, OP_mul, x, literal(t, alpha)), literal(t, beta));
        return op3(t, OP_clamp, x, literal(t, 0), literal(t, 1));
    }
    return take_refuse(t, "has activation '%s', which is not supported", name);
}

/* --- steps --------------------------------------------------------------------------------- */

static struct entry *gate(struct take *t, const struct cell *cell, struct entry *x, int index)
{
    int64_t hidden = cell->layer->hidden;

    return slice_at(t, x, x ? x->shape.rank - 1 : 0, index * hidden, (index + 1) * hidden);
}

static struct entry *plus(struct take *t, struct entry *x, struct entry *y)
{
    return y ? op2(t, OP_add, x, y) : x;
}

static bool step_rnn(struct take *t, struct cell *cell, struct entry *input)
{
    struct entry *sum = op2(t, OP_add, input, matmul(t, cell->state, cell->recurrence));

    cell->state = activate(t, cell, 0, plus(t, sum, cell->bias));
    return cell->state;
}

static bool step_gru(struct take *t, struct cell *cell, struct entry *input)
{
    bool linear_first = take_int(t, "linear_before_reset", 0);
    struct entry *gates[2], *hidden, *candidate = gate(t, cell, input, 2);
    struct entry *bias = cell->bias ? gate(t, cell, cell->bias, 2) : NULL;

    for (int i = 0; i < 2; i++) {
        struct entry *product = matmul(t, cell->state, gate(t, cell, cell->recurrence, i));
        struct entry *sum = op2(t, OP_add, gate(t, cell, input, i), product);
        gates[i] =
            activate(t, cell, 0, plus(t, sum, cell->bias ? gate(t, cell, cell->bias, i) : NULL));
    }
    hidden = linear_first ? cell->state : op2(t, OP_mul, gates[1], cell->state);
    hidden = plus(t, matmul(t, hidden, gate(t, cell, cell->recurrence, 2)), bias);
    if (linear_first)
        hidden = op2(t, OP_mul, gates[1], hidden);
    candidate = activate(t, cell, 1, op2(t, OP_add, candidate, hidden));
    struct entry *rest = op2(t, OP_sub, literal(t, 1), gates[0]);
    cell->state =
        op2(t, OP_add, op2(t, OP_mul, rest, candidate), op2(t, OP_mul, gates[0], cell->state));
    return cell->state;
}

static struct entry *seen(struct take *t, const struct cell *cell, int index, struct entry *sum)
{
    if (!cell->peephole[index])
        return sum;
    return op2(t, OP_add, sum, op2(t, OP_mul, cell->peephole[index], cell->memory));
}

static bool step_lstm(struct take *t, struct cell *cell, struct entry *input)
{
    struct entry *sum =
        plus(t, op2(t, OP_add, input, matmul(t, cell->state, cell->recurrence)), cell->bias);
    struct entry *in = activate(t, cell, 0, seen(t, cell, 0, gate(t, cell, sum, 0)));
    struct entry *keep = take_int(t, "input_forget", 0)
                             ? op2(t, OP_sub, literal(t, 1), in)
                             : activate(t, cell, 0, seen(t, cell, 2, gate(t, cell, sum, 2)));
    struct entry *fresh = activate(t, cell, 1, gate(t, cell, sum, 3));

    cell->memory = op2(t, OP_add, op2(t, OP_mul, keep, cell->memory), op2(t, OP_mul, in, fresh));
    struct entry *out = activate(t, cell, 0, seen(t, cell, 1, gate(t, cell, sum, 1)));
    cell->state = op2(t, OP_mul, out, activate(t, cell, 2, cell->memory));
    return cell->state;
}

typedef bool step_function(struct take *t, struct cell *cell, struct entry *input);

/* --- one direction -------------------------------------------------------------------------- */

/* What an input has for a direction, without that dimension. */
static struct entry *part(struct take *t, int index, int direction)
{
    struct entry *x = take_in(t, index);

    return x ? squeeze_at(t, slice_at(t, x, 0, direction, direction + 1), 0) : NULL;
}

static struct entry *initial(struct take *t, const struct cell *cell, int index)
{
    const struct layer *layer = cell->layer;
    struct shape shape = {.rank = 2, .extent = {layer->batch, layer->hidden}};
    struct entry *x = take_in(t, index);
    struct tensor *items;

    if (!x)
        return known_new(t, ONNX_FLOAT, &shape, &items);
    int axis = layer->batch_first ? 1 : 0;
    return reshape_to(t, slice_at(t, x, axis, cell->direction, cell->direction + 1), &shape);
}

/* W * x + its bias for all steps: [steps, batch, gates * hidden]. */
static struct entry *products(struct take *t, const struct cell *cell, struct entry *x)
{
    const struct layer *layer = cell->layer;
    int64_t width = layer->gates * layer->hidden;
    struct shape flat = {.rank = 2, .extent = {layer->steps * layer->batch, x->shape.extent[2]}};
    struct shape shape = {.rank = 3, .extent = {layer->steps, layer->batch, width}};
    struct entry *bias = part(t, 3, cell->direction);
    struct entry *product =
        matmul(t, reshape_to(t, x, &flat), transpose_last(t, part(t, 1, cell->direction)));

    if (bias)
        product = op2(t, OP_add, product, slice_at(t, bias, 0, 0, width));
    return reshape_to(t, product, &shape);
}

static bool prepare(struct take *t, struct cell *cell)
{
    int64_t hidden = cell->layer->hidden, width = cell->layer->gates * hidden;
    struct entry *bias = part(t, 3, cell->direction), *peephole = part(t, 7, cell->direction);

    cell->state = initial(t, cell, 5);
    cell->memory = cell->layer->gates == 4 ? initial(t, cell, 6) : NULL;
    cell->recurrence = transpose_last(t, part(t, 2, cell->direction));
    if (bias)
        cell->bias = slice_at(t, bias, 0, width, 2 * width);
    for (int i = 0; peephole && i < 3; i++)
        cell->peephole[i] = slice_at(t, peephole, 0, i * hidden, (i + 1) * hidden);
    return !t->failed && cell->state && cell->recurrence;
}

/* states[step] becomes [batch, hidden]. */
static bool run_direction(struct take *t, struct cell *cell, struct entry *x, step_function *step,
                          struct entry **states)
{
    const struct layer *layer = cell->layer;
    bool back = layer->reverse || cell->direction == 1;
    struct entry *input = prepare(t, cell) ? products(t, cell, x) : NULL;

    for (int64_t i = 0; input && i < layer->steps; i++) {
        int64_t at = back ? layer->steps - 1 - i : i;
        if (!step(t, cell, squeeze_at(t, slice_at(t, input, 0, at, at + 1), 0)))
            return false;
        states[at] = cell->state;
    }
    return input;
}

/* --- the whole ------------------------------------------------------------------------------ */

static bool read_layer(struct take *t, struct layer *layer, const struct entry *x)
{
    const char *direction = take_string(t, "direction", "forward");
    const struct entry *w = take_in(t, 1), *r = take_in(t, 2);
    int count = 0;

    layer->batch_first = take_int(t, "layout", 0);
    layer->reverse = is_named(direction, "reverse");
    layer->directions = is_named(direction, "bidirectional") ? 2 : 1;
    layer->clip = take_float(t, "clip", 0);
    take_floats(t, "activation_alpha", &layer->alpha, &layer->nalpha);
    take_floats(t, "activation_beta", &layer->beta, &layer->nbeta);
    if (take_strings(t, "activations", &layer->names, &count) &&
        count != layer->directions * layer->activations)
        return take_error(t, DIAG_ITEM_COUNT, "has %d activations, expected %d", count,
                          layer->directions * layer->activations);
    if (t->failed || x->shape.rank != 3 || w->shape.rank != 3 || r->shape.rank != 3 ||
        w->shape.extent[0] != layer->directions || r->shape.extent[0] != layer->directions)
        return !t->failed &&
               take_error(t, DIAG_RANK, "has inputs of shapes %s, %s and %s for %d directions",
                          SHAPE_TEXT(&x->shape), SHAPE_TEXT(&w->shape), SHAPE_TEXT(&r->shape),
                          layer->directions);
    layer->steps = x->shape.extent[layer->batch_first];
    layer->batch = x->shape.extent[!layer->batch_first];
    layer->hidden = r->shape.extent[2];
    return true;
}

/* They may be told if they are those of all. */
static bool check_lengths(struct take *t, const struct layer *layer)
{
    const struct tensor *lengths = take_has(t, 4) ? take_known(t, 4) : NULL;

    for (int64_t i = 0; lengths && i < shape_volume(&lengths->shape); i++)
        if ((int64_t)tensor_item(lengths, i) != layer->steps) {
            take_refuse(t, "has sequences of different lengths");
            return false;
        }
    return !t->failed;
}

/* Parts of [batch, hidden] become one tensor with two more dimensions, or one. */
static struct entry *stacked(struct take *t, struct entry **parts, int count, int axis)
{
    struct entry **in = take_room(t, count, sizeof *in);

    for (int i = 0; i < count; i++)
        in[i] = unsqueeze_at(t, parts[i], axis);
    for (int i = 0; i < count; i++)
        if (!in[i])
            return NULL;
    return join(t, in, count, axis);
}

static struct entry *finish(struct take *t, const struct layer *layer, struct entry **states,
                            struct cell *cells)
{
    static const int64_t batch_first[] = {2, 0, 1, 3};
    struct entry **sequences = take_room(t, layer->directions, sizeof *sequences);
    struct entry *last[DIRECTIONS] = {NULL}, *memory[DIRECTIONS] = {NULL};

    for (int d = 0; d < layer->directions; d++) {
        sequences[d] = stacked(t, states + d * layer->steps, (int)layer->steps, 0);
        last[d] = cells[d].state;
        memory[d] = cells[d].memory;
    }
    int axis = layer->batch_first ? 1 : 0;
    if (take_wants(t, 1))
        take_result(t, 1, stacked(t, last, layer->directions, axis));
    if (take_wants(t, 2) && layer->gates == 4)
        take_result(t, 2, stacked(t, memory, layer->directions, axis));
    if (!take_wants(t, 0))
        return last[0];
    struct entry *all = stacked(t, sequences, layer->directions, 1);
    return layer->batch_first ? transpose_by(t, all, batch_first) : all;
}

static struct entry *recur(struct take *t, struct layer *layer, step_function *step)
{
    static const int64_t steps_first[] = {1, 0, 2};
    struct entry *x = take_in(t, 0);
    struct cell cells[DIRECTIONS] = {{0}};

    if (!read_layer(t, layer, x) || !check_lengths(t, layer))
        return NULL;
    if (layer->batch_first)
        x = transpose_by(t, x, steps_first);
    struct entry **states = take_room(t, layer->steps * layer->directions, sizeof *states);
    for (int d = 0; x && d < layer->directions; d++) {
        cells[d] = (struct cell){.layer = layer, .direction = d};
        if (!run_direction(t, &cells[d], x, step, states + d * layer->steps))
            return NULL;
    }
    return x ? finish(t, layer, states, cells) : NULL;
}

struct entry *take_rnn(struct take *t)
{
    static const char *const standard[] = {"Tanh"};
    struct layer layer = {.gates = 1, .activations = 1, .standard = standard};

    return recur(t, &layer, step_rnn);
}

struct entry *take_gru(struct take *t)
{
    static const char *const standard[] = {"Sigmoid", "Tanh"};
    struct layer layer = {.gates = 3, .activations = 2, .standard = standard};

    return recur(t, &layer, step_gru);
}

struct entry *take_lstm(struct take *t)
{
    static const char *const standard[] = {"Sigmoid", "Tanh", "Tanh"};
    struct layer layer = {.gates = 4, .activations = 3, .standard = standard};

    return recur(t, &layer, step_lstm);
}
