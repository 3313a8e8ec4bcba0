/* test_conv.c - every algorithm of every variant against plain sums in double */
#include "kernel/kernels.h"
#include "support/random_items.h"
#include "support/t.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMBERS = 3, GAP = 3 };

struct geometry {
    int64_t channels[2], groups; /* in, out */
    struct plane in, kernel, stride, dilation, before, after;
};

static const struct geometry geometries[] = {
    {{1, 1}, 1, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
    {{3, 5}, 1, {7, 13}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
    {{64, 17}, 1, {13, 7}, {1, 1}, {2, 2}, {1, 1}, {0, 0}, {0, 0}},
    {{17, 64}, 1, {1, 29}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
    {{700, 70}, 1, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
    {{1300, 65}, 1, {7, 7}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
    {{16, 150}, 1, {40, 41}, {1, 1}, {1, 1}, {1, 1}, {1, 0}, {0, 1}},
    {{3, 16}, 1, {13, 13}, {7, 7}, {2, 2}, {1, 1}, {3, 3}, {3, 3}},
    {{3, 64}, 1, {23, 24}, {3, 3}, {2, 2}, {1, 1}, {0, 0}, {1, 1}},
    {{5, 17}, 1, {7, 13}, {3, 5}, {1, 2}, {1, 1}, {1, 2}, {0, 1}},
    {{16, 16}, 1, {2, 2}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
    {{16, 5}, 1, {1, 1}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
    {{17, 5}, 1, {13, 13}, {3, 3}, {1, 1}, {2, 3}, {2, 3}, {2, 3}},
    {{64, 64}, 1, {7, 7}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
    {{200, 33}, 1, {7, 7}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
    {{64, 130}, 1, {13, 14}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
    {{20, 24}, 1, {9, 17}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
    {{9, 40}, 1, {11, 12}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}},
    {{7, 56}, 1, {6, 31}, {5, 5}, {1, 2}, {1, 1}, {2, 2}, {2, 2}},
    {{20, 18}, 1, {23, 19}, {3, 3}, {1, 1}, {2, 3}, {2, 1}, {1, 3}},
    {{17, 40}, 1, {12, 31}, {3, 3}, {1, 1}, {5, 5}, {5, 5}, {5, 5}},
    {{5, 3}, 1, {9, 30}, {3, 3}, {1, 1}, {1, 1}, {0, 2}, {2, 0}},
    {{40, 40}, 1, {33, 18}, {3, 3}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
    {{3, 3}, 1, {13, 7}, {2, 2}, {3, 3}, {1, 1}, {-1, -2}, {1, 0}},
    {{6, 4}, 1, {4, 4}, {3, 3}, {1, 1}, {1, 1}, {5, 6}, {4, 7}},
    {{6, 4}, 2, {7, 7}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
    {{64, 34}, 2, {7, 5}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}},
    {{5, 10}, 5, {7, 7}, {3, 3}, {1, 1}, {2, 2}, {2, 2}, {2, 2}},
    {{1, 1}, 1, {7, 7}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
    {{3, 3}, 3, {7, 13}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
    {{16, 16}, 16, {13, 13}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}},
    {{17, 17}, 17, {13, 7}, {5, 5}, {1, 1}, {1, 1}, {2, 2}, {2, 2}},
    {{64, 64}, 64, {7, 7}, {5, 5}, {2, 2}, {1, 1}, {1, 2}, {2, 1}},
    {{64, 64}, 64, {1, 2}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
    {{70, 70}, 70, {14, 15}, {3, 3}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
    {{33, 33}, 33, {13, 13}, {3, 3}, {1, 1}, {3, 2}, {3, 2}, {3, 2}},
    {{24, 24}, 24, {9, 8}, {2, 7}, {3, 2}, {1, 1}, {0, 3}, {1, 3}},
    {{8, 8}, 8, {4, 4}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
    {{5, 5}, 5, {4, 4}, {3, 3}, {1, 1}, {1, 1}, {5, 6}, {4, 7}},
    {{24, 24}, 24, {6, 17}, {5, 5}, {2, 2}, {1, 1}, {2, 1}, {1, 2}},
    {{30, 30}, 30, {5, 26}, {5, 5}, {1, 1}, {1, 1}, {2, 2}, {2, 2}},
    {{9, 9}, 9, {8, 23}, {3, 3}, {2, 2}, {1, 1}, {0, 0}, {1, 1}},
    {{21, 21}, 21, {7, 30}, {4, 3}, {1, 1}, {1, 2}, {1, 2}, {2, 2}},
};

static const struct geometry transposed[] = {
    {{1, 1}, 1, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
    {{5, 17}, 1, {7, 13}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
    {{17, 16}, 1, {7, 7}, {2, 2}, {2, 2}, {1, 1}, {0, 0}, {0, 0}},
    {{64, 5}, 1, {7, 5}, {4, 4}, {2, 2}, {1, 1}, {1, 1}, {1, 1}},
    {{16, 64}, 1, {5, 7}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {0, 1}},
    {{3, 4}, 1, {5, 4}, {2, 1}, {3, 4}, {1, 1}, {0, 0}, {0, 0}},
    {{6, 4}, 2, {4, 5}, {3, 5}, {2, 3}, {2, 2}, {1, 2}, {0, 3}},
    {{4, 6}, 1, {6, 5}, {3, 4}, {4, 6}, {2, 4}, {3, 1}, {2, 0}},
    {{17, 17}, 17, {7, 7}, {4, 4}, {2, 2}, {1, 1}, {1, 1}, {1, 1}},
    {{5, 10}, 5, {3, 3}, {5, 5}, {3, 2}, {1, 1}, {2, 0}, {1, 4}},
    {{3, 3}, 3, {2, 2}, {2, 2}, {3, 3}, {1, 1}, {0, 0}, {0, 0}},
    {{24, 1}, 1, {9, 11}, {2, 2}, {2, 2}, {1, 1}, {0, 0}, {0, 0}},
    {{5, 6}, 1, {3, 4}, {6, 4}, {3, 2}, {1, 1}, {3, 2}, {2, 1}},
    {{24, 24}, 1, {5, 6}, {2, 2}, {2, 2}, {1, 1}, {0, 0}, {1, 1}},
    {{20, 3}, 1, {1, 1}, {5, 5}, {5, 5}, {1, 1}, {0, 0}, {3, 3}},
    {{150, 1}, 1, {3, 2}, {2, 4}, {2, 4}, {1, 1}, {0, 0}, {0, 0}},
    {{1, 1}, 1, {6, 5}, {4, 6}, {2, 2}, {1, 1}, {2, 0}, {0, 1}},
    {{3, 1}, 1, {2, 40}, {2, 3}, {2, 3}, {1, 1}, {0, 0}, {0, 2}},
    {{2, 1}, 1, {2, 3}, {1, 20}, {1, 20}, {1, 1}, {0, 0}, {0, 19}},
};

enum {
    GEOMETRIES = sizeof geometries / sizeof *geometries,
    TRANSPOSED = sizeof transposed / sizeof *transposed,
};

/* What is done with each geometry. */
struct manner {
    int64_t batch;
    bool bias, residual, alias, gaps;
    float loud; /* factor of the bias; 0: none */
    struct epilogue epilogue;
};

static const struct manner manners[] = {
    {.batch = 1},
    {.batch = 1, .bias = true, .epilogue = {.activation = ACTIVATION_RELU}},
    {.batch = 2, .residual = true, .gaps = true, .epilogue = {ACTIVATION_CLAMP, -0.5F, 1.5F}},
    {.batch = 1, .bias = true, .residual = true, .alias = true},
    {.batch = 1, .bias = true, .gaps = true, .epilogue = {.activation = ACTIVATION_SILU}},
    {.batch = 2, .residual = true, .alias = true, .epilogue = {ACTIVATION_LEAKY_RELU, 0.1F, 0}},
};

enum { MANNERS = sizeof manners / sizeof *manners };

struct problem {
    struct conv conv;
    bool transposed;
    int64_t src_items, filter_items, dst_items;
    float *src, *filter, *bias, *residual, *expected;
    double largest;
    char name[32];
};

/* --- oracle --------------------------------------------------------------------------------- */

static int64_t out_extent(int64_t in, int64_t padding, int64_t reach, int64_t stride)
{
    return (in + padding - reach) / stride + 1;
}

static int64_t transposed_extent(int64_t in, int64_t padding, int64_t reach, int64_t stride)
{
    return (in - 1) * stride + reach - padding;
}

static struct plane out_extents(const struct geometry *g, bool is_transposed)
{
    struct plane padding = {g->before.y + g->after.y, g->before.x + g->after.x};
    struct plane reach = {(g->kernel.y - 1) * g->dilation.y + 1,
                          (g->kernel.x - 1) * g->dilation.x + 1};
    int64_t (*extent)(int64_t, int64_t, int64_t, int64_t) =
        is_transposed ? transposed_extent : out_extent;

    return (struct plane){extent(g->in.y, padding.y, reach.y, g->stride.y),
                          extent(g->in.x, padding.x, reach.x, g->stride.x)};
}

static struct conv conv_of(const struct geometry *g, const struct manner *m, bool is_transposed)
{
    struct conv conv = {
        .batch = m->batch,
        .groups = g->groups,
        .in_channels = g->channels[0],
        .out_channels = g->channels[1],
        .in = g->in,
        .kernel = g->kernel,
        .stride = g->stride,
        .dilation = g->dilation,
        .before = g->before,
        .epilogue = m->epilogue,
    };
    int64_t gap = m->gaps ? GAP : 0;

    conv.out = out_extents(g, is_transposed);
    conv.src = steps_dense(conv.in_channels + gap, conv.in);
    conv.dst = steps_dense(conv.out_channels + gap, conv.out);
    return conv;
}

enum { NOWHERE = -1 };

/* Where tap k of output o reads along a dimension. */
static int64_t source_of(bool is_transposed, int64_t o, int64_t k, int64_t stride, int64_t before)
{
    int64_t at = is_transposed ? o + before - k : o * stride + k - before;

    if (!is_transposed)
        return at;
    return at < 0 || at % stride != 0 ? NOWHERE : at / stride;
}

static double weight_of(const struct problem *p, int64_t o, int64_t i, int64_t tap)
{
    const struct conv *c = &p->conv;
    int64_t in = c->in_channels / c->groups, out = c->out_channels / c->groups;
    int64_t taps = c->kernel.y * c->kernel.x;
    int64_t at = p->transposed ? (o / out * in + i) * out + o % out : o * in + i;

    return (double)p->filter[at * taps + tap];
}

static double sum_of(const struct problem *p, int64_t n, struct plane at, int64_t o)
{
    const struct conv *c = &p->conv;
    int64_t in = c->in_channels / c->groups, group = o / (c->out_channels / c->groups);
    double sum = p->bias ? (double)p->bias[o] : 0;

    for (int64_t tap = 0; tap < c->kernel.y * c->kernel.x; tap++) {
        int64_t y = source_of(p->transposed, at.y, tap / c->kernel.x * c->dilation.y, c->stride.y,
                              c->before.y);
        int64_t x = source_of(p->transposed, at.x, tap % c->kernel.x * c->dilation.x, c->stride.x,
                              c->before.x);
        if (y < 0 || x < 0 || y >= c->in.y || x >= c->in.x)
            continue;
        const float *src =
            p->src + n * c->src.image + y * c->src.row + x * c->src.pixel + group * in;
        for (int64_t i = 0; i < in; i++)
            sum += (double)src[i] * weight_of(p, o, i, tap);
    }
    return sum;
}

static double activated(const struct epilogue *e, double x)
{
    if (e->activation == ACTIVATION_RELU)
        return fmax(x, 0);
    if (e->activation == ACTIVATION_CLAMP)
        return fmax(fmin(x, (double)e->high), (double)e->low);
    if (e->activation == ACTIVATION_LEAKY_RELU)
        return x < 0 ? (double)e->low * x : x;
    if (e->activation == ACTIVATION_SILU)
        return x / (1 + exp(-x));
    assert_int_equal(e->activation, ACTIVATION_NONE);
    return x;
}

static void expect_pixel(struct problem *p, int64_t n, int64_t y, int64_t x)
{
    const struct conv *c = &p->conv;
    int64_t at = n * c->dst.image + y * c->dst.row + x * c->dst.pixel;

    for (int64_t o = 0; o < c->out_channels; o++) {
        double sum = sum_of(p, n, (struct plane){y, x}, o);
        sum += p->residual ? (double)p->residual[at + o] : 0;
        p->largest = fmax(p->largest, fabs(sum));
        p->expected[at + o] = (float)activated(&c->epilogue, sum);
    }
}

static struct problem problem_of(const struct geometry *g, const struct manner *m,
                                 bool is_transposed)
{
    struct problem p = {.conv = conv_of(g, m, is_transposed), .transposed = is_transposed};
    const struct conv *c = &p.conv;

    p.src_items = c->batch * c->src.image;
    p.dst_items = c->batch * c->dst.image;
    p.filter_items = c->out_channels * c->in_channels / c->groups * c->kernel.y * c->kernel.x;
    p.src = random_items(p.src_items, 1);
    p.filter = random_items(p.filter_items, 2);
    p.bias = m->bias ? random_items(c->out_channels, 3) : NULL;
    for (int64_t i = 0; i < c->out_channels && m->bias && m->loud > 0; i++)
        p.bias[i] *= m->loud;
    p.residual = m->residual ? random_items(p.dst_items, 4) : NULL;
    p.expected = random_items(p.dst_items, 4);
    for (int64_t i = 0; i < c->batch * c->out.y * c->out.x; i++)
        expect_pixel(&p, i / c->out.x / c->out.y, i / c->out.x % c->out.y, i % c->out.x);
    return p;
}

static void problem_free(struct problem *p)
{
    free(p->src);
    free(p->filter);
    free(p->bias);
    free(p->residual);
    free(p->expected);
}

/* --- comparison ----------------------------------------------------------------------------- */

static void *aligned(size_t size)
{
    size_t whole = (size + KERNEL_ALIGNMENT - 1) / KERNEL_ALIGNMENT * KERNEL_ALIGNMENT;
    void *memory = aligned_alloc(KERNEL_ALIGNMENT, whole + KERNEL_ALIGNMENT);

    assert_non_null(memory);
    memset(memory, 0x7f, whole + KERNEL_ALIGNMENT);
    return memory;
}

static void check_items(const struct problem *p, const float *dst, double tolerance,
                        const char *what)
{
    for (int64_t i = 0; i < p->dst_items; i++) {
        double difference = fabs((double)dst[i] - (double)p->expected[i]);
        if (!(difference <= tolerance * p->largest))
            fail_msg("%s, %s: item %d is %g, expected %g", what, p->name, (int)i, (double)dst[i],
                     (double)p->expected[i]);
    }
}

/* Packed weights serve more and larger images, with another padding unless that tells the phases.
 */
static void check_packing(const struct conv_kernel *kernel, const struct conv *conv,
                          const struct filter *filter, const float *packed)
{
    size_t size = kernel->packed_size(conv);
    struct conv other = *conv;

    other.batch += 2;
    other.in = (struct plane){conv->in.y + 8, conv->in.x + 16};
    other.out = (struct plane){conv->out.y + 8, conv->out.x + 16};
    other.src = steps_dense(conv->in_channels, other.in);
    other.dst = steps_dense(conv->out_channels, other.out);
    if (!kernel->packs_phases)
        other.before = (struct plane){conv->before.y + 1, conv->before.x + 2};
    assert_int_equal(kernel->packed_size(&other), size);
    float *again = aligned(size);
    kernel->pack(&other, filter, again, NULL);
    assert_memory_equal(again, packed, size);
    free(again);
}

/* The items between channels of pixels are not touched; those of `expected` are the residual's. */
static float *compute(const struct problem *p, const struct conv_kernel *kernel, bool alias,
                      struct team *team)
{
    const struct conv *conv = &p->conv;
    struct filter filter =
        p->transposed ? filter_transposed(conv, p->filter) : filter_dense(conv, p->filter);
    float *packed = aligned(kernel->packed_size(conv)), *dst = random_items(p->dst_items, 4);
    struct conv_operands operands = {
        .src = p->src,
        .packed = packed,
        .bias = p->bias,
        .residual = alias ? dst : p->residual,
        .dst = dst,
        .scratch = aligned(kernel->scratch_size(conv, team_size(team))),
    };

    kernel->pack(conv, &filter, packed, team);
    check_packing(kernel, conv, &filter, packed);
    kernel->run(conv, &operands, team);
    free(packed);
    free(operands.scratch);
    return dst;
}

struct algorithm {
    const char *name;
    double tolerance;
    size_t at; /* in struct kernels */
    bool transposed;
};

static const struct algorithm algorithms[] = {
    {"direct", 1e-5, offsetof(struct kernels, direct), false},
    {"depthwise", 1e-5, offsetof(struct kernels, depthwise), false},
    {"winograd_2", 1e-5, offsetof(struct kernels, winograd_2), false},
    {"winograd_4", 1e-4, offsetof(struct kernels, winograd_4), false},
    {"transposed", 1e-5, offsetof(struct kernels, transposed), true},
};

static const struct conv_kernel *kernel_of(const struct kernels *kernels,
                                           const struct algorithm *algorithm)
{
    const struct conv_kernel *kernel;

    memcpy(&kernel, (const char *)kernels + algorithm->at, sizeof kernel);
    return kernel;
}

static void check_kernel(const struct problem *p, const struct algorithm *algorithm,
                         const struct kernels *kernels, bool alias)
{
    const struct conv_kernel *kernel = kernel_of(kernels, algorithm);
    struct team *team = team_new(MEMBERS);

    for (int i = 0; kernel->fits(&p->conv) && i < 2; i++) {
        char what[64];
        (void)snprintf(what, sizeof what, "%s of %s", algorithm->name, kernels->name);
        float *dst = compute(p, kernel, alias, i > 0 ? team : NULL);
        check_items(p, dst, algorithm->tolerance, what);
        free(dst);
    }
    team_free(team);
}

static void check_geometry(int geometry, int manner, bool is_transposed)
{
    const struct manner *m = &manners[manner];
    const struct geometry *table = is_transposed ? transposed : geometries;
    struct problem problem = problem_of(&table[geometry], m, is_transposed);
    const struct kernels *kernels;

    (void)snprintf(problem.name, sizeof problem.name, "geometry %d, manner %d", geometry, manner);
    for (int i = 0; (kernels = kernels_variant(i)); i++)
        for (size_t k = 0; k < sizeof algorithms / sizeof *algorithms; k++)
            if (algorithms[k].transposed == is_transposed)
                check_kernel(&problem, &algorithms[k], kernels, m->alias);
    problem_free(&problem);
}

static void test_convolutions_are_sums_of_products(void **state)
{
    (void)state;
    for (int i = 0; i < GEOMETRIES; i++)
        for (int m = 0; m < MANNERS; m++)
            check_geometry(i, m, false);
}

static void test_transposed_convolutions_are_sums_of_products(void **state)
{
    (void)state;
    for (int i = 0; i < TRANSPOSED; i++)
        for (int m = 0; m < MANNERS; m++)
            check_geometry(i, m, true);
}

/* --- digits --------------------------------------------------------------------------------- */

static const struct lossy {
    struct algorithm algorithm; /* tolerance: of the root of the mean square of errors, as a part of
                                   that of results */
    struct geometry geometry;
    struct manner manner;
} lossy[] = {
    {{"direct", 2.4e-7, offsetof(struct kernels, direct), false},
     {{256, 32}, 1, {9, 9}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
     {.batch = 1}},
    {{"direct", 1e-7, offsetof(struct kernels, direct), false},
     {{24, 64}, 1, {9, 9}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
     {.batch = 1, .bias = true, .loud = 40}},
    {{"depthwise", 6e-8, offsetof(struct kernels, depthwise), false},
     {{32, 32}, 32, {9, 9}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
     {.batch = 1, .bias = true, .loud = 40}},
    {{"winograd_2", 3e-7, offsetof(struct kernels, winograd_2), false},
     {{64, 64}, 1, {24, 24}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
     {.batch = 1}},
    {{"winograd_4", 1.1e-6, offsetof(struct kernels, winograd_4), false},
     {{64, 64}, 1, {24, 24}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
     {.batch = 1}},
};

static double loss_of(const struct problem *p, const struct conv_kernel *kernel)
{
    float *dst = compute(p, kernel, false, NULL);
    double errors = 0, results = 0;

    for (int64_t i = 0; i < p->dst_items; i++) {
        double error = (double)dst[i] - (double)p->expected[i];
        errors += error * error;
        results += (double)p->expected[i] * (double)p->expected[i];
    }
    free(dst);
    return sqrt(errors / results);
}

static void check_digits(const struct problem *p, const struct algorithm *algorithm)
{
    const struct kernels *kernels;

    for (int i = 0; (kernels = kernels_variant(i)); i++) {
        double loss = loss_of(p, kernel_of(kernels, algorithm));
        if (!(loss <= algorithm->tolerance))
            fail_msg("%s of %s, %s, loses %.2g of the results, more than %.2g", algorithm->name,
                     kernels->name, p->name, loss, algorithm->tolerance);
    }
}

static void test_few_digits_are_lost(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lossy / sizeof *lossy; i++) {
        struct problem p = problem_of(&lossy[i].geometry, &lossy[i].manner, false);
        (void)snprintf(p.name, sizeof p.name, "problem %zu", i);
        check_digits(&p, &lossy[i].algorithm);
        problem_free(&p);
    }
}

/* As many as asked for may be refused. */
static void test_scratch_memory_is_enough_for_fewer_threads(void **state)
{
    const struct kernels *k = kernels_variant(0);
    const struct conv_kernel *const kernels[] = {k->direct, k->winograd_2, k->winograd_4};
    const struct plane extents = {4, 4}, taps = {3, 3}, one = {1, 1};
    const struct conv conv = {.batch = 1,
                              .groups = 1,
                              .in_channels = 32,
                              .out_channels = 64,
                              .in = extents,
                              .out = extents,
                              .kernel = taps,
                              .stride = one,
                              .dilation = one,
                              .before = one,
                              .src = steps_dense(32, extents),
                              .dst = steps_dense(64, extents)};

    (void)state;
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        for (int most = 1; most <= 8; most++)
            for (int members = 1; members <= most; members++)
                assert_true(kernels_scratch(kernels[i], &conv, most) >=
                            kernels[i]->scratch_size(&conv, members));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_convolutions_are_sums_of_products),
        cmocka_unit_test(test_few_digits_are_lost),
        cmocka_unit_test(test_scratch_memory_is_enough_for_fewer_threads),
        cmocka_unit_test(test_transposed_convolutions_are_sums_of_products),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
