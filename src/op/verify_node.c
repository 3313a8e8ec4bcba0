/* verify_node.c - compares a node with what op_build() would make of its operands now */
#include "op/op.h"
#include "op/op_attr.h"
#include "op/op_build.h"
#include "op/verify_priv.h"

#include "base/arena.h"

#include <inttypes.h>

/* Results are those that the shape rule gives for the operands now. */
static bool compare_results(struct verifier *v, const struct node *node)
{
    struct inferred inferred;

    op_infer(&v->shadow, node, &inferred);
    if (inferred.nout != (int)node->nout)
        return wrong_node(v, node, "%" PRIu32 " results, expected %d", node->nout, inferred.nout);
    for (uint32_t i = 0; i < node->nout; i++) {
        const struct value *value = &node->out[i];
        enum dtype dtype = op_result_dtype(node->op, (int)i, node->generic);
        if (value->dtype != dtype)
            return wrong_node(v, node, "result %" PRIu32 " has type %s, expected %s", i,
                              dtype_name((enum dtype)value->dtype), dtype_name(dtype));
        if (!shape_equal(value->shape, &inferred.out[i]))
            return wrong_node(v, node, "result %" PRIu32 " has shape %s, expected %s", i,
                              SHAPE_TEXT(value->shape), SHAPE_TEXT(&inferred.out[i]));
    }
    return node->work == inferred.work ||
           wrong_node(v, node, "work is %" PRId64 ", expected %" PRId64, node->work, inferred.work);
}

bool verify_node(struct verifier *v, const struct node *node)
{
    const struct op_attr *attr = node->op->attrs;
    int64_t items = 0;

    if (attr && attr->name && !node->attrs)
        return wrong_node(v, node, "no attributes");
    for (; attr && attr->name; attr++)
        if (!attr_valid(attr, node->attrs))
            return wrong_node(v, node, "attribute '%s' has a value that it cannot have",
                              attr->name);

    /* Array-valued operands have as many items as there are operands; empty arrays may follow. */
    for (int i = 0; node->group && items < node->nin; i++)
        items += node->group[i] < 0 ? 1 : node->group[i];
    if (node->group && items != node->nin)
        return wrong_node(v, node, "its arrays have more items than it has operands");

    /* A variable is updated once, under whichever of its labels. */
    if (node->op->traits & OP_EFFECT) {
        const struct value *target = node->nin ? node->in[0].value : NULL;
        if (!target || target->kind != VALUE_VARIABLE)
            return wrong_node(v, node, "updates what is no variable");
        const char *key = verify_storage(v, target->source->label);
        if (map_get(&v->updated, key))
            return wrong_node(v, node, "updates '%s' a second time", VALUE_TEXT(target));
        map_set(&v->updated, key, node);
    }

    if (node->op->traits & OP_CUSTOM) /* was asked once */
        return true;
    struct arena_mark mark = arena_mark(v->context.arena);
    bool ok = compare_results(v, node);
    arena_rewind(v->context.arena, mark);
    if (diag_count(v->context.diag) > 0)
        diag_clear(v->context.diag);
    return ok;
}
