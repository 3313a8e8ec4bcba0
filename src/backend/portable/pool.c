/* pool.c - maxima, sums and means over windows of images, channels last */
#include "backend/portable/portable.h"

#include "base/arena.h"
#include "exec/geometry.h"
#include "exec/planner.h"
#include "kernel/kernels.h"
#include "op/window.h"

#include <assert.h>

struct pool_step {
    struct image_pool pool;
    pool_run *run;
};

/* --- geometry ------------------------------------------------------------------------------- */

static bool stays(const struct window_dim *dim)
{
    return dim->size == 1 && dim->stride == 1 && dim->before == 0 && dim->in == dim->out;
}

/* What is outside either does not count or is 0. */
static bool border_fits(const struct window *window)
{
    return window->border == BORDER_CONSTANT || window->border == BORDER_IGNORE ||
           !window_is_exceeded(window);
}

static enum pool_kind kind_of(const struct node *node)
{
    const struct window_attrs *attrs = node->attrs;

    if (is_op(node, OP_max_pool))
        return POOL_MAX;
    return is_op(node, OP_avg_pool) || attrs->normalize ? POOL_MEAN : POOL_SUM;
}

static void set_pool_geometry(struct image_pool *pool, const struct window *window)
{
    const struct geometry geometry = geometry_of(window, FIRST_SLIDING);

    pool->in = geometry.in;
    pool->out = geometry.out;
    pool->kernel = geometry.kernel;
    pool->stride = geometry.stride;
    pool->dilation = geometry.dilation;
    pool->before = geometry.before;
    pool->src = steps_dense(pool->channels, pool->in);
    pool->dst = steps_dense(pool->channels, pool->out);
}

static bool match_pool(const struct node *node, struct image_pool *pool)
{
    const struct value *in = node->in[0].value, *out = &node->out[0];

    if (!is_image(in->shape, out->shape) || in->dtype != DTYPE_SCALAR ||
        shape_volume(in->shape) == 0 || shape_volume(out->shape) == 0)
        return false;
    const struct window window = plan_window(node);
    if (!stays(&window.dim[0]) || !stays(&window.dim[1]) || !border_fits(&window))
        return false;
    *pool = (struct image_pool){.kind = kind_of(node),
                                .zeros = window.border != BORDER_IGNORE,
                                .batch = out->shape->extent[0],
                                .channels = out->shape->extent[1]};
    set_pool_geometry(pool, &window);
    return true;
}

/* --- steps ---------------------------------------------------------------------------------- */

static bool run_pooling(const struct step *step, const struct step_frame *frame)
{
    const struct pool_step *p = step->state;

    p->run(&p->pool, step_in(step, frame, 0), step_out(step, frame, 0), frame->team);
    return true;
}

static const struct kernel portable_pool = {.name = "pooling", .run = run_pooling};

unsigned portable_pool_match(const struct planner *planner, const struct group *group, void *match)
{
    (void)planner;
    return group->count == 1 && match_pool(group->nodes[0], match) ? IN_CHANNELS_LAST : 0;
}

bool portable_pool_make(struct planner *planner, const struct group *group, struct step *step)
{
    struct pool_step *p = arena_new_of(planner->plan->arena, struct pool_step);
    const struct node *node = group->nodes[0];
    const struct strided_view view = plan_target(planner, group_result(group), step->layout);

    assert(group->count == 1 && group->match);
    p->run = kernels_variant(0)->pool;
    step->kernel = &portable_pool;
    step->state = p;
    p->pool = *(const struct image_pool *)group->match;
    if (!plan_read(planner, step, node->in[0].value, step->layout))
        return false;
    return image_steps(&view, group_result(group)->shape, &p->pool.dst)
               ? plan_write_view(planner, step, group_result(group))
               : plan_write(planner, step, group_result(group));
}
