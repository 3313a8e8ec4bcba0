/*
 * recur_unroll.c - rnn, gru and lstm as operations on the single steps of their sequences
 *
 * What each direction needs of the weights is taken once; then there is an operation for each step,
 * in the order in which the direction goes.
 */
#include "op/recurrent.h"

#include "base/arena.h"
#include "diag/context.h"
#include "op/unroll.h"

#include <assert.h>
#include <string.h>

struct recur_unroll {
    struct unroll u;
    const struct recurrent_attrs *attrs;
    const struct cell_kind *kind;
    enum op_id step;
    int directions;
    int64_t steps, batch, hidden;
    struct value **input; /* of each step; NULL: none was made yet */
};

/* --- nodes --------------------------------------------------------------------------------- */

static struct value *stacked(const struct recur_unroll *r, struct value *const *in, int count,
                             int64_t axis)
{
    return unroll_first(&r->u, OP_SPEC(stack, .axis = axis), in, count);
}

static struct value *unsqueezed(const struct recur_unroll *r, struct value *x, int64_t axis)
{
    return unroll_first(&r->u, OP_SPEC(unsqueeze, .axes = {1, &axis}), &x, 1);
}

/* x itself if that is all of it. */
static struct value *slice(const struct recur_unroll *r, struct value *x, int64_t axis,
                           int64_t begin, int64_t end)
{
    if (!x || (begin == 0 && end == x->shape->extent[axis]))
        return x;
    return unroll_slice(&r->u, x, axis, begin, end);
}

/* --- operands of a direction ----------------------------------------------------------------- */

static struct value *operand(const struct recur_unroll *r, int index)
{
    assert(index >= 0 && (uint32_t)index < r->u.node->nin);
    return r->u.node->in[index].value;
}

/* What an operand has for a direction; a single number is the same for all. */
static struct value *part(const struct recur_unroll *r, int index, int direction)
{
    struct value *x = operand(r, index);

    return x->shape->rank == 0 ? x : slice(r, x, 0, direction, direction + 1);
}

/* The same without the dimension of directions. */
static struct value *matrix(const struct recur_unroll *r, int index, int direction)
{
    struct value *x = part(r, index, direction);

    return unroll_first(&r->u, OP_SPEC(squeeze, .axes = {1, &(int64_t){0}}), &x, 1);
}

/* Columns of a bias or of peepholes, [1, columns]. */
static struct value *columns(const struct recur_unroll *r, struct value *x, int64_t begin,
                             int64_t count)
{
    return x && x->shape->rank > 0 ? slice(r, x, 1, begin, begin + count) : x;
}

/* A state before the first step.  Of a number that is computed there is one for each item. */
static struct value *initial(const struct recur_unroll *r, int index, int direction)
{
    const struct shape shape = {.rank = 2, .extent = {r->batch, r->hidden}};
    struct value *x = operand(r, index);

    return x->shape->rank > 0 ? matrix(r, index, direction) : unroll_spread(&r->u, x, &shape);
}

/* --- one direction --------------------------------------------------------------------------- */

/* Operands of its steps, of which the first three change: input, state and perhaps memory. */
struct cell_values {
    struct value *in[STEP_OPERANDS];
    int count;
    struct recurrent_attrs attrs;
    struct datum activation[ACTIVATIONS_MAX], alpha[ACTIVATIONS_MAX], beta[ACTIVATIONS_MAX];
};

static void add(struct cell_values *cell, struct value *value)
{
    assert(cell->count < STEP_OPERANDS);
    cell->in[cell->count++] = value;
}

static void set_attrs(const struct recur_unroll *r, int direction, struct cell_values *cell)
{
    const struct cell_kind *kind = r->kind;
    const struct value *seen = kind->has_memory ? operand(r, PEEPHOLE) : NULL;
    bool blind = seen && seen->kind == VALUE_CONSTANT && seen->shape->rank == 0 &&
                 tensor_item(seen->source->tensor, 0) == 0;

    for (int i = 0; i < kind->activations; i++) {
        struct cell_activation a = cell_activation(kind, r->attrs, direction, i);
        const char *name = a.function->name;
        cell->activation[i] =
            (struct datum){.kind = DATUM_STRING, .count = (int)strlen(name), .string = name};
        cell->alpha[i] =
            (struct datum){.kind = DATUM_SCALAR, .scalar = a.function->takes_alpha ? a.alpha : 0};
        cell->beta[i] =
            (struct datum){.kind = DATUM_SCALAR, .scalar = a.function->takes_beta ? a.beta : 0};
    }
    cell->attrs = (struct recurrent_attrs){
        .activations = {kind->activations, cell->activation},
        .alpha = {kind->activations, cell->alpha},
        .beta = {kind->activations, cell->beta},
        .clip = r->attrs->clip,
        .linear_before_reset = r->attrs->linear_before_reset,
        .input_forget = r->attrs->input_forget,
        .peepholes = seen && !blind,
    };
}

/* states[step] is that after it; *last and *memory those after the last. */
static bool run_direction(const struct recur_unroll *r, int direction, struct value **states,
                          struct value **last, struct value **memory)
{
    bool back = r->attrs->direction == DIRECTION_REVERSE || direction == 1;
    bool has_memory = r->kind->has_memory, parted = r->kind == &gru_kind;
    int64_t hidden = r->hidden, width = r->kind->gates * hidden;
    int64_t gates = parted ? 2 * hidden : width;
    struct cell_values cell = {.count = 0};

    add(&cell, NULL);
    add(&cell, initial(r, STATE, direction));
    if (has_memory)
        add(&cell, initial(r, MEMORY, direction));

    /* Weights, in the order of the step's operands; the last gate of gru stands apart. */
    struct value *recurrence = matrix(r, RECURRENCE, direction), *bias = part(r, BIAS, direction);
    add(&cell, matrix(r, FILTER, direction));
    add(&cell, slice(r, recurrence, 0, 0, gates));
    if (parted)
        add(&cell, slice(r, recurrence, 0, gates, width));
    add(&cell, columns(r, bias, 0, width));
    add(&cell, columns(r, bias, width, gates));
    if (parted)
        add(&cell, columns(r, bias, width + gates, hidden));
    struct value *peephole = has_memory ? part(r, PEEPHOLE, direction) : NULL;
    for (int i = 0; has_memory && i < PEEPHOLES; i++)
        add(&cell, columns(r, peephole, i * hidden, hidden));

    set_attrs(r, direction, &cell);
    for (int64_t i = 0; i < r->steps; i++) {
        int64_t at = back ? r->steps - 1 - i : i;
        cell.in[0] = r->input[at];
        struct node *node =
            unroll_node(&r->u, (struct op_spec){r->step, &cell.attrs}, cell.in, cell.count);
        if (!node)
            return false;
        states[at] = cell.in[1] = &node->out[0];
        if (has_memory)
            cell.in[2] = &node->out[1];
    }
    *last = cell.in[1];
    *memory = has_memory ? cell.in[2] : NULL;
    return *last;
}

/* --- the whole ------------------------------------------------------------------------------- */

static bool is_wanted(const struct recur_unroll *r, int result)
{
    const struct value *value = &r->u.node->out[result];
    bool wanted = value->uses || value->name;

    for (int i = 0; i < r->u.graph->noutput; i++)
        wanted |= r->u.graph->outputs[i].value == value;
    return wanted;
}

/* [directions, batch, hidden] of what each direction has. */
static struct value *by_direction(const struct recur_unroll *r, struct value **parts)
{
    return r->directions == 1 ? unsqueezed(r, parts[0], 0) : stacked(r, parts, r->directions, 0);
}

bool sequence_unroll(struct graph *graph, struct node *node, struct value **results)
{
    const struct shape *shape = node->out[0].shape;
    const struct cell_kind *kind = cell_kind_of(node->op);
    struct arena *arena = graph->context->arena;
    struct recur_unroll r = {.u = {graph, node},
                             .attrs = node->attrs,
                             .kind = kind,
                             .step = kind->has_memory    ? OP_lstm_step
                                     : kind == &gru_kind ? OP_gru_step
                                                         : OP_rnn_step,
                             .directions = (int)shape->extent[1],
                             .steps = shape->extent[0],
                             .batch = shape->extent[2],
                             .hidden = shape->extent[3]};
    struct value **states = arena_array_of(arena, struct value *, r.directions * r.steps);
    struct value *last[2] = {NULL}, *memory[2] = {NULL}, *sequence[2] = {NULL};
    struct value *input = operand(&r, INPUT);
    struct node *inputs = unroll_node(&r.u, OP_SPEC(unstack, .axis = 0), &input, 1);

    assert(node->nout == (kind->has_memory ? 3 : 2) && r.directions <= 2);
    r.input = arena_array_of(arena, struct value *, r.steps);
    if (!inputs)
        return false;
    for (int64_t i = 0; i < r.steps; i++)
        r.input[i] = &inputs->out[i];
    for (int d = 0; d < r.directions; d++)
        if (!run_direction(&r, d, states + d * r.steps, &last[d], &memory[d]))
            return false;

    /* Nothing is made for a result that nobody uses: any value stands for it. */
    results[0] = results[1] = last[0];
    if (kind->has_memory)
        results[2] = last[0];
    if (is_wanted(&r, 0)) {
        for (int d = 0; d < r.directions; d++)
            sequence[d] = stacked(&r, states + d * r.steps, (int)r.steps, 0);
        results[0] = r.directions == 1 ? unsqueezed(&r, sequence[0], 1)
                                       : stacked(&r, sequence, r.directions, 1);
    }
    if (is_wanted(&r, 1))
        results[1] = by_direction(&r, last);
    if (kind->has_memory && is_wanted(&r, 2))
        results[2] = by_direction(&r, memory);
    return results[0] && results[1] && (!kind->has_memory || results[2]);
}
