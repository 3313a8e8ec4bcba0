/*
 * split_shared.c - each use of a variable or constant gets a value of its own
 *
 * For those who go on to change parameters one by one.  The values share the data in memory;
 * written, each has a file.  The first use, in the order of the graph, and the outputs keep the
 * value with its name and label.
 */
#include "pass/pass_priv.h"

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

/* NULL, or why all uses have to share the parameter. */
static const char *obstacle(const struct pass *pass, const struct value *value)
{
    assert(value->kind != VALUE_RESULT);
    if (value_items(value))
        return value_is_pinned(pass, value) ? "the quantization file names it" : NULL;
    return value->source->quant ? "the quantization file says what its integers are"
                                : "its updates are for all that read it";
}

static const char *visit(struct pass *pass, struct node *node)
{
    const struct shared *shared = pass->data;

    for (uint32_t i = 0; i < node->nin; i++) {
        struct value *value = node->in[i].value;
        bool parameter = value->kind == VALUE_VARIABLE ||
                         (value->kind == VALUE_CONSTANT && !value_is_literal(value));
        if (!parameter || value->id >= shared->count)
            continue;
        const char *why = shared->used[value->id] ? obstacle(pass, value) : NULL;
        bool first = !shared->used[value->id];
        shared->used[value->id] = true;
        if (why)
            pass_left(pass, node,
                      pass_because(pass, "'%s' stays shared: %s", VALUE_TEXT(value), why));
        if (first || why)
            continue;
        struct value *another =
            graph_add_source(pass->graph, (enum value_kind)value->kind, (enum dtype)value->dtype,
                             value->shape, value->source->span);
        another->source->tensor = value->source->tensor;
        another->source->label_span = value->source->label_span;
        if (value->kind == VALUE_VARIABLE) {
            another->source->made = true;
            another->source->label = labels_take(&pass->all->labels, value->source->label);
        }
        pass_set_operand(pass, &node->in[i], another);
    }
    return NULL;
}

const struct pass_desc pass_split_shared = {
    .purpose = "give each use of a variable or constant one of its own",
    .begin = begin,
    .visit = visit,
};
