/*
 * merge_pads.c - padding around padding (section 4.5.5)
 *
 * Constant borders of the same value add up, unless the inner one takes items away that the outer
 * one would put others in place of.  So do repetitions of the outermost items, if none are taken
 * away. Reflections are not the same reflected twice.
 */
#include "pass/attributes.h"

#include <assert.h>
#include <inttypes.h>

/* NULL: they may be merged. */
static const char *obstacle(const struct pass *pass, const struct node *inner,
                            const struct node *outer)
{
    double value = attr_value(inner), other = attr_value(outer);

    if (!value_is_inner(pass, &inner->out[0]))
        return "what is padded already is needed elsewhere";
    if (attr_border(inner) != attr_border(outer))
        return "the two have different borders";
    if (attr_border(inner) == BORDER_CONSTANT)
        return value < other || value > other || value != value || other != other
                   ? "the two have different values"
                   : NULL;
    return attr_border(inner) == BORDER_REPLICATE ? NULL
                                                  : "its border is not the same twice as at once";
}

/* Items that the outer one takes away are those of the inner one, or lie behind them; none are
 * taken away and put back. */
static bool adds_up(int64_t inner, int64_t outer, int64_t extent, bool is_constant)
{
    if (inner >= 0 && outer >= 0)
        return true;
    return is_constant && (inner >= 0 || outer <= 0) && -(inner + outer) < extent;
}

static void merge(struct pass *pass, struct node *node, const struct node *inner)
{
    struct pair_list first = pair_list_of(attr_padding(inner));
    const struct pairs *second = attr_padding(node);
    bool is_constant = attr_border(node) == BORDER_CONSTANT;

    assert(is_op(node, OP_pad) && is_op(inner, OP_pad));
    for (int i = 0; i < first.count; i++)
        for (int side = 0; side < 2; side++) {
            int64_t extent = inner->in[0].value->shape->extent[i];
            if (!adds_up(first.item[i][side], second->item[i][side], extent, is_constant)) {
                pass_left(pass, inner,
                          "one takes items away of dimension %d, and the other adds some", i);
                return;
            }
            first.item[i][side] += second->item[i][side];
        }
    struct pad_attrs attrs = *(const struct pad_attrs *)node->attrs;
    attrs.padding = list_pairs(&first);
    struct value *merged = pass_remake(pass, node, (struct value *[]){inner->in[0].value}, &attrs);
    if (merged)
        pass_replace(pass, &node->out[0], merged);
}

static void visit(struct pass *pass, struct node *node)
{
    const struct node *inner;

    if (!is_op(node, OP_pad) || !node_is_known(node) || node_is_pinned(pass, node))
        return;
    inner = made_by(node->in[0].value, OP_pad);
    if (!inner || !node_is_known(inner))
        return;
    const char *why = obstacle(pass, inner, node);
    if (why)
        pass_left(pass, inner, "%s", why);
    else
        merge(pass, node, inner);
}

const struct pass_desc pass_merge_pads = {
    .purpose = "replace padding around padding by one",
    .visit = visit,
};
