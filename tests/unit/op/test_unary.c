/* test_unary.c - elementwise operations on one operand (NNEF 1.0.5, sections 4.2.1, 4.2.4) */
#include "support/op_fixture.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct unary_case {
    const char *op, *x, *y;
};

static const struct unary_case cases[] = {
    {"neg", "[3] 0.5 -2 0", "[3] -0.5 2 0"},
    {"rcp", "[4] 1 4 -0.5 0", "[4] 1 0.25 -2 inf"},
    {"exp", "[4] 0 1 -2 -inf", "[4] 1 2.7182818 0.13533528 0"},
    {"log", "[4] 1 2 10 0", "[4] 0 0.69314718 2.3025851 -inf"},
    {"log", "[1] -1", "[1] nan"},
    {"sin", "[3] 0 1 -2", "[3] 0 0.84147098 -0.90929743"},
    {"cos", "[3] 0 1 -2", "[3] 1 0.54030231 -0.41614684"},
    {"tan", "[3] 0 1 -2", "[3] 0 1.5574077 2.1850399"},
    {"sinh", "[3] 0 1 -2", "[3] 0 1.1752012 -3.6268604"},
    {"cosh", "[3] 0 1 -2", "[3] 1 1.5430806 3.7621957"},
    {"tanh", "[4] 0 1 -2 -1000", "[4] 0 0.76159416 -0.96402758 -1"},
    {"asin", "[4] -1 0.5 1 2", "[4] -1.5707963 0.52359878 1.5707963 nan"},
    {"acos", "[4] -1 0.5 1 2", "[4] 3.1415927 1.0471976 0 nan"},
    {"atan", "[3] -2 0 1", "[3] -1.1071487 0 0.78539816"},
    {"asinh", "[3] -2 0 1", "[3] -1.4436355 0 0.88137359"},
    {"acosh", "[3] 1 2 10", "[3] 0 1.3169579 2.9932228"},
    {"atanh", "[3] 0 0.5 -0.5", "[3] 0 0.54930614 -0.54930614"},
    {"abs", "[3] -2.5 0 2.5", "[3] 2.5 0 2.5"},
    {"sign", "[4] -2.5 0 1e-30 inf", "[4] -1 0 1 1"},
    {"floor", "[4] -2.5 -0.5 0.5 2", "[4] -3 -1 0 2"},
    {"ceil", "[4] -2.5 -0.5 0.5 2", "[4] -2 0 1 2"},
    {"round", "[6] -2.5 -1.5 -0.5 0.5 1.5 2.5", "[6] -2 -1 0 1 2 3"},
    {"round", "[4] -2.6 -2.4 0.49999997 8388609", "[4] -3 -2 0 8388609"},
    {"sqr", "[3] -3 0 1.5", "[3] 9 0 2.25"},
    {"sqrt", "[3] 9 0 2", "[3] 3 0 1.4142136"},
    {"rsqr", "[3] -2 0.5 4", "[3] 0.25 4 0.0625"},
    {"rsqrt", "[3] 4 0.25 2", "[3] 0.5 2 0.70710678"},
    {"log2", "[4] 1 8 0.25 10", "[4] 0 3 -2 3.3219281"},
};

static void values_are_those_of_the_function(void **state)
{
    struct op_fixture *f = *state;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fixture_feed(f, "x", cases[i].x);
        if (!fixture_run(f, cases[i].op, NULL))
            fail_msg("%s reports", cases[i].op);
        fixture_expect(f, 0, cases[i].y);
    }
}

static void not_inverts(void **state)
{
    struct op_fixture *f = *state;

    fixture_feed(f, "x", "logical[2,2] true false false true");
    fixture_run(f, "not", NULL);
    fixture_expect(f, 0, "logical[2,2] false true true false");
}

static void copy_takes_every_type(void **state)
{
    struct op_fixture *f = *state;

    fixture_feed(f, "x", "integer[3] 1 -2 9007199254740992");
    fixture_run(f, "copy", NULL);
    fixture_expect(f, 0, "integer[3] 1 -2 9007199254740992");
    fixture_feed(f, "x", "logical[1,2] true false");
    fixture_run(f, "copy", NULL);
    fixture_expect(f, 0, "logical[1,2] true false");
    fixture_feed(f, "x", "[2] 1.5 nan");
    fixture_run(f, "copy", NULL);
    fixture_expect(f, 0, "[2] 1.5 nan");
}

static void shape_is_kept_at_any_rank(void **state)
{
    static const char *const shapes[] = {
        "[] 1",        "[1] 1",         "[2,1] 1", "[1,2,3] 1",
        "[2,1,3,2] 1", "[1,2,1,2,3] 1", "[0,3]",   "[2,1,1,1,1,1,1,2] 1"};
    static const char *const expected[] = {
        "[] -1",        "[1] -1",         "[2,1] -1", "[1,2,3] -1",
        "[2,1,3,2] -1", "[1,2,1,2,3] -1", "[0,3]",    "[2,1,1,1,1,1,1,2] -1"};
    struct op_fixture *f = *state;

    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        fixture_feed(f, "x", shapes[i]);
        fixture_run(f, "neg", NULL);
        fixture_expect(f, 0, expected[i]);
    }
}

static void an_unknown_extent_stays_unknown(void **state)
{
    struct op_fixture *f = *state;

    fixture_feed(f, "x", "[?,3]");
    fixture_run(f, "exp", NULL);
    fixture_expect(f, 0, "[?,3]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        OP_TEST(values_are_those_of_the_function),
        OP_TEST(not_inverts),
        OP_TEST(copy_takes_every_type),
        OP_TEST(shape_is_kept_at_any_rank),
        OP_TEST(an_unknown_extent_stays_unknown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
