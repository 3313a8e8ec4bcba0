/*
 * convert_recur.c - recurrent layers, one behind the other
 *
 * Gates lie one behind the other, in the order i, f, g, o where ONNX has i, o, f, c, and r, z, n where
 * ONNX has z, r, h.
 */
#include "convert/pnnx/convert_functions.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

enum { GATES_MAX = 4, DIRECTIONS = 2, LAYERS_MAX = 64 };

struct network {
    const char *type; /* of ONNX */
    int gates;
    int order[GATES_MAX]; /* of the gates of ONNX among those of PNNX */
    int64_t layers, hidden;
    int directions;
    struct imported *hidden_state, *memory; /* at the beginning, of all layers; NULL: zeros */
};

/* "weight_ih_l0_reverse" */
static struct imported *weight_of(struct say *s, const char *kind, int64_t layer, int direction)
{
    struct text name = {0};

    text_add(&name, "%s_l%" PRId64 "%s", kind, layer, direction ? "_reverse" : "");
    struct imported *weight = say_weight(s, name.data);
    text_free(&name);
    return weight;
}

/* In the order of ONNX, with a dimension for the direction in front. */
static struct imported *arrange(struct say *s, const struct network *n, struct imported *weight)
{
    struct imported *gates[GATES_MAX];

    if (!weight || weight->shape.extent[0] != n->gates * n->hidden)
        return s->t.failed ? NULL : say_refuse(s, "lacks weights, or they have another size");
    for (int i = 0; i < n->gates; i++)
        gates[i] =
            slice_at(&s->t, weight, 0, n->order[i] * n->hidden, (n->order[i] + 1) * n->hidden);
    struct imported *all = s->t.failed ? NULL : join(&s->t, gates, n->gates, 0);
    return all ? unsqueeze_at(&s->t, all, 0) : NULL;
}

/* Those of both directions. */
static struct imported *weights_of(struct say *s, const struct network *n, const char *kind,
                                   int64_t layer)
{
    struct imported *all[DIRECTIONS];

    for (int d = 0; d < n->directions; d++)
        if (!(all[d] = arrange(s, n, weight_of(s, kind, layer, d))))
            return NULL;
    return join(&s->t, all, n->directions, 0);
}

static struct imported *biases_of(struct say *s, const struct network *n, int64_t layer)
{
    struct imported *both[2];

    if (!weight_of(s, "bias_ih", layer, 0))
        return NULL;
    both[0] = weights_of(s, n, "bias_ih", layer);
    both[1] = weights_of(s, n, "bias_hh", layer);
    return both[0] && both[1] ? join(&s->t, both, 2, 1) : NULL;
}

static struct imported *state_of(struct say *s, const struct network *n, struct imported *all,
                                 int64_t layer)
{
    return slice_at(&s->t, all, 0, layer * n->directions, (layer + 1) * n->directions);
}

/* [steps, batch, input] becomes [steps, batch, directions * hidden]. */
static struct imported *run_layer(struct say *s, const struct network *n, int64_t layer,
                                  struct imported *x, struct imported *out[3])
{
    static const int64_t order[] = {0, 2, 1, 3};
    struct imported *in[7] = {x,
                              weights_of(s, n, "weight_ih", layer),
                              weights_of(s, n, "weight_hh", layer),
                              biases_of(s, n, layer),
                              NULL,
                              state_of(s, n, n->hidden_state, layer),
                              state_of(s, n, n->memory, layer)};
    bool lstm = n->gates == 4;

    say_begin(s, n->type);
    node_int(s, "hidden_size", n->hidden);
    node_text(s, "direction", n->directions == 2 ? "bidirectional" : "forward");
    if (n->gates == 3)
        node_int(s, "linear_before_reset", 1);
    if (n->gates == 1 && strcmp(say_text(s, "nonlinearity", "tanh"), "relu") == 0)
        return say_refuse(s, "has another activation than tanh");
    struct imported *y = say_end(s, in, lstm ? 7 : 6, out, lstm ? 3 : 2);
    if (!y)
        return NULL;
    struct shape shape = {
        .rank = 3, .extent = {y->shape.extent[0], y->shape.extent[2], n->directions * n->hidden}};
    return reshape_to(&s->t, transpose_by(&s->t, y, order), &shape);
}

/* States at the end are those of all layers. */
static struct imported *run_layers(struct say *s, const struct network *n, struct imported *x)
{
    struct imported *last[2][LAYERS_MAX], *out[3] = {NULL};
    int states = n->gates == 4 ? 2 : 1;

    for (int64_t i = 0; i < n->layers && x; i++) {
        x = run_layer(s, n, i, x, out);
        last[0][i] = out[1];
        last[1][i] = out[2];
    }
    for (int k = 0; k < states && x && k + 1 < s->op->nout; k++)
        if (s->op->out[k + 1]->uses)
            set_output(&s->t, k + 1, join(&s->t, last[k], (int)n->layers, 0));
    return x;
}

/* States are inputs behind the first, or a tuple. */
static void read_states(struct say *s, struct network *n)
{
    struct given *const *from = s->given + 1;
    int count = s->op->nin - 1;

    if (count == 1 && from[0]->is_list) {
        count = from[0]->count;
        from = from[0]->items;
    }
    n->hidden_state = count > 0 ? from[0]->imported : NULL;
    n->memory = count > 1 && n->gates == 4 ? from[1]->imported : NULL;
}

static struct imported *recur(struct say *s, struct network *n)
{
    static const int64_t steps_first[] = {1, 0, 2};
    struct imported *x = say_in(s, 0);
    bool batch_first = say_flag(s, "batch_first", false);

    n->layers = say_int(s, "num_layers", 1);
    n->hidden = say_int(s, "hidden_size", 1);
    n->directions = say_flag(s, "bidirectional", false) ? 2 : 1;
    if (!x || x->shape.rank != 3 || n->layers < 1 || n->layers > LAYERS_MAX || n->hidden < 1 ||
        n->hidden > INT32_MAX)
        return x ? say_refuse(s, "has an input of rank %d, or %" PRId64 " layers", x->shape.rank,
                              n->layers)
                 : NULL;
    if (say_int(s, "proj_size", 0))
        return say_refuse(s, "projects its states");
    read_states(s, n);
    x = run_layers(s, n, batch_first ? transpose_by(&s->t, x, steps_first) : x);
    return x && batch_first ? transpose_by(&s->t, x, steps_first) : x;
}

struct imported *say_lstm(struct say *s)
{
    return recur(s, &(struct network){.type = "LSTM", .gates = 4, .order = {0, 3, 1, 2}});
}

struct imported *say_gru(struct say *s)
{
    return recur(s, &(struct network){.type = "GRU", .gates = 3, .order = {1, 0, 2}});
}

struct imported *say_rnn(struct say *s)
{
    return recur(s, &(struct network){.type = "RNN", .gates = 1, .order = {0}});
}
