/* order.c - orders of dimensions: what transposes change */
#include "pass/order.h"

#include <assert.h>

struct dim_list order_of(const struct node *transpose)
{
    struct dim_list order = list_of(attr_axes(transpose));

    assert(is_op(transpose, OP_transpose));
    while (order.count < transpose->out[0].shape->rank)
        list_add(&order, order.count);
    return order;
}

struct dim_list order_inverse(const struct dim_list *order)
{
    struct dim_list inverse = {.count = order->count};

    for (int i = 0; i < order->count; i++)
        inverse.item[order->item[i]] = i;
    return inverse;
}

struct dim_list order_chain(const struct dim_list *first, const struct dim_list *second)
{
    struct dim_list chain = {.count = second->count};

    assert(first->count == second->count);
    for (int i = 0; i < second->count; i++)
        chain.item[i] = first->item[second->item[i]];
    return chain;
}

bool order_is_plain(const struct dim_list *order)
{
    for (int i = 0; i < order->count; i++)
        if (order->item[i] != i)
            return false;
    return true;
}

bool order_equal(const struct dim_list *a, const struct dim_list *b)
{
    for (int i = 0; i < a->count; i++)
        if (i >= b->count || a->item[i] != b->item[i])
            return false;
    return a->count == b->count;
}

bool order_keeps_rest(const struct dim_list *order, const struct dim_list *without)
{
    int64_t last = -1;

    for (int i = 0; i < order->count; i++) {
        if (list_has(without, i))
            continue;
        if (order->item[i] < last)
            return false;
        last = order->item[i];
    }
    return true;
}

bool order_moves_nothing(const struct dim_list *order, const struct shape *shape)
{
    struct dim_list single = {0};

    assert(order->count <= MAX_RANK); /* a transposition may go beyond the rank */
    for (int i = 0; i < order->count; i++)
        if (shape->extent[order->item[i]] == 1)
            list_add(&single, i);
    return order_keeps_rest(order, &single);
}

struct shape order_apply(const struct dim_list *order, const struct shape *shape)
{
    struct shape to = {.rank = order->count};

    assert(order->count <= MAX_RANK);
    for (int i = 0; i < to.rank; i++)
        to.extent[i] = shape->extent[order->item[i]];
    return to;
}

struct value *pass_transpose(struct pass *pass, struct value *value, const struct dim_list *order)
{
    if (order_is_plain(order))
        return value;
    return pass_make(pass, &(struct recipe){.op = OP_SPEC(transpose, .axes = list_integers(order)),
                                            .in = {value}});
}
