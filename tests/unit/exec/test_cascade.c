/* test_cascade.c - convolutions done band by band give what they give one after the other, bit by
 * bit */
#include "exec/cascade.h"
#include "kernel/kernels.h"
#include "support/random_items.h"
#include "support/t.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMBERS = 3, SEEDS = 400, MOST_STAGES = 6, GUARD = 64 };

struct series {
    uint64_t state;
    unsigned seed;
    struct cascade cascade;
    struct cascade_operands operands;
    float *src, *expected; /* of the last stage */
    float *owned[3 * CASCADE_STAGES];
    int nowned;
    int64_t items; /* of these */
    bool alias;    /* the last residual is where the results go */
};

/* --- chance --------------------------------------------------------------------------------- */

static int64_t between(struct series *s, int64_t least, int64_t most)
{
    s->state = s->state * 6364136223846793005U + 1442695040888963407U;
    return least + (int64_t)((s->state >> 33) % (uint64_t)(most - least + 1));
}

static float *memory(size_t size)
{
    size_t whole = (size + KERNEL_ALIGNMENT) / KERNEL_ALIGNMENT * KERNEL_ALIGNMENT;
    float *items = aligned_alloc(KERNEL_ALIGNMENT, whole + GUARD);

    assert_non_null(items);
    memset(items, 0x7f, whole + GUARD);
    return items;
}

/* What is freed at the end. */
static float *own(struct series *s, float *items)
{
    return s->owned[s->nowned++] = items;
}

/* --- stages --------------------------------------------------------------------------------- */

static struct epilogue draw_epilogue(struct series *s)
{
    static const struct epilogue all[] = {
        {ACTIVATION_NONE, 0, 0},          {ACTIVATION_RELU, 0, 0},
        {ACTIVATION_CLAMP, 0, 0.5F},      {ACTIVATION_SIGMOID, 0, 0},
        {ACTIVATION_LEAKY_RELU, 0.1F, 0}, {ACTIVATION_HARD_SWISH, 1.0F / 6, 0.5F}};

    return all[between(s, 0, sizeof all / sizeof *all - 1)];
}

static int64_t windows(int64_t extent, int64_t pads, int64_t size, int64_t stride)
{
    return extent + pads < size ? 0 : (extent + pads - size) / stride + 1;
}

/* A window of any sort; without one each pixel is a layer of its own. */
static bool draw_window(struct series *s, struct conv *conv)
{
    conv->kernel = (struct plane){between(s, 1, 5), between(s, 1, 5)};
    conv->stride = (struct plane){between(s, 1, 3), between(s, 1, 2)};
    conv->dilation = (struct plane){between(s, 0, 2) ? 1 : 2, between(s, 0, 2) ? 1 : 3};
    conv->before = (struct plane){between(s, 0, 3), between(s, 0, 3)};
    conv->out.y = windows(conv->in.y, conv->before.y + between(s, 0, 3),
                          (conv->kernel.y - 1) * conv->dilation.y + 1, conv->stride.y);
    conv->out.x = windows(conv->in.x, conv->before.x + between(s, 0, 3),
                          (conv->kernel.x - 1) * conv->dilation.x + 1, conv->stride.x);
    return conv->out.y > 0 && conv->out.x > 0;
}

static bool draw_conv(struct series *s, bool first, struct conv *conv)
{
    const struct plane one = {1, 1};
    bool depthwise = conv->in_channels > 1 && between(s, 0, 1);

    conv->groups = depthwise ? conv->in_channels : 1;
    conv->out_channels = depthwise ? conv->in_channels : between(s, 1, 70);
    conv->kernel = conv->stride = conv->dilation = one;
    conv->before = (struct plane){0, 0};
    conv->out = conv->in;
    if ((first || depthwise) && !draw_window(s, conv))
        return false;
    conv->src = steps_dense(conv->in_channels, conv->in);
    conv->dst = steps_dense(conv->out_channels, conv->out);
    conv->epilogue = draw_epilogue(s);
    return true;
}

/* Of the stage alone, all of it at once. */
static float *compute_alone(const struct cascade_stage *stage, const float *src,
                            const float *residual)
{
    const struct conv *conv = &stage->conv;
    struct conv_operands operands = {
        .src = src,
        .packed = stage->packed,
        .bias = stage->bias,
        .residual = residual,
        .dst = memory((size_t)(conv->batch * conv->dst.image) * sizeof(float)),
        .scratch = memory(stage->kernel->scratch_size(conv, 1)),
    };

    stage->kernel->run(conv, &operands, NULL);
    free(operands.scratch);
    return operands.dst;
}

static void add_stage(struct series *s, const struct kernels *kernels, const struct conv *conv)
{
    int at = s->cascade.count++;
    struct cascade_stage *stage = &s->cascade.stage[at];
    int64_t taps = conv->kernel.y * conv->kernel.x * conv->in_channels / conv->groups;
    float *items = random_items(conv->out_channels * taps, s->seed + 1);
    struct filter filter = filter_dense(conv, items);
    bool depthwise = kernels->depthwise->fits(conv) && conv->groups > 1;

    *stage = (struct cascade_stage){.kernel = depthwise ? kernels->depthwise : kernels->direct,
                                    .conv = *conv};
    assert_true(at == 0 || cascade_follows(stage->kernel, conv));
    float *packed = memory(stage->kernel->packed_size(conv));
    stage->kernel->pack(conv, &filter, packed, NULL);
    free(items);
    stage->packed = own(s, packed);
    if (between(s, 0, 1))
        stage->bias = own(s, random_items(conv->out_channels, s->seed + 2));
    s->items = conv->batch * conv->dst.image;
    if (between(s, 0, 1))
        s->operands.residual[at] = own(s, random_items(s->items, s->seed + 3));
    float *results = compute_alone(stage, s->expected, s->operands.residual[at]);
    if (at > 0)
        free(s->expected);
    s->expected = results;
}

/* --- comparison ----------------------------------------------------------------------------- */

static void compute_and_compare(struct series *s, const char *variant, struct team *team)
{
    int last = s->cascade.count - 1;
    size_t size = (size_t)s->items * sizeof(float);
    size_t scratch = cascade_scratch_size(&s->cascade, team_size(team));
    struct cascade_operands operands = s->operands;
    char *guarded = (char *)memory(scratch + GUARD);

    operands.dst = memory(size);
    operands.scratch = guarded;
    if (s->alias && operands.residual[last]) {
        memcpy(operands.dst, operands.residual[last], size);
        operands.residual[last] = operands.dst;
    }
    cascade_run(&s->cascade, &operands, team);
    if (memcmp(operands.dst, s->expected, size) != 0)
        fail_msg("seed %u, %s, %d stages, bands of %d rows, %d members: other results", s->seed,
                 variant, s->cascade.count, (int)s->cascade.band, team_size(team));
    for (int i = 0; i < GUARD; i++)
        assert_int_equal(guarded[scratch + (size_t)i], 0x7f);
    free(guarded);
    free(operands.dst);
}

static void check_series(struct series *s, const struct kernels *kernels, struct team *team)
{
    struct conv conv = {.batch = between(s, 0, 2) ? 1 : between(s, 2, 4),
                        .in_channels = between(s, 1, 40),
                        .in = {between(s, 1, 40), between(s, 1, 30)}};
    int stages = (int)between(s, 1, MOST_STAGES);

    s->src = s->expected = random_items(conv.batch * conv.in_channels * conv.in.y * conv.in.x, 1);
    s->operands.src = s->src;
    s->alias = between(s, 0, 1);
    while (s->cascade.count < stages && draw_conv(s, s->cascade.count == 0, &conv)) {
        add_stage(s, kernels, &conv);
        conv.in = conv.out;
        conv.in_channels = conv.out_channels;
    }
    for (size_t bytes = 0; s->cascade.count > 0 && bytes <= 1 << 20; bytes = 8 * bytes + 512) {
        cascade_fill(&s->cascade, bytes);
        compute_and_compare(s, kernels->name, NULL);
        compute_and_compare(s, kernels->name, team);
    }
}

static void series_free(struct series *s)
{
    for (int i = 0; i < s->nowned; i++)
        free(s->owned[i]);
    if (s->expected != s->src)
        free(s->expected);
    free(s->src);
}

static void bands_give_what_whole_images_do(void **state)
{
    struct team *team = team_new(MEMBERS);
    const struct kernels *kernels;

    (void)state;
    for (int i = 0; (kernels = kernels_variant(i)); i++)
        for (unsigned seed = 0; seed < SEEDS; seed++) {
            struct series s = {.seed = seed, .state = seed};
            check_series(&s, kernels, team);
            series_free(&s);
        }
    team_free(team);
}

/* --- sizes ---------------------------------------------------------------------------------- */

/* 3 x 3 taps of each channel, then its pixels; of so many rows of 4 pixels and 8 channels. */
static struct cascade small(int64_t rows)
{
    const struct plane extents = {rows, 4}, one = {1, 1}, taps = {3, 3}, none = {0, 0};
    const struct kernels *k = kernels_variant(0);
    struct conv conv = {.batch = 1,
                        .groups = 1,
                        .in_channels = 8,
                        .out_channels = 8,
                        .in = extents,
                        .out = extents,
                        .kernel = one,
                        .stride = one,
                        .dilation = one,
                        .before = none,
                        .src = steps_dense(8, extents),
                        .dst = steps_dense(8, extents)};
    struct cascade c = {.count = 2};

    c.stage[0] = (struct cascade_stage){.kernel = k->direct, .conv = conv};
    conv.groups = 8;
    conv.kernel = taps;
    conv.before = one;
    c.stage[1] = (struct cascade_stage){.kernel = k->depthwise, .conv = conv};
    return c;
}

static void bands_are_as_high_as_memory_lets_them_be(void **state)
{
    static const size_t row = sizeof(float) * 8 * 4;
    struct cascade c = small(32);

    (void)state;
    cascade_fill(&c, 0);
    assert_int_equal(c.band, 1);
    assert_int_equal(c.rows[0], 3);
    size_t beside = c.member - 3 * row;
    cascade_fill(&c, beside + 9 * row);
    assert_int_equal(c.band, 7);
    assert_true(c.member <= beside + 10 * row);
    cascade_fill(&c, 1 << 20);
    assert_int_equal(c.band, 32);
}

/* Of 32 rows that are expanded, two more at a border of two halves; there is none with one member.
 */
static void what_is_done_twice_is_known(void **state)
{
    struct cascade c = small(32);
    double expanding = 8, all = 8 + 9;

    (void)state;
    assert_true(cascade_excess(&c, 1) == 0);
    double excess = cascade_excess(&c, 2), expected = 2 * 2 * expanding / (32 * all);
    assert_true(excess > 0.99 * expected && excess < 1.01 * expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bands_give_what_whole_images_do),
        cmocka_unit_test(bands_are_as_high_as_memory_lets_them_be),
        cmocka_unit_test(what_is_done_twice_is_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
