/* test_reduce.c - reduce operations (NNEF 1.0.5, section 4.4) */
#include "support/op_fixture.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct reduce_case {
    const char *op, *attrs, *input, *output;
};

#define CUBE  "[2,3,2] 1 2 3 4 5 6 7 8 9 10 11 12"
#define PLAIN ", normalize = false"

static const struct reduce_case cases[] = {
    {"sum_reduce", "axes = [1]" PLAIN, "[2,3] 1 2 3 4 5 6", "[2,1] 6 15"},
    {"sum_reduce", "axes = [0]" PLAIN, "[2,3] 1 2 3 4 5 6", "[1,3] 5 7 9"},
    {"sum_reduce", "axes = [0,1]" PLAIN, "[2,3] 1 2 3 4 5 6", "[1,1] 21"},
    {"sum_reduce", "axes = []" PLAIN, "[2,3] 1 2 3 4 5 6", "[2,3] 1 2 3 4 5 6"},
    {"sum_reduce", "axes = [0]" PLAIN, "[3] 1 2 4", "[1] 7"},
    {"sum_reduce", "axes = [1]" PLAIN, CUBE, "[2,1,2] 9 12 27 30"},
    {"sum_reduce", "axes = [2,0]" PLAIN, CUBE, "[1,3,1] 18 26 34"},
    {"sum_reduce", "axes = [0,2]" PLAIN, CUBE, "[1,3,1] 18 26 34"},
    {"sum_reduce", "axes = [2,3]" PLAIN, "[1,2,2,2] 1 2 3 4 5 6 7 8", "[1,2,1,1] 10 26"},
    {"sum_reduce", "axes = [1,3]" PLAIN, "[2,2,1,2,1] 1 2 3 4 5 6 7 8", "[2,1,1,1,1] 10 26"},
    {"sum_reduce", "axes = [0,2,4]" PLAIN, "[2,1,2,1,2] 1 2 3 4 5 6 7 8", "[1,1,1,1,1] 36"},
    {"sum_reduce", "axes = []" PLAIN, "[] 3", "[] 3"},
    {"sum_reduce", "axes = [0]" PLAIN, "[0,2]", "[1,2] 0 0"},
    {"sum_reduce", "axes = [0,1], normalize = true", "[2,3] 1 2 3 4 5 6", "[1,1] 3.5"},
    {"mean_reduce", "axes = [0]", "[2,3] 1 2 3 4 5 6", "[1,3] 2.5 3.5 4.5"},
    {"mean_reduce", "axes = []", "[2] 1 2", "[2] 1 2"},
    {"max_reduce", "axes = [1]", "[2,3] 1 9 3 -4 -5 -6", "[2,1] 9 -4"},
    {"max_reduce", "axes = [0,2]", CUBE, "[1,3,1] 8 10 12"},
    {"max_reduce", "axes = []", "[2] 1 2", "[2] 1 2"},
    {"min_reduce", "axes = [1]", "[2,3] 1 9 3 -4 -5 -6", "[2,1] 1 -6"},
    {"min_reduce", "axes = [0]", "[2,2] 1 9 3 -4", "[1,2] 1 -4"},
    {"argmax_reduce", "axes = [1]", "[2,3] 1 9 3 -4 -5 -6", "integer[2,1] 1 0"},
    {"argmax_reduce", "axes = [0]", "[2,3] 1 9 3 4 5 6", "integer[1,3] 1 0 1"},
    {"argmax_reduce", "axes = [0]", "[4] 2 7 7 1", "integer[1] 1"},
    {"argmax_reduce", "axes = []", "[2] 3 4", "integer[2] 0 0"},
    {"argmax_reduce", "axes = [1,2]", "[2,2,3] 0 0 0 0 0 5 0 7 0 7 0 0", "integer[2,1,1] 5 1"},
    {"argmax_reduce", "axes = [2,0]", "[2,2,2] 1 2 3 4 9 0 0 9", "integer[1,2,1] 2 3"},
    {"argmin_reduce", "axes = [1]", "[2,3] 1 9 1 -4 -5 -6", "integer[2,1] 0 2"},
    {"argmin_reduce", "axes = [0,1]", "[2,2] 5 3 3 4", "integer[1,1] 1"},
    {"all_reduce", "axes = [1]", "logical[3,2] 1 1 1 0 0 0", "logical[3,1] 1 0 0"},
    {"any_reduce", "axes = [1]", "logical[3,2] 1 1 1 0 0 0", "logical[3,1] 1 1 0"},
    {"all_reduce", "axes = [0,1]", "logical[2,2] 1 1 1 1", "logical[1,1] 1"},
    {"any_reduce", "axes = [0]", "logical[2,2] 0 1 0 0", "logical[1,2] 0 1"},
    {"all_reduce", "axes = []", "logical[2] 0 1", "logical[2] 0 1"},
};

static void values_are_those_of_the_formula(void **state)
{
    struct op_fixture *f = *state;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fixture_feed(f, "input", cases[i].input);
        if (!fixture_run(f, cases[i].op, cases[i].attrs))
            fail_msg("%s reports", cases[i].op);
        fixture_expect(f, 0, cases[i].output);
    }
}

/* In single precision the sum would stop growing at 2^24. */
static void sums_are_not_single_precision(void **state)
{
    struct op_fixture *f = *state;

    f->tolerance = 0;
    fixture_feed(f, "input", "[3] 16777216 1 1");
    fixture_run(f, "sum_reduce", "axes = [0], normalize = false");
    fixture_expect(f, 0, "[1] 16777218");
}

static void unknown_extents_stay_unless_reduced(void **state)
{
    struct op_fixture *f = *state;

    fixture_feed(f, "input", "[?,3,?]");
    fixture_run(f, "max_reduce", "axes = [2]");
    fixture_expect(f, 0, "[?,3,1]");
}

static void axes_are_unique_and_within_the_rank(void **state)
{
    static const char *const ops[] = {"sum_reduce",    "max_reduce",  "min_reduce", "argmax_reduce",
                                      "argmin_reduce", "mean_reduce", "all_reduce", "any_reduce"};
    struct op_fixture *f = *state;

    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        fixture_feed(f, "input", i < 6 ? "[1,3] 0" : "logical[1,3] 0");
        fixture_expect_error(f, ops[i], "axes = [1,1]", DIAG_AXIS_REPEATED);
        fixture_feed(f, "input", i < 6 ? "[1,3] 0" : "logical[1,3] 0");
        fixture_expect_error(f, ops[i], "axes = [2]", DIAG_AXIS);
    }
    fixture_feed(f, "input", "[1,3] 0");
    fixture_expect_error(f, "sum_reduce", "axes = [-1]", DIAG_AXIS);
}

static void axes_may_exceed_the_rank_in_the_provisional_dialect(void **state)
{
    struct op_fixture *f = *state;

    f->graph->provisional = true;
    fixture_feed(f, "input", "[2,3] 1 2 3 4 5 6");
    fixture_run(f, "sum_reduce", "axes = [1,2,3]");
    fixture_expect(f, 0, "[2,1] 6 15");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        OP_TEST(values_are_those_of_the_formula),
        OP_TEST(sums_are_not_single_precision),
        OP_TEST(unknown_extents_stay_unless_reduced),
        OP_TEST(axes_are_unique_and_within_the_rank),
        OP_TEST(axes_may_exceed_the_rank_in_the_provisional_dialect),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
