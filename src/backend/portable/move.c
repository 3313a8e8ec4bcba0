/* move.c - operations that compute nothing: their results are items of operands, elsewhere */
#include "backend/portable/portable.h"

#include "backend/portable/moves.h"
#include "base/arena.h"
#include "base/num.h"
#include "base/team.h"
#include "exec/planner.h"
#include "op/window.h"

#include <assert.h>

enum { CHANNEL = 1, FILL_PART = 1 << 14 };

/* The operation that moves are made for. */
struct plan_of_moves {
    const struct planner *planner;
    const struct node *node;
    enum layout layout;
    struct moves *moves;
};

/* --- adding moves --------------------------------------------------------------------------- */

static const struct shape *in_shape(const struct plan_of_moves *p, int index)
{
    return p->node->in[index].value->shape;
}

static const struct shape *out_shape(const struct plan_of_moves *p, int index)
{
    return p->node->out[index].shape;
}

/* The views of operands and results; a result that is filled first is in order. */
static struct strided_view view_of_in(const struct plan_of_moves *p, int index)
{
    return p->layout == LAYOUT_PLAIN ? plan_view(p->planner, p->node->in[index].value)
                                     : view_in_order(in_shape(p, index), p->layout);
}

static struct strided_view view_of_out(const struct plan_of_moves *p, int index)
{
    struct strided_view view = plan_target(p->planner, &p->node->out[index], p->layout);

    view.at = 0;
    return p->moves->fills ? view_in_order(out_shape(p, index), p->layout) : view;
}

/* Add a move from operand `in` of the node to result `out`. */
static void add_move(const struct plan_of_moves *p, int in, int out, const struct move *move)
{
    struct moves *moves = p->moves;
    struct arena *arena = p->planner->plan->arena;

    moves->transfer = arena_list(arena, moves->transfer, moves->count, sizeof *moves->transfer);
    moves->transfer[moves->count++] = (struct transfer){.move = *move, .in = in, .out = out};
}

/* One view of the operand: transpose, slice, and nearest_downsample, which takes one item of
 * many. */
static void plan_view_moved(const struct plan_of_moves *p)
{
    const struct shape *in = in_shape(p, 0), *out = out_shape(p, 0);
    const struct strided_view whole = view_of_in(p, 0), to = view_of_out(p, 0);
    struct strided_view from = whole;

    if (is_op(p->node, OP_transpose))
        from = view_transposed(p->node, &whole);
    else if (is_op(p->node, OP_slice))
        from = view_sliced(p->node, &whole);
    else
        for (int i = 0; i < out->rank; i++)
            from.stride[i] *= out->extent[i] > 0 ? in->extent[i] / out->extent[i] : 0;
    const struct move move = move_views(out, p->layout, &from, &to);
    add_move(p, 0, 0, &move);
}

/* --- joining and cutting -------------------------------------------------------------------- */

/* concat and stack join parts, split and unstack cut them.  Parts that steps have written into the
 * result already are not read. */
static void plan_parts(const struct plan_of_moves *p)
{
    bool concat = is_op(p->node, OP_concat), joins = concat || is_op(p->node, OP_stack);
    bool drops = is_op(p->node, OP_stack) || is_op(p->node, OP_unstack);
    const struct strided_view whole = joins ? view_of_out(p, 0) : view_of_in(p, 0);
    int axis = (int)attr_axis(p->node), count = (int)(joins ? p->node->nin : p->node->nout);
    int64_t at = 0;

    for (int i = 0; i < count; i++) {
        const struct shape *shape = joins ? in_shape(p, i) : out_shape(p, i);
        const struct strided_view part = view_part(&whole, axis, at, drops),
                                  own = joins ? view_of_in(p, i) : view_of_out(p, i);
        const struct move move =
            move_views(shape, p->layout, joins ? &own : &part, joins ? &part : &own);
        at += drops ? 1 : shape->extent[axis];
        if (!concat || !plan_is_in_place(p->planner, p->node, i, p->layout))
            add_move(p, joins ? i : 0, joins ? 0 : i, &move);
    }
}

/* --- repetition ----------------------------------------------------------------------------- */

struct move move_repeated(const struct node *node, enum layout layout,
                          const struct strided_view *from, const struct strided_view *to)
{
    const struct shape *in = node->in[0].value->shape, *out = node->out[0].shape;
    struct move move = {.from_at = from->at, .to_at = to->at};
    bool whole = is_op(node, OP_tile);

    for (int i = 0; i < out->rank; i++) {
        int axis = layout_axis(out->rank, layout, i);
        int64_t extent = in->extent[axis], times = extent > 0 ? out->extent[axis] / extent : 0;
        if (whole)
            move_add(&move, times, 0, extent * to->stride[axis]);
        move_add(&move, extent, from->stride[axis],
                 whole ? to->stride[axis] : times * to->stride[axis]);
        if (!whole)
            move_add(&move, times, 0, to->stride[axis]);
    }
    move_finish(&move);
    return move;
}

static void plan_repetition(const struct plan_of_moves *p)
{
    const struct strided_view from = view_of_in(p, 0), to = view_of_out(p, 0);
    const struct move move = move_repeated(p->node, p->layout, &from, &to);

    add_move(p, 0, 0, &move);
}

/* --- pad ------------------------------------------------------------------------------------ */

/* Items `begin` to `end` of the result along an axis, copied from item `first` on in steps. */
struct segment {
    int64_t begin, end, first, step;
};

enum { SEGMENTS = 3 };

/* The segment before or behind the operand; empty if the border is filled. */
static struct segment margin(enum border border, struct segment segment, int64_t before,
                             int64_t extent)
{
    if (segment.begin >= segment.end || border == BORDER_CONSTANT || border == BORDER_IGNORE)
        return (struct segment){0};
    segment.first = border_index(border, segment.begin - before, extent);
    segment.step = border == BORDER_REPLICATE ? 0 : -1;
    return segment;
}

/* Add the move for one choice of segments: digit i of `choice` is that of dimension i. */
static void plan_pad_by(const struct plan_of_moves *p, struct segment (*segments)[SEGMENTS],
                        int choice)
{
    struct shape part = *out_shape(p, 0);
    struct strided_view from = view_of_in(p, 0), to = view_of_out(p, 0);

    for (int i = 0; i < part.rank; i++, choice /= SEGMENTS) {
        int axis = layout_axis(part.rank, p->layout, i);
        const struct segment *s = &segments[axis][choice % SEGMENTS];
        if (s->begin >= s->end)
            return;
        part.extent[axis] = s->end - s->begin;
        from.at += s->first * from.stride[axis];
        to.at += s->begin * to.stride[axis];
        from.stride[axis] *= s->step;
    }
    const struct move move = move_views(&part, p->layout, &from, &to);
    add_move(p, 0, 0, &move);
}

static void plan_pad(const struct plan_of_moves *p)
{
    const struct shape *in = in_shape(p, 0), *out = out_shape(p, 0);
    struct segment segments[MAX_RANK][SEGMENTS];
    enum border border = attr_border(p->node);
    int choices = 1;

    assert(in->rank == out->rank);
    p->moves->fills = border == BORDER_CONSTANT && shape_volume(out) > 0;
    p->moves->value = (float)attr_value(p->node);
    p->moves->items = shape_volume(out);
    /* Along each axis: the margin before the operand, the operand, the margin behind it. */
    for (int axis = 0; axis < out->rank; axis++, choices *= SEGMENTS) {
        int64_t extent = in->extent[axis], whole = out->extent[axis];
        int64_t before = attr_padding(p->node)->item[axis][0];
        int64_t begin = num_max(before, 0), end = num_min(before + extent, whole);
        struct segment *s = segments[axis];
        s[0] = margin(border, (struct segment){.end = begin}, before, extent);
        s[1] = (struct segment){begin, end, begin - before, 1};
        s[2] = margin(border, (struct segment){.begin = end, .end = whole}, before, extent);
    }
    for (int choice = 0; choice < choices; choice++)
        plan_pad_by(p, segments, choice);
}

/* --- running -------------------------------------------------------------------------------- */

/* A list of items that becomes one value. */
struct filling {
    float *to;
    float value;
};

static void fill(void *data, int64_t begin, int64_t end, int member)
{
    const struct filling *f = data;

    (void)member;
    for (int64_t i = begin; i < end; i++)
        f->to[i] = f->value;
}

/* Fill, then move; moves of one result do not overlap, so that their order does not matter. */
static bool run_moves(const struct step *step, const struct step_frame *frame)
{
    const struct moves *moves = step->state;

    if (moves->fills) {
        struct filling f = {step_out(step, frame, 0), moves->value};
        team_share(frame->team, moves->items, FILL_PART, fill, &f);
    }
    for (int i = 0; i < moves->count; i++) {
        const struct transfer *t = &moves->transfer[i];
        move_run(&t->move, moves->size, step_out(step, frame, t->out), step_in(step, frame, t->in),
                 frame->team);
    }
    return true;
}

static const struct kernel portable_move = {.name = "move", .run = run_moves};
static const struct kernel portable_move_rest = {.name = "move, the rest", .run = run_moves};

/* --- planning ------------------------------------------------------------------------------- */

/* All operators that compute nothing, with the function that makes their moves. */
static const struct move_operator {
    enum op_id op;
    void (*plan)(const struct plan_of_moves *p);
    bool plain; /* ranks of operands and results differ, so only plain layout */
} known[] = {
    {OP_transpose, plan_view_moved, false},
    {OP_concat, plan_parts, false},
    {OP_stack, plan_parts, true},
    {OP_split, plan_parts, false},
    {OP_unstack, plan_parts, true},
    {OP_slice, plan_view_moved, false},
    {OP_tile, plan_repetition, false},
    {OP_nearest_upsample, plan_repetition, false},
    {OP_nearest_downsample, plan_view_moved, false},
    {OP_pad, plan_pad, false},
};

static const struct move_operator *move_operator_of(const struct node *node)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (is_op(node, known[i].op))
            return &known[i];
    return NULL;
}

/* Each such operator is a group of its own. */
unsigned portable_move_match(const struct planner *planner, const struct group *group, void *match)
{
    const struct node *node = group->nodes[0];
    const struct move_operator *k = move_operator_of(node);
    int rank = node->nout > 0 ? node->out[0].shape->rank : 0;

    (void)match;
    assert(k);
    if (group->count > 1 || node->nin == 0 || node->nout == 0)
        return 0;
    /* Integers that lie as bytes are moved as such. */
    for (uint32_t i = 0; i < node->nin; i++)
        if (plan_item_size(planner, node->in[i].value) != plan_item_size(planner, &node->out[0]))
            return 0;
    if (k->plain)
        return IN_PLAIN;
    /* Operands of the provisional dialect may lack trailing extents of 1. */
    for (uint32_t i = 0; i < node->nin; i++)
        if (node->in[i].value->shape->rank != rank)
            return 0;
    if (k->op == OP_pad && node->out[0].dtype != DTYPE_SCALAR)
        return 0;
    return rank > CHANNEL + 1 ? IN_PLAIN | IN_CHANNELS_LAST : IN_PLAIN;
}

bool portable_move_make(struct planner *planner, const struct group *group, struct step *step)
{
    const struct node *node = group->nodes[0];
    struct moves *moves = arena_new_of(planner->plan->arena, struct moves);
    const struct plan_of_moves p = {planner, node, step->layout, moves};
    int last = -1;
    bool ok = true;

    assert(group->count == 1);
    moves->size = plan_item_size(planner, &node->out[0]);
    move_operator_of(node)->plan(&p);
    if (is_op(node, OP_concat) && moves->count == 0)
        return true; /* steps have written all parts into the result */
    bool rest = moves->count < (int)node->nin;
    step->kernel = is_op(node, OP_concat) && rest ? &portable_move_rest : &portable_move;
    step->state = moves;

    /* Read each operand once, and only if it is moved. */
    for (int i = 0; i < moves->count && ok; i++) {
        struct transfer *t = &moves->transfer[i];
        const struct value *value = node->in[t->in].value;
        assert(t->in >= last);
        if (t->in != last)
            ok = step->layout == LAYOUT_PLAIN ? plan_read_view(planner, step, value)
                                              : plan_read(planner, step, value, step->layout);
        last = t->in;
        t->in = step->nin - 1;
    }
    for (uint32_t i = 0; ok && i < node->nout; i++)
        ok = moves->fills ? plan_write(planner, step, &node->out[i])
                          : plan_write_view(planner, step, &node->out[i]);
    return ok;
}
