/*
 * convert_layer.c - activations, normalizations, attention and recurrent layers
 *
 * Activations and normalizations that need no decision are fragments of stdlib/pnnx.nnef.
 *
 * The gates of a recurrent layer lie one behind the other: in the order i, f, g, o for PyTorch and
 * i, o, f, c for NNEF's extension and ONNX; or r, z, n and z, r, h.
 */
#include "convert/pnnx/convert.h"

#include "base/text.h"
#include "diag/context.h"
#include "op/recurrent.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* --- activations ---------------------------------------------------------------------------- */

/* One operation without attributes, which is the variant. */
struct imported *convert_apply(struct pnnx_call *c, struct imported *x)
{
    return op1(&c->t, (enum op_id)c->row->variant, x);
}

/* One slope for all items, or one for each channel. */
struct imported *convert_prelu(struct pnnx_call *c, struct imported *x)
{
    struct imported *slope = weight_or_input(c, "weight", 1);

    if (slope && shape_volume(&slope->shape) > 1)
        slope = per_channel(&c->t, slope, x->shape.rank);
    return op2(&c->t, OP_prelu, x, slope);
}

/* If no axis is named it is 0 for ranks 0, 1 and 3, else 1. */
struct imported *convert_softmax(struct pnnx_call *c, struct imported *x)
{
    struct translation *t = &c->t;
    int64_t item;
    int axis, rank = x->shape.rank;

    if (!(c->row->variant == SOFTMAX_OF_CHANNELS
              ? resolve_axis(t, -3, rank, &axis)
              : arg_axis(c, "dim", rank <= 1 || rank == 3 ? 0 : 1, rank, &axis)))
        return NULL;
    item = axis;
    if (c->row->variant == SOFTMAX_LOG)
        return compose(c, "log_softmax", &x, 1, &(struct integers){1, &item});
    if (c->row->variant == SOFTMAX_OF_NEGATIVE)
        x = op1(t, OP_neg, x);
    return make1(t, OP_SPEC(softmax, .axes = {1, &item}), x);
}

/* One half, as far as the other lets it through. */
struct imported *convert_glu(struct pnnx_call *c, struct imported *x)
{
    int axis;

    if (!arg_axis(c, "dim", -1, x->shape.rank, &axis))
        return NULL;
    int64_t half = x->shape.extent[axis] / 2;
    if (x->shape.rank == 0 || half * 2 != x->shape.extent[axis])
        return import_unsupported(&c->t, "halves shape %s at axis %d", SHAPE_TEXT(&x->shape), axis);
    struct imported *gate = op1(&c->t, OP_sigmoid, slice_at(&c->t, x, axis, half, 2 * half));
    return op2(&c->t, OP_mul, slice_at(&c->t, x, axis, 0, half), gate);
}

/* --- normalizations ------------------------------------------------------------------------- */

/* The weights of that name for each of the channels, or else a number for all of them. */
static struct imported *channel_weights(struct pnnx_call *c, const char *name, int64_t channels,
                                        double otherwise)
{
    struct imported *weights = weight_or_option(c, name);
    const struct shape shape = {.rank = 1, .extent = {channels}};

    return weights || c->t.failed ? weights : known_ramp(&c->t, ONNX_FLOAT, &shape, otherwise, 0);
}

/* (x - mean) / sqrt(variance + eps) * weight + bias, by the statistics of training. */
struct imported *convert_batch_norm(struct pnnx_call *c, struct imported *x)
{
    struct imported *in[] = {x, NULL, NULL, weight_or_option(c, "running_mean"),
                             weight_or_option(c, "running_var")};

    if (c->t.failed)
        return NULL;
    if (!in[3] || !in[4] || arg_flag(c, "training", false))
        return import_unsupported(&c->t,
                                  "normalizes by the statistics of its input, as in training");
    int64_t channels = shape_volume(&in[3]->shape);
    in[1] = channel_weights(c, "weight", channels, 1);
    in[2] = channel_weights(c, "bias", channels, 0);
    return compose(c, "BatchNormalization", in, 5, NULL);
}

/* Over as many of the last dimensions as the shape has; variant 1 keeps the mean. */
struct imported *convert_trailing_norm(struct pnnx_call *c, struct imported *x)
{
    struct imported *in[] = {x, weight_or_option(c, "weight"), NULL};
    bool rms = c->row->variant == 1;
    int64_t items[MAX_RANK];
    struct integers shape, axes = {0, items};
    int first;

    if (!rms)
        in[2] = weight_or_option(c, "bias");
    if (!arg_ints(c, "normalized_shape", &shape))
        return import_refuse(&c->t, DIAG_PNNX_VALUE, "does not say which shape it normalizes");
    if (!resolve_axis(&c->t, -shape.count, in[0]->shape.rank, &first))
        return NULL;
    for (int i = first; i < in[0]->shape.rank; i++)
        items[axes.count++] = i;
    return compose(c, rms ? "rms_norm" : "layer_norm", in, rms ? 2 : 3, &axes);
}

/* Each group of channels is normalized by its own mean and variance. */
struct imported *convert_group_norm(struct pnnx_call *c, struct imported *x)
{
    int64_t groups = arg_int(c, "num_groups", 1);

    if (x->shape.rank < 2)
        return import_unsupported(&c->t, "has an input without channels");
    const struct shape shape = x->shape;
    int64_t channels = shape.extent[1];
    if (groups < 1 || channels % groups)
        return import_refuse(&c->t, DIAG_NOT_DIVISIBLE,
                             "has %" PRId64 " groups of %" PRId64 " channels", groups, channels);
    if (shape.rank == 2)
        x = unsqueeze_at(&c->t, x, 2);
    struct imported *in[] = {x, channel_weights(c, "weight", channels, 1),
                             channel_weights(c, "bias", channels, 0)};
    return reshape_to(&c->t, compose(c, "group_norm", in, 3, NULL), &shape);
}

/* With statistics of its own it is a batch normalization. */
struct imported *convert_instance_norm(struct pnnx_call *c, struct imported *x)
{
    if (weight_or_option(c, "running_mean") && !arg_flag(c, "use_input_stats", false))
        return convert_batch_norm(c, x);
    if (x->shape.rank < 3)
        return import_unsupported(&c->t, "has an input without batch, channels and items");
    struct imported *in[] = {x, channel_weights(c, "weight", x->shape.extent[1], 1),
                             channel_weights(c, "bias", x->shape.extent[1], 0)};
    return compose(c, "InstanceNormalization", in, 3, NULL);
}

/* Windows of an even size have no middle, so PyTorch and NNEF would pad them differently. */
struct imported *convert_local_response_norm(struct pnnx_call *c, struct imported *x)
{
    int64_t size = arg_int(c, "size", 1);

    if (size % 2 == 0)
        return import_unsupported(
            &c->t, "has windows of %" PRId64 " channels, of which none is in the middle", size);
    if (x->shape.rank < 2 || size < 1)
        return import_refuse(&c->t, DIAG_ONNX_GRAPH,
                             "has an input of rank %d and size %" PRId64
                             ", expected a rank of 2 or more and a positive size",
                             x->shape.rank, size);
    return compose1(c, "local_response_norm", x);
}

/* x / max(norm, eps) along one axis, for norms of order 1 and 2. */
struct imported *convert_normalize(struct pnnx_call *c, struct imported *x)
{
    double power = arg_real(c, "p", 2);
    int axis;

    if (!arg_axis(c, "dim", 1, x->shape.rank, &axis))
        return NULL;
    if ((power < 1 || power > 1) && (power < 2 || power > 2))
        return import_unsupported(&c->t, "has a norm of order %g", power);
    return compose(c, "normalize", &x, 1, &(struct integers){1, (int64_t[]){axis}});
}

/* --- attention ------------------------------------------------------------------------------ */

/* Shapes are [batch, heads, length, size], or of rank 3 with one head for each batch. */
struct imported *convert_scaled_dot_product_attention(struct pnnx_call *c)
{
    static const char *const keys[] = {"query", "key", "value"};
    struct translation *t = &c->t;
    struct imported *in[3];

    for (int i = 0; i < 3; i++) {
        in[i] = tensor_named(c, keys[i], i);
        if (in[i] && in[i]->shape.rank == 3)
            in[i] = unsqueeze_at(t, in[i], 1);
        in[i] = split_heads(t, in[i], 0); /* refuses other ranks */
    }
    if (!in[0] || !in[1] || !in[2])
        return NULL;
    double scale = arg_real(c, "scale", 0);
    const struct attending a = {.q = in[0],
                                .k = in[1],
                                .v = in[2],
                                .mask = tensor_option(c, "attn_mask"),
                                .causal = arg_flag(c, "is_causal", false),
                                .scale =
                                    scale > 0 ? scale : 1 / sqrt((double)in[0]->shape.extent[3])};
    struct imported *result = attend(t, &a, NULL);
    bool flat = tensor_named(c, "query", 0)->shape.rank == 3;
    return result && flat ? squeeze_at(t, result, 1) : result;
}

/* x by the transpose of the weights, and the bias added if there is one. */
static struct imported *project(struct pnnx_call *c, struct imported *x, struct imported *weight,
                                struct imported *bias)
{
    if (!weight)
        return c->t.failed ? NULL : import_unsupported(&c->t, "has no weights for its products");
    struct imported *product = matmul(&c->t, x, transpose_last(&c->t, weight));
    return bias ? op2(&c->t, OP_add, product, bias) : product;
}

/* Part `index` of three that lie one behind the other in `packed`, or else weights of their own. */
static struct imported *third_of(struct pnnx_call *c, struct imported *packed, const char *own,
                                 int index)
{
    struct imported *weight = own ? weight_named(c, own) : NULL;

    if (weight || !packed)
        return weight;
    int64_t size = packed->shape.extent[0] / 3;
    return slice_at(&c->t, packed, 0, index * size, (index + 1) * size);
}

/* From [length, batch, size] to [batch, length, size] or back, unless batches are first anyway. */
static struct imported *swap_batch(struct pnnx_call *c, struct imported *x)
{
    static const int64_t order[] = {1, 0, 2};

    return x && !arg_flag(c, "batch_first", false) ? transpose_by(&c->t, x, order) : x;
}

/* Products with weights around attention; [length, batch, size] unless batch_first. */
struct imported *convert_multihead_attention(struct pnnx_call *c)
{
    static const char *const own[] = {"q_proj_weight", "k_proj_weight", "v_proj_weight"};
    struct translation *t = &c->t;
    struct imported *in[3], *made[3], *mask = tensor_option(c, "attn_mask");
    struct imported *weight = weight_named(c, "in_proj_weight");
    struct imported *bias = weight_named(c, "in_proj_bias");
    int64_t heads = arg_int(c, "num_heads", 1);
    int count = 0;

    /* Tensors that are no mask: one for all three, one for keys and values, or one for each. */
    for (int i = 0; i < c->op->nin && count < 3; i++)
        if (c->t.in[i] && !(c->op->key[i] && strstr(c->op->key[i], "mask")))
            in[count++] = c->t.in[i];
    for (int i = count; i < 3 && count > 0; i++)
        in[i] = in[i - 1];
    if (count == 0 || heads < 1 || in[0]->shape.rank < 2 || in[0]->shape.rank > 3)
        return import_unsupported(&c->t, "has no queries of rank 2 or 3");
    if (arg_flag(c, "add_zero_attn", false) || pnnx_find(c->op, PNNX_ATTRIBUTE, "bias_k") ||
        tensor_option(c, "key_padding_mask"))
        return import_unsupported(&c->t, "has keys that are added or left out");
    bool single = in[0]->shape.rank == 2;
    for (int i = 0; i < 3; i++) {
        struct imported *x =
            in[i]->shape.rank == 2 ? unsqueeze_at(t, in[i], 0) : swap_batch(c, in[i]);
        x = project(c, x, third_of(c, weight, own[i], i), third_of(c, bias, NULL, i));
        made[i] = split_heads(t, x, heads);
    }
    if (!made[0] || !made[1] || !made[2])
        return NULL;
    if (mask && mask->shape.rank == 3) { /* one for each head of each batch, all in a row */
        const int64_t *e = mask->shape.extent;
        struct shape shape = {.rank = 4, .extent = {e[0] / heads, heads, e[1], e[2]}};
        mask = reshape_to(t, mask, &shape);
    }
    const struct attending a = {.q = made[0],
                                .k = made[1],
                                .v = made[2],
                                .mask = mask,
                                .causal = arg_flag(c, "is_causal", false),
                                .scale = 1 / sqrt((double)made[0]->shape.extent[3])};
    struct imported *result =
        project(c, join_heads(t, attend(t, &a, NULL)), weight_named(c, "out_proj.weight"),
                weight_named(c, "out_proj.bias"));
    return result && single ? squeeze_at(t, result, 0) : swap_batch(c, result);
}

/* --- recurrent layers ------------------------------------------------------------------------- */

enum { DIRECTIONS = 2, LAYERS_MAX = 64 };

struct recurrent_net {
    enum op_id op;
    int gates;
    int order[GATES_MAX];   /* where each gate of NNEF's operation is among those of PyTorch */
    int64_t layers, hidden; /* how many layers; extent of the state of each */
    int directions;         /* 1 or 2 */
    struct imported *state, *memory; /* at the begin, of all layers; NULL: zeros */
};

/* "weight_ih_l0_reverse" */
static struct imported *layer_weight(struct pnnx_call *c, const char *kind, int64_t layer,
                                     int direction)
{
    return weight_named(c, text_format(c->t.builder->context->arena, "%s_l%" PRId64 "%s", kind,
                                       layer, direction ? "_reverse" : ""));
}

/* The weights of a layer with gates in NNEF's order, and the direction as first dimension. */
static struct imported *layer_weights(struct pnnx_call *c, const struct recurrent_net *n,
                                      const char *kind, int64_t layer)
{
    struct translation *t = &c->t;
    struct imported *all[DIRECTIONS], *gates[GATES_MAX];

    for (int d = 0; d < n->directions; d++) {
        struct imported *weight = layer_weight(c, kind, layer, d);
        if (!weight || weight->shape.extent[0] != n->gates * n->hidden)
            return t->failed
                       ? NULL
                       : import_unsupported(&c->t, "lacks weights, or they have another size");
        for (int i = 0; i < n->gates; i++)
            gates[i] =
                slice_at(t, weight, 0, n->order[i] * n->hidden, (n->order[i] + 1) * n->hidden);
        weight = t->failed ? NULL : join(t, gates, n->gates, 0);
        if (!weight || !(all[d] = unsqueeze_at(t, weight, 0)))
            return NULL;
    }
    return join(t, all, n->directions, 0);
}

/* The states of one layer; 0 if the model gives none. */
static struct imported *layer_state(struct pnnx_call *c, const struct recurrent_net *n,
                                    struct imported *all, int64_t layer)
{
    if (!all)
        return literal(&c->t, 0);
    return slice_at(&c->t, all, 0, layer * n->directions, (layer + 1) * n->directions);
}

/*
 * [steps, batch, input] becomes [steps, batch, directions * hidden]. `made` gets the results of the
 * operation: what it returns, with the directions as a dimension, and the states at the end.
 */
static struct imported *run_layer(struct pnnx_call *c, const struct recurrent_net *n, int64_t layer,
                                  struct imported *x, struct imported *made[3])
{
    static const int64_t order[] = {0, 2, 1, 3};
    struct translation *t = &c->t;
    struct imported *bias = literal(t, 0), *both[2];

    if (layer_weight(c, "bias_ih", layer, 0)) { /* one bias behind the other */
        both[0] = layer_weights(c, n, "bias_ih", layer);
        both[1] = layer_weights(c, n, "bias_hh", layer);
        bias = both[0] && both[1] ? join(t, both, 2, 1) : NULL;
    }
    struct imported *in[PEEPHOLE + 1] = {[INPUT] = x,
                                         [FILTER] = layer_weights(c, n, "weight_ih", layer),
                                         [RECURRENCE] = layer_weights(c, n, "weight_hh", layer),
                                         [BIAS] = bias,
                                         [STATE] = layer_state(c, n, n->state, layer),
                                         [MEMORY] = layer_state(c, n, n->memory, layer),
                                         [PEEPHOLE] = literal(t, 0)};

    const struct recurrent_attrs attrs = {
        .direction = n->directions == 2 ? DIRECTION_BIDIRECTIONAL : DIRECTION_FORWARD,
        .linear_before_reset = true, /* of GRU, as PyTorch has it */
    };
    struct imported *y = make_all(t, (struct op_spec){n->op, &attrs}, in,
                                  n->op == OP_lstm ? PEEPHOLE + 1 : STATE + 1);
    if (!y)
        return NULL;
    memcpy(made, t->made, (size_t)t->nmade * sizeof(struct imported *));
    struct shape shape = {
        .rank = 3, .extent = {y->shape.extent[0], y->shape.extent[2], n->directions * n->hidden}};
    return reshape_to(t, transpose_by(t, y, order), &shape);
}

/* States at the end are those of all layers. */
static struct imported *run_layers(struct pnnx_call *c, const struct recurrent_net *n,
                                   struct imported *x)
{
    struct imported *last[2][LAYERS_MAX], *made[3] = {NULL};
    int states = n->op == OP_lstm ? 2 : 1;

    assert(n->layers <= LAYERS_MAX);
    for (int64_t i = 0; i < n->layers && x; i++) {
        x = run_layer(c, n, i, x, made);
        last[0][i] = made[1];
        last[1][i] = made[2];
    }
    for (int k = 0; k < states && x && k + 1 < c->op->nout; k++)
        if (c->op->out[k + 1]->uses)
            set_output(&c->t, k + 1, join(&c->t, last[k], (int)n->layers, 0));
    return x;
}

/* The variant is the operation. Each layer reads the output of the one before. */
struct imported *convert_recurrent(struct pnnx_call *c, struct imported *x)
{
    static const struct recurrent_net nets[] = {
        {.op = OP_lstm, .gates = 4, .order = {0, 3, 1, 2}},
        {.op = OP_gru, .gates = 3, .order = {1, 0, 2}},
        {.op = OP_rnn, .gates = 1, .order = {0}},
    };
    static const int64_t steps_first[] = {1, 0, 2};
    struct recurrent_net n = nets[c->row->variant == OP_lstm  ? 0
                                  : c->row->variant == OP_gru ? 1
                                                              : 2];
    bool batch_first = arg_flag(c, "batch_first", false);

    assert((int)n.op == c->row->variant);
    n.layers = arg_int(c, "num_layers", 1);
    n.hidden = arg_int(c, "hidden_size", 1);
    n.directions = arg_flag(c, "bidirectional", false) ? 2 : 1;
    if (x->shape.rank != 3 || n.layers < 1 || n.layers > LAYERS_MAX || n.hidden < 1 ||
        n.hidden > INT32_MAX)
        return import_unsupported(&c->t, "has an input of rank %d, or %" PRId64 " layers",
                                  x->shape.rank, n.layers);
    if (arg_int(c, "proj_size", 0))
        return import_unsupported(&c->t, "projects its states");
    if (n.op == OP_rnn && strcmp(arg_text(c, "nonlinearity", "tanh"), "relu") == 0)
        return import_unsupported(&c->t, "has another activation than tanh");

    /* States are inputs behind the first, or a tuple. */
    int count;
    struct pnnx_argument *const *from = arguments_from(c, 1, &count);
    n.state = count > 0 ? from[0]->imported : NULL;
    n.memory = count > 1 && n.op == OP_lstm ? from[1]->imported : NULL;
    x = run_layers(c, &n, batch_first ? transpose_by(&c->t, x, steps_first) : x);
    return x && batch_first ? transpose_by(&c->t, x, steps_first) : x;
}
