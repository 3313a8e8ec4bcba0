/*
 * pool.c - maxima of a sliding window and where they are (sections 4.3.3 and 4.9.3)
 *
 * argmax_pool: index[o] = the first k, in row-major order over the window, with the largest
 *              input[o * stride + k * dilation - before], or the first NaN if there is one (E27)
 * sample:      output[o] = input[o * stride + index[o] * dilation - before]
 * max_pool_with_index makes both at once, max_pool the second.  The zeros of border 'constant'
 * compete with the data (E17); taps outside the input do not with 'ignore'.
 */

#include "op/check.h"
#include "op/compute.h"
#include "op/op_build.h"
#include "op/sweep.h"

#include <assert.h>
#include <math.h>

/* --- shapes ----------------------------------------------------------------------------- */

/* Of argmax_pool, max_pool and max_pool_with_index, whose results are all of one shape. */
static bool pool_infer(struct infer *infer)
{
    struct window_source source;
    struct shape *out = infer->out;
    bool padded = false;

    if (!window_source_full(infer, false, &source) || !window_infer(infer, &source, out) ||
        !window_check_taps(infer, &source, out))
        return false;
    if (infer->nout > 1)
        out[1] = out[0];
    if (infer->call->op->id == OP_argmax_pool || source.attrs->border != BORDER_CONSTANT ||
        !shape_known(source.input) || !shape_known(out))
        return true;
    const struct window window = window_of(&source, out);
    for (int i = 0; i < window.rank; i++)
        padded |= window.dim[i].before > 0 || window.dim[i].after > 0;
    if (padded)
        infer_warning(infer, "border", WARNING_MAX_POOL_BORDER,
                      "the zeros that border 'constant' pads with compete with the data of '%s', "
                      "'ignore' leaves them out",
                      infer_name(infer));
    return true;
}

static bool sample_infer(struct infer *infer)
{
    const struct window_attrs *attrs = infer->attrs;
    const struct call_site *site = infer->call->site;
    const struct shape *index = infer_in(infer, 1), *out = &infer->out[0];
    struct window_source source;

    /* Of the library's bodies that of max_pool_with_index alone invokes 'sample'.  Its indices
     * never point outside, so that 'ignore' has a meaning there (E16). */
    if (attrs->border == BORDER_IGNORE && !(site && site->standard))
        return infer_error(infer, "border", DIAG_ENUM_VALUE,
                           "border of 'sample' is 'ignore', expected a border that has values");
    if (!window_source_full(infer, false, &source) || !window_infer(infer, &source, &infer->out[0]))
        return false;
    return shape_equal(index, out) ||
           infer_error(infer, "index", DIAG_SHAPE_MISMATCH,
                       "index of '%s' has shape %s, expected shape %s of the result",
                       infer_name(infer), SHAPE_TEXT(index), SHAPE_TEXT(out));
}

/* --- maxima ----------------------------------------------------------------------------- */

struct pool_windows {
    struct window window;
    const float *input;
    float *output;  /* NULL if not wanted */
    int64_t *index; /* NULL if not wanted; what sample reads */
};

struct best {
    float value[BLOCK_SIZE];
    int64_t index[BLOCK_SIZE]; /* OUTSIDE before the first */
};

static void offer(struct best *best, int64_t n, float value, int64_t index)
{
    if (best->index[n] != OUTSIDE && (value <= best->value[n] || isnan(best->value[n])))
        return;
    best->value[n] = value;
    best->index[n] = index;
}

/* Let the taps of the last dimension compete. */
static void compete(const struct pool_windows *pool, const struct sweep *sweep, int64_t begin,
                    int64_t end, struct best *best)
{
    const struct window *window = &pool->window;
    int last = window->rank - 1;
    int64_t taps = window->dim[last].size, first = sweep->number * taps;

    for (int64_t tap = 0; tap < taps; tap++)
        for (int64_t o = begin; o < end; o++) {
            bool row = sweep->in != OUTSIDE;
            int64_t in = row ? window_input(window, last, o, tap) : OUTSIDE;
            if (in != OUTSIDE)
                offer(best, o - begin, pool->input[sweep->in + in], first + tap);
            else if (window->border != BORDER_IGNORE)
                offer(best, o - begin, 0, first + tap);
        }
}

/* A row block by block, so that what is held of it fits the stack. */
static void pool_row(const void *data, int64_t row)
{
    const struct pool_windows *pool = data;
    int64_t size = pool->window.dim[pool->window.rank - 1].out, end;
    struct sweep sweep;

    assert(row >= 0 && (pool->output || pool->index));
    for (int64_t begin = 0; begin < size; begin = end) {
        struct best best = {{0}, {0}};
        end = begin + BLOCK_SIZE < size ? begin + BLOCK_SIZE : size;
        for (int64_t n = 0; n < end - begin; n++)
            best.index[n] = OUTSIDE;
        sweep_begin(&sweep, &pool->window, row);
        do
            compete(pool, &sweep, begin, end, &best);
        while (sweep_next(&sweep));
        for (int64_t n = 0; n < end - begin; n++) {
            if (pool->output)
                pool->output[row * size + begin + n] = best.value[n];
            if (pool->index)
                pool->index[row * size + begin + n] = best.index[n];
        }
    }
}

static struct pool_windows pool_of(const struct eval *eval)
{
    return (struct pool_windows){.window = window_of_eval(eval, false), .input = eval->in[0]->data};
}

/* Of argmax_pool, max_pool and max_pool_with_index. */
static bool pool_eval(const struct eval *eval)
{
    struct pool_windows pool = pool_of(eval);

    assert(eval->in[0]->dtype == DTYPE_SCALAR);
    if (eval->node->op->id == OP_argmax_pool)
        pool.index = eval->out[0]->data;
    else
        pool.output = eval->out[0]->data;
    if (eval->node->nout > 1)
        pool.index = eval->out[1]->data;
    eval_share(eval, sweep_rows(&pool.window), pool_row, &pool);
    return true;
}

/* --- sample ----------------------------------------------------------------------------- */

static void sample_item(const void *data, int64_t o)
{
    const struct pool_windows *pool = data;
    const struct window *window = &pool->window;
    int64_t offset = 0, rest = o, index = pool->index[o]; /* a tap, row-major over the window */

    assert(o >= 0 && index >= 0);
    for (int i = window->rank - 1; i >= 0 && offset != OUTSIDE; i--) {
        const struct window_dim *dim = &window->dim[i];
        int64_t in = window_input(window, i, rest % dim->out, index % dim->size);
        offset = in == OUTSIDE ? OUTSIDE : offset + in * dim->pitch;
        rest /= dim->out;
        index /= dim->size;
    }
    pool->output[o] = offset == OUTSIDE ? 0 : pool->input[offset];
}

static bool sample_eval(const struct eval *eval)
{
    struct pool_windows pool = pool_of(eval);

    pool.index = eval->in[1]->data;
    pool.output = eval->out[0]->data;
    if (!window_check_indices(eval, &pool.window, eval->in[1]))
        return false;
    eval_share(eval, shape_volume(&eval->out[0]->shape), sample_item, &pool);
    return true;
}

/* --- descriptors ------------------------------------------------------------------------ */

DESCRIPTOR(argmax_pool, OP_PARTIAL, .infer = pool_infer, .eval = pool_eval);
DESCRIPTOR(max_pool_with_index, OP_PARTIAL, .kind = "pool", .infer = pool_infer, .eval = pool_eval);
DESCRIPTOR(max_pool, OP_PARTIAL, .kind = "pool", .infer = pool_infer, .eval = pool_eval);

DESCRIPTOR(sample, 0, .infer = sample_infer, .eval = sample_eval);
