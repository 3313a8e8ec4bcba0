/* test_pool.c - pooling of every variant against plain loops in double */
#include "kernel/kernels.h"
#include "support/random_items.h"
#include "support/t.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MEMBERS = 3, GAP = 2 };

struct geometry {
    int64_t batch, channels;
    struct plane in, kernel, stride, dilation, before, after;
};

static const struct geometry geometries[] = {
    {1, 1, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
    {2, 3, {7, 13}, {2, 2}, {2, 2}, {1, 1}, {0, 0}, {0, 0}},
    {1, 5, {7, 13}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}},
    {1, 17, {13, 7}, {3, 5}, {1, 2}, {1, 1}, {0, 2}, {2, 1}},
    {1, 64, {13, 13}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}},
    {2, 70, {7, 7}, {7, 7}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
    {1, 200, {60, 61}, {60, 61}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
    {1, 16, {13, 13}, {3, 3}, {1, 1}, {3, 2}, {3, 2}, {3, 2}},
    {1, 4, {2, 2}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
};

struct problem {
    struct image_pool pool;
    float *src, *expected;
    int64_t src_items, dst_items;
};

static struct image_pool pool_of(const struct geometry *g, enum pool_kind kind, bool zeros)
{
    struct image_pool pool = {
        .kind = kind,
        .zeros = zeros,
        .conv = {.batch = g->batch,
                 .in_channels = g->channels,
                 .out_channels = g->channels,
                 .in = g->in,
                 .kernel = g->kernel,
                 .stride = g->stride,
                 .dilation = g->dilation,
                 .before = g->before},
    };

    pool.conv.out.y =
        (g->in.y + g->before.y + g->after.y - (g->kernel.y - 1) * g->dilation.y - 1) / g->stride.y +
        1;
    pool.conv.out.x =
        (g->in.x + g->before.x + g->after.x - (g->kernel.x - 1) * g->dilation.x - 1) / g->stride.x +
        1;
    pool.conv.src = steps_dense(g->channels + GAP, pool.conv.in);
    pool.conv.dst = steps_dense(g->channels + GAP, pool.conv.out);
    return pool;
}

static double expected_at(const struct problem *p, int64_t n, struct plane at, int64_t channel)
{
    const struct image_pool *pool = &p->pool;
    const struct conv *conv = &pool->conv;
    double sum = 0, most = (double)-INFINITY;
    int count = 0;

    for (int64_t tap = 0; tap < conv->kernel.y * conv->kernel.x; tap++) {
        int64_t y =
            at.y * conv->stride.y + tap / conv->kernel.x * conv->dilation.y - conv->before.y;
        int64_t x =
            at.x * conv->stride.x + tap % conv->kernel.x * conv->dilation.x - conv->before.x;
        bool inside = y >= 0 && x >= 0 && y < conv->in.y && x < conv->in.x;
        if (!inside && !pool->zeros)
            continue;
        const float *src = p->src + n * conv->src.image + y * conv->src.row + x * conv->src.pixel;
        double item = inside ? (double)src[channel] : 0;
        sum += item;
        most = fmax(most, item);
        count++;
    }
    return pool->kind == POOL_MAX ? most : pool->kind == POOL_SUM ? sum : sum / count;
}

static void expect_all(struct problem *p)
{
    const struct conv *conv = &p->pool.conv;

    for (int64_t n = 0; n < conv->batch; n++)
        for (int64_t i = 0; i < conv->out.y * conv->out.x * conv->in_channels; i++) {
            int64_t pixel = i / conv->in_channels, channel = i % conv->in_channels;
            struct plane at = {pixel / conv->out.x, pixel % conv->out.x};
            p->expected[n * conv->dst.image + at.y * conv->dst.row + at.x * conv->dst.pixel +
                        channel] = (float)expected_at(p, n, at, channel);
        }
}

/* Items between the channels of pixels are not touched. */
static void check_variant(const struct problem *p, const struct kernels *kernels, struct team *team)
{
    float *dst = random_items(p->dst_items, 2);
    double tolerance = p->pool.kind == POOL_MAX ? 0 : 1e-5;

    kernels->pool(&p->pool, p->src, dst, team);
    for (int64_t i = 0; i < p->dst_items; i++) {
        double expected = (double)p->expected[i];
        if (!(fabs((double)dst[i] - expected) <= tolerance * fmax(1, fabs(expected))))
            fail_msg("%s, kind %d: item %d is %g, expected %g", kernels->name, p->pool.kind, (int)i,
                     (double)dst[i], expected);
    }
    free(dst);
}

static void check_pool(const struct geometry *g, enum pool_kind kind, bool zeros)
{
    struct problem p = {.pool = pool_of(g, kind, zeros)};
    struct team *team = team_new(MEMBERS);
    const struct kernels *kernels;

    p.src_items = g->batch * p.pool.conv.src.image;
    p.dst_items = g->batch * p.pool.conv.dst.image;
    p.src = random_items(p.src_items, 1);
    p.expected = random_items(p.dst_items, 2);
    expect_all(&p);
    for (int i = 0; (kernels = kernels_variant(i)); i++) {
        check_variant(&p, kernels, NULL);
        check_variant(&p, kernels, team);
    }
    team_free(team);
    free(p.src);
    free(p.expected);
}

static void check_kind(enum pool_kind kind)
{
    for (size_t i = 0; i < sizeof geometries / sizeof *geometries; i++) {
        check_pool(&geometries[i], kind, false);
        check_pool(&geometries[i], kind, true);
    }
}

static void test_maxima_are_the_greatest(void **state)
{
    (void)state;
    check_kind(POOL_MAX);
}

static void test_sums_have_all_taps(void **state)
{
    (void)state;
    check_kind(POOL_SUM);
}

static void test_means_are_sums_by_the_taps_that_count(void **state)
{
    (void)state;
    check_kind(POOL_MEAN);
}

static void test_a_nan_stays(void **state)
{
    (void)state;
    const struct geometry g = {1, 1, {1, 6}, {1, 3}, {1, 1}, {1, 1}, {0, 1}, {0, 1}};
    struct image_pool pool = pool_of(&g, POOL_MAX, true);
    const struct kernels *kernels;

    pool.conv.src = steps_dense(1, pool.conv.in);
    pool.conv.dst = steps_dense(1, pool.conv.out);
    for (int i = 0; (kernels = kernels_variant(i)); i++) {
        const float src[] = {1, NAN, 2, 3, -1, NAN};
        float dst[6] = {0};
        kernels->pool(&pool, src, dst, NULL);
        for (int k = 0; k < 6; k++)
            assert_true(k == 3 ? dst[k] == 3 : isnan(dst[k]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_maxima_are_the_greatest),
        cmocka_unit_test(test_sums_have_all_taps),
        cmocka_unit_test(test_means_are_sums_by_the_taps_that_count),
        cmocka_unit_test(test_a_nan_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
