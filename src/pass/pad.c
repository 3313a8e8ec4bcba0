/*
 * pad.c - borders that 'pad' makes become padding of the window behind it (sections 4.3 and 4.5.5)
 *
 * The items that 'pad' puts around its input must be those that the window takes outside of its
 * input.  If the window is padded itself, both borders become one.  That must be the same as one of
 * the whole width: zeros around zeros, or copies of copies.
 *
 * A window that is not padded never looks at its own border.  That may become a border of zeros,
 * which all programs have, but no other one, because few programs have windows with others.
 *
 * A maximum may leave zeros out if there are items beside them that are no less.
 */
#include "pass/edit.h"

#include "op/window.h"

#include <assert.h>

/* What 'pad' and the window behind it put around the tensor. */
struct pad_amounts {
    int first, count;         /* dimensions that the window has padding for */
    int64_t pad[MAX_RANK][2]; /* of `pad`, of them */
    int64_t own[MAX_RANK][2]; /* of the window */
    bool pads, pads_itself;   /* is one of them greater than 0? */
    bool automatic;           /* the own padding of the window */
    enum border from, around; /* border of `pad`, and of the window */
};

enum { NO_BORDER = -1 };

/* Fills in what both put around.  NULL, or why no window could take it. */
static const char *read_amounts(const struct node *node, const struct node *pad,
                                struct pad_amounts *p)
{
    const struct pairs *pairs = attr_padding(pad);

    assert(is_op(pad, OP_pad) && p->count <= MAX_RANK);
    for (int i = 0; i < pairs->count; i++)
        for (int side = 0; side < 2; side++) {
            int64_t amount = pairs->item[i][side];
            if (amount < 0)
                return "items are cut off";
            if (amount > 0 && i < p->first)
                return "the dimension of the batch or the channels is padded";
            if (amount > INT32_MAX)
                return "the border is too wide";
            if (i >= p->first)
                p->pad[i - p->first][side] = amount;
            p->pads |= amount > 0;
        }
    const struct window_attrs *attrs = node->attrs;
    for (int i = 0; i < p->count; i++) {
        bool given = i < attrs->padding.count;
        for (int side = 0; side < 2 && given; side++) {
            p->own[i][side] = attrs->padding.item[i][side];
            p->pads_itself |= p->own[i][side] > 0;
        }
        /* Padding that is not given is automatic, but a window of a single item needs none. */
        const struct shape *filter = is_op(node, OP_conv) ? node->in[1].value->shape : NULL;
        if (!given)
            p->automatic |=
                (filter ? shape_extent(filter, i + p->first) : attrs->size.item[i]) != 1;
    }
    return NULL;
}

/* --- which border -------------------------------------------------------------------------- */

/* Is there an item of the input in every window? */
static bool all_windows_hit(const struct node *node, const struct shape *input,
                            const struct pad_amounts *p)
{
    const struct window_attrs *attrs = node->attrs;

    for (int i = 0; i < p->count; i++) {
        int64_t dilation = i < attrs->dilation.count ? attrs->dilation.item[i] : 1;
        for (int side = 0; side < 2; side++)
            if (p->pad[i][side] + p->own[i][side] >= attrs->size.item[i])
                return false;
        if ((dilation > 1 && attrs->size.item[i] > 1) || shape_extent(input, i) < 1)
            return false;
    }
    return true;
}

/* Border of the window that stands for both, or NO_BORDER. */
static int common_border(const struct node *node, const struct node *pad,
                         const struct pad_amounts *p)
{
    bool zeros = !p->pads_itself || p->around == BORDER_CONSTANT;
    bool ignores = p->around == BORDER_IGNORE;
    const struct value *input = pad->in[0].value;

    if (!p->pads)
        return (int)p->around;
    if (p->from != BORDER_CONSTANT) {
        bool same = p->from == p->around && (!p->pads_itself || p->from == BORDER_REPLICATE);
        return same ? (int)p->from : NO_BORDER;
    }
    if (is_op(node,
              OP_max_pool)) /* the zeros must be no larger than what is there, and not alone */
        return (zeros || ignores) && made_by(input, OP_relu) &&
                       all_windows_hit(node, input->shape, p)
                   ? BORDER_IGNORE
                   : NO_BORDER;
    /* A sum, but no mean, of zeros is as if they were not there. */
    bool adds = is_op(node, OP_box) && !((const struct window_attrs *)node->attrs)->normalize;
    return zeros || (ignores && adds) ? BORDER_CONSTANT : NO_BORDER;
}

/* --- fusing -------------------------------------------------------------------------------- */

static const char *fuse(struct pass *pass, struct node *node, const struct node *pad)
{
    int first = is_op(node, OP_conv) ? 2 : 0;
    struct pad_amounts p = {.first = first,
                            .count = pad->out[0].shape->rank - first,
                            .from = attr_border(pad),
                            .around = attr_border(node)};
    double value = attr_value(pad);
    const char *why = read_amounts(node, pad, &p);

    if (why)
        return why;
    if (value_stays(pass, &pad->out[0]))
        return "the padded tensor is needed elsewhere";
    if (value_is_pinned(pass, &node->out[0]))
        return "something is said of its result elsewhere";
    if (p.automatic)
        return "its own padding is automatic";
    if (p.pads && p.from == BORDER_CONSTANT && (value < 0 || !(value <= 0)))
        return pass_because(pass, "the border is filled with %g, not with 0", value);
    int border = common_border(node, pad, &p);
    if (border == NO_BORDER && is_op(node, OP_max_pool) && p.from == BORDER_CONSTANT)
        return "the zeros of the border take part in its maxima";
    if (border == NO_BORDER && p.from == p.around)
        return pass_because(pass, "one border '%s' around another is no wider one",
                            border_words[p.from]);
    if (border == NO_BORDER)
        return pass_because(pass, "its own border is '%s', not '%s'", border_words[p.around],
                            border_words[p.from]);
    /* The window with the sum of both. */
    struct value **in = pass_room(pass, node->nin, sizeof(struct value *));
    for (uint32_t i = 0; i < node->nin; i++)
        in[i] = i == 0 ? pad->in[0].value : node->in[i].value;
    for (int i = 0; i < p.count; i++)
        for (int side = 0; side < 2; side++)
            p.pad[i][side] += p.own[i][side];
    struct window_attrs attrs = *(const struct window_attrs *)node->attrs;
    attrs.border = (enum border)border;
    attrs.padding = (struct pairs){p.count, (const int64_t(*)[2])p.pad};
    pass_replace(pass, &node->out[0], pass_remake(pass, node, in, &attrs));
    return NULL;
}

static const char *visit(struct pass *pass, struct node *node)
{
    const struct node *pad = made_by(node->in[0].value, OP_pad);
    const char *why = pad ? fuse(pass, node, pad) : NULL;

    if (why)
        pass_left(pass, pad, pass_unfused(pass, node, why));
    return NULL;
}

const struct pass_desc pass_fuse_pad = {
    .purpose = "let the window behind a 'pad' do the padding",
    .ops = {OP_conv, OP_box, OP_avg_pool, OP_rms_pool, OP_max_pool},
    .visit = visit,
};
