/* same_graph.c - whether a graph that was rewritten still is the same to the world */
#include "support/same_graph.h"

#include "base/arena.h"
#include "base/text.h"
#include "diag/context.h"
#include "exec/run.h"
#include "ir/graph.h"

#include <math.h>
#include <string.h>

static bool same_port(const struct port *a, const struct port *b)
{
    return strcmp(a->name, b->name) == 0 && a->value->dtype == b->value->dtype &&
           shape_equal(a->value->shape, b->value->shape);
}

static void add_port(struct text *to, const struct port *port)
{
    text_add(to, "'%s', %s%s", port->name, dtype_name((enum dtype)port->value->dtype),
             SHAPE_TEXT(port->value->shape));
}

static bool same_inputs(const struct graph *after, const struct graph *before, bool pruned,
                        struct text *what)
{
    int k = 0;

    for (int i = 0; i < before->ninput; i++) {
        bool same = k < after->ninput && same_port(&after->inputs[k], &before->inputs[i]);
        if (!same && !pruned) {
            text_add(what, "there is no input ");
            add_port(what, &before->inputs[i]);
            return false;
        }
        k += same;
    }
    if (k < after->ninput)
        text_add(what, "there is a new input '%s'", after->inputs[k].name);
    return k == after->ninput;
}

bool same_interface(const struct graph *after, const struct graph *before, bool pruned,
                    struct text *what)
{
    if (after->noutput != before->noutput) {
        text_add(what, "there are %d outputs instead of %d", after->noutput, before->noutput);
        return false;
    }
    for (int i = 0; i < before->noutput; i++)
        if (!same_port(&after->outputs[i], &before->outputs[i])) {
            text_add(what, "output ");
            add_port(what, &before->outputs[i]);
            text_add(what, " became ");
            add_port(what, &after->outputs[i]);
            return false;
        }
    return same_inputs(after, before, pruned, what);
}

static double largest_item(const struct tensor *tensor)
{
    int64_t volume = tensor && tensor->data ? shape_volume(&tensor->shape) : 0;
    double largest = 0;

    for (int64_t i = 0; i < volume; i++)
        if (isfinite(tensor_item(tensor, i)))
            largest = fmax(largest, fabs(tensor_item(tensor, i)));
    return largest;
}

/* Of the operands and results of a node. */
static double largest_at(const struct run *run, const struct node *node)
{
    double largest = 0;

    for (uint32_t i = 0; i < node->nout; i++)
        largest = fmax(largest, largest_item(run_tensor(run, &node->out[i])));
    for (uint32_t i = 0; i < node->nin; i++)
        if (node->in[i].value->kind == VALUE_VARIABLE || node->in[i].value->kind == VALUE_CONSTANT)
            largest = fmax(largest, largest_item(node->in[i].value->source->tensor));
    return largest;
}

double largest_on_the_way(const struct graph *graph, const struct run *run,
                          const struct value *value)
{
    bool *needed = arena_array_of(graph->context->arena, bool, graph->node_count);
    double largest = 0;

    if (value->kind == VALUE_RESULT)
        needed[value->producer->id] = true;
    for (const struct node *n = graph->last; n; n = n->prev) {
        if (!needed[n->id])
            continue;
        largest = fmax(largest, largest_at(run, n));
        for (uint32_t i = 0; i < n->nin; i++)
            if (n->in[i].value->kind == VALUE_RESULT)
                needed[n->in[i].value->producer->id] = true;
    }
    return largest;
}

bool same_items(const char *name, const struct tensor *after, const struct tensor *before,
                const struct tolerance *tolerance, struct text *what)
{
    const struct tolerance none = {0};
    bool exact = before->dtype != DTYPE_SCALAR;

    if (!after->data != !before->data) {
        text_add(what, "'%s' was computed only %s", name, after->data ? "after" : "before");
        return false;
    }
    if (!before->data)
        return true;
    struct difference difference = tensor_difference(after, before, exact ? &none : tolerance);
    if (difference.beyond == 0)
        return true;
    text_add(what, "'%s' at %lld is %.9g, expected %.9g; %lld of %lld items differ", name,
             (long long)difference.worst, tensor_item(after, difference.worst),
             tensor_item(before, difference.worst), (long long)difference.beyond,
             (long long)difference.count);
    return false;
}
