/* test_select.c - choice between operands (NNEF 1.0.5, sections 4.2.3, 4.2.4) */
#include "support/op_fixture.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void feed3(struct op_fixture *f, const char *a, const char *b, const char *c)
{
    fixture_feed(f, "condition", a);
    fixture_feed(f, "true_value", b);
    fixture_feed(f, "false_value", c);
}

static void the_condition_chooses_per_item(void **state)
{
    struct op_fixture *f = *state;

    f->generic = DTYPE_SCALAR;
    feed3(f, "logical[2,2] true false false true", "[2,2] 1 2 3 4", "[2,2] 5 6 7 8");
    fixture_run(f, "select", NULL);
    fixture_expect(f, 0, "[2,2] 1 6 7 4");
}

static void nan_in_the_other_branch_does_not_leak(void **state)
{
    struct op_fixture *f = *state;

    f->generic = DTYPE_SCALAR;
    feed3(f, "logical[2] true false", "[2] 1 nan", "[2] nan 2");
    fixture_run(f, "select", NULL);
    fixture_expect(f, 0, "[2] 1 2");
}

static void all_three_operands_broadcast(void **state)
{
    struct op_fixture *f = *state;

    f->generic = DTYPE_SCALAR;
    feed3(f, "logical[2] true false", "[1,3] 1 2 3", "[] 0");
    fixture_run(f, "select", NULL);
    fixture_expect(f, 0, "[2,3] 1 2 3 0 0 0");
    feed3(f, "logical[] false", "[2,1,2] 1 2 3 4", "[1,2] 5 6");
    fixture_run(f, "select", NULL);
    fixture_expect(f, 0, "[2,2,2] 5 5 6 6 5 5 6 6");
}

static void integers_and_logicals_are_chosen_exactly(void **state)
{
    struct op_fixture *f = *state;

    f->generic = DTYPE_INTEGER;
    feed3(f, "logical[2] true false", "integer[2] 9007199254740992 1", "integer[] -7");
    fixture_run(f, "select", NULL);
    fixture_expect(f, 0, "integer[2] 9007199254740992 -7");
    f->generic = DTYPE_LOGICAL;
    feed3(f, "logical[2] true false", "logical[] false", "logical[] true");
    fixture_run(f, "select", NULL);
    fixture_expect(f, 0, "logical[2] false true");
}

static void condition_that_does_not_broadcast_is_an_error(void **state)
{
    struct op_fixture *f = *state;

    f->generic = DTYPE_SCALAR;
    feed3(f, "logical[1,2] true", "[1,3,8,8] 0", "[] 0");
    fixture_expect_error(f, "select", NULL, DIAG_BROADCAST);
}

static void feed_clamp(struct op_fixture *f, const char *x, const char *a, const char *b)
{
    fixture_feed(f, "x", x);
    fixture_feed(f, "a", a);
    fixture_feed(f, "b", b);
}

static void clamp_bounds_below_and_above(void **state)
{
    struct op_fixture *f = *state;

    feed_clamp(f, "[5] -3 -1 0 2 9", "[] -1", "[] 2");
    fixture_run(f, "clamp", NULL);
    fixture_expect(f, 0, "[5] -1 -1 0 2 2");
    feed_clamp(f, "[2,2] 1 2 3 4", "[2] 2 0", "[1,2] 9 3");
    fixture_run(f, "clamp", NULL);
    fixture_expect(f, 0, "[2,2] 2 2 3 3");
}

static void clamp_with_crossed_bounds_is_the_lower_one(void **state)
{
    struct op_fixture *f = *state;

    feed_clamp(f, "[3] 0 4 9", "[] 5", "[] 3");
    fixture_run(f, "clamp", NULL);
    fixture_expect(f, 0, "[3] 5 5 5");
}

static void clamp_keeps_nan(void **state)
{
    struct op_fixture *f = *state;

    feed_clamp(f, "[3] nan 1 1", "[3] 1 nan 1", "[3] 2 2 nan");
    fixture_run(f, "clamp", NULL);
    fixture_expect(f, 0, "[3] nan nan nan");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        OP_TEST(the_condition_chooses_per_item),
        OP_TEST(nan_in_the_other_branch_does_not_leak),
        OP_TEST(all_three_operands_broadcast),
        OP_TEST(integers_and_logicals_are_chosen_exactly),
        OP_TEST(condition_that_does_not_broadcast_is_an_error),
        OP_TEST(clamp_bounds_below_and_above),
        OP_TEST(clamp_with_crossed_bounds_is_the_lower_one),
        OP_TEST(clamp_keeps_nan),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
