/* merge_slices.c - a slice of a slice is one slice (section 4.5.4) */
#include "pass/section.h"

static const char *visit(struct pass *pass, struct node *node)
{
    if (!pass_is_known(pass, node) || node_is_pinned(pass, node))
        return NULL;
    const struct node *inner = made_by(node->in[0].value, OP_slice);
    if (!inner || !pass_is_known(pass, inner))
        return NULL;
    struct section whole = section_of_slice(inner), part = section_of_slice(node);
    struct section section = section_within(&whole, &part);
    pass_replace(pass, &node->out[0], pass_slice(pass, inner->in[0].value, &section));
    return NULL;
}

const struct pass_desc pass_merge_slices = {
    .purpose = "replace a slice of a slice by one",
    .ops = {OP_slice},
    .visit = visit,
};
