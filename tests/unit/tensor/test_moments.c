/* test_moments.c - the factor of the inverse of second moments */
#include "tensor/moments.h"

#include "support/t.h"

#include <math.h>

enum { COLUMNS = 5, DEAD = 3, ROWS = 7 };

/* Inverse times moments is the identity, with 1 % of the mean on the diagonal. */
static void the_factor_is_that_of_the_inverse(void **state)
{
    double sums[COLUMNS][COLUMNS] = {{0}}, factor[COLUMNS * COLUMNS], scratch[COLUMNS * COLUMNS];
    struct moments moments;
    double mean = 0;

    (void)state;
    assert_true(moments_begin(&moments, COLUMNS, 2));
    for (int r = 0; r < ROWS; r++) {
        float row[COLUMNS];
        for (int i = 0; i < COLUMNS; i++)
            row[i] = i == DEAD ? 0 : (float)((r * 7 + i * 3 + r * i) % 11 - 5);
        moments_add(&moments, 1, row);
        for (int i = 0; i < COLUMNS; i++)
            for (int j = 0; j < COLUMNS; j++)
                sums[i][j] += (double)row[i] * (double)row[j];
    }
    for (int i = 0; i < COLUMNS; i++)
        mean += sums[i][i] / COLUMNS;
    for (int i = 0; i < COLUMNS; i++)
        sums[i][i] += 0.01 * mean;
    moments_factor(&moments, 1, 0, factor, scratch);
    moments_free(&moments);
    for (int i = 0; i < COLUMNS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            double product = 0;
            for (int k = 0; k < COLUMNS; k++)
                for (int u = 0; u < COLUMNS; u++)
                    product += factor[u * COLUMNS + i] * factor[u * COLUMNS + k] * sums[k][j];
            assert_true(fabs(product - (i == j)) < 1e-9);
            assert_true(j >= i || factor[i * COLUMNS + j] == 0);
        }
}

static void columns_are_taken_in_parts(void **state)
{
    static float row[MOMENTS_PART + 2];
    double factor[4], scratch[4];
    struct moments moments;

    (void)state;
    assert_true(moments_begin(&moments, MOMENTS_PART + 2, 1));
    assert_int_equal(moments_part(&moments, 0), MOMENTS_PART);
    assert_int_equal(moments_part(&moments, MOMENTS_PART), 2);
    row[MOMENTS_PART] = 2;
    row[0] = 1; /* in another part */
    moments_add(&moments, 0, row);
    moments_factor(&moments, 0, MOMENTS_PART, factor, scratch);
    moments_free(&moments);
    assert_true(fabs(factor[0] - 1 / sqrt(4.02)) < 1e-12 && factor[1] == 0);
    assert_true(fabs(factor[3] - 1 / sqrt(0.02)) < 1e-12);
}

static void nothing_that_was_seen_moves_nothing(void **state)
{
    double factor[4], scratch[4];
    struct moments moments;

    (void)state;
    assert_true(moments_begin(&moments, 2, 1));
    moments_factor(&moments, 0, 0, factor, scratch);
    moments_free(&moments);
    assert_true(factor[0] == 1 && factor[1] == 0 && factor[3] == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_factor_is_that_of_the_inverse),
        cmocka_unit_test(columns_are_taken_in_parts),
        cmocka_unit_test(nothing_that_was_seen_moves_nothing),
    };
    return cmocka_run_group_tests_name("moments", tests, NULL, NULL);
}
