/*
 * test_pool.c - maxima of windows, sample and desample (sections 4.3.3 and 4.9.3)
 *
 * Expected values come from comparing the items of every window, output by output.
 */
#include "support/op_fixture.h"

#include "diag/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct pool_case {
    const char *input, *attrs, *output, *index;
};

static const struct pool_case max_cases[] = {
    {"[1,1,4,5] -4 -1 -4 -9 -9 -8 -2 -3 -7 -5 -4 -7 -5 -7 -5 -2 -2 -8 -2 -9",
     "size = [1,1,3,2], stride = [1,1,2,1]", "[1,1,2,5] -1 -1 -3 -5 0 0 0 0 0 0",
     "integer[1,1,2,5] 1 0 2 3 1 4 4 4 4 1"},
    {"[1,1,4,5] -4 -1 -4 -9 -9 -8 -2 -3 -7 -5 -4 -7 -5 -7 -5 -2 -2 -8 -2 -9",
     "size = [1,1,3,2], border = 'replicate', stride = [1,1,2,1]",
     "[1,1,2,5] -1 -1 -3 -5 -5 -2 -2 -2 -2 -5", "integer[1,1,2,5] 1 0 2 3 2 2 2 3 2 0"},
    {"[1,1,4,5] -4 -1 -4 -9 -9 -8 -2 -3 -7 -5 -4 -7 -5 -7 -5 -2 -2 -8 -2 -9",
     "size = [1,1,3,2], border = 'reflect', stride = [1,1,2,1]",
     "[1,1,2,5] -1 -1 -3 -5 -5 -2 -2 -2 -2 -2", "integer[1,1,2,5] 1 0 2 3 2 2 2 3 2 3"},
    {"[1,1,4,5] -4 -1 -4 -9 -9 -8 -2 -3 -7 -5 -4 -7 -5 -7 -5 -2 -2 -8 -2 -9",
     "size = [1,1,3,2], border = 'reflect-even', stride = [1,1,2,1]",
     "[1,1,2,5] -1 -1 -3 -5 -5 -2 -2 -2 -2 -5", "integer[1,1,2,5] 1 0 2 3 2 2 2 3 2 0"},
    {"[1,1,4,5] -4 -1 -4 -9 -9 -8 -2 -3 -7 -5 -4 -7 -5 -7 -5 -2 -2 -8 -2 -9",
     "size = [1,1,3,2], border = 'ignore', stride = [1,1,2,1]",
     "[1,1,2,5] -1 -1 -3 -5 -5 -2 -2 -2 -2 -5", "integer[1,1,2,5] 1 0 2 3 2 2 2 3 2 0"},
    {"[2,7] 5 -4 -8 -1 -1 9 0 -2 4 -1 -5 9 3 -3",
     "size = [1,3], padding = [(0,0),(2,1)], dilation = [1,2]", "[2,6] 5 0 5 9 0 9 0 4 9 4 9 3",
     "integer[2,6] 1 0 0 2 2 1 0 1 2 0 1 1"},
    {"[2,7] 5 -4 -8 -1 -1 9 0 -2 4 -1 -5 9 3 -3",
     "size = [1,3], border = 'replicate', padding = [(0,0),(2,1)], dilation = [1,2]",
     "[2,6] 5 5 5 9 0 9 -1 4 9 4 9 3", "integer[2,6] 0 0 0 2 2 1 2 1 2 0 1 1"},
    {"[2,7] 5 -4 -8 -1 -1 9 0 -2 4 -1 -5 9 3 -3",
     "size = [1,3], border = 'reflect', padding = [(0,0),(2,1)], dilation = [1,2]",
     "[2,6] 5 -1 5 9 0 9 -1 4 9 4 9 3", "integer[2,6] 1 2 0 2 2 1 0 0 2 0 1 1"},
    {"[2,7] 5 -4 -8 -1 -1 9 0 -2 4 -1 -5 9 3 -3",
     "size = [1,3], border = 'reflect-even', padding = [(0,0),(2,1)], dilation = [1,2]",
     "[2,6] 5 5 5 9 0 9 4 4 9 4 9 3", "integer[2,6] 1 0 0 2 2 1 0 1 2 0 1 1"},
    {"[2,7] 5 -4 -8 -1 -1 9 0 -2 4 -1 -5 9 3 -3",
     "size = [1,3], border = 'ignore', padding = [(0,0),(2,1)], dilation = [1,2]",
     "[2,6] 5 -1 5 9 0 9 -1 4 9 4 9 3", "integer[2,6] 1 2 0 2 2 1 2 1 2 0 1 1"},
    {"[2,3,4] -6 5 6 -3 7 0 -1 -5 -2 7 7 -2 3 6 8 -2 7 3 4 2 -8 6 9 0",
     "size = [2,2,3], padding = [(0,1),(1,0),(1,1)]",
     "[2,3,4] 6 8 8 8 7 8 8 8 7 9 9 9 6 8 8 8 7 8 8 8 7 9 9 9",
     "integer[2,3,4] 11 11 10 9 4 8 7 6 1 11 10 9 5 5 4 3 4 2 1 0 1 5 4 3"},
    {"[2,3,4] -6 5 6 -3 7 0 -1 -5 -2 7 7 -2 3 6 8 -2 7 3 4 2 -8 6 9 0",
     "size = [2,2,3], border = 'replicate', padding = [(0,1),(1,0),(1,1)]",
     "[2,3,4] 6 8 8 8 7 8 8 8 7 9 9 9 6 8 8 8 7 8 8 8 7 9 9 9",
     "integer[2,3,4] 8 8 7 6 3 8 7 6 0 11 10 9 2 2 1 0 3 2 1 0 0 5 4 3"},
    {"[2,3,4] -6 5 6 -3 7 0 -1 -5 -2 7 7 -2 3 6 8 -2 7 3 4 2 -8 6 9 0",
     "size = [2,2,3], border = 'reflect', padding = [(0,1),(1,0),(1,1)]",
     "[2,3,4] 7 8 8 8 7 8 8 8 7 9 9 9 7 8 8 8 7 8 8 8 7 9 9 9",
     "integer[2,3,4] 1 11 10 9 4 8 7 6 1 11 10 9 1 5 4 3 4 2 1 0 1 5 4 3"},
    {"[2,3,4] -6 5 6 -3 7 0 -1 -5 -2 7 7 -2 3 6 8 -2 7 3 4 2 -8 6 9 0",
     "size = [2,2,3], border = 'reflect-even', padding = [(0,1),(1,0),(1,1)]",
     "[2,3,4] 6 8 8 8 7 8 8 8 7 9 9 9 6 8 8 8 7 8 8 8 7 9 9 9",
     "integer[2,3,4] 8 8 7 6 3 8 7 6 0 11 10 9 2 2 1 0 3 2 1 0 0 5 4 3"},
    {"[2,3,4] -6 5 6 -3 7 0 -1 -5 -2 7 7 -2 3 6 8 -2 7 3 4 2 -8 6 9 0",
     "size = [2,2,3], border = 'ignore', padding = [(0,1),(1,0),(1,1)]",
     "[2,3,4] 6 8 8 8 7 8 8 8 7 9 9 9 6 8 8 8 7 8 8 8 7 9 9 9",
     "integer[2,3,4] 11 11 10 9 4 8 7 6 1 11 10 9 5 5 4 3 4 2 1 0 1 5 4 3"},
    {0},
};

static const struct pool_case sample_cases[] = {
    {"[1,1,4,5] -4 -1 -4 -9 -9 -8 -2 -3 -7 -5 -4 -7 -5 -7 -5 -2 -2 -8 -2 -9",
     "size = [1,1,3,2], stride = [1,1,2,1]", "[1,1,2,5] -4 -4 -7 -5 -5 -7 -7 -7 -2 -9",
     "integer[1,1,2,5] 4 1 3 3 4 1 0 1 2 2"},
    {"[1,1,4,5] -4 -1 -4 -9 -9 -8 -2 -3 -7 -5 -4 -7 -5 -7 -5 -2 -2 -8 -2 -9",
     "size = [1,1,3,2], border = 'replicate', stride = [1,1,2,1]",
     "[1,1,2,5] -4 -4 -7 -5 -5 -7 -7 -7 -2 -9", "integer[1,1,2,5] 4 1 3 3 4 1 0 1 2 2"},
    {"[1,1,4,5] -4 -1 -4 -9 -9 -8 -2 -3 -7 -5 -4 -7 -5 -7 -5 -2 -2 -8 -2 -9",
     "size = [1,1,3,2], border = 'reflect', stride = [1,1,2,1]",
     "[1,1,2,5] -4 -4 -7 -5 -5 -7 -7 -7 -2 -9", "integer[1,1,2,5] 4 1 3 3 4 1 0 1 2 2"},
    {"[1,1,4,5] -4 -1 -4 -9 -9 -8 -2 -3 -7 -5 -4 -7 -5 -7 -5 -2 -2 -8 -2 -9",
     "size = [1,1,3,2], border = 'reflect-even', stride = [1,1,2,1]",
     "[1,1,2,5] -4 -4 -7 -5 -5 -7 -7 -7 -2 -9", "integer[1,1,2,5] 4 1 3 3 4 1 0 1 2 2"},
    {"[2,7] 5 -4 -8 -1 -1 9 0 -2 4 -1 -5 9 3 -3",
     "size = [1,3], padding = [(0,0),(2,1)], dilation = [1,2]",
     "[2,6] 0 -4 -1 -4 -1 0 0 4 9 3 -3 -5", "integer[2,6] 0 1 2 0 1 2 0 1 2 2 2 0"},
    {"[2,7] 5 -4 -8 -1 -1 9 0 -2 4 -1 -5 9 3 -3",
     "size = [1,3], border = 'replicate', padding = [(0,0),(2,1)], dilation = [1,2]",
     "[2,6] 5 -4 -1 -4 -1 0 -2 4 9 3 -3 -5", "integer[2,6] 0 1 2 0 1 2 0 1 2 2 2 0"},
    {"[2,7] 5 -4 -8 -1 -1 9 0 -2 4 -1 -5 9 3 -3",
     "size = [1,3], border = 'reflect', padding = [(0,0),(2,1)], dilation = [1,2]",
     "[2,6] -8 -4 -1 -4 -1 9 -1 4 9 3 -3 -5", "integer[2,6] 0 1 2 0 1 2 0 1 2 2 2 0"},
    {"[2,7] 5 -4 -8 -1 -1 9 0 -2 4 -1 -5 9 3 -3",
     "size = [1,3], border = 'reflect-even', padding = [(0,0),(2,1)], dilation = [1,2]",
     "[2,6] -4 -4 -1 -4 -1 0 4 4 9 3 -3 -5", "integer[2,6] 0 1 2 0 1 2 0 1 2 2 2 0"},
    {"[2,3,4] -6 5 6 -3 7 0 -1 -5 -2 7 7 -2 3 6 8 -2 7 3 4 2 -8 6 9 0",
     "size = [2,2,3], padding = [(0,1),(1,0),(1,1)]",
     "[2,3,4] -6 3 0 6 0 6 8 4 7 4 6 0 0 0 0 0 7 3 0 8 0 0 0 0",
     "integer[2,3,4] 4 9 6 3 3 7 7 9 7 8 9 10 10 8 7 6 4 0 7 0 11 7 10 6"},
    {"[2,3,4] -6 5 6 -3 7 0 -1 -5 -2 7 7 -2 3 6 8 -2 7 3 4 2 -8 6 9 0",
     "size = [2,2,3], border = 'replicate', padding = [(0,1),(1,0),(1,1)]",
     "[2,3,4] -6 3 6 6 7 6 8 4 7 4 6 0 3 8 8 8 7 3 8 8 6 3 9 4",
     "integer[2,3,4] 4 9 6 3 3 7 7 9 7 8 9 10 10 8 7 6 4 0 7 0 11 7 10 6"},
    {"[2,3,4] -6 5 6 -3 7 0 -1 -5 -2 7 7 -2 3 6 8 -2 7 3 4 2 -8 6 9 0",
     "size = [2,2,3], border = 'reflect', padding = [(0,1),(1,0),(1,1)]",
     "[2,3,4] -6 3 3 6 0 6 8 4 7 4 6 0 -6 -1 -1 -1 7 3 6 8 7 0 7 -1",
     "integer[2,3,4] 4 9 6 3 3 7 7 9 7 8 9 10 10 8 7 6 4 0 7 0 11 7 10 6"},
    {"[2,3,4] -6 5 6 -3 7 0 -1 -5 -2 7 7 -2 3 6 8 -2 7 3 4 2 -8 6 9 0",
     "size = [2,2,3], border = 'reflect-even', padding = [(0,1),(1,0),(1,1)]",
     "[2,3,4] -6 3 6 6 7 6 8 4 7 4 6 0 3 8 8 8 7 3 8 8 6 3 9 4",
     "integer[2,3,4] 4 9 6 3 3 7 7 9 7 8 9 10 10 8 7 6 4 0 7 0 11 7 10 6"},
    {0},
};

static const struct pool_case desample_cases[] = {
    {"[1,4] -4 2 3 -1", "size = [1,3], padding = [(0,0),(0,0)], stride = [1,2]",
     "[1,9] -4 0 0 2 0 0 2 0 0", "integer[1,4] 0 1 2 0"},
    {"[1,4] -4 2 3 -1", "size = [1,3]", "[1,4] 0 2 -1 3", "integer[1,4] 0 1 2 0"},
    {"[2,3] -4 2 3 -1 0 2", "size = [2,2], padding = [(1,0),(0,1)], stride = [2,1]",
     "[3,3] 0 -4 0 0 0 0 -1 0 0", "integer[2,3] 3 0 1 2 3 3"},
    {"[1,1,2,2] -4 2 3 -1", "size = [1,1,2,2], stride = [1,1,2,2], output_shape = [1,1,4,3]",
     "[1,1,4,3] 0 0 2 0 -4 0 0 3 0 0 0 -1", "integer[1,1,2,2] 3 0 1 2"},
    {"[2,2,3] -4 2 3 -1 0 2 -4 6 -9 7 -8 3", "size = [1,2,2], dilation = [1,1,2]",
     "[2,2,3] 2 0 0 0 -4 0 0 -9 0 0 3 6", "integer[2,2,3] 3 0 1 2 3 3 3 3 0 1 2 3"},
    {0},
};

static void max_pool_takes_the_largest_item(void **state)
{
    for (const struct pool_case *c = max_cases; c->input; c++) {
        fixture_feed(*state, "input", c->input);
        fixture_run(*state, "max_pool", c->attrs);
        fixture_expect(*state, 0, c->output);
    }
}

static void argmax_pool_tells_its_place_in_the_window(void **state)
{
    for (const struct pool_case *c = max_cases; c->input; c++) {
        fixture_feed(*state, "input", c->input);
        fixture_run(*state, "argmax_pool", c->attrs);
        fixture_expect(*state, 0, c->index);
    }
}

static void max_pool_with_index_gives_both(void **state)
{
    for (const struct pool_case *c = max_cases; c->input; c++) {
        fixture_feed(*state, "input", c->input);
        fixture_run(*state, "max_pool_with_index", c->attrs);
        fixture_expect(*state, 0, c->output);
        fixture_expect(*state, 1, c->index);
    }
}

/* Zeros of the border win over negative items unless they are ignored (E17). */
static void padded_zeros_compete(void **state)
{
    fixture_feed(*state, "input", "[1,1,4] -1 -2 -3 -4");
    fixture_run(*state, "max_pool", "size = [1,1,3]");
    fixture_expect(*state, 0, "[1,1,4] 0 -1 -2 0");
    fixture_feed(*state, "input", "[1,1,4] -1 -2 -3 -4");
    fixture_run(*state, "max_pool", "size = [1,1,3], border = 'ignore'");
    fixture_expect(*state, 0, "[1,1,4] -1 -1 -2 -3");
}

static int warnings_of(struct op_fixture *f, const char *op, const char *attrs)
{
    int before = diag_count(f->context->diag);

    fixture_feed(f, "input", "[1,1,4]");
    assert_true(fixture_run(f, op, attrs));
    return diag_count(f->context->diag) - before;
}

static void only_padding_that_competes_is_warned_of(void **state)
{
    struct op_fixture *f = *state;

    assert_int_equal(warnings_of(f, "max_pool", "size = [1,1,3]"), 1);
    assert_int_equal(warnings_of(f, "max_pool_with_index", "size = [1,1,2]"), 1);
    assert_int_equal(warnings_of(f, "max_pool", "size = [1,1,2], stride = [1,1,2]"), 0);
    assert_int_equal(warnings_of(f, "max_pool", "size = [1,1,3], border = 'ignore'"), 0);
    assert_int_equal(warnings_of(f, "max_pool", "size = [1,1,2], padding = [(0,0),(0,0),(-1,0)]"),
                     0);
}

static void the_first_of_equal_maxima_wins(void **state)
{
    fixture_feed(*state, "input", "[2,2] 5 5 5 5");
    fixture_run(*state, "argmax_pool", "size = [2,2], padding = [(0,0),(0,0)]");
    fixture_expect(*state, 0, "integer[1,1] 0");
    fixture_feed(*state, "input", "[3] 0 -1 0");
    fixture_run(*state, "argmax_pool", "size = [3]");
    fixture_expect(*state, 0, "integer[3] 0 0 1");
}

static void sample_fetches_what_the_index_says(void **state)
{
    for (const struct pool_case *c = sample_cases; c->input; c++) {
        fixture_feed(*state, "input", c->input);
        fixture_feed(*state, "index", c->index);
        fixture_run(*state, "sample", c->attrs);
        fixture_expect(*state, 0, c->output);
    }
}

static void desample_puts_items_where_the_index_says(void **state)
{
    for (const struct pool_case *c = desample_cases; c->input; c++) {
        fixture_feed(*state, "input", c->input);
        fixture_feed(*state, "index", c->index);
        fixture_run(*state, "desample", c->attrs);
        fixture_expect(*state, 0, c->output);
    }
}

static void an_index_beyond_the_window_is_reported(void **state)
{
    static const char *const indices[] = {"integer[2] 0 2", "integer[2] -1 0"};

    for (int i = 0; i < 2; i++) {
        fixture_feed(*state, "input", "[4] 1 2 3 4");
        fixture_feed(*state, "index", indices[i]);
        fixture_expect_error(*state, "sample", "size = [2], stride = [2]", DIAG_RUN_INDEX);
        fixture_feed(*state, "input", "[2] 1 2");
        fixture_feed(*state, "index", indices[i]);
        fixture_expect_error(*state, "desample", "size = [2], stride = [2]", DIAG_RUN_INDEX);
    }
}

struct refusal {
    const char *op, *input, *index, *attrs;
    enum diag_code code;
};

/* Rules V14 to V21. */
static const struct refusal refusals[] = {
    {"max_pool", "[1,3,8,8]", NULL, "size = [2,2]", DIAG_ITEM_COUNT},
    {"max_pool", "[1,3,8,8]", NULL, "size = [1,1,2,2], stride = [2,2]", DIAG_ITEM_COUNT},
    {"max_pool", "[1,8]", NULL, "size = [1,-1]", DIAG_ITEM_VALUE},
    {"max_pool", "[1,2]", NULL, "size = [1,3], padding = [(0,0),(0,0)]", DIAG_WINDOW_SIZE},
    {"max_pool", "[4]", NULL, "size = [2], border = 'ignore', padding = [(2,0)]", DIAG_WINDOW_SIZE},
    {"argmax_pool", "[1,8]", NULL, "size = [1,2], border = 'edge'", DIAG_ENUM_VALUE},
    {"argmax_pool", "[8]", NULL, "size = [1,2]", DIAG_ITEM_COUNT},
    {"max_pool_with_index", "[8]", NULL, "size = [2], dilation = [0]", DIAG_ITEM_VALUE},
    {"sample", "[4]", "integer[2] 0", "size = [2], stride = [2], border = 'ignore'",
     DIAG_ENUM_VALUE},
    {"sample", "[4]", "integer[4] 0", "size = [2], stride = [2]", DIAG_SHAPE_MISMATCH},
    {"sample", "[4]", "integer[2] 0", "size = [2], stride = [2,2]", DIAG_ITEM_COUNT},
    {"desample", "[2]", "integer[2] 0", "size = [2], border = 'replicate'", DIAG_ENUM_VALUE},
    {"desample", "[2]", "integer[4] 0", "size = [2], stride = [2]", DIAG_SHAPE_MISMATCH},
    {"desample", "[2]", "integer[2] 0", "size = [2], output_shape = [9]", DIAG_OUTPUT_SHAPE},
    {0},
};

static void arguments_are_checked(void **state)
{
    for (const struct refusal *r = refusals; r->op; r++) {
        fixture_feed(*state, "input", r->input);
        if (r->index)
            fixture_feed(*state, "index", r->index);
        fixture_expect_error(*state, r->op, r->attrs, r->code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(max_pool_takes_the_largest_item, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(argmax_pool_tells_its_place_in_the_window, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(max_pool_with_index_gives_both, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(padded_zeros_compete, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(only_padding_that_competes_is_warned_of, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(the_first_of_equal_maxima_wins, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(sample_fetches_what_the_index_says, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(desample_puts_items_where_the_index_says, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(an_index_beyond_the_window_is_reported, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(arguments_are_checked, op_fixture_setup,
                                        op_fixture_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
