/* take_control.c - graphs in attributes */
#include "onnx/import_priv.h"
#include "onnx/make.h"

take_function take_if;

static struct entry **branch(struct take *t, const char *name)
{
    const struct onnx_attribute *attribute = take_attribute(t, name);
    int count = attribute && attribute->g ? attribute->g->output.count : -1;
    struct entry **out = take_room(t, count + 2, sizeof *out);

    if (count != t->nout) {
        take_error(t, DIAG_ONNX_GRAPH, "'%s' has %d outputs, expected %d", name, count, t->nout);
        return NULL;
    }
    return import_subgraph(t, attribute->g, out) ? out : NULL;
}

/* Both are computed if the condition is known only when running. */
static struct entry *choose(struct take *t)
{
    struct entry **yes = branch(t, "then_branch"), **no = branch(t, "else_branch");

    if (!yes || !no)
        return NULL;
    for (int i = 0; i < t->nout; i++) {
        if (!yes[i] || !no[i] || !shape_equal(&yes[i]->shape, &no[i]->shape))
            return take_refuse(t, "has branches of different shapes, and its condition is not "
                                  "known when the model is read");
        take_result(t, i, op3(t, OP_select, take_in(t, 0), yes[i], no[i]));
    }
    return t->nout ? t->out[0] : NULL;
}

struct entry *take_if(struct take *t)
{
    double condition;

    if (!take_in(t, 0)->known)
        return choose(t);
    if (!take_number(t, 0, &condition))
        return NULL;
    struct entry **out = branch(t, condition > 0 ? "then_branch" : "else_branch");
    for (int i = 0; out && i < t->nout; i++)
        take_result(t, i, out[i]);
    return out && t->nout ? out[0] : NULL;
}
