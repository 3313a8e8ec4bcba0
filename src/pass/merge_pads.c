/*
 * merge_pads.c - padding around padding (section 4.5.5)
 *
 * Constant borders of the same value add up, unless the inner one takes items away that the outer
 * one would put others in place of.  So do repetitions of the outermost items, if none are taken
 * away. Reflections are not the same reflected twice.
 */
#include "pass/attributes.h"

#include <assert.h>

/* NULL: the borders are alike, and such that one is the same as the two. */
static const char *obstacle(const struct node *inner, const struct node *outer)
{
    double value = attr_value(inner), other = attr_value(outer);

    if (attr_border(inner) != attr_border(outer))
        return "the two have different borders";
    if (attr_border(inner) == BORDER_CONSTANT)
        return value < other || value > other || value != value || other != other
                   ? "the two have different values"
                   : NULL;
    return attr_border(inner) == BORDER_REPLICATE ? NULL
                                                  : "its border is not the same twice as at once";
}

static const char *visit(struct pass *pass, struct node *node)
{
    const struct node *inner;

    if (!pass_is_known(pass, node) || node_is_pinned(pass, node))
        return NULL;
    inner = made_by(node->in[0].value, OP_pad);
    if (!inner || !pass_is_known(pass, inner))
        return NULL;
    struct pad_attrs attrs = *(const struct pad_attrs *)node->attrs;
    struct pair_list sum = pair_list_of(attr_padding(inner));
    const char *why = value_is_inner(pass, &inner->out[0])
                          ? obstacle(inner, node)
                          : "what is padded already is needed elsewhere";
    assert(sum.count <= attrs.padding.count);
    for (int i = 0; i < sum.count && !why; i++)
        for (int side = 0; side < 2; side++) {
            int64_t first = sum.item[i][side], more = attrs.padding.item[i][side];
            int64_t extent = inner->in[0].value->shape->extent[i];
            bool takes = attrs.border == BORDER_CONSTANT && (first >= 0 || more <= 0) &&
                         -(first + more) < extent;
            /* Items that the outer one takes away are those of the inner one, or lie behind them;
             * none are taken away and put back. */
            if ((first < 0 || more < 0) && !takes)
                why = pass_because(
                    pass, "one takes items away of dimension %d, and the other adds some", i);
            sum.item[i][side] += more;
        }
    if (why) {
        pass_left(pass, inner, why);
        return NULL;
    }
    attrs.padding = list_pairs(&sum);
    pass_replace(pass, &node->out[0],
                 pass_remake(pass, node, (struct value *[]){inner->in[0].value}, &attrs));
    return NULL;
}

const struct pass_desc pass_merge_pads = {
    .purpose = "replace padding around padding by one",
    .ops = {OP_pad},
    .visit = visit,
};
