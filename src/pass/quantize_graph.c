/*
 * quantize_graph.c - 'quantize' and 'dequantize' where a plan wants them
 *
 *     conv(x, filter, bias)
 *         = conv(dequantize(quantize(x)), dequantize(integers), dequantize(integers of the bias))
 *
 * Integers of a bias have the scale of the products, so that they are the first of the sum.
 */
#include "pass/quantize_graph.h"

#include "base/arena.h"
#include "diag/context.h"
#include "pass/quantized.h"
#include "tensor/retained.h"

#include <assert.h>
#include <string.h>

enum { LEFT, RIGHT, BIAS };
enum { WEIGHT_MOST = 127 };

/* --- weights --------------------------------------------------------------------------------- */

/* How the items of one channel lie in the weights. */
struct channel_items {
    int64_t outer, inner, first; /* blocks of `inner` items, `first` ones of channels between */
    int64_t channels;
};

static struct channel_items items_of(const struct quantize_layer *layer)
{
    const struct shape *shape = layer->node->in[RIGHT].value->shape;

    return (struct channel_items){shape_volume_range(shape, 0, layer->axis),
                                  shape_volume_range(shape, layer->axis + 1, shape->rank), 0,
                                  shape->extent[layer->axis]};
}

static int64_t item_at(const struct channel_items *c, int64_t channel, int64_t number)
{
    return ((number / c->inner) * c->channels + channel) * c->inner + number % c->inner;
}

static float largest_of(const struct quantize_layer *layer, const struct channel_items *c,
                        int64_t channel)
{
    float largest = 0;

    for (int64_t i = 0; i < c->outer * c->inner; i++)
        largest =
            fmaxf(largest,
                  fabsf((float)value_item(layer->node->in[RIGHT].value, item_at(c, channel, i))));
    return largest;
}

static void round_channel(const struct quantize_layer *layer, const struct channel_items *c,
                          int64_t channel, float scale, int64_t *items)
{
    const struct saturation s = {0, -WEIGHT_MOST, WEIGHT_MOST};

    for (int64_t i = 0; i < c->outer * c->inner; i++) {
        const int64_t at = item_at(c, channel, i);
        items[at] =
            quantized_integer((float)value_item(layer->node->in[RIGHT].value, at) / scale, &s);
    }
}

/* One item for all channels, or one for each of those along the axis. */
static struct shape shape_along(int axis, int64_t count)
{
    struct shape shape = {.rank = count > 1 ? axis + 1 : 0};

    for (int i = 0; i < shape.rank; i++)
        shape.extent[i] = i == axis ? count : 1;
    return shape;
}

static bool weights_of(struct quantize_layer *layer, bool per_tensor, struct context *context)
{
    const struct channel_items c = items_of(layer);
    const struct shape each = shape_along(layer->axis, per_tensor ? 1 : c.channels);
    float largest = 0;

    if (!tensor_allocate(&layer->items, DTYPE_INTEGER, layer->node->in[RIGHT].value->shape) ||
        !tensor_allocate(&layer->scale, DTYPE_SCALAR, &each))
        return diag_file_error(context->diag, NULL, DIAG_MEMORY_LIMIT,
                               "integers of weights of shape %s take more memory than is left",
                               SHAPE_TEXT(layer->node->in[RIGHT].value->shape));
    for (int64_t i = 0; i < c.channels && per_tensor; i++)
        largest = fmaxf(largest, largest_of(layer, &c, i));
    for (int64_t i = 0; i < c.channels; i++) {
        const float most = per_tensor ? largest : largest_of(layer, &c, i);
        const float step = fmaxf(most > 0 ? most / WEIGHT_MOST : 1.0F / WEIGHT_MOST, 0x1p-79F);
        ((float *)layer->scale.data)[shape_volume(&each) > 1 ? i : 0] = step;
        round_channel(layer, &c, i, step, layer->items.data);
    }
    return true;
}

bool quantize_weights(struct quantize_plan *plan, bool per_tensor)
{
    bool ok = true;

    for (int i = 0; i < plan->layers && ok; i++)
        ok = plan->layer[i].kept || weights_of(&plan->layer[i], per_tensor, plan->graph->context);
    return ok;
}

void quantize_weights_free(struct quantize_plan *plan)
{
    for (int i = 0; i < plan->layers; i++) {
        tensor_clear(&plan->layer[i].items);
        tensor_clear(&plan->layer[i].scale);
    }
}

static float scale_of(const struct quantize_layer *layer, int64_t channel)
{
    return ((const float *)layer->scale.data)[shape_volume(&layer->scale.shape) > 1 ? channel : 0];
}

void quantize_weights_error(const struct quantize_layer *layer, double *signal, double *noise)
{
    const struct channel_items c = items_of(layer);

    *signal = *noise = 0;
    for (int64_t k = 0; k < c.channels; k++)
        for (int64_t i = 0; i < c.outer * c.inner; i++) {
            const int64_t at = item_at(&c, k, i);
            const double w = value_item(layer->node->in[RIGHT].value, at);
            const double off =
                w - (double)quantized_number(((const int64_t *)layer->items.data)[at], 0,
                                             scale_of(layer, k));
            *signal += w * w;
            *noise += off * off;
        }
}

/* --- which values ---------------------------------------------------------------------------- */

/* By value id: does anything that is enabled read it quantized?  `active` is all false. */
static void find_active(const struct quantize_plan *plan, bool *active)
{
    for (const struct node *n = plan->graph->last; n; n = n->prev) {
        const int layer = plan->layer_of[n->id];
        const bool reads =
            layer >= 0 ? plan->layer[layer].enabled : n->nout == 1 && active[n->out[0].id];
        for (uint32_t i = 0; i < n->nin && reads && plan->reads[n->id] >> i; i++)
            if (plan->reads[n->id] >> i & 1)
                active[n->in[i].value->id] = true;
    }
}

void quantize_used(const struct quantize_plan *plan, bool *used)
{
    struct arena *arena = plan->graph->context->arena;
    const struct arena_mark mark = arena_mark(arena);
    bool *active = arena_array_of(arena, bool, plan->graph->value_count);

    find_active(plan, active);
    for (uint32_t i = 0; i < plan->graph->value_count; i++)
        if (active[i] && plan->group_of[i] >= 0)
            used[plan->group_of[i]] = true;
    arena_rewind(arena, mark);
}

/* --- new values ------------------------------------------------------------------------------ */

/* What the pass has made of the plan. */
struct applying {
    const struct quantize_plan *plan;
    bool *active;              /* by value id */
    struct value **numbers;    /* by value id: what its integers stand for; NULL: not made yet */
    struct value **difference; /* NULL: quantize; else add these, by layer, and change nothing */
};

/* The tensor of a layer, which the graph takes over or views. */
static struct tensor taken(const struct applying *a, struct tensor *tensor)
{
    struct tensor view = *tensor;

    if (a->plan->gives)
        tensor->release = NULL;
    else
        view.release = NULL;
    return view;
}

static struct value *numbers_of(struct pass *pass, struct value *items, struct value *scale,
                                struct value *zero)
{
    return items && scale ? pass_make(pass, &(struct recipe){.op = op_plain(OP_dequantize),
                                                             .in = {items, scale, zero}})
                          : NULL;
}

static struct value *quantized(struct pass *pass, struct applying *a, struct value *x)
{
    const struct quantize_plan *plan = a->plan;
    const uint32_t id = x->id; /* ids of new values are beyond those of the plan */

    if (a->numbers[id] || pass->failed)
        return a->numbers[id];
    assert(plan->group_of[id] >= 0);
    const struct quantize_group *group = &plan->group[plan->group_of[id]];
    struct value *scale = pass_literal(pass, (double)group->scale);
    struct value *zero = pass_integer(pass, group->zero);
    struct value *items = pass_make(
        pass, &(struct recipe){.op = OP_SPEC(quantize, .low = plan->low, .high = plan->high),
                               .in = {x, scale, zero}});
    return a->numbers[id] = numbers_of(pass, items, scale, zero);
}

/* The number of the bias for a channel. */
static double bias_of(const struct applying *a, const struct quantize_layer *layer,
                      const struct value *bias, int64_t channel)
{
    const double more =
        a->plan->correct && layer->correction ? (double)layer->correction[channel] : 0;

    return value_item(bias, shape_volume(bias->shape) > 1 ? channel : 0) + more;
}

/* A layer while its operands are made. */
struct making {
    struct quantize_layer *layer;
    struct node *node;
    float scale;              /* of its input */
    struct tensor weights[2]; /* integers and scale */
};

/* The least scale of the weights of a channel that leaves the bias 30 bits. */
static float least_scale(const struct applying *a, const struct making *m, int64_t channel)
{
    const struct value *bias = m->node->nin > BIAS ? m->node->in[BIAS].value : NULL;

    if (!bias || !value_items(bias))
        return 0;
    return (float)(fabs(bias_of(a, m->layer, bias, channel)) / (double)m->scale * 0x1p-30);
}

/* That of each channel, or of all if they have one scale. */
static float *least_scales(const struct applying *a, const struct making *m, struct arena *arena)
{
    const int64_t channels = m->layer->channels;
    float *least = arena_array_of(arena, float, channels), most = 0;

    for (int64_t i = 0; i < channels; i++) {
        least[i] = least_scale(a, m, i);
        most = fmaxf(most, least[i]);
    }
    for (int64_t i = 0; i < channels && shape_volume(&m->layer->scale.shape) == 1; i++)
        least[i] = most;
    return least;
}

/* The integers of a layer, made anew in the channels that need other scales. */
static bool make_weights(struct pass *pass, const struct applying *a, struct making *m)
{
    struct quantize_layer *layer = m->layer;
    const struct channel_items c = items_of(layer);
    const float *least = least_scales(a, m, pass->graph->context->arena);
    bool fits = true;

    for (int64_t i = 0; i < layer->channels; i++)
        fits &= least[i] <= scale_of(layer, i);
    if (fits) {
        m->weights[0] = taken(a, &layer->items);
        m->weights[1] = taken(a, &layer->scale);
        return true;
    }
    if (!pass_tensor(pass, &m->weights[0], DTYPE_INTEGER, &layer->items.shape) ||
        !pass_tensor(pass, &m->weights[1], DTYPE_SCALAR, &layer->scale.shape))
        return false;
    memcpy(m->weights[0].data, layer->items.data, tensor_bytes(&layer->items));
    for (int64_t i = 0; i < c.channels; i++) {
        const bool wider = least[i] > scale_of(layer, i);
        if (i < shape_volume(&layer->scale.shape))
            ((float *)m->weights[1].data)[i] = wider ? least[i] : scale_of(layer, i);
        if (wider)
            round_channel(layer, &c, i, least[i], m->weights[0].data);
    }
    return true;
}

/* Integers that stand for a variable, whose name and label they take over if nothing else reads
 * it. */
static struct value *integers_of(struct pass *pass, struct tensor *items, struct value *like)
{
    struct value *made = pass_fixed(pass, NULL, items, like);

    if (made->kind != VALUE_VARIABLE || like->kind != VALUE_VARIABLE || !value_is_inner(pass, like))
        return made;
    made->name = like->name;
    made->source->label = like->source->label;
    like->name = NULL;
    return made;
}

/* Integers of a constant bias, of which there is one for each channel; the bias itself if it is
 * none, or 0. */
static struct value *make_bias(struct pass *pass, const struct applying *a, const struct making *m)
{
    const struct tensor *scales = &m->weights[1];
    const bool single = shape_volume(&scales->shape) == 1;
    const struct saturation all = {0, INT32_MIN, INT32_MAX};
    const struct shape shape = {.rank = 2, .extent = {1, m->layer->channels}};
    const bool corrects = a->plan->correct && m->layer->correction;
    struct value *bias = m->node->in[BIAS].value;
    struct tensor items, scale;

    if (!value_items(bias) || (value_is_all(bias, 0) && !corrects))
        return bias;
    if (!pass_tensor(pass, &items, DTYPE_INTEGER, &shape) ||
        !pass_tensor(pass, &scale, DTYPE_SCALAR, &shape))
        return NULL;
    for (int64_t i = 0; i < m->layer->channels; i++) {
        const float step = m->scale * ((const float *)scales->data)[single ? 0 : i];
        ((float *)scale.data)[i] = step;
        ((int64_t *)items.data)[i] =
            quantized_integer((float)bias_of(a, m->layer, bias, i) / step, &all);
    }
    struct value *made = integers_of(pass, &items, bias);
    return numbers_of(pass, made, pass_fixed(pass, NULL, &scale, NULL), pass_integer(pass, 0));
}

/* --- the pass -------------------------------------------------------------------------------- */

/* The operands of a layer as numbers of integers; false after a report. */
static bool make_operands(struct pass *pass, struct applying *a, struct making *m,
                          struct value *in[])
{
    const struct node *node = m->node;

    m->scale = a->plan->group[a->plan->group_of[node->in[LEFT].value->id]].scale;
    for (uint32_t i = 0; i < node->nin; i++)
        in[i] = node->in[i].value;
    if (!make_weights(pass, a, m))
        return false;
    if (node->nin > BIAS)
        in[BIAS] = make_bias(pass, a, m);
    struct value *items = integers_of(pass, &m->weights[0], node->in[RIGHT].value);
    struct value *scale = pass_fixed(pass, NULL, &m->weights[1], NULL);
    in[LEFT] = quantized(pass, a, node->in[LEFT].value);
    in[RIGHT] = numbers_of(pass, items, scale, pass_integer(pass, 0));
    return !pass->failed && in[LEFT] && in[RIGHT];
}

static void visit_layer(struct pass *pass, struct applying *a, struct node *node)
{
    struct quantize_layer *layer = &a->plan->layer[a->plan->layer_of[node->id]];
    struct value **in = pass_scratch(pass, node->nin, sizeof *in);

    struct making making = {.layer = layer, .node = node};

    if (!layer->enabled || !make_operands(pass, a, &making, in))
        return;
    if (!a->difference) {
        for (uint32_t i = 0; i < node->nin; i++)
            if (in[i] != node->in[i].value)
                pass_set_operand(pass, &node->in[i], in[i]);
        return;
    }
    if (node->nin <= BIAS || !value_items(node->in[BIAS].value))
        return;
    int64_t axes[MAX_RANK];
    int count = 0;
    for (int i = 0; i < node->out[0].shape->rank; i++)
        if (i != (is_op(node, OP_conv) ? 1 : node->out[0].shape->rank - 1))
            axes[count++] = i;
    /* Behind the node: its result is read. */
    struct node *before = pass->graph->before;
    pass->graph->before = node->next;
    struct value *changed = pass_remake(pass, node, in, NULL);
    struct value *off = changed ? pass_make(pass, &(struct recipe){.op = op_plain(OP_sub),
                                                                   .in = {&node->out[0], changed}})
                                : NULL;
    if (off)
        a->difference[layer - a->plan->layer] = pass_make(
            pass, &(struct recipe){.op = OP_SPEC(mean_reduce, .axes = {count, axes}), .in = {off}});
    pass->graph->before = before;
}

static const char *visit(struct pass *pass, struct node *node)
{
    struct applying *a = pass->data;
    const struct quantize_plan *plan = a->plan;

    if (plan->layer_of[node->id] >= 0) {
        visit_layer(pass, a, node);
        return NULL;
    }
    const bool reads = !a->difference && node->nout == 1 && a->active[node->out[0].id];
    for (uint32_t i = 0; i < node->nin && reads && plan->reads[node->id] >> i; i++) {
        struct value *x =
            plan->reads[node->id] >> i & 1 ? quantized(pass, a, node->in[i].value) : NULL;
        if (x)
            pass_set_operand(pass, &node->in[i], x);
    }
    return NULL;
}

/* The weights that integers stand for. */
static void drop_weights(struct pass *pass)
{
    pass_drop_unused(pass, VALUE_VARIABLE);
}

static const struct pass_desc apply = {.visit = visit, .end = drop_weights};

static bool run_plan(const struct quantize_plan *plan, struct graph *graph,
                     struct retained_tensor **kept, struct value **difference)
{
    struct arena *arena = graph->context->arena;
    struct applying a = {plan, arena_array_of(arena, bool, plan->graph->value_count),
                         arena_array_of(arena, struct value *, plan->graph->value_count),
                         difference};

    assert(graph->value_count == plan->graph->value_count);
    find_active(plan, a.active);
    return pass_run_once(graph, &apply, &a, kept);
}

bool quantize_apply(const struct quantize_plan *plan, struct graph *graph,
                    struct retained_tensor **kept)
{
    return run_plan(plan, graph, kept, NULL);
}

bool quantize_add_differences(const struct quantize_plan *plan, struct graph *graph,
                              struct retained_tensor **kept, struct value **difference)
{
    return run_plan(plan, graph, kept, difference);
}
