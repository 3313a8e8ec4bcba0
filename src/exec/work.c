/* work.c - items that a step reads; see work.h */
#include "exec/work.h"

#include "base/num.h"
#include "diag/context.h"
#include "diag/diag.h"
#include "exec/live.h"
#include "ir/graph.h"
#include "op/compute.h"

#include <inttypes.h>

/* The sum, or what is more than any limit. */
static int64_t plus(int64_t a, int64_t b)
{
    int64_t sum;

    return num_add(a, b, &sum) ? sum : INT64_MAX;
}

static bool too_much(const struct graph *graph, const struct node *node, int64_t work)
{
    struct diag *diag = graph->context->diag;

    diag_error(diag, node->span, DIAG_WORK_LIMIT,
               "up to '%s', result of '%s', a run reads %" PRId64
               " items, more than the limit of %" PRId64,
               VALUE_TEXT(&node->out[0]), node->op->name, work, graph->context->limits.total_work);
    diag_help(diag,
              "raise the limit with --limit=total-work=N, or give smaller shapes with --shape.");
    return false;
}

bool work_check(const struct graph *graph, const struct live *live)
{
    int64_t work = 0;

    for (const struct node *n = graph->first; n; n = n->next) {
        if (!live->node[n->id])
            continue;
        work = plus(work, node_work(n));
        if (work > graph->context->limits.total_work)
            return too_much(graph, n, work);
    }
    return true;
}
