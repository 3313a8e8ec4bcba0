/* test_map.c - functions of items beside those of the C library, for all processors there are */
#include "kernel/kernels.h"
#include "op/op.h"

#include "support/t.h"

#include <math.h>
#include <string.h>

enum { BATCH = 1000 + 7, PARTS = 50 };

static const struct row {
    const char *name;
    enum map_id map;
    enum op_id op;
    double low, high; /* errors are measured between */
    double units;     /* of the last place of the result, by which it may differ, */
    double absolute;  /* or by this */
} rows[] = {
    {"exp", MAP_exp, OP_exp, -104, 89, 1.5, 0},
    {"log", MAP_log, OP_log, 1e-44, 1e38, 1.5, 0},
    {"log near 1", MAP_log, OP_log, 0.5, 2, 1.5, 0},
    {"log2", MAP_log2, OP_log2, 0.1, 1e6, 2.5, 0},
    {"tanh", MAP_tanh, OP_tanh, -12, 12, 2.5, 0},
    {"tanh near 0", MAP_tanh, OP_tanh, -0.01, 0.01, 2.5, 0},
    {"sigmoid", MAP_sigmoid, OP_sigmoid, -87, 87, 2.5, 0},
    {"erf", MAP_erf, OP_erf, -5, 5, 2.5, 0},
    {"erf near 0", MAP_erf, OP_erf, -0.01, 0.01, 2.5, 0},
    {"softplus", MAP_softplus, OP_softplus, -80, 80, 2.5, 0},
    {"silu", MAP_silu, OP_silu, -80, 80, 3.5, 0},
    {"gelu", MAP_gelu, OP_gelu, -5, 80, 8, 0},
    {"gelu_erf", MAP_gelu_erf, OP_gelu_erf, -1, 80, 10, 0},
    {"gelu_erf, small results", MAP_gelu_erf, OP_gelu_erf, -10, 1, 0, 1.6e-7},
    {"gelu_tanh", MAP_gelu_tanh, OP_gelu_tanh, -3, 80, 16, 0},
    {"sqrt", MAP_sqrt, OP_sqrt, 0, 1e30, 0.51, 0},
    {"rsqrt", MAP_rsqrt, OP_rsqrt, 1e-30, 1e30, 1.5, 0},
    {"rcp", MAP_rcp, OP_rcp, 0.01, 100, 0.51, 0},
    {"floor", MAP_floor, OP_floor, -1e5, 1e5, 0, 0},
    {"floor of much", MAP_floor, OP_floor, -1e10, 1e10, 0, 0},
    {"ceil", MAP_ceil, OP_ceil, -100, 100, 0, 0},
    {"round", MAP_round, OP_round, -100, 100, 0, 0},
};

/* What the result differs by, in units of its last place; less than one if it is rounded well. */
static double units_of(double found, double exact)
{
    int exponent;

    if (found == (double)(float)exact || (isnan(found) && isnan(exact)))
        return 0;
    (void)frexp(exact, &exponent);
    return fabs(found - exact) / ldexp(1, exponent > -125 ? exponent - 24 : -149);
}

static void check_items(const struct kernels *kernels, const struct row *row, const float *x)
{
    static const struct map_numbers none;
    const float *const in[3] = {x, x, x};
    float y[BATCH];

    kernels->maps->map[row->map](y, in, &none, BATCH);
    for (int i = 0; i < BATCH; i++) {
        double exact = op_table[row->op]->unary((double)x[i]);
        double units = units_of((double)y[i], exact);
        if (!(units <= row->units || fabs((double)y[i] - exact) <= row->absolute))
            fail_msg("%s, %s: f(%.9g) is %.9g, expected %.9g: %.3g units", kernels->name, row->name,
                     (double)x[i], (double)y[i], exact, units);
    }
}

static void check_row(const struct kernels *kernels, const struct row *row)
{
    float x[BATCH];

    for (int part = 0; part < PARTS; part++) {
        for (int i = 0; i < BATCH; i++)
            x[i] =
                (float)(row->low + (row->high - row->low) * (i * PARTS + part) / (BATCH * PARTS));
        check_items(kernels, row, x);
    }
}

static void functions_are_as_exact_as_those_of_the_library(void **state)
{
    (void)state;
    for (int k = 0; kernels_variant(k); k++)
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
            check_row(kernels_variant(k), &rows[i]);
}

static const float special[] = {0.0F,    -0.0F,   INFINITY, -INFINITY, NAN,       1e-45F,
                                -1e-45F, 3.4e38F, -3.4e38F, 1.0F,      -1.0F,     0.5F,
                                -0.5F,   2.5F,    -200.0F,  200.0F,    8388609.0F};

enum { SPECIALS = sizeof special / sizeof special[0] };

static bool is_near(double found, double exact)
{
    return isnan(exact) ? isnan(found)
                        : found == exact || fabs(found - exact) <= 1e-6 * fabs(exact) + 1e-44;
}

static void check_special(const struct kernels *kernels, const struct row *row)
{
    static const struct map_numbers none;
    const float *const in[3] = {special, special, special};
    float y[SPECIALS];

    kernels->maps->map[row->map](y, in, &none, SPECIALS);
    for (int i = 0; i < SPECIALS; i++) {
        double exact = (double)(float)op_table[row->op]->unary((double)special[i]);
        if (!is_near((double)y[i], exact))
            fail_msg("%s, %s: f(%.9g) is %.9g, expected %.9g", kernels->name, row->name,
                     (double)special[i], (double)y[i], exact);
    }
}

static void numbers_at_the_edge_are_as_in_the_library(void **state)
{
    (void)state;
    for (int k = 0; kernels_variant(k); k++)
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
            check_special(kernels_variant(k), &rows[i]);
}

static void few_items_do_not_touch_what_is_behind(void **state)
{
    static const struct map_numbers none;
    float x[64] = {0}, y[64];
    const float *const in[3] = {x, x, x};

    (void)state;
    for (int k = 0; kernels_variant(k); k++)
        for (int count = 0; count < 40; count++) {
            for (int i = 0; i < 64; i++)
                y[i] = 7;
            kernels_variant(k)->maps->map[MAP_neg](y, in, &none, count);
            for (int i = 0; i < 64; i++)
                assert_true(y[i] == (i < count ? 0.0F : 7.0F));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_as_exact_as_those_of_the_library),
        cmocka_unit_test(numbers_at_the_edge_are_as_in_the_library),
        cmocka_unit_test(few_items_do_not_touch_what_is_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
