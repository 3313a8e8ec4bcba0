/*
 * test_conv.c - conv and deconv follow their formulas (section 4.3.1)
 *
 * Expected values come from adding up the printed sums, output by output.
 */
#include "support/op_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct conv_case {
    const char *input, *filter, *bias, *attrs, *output;
};

static void expect_cases(struct op_fixture *f, const char *op, const struct conv_case *cases)
{
    for (; cases->input; cases++) {
        fixture_feed(f, "input", cases->input);
        fixture_feed(f, "filter", cases->filter);
        fixture_feed(f, "bias", cases->bias);
        fixture_run(f, op, cases->attrs);
        fixture_expect(f, 0, cases->output);
    }
}

/* x = ceil(X / s), the odd item of padding at the end; never negative padding (f_d < s) */
static const struct conv_case conv_pads_automatically_cases[] = {
    {"[1,1,5] -6 5 6 -3 7", "[1,1,3] 9 7 1", "[] 0", "stride = [1], dilation = [1], groups = 1",
     "[1,1,5] -37 -13 84 40 22"},
    {"[1,1,5] -6 5 6 -3 7", "[1,1,2] 2 -3", "[] 0", "stride = [1], dilation = [1], groups = 1",
     "[1,1,5] -27 -8 21 -27 14"},
    {"[1,1,6] 1 0 -6 1 4 6", "[1,1,3] 9 7 1", "[] 0", "stride = [2], dilation = [1], groups = 1",
     "[1,1,3] 3 -43 78"},
    {"[1,1,7] 6 -5 -6 -2 5 -1 5", "[1,1,3] 9 7 1", "[] 0",
     "stride = [2], dilation = [2], groups = 1", "[1,1,4] 36 17 -14 80"},
    {"[1,1,5] -6 5 6 -3 7", "[1,1,1] 7", "[] 0", "stride = [3], dilation = [1], groups = 1",
     "[1,1,2] -42 -21"},
    {"[1,1,4] 5 -4 -8 -1", "[1,1,4] 2 3 -2 -3", "[] 0", "stride = [1], dilation = [2], groups = 1",
     "[1,1,4] 11 31 -10 -14"},
    {"[1,1,7] 6 -5 -6 -2 5 -1 5", "[1,1,2] 2 -3", "[] 0",
     "stride = [5], dilation = [1], groups = 1", "[1,1,2] 27 -17"},
    {0},
};

static void conv_pads_automatically(void **state)
{
    expect_cases(*state, "conv", conv_pads_automatically_cases);
}

static const struct conv_case conv_fills_every_border_cases[] = {
    {"[1,1,4,5] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1", "[1,1,3,3] -1 6 4 -1 2 9 2 -1 -2",
     "[] 0", "padding = [(2,1),(1,2)], groups = 1",
     "[1,1,5,6] 0 -16 3 7 -2 0 16 31 -1 2 -24 14 -46 57 -53 28 35 -13 6 -2 12 -35 44 -2 -54 82 41 "
     "18 -22 2"},
    {"[1,1,4,5] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1", "[1,1,3,3] -1 6 4 -1 2 9 2 -1 -2",
     "[] 0", "padding = [(2,1),(1,2)], stride = [2,3], groups = 1", "[1,1,3,2] 0 7 -46 28 -54 18"},
    {"[1,1,4,5] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1", "[1,1,3,3] -1 6 4 -1 2 9 2 -1 -2",
     "[] 0", "border = 'replicate', padding = [(2,1),(1,2)], groups = 1",
     "[1,1,5,6] -6 47 10 -7 0 0 12 59 11 -7 -37 -7 -60 57 -53 28 104 73 30 -2 12 -35 43 32 -38 86 "
     "20 32 -24 -18"},
    {"[1,1,4,5] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1", "[1,1,3,3] -1 6 4 -1 2 9 2 -1 -2",
     "[] 0", "border = 'replicate', padding = [(2,1),(1,2)], stride = [2,3], groups = 1",
     "[1,1,3,2] -6 -7 -60 28 -38 32"},
    {"[1,1,4,5] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1", "[1,1,3,3] -1 6 4 -1 2 9 2 -1 -2",
     "[] 0", "border = 'reflect', padding = [(2,1),(1,2)], groups = 1",
     "[1,1,5,6] -63 46 -61 60 -64 43 6 29 3 -30 0 -1 -38 57 -53 28 -58 29 -1 -2 12 -35 40 -62 -45 "
     "67 41 16 15 97"},
    {"[1,1,4,5] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1", "[1,1,3,3] -1 6 4 -1 2 9 2 -1 -2",
     "[] 0", "border = 'reflect', padding = [(2,1),(1,2)], stride = [2,3], groups = 1",
     "[1,1,3,2] -63 60 -38 28 -45 16"},
    {"[1,1,4,5] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1", "[1,1,3,3] -1 6 4 -1 2 9 2 -1 -2",
     "[] 0", "border = 'reflect-even', padding = [(2,1),(1,2)], groups = 1",
     "[1,1,5,6] 0 17 2 -30 78 -8 12 59 11 -7 -37 12 -60 57 -53 28 104 -89 30 -2 12 -35 43 29 -38 "
     "86 20 32 -24 17"},
    {"[1,1,4,5] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1", "[1,1,3,3] -1 6 4 -1 2 9 2 -1 -2",
     "[] 0", "border = 'reflect-even', padding = [(2,1),(1,2)], stride = [2,3], groups = 1",
     "[1,1,3,2] 0 -30 -60 28 -38 32"},
    {0},
};

static void conv_fills_every_border(void **state)
{
    expect_cases(*state, "conv", conv_fills_every_border_cases);
}

static const struct conv_case conv_crops_by_negative_padding_cases[] = {
    {"[1,1,6] -4 2 3 -1 0 2", "[1,1,2] -1 6", "[] 0", "padding = [(-1,0)], groups = 1",
     "[1,1,4] 16 -9 1 12"},
    {"[1,1,6] -4 2 3 -1 0 2", "[1,1,2] -1 6", "[] 0",
     "padding = [(-2,-1)], stride = [2], groups = 1", "[1,1,1] -9"},
    {"[1,1,5,5] 1 -6 -1 -9 1 2 0 1 -3 -9 3 -2 5 8 -7 -7 -8 -4 -1 5 -8 1 -2 2 -8",
     "[1,1,2,2] 5 -4 -8 -1", "[] 0", "border = 'replicate', padding = [(-1,2),(1,-2)], groups = 1",
     "[1,1,5,3] -25 -12 7 66 87 38 65 60 -30 64 19 7 64 19 7"},
    {0},
};

static void conv_crops_by_negative_padding(void **state)
{
    expect_cases(*state, "conv", conv_crops_by_negative_padding_cases);
}

static const struct conv_case conv_divides_channels_into_groups_cases[] = {
    {"[2,4,3] -6 5 6 -3 7 0 -1 -5 -2 7 7 -2 3 6 8 -2 7 3 4 2 -8 6 9 0",
     "[6,2,2] 1 0 -6 1 4 6 1 7 -8 2 4 6 -8 3 5 -5 -8 -1 -7 3 -7 -4 6 9", "[1,6] 6 -5 -6 -2 5 -1",
     "padding = [(0,1)], groups = 2",
     "[2,6,3] 25 -31 12 47 58 19 82 -6 -54 -9 77 4 -10 -8 35 131 66 1 28 -27 -4 90 95 30 16 8 -58 "
     "-43 3 62 -44 -66 69 80 71 55"},
    {"[1,4,2,2] -6 8 0 -4 -1 -1 7 4 8 1 3 4 0 6 -7 9", "[4,1,1,2] -8 -1 8 -8 -9 5 1 1", "[] 0",
     "padding = [(0,0),(0,0)], groups = 4", "[1,4,2,1] 40 4 0 24 -67 -7 6 2"},
    {"[1,2,3] -6 8 0 -4 -1 -1", "[4,1,1] -8 -1 8 -8", "[] 0", "padding = [(0,0)], groups = 0",
     "[1,4,3] 48 -64 0 6 -8 0 -32 -8 -8 32 8 8"},
    {0},
};

static void conv_divides_channels_into_groups(void **state)
{
    expect_cases(*state, "conv", conv_divides_channels_into_groups_cases);
}

static const struct conv_case conv_slides_in_any_rank_cases[] = {
    {"[2,3] -4 2 3 -1 0 2", "[4,3] -1 6 4 -1 2 9 2 -1 -2 -7 8 2", "[1,4] 1 -6 -1 -9", "groups = 1",
     "[2,4] 29 29 -17 41 10 13 -7 2"},
    {"[2,2,4] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9",
     "[3,2,3] -1 6 4 -1 2 9 2 -1 -2 -7 8 2 6 -4 -2 -6 -3 -5", "[1,1] 5", "groups = 1",
     "[2,3,4] 7 1 61 12 9 -3 -26 88 7 -19 -23 33 11 7 33 52 -8 36 -13 79 13 -46 13 -64"},
    {"[1,2,3,4] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1 5 9 -5 0",
     "[2,2,2,3] -1 6 4 -1 2 9 2 -1 -2 -7 8 2 6 -4 -2 -6 -3 -5 1 2 -2 -3 1 -8", "[] 0",
     "dilation = [1,2], groups = 1",
     "[1,2,3,4] -68 118 57 -54 -76 138 -116 -13 -81 45 -24 29 12 -51 -18 -18 108 -31 74 -79 72 -16 "
     "-27 39"},
    {"[1,1,3,4,3] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1 5 9 -5 0 8 -9 4 0 0 -2 -8 -9 8 "
     "-1 4 6",
     "[2,1,2,2,2] -1 6 4 -1 2 9 2 -1 -2 -7 8 2 6 -4 -2 -6", "[] 0",
     "padding = [(1,0),(0,1),(1,1)], stride = [2,1,2], groups = 1",
     "[1,2,2,4,2] -35 29 -5 39 -43 -88 63 11 51 -27 60 13 -68 65 45 67 22 -12 28 34 -26 70 -28 -60 "
     "0 -59 -11 -59 42 -207 -59 10"},
    {"[1,1,2,3,2,3] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1 5 9 -5 0 8 -9 4 0 0 -2 -8 -9 8 "
     "-1 4 6",
     "[1,1,2,1,2,2] -1 6 4 -1 2 9 2 -1", "[] 0",
     "padding = [(0,0),(0,0),(0,0),(0,0)], dilation = [1,1,1,2], groups = 1",
     "[1,1,1,3,1,1] 83 29 59"},
    {0},
};

static void conv_slides_in_any_rank(void **state)
{
    expect_cases(*state, "conv", conv_slides_in_any_rank_cases);
}

/* X = x * s (E13), with gaps of nothing but bias where f_d < s (E14) */
static const struct conv_case deconv_pads_automatically_cases[] = {
    {"[1,1,3] 1 1 1", "[1,1,3] 1 1 1", "[] 0", "stride = [2], groups = 1", "[1,1,6] 1 1 2 1 2 1"},
    {"[1,1,4] 5 -4 -8 -1", "[1,1,3] 9 7 1", "[] 0", "stride = [1], dilation = [1], groups = 1",
     "[1,1,4] -1 -95 -69 -15"},
    {"[1,1,3] 1 -6 -1", "[1,1,4] 2 3 -2 -3", "[] 0", "stride = [2], dilation = [1], groups = 1",
     "[1,1,6] 3 -14 -21 10 15 2"},
    {"[1,1,3] 1 -6 -1", "[1,1,2] 2 -3", "[] 0", "stride = [3], dilation = [1], groups = 1",
     "[1,1,9] 2 -3 0 -12 18 0 -2 3 0"},
    {"[1,1,3] 1 -6 -1", "[1,1,1] 7", "[] 0", "stride = [2], dilation = [1], groups = 1",
     "[1,1,6] 7 0 -42 0 -7 0"},
    {"[1,1,3] 1 -6 -1", "[1,1,3] 9 7 1", "[] 0", "stride = [2], dilation = [2], groups = 1",
     "[1,1,6] 0 -47 0 -50 0 -13"},
    {0},
};

static void deconv_pads_automatically(void **state)
{
    expect_cases(*state, "deconv", deconv_pads_automatically_cases);
}

static const struct conv_case deconv_borders_extend_the_small_side_cases[] = {
    {"[1,1,4] -4 2 3 -1", "[1,1,4] -1 6 4 -1", "[] 0",
     "padding = [(1,0)], stride = [1], groups = 1", "[1,1,6] -26 -7 31 4 -7 1"},
    {"[1,1,4] -4 2 3 -1", "[1,1,4] -1 6 4 -1", "[] 0",
     "padding = [(3,2)], stride = [2], groups = 1", "[1,1,5] 16 5 16 13 -9"},
    {"[1,1,4] -4 2 3 -1", "[1,1,4] -1 6 4 -1", "[] 0",
     "border = 'replicate', padding = [(1,0)], stride = [1], groups = 1",
     "[1,1,6] -38 -3 31 5 -12 -8"},
    {"[1,1,4] -4 2 3 -1", "[1,1,4] -1 6 4 -1", "[] 0",
     "border = 'replicate', padding = [(3,2)], stride = [2], groups = 1", "[1,1,5] 16 5 16 13 -9"},
    {"[1,1,4] -4 2 3 -1", "[1,1,4] -1 6 4 -1", "[] 0",
     "border = 'reflect', padding = [(1,0)], stride = [1], groups = 1", "[1,1,6] -21 -9 31 1 9 29"},
    {"[1,1,4] -4 2 3 -1", "[1,1,4] -1 6 4 -1", "[] 0",
     "border = 'reflect', padding = [(3,2)], stride = [2], groups = 1", "[1,1,5] 16 5 16 13 -9"},
    {"[1,1,4] -4 2 3 -1", "[1,1,4] -1 6 4 -1", "[] 0",
     "border = 'reflect-even', padding = [(1,0)], stride = [1], groups = 1",
     "[1,1,6] -44 -3 31 5 -16 13"},
    {"[1,1,4] -4 2 3 -1", "[1,1,4] -1 6 4 -1", "[] 0",
     "border = 'reflect-even', padding = [(3,2)], stride = [2], groups = 1",
     "[1,1,5] 16 5 16 13 -9"},
    {"[1,1,3,4] -4 2 3 -1 0 2 -4 6 -9 7 -8 3", "[1,1,3,4] -1 6 4 -1 2 9 2 -1 -2 -7 8 2", "[] 0",
     "border = 'replicate', padding = [(0,1),(1,1)], stride = [2,1], dilation = [1,2], groups = 1",
     "[1,1,6,8] -54 -57 -51 -52 24 36 -6 -5 -36 -34 12 21 -3 -1 -15 -16 -18 -14 -46 -89 55 39 57 "
     "65 4 -8 30 -24 70 58 76 82 -92 -65 -14 -62 14 -94 18 21 -76 -106 60 -75 56 26 32 47"},
    {0},
};

static void deconv_borders_extend_the_small_side(void **state)
{
    expect_cases(*state, "deconv", deconv_borders_extend_the_small_side_cases);
}

static const struct conv_case deconv_meets_the_output_shape_cases[] = {
    {"[1,1,3] -4 2 3", "[1,1,3] -1 6 4", "[] 0", "stride = [2], output_shape = [1,1,5], groups = 1",
     "[1,1,5] -24 -18 12 5 18"},
    {"[1,1,3] -4 2 3", "[1,1,3] -1 6 4", "[] 0",
     "padding = [(1,1)], stride = [2], output_shape = [1,1,6], groups = 1",
     "[1,1,6] -24 -18 12 5 18 12"},
    {"[2,2,2,3] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1 5 9 -5 0",
     "[2,3,2,2] -1 6 4 -1 2 9 2 -1 -2 -7 8 2 6 -4 -2 -6 -3 -5 1 2 -2 -3 1 -8", "[1,3] 1 -6 -1",
     "padding = [(0,0),(0,0)], stride = [2,2], output_shape = [2,3,5,6], groups = 1",
     "[2,3,5,6] -19 -7 35 -11 -56 55 -7 29 -3 -37 31 52 44 -33 -47 33 17 1 -17 -40 17 49 3 -19 1 1 "
     "1 1 1 1 -2 -22 -20 -18 27 66 -18 -10 4 4 -9 -27 -29 -50 18 34 -11 -3 -1 9 -14 -22 1 -2 -6 -6 "
     "-6 -6 -6 -6 15 39 -17 -33 11 5 -37 23 21 -45 14 77 -13 -15 15 23 -11 -24 -2 -59 -9 63 18 -21 "
     "-1 -1 -1 -1 -1 -1 15 -19 3 21 34 -37 -11 -9 15 -9 -21 -26 46 19 -25 -3 -8 55 19 -62 -5 35 37 "
     "-8 1 1 1 1 1 1 -16 -34 -1 25 -27 -58 -8 0 3 -8 -7 7 -15 30 1 -17 12 75 21 3 -19 -12 12 -15 "
     "-6 -6 -6 -6 -6 -6 -1 7 -11 -32 -5 5 -15 -21 32 -1 -20 -47 -37 -91 17 42 -19 -64 80 -55 -38 "
     "31 71 17 -1 -1 -1 -1 -1 -1"},
    {0},
};

static void deconv_meets_the_output_shape(void **state)
{
    expect_cases(*state, "deconv", deconv_meets_the_output_shape_cases);
}

static const struct conv_case deconv_divides_channels_into_groups_cases[] = {
    {"[1,4,3] -4 2 3 -1 0 2 -4 6 -9 7 -8 3", "[4,1,1] -1 6 4 -1", "[] 0",
     "padding = [(0,0)], output_shape = [1,2,3], groups = 0", "[1,2,3] -2 -2 9 -23 32 -39"},
    {"[1,3,2] -4 2 3 -1 0 2", "[3,1,2] -1 6 4 -1 2 9", "[] 0", "padding = [(0,0)], groups = 0",
     "[1,3,3] 4 -26 12 12 -7 1 0 4 18"},
    {"[2,4,3] -6 5 6 -3 7 0 -1 -5 -2 7 7 -2 3 6 8 -2 7 3 4 2 -8 6 9 0",
     "[4,3,2] 1 0 -6 1 4 6 1 7 -8 2 4 6 -8 3 5 -5 -8 -1 -7 3 -7 -4 6 9", "[1,6] 6 -5 -6 -2 5 -1",
     "stride = [2], groups = 2",
     "[2,6,6] -3 -15 18 55 12 6 55 -17 -91 14 -41 1 -42 -60 42 66 18 30 -43 16 -11 4 28 -14 -49 "
     "-18 -69 2 9 23 49 63 81 67 3 -17 7 -8 19 55 17 27 -7 -6 -97 15 -77 9 -2 0 46 72 38 60 -76 28 "
     "-81 31 62 -26 -17 -39 -48 -41 -35 45 3 49 37 78 63 7"},
    {0},
};

static void deconv_divides_channels_into_groups(void **state)
{
    expect_cases(*state, "deconv", deconv_divides_channels_into_groups_cases);
}

static const struct conv_case deconv_slides_in_any_rank_cases[] = {
    {"[2,3] -4 2 3 -1 0 2", "[3,4] -1 6 4 -1 2 9 2 -1 -2 -7 8 2", "[1,4] 1 -6 -1 -9", "groups = 1",
     "[2,4] 3 -33 11 -1 -2 -26 11 -4"},
    {"[1,2,2,3] -4 2 3 -1 0 2 -4 6 -9 7 -8 3",
     "[2,2,3,2] -1 6 4 -1 2 9 2 -1 -2 -7 8 2 6 -4 -2 -6 -3 -5 1 2 -2 -3 1 -8", "[] 0",
     "padding = [(1,1),(0,0)], stride = [1,2], dilation = [2,1], groups = 1",
     "[1,2,4,6] 43 -34 -48 32 16 0 -8 28 -4 -38 30 51 -18 -41 16 48 2 -20 4 -16 -14 -12 33 72 5 15 "
     "-8 -16 7 4 16 40 -16 -32 12 6 -12 -14 16 24 -10 -23 -36 24 22 -44 15 78"},
    {"[1,1,2,2,2] -4 2 3 -1 0 2 -4 6",
     "[1,2,2,2,3] -1 6 4 -1 2 9 2 -1 -2 -7 8 2 6 -4 -2 -6 -3 -5 1 2 -2 -3 1 -8", "[] 0",
     "padding = [(0,0),(1,0),(0,1)], stride = [2,1,2], groups = 1",
     "[1,2,4,2,4] 1 10 -25 -2 -3 6 28 -2 34 -35 -30 17 -21 24 13 -8 4 -24 -24 40 4 -8 -42 12 -8 4 "
     "6 10 28 -32 -50 48 42 0 -4 -2 -18 -9 -9 3 15 2 19 0 -9 3 -21 -1 -24 16 32 -30 24 12 -16 -18 "
     "-4 -8 8 14 12 -4 14 6"},
    {0},
};

static void deconv_slides_in_any_rank(void **state)
{
    expect_cases(*state, "deconv", deconv_slides_in_any_rank_cases);
}

/* --- what is refused --------------------------------------------------------------------- */

static void expect_refusal(struct op_fixture *f, const char *op, const struct conv_case *wrong,
                           enum diag_code code)
{
    fixture_feed(f, "input", wrong->input);
    fixture_feed(f, "filter", wrong->filter);
    fixture_feed(f, "bias", wrong->bias);
    fixture_expect_error(f, op, wrong->attrs, code);
}

struct refusal {
    struct conv_case wrong;
    enum diag_code code;
};

/* Rules V05 to V14. */
static const struct refusal conv_refusals[] = {
    {{"[1,3,8,8]", "[16,3]", "[]", "groups = 1", NULL}, DIAG_RANK},
    {{"[3]", "[3]", "[]", "groups = 1", NULL}, DIAG_RANK},
    {{"[1,3,8,8]", "[16,3,3,3]", "[]", "stride = [2], groups = 1", NULL}, DIAG_ITEM_COUNT},
    {{"[1,3,8,8]", "[16,3,3,3]", "[]", "padding = [(0,0)], groups = 1", NULL}, DIAG_ITEM_COUNT},
    {{"[1,3,8,8]", "[16,3,3,3]", "[]", "dilation = [1,1,1], groups = 1", NULL}, DIAG_ITEM_COUNT},
    {{"[1,3,8,8]", "[16,3,3,3]", "[]", "stride = [0,1], groups = 1", NULL}, DIAG_ITEM_VALUE},
    {{"[1,3,8,8]", "[16,3,3,3]", "[]", "dilation = [1,-1], groups = 1", NULL}, DIAG_ITEM_VALUE},
    {{"[1,3,8,8]", "[16,3,3,3]", "[]", "groups = -1", NULL}, DIAG_NEGATIVE},
    {{"[1,3,8,8]", "[16,4,3,3]", "[]", "groups = 1", NULL}, DIAG_CHANNELS},
    {{"[1,3,8,8]", "[3,3,3,3]", "[]", "groups = 0", NULL}, DIAG_CHANNELS},
    {{"[1,3,8,8]", "[16,1,3,3]", "[]", "groups = 3", NULL}, DIAG_NOT_DIVISIBLE},
    {{"[1,3,8,8]", "[16,3,3,3]", "[16]", "groups = 1", NULL}, DIAG_BIAS_SHAPE},
    {{"[1,3,8,8]", "[16,3,3,3]", "[1,15]", "groups = 1", NULL}, DIAG_BIAS_SHAPE},
    {{"[1,3,8,8]", "[16,3,3,3]", "[1,16,2]", "groups = 1", NULL}, DIAG_BIAS_SHAPE},
    {{"[1,3,8,8]", "[16,3,3,3]", "[]", "border = 'ignore', groups = 1", NULL}, DIAG_ENUM_VALUE},
    {{"[1,3,8,8]", "[16,3,3,3]", "[]", "border = 'zero', groups = 1", NULL}, DIAG_ENUM_VALUE},
    {{"[1,3,1,1]", "[16,3,3,3]", "[]", "padding = [(0,0),(1,1)], groups = 1", NULL},
     DIAG_WINDOW_SIZE},
    {{"[1,1,3]", "[1,1,0]", "[]", "groups = 1", NULL}, DIAG_EXTENT},
    {{"[1,1,3]", "[1,1,3]", "[]", "border = 'reflect', padding = [(3,0)], groups = 1", NULL},
     DIAG_ITEM_VALUE},
    {{"[1,1,3]", "[1,1,3]", "[]", "border = 'reflect-even', padding = [(0,4)], groups = 1", NULL},
     DIAG_ITEM_VALUE},
    {{0}, DIAG_SYNTAX},
};

static const struct refusal deconv_refusals[] = {
    {{"[1,3,8,8]", "[16,3,3,3]", "[]", "groups = 1", NULL}, DIAG_CHANNELS},
    {{"[1,3,8,8]", "[3,2,3,3]", "[]", "groups = 0", NULL}, DIAG_CHANNELS},
    {{"[1,3,8]", "[3,3,3]", "[]", "groups = 2", NULL}, DIAG_NOT_DIVISIBLE},
    {{"[1,3,8]", "[3,5,3]", "[1,3]", "groups = 1", NULL}, DIAG_BIAS_SHAPE},
    {{"[1,1,8]", "[1,1,3]", "[]", "output_shape = [1,1], groups = 1", NULL}, DIAG_ITEM_COUNT},
    {{"[1,1,8]", "[1,1,3]", "[]", "output_shape = [1,1,0], groups = 1", NULL}, DIAG_ITEM_VALUE},
    {{"[1,1,8]", "[1,1,3]", "[]", "output_shape = [1,1,100], groups = 1", NULL}, DIAG_OUTPUT_SHAPE},
    {{"[1,1,8]", "[1,1,3]", "[]", "output_shape = [2,1,8], groups = 1", NULL}, DIAG_OUTPUT_SHAPE},
    {{"[1,1,8]", "[1,1,3]", "[]", "output_shape = [1,2,8], groups = 1", NULL}, DIAG_OUTPUT_SHAPE},
    {{"[1,1,2]", "[1,1,3]", "[]", "padding = [(2,2)], groups = 1", NULL}, DIAG_EXTENT},
    {{"[1,1,2]", "[1,1,9]", "[]", "border = 'reflect', padding = [(4,4)], groups = 1", NULL},
     DIAG_ITEM_VALUE},
    {{0}, DIAG_SYNTAX},
};

static void conv_checks_its_arguments(void **state)
{
    for (const struct refusal *r = conv_refusals; r->wrong.input; r++)
        expect_refusal(*state, "conv", &r->wrong, r->code);
}

static void deconv_checks_its_arguments(void **state)
{
    for (const struct refusal *r = deconv_refusals; r->wrong.input; r++)
        expect_refusal(*state, "deconv", &r->wrong, r->code);
}

/* Arguments are text of strangers: huge ones must not overflow. */
static void huge_arguments_are_refused(void **state)
{
    static const char *const attrs[] = {
        "dilation = [4611686018427387904], groups = 1",
        "padding = [(4611686018427387904,4611686018427387904)], groups = 1",
        "padding = [(-4611686018427387904,0)], groups = 1",
    };

    for (size_t i = 0; i < sizeof attrs / sizeof attrs[0]; i++) {
        struct conv_case wrong = {"[1,1,4]", "[1,1,3]", "[]", attrs[i], NULL};
        expect_refusal(*state, "conv", &wrong, DIAG_ITEM_VALUE);
        expect_refusal(*state, "deconv", &wrong, DIAG_ITEM_VALUE);
    }
}

static void a_stride_beyond_the_input_reads_one_window(void **state)
{
    struct op_fixture *f = *state;

    fixture_feed(f, "input", "[1,1,4] 1 2 3 4");
    fixture_feed(f, "filter", "[1,1,2] 1 10");
    fixture_feed(f, "bias", "[] 0");
    fixture_run(f, "conv", "padding = [(0,0)], stride = [4611686018427387904], groups = 1");
    fixture_expect(f, 0, "[1,1,1] 21");
}

/* --- what is not known ------------------------------------------------------------------- */

static void unknown_extents_stay_unknown_where_they_matter(void **state)
{
    struct op_fixture *f = *state;

    fixture_feed(f, "input", "[?,3,8,?]");
    fixture_feed(f, "filter", "[16,3,3,3]");
    fixture_feed(f, "bias", "[1,16]");
    fixture_run(f, "conv", "stride = [2,2], groups = 1");
    fixture_expect(f, 0, "[?,16,4,?]");

    fixture_feed(f, "input", "[1,?,4]");
    fixture_feed(f, "filter", "[3,1,?]");
    fixture_feed(f, "bias", "[]");
    fixture_run(f, "deconv", "stride = [2], groups = 0");
    fixture_expect(f, 0, "[1,?,?]");
}

static void empty_tensors_are_convolved(void **state)
{
    struct op_fixture *f = *state;

    fixture_feed(f, "input", "[0,1,3]");
    fixture_feed(f, "filter", "[2,1,1] 1 2");
    fixture_feed(f, "bias", "[] 0");
    fixture_run(f, "conv", "groups = 1");
    fixture_expect(f, 0, "[0,2,3]");

    fixture_feed(f, "input", "[1,1,0]");
    fixture_feed(f, "filter", "[1,1,3] 1 2 3");
    fixture_feed(f, "bias", "[] 7");
    fixture_run(f, "conv", "padding = [(2,2)], groups = 1");
    fixture_expect(f, 0, "[1,1,2] 7 7");
}

/* Short arrays, trailing ones of shapes left out. */
static void provisional_arguments_may_be_short(void **state)
{
    struct op_fixture *f = *state;

    f->graph->provisional = true;
    fixture_feed(f, "input", "[1,1,2,3] 1 2 3 4 5 6");
    fixture_feed(f, "filter", "[1,1,2] 1 10");
    fixture_feed(f, "bias", "[] 0");
    fixture_run(f, "conv", "padding = [(0,0)], stride = [1], groups = 1");
    fixture_expect(f, 0, "[1,1,1,3] 41 52 63");

    fixture_feed(f, "input", "[1,2] 3 4");
    fixture_feed(f, "filter", "[1,2,1,1] 1 2");
    fixture_feed(f, "bias", "[] 0");
    fixture_run(f, "conv", "groups = 1");
    fixture_expect(f, 0, "[1,1,1,1] 11");

    fixture_feed(f, "input", "[1,1,4]");
    fixture_feed(f, "filter", "[1,1,3]");
    fixture_feed(f, "bias", "[]");
    fixture_expect_error(f, "conv", "padding = [(-1,0)], groups = 1", DIAG_ITEM_VALUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(conv_pads_automatically, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(conv_fills_every_border, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(conv_crops_by_negative_padding, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(conv_divides_channels_into_groups, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(conv_slides_in_any_rank, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(deconv_pads_automatically, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(deconv_borders_extend_the_small_side, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(deconv_meets_the_output_shape, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(deconv_divides_channels_into_groups, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(deconv_slides_in_any_rank, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(conv_checks_its_arguments, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(deconv_checks_its_arguments, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(huge_arguments_are_refused, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(a_stride_beyond_the_input_reads_one_window,
                                        op_fixture_setup, op_fixture_teardown),
        cmocka_unit_test_setup_teardown(unknown_extents_stay_unknown_where_they_matter,
                                        op_fixture_setup, op_fixture_teardown),
        cmocka_unit_test_setup_teardown(empty_tensors_are_convolved, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(provisional_arguments_may_be_short, op_fixture_setup,
                                        op_fixture_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
