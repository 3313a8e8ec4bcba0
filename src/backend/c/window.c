/*
 * window.c - windows of any rank, stride, dilation and border, forward and reverse, with any
 * filter, by text/window.h; and interpolation, by text/multilinear.h
 *
 * What convolutions of images do faster is matched before.
 */
#include "backend/c/c.h"

#include "base/num.h"
#include "exec/planner.h"
#include "kernel/conv.h"
#include "op/convolve.h"
#include "op/window.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

/* The names of the texts. */
static const char *const borders[] = {
    [BORDER_CONSTANT] = "CONSTANT", [BORDER_REPLICATE] = "REPLICATE",
    [BORDER_REFLECT] = "REFLECT",   [BORDER_REFLECT_EVEN] = "REFLECT_EVEN",
    [BORDER_IGNORE] = "IGNORE",
};

static struct window window_of_node(const struct node *node)
{
    struct window_source source = {
        .attrs = node->attrs, .input = node->in[0].value->shape, .rank = node->out[0].shape->rank};

    if (is_op(node, OP_conv) || is_op(node, OP_deconv))
        return plan_window(node);
    source.reverse = is_op(node, OP_debox) || is_op(node, OP_desample);
    return window_of(&source, node->out[0].shape);
}

/* Where the first tap of the last result lies, or of a reverse one that of the first, and the rest
 * of its taps; twice the input is what reflections count.  Steps that nobody takes may be of any
 * size. */
static double reach(const struct window *w, const struct window_dim *d)
{
    double steps = w->reverse   ? (double)d->out
                   : d->out > 1 ? (double)d->out * (double)d->stride
                                : 0;
    double taps = d->size > 1 ? (double)d->size * (double)d->dilation : 1;

    return fabs((double)d->before) + 2 * (double)d->in + steps + taps;
}

bool c_window_fits(const struct window *w)
{
    double taps = 1;

    for (int i = 0; i < w->rank; i++) {
        taps *= (double)w->dim[i].size;
        if (reach(w, &w->dim[i]) > INT32_MAX)
            return false;
    }
    return taps <= INT32_MAX;
}

bool c_image_fits(const struct conv *c)
{
    const struct window w = {
        .rank = 2,
        .dim = {{c->in.y, c->out.y, c->kernel.y, c->stride.y, c->dilation.y, c->before.y, 0, 0},
                {c->in.x, c->out.x, c->kernel.x, c->stride.x, c->dilation.x, c->before.x, 0, 0}}};

    return c_window_fits(&w);
}

void c_window(struct c_writer *writer, const struct window *w)
{
    int64_t outs = 1, taps = 1;

    c_needs(writer, C_TEXT_window);
    for (int i = 0; i < w->rank; i++) {
        outs *= w->dim[i].out;
        taps *= w->dim[i].size;
    }
    c_code(writer,
           "static const struct @_window window = {\n"
           "%d, %d, @@%s, %" PRId64 ", %" PRId64 ", /* rank, reverse; results, taps */\n"
           "{   /* from, to, size, stride, dilation, before */\n",
           w->rank, w->reverse, borders[w->border], outs, taps);
    for (int i = 0; i < w->rank; i++) {
        const struct window_dim *d = &w->dim[i];
        /* Steps that nobody takes may be of any size. */
        int64_t stride = w->reverse || d->out > 1 ? d->stride : 1;
        c_code(writer,
               "{%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 "},\n",
               d->in, d->out, d->size, num_min(stride, INT32_MAX), d->size > 1 ? d->dilation : 1,
               d->before);
    }
    c_code(writer, "},\n};\n");
}

/* --- convolutions ---------------------------------------------------------------------------- */

static void print_convolution(struct c_writer *writer, const struct step *step,
                              const struct window *w)
{
    const struct node *node = step->nodes[0];
    const struct shape *in = node->in[CONV_INPUT].value->shape, *out = node->out[0].shape;
    int64_t groups = conv_groups(in, node->in[CONV_FILTER].value->shape, out, w->reverse);
    int64_t channels = shape_extent(in, 1), results = shape_extent(out, 1), plane = 1;
    bool one_bias = shape_volume(node->in[CONV_BIAS].value->shape) == 1;

    for (int i = 0; i < w->rank; i++)
        plane *= w->dim[i].in;
    c_code(writer,
           "static const struct @_groups groups = {\n%" PRId64 ", %" PRId64 ", %" PRId64
           ", %" PRId64 ", %" PRId64
           ", %d, /* batch, groups, channels; items of one; bias */\n};\n\n"
           "@_convolve(&window, &groups, in0, in1, in2, out0);\n",
           shape_extent(out, 0), groups, channels / groups, results / groups, plane, !one_bias);
}

/* --- windows --------------------------------------------------------------------------------- */

/* Indices of taps come from whoever runs it. */
static void check_taps(struct c_writer *writer, const struct value *index, const struct window *w)
{
    int64_t taps = 1;

    for (int i = 0; i < w->rank; i++)
        taps *= w->dim[i].size;
    if (c_is_within(index, 0, taps - 1))
        return;
    c_may_fail(writer);
    c_code(writer,
           "\nfor (int i = 0; i < %" PRId64 "; i++)\n    if (in1[i] < 0 || in1[i] >= %" PRId64
           ")\n        return 1;\n",
           shape_volume(index->shape), taps);
}

static void print_window(struct c_writer *writer, const struct step *step)
{
    const struct node *node = step->nodes[0];
    const struct window window = window_of_node(node);

    c_window(writer, &window);
    if (is_op(node, OP_sample) || is_op(node, OP_desample))
        check_taps(writer, node->in[1].value, &window);
    if (is_op(node, OP_conv) || is_op(node, OP_deconv))
        print_convolution(writer, step, &window);
    else if (is_op(node, OP_max_pool))
        c_code(writer, "\n@_greatest(&window, in0, out0, NULL);\n");
    else if (is_op(node, OP_argmax_pool))
        c_code(writer, "\n@_greatest(&window, in0, NULL, out0);\n");
    else if (is_op(node, OP_max_pool_with_index))
        c_code(writer, "\n@_greatest(&window, in0, out0, out1);\n");
    else if (is_op(node, OP_sample))
        c_code(writer, "\n@_sample(&window, in0, in1, out0);\n");
    else if (is_op(node, OP_desample))
        c_code(writer, "\n@_desample(&window, in0, in1, out0);\n");
    else
        c_code(writer, "\n@_box(&window, %d, in0, out0);\n",
               is_op(node, OP_avg_pool) || ((const struct window_attrs *)node->attrs)->normalize);
}

static const struct c_kernel window = C_KERNEL("window", print_window);

unsigned c_window_match(const struct planner *planner, const struct group *group, void *match)
{
    const struct node *node = group->nodes[0];

    (void)planner;
    (void)match;
    if (group->count != 1 || shape_volume(node->out[0].shape) == 0)
        return 0;
    const struct window w = window_of_node(node);
    return c_window_fits(&w) ? IN_PLAIN : 0;
}

bool c_window_make(struct planner *planner, const struct group *group, struct step *step)
{
    return c_make_plain(planner, group, step, &window);
}

/* --- interpolation --------------------------------------------------------------------------- */

static void print_multilinear(struct c_writer *writer, const struct step *step)
{
    static const char *const methods[] = {[RESIZE_METHOD_SYMMETRIC] = "SYMMETRIC",
                                          [RESIZE_METHOD_ASYMMETRIC] = "ASYMMETRIC",
                                          [RESIZE_METHOD_ALIGNED] = "ALIGNED"};
    const struct node *node = step->nodes[0];
    const struct shape *in = node->in[0].value->shape, *out = node->out[0].shape;
    struct text text = {0};

    c_needs(writer, C_TEXT_multilinear);
    text_add(&text, "static const struct @_resize resize = {\n%" PRId64 ", %d, @@%s, @@%s,\n{",
             shape_extent(out, 0) * shape_extent(out, 1), out->rank - 2,
             methods[attr_resize_method(node)], borders[attr_border(node)]);
    for (int i = 2; i < out->rank; i++)
        text_add(&text, "%s%" PRId64, i > 2 ? ", " : "", shape_extent(in, i));
    text_add(&text, "}, {");
    for (int i = 2; i < out->rank; i++)
        text_add(&text, "%s%" PRId64, i > 2 ? ", " : "", shape_extent(out, i));
    text_add(&text, "},\n};\n\n@_multilinear(&resize, in0, out0);\n");
    c_code_v(writer, text.data, text.size);
    text_free(&text);
}

static const struct c_kernel multilinear = C_KERNEL("interpolation", print_multilinear);

unsigned c_multilinear_match(const struct planner *planner, const struct group *group, void *match)
{
    (void)planner;
    (void)match;
    return group->count == 1 && group->nodes[0]->out[0].shape->rank > 2 ? IN_PLAIN : 0;
}

bool c_multilinear_make(struct planner *planner, const struct group *group, struct step *step)
{
    return c_make_plain(planner, group, step, &multilinear);
}
