/* pool.c - maxima, sums and means over windows of images, channels last */
#include "backend/portable/portable.h"

#include "base/arena.h"
#include "exec/geometry.h"
#include "exec/planner.h"
#include "kernel/kernels.h"
#include "op/window.h"

#include <assert.h>

/* The state of a step. */
struct pool_step {
    struct image_pool pool;
    pool_run *run;
};

/* Does the window leave this dimension as it is? */
static bool stays(const struct window_dim *dim)
{
    return dim->size == 1 && dim->stride == 1 && dim->before == 0 && dim->in == dim->out;
}

static bool run_pooling(const struct step *step, const struct step_frame *frame)
{
    const struct pool_step *p = step->state;

    p->run(&p->pool, step_in(step, frame, 0), step_out(step, frame, 0), frame->team);
    return true;
}

static const struct kernel portable_pool = {.name = "pooling", .run = run_pooling};

/*
 * max_pool, avg_pool and box over images (NNEF 1.0.5, sections 4.3.2 and 4.3.3).  The kernel works
 * on channels-last images, with a window that leaves batch and channel alone.
 */
bool match_pool(const struct node *node, struct image_pool *pool)
{
    const struct value *in = node->in[0].value, *out = &node->out[0];

    if (!is_image(in->shape, out->shape) || shape_volume(out->shape) == 0)
        return false;
    const struct window window = plan_window(node);
    const struct window_attrs *attrs = node->attrs;
    bool max = is_op(node, OP_max_pool), average = is_op(node, OP_avg_pool);

    /* The kernel reads zeros outside the image, or ignores what is there. */
    bool fits = window.border == BORDER_CONSTANT || window.border == BORDER_IGNORE ||
                !window_is_exceeded(&window);
    if (!fits || !stays(&window.dim[0]) || !stays(&window.dim[1]))
        return false;
    *pool = (struct image_pool){
        .kind = max                           ? POOL_MAX
                : average || attrs->normalize ? POOL_MEAN
                                              : POOL_SUM,
        .zeros = window.border != BORDER_IGNORE,
        .conv = geometry_of(&window, in->shape, out->shape),
    };
    return true;
}

unsigned portable_pool_match(const struct planner *planner, const struct group *group, void *match)
{
    const struct node *node = group->nodes[0];

    (void)planner;
    return group->count == 1 && has_numbers(node->in[0].value) && match_pool(node, match)
               ? IN_CHANNELS_LAST
               : 0;
}

/* The kernel writes with any steps, so that the result may lie within another one. */
bool portable_pool_make(struct planner *planner, const struct group *group, struct step *step)
{
    struct pool_step *p = arena_new_of(planner->plan->arena, struct pool_step);
    const struct node *node = group->nodes[0];
    const struct strided_view view = plan_target(planner, group_result(group), step->layout);

    assert(group->count == 1 && group->match);
    p->run = planner->plan->kernels->pool;
    step->kernel = &portable_pool;
    step->state = p;
    p->pool = *(const struct image_pool *)group->match;
    if (!plan_read(planner, step, node->in[0].value, step->layout))
        return false;
    return image_steps(&view, group_result(group)->shape, &p->pool.conv.dst)
               ? plan_write_view(planner, step, group_result(group))
               : plan_write(planner, step, group_result(group));
}
