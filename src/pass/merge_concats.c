/*
 * merge_concats.c - concatenations of what was concatenated, or cut (section 4.5.3)
 *
 * concat of a concat along the same axis is one.  Sections of a tensor that stand in it next to
 * each other are one section when they meet again; all of them in their order are the tensor
 * itself.
 */
#include "pass/attributes.h"
#include "pass/section.h"

#include <assert.h>

/* Sections begin <= i < end of a tensor along the axis, `count` operands that follow each other. */
struct concat_part {
    struct value *whole;
    int64_t begin, end;
    int count;
    bool cut;   /* else it is the operand itself */
    bool loose; /* nothing else needs the operands, which are slices */
};

/* --- what the operands are ---------------------------------------------------------------- */

static bool cut_along(const struct section *section, const struct shape *shape, int axis)
{
    for (int i = 0; i < section->rank; i++) {
        const struct span_of_items *span = &section->dim[i];
        if (span->step != 1 || (i != axis && span->count != shape->extent[i]))
            return false;
    }
    return true;
}

static struct concat_part part_of_split(const struct node *split, const struct value *result,
                                        int axis)
{
    struct concat_part part = {.whole = split->in[0].value, .count = 1, .cut = true};

    for (uint32_t i = 0; i < result->port; i++)
        part.begin += split->out[i].shape->extent[axis];
    part.end = part.begin + result->shape->extent[axis];
    return part;
}

static struct concat_part part_of(const struct pass *pass, struct value *value, int axis)
{
    struct node *split = made_by(value, OP_split), *slice = made_by(value, OP_slice);
    struct concat_part itself = {.whole = value, .end = value->shape->extent[axis], .count = 1};

    assert(axis >= 0 && axis < value->shape->rank);
    if (split && attr_axis(split) == axis && node_is_known(split))
        return part_of_split(split, value, axis);
    if (!slice || !node_is_known(slice))
        return itself;
    struct value *whole = slice->in[0].value;
    struct section section = section_of_slice(slice);
    if (!cut_along(&section, whole->shape, axis))
        return itself;
    const struct span_of_items *span = &section.dim[axis];
    return (struct concat_part){.whole = whole,
                                .begin = span->first,
                                .end = span->first + span->count,
                                .count = 1,
                                .cut = true,
                                .loose = value_is_inner(pass, value)};
}

static bool follows(const struct concat_part *part, const struct concat_part *next)
{
    return part->cut && next->cut && part->whole == next->whole && part->end == next->begin;
}

/* The operands from the first on that are one section. */
static struct concat_part part_at(const struct pass *pass, struct value *const *value, int count,
                                  int axis)
{
    struct concat_part part = part_of(pass, value[0], axis);

    for (int i = 1; i < count; i++) {
        struct concat_part next = part_of(pass, value[i], axis);
        if (!follows(&part, &next))
            break;
        part.end = next.end;
        part.loose = part.loose && next.loose;
        part.count++;
    }
    return part;
}

/* --- the new operands --------------------------------------------------------------------- */

struct joined_operands {
    struct value **value;
    int count;
};

static struct value *section_along(struct pass *pass, const struct concat_part *part, int axis)
{
    struct section section = section_whole(part->whole->shape);

    assert(part->begin >= 0 && part->begin <= part->end);
    section.dim[axis] = (struct span_of_items){part->begin, 1, part->end - part->begin};
    return pass_slice(pass, part->whole, &section);
}

/* Slices that others need, too, would not become fewer. */
static void take_part(struct pass *pass, struct value *const *value, const struct concat_part *part,
                      int axis, struct joined_operands *to)
{
    bool all = part->begin == 0 && part->end == part->whole->shape->extent[axis];

    if (part->cut && all)
        to->value[to->count++] = part->whole;
    else if (part->count > 1 && part->loose)
        to->value[to->count++] = section_along(pass, part, axis);
    else
        for (int i = 0; i < part->count; i++)
            to->value[to->count++] = value[i];
}

static struct joined_operands joined(struct pass *pass, const struct joined_operands *from,
                                     int axis)
{
    struct joined_operands to = {.value = pass_room(pass, from->count, sizeof(struct value *))};
    struct concat_part part;

    for (int i = 0; i < from->count; i += part.count) {
        part = part_at(pass, from->value + i, from->count - i, axis);
        take_part(pass, from->value + i, &part, axis, &to);
    }
    return to;
}

/* --- concat ------------------------------------------------------------------------------- */

/* A concat along the same axis. */
static const struct node *inner_concat(struct pass *pass, const struct value *value, int axis)
{
    const struct node *inner = made_by(value, OP_concat);

    if (!inner || attr_axis(inner) != axis)
        return NULL;
    if (value_is_inner(pass, value))
        return inner;
    pass_left(pass, inner, "its result is needed elsewhere");
    return NULL;
}

static struct joined_operands flattened(struct pass *pass, const struct node *node, int axis)
{
    struct joined_operands to = {0};
    uint32_t room = 0;

    for (uint32_t i = 0; i < node->nin; i++) {
        const struct node *inner = made_by(node->in[i].value, OP_concat);
        room += inner ? inner->nin : 1;
    }
    to.value = pass_room(pass, room, sizeof(struct value *));
    for (uint32_t i = 0; i < node->nin; i++) {
        const struct node *inner = inner_concat(pass, node->in[i].value, axis);
        if (!inner)
            to.value[to.count++] = node->in[i].value;
        for (uint32_t k = 0; inner && k < inner->nin; k++)
            to.value[to.count++] = inner->in[k].value;
    }
    return to;
}

static bool is_candidate(const struct node *node)
{
    for (uint32_t i = 0; i < node->nin; i++) {
        const struct value *value = node->in[i].value;
        if (made_by(value, OP_concat) || made_by(value, OP_slice) || made_by(value, OP_split))
            return true;
    }
    return false;
}

static bool same_operands(const struct node *node, const struct joined_operands *operands)
{
    if ((uint32_t)operands->count != node->nin)
        return false;
    for (uint32_t i = 0; i < node->nin; i++)
        if (node->in[i].value != operands->value[i])
            return false;
    return true;
}

static void visit_concat(struct pass *pass, struct node *node)
{
    int axis = (int)attr_axis(node);
    struct joined_operands flat = flattened(pass, node, axis), to = joined(pass, &flat, axis);

    assert(is_op(node, OP_concat) && node->nin > 0);
    if (pass->failed || same_operands(node, &to))
        return;
    struct value *made = to.count == 1
                             ? to.value[0]
                             : pass_make(pass, &(struct recipe){.op = OP_SPEC(concat, .axis = axis),
                                                                .many = to.value,
                                                                .count = to.count});
    if (made)
        pass_replace(pass, &node->out[0], made);
}

/* --- stack -------------------------------------------------------------------------------- */

static void visit_stack(struct pass *pass, struct node *node)
{
    const struct node *unstack = made_by(node->in[0].value, OP_unstack);
    bool all = unstack && unstack->nout == node->nin && attr_axis(unstack) == attr_axis(node);

    for (uint32_t i = 0; all && i < node->nin; i++)
        all = node->in[i].value == &unstack->out[i];
    if (all && value_may_replace(unstack->in[0].value, &node->out[0]))
        pass_replace(pass, &node->out[0], unstack->in[0].value);
}

static void visit(struct pass *pass, struct node *node)
{
    if (!node_is_known(node) || node->nin == 0 || node_is_pinned(pass, node))
        return;
    if (is_op(node, OP_stack))
        visit_stack(pass, node);
    else if (is_op(node, OP_concat) && is_candidate(node))
        visit_concat(pass, node);
}

const struct pass_desc pass_merge_concats = {
    .purpose = "join concatenations along one axis, and sections of a tensor that meet again",
    .visit = visit,
};
