/*
 * attention.c - scaled dot products, with or without a mask (nnefc-ext.nnef)
 *
 *     output = softmax(scale * query * key' + mask) * value
 *
 * The last two dimensions are matrices, whose rows are queries and keys; those before them
 * broadcast as with matmul.
 */
#include "op/broadcast.h"
#include "op/check.h"
#include "op/compute.h"
#include "op/op_build.h"

#include "tensor/shape.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { QUERY, KEY, VALUE, MASK };

/* --- shape rule ---------------------------------------------------------------------------- */

static bool check_ranks(const struct infer *infer)
{
    const struct attention_attrs *attrs = infer->attrs;
    int rank = infer_in(infer, QUERY)->rank;

    if (!check_rank(infer, QUERY, 2, true) || !check_rank(infer, KEY, rank, false) ||
        !check_rank(infer, VALUE, rank, false))
        return false;
    return attrs->axis == rank - 1 ||
           infer_error(infer, "axis", DIAG_AXIS,
                       "axis of '%s' is %" PRId64 ", expected %d, the last one of rank %d",
                       infer_name(infer), attrs->axis, rank - 1, rank);
}

static bool check_extents(const struct infer *infer, int a, int b, int axis)
{
    const struct op_operand *in = infer->call->in;
    int64_t left = infer_in(infer, a)->extent[axis], right = infer_in(infer, b)->extent[axis];

    return !extents_differ(left, right) ||
           infer_error(infer, in[b].param, DIAG_SHAPE_MISMATCH,
                       "'%s' of '%s' has shape %s, expected extent %" PRId64
                       " at dimension %d, as '%s' has",
                       in[b].param, infer_name(infer), SHAPE_TEXT(infer_in(infer, b)), left, axis,
                       in[a].param);
}

static bool attention_infer(struct infer *infer)
{
    const struct shape *query = infer_in(infer, QUERY), *value = infer_in(infer, VALUE);
    struct shape *out = &infer->out[0];
    int axis = 0;

    assert(infer->nin == 3 || infer->nin == 4);
    if (!check_ranks(infer))
        return false;
    int rank = query->rank;
    if (!check_extents(infer, QUERY, KEY, rank - 1) || !check_extents(infer, KEY, VALUE, rank - 2))
        return false;

    /* The dimensions before the matrices broadcast. */
    *out = *query;
    out->rank = rank - 2;
    for (int i = KEY; i <= VALUE; i++) {
        struct shape with = *infer_in(infer, i);
        with.rank = rank - 2;
        if (!broadcast(BROADCAST_NNEF, out, &with, &axis))
            return infer_error(infer, infer->call->in[i].param, DIAG_BROADCAST,
                               "batch dimensions %s of '%s' of '%s' do not broadcast with %s",
                               SHAPE_TEXT(&with), infer->call->in[i].param, infer_name(infer),
                               SHAPE_TEXT(out));
    }

    /* A weight for each query and key. */
    struct shape weights = *out;
    weights.rank = out->rank = rank;
    weights.extent[rank - 1] = infer_in(infer, KEY)->extent[rank - 2];
    out->extent[rank - 1] = value->extent[rank - 1];
    infer_reads(infer, &weights, query->extent[rank - 1] + value->extent[rank - 1]);
    return infer->nin <= MASK || infer_broadcasts_to(infer, MASK, &weights);
}

/* --- kernel ------------------------------------------------------------------------------ */

struct attention {
    const struct eval *eval;
    struct shape rows;         /* of queries: a row of weights each */
    int64_t size, keys, width; /* items of a query, keys, items of a result */
    /* Of each operand, for each of the rows; the last two are those of a matrix. */
    int64_t stride[MASK + 1][MAX_RANK];
    int64_t blocks;
    double *weights; /* of each block, for one row */
};

/* What an operand has for a row of weights: all rows of key and value, one of the others. */
static const float *part(const struct attention *a, int index, int64_t row)
{
    struct shape over = a->rows;

    if (index == KEY || index == VALUE)
        row /= over.extent[--over.rank];
    return (const float *)a->eval->in[index]->data + shape_offset(&over, a->stride[index], row);
}

/* The weights of a row: softmax(scale * query * key' + mask). */
static void weigh(const struct attention *a, int64_t row, double *weight)
{
    const struct attention_attrs *attrs = a->eval->attrs;
    const float *query = part(a, QUERY, row), *key = part(a, KEY, row), *mask = NULL;
    int last = a->rows.rank;
    const int64_t *stride = a->stride[KEY];
    double most = -HUGE_VAL, all = 0;

    if (a->eval->node->nin > MASK)
        mask = part(a, MASK, row);
    for (int64_t k = 0; k < a->keys; k++) {
        double sum = 0;
        for (int64_t i = 0; i < a->size; i++)
            sum += (double)query[i * a->stride[QUERY][last]] *
                   (double)key[k * stride[last - 1] + i * stride[last]];
        weight[k] = attrs->scale * sum + (mask ? (double)mask[k * a->stride[MASK][last]] : 0);
    }

    /* The greatest is taken off first, so that no exponential overflows. */
    for (int64_t k = 0; k < a->keys; k++)
        most = most > weight[k] ? most : weight[k];
    for (int64_t k = 0; k < a->keys; k++)
        all += weight[k] = exp(weight[k] - most);
    for (int64_t k = 0; k < a->keys; k++)
        weight[k] /= all;
}

/* A block is every so many rows; its weights have a room of their own. */
enum { BLOCKS = 64 };

static void attend(const void *data, int64_t block)
{
    const struct attention *a = data;
    const int64_t *stride = a->stride[VALUE];
    int last = a->rows.rank;
    double *weight = a->weights + block * (a->keys + 1);

    assert(block >= 0 && block < a->blocks);
    for (int64_t row = block; row < shape_volume(&a->rows); row += a->blocks) {
        const float *value = part(a, VALUE, row);
        float *out = (float *)a->eval->out[0]->data + row * a->width;
        weigh(a, row, weight);
        for (int64_t i = 0; i < a->width; i++) {
            double sum = 0;
            for (int64_t k = 0; k < a->keys; k++)
                sum += weight[k] * (double)value[k * stride[last - 1] + i * stride[last]];
            out[i] = (float)sum;
        }
    }
}

static bool attention_eval(const struct eval *eval)
{
    const struct shape *out = &eval->out[0]->shape;
    int rank = out->rank;
    struct attention a = {.eval = eval,
                          .rows = *out,
                          .size = eval->in[QUERY]->shape.extent[rank - 1],
                          .keys = eval->in[KEY]->shape.extent[rank - 2],
                          .width = out->extent[rank - 1]};

    a.rows.rank = rank - 1;
    for (int i = 0; i < (int)eval->node->nin; i++) {
        struct shape whole = *out;
        whole.extent[rank - 2] = i == QUERY || i == MASK ? out->extent[rank - 2] : a.keys;
        whole.extent[rank - 1] = i == MASK ? a.keys : i == VALUE ? a.width : a.size;
        shape_broadcast_strides(&eval->in[i]->shape, &whole, a.stride[i]);
    }
    int64_t rows = shape_volume(&a.rows);
    if (rows == 0 || a.width == 0)
        return true;
    a.blocks = rows < BLOCKS ? rows : BLOCKS;
    a.weights = calloc((size_t)a.blocks, ((size_t)a.keys + 1) * sizeof *a.weights);
    if (!a.weights)
        return eval_no_memory(eval);
    eval_share(eval, a.blocks, attend, &a);
    free(a.weights);
    return true;
}

#define ATTENTION(name)                                                          \
    DESCRIPTOR(name, OP_PRODUCTS, .kind = "attention", .infer = attention_infer, \
               .eval = attention_eval)

ATTENTION(attention);
ATTENTION(masked_attention);
