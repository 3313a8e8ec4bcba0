/*
 * merge_concats.c - concatenations of what was concatenated, or cut (section 4.5.3)
 *
 * concat of a concat along the same axis is one.  Sections of a tensor that stand in it next to
 * each other are one section when they meet again; all of them in their order are the tensor
 * itself.
 */
#include "pass/identity.h"
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

/* The part that one operand takes of a tensor, if a split or slice along the axis cuts it. */
static struct concat_part part_of(const struct pass *pass, struct value *value, int axis)
{
    const struct node *split = made_by(value, OP_split), *slice = made_by(value, OP_slice);
    struct concat_part part = {.whole = value, .end = value->shape->extent[axis], .count = 1};

    assert(axis >= 0 && axis < value->shape->rank);
    if (split && attr_axis(split) == axis && node_is_known(split)) {
        for (uint32_t i = 0; i < value->port; i++)
            part.begin += split->out[i].shape->extent[axis];
        part.whole = split->in[0].value;
        part.end += part.begin;
        part.cut = true;
        return part;
    }
    if (!slice || !node_is_known(slice))
        return part;
    struct value *whole = slice->in[0].value;
    struct section section = section_of_slice(slice);
    for (int i = 0; i < section.rank; i++) {
        const struct span_of_items *span = &section.dim[i];
        if (span->step != 1 || (i != axis && span->count != whole->shape->extent[i]))
            return part;
    }
    const struct span_of_items *span = &section.dim[axis];
    return (struct concat_part){.whole = whole,
                                .begin = span->first,
                                .end = span->first + span->count,
                                .count = 1,
                                .cut = true,
                                .loose = value_is_inner(pass, value)};
}

/* The operands from the first on that are one section. */
static struct concat_part part_at(const struct pass *pass, struct value *const *value, int count,
                                  int axis)
{
    struct concat_part part = part_of(pass, value[0], axis);

    for (int i = 1; i < count; i++) {
        struct concat_part next = part_of(pass, value[i], axis);
        if (!part.cut || !next.cut || part.whole != next.whole || part.end != next.begin)
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

/* Operands that are sections next to each other, as one operand each. */
static struct joined_operands joined(struct pass *pass, const struct joined_operands *from,
                                     int axis)
{
    struct joined_operands to = {.value = pass_room(pass, from->count, sizeof(struct value *))};
    struct concat_part part;

    for (int i = 0; i < from->count; i += part.count) {
        part = part_at(pass, from->value + i, from->count - i, axis);
        struct section section = section_whole(part.whole->shape);
        assert(part.begin >= 0 && part.begin <= part.end && part.count > 0);
        if (part.cut && part.begin == 0 && part.end == section.dim[axis].count) {
            to.value[to.count++] = part.whole;
        } else if (part.count > 1 && part.loose) {
            section.dim[axis] = (struct span_of_items){part.begin, 1, part.end - part.begin};
            to.value[to.count++] = pass_slice(pass, part.whole, &section);
        } else { /* slices that others need, too, would not become fewer */
            for (int k = 0; k < part.count; k++)
                to.value[to.count++] = from->value[i + k];
        }
    }
    return to;
}

/* A concat whose operands are being taken, and which one is next. */
struct open_concat {
    const struct node *concat;
    uint32_t next;
    struct open_concat *outer; /* takes it in the place of an operand */
};

static struct open_concat *open_concat(struct pass *pass, const struct node *concat,
                                       struct open_concat *outer)
{
    struct open_concat *open = pass_room(pass, 1, sizeof *open);

    *open = (struct open_concat){.concat = concat, .outer = outer};
    return open;
}

/* The operands, with those of inner concats along the axis in their place, however deep. */
static struct joined_operands flattened(struct pass *pass, const struct node *node, int axis)
{
    struct joined_operands to = {0};
    struct open_concat *open = open_concat(pass, node, NULL);

    while (open) {
        if (open->next == open->concat->nin) {
            open = open->outer;
            continue;
        }
        struct value *value = open->concat->in[open->next++].value;
        const struct node *inner = made_by(value, OP_concat);
        inner = inner && attr_axis(inner) == axis ? inner : NULL;
        if (inner && value_is_inner(pass, value)) {
            open = open_concat(pass, inner, open);
            continue;
        }
        if (inner)
            pass_left(pass, inner, "its result is needed elsewhere");
        to.value = pass_list(pass, to.value, to.count, sizeof(struct value *));
        to.value[to.count++] = value;
    }
    return to;
}

/*
 * Whether a later concat takes the operands of this one.  Only the last of a chain is replaced:
 * one for each link would take memory for the square of their number.
 */
static bool is_joined_later(const struct pass *pass, const struct node *node)
{
    const struct value *result = &node->out[0];
    const struct node *reader = value_is_inner(pass, result) ? result->uses->node : NULL;

    return reader && is_op(reader, OP_concat) && attr_axis(reader) == attr_axis(node) &&
           node_is_known(reader) && !node_is_pinned(pass, reader);
}

static void merge_concat(struct pass *pass, struct node *node)
{
    int axis = (int)attr_axis(node);
    struct joined_operands flat = flattened(pass, node, axis), to = joined(pass, &flat, axis);
    bool same = (uint32_t)to.count == node->nin;

    assert(is_op(node, OP_concat) && node->nin > 0);
    for (uint32_t i = 0; same && i < node->nin; i++)
        same = node->in[i].value == to.value[i];
    if (pass->failed || same)
        return;
    const struct recipe recipe = {
        .op = OP_SPEC(concat, .axis = axis), .many = to.value, .count = to.count};
    pass_replace(pass, &node->out[0], to.count == 1 ? to.value[0] : pass_make(pass, &recipe));
}

static const char *visit(struct pass *pass, struct node *node)
{
    bool joins = false;

    if (!node_is_known(node) || node->nin == 0 || node_is_pinned(pass, node))
        return NULL;
    if (is_op(node, OP_concat)) {
        for (uint32_t i = 0; i < node->nin; i++) {
            const struct value *value = node->in[i].value;
            joins = joins || made_by(value, OP_concat) || made_by(value, OP_slice) ||
                    made_by(value, OP_split);
        }
        if (joins && !is_joined_later(pass, node))
            merge_concat(pass, node);
        return NULL;
    }
    /* A stack of all results of an unstack, in their order. */
    const struct node_result result = {.pass = pass, .node = node};
    struct value *whole = same_as_joined(&result);
    if (whole && value_may_replace(whole, &node->out[0]))
        pass_replace(pass, &node->out[0], whole);
    return NULL;
}

const struct pass_desc pass_merge_concats = {
    .purpose = "join concatenations along one axis, and sections of a tensor that meet again",
    .ops = {OP_concat, OP_stack},
    .visit = visit,
};
