/* pool.c - maxima, sums and means over windows of images, channels last */
#include "backend/portable/portable.h"

#include "base/arena.h"
#include "exec/geometry.h"
#include "exec/planner.h"
#include "kernel/kernels.h"
#include "op/window.h"

struct pool_step {
    struct pool pool;
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
           !picture_is_exceeded(window);
}

static enum pool_kind kind_of(const struct node *node)
{
    const struct window_attrs *attrs = node->attrs;

    if (is_op(node, OP_max_pool))
        return POOL_MAX;
    return is_op(node, OP_avg_pool) || attrs->normalize ? POOL_MEAN : POOL_SUM;
}

static void set_geometry(struct pool *pool, const struct window *window)
{
    const struct picture picture = picture_of(window, FIRST_SLIDING);

    pool->in = picture.in;
    pool->out = picture.out;
    pool->kernel = picture.kernel;
    pool->stride = picture.stride;
    pool->dilation = picture.dilation;
    pool->before = picture.before;
    pool->src = steps_dense(pool->channels, pool->in);
    pool->dst = steps_dense(pool->channels, pool->out);
}

static bool match_pool(const struct node *node, struct pool *pool)
{
    const struct value *in = node->in[0].value, *out = &node->out[0];

    if (!is_picture(in->shape, out->shape) || in->dtype != DTYPE_SCALAR ||
        shape_volume(in->shape) == 0 || shape_volume(out->shape) == 0)
        return false;
    const struct window window = plan_window(node);
    if (!stays(&window.dim[0]) || !stays(&window.dim[1]) || !border_fits(&window))
        return false;
    *pool = (struct pool){.kind = kind_of(node),
                          .zeros = window.border != BORDER_IGNORE,
                          .batch = out->shape->extent[0],
                          .channels = out->shape->extent[1]};
    set_geometry(pool, &window);
    return true;
}

/* --- steps ---------------------------------------------------------------------------------- */

static bool run(const struct step *step, const struct frame *frame)
{
    const struct pool_step *p = step->state;

    p->run(&p->pool, step_in(step, frame, 0), step_out(step, frame, 0), frame->team);
    return true;
}

static const struct kernel portable_pool = {.name = "pooling", .run = run};

unsigned portable_pool_match(const struct planner *planner, const struct task *task, void *match)
{
    (void)planner;
    return task->count == 1 && match_pool(task->nodes[0], match) ? IN_CHANNELS_LAST : 0;
}

bool portable_pool_make(struct planner *planner, const struct task *task, struct step *step)
{
    struct pool_step *p = arena_new_of(planner->plan->arena, struct pool_step);
    const struct node *node = task->nodes[0];
    const struct view view = plan_target(planner, task_result(task), step->layout);

    p->run = kernels_variant(0)->pool;
    step->kernel = &portable_pool;
    step->state = p;
    p->pool = *(const struct pool *)task->match;
    if (!plan_read(planner, step, node->in[0].value, step->layout))
        return false;
    return picture_steps(&view, task_result(task)->shape, &p->pool.dst)
               ? plan_write_view(planner, step, task_result(task))
               : plan_write(planner, step, task_result(task));
}
