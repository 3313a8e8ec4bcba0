/* test_reshape.c - reshape, squeeze, unsqueeze and transpose (sections 4.5.1 and 4.5.2) */
#include "support/op_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct shape_case {
    const char *op, *input, *attrs, *output;
};

static void expect_cases(struct op_fixture *f, const struct shape_case *cases)
{
    for (; cases->op; cases++) {
        fixture_feed(f, "input", cases->input);
        fixture_run(f, cases->op, cases->attrs);
        fixture_expect(f, 0, cases->output);
    }
}

static const struct shape_case reshape_cases[] = {
    {"reshape", "[2,3] 1 2 3 4 5 6", "shape = [3,2], axis_start = 0, axis_count = -1",
     "[3,2] 1 2 3 4 5 6"},
    {"reshape", "integer[2,3] 1 2 3 4 5 6", "shape = [6], axis_start = 0, axis_count = -1",
     "integer[6] 1 2 3 4 5 6"},
    {"reshape", "logical[2] true false", "shape = [1,2], axis_start = 0, axis_count = -1",
     "logical[1,2] true false"},
    {"reshape", "[2,3,4]", "shape = [0,-1], axis_start = 0, axis_count = -1", "[2,12]"},
    {"reshape", "[2,3,4]", "shape = [-1,0], axis_start = 0, axis_count = -1", "[8,3]"},
    {"reshape", "[2,3,4]", "shape = [-1], axis_start = 1, axis_count = -1", "[2,12]"},
    {"reshape", "[2,3,4,5]", "shape = [-1], axis_start = 1, axis_count = 2", "[2,12,5]"},
    {"reshape", "[2,3,4,5]", "shape = [1,0,3], axis_start = 1, axis_count = 2", "[2,1,4,3,5]"},
    {"reshape", "[1,5,4]", "shape = [1], axis_start = 1, axis_count = 0", "[1,1,5,4]"},
    {"reshape", "[1,5,4]", "shape = [1,1], axis_start = 3, axis_count = -1", "[1,5,4,1,1]"},
    {"reshape", "[2,1,1,3]", "shape = [], axis_start = 1, axis_count = 2", "[2,3]"},
    {"reshape", "[1] 7", "shape = [], axis_start = 0, axis_count = -1", "[] 7"},
    {"reshape", "[] 7", "shape = [1,1], axis_start = 0, axis_count = -1", "[1,1] 7"},
    {"reshape", "[0,3]", "shape = [0,1], axis_start = 0, axis_count = -1", "[0,1]"},
    {"reshape", "[?,3,4]", "shape = [0,-1], axis_start = 0, axis_count = -1", "[?,?]"},
    {"reshape", "[?,3,4]", "shape = [12], axis_start = 1, axis_count = -1", "[?,12]"},
    {0},
};

static void reshape_keeps_the_order_of_items(void **state)
{
    expect_cases(*state, reshape_cases);
}

/* There, all of the shape is given anew and shapes may leave out trailing ones. */
static void provisional_reshape_has_no_range(void **state)
{
    struct op_fixture *f = *state;

    f->graph->provisional = true;
    fixture_feed(f, "input", "[2,3] 1 2 3 4 5 6");
    fixture_run(f, "reshape", "shape = [0,1,0,3]");
    fixture_expect(f, 0, "[2,1,1,3] 1 2 3 4 5 6");
}

static const struct shape_case squeeze_cases[] = {
    {"squeeze", "[1,2,1,3] 1 2 3 4 5 6", "axes = [0,2]", "[2,3] 1 2 3 4 5 6"},
    {"squeeze", "[1,2,1]", "axes = [2,0]", "[2]"},
    {"squeeze", "[1,1] 4", "axes = [0,1]", "[] 4"},
    {"squeeze", "[2]", "axes = []", "[2]"},
    {"squeeze", "[?,?]", "axes = [1]", "[?]"},
    {"unsqueeze", "[2,3] 1 2 3 4 5 6", "axes = [0,3]", "[1,2,3,1] 1 2 3 4 5 6"},
    {"unsqueeze", "[2,3]", "axes = [3,0]", "[1,2,3,1]"},
    {"unsqueeze", "[2,3]", "axes = [1,2]", "[2,1,1,3]"},
    {"unsqueeze", "[] 4", "axes = [0]", "[1] 4"},
    {"unsqueeze", "integer[0]", "axes = [0]", "integer[1,0]"},
    {0},
};

static void squeeze_and_unsqueeze_take_a_set_of_axes(void **state)
{
    expect_cases(*state, squeeze_cases);
}

static const struct shape_case transpose_cases[] = {
    {"transpose", "[2,3] 1 2 3 4 5 6", "axes = [1,0]", "[3,2] 1 4 2 5 3 6"},
    {"transpose", "[2,3,4] 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24",
     "axes = [2,0,1]", "[4,2,3] 1 5 9 13 17 21 2 6 10 14 18 22 3 7 11 15 19 23 4 8 12 16 20 24"},
    {"transpose", "integer[2,2,2] 1 2 3 4 5 6 7 8", "axes = [1,0]",
     "integer[2,2,2] 1 2 5 6 3 4 7 8"},
    {"transpose", "logical[1,2] true false", "axes = [1,0]", "logical[2,1] true false"},
    {"transpose", "[2,2] 1 2 3 4", "axes = []", "[2,2] 1 2 3 4"},
    {"transpose", "[] 1", "axes = []", "[] 1"},
    {"transpose", "[0,3]", "axes = [1,0]", "[3,0]"},
    {"transpose", "[?,3]", "axes = [1,0]", "[3,?]"},
    {"transpose", "[1,2,1,2,1] 1 2 3 4", "axes = [3,4,2,1,0]", "[2,1,1,2,1] 1 3 2 4"},
    {0},
};

static void transpose_reorders_leading_axes(void **state)
{
    expect_cases(*state, transpose_cases);
}

static void provisional_transpose_implies_trailing_ones(void **state)
{
    struct op_fixture *f = *state;

    f->graph->provisional = true;
    fixture_feed(f, "input", "[2,3] 1 2 3 4 5 6");
    fixture_run(f, "transpose", "axes = [0,2,3,1]");
    fixture_expect(f, 0, "[2,1,1,3] 1 2 3 4 5 6");
}

struct refusal {
    const char *op, *input, *attrs;
    enum diag_code code;
};

/* Rules V26 to V29. */
static const struct refusal reshape_refusals[] = {
    {"reshape", "[2,3]", "shape = [6], axis_start = 3, axis_count = -1", DIAG_AXIS},
    {"reshape", "[2,3]", "shape = [6], axis_start = -1, axis_count = -1", DIAG_AXIS},
    {"reshape", "[2,3]", "shape = [6], axis_start = 1, axis_count = 2", DIAG_AXIS},
    {"reshape", "[2,3]", "shape = [6], axis_start = 0, axis_count = -2", DIAG_AXIS},
    {"reshape", "[2,3]", "shape = [-1,-1], axis_start = 0, axis_count = -1", DIAG_ITEM_VALUE},
    {"reshape", "[2,3]", "shape = [-2], axis_start = 0, axis_count = -1", DIAG_ITEM_VALUE},
    {"reshape", "[2,3]", "shape = [5], axis_start = 0, axis_count = -1", DIAG_VOLUME},
    {"reshape", "[2,3]", "shape = [0,4], axis_start = 0, axis_count = -1", DIAG_VOLUME},
    {"reshape", "[2,3]", "shape = [5,-1], axis_start = 0, axis_count = -1", DIAG_VOLUME},
    {"reshape", "[2,3]", "shape = [4294967296,4294967296], axis_start = 0, axis_count = -1",
     DIAG_VOLUME},
    {"reshape", "[0,3]", "shape = [0,-1], axis_start = 0, axis_count = -1", DIAG_VOLUME},
    {"reshape", "[2,3]", "shape = [0,0,0], axis_start = 0, axis_count = -1", DIAG_ITEM_VALUE},
    {"reshape", "[2,3]", "shape = [3,0], axis_start = 1, axis_count = 1", DIAG_ITEM_VALUE},
    {"reshape", "[1]", "shape = [1,1,1,1,1,1,1,1,1], axis_start = 0, axis_count = -1", DIAG_RANK},
    {0},
};

/* Rules V30 to V32. */
static const struct refusal axes_refusals[] = {
    {"squeeze", "[1,3]", "axes = [1]", DIAG_EXTENT},
    {"squeeze", "[1,3]", "axes = [2]", DIAG_AXIS},
    {"squeeze", "[1,3]", "axes = [0,0]", DIAG_AXIS_REPEATED},
    {"unsqueeze", "[1,3]", "axes = [3]", DIAG_AXIS},
    {"unsqueeze", "[1,3]", "axes = [-1]", DIAG_AXIS},
    {"unsqueeze", "[1,3]", "axes = [0,0]", DIAG_AXIS_REPEATED},
    {"unsqueeze", "[1,1,1,1,1,1,1,1]", "axes = [0]", DIAG_RANK},
    {"transpose", "[2,3,4]", "axes = [0,2]", DIAG_PERMUTATION},
    {"transpose", "[2,3,4]", "axes = [0,0,1]", DIAG_PERMUTATION},
    {"transpose", "[2,3]", "axes = [0,1,2]", DIAG_PERMUTATION},
    {0},
};

static void expect_refusals(struct op_fixture *f, const struct refusal *refusals)
{
    for (const struct refusal *r = refusals; r->op; r++) {
        fixture_feed(f, "input", r->input);
        fixture_expect_error(f, r->op, r->attrs, r->code);
    }
}

static void range_and_volume_are_checked(void **state)
{
    expect_refusals(*state, reshape_refusals);
}

static void axes_are_checked(void **state)
{
    expect_refusals(*state, axes_refusals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reshape_keeps_the_order_of_items, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(provisional_reshape_has_no_range, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(squeeze_and_unsqueeze_take_a_set_of_axes, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(transpose_reorders_leading_axes, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(provisional_transpose_implies_trailing_ones,
                                        op_fixture_setup, op_fixture_teardown),
        cmocka_unit_test_setup_teardown(range_and_volume_are_checked, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(axes_are_checked, op_fixture_setup, op_fixture_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
