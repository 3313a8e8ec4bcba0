/* test_binary.c - elementwise operations on two operands (NNEF 1.0.5, sections 4.2.2, 4.2.4) */
#include "support/op_fixture.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct binary_case {
    const char *op, *x, *y, *z;
};

static const struct binary_case cases[] = {
    {"add", "[3] 1 2 3", "[3] 0.5 -2 1e3", "[3] 1.5 0 1003"},
    {"sub", "[3] 1 2 3", "[3] 0.5 -2 1e3", "[3] 0.5 4 -997"},
    {"mul", "[3] 1 2 3", "[3] 0.5 -2 1e3", "[3] 0.5 -4 3000"},
    {"div", "[3] 1 2 3", "[3] 0.5 -2 0", "[3] 2 -1 inf"},
    {"pow", "[6] 2 -2 -2 9 0 5", "[6] 10 3 2 0.5 0 -1", "[6] 1024 -8 4 3 1 0.2"},
    {"pow", "[2] -3 -8", "[2] -2 0.5", "[2] 0.11111111 nan"},
    {"lt", "[3] 1 2 3", "[3] 2 2 2", "logical[3] true false false"},
    {"gt", "[3] 1 2 3", "[3] 2 2 2", "logical[3] false false true"},
    {"le", "[3] 1 2 3", "[3] 2 2 2", "logical[3] true true false"},
    {"ge", "[3] 1 2 3", "[3] 2 2 2", "logical[3] false true true"},
    {"eq", "[3] 1 2 nan", "[3] 2 2 nan", "logical[3] false true false"},
    {"ne", "[3] 1 2 nan", "[3] 2 2 nan", "logical[3] true false true"},
    {"and", "logical[4] 0 0 1 1", "logical[4] 0 1 0 1", "logical[4] 0 0 0 1"},
    {"or", "logical[4] 0 0 1 1", "logical[4] 0 1 0 1", "logical[4] 0 1 1 1"},
    {"min", "[4] 1 3 nan 5", "[4] 2 2 7 nan", "[4] 1 2 nan nan"},
    {"max", "[4] 1 3 nan 5", "[4] 2 2 7 nan", "[4] 2 3 nan nan"},
};

static void run_case(struct op_fixture *f, const struct binary_case *c)
{
    fixture_feed(f, "x", c->x);
    fixture_feed(f, "y", c->y);
    if (!fixture_run(f, c->op, NULL))
        fail_msg("%s reports", c->op);
    fixture_expect(f, 0, c->z);
}

static void values_are_those_of_the_function(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        run_case(*state, &cases[i]);
}

static const struct binary_case broadcasts[] = {
    {"sub", "[2,3] 1 2 3 4 5 6", "[] 1", "[2,3] 0 1 2 3 4 5"},
    {"sub", "[] 1", "[2,3] 1 2 3 4 5 6", "[2,3] 0 -1 -2 -3 -4 -5"},
    {"sub", "[2,3] 1 2 3 4 5 6", "[2] 1 2", "[2,3] 0 1 2 2 3 4"},
    {"sub", "[2,3] 1 2 3 4 5 6", "[1,3] 1 2 3", "[2,3] 0 0 0 3 3 3"},
    {"sub", "[1,3] 1 2 3", "[2,1] 10 20", "[2,3] -9 -8 -7 -19 -18 -17"},
    {"add", "[1,2,2] 1 2 3 4", "[1,2] 10 20", "[1,2,2] 11 12 23 24"},
    {"add", "[2,2,1,2] 1 2 3 4 5 6 7 8", "[1,2] 10 20", "[2,2,1,2] 11 12 23 24 15 16 27 28"},
    {"add", "[2,2,2] 1 2 3 4 5 6 7 8", "[2,1,2] 10 20 30 40", "[2,2,2] 11 22 13 24 35 46 37 48"},
    {"add", "[2,1,2,1,2] 1 2 3 4 5 6 7 8", "[1,1,2] 10 20", "[2,1,2,1,2] 11 12 23 24 15 16 27 28"},
    {"add", "[1,5,4] 0", "[4] 1 2 3 4",
     "[4,5,4] 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 "
     "3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4"},
    {"add", "[0,3]", "[1,3] 1 2 3", "[0,3]"},
};

static void shapes_are_aligned_at_dimension_0(void **state)
{
    for (size_t i = 0; i < sizeof broadcasts / sizeof broadcasts[0]; i++)
        run_case(*state, &broadcasts[i]);
}

static void long_rows_are_whole(void **state)
{
    struct op_fixture *f = *state;
    const float *z;

    fixture_feed(f, "x", "[2,3,1000] 1");
    fixture_feed(f, "y", "[1,3] 1 2 3");
    assert_true(fixture_run(f, "add", NULL));
    z = f->out[0].data;
    for (int i = 0; i < 6000; i++)
        assert_int_equal((int)z[i], 2 + i / 1000 % 3);
}

static void unknown_extents_give_way(void **state)
{
    struct op_fixture *f = *state;

    fixture_feed(f, "x", "[?,3,?]");
    fixture_feed(f, "y", "[4,1,1]");
    fixture_run(f, "mul", NULL);
    fixture_expect(f, 0, "[4,3,?]");
}

static void extents_equal_or_one(void **state)
{
    struct op_fixture *f = *state;

    fixture_feed(f, "x", "[1,3,8,8] 0");
    fixture_feed(f, "y", "[1,8] 0");
    fixture_expect_error(f, "add", NULL, DIAG_BROADCAST);
    fixture_feed(f, "x", "[2,3] 0");
    fixture_feed(f, "y", "[3] 0");
    fixture_expect_error(f, "lt", NULL, DIAG_BROADCAST);
}

static void trailing_ones_do_not_count_in_the_provisional_dialect(void **state)
{
    struct op_fixture *f = *state;

    f->graph->provisional = true;
    fixture_feed(f, "x", "[2,3,1,1] 1 2 3 4 5 6");
    fixture_feed(f, "y", "[2,3] 1");
    fixture_run(f, "add", NULL);
    fixture_expect(f, 0, "[2,3,1,1] 2 3 4 5 6 7");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        OP_TEST(values_are_those_of_the_function),
        OP_TEST(shapes_are_aligned_at_dimension_0),
        OP_TEST(long_rows_are_whole),
        OP_TEST(unknown_extents_give_way),
        OP_TEST(extents_equal_or_one),
        OP_TEST(trailing_ones_do_not_count_in_the_provisional_dialect),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
