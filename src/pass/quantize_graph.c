/*
 * quantize_graph.c - 'quantize' and 'dequantize' where a plan wants them
 *
 *     conv(x, filter, bias)
 *         = conv(dequantize(quantize(x)), dequantize(integers), dequantize(integers of the bias))
 *     linear(x, filter, bias) = linear(x, reshape(dequantize(integers in blocks)), bias)
 *
 * Integers of a bias have the scale of the products, so that they are the first of the sum.
 */
#include "pass/quantize_weights.h"

#include "base/arena.h"
#include "diag/context.h"
#include "pass/quantized.h"
#include "tensor/retained.h"

#include <assert.h>
#include <string.h>

enum { LEFT, RIGHT, BIAS };

/* --- groups ---------------------------------------------------------------------------------- */

struct saturation quantize_integers(const struct quantize_group *group)
{
    return group->wide ? (struct saturation){group->zero, INT16_MIN, INT16_MAX}
                       : (struct saturation){group->zero, 0, UINT8_MAX};
}

struct quantize_group *quantize_group_of(const struct quantize_plan *plan,
                                         const struct quantize_layer *layer)
{
    const int group = plan->group_of[layer->node->in[LEFT].value->id];

    return plan->numbers || group < 0 ? NULL : &plan->group[group];
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
    const struct saturation to = quantize_integers(group);
    struct value *scale = pass_literal(pass, (double)group->scale);
    struct value *zero = pass_integer(pass, group->zero);
    struct value *items =
        pass_make(pass, &(struct recipe){.op = OP_SPEC(quantize, .low = to.low, .high = to.high),
                                         .in = {x, scale, zero}});
    return a->numbers[id] = numbers_of(pass, items, scale, zero);
}

/* What is added to the bias; NULL: nothing. */
static const float *correction_of(const struct applying *a, const struct quantize_layer *layer)
{
    const struct quantize_group *group = quantize_group_of(a->plan, layer);

    return a->plan->correct ? layer->correction[group && group->wide] : NULL;
}

/* The number of the bias for a channel. */
static double bias_of(const struct applying *a, const struct quantize_layer *layer,
                      const struct value *bias, int64_t channel)
{
    const float *correction = correction_of(a, layer);
    const double more = correction ? (double)correction[channel] : 0;

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
    const float *least = least_scales(a, m, pass->graph->context->arena);
    bool fits = true;

    for (int64_t i = 0; i < layer->channels; i++)
        fits &= least[i] <= quantize_scale_of(layer, i);
    if (fits) {
        m->weights[0] = taken(a, &layer->items);
        m->weights[1] = taken(a, &layer->scale);
        return true;
    }
    if (!pass_tensor(pass, &m->weights[0], DTYPE_INTEGER, &layer->items.shape) ||
        !pass_tensor(pass, &m->weights[1], DTYPE_SCALAR, &layer->scale.shape))
        return false;
    memcpy(m->weights[0].data, layer->items.data, tensor_bytes(&layer->items));
    for (int64_t i = 0; i < layer->channels; i++) {
        const bool wider = least[i] > quantize_scale_of(layer, i);
        if (i < shape_volume(&layer->scale.shape))
            ((float *)m->weights[1].data)[i] = wider ? least[i] : quantize_scale_of(layer, i);
        if (wider)
            quantize_channel(layer, i, least[i], m->weights[0].data);
    }
    return true;
}

struct value *quantize_stand_in(struct pass *pass, struct tensor *items, struct value *like)
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
    const bool corrects = correction_of(a, m->layer);
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
    struct value *made = quantize_stand_in(pass, &items, bias);
    return numbers_of(pass, made, pass_fixed(pass, NULL, &scale, NULL), pass_integer(pass, 0));
}

/* --- the pass -------------------------------------------------------------------------------- */

/* The operands of a layer as numbers of integers; false after a report. */
static bool make_operands(struct pass *pass, struct applying *a, struct making *m,
                          struct value *in[])
{
    const struct node *node = m->node;

    m->scale = quantize_group_of(a->plan, m->layer)->scale;
    for (uint32_t i = 0; i < node->nin; i++)
        in[i] = node->in[i].value;
    if (!make_weights(pass, a, m))
        return false;
    if (node->nin > BIAS)
        in[BIAS] = make_bias(pass, a, m);
    struct value *items = quantize_stand_in(pass, &m->weights[0], node->in[RIGHT].value);
    struct value *scale = pass_fixed(pass, NULL, &m->weights[1], NULL);
    in[LEFT] = quantized(pass, a, node->in[LEFT].value);
    in[RIGHT] = numbers_of(pass, items, scale, pass_integer(pass, 0));
    return !pass->failed && in[LEFT] && in[RIGHT];
}

/* The numbers of the weights alone, as rows of products if they are in blocks. */
static struct value *make_numbers(struct pass *pass, const struct applying *a,
                                  struct quantize_layer *layer, struct value *weights)
{
    const struct weight_rows rows = weight_rows_of(layer);
    const int64_t extents[] = {rows.count, rows.columns};
    struct tensor items = taken(a, &layer->items), scale = taken(a, &layer->scale);
    struct tensor zero = taken(a, &layer->zero);
    struct value *codes = quantize_stand_in(pass, &items, weights);
    struct value *steps = pass_fixed(pass, NULL, &scale, NULL);
    struct value *zeros =
        layer->zero.data ? pass_fixed(pass, NULL, &zero, NULL) : pass_integer(pass, 0);
    struct value *numbers = zeros ? numbers_of(pass, codes, steps, zeros) : NULL;

    if (!numbers || layer->block == 0)
        return numbers;
    return pass_make(
        pass, &(struct recipe){.op = OP_SPEC(reshape, .shape = {2, extents}, .axis_count = -1),
                               .in = {numbers}});
}

/* Weights only. */
static void visit_weights(struct pass *pass, struct applying *a, struct node *node)
{
    struct quantize_layer *layer = &a->plan->layer[a->plan->layer_of[node->id]];
    const bool product = is_op(node, OP_matmul);

    if (!layer->enabled)
        return;
    struct value *numbers = make_numbers(pass, a, layer, node->in[RIGHT].value);
    if (!numbers)
        return;
    if (layer->block == 0 || !product || attr_transpose_b(node)) {
        pass_set_operand(pass, &node->in[RIGHT], numbers);
        return;
    }
    const struct matmul_attrs attrs = {.transpose_a = attr_transpose_a(node), .transpose_b = true};
    struct value *in[] = {node->in[LEFT].value, numbers};
    struct value *made = pass_remake(pass, node, in, &attrs);
    if (made)
        pass_replace(pass, &node->out[0], made);
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
        (plan->numbers ? visit_weights : visit_layer)(pass, a, node);
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
