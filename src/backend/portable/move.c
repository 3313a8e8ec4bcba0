/* move.c - operations whose results are items of their operands, put elsewhere */
#include "backend/portable/portable.h"

#include "base/arena.h"
#include "base/team.h"
#include "exec/move.h"
#include "exec/planner.h"
#include "op/window.h"

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
static struct lie lie_of_in(const struct plan_of_moves *p, int index)
{
    return p->layout == LAYOUT_PLAIN ? plan_lie(p->planner, p->node->in[index].value)
                                     : lie_in_order(in_shape(p, index), p->layout);
}

static struct lie lie_of_out(const struct plan_of_moves *p, int index)
{
    struct lie lie = plan_room(p->planner, &p->node->out[index], p->layout);

    lie.at = 0;
    return p->moves->fills ? lie_in_order(out_shape(p, index), p->layout) : lie;
}

static struct move *add_move(const struct plan_of_moves *p, int in, int out)
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
    struct transfer *transfer = &moves->transfer[moves->count++];
    *transfer = (struct transfer){.in = in, .out = out};
    transfer->move.from_at = lie_of_in(p, in).at;
    return &transfer->move;
}

/* --- transpose ------------------------------------------------------------------------------ */

static void plan_transpose(const struct plan_of_moves *p)
{
    const struct integers *axes = attr_axes(p->node);
    const struct shape *out = out_shape(p, 0);
    const struct lie from = lie_of_in(p, 0), to = lie_of_out(p, 0);
    struct move *move = add_move(p, 0, 0);

    for (int i = 0; i < out->rank; i++) {
        int axis = layout_axis(out->rank, p->layout, i);
        int64_t source = axis < axes->count ? axes->item[axis] : axis;
        move_add(move, out->extent[axis], from.stride[source], to.stride[axis]);
    }
}

/* --- joining and cutting -------------------------------------------------------------------- */

/* A section of a whole along an axis, which it has, or not if `whole` has a dimension more. */
struct section {
    const struct shape *whole, *shape;
    struct lie inside, alone;
    bool is_joined; /* to the whole, or else cut out of it */
};

static void plan_section(const struct plan_of_moves *p, const struct section *s, struct move *move,
                         int64_t *at)
{
    int joined = (int)attr_axis(p->node);
    bool adds = s->whole->rank > s->shape->rank;

    for (int i = 0; i < s->shape->rank; i++) {
        int axis = layout_axis(s->shape->rank, p->layout, i);
        int within = axis + (adds && axis >= joined);
        int64_t a = s->alone.stride[axis], b = s->inside.stride[within];
        move_add(move, s->shape->extent[axis], s->is_joined ? a : b, s->is_joined ? b : a);
    }
    *(s->is_joined ? &move->to_at : &move->from_at) += *at * s->inside.stride[joined];
    *at += adds ? 1 : s->shape->extent[joined];
}

static void plan_join(const struct plan_of_moves *p)
{
    struct section section = {
        .whole = out_shape(p, 0), .inside = lie_of_out(p, 0), .is_joined = true};
    int64_t at = 0;

    for (int i = 0; i < (int)p->node->nin; i++) {
        section.shape = in_shape(p, i);
        section.alone = lie_of_in(p, i);
        plan_section(p, &section, add_move(p, i, 0), &at);
    }
}

static void plan_cut(const struct plan_of_moves *p)
{
    struct section section = {.whole = in_shape(p, 0), .inside = lie_of_in(p, 0)};
    int64_t at = 0;

    for (int i = 0; i < (int)p->node->nout; i++) {
        section.shape = out_shape(p, i);
        section.alone = lie_of_out(p, i);
        plan_section(p, &section, add_move(p, 0, i), &at);
    }
}

/* --- slice ---------------------------------------------------------------------------------- */

static int64_t first_of_slice(const struct node *node, int index, int64_t extent)
{
    int64_t begin = attr_begin(node)->item[index];

    begin += begin < 0 ? extent : 0;
    return begin < 0 ? -1 : begin < extent ? begin : extent;
}

static int index_of(const struct integers *axes, int axis)
{
    for (int i = 0; i < axes->count; i++)
        if (axes->item[i] == axis)
            return i;
    return -1;
}

static void plan_slice(const struct plan_of_moves *p)
{
    const struct integers *axes = attr_axes(p->node), *stride = attr_stride(p->node);
    const struct shape *in = in_shape(p, 0), *out = out_shape(p, 0);
    const struct lie from = lie_of_in(p, 0), to = lie_of_out(p, 0);
    struct move *move = add_move(p, 0, 0);

    for (int i = 0; i < out->rank; i++) {
        int axis = layout_axis(out->rank, p->layout, i), index = index_of(axes, axis);
        int64_t step = index >= 0 && index < stride->count ? stride->item[index] : 1;
        move_add(move, out->extent[axis], step * from.stride[axis], to.stride[axis]);
        if (index >= 0)
            move->from_at += first_of_slice(p->node, index, in->extent[axis]) * from.stride[axis];
    }
}

/* --- repetition ----------------------------------------------------------------------------- */

/* The whole again and again, or each of its items. */
static void plan_repetition(const struct plan_of_moves *p, bool whole)
{
    const struct shape *in = in_shape(p, 0), *out = out_shape(p, 0);
    const struct lie from = lie_of_in(p, 0), to = lie_of_out(p, 0);
    struct move *move = add_move(p, 0, 0);

    for (int i = 0; i < out->rank; i++) {
        int axis = layout_axis(out->rank, p->layout, i);
        int64_t extent = in->extent[axis], times = extent > 0 ? out->extent[axis] / extent : 0;
        if (whole)
            move_add(move, times, 0, extent * to.stride[axis]);
        move_add(move, extent, from.stride[axis],
                 whole ? to.stride[axis] : times * to.stride[axis]);
        if (!whole)
            move_add(move, times, 0, to.stride[axis]);
    }
}

static void plan_tile(const struct plan_of_moves *p)
{
    plan_repetition(p, true);
}

static void plan_enlarge(const struct plan_of_moves *p)
{
    plan_repetition(p, false);
}

static void plan_reduce(const struct plan_of_moves *p)
{
    const struct shape *in = in_shape(p, 0), *out = out_shape(p, 0);
    const struct lie from = lie_of_in(p, 0), to = lie_of_out(p, 0);
    struct move *move = add_move(p, 0, 0);

    for (int i = 0; i < out->rank; i++) {
        int axis = layout_axis(out->rank, p->layout, i);
        int64_t times = out->extent[axis] > 0 ? in->extent[axis] / out->extent[axis] : 0;
        move_add(move, out->extent[axis], times * from.stride[axis], to.stride[axis]);
    }
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
    const struct shape *out = out_shape(p, 0);
    const struct lie from = lie_of_in(p, 0), to = lie_of_out(p, 0);
    struct move move = {.from_at = from.at};

    for (int i = 0; i < out->rank; i++, choice /= SEGMENTS) {
        int axis = layout_axis(out->rank, p->layout, i);
        const struct segment *s = &segments[axis][choice % SEGMENTS];
        if (s->begin >= s->end)
            return;
        move_add(&move, s->end - s->begin, s->step * from.stride[axis], to.stride[axis]);
        move.from_at += s->first * from.stride[axis];
        move.to_at += s->begin * to.stride[axis];
    }
    *add_move(p, 0, 0) = move;
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

static bool run(const struct step *step, const struct frame *frame)
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

static const struct kernel portable_move = {.name = "move", .run = run};

/* --- planning ------------------------------------------------------------------------------- */

static const struct known {
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
    {OP_tile, plan_tile, false},
    {OP_nearest_upsample, plan_enlarge, false},
    {OP_nearest_downsample, plan_reduce, false},
    {OP_pad, plan_pad, false},
};

static const struct known *find_known(const struct node *node)
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

unsigned portable_move_match(const struct planner *planner, const struct task *task, void *match)
{
    const struct node *node = task->nodes[0];
    const struct known *k = find_known(node);

    (void)planner;
    (void)match;
    if (task->count > 1 || node->nin == 0 || node->nout == 0)
        return 0;
    if (k->plain)
        return IN_PLAIN;
    if (!ranks_agree(node) || (k->op == OP_pad && node->out[0].dtype != DTYPE_SCALAR))
        return 0;
    return node->out[0].shape->rank > CHANNEL + 1 ? IN_PLAIN | IN_CHANNELS_LAST : IN_PLAIN;
}

bool portable_move_make(struct planner *planner, const struct task *task, struct step *step)
{
    const struct node *node = task->nodes[0];
    struct arena *arena = planner->plan->arena;
    struct moves *moves = arena_new_of(arena, struct moves);
    const struct plan_of_moves p = {planner, node, step->layout, arena, moves};
    bool ok = true;

    step->kernel = &portable_move;
    step->state = moves;
    moves->size = dtype_size(node->out[0].dtype);
    find_known(node)->plan(&p);
    for (int i = 0; i < moves->count; i++)
        move_finish(&moves->transfer[i].move);
    for (uint32_t i = 0; ok && i < node->nin; i++)
        ok = step->layout == LAYOUT_PLAIN
                 ? plan_read_through(planner, step, node->in[i].value)
                 : plan_read(planner, step, node->in[i].value, step->layout);
    for (uint32_t i = 0; ok && i < node->nout; i++)
        ok = moves->fills ? plan_write(planner, step, &node->out[i])
                          : plan_write_within(planner, step, &node->out[i]);
    return ok;
}
