/* sweep.c - running a window over the rows of a result */
#include "op/sweep.h"

#include "base/num.h"

#include <assert.h>

static const struct window_dim *last_dim(const struct window *window)
{
    return &window->dim[window->rank - 1];
}

int64_t sweep_rows(const struct window *window)
{
    int64_t rows = 1;

    for (int i = 0; i < window->rank - 1; i++)
        rows *= window->dim[i].out;
    return rows;
}

/* Where the inputs begin that the present taps read. */
static void locate(struct sweep *sweep)
{
    int64_t in = 0;

    for (int i = 0; i < sweep->window->rank - 1; i++) {
        int64_t at = window_input(sweep->window, i, sweep->at[i], sweep->tap[i]);
        if (at == OUTSIDE) {
            sweep->in = OUTSIDE;
            return;
        }
        in += at * sweep->window->dim[i].pitch;
    }
    sweep->in = in;
}

void sweep_begin(struct sweep *sweep, const struct window *window, int64_t row)
{
    assert(window->rank >= 1 && row >= 0);
    *sweep = (struct sweep){.window = window};
    for (int i = window->rank - 2; i >= 0; i--) {
        sweep->at[i] = row % window->dim[i].out;
        row /= window->dim[i].out;
    }
    locate(sweep);
}

bool sweep_next(struct sweep *sweep)
{
    int i = sweep->window->rank - 2;

    while (i >= 0 && ++sweep->tap[i] == sweep->window->dim[i].size)
        sweep->tap[i--] = 0;
    if (i < 0)
        return false;
    sweep->number++;
    locate(sweep);
    return true;
}

/* --- blocks of a row -------------------------------------------------------------------- */

static int64_t divide_down(int64_t a, int64_t b)
{
    assert(b > 0);
    return a / b - (a % b < 0);
}

void block_begin(struct block *block, const struct window *window, int64_t begin, double sum)
{
    assert(begin >= 0);
    block->window = window;
    block->begin = begin;
    block->end = num_min(begin + BLOCK_SIZE, last_dim(window)->out);
    for (int64_t i = 0; i < block->end - begin; i++)
        block->sum[i] = sum;
}

struct span_taps block_span(const struct block *block, int64_t tap)
{
    const struct window_dim *dim = last_dim(block->window);
    int64_t shift = tap * dim->dilation - dim->before, begin, end;
    struct span_taps span = {.tap = tap, .begin = block->end, .end = block->end};

    assert(tap >= 0 && tap < dim->size);
    if (block->window->reverse) {
        /* Input i is read by output i * stride + shift. */
        begin = num_max(0, num_divide_up(block->begin - shift, dim->stride));
        end = num_min(dim->in - 1, divide_down(block->end - 1 - shift, dim->stride)) + 1;
        if (begin >= end)
            return span;
        span.begin = begin * dim->stride + shift;
        span.end = (end - 1) * dim->stride + shift + 1;
        span.step = dim->stride;
        span.in = begin;
        span.in_step = 1;
    } else {
        /* Output o reads input o * stride + shift. */
        begin = num_max(block->begin, num_divide_up(-shift, dim->stride));
        end = num_min(block->end, divide_down(dim->in - 1 - shift, dim->stride) + 1);
        if (begin >= end)
            return span;
        span.begin = begin;
        span.end = end;
        span.step = 1;
        span.in = begin * dim->stride + shift;
        span.in_step = dim->stride;
    }
    span.count = end - begin;
    return span;
}

void block_add(struct block *block, const struct span_taps *span, const float *row, double weight)
{
    const struct window *window = block->window;
    double *sum = block->sum + (span->begin - block->begin);
    const float *from = row + span->in;

    assert(span->count <= BLOCK_SIZE);
    if (span->step == 1 && span->in_step == 1) {
#pragma omp simd
        for (int64_t n = 0; n < span->count; n++)
            sum[n] += weight * (double)from[n];
    } else {
        for (int64_t n = 0; n < span->count; n++)
            sum[n * span->step] += weight * (double)from[n * span->in_step];
    }
    if (window->border == BORDER_CONSTANT || window->border == BORDER_IGNORE)
        return;

    /* Outputs beside the span read what the border puts there. */
    for (int64_t o = block->begin; o < block->end; o++) {
        if (o == span->begin)
            o = span->end;
        if (o == block->end)
            return;
        int64_t in = window_input(window, window->rank - 1, o, span->tap);
        if (in != OUTSIDE)
            block->sum[o - block->begin] += weight * (double)row[in];
    }
}

void block_add_squares(struct block *block, const struct span_taps *span, const float *row)
{
    for (int64_t o = block->begin; o < block->end; o++) {
        int64_t in = window_input(block->window, block->window->rank - 1, o, span->tap);
        if (in != OUTSIDE)
            block->sum[o - block->begin] += (double)row[in] * (double)row[in];
    }
}
