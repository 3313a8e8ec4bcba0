/* peak.c - a step without its numbers: results come and go as run.c lets them */
#include "exec/peak.h"

#include "base/num.h"
#include "diag/context.h"
#include "diag/diag.h"
#include "exec/live.h"
#include "ir/graph.h"
#include "op/op.h"

#include <inttypes.h>
#include <string.h>

struct peak {
    const struct live *live;
    uint32_t *left;
    int64_t bytes; /* in memory at the moment */
    bool full;     /* bytes overflowed */
};

static int64_t bytes_of(const struct value *value)
{
    int64_t size = (int64_t)dtype_size((enum dtype)value->dtype), volume;

    if (size == 0 || !shape_known(value->shape))
        return 0;
    return shape_volume_checked(value->shape, INT64_MAX / size, &volume) ? volume * size
                                                                         : INT64_MAX;
}

/* Does it get memory of its own?  A constant does if one item stands for many. */
static bool is_allocated(const struct value *value)
{
    if (value->kind == VALUE_CONSTANT)
        return !shape_equal(&value->source->tensor->shape, value->shape);
    return value->kind == VALUE_RESULT;
}

static void take(struct peak *p, const struct value *value)
{
    if (is_allocated(value))
        p->full |= !num_add(p->bytes, bytes_of(value), &p->bytes);
}

static void give(struct peak *p, const struct value *value)
{
    if (is_allocated(value) && p->left[value->id] == 0)
        p->bytes -= bytes_of(value);
}

/* A constant is spread out where it is first used. */
static void take_first(struct peak *p, const struct value *value)
{
    if (value->kind == VALUE_CONSTANT && p->left[value->id] == p->live->holds[value->id])
        take(p, value);
}

static void enter(struct peak *p, const struct node *node)
{
    for (uint32_t i = 0; i < node->nin; i++)
        take_first(p, node->in[i].value);
    for (uint32_t i = 0; i < node->nout; i++)
        take(p, &node->out[i]);
}

static void leave(struct peak *p, const struct node *node)
{
    for (uint32_t i = 0; i < node->nin; i++) {
        p->left[node->in[i].value->id]--;
        give(p, node->in[i].value);
    }
    for (uint32_t i = 0; i < node->nout; i++)
        give(p, &node->out[i]);
}

/* What updates of the step before have left in the place of variables. */
static void take_updates(struct peak *p, const struct graph *graph)
{
    for (const struct node *n = graph->first; n; n = n->next)
        if (n->op->traits & OP_EFFECT)
            take(p, &n->out[0]);
}

static bool too_much(const struct graph *graph, const struct node *node, int64_t bytes,
                     int64_t room)
{
    struct diag *diag = graph->context->diag;

    diag_error(diag, node->span, DIAG_MEMORY_LIMIT,
               "computing '%s' of shape %s takes %" PRId64
               " bytes of memory with all that is in use then, but %" PRId64 " are left",
               VALUE_TEXT(&node->out[0]), SHAPE_TEXT(node->out[0].shape), bytes, room);
    diag_help(diag, "raise the limit with --max-memory, or give smaller shapes with --shape.");
    return false;
}

bool peak_check(const struct graph *graph, const struct live *live, uint32_t *left, int64_t room)
{
    struct peak p = {.live = live, .left = left};

    memcpy(left, live->holds, graph->value_count * sizeof *left);
    take_updates(&p, graph);
    for (const struct node *n = graph->first; n; n = n->next) {
        if (!live->node[n->id])
            continue;
        enter(&p, n);
        if (p.full || p.bytes > room)
            return too_much(graph, n, p.full ? INT64_MAX : p.bytes, room);
        leave(&p, n);
    }
    return true;
}

int64_t peak_bytes(const struct graph *graph, const struct live *live, uint32_t *left)
{
    struct peak p = {.live = live, .left = left};
    int64_t most = 0;

    memcpy(left, live->holds, graph->value_count * sizeof *left);
    take_updates(&p, graph);
    for (const struct node *n = graph->first; n && !p.full; n = n->next) {
        if (!live->node[n->id])
            continue;
        enter(&p, n);
        most = p.bytes > most ? p.bytes : most;
        leave(&p, n);
    }
    return p.full ? INT64_MAX : most;
}
