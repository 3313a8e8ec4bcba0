/*
 * bytes.c - integers that lie in memory as bytes, or as words of 16 bits
 *
 * Results of operations that say between which bounds their integers are, and what moves these,
 * take a byte or a word for each item if a backend plans, unless somebody outside sees them.  Steps
 * of the reference read and write integers of 64 bits: a step before or behind them converts.
 */
#include "base/arena.h"
#include "exec/planner.h"
#include "op/op.h"
#include "tensor/tensor.h"

#include <assert.h>
#include <stdint.h>

/* --- which integers --------------------------------------------------------------------------- */

static enum byte_kind kind_within(const struct planner *planner, int64_t low, int64_t high)
{
    if (low >= 0 && high <= UINT8_MAX)
        return UNSIGNED_BYTES;
    if (low >= INT8_MIN && high <= INT8_MAX)
        return SIGNED_BYTES;
    if (!planner->plan->backend->words)
        return NO_BYTES;
    if (low >= 0 && high <= UINT16_MAX)
        return UNSIGNED_WORDS;
    return low >= INT16_MIN && high <= INT16_MAX ? SIGNED_WORDS : NO_BYTES;
}

/* What integer_wrap makes. */
static enum byte_kind kind_of_wrapped(const struct planner *planner, const struct node *node)
{
    const int64_t bits = attr_bits(node);

    if (bits != 8 && bits != 16)
        return NO_BYTES;
    const int64_t low = attr_is_signed(node) ? -(INT64_C(1) << (bits - 1)) : 0;
    return kind_within(planner, low, low + (INT64_C(1) << bits) - 1);
}

static bool is_of_kind(enum byte_kind kind, int64_t item)
{
    switch (kind) {
    case NO_BYTES:
        return false;
    case UNSIGNED_BYTES:
        return item >= 0 && item <= UINT8_MAX;
    case SIGNED_BYTES:
        return item >= INT8_MIN && item <= INT8_MAX;
    case UNSIGNED_WORDS:
        return item >= 0 && item <= UINT16_MAX;
    case SIGNED_WORDS:
        return item >= INT16_MIN && item <= INT16_MAX;
    }
    return false;
}

/* The planner, and by value id: somebody outside sees it. */
struct finding {
    struct planner *planner;
    const bool *shown;
};

/* Can a constant lie as integers of that kind?  It does so from then on: nodes do nothing with it
 * but join it. */
static bool joins_as(const struct finding *f, const struct value *value, enum byte_kind kind)
{
    const struct tensor *tensor = plan_constant(f->planner, value);
    enum byte_kind *own = &f->planner->bytes[value->id];

    if (*own != NO_BYTES || f->shown[value->id])
        return *own == kind;
    for (const struct use *use = value->uses; use; use = use->next)
        if (!node_joins(use->node))
            return false;
    for (int64_t i = 0, count = shape_volume(&tensor->shape); i < count; i++)
        if (!is_of_kind(kind, tensor_integer(tensor, i)))
            return false;
    *own = kind;
    return true;
}

/* What moves integers of one kind makes integers of that kind. */
static enum byte_kind kind_of_moved(const struct finding *f, const struct node *node)
{
    const struct value *first = NULL;
    enum byte_kind kind = NO_BYTES;

    for (uint32_t i = 0; i < node->nin; i++) {
        const struct value *value = node->in[i].value;
        if (plan_constant(f->planner, value))
            continue;
        if (first && f->planner->bytes[value->id] != kind)
            return NO_BYTES;
        first = value;
        kind = f->planner->bytes[value->id];
    }
    for (uint32_t i = 0; i < node->nin && kind != NO_BYTES; i++)
        if (plan_constant(f->planner, node->in[i].value) && !joins_as(f, node->in[i].value, kind))
            kind = NO_BYTES;
    return kind;
}

static enum byte_kind kind_of(const struct finding *f, const struct node *node)
{
    if (node_has_attr(node, ATTR_low))
        return kind_within(f->planner, attr_low(node), attr_high(node));
    if (is_op(node, OP_integer_wrap))
        return kind_of_wrapped(f->planner, node);
    return node->op->traits & OP_MOVES ? kind_of_moved(f, node) : NO_BYTES;
}

/* What moves a value that is shown is wide, too, and so is what was moved to be it. */
void bytes_find(struct planner *planner)
{
    const struct graph *graph = planner->graph;
    bool *shown = arena_array_of(planner->scratch, bool, (size_t)graph->value_count + 1);
    const struct finding finding = {planner, shown};
    bool any = false;

    for (const struct node *n = graph->first; n && !any; n = n->next)
        any = node_has_attr(n, ATTR_low);
    if (!any || plan_is_reference(planner->plan))
        return;
    planner->bytes =
        arena_array_of(planner->scratch, enum byte_kind, (size_t)graph->value_count + 1);
    for (int i = 0; i < graph->noutput; i++)
        shown[graph->outputs[i].value->id] = true;
    for (int i = 0; i < planner->options->nretained; i++)
        shown[planner->options->retained[i]->id] = true;
    for (const struct node *n = graph->last; n; n = n->prev) {
        bool seen = n->op->traits & OP_EFFECT;
        for (uint32_t i = 0; i < n->nout; i++)
            seen |= shown[n->out[i].id];
        const bool passes_on = n->op->traits & (OP_MOVES | OP_EFFECT);
        for (uint32_t i = 0; i < n->nin && seen && passes_on; i++)
            shown[n->in[i].value->id] = true;
    }
    for (const struct node *n = graph->first; n; n = n->next)
        for (uint32_t i = 0; i < n->nout; i++)
            if (n->out[i].dtype == DTYPE_INTEGER && !shown[n->out[i].id])
                planner->bytes[n->out[i].id] = kind_of(&finding, n);
}

size_t plan_narrow_size(const struct planner *planner, const struct value *value, bool *is_signed)
{
    enum byte_kind kind = planner->bytes ? planner->bytes[value->id] : NO_BYTES;

    *is_signed = kind == SIGNED_BYTES || kind == SIGNED_WORDS;
    if (kind == UNSIGNED_WORDS || kind == SIGNED_WORDS)
        return sizeof(uint16_t);
    return kind != NO_BYTES;
}

bool plan_has_bytes(const struct planner *planner, const struct value *value, bool *is_signed)
{
    return plan_narrow_size(planner, value, is_signed) == 1;
}

size_t plan_item_size(const struct planner *planner, const struct value *value)
{
    bool is_signed;
    const size_t narrow = plan_narrow_size(planner, value, &is_signed);

    return narrow > 0 ? narrow : dtype_size(value->dtype);
}

size_t plan_size(const struct planner *planner, const struct value *value)
{
    return plan_item_size(planner, value) * (size_t)shape_volume(value->shape);
}

void narrow_fill(void *to, const struct tensor *from, size_t size, int64_t count)
{
    const bool single = shape_volume(&from->shape) == 1;
    uint8_t *bytes = to;
    uint16_t *words = to;

    for (int64_t i = 0; i < count; i++)
        if (size == 1)
            bytes[i] = (uint8_t)tensor_integer(from, single ? 0 : i);
        else
            words[i] = (uint16_t)tensor_integer(from, single ? 0 : i);
}

/* --- steps that convert ----------------------------------------------------------------------- */

struct conversion {
    int64_t count;
    size_t size; /* of the narrow ones */
    bool is_signed;
};

static bool run_widening(const struct step *step, const struct step_frame *frame)
{
    const struct conversion *c = step->state;
    const void *from = step_in(step, frame, 0);
    const uint8_t *bytes = from;
    const uint16_t *words = from;
    int64_t *to = step_out(step, frame, 0);

    if (c->size == 1)
        for (int64_t i = 0; i < c->count; i++)
            to[i] = c->is_signed ? (int8_t)bytes[i] : bytes[i];
    else
        for (int64_t i = 0; i < c->count; i++)
            to[i] = c->is_signed ? (int16_t)words[i] : words[i];
    return true;
}

static bool run_narrowing(const struct step *step, const struct step_frame *frame)
{
    const struct conversion *c = step->state;
    const int64_t *from = step_in(step, frame, 0);
    void *to = step_out(step, frame, 0);
    uint8_t *bytes = to;
    uint16_t *words = to;

    if (c->size == 1)
        for (int64_t i = 0; i < c->count; i++)
            bytes[i] = (uint8_t)from[i];
    else
        for (int64_t i = 0; i < c->count; i++)
            words[i] = (uint16_t)from[i];
    return true;
}

static const struct kernel widening = {.name = "bytes to integers", .run = run_widening};
static const struct kernel narrowing = {.name = "integers to bytes", .run = run_narrowing};

/* From one buffer to another, which add_step() has to be given. */
static struct step conversion_between(const struct planner *planner, const struct value *value,
                                      const struct kernel *kernel, int from, int to)
{
    struct arena *arena = planner->plan->arena;
    struct conversion *c = arena_new_of(arena, struct conversion);
    struct step step = {.kernel = kernel,
                        .backend = planner->plan->backend->name,
                        .state = c,
                        .nin = 1,
                        .nout = 1,
                        .in = arena_new_of(arena, int),
                        .out = arena_new_of(arena, int),
                        .reused = STEP_NONE};

    c->count = shape_volume(value->shape);
    c->size = plan_narrow_size(planner, value, &c->is_signed);
    step.in[0] = from;
    step.out[0] = to;
    return step;
}

/* A buffer for its integers of 64 bits. */
static int wide_buffer(struct planner *planner, const struct value *value)
{
    const int buffer = result_buffer(planner, value);

    planner->plan->buffers[buffer].size =
        dtype_size(DTYPE_INTEGER) * (size_t)shape_volume(value->shape);
    return buffer;
}

bool plan_read_wide(struct planner *planner, struct step *step, const struct value *value)
{
    bool is_signed;

    if (plan_narrow_size(planner, value, &is_signed) == 0)
        return plan_read(planner, step, value, LAYOUT_PLAIN);
    const int from = buffer_of(planner, value, LAYOUT_PLAIN);
    if (from == NO_BUFFER)
        return false;
    const int to = wide_buffer(planner, value);
    const struct step wide = conversion_between(planner, value, &widening, from, to);
    add_step(planner, &wide);
    step->in[step->nin++] = to;
    return true;
}

bool plan_write_wide(struct planner *planner, struct step *step, const struct value *value,
                     struct step *behind)
{
    bool is_signed;

    *behind = (struct step){0};
    if (plan_narrow_size(planner, value, &is_signed) == 0)
        return plan_write(planner, step, value);
    const int from = wide_buffer(planner, value);
    step->out[step->nout++] = from;
    *behind = conversion_between(planner, value, &narrowing, from, NO_BUFFER);
    behind->nout = 0;
    behind->layout = LAYOUT_PLAIN;
    return plan_write(planner, behind, value);
}
