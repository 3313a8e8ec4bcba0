/* test_concat.c - concat, split, stack and unstack (section 4.5.3) */
#include "support/op_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { PARTS = 3 };

/* The parts and what they are put together. */
struct concat_case {
    const char *parts[PARTS + 1];
    const char *attrs, *whole, *cut; /* attributes of concat or stack, of split or unstack */
};

static const struct concat_case concat_cases[] = {
    {{"[2,1] 1 2", "[2,2] 3 4 5 6"}, "axis = 1", "[2,3] 1 3 4 2 5 6", "axis = 1, ratios = [1,2]"},
    {{"[1,2] 1 2", "[1,2] 3 4", "[2,2] 5 6 7 8"},
     "axis = 0",
     "[4,2] 1 2 3 4 5 6 7 8",
     "axis = 0, ratios = [1,1,2]"},
    {{"[2,1,2] 1 2 3 4", "[2,1,2] 5 6 7 8"},
     "axis = 1",
     "[2,2,2] 1 2 5 6 3 4 7 8",
     "axis = 1, ratios = [1,1]"},
    {{"[1,1,1,1,2] 1 2", "[1,1,1,1,4] 3 4 5 6"},
     "axis = 4",
     "[1,1,1,1,6] 1 2 3 4 5 6",
     "axis = 4, ratios = [1,2]"},
    {{"integer[2] 1 2", "integer[1] 9007199254740992"},
     "axis = 0",
     "integer[3] 1 2 9007199254740992",
     "axis = 0, ratios = [2,1]"},
    {{"logical[1] true", "logical[1] false"},
     "axis = 0",
     "logical[2] true false",
     "axis = 0, ratios = [1,1]"},
    {{"[2,3] 1"}, "axis = 0", "[2,3] 1", "axis = 0, ratios = [2]"},
    {{"[0,2]", "[0,2]"}, "axis = 0", "[0,2]", "axis = 0, ratios = [1,1]"},
    {{NULL}, NULL, NULL, NULL},
};

static const struct concat_case stack_cases[] = {
    {{"[2] 1 2", "[2] 3 4", "[2] 5 6"}, "axis = 0", "[3,2] 1 2 3 4 5 6", "axis = 0"},
    {{"[2] 1 2", "[2] 3 4", "[2] 5 6"}, "axis = 1", "[2,3] 1 3 5 2 4 6", "axis = 1"},
    {{"[2,2] 1 2 3 4", "[2,2] 5 6 7 8"}, "axis = 1", "[2,2,2] 1 2 5 6 3 4 7 8", "axis = 1"},
    {{"[] 1", "[] 2"}, "axis = 0", "[2] 1 2", "axis = 0"},
    {{"integer[1] 5"}, "axis = 1", "integer[1,1] 5", "axis = 1"},
    {{NULL}, NULL, NULL, NULL},
};

static void expect_joined(struct op_fixture *f, const char *op, const struct concat_case *c)
{
    for (; c->whole; c++) {
        for (int i = 0; c->parts[i]; i++)
            fixture_feed(f, "values", c->parts[i]);
        fixture_run(f, op, c->attrs);
        fixture_expect(f, 0, c->whole);
    }
}

static void expect_cut(struct op_fixture *f, const char *op, const struct concat_case *c)
{
    for (; c->whole; c++) {
        fixture_feed(f, "value", c->whole);
        fixture_run(f, op, c->cut);
        for (int i = 0; c->parts[i]; i++)
            fixture_expect(f, i, c->parts[i]);
    }
}

static void concat_joins_along_the_axis(void **state)
{
    expect_joined(*state, "concat", concat_cases);
}

static void split_cuts_in_proportion(void **state)
{
    expect_cut(*state, "split", concat_cases);
}

static void stack_joins_along_a_new_axis(void **state)
{
    expect_joined(*state, "stack", stack_cases);
}

static void unstack_makes_a_result_per_item(void **state)
{
    expect_cut(*state, "unstack", stack_cases);
    fixture_feed(*state, "value", "[2,0,3]");
    assert_true(fixture_run(*state, "unstack", "axis = 1"));
    assert_int_equal(((struct op_fixture *)*state)->nout, 0);
}

static void unknown_extents_meet_known_ones(void **state)
{
    fixture_feed(*state, "values", "[?,3,4]");
    fixture_feed(*state, "values", "[2,?,4]");
    fixture_run(*state, "concat", "axis = 1");
    fixture_expect(*state, 0, "[2,?,4]");
    fixture_feed(*state, "value", "[?,4]");
    fixture_run(*state, "split", "axis = 0, ratios = [1,2]");
    fixture_expect(*state, 1, "[?,4]");
    fixture_feed(*state, "values", "[?,4]");
    fixture_feed(*state, "values", "[3,?]");
    fixture_run(*state, "stack", "axis = 1");
    fixture_expect(*state, 0, "[3,2,4]");
}

static void provisional_shapes_imply_trailing_ones(void **state)
{
    struct op_fixture *f = *state;

    f->graph->provisional = true;
    fixture_feed(f, "values", "[1,2] 1 2");
    fixture_feed(f, "values", "[1,1,1] 3");
    fixture_run(f, "concat", "axis = 1");
    fixture_expect(f, 0, "[1,3,1] 1 2 3");
    fixture_feed(f, "values", "[2] 1 2");
    fixture_feed(f, "values", "[2] 3 4");
    fixture_run(f, "concat", "axis = 1");
    fixture_expect(f, 0, "[2,2] 1 3 2 4");
}

struct refusal {
    const char *op, *operands[PARTS], *attrs;
    enum diag_code code;
};

/* Rules V33 to V35. */
static const struct refusal refusals[] = {
    {"split", {"[2,3]"}, "axis = 2, ratios = [1]", DIAG_AXIS},
    {"split", {"[2,3]"}, "axis = 1, ratios = [1,1]", DIAG_NOT_DIVISIBLE},
    {"split", {"[2,3]"}, "axis = 1, ratios = [0,1]", DIAG_ITEM_VALUE},
    {"split", {"[2,3]"}, "axis = 1, ratios = []", DIAG_ITEM_COUNT},
    {"split",
     {"[2]"},
     "axis = 0, ratios = [4611686018427387904,4611686018427387904]",
     DIAG_NOT_DIVISIBLE},
    {"concat", {NULL}, "axis = 0", DIAG_EMPTY_OPERANDS},
    {"concat", {"[2,3]", "[2]"}, "axis = 0", DIAG_RANK},
    {"concat", {"[2,3]", "[2,2]"}, "axis = 0", DIAG_SHAPE_MISMATCH},
    {"concat", {"[2,3]", "[2,3]"}, "axis = 2", DIAG_AXIS},
    {"concat", {"[2,3]", "[2,3]"}, "axis = -1", DIAG_AXIS},
    {"stack", {NULL}, "axis = 0", DIAG_EMPTY_OPERANDS},
    {"stack", {"[2]"}, "axis = 5", DIAG_AXIS},
    {"stack", {"[2]", "[3]"}, "axis = 0", DIAG_SHAPE_MISMATCH},
    {"stack", {"[2]", "[2,1]"}, "axis = 0", DIAG_SHAPE_MISMATCH},
    {"stack", {"[1,1,1,1,1,1,1,1]"}, "axis = 0", DIAG_RANK},
    {"unstack", {"[2,3]"}, "axis = 2", DIAG_AXIS},
    {"unstack", {"[]"}, "axis = 0", DIAG_AXIS},
    {NULL, {NULL}, NULL, DIAG_SYNTAX},
};

static void arguments_are_checked(void **state)
{
    for (const struct refusal *r = refusals; r->op; r++) {
        for (int i = 0; i < PARTS && r->operands[i]; i++)
            fixture_feed(*state, "values", r->operands[i]);
        fixture_expect_error(*state, r->op, r->attrs, r->code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(concat_joins_along_the_axis, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(split_cuts_in_proportion, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(stack_joins_along_a_new_axis, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(unstack_makes_a_result_per_item, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(unknown_extents_meet_known_ones, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(provisional_shapes_imply_trailing_ones, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(arguments_are_checked, op_fixture_setup,
                                        op_fixture_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
