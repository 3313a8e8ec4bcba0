/* same_graph.c - whether a graph that was rewritten still is the same to the world */
#include "support/same_graph.h"

#include "base/text.h"
#include "ir/graph.h"

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
