/* test_slice.c - slice, pad, tile, gather and cast (sections 4.5.4 to 4.5.8) */
#include "support/op_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct slice_case {
    const char *input, *attrs, *output;
};

static void expect_cases(struct op_fixture *f, const char *op, const struct slice_case *cases)
{
    for (; cases->input; cases++) {
        fixture_feed(f, "input", cases->input);
        fixture_run(f, op, cases->attrs);
        fixture_expect(f, 0, cases->output);
    }
}

static const struct slice_case slice_cases[] = {
    {"[1,5,2] 0 1 10 11 20 21 30 31 40 41", "axes = [1], begin = [4], end = [-100], stride = [-2]",
     "[1,3,2] 40 41 20 21 0 1"},
    {"[5] 0 1 2 3 4", "axes = [0], begin = [0], end = [100], stride = [2]", "[3] 0 2 4"},
    {"[5] 0 1 2 3 4", "axes = [0], begin = [4], end = [0], stride = [-1]", "[4] 4 3 2 1"},
    {"[5] 0 1 2 3 4", "axes = [0], begin = [1], end = [4], stride = []", "[3] 1 2 3"},
    {"[5] 0 1 2 3 4", "axes = [0], begin = [-2], end = [0], stride = []", "[2] 3 4"},
    {"[5] 0 1 2 3 4", "axes = [0], begin = [1], end = [0], stride = [1]", "[4] 1 2 3 4"},
    {"[5] 0 1 2 3 4", "axes = [0], begin = [1], end = [-1], stride = [3]", "[1] 1"},
    {"[5] 0 1 2 3 4", "axes = [0], begin = [-1], end = [-3], stride = [-1]", "[2] 4 3"},
    {"[5] 0 1 2 3 4", "axes = [0], begin = [2], end = [2], stride = []", "[0]"},
    {"[5] 0 1 2 3 4", "axes = [0], begin = [5], end = [5], stride = []", "[0]"},
    {"[5] 0 1 2 3 4", "axes = [0], begin = [2], end = [4], stride = [4611686018427387904]",
     "[1] 2"},
    {"[5] 0 1 2 3 4", "axes = [0], begin = [2], end = [-9], stride = [-4611686018427387904]",
     "[1] 2"},
    {"[5] 0 1 2 3 4", "axes = [0], begin = [0], end = [4611686018427387904], stride = []",
     "[5] 0 1 2 3 4"},
    {"[2,3] 1 2 3 4 5 6", "axes = [1,0], begin = [1,1], end = [3,2], stride = []", "[1,2] 5 6"},
    {"[2,3] 1 2 3 4 5 6", "axes = [0,1], begin = [1,2], end = [-3,0], stride = [-1,-1]",
     "[2,2] 6 5 3 2"},
    {"[2,3] 1 2 3 4 5 6", "axes = [], begin = [], end = [], stride = []", "[2,3] 1 2 3 4 5 6"},
    {"integer[3] 1 2 3", "axes = [0], begin = [1], end = [0], stride = []", "integer[2] 2 3"},
    {"logical[2] true false", "axes = [0], begin = [1], end = [-9], stride = [-1]",
     "logical[2] false true"},
    {0},
};

static void slice_takes_a_range_of_each_axis(void **state)
{
    expect_cases(*state, "slice", slice_cases);
}

static const struct slice_case pad_cases[] = {
    {"[4] 1 2 3 4", "padding = [(2,2)], border = 'reflect'", "[8] 3 2 1 2 3 4 3 2"},
    {"[4] 1 2 3 4", "padding = [(2,2)], border = 'reflect-even'", "[8] 2 1 1 2 3 4 4 3"},
    {"[4] 1 2 3 4", "padding = [(2,1)], border = 'replicate'", "[7] 1 1 1 2 3 4 4"},
    {"[4] 1 2 3 4", "padding = [(1,2)], value = 7.5", "[7] 7.5 1 2 3 4 7.5 7.5"},
    {"[4] 1 2 3 4", "padding = [(-1,-2)]", "[1] 2"},
    {"[4] 1 2 3 4", "padding = [(-5,2)], border = 'constant', value = 1.0", "[1] 1"},
    {"[4] 1 2 3 4", "padding = [(-2,1)], border = 'reflect'", "[3] 3 4 3"},
    {"[2] 1 2", "padding = [(1,1)], border = 'reflect'", "[4] 2 1 2 1"},
    {"[2] 1 2", "padding = [(2,2)], border = 'reflect-even'", "[6] 2 1 1 2 2 1"},
    {"[0]", "padding = [(1,1)], value = 3.0", "[2] 3 3"},
    {"[2,2] 1 2 3 4", "padding = [(1,0),(0,1)], value = 9.0", "[3,3] 9 9 9 1 2 9 3 4 9"},
    {"[2,2] 1 2 3 4", "padding = [(1,0),(1,1)], border = 'reflect'",
     "[3,4] 4 3 4 3 2 1 2 1 4 3 4 3"},
    {"[] 4", "padding = []", "[] 4"},
    {0},
};

static void pad_puts_a_border_around(void **state)
{
    expect_cases(*state, "pad", pad_cases);
}

static const struct slice_case tile_cases[] = {
    {"[2] 1 2", "repeats = [3]", "[6] 1 2 1 2 1 2"},
    {"[2,2] 1 2 3 4", "repeats = [2,1]", "[4,2] 1 2 3 4 1 2 3 4"},
    {"[2,2] 1 2 3 4", "repeats = [1,2]", "[2,4] 1 2 1 2 3 4 3 4"},
    {"integer[1,1,2] 1 2", "repeats = [1,2,2]", "integer[1,2,4] 1 2 1 2 1 2 1 2"},
    {"logical[1] true", "repeats = [2]", "logical[2] true true"},
    {"[0,2]", "repeats = [5,1]", "[0,2]"},
    {"[] 4", "repeats = []", "[] 4"},
    {0},
};

static void tile_repeats_each_axis(void **state)
{
    expect_cases(*state, "tile", tile_cases);
}

struct gather_case {
    const char *input, *indices, *attrs, *output;
};

static const struct gather_case gather_cases[] = {
    {"[3] 1 2 3", "integer[4] 2 0 0 1", "axis = 0", "[4] 3 1 1 2"},
    {"[1,5,2] 0 1 10 11 20 21 30 31 40 41", "integer[2,2] 0 1 2 0", "axis = 1",
     "[1,2,2,2] 0 1 10 11 20 21 0 1"},
    {"[2,3] 1 2 3 4 5 6", "integer[2] 2 0", "axis = 1", "[2,2] 3 1 6 4"},
    {"[2,3] 1 2 3 4 5 6", "integer[] 1", "axis = 0", "[3] 4 5 6"},
    {"[3] 1 2 3", "integer[] 1", "axis = 0", "[] 2"},
    {"[2,3] 1 2 3 4 5 6", "integer[0]", "axis = 1", "[2,0]"},
    {"integer[2] 7 8", "integer[1,1] 1", "axis = 0", "integer[1,1] 8"},
    {"logical[2] true false", "integer[2] 1 0", "axis = 0", "logical[2] false true"},
    {0},
};

static void gather_takes_sections_by_index(void **state)
{
    for (const struct gather_case *c = gather_cases; c->input; c++) {
        fixture_feed(*state, "input", c->input);
        fixture_feed(*state, "indices", c->indices);
        fixture_run(*state, "gather", c->attrs);
        fixture_expect(*state, 0, c->output);
    }
}

static void gather_reports_an_index_out_of_range(void **state)
{
    fixture_feed(*state, "input", "[3] 1 2 3");
    fixture_feed(*state, "indices", "integer[1] 3");
    fixture_expect_error(*state, "gather", "axis = 0", DIAG_RUN_INDEX);
    fixture_feed(*state, "input", "[3] 1 2 3");
    fixture_feed(*state, "indices", "integer[1] -1");
    fixture_expect_error(*state, "gather", "axis = 0", DIAG_RUN_INDEX);
}

struct cast_case {
    enum dtype to;
    const char *input, *output;
};

/* Scalars lose their fraction (E33). */
static const struct cast_case cast_cases[] = {
    {DTYPE_SCALAR, "integer[3] -2 0 5", "[3] -2 0 5"},
    {DTYPE_SCALAR, "logical[2] true false", "[2] 1 0"},
    {DTYPE_SCALAR, "[2] 1.5 -0.25", "[2] 1.5 -0.25"},
    {DTYPE_INTEGER, "[6] 2.5 -2.5 0.99 -0.99 7 -7", "integer[6] 2 -2 0 0 7 -7"},
    {DTYPE_INTEGER, "logical[2] true false", "integer[2] 1 0"},
    {DTYPE_INTEGER, "integer[1] 9007199254740992", "integer[1] 9007199254740992"},
    {DTYPE_INTEGER, "[3] nan 1e30 -1e30", "integer[3] 0 9223372036854775807 -9223372036854775808"},
    {DTYPE_LOGICAL, "[4] 0 -0.5 1e-30 nan", "logical[4] false true true true"},
    {DTYPE_LOGICAL, "integer[2] 0 -1", "logical[2] false true"},
    {DTYPE_LOGICAL, "logical[] true", "logical[] true"},
    {DTYPE_UNKNOWN, NULL, NULL},
};

static void cast_converts_item_by_item(void **state)
{
    struct op_fixture *f = *state;

    for (const struct cast_case *c = cast_cases; c->input; c++) {
        f->generic = c->to;
        fixture_feed(f, "input", c->input);
        fixture_run(f, "cast", NULL);
        fixture_expect(f, 0, c->output);
    }
}

struct refusal {
    const char *op, *input, *attrs;
    enum diag_code code;
};

/* Rules V36 to V39. */
static const struct refusal refusals[] = {
    {"slice", "[2,3]", "axes = [1], begin = [0,0], end = [1]", DIAG_ITEM_COUNT},
    {"slice", "[2,3]", "axes = [1], begin = [0], end = [1,1]", DIAG_ITEM_COUNT},
    {"slice", "[2,3]", "axes = [1], begin = [0], end = [1], stride = [1,1]", DIAG_ITEM_COUNT},
    {"slice", "[2,3]", "axes = [2], begin = [0], end = [1]", DIAG_AXIS},
    {"slice", "[2,3]", "axes = [1,1], begin = [0,0], end = [1,1]", DIAG_AXIS_REPEATED},
    {"slice", "[2,3]", "axes = [1], begin = [0], end = [1], stride = [0]", DIAG_ITEM_VALUE},
    {"slice", "[2,3]", "axes = [1], begin = [2], end = [1]", DIAG_SLICE_RANGE},
    {"slice", "[2,3]", "axes = [1], begin = [0], end = [2], stride = [-1]", DIAG_SLICE_RANGE},
    {"slice", "[2,3]", "axes = [1], begin = [-9], end = [2]", DIAG_SLICE_RANGE},
    {"slice", "[2,3]", "axes = [1], begin = [3], end = [0], stride = [-1]", DIAG_SLICE_RANGE},
    {"pad", "[2,3]", "padding = [(0,0)]", DIAG_ITEM_COUNT},
    {"pad", "[3]", "padding = [(1,1)], border = 'ignore'", DIAG_ENUM_VALUE},
    {"pad", "[3]", "padding = [(-2,-1)]", DIAG_EXTENT},
    {"pad", "[3]", "padding = [(3,0)], border = 'reflect'", DIAG_ITEM_VALUE},
    {"pad", "[3]", "padding = [(0,4)], border = 'reflect-even'", DIAG_ITEM_VALUE},
    {"pad", "[0]", "padding = [(1,0)], border = 'replicate'", DIAG_ITEM_VALUE},
    {"tile", "[2,3]", "repeats = [1]", DIAG_ITEM_COUNT},
    {"tile", "[2,3]", "repeats = [1,0]", DIAG_ITEM_VALUE},
    {"tile", "[4]", "repeats = [4611686018427387904]", DIAG_VOLUME_LIMIT},
    {0},
};

static void arguments_are_checked(void **state)
{
    for (const struct refusal *r = refusals; r->op; r++) {
        fixture_feed(*state, "input", r->input);
        fixture_expect_error(*state, r->op, r->attrs, r->code);
    }
}

/* Rule V40. */
static void gather_checks_its_axis(void **state)
{
    static const char *const attrs[] = {"axis = 1", "axis = -1"};

    for (int i = 0; i < 2; i++) {
        fixture_feed(*state, "input", "[3]");
        fixture_feed(*state, "indices", "integer[2]");
        fixture_expect_error(*state, "gather", attrs[i], DIAG_AXIS);
    }
    fixture_feed(*state, "input", "[1,1,1,1,1]");
    fixture_feed(*state, "indices", "integer[1,1,1,1,1]");
    fixture_expect_error(*state, "gather", "axis = 0", DIAG_RANK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(slice_takes_a_range_of_each_axis, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(pad_puts_a_border_around, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(tile_repeats_each_axis, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(gather_takes_sections_by_index, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(gather_reports_an_index_out_of_range, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(cast_converts_item_by_item, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(arguments_are_checked, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(gather_checks_its_axis, op_fixture_setup,
                                        op_fixture_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
