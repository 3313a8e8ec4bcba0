/*
 * identity_window.c - windows of one item, and factors and lanes of 1
 *
 * A sum begins with 0, and so is never a negative zero.
 */
#include "pass/identity.h"

#include <assert.h>

/* Types are those of scalars everywhere, shapes have to be known to be the same. */
static bool same_shape(const struct node *node)
{
    const struct shape *shape = node->out[0].shape;

    return shape_known(shape) && shape_equal(shape, node->in[0].value->shape);
}

/* Does each window read the single item in its place? */
static bool is_single(const struct node *node)
{
    const struct window_attrs *attrs = node->attrs;

    assert(node_has_attr(node, ATTR_size));
    return same_shape(node) && integers_are_ones(&attrs->size) &&
           integers_are_ones(&attrs->stride) && pads_nothing(&attrs->padding);
}

/* box, debox, avg_pool */
struct value *same_as_window_sum(const struct node_result *r)
{
    struct value *x = r->node->in[0].value;

    return is_single(r->node) && zero_may_be_negative(r, x) ? x : NULL;
}

/* max_pool, max_pool_with_index */
struct value *same_as_window_maximum(const struct node_result *r)
{
    return r->port == 0 && is_single(r->node) ? r->node->in[0].value : NULL;
}

/* Where the shape stays, all factors are 1, and all lanes have a single item. */
struct value *same_as_mean(const struct node_result *r)
{
    struct value *x = r->node->in[0].value;

    return same_shape(r->node) && zero_may_be_negative(r, x) ? x : NULL;
}

struct value *same_as_extreme(const struct node_result *r)
{
    return same_shape(r->node) ? r->node->in[0].value : NULL;
}
