/*
 * test_c_texts.c - the kernel texts of the backend 'c', compiled as code, against plain loops
 *
 * Buffers are of the size that callers have: what is read or written beyond is found by sanitizers.
 */
#include "support/random_items.h"
#include "support/t.h"

#include <math.h>
#include <string.h>

/* In the order of text.def. */
/* clang-format off */
#include "backend/c/text/common.h"
#include "backend/c/text/base.h"
#include "backend/c/text/items.h"
#include "backend/c/text/taps.h"
#include "backend/c/text/conv.h"
#include "backend/c/text/depthwise.h"
/* clang-format on */

enum { ROOM = 15, WIDEST = 33 };

/* One layer: a filter [out, in of a group, y, x], and the same as the text wants it. */
struct layer {
    struct nn_conv conv;
    bool depthwise; /* each channel has a filter of its own: conv.in_c of them */
    float *filter, *packed, *bias, *image, *residual, *result;
};

static int groups_of(const struct layer *l)
{
    return l->depthwise ? l->conv.in_c : l->conv.groups;
}

static int inputs_of(const struct layer *l)
{
    return l->depthwise ? 1 : l->conv.in_c;
}

static int outputs_of(const struct layer *l)
{
    return l->depthwise ? 1 : l->conv.out_c;
}

static float filter_at(const struct layer *l, int o, int i, int tap)
{
    return l->filter[(o * inputs_of(l) + i) * l->conv.k_h * l->conv.k_w + tap];
}

/* Panels of 16 outputs, or the channels of a tap together. */
static void pack(const struct layer *l)
{
    int taps = l->conv.k_h * l->conv.k_w, groups = groups_of(l), outs = outputs_of(l);
    float *to = l->packed;

    if (l->depthwise) {
        for (int k = 0; k < taps * groups; k++)
            *to++ = filter_at(l, k % groups, 0, k / groups);
        return;
    }
    for (int g = 0; g < groups; g++)
        for (int first = 0; first < outs; first += NN_PANEL)
            for (int k = 0; k < taps * l->conv.in_c; k++)
                for (int o = first; o < first + NN_PANEL && o < outs; o++)
                    *to++ = filter_at(l, g * outs + o, k % l->conv.in_c, k / l->conv.in_c);
}

/* Result (y, x) of channel `o` as NNEF defines it. */
static double expected(const struct layer *l, int y, int x, int o)
{
    const struct nn_conv *c = &l->conv;
    int channels = inputs_of(l) * groups_of(l), first = o / outputs_of(l) * inputs_of(l);
    double sum = (double)l->bias[o];

    for (int tap = 0; tap < c->k_h * c->k_w; tap++) {
        int iy = y * c->stride_h - c->pad_h + tap / c->k_w * c->dil_h;
        int ix = x * c->stride_w - c->pad_w + tap % c->k_w * c->dil_w;
        for (int i = 0; i < inputs_of(l); i++)
            if (iy >= 0 && iy < c->in_h && ix >= 0 && ix < c->in_w)
                sum += (double)l->image[(iy * c->in_w + ix) * channels + first + i] *
                       (double)filter_at(l, o, i, tap);
    }
    if (l->residual)
        sum += (double)l->residual[(y * c->out_w + x) * outputs_of(l) * groups_of(l) + o];
    return c->clamps ? fmax(fmin(sum, (double)c->high), (double)c->low) : sum;
}

static void check_layer(struct layer *l, bool adds, unsigned seed)
{
    const struct nn_conv *c = &l->conv;
    int groups = groups_of(l), outs = groups * outputs_of(l), pixels = c->out_h * c->out_w;
    int weights = outs * inputs_of(l) * c->k_h * c->k_w;

    l->filter = random_items(weights, seed);
    l->packed = random_items(weights + ROOM, seed + 1);
    l->bias = random_items(outs + ROOM, seed + 2);
    l->image = random_items((int64_t)c->in_h * c->in_w * groups * inputs_of(l), seed + 3);
    l->residual = adds ? random_items((int64_t)pixels * outs, seed + 4) : NULL;
    l->result = random_items((int64_t)pixels * outs, seed + 5);
    pack(l);
    if (l->depthwise)
        nn_depthwise(c, l->image, l->packed, l->bias, l->residual, l->result);
    else
        nn_conv_layer(c, l->image, l->packed, l->bias, l->residual, l->result);
    for (int i = 0; i < pixels * outs; i++) {
        double e = expected(l, i / outs / c->out_w, i / outs % c->out_w, i % outs);
        assert_true(fabs((double)l->result[i] - e) < 1e-5);
    }
    free(l->filter);
    free(l->packed);
    free(l->bias);
    free(l->image);
    free(l->residual);
    free(l->result);
}

/* The results that windows have along a side of the image; 0: none fits. */
static int results_along(int in, int size, int stride, int dilation, int padding)
{
    int reach = (size - 1) * dilation + 1;

    return in + 2 * padding < reach ? 0 : (in + 2 * padding - reach) / stride + 1;
}

/* Digits of `number` choose the geometry. */
static bool choose(struct nn_conv *c, int number)
{
    int size_y = 1 + number % 3, size_x = 1 + number / 3 % 3, stride = 1 + number / 9 % 3;
    int dilation = 1 + number / 27 % 2, padding = number / 54 % 4 - 1,
        width = 1 + number / 216 % 15;

    *c = (struct nn_conv){.batch = 1,
                          .groups = 1,
                          .in_h = 5,
                          .in_w = width,
                          .k_h = size_y,
                          .k_w = size_x,
                          .stride_h = stride,
                          .stride_w = stride};
    c->dil_h = c->dil_w = dilation;
    c->pad_h = c->pad_w = padding;
    c->out_h = results_along(c->in_h, size_y, stride, dilation, padding);
    c->out_w = results_along(c->in_w, size_x, stride, dilation, padding);
    c->rows = 1 + number % 4;
    c->clamps = number % 5 == 0;
    c->low = -0.25F;
    c->high = 0.5F;
    return c->out_h > 0 && c->out_w > 0;
}

enum { GEOMETRIES = 3 * 3 * 3 * 2 * 4 * 15 };

static void convolutions_are_those_of_nnef(void **state)
{
    (void)state;
    for (int i = 0; i < GEOMETRIES; i++) {
        struct layer layer = {.depthwise = false};
        if (!choose(&layer.conv, i))
            continue;
        layer.conv.groups = 1 + i % 2;
        layer.conv.in_c = 1 + i % 4;
        layer.conv.out_c = 1 + i % WIDEST;
        check_layer(&layer, i % 3 == 0, (unsigned)i);
    }
}

static void depthwise_convolutions_are_those_of_nnef(void **state)
{
    (void)state;
    for (int i = 0; i < GEOMETRIES; i++) {
        struct layer layer = {.depthwise = true};
        if (!choose(&layer.conv, i))
            continue;
        layer.conv.in_c = layer.conv.out_c = 1 + i % WIDEST;
        check_layer(&layer, i % 3 == 0, (unsigned)i);
    }
}

static void limits_keep_what_is_no_number(void **state)
{
    struct nn_conv c;
    const float weight[1 + ROOM] = {1}, bias[1 + ROOM] = {0}, image[1] = {NAN};
    float result[1] = {0};

    (void)state;
    assert_true(choose(&c, 54));
    c.in_h = c.out_h = c.in_w = c.out_w = c.in_c = c.out_c = 1;
    c.clamps = 1;
    nn_conv_layer(&c, image, weight, bias, NULL, result);
    assert_true(isnan(result[0]));
    result[0] = 0;
    nn_depthwise(&c, image, weight, bias, NULL, result);
    assert_true(isnan(result[0]));
}

/* 0.49999997 + 0.5 is 1 in floats. */
static void halves_are_rounded_up(void **state)
{
    (void)state;
    assert_true(nn_round(0.49999997F) == 0);
    assert_true(nn_round(2.5F) == 3);
    assert_true(nn_round(-2.5F) == -2);
    assert_true(nn_logistic(-200) == 0);
    assert_true(isnan(nn_lesser(1, NAN)) && isnan(nn_greater(NAN, 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolutions_are_those_of_nnef),
        cmocka_unit_test(depthwise_convolutions_are_those_of_nnef),
        cmocka_unit_test(limits_keep_what_is_no_number),
        cmocka_unit_test(halves_are_rounded_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
