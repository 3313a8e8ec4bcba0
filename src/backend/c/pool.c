/* pool.c - maxima, sums and means over windows of images, by text/pool.h */
#include "backend/c/c.h"

#include "backend/portable/portable.h"
#include "base/arena.h"
#include "exec/planner.h"
#include "kernel/pool.h"

#include <inttypes.h>

static void print_pool(struct c_writer *writer, const struct step *step)
{
    const struct image_pool *p = step->state;

    c_needs(writer, C_TEXT_pool);
    c_pool(writer, p);
    c_code(writer, "@_pool_windows(&pool, in0, out0);\n");
}

void c_pool(struct c_writer *writer, const struct image_pool *p)
{
    static const char *const kinds[] = {
        [POOL_MAX] = "POOL_MAX", [POOL_SUM] = "POOL_SUM", [POOL_MEAN] = "POOL_MEAN"};
    const struct conv *c = &p->conv;

    c_code(writer,
           "static const struct @_pool pool = {\n"
           "@@%s, %d, %" PRId64 ", %" PRId64 ", /* kind, zeros outside; batch, channels */\n"
           "%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", /* from, to */\n",
           kinds[p->kind], p->zeros, c->batch, c->in_channels, c->in.y, c->in.x, c->out.y,
           c->out.x);
    c_code(writer,
           "%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
           ", %" PRId64 ", /* size, stride, dilation, before */\n};\n\n",
           c->kernel.y, c->kernel.x, c->stride.y, c->stride.x, c->dilation.y, c->dilation.x,
           c->before.y, c->before.x);
}

static const struct c_kernel pooling = C_KERNEL("pooling", print_pool);

unsigned c_pool_match(const struct planner *planner, const struct group *group, void *match)
{
    unsigned layouts = portable_pool_match(planner, group, match);

    return layouts && c_image_fits(&((const struct image_pool *)match)->conv) ? layouts : 0;
}

bool c_pool_make(struct planner *planner, const struct group *group, struct step *step)
{
    struct image_pool *pool = arena_new_of(planner->plan->arena, struct image_pool);

    *pool = *(const struct image_pool *)group->match;
    step->kernel = &pooling.kernel;
    step->state = pool;
    return plan_read(planner, step, group->nodes[0]->in[0].value, step->layout) &&
           plan_write(planner, step, group_result(group));
}
