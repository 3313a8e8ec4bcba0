/*
 * quantize_equalize.c - channels between two layers take ranges that weights of both have alike
 *
 *     conv(relu(conv(x, f, b)), g) = conv(relu(conv(x, f / s, b / s)), g * s), s > 0 by channel
 *
 * What lies between the layers has one scale for all channels: so it should not have channels that
 * are much smaller than others.  Channels with s = sqrt(a / b) have the same largest weight on both
 * sides, where `a` is that of f and `b` that of g.
 */
#include "pass/quantize_weights.h"

#include "base/arena.h"
#include "diag/context.h"
#include "op/convolve.h"
#include "pass/edit.h"

#include <assert.h>

enum { LEFT, RIGHT, BIAS };

/* Factors of a layer, by channel; NULL: all are 1. */
struct layer_factors {
    int64_t inputs;  /* channels that it reads */
    int64_t each;    /* inputs of one group */
    int64_t taps;    /* weights of one of these */
    float *in, *out; /* the weights are multiplied with `in` and divided by `out` */
};

struct equalizing {
    const struct quantize_plan *plan;
    struct layer_factors *factors; /* by layer */
    int *before;                   /* by layer: the one that its input comes from; -1: none */
};

/* --- pairs ----------------------------------------------------------------------------------- */

static bool is_output(const struct graph *graph, const struct value *value)
{
    for (int i = 0; i < graph->noutput; i++)
        if (graph->outputs[i].value == value)
            return true;
    return false;
}

/* Does it do the same to all positive multiples of a channel, apart from others? */
static bool keeps_channels(const struct node *node)
{
    if (is_op(node, OP_relu))
        return true;
    if (!is_op(node, OP_max_pool) || attr_size(node)->count < 2)
        return false;
    return attr_size(node)->item[0] == 1 && attr_size(node)->item[1] == 1 &&
           attr_border(node) == BORDER_IGNORE;
}

/* Has the layer a bias that is known? */
static bool has_known_bias(const struct quantize_layer *layer)
{
    return layer->node->nin <= BIAS || value_items(layer->node->in[BIAS].value);
}

/* The layer whose channels the layer reads, and nothing else does; -1: there is none. */
static int layer_before(const struct quantize_plan *plan, const struct quantize_layer *layer)
{
    const struct value *x = layer->node->in[LEFT].value;

    while (x->kind == VALUE_RESULT && x->uses && !x->uses->next && !is_output(plan->graph, x)) {
        const struct node *node = x->producer;
        const int index = plan->layer_of[node->id];
        if (index >= 0)
            return !plan->layer[index].kept && node->op == layer->node->op &&
                           has_known_bias(&plan->layer[index])
                       ? index
                       : -1;
        if (!keeps_channels(node))
            return -1;
        x = node->in[LEFT].value;
    }
    return -1;
}

static struct layer_factors factors_of(const struct quantize_layer *layer)
{
    const struct node *node = layer->node;
    const struct shape *filter = node->in[RIGHT].value->shape;
    struct layer_factors f = {.each = filter->extent[1], .taps = 1};

    for (int i = 2; i < filter->rank; i++)
        f.taps *= filter->extent[i];
    f.inputs = f.each * (is_op(node, OP_conv) ? conv_groups(node->in[LEFT].value->shape, filter,
                                                            node->out[0].shape, false)
                                              : 1);
    return f;
}

/* The input that a weight is multiplied with. */
static int64_t input_of(const struct quantize_layer *layer, const struct layer_factors *f,
                        int64_t row, int64_t column)
{
    const int64_t groups = f->inputs / f->each;

    return row / (layer->channels / groups) * f->each + column / f->taps;
}

static float *ones(struct arena *arena, int64_t count)
{
    float *factor = arena_array_of(arena, float, count);

    for (int64_t i = 0; i < count; i++)
        factor[i] = 1;
    return factor;
}

static int find_pairs(struct equalizing *e, struct arena *arena)
{
    int pairs = 0;

    for (int i = 0; i < e->plan->layers; i++) {
        const struct quantize_layer *layer = &e->plan->layer[i];
        const bool product = is_op(layer->node, OP_matmul);
        e->before[i] = layer->kept || product ? -1 : layer_before(e->plan, layer);
        if (!product && !layer->kept)
            e->factors[i] = factors_of(layer);
        if (e->before[i] < 0)
            continue;
        e->factors[i].in = ones(arena, e->factors[i].inputs);
        e->factors[e->before[i]].out = ones(arena, e->plan->layer[e->before[i]].channels);
        pairs++;
    }
    return pairs;
}

/* --- factors ---------------------------------------------------------------------------------- */

static float weight_of(const struct equalizing *e, int index, int64_t row, int64_t column)
{
    const struct quantize_layer *layer = &e->plan->layer[index];
    const struct layer_factors *f = &e->factors[index];
    const struct weight_rows rows = weight_rows_of(layer);
    float weight = quantize_weight(layer, weight_at(&rows, row, column));

    if (f->in)
        weight *= f->in[input_of(layer, f, row, column)];
    return f->out ? weight / f->out[row] : weight;
}

/* The largest weight of each channel that the layer makes, or of each that it reads. */
static void find_largest(const struct equalizing *e, int index, bool reads, float *largest)
{
    const struct quantize_layer *layer = &e->plan->layer[index];
    const struct weight_rows rows = weight_rows_of(layer);

    for (int64_t r = 0; r < rows.count; r++)
        for (int64_t c = 0; c < rows.columns; c++) {
            const int64_t at = reads ? input_of(layer, &e->factors[index], r, c) : r;
            largest[at] = fmaxf(largest[at], fabsf(weight_of(e, index, r, c)));
        }
}

static void equalize_pair(const struct equalizing *e, int index, struct arena *arena)
{
    const struct arena_mark mark = arena_mark(arena);
    const int before = e->before[index];
    const int64_t channels = e->factors[index].inputs;
    float *made = arena_array_of(arena, float, channels);
    float *read = arena_array_of(arena, float, channels);

    assert(e->plan->layer[before].channels == channels);
    find_largest(e, before, false, made);
    find_largest(e, index, true, read);
    for (int64_t i = 0; i < channels; i++) {
        const float factor = made[i] > 0 && read[i] > 0 ? sqrtf(made[i] / read[i]) : 1;
        if (!(factor > 0x1p-24F && factor < 0x1p24F)) /* a channel without weight, as it seems */
            continue;
        e->factors[index].in[i] *= factor;
        e->factors[before].out[i] *= factor;
    }
    arena_rewind(arena, mark);
}

/* --- the graph -------------------------------------------------------------------------------- */

static bool scale_weights(struct pass *pass, const struct equalizing *e, int index,
                          struct node *node)
{
    struct value *weights = node->in[RIGHT].value;
    const struct weight_rows rows = weight_rows_of(&e->plan->layer[index]);
    struct tensor items;

    if (!pass_tensor(pass, &items, DTYPE_SCALAR, weights->shape))
        return false;
    for (int64_t r = 0; r < rows.count; r++)
        for (int64_t c = 0; c < rows.columns; c++)
            ((float *)items.data)[weight_at(&rows, r, c)] = weight_of(e, index, r, c);
    pass_set_operand(pass, &node->in[RIGHT], quantize_stand_in(pass, &items, weights));
    return true;
}

static void scale_bias(struct pass *pass, const struct equalizing *e, int index, struct node *node)
{
    const float *out = e->factors[index].out;
    struct value *bias = node->nin > BIAS ? node->in[BIAS].value : NULL;
    const struct shape shape = {.rank = 2, .extent = {1, e->plan->layer[index].channels}};
    struct tensor items;

    if (!out || !bias || value_is_all(bias, 0) || !pass_tensor(pass, &items, DTYPE_SCALAR, &shape))
        return;
    for (int64_t i = 0; i < shape.extent[1]; i++)
        ((float *)items.data)[i] =
            (float)value_item(bias, shape_volume(bias->shape) > 1 ? i : 0) / out[i];
    pass_set_operand(pass, &node->in[BIAS], quantize_stand_in(pass, &items, bias));
}

static const char *visit(struct pass *pass, struct node *node)
{
    const struct equalizing *e = pass->data;
    const int index = e->plan->layer_of[node->id];

    if (index >= 0 && (e->factors[index].in || e->factors[index].out) &&
        scale_weights(pass, e, index, node))
        scale_bias(pass, e, index, node);
    return NULL;
}

static void drop_weights(struct pass *pass)
{
    pass_drop_unused(pass, VALUE_VARIABLE);
}

static const struct pass_desc equalize = {.visit = visit, .end = drop_weights};

bool quantize_equalize(const struct quantize_plan *plan, struct graph *graph,
                       struct retained_tensor **kept, bool *any)
{
    enum { ROUNDS = 4 }; /* a layer in the middle of a chain has two neighbours */
    struct arena *arena = graph->context->arena;
    struct equalizing e = {plan, arena_array_of(arena, struct layer_factors, plan->layers + 1),
                           arena_array_of(arena, int, plan->layers + 1)};

    *any = find_pairs(&e, arena) > 0;
    for (int i = 0; i < ROUNDS * plan->layers; i++)
        if (e.before[i % plan->layers] >= 0)
            equalize_pair(&e, i % plan->layers, arena);
    return !*any || pass_run_once(graph, &equalize, &e, kept);
}
