/*
 * identity_window.c - windows of one item, and factors and lanes of 1
 *
 * What adds up begins with 0, and so gives no negative zero.
 */
#include "pass/identity.h"

/* In a list of numbers, or of pairs of them. */
static bool all_are(const struct datum *datum, int64_t number)
{
    for (int i = 0; i < datum->count; i++) {
        const struct datum *item = &datum->items[i];
        if (item->kind == DATUM_INTEGER ? item->integer != number : !all_are(item, number))
            return false;
    }
    return true;
}

/* Types are those of scalars everywhere, shapes have to be known to be the same. */
static bool same_shape(const struct node *node)
{
    const struct shape *shape = node->out[0].shape;

    return shape_known(shape) && shape_equal(shape, node->in[0].value->shape);
}

static bool is_single(const struct pass *pass, const struct node *node)
{
    const struct datum size = node_attr(pass, node, "size"),
                       stride = node_attr(pass, node, "stride"),
                       padding = node_attr(pass, node, "padding");

    return same_shape(node) && all_are(&size, 1) && all_are(&stride, 1) && all_are(&padding, 0);
}

/* box, debox, avg_pool */
struct value *same_as_window_sum(const struct pass *pass, const struct node *node, uint32_t port)
{
    struct value *x = node->in[0].value;

    (void)port;
    return is_single(pass, node) && zero_may_be_negative(pass, node, x) ? x : NULL;
}

/* max_pool, max_pool_with_index */
struct value *same_as_window_maximum(const struct pass *pass, const struct node *node,
                                     uint32_t port)
{
    return port == 0 && is_single(pass, node) ? node->in[0].value : NULL;
}

/* Where the shape stays, all factors are 1, and all lanes have a single item. */
struct value *same_as_mean(const struct pass *pass, const struct node *node, uint32_t port)
{
    struct value *x = node->in[0].value;

    (void)port;
    return same_shape(node) && zero_may_be_negative(pass, node, x) ? x : NULL;
}

struct value *same_as_extreme(const struct pass *pass, const struct node *node, uint32_t port)
{
    (void)pass, (void)port;
    return same_shape(node) ? node->in[0].value : NULL;
}
