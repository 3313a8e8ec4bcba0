/* conv.c - convolutions, and products that are convolutions, by the kernels of kernels.h */
#include "backend/portable/conv.h"

#include "backend/portable/portable.h"
#include "base/arena.h"
#include "base/num.h"
#include "exec/geometry.h"
#include "exec/packed.h"
#include "exec/planner.h"
#include "kernel/kernels.h"
#include "kernel/winograd_place.h"
#include "op/convolve.h"
#include "tensor/tensor.h"

#include <assert.h>
#include <string.h>

/* The state of a step. */
struct conv_step {
    struct kernel step; /* named after the algorithm */
    struct conv conv;
    const struct conv_kernel *kernel;
    struct weights weights;
    bool has_residual;
};

/* --- matching --------------------------------------------------------------------------------- */

/* Limits of is_near_image(): phases, and items in total or in relation to input and output. */
enum { MOST_PHASES = 1 << 12, MOST_ITEMS = 1 << 22, MOST_TIMES = 16 };

/*
 * Kernels copy images together with their borders, and transposed convolutions do so for all phases
 * of their strides.  The reference computes convolutions that reach far beyond the image for few
 * results.  Counts are double, so that they cannot overflow.
 */
bool is_near_image(const struct window *window, const struct shape *in, const struct shape *out)
{
    double phases = 1, items = (double)in->extent[0] * (double)in->extent[1];
    double products = (double)shape_volume(in) * (double)out->extent[1];
    double most = MOST_TIMES * ((double)shape_volume(in) + (double)shape_volume(out));

    for (int i = 0; i < window->rank; i++) {
        const struct window_dim *dim = &window->dim[i];
        double stride = (double)dim->stride, outputs = (double)(dim->out - 1);
        double reach = (double)(dim->size - 1) * (double)dim->dilation;
        phases *= window->reverse ? stride : 1;
        products *= (double)dim->size;
        items *= (window->reverse ? (outputs + reach) / stride : outputs * stride + reach) + 1;
    }
    most = most > MOST_ITEMS ? most : MOST_ITEMS;
    return phases <= MOST_PHASES && items <= most &&
           phases * items <= (most > products ? most : products);
}

bool match_conv(const struct planner *planner, const struct group *group, struct conv_match *r)
{
    const struct node *node = group->nodes[0];
    bool reverse = is_op(node, OP_deconv);
    const struct shape *in = node->in[CONV_INPUT].value->shape, *out = node->out[0].shape;
    const struct value *filter = node->in[CONV_FILTER].value;
    const float *items = plan_items(planner, filter);

    assert(reverse || is_op(node, OP_conv));
    if (!fused_of(planner, group, false, &r->fused) || !items || !is_image(in, out) ||
        !has_numbers(node->in[CONV_INPUT].value) || !has_numbers(&node->out[0]))
        return false;
    const struct window window = plan_window(node);
    /* Kernels read zeros outside the image. */
    bool zeros = window.border == BORDER_CONSTANT || (!reverse && !window_is_exceeded(&window));
    if (!zeros || !is_near_image(&window, in, out))
        return false;
    r->is_transposed = reverse;
    r->weights = filter;
    r->exact = plan_is_exact(planner, group_result(group));
    r->conv = geometry_of(&window, in, out);
    r->conv.groups = conv_groups(in, filter->shape, out, reverse);
    r->filter = reverse ? filter_transposed(&r->conv, items) : filter_dense(&r->conv, items);
    r->conv.epilogue = r->fused.epilogue;
    return bias_of(planner, node->in[CONV_BIAS].value, 1, out->extent[1], &r->bias);
}

/* --- steps ------------------------------------------------------------------------------------ */

/* The residual, if there is one, is operand 1. */
static bool run_conv(const struct step *step, const struct step_frame *frame)
{
    const struct conv_step *c = step->state;
    const struct conv_operands operands = {
        .src = step_in(step, frame, 0),
        .packed = c->weights.packed,
        .bias = c->weights.bias,
        .residual = c->has_residual ? step_in(step, frame, 1) : NULL,
        .dst = step_out(step, frame, 0),
        .scratch = frame->scratch,
        .next = step->then ? step->then->weights : NULL,
        .next_items = step->then ? (int64_t)(step->then->weights_size / sizeof(float)) : 0,
    };

    c->kernel->run(&c->conv, &operands, frame->team);
    return true;
}

bool pack_conv(struct planner *planner, const struct conv_match *r,
               const struct conv_kernel *kernel, struct weights *to)
{
    const struct weight_packing packing = {kernel, &r->conv, r->filter, r->weights};
    const struct tensor *const bias[] = {r->bias, r->fused.bias};

    assert(kernel->fits(&r->conv));
    to->packed = packed_weights(planner, &packing);
    return to->packed && bias_make(planner, bias, r->conv.out_channels, &to->bias);
}

/* Winograd's algorithm needs at least DEEP channels on both sides.  FETCHED: see cost_of(). */
enum { DEEP = 16, TAPS = 9, FETCHED = 6, SMALL = 2 };

/*
 * The products for one input and one output channel, if tiles of size * size outputs are computed
 * by products of (size + 2)^2 planes.  Larger tiles have more planes.  Fetching the weights of a
 * plane takes as long as the products of FETCHED tiles, as measured.
 */
static int64_t cost_of(const struct conv *conv, int64_t size)
{
    const struct plane tiles = winograd_tiles(conv, size);

    return (size + 2) * (size + 2) * (conv->batch * tiles.y * tiles.x + FETCHED);
}

/* Is the cost so much less that an algorithm with more memory and a longer start pays? */
static bool is_less(int64_t cost, int64_t than)
{
    return 10 * cost < 9 * than;
}

const struct conv_kernel *likely_kernel(const struct planner *planner, const struct conv_match *r)
{
    const struct conv *conv = &r->conv;
    const struct kernels *k = planner->plan->kernels;

    if (r->is_transposed)
        return k->transposed;
    if (k->depthwise->fits(conv))
        return k->depthwise;
    if (r->exact)
        return k->direct;
    if (k->strassen && k->strassen->fits(conv))
        return k->strassen;
    if (!winograd_fits(conv))
        return k->direct;

    /* Winograd's algorithm needs fewer products with larger tiles, but is exact to fewer digits
     * then.  Images that tiles do not cover well gain nothing.  Its weights are larger. */
    int64_t direct = TAPS * conv->batch * conv->out.y * conv->out.x;
    int64_t small = cost_of(conv, SMALL), large = cost_of(conv, WINOGRAD_LARGE);
    const struct conv_kernel *winograd = is_less(large, small)    ? k->winograd_4
                                         : is_less(small, direct) ? k->winograd_2
                                                                  : NULL;
    bool pays = winograd && conv->in_channels >= DEEP && conv->out_channels >= DEEP;
    return pays ? winograd : k->direct;
}

unsigned portable_conv_match(const struct planner *planner, const struct group *group, void *match)
{
    return match_conv(planner, group, match) ? IN_CHANNELS_LAST : 0;
}

bool read_with_residual(struct planner *planner, const struct group *group, struct step *step,
                        const struct value *residual)
{
    if (!plan_read(planner, step, group->nodes[0]->in[0].value, step->layout))
        return false;
    step->reused = residual ? step->nin : STEP_NONE;
    return !residual || plan_read(planner, step, residual, step->layout);
}

bool portable_conv_make(struct planner *planner, const struct group *group, struct step *step)
{
    const struct conv_match *r = group->match;
    const struct value *residual = r->fused.residual, *result = group_result(group);
    struct conv_step *c = arena_new_of(planner->plan->arena, struct conv_step);
    const struct kernels *k = planner->plan->kernels;

    assert(r->conv.groups > 0 && r->conv.in_channels % r->conv.groups == 0);
    *c = (struct conv_step){.conv = r->conv, .has_residual = residual};
    c->kernel = likely_kernel(planner, r);
    c->step =
        (struct kernel){.name = c->kernel->name, .shortens = c->kernel->shortens, .run = run_conv};
    step->kernel = &c->step;
    step->state = c;
    step->scratch = kernels_scratch(c->kernel, &c->conv, planner->plan->threads);
    if (!pack_conv(planner, r, c->kernel, &c->weights) ||
        !read_with_residual(planner, group, step, residual))
        return false;
    step->weights = c->weights.packed;
    step->weights_size = c->kernel->packed_size(&c->conv);
    /* Some algorithms write images with any steps; a residual must lie like the result. */
    const struct strided_view view = plan_target(planner, result, step->layout);
    bool any = step->layout == LAYOUT_CHANNELS_LAST && !residual && c->kernel != k->strassen &&
               c->kernel != k->transposed;
    return any && image_steps(&view, result->shape, &c->conv.dst)
               ? plan_write_view(planner, step, result)
               : plan_write(planner, step, result);
}
