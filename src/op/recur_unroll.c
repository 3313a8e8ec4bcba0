/*
 * recur_unroll.c - rnn, gru and lstm as operations on the single steps of their sequences
 *
 * What each direction needs of the weights is taken once; then there is an operation for each step,
 * in the order in which the direction goes.
 */
#include "op/recurrent.h"

#include "base/arena.h"
#include "diag/context.h"
#include "op/op_build.h"

#include <assert.h>
#include <string.h>

/* The operation being unrolled. */
struct unroll {
    struct graph *graph;
    const struct node *node;
    const struct recurrent_attrs *attrs;
    const struct cell_kind *kind;
    enum op_id step;
    int directions;
    int64_t steps, batch, hidden;
    struct value **input; /* of each step; NULL: none was made yet */
};

/* --- nodes --------------------------------------------------------------------------------- */

/* NULL after a report, or if an operand is. */
static struct node *append(const struct unroll *u, struct op_spec spec, struct value *const *in,
                           int count)
{
    const struct op_origin origin = {.span = u->node->span, .site = u->node->site};

    for (int i = 0; i < count; i++)
        if (!in[i])
            return NULL;
    return op_append(u->graph, spec, in, count, &origin);
}

static struct value *first(struct node *node)
{
    return node ? &node->out[0] : NULL;
}

static struct value *stacked(const struct unroll *u, struct value *const *in, int count,
                             int64_t axis)
{
    return first(append(u, OP_SPEC(stack, .axis = axis), in, count));
}

static struct value *unsqueezed(const struct unroll *u, struct value *x, int64_t axis)
{
    return first(append(u, OP_SPEC(unsqueeze, .axes = {1, &axis}), &x, 1));
}

/* Items begin <= i < end of an axis; x itself if that is all of it. */
static struct value *slice(const struct unroll *u, struct value *x, int64_t axis, int64_t begin,
                           int64_t end)
{
    const int64_t stride = 1;

    assert(begin >= 0 && begin <= end);
    if (!x || (begin == 0 && end == x->shape->extent[axis]))
        return x;
    return first(append(u,
                        OP_SPEC(slice, .axes = {1, &axis}, .begin = {1, &begin}, .end = {1, &end},
                                .stride = {1, &stride}),
                        &x, 1));
}

static struct value *constant(const struct unroll *u, double value, int64_t rows, int64_t columns)
{
    const struct datum item = {.kind = DATUM_SCALAR, .scalar = value};
    const int64_t extents[] = {rows, columns};
    struct op_spec spec = OP_SPEC(constant, .shape = {2, extents}, .value = {1, &item});

    return op_introduce(u->graph, &(struct op_call){.op = &op_constant,
                                                    .attrs = spec.attrs,
                                                    .generic = DTYPE_SCALAR,
                                                    .span = u->node->span,
                                                    .site = u->node->site});
}

/* --- operands of a direction ----------------------------------------------------------------- */

static struct value *operand(const struct unroll *u, int index)
{
    assert(index >= 0 && (uint32_t)index < u->node->nin);
    return u->node->in[index].value;
}

/* What an operand has for a direction; a single number is the same for all. */
static struct value *part(const struct unroll *u, int index, int direction)
{
    struct value *x = operand(u, index);

    return x->shape->rank == 0 ? x : slice(u, x, 0, direction, direction + 1);
}

/* The same without the dimension of directions. */
static struct value *matrix(const struct unroll *u, int index, int direction)
{
    struct value *x = part(u, index, direction);

    return first(append(u, OP_SPEC(squeeze, .axes = {1, &(int64_t){0}}), &x, 1));
}

/* Columns of a bias or of peepholes, [1, columns]. */
static struct value *columns(const struct unroll *u, struct value *x, int64_t begin, int64_t count)
{
    return x && x->shape->rank > 0 ? slice(u, x, 1, begin, begin + count) : x;
}

/* A state before the first step.  Of a number that is computed there is one for each item. */
static struct value *initial(const struct unroll *u, int index, int direction)
{
    struct value *x = operand(u, index);
    struct value *zeros;

    if (x->shape->rank > 0)
        return matrix(u, index, direction);
    if (x->kind == VALUE_CONSTANT)
        return constant(u, tensor_item(x->source->tensor, 0), u->batch, u->hidden);
    zeros = constant(u, 0, u->batch, u->hidden);
    return first(append(u, op_plain(OP_add), (struct value *[]){zeros, x}, 2));
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

static void set_attrs(const struct unroll *u, int direction, struct cell_values *cell)
{
    const struct cell_kind *kind = u->kind;
    const struct value *seen = kind->has_memory ? operand(u, PEEPHOLE) : NULL;
    bool blind = seen && seen->kind == VALUE_CONSTANT && seen->shape->rank == 0 &&
                 tensor_item(seen->source->tensor, 0) == 0;

    for (int i = 0; i < kind->activations; i++) {
        struct cell_activation a = cell_activation(kind, u->attrs, direction, i);
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
        .clip = u->attrs->clip,
        .linear_before_reset = u->attrs->linear_before_reset,
        .input_forget = u->attrs->input_forget,
        .peepholes = seen && !blind,
    };
}

/* states[step] is that after it; *last and *memory those after the last. */
static bool run_direction(const struct unroll *u, int direction, struct value **states,
                          struct value **last, struct value **memory)
{
    bool back = u->attrs->direction == DIRECTION_REVERSE || direction == 1;
    bool has_memory = u->kind->has_memory, parted = u->kind == &gru_kind;
    int64_t hidden = u->hidden, width = u->kind->gates * hidden;
    int64_t gates = parted ? 2 * hidden : width;
    struct cell_values cell = {.count = 0};

    add(&cell, NULL);
    add(&cell, initial(u, STATE, direction));
    if (has_memory)
        add(&cell, initial(u, MEMORY, direction));

    /* Weights, in the order of the step's operands; the last gate of gru stands apart. */
    struct value *recurrence = matrix(u, RECURRENCE, direction), *bias = part(u, BIAS, direction);
    add(&cell, matrix(u, FILTER, direction));
    add(&cell, slice(u, recurrence, 0, 0, gates));
    if (parted)
        add(&cell, slice(u, recurrence, 0, gates, width));
    add(&cell, columns(u, bias, 0, width));
    add(&cell, columns(u, bias, width, gates));
    if (parted)
        add(&cell, columns(u, bias, width + gates, hidden));
    struct value *peephole = has_memory ? part(u, PEEPHOLE, direction) : NULL;
    for (int i = 0; has_memory && i < PEEPHOLES; i++)
        add(&cell, columns(u, peephole, i * hidden, hidden));

    set_attrs(u, direction, &cell);
    for (int64_t i = 0; i < u->steps; i++) {
        int64_t at = back ? u->steps - 1 - i : i;
        cell.in[0] = u->input[at];
        struct node *node = append(u, (struct op_spec){u->step, &cell.attrs}, cell.in, cell.count);
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

static bool is_wanted(const struct unroll *u, int result)
{
    const struct value *value = &u->node->out[result];
    bool wanted = value->uses || value->name;

    for (int i = 0; i < u->graph->noutput; i++)
        wanted |= u->graph->outputs[i].value == value;
    return wanted;
}

/* [directions, batch, hidden] of what each direction has. */
static struct value *by_direction(const struct unroll *u, struct value **parts)
{
    return u->directions == 1 ? unsqueezed(u, parts[0], 0) : stacked(u, parts, u->directions, 0);
}

bool sequence_unroll(struct graph *graph, struct node *node, struct value **results)
{
    const struct shape *shape = node->out[0].shape;
    const struct cell_kind *kind = cell_kind_of(node->op);
    struct arena *arena = graph->context->arena;
    struct unroll u = {.graph = graph,
                       .node = node,
                       .attrs = node->attrs,
                       .kind = kind,
                       .step = kind->has_memory    ? OP_lstm_step
                               : kind == &gru_kind ? OP_gru_step
                                                   : OP_rnn_step,
                       .directions = (int)shape->extent[1],
                       .steps = shape->extent[0],
                       .batch = shape->extent[2],
                       .hidden = shape->extent[3]};
    struct value **states = arena_array_of(arena, struct value *, u.directions * u.steps);
    struct value *last[2] = {NULL}, *memory[2] = {NULL}, *sequence[2] = {NULL};
    struct value *input = operand(&u, INPUT);
    struct node *inputs = append(&u, OP_SPEC(unstack, .axis = 0), &input, 1);

    assert(node->nout == (kind->has_memory ? 3 : 2) && u.directions <= 2);
    u.input = arena_array_of(arena, struct value *, u.steps);
    if (!inputs)
        return false;
    for (int64_t i = 0; i < u.steps; i++)
        u.input[i] = &inputs->out[i];
    for (int d = 0; d < u.directions; d++)
        if (!run_direction(&u, d, states + d * u.steps, &last[d], &memory[d]))
            return false;

    /* Nothing is made for a result that nobody uses: any value stands for it. */
    results[0] = results[1] = last[0];
    if (kind->has_memory)
        results[2] = last[0];
    if (is_wanted(&u, 0)) {
        for (int d = 0; d < u.directions; d++)
            sequence[d] = stacked(&u, states + d * u.steps, (int)u.steps, 0);
        results[0] = u.directions == 1 ? unsqueezed(&u, sequence[0], 1)
                                       : stacked(&u, sequence, u.directions, 1);
    }
    if (is_wanted(&u, 1))
        results[1] = by_direction(&u, last);
    if (kind->has_memory && is_wanted(&u, 2))
        results[2] = by_direction(&u, memory);
    return results[0] && results[1] && (!kind->has_memory || results[2]);
}
