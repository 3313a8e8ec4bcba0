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

#include <string.h>

enum { OPERANDS_MAX = 10, ATTRS_MAX = 8 };

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

struct setting {
    const char *name;
    struct datum value;
};

static struct datum list(const struct unroll *u, const int64_t *items, int count)
{
    struct datum *data = arena_array_of(u->graph->context->arena, struct datum, count);

    for (int i = 0; i < count; i++)
        data[i] = (struct datum){.kind = DATUM_INTEGER, .integer = items[i]};
    return (struct datum){.kind = DATUM_ARRAY, .count = count, .items = data};
}

static struct datum integer(int64_t value)
{
    return (struct datum){.kind = DATUM_INTEGER, .integer = value};
}

static const struct op_attr *find_attr(enum op_id op, const char *name)
{
    const struct op_attr *attr = op_table[op]->attrs;

    while (attr && attr->name && strcmp(attr->name, name) != 0)
        attr++;
    return attr;
}

/* Settings end with one without name.  NULL after a report, or if an operand is. */
static struct node *make(const struct unroll *u, enum op_id op, struct value *const *in, int count,
                         const struct setting *settings)
{
    struct arena *arena = u->graph->context->arena;
    struct op_operand *operands = arena_array_of(arena, struct op_operand, count);
    struct op_argument *args = arena_array_of(arena, struct op_argument, ATTRS_MAX);
    struct op_call call = {.op = op_table[op],
                           .in = operands,
                           .nin = count,
                           .args = args,
                           .generic = DTYPE_SCALAR,
                           .span = u->node->span,
                           .site = u->node->site};

    for (int i = 0; i < count; i++) {
        operands[i] = (struct op_operand){"operand", in[i], {0}};
        if (!in[i])
            return NULL;
    }
    for (; settings->name; settings++)
        args[call.nargs++] =
            (struct op_argument){find_attr(op, settings->name), settings->value, {0}};
    return op_build(u->graph, &call);
}

static struct value *first(struct node *node)
{
    return node ? &node->out[0] : NULL;
}

static struct value *make_at(const struct unroll *u, enum op_id op, struct value *const *in,
                             int count, int64_t axis)
{
    const struct setting settings[] = {{"axis", integer(axis)}, {0}};

    return first(make(u, op, in, count, settings));
}

static struct value *reshaped(const struct unroll *u, enum op_id op, struct value *x, int64_t axis)
{
    const struct setting settings[] = {{"axes", list(u, &axis, 1)}, {0}};

    return first(make(u, op, &x, 1, settings));
}

/* Items begin <= i < end of an axis; x itself if that is all of it. */
static struct value *slice(const struct unroll *u, struct value *x, int64_t axis, int64_t begin,
                           int64_t end)
{
    const int64_t stride = 1;
    const struct setting settings[] = {{"axes", list(u, &axis, 1)},
                                       {"begin", list(u, &begin, 1)},
                                       {"end", list(u, &end, 1)},
                                       {"stride", list(u, &stride, 1)},
                                       {0}};

    if (!x || (begin == 0 && end == x->shape->extent[axis]))
        return x;
    return first(make(u, OP_slice, &x, 1, settings));
}

static struct value *constant(const struct unroll *u, double value, int64_t rows, int64_t columns)
{
    struct datum *item = arena_new_of(u->graph->context->arena, struct datum);
    const int64_t extents[] = {rows, columns};

    *item = (struct datum){.kind = DATUM_SCALAR, .scalar = value};
    const struct op_argument args[] = {
        {find_attr(OP_constant, "shape"), list(u, extents, 2), {0}},
        {find_attr(OP_constant, "value"), {.kind = DATUM_ARRAY, .count = 1, .items = item}, {0}}};
    struct op_call call = {.op = op_table[OP_constant],
                           .args = args,
                           .nargs = 2,
                           .generic = DTYPE_SCALAR,
                           .span = u->node->span,
                           .site = u->node->site};

    return op_introduce(u->graph, &call);
}

/* --- operands of a direction ----------------------------------------------------------------- */

static struct value *operand(const struct unroll *u, int index)
{
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

    return x ? reshaped(u, OP_squeeze, x, 0) : NULL;
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
    return first(make(u, OP_add, (struct value *[]){zeros, x}, 2, (struct setting[]){{0}}));
}

/* --- one direction --------------------------------------------------------------------------- */

/* Operands of its steps, of which the first three change: input, state and perhaps memory. */
struct cell_values {
    struct value *in[OPERANDS_MAX];
    int count;
    struct setting settings[ATTRS_MAX];
};

static void add(struct cell_values *cell, struct value *value)
{
    cell->in[cell->count++] = value;
}

static void add_weights(const struct unroll *u, int direction, struct cell_values *cell)
{
    int64_t hidden = u->hidden, width = u->kind->gates * hidden;
    struct value *recurrence = matrix(u, RECURRENCE, direction), *bias = part(u, BIAS, direction);
    bool parted = u->kind == &gru_kind;
    int64_t gates = parted ? 2 * hidden : width;

    add(cell, matrix(u, FILTER, direction));
    add(cell, slice(u, recurrence, 0, 0, gates));
    if (parted)
        add(cell, slice(u, recurrence, 0, gates, width));
    add(cell, columns(u, bias, 0, width));
    add(cell, columns(u, bias, width, gates));
    if (parted)
        add(cell, columns(u, bias, width + gates, hidden));
    if (!u->kind->has_memory)
        return;
    struct value *peephole = part(u, PEEPHOLE, direction);
    for (int i = 0; i < PEEPHOLES; i++)
        add(cell, columns(u, peephole, i * hidden, hidden));
}

static bool is_literal_zero(const struct value *value)
{
    return value->kind == VALUE_CONSTANT && value->shape->rank == 0 &&
           tensor_item(value->source->tensor, 0) == 0;
}

static void add_settings(const struct unroll *u, int direction, struct cell_values *cell)
{
    struct datum *items =
        arena_array_of(u->graph->context->arena, struct datum, (size_t)3 * ACTIVATIONS_MAX);
    int count = u->kind->activations, n = 0;

    for (int i = 0; i < count; i++) {
        struct cell_activation a = cell_activation(u->kind, u->attrs, direction, i);
        bool alpha = a.function->takes_alpha, beta = a.function->takes_beta;
        items[i] = (struct datum){.kind = DATUM_STRING,
                                  .count = (int)strlen(a.function->name),
                                  .string = a.function->name};
        items[count + i] = (struct datum){.kind = DATUM_SCALAR, .scalar = alpha ? a.alpha : 0};
        items[2 * count + i] = (struct datum){.kind = DATUM_SCALAR, .scalar = beta ? a.beta : 0};
    }
    static const char *const names[] = {"activations", "alpha", "beta"};
    for (; n < 3; n++)
        cell->settings[n] = (struct setting){
            names[n], {.kind = DATUM_ARRAY, .count = count, .items = items + (ptrdiff_t)n * count}};
    cell->settings[n++] =
        (struct setting){"clip", {.kind = DATUM_SCALAR, .scalar = u->attrs->clip}};
    if (u->kind == &gru_kind)
        cell->settings[n++] =
            (struct setting){"linear_before_reset",
                             {.kind = DATUM_LOGICAL, .logical = u->attrs->linear_before_reset}};
    if (!u->kind->has_memory)
        return;
    cell->settings[n++] = (struct setting){
        "input_forget", {.kind = DATUM_LOGICAL, .logical = u->attrs->input_forget}};
    cell->settings[n++] = (struct setting){
        "peepholes", {.kind = DATUM_LOGICAL, .logical = !is_literal_zero(operand(u, PEEPHOLE))}};
}

/* states[step] is that after it; *last and *memory those after the last. */
static bool run_direction(const struct unroll *u, int direction, struct value **states,
                          struct value **last, struct value **memory)
{
    bool back = u->attrs->direction == DIRECTION_REVERSE || direction == 1;
    struct cell_values cell = {{NULL}, 0, {{0}}};

    add(&cell, NULL);
    add(&cell, initial(u, STATE, direction));
    if (u->kind->has_memory)
        add(&cell, initial(u, MEMORY, direction));
    add_weights(u, direction, &cell);
    add_settings(u, direction, &cell);
    for (int64_t i = 0; i < u->steps; i++) {
        int64_t at = back ? u->steps - 1 - i : i;
        cell.in[0] = u->input[at];
        struct node *node = make(u, u->step, cell.in, cell.count, cell.settings);
        if (!node)
            return false;
        states[at] = cell.in[1] = &node->out[0];
        if (u->kind->has_memory)
            cell.in[2] = &node->out[1];
    }
    *last = cell.in[1];
    *memory = u->kind->has_memory ? cell.in[2] : NULL;
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

/* [steps, directions, batch, hidden] of states by direction and step. */
static struct value *all_states(const struct unroll *u, struct value **states)
{
    struct value *sequence[2] = {NULL};

    for (int d = 0; d < u->directions; d++)
        sequence[d] = make_at(u, OP_stack, states + d * u->steps, (int)u->steps, 0);
    return u->directions == 1 ? sequence[0] ? reshaped(u, OP_unsqueeze, sequence[0], 1) : NULL
                              : make_at(u, OP_stack, sequence, u->directions, 1);
}

static struct value *by_direction(const struct unroll *u, struct value **parts)
{
    return u->directions == 1 ? reshaped(u, OP_unsqueeze, parts[0], 0)
                              : make_at(u, OP_stack, parts, u->directions, 0);
}

/* The input of each step, [batch, features]. */
static bool take_apart(struct unroll *u)
{
    const struct setting settings[] = {{"axis", integer(0)}, {0}};
    struct value *input = operand(u, INPUT);
    struct node *node = make(u, OP_unstack, &input, 1, settings);

    u->input = arena_array_of(u->graph->context->arena, struct value *, u->steps);
    for (int64_t i = 0; node && i < u->steps; i++)
        u->input[i] = &node->out[i];
    return node;
}

static bool unroll(struct graph *graph, struct node *node, const struct cell_kind *kind,
                   struct value **results)
{
    const struct shape *shape = node->out[0].shape;
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
    struct value **states =
        arena_array_of(graph->context->arena, struct value *, u.directions * u.steps);
    struct value *last[2] = {NULL}, *memory[2] = {NULL};

    if (!take_apart(&u))
        return false;
    for (int d = 0; d < u.directions; d++)
        if (!run_direction(&u, d, states + d * u.steps, &last[d], &memory[d]))
            return false;
    results[0] = is_wanted(&u, 0) ? all_states(&u, states) : last[0];
    results[1] = is_wanted(&u, 1) ? by_direction(&u, last) : last[0];
    if (kind->has_memory)
        results[2] = is_wanted(&u, 2) ? by_direction(&u, memory) : last[0];
    return results[0] && results[1] && (!kind->has_memory || results[2]);
}

bool rnn_unroll(struct graph *graph, struct node *node, struct value **results)
{
    return unroll(graph, node, &rnn_kind, results);
}

bool gru_unroll(struct graph *graph, struct node *node, struct value **results)
{
    return unroll(graph, node, &gru_kind, results);
}

bool lstm_unroll(struct graph *graph, struct node *node, struct value **results)
{
    return unroll(graph, node, &lstm_kind, results);
}
