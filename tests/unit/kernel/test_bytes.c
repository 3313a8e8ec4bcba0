/*
 * test_bytes.c - layers of bytes and words, sums and products of them, and numbers from and to
 * them: every variant and any number of threads gives the bytes of the formulas in
 * tensor/quantization.h
 */
#include "exec/random.h"
#include "kernel/kernels.h"
#include "support/t.h"
#include "tensor/quantization.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MEMBERS = 4, LAYERS = 300, LARGE_LAYERS = 40, FILLED = 0xa5, MOST_COUNT = 70 };

static int64_t draw(struct random *random, int64_t low, int64_t high)
{
    return low + (int64_t)(random_bits(random) % (uint64_t)(high - low + 1));
}

static bool chance(struct random *random, int percent)
{
    return draw(random, 0, 99) < percent;
}

static void *filled(size_t size)
{
    size_t whole = (size / KERNEL_ALIGNMENT + 1) * KERNEL_ALIGNMENT;
    void *memory = aligned_alloc(KERNEL_ALIGNMENT, whole);

    assert_non_null(memory);
    return memset(memory, FILLED, whole);
}

static int64_t byte_at(const void *bytes, int64_t index, bool is_signed)
{
    return is_signed ? ((const int8_t *)bytes)[index] : ((const uint8_t *)bytes)[index];
}

/* Of words if `wide`. */
static int64_t item_at(const void *items, int64_t index, bool is_signed, bool wide)
{
    if (!wide)
        return byte_at(items, index, is_signed);
    return is_signed ? ((const int16_t *)items)[index] : ((const uint16_t *)items)[index];
}

static int64_t least_item(bool is_signed, bool wide)
{
    return !is_signed ? 0 : wide ? INT16_MIN : INT8_MIN;
}

static int64_t range_of(bool wide)
{
    return wide ? UINT16_MAX : UINT8_MAX;
}

static struct byte_target target_of(const struct saturation *s, bool wide)
{
    return (struct byte_target){(float)(s->low - s->zero), (float)(s->high - s->zero),
                                (int32_t)s->zero, wide};
}

/* Bounds within items with or without a sign, and a zero that may be at one of them.  Some are
 * those behind a relu. */
static struct saturation draw_saturation(struct random *random, bool wide)
{
    int64_t least = least_item(chance(random, 50), wide), most = least + range_of(wide);
    struct saturation s = {0, least, most};

    if (chance(random, 25))
        return (struct saturation){.zero = 0, .low = 0, .high = range_of(wide)};
    if (chance(random, 30)) {
        s.low = draw(random, least, most);
        s.high = draw(random, s.low, most);
    }
    s.zero = chance(random, 20) ? s.low : chance(random, 20) ? s.high : draw(random, least, most);
    return s;
}

/* --- layers: a random one ------------------------------------------------------------------- */

enum kind { ANY, THREES, DEPTHWISE, MOVES, LONG_ROWS, WORDS, DEPTHWISE_WORDS };

static bool is_single(enum kind kind)
{
    return kind == DEPTHWISE || kind == MOVES || kind == LONG_ROWS;
}

/* Does it have what the fastest kernels need, beside the geometry? */
static bool is_fast(enum kind kind)
{
    return kind == MOVES || kind == LONG_ROWS;
}

struct problem {
    struct random random;
    struct byte_layer layer;
    enum kind kind;
    bool extreme; /* the largest items, and 114 channels: sums are just below BYTE_WINOGRAD_SUMS */
    struct saturation to;
    struct filter filter;
    int64_t *items, *zeros;
    uint8_t *bytes; /* the same items, for filters of bytes */
    void *src, *expected;
    int32_t *bias; /* of each channel, and so the factors */
    float *factor;
    size_t src_size, dst_size;
};

static int64_t outputs(int64_t in, int64_t padding, int64_t reach, int64_t stride)
{
    return in + padding < reach ? 0 : (in + padding - reach) / stride + 1;
}

/* One dimension of the images; padding may be larger than the window's reach, or cut items off. */
static void draw_dimension(struct random *r, int64_t *const dim[6])
{
    enum { IN, OUT, KERNEL, STRIDE, DILATION, BEFORE };
    int64_t after, reach;

    do {
        *dim[IN] = draw(r, 1, chance(r, 2) ? 160 : chance(r, 30) ? 17 : 6);
        *dim[KERNEL] = draw(r, 1, chance(r, 20) ? 6 : 4);
        *dim[STRIDE] = chance(r, 60) ? 1 : draw(r, 2, 3);
        *dim[DILATION] = chance(r, 60) ? 1 : draw(r, 2, 3);
        reach = (*dim[KERNEL] - 1) * *dim[DILATION] + 1;
        *dim[BEFORE] = chance(r, 20) ? draw(r, -2, reach + 3) : draw(r, 0, 2);
        after = chance(r, 20) ? draw(r, -2, reach + 3) : draw(r, 0, 2);
        *dim[OUT] = outputs(*dim[IN], *dim[BEFORE] + after, reach, *dim[STRIDE]);
    } while (*dim[OUT] < 1);
}

/* Three by three taps that move by two pixels. */
static void draw_moves(struct random *r, struct conv *conv)
{
    int64_t *const in[] = {&conv->in.y, &conv->in.x}, *const out[] = {&conv->out.y, &conv->out.x};
    int64_t *const before[] = {&conv->before.y, &conv->before.x};

    conv->kernel = (struct plane){3, 3};
    conv->stride = (struct plane){2, 2};
    conv->dilation = (struct plane){1, 1};
    for (int i = 0; i < 2; i++)
        do {
            *in[i] = draw(r, 1, 30);
            *before[i] = draw(r, -7, 4);
            *out[i] = outputs(*in[i], *before[i] + draw(r, -2, 4), 3, 2);
        } while (*out[i] < 1);
}

/* Taps that move by one pixel, along a row that may be long. */
static void draw_long_row(struct random *r, struct conv *conv)
{
    conv->kernel.y = draw(r, 1, 4);
    conv->kernel.x = chance(r, 50) ? 3 : draw(r, 1, 4);
    conv->dilation.y = conv->stride.x = conv->dilation.x = 1;
    conv->before = (struct plane){draw(r, 0, 2), draw(r, -2, 3)};
    conv->in = (struct plane){conv->kernel.y + draw(r, 0, 3), draw(r, 30, 200)};
    conv->out.y =
        outputs(conv->in.y, conv->before.y + draw(r, 0, 2), conv->kernel.y, conv->stride.y);
    conv->out.x = outputs(conv->in.x, conv->before.x + draw(r, -2, 3), conv->kernel.x, 1);
}

/* Gaps between pixels and rows. */
static struct steps draw_steps(struct random *r, int64_t channels, const struct plane *extents)
{
    struct steps steps = steps_dense(channels, *extents);

    if (chance(r, 30)) {
        steps.pixel += draw(r, 1, 5);
        steps.row = steps.pixel * extents->x + draw(r, 0, 3);
        steps.image = steps.row * extents->y + draw(r, 0, 3);
    }
    return steps;
}

static void draw_conv(struct random *r, enum kind kind, struct conv *conv)
{
    const bool depthwise = is_single(kind) || kind == DEPTHWISE_WORDS;
    const int64_t most = chance(r, 20) ? 200 : 70;

    *conv = (struct conv){.batch = draw(r, 1, 2), .groups = 1};
    if (!depthwise && chance(r, 20)) {
        *conv = conv_of_matrices(draw(r, 1, 40), draw(r, 1, 70), draw(r, 1, most));
        return;
    }
    draw_dimension(r, (int64_t *[]){&conv->in.y, &conv->out.y, &conv->kernel.y, &conv->stride.y,
                                    &conv->dilation.y, &conv->before.y});
    draw_dimension(r, (int64_t *[]){&conv->in.x, &conv->out.x, &conv->kernel.x, &conv->stride.x,
                                    &conv->dilation.x, &conv->before.x});
    if (kind == MOVES)
        draw_moves(r, conv);
    if (depthwise || chance(r, 30))
        conv->groups = depthwise ? draw(r, 1, most) : draw(r, 2, 5);
    if (kind == LONG_ROWS) { /* many have more quads than the first cache has room for */
        draw_long_row(r, conv);
        conv->groups = 16 * draw(r, 1, 15);
    }
    conv->in_channels = depthwise ? conv->groups : conv->groups * draw(r, 1, 70 / conv->groups);
    conv->out_channels = depthwise ? conv->groups : conv->groups * draw(r, 1, most / conv->groups);
    if (conv->groups == 1 && !depthwise && chance(r, 10)) { /* few weights, whole vectors */
        conv->in_channels = draw(r, 1, 4);
        conv->out_channels = 16 * draw(r, 1, 2);
        if (chance(r, 30)) { /* long rows */
            conv->kernel.x = conv->stride.x = conv->dilation.x = 1;
            conv->before.x = 0;
            conv->in.x = conv->out.x = draw(r, 257, 300);
        }
    }
    conv->src = draw_steps(r, conv->in_channels, &conv->in);
    conv->dst = draw_steps(r, conv->out_channels, &conv->out);
}

/* Taps of 3 by 3 and enough outputs for tiles of Winograd's algorithm. */
static void draw_threes(struct random *r, bool extreme, struct conv *conv)
{
    int64_t *const in[] = {&conv->in.y, &conv->in.x}, *const out[] = {&conv->out.y, &conv->out.x};
    int64_t *const before[] = {&conv->before.y, &conv->before.x};
    const struct plane dilation = {chance(r, 70) ? 1 : draw(r, 2, 5),
                                   chance(r, 70) ? 1 : draw(r, 2, 5)};

    *conv = (struct conv){.batch = draw(r, 1, 3), .groups = 1, .kernel = {3, 3}, .stride = {1, 1}};
    conv->dilation = dilation;
    conv->in_channels = extreme ? 114 : draw(r, 1, 70);
    conv->out_channels = draw(r, 1, chance(r, 20) ? 150 : 70);
    for (int i = 0; i < 2; i++) {
        const int64_t reach = 2 * (i == 0 ? dilation.y : dilation.x) + 1;
        *before[i] = draw(r, -2, reach + 1);
        *out[i] = draw(r, 13, 22);
        *in[i] = num_max(*out[i] + reach - 1 - *before[i] - draw(r, -2, reach + 1), 1);
    }
    conv->src = draw_steps(r, conv->in_channels, &conv->in);
    conv->dst = draw_steps(r, conv->out_channels, &conv->out);
}

static void draw_weights(struct problem *p)
{
    const struct conv *conv = &p->layer.conv;
    struct random *r = &p->random;
    const int64_t taps = conv->kernel.y * conv->kernel.x;
    const int64_t count = conv->out_channels * (conv->in_channels / conv->groups) * taps;
    bool words = p->layer.src.wide, largest = p->extreme || (words && chance(r, 20));
    bool small = words || p->kind == THREES || is_fast(p->kind);
    bool symmetric = small || chance(r, 50), is_signed = small || chance(r, 70);
    bool wide = !words && taps == 1 && conv->groups > 1;

    p->items = filled((size_t)count * sizeof *p->items);
    p->bytes = filled((size_t)count);
    p->zeros = filled((size_t)conv->out_channels * sizeof *p->zeros);
    p->filter = filter_dense(conv, p->items);
    p->filter.zero = p->zeros;
    p->filter.zero_step = chance(r, 50);
    for (int64_t i = 0; i < count; i++)
        p->items[i] = wide      ? draw(r, -32000, 32000)
                      : largest ? INT8_MIN
                                : draw(r, 0, UINT8_MAX) - (is_signed ? 128 : 0);
    for (int64_t i = 0; i < count; i++)
        p->bytes[i] = (uint8_t)p->items[i];
    if (!wide && chance(r, 50)) {
        p->filter.items = p->bytes;
        p->filter.form = is_signed ? FILTER_SIGNED : FILTER_UNSIGNED;
    }
    for (int64_t c = 0; c < conv->out_channels; c++)
        p->zeros[c] =
            symmetric || chance(r, 50) ? 0 : draw(r, 0, UINT8_MAX) - (is_signed ? 128 : 0);
}

/* Sums with the bias stay below 2^24 in layers of single channels, else of bytes below 2^31. */
static void draw_lists(struct problem *p)
{
    const int64_t channels = p->layer.conv.out_channels;
    const int64_t most = is_single(p->kind) ? 1 << 21 : p->kind == WORDS ? INT32_MAX : 1 << 29;
    struct random *r = &p->random;
    const int64_t least = chance(r, 20) ? 1 : 2; /* a half may make steps beyond 2^31 */

    p->bias = filled((size_t)channels * sizeof *p->bias);
    p->factor = filled((size_t)channels * sizeof *p->factor);
    for (int64_t c = 0; c < channels; c++) {
        p->bias[c] = (int32_t)(chance(r, 50) ? draw(r, -1000, 1000) : draw(r, -most, most));
        /* Powers of two make halves. */
        p->factor[c] =
            chance(r, 40) ? ldexpf(1, -(int)draw(r, least, 14)) : (float)draw(r, -9, 1000) * 1e-6F;
    }
}

static int64_t image_bytes(int64_t batch, const struct steps *steps)
{
    return batch * steps->image + steps->pixel;
}

static size_t item_size(enum byte_result result)
{
    switch (result) {
    case RESULT_BYTES:
        return 1;
    case RESULT_WORDS:
        return sizeof(uint16_t);
    case RESULT_NUMBERS:
        return sizeof(float);
    case RESULT_SUMS:
        break;
    }
    return sizeof(int64_t);
}

/* Some sources of words have only the least one, whose products are the largest.  Extreme sources
 * of bytes have only the largest byte. */
static void draw_source(struct problem *p)
{
    const bool words = p->layer.src.wide, least = words && chance(&p->random, 20);
    const int64_t count = image_bytes(p->layer.conv.batch, &p->layer.conv.src);
    const uint16_t item = p->layer.src.is_signed ? 1U << 15 : 0;

    p->src_size = (size_t)count * (words ? sizeof(uint16_t) : 1);
    p->src = filled(p->src_size);
    for (size_t i = 0; i < p->src_size; i++)
        ((uint8_t *)p->src)[i] = (uint8_t)draw(&p->random, 0, UINT8_MAX);
    for (int64_t i = 0; i < count && least; i++)
        ((uint16_t *)p->src)[i] = item;
    if (p->extreme)
        memset(p->src, p->layer.src.is_signed ? INT8_MAX : UINT8_MAX, p->src_size);
}

static void draw_problem(struct problem *p, uint64_t seed, enum kind kind)
{
    struct conv *conv = &p->layer.conv;
    struct random *r = &p->random;
    bool words = kind >= WORDS;

    *p = (struct problem){.random = random_stream(seed, "layer"), .kind = kind};
    p->extreme = kind == THREES && seed % 8 == 0;
    if (kind == THREES)
        draw_threes(r, p->extreme, conv);
    else
        draw_conv(r, kind, conv);
    p->layer.result = is_fast(kind) || chance(r, 40)
                          ? RESULT_BYTES
                          : (enum byte_result)draw(r, RESULT_BYTES, RESULT_SUMS);
    p->layer.src.is_signed = chance(r, 50);
    p->layer.src.wide = words;
    const int64_t least = least_item(p->layer.src.is_signed, words);
    p->layer.src.zero = (int32_t)(!words && kind != THREES && !is_fast(kind) && chance(r, 50)
                                      ? draw(r, INT8_MIN, UINT8_MAX)
                                      : draw(r, least, least + range_of(words)));
    if (p->extreme)
        p->layer.src.zero = (int32_t)least;
    p->to = draw_saturation(r, p->layer.result == RESULT_WORDS);
    p->layer.to = target_of(&p->to, p->layer.result == RESULT_WORDS);
    draw_weights(p);
    draw_lists(p);
    draw_source(p);
    p->dst_size = (size_t)image_bytes(conv->batch, &conv->dst) * item_size(p->layer.result);
    p->expected = filled(p->dst_size);
}

static void free_problem(struct problem *p)
{
    free(p->items);
    free(p->bytes);
    free(p->zeros);
    free(p->src);
    free(p->expected);
    free(p->bias);
    free(p->factor);
}

/* --- layers: what is expected --------------------------------------------------------------- */

struct place {
    int64_t image, y, x, channel;
};

/* What a tap of an output adds; 0 outside the image, which has the zero. */
static int64_t product(const struct problem *p, const struct place *at, int64_t in, int64_t ky,
                       int64_t kx)
{
    const struct conv *conv = &p->layer.conv;
    const int64_t y = at->y * conv->stride.y + ky * conv->dilation.y - conv->before.y;
    const int64_t x = at->x * conv->stride.x + kx * conv->dilation.x - conv->before.x;
    const int64_t each = conv->out_channels / conv->groups, group = at->channel / each;
    const struct filter *f = &p->filter;

    if (y < 0 || y >= conv->in.y || x < 0 || x >= conv->in.x)
        return 0;
    const int64_t item = group * (conv->in_channels / conv->groups) + in +
                         at->image * conv->src.image + y * conv->src.row + x * conv->src.pixel;
    const int64_t weight = p->items[group * f->group + at->channel % each * f->out + in * f->in +
                                    ky * f->y + kx * f->x];
    return (item_at(p->src, item, p->layer.src.is_signed, p->layer.src.wide) - p->layer.src.zero) *
           (weight - p->zeros[at->channel * f->zero_step]);
}

static void expect(struct problem *p, const struct place *at)
{
    const struct conv *conv = &p->layer.conv;
    const int64_t to =
        at->image * conv->dst.image + at->y * conv->dst.row + at->x * conv->dst.pixel + at->channel;
    int64_t sum = p->bias[at->channel];

    for (int64_t in = 0; in < conv->in_channels / conv->groups; in++)
        for (int64_t tap = 0; tap < conv->kernel.y * conv->kernel.x; tap++)
            sum += product(p, at, in, tap / conv->kernel.x, tap % conv->kernel.x);
    float steps = (float)sum * p->factor[at->channel];
    if (p->layer.result == RESULT_SUMS)
        ((int64_t *)p->expected)[to] = sum;
    else if (p->layer.result == RESULT_NUMBERS)
        ((float *)p->expected)[to] = steps;
    else if (p->layer.result == RESULT_WORDS)
        ((uint16_t *)p->expected)[to] = (uint16_t)quantized_integer(steps, &p->to);
    else
        ((uint8_t *)p->expected)[to] = (uint8_t)quantized_integer(steps, &p->to);
}

static void expect_all(struct problem *p)
{
    const struct conv *conv = &p->layer.conv;
    const int64_t count = conv->batch * conv->out.y * conv->out.x * conv->out_channels;

    for (int64_t i = 0; i < count; i++) {
        const int64_t pixel = i / conv->out_channels, row = pixel / conv->out.x;
        expect(p, &(struct place){row / conv->out.y, row % conv->out.y, pixel % conv->out.x,
                                  i % conv->out_channels});
    }
}

/* --- layers: what kernels make of it -------------------------------------------------------- */

/* A list of channels with the room that kernels want in each group. */
static void *spread(const struct conv *conv, const void *list, int64_t groups)
{
    const int64_t each = conv->out_channels / groups;
    const int64_t room = num_divide_up(each, BYTE_PANEL) * BYTE_PANEL;
    uint32_t *spread_out = filled((size_t)(groups * room) * sizeof *spread_out);

    memset(spread_out, 0, (size_t)(groups * room) * sizeof *spread_out);
    for (int64_t c = 0; c < conv->out_channels; c++)
        spread_out[c / each * room + c % each] = ((const uint32_t *)list)[c];
    return spread_out;
}

/* A way to compute a layer. */
struct way {
    const struct conv_kernel *kernel;
    byte_layer_run *run;
    bool depthwise;
};

static void check_way(const struct kernels *kernels, const struct problem *p, const struct way *way,
                      struct team *team)
{
    const struct conv *conv = &p->layer.conv;
    const struct conv_kernel *kernel = way->kernel;
    const int64_t groups = way->depthwise ? 1 : conv->groups;

    assert_true(kernel->fits(conv));
    void *packed = filled(kernel->packed_size(conv)), *dst = filled(p->dst_size);
    void *scratch = filled(kernels_scratch(kernel, conv, team_size(team)));
    void *bias = spread(conv, p->bias, groups), *factor = spread(conv, p->factor, groups);
    const struct byte_operands operands = {
        p->src, packed, bias, p->layer.result == RESULT_SUMS ? NULL : factor, dst, scratch};
    kernel->pack(conv, &p->filter, packed, team);
    way->run(&p->layer, &operands, team);
    if (memcmp(dst, p->expected, p->dst_size) != 0)
        fail_msg("%s by %s, %d members: bytes differ", kernel->name, kernels->name,
                 team_size(team));
    free(packed);
    free(dst);
    free(scratch);
    free(bias);
    free(factor);
}

/* May quads of bytes be multiplied? */
static bool has_quads(const struct problem *p)
{
    const struct conv *conv = &p->layer.conv;
    const struct filter *f = &p->filter;
    const int64_t taps = conv->kernel.y * conv->kernel.x * (conv->in_channels / conv->groups);
    const int64_t least = p->layer.src.is_signed ? INT8_MIN : 0, zero = p->layer.src.zero;
    bool fit = zero >= least && zero <= least + UINT8_MAX;

    for (int64_t c = 0; c < conv->out_channels; c++)
        for (int64_t i = 0; i < taps; i++) {
            const int64_t w = p->items[c * taps + i] - p->zeros[c * f->zero_step];
            fit = fit && w >= INT8_MIN && w <= INT8_MAX;
        }
    return fit;
}

static void check_problem(const struct kernels *kernels, const struct problem *p, struct team *team)
{
    const struct byte_kernels *k = kernels->bytes;

    if (is_single(p->kind)) {
        check_way(kernels, p, &(struct way){k->depthwise, k->run_depthwise, true}, team);
        if (k->columns && has_quads(p))
            check_way(kernels, p, &(struct way){k->columns, k->run_columns, true}, team);
        if (k->rows && has_quads(p) && k->rows->fits(&p->layer.conv))
            check_way(kernels, p, &(struct way){k->rows, k->run_rows, true}, team);
        return;
    }
    if (p->kind == WORDS) {
        check_way(kernels, p, &(struct way){k->words, k->run_words, false}, team);
        return;
    }
    if (p->kind == DEPTHWISE_WORDS) {
        check_way(kernels, p, &(struct way){k->words_depthwise, k->run_words_depthwise, true},
                  team);
        return;
    }
    if (p->kind == THREES) {
        check_way(kernels, p, &(struct way){k->winograd, k->run_winograd, false}, team);
        return;
    }
    check_way(kernels, p, &(struct way){k->pairs, k->run_pairs, false}, team);
    if (has_quads(p))
        check_way(kernels, p, &(struct way){k->quads, k->run_quads, false}, team);
}

static void check_layers(enum kind kind, uint64_t count)
{
    const struct kernels *kernels;
    struct team *team[MOST_MEMBERS];

    for (int i = 0; i < MOST_MEMBERS; i++)
        team[i] = i == 0 ? NULL : team_new(i + 1);
    for (uint64_t seed = 0; seed < count; seed++) {
        struct problem p;
        draw_problem(&p, seed, kind);
        expect_all(&p);
        for (int i = 0; (kernels = kernels_variant(i)); i++)
            for (int members = 0; members < MOST_MEMBERS; members++)
                check_problem(kernels, &p, team[members]);
        free_problem(&p);
    }
    for (int i = 0; i < MOST_MEMBERS; i++)
        team_free(team[i]);
}

static void test_layers_of_any_geometry(void **state)
{
    (void)state;
    check_layers(ANY, LAYERS);
}

static void test_layers_by_winograd(void **state)
{
    (void)state;
    check_layers(THREES, LARGE_LAYERS);
}

static void test_layers_of_single_channels(void **state)
{
    (void)state;
    check_layers(DEPTHWISE, LAYERS);
}

static void test_layers_of_single_channels_that_move_by_two(void **state)
{
    (void)state;
    check_layers(MOVES, LAYERS);
}

static void test_layers_of_single_channels_and_long_rows(void **state)
{
    (void)state;
    check_layers(LONG_ROWS, LARGE_LAYERS);
}

static void test_layers_of_words(void **state)
{
    (void)state;
    check_layers(WORDS, LAYERS);
}

static void test_layers_of_words_of_single_channels(void **state)
{
    (void)state;
    check_layers(DEPTHWISE_WORDS, LAYERS);
}

/* --- item by item --------------------------------------------------------------------------- */

struct lists {
    struct random random;
    uint16_t x[MOST_COUNT], y[MOST_COUNT], made[MOST_COUNT + 1]; /* bytes or words */
    float number[MOST_COUNT], made_number[MOST_COUNT + 1];
};

static void draw_items(struct random *random, uint16_t *items)
{
    for (int i = 0; i < MOST_COUNT; i++)
        items[i] = (uint16_t)draw(random, 0, UINT16_MAX);
}

/* Behind the items that are made. */
static void mark_end(struct lists *l, int count, bool wide)
{
    memset((char *)l->made + (ptrdiff_t)count * (wide ? 2 : 1), FILLED, 1);
}

static void check_end(const struct lists *l, int count, bool wide)
{
    assert_int_equal(((const uint8_t *)l->made)[(ptrdiff_t)count * (wide ? 2 : 1)], FILLED);
}

/* What makes ties and is next to them, what lies beyond all bounds, and what is no number. */
static void draw_numbers(struct random *random, float *number, float scale)
{
    static const float corners[] = {NAN, INFINITY, -INFINITY, 3e38F, -3e38F, -0.0F, 1e-40F};

    for (int i = 0; i < MOST_COUNT; i++) {
        const int64_t most = chance(random, 20) ? 140000 : 600;
        number[i] = chance(random, 10)   ? corners[draw(random, 0, 6)]
                    : chance(random, 60) ? (float)draw(random, -most, most) * scale / 2
                                         : (float)draw(random, -30000, 30000) * scale / 100;
        if (chance(random, 40))
            number[i] = nextafterf(number[i], chance(random, 50) ? INFINITY : -INFINITY);
    }
}

static void check_conversions(const struct byte_kernels *kernels, struct lists *l, int count)
{
    struct random *r = &l->random;
    const bool wide = chance(r, 50);
    const struct byte_code code = {
        chance(r, 50),
        (int32_t)(wide ? draw(r, INT16_MIN, UINT16_MAX) : draw(r, INT8_MIN, UINT8_MAX)), wide};
    const struct saturation to = draw_saturation(r, wide);
    const struct byte_target target = target_of(&to, wide);
    const float even =
        chance(r, 50) ? ldexpf(1, (int)draw(r, -8, 3)) : (float)draw(r, 1, 5000) * 1e-4F;
    const float scale = chance(r, 10) ? ldexpf(even, (int)draw(r, -100, 100)) : even;

    draw_items(r, l->x);
    draw_numbers(r, l->number, scale);
    l->made_number[count] = 7;
    kernels->numbers(l->made_number, l->x, &code, scale, count);
    for (int i = 0; i < count; i++)
        assert_true(l->made_number[i] ==
                    quantized_number(item_at(l->x, i, code.is_signed, wide), code.zero, scale));
    assert_true(l->made_number[count] == 7);
    mark_end(l, count, wide);
    kernels->bytes(l->made, l->number, scale, &target, count);
    for (int i = 0; i < count; i++)
        if (item_at(l->made, i, to.low < 0, wide) != quantized_integer(l->number[i] / scale, &to))
            fail_msg("%g by %g is item %d", (double)l->number[i], (double)scale,
                     (int)item_at(l->made, i, to.low < 0, wide));
    check_end(l, count, wide);
}

static void check_pair(const struct byte_kernels *kernels, struct lists *l, int count)
{
    struct random *r = &l->random;
    const bool wide = chance(r, 30), any = chance(r, 50); /* any: words, too */
    const struct saturation to = draw_saturation(r, wide), reached = {0, to.low, to.high};
    float scale[3];
    struct byte_pair pair = {.is_signed = {chance(r, 50), chance(r, 50)},
                             .wide = {any && chance(r, 50), any && chance(r, 50)}};
    bool adds = chance(r, 50);

    for (int i = 0; i < 3; i++)
        scale[i] = chance(r, 50) ? ldexpf(1, (int)draw(r, -3, 1)) : (float)draw(r, 1, 100) * 0.01F;
    for (int i = 0; i < 2; i++)
        pair.zero[i] =
            (int32_t)(pair.wide[i] ? draw(r, INT16_MIN, UINT16_MAX) : draw(r, INT8_MIN, UINT8_MAX));
    const int64_t zero[] = {pair.zero[0], pair.zero[1], to.zero};
    const struct quantized_sum sum = quantized_sum_of(scale, zero);
    pair.a = sum.a;
    pair.b = sum.b;
    pair.offset = sum.offset;
    pair.factor = quantized_factor(scale[0], scale[1], scale[2]);
    pair.to = target_of(adds ? &reached : &to, wide);
    draw_items(r, l->x);
    draw_items(r, l->y);
    mark_end(l, count, wide);
    (adds ? kernels->add : kernels->multiply)(l->made, l->x, l->y, &pair, count);
    for (int i = 0; i < count; i++) {
        int64_t x = item_at(l->x, i, pair.is_signed[0], pair.wide[0]);
        int64_t y = item_at(l->y, i, pair.is_signed[1], pair.wide[1]);
        float steps = adds ? fmaf((float)x, sum.a, fmaf((float)y, sum.b, sum.offset))
                           : (float)((x - pair.zero[0]) * (y - pair.zero[1])) * pair.factor;
        assert_int_equal(item_at(l->made, i, to.low < 0, wide),
                         quantized_integer(steps, adds ? &reached : &to));
    }
    check_end(l, count, wide);
}

static void check_table(const struct byte_kernels *kernels, struct lists *l, int count)
{
    uint8_t table[UINT8_MAX + 1];
    const uint8_t *from = (const uint8_t *)l->x, *made = (const uint8_t *)l->made;

    for (int i = 0; i <= UINT8_MAX; i++)
        table[i] = (uint8_t)draw(&l->random, 0, UINT8_MAX);
    draw_items(&l->random, l->x);
    mark_end(l, count, false);
    kernels->look_up((uint8_t *)l->made, from, table, count);
    for (int i = 0; i < count; i++)
        assert_int_equal(made[i], table[from[i]]);
    check_end(l, count, false);
}

/* Mixes of halves by quarters are exact, so that only the division is rounded. */
static void check_mixes(const struct byte_kernels *kernels, struct lists *l, int count)
{
    enum { CHANNELS = 128, PIXELS = 9 };
    static const int whole[] = {16, 32, 64, 128};
    static const float zeros[CHANNELS];
    struct random *r = &l->random;
    const bool wide = chance(r, 20);
    const int64_t channels = chance(r, 70) ? whole[draw(r, 0, 3)] : draw(r, 1, 80);
    const struct saturation to = draw_saturation(r, wide);
    const struct byte_target target = target_of(&to, wide);
    const float scale = chance(r, 50) ? 0.5F : (float)draw(r, 1, 5000) * 1e-3F;
    float row[CHANNELS * (PIXELS + 1)];
    uint16_t made[CHANNELS * PIXELS + 1];
    struct pixel_mix pixels[PIXELS];
    const struct mixed_row mixed = {row, zeros, channels, pixels, count % PIXELS + 1};
    const int items = (int)(channels * mixed.count);

    for (int i = 0; i < channels * PIXELS; i++)
        row[i] = (float)draw(r, -600, 600) / 2;
    for (int i = 0; i < channels; i++)
        row[channels * PIXELS + i] = NAN; /* a pixel that only has shares of 0 */
    for (int i = 0; i < PIXELS; i++) {
        pixels[i].share = (float)draw(r, 0, 3) / 4;
        for (int k = 0; k < 2; k++)
            pixels[i].from[k] = chance(r, 20) ? MIX_ZEROS : draw(r, 0, PIXELS - 1) * channels;
        if (pixels[i].share == 0)
            pixels[i].from[1] = channels * PIXELS;
    }
    memset((char *)made + (ptrdiff_t)items * (wide ? 2 : 1), FILLED, 1);
    kernels->mixed_bytes(made, &mixed, scale, &target);
    for (int i = 0; i < items; i++) {
        const struct pixel_mix *at = &pixels[i / channels];
        float x[2];
        for (int k = 0; k < 2; k++)
            x[k] = at->from[k] == MIX_ZEROS ? 0 : row[at->from[k] + i % channels];
        const float mix = at->share == 0 ? x[0] : (1 - at->share) * x[0] + at->share * x[1];
        assert_int_equal(item_at(made, i, to.low < 0, wide), quantized_integer(mix / scale, &to));
    }
    assert_int_equal(((const uint8_t *)made)[(ptrdiff_t)items * (wide ? 2 : 1)], FILLED);
}

static void check_counts(void (*check)(const struct byte_kernels *, struct lists *, int))
{
    const struct kernels *kernels;

    for (int i = 0; (kernels = kernels_variant(i)); i++) {
        struct lists lists = {.random = random_stream(1, "lists")};
        for (int k = 0; k < 20 * MOST_COUNT; k++)
            check(kernels->bytes, &lists, 1 + k % MOST_COUNT);
    }
}

static void test_numbers_from_and_to_bytes(void **state)
{
    (void)state;
    check_counts(check_conversions);
}

static void test_sums_and_products(void **state)
{
    (void)state;
    check_counts(check_pair);
}

static void test_bytes_of_mixed_pixels(void **state)
{
    (void)state;
    check_counts(check_mixes);
}

static void test_tables_of_bytes(void **state)
{
    (void)state;
    check_counts(check_table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layers_of_any_geometry),
        cmocka_unit_test(test_layers_by_winograd),
        cmocka_unit_test(test_layers_of_single_channels),
        cmocka_unit_test(test_layers_of_single_channels_that_move_by_two),
        cmocka_unit_test(test_layers_of_single_channels_and_long_rows),
        cmocka_unit_test(test_layers_of_words),
        cmocka_unit_test(test_layers_of_words_of_single_channels),
        cmocka_unit_test(test_numbers_from_and_to_bytes),
        cmocka_unit_test(test_sums_and_products),
        cmocka_unit_test(test_bytes_of_mixed_pixels),
        cmocka_unit_test(test_tables_of_bytes),
    };

    return cmocka_run_group_tests_name("bytes", tests, NULL, NULL);
}
