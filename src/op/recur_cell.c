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

#include "base/num.h"
#include "op/compute.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- activations --------------------------------------------------------------------------- */

#define ACTIVATION(name, takes_alpha, takes_beta, first, second, formula) \
    static double name##_of(double x, double alpha, double beta)          \
    {                                                                     \
        (void)alpha, (void)beta;                                          \
        return formula;                                                   \
    }
#include "op/cell.def"
#undef ACTIVATION

const struct activation cell_activations[] = {
#define ACTIVATION(name, takes_alpha, takes_beta, first, second, formula) \
    {#name, takes_alpha, takes_beta, first, second, name##_of},
#include "op/cell.def"
#undef ACTIVATION
    {.name = NULL},
};

const struct activation *activation_find(const char *name)
{
    for (const struct activation *a = cell_activations; a->name; a++)
        if (strcmp(a->name, name) == 0)
            return a;
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
    assert(a.function);
    a.alpha = attrs->alpha.count ? attrs->alpha.item[index].scalar : a.function->alpha;
    a.beta = attrs->beta.count ? attrs->beta.item[index].scalar : a.function->beta;
    return a;
}

/* --- cells --------------------------------------------------------------------------------- */

/* Items of an operand, or one for all: step 0. */
struct cell_operand {
    const float *item;
    int64_t step;
};

struct cell {
    const struct eval *eval;
    const struct cell_kind *kind;
    int64_t batch, features, hidden;
    const float *filter;                     /* [gates * hidden, features] */
    const float *recurrence[2];              /* [.., hidden]; gru: of the gates, then of h */
    struct cell_operand bias, recurrent[2];  /* by gates; likewise */
    struct cell_operand peephole[PEEPHOLES]; /* i, o, f */
    struct cell_activation activation[ACTIVATIONS_MAX];
    double clip;
    bool linear_before_reset, input_forget;
    double *scratch; /* [batch, hidden]; gru: what its last gate reads of the state */
};

/* What a step reads and writes: [batch, features] and [batch, hidden]; no two are the same. */
struct cell_step {
    const struct cell *cell;
    const float *input, *state, *memory;
    float *next_state, *next_memory;
};

/* Without weights; peepholes see nothing. */
static struct cell cell_of(const struct eval *eval, int direction)
{
    static const float none = 0;
    const struct recurrent_attrs *attrs = eval->attrs;
    struct cell cell = {.eval = eval,
                        .kind = cell_kind_of(eval->node->op),
                        .clip = attrs->clip,
                        .linear_before_reset = attrs->linear_before_reset,
                        .input_forget = attrs->input_forget};

    assert(cell.kind->gates <= GATES_MAX && cell.kind->activations <= ACTIVATIONS_MAX);
    for (int i = 0; i < cell.kind->activations; i++)
        cell.activation[i] = cell_activation(cell.kind, attrs, direction, i);
    for (int i = 0; i < PEEPHOLES; i++)
        cell.peephole[i] = (struct cell_operand){&none, 0};
    return cell;
}

static struct cell_operand operand_at(const struct tensor *tensor, int64_t offset)
{
    bool single = tensor->shape.rank == 0;

    return (struct cell_operand){(const float *)tensor->data + (single ? 0 : offset), !single};
}

/* --- one step ------------------------------------------------------------------------------ */

/* Activation `which` of x, which is clipped before. */
static double activate(const struct cell *cell, int which, double x)
{
    const struct cell_activation *a = &cell->activation[which];

    assert(which >= 0 && which < ACTIVATIONS_MAX);
    if (cell->clip > 0)
        x = num_greater(num_lesser(x, cell->clip), -cell->clip);
    return a->function->of(x, a->alpha, a->beta);
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
static double from_input(const struct cell_step *step, int64_t batch, int64_t row)
{
    const struct cell *cell = step->cell;

    return product(cell->filter + row * cell->features, step->input + batch * cell->features,
                   cell->features) +
           item(&cell->bias, row);
}

/* What gate `index` of a unit, an item of [batch, hidden], sums of input and state. */
static double gate(const struct cell_step *step, int64_t unit, int index)
{
    const struct cell *cell = step->cell;
    int64_t batch = unit / cell->hidden, row = index * cell->hidden + unit % cell->hidden;

    assert(index >= 0 && index < cell->kind->gates);
    double state = product(cell->recurrence[0] + row * cell->hidden,
                           step->state + batch * cell->hidden, cell->hidden) +
                   item(&cell->recurrent[0], row);
    return from_input(step, batch, row) + state;
}

static void step_rnn(const void *data, int64_t unit)
{
    const struct cell_step *step = data;

    step->next_state[unit] = (float)activate(step->cell, 0, gate(step, unit, 0));
}

/* The reset state r . h, which is needed of all units before any can go on. */
static void reset(const void *data, int64_t unit)
{
    const struct cell_step *step = data;
    const struct cell *cell = step->cell;
    double r = activate(cell, 0, gate(step, unit, 1));

    cell->scratch[unit] = cell->linear_before_reset ? r : r * (double)step->state[unit];
}

static void step_gru(const void *data, int64_t unit)
{
    const struct cell_step *step = data;
    const struct cell *cell = step->cell;
    int64_t hidden = cell->hidden, batch = unit / hidden, row = unit % hidden;
    const float *weights = cell->recurrence[1] + row * hidden;
    const double *scratch = cell->scratch + batch * hidden;
    double z = activate(cell, 0, gate(step, unit, 0)), sum = 0;

    if (cell->linear_before_reset)
        sum = scratch[row] * (product(weights, step->state + batch * hidden, hidden) +
                              item(&cell->recurrent[1], row));
    for (int64_t i = 0; !cell->linear_before_reset && i < hidden; i++)
        sum += (double)weights[i] * scratch[i];
    if (!cell->linear_before_reset)
        sum += item(&cell->recurrent[1], row);
    double h = activate(cell, 1, from_input(step, batch, 2 * hidden + row) + sum);
    step->next_state[unit] = (float)((1 - z) * h + z * (double)step->state[unit]);
}

static void step_lstm(const void *data, int64_t unit)
{
    const struct cell_step *step = data;
    const struct cell *cell = step->cell;
    int64_t row = unit % cell->hidden;
    const struct cell_operand *seen = cell->peephole;

    assert(step->memory && step->next_memory);
    double memory = (double)step->memory[unit];
    double i = activate(cell, 0, gate(step, unit, 0) + item(&seen[0], row) * memory);
    double f = cell->input_forget
                   ? 1 - i
                   : activate(cell, 0, gate(step, unit, 2) + item(&seen[2], row) * memory);
    double next = f * memory + i * activate(cell, 1, gate(step, unit, 3));
    double o = activate(cell, 0, gate(step, unit, 1) + item(&seen[1], row) * next);

    step->next_memory[unit] = (float)next;
    step->next_state[unit] = (float)(o * activate(cell, 2, next));
}

/* Threads share the units; those of gru wait for one another after the reset. */
static void cell_run(const struct cell_step *step)
{
    const struct cell *cell = step->cell;
    int64_t units = cell->batch * cell->hidden;
    int64_t work = cell->kind->gates * (cell->features + cell->hidden);

    if (cell->kind == &gru_kind) {
        eval_share_part(cell->eval, units, work, reset, step);
        eval_share_part(cell->eval, units, work, step_gru, step);
    } else {
        eval_share_part(cell->eval, units, work, cell->kind == &lstm_kind ? step_lstm : step_rnn,
                        step);
    }
}

/* --- sequences ----------------------------------------------------------------------------- */

static struct cell cell_of_direction(const struct eval *eval, int direction)
{
    const struct shape *input = &eval->in[INPUT]->shape;
    struct cell cell = cell_of(eval, direction);
    int64_t hidden = eval->in[RECURRENCE]->shape.extent[2], width = cell.kind->gates * hidden;
    int64_t recurrent = ((int64_t)direction * 2 + 1) * width; /* its biases follow those of input */

    assert(direction == 0 || direction == 1);
    cell.batch = input->extent[1];
    cell.features = input->extent[2];
    cell.hidden = hidden;
    cell.filter = (const float *)eval->in[FILTER]->data + direction * width * cell.features;
    cell.recurrence[0] = (const float *)eval->in[RECURRENCE]->data + direction * width * hidden;
    cell.recurrence[1] = cell.recurrence[0] + 2 * hidden * (cell.kind == &gru_kind ? hidden : 0);
    cell.bias = operand_at(eval->in[BIAS], recurrent - width);
    cell.recurrent[0] = operand_at(eval->in[BIAS], recurrent);
    cell.recurrent[1] = operand_at(eval->in[BIAS], recurrent + 2 * hidden);
    for (int i = 0; cell.kind->has_memory && i < PEEPHOLES; i++)
        cell.peephole[i] = operand_at(eval->in[PEEPHOLE], (direction * PEEPHOLES + i) * hidden);
    return cell;
}

/* The first state of a direction, or its memory. */
static void fill(float *to, const struct tensor *from, int direction, int64_t units)
{
    struct cell_operand operand = operand_at(from, direction * units);

    for (int64_t i = 0; i < units; i++)
        to[i] = operand.item[i * operand.step];
}

/* `room` holds the first state, and the memories of a step and of the next. */
static void run_direction(const struct cell *cell, int direction, float *room)
{
    const struct eval *eval = cell->eval;
    const struct recurrent_attrs *attrs = eval->attrs;
    const struct shape *shape = &eval->out[0]->shape;
    bool back = attrs->direction == DIRECTION_REVERSE || direction == 1;
    int64_t steps = shape->extent[0], directions = shape->extent[1];
    int64_t units = cell->batch * cell->hidden;
    const float *input = eval->in[INPUT]->data, *state = room;
    float *out = eval->out[0]->data, *memory = room + units, *spare = room + 2 * units;

    fill(room, eval->in[STATE], direction, units);
    if (cell->kind->has_memory)
        fill(memory, eval->in[MEMORY], direction, units);
    for (int64_t i = 0; i < steps; i++) {
        int64_t at = back ? steps - 1 - i : i;
        float *next = out + (at * directions + direction) * units, *old = memory;
        cell_run(&(struct cell_step){cell, input + at * cell->batch * cell->features, state, memory,
                                     next, spare});
        memory = spare;
        spare = old;
        state = next;
    }

    /* The last state stays in the sequence and is a result of its own. */
    size_t size = (size_t)units * sizeof(float), offset = (size_t)(direction * units);
    memcpy((float *)eval->out[1]->data + offset, state, size);
    if (cell->kind->has_memory)
        memcpy((float *)eval->out[2]->data + offset, memory, size);
}

bool sequence_eval(const struct eval *eval)
{
    const struct shape *shape = &eval->out[0]->shape;
    int64_t units = shape->extent[2] * shape->extent[3];
    double *scratch = calloc((size_t)units + 1, sizeof *scratch);
    float *room = calloc((size_t)units * 3 + 1, sizeof *room);
    bool ok = scratch && room;

    for (int direction = 0; ok && units > 0 && direction < shape->extent[1]; direction++) {
        struct cell cell = cell_of_direction(eval, direction);
        cell.scratch = scratch;
        run_direction(&cell, direction, room);
    }
    free(scratch);
    free(room);
    return ok || eval_no_memory(eval);
}

/* --- single steps -------------------------------------------------------------------------- */

/* Operands are those that step_infer() lists. */
bool step_eval(const struct eval *eval)
{
    const struct recurrent_attrs *attrs = eval->attrs;
    struct cell cell = cell_of(eval, 0);
    bool memory = cell.kind->has_memory;
    int parts = cell.kind == &gru_kind ? 2 : 1;
    const struct tensor *const *weights = eval->in + (memory ? 3 : 2);
    const struct cell_step step = {.cell = &cell,
                                   .input = eval->in[0]->data,
                                   .state = eval->in[1]->data,
                                   .memory = memory ? eval->in[2]->data : NULL,
                                   .next_state = eval->out[0]->data,
                                   .next_memory = memory ? eval->out[1]->data : NULL};

    cell.batch = eval->in[0]->shape.extent[0];
    cell.features = eval->in[0]->shape.extent[1];
    cell.hidden = eval->in[1]->shape.extent[1];
    cell.filter = weights[0]->data;
    cell.bias = operand_at(weights[1 + parts], 0);
    for (int i = 0; i < parts; i++) {
        cell.recurrence[i] = weights[1 + i]->data;
        cell.recurrent[i] = operand_at(weights[2 + parts + i], 0);
    }
    for (int i = 0; memory && attrs->peepholes && i < PEEPHOLES; i++)
        cell.peephole[i] = operand_at(weights[4 + i], 0);

    cell.scratch = calloc((size_t)(cell.batch * cell.hidden) + 1, sizeof *cell.scratch);
    if (!cell.scratch)
        return eval_no_memory(eval);
    cell_run(&step);
    free(cell.scratch);
    return true;
}
