/*
 * pool.c - maxima of a sliding window and where they are (sections 4.3.3 and 4.9.3)
 *
 * argmax_pool: index[o] = the first k, in row-major order over the window, with the largest
 *              input[o * stride + k * dilation - before]
 * sample:      output[o] = input[o * stride + index[o] * dilation - before]
 * max_pool_with_index makes both at once, max_pool the second.  The zeros of border 'constant'
 * compete with the data (E17); taps outside the input do not with 'ignore'.
 */

#include "op/check.h"
#include "op/compute.h"
#include "op/op_build.h"
#include "op/sweep.h"

#include <assert.h>

/* --- shapes ----------------------------------------------------------------------------- */

static bool infer_pool(const struct infer *infer, struct window_source *source, struct shape *out)
{
    return window_source_full(infer, false, source) && window_infer(infer, source, out) &&
           window_check_taps(infer, source, out);
}

static bool argmax_pool_infer(struct infer *infer)
{
    struct window_source source;

    return infer_pool(infer, &source, &infer->out[0]);
}

static bool is_padded(const struct window_source *source, const struct shape *out)
{
    struct window window;

    if (!shape_known(source->input) || !shape_known(out))
        return false;
    window = window_of(source, out);
    for (int i = 0; i < window.rank; i++)
        if (window.dim[i].before > 0 || window.dim[i].after > 0)
            return true;
    return false;
}

static bool max_pool_infer(struct infer *infer)
{
    struct window_source source;

    if (!infer_pool(infer, &source, &infer->out[0]))
        return false;
    if (infer->nout > 1)
        infer->out[1] = infer->out[0];
    if (source.attrs->border == BORDER_CONSTANT && is_padded(&source, &infer->out[0]))
        infer_warning(infer, "border", WARNING_MAX_POOL_BORDER,
                      "the zeros that border 'constant' pads with compete with the data of '%s', "
                      "'ignore' leaves them out",
                      infer_name(infer));
    return true;
}

static bool check_index(const struct infer *infer, const struct shape *expected, const char *what)
{
    const struct shape *index = infer_in(infer, 1);

    if (shape_equal(index, expected))
        return true;
    return infer_error(infer, "index", DIAG_SHAPE_MISMATCH,
                       "index of '%s' has shape %s, expected shape %s of the %s", infer_name(infer),
                       SHAPE_TEXT(index), SHAPE_TEXT(expected), what);
}

/* The indices of max_pool_with_index never point outside, so 'ignore' has a meaning there (E16). */
static bool within_max_pool(const struct infer *infer)
{
    const struct call_site *site = infer->call->site;

    return site && op_find(site->fragment) == &op_max_pool_with_index;
}

static bool sample_infer(struct infer *infer)
{
    const struct window_attrs *attrs = infer->attrs;
    struct window_source source;

    if (attrs->border == BORDER_IGNORE && !within_max_pool(infer))
        return infer_error(infer, "border", DIAG_ENUM_VALUE,
                           "border of 'sample' is 'ignore', expected a border that has values");
    return window_source_full(infer, false, &source) &&
           window_infer(infer, &source, &infer->out[0]) &&
           check_index(infer, &infer->out[0], "result");
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
    if (best->index[n] != OUTSIDE && !(value > best->value[n]))
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

static void pool_block(const struct pool_windows *pool, int64_t row, int64_t begin, int64_t end)
{
    int64_t first = row * pool->window.dim[pool->window.rank - 1].out + begin;
    struct sweep sweep;
    struct best best = {{0}, {0}};

    assert(begin <= end);
    for (int64_t n = 0; n < end - begin; n++)
        best.index[n] = OUTSIDE;
    sweep_begin(&sweep, &pool->window, row);
    do
        compete(pool, &sweep, begin, end, &best);
    while (sweep_next(&sweep));
    for (int64_t n = 0; n < end - begin; n++) {
        if (pool->output)
            pool->output[first + n] = best.value[n];
        if (pool->index)
            pool->index[first + n] = best.index[n];
    }
}

static struct pool_windows pool_of(const struct eval *eval)
{
    return (struct pool_windows){.window = window_of_eval(eval, false), .input = eval->in[0]->data};
}

static void pool_row(const void *data, int64_t row)
{
    const struct pool_windows *pool = data;
    int64_t size = pool->window.dim[pool->window.rank - 1].out;

    assert(row >= 0);
    for (int64_t begin = 0; begin < size; begin += BLOCK_SIZE)
        pool_block(pool, row, begin, begin + BLOCK_SIZE < size ? begin + BLOCK_SIZE : size);
}

static bool run_pool(const struct eval *eval, const struct pool_windows *pool)
{
    assert(eval->in[0]->dtype == DTYPE_SCALAR);
    eval_share(eval, sweep_rows(&pool->window), pool_row, pool);
    return true;
}

static bool argmax_pool_eval(const struct eval *eval)
{
    struct pool_windows pool = pool_of(eval);

    pool.index = eval->out[0]->data;
    return run_pool(eval, &pool);
}

static bool max_pool_eval(const struct eval *eval)
{
    struct pool_windows pool = pool_of(eval);

    pool.output = eval->out[0]->data;
    return run_pool(eval, &pool);
}

static bool max_pool_with_index_eval(const struct eval *eval)
{
    struct pool_windows pool = pool_of(eval);

    pool.output = eval->out[0]->data;
    pool.index = eval->out[1]->data;
    return run_pool(eval, &pool);
}

/* --- sample ----------------------------------------------------------------------------- */

/* Offset of the input that output `o` reads at tap `index`, OUTSIDE if there is none. */
static int64_t locate(const struct window *window, int64_t o, int64_t index)
{
    int64_t offset = 0;

    for (int i = window->rank - 1; i >= 0; i--) {
        const struct window_dim *dim = &window->dim[i];
        int64_t in = window_input(window, i, o % dim->out, index % dim->size);
        if (in == OUTSIDE)
            return OUTSIDE;
        offset += in * dim->pitch;
        o /= dim->out;
        index /= dim->size;
    }
    return offset;
}

static void sample_item(const void *data, int64_t o)
{
    const struct pool_windows *pool = data;
    int64_t in = locate(&pool->window, o, pool->index[o]);

    assert(o >= 0);
    pool->output[o] = in == OUTSIDE ? 0 : pool->input[in];
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

const struct op_desc op_argmax_pool = {
    OP_SIGNATURE(argmax_pool, OP_PARTIAL),
    .infer = argmax_pool_infer,
    .eval = argmax_pool_eval,
};

const struct op_desc op_sample = {
    OP_SIGNATURE(sample, 0),
    .infer = sample_infer,
    .eval = sample_eval,
};

const struct op_desc op_max_pool_with_index = {
    OP_SIGNATURE(max_pool_with_index, OP_PARTIAL),
    .kind = "pool",
    .infer = max_pool_infer,
    .eval = max_pool_with_index_eval,
};

const struct op_desc op_max_pool = {
    OP_SIGNATURE(max_pool, OP_PARTIAL),
    .kind = "pool",
    .infer = max_pool_infer,
    .eval = max_pool_eval,
};
