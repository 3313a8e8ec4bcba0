/*
 * label.c - labels of variables, once they are known, and updates of what they name
 *           (NNEF 1.0.5, sections 4.1.3, 4.8 and 5.1)
 */
#include "file/label.h"

#include "lower/lower_priv.h"

#include <assert.h>

/* Of the label among the arguments, or of the invocation. */
static struct span label_span(const struct invocation *call)
{
    for (int i = 0; i < call->signature->nparam; i++)
        if (call->args[i].value.kind == DATUM_STRING)
            return call->args[i].span;
    return call->span;
}

/* Variables of one label share their data, so they must agree in type and shape. */
bool check_label(struct call_frame *frame, const struct invocation *call, struct value *variable)
{
    struct lowering *l = frame->lowering;
    const char *label = variable->source->label, *why;

    assert(variable->kind == VALUE_VARIABLE);
    if (!label) /* its shape is faulty, which was reported */
        return true;
    if (l->graph->provisional ? !label_is_safe(label, &why) : !label_valid(label, &why))
        return fault(frame, label_span(call), DIAG_LABEL, "label '%s' has %s", label, why);
    const char *key = label_key(l->context, label, l->graph->provisional);
    const struct value *before = map_get(&l->labels, key);
    if (before) {
        if (before->dtype == variable->dtype && shape_equal(before->shape, variable->shape))
            return true;
        fault(frame, label_span(call), DIAG_LABEL_SHARED,
              "label '%s' is that of a variable of type %s and shape %s, expected the same",
              variable->source->label, dtype_name((enum dtype)before->dtype),
              SHAPE_TEXT(before->shape));
        return diag_label(frame->lowering->context->diag, value_span(before), "%s%s here",
                          dtype_name((enum dtype)before->dtype), SHAPE_TEXT(before->shape));
    }
    map_set(&l->labels, key, variable);
    return true;
}

/* The data of a label can be updated once: the order of two updates would be open. */
bool check_update(struct call_frame *frame, const struct invocation *call, struct node *update)
{
    struct lowering *l = frame->lowering;
    const struct value *variable = update->in[0].value;

    assert(update->nin > 0);
    if (variable->kind != VALUE_VARIABLE)
        return fault(frame, call->args[0].span, DIAG_UPDATE_NOT_VARIABLE,
                     "'%s' of what is no variable, expected the result of 'variable'",
                     call->signature->name);
    if (!variable->source->label) /* it is faulty, which was reported */
        return true;
    const char *key = label_key(l->context, variable->source->label, l->graph->provisional);
    const struct node *before = map_get(&l->updated, key);
    if (!before) {
        map_set(&l->updated, key, update);
        return true;
    }
    fault(frame, call->span, DIAG_UPDATED_TWICE,
          "variable of label '%s' is updated a second time, expected one update",
          variable->source->label);
    return diag_label(l->context->diag, before->span, "first updated here");
}
