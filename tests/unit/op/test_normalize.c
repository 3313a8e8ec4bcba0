/* test_normalize.c - batch normalization (NNEF 1.0.5, section 4.9.4) */
#include "diag/context.h"
#include "support/op_fixture.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void feed(struct op_fixture *f, const char *input, const char *parameter)
{
    fixture_feed(f, "input", input);
    fixture_feed(f, "mean", parameter);
    fixture_feed(f, "variance", parameter);
    fixture_feed(f, "offset", parameter);
    fixture_feed(f, "scale", parameter);
}

/* offset + scale * (x - mean) / sqrt(variance + epsilon) with two channels */
static void values_are_those_of_the_formula(void **state)
{
    struct op_fixture *f = *state;

    fixture_feed(f, "input", "[2,2,2] 1 2 3 4 5 6 7 8");
    fixture_feed(f, "mean", "[1,2] 1 2");
    fixture_feed(f, "variance", "[1,2] 3 8");
    fixture_feed(f, "offset", "[1,2] 10 20");
    fixture_feed(f, "scale", "[1,2] 2 3");
    fixture_run(f, "batch_normalization", "epsilon = 1.0");
    fixture_expect(f, 0, "[2,2,2] 10 11 21 22 14 15 25 26");
}

static void literals_stand_for_all_channels(void **state)
{
    struct op_fixture *f = *state;

    feed(f, "[1,3,1,1,1] 1 2 3", "[] 4");
    fixture_run(f, "batch_normalization", "epsilon = 0.0");
    fixture_expect(f, 0, "[1,3,1,1,1] -2 0 2");
}

static void parameters_broadcast_to_the_input(void **state)
{
    struct op_fixture *f = *state;
    int before = diag_error_count(f->context->diag);

    feed(f, "[1,3,2,2] 0", "[1,3] 1");
    assert_true(fixture_run(f, "batch_normalization", "epsilon = 0.0"));
    feed(f, "[1,3,2,2] 0", "[3] 1");
    assert_false(fixture_run(f, "batch_normalization", "epsilon = 0.0"));
    assert_int_equal(diag_error_count(f->context->diag), before + 4);
    assert_int_equal(diag_at(f->context->diag, before).code, DIAG_BROADCAST);
}

static void unknown_batches_pass(void **state)
{
    struct op_fixture *f = *state;

    feed(f, "[?,3]", "[1,3] 1");
    fixture_run(f, "batch_normalization", "epsilon = 0.0");
    fixture_expect(f, 0, "[?,3]");
}

static void trailing_ones_do_not_count_in_the_provisional_dialect(void **state)
{
    struct op_fixture *f = *state;

    f->graph->provisional = true;
    feed(f, "[1,3] 1 2 3", "[1,3,1,1] 4");
    fixture_run(f, "batch_normalization", "epsilon = 0.0");
    fixture_expect(f, 0, "[1,3] -2 0 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        OP_TEST(values_are_those_of_the_formula),
        OP_TEST(literals_stand_for_all_channels),
        OP_TEST(parameters_broadcast_to_the_input),
        OP_TEST(unknown_batches_pass),
        OP_TEST(trailing_ones_do_not_count_in_the_provisional_dialect),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
