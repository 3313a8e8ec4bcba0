/* quantize_measured.c - at which tensors the SNR of a quantized model is measured */
#include "api/quantize.h"

#include "base/arena.h"
#include "op/op.h"

#include <string.h>

size_t quantizing_word(const char *list)
{
    size_t size = strcspn(list, ",");

    while (list[size] && size > 0 && list[size - 1] == '\\')
        size += 1 + strcspn(list + size + 1, ",");
    return size;
}

/* Is that the word of a list?  A '\' before a ',' is none of its characters. */
static bool is_word(const char *item, size_t size, const char *word)
{
    for (size_t i = 0; i < size; i++) {
        i += item[i] == '\\' && item[i + 1] == ',' && i + 1 < size;
        if (item[i] != *word++)
            return false;
    }
    return !*word;
}

bool quantizing_names(const char *list, const char *word)
{
    for (size_t size; list && word && *list; list += size + (list[size] == ',')) {
        size = quantizing_word(list);
        if (is_word(list, size, word))
            return true;
    }
    return false;
}

/* An operation behind which small differences look large, or large ones small. */
static bool hides_differences(const struct node *node, bool last)
{
    switch ((int)node->op->id) {
    case OP_softmax:
    case OP_sigmoid:
        return last;
    case OP_argmax_reduce:
    case OP_argmin_reduce:
    case OP_lt:
    case OP_gt:
    case OP_le:
    case OP_ge:
    case OP_eq:
    case OP_ne:
    case OP_round:
    case OP_floor:
    case OP_ceil:
    case OP_sign:
        return true;
    default:
        return false;
    }
}

static bool passes_on(const struct node *node)
{
    return node_moves_one(node) || node->op->id == OP_cast;
}

/* Does the value come from a comparison, as a mask does? */
static bool is_mask(const struct value *value)
{
    while (value->kind == VALUE_RESULT && passes_on(value->producer))
        value = value->producer->in[0].value;
    return value->dtype == DTYPE_LOGICAL && value->kind == VALUE_RESULT &&
           hides_differences(value->producer, false);
}

/* The operand that a mask leaves something of; -1: the operation is no such. */
static int masked_operand(const struct node *node)
{
    if (node->op->id == OP_select)
        return is_mask(node->in[0].value) ? 1 : -1;
    if (node->op->id != OP_mul)
        return -1;
    return is_mask(node->in[1].value) ? 0 : is_mask(node->in[0].value) ? 1 : -1;
}

/* What goes into the operations that hide differences, if the result comes from one. */
static const struct value *before_hiding(const struct value *value)
{
    const struct value *found = value, *at = value;
    bool last = true;

    while (at->kind == VALUE_RESULT) {
        const struct node *node = at->producer;
        const int masked = masked_operand(node);
        const bool hides = masked >= 0 || hides_differences(node, last);
        if (!hides && !passes_on(node))
            break;
        at = node->in[masked >= 0 ? masked : 0].value;
        found = hides ? at : found;
        last &= masked >= 0 || !hides;
    }
    return found;
}

static bool is_measurable(const struct value *value)
{
    return value->dtype == DTYPE_SCALAR && shape_known(value->shape) &&
           value->kind == VALUE_RESULT && shape_volume(value->shape) > 0;
}

static void add_measured(struct quantizing *q, const struct value *value, const char *name)
{
    for (int i = 0; i < q->measures; i++)
        if (q->measured[i].value == value->id)
            return;
    q->measured =
        arena_list(q->model->context->arena, q->measured, q->measures, sizeof *q->measured);
    q->measured[q->measures++] = (struct measured){value->name ? value->name : name, value->id};
}

/* The results of the graph, or the tensors that the client names. */
bool quantizing_find_measured(struct quantizing *q)
{
    const char *list = q->how.outputs;
    bool ok = true;

    for (int i = 0; i < q->graph->noutput && !list; i++) {
        const struct value *value = before_hiding(q->graph->outputs[i].value);
        if (is_measurable(value))
            add_measured(q, value, q->graph->outputs[i].name);
    }
    for (size_t size; list && *list; list += size + (list[size] == ',')) {
        size = quantizing_word(list);
        const char *word = arena_strndup(q->model->context->arena, list, size);
        const struct value *found = NULL;
        for (struct value *const *v = graph_values(q->graph); *v && !found; v++)
            found = quantizing_names(word, (*v)->name) ? *v : NULL;
        for (int i = 0; i < q->graph->noutput && !found; i++)
            found = quantizing_names(word, q->graph->outputs[i].name) ? q->graph->outputs[i].value
                                                                      : NULL;
        if (found && is_measurable(found))
            add_measured(q, found, word);
        else
            ok = misuse(q->model, "there is no computed tensor '%s' of scalars to measure", word);
    }
    return ok && (q->measures > 0 || misuse(q->model, "no result is a tensor of scalars of a known "
                                                      "shape, by which to measure"));
}
