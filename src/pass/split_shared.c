/*
 * split_shared.c - each use of a variable or constant gets a value of its own
 *
 * For those who go on to change parameters one by one.  The values share the data in memory;
 * written, each has a file.  The first use, in the order of the graph, and the outputs keep the
 * value with its name and label.
 */
#include "pass/pass_priv.h"

#include "ir/graph.h"

#include <assert.h>

struct shared {
    bool *used; /* by value id: by a node before */
    uint32_t count;
};

static void begin(struct pass *pass)
{
    struct shared *shared = pass_room(pass, 1, sizeof *shared);

    shared->count = pass->graph->value_count;
    shared->used = pass_room(pass, shared->count, sizeof *shared->used);
    pass->data = shared;
}

static bool is_parameter(const struct value *value)
{
    return value->kind == VALUE_VARIABLE ||
           (value->kind == VALUE_CONSTANT && !value_is_literal(value));
}

static const char *obstacle(const struct pass *pass, const struct value *value)
{
    if (value_items(value))
        return value_is_pinned(pass, value) ? "the quantization file names it" : NULL;
    return value->source->quant ? "the quantization file says what its integers are"
                                : "its updates are for all that read it";
}

static struct value *another(struct pass *pass, const struct value *value)
{
    struct value *made =
        graph_add_source(pass->graph, (enum value_kind)value->kind, (enum dtype)value->dtype,
                         value->shape, value->source->span);

    made->source->tensor = value->source->tensor;
    made->source->label_span = value->source->label_span;
    if (value->kind == VALUE_VARIABLE) {
        made->source->made = true;
        made->source->label = labels_take(&pass->all->labels, value->source->label);
    }
    return made;
}

static void split(struct pass *pass, struct use *use)
{
    const struct shared *shared = pass->data;
    struct value *value = use->value;

    if (!is_parameter(value) || value->id >= shared->count)
        return;
    if (!shared->used[value->id]) {
        shared->used[value->id] = true;
        return;
    }
    const char *why = obstacle(pass, value);
    if (why)
        pass_left(pass, use->node, "'%s' stays shared: %s", VALUE_TEXT(value), why);
    else
        pass_set_operand(pass, use, another(pass, value));
}

static void visit(struct pass *pass, struct node *node)
{
    for (uint32_t i = 0; i < node->nin; i++)
        split(pass, &node->in[i]);
}

const struct pass_desc pass_split_shared = {
    .purpose = "give each use of a variable or constant one of its own",
    .begin = begin,
    .visit = visit,
};
