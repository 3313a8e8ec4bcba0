/* move.c - operations whose results are items of their operands, put elsewhere */
#include "backend/portable/portable.h"

#include "base/arena.h"
#include "base/team.h"
#include "exec/move.h"
#include "exec/planner.h"
#include "op/window.h"

#include <assert.h>

enum { CHANNEL = 1, FILL_PART = 1 << 14 };

/* From an operand to a result. */
struct transfer {
    struct move move;
    int in, out;
};

struct moves {
    size_t size; /* of an item, bytes */
    int count, room;
    struct transfer *transfer;
    bool fills; /* all items get a value before */
    float value;
    int64_t items; /* of the result that is filled */
};

/* What moves are made from. */
struct plan_of_moves {
    const struct planner *planner;
    const struct node *node;
    enum layout layout;
    struct arena *arena;
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

/* How operands and results lie; what is filled first is in order. */
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

/* One more, from that operand of the node to that result. */
static void add_move(const struct plan_of_moves *p, int in, int out, const struct move *move)
{
    struct moves *moves = p->moves;

    if (moves->count == moves->room) {
        int room = moves->room > 0 ? 2 * moves->room : 4;
        struct transfer *more = arena_array_of(p->arena, struct transfer, room);
        for (int i = 0; i < moves->count; i++)
            more[i] = moves->transfer[i];
        moves->transfer = more;
        moves->room = room;
    }
    moves->transfer[moves->count++] = (struct transfer){.move = *move, .in = in, .out = out};
}

/* The only operand, seen so, to the only result. */
static void add_whole(const struct plan_of_moves *p, const struct strided_view *from)
{
    const struct strided_view to = view_of_out(p, 0);
    const struct move move = move_views(out_shape(p, 0), p->layout, from, &to);

    add_move(p, 0, 0, &move);
}

static void plan_transpose(const struct plan_of_moves *p)
{
    const struct strided_view in = view_of_in(p, 0), from = view_transposed(p->node, &in);

    add_whole(p, &from);
}

static void plan_slice(const struct plan_of_moves *p)
{
    const struct strided_view in = view_of_in(p, 0), from = view_sliced(p->node, &in);

    add_whole(p, &from);
}

/* --- joining and cutting -------------------------------------------------------------------- */

/* Parts that lie in the result already are not even read. */
static void plan_join(const struct plan_of_moves *p)
{
    const struct strided_view whole = view_of_out(p, 0);
    int axis = (int)attr_axis(p->node);
    bool drops = is_op(p->node, OP_stack);
    int64_t at = 0;

    for (int i = 0; i < (int)p->node->nin; i++) {
        const struct shape *shape = in_shape(p, i);
        const struct strided_view from = view_of_in(p, i), to = view_part(&whole, axis, at, drops);
        const struct move move = move_views(shape, p->layout, &from, &to);
        at += drops ? 1 : shape->extent[axis];
        if (drops || !plan_is_in_place(p->planner, p->node, i, p->layout))
            add_move(p, i, 0, &move);
    }
}

static void plan_cut(const struct plan_of_moves *p)
{
    const struct strided_view whole = view_of_in(p, 0);
    int axis = (int)attr_axis(p->node);
    bool drops = is_op(p->node, OP_unstack);
    int64_t at = 0;

    for (int i = 0; i < (int)p->node->nout; i++) {
        const struct shape *shape = out_shape(p, i);
        const struct strided_view from = view_part(&whole, axis, at, drops), to = view_of_out(p, i);
        const struct move move = move_views(shape, p->layout, &from, &to);
        at += drops ? 1 : shape->extent[axis];
        add_move(p, 0, i, &move);
    }
}

/* --- repetition ----------------------------------------------------------------------------- */

/* The whole again and again, or each of its items. */
static void plan_repetition(const struct plan_of_moves *p)
{
    const struct shape *in = in_shape(p, 0), *out = out_shape(p, 0);
    const struct strided_view from = view_of_in(p, 0), to = view_of_out(p, 0);
    struct move move = {.from_at = from.at, .to_at = to.at};
    bool whole = is_op(p->node, OP_tile);

    for (int i = 0; i < out->rank; i++) {
        int axis = layout_axis(out->rank, p->layout, i);
        int64_t extent = in->extent[axis], times = extent > 0 ? out->extent[axis] / extent : 0;
        if (whole)
            move_add(&move, times, 0, extent * to.stride[axis]);
        move_add(&move, extent, from.stride[axis],
                 whole ? to.stride[axis] : times * to.stride[axis]);
        if (!whole)
            move_add(&move, times, 0, to.stride[axis]);
    }
    move_finish(&move);
    add_move(p, 0, 0, &move);
}

/* One item of many: nearest_downsample. */
static void plan_reduce(const struct plan_of_moves *p)
{
    const struct shape *in = in_shape(p, 0), *out = out_shape(p, 0);
    struct strided_view from = view_of_in(p, 0);

    for (int i = 0; i < out->rank; i++)
        from.stride[i] *= out->extent[i] > 0 ? in->extent[i] / out->extent[i] : 0;
    add_whole(p, &from);
}

/* --- pad ------------------------------------------------------------------------------------ */

/* Results `begin` to `end` along an axis, which are made from item `first` on in steps. */
struct segment {
    int64_t begin, end, first, step;
};

enum { SEGMENTS = 3 };

static struct segment margin(enum border border, struct segment segment, int64_t before,
                             int64_t extent)
{
    if (segment.begin >= segment.end || border == BORDER_CONSTANT || border == BORDER_IGNORE)
        return (struct segment){0};
    segment.first = border_index(border, segment.begin - before, extent);
    segment.step = border == BORDER_REPLICATE ? 0 : -1;
    return segment;
}

static void find_segments(const struct plan_of_moves *p, int axis, enum border border,
                          struct segment segment[SEGMENTS])
{
    int64_t extent = in_shape(p, 0)->extent[axis], whole = out_shape(p, 0)->extent[axis];
    int64_t before = attr_padding(p->node)->item[axis][0];
    int64_t begin = before > 0 ? before : 0;
    int64_t end = before + extent < whole ? before + extent : whole;

    segment[0] = margin(border, (struct segment){.end = begin}, before, extent);
    segment[1] = (struct segment){begin, end, begin - before, 1};
    segment[2] = margin(border, (struct segment){.begin = end, .end = whole}, before, extent);
}

/* One move for each choice of segments. */
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
    const struct shape *out = out_shape(p, 0);
    struct segment segments[MAX_RANK][SEGMENTS];
    enum border border = attr_border(p->node);
    int choices = 1;

    p->moves->fills = border == BORDER_CONSTANT && shape_volume(out) > 0;
    p->moves->value = (float)attr_value(p->node);
    p->moves->items = shape_volume(out);
    for (int axis = 0; axis < out->rank; axis++, choices *= SEGMENTS)
        find_segments(p, axis, border, segments[axis]);
    for (int choice = 0; choice < choices; choice++)
        plan_pad_by(p, segments, choice);
}

/* --- running -------------------------------------------------------------------------------- */

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

static const struct move_operator {
    enum op_id op;
    void (*plan)(const struct plan_of_moves *p);
    bool plain; /* operands and results are of different ranks */
} known[] = {
    {OP_transpose, plan_transpose, false},
    {OP_concat, plan_join, false},
    {OP_stack, plan_join, true},
    {OP_split, plan_cut, false},
    {OP_unstack, plan_cut, true},
    {OP_slice, plan_slice, false},
    {OP_tile, plan_repetition, false},
    {OP_nearest_upsample, plan_repetition, false},
    {OP_nearest_downsample, plan_reduce, false},
    {OP_pad, plan_pad, false},
};

static const struct move_operator *move_operator_of(const struct node *node)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (is_op(node, known[i].op))
            return &known[i];
    return NULL;
}

/* The provisional dialect may be short of trailing ones. */
static bool ranks_agree(const struct node *node)
{
    int rank = node->out[0].shape->rank;

    for (uint32_t i = 0; i < node->nin; i++)
        if (node->in[i].value->shape->rank != rank)
            return false;
    return true;
}

unsigned portable_move_match(const struct planner *planner, const struct group *group, void *match)
{
    const struct node *node = group->nodes[0];
    const struct move_operator *k = move_operator_of(node);

    (void)planner;
    (void)match;
    if (group->count > 1 || node->nin == 0 || node->nout == 0)
        return 0;
    if (k->plain)
        return IN_PLAIN;
    if (!ranks_agree(node) || (k->op == OP_pad && node->out[0].dtype != DTYPE_SCALAR))
        return 0;
    return node->out[0].shape->rank > CHANNEL + 1 ? IN_PLAIN | IN_CHANNELS_LAST : IN_PLAIN;
}

static bool read_moved(const struct plan_of_moves *p, struct planner *planner, struct step *step,
                       int index)
{
    const struct value *value = p->node->in[index].value;

    return p->layout == LAYOUT_PLAIN ? plan_read_view(planner, step, value)
                                     : plan_read(planner, step, value, p->layout);
}

/* The operands that are moved, each once. */
static bool read_operands(const struct plan_of_moves *p, struct planner *planner, struct step *step)
{
    int last = -1;
    bool ok = true;

    for (int i = 0; i < p->moves->count && ok; i++) {
        struct transfer *t = &p->moves->transfer[i];
        assert(t->in >= last);
        if (t->in != last)
            ok = read_moved(p, planner, step, t->in);
        last = t->in;
        t->in = step->nin - 1;
    }
    return ok;
}

bool portable_move_make(struct planner *planner, const struct group *group, struct step *step)
{
    const struct node *node = group->nodes[0];
    struct arena *arena = planner->plan->arena;
    struct moves *moves = arena_new_of(arena, struct moves);
    const struct plan_of_moves p = {planner, node, step->layout, arena, moves};
    bool ok = true;

    assert(group->count == 1);
    moves->size = dtype_size(node->out[0].dtype);
    move_operator_of(node)->plan(&p);
    if (is_op(node, OP_concat) && moves->count == 0)
        return true; /* all parts were written where they belong */
    bool rest = moves->count < (int)node->nin;
    step->kernel = is_op(node, OP_concat) && rest ? &portable_move_rest : &portable_move;
    step->state = moves;
    ok = read_operands(&p, planner, step);
    for (uint32_t i = 0; ok && i < node->nout; i++)
        ok = moves->fills ? plan_write(planner, step, &node->out[i])
                          : plan_write_view(planner, step, &node->out[i]);
    return ok;
}
