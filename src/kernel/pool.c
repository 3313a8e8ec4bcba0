/*
 * pool.c - maxima, sums and means; see pool.h
 *
 * A part is one row of outputs and a group of neighbouring channels, of which several vectors are
 * computed at once.  Sums along x are added up, so that sums over large windows lose few digits.
 */
#include "base/num.h"
#include "kernel/range.h"
#include "kernel/table.h"

#include <assert.h>

enum { GROUP = 4 /* vectors */ };

/* A run, shared among members by rows of outputs and groups of channels. */
struct pool_job {
    const struct image_pool *pool;
    const float *src;
    float *dst;
    int64_t groups;
};

/* The taps of an output that are inside the image. */
struct pool_window {
    const struct image_pool *pool;
    int64_t rows, columns;
    const float *src;    /* of the first tap inside */
    bool begins_outside; /* the first tap of the window is outside */
    bool has_nan;        /* there may be NaN, which maxima lose: look for it */
    float scale;         /* of the sum */
};

static struct pool_window window_at(const struct pool_job *p, int64_t row, int64_t x)
{
    const struct conv *conv = &p->pool->conv;
    int64_t in_y = row % conv->out.y * conv->stride.y - conv->before.y;
    int64_t in_x = x * conv->stride.x - conv->before.x;
    struct tap_range rows = taps_inside(in_y, conv->dilation.y, conv->kernel.y, conv->in.y);
    struct tap_range columns = taps_inside(in_x, conv->dilation.x, conv->kernel.x, conv->in.x);
    struct pool_window window = {
        .pool = p->pool,
        .rows = rows.end - rows.first,
        .columns = columns.end - columns.first,
        .src = p->src + row / conv->out.y * conv->src.image +
               (in_y + rows.first * conv->dilation.y) * conv->src.row +
               (in_x + columns.first * conv->dilation.x) * conv->src.pixel,
        .begins_outside = rows.first > 0 || columns.first > 0,
        .scale = 1,
    };
    int64_t taps = p->pool->zeros ? conv->kernel.y * conv->kernel.x : window.rows * window.columns;

    if (p->pool->kind == POOL_MEAN && taps > 0)
        window.scale = 1 / (float)taps;
    return window;
}

/* --- one output ----------------------------------------------------------------------------- */

/* Taps outside count as 0 if `zeros`; the first tap inside, or a 0 before it, begins. */
ALWAYS_INLINE void find_maxima(const struct pool_window *w, int64_t channel, int last, vec *most,
                               const int64_t vecs)
{
    const struct conv *conv = &w->pool->conv;
    bool covers = w->rows == conv->kernel.y && w->columns == conv->kernel.x;
    bool is_zero = w->rows * w->columns == 0 || (w->pool->zeros && w->begins_outside);

    UNROLL
    for (int64_t i = 0; i < vecs; i++)
        most[i] = is_zero ? vec_all(0) : vec_load_part(w->src + channel, i, vecs, last);
    for (int64_t y = 0; y < w->rows; y++) {
        const float *src = w->src + y * conv->dilation.y * conv->src.row + channel;
        for (int64_t x = 0; x < w->columns; x++, src += conv->dilation.x * conv->src.pixel) {
            UNROLL
            for (int64_t i = 0; i < vecs; i++)
                most[i] = vec_max(vec_load_part(src, i, vecs, last), most[i]);
        }
    }
    UNROLL
    for (int64_t i = 0; i < vecs; i++)
        most[i] = w->pool->zeros && !covers ? vec_max(vec_all(0), most[i]) : most[i];
}

/* Maxima that may have lost NaN get it. */
ALWAYS_INLINE void restore_nan(const struct pool_window *w, int64_t channel, int last, vec *most,
                               const int64_t vecs)
{
    const struct conv *conv = &w->pool->conv;

    for (int64_t y = 0; y < w->rows; y++) {
        const float *src = w->src + y * conv->dilation.y * conv->src.row + channel;
        for (int64_t x = 0; x < w->columns; x++, src += conv->dilation.x * conv->src.pixel) {
            UNROLL
            for (int64_t i = 0; i < vecs; i++)
                most[i] = vec_find_nan(most[i], vec_load_part(src, i, vecs, last));
        }
    }
}

ALWAYS_INLINE void add_taps(const struct pool_window *w, int64_t channel, int last, vec *sum,
                            const int64_t vecs)
{
    const struct conv *conv = &w->pool->conv;
    vec row[GROUP];

    UNROLL
    for (int64_t i = 0; i < vecs; i++)
        sum[i] = vec_all(0);
    for (int64_t y = 0; y < w->rows; y++) {
        const float *src = w->src + y * conv->dilation.y * conv->src.row + channel;
        UNROLL
        for (int64_t i = 0; i < vecs; i++)
            row[i] = vec_all(0);
        for (int64_t x = 0; x < w->columns; x++, src += conv->dilation.x * conv->src.pixel) {
            UNROLL
            for (int64_t i = 0; i < vecs; i++)
                row[i] += vec_load_part(src, i, vecs, last);
        }
        UNROLL
        for (int64_t i = 0; i < vecs; i++)
            sum[i] += row[i];
    }
    UNROLL
    for (int64_t i = 0; i < vecs; i++)
        sum[i] *= w->scale;
}

ALWAYS_INLINE void pool_channels(const struct pool_window *w, int64_t channel, int last, float *dst,
                                 const int64_t vecs)
{
    vec result[GROUP];

    if (w->pool->kind == POOL_MAX)
        find_maxima(w, channel, last, result, vecs);
    else
        add_taps(w, channel, last, result, vecs);
    if (w->has_nan)
        restore_nan(w, channel, last, result, vecs);
    UNROLL
    for (int64_t i = 0; i < vecs - 1; i++)
        vec_store(dst + channel + i * LANES, result[i]);
    vec_store_some(dst + channel + (vecs - 1) * LANES, result[vecs - 1], last);
}

/* --- the whole ------------------------------------------------------------------------------ */

/* Each part: one row of results, and a group of channels. */
static void pool_parts(const struct pool_job *p, int64_t begin, int64_t end, bool has_nan)
{
    const struct conv *conv = &p->pool->conv;
    const int64_t width = (int64_t)GROUP * LANES;

    for (int64_t i = begin; i < end; i++) {
        int64_t row = i / p->groups, y = row % conv->out.y, first = i % p->groups * width;
        int64_t last = first + limit(conv->in_channels - first, width);
        float *dst = p->dst + row / conv->out.y * conv->dst.image + y * conv->dst.row;

        for (int64_t x = 0; x < conv->out.x; x++, dst += conv->dst.pixel) {
            struct pool_window window = window_at(p, row, x);
            window.has_nan = has_nan;
            if (last - first == width)
                pool_channels(&window, first, LANES, dst, GROUP);
            for (int64_t c = first; c < last && last - first < width; c += LANES)
                pool_channels(&window, c, (int)limit(last - c, LANES), dst, 1);
        }
    }
}

/*
 * Maxima may lose NaN, and to look for it in each window would take longer than the maxima.  So
 * they are found without looking first, and again with it if the processor noted NaN.  Where it
 * cannot be asked, they are found once, with looking.
 */
static void pool_rows(void *data, int64_t begin, int64_t end, int member)
{
    const struct pool_job *p = data;
    bool is_max = p->pool->kind == POOL_MAX;
    unsigned noted = vec_forget_nan();

    (void)member;
    pool_parts(p, begin, end, is_max && !VEC_NOTES_NAN);
    if (VEC_NOTES_NAN && vec_may_have_met_nan(noted) && is_max)
        pool_parts(p, begin, end, true);
}

void KERNEL(pool)(const struct image_pool *pool, const float *src, float *dst, struct team *team)
{
    const struct conv *conv = &pool->conv;
    const int64_t width = (int64_t)GROUP * LANES;
    struct pool_job p = {
        .pool = pool, .src = src, .groups = num_divide_up(conv->in_channels, width)};
    int64_t parts = conv->batch * conv->out.y * p.groups, members = team_size(team);

    assert(pool->kind <= POOL_MEAN && conv->in_channels > 0 && src && dst);
    assert(conv->stride.y > 0 && conv->stride.x > 0 && conv->kernel.y > 0 && conv->kernel.x > 0);
    assert(conv->dilation.y > 0 && conv->dilation.x > 0);
    p.dst = dst;
    team_share(team, parts, parts / (4 * members), pool_rows, &p);
}
