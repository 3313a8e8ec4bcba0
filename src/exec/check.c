/* check.c - liveness, and what keeps a graph from being run; see check.h */
#include "exec/check.h"

#include "base/num.h"
#include "diag/context.h"
#include "diag/diag.h"
#include "ir/graph.h"
#include "op/compute.h"
#include "op/custom.h"
#include "op/op.h"
#include "tensor/tensor.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- liveness: one walk from the end of the graph to its beginning ---------------------------- */

bool live_find(const struct graph *graph, struct live *live)
{
    *live = (struct live){.node = calloc((size_t)graph->node_count + 1, sizeof *live->node),
                          .holds = calloc((size_t)graph->value_count + 1, sizeof *live->holds),
                          .left = calloc((size_t)graph->value_count + 1, sizeof *live->left)};
    if (!live->node || !live->holds || !live->left)
        return false;
    for (int i = 0; i < graph->noutput; i++)
        live->holds[graph->outputs[i].value->id]++;
    for (const struct node *node = graph->last; node; node = node->prev) {
        bool effect = node->op->traits & OP_EFFECT, needed = effect;
        for (uint32_t i = 0; i < node->nout; i++)
            needed |= live->holds[node->out[i].id] > 0;
        if (!needed)
            continue;
        live->node[node->id] = true;
        live->nodes++;
        for (uint32_t i = 0; i < node->nin; i++)
            live->holds[node->in[i].value->id]++;
        if (effect)
            live->holds[node->out[0].id]++; /* it becomes the variable when the step is over */
    }
    return true;
}

void live_clear(struct live *live)
{
    free(live->node);
    free(live->holds);
    free(live->left);
    *live = (struct live){0};
}

/* --- operators and shapes ---------------------------------------------------------------- */

/* Does every result of a live node have a shape and items in memory? */
static bool results_known(const struct node *node, struct diag *diag)
{
    for (uint32_t i = 0; i < node->nout; i++) {
        const struct value *v = &node->out[i];
        if (shape_known(v->shape) && dtype_size(v->dtype) > 0)
            continue;
        diag_error(diag, node->span, DIAG_NOT_SUPPORTED,
                   "'%s', result of '%s', is %s%s and cannot be computed", VALUE_TEXT(v),
                   node->op->name, dtype_name(v->dtype), SHAPE_TEXT(v->shape));
        custom_note_origin(diag, v);
        return false;
    }
    return true;
}

bool support_check(const struct graph *graph, const struct live *live)
{
    struct diag *diag = graph->context->diag;
    bool ok = true;

    for (int i = 0; i < graph->ninput; i++) {
        const struct port *input = &graph->inputs[i];
        if (live->holds[input->value->id] == 0 || shape_known(input->value->shape))
            continue;
        ok = diag_error(diag, value_span(input->value), DIAG_NOT_SUPPORTED,
                        "the shape %s of parameter '%s' leaves extents open, so it cannot be run",
                        SHAPE_TEXT(input->value->shape), input->name);
        diag_help(diag, "give all its extents with '--shape %s=...'.", input->name);
    }
    for (const struct node *n = graph->first; n && !diag_full(diag); n = n->next) {
        const char *name = n->op->name;
        if (!live->node[n->id] || n->op->eval)
            continue;
        ok = op_find(name) == n->op
                 ? diag_error(diag, n->span, DIAG_NOT_SUPPORTED, "operation '%s' cannot be run yet",
                              name)
                 : diag_error(diag, n->span, DIAG_NO_IMPLEMENTATION,
                              "operation '%s' has no implementation, so it cannot be run", name);
    }
    for (const struct node *n = graph->first; n && ok; n = n->next)
        ok = !live->node[n->id] || results_known(n, diag);
    return ok;
}

/* --- memory: results come and go as an execution of the reference lets them ------------------ */

struct peak {
    const struct live *live;
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

/* Does it get memory of its own?  What no node computes does unless all its items are there. */
static bool is_allocated(const struct value *value)
{
    if (value->kind == VALUE_RESULT)
        return true;
    return value->source->tensor && !tensor_is_whole(value->source->tensor, value->shape);
}

static void peak_take(struct peak *p, const struct value *value)
{
    if (is_allocated(value))
        p->full |= !num_add(p->bytes, bytes_of(value), &p->bytes);
}

static void peak_give(struct peak *p, const struct value *value)
{
    if (is_allocated(value) && p->live->left[value->id] == 0)
        p->bytes -= bytes_of(value);
}

/* The beginning of a step: results that updated variables in the step before are in memory. */
static struct peak peak_begin(const struct graph *graph, const struct live *live)
{
    struct peak p = {.live = live};

    memcpy(live->left, live->holds, graph->value_count * sizeof *live->left);
    for (const struct node *n = graph->first; n; n = n->next)
        if (n->op->traits & OP_EFFECT)
            peak_take(&p, &n->out[0]);
    return p;
}

/* Before the node runs: what is spread out is so where it is first used. */
static void peak_enter(struct peak *p, const struct node *node)
{
    for (uint32_t i = 0; i < node->nin; i++) {
        const struct value *value = node->in[i].value;
        if (value->kind != VALUE_RESULT && p->live->left[value->id] == p->live->holds[value->id])
            peak_take(p, value);
    }
    for (uint32_t i = 0; i < node->nout; i++)
        peak_take(p, &node->out[i]);
}

static void peak_leave(struct peak *p, const struct node *node)
{
    for (uint32_t i = 0; i < node->nin; i++) {
        const struct value *value = node->in[i].value;
        assert(p->live->left[value->id] > 0);
        p->live->left[value->id]--;
        peak_give(p, value);
    }
    for (uint32_t i = 0; i < node->nout; i++)
        peak_give(p, &node->out[i]);
}

/* The first node with which more than `budget` bytes are in memory, and the most bytes up to it, or
 * INT64_MAX if they overflow; NULL: there is none. */
static const struct node *find_peak(const struct graph *graph, const struct live *live,
                                    int64_t budget, int64_t *most)
{
    struct peak p = peak_begin(graph, live);

    *most = 0;
    for (const struct node *n = graph->first; n; n = n->next) {
        if (!live->node[n->id])
            continue;
        peak_enter(&p, n);
        *most = p.full ? INT64_MAX : num_max(*most, p.bytes);
        if (p.full || *most > budget)
            return n;
        peak_leave(&p, n);
    }
    return NULL;
}

/* Does the budget hold everything at once?  Then it holds what is there at any time.  A graph with
 * updates is left to find_peak(): what they store is there twice. */
static bool holds_all(const struct graph *graph, const struct live *live, int64_t budget)
{
    int64_t bytes = 0;
    bool ok = true;

    for (const struct node *n = graph->first; n && ok; n = n->next) {
        ok = !(n->op->traits & OP_EFFECT);
        for (uint32_t i = 0; live->node[n->id] && i < n->nout; i++)
            ok = ok && num_add(bytes, bytes_of(&n->out[i]), &bytes);
        for (uint32_t i = 0; live->node[n->id] && i < n->nin; i++) {
            const struct value *value = n->in[i].value;
            if (value->kind != VALUE_RESULT && is_allocated(value))
                ok = ok && num_add(bytes, bytes_of(value), &bytes);
        }
    }
    return ok && bytes <= budget;
}

bool peak_check(const struct graph *graph, const struct live *live, int64_t budget)
{
    struct diag *diag = graph->context->diag;
    int64_t bytes;
    const struct node *node =
        holds_all(graph, live, budget) ? NULL : find_peak(graph, live, budget, &bytes);

    if (!node)
        return true;
    diag_error(diag, node->span, DIAG_MEMORY_LIMIT,
               "computing '%s' of shape %s takes %" PRId64
               " bytes of memory with all that is in use then, but %" PRId64 " are left",
               VALUE_TEXT(&node->out[0]), SHAPE_TEXT(node->out[0].shape), bytes, budget);
    return diag_help(diag,
                     "raise the limit with --max-memory, or give smaller shapes with --shape.");
}

int64_t peak_bytes(const struct graph *graph, const struct live *live)
{
    int64_t most;

    find_peak(graph, live, INT64_MAX, &most);
    return most;
}

/* --- work ----------------------------------------------------------------------------------- */

bool work_check(const struct graph *graph, const struct live *live)
{
    struct diag *diag = graph->context->diag;
    int64_t work = 0, limit = graph->context->limits.total_work;

    for (const struct node *n = graph->first; n; n = n->next) {
        if (!live->node[n->id])
            continue;
        if (!num_add(work, node_work(n), &work))
            work = INT64_MAX; /* more than any limit */
        if (work <= limit)
            continue;
        diag_error(diag, n->span, DIAG_WORK_LIMIT,
                   "up to '%s', result of '%s', a run reads %" PRId64
                   " items, more than the limit of %" PRId64,
                   VALUE_TEXT(&n->out[0]), n->op->name, work, limit);
        return diag_help(
            diag,
            "raise the limit with --limit=total-work=N, or give smaller shapes with --shape.");
    }
    return true;
}
