/* test_activate.c - activations of every variant against the functions of the C library */
#include "kernel/kernels.h"
#include "support/t.h"

#include <math.h>

enum { MOST = 70 };

static const double slope = 0.2, offset = 0.5, low = -0.25, high = 0.75;

static double clamped(double x, double from, double to)
{
    return fmax(fmin(x, to), from);
}

static double expected_of(enum activation_kind activation, double x)
{
    switch (activation) {
    case ACTIVATION_NONE:
        return x;
    case ACTIVATION_RELU:
        return fmax(x, 0);
    case ACTIVATION_CLAMP:
        return clamped(x, low, high);
    case ACTIVATION_LEAKY_RELU:
        return x < 0 ? slope * x : x;
    case ACTIVATION_ELU:
        return x < 0 ? slope * expm1(x) : x;
    case ACTIVATION_SIGMOID:
        return 1 / (1 + exp(-x));
    case ACTIVATION_TANH:
        return tanh(x);
    case ACTIVATION_SILU:
        return x / (1 + exp(-x));
    case ACTIVATION_GELU:
        return x / (1 + exp(-1.702 * x));
    case ACTIVATION_GELU_ERF:
        return x / 2 * (1 + erf(x * sqrt(0.5)));
    case ACTIVATION_GELU_TANH:
        return x / 2 * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x)));
    case ACTIVATION_HARD_SIGMOID:
        return clamped(slope * x + offset, 0, 1);
    case ACTIVATION_HARD_SWISH:
        return x * clamped(slope * x + offset, 0, 1);
    }
    return (double)NAN;
}

static void check_count(const struct kernels *kernels, enum activation_kind activation, int count)
{
    struct epilogue epilogue = {activation, (float)slope, (float)offset};
    float items[MOST + 1];
    int middle = count / 2;

    if (activation == ACTIVATION_CLAMP)
        epilogue = (struct epilogue){activation, (float)low, (float)high};
    for (int i = 0; i < count; i++)
        items[i] = (float)(i - middle) * 0.37F;
    items[count] = 42;
    kernels->activate(&epilogue, items, count);
    assert_true(items[count] == 42);
    for (int i = 0; i < count; i++) {
        double x = (double)((float)(i - middle) * 0.37F), expected = expected_of(activation, x);
        if (!(fabs((double)items[i] - expected) <= 3e-7 * fmax(1, fabs(x))))
            fail_msg("%s, activation %d of %g is %g, expected %g", kernels->name, activation, x,
                     (double)items[i], expected);
    }
}

static void test_activations_are_their_functions(void **state)
{
    (void)state;
    const struct kernels *kernels;

    for (int i = 0; (kernels = kernels_variant(i)); i++)
        for (int activation = 0; activation <= ACTIVATION_HARD_SWISH; activation++)
            for (int count = 0; count <= MOST; count++)
                check_count(kernels, (enum activation_kind)activation, count);
}

static void test_far_items_reach_the_limits(void **state)
{
    (void)state;
    const struct kernels *kernels;

    for (int i = 0; (kernels = kernels_variant(i)); i++) {
        float sigmoid[] = {-INFINITY, -1000, 1000, INFINITY}, nan[] = {NAN};
        kernels->activate(&(struct epilogue){.activation = ACTIVATION_SIGMOID}, sigmoid, 4);
        assert_true(sigmoid[0] == 0 && sigmoid[1] == 0 && sigmoid[2] == 1 && sigmoid[3] == 1);
        kernels->activate(&(struct epilogue){.activation = ACTIVATION_SILU}, nan, 1);
        assert_true(isnan(nan[0]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_activations_are_their_functions),
        cmocka_unit_test(test_far_items_reach_the_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
