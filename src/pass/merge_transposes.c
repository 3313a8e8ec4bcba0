/*
 * merge_transposes.c - one transpose instead of several (section 4.5.2)
 *
 * Two in a row are one, or none.  If what is left after a squeeze stands in the same order before
 * and after a transpose, the squeeze does without it.
 */
#include "pass/order.h"

#include <assert.h>

static const char *visit(struct pass *pass, struct node *node)
{
    bool squeezes = is_op(node, OP_squeeze);
    const struct node *inner;

    if (node_is_pinned(pass, node))
        return NULL;
    inner = made_by(node->in[0].value, OP_transpose);
    if (!inner || inner->out[0].shape->rank == RANK_UNKNOWN)
        return NULL;
    struct dim_list order = order_of(inner), axes = {0};
    if (!squeezes) {
        struct dim_list second = order_of(node);
        order = order_chain(&order, &second);
        pass_replace(pass, &node->out[0], pass_transpose(pass, inner->in[0].value, &order));
        return NULL;
    }
    struct dim_list squeezed = list_of(attr_axes(node));
    if (!order_keeps_rest(&order, &squeezed)) {
        pass_left(pass, inner, "what its squeeze leaves is in another order");
        return NULL;
    }
    for (int i = 0; i < order.count; i++)
        if (list_has(&squeezed, i))
            list_add(&axes, order.item[i]);
    assert(axes.count <= squeezed.count);
    list_sort(&axes);
    const struct recipe recipe = {.op = OP_SPEC(squeeze, .axes = list_integers(&axes)),
                                  .in = {inner->in[0].value}};
    pass_replace(pass, &node->out[0], pass_make(pass, &recipe));
    return NULL;
}

const struct pass_desc pass_merge_transposes = {
    .purpose = "replace transposes of transposes by one, or by none",
    .ops = {OP_transpose, OP_squeeze},
    .visit = visit,
};
