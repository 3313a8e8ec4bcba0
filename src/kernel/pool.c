/*
 * pool.c - maxima, sums and means; see pool.h
 *
 * A part is one row of outputs and a group of neighbouring channels, of which several vectors are
 * computed at once.  Sums are made of sums along x, which keeps them exact where windows are large.
 */
#include "kernel/range.h"
#include "kernel/table.h"

enum { GROUP = 4 /* vectors */ };

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
    const float *src; /* the first one's */
    bool begins_outside;
    float scale; /* of the sum */
};

static struct pool_window window_at(const struct pool_job *p, int64_t row, int64_t x)
{
    const struct image_pool *pool = p->pool;
    int64_t in_y = row % pool->out.y * pool->stride.y - pool->before.y;
    int64_t in_x = x * pool->stride.x - pool->before.x;
    struct tap_range rows = taps_inside(in_y, pool->dilation.y, pool->kernel.y, pool->in.y);
    struct tap_range columns = taps_inside(in_x, pool->dilation.x, pool->kernel.x, pool->in.x);
    struct pool_window window = {
        .pool = pool,
        .rows = rows.end - rows.first,
        .columns = columns.end - columns.first,
        .src = p->src + row / pool->out.y * pool->src.image +
               (in_y + rows.first * pool->dilation.y) * pool->src.row +
               (in_x + columns.first * pool->dilation.x) * pool->src.pixel,
        .begins_outside = rows.first > 0 || columns.first > 0,
        .scale = 1,
    };
    int64_t taps = pool->zeros ? pool->kernel.y * pool->kernel.x : window.rows * window.columns;

    if (pool->kind == POOL_MEAN && taps > 0)
        window.scale = 1 / (float)taps;
    return window;
}

/* --- one output ----------------------------------------------------------------------------- */

/* As many vectors as `vecs`, a constant, of which the last has `last` channels. */
ALWAYS_INLINE vec load_pool_channels(const float *from, int64_t i, const int64_t vecs, int last)
{
    return i < vecs - 1 ? vec_load(from + i * LANES) : vec_load_some(from + i * LANES, last);
}

ALWAYS_INLINE void find_maxima(const struct pool_window *w, int64_t channel, int last, vec *most,
                               const int64_t vecs)
{
    const struct image_pool *pool = w->pool;
    bool covers = w->rows == pool->kernel.y && w->columns == pool->kernel.x;
    bool is_zero = w->rows * w->columns == 0 || (pool->zeros && w->begins_outside);

    UNROLL
    for (int64_t i = 0; i < vecs; i++)
        most[i] = is_zero ? vec_all(0) : load_pool_channels(w->src + channel, i, vecs, last);
    for (int64_t y = 0; y < w->rows; y++) {
        const float *src = w->src + y * pool->dilation.y * pool->src.row + channel;
        for (int64_t x = 0; x < w->columns; x++, src += pool->dilation.x * pool->src.pixel) {
            UNROLL
            for (int64_t i = 0; i < vecs; i++)
                most[i] = vec_max(load_pool_channels(src, i, vecs, last), most[i]);
        }
    }
    UNROLL
    for (int64_t i = 0; i < vecs; i++)
        most[i] = pool->zeros && !covers ? vec_max(vec_all(0), most[i]) : most[i];
}

ALWAYS_INLINE void add_taps(const struct pool_window *w, int64_t channel, int last, vec *sum,
                            const int64_t vecs)
{
    const struct image_pool *pool = w->pool;
    vec row[GROUP];

    UNROLL
    for (int64_t i = 0; i < vecs; i++)
        sum[i] = vec_all(0);
    for (int64_t y = 0; y < w->rows; y++) {
        const float *src = w->src + y * pool->dilation.y * pool->src.row + channel;
        UNROLL
        for (int64_t i = 0; i < vecs; i++)
            row[i] = vec_all(0);
        for (int64_t x = 0; x < w->columns; x++, src += pool->dilation.x * pool->src.pixel) {
            UNROLL
            for (int64_t i = 0; i < vecs; i++)
                row[i] += load_pool_channels(src, i, vecs, last);
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
    UNROLL
    for (int64_t i = 0; i < vecs - 1; i++)
        vec_store(dst + channel + i * LANES, result[i]);
    vec_store_some(dst + channel + (vecs - 1) * LANES, result[vecs - 1], last);
}

static void pool_group(const struct pool_window *w, int64_t channel, float *dst)
{
    pool_channels(w, channel, LANES, dst, GROUP);
}

static void pool_vec(const struct pool_window *w, int64_t channel, int wanted, float *dst)
{
    pool_channels(w, channel, wanted, dst, 1);
}

/* --- the whole ------------------------------------------------------------------------------ */

static void pool_row(const struct pool_job *p, int64_t row, int64_t group)
{
    const struct image_pool *pool = p->pool;
    const int64_t width = (int64_t)GROUP * LANES;
    int64_t begin = group * width, end = begin + limit(pool->channels - begin, width);
    float *dst = p->dst + row / pool->out.y * pool->dst.image + row % pool->out.y * pool->dst.row;

    for (int64_t x = 0; x < pool->out.x; x++, dst += pool->dst.pixel) {
        struct pool_window window = window_at(p, row, x);
        if (end - begin == width)
            pool_group(&window, begin, dst);
        else
            for (int64_t channel = begin; channel < end; channel += LANES)
                pool_vec(&window, channel, (int)limit(end - channel, LANES), dst);
    }
}

static void pool_rows(void *data, int64_t begin, int64_t end, int member)
{
    const struct pool_job *p = data;

    (void)member;
    for (int64_t i = begin; i < end; i++)
        pool_row(p, i / p->groups, i % p->groups);
}

void KERNEL(pool)(const struct image_pool *pool, const float *src, float *dst, struct team *team)
{
    const int64_t width = (int64_t)GROUP * LANES;
    struct pool_job p = {.pool = pool, .src = src, .groups = (pool->channels + width - 1) / width};
    int64_t parts = pool->batch * pool->out.y * p.groups, members = team_size(team);

    p.dst = dst;
    team_share(team, parts, parts / (4 * members), pool_rows, &p);
}
