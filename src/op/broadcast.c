/*
 * broadcast.c - what elementwise operations share (NNEF 1.0.5, section 4.2)
 *
 * Kernels work on runs of items converted to double and round once, when a run is stored.
 */
#include "op/broadcast.h"

#include "diag/context.h"
#include "op/check.h"
#include "op/compute.h"
#include "op/op_build.h"
#include "tensor/shape.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* --- shape rules ------------------------------------------------------------------------ */

bool infer_same(struct infer *infer)
{
    infer->out[0] = *infer_in(infer, 0);
    return true;
}

struct shape shape_with_rank(const struct shape *shape, int rank)
{
    struct shape result = *shape;

    assert(rank >= 0 && rank <= MAX_RANK);
    while (result.rank > rank && result.extent[result.rank - 1] == 1)
        result.rank--;
    while (result.rank < rank)
        result.extent[result.rank++] = 1;
    return result;
}

bool infer_equal(const struct infer *infer, const struct shape *a, const struct shape *b)
{
    struct shape trimmed_a = shape_with_rank(a, 0), trimmed_b = shape_with_rank(b, 0);

    if (!infer->graph->provisional)
        return shape_compatible(a, b);
    return shape_compatible(&trimmed_a, &trimmed_b);
}

/* Whether `shape` fits `to` if its dimensions are moved behind some of extent 1. */
static bool find_alignment(const struct shape *shape, const struct shape *to, struct shape *moved)
{
    for (int shift = 1; shift + shape->rank <= to->rank; shift++) {
        *moved = (struct shape){.rank = shift + shape->rank};
        for (int i = 0; i < moved->rank; i++)
            moved->extent[i] = i < shift ? 1 : shape->extent[i - shift];
        if (broadcasts_to(moved, to))
            return true;
    }
    return false;
}

static void suggest_alignment(const struct infer *infer, const struct shape *shape,
                              const struct shape *to)
{
    struct shape moved;

    if (find_alignment(shape, to, &moved))
        diag_help(infer->graph->context->diag,
                  "shapes are aligned at dimension 0, not at the last one: give it the shape %s.",
                  SHAPE_TEXT(&moved));
}

bool infer_broadcast(struct infer *infer)
{
    const struct op_operand *in = infer->call->in;
    bool standard = infer->call->site && infer->call->site->standard;
    struct shape result = *infer_in(infer, 0), moved;
    int axis = 0, main = 0; /* main: the first operand of the highest rank */

    for (int i = 1; i < infer->nin; i++) {
        const struct shape *with = infer_in(infer, i);
        const struct shape before = result;
        if (with->rank > infer_in(infer, main)->rank)
            main = i;
        if (broadcast(BROADCAST_NNEF, &result, with, &axis))
            continue;
        infer_error(infer, in[i].param, DIAG_BROADCAST,
                    "'%s' of '%s' has shape %s, which does not broadcast with %s: "
                    "extents %" PRId64 " and %" PRId64 " at dimension %d, expected equal ones or 1",
                    in[i].param, infer_name(infer), SHAPE_TEXT(with), SHAPE_TEXT(&before),
                    shape_extent(with, axis), shape_extent(&before, axis), axis);
        suggest_alignment(infer, with, &before);
        return false;
    }
    infer->out[0] = result;

    /* An operand of lower rank may repeat what has one batch only, but most of those who write that
     * mean the channels.  What the library's own fragments do is not reported. */
    const struct shape *whole = infer_in(infer, main);
    for (int i = 0; i < infer->nin && !standard; i++) {
        const struct shape *shape = infer_in(infer, i);
        if (shape->rank == 0 || shape->rank >= whole->rank || whole->extent[0] != 1 ||
            shape->extent[0] <= 1)
            continue;
        infer_warning(infer, in[i].param, WARNING_LEADING_BROADCAST,
                      "'%s' of shape %s is aligned with the batch of '%s' of shape %s, which makes "
                      "the result larger than both",
                      in[i].param, SHAPE_TEXT(shape), in[main].param, SHAPE_TEXT(whole));
        if (find_alignment(shape, whole, &moved))
            diag_help(infer->graph->context->diag, "for channels write the shape %s.",
                      SHAPE_TEXT(&moved));
        return true;
    }
    return true;
}

bool infer_broadcasts_to(const struct infer *infer, int index, const struct shape *to)
{
    const struct op_operand *operand = &infer->call->in[index];
    const struct shape *shape = infer_in(infer, index);
    struct shape trimmed = infer->graph->provisional ? shape_with_rank(shape, 0) : *shape;

    assert(index >= 0 && index < infer->nin);
    if (broadcasts_to(&trimmed, to))
        return true;
    infer_error(infer, operand->param, DIAG_BROADCAST,
                "'%s' of '%s' has shape %s, expected one that broadcasts to %s", operand->param,
                infer_name(infer), SHAPE_TEXT(shape), SHAPE_TEXT(to));
    suggest_alignment(infer, shape, to);
    return false;
}

bool infer_parameters(struct infer *infer)
{
    bool ok = true;

    infer->out[0] = *infer_in(infer, 0);
    for (int i = 1; i < infer->nin; i++)
        ok &= infer_broadcasts_to(infer, i, &infer->out[0]);
    return ok;
}

/* --- walking ---------------------------------------------------------------------------- */

void walk_init(struct walk *walk, const struct shape *result, const struct tensor *const *operand,
               int noperand)
{
    assert(noperand >= 1 && noperand <= WALK_OPERANDS && result->rank <= MAX_RANK);
    *walk = (struct walk){.noperand = noperand};
    for (int k = 0; k < noperand; k++)
        shape_broadcast_strides(&operand[k]->shape, result, walk->stride[k]);

    /* Drop dimensions of extent 1 and merge those that go on where the one before ends, for every
     * operand, so that the last dimension is long. */
    for (int axis = 0; axis < result->rank; axis++) {
        int64_t extent = result->extent[axis];
        bool continues = walk->rank > 0;
        if (extent == 1)
            continue;
        for (int k = 0; k < noperand && continues; k++)
            continues = walk->stride[k][walk->rank - 1] == walk->stride[k][axis] * extent;
        if (continues)
            walk->extent[walk->rank - 1] *= extent;
        else
            walk->extent[walk->rank++] = extent;
        for (int k = 0; k < noperand; k++)
            walk->stride[k][walk->rank - 1] = walk->stride[k][axis];
    }
    if (walk->rank == 0)
        walk->extent[walk->rank++] = 1;

    walk->pieces = (walk->extent[walk->rank - 1] + RUN_ITEMS - 1) / RUN_ITEMS;
    walk->runs = walk->pieces;
    for (int i = 0; i < walk->rank - 1; i++)
        walk->runs *= walk->extent[i];
}

struct walkers {
    const struct walk *walk;
    walk_each *each;
    const void *data;
};

/* Runs are numbered piece by piece within a row, row by row in row-major order. */
static void do_run(const void *data, int64_t index)
{
    const struct walkers *w = data;
    const struct walk *walk = w->walk;
    int last = walk->rank - 1;
    int64_t row = index / walk->pieces, begin = index % walk->pieces * RUN_ITEMS;
    int64_t left = walk->extent[last] - begin;
    struct item_run run = {.first = row * walk->extent[last] + begin,
                           .count = left < RUN_ITEMS ? left : RUN_ITEMS};

    assert(index >= 0 && index < walk->runs);
    for (int k = 0; k < walk->noperand; k++) {
        run.step[k] = walk->stride[k][last];
        run.at[k] = begin * run.step[k];
    }
    for (int i = last - 1; i >= 0; row /= walk->extent[i--])
        for (int k = 0; k < walk->noperand; k++)
            run.at[k] += row % walk->extent[i] * walk->stride[k][i];
    w->each(w->data, &run);
}

void walk_share(const struct eval *eval, const struct walk *walk, walk_each *each, const void *data)
{
    const struct walkers walkers = {walk, each, data};
    int64_t last = walk->extent[walk->rank - 1], count = last < RUN_ITEMS ? last : RUN_ITEMS;

    eval_share_part(eval, walk->runs, count * (walk->noperand + 1), do_run, &walkers);
}

/* --- kernels ---------------------------------------------------------------------------- */

bool eval_copy(const struct eval *eval)
{
    const struct tensor *from = eval->in[eval->node->nin - 1];
    size_t size = tensor_bytes(from);

    for (uint32_t i = 0; size > 0 && i < eval->node->nout; i++) {
        assert(tensor_bytes(eval->out[i]) == size);
        memcpy(eval->out[i]->data, from->data, size);
    }
    return true;
}

struct elementwise {
    const struct eval *eval;
    int noperand;
    void (*apply)(struct items *items);
};

/* Scalars have loops of their own, which compilers vectorize. */
static void apply_to_run(const void *data, const struct item_run *run)
{
    const struct elementwise *e = data;
    const struct tensor *to = e->eval->out[0];
    struct items items;

    assert(run->count <= RUN_ITEMS);
    items.eval = e->eval;
    items.count = run->count;
    for (int k = 0; k < e->noperand; k++) {
        const struct tensor *from = e->eval->in[k];
        int64_t at = run->at[k], step = run->step[k];
        const float *item = from->data;
        if (from->dtype == DTYPE_SCALAR)
            for (int64_t i = 0; i < run->count; i++)
                items.in[k][i] = (double)item[at + i * step];
        else
            for (int64_t i = 0; i < run->count; i++)
                items.in[k][i] = tensor_item(from, at + i * step);
    }
    e->apply(&items);
    if (to->dtype == DTYPE_SCALAR) {
        float *item = (float *)to->data + run->first;
        for (int64_t i = 0; i < run->count; i++)
            item[i] = (float)items.out[i];
    } else {
        unsigned char *item = (unsigned char *)to->data + run->first;
        assert(to->dtype == DTYPE_LOGICAL);
        for (int64_t i = 0; i < run->count; i++)
            item[i] = items.out[i] != 0;
    }
}

bool eval_elementwise(const struct eval *eval, int noperand, void (*apply)(struct items *items))
{
    const struct elementwise e = {eval, noperand, apply};
    struct walk walk;

    assert(noperand >= 1 && noperand <= WALK_OPERANDS && eval->node->nout == 1);
    walk_init(&walk, &eval->out[0]->shape, eval->in, noperand);
    walk_share(eval, &walk, apply_to_run, &e);
    return true;
}

/* By the function of an item that the descriptor has. */
static void apply_function(struct items *items)
{
    const struct op_desc *op = items->eval->node->op;

    if (op->unary)
        for (int64_t i = 0; i < items->count; i++)
            items->out[i] = op->unary(items->in[0][i]);
    else
        for (int64_t i = 0; i < items->count; i++)
            items->out[i] = op->binary(items->in[0][i], items->in[1][i]);
}

bool eval_items(const struct eval *eval)
{
    const struct op_desc *op = eval->node->op;

    return eval_elementwise(eval, (int)eval->node->nin, op->apply ? op->apply : apply_function);
}
