/*
 * box.c - sums over a sliding window (sections 4.3.2 and 4.9.3)
 *
 * box:   output[o] = sum over k of input[o * stride + k * dilation - before]
 * debox: output[o] = sum over k of input[(o + before - k * dilation) / stride], exact ones only
 * in all dimensions at once.  'normalize' divides by the volume of the window; with border
 * 'ignore' by the number of its taps that hit the input (E15).  avg_pool is a normalized box,
 * rms_pool the root of one over squares.
 */
#include "op/window.h"

#include "op/compute.h"
#include "op/op_build.h"
#include "op/sweep.h"

#include <assert.h>
#include <math.h>

/* --- shapes ----------------------------------------------------------------------------- */

/* Of all four.  A mean is taken over taps that are there; a window of a debox may have none. */
static bool box_infer(struct infer *infer)
{
    const struct window_attrs *attrs = infer->attrs;
    unsigned op = infer->call->op->id;
    bool reverse = op == OP_debox, is_pool = op == OP_avg_pool || op == OP_rms_pool;
    struct window_source source;

    return window_source_full(infer, reverse, &source) &&
           window_infer(infer, &source, &infer->out[0]) &&
           (!(is_pool || attrs->normalize) || window_check_taps(infer, &source, &infer->out[0]));
}

/* --- kernel ----------------------------------------------------------------------------- */

/* Sum a block; returns how many combinations of the outer taps hit the input. */
static int64_t sum_block(const struct box *box, const float *input, int64_t row,
                         struct block *block)
{
    int64_t taps = box->window.dim[box->window.rank - 1].size, hits = 0;
    struct sweep sweep;

    sweep_begin(&sweep, &box->window, row);
    do {
        if (sweep.in == OUTSIDE)
            continue;
        hits++;
        for (int64_t tap = 0; tap < taps; tap++) {
            struct span_taps span = block_span(block, tap);
            if (box->rms)
                block_add_squares(block, &span, input + sweep.in);
            else
                block_add(block, &span, input + sweep.in, 1);
        }
    } while (sweep_next(&sweep));
    return hits;
}

struct boxes {
    const struct box *box;
    const float *input;
    float *output;
};

static void box_row(const void *data, int64_t row)
{
    const struct boxes *boxes = data;
    const struct box *box = boxes->box;
    int last = box->window.rank - 1;
    int64_t size = box->window.dim[last].out;
    float *output = boxes->output + row * size;
    double volume = window_volume(&box->window);
    struct block block;

    assert(row >= 0);
    for (int64_t begin = 0; begin < size; begin = block.end) {
        block_begin(&block, &box->window, begin, 0);
        int64_t hits = sum_block(box, boxes->input, row, &block);
        for (int64_t o = begin; o < block.end; o++) {
            double sum = block.sum[o - begin];
            if (box->normalize && box->window.border == BORDER_IGNORE)
                volume = (double)(hits * window_hits(&box->window, last, o));
            if (box->normalize && volume > 0)
                sum /= volume;
            output[o] = (float)(box->rms ? sqrt(sum) : sum);
        }
    }
}

bool box_run(const struct eval *eval, const struct box *box)
{
    const struct boxes boxes = {box, eval->in[0]->data, eval->out[0]->data};

    assert(box->window.rank >= 1 && eval->in[0]->dtype == DTYPE_SCALAR);
    eval_share(eval, sweep_rows(&box->window), box_row, &boxes);
    return true;
}

/* Of all four. */
static bool box_eval(const struct eval *eval)
{
    const struct window_attrs *attrs = eval->attrs;
    unsigned op = eval->node->op->id;
    const struct box box = {
        .window = window_of_eval(eval, op == OP_debox),
        .normalize = op == OP_avg_pool || op == OP_rms_pool || attrs->normalize,
        .rms = op == OP_rms_pool,
    };

    return box_run(eval, &box);
}

/* --- descriptors ------------------------------------------------------------------------ */

DESCRIPTOR(box, OP_PARTIAL, .kind = "pool", .infer = box_infer, .eval = box_eval);
DESCRIPTOR(debox, OP_PARTIAL, .infer = box_infer, .eval = box_eval);
DESCRIPTOR(avg_pool, OP_PARTIAL, .kind = "pool", .infer = box_infer, .eval = box_eval);
DESCRIPTOR(rms_pool, OP_PARTIAL, .kind = "pool", .infer = box_infer, .eval = box_eval);
