/*
 * merge_transposes.c - one transpose instead of several (section 4.5.2)
 *
 * Two in a row are one, or none.  If what is left after a squeeze stands in the same order before
 * and after a transpose, the squeeze does without it.
 */
#include "pass/order.h"

#include <assert.h>

/* The squeeze of what the transpose reads, if it leaves the same. */
static void squeeze_before(struct pass *pass, struct node *node, const struct node *inner)
{
    struct dim_list order = order_of(inner), squeezed = list_of(attr_axes(node)), axes = {0};

    assert(is_op(inner, OP_transpose));
    if (!order_keeps_rest(&order, &squeezed)) {
        pass_left(pass, inner, "what its squeeze leaves is in another order");
        return;
    }
    for (int i = 0; i < order.count; i++)
        if (list_has(&squeezed, i))
            list_add(&axes, order.item[i]);
    list_sort(&axes);
    const struct recipe recipe = {.op = OP_SPEC(squeeze, .axes = list_integers(&axes)),
                                  .in = {inner->in[0].value}};
    pass_replace(pass, &node->out[0], pass_make(pass, &recipe));
}

static const char *visit(struct pass *pass, struct node *node)
{
    bool squeezes = is_op(node, OP_squeeze);
    const struct node *inner;

    if ((!squeezes && !is_op(node, OP_transpose)) || node_is_pinned(pass, node))
        return NULL;
    inner = made_by(node->in[0].value, OP_transpose);
    if (!inner || inner->out[0].shape->rank == RANK_UNKNOWN)
        return NULL;
    if (squeezes) {
        squeeze_before(pass, node, inner);
        return NULL;
    }
    struct dim_list first = order_of(inner), second = order_of(node);
    struct dim_list order = order_chain(&first, &second);
    pass_replace(pass, &node->out[0], pass_transpose(pass, inner->in[0].value, &order));
    return NULL;
}

const struct pass_desc pass_merge_transposes = {
    .purpose = "replace transposes of transposes by one, or by none",
    .visit = visit,
};
