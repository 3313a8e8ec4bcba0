/*
 * cascade.c - convolutions that are done together, by cascade.h
 *
 * It serves layers that expand the channels, convolve each channel alone and project them again:
 * the expanded tensor is larger than the cache of a processor, and nobody else reads it.
 */
#include "backend/portable/portable.h"

#include "backend/portable/conv.h"
#include "base/arena.h"
#include "exec/cascade.h"
#include "exec/planner.h"
#include "kernel/kernels.h"
#include "op/convolve.h"

#include <assert.h>

/* Limits in bytes, but for the last one. */
enum {
    KEPT = 512 << 10,      /* a tensor that stays in a processor's own cache from step to step */
    MOST_BAND = 384 << 10, /* the rows of any band */
    WEIGHTS = 256 << 10,   /* weights that stay in the cache from band to band */
    EXCESS = 12,           /* computing more than one of so many rows twice does not pay */
};

/* The state of a step. */
struct cascade_step {
    struct cascade cascade;
    int residual[CASCADE_STAGES]; /* the operand that a stage adds to its sums; STEP_NONE */
};

/* --- matching --------------------------------------------------------------------------------- */

bool cascade_split(const struct group *group, struct cascade_match *chain)
{
    chain->count = 0;
    for (int i = 0; i < group->count; i++) {
        const struct node *node = group->nodes[i];
        if (is_op(node, OP_conv)) {
            if (chain->count == CASCADE_STAGES || (i > 0 && !group_is_inner(group, i, CONV_INPUT)))
                return false;
            chain->part[chain->count++].count = 0;
        }
        if (chain->count == 0)
            return false;
        struct group *part = &chain->part[chain->count - 1];
        part->nodes[part->count++] = node;
    }
    return chain->count > 1;
}

/* Can the convolutions be done band by band? */
static bool match_stages(const struct planner *planner, struct cascade_match *chain)
{
    const struct kernels *k = planner->plan->kernels;

    for (int i = 0; i < chain->count; i++) {
        struct conv_match *r = &chain->conv[i];
        if (!match_conv(planner, &chain->part[i], r))
            return false;
        /* The first stage needs a kernel that sees an image as lines of pixels. */
        const struct conv_kernel *kernel = likely_kernel(planner, r);
        if (i == 0 ? kernel != k->direct && kernel != k->depthwise
                   : !cascade_follows(kernel, &r->conv))
            return false;
    }
    return true;
}

/* Does the tensor behind that stage stay in the caches of all members? */
static bool stays_cached(const struct planner *planner, const struct cascade_match *chain,
                         int stage)
{
    const struct shape *shape = group_result(&chain->part[stage])->shape;

    return (size_t)shape_volume(shape) * sizeof(float) <= KEPT * (size_t)planner->plan->threads;
}

/* Set kernels and geometry of the stages, but not the weights, and choose the band. */
static void set_stages(const struct planner *planner, const struct cascade_match *chain,
                       struct cascade *c)
{
    c->count = chain->count;
    for (int i = 0; i < chain->count; i++)
        c->stage[i] = (struct cascade_stage){.kernel = likely_kernel(planner, &chain->conv[i]),
                                             .conv = chain->conv[i].conv};
    cascade_fill(c, CASCADE_BAND);
}

bool cascade_pays(const struct planner *planner, const struct cascade_match *chain,
                  const struct cascade *c)
{
    size_t weights = 0;

    /* It pays if a tensor between two stages leaves the caches of all members.  A stage behind a
     * depthwise one computes nothing twice, so that it is always welcome. */
    if (stays_cached(planner, chain, 0))
        return false;
    for (int i = 0; i < chain->count; i++) {
        const struct conv *conv = &chain->conv[i].conv;
        int64_t taps = conv->kernel.y * conv->kernel.x * conv->in_channels / conv->groups;
        weights += (size_t)(conv->out_channels * taps) * sizeof(float);
        if (i > 1 && chain->conv[i - 1].conv.groups == 1 && stays_cached(planner, chain, i - 1))
            return false;
    }
    return weights <= WEIGHTS && c->member <= MOST_BAND &&
           cascade_excess(c, planner->plan->threads) * EXCESS < 1;
}

/* Matches only if the cascade pays; with the option `eager` it need not, which tests use. */
unsigned portable_cascade_match(const struct planner *planner, const struct group *group,
                                void *match)
{
    struct cascade_match *chain = match;
    const bool eager = planner->options->eager;
    struct cascade c;

    if (!cascade_split(group, chain) || (!eager && stays_cached(planner, chain, 0)) ||
        !match_stages(planner, chain))
        return 0;
    if (eager)
        return IN_CHANNELS_LAST;
    set_stages(planner, chain, &c);
    return cascade_pays(planner, chain, &c) ? IN_CHANNELS_LAST : 0;
}

/* --- steps ------------------------------------------------------------------------------------ */

static bool run_cascade(const struct step *step, const struct step_frame *frame)
{
    const struct cascade_step *f = step->state;
    struct cascade_operands operands = {
        .src = step_in(step, frame, 0),
        .dst = step_out(step, frame, 0),
        .scratch = frame->scratch,
    };

    for (int i = 0; i < f->cascade.count; i++)
        if (f->residual[i] != STEP_NONE)
            operands.residual[i] = step_in(step, frame, f->residual[i]);
    cascade_run(&f->cascade, &operands, frame->team);
    return true;
}

static const struct kernel kernel = {.name = "cascade", .run = run_cascade};

bool portable_cascade_make(struct planner *planner, const struct group *group, struct step *step)
{
    struct cascade_step *f = arena_new_of(planner->plan->arena, struct cascade_step);
    const struct cascade_match *chain = group->match;
    struct cascade *c = &f->cascade;

    assert(chain->count > 1 && chain->count <= CASCADE_STAGES);
    *f = (struct cascade_step){.cascade.count = 0};
    set_stages(planner, chain, c);
    step->kernel = &kernel;
    step->state = f;
    step->scratch = cascade_scratch_size(c, planner->plan->threads);
    for (int i = 0; i < c->count; i++) {
        struct weights weights;
        if (!pack_conv(planner, &chain->conv[i], c->stage[i].kernel, &weights))
            return false;
        c->stage[i].packed = weights.packed;
        c->stage[i].bias = weights.bias;
    }
    if (!plan_read(planner, step, group->nodes[0]->in[CONV_INPUT].value, step->layout))
        return false;
    for (int i = 0; i < chain->count; i++) {
        const struct value *residual = chain->conv[i].fused.residual;
        f->residual[i] = residual ? step->nin : STEP_NONE;
        if (residual && !plan_read(planner, step, residual, step->layout))
            return false;
    }
    /* The last results may overwrite the tensor that is added to them. */
    step->reused = f->residual[chain->count - 1];
    return plan_write(planner, step, group_result(group));
}
