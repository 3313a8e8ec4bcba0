/*
 * test_resize.c - up and down-sampling by whole factors (section 4.3.4)
 *
 * Expected values of multilinear_upsample come from the printed formulas in exact fractions.
 */
#include "support/op_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct resize_case {
    const char *input, *attrs, *output;
};

static const struct resize_case multilinear_cases[] = {
    {"[1,1,3] 1 2 3", "factor = [2], method = 'symmetric', border = 'replicate'",
     "[1,1,6] 1 1.25 1.75 2.25 2.75 3"},
    {"[1,2,2,3] 1 -6 -1 -9 1 2 0 1 -3 -9 3 -2",
     "factor = [2,3], method = 'symmetric', border = 'replicate'",
     "[1,2,4,9] 1 1 -1.333333 -3.666667 -6 -4.333333 -2.666667 -1 -1 -1.5 -1.5 -2.416667 -3.333333 "
     "-4.25 -2.916667 -1.583333 -0.25 -0.25 -6.5 -6.5 -4.583333 -2.666667 -0.75 -0.08333333 "
     "0.5833333 1.25 1.25 -9 -9 -5.666667 -2.333333 1 1.333333 1.666667 2 2 0 0 0.3333333 "
     "0.6666667 1 -0.3333333 -1.666667 -3 -3 -2.25 -2.25 -1 0.25 1.5 0.08333333 -1.333333 -2.75 "
     "-2.75 -6.75 -6.75 -3.666667 -0.5833333 2.5 0.9166667 -0.6666667 -2.25 -2.25 -9 -9 -5 -1 3 "
     "1.333333 -0.3333333 -2 -2"},
    {"[1,1,3] 1 2 3", "factor = [2], method = 'symmetric', border = 'constant'",
     "[1,1,6] 0.75 1.25 1.75 2.25 2.75 2.25"},
    {"[1,2,2,3] 1 -6 -1 -9 1 2 0 1 -3 -9 3 -2",
     "factor = [2,3], method = 'symmetric', border = 'constant'",
     "[1,2,4,9] 0.5 0.75 -1 -2.75 -4.5 -3.25 -2 -0.75 -0.5 -1 -1.5 -2.416667 -3.333333 -4.25 "
     "-2.916667 -1.583333 -0.25 -0.1666667 -4.333333 -6.5 -4.583333 -2.666667 -0.75 -0.08333333 "
     "0.5833333 1.25 0.8333333 -4.5 -6.75 -4.25 -1.75 0.75 1 1.25 1.5 1 0 0 0.25 0.5 0.75 -0.25 "
     "-1.25 -2.25 -1.5 -1.5 -2.25 -1 0.25 1.5 0.08333333 -1.333333 -2.75 -1.833333 -4.5 -6.75 "
     "-3.666667 -0.5833333 2.5 0.9166667 -0.6666667 -2.25 -1.5 -4.5 -6.75 -3.75 -0.75 2.25 1 -0.25 "
     "-1.5 -1"},
    {"[1,1,3] 1 2 3", "factor = [2], method = 'symmetric', border = 'reflect'",
     "[1,1,6] 1.25 1.25 1.75 2.25 2.75 2.75"},
    {"[1,2,2,3] 1 -6 -1 -9 1 2 0 1 -3 -9 3 -2",
     "factor = [2,3], method = 'symmetric', border = 'reflect'",
     "[1,2,4,9] -2.416667 -1.5 -2.416667 -3.333333 -4.25 -2.916667 -1.583333 -0.25 -1.583333 "
     "-2.416667 -1.5 -2.416667 -3.333333 -4.25 -2.916667 -1.583333 -0.25 -1.583333 -4.583333 -6.5 "
     "-4.583333 -2.666667 -0.75 -0.08333333 0.5833333 1.25 0.5833333 -4.583333 -6.5 -4.583333 "
     "-2.666667 -0.75 -0.08333333 0.5833333 1.25 0.5833333 -1 -2.25 -1 0.25 1.5 0.08333333 "
     "-1.333333 -2.75 -1.333333 -1 -2.25 -1 0.25 1.5 0.08333333 -1.333333 -2.75 -1.333333 "
     "-3.666667 -6.75 -3.666667 -0.5833333 2.5 0.9166667 -0.6666667 -2.25 -0.6666667 -3.666667 "
     "-6.75 -3.666667 -0.5833333 2.5 0.9166667 -0.6666667 -2.25 -0.6666667"},
    {"[1,1,3] 1 2 3", "factor = [2], method = 'symmetric', border = 'reflect-even'",
     "[1,1,6] 1 1.25 1.75 2.25 2.75 3"},
    {"[1,2,2,3] 1 -6 -1 -9 1 2 0 1 -3 -9 3 -2",
     "factor = [2,3], method = 'symmetric', border = 'reflect-even'",
     "[1,2,4,9] 1 1 -1.333333 -3.666667 -6 -4.333333 -2.666667 -1 -1 -1.5 -1.5 -2.416667 -3.333333 "
     "-4.25 -2.916667 -1.583333 -0.25 -0.25 -6.5 -6.5 -4.583333 -2.666667 -0.75 -0.08333333 "
     "0.5833333 1.25 1.25 -9 -9 -5.666667 -2.333333 1 1.333333 1.666667 2 2 0 0 0.3333333 "
     "0.6666667 1 -0.3333333 -1.666667 -3 -3 -2.25 -2.25 -1 0.25 1.5 0.08333333 -1.333333 -2.75 "
     "-2.75 -6.75 -6.75 -3.666667 -0.5833333 2.5 0.9166667 -0.6666667 -2.25 -2.25 -9 -9 -5 -1 3 "
     "1.333333 -0.3333333 -2 -2"},
    {"[1,1,3] 1 2 3", "factor = [2], method = 'asymmetric', border = 'replicate'",
     "[1,1,6] 1 1.5 2 2.5 3 3"},
    {"[1,2,2,3] 1 -6 -1 -9 1 2 0 1 -3 -9 3 -2",
     "factor = [2,3], method = 'asymmetric', border = 'replicate'",
     "[1,2,4,9] 1 -1.333333 -3.666667 -6 -4.333333 -2.666667 -1 -1 -1 -4 -3.5 -3 -2.5 -1.5 -0.5 "
     "0.5 0.5 0.5 -9 -5.666667 -2.333333 1 1.333333 1.666667 2 2 2 -9 -5.666667 -2.333333 1 "
     "1.333333 1.666667 2 2 2 0 0.3333333 0.6666667 1 -0.3333333 -1.666667 -3 -3 -3 -4.5 -2.333333 "
     "-0.1666667 2 0.5 -1 -2.5 -2.5 -2.5 -9 -5 -1 3 1.333333 -0.3333333 -2 -2 -2 -9 -5 -1 3 "
     "1.333333 -0.3333333 -2 -2 -2"},
    {"[1,1,3] 1 2 3", "factor = [2], method = 'asymmetric', border = 'constant'",
     "[1,1,6] 1 1.5 2 2.5 3 1.5"},
    {"[1,2,2,3] 1 -6 -1 -9 1 2 0 1 -3 -9 3 -2",
     "factor = [2,3], method = 'asymmetric', border = 'constant'",
     "[1,2,4,9] 1 -1.333333 -3.666667 -6 -4.333333 -2.666667 -1 -0.6666667 -0.3333333 -4 -3.5 -3 "
     "-2.5 -1.5 -0.5 0.5 0.3333333 0.1666667 -9 -5.666667 -2.333333 1 1.333333 1.666667 2 1.333333 "
     "0.6666667 -4.5 -2.833333 -1.166667 0.5 0.6666667 0.8333333 1 0.6666667 0.3333333 0 0.3333333 "
     "0.6666667 1 -0.3333333 -1.666667 -3 -2 -1 -4.5 -2.333333 -0.1666667 2 0.5 -1 -2.5 -1.666667 "
     "-0.8333333 -9 -5 -1 3 1.333333 -0.3333333 -2 -1.333333 -0.6666667 -4.5 -2.5 -0.5 1.5 "
     "0.6666667 -0.1666667 -1 -0.6666667 -0.3333333"},
    {"[1,1,3] 1 2 3", "factor = [2], method = 'asymmetric', border = 'reflect'",
     "[1,1,6] 1 1.5 2 2.5 3 2.5"},
    {"[1,2,2,3] 1 -6 -1 -9 1 2 0 1 -3 -9 3 -2",
     "factor = [2,3], method = 'asymmetric', border = 'reflect'",
     "[1,2,4,9] 1 -1.333333 -3.666667 -6 -4.333333 -2.666667 -1 -2.666667 -4.333333 -4 -3.5 -3 "
     "-2.5 -1.5 -0.5 0.5 -0.5 -1.5 -9 -5.666667 -2.333333 1 1.333333 1.666667 2 1.666667 1.333333 "
     "-4 -3.5 -3 -2.5 -1.5 -0.5 0.5 -0.5 -1.5 0 0.3333333 0.6666667 1 -0.3333333 -1.666667 -3 "
     "-1.666667 -0.3333333 -4.5 -2.333333 -0.1666667 2 0.5 -1 -2.5 -1 0.5 -9 -5 -1 3 1.333333 "
     "-0.3333333 -2 -0.3333333 1.333333 -4.5 -2.333333 -0.1666667 2 0.5 -1 -2.5 -1 0.5"},
    {"[1,1,3] 1 2 3", "factor = [2], method = 'asymmetric', border = 'reflect-even'",
     "[1,1,6] 1 1.5 2 2.5 3 3"},
    {"[1,2,2,3] 1 -6 -1 -9 1 2 0 1 -3 -9 3 -2",
     "factor = [2,3], method = 'asymmetric', border = 'reflect-even'",
     "[1,2,4,9] 1 -1.333333 -3.666667 -6 -4.333333 -2.666667 -1 -1 -1 -4 -3.5 -3 -2.5 -1.5 -0.5 "
     "0.5 0.5 0.5 -9 -5.666667 -2.333333 1 1.333333 1.666667 2 2 2 -9 -5.666667 -2.333333 1 "
     "1.333333 1.666667 2 2 2 0 0.3333333 0.6666667 1 -0.3333333 -1.666667 -3 -3 -3 -4.5 -2.333333 "
     "-0.1666667 2 0.5 -1 -2.5 -2.5 -2.5 -9 -5 -1 3 1.333333 -0.3333333 -2 -2 -2 -9 -5 -1 3 "
     "1.333333 -0.3333333 -2 -2 -2"},
    {"[1,1,3] 1 2 3", "factor = [2], method = 'aligned', border = 'replicate'",
     "[1,1,6] 1 1.4 1.8 2.2 2.6 3"},
    {"[1,2,2,3] 1 -6 -1 -9 1 2 0 1 -3 -9 3 -2",
     "factor = [2,3], method = 'aligned', border = 'replicate'",
     "[1,2,4,9] 1 -0.75 -2.5 -4.25 -6 -4.75 -3.5 -2.25 -1 -2.333333 -2.666667 -3 -3.333333 "
     "-3.666667 -2.75 -1.833333 -0.9166667 -1.110223e-16 -5.666667 -4.583333 -3.5 -2.416667 "
     "-1.333333 -0.75 -0.1666667 0.4166667 1 -9 -6.5 -4 -1.5 1 1.25 1.5 1.75 2 0 0.25 0.5 0.75 1 0 "
     "-1 -2 -3 -3 -1.833333 -0.6666667 0.5 1.666667 0.5833333 -0.5 -1.583333 -2.666667 -6 "
     "-3.916667 -1.833333 0.25 2.333333 1.166667 1.110223e-16 -1.166667 -2.333333 -9 -6 -3 0 3 "
     "1.75 0.5 -0.75 -2"},
    {"[1,1,3] 1 2 3", "factor = [2], method = 'aligned', border = 'constant'",
     "[1,1,6] 1 1.4 1.8 2.2 2.6 3"},
    {"[1,2,2,3] 1 -6 -1 -9 1 2 0 1 -3 -9 3 -2",
     "factor = [2,3], method = 'aligned', border = 'constant'",
     "[1,2,4,9] 1 -0.75 -2.5 -4.25 -6 -4.75 -3.5 -2.25 -1 -2.333333 -2.666667 -3 -3.333333 "
     "-3.666667 -2.75 -1.833333 -0.9166667 -1.110223e-16 -5.666667 -4.583333 -3.5 -2.416667 "
     "-1.333333 -0.75 -0.1666667 0.4166667 1 -9 -6.5 -4 -1.5 1 1.25 1.5 1.75 2 0 0.25 0.5 0.75 1 0 "
     "-1 -2 -3 -3 -1.833333 -0.6666667 0.5 1.666667 0.5833333 -0.5 -1.583333 -2.666667 -6 "
     "-3.916667 -1.833333 0.25 2.333333 1.166667 1.110223e-16 -1.166667 -2.333333 -9 -6 -3 0 3 "
     "1.75 0.5 -0.75 -2"},
    {"[1,1,3] 1 2 3", "factor = [2], method = 'aligned', border = 'reflect'",
     "[1,1,6] 1 1.4 1.8 2.2 2.6 3"},
    {"[1,2,2,3] 1 -6 -1 -9 1 2 0 1 -3 -9 3 -2",
     "factor = [2,3], method = 'aligned', border = 'reflect'",
     "[1,2,4,9] 1 -0.75 -2.5 -4.25 -6 -4.75 -3.5 -2.25 -1 -2.333333 -2.666667 -3 -3.333333 "
     "-3.666667 -2.75 -1.833333 -0.9166667 -1.110223e-16 -5.666667 -4.583333 -3.5 -2.416667 "
     "-1.333333 -0.75 -0.1666667 0.4166667 1 -9 -6.5 -4 -1.5 1 1.25 1.5 1.75 2 0 0.25 0.5 0.75 1 0 "
     "-1 -2 -3 -3 -1.833333 -0.6666667 0.5 1.666667 0.5833333 -0.5 -1.583333 -2.666667 -6 "
     "-3.916667 -1.833333 0.25 2.333333 1.166667 1.110223e-16 -1.166667 -2.333333 -9 -6 -3 0 3 "
     "1.75 0.5 -0.75 -2"},
    {"[1,1,3] 1 2 3", "factor = [2], method = 'aligned', border = 'reflect-even'",
     "[1,1,6] 1 1.4 1.8 2.2 2.6 3"},
    {"[1,2,2,3] 1 -6 -1 -9 1 2 0 1 -3 -9 3 -2",
     "factor = [2,3], method = 'aligned', border = 'reflect-even'",
     "[1,2,4,9] 1 -0.75 -2.5 -4.25 -6 -4.75 -3.5 -2.25 -1 -2.333333 -2.666667 -3 -3.333333 "
     "-3.666667 -2.75 -1.833333 -0.9166667 -1.110223e-16 -5.666667 -4.583333 -3.5 -2.416667 "
     "-1.333333 -0.75 -0.1666667 0.4166667 1 -9 -6.5 -4 -1.5 1 1.25 1.5 1.75 2 0 0.25 0.5 0.75 1 0 "
     "-1 -2 -3 -3 -1.833333 -0.6666667 0.5 1.666667 0.5833333 -0.5 -1.583333 -2.666667 -6 "
     "-3.916667 -1.833333 0.25 2.333333 1.166667 1.110223e-16 -1.166667 -2.333333 -9 -6 -3 0 3 "
     "1.75 0.5 -0.75 -2"},
    {"[1,1,2,1,2] -4 2 3 -1", "factor = [1,2,2], method = 'symmetric', border = 'replicate'",
     "[1,1,2,2,4] -4 -2.5 0.5 2 -4 -2.5 0.5 2 3 2 0 -1 3 2 0 -1"},
    {"[2,1,1] -4 2", "factor = [3], method = 'aligned', border = 'replicate'",
     "[2,1,3] -4 -4 -4 2 2 2"},
    {"[1,1,4] -4 2 3 -1", "factor = [1], method = 'asymmetric', border = 'replicate'",
     "[1,1,4] -4 2 3 -1"},
    {"[1,1,2] -4 2", "factor = [5], method = 'symmetric', border = 'replicate'",
     "[1,1,10] -4 -4 -4 -2.8 -1.6 -0.4 0.8 2 2 2"},
    {0},
};

static void expect_cases(struct op_fixture *f, const char *op, const struct resize_case *cases)
{
    for (; cases->input; cases++) {
        fixture_feed(f, "input", cases->input);
        fixture_run(f, op, cases->attrs);
        fixture_expect(f, 0, cases->output);
    }
}

static void multilinear_upsample_weighs_neighbours(void **state)
{
    expect_cases(*state, "multilinear_upsample", multilinear_cases);
}

static const struct resize_case nearest_down_cases[] = {
    {"[1,1,6] 1 2 3 4 5 6", "factor = [2]", "[1,1,3] 1 3 5"},
    {"[1,1,6] 1 2 3 4 5 6", "factor = [3]", "[1,1,2] 1 4"},
    {"[1,2,2,2] 1 2 3 4 5 6 7 8", "factor = [2,1]", "[1,2,1,2] 1 2 5 6"},
    {"[1,1,2,2,2] 1 2 3 4 5 6 7 8", "factor = [2,2,2]", "[1,1,1,1,1] 1"},
    {"[2,2] 1 2 3 4", "factor = []", "[2,2] 1 2 3 4"},
    {0},
};

static const struct resize_case area_down_cases[] = {
    {"[1,1,6] 1 2 3 4 5 9", "factor = [2]", "[1,1,3] 1.5 3.5 7"},
    {"[1,1,6] 1 2 3 4 5 9", "factor = [3]", "[1,1,2] 2 6"},
    {"[1,2,2,2] 1 2 3 4 5 6 7 9", "factor = [2,2]", "[1,2,1,1] 2.5 6.75"},
    {"[2,1,2] 1 2 3 4", "factor = [1]", "[2,1,2] 1 2 3 4"},
    {0},
};

static const struct resize_case nearest_up_cases[] = {
    {"[1,1,3] 1 2 3", "factor = [2]", "[1,1,6] 1 1 2 2 3 3"},
    {"[1,1,2,2] 1 2 3 4", "factor = [1,3]", "[1,1,2,6] 1 1 1 2 2 2 3 3 3 4 4 4"},
    {"[1,2,1,2] 1 2 3 4", "factor = [2,2]", "[1,2,2,4] 1 1 2 2 1 1 2 2 3 3 4 4 3 3 4 4"},
    {"[1,1,1,1,2] 1 2", "factor = [1,2,1]", "[1,1,1,2,2] 1 2 1 2"},
    {0},
};

static void nearest_downsample_takes_the_first_of_each_block(void **state)
{
    expect_cases(*state, "nearest_downsample", nearest_down_cases);
}

static void area_downsample_takes_the_mean_of_each_block(void **state)
{
    expect_cases(*state, "area_downsample", area_down_cases);
}

static void nearest_upsample_repeats_each_item(void **state)
{
    expect_cases(*state, "nearest_upsample", nearest_up_cases);
}

static void provisional_factors_may_be_short(void **state)
{
    struct op_fixture *f = *state;

    f->graph->provisional = true;
    fixture_feed(f, "input", "[1,1,2,3] 1 2 3 4 5 6");
    fixture_run(f, "nearest_downsample", "factor = [2]");
    fixture_expect(f, 0, "[1,1,1,3] 1 2 3");
    fixture_feed(f, "input", "[1,1,2] 1 2");
    fixture_run(f, "nearest_upsample", "factor = [1,2]");
    fixture_expect(f, 0, "[1,1,2,2] 1 1 2 2");
}

struct refusal {
    const char *op, *input, *attrs;
    enum diag_code code;
};

/* Rules V22 to V24. */
static const struct refusal refusals[] = {
    {"area_downsample", "[1,3,8,8]", "factor = [3,3]", DIAG_NOT_DIVISIBLE},
    {"nearest_downsample", "[1,3,8,8]", "factor = [2]", DIAG_ITEM_COUNT},
    {"nearest_downsample", "[1,3,8]", "factor = [0]", DIAG_ITEM_VALUE},
    {"nearest_upsample", "[1,3,8,8]", "factor = [2]", DIAG_ITEM_COUNT},
    {"nearest_upsample", "[1,3,8]", "factor = [-2]", DIAG_ITEM_VALUE},
    {"nearest_upsample", "[1,3,8]", "factor = [4611686018427387904]", DIAG_VOLUME_LIMIT},
    {"nearest_upsample", "[3]", "factor = []", DIAG_RANK},
    {"multilinear_upsample", "[1,3,8]", "factor = [2,2]", DIAG_ITEM_COUNT},
    {"multilinear_upsample", "[1,3,8]", "factor = [2], method = 'cubic'", DIAG_ENUM_VALUE},
    {"multilinear_upsample", "[1,3,8]", "factor = [2], border = 'ignore'", DIAG_ENUM_VALUE},
    {"multilinear_upsample", "[1,3,1]", "factor = [2], border = 'reflect'", DIAG_ITEM_VALUE},
    {0},
};

static void arguments_are_checked(void **state)
{
    for (const struct refusal *r = refusals; r->op; r++) {
        fixture_feed(*state, "input", r->input);
        fixture_expect_error(*state, r->op, r->attrs, r->code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(multilinear_upsample_weighs_neighbours, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(nearest_downsample_takes_the_first_of_each_block,
                                        op_fixture_setup, op_fixture_teardown),
        cmocka_unit_test_setup_teardown(area_downsample_takes_the_mean_of_each_block,
                                        op_fixture_setup, op_fixture_teardown),
        cmocka_unit_test_setup_teardown(nearest_upsample_repeats_each_item, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(provisional_factors_may_be_short, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(arguments_are_checked, op_fixture_setup,
                                        op_fixture_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
