/*
 * cascade.c - convolutions that are done together, by cascade.h
 *
 * A layer that expands its channels, a depthwise one and one that projects them are what it is for:
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

/*
 * In bytes: a tensor that stays in a processor's own cache from step to step; what bands take, if
 * that is enough for a row, and at most; and weights that stay in the cache from band to band.
 * More that is computed twice than one part of EXCESS does not pay.
 */
enum {
    KEPT = 512 << 10,
    BAND = 256 << 10,
    MOST_BAND = 384 << 10,
    WEIGHTS = 256 << 10,
    EXCESS = 12,
};

/* What a step knows. */
struct cascade_step {
    struct cascade cascade;
    int residual[CASCADE_STAGES]; /* operand that is the one of a stage; STEP_NONE */
};

/* --- what is taken ---------------------------------------------------------------------------- */

/* False: there are too many convolutions, or none first, or one does not convolve what the one
 * before leaves. */
static bool split(const struct group *group, struct cascade_match *chain)
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

static const struct conv_kernel *kernel_of(const struct planner *planner,
                                           const struct conv_match *r)
{
    return likely_kernel(r, plan_is_exact(planner));
}

static bool is_follower(const struct planner *planner, const struct conv_match *r)
{
    return cascade_follows(kernel_of(planner, r), &r->conv);
}

/* A first one is done by rows as well if its kernel sees an image as lines of pixels. */
static bool is_beginning(const struct planner *planner, const struct conv_match *r)
{
    const struct conv_kernel *kernel = kernel_of(planner, r);
    const struct kernels *k = kernels_variant(0);

    return kernel == k->direct || kernel == k->depthwise;
}

static bool match_cascade(const struct planner *planner, const struct group *group,
                          struct cascade_match *chain)
{
    if (!split(group, chain))
        return false;
    for (int i = 0; i < chain->count; i++) {
        struct conv_match *r = &chain->conv[i];
        if (!match_conv(planner, &chain->part[i], r) ||
            !(i == 0 ? is_beginning(planner, r) : is_follower(planner, r)))
            return false;
    }
    return true;
}

/* --- whether it pays -------------------------------------------------------------------------- */

static size_t bytes_between(const struct conv *conv)
{
    return (size_t)(conv->batch * conv->dst.image) * sizeof(float);
}

static size_t weights_of(const struct conv *conv)
{
    int64_t taps = conv->kernel.y * conv->kernel.x * conv->in_channels / conv->groups;

    return (size_t)(conv->out_channels * taps) * sizeof(float);
}

/* Is what is between two of them more than stays in the caches of so many?  A layer behind a
 * depthwise one computes nothing twice, so that it may as well be done at once. */
static bool is_worth_it(const struct planner *planner, const struct cascade_match *chain, int at)
{
    size_t members = (size_t)plan_threads(planner);
    bool after_depthwise = at > 1 && chain->conv[at - 1].conv.groups > 1;

    return after_depthwise || bytes_between(&chain->conv[at - 1].conv) > KEPT * members;
}

static void set_stages(const struct planner *planner, const struct cascade_match *chain,
                       struct cascade *c)
{
    c->count = chain->count;
    for (int i = 0; i < chain->count; i++)
        c->stage[i] = (struct cascade_stage){.kernel = kernel_of(planner, &chain->conv[i]),
                                             .conv = chain->conv[i].conv};
    cascade_fill(c, BAND);
}

static bool pays(const struct planner *planner, const struct cascade_match *chain)
{
    struct cascade c;
    size_t weights = 0;

    for (int i = 0; i < chain->count; i++) {
        weights += weights_of(&chain->conv[i].conv);
        if (i > 0 && !is_worth_it(planner, chain, i))
            return false;
    }
    set_stages(planner, chain, &c);
    return weights <= WEIGHTS && c.member <= MOST_BAND &&
           cascade_excess(&c, plan_threads(planner)) * EXCESS < 1;
}

unsigned portable_cascade_match(const struct planner *planner, const struct group *group,
                                void *match)
{
    if (!match_cascade(planner, group, match))
        return 0;
    return planner->options->eager || pays(planner, match) ? IN_CHANNELS_LAST : 0;
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

static bool pack_cascade(struct planner *planner, const struct cascade_match *chain,
                         struct cascade *c)
{
    assert(c->count == chain->count);
    for (int i = 0; i < c->count; i++) {
        struct weights weights;
        if (!pack_conv(planner, &chain->conv[i], c->stage[i].kernel, &weights))
            return false;
        c->stage[i].packed = weights.packed;
        c->stage[i].bias = weights.bias;
    }
    return true;
}

/* What is added to the last results may be overwritten by them. */
static bool read_all(struct planner *planner, const struct cascade_match *chain, struct step *step)
{
    struct cascade_step *f = step->state;
    bool ok = plan_read(planner, step, chain->part[0].nodes[0]->in[CONV_INPUT].value, step->layout);

    for (int i = 0; i < chain->count && ok; i++) {
        const struct value *residual = chain->conv[i].fused.residual;
        f->residual[i] = residual ? step->nin : STEP_NONE;
        ok = !residual || plan_read(planner, step, residual, step->layout);
    }
    step->reused = f->residual[chain->count - 1];
    return ok;
}

bool portable_cascade_make(struct planner *planner, const struct group *group, struct step *step)
{
    struct cascade_step *f = arena_new_of(planner->plan->arena, struct cascade_step);
    const struct cascade_match *chain = group->match;

    assert(chain->count > 1 && chain->count <= CASCADE_STAGES);
    *f = (struct cascade_step){.cascade.count = 0};
    set_stages(planner, chain, &f->cascade);
    step->kernel = &kernel;
    step->state = f;
    step->scratch = cascade_scratch_size(&f->cascade, plan_threads(planner));
    return pack_cascade(planner, chain, &f->cascade) && read_all(planner, chain, step) &&
           plan_write(planner, step, group_result(group));
}
