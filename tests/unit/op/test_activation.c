/* test_activation.c - activation functions (NNEF 1.0.5, section 4.9.1) */
#include "diag/context.h"
#include "support/op_fixture.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct activation_case {
    const char *op, *attrs, *x, *y;
};

#define SELU "alpha = 1.67326319, lambda = 1.05070102"

static const struct activation_case cases[] = {
    {"sigmoid", "", "[3] 0 1 -3", "[3] 0.5 0.73105858 0.047425873"},
    {"sigmoid", "", "[4] 1000 -1000 inf -inf", "[4] 1 0 1 0"},
    {"relu", "", "[5] -1 0 2 nan -inf", "[5] 0 0 2 nan 0"},
    {"leaky_relu", "alpha = 0.1", "[4] -10 0 2 nan", "[4] -1 0 2 nan"},
    {"leaky_relu", "alpha = 2.0", "[2,1] -1 1", "[2,1] -2 1"},
    {"elu", "alpha = 1.0", "[4] -1 -0.5 0 3", "[4] -0.63212056 -0.39346934 0 3"},
    {"elu", "alpha = 2.0", "[2] -1 1e4", "[2] -1.2642411 1e4"},
    {"selu", SELU, "[4] -3 -1 0 1", "[4] -1.6705687 -1.1113307 0 1.050701"},
    {"gelu", "", "[4] -1 0 0.5 3", "[4] -0.15420423 0 0.35038844 2.9819287"},
    {"silu", "", "[4] -1 0 0.5 3", "[4] -0.26894142 0 0.31122967 2.8577224"},
    {"softplus", "", "[3] -3 0 1", "[3] 0.048587352 0.69314718 1.3132617"},
    {"softplus", "", "[3] 1000 -1000 nan", "[3] 1000 0 nan"},
};

static void values_are_those_of_the_formula(void **state)
{
    struct op_fixture *f = *state;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fixture_feed(f, "x", cases[i].x);
        if (!fixture_run(f, cases[i].op, cases[i].attrs))
            fail_msg("%s reports", cases[i].op);
        fixture_expect(f, 0, cases[i].y);
    }
}

/* exp(x) + 1 and exp(x) - 1 would lose these in double precision */
static void small_values_are_not_lost(void **state)
{
    struct op_fixture *f = *state;

    fixture_feed(f, "x", "[1] -40");
    fixture_run(f, "softplus", NULL);
    assert_true(((const float *)f->out[0].data)[0] > 0);
    fixture_feed(f, "x", "[1] -1e-20");
    fixture_run(f, "elu", "alpha = 1.0");
    assert_true(((const float *)f->out[0].data)[0] < 0);
}

static void prelu_broadcasts_alpha(void **state)
{
    struct op_fixture *f = *state;

    fixture_feed(f, "x", "[1,2,2] -1 2 -3 -4");
    fixture_feed(f, "alpha", "[1,2] 0.5 10");
    fixture_run(f, "prelu", NULL);
    fixture_expect(f, 0, "[1,2,2] -0.5 2 -30 -40");
    fixture_feed(f, "x", "[1,2] -1 2");
    fixture_feed(f, "alpha", "[2] 0.5 3");
    fixture_run(f, "prelu", NULL);
    fixture_expect(f, 0, "[2,2] -0.5 2 -3 2");
}

static void prelu_checks_alpha(void **state)
{
    struct op_fixture *f = *state;

    fixture_feed(f, "x", "[2,3] 0");
    fixture_feed(f, "alpha", "[3] 0");
    fixture_expect_error(f, "prelu", NULL, DIAG_BROADCAST);
}

static void softmax_sums_to_one_along_the_axes(void **state)
{
    struct op_fixture *f = *state;

    fixture_feed(f, "x", "[1,3] 1 2 3");
    fixture_run(f, "softmax", "axes = [1]");
    fixture_expect(f, 0, "[1,3] 0.090030573 0.24472847 0.66524096");
    fixture_feed(f, "x", "[1,2,2] 0 0 1 0");
    fixture_run(f, "softmax", "axes = [1]");
    fixture_expect(f, 0, "[1,2,2] 0.26894142 0.5 0.73105858 0.5");
    fixture_feed(f, "x", "[2] 0 1");
    fixture_run(f, "softmax", "axes = [0]");
    fixture_expect(f, 0, "[2] 0.26894142 0.73105858");
}

static void softmax_over_several_axes_is_joint(void **state)
{
    struct op_fixture *f = *state;

    fixture_feed(f, "x", "[2,2,2] 0 0 0 0 1 1 1 1");
    fixture_run(f, "softmax", "axes = [1,2]");
    fixture_expect(f, 0, "[2,2,2] 0.25");
    fixture_feed(f, "x", "[2,1,2] 0 0 1 1");
    fixture_run(f, "softmax", "axes = [2,0]");
    fixture_expect(f, 0, "[2,1,2] 0.13447071 0.13447071 0.36552929 0.36552929");
}

static void softmax_does_not_overflow(void **state)
{
    struct op_fixture *f = *state;

    fixture_feed(f, "x", "[1,3] 1000 1000 -1000");
    fixture_run(f, "softmax", "axes = [1]");
    fixture_expect(f, 0, "[1,3] 0.5 0.5 0");
}

static void softmax_along_no_axis_is_one_and_warns(void **state)
{
    struct op_fixture *f = *state;

    fixture_feed(f, "x", "[1,3] 1 2 3");
    assert_true(fixture_run(f, "softmax", "axes = []"));
    fixture_expect(f, 0, "[1,3] 1");
    assert_int_equal(diag_count(f->context->diag), 1);
    assert_int_equal(diag_at(f->context->diag, 0).severity, SEVERITY_WARNING);
}

static void softmax_axes_are_within_the_rank(void **state)
{
    struct op_fixture *f = *state;

    fixture_feed(f, "x", "[3] 0");
    fixture_expect_error(f, "softmax", "axes = [1]", DIAG_AXIS);
    fixture_feed(f, "x", "[1,3] 0");
    fixture_expect_error(f, "softmax", "axes = [1,1]", DIAG_AXIS_REPEATED);
    f->graph->provisional = true;
    fixture_feed(f, "x", "[3] 0");
    fixture_run(f, "softmax", "axes = [1]");
    assert_true(shape_equal(f->node->out[0].shape, f->node->in[0].value->shape));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        OP_TEST(values_are_those_of_the_formula),
        OP_TEST(small_values_are_not_lost),
        OP_TEST(prelu_broadcasts_alpha),
        OP_TEST(prelu_checks_alpha),
        OP_TEST(softmax_sums_to_one_along_the_axes),
        OP_TEST(softmax_over_several_axes_is_joint),
        OP_TEST(softmax_does_not_overflow),
        OP_TEST(softmax_along_no_axis_is_one_and_warns),
        OP_TEST(softmax_axes_are_within_the_rank),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
