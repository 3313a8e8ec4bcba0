/*
 * write_into.c - steps that write a result into another result: into the part of a concat, or in
 * the order of a transposition
 *
 * A result lies within another if the node that wants it there is its only reader; further readers
 * are possible if it lies there as it would alone.  That other result may lie within a third one.
 * Results that could not be written there are moved when the concat is due.
 */
#include "exec/planner.h"

#include "tensor/tensor.h"

#include <assert.h>

/* Bounds of the search: readers or operands, and results one within the other. */
enum { CHANNEL = 1, MOST = 64, DEEPEST = 32 };

/* A concat takes memory from its first part on.  A part that comes so many nodes before the concat
 * is better moved. */
enum { NEAR = 32 };

/* --- the node that wants a result ------------------------------------------------------------ */

static bool puts_elsewhere(const struct node *node)
{
    return is_op(node, OP_concat) || is_op(node, OP_transpose) || keeps_items(node);
}

/* Set the order of nodes, and the depth of chains of results within results.  Along a chain the
 * depth falls by one, so that chains end. */
void target_prepare(struct planner *planner)
{
    uint32_t place = 0;

    for (const struct node *n = planner->graph->first; n; n = n->next)
        planner->order[n->id] = place++;
    for (const struct node *n = planner->graph->last; n; n = n->prev)
        for (uint32_t i = 0; i < n->nin && puts_elsewhere(n); i++) {
            uint8_t *depth = &planner->depth[n->in[i].value->id];
            uint8_t further = (uint8_t)(planner->depth[n->out[0].id] % DEEPEST + 1);
            *depth = further > *depth ? further : *depth;
        }
}

/* The index of the operand that is the value; -1: several are. */
static int only_place(const struct node *node, const struct value *value)
{
    int place = -1, count = 0;

    for (uint32_t i = 0; i < node->nin; i++)
        if (node->in[i].value == value) {
            place = (int)i;
            count++;
        }
    return count == 1 ? place : -1;
}

/* Can a concat be joined in this layout?  All its parts must be written in one layout. */
static bool joins_in(const struct planner *planner, const struct node *node, enum layout layout)
{
    const struct value *out = &node->out[0];
    const int *buffer = planner->placement[out->id].buffer;
    int rank = out->shape->rank, begun = 0;

    if (node->nin > MOST)
        return false;
    for (uint32_t i = 0; i < node->nin; i++)
        if (node->in[i].value->shape->rank != rank)
            return false;
    for (int other = 0; other < LAYOUT_COUNT; other++)
        begun += buffer[other] != NO_BUFFER;
    return (begun == 0 || buffer[layout] != NO_BUFFER) &&
           (layout == LAYOUT_PLAIN || rank > CHANNEL + 1);
}

/* Does the node want its operand within its result?  `alone`: nobody else reads it. */
static bool wants(const struct planner *planner, const struct node *node, const struct value *value,
                  enum layout layout, bool alone)
{
    const struct group *group = planner->due[node->id];

    /* A node inside of a group has no result in memory. */
    if (!planner->live.node[node->id] || !puts_elsewhere(node) || !group || group->count > 1 ||
        shape_volume(value->shape) == 0 ||
        plan_item_size(planner, value) != plan_item_size(planner, &node->out[0]))
        return false;
    if (is_op(node, OP_concat)) /* the reference writes all of its result */
        return group->op &&
               planner->order[node->id] - planner->order[value->producer->id] <= NEAR &&
               joins_in(planner, node, layout) && only_place(node, value) >= 0;
    if (is_op(node, OP_transpose))
        return alone && value->shape->rank == node->out[0].shape->rank;
    return alone && layout == LAYOUT_PLAIN;
}

/* --- the place within its result ------------------------------------------------------------- */

static const struct node *node_that_wants(const struct planner *planner, const struct value *value,
                                          enum layout layout, struct strided_view *view);

/* The layout of the result if the operand lies in `layout`. */
static enum layout layout_of_result(const struct node *node, enum layout layout)
{
    return is_op(node, OP_concat) ? layout : LAYOUT_PLAIN;
}

static int64_t begin_of_part(const struct node *concat, int part, int axis)
{
    int64_t begin = 0;

    assert(part >= 0 && part < (int)concat->nin);
    for (int i = 0; i < part; i++)
        begin += concat->in[i].value->shape->extent[axis];
    return begin;
}

/* The view of an operand that is written into the result of the node.  False: an alias does as
 * well, or there is no such view. */
static bool target_before(const struct planner *planner, const struct node *node,
                          const struct value *value, enum layout layout, struct strided_view *view)
{
    const struct value *out = &node->out[0];
    struct strided_view result;
    const struct node *further =
        node_that_wants(planner, out, layout_of_result(node, layout), &result);

    if (!further)
        result = view_in_order(out->shape, layout_of_result(node, layout));
    *view = result;
    if (is_op(node, OP_concat)) {
        int axis = (int)attr_axis(node);
        view->at += begin_of_part(node, only_place(node, value), axis) * result.stride[axis];
        return true;
    }
    if (is_op(node, OP_transpose)) {
        const struct integers *axes = attr_axes(node);
        for (int i = 0; i < out->shape->rank; i++)
            view->stride[i < axes->count ? axes->item[i] : i] = result.stride[i];
        return further || !view_is_in_order(view, value->shape, layout);
    }
    if (!further || !view_is_in_order(&result, out->shape, LAYOUT_PLAIN))
        return false;
    *view = view_in_order(value->shape, LAYOUT_PLAIN);
    view->at = result.at;
    return true;
}

/* The node that wants a value which has no buffer yet within its result, and the view of the value
 * there.  NULL: it gets a buffer of its own, and *view is undefined.  A reader outside the graph
 * wants no node to have it. */
static const struct node *node_that_wants(const struct planner *planner, const struct value *value,
                                          enum layout layout, struct strided_view *view)
{
    uint32_t holds = planner->live.holds[value->id], reads = 0;
    bool searched = holds <= MOST && planner->depth[value->id] != DEEPEST;
    const struct node *node = NULL;

    for (const struct use *use = value->uses; searched && use; use = use->next) {
        reads += planner->live.node[use->node->id];
        if (!node && wants(planner, use->node, value, layout, holds == 1))
            node = use->node;
    }
    bool fits = node && reads == holds && target_before(planner, node, value, layout, view) &&
                (holds == 1 || view_is_in_order(view, value->shape, layout));
    return fits ? node : NULL;
}

struct strided_view plan_target(const struct planner *planner, const struct value *value,
                                enum layout layout)
{
    struct strided_view view;

    assert(value->kind == VALUE_RESULT);
    return node_that_wants(planner, value, layout, &view) ? view
                                                          : view_in_order(value->shape, layout);
}

static int make_room(struct planner *planner, const struct value *value, enum layout layout);

/* A new buffer of a value, within the result of the node, or of its own if that is NULL. */
static int make_room_in(struct planner *planner, const struct value *value, enum layout layout,
                        const struct node *node, const struct strided_view *view)
{
    int *placement = &planner->placement[value->id].buffer[layout];

    if (!node)
        return *placement = result_buffer(planner, value);
    int whole = make_room(planner, &node->out[0], layout_of_result(node, layout));
    size_t at = (size_t)view->at * plan_item_size(planner, value);
    return *placement = part_buffer(planner, value, whole, at);
}

/* The buffer of a value of which nothing, or only parts, has been written. */
static int make_room(struct planner *planner, const struct value *value, enum layout layout)
{
    const int placed = planner->placement[value->id].buffer[layout];
    struct strided_view view;

    if (placed != NO_BUFFER)
        return placed;
    const struct node *node = node_that_wants(planner, value, layout, &view);
    return make_room_in(planner, value, layout, node, &view);
}

bool plan_write_view(struct planner *planner, struct step *step, const struct value *value)
{
    step->out[step->nout++] = make_room(planner, value, step->layout);
    return true;
}

bool plan_write(struct planner *planner, struct step *step, const struct value *value)
{
    int *placed = &planner->placement[value->id].buffer[step->layout];
    struct strided_view view;

    assert(value->kind == VALUE_RESULT);
    const struct node *node = node_that_wants(planner, value, step->layout, &view);
    bool in_order = !node || view_is_in_order(&view, value->shape, step->layout);
    if (*placed == NO_BUFFER || !in_order)
        make_room_in(planner, value, step->layout, in_order ? node : NULL, &view);
    step->out[step->nout++] = *placed;
    return true;
}

/* --- results that are written in part --------------------------------------------------------- */

bool plan_is_in_place(const struct planner *planner, const struct node *concat, int part,
                      enum layout layout)
{
    const struct value *value = concat->in[part].value, *out = &concat->out[0];
    const struct buffer *buffers = planner->plan->buffers;
    int whole = planner->placement[out->id].buffer[layout],
        own = planner->placement[value->id].buffer[layout];

    if (whole == NO_BUFFER || own == NO_BUFFER ||
        buffers[own].whole != buffer_root(planner->plan, whole))
        return false;
    int axis = (int)attr_axis(concat);
    int64_t at = begin_of_part(concat, part, axis) * plan_target(planner, out, layout).stride[axis];
    return buffers[own].offset == buffers[whole].offset + (size_t)at * plan_item_size(planner, out);
}

bool target_begun(const struct planner *planner, const struct group *group)
{
    const struct node *node = group->nodes[0];

    if (group->count > 1 || node->nout != 1)
        return false;
    for (int layout = 0; layout < LAYOUT_COUNT; layout++)
        if (planner->placement[node->out[0].id].buffer[layout] != NO_BUFFER)
            return true;
    return false;
}
