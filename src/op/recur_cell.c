/*
 * recur_cell.c - kernels of rnn, gru and lstm, and of their single steps (nnefc-ext.nnef)
 *
 *     rnn   h' = f(W x + R h + b)
 *     gru   z = f(..), r = f(..), c = g(W x + b + r . (R h + d))  or  g(W x + b + R (r . h) + d)
 *           h' = (1 - z) . c + z . h
 *     lstm  i, o, f = f(.. + P . m), c = g(..), m' = f . m + i . c, h' = o . h(m'); o sees m'
 *
 * Sums, and everything within a step, are in double; states are rounded.
 */
#include "op/recurrent.h"

#include "op/compute.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- activations --------------------------------------------------------------------------- */

static double sigmoid(double x, double alpha, double beta)
{
    double e = exp(-fabs(x));

    (void)alpha, (void)beta;
    return (x < 0 ? e : 1) / (1 + e);
}

static double hyperbolic(double x, double alpha, double beta)
{
    (void)alpha, (void)beta;
    return tanh(x);
}

static double relu(double x, double alpha, double beta)
{
    (void)alpha, (void)beta;
    return x > 0 ? x : 0;
}

static double softplus(double x, double alpha, double beta)
{
    (void)alpha, (void)beta;
    return fmax(x, 0) + log1p(exp(-fabs(x)));
}

static double softsign(double x, double alpha, double beta)
{
    (void)alpha, (void)beta;
    return x / (1 + fabs(x));
}

static double elu(double x, double alpha, double beta)
{
    (void)beta;
    return x < 0 ? alpha * expm1(x) : x;
}

static double leaky_relu(double x, double alpha, double beta)
{
    (void)beta;
    return x < 0 ? alpha * x : x;
}

static double thresholded_relu(double x, double alpha, double beta)
{
    (void)beta;
    return x > alpha ? x : 0;
}

static double hard_sigmoid(double x, double alpha, double beta)
{
    return fmax(0, fmin(1, alpha * x + beta));
}

static double scaled_tanh(double x, double alpha, double beta)
{
    return alpha * tanh(beta * x);
}

static double affine(double x, double alpha, double beta)
{
    return alpha * x + beta;
}

static const struct activation activations[] = {
    {"sigmoid", "Sigmoid", false, false, 0, 0, sigmoid},
    {"tanh", "Tanh", false, false, 0, 0, hyperbolic},
    {"relu", "Relu", false, false, 0, 0, relu},
    {"softplus", "Softplus", false, false, 0, 0, softplus},
    {"softsign", "Softsign", false, false, 0, 0, softsign},
    {"elu", "Elu", true, false, 1, 0, elu},
    {"leaky_relu", "LeakyRelu", true, false, 0.01, 0, leaky_relu},
    {"thresholded_relu", "ThresholdedRelu", true, false, 1, 0, thresholded_relu},
    {"hard_sigmoid", "HardSigmoid", true, true, 0.2, 0.5, hard_sigmoid},
    {"scaled_tanh", "ScaledTanh", true, true, 1, 1, scaled_tanh},
    {"affine", "Affine", true, true, 1, 0, affine},
};

enum { ACTIVATIONS = (int)(sizeof activations / sizeof activations[0]) };

const struct activation *activation_find(const char *name)
{
    for (int i = 0; i < ACTIVATIONS; i++)
        if (strcmp(activations[i].name, name) == 0)
            return &activations[i];
    return NULL;
}

static bool same_letters(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if ((*a | 32) != (*b | 32))
            return false;
    return *a == *b;
}

const struct activation *activation_of_onnx(const char *name)
{
    for (int i = 0; i < ACTIVATIONS; i++)
        if (same_letters(activations[i].onnx, name))
            return &activations[i];
    return NULL;
}

struct cell_activation cell_activation(const struct cell_kind *kind,
                                       const struct recurrent_attrs *attrs, int direction,
                                       int which)
{
    int index = direction * kind->activations + which;
    const char *name =
        attrs->activations.count ? attrs->activations.item[index].string : kind->standard[which];
    struct cell_activation a = {.function = activation_find(name)};

    assert(which >= 0 && which < kind->activations && direction >= 0 && direction < 2);
    a.alpha = attrs->alpha.count ? attrs->alpha.item[index].scalar : a.function->alpha;
    a.beta = attrs->beta.count ? attrs->beta.item[index].scalar : a.function->beta;
    return a;
}

/* --- one step ------------------------------------------------------------------------------ */

static double activate(const struct cell *cell, int which, double x)
{
    const struct cell_activation *a = &cell->activation[which];

    assert(which >= 0 && which < ACTIVATIONS_MAX);
    if (cell->clip > 0)
        x = fmax(-cell->clip, fmin(cell->clip, x));
    return a->function->apply(x, a->alpha, a->beta);
}

static double product(const float *row, const float *x, int64_t count)
{
    double sum = 0;

    for (int64_t i = 0; i < count; i++)
        sum += (double)row[i] * (double)x[i];
    return sum;
}

static double item(const struct cell_operand *operand, int64_t index)
{
    return (double)operand->item[index * operand->step];
}

/* A row of the filter with one of the input, and its bias. */
static double from_input(const struct cell *cell, const struct cell_step *step, int64_t batch,
                         int64_t row)
{
    return product(cell->filter + row * cell->features, step->input + batch * cell->features,
                   cell->features) +
           item(&cell->bias, row);
}

static double from_state(const struct cell *cell, const struct cell_step *step, int64_t batch,
                         int64_t row)
{
    return product(cell->recurrence[0] + row * cell->hidden, step->state + batch * cell->hidden,
                   cell->hidden) +
           item(&cell->recurrent[0], row);
}

static double gate(const struct cell *cell, const struct cell_step *step, int64_t unit, int index)
{
    int64_t batch = unit / cell->hidden, row = index * cell->hidden + unit % cell->hidden;

    assert(index >= 0 && index < cell->kind->gates);
    return from_input(cell, step, batch, row) + from_state(cell, step, batch, row);
}

static void step_rnn(const struct cell *cell, const struct cell_step *step, int64_t unit)
{
    step->next_state[unit] = (float)activate(cell, 0, gate(cell, step, unit, 0));
}

/* The reset state r . h, which is needed of all units before any can go on. */
static void reset(const struct cell *cell, const struct cell_step *step, int64_t unit)
{
    double r = activate(cell, 0, gate(cell, step, unit, 1));

    cell->scratch[unit] = cell->linear_before_reset ? r : r * (double)step->state[unit];
}

static void step_gru(const struct cell *cell, const struct cell_step *step, int64_t unit)
{
    int64_t hidden = cell->hidden, batch = unit / hidden, row = unit % hidden;
    const float *weights = cell->recurrence[1] + row * hidden;
    const double *scratch = cell->scratch + batch * hidden;
    double z = activate(cell, 0, gate(cell, step, unit, 0)), sum = 0;

    if (cell->linear_before_reset)
        sum = scratch[row] * (product(weights, step->state + batch * hidden, hidden) +
                              item(&cell->recurrent[1], row));
    for (int64_t i = 0; !cell->linear_before_reset && i < hidden; i++)
        sum += (double)weights[i] * scratch[i];
    if (!cell->linear_before_reset)
        sum += item(&cell->recurrent[1], row);
    double h = activate(cell, 1, from_input(cell, step, batch, 2 * hidden + row) + sum);
    step->next_state[unit] = (float)((1 - z) * h + z * (double)step->state[unit]);
}

static void step_lstm(const struct cell *cell, const struct cell_step *step, int64_t unit)
{
    int64_t row = unit % cell->hidden;
    const struct cell_operand *seen = cell->peephole;

    assert(step->memory);
    double memory = (double)step->memory[unit];
    double i = activate(cell, 0, gate(cell, step, unit, 0) + item(&seen[0], row) * memory);
    double f = cell->input_forget
                   ? 1 - i
                   : activate(cell, 0, gate(cell, step, unit, 2) + item(&seen[2], row) * memory);
    double next = f * memory + i * activate(cell, 1, gate(cell, step, unit, 3));
    double o = activate(cell, 0, gate(cell, step, unit, 1) + item(&seen[1], row) * next);

    step->next_memory[unit] = (float)next;
    step->next_state[unit] = (float)(o * activate(cell, 2, next));
}

typedef void unit_function(const struct cell *cell, const struct cell_step *step, int64_t unit);

struct units {
    const struct cell *cell;
    const struct cell_step *step;
    unit_function *work;
};

static void do_unit(const void *data, int64_t unit)
{
    const struct units *units = data;

    units->work(units->cell, units->step, unit);
}

static void all_units(const struct cell *cell, const struct cell_step *step, unit_function *work)
{
    const struct units units = {cell, step, work};

    eval_share_part(cell->eval, cell->batch * cell->hidden,
                    cell->kind->gates * (cell->features + cell->hidden), do_unit, &units);
}

static void cell_run(const struct cell *cell, const struct cell_step *step)
{
    if (cell->kind == &gru_kind) {
        all_units(cell, step, reset);
        all_units(cell, step, step_gru);
    } else {
        all_units(cell, step, cell->kind == &lstm_kind ? step_lstm : step_rnn);
    }
}

/* --- sequences ----------------------------------------------------------------------------- */

static struct cell_operand operand_at(const struct tensor *tensor, int64_t offset)
{
    bool single = tensor->shape.rank == 0;

    return (struct cell_operand){(const float *)tensor->data + (single ? 0 : offset), !single};
}

static void no_peepholes(struct cell *cell)
{
    static const float none = 0;

    for (int i = 0; i < PEEPHOLES; i++)
        cell->peephole[i] = (struct cell_operand){&none, 0};
}

static void set_attrs(struct cell *cell, const struct recurrent_attrs *attrs, int direction)
{
    for (int i = 0; i < cell->kind->activations; i++)
        cell->activation[i] = cell_activation(cell->kind, attrs, direction, i);
    cell->clip = attrs->clip;
    cell->linear_before_reset = attrs->linear_before_reset;
    cell->input_forget = attrs->input_forget;
}

static struct cell cell_of_direction(const struct eval *eval, const struct cell_kind *kind,
                                     int direction)
{
    const struct shape *input = &eval->in[INPUT]->shape;
    struct cell cell = {
        .eval = eval, .kind = kind, .batch = input->extent[1], .features = input->extent[2]};
    int64_t hidden = cell.hidden = eval->in[RECURRENCE]->shape.extent[2];
    int64_t width = (int64_t)kind->gates * hidden;
    const float *recurrence = eval->in[RECURRENCE]->data;

    assert(direction == 0 || direction == 1);
    cell.filter = (const float *)eval->in[FILTER]->data + direction * width * cell.features;
    cell.recurrence[0] = recurrence + direction * width * hidden;
    cell.recurrence[1] = cell.recurrence[0] + 2 * hidden * (kind == &gru_kind ? hidden : 0);
    cell.bias = operand_at(eval->in[BIAS], (int64_t)direction * 2 * width);
    cell.recurrent[0] = operand_at(eval->in[BIAS], ((int64_t)direction * 2 + 1) * width);
    cell.recurrent[1] =
        operand_at(eval->in[BIAS], ((int64_t)direction * 2 + 1) * width + 2 * hidden);
    no_peepholes(&cell);
    for (int i = 0; kind->has_memory && i < PEEPHOLES; i++)
        cell.peephole[i] = operand_at(eval->in[PEEPHOLE], (direction * PEEPHOLES + i) * hidden);
    set_attrs(&cell, eval->attrs, direction);
    return cell;
}

/* What goes from step to step. */
struct recur_progress {
    const struct eval *eval;
    int direction, directions;
    int64_t steps, units;  /* of one direction */
    float *state;          /* the first */
    float *memory, *spare; /* that of this step and the next */
};

static void fill(float *to, const struct tensor *from, const struct recur_progress *p)
{
    struct cell_operand operand = operand_at(from, p->direction * p->units);

    for (int64_t i = 0; i < p->units; i++)
        to[i] = operand.item[i * operand.step];
}

static void run_sequence(struct cell *cell, struct recur_progress *p)
{
    const struct recurrent_attrs *attrs = p->eval->attrs;
    bool back = attrs->direction == DIRECTION_REVERSE || p->direction == 1;
    const float *input = p->eval->in[INPUT]->data, *state = p->state;
    float *out = p->eval->out[0]->data;

    for (int64_t i = 0; i < p->steps; i++) {
        int64_t at = back ? p->steps - 1 - i : i;
        float *next = out + (at * p->directions + p->direction) * p->units;
        cell_run(cell, &(struct cell_step){input + at * cell->batch * cell->features, state,
                                           p->memory, next, p->spare});
        float *memory = p->memory;
        p->memory = p->spare;
        p->spare = memory;
        state = next;
    }
    size_t size = (size_t)p->units * sizeof(float), offset = (size_t)(p->direction * p->units);
    memcpy((float *)p->eval->out[1]->data + offset, state, size);
    if (cell->kind->has_memory)
        memcpy((float *)p->eval->out[2]->data + offset, p->memory, size);
}

static void run_direction(struct cell *cell, struct recur_progress *p, float *room)
{
    p->state = room;
    p->memory = room + p->units;
    p->spare = room + 2 * p->units;
    fill(p->state, p->eval->in[STATE], p);
    if (cell->kind->has_memory)
        fill(p->memory, p->eval->in[MEMORY], p);
    run_sequence(cell, p);
}

static bool no_memory(const struct eval *eval)
{
    return eval_error(eval, DIAG_RUN_MEMORY, "not enough memory to run '%s'", eval->node->op->name);
}

static bool sequence_eval(const struct eval *eval, const struct cell_kind *kind)
{
    const struct shape *shape = &eval->out[0]->shape;
    struct recur_progress p = {.eval = eval,
                               .directions = (int)shape->extent[1],
                               .steps = shape->extent[0],
                               .units = shape->extent[2] * shape->extent[3]};
    double *scratch = calloc((size_t)p.units + 1, sizeof *scratch);
    float *room = calloc((size_t)p.units * 3 + 1, sizeof *room);
    bool ok = scratch && room;

    assert(kind->gates <= GATES_MAX && kind->activations <= ACTIVATIONS_MAX);
    for (; ok && p.units > 0 && p.direction < p.directions; p.direction++) {
        struct cell cell = cell_of_direction(eval, kind, p.direction);
        cell.scratch = scratch;
        run_direction(&cell, &p, room);
    }
    free(scratch);
    free(room);
    return ok || no_memory(eval);
}

bool rnn_eval(const struct eval *eval)
{
    return sequence_eval(eval, &rnn_kind);
}

bool gru_eval(const struct eval *eval)
{
    return sequence_eval(eval, &gru_kind);
}

bool lstm_eval(const struct eval *eval)
{
    return sequence_eval(eval, &lstm_kind);
}

/* --- single steps -------------------------------------------------------------------------- */

static struct cell cell_of_step(const struct eval *eval, const struct cell_kind *kind)
{
    struct cell cell = {.eval = eval,
                        .kind = kind,
                        .batch = eval->in[0]->shape.extent[0],
                        .features = eval->in[0]->shape.extent[1],
                        .hidden = eval->in[1]->shape.extent[1]};

    no_peepholes(&cell);
    set_attrs(&cell, eval->attrs, 0);
    return cell;
}

/* Operands from `first` on: filter, `parts` of the recurrence, bias, and as many parts of its

 * own. */
static void set_weights(struct cell *cell, const struct eval *eval, int first, int parts)
{
    cell->filter = eval->in[first]->data;
    cell->bias = operand_at(eval->in[first + 1 + parts], 0);
    for (int i = 0; i < parts; i++) {
        cell->recurrence[i] = eval->in[first + 1 + i]->data;
        cell->recurrent[i] = operand_at(eval->in[first + 2 + parts + i], 0);
    }
}

static struct cell_step step_of(const struct eval *eval)
{
    bool memory = eval->node->nout > 1;

    return (struct cell_step){eval->in[0]->data, eval->in[1]->data,
                              memory ? eval->in[2]->data : NULL, eval->out[0]->data,
                              memory ? eval->out[1]->data : NULL};
}

static bool step_eval(const struct eval *eval, struct cell *cell)
{
    const struct cell_step step = step_of(eval);
    double *scratch = calloc((size_t)(cell->batch * cell->hidden) + 1, sizeof *scratch);

    cell->scratch = scratch;
    if (scratch)
        cell_run(cell, &step);
    free(scratch);
    return scratch || no_memory(eval);
}

bool rnn_step_eval(const struct eval *eval)
{
    struct cell cell = cell_of_step(eval, &rnn_kind);

    set_weights(&cell, eval, 2, 1);
    return step_eval(eval, &cell);
}

bool gru_step_eval(const struct eval *eval)
{
    struct cell cell = cell_of_step(eval, &gru_kind);

    set_weights(&cell, eval, 2, 2);
    return step_eval(eval, &cell);
}

bool lstm_step_eval(const struct eval *eval)
{
    const struct recurrent_attrs *attrs = eval->attrs;
    struct cell cell = cell_of_step(eval, &lstm_kind);

    set_weights(&cell, eval, 3, 1);
    for (int i = 0; attrs->peepholes && i < PEEPHOLES; i++)
        cell.peephole[i] = operand_at(eval->in[7 + i], 0);
    return step_eval(eval, &cell);
}
