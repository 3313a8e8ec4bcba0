/* reorder.c - a tensor put into another layout */
#include "base/arena.h"
#include "fast/move.h"
#include "fast/planner.h"
#include "tensor/tensor.h"

struct reordering {
    struct move move;
    size_t size; /* of an item, bytes */
};

static bool run(const struct step *step, const struct frame *frame)
{
    const struct reordering *r = step->state;

    move_run(&r->move, r->size, step_out(step, frame, 0), step_in(step, frame, 0), frame->team);
    return true;
}

static const struct kernel reorder = {.name = "reorder", .run = run};

static struct move move_between(const struct shape *shape, enum layout from, enum layout to)
{
    int64_t before[MAX_RANK], after[MAX_RANK];
    struct move move = {0};

    move_strides(shape, from, before);
    move_strides(shape, to, after);
    for (int i = 0; i < shape->rank; i++) {
        int axis = layout_axis(shape->rank, to, i);
        move_add(&move, shape->extent[axis], before[axis], after[axis]);
    }
    move_finish(&move);
    return move;
}

void reorder_make(struct planner *planner, const struct value *value, int from, int to,
                  enum layout layout)
{
    struct plan *plan = planner->plan;
    struct reordering *r = arena_new_of(plan->arena, struct reordering);
    enum layout other = layout == LAYOUT_PLAIN ? LAYOUT_CHANNELS_LAST : LAYOUT_PLAIN;
    struct step step = {.kernel = &reorder,
                        .backend = backend_portable.name,
                        .state = r,
                        .layout = layout,
                        .nin = 1,
                        .nout = 1,
                        .in = arena_new_of(plan->arena, int),
                        .out = arena_new_of(plan->arena, int),
                        .reused = STEP_NONE};

    *r = (struct reordering){move_between(value->shape, other, layout), dtype_size(value->dtype)};
    step.in[0] = from;
    step.out[0] = to;
    add_step(planner, &step);
}
