/* reorder.c - a tensor put into another layout, or elsewhere as it is */
#include "base/arena.h"
#include "exec/move.h"
#include "exec/planner.h"
#include "tensor/tensor.h"

static bool run_reordering(const struct step *step, const struct step_frame *frame)
{
    const struct reordering *r = step->state;

    move_run(&r->move, r->size, step_out(step, frame, 0), step_in(step, frame, 0), frame->team);
    return true;
}

static const struct kernel reorder = {.name = "reorder", .run = run_reordering};
static const struct kernel copy = {.name = "copy", .run = run_reordering};

static struct move move_between(const struct shape *shape, enum layout from, enum layout to)
{
    const struct strided_view before = view_in_order(shape, from), after = view_in_order(shape, to);

    return move_views(shape, to, &before, &after);
}

static void add_reordering(struct planner *planner, struct step *step, struct move move, int from,
                           int to)
{
    struct arena *arena = planner->plan->arena;
    struct reordering *r = arena_new_of(arena, struct reordering);

    *r = (struct reordering){move, plan_item_size(planner, planner->plan->buffers[from].value)};
    step->backend = backend_portable.name;
    step->state = r;
    step->nin = step->nout = 1;
    step->in = arena_new_of(arena, int);
    step->out = arena_new_of(arena, int);
    step->reused = STEP_NONE;
    step->in[0] = from;
    step->out[0] = to;
    add_step(planner, step);
}

static struct move move_to(const struct value *value, enum layout layout)
{
    return move_between(value->shape, layout == LAYOUT_PLAIN ? LAYOUT_CHANNELS_LAST : LAYOUT_PLAIN,
                        layout);
}

void reorder_now(const struct planner *planner, const struct value *value, const void *from,
                 void *to, enum layout layout)
{
    const struct move move = move_to(value, layout);

    move_run(&move, plan_item_size(planner, value), to, from, NULL);
}

void reorder_make(struct planner *planner, const struct value *value, int from, int to,
                  enum layout layout)
{
    struct step step = {.kernel = &reorder, .layout = layout};

    add_reordering(planner, &step, move_to(value, layout), from, to);
}

int copy_make(struct planner *planner, const struct value *value, int from)
{
    int to = result_buffer(planner, value);
    struct step step = {.kernel = &copy, .layout = LAYOUT_PLAIN};

    add_reordering(planner, &step, move_between(value->shape, LAYOUT_PLAIN, LAYOUT_PLAIN), from,
                   to);
    return to;
}
