/*
 * desample.c - the reverse of sample (section 4.3.3)
 *
 * output[o] = sum of input[i], i = (o + before - k * dilation) / stride, over all taps k for
 * which the division is exact and index[i] = k, k counted in row-major order over the window.
 * It undoes argmax_pool: a value goes where its maximum was, and several in one place add up.
 */
#include "op/check.h"
#include "op/compute.h"
#include "op/sweep.h"

#include <assert.h>

/* With indices into the window a border can contribute nothing. */
static bool desample_infer(struct infer *infer)
{
    const struct shape *input = infer_in(infer, 0), *index = infer_in(infer, 1);
    struct window_source source;

    if (!shape_equal(index, input))
        return infer_error(infer, "index", DIAG_SHAPE_MISMATCH,
                           "index of 'desample' has shape %s, expected shape %s of the input",
                           SHAPE_TEXT(index), SHAPE_TEXT(input));
    return window_source_full(infer, true, &source) && window_infer(infer, &source, &infer->out[0]);
}

/* What the taps of the last dimension that name output `o` bring it. */
static double sum_item(const struct eval *eval, const struct sweep *at, int64_t o)
{
    const struct window *window = at->window;
    const float *input = eval->in[0]->data;
    const int64_t *index = eval->in[1]->data;
    int last = window->rank - 1;
    int64_t taps = window->dim[last].size;
    double sum = 0;

    for (int64_t tap = 0; tap < taps; tap++) {
        int64_t in = window_input(window, last, o, tap);
        if (in != OUTSIDE && index[at->in + in] == at->number * taps + tap)
            sum += (double)input[at->in + in];
    }
    return sum;
}

struct desampling {
    const struct eval *eval;
    struct window window;
};

static void desample_row(const void *data, int64_t row)
{
    const struct desampling *d = data;
    int64_t size = d->window.dim[d->window.rank - 1].out;
    float *output = (float *)d->eval->out[0]->data + row * size;
    struct block block;
    struct sweep sweep;

    assert(row >= 0);
    for (int64_t begin = 0; begin < size; begin = block.end) {
        block_begin(&block, &d->window, begin, 0);
        sweep_begin(&sweep, &d->window, row);
        do
            for (int64_t o = begin; sweep.in != OUTSIDE && o < block.end; o++)
                block.sum[o - begin] += sum_item(d->eval, &sweep, o);
        while (sweep_next(&sweep));
        for (int64_t o = begin; o < block.end; o++)
            output[o] = (float)block.sum[o - begin];
    }
}

static bool desample_eval(const struct eval *eval)
{
    const struct desampling d = {eval, window_of_eval(eval, true)};

    if (!window_check_indices(eval, &d.window, eval->in[1]))
        return false;
    eval_share(eval, sweep_rows(&d.window), desample_row, &d);
    return true;
}

DESCRIPTOR(desample, 0, .infer = desample_infer, .eval = desample_eval);
