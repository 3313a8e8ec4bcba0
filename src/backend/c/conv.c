/*
 * conv.c - convolutions of images, and products with a constant matrix, by text/conv.h and
 * text/depthwise.h; see image_layer.h
 *
 * Weights are packed in panels of 16 output channels whatever the processor: item (tap, channel)
 * of all outputs of a panel lie together.  The last panel is as wide as it has channels.
 */
#include "backend/c/c.h"

#include "backend/c/image_layer.h"
#include "backend/portable/conv.h"
#include "backend/portable/portable.h"
#include "base/arena.h"
#include "base/num.h"
#include "exec/planner.h"
#include "tensor/tensor.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

/* Results that are computed with one panel before the next read so many items at most, but those of
 * TILE pixels of pointwise layers: a multiple of the tiles of all processors. */
enum { PANEL = 16, BAND_ITEMS = 1 << 13, TILE = 12 };

struct conv_print {
    struct c_image_layer layer;
    const struct node *activation; /* that the text does not know; NULL: none */
    bool has_residual;
};

/* --- packing --------------------------------------------------------------------------------- */

static float item_of(const struct conv_match *r, int64_t group, int64_t o, int64_t i, int64_t tap)
{
    const struct filter *f = &r->filter;
    int64_t y = tap / r->conv.kernel.x, x = tap % r->conv.kernel.x;

    return (
        (const float *)f->items)[o * f->out + i * f->in + y * f->y + x * f->x + group * f->group];
}

static void pack_dense(const struct conv_match *r, float *to)
{
    const struct conv *c = &r->conv;
    int64_t in = c->in_channels / c->groups, out = c->out_channels / c->groups;
    int64_t taps = c->kernel.y * c->kernel.x;

    for (int64_t g = 0; g < c->groups; g++)
        for (int64_t first = 0; first < out; first += PANEL)
            for (int64_t k = 0; k < taps * in; k++)
                for (int64_t o = first; o < num_min(first + PANEL, out); o++)
                    *to++ = item_of(r, g, o, k % in, k / in);
}

static void pack_depthwise(const struct conv_match *r, float *to)
{
    int64_t taps = r->conv.kernel.y * r->conv.kernel.x;

    for (int64_t k = 0; k < taps; k++)
        for (int64_t g = 0; g < r->conv.groups; g++)
            *to++ = item_of(r, g, 0, 0, k);
}

bool c_image_layer_make(struct planner *planner, const struct conv_match *r,
                        struct c_image_layer *p)
{
    const struct tensor *const bias[] = {r->bias, r->fused.bias};
    const struct conv *c = &r->conv;
    const float *sum = NULL;

    p->conv = *c;
    p->kind = conv_is_depthwise(c)   ? LAYER_DEPTHWISE
              : conv_is_pointwise(c) ? LAYER_POINTWISE
                                     : LAYER_CONV;
    p->weight_count = c->in_channels / c->groups * c->kernel.y * c->kernel.x * c->out_channels;
    p->bias_count = c->out_channels;
    float *weights = plan_memory(planner, (size_t)p->weight_count * sizeof *weights);
    float *all = plan_memory(planner, (size_t)p->bias_count * sizeof *all);
    if (!weights || !all || !bias_make(planner, bias, c->out_channels, &sum))
        return false;
    if (p->kind == LAYER_DEPTHWISE)
        pack_depthwise(r, weights);
    else
        pack_dense(r, weights);
    for (int64_t i = 0; i < p->bias_count; i++)
        all[i] = sum ? sum[i] : 0;
    p->weights = weights;
    p->bias = all;
    return true;
}

/* --- printing -------------------------------------------------------------------------------- */

/* Rows, or pixels if it is pointwise, that are done together. */
static int64_t rows_together(const struct c_image_layer *layer)
{
    const struct conv *c = &layer->conv;

    if (layer->kind == LAYER_POINTWISE)
        return num_max(1, BAND_ITEMS / num_max(1, c->in_channels) / TILE) * TILE;
    return num_max(1, num_min(c->out.y, BAND_ITEMS / num_max(1, c->in.x * c->in_channels)));
}

void c_limits(const struct epilogue *e, bool clamps, struct text *low, struct text *high)
{
    c_number(low, clamps ? (double)epilogue_low(e) : 0);
    c_number(high, clamps && e->activation == ACTIVATION_CLAMP ? (double)e->high
                   : clamps                                    ? (double)INFINITY
                                                               : 0);
}

struct c_image_names c_image_layer_print(struct c_writer *writer, const struct c_image_layer *layer,
                                         const char *name, int64_t ring)
{
    const struct conv *c = &layer->conv;
    int64_t groups = layer->kind == LAYER_DEPTHWISE ? 1 : c->groups;
    bool clamps = layer->clamps;
    struct text low = {0}, high = {0};

    c_limits(&c->epilogue, clamps, &low, &high);
    c_code(writer,
           "static const struct @_conv %s = {\n"
           "%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
           ", /* batch, groups, channels of a group */\n"
           "%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", /* from, to */\n",
           name, c->batch, groups, c->in_channels / groups, c->out_channels / groups, c->in.y,
           c->in.x, c->out.y, c->out.x);
    c_code(writer,
           "%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
           ", %" PRId64 ", /* kernel, stride, dilation, before */\n"
           "%" PRId64 ", %" PRId64 ", %d, %s, %s, /* rows, ring, limits */\n};\n",
           c->kernel.y, c->kernel.x, c->stride.y, c->stride.x, c->dilation.y, c->dilation.x,
           c->before.y, c->before.x, rows_together(layer), ring, clamps, low.data, high.data);
    text_free(&low);
    text_free(&high);
    const char *weights = c_floats(writer, layer->weights, layer->weight_count);
    return (struct c_image_names){weights, c_floats(writer, layer->bias, layer->bias_count)};
}

static void print_conv(struct c_writer *writer, const struct step *step)
{
    const struct conv_print *p = step->state;
    const struct c_image_layer *layer = &p->layer;
    const char *residual = p->has_residual ? "in1" : "NULL";

    c_needs(writer, layer->kind == LAYER_DEPTHWISE ? C_TEXT_depthwise : C_TEXT_conv);
    const struct c_image_names names = c_image_layer_print(writer, layer, "layer", 0);
    if (layer->kind == LAYER_POINTWISE)
        c_code(writer, "\n@_pointwise(&layer, in0, %s, %s, %s, out0, %" PRId64 ");\n",
               names.weights, names.bias, residual,
               layer->conv.batch * layer->conv.out.y * layer->conv.out.x);
    else
        c_code(writer, "\n@_%s(&layer, in0, %s, %s, %s, out0);\n",
               layer->kind == LAYER_DEPTHWISE ? "depthwise" : "conv_layer", names.weights,
               names.bias, residual);
    if (p->activation)
        c_print_activation(writer, p->activation);
}

static const struct c_kernel convolution = C_KERNEL("convolution", print_conv);

/* --- making ---------------------------------------------------------------------------------- */

/* Transposed ones go by text/window.h. */
unsigned c_conv_match(const struct planner *planner, const struct group *group, void *match)
{
    unsigned layouts = portable_conv_match(planner, group, match);

    return layouts && c_image_fits(&((const struct conv_match *)match)->conv) ? layouts : 0;
}

unsigned c_matrix_match(const struct planner *planner, const struct group *group, void *match)
{
    return portable_matrix_match(planner, group, match);
}

bool c_conv_make(struct planner *planner, const struct group *group, struct step *step)
{
    const struct conv_match *r = group->match;
    struct conv_print *p = arena_new_of(planner->plan->arena, struct conv_print);
    const struct value *residual = r->fused.residual;

    *p = (struct conv_print){.has_residual = residual};
    if (!epilogue_is_clamp(&r->conv.epilogue))
        p->activation = group_last(group);
    p->layer.clamps = !p->activation && r->conv.epilogue.activation != ACTIVATION_NONE;
    step->kernel = &convolution.kernel;
    step->state = p;
    return c_image_layer_make(planner, r, &p->layer) &&
           read_with_residual(planner, group, step, residual) &&
           plan_write(planner, step, group_result(group));
}

bool c_matrix_make(struct planner *planner, const struct group *group, struct step *step)
{
    struct conv_match *r = arena_new_of(planner->plan->arena, struct conv_match);
    struct group own = *group;

    *r = *(const struct conv_match *)group->match;
    r->conv.groups = 1;
    own.match = r;
    return c_conv_make(planner, &own, step);
}
