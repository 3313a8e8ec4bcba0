/*
 * test_box.c - box, debox and the pooling made of them (sections 4.3.2 and 4.9.3)
 *
 * Expected values come from adding up the printed sums, output by output.
 */
#include "support/op_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct box_case {
    const char *op, *input, *attrs, *output;
};

static void expect_cases(struct op_fixture *f, const struct box_case *cases)
{
    for (; cases->op; cases++) {
        fixture_feed(f, "input", cases->input);
        fixture_run(f, cases->op, cases->attrs);
        fixture_expect(f, 0, cases->output);
    }
}

static const struct box_case box_sums_over_every_border_cases[] = {
    {"box", "[4,5] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1",
     "size = [3,2], padding = [(1,2),(1,0)], stride = [2,1], normalize = false",
     "[3,5] -2 -4 7 -1 -3 3 -2 8 10 2 9 5 5 11 3"},
    {"box", "[4,5] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1",
     "size = [3,2], padding = [(1,2),(1,0)], stride = [2,1], normalize = true",
     "[3,5] -0.3333333 -0.6666667 1.166667 -0.1666667 -0.5 0.5 -0.3333333 1.333333 1.666667 "
     "0.3333333 1.5 0.8333333 0.8333333 1.833333 0.5"},
    {"box", "[4,5] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1",
     "size = [3,2], border = 'replicate', padding = [(1,2),(1,0)], stride = [2,1], normalize = "
     "false",
     "[3,5] -12 -6 12 1 -4 6 -2 8 10 2 54 15 15 33 9"},
    {"box", "[4,5] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1",
     "size = [3,2], border = 'replicate', padding = [(1,2),(1,0)], stride = [2,1], normalize = "
     "true",
     "[3,5] -2 -1 2 0.1666667 -0.6666667 1 -0.3333333 1.333333 1.666667 0.3333333 9 2.5 2.5 5.5 "
     "1.5"},
    {"box", "[4,5] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1",
     "size = [3,2], border = 'reflect', padding = [(1,2),(1,0)], stride = [2,1], normalize = false",
     "[3,5] -6 -6 9 -4 -5 -2 -2 8 10 2 -2 -2 8 10 2"},
    {"box", "[4,5] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1",
     "size = [3,2], border = 'reflect', padding = [(1,2),(1,0)], stride = [2,1], normalize = true",
     "[3,5] -1 -1 1.5 -0.6666667 -0.8333333 -0.3333333 -0.3333333 1.333333 1.666667 0.3333333 "
     "-0.3333333 -0.3333333 1.333333 1.666667 0.3333333"},
    {"box", "[4,5] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1",
     "size = [3,2], border = 'reflect-even', padding = [(1,2),(1,0)], stride = [2,1], normalize = "
     "false",
     "[3,5] -12 -6 12 1 -4 6 -2 8 10 2 20 5 11 24 7"},
    {"box", "[4,5] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1",
     "size = [3,2], border = 'reflect-even', padding = [(1,2),(1,0)], stride = [2,1], normalize = "
     "true",
     "[3,5] -2 -1 2 0.1666667 -0.6666667 1 -0.3333333 1.333333 1.666667 0.3333333 3.333333 "
     "0.8333333 1.833333 4 1.166667"},
    {"box", "[4,5] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1",
     "size = [3,2], border = 'ignore', padding = [(1,2),(1,0)], stride = [2,1], normalize = false",
     "[3,5] -2 -4 7 -1 -3 3 -2 8 10 2 9 5 5 11 3"},
    {"box", "[4,5] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1",
     "size = [3,2], border = 'ignore', padding = [(1,2),(1,0)], stride = [2,1], normalize = true",
     "[3,5] -1 -1 1.75 -0.25 -0.75 1 -0.3333333 1.333333 1.666667 0.3333333 9 2.5 2.5 5.5 1.5"},
    {0},
};

static void box_sums_over_every_border(void **state)
{
    expect_cases(*state, box_sums_over_every_border_cases);
}

static const struct box_case box_pads_automatically_cases[] = {
    {"box", "[1,5] -6 5 6 -3 7",
     "size = [1,3], stride = [1,1], dilation = [1,1], normalize = false", "[1,5] -1 5 8 10 4"},
    {"box", "[1,5] -6 5 6 -3 7",
     "size = [1,2], stride = [1,1], dilation = [1,1], normalize = false", "[1,5] -1 11 3 4 7"},
    {"box", "[1,6] 1 0 -6 1 4 6",
     "size = [1,3], stride = [1,2], dilation = [1,1], normalize = false", "[1,3] -5 -1 10"},
    {"box", "[1,7] 6 -5 -6 -2 5 -1 5",
     "size = [1,3], stride = [1,2], dilation = [1,2], normalize = false", "[1,4] 0 5 4 10"},
    {"box", "[1,5] -6 5 6 -3 7",
     "size = [1,1], stride = [1,3], dilation = [1,1], normalize = false", "[1,2] -6 -3"},
    {0},
};

static void box_pads_automatically(void **state)
{
    expect_cases(*state, box_pads_automatically_cases);
}

static const struct box_case box_crops_by_negative_padding_cases[] = {
    {"box", "[6] -4 2 3 -1 0 2", "size = [2], padding = [(-1,-2)], normalize = false", "[2] 5 2"},
    {"box", "[3,5] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3",
     "size = [1,2], border = 'ignore', padding = [(0,-1),(-2,1)], normalize = true",
     "[2,3] 1 -0.5 0 -1.5 -1 7"},
    {0},
};

static void box_crops_by_negative_padding(void **state)
{
    expect_cases(*state, box_crops_by_negative_padding_cases);
}

static const struct box_case box_slides_in_any_rank_cases[] = {
    {"box", "[5] -4 2 3 -1 0", "size = [2], normalize = false", "[5] -2 5 2 -1 0"},
    {"box", "[2,3,4] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1 5 9 -5 0",
     "size = [2,1,3], normalize = false",
     "[2,3,4] 0 0 14 8 7 5 16 5 12 -1 6 -10 2 -1 10 6 5 7 12 3 14 9 4 -5"},
    {"box", "[1,2,3,4] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1 5 9 -5 0",
     "size = [1,2,2,2], padding = [(0,0),(0,0),(1,0),(0,1)], stride = [1,1,2,2], normalize = true",
     "[1,1,2,2] 0 1 2.375 -0.625"},
    {"box",
     "[2,1,3,2,3] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1 5 9 -5 0 8 -9 4 0 0 -2 -8 -9 8 "
     "-1 4 6",
     "size = [1,1,2,2,2], border = 'replicate', dilation = [1,1,1,1,2], normalize = false",
     "[2,1,3,2,3] -2 -3 -1 -4 22 -6 8 10 -2 8 56 0 14 26 12 20 72 20 6 26 -6 8 14 -14 -15 15 2 6 6 "
     "16 -28 10 18 12 20 40"},
    {0},
};

static void box_slides_in_any_rank(void **state)
{
    expect_cases(*state, box_slides_in_any_rank_cases);
}

static const struct box_case debox_spreads_over_every_border_cases[] = {
    {"debox", "[3,4] -4 2 3 -1 0 2 -4 6 -9 7 -8 3",
     "size = [2,3], padding = [(0,0),(1,1)], stride = [2,1], normalize = false",
     "[6,4] -2 1 4 2 -2 1 4 2 2 -2 4 2 2 -2 4 2 -2 -10 2 -5 -2 -10 2 -5"},
    {"debox", "[3,4] -4 2 3 -1 0 2 -4 6 -9 7 -8 3",
     "size = [2,3], padding = [(0,0),(1,1)], stride = [2,1], normalize = true",
     "[6,4] -0.3333333 0.1666667 0.6666667 0.3333333 -0.3333333 0.1666667 0.6666667 0.3333333 "
     "0.3333333 -0.3333333 0.6666667 0.3333333 0.3333333 -0.3333333 0.6666667 0.3333333 -0.3333333 "
     "-1.666667 0.3333333 -0.8333333 -0.3333333 -1.666667 0.3333333 -0.8333333"},
    {"debox", "[3,4] -4 2 3 -1 0 2 -4 6 -9 7 -8 3",
     "size = [2,3], border = 'replicate', padding = [(0,0),(1,1)], stride = [2,1], normalize = "
     "false",
     "[6,4] -6 1 4 1 -6 1 4 1 2 -2 4 8 2 -2 4 8 -11 -10 2 -2 -11 -10 2 -2"},
    {"debox", "[3,4] -4 2 3 -1 0 2 -4 6 -9 7 -8 3",
     "size = [2,3], border = 'replicate', padding = [(0,0),(1,1)], stride = [2,1], normalize = "
     "true",
     "[6,4] -1 0.1666667 0.6666667 0.1666667 -1 0.1666667 0.6666667 0.1666667 0.3333333 -0.3333333 "
     "0.6666667 1.333333 0.3333333 -0.3333333 0.6666667 1.333333 -1.833333 -1.666667 0.3333333 "
     "-0.3333333 -1.833333 -1.666667 0.3333333 -0.3333333"},
    {"debox", "[3,4] -4 2 3 -1 0 2 -4 6 -9 7 -8 3",
     "size = [2,3], border = 'reflect', padding = [(0,0),(1,1)], stride = [2,1], normalize = false",
     "[6,4] 0 1 4 5 0 1 4 5 4 -2 4 -2 4 -2 4 -2 5 -10 2 -13 5 -10 2 -13"},
    {"debox", "[3,4] -4 2 3 -1 0 2 -4 6 -9 7 -8 3",
     "size = [2,3], border = 'reflect', padding = [(0,0),(1,1)], stride = [2,1], normalize = true",
     "[6,4] 0 0.1666667 0.6666667 0.8333333 0 0.1666667 0.6666667 0.8333333 0.6666667 -0.3333333 "
     "0.6666667 -0.3333333 0.6666667 -0.3333333 0.6666667 -0.3333333 0.8333333 -1.666667 0.3333333 "
     "-2.166667 0.8333333 -1.666667 0.3333333 -2.166667"},
    {"debox", "[3,4] -4 2 3 -1 0 2 -4 6 -9 7 -8 3",
     "size = [2,3], border = 'reflect-even', padding = [(0,0),(1,1)], stride = [2,1], normalize = "
     "false",
     "[6,4] -6 1 4 1 -6 1 4 1 2 -2 4 8 2 -2 4 8 -11 -10 2 -2 -11 -10 2 -2"},
    {"debox", "[3,4] -4 2 3 -1 0 2 -4 6 -9 7 -8 3",
     "size = [2,3], border = 'reflect-even', padding = [(0,0),(1,1)], stride = [2,1], normalize = "
     "true",
     "[6,4] -1 0.1666667 0.6666667 0.1666667 -1 0.1666667 0.6666667 0.1666667 0.3333333 -0.3333333 "
     "0.6666667 1.333333 0.3333333 -0.3333333 0.6666667 1.333333 -1.833333 -1.666667 0.3333333 "
     "-0.3333333 -1.833333 -1.666667 0.3333333 -0.3333333"},
    {"debox", "[3,4] -4 2 3 -1 0 2 -4 6 -9 7 -8 3",
     "size = [2,3], border = 'ignore', padding = [(0,0),(1,1)], stride = [2,1], normalize = false",
     "[6,4] -2 1 4 2 -2 1 4 2 2 -2 4 2 2 -2 4 2 -2 -10 2 -5 -2 -10 2 -5"},
    {"debox", "[3,4] -4 2 3 -1 0 2 -4 6 -9 7 -8 3",
     "size = [2,3], border = 'ignore', padding = [(0,0),(1,1)], stride = [2,1], normalize = true",
     "[6,4] -1 0.3333333 1.333333 1 -1 0.3333333 1.333333 1 1 -0.6666667 1.333333 1 1 -0.6666667 "
     "1.333333 1 -1 -3.333333 0.6666667 -2.5 -1 -3.333333 0.6666667 -2.5"},
    {0},
};

static void debox_spreads_over_every_border(void **state)
{
    expect_cases(*state, debox_spreads_over_every_border_cases);
}

static const struct box_case debox_meets_the_output_shape_cases[] = {
    {"debox", "[1,3] -4 2 3",
     "size = [1,3], stride = [1,2], output_shape = [1,5], normalize = false", "[1,5] -4 -2 2 5 3"},
    {"debox", "[1,3] -4 2 3",
     "size = [1,3], padding = [(0,0),(1,1)], stride = [1,2], output_shape = [1,6], normalize = "
     "false",
     "[1,6] -4 -2 2 5 3 3"},
    {"debox", "[1,3] -4 2 3",
     "size = [1,2], padding = [(0,0),(0,0)], stride = [1,3], output_shape = [1,9], normalize = "
     "false",
     "[1,9] -4 -4 0 2 2 0 3 3 0"},
    {"debox", "[1,3] -4 2 3", "size = [1,2], stride = [1,3], normalize = false",
     "[1,9] -4 -4 0 2 2 0 3 3 0"},
    {0},
};

static void debox_meets_the_output_shape(void **state)
{
    expect_cases(*state, debox_meets_the_output_shape_cases);
}

static const struct box_case avg_pool_divides_by_taps_in_use_cases[] = {
    {"avg_pool", "[1,1,4,5] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1",
     "size = [1,1,3,3], stride = [1,1,2,2]",
     "[1,1,2,3] -1 0.2222222 -0.2222222 0 1.333333 0.4444444"},
    {"avg_pool", "[1,1,4,5] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1",
     "size = [1,1,3,3], border = 'replicate', stride = [1,1,2,2]",
     "[1,1,2,3] -2.111111 0.2222222 0.2222222 1.666667 2.111111 0.6666667"},
    {"avg_pool", "[1,1,4,5] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1",
     "size = [1,1,3,3], border = 'reflect', stride = [1,1,2,2]",
     "[1,1,2,3] -0.8888889 0.2222222 -0.8888889 -0.3333333 1.888889 1.666667"},
    {"avg_pool", "[1,1,4,5] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1",
     "size = [1,1,3,3], border = 'reflect-even', stride = [1,1,2,2]",
     "[1,1,2,3] -2.111111 0.2222222 0.2222222 1.666667 2.111111 0.6666667"},
    {"avg_pool", "[1,1,4,5] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1",
     "size = [1,1,3,3], border = 'ignore', stride = [1,1,2,2]",
     "[1,1,2,3] -1.5 0.2222222 -0.3333333 0 2 1"},
    {"avg_pool", "[1,1,4] 1 2 3 4", "size = [1,1,3]", "[1,1,4] 1 2 3 2.3333333"},
    {"avg_pool", "[1,1,4] 1 2 3 4", "size = [1,1,3], border = 'ignore'", "[1,1,4] 1.5 2 3 3.5"},
    {0},
};

static void avg_pool_divides_by_taps_in_use(void **state)
{
    expect_cases(*state, avg_pool_divides_by_taps_in_use_cases);
}

static const struct box_case rms_pool_is_the_root_of_the_mean_square_cases[] = {
    {"rms_pool", "[1,1,4,5] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1",
     "size = [1,1,3,3], stride = [1,1,2,2], dilation = [1,1,1,1]",
     "[1,1,2,3] 3.543382 4.422166 4.163332 4.346135 3.800585 1.825742"},
    {"rms_pool", "[1,1,4,5] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1",
     "size = [1,1,3,3], border = 'replicate', stride = [1,1,2,2], dilation = [1,1,1,1]",
     "[1,1,2,3] 4.678556 4.422166 4.876246 7.401201 5.066228 2.260777"},
    {"rms_pool", "[1,1,4,5] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1",
     "size = [1,1,3,3], border = 'reflect', stride = [1,1,2,2], dilation = [1,1,1,1]",
     "[1,1,2,3] 3.972125 4.422166 5.312459 5.547772 4.203173 3.179797"},
    {"rms_pool", "[1,1,4,5] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1",
     "size = [1,1,3,3], border = 'reflect-even', stride = [1,1,2,2], dilation = [1,1,1,1]",
     "[1,1,2,3] 4.678556 4.422166 4.876246 7.401201 5.066228 2.260777"},
    {"rms_pool", "[1,1,4,5] -4 2 3 -1 0 2 -4 6 -9 7 -8 3 -2 4 -3 9 -4 9 2 1",
     "size = [1,1,3,3], border = 'ignore', stride = [1,1,2,2], dilation = [1,1,1,1]",
     "[1,1,2,3] 4.339739 4.422166 5.09902 6.519202 4.654747 2.738613"},
    {"rms_pool", "[2] 3 4", "size = [2], padding = [(0,0)]", "[1] 3.5355339"},
    {0},
};

static void rms_pool_is_the_root_of_the_mean_square(void **state)
{
    expect_cases(*state, rms_pool_is_the_root_of_the_mean_square_cases);
}

/* --- what is refused --------------------------------------------------------------------- */

struct refusal {
    const char *op, *input, *attrs;
    enum diag_code code;
};

/* Rules V14 to V19. */
static const struct refusal refusals[] = {
    {"box", "[1,3,8,8]", "size = [2,2]", DIAG_ITEM_COUNT},
    {"avg_pool", "[1,3,8,8]", "size = [2,2]", DIAG_ITEM_COUNT},
    {"box", "[8]", "size = [0]", DIAG_ITEM_VALUE},
    {"box", "[8,8]", "size = [1,2], stride = [2]", DIAG_ITEM_COUNT},
    {"box", "[8,8]", "size = [1,2], dilation = [2,2,2]", DIAG_ITEM_COUNT},
    {"rms_pool", "[8,8]", "size = [1,2], padding = [(0,0)]", DIAG_ITEM_COUNT},
    {"box", "[8,8]", "size = [1,2], stride = [0,1]", DIAG_ITEM_VALUE},
    {"box", "[8,8]", "size = [1,2], border = 'edge'", DIAG_ENUM_VALUE},
    {"box", "[2]", "size = [3], padding = [(0,0)]", DIAG_WINDOW_SIZE},
    {"box", "[3]", "size = [3], padding = [(3,0)], border = 'reflect'", DIAG_ITEM_VALUE},
    {"box", "[3]", "size = [3], padding = [(0,4)], border = 'reflect-even'", DIAG_ITEM_VALUE},
    {"avg_pool", "[3]", "size = [2], padding = [(2,0)], border = 'ignore'", DIAG_WINDOW_SIZE},
    {"avg_pool", "[3]", "size = [2], padding = [(0,2)], border = 'ignore'", DIAG_WINDOW_SIZE},
    {"avg_pool", "[1]", "size = [2], padding = [(1,1)], dilation = [2], border = 'ignore'",
     DIAG_WINDOW_SIZE},
    {"box", "[4]", "size = [4611686018427387904]", DIAG_ITEM_VALUE},
    {"box", "[4,4]", "size = [2147483648,2147483648]", DIAG_ITEM_VALUE},
    {"debox", "[3,8]", "size = [1,2], output_shape = [8]", DIAG_ITEM_COUNT},
    {"debox", "[8]", "size = [2], output_shape = [20]", DIAG_OUTPUT_SHAPE},
    {"debox", "[2]", "size = [3], padding = [(2,2)]", DIAG_EXTENT},
    {"debox", "[2]", "size = [3], stride = [4611686018427387904]", DIAG_ITEM_VALUE},
    {0},
};

static void arguments_are_checked(void **state)
{
    for (const struct refusal *r = refusals; r->op; r++) {
        fixture_feed(*state, "input", r->input);
        fixture_expect_error(*state, r->op, r->attrs, r->code);
    }
}

static void unknown_extents_stay_unknown_where_they_matter(void **state)
{
    fixture_feed(*state, "input", "[?,3,8,8]");
    fixture_run(*state, "avg_pool", "size = [1,1,3,3], stride = [1,1,2,2], border = 'ignore'");
    fixture_expect(*state, 0, "[?,3,4,4]");
    fixture_feed(*state, "input", "[2,?]");
    fixture_run(*state, "debox", "size = [1,2], stride = [2,2]");
    fixture_expect(*state, 0, "[4,?]");
}

static void provisional_arguments_may_be_short(void **state)
{
    struct op_fixture *f = *state;

    f->graph->provisional = true;
    fixture_feed(f, "input", "[1,2,3] 1 2 3 4 5 6");
    fixture_run(f, "box", "size = [1,2], padding = [(0,0),(0,0)]");
    fixture_expect(f, 0, "[1,1,3] 5 7 9");
    fixture_feed(f, "input", "[2] 1 2");
    fixture_run(f, "box", "size = [2,1,1]");
    fixture_expect(f, 0, "[2,1,1] 3 2");
}

static void a_tensor_of_rank_0_is_its_own_window(void **state)
{
    fixture_feed(*state, "input", "[] 3");
    fixture_run(*state, "box", "size = []");
    fixture_expect(*state, 0, "[] 3");
}

/* A row longer than a block of sums. */
static void long_rows_are_summed_in_blocks(void **state)
{
    struct op_fixture *f = *state;
    const float *out;

    fixture_feed(f, "input", "[1,1000] 2");
    fixture_run(f, "box", "size = [1,3], border = 'constant'");
    fixture_expect(f, 0, "[1,1000]");
    out = f->out[0].data;
    assert_true(out[0] == 4 && out[999] == 4);
    for (int i = 1; i < 999; i++)
        assert_true(out[i] == 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(box_sums_over_every_border, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(box_pads_automatically, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(box_crops_by_negative_padding, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(box_slides_in_any_rank, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(debox_spreads_over_every_border, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(debox_meets_the_output_shape, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(avg_pool_divides_by_taps_in_use, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(rms_pool_is_the_root_of_the_mean_square, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(arguments_are_checked, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(unknown_extents_stay_unknown_where_they_matter,
                                        op_fixture_setup, op_fixture_teardown),
        cmocka_unit_test_setup_teardown(provisional_arguments_may_be_short, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(a_tensor_of_rank_0_is_its_own_window, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(long_rows_are_summed_in_blocks, op_fixture_setup,
                                        op_fixture_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
