/*
 * linear_attention.c - attention by a state for each head, of the extensions
 *
 *     S' = diag(exp(decay)) S,  r = beta (value - S' key)  or  beta value,  S = S' + key r
 *     output = scale query S
 *
 * at each place of the sequence.  Tensors have the heads next to each other in the last dimension;
 * a head serves as many heads of queries in a row.  Sums are in double, states are rounded.
 */
#include "base/arena.h"
#include "base/num.h"
#include "diag/context.h"
#include "op/check.h"
#include "op/compute.h"
#include "op/unroll.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

enum { QUERY, KEY, VALUE, STATE, DECAY, BETA };

/* --- shapes -------------------------------------------------------------------------------- */

/* The last dimension of an operand consists of `heads` parts: the extent of one, -1 after a
 * report. */
static int64_t part_of(const struct infer *infer, int index, int64_t heads)
{
    int64_t extent = infer_in(infer, index)->extent[2];

    if (extent % heads == 0)
        return extent / heads;
    infer_error(infer, infer->call->in[index].param, DIAG_NOT_DIVISIBLE,
                "'%s' of '%s' has extent %" PRId64 ", expected a multiple of %" PRId64 " heads",
                infer->call->in[index].param, infer_name(infer), extent, heads);
    return -1;
}

static bool attention_infer(struct infer *infer)
{
    const struct linear_attention_attrs *attrs = infer->attrs;
    int64_t heads = attrs->heads, keys, values;

    for (int i = QUERY; i <= VALUE; i++)
        if (!check_rank(infer, i, 3, false))
            return false;
    if (attrs->query_heads % heads)
        return infer_error(infer, "query_heads", DIAG_NOT_DIVISIBLE,
                           "'query_heads' of '%s' is %" PRId64 ", expected a multiple of %" PRId64,
                           infer_name(infer), attrs->query_heads, heads);
    if ((keys = part_of(infer, QUERY, attrs->query_heads)) < 0 ||
        (values = part_of(infer, VALUE, heads)) < 0)
        return false;
    const struct shape *query = infer_in(infer, QUERY);
    struct shape key = *query, value = *query, each = *query;
    const struct shape state = {.rank = 4, .extent = {query->extent[0], heads, keys, values}};
    key.extent[2] = heads * keys;
    value.extent[2] = heads * values;
    each.extent[2] =
        infer_in(infer, BETA)->rank == 3 && infer_in(infer, BETA)->extent[2] == 1 ? 1 : heads;
    const struct shape *decay = infer_in(infer, DECAY);
    bool by_key = decay->rank == 3 && decay->extent[2] == key.extent[2];
    struct shape by_head = *query;
    by_head.extent[2] = heads;
    if (!check_shape(infer, KEY, &key, false) || !check_shape(infer, VALUE, &value, false) ||
        !check_shape(infer, STATE, &state, true) ||
        !check_shape(infer, DECAY, by_key ? &key : &by_head, true) ||
        !check_shape(infer, BETA, &each, true))
        return false;
    infer->out[0] = *query;
    if (!num_mul(attrs->query_heads, values, &infer->out[0].extent[2]))
        return infer_error(infer, "query_heads", DIAG_VOLUME_LIMIT,
                           "%" PRId64 " 'query_heads' of '%s' are too many", attrs->query_heads,
                           infer_name(infer));
    infer->out[1] = state;
    infer_reads(infer, &infer->out[0], 4 * keys);
    return true;
}

/* --- kernel -------------------------------------------------------------------------------- */

/* Items of one head of one batch at one place. */
struct place_of_head {
    const struct eval *eval;
    int64_t keys, values, length, batch, head;
    float *state;
};

/* Item `i` of `count` that the head has in an operand; a single item stands for all. */
static double item_of(const struct place_of_head *h, int operand, int64_t at, int64_t i)
{
    const struct tensor *tensor = h->eval->in[operand];
    const struct linear_attention_attrs *attrs = h->eval->attrs;
    const float *items = tensor->data;

    if (tensor->shape.rank == 0)
        return (double)items[0];
    int64_t row = tensor->shape.extent[2];
    int64_t each = row == attrs->heads * h->keys && operand != BETA ? h->keys : 1;
    int64_t own = row == 1 ? 0 : h->head * each + (each > 1 ? i : 0);
    return (double)items[(h->batch * h->length + at) * row + own];
}

enum { COLUMNS = 64 }; /* of the state, at a time */

/* sums[j] += by * row[j], for so many columns. */
static void add_row(double *sums, double by, const float *row, int64_t count)
{
    for (int64_t j = 0; j < count; j++)
        sums[j] += by * (double)row[j];
}

/* Columns first <= j < first + count of the state, and what the queries make of them. */
static void columns(const struct place_of_head *h, int64_t at, int64_t first, int64_t count)
{
    const struct linear_attention_attrs *attrs = h->eval->attrs;
    int64_t group = attrs->query_heads / attrs->heads, place = h->batch * h->length + at;
    int64_t own = place * attrs->heads + h->head;
    const float *key = (const float *)h->eval->in[KEY]->data + own * h->keys;
    const float *value = (const float *)h->eval->in[VALUE]->data + own * h->values + first;
    const float *query = (const float *)h->eval->in[QUERY]->data + own * group * h->keys;
    float *out = (float *)h->eval->out[0]->data + own * group * h->values + first;
    float *state = h->state + first;
    double rest[COLUMNS], beta = item_of(h, BETA, at, 0);

    assert(count <= COLUMNS);
    for (int64_t j = 0; j < count; j++)
        rest[j] = (double)value[j];
    for (int64_t i = 0; attrs->delta && i < h->keys; i++)
        add_row(rest, -(double)key[i], state + i * h->values, count);
    for (int64_t j = 0; j < count; j++)
        rest[j] *= beta;
    for (int64_t i = 0; i < h->keys; i++) {
        float *row = state + i * h->values;
        for (int64_t j = 0; j < count; j++)
            row[j] = (float)((double)row[j] + (double)key[i] * rest[j]);
    }
    for (int64_t n = 0; n < group; n++) {
        double sums[COLUMNS] = {0};
        for (int64_t i = 0; i < h->keys; i++)
            add_row(sums, (double)query[n * h->keys + i], state + i * h->values, count);
        for (int64_t j = 0; j < count; j++)
            out[n * h->values + j] = (float)(attrs->scale * sums[j]);
    }
}

/* The sequence of one head of one batch; its state lies in result 1. */
static void sequence(const void *data, int64_t number)
{
    const struct eval *eval = data;
    const struct linear_attention_attrs *attrs = eval->attrs;
    const struct tensor *begin = eval->in[STATE];
    const struct shape *state = &eval->out[1]->shape;
    int64_t size = state->extent[2] * state->extent[3];
    struct place_of_head h = {.eval = eval,
                              .keys = state->extent[2],
                              .values = state->extent[3],
                              .length = eval->in[QUERY]->shape.extent[1],
                              .batch = number / attrs->heads,
                              .head = number % attrs->heads,
                              .state = (float *)eval->out[1]->data + number * size};

    for (int64_t i = 0; i < size; i++)
        h.state[i] = ((const float *)begin->data)[begin->shape.rank ? number * size + i : 0];
    for (int64_t at = 0; at < h.length; at++) {
        for (int64_t i = 0; i < h.keys; i++) { /* the state fades */
            double factor = exp(item_of(&h, DECAY, at, i));
            for (int64_t j = i * h.values; j < (i + 1) * h.values; j++)
                h.state[j] = (float)(factor * (double)h.state[j]);
        }
        for (int64_t j = 0; j < h.values; j += COLUMNS)
            columns(&h, at, j, h.values - j < COLUMNS ? h.values - j : COLUMNS);
    }
}

static bool attention_eval(const struct eval *eval)
{
    const struct shape *state = &eval->out[1]->shape;

    /* Without items there may be any number of heads. */
    if (shape_volume(&eval->out[0]->shape) > 0 || shape_volume(state) > 0)
        eval_share(eval, shape_volume_range(state, 0, 2), sequence, eval);
    return true;
}

/* --- as operations of NNEF ------------------------------------------------------------------ */

struct attention_unroll {
    struct unroll u;
    const struct linear_attention_attrs *attrs;
    int64_t batch, keys, values;
};

/* Is an operand that number for all heads and places? */
static bool is_number(const struct attention_unroll *a, int index, double number)
{
    const struct value *x = a->u.node->in[index].value;

    return x->kind == VALUE_CONSTANT && x->shape->rank == 0 &&
           tensor_item(x->source->tensor, 0) == number;
}

/* What an operand has at a place: [batch,heads,..] with these extents behind; a number stays. */
static struct value *place_of(const struct attention_unroll *a, int index, int64_t at, int64_t rows,
                              int64_t columns)
{
    struct value *x = a->u.node->in[index].value;
    int64_t heads = index == BETA && x->shape->rank == 3 ? x->shape->extent[2] : a->attrs->heads;
    const struct shape shape = {.rank = 4, .extent = {a->batch, heads, rows, columns}};

    if (x->shape->rank == 0)
        return x;
    return unroll_reshape(&a->u, unroll_slice(&a->u, x, 1, at, at + 1), &shape);
}

/* What the queries make of the state behind a place: [batch,1,query_heads * values]. */
static struct value *output_of(const struct attention_unroll *a, struct value *state, int64_t at)
{
    const struct shape row = {.rank = 3,
                              .extent = {a->batch, 1, a->attrs->query_heads * a->values}};
    struct value *query = place_of(a, QUERY, at, a->attrs->query_heads / a->attrs->heads, a->keys);

    if (a->attrs->scale != 1)
        query = unroll_plain(&a->u, OP_mul, query,
                             unroll_filled(&a->u, &(struct shape){0}, a->attrs->scale));
    return unroll_reshape(
        &a->u, unroll_pair(&a->u, OP_SPEC(matmul, .transpose_a = false), query, state), &row);
}

/* The state behind a place. */
static struct value *next_state(const struct attention_unroll *a, struct value *state, int64_t at)
{
    const struct shape *decay = a->u.node->in[DECAY].value->shape;
    int64_t faded = decay->rank == 3 ? decay->extent[2] / a->attrs->heads : 1;
    struct value *key = place_of(a, KEY, at, a->keys, 1);
    struct value *rest = place_of(a, VALUE, at, 1, a->values);

    if (!is_number(a, DECAY, 0)) {
        struct value *log = place_of(a, DECAY, at, faded, 1);
        state = unroll_plain(&a->u, OP_mul, unroll_first(&a->u, op_plain(OP_exp), &log, 1), state);
    }
    if (a->attrs->delta)
        rest = unroll_plain(&a->u, OP_sub, rest,
                            unroll_pair(&a->u, OP_SPEC(matmul, .transpose_a = true), key, state));
    if (!is_number(a, BETA, 1))
        rest = unroll_plain(&a->u, OP_mul, rest, place_of(a, BETA, at, 1, 1));
    return unroll_plain(&a->u, OP_add, state, unroll_plain(&a->u, OP_mul, key, rest));
}

/* Operations for each place of the sequence. */
static bool attention_unroll(struct graph *graph, struct node *node, struct value **results)
{
    const struct linear_attention_attrs *attrs = node->attrs;
    const struct shape *query = node->in[QUERY].value->shape, *state = node->out[1].shape;
    const struct attention_unroll a = {
        {graph, node}, attrs, query->extent[0], state->extent[2], state->extent[3]};
    int64_t length = query->extent[1];
    const struct shape none = {.rank = 3, .extent = {0, 0, attrs->query_heads * a.values}};
    struct value **out = arena_array_of(graph->context->arena, struct value *, length);
    struct value *now = unroll_spread(&a.u, node->in[STATE].value, state);

    for (int64_t at = 0; at < length && now; at++) {
        now = next_state(&a, now, at);
        out[at] = output_of(&a, now, at);
    }
    results[0] = length > 0 ? unroll_first(&a.u, OP_SPEC(concat, .axis = 1), out, (int)length)
                            : unroll_reshape(&a.u, node->in[QUERY].value, &none);
    results[1] = now;
    return results[0] && now;
}

DESCRIPTOR(linear_attention, 0, .kind = "attention", .infer = attention_infer,
           .eval = attention_eval, .unroll = attention_unroll);
