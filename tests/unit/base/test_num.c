/* test_num.c - arithmetic at the edges of its types */
#include "base/num.h"

#include <math.h>
#include <string.h>

#include "support/t.h"

static void sums_and_products_refuse_to_overflow(void **state)
{
    int64_t r = 7;

    (void)state;
    assert_false(num_add(INT64_MAX, 1, &r));
    assert_false(num_sub(INT64_MIN, 1, &r));
    assert_false(num_mul(INT64_MIN, -1, &r));
    assert_int_equal(r, 7);
    assert_true(num_add(INT64_MAX, INT64_MIN, &r));
    assert_int_equal(r, -1);
    assert_true(num_sub(-1, INT64_MAX, &r));
    assert_true(r == INT64_MIN);
    assert_true(num_mul(INT64_C(1) << 31, INT64_C(1) << 31, &r));
    assert_true(r == INT64_C(1) << 62);
}

static void powers_are_exact_or_refused(void **state)
{
    int64_t r = 7;

    (void)state;
    assert_false(num_pow(2, 63, &r));
    assert_false(num_pow(10, INT64_MAX, &r));
    assert_int_equal(r, 7);
    assert_true(num_pow(-2, 63, &r));
    assert_true(r == INT64_MIN);
    assert_true(num_pow(0, 0, &r));
    assert_int_equal(r, 1);
    assert_true(num_pow(-1, INT64_MAX, &r));
    assert_int_equal(r, -1);
    assert_true(num_pow(3, 39, &r));
    assert_true(r == INT64_C(4052555153018976267));
}

static void truncation_is_toward_zero_and_bounded(void **state)
{
    int64_t r = 7;

    (void)state;
    assert_false(num_truncate(0x1p63, &r));
    assert_false(num_truncate(-0x1.0000000000001p63, &r));
    assert_false(num_truncate((double)NAN, &r));
    assert_false(num_truncate((double)-INFINITY, &r));
    assert_int_equal(r, 7);
    assert_true(num_truncate(-1.9, &r));
    assert_int_equal(r, -1);
    assert_true(num_truncate(-0x1p63, &r));
    assert_true(r == INT64_MIN);
}

static void rounding_is_exact(void **state)
{
    (void)state;
    assert_true(num_round(0.49999999999999994) == 0);
    assert_true(num_round(-0.5) == 0);
    assert_true(num_round(-0.50000000000000011) == -1);
    assert_true(num_round(0.5) == 1);
    assert_true(num_round(2.5) == 3);
    assert_true(num_round(-2.5) == -2);
    assert_true(num_round(-1e-300) == 0);
    assert_true(num_round(4503599627370497.0) == 4503599627370497.0);
    assert_true(num_round(4503599627370495.5) == 4503599627370496.0);
    assert_true(num_round(-9007199254740991.0) == -9007199254740991.0);
    assert_true(num_round(1e300) == 1e300);
    assert_true(isinf(num_round((double)INFINITY)));
    assert_true(isnan(num_round((double)NAN)));
}

static void integers_parse_whole_or_not_at_all(void **state)
{
    static const char *const bad[] = {"",
                                      "-",
                                      "+",
                                      "+1",
                                      "1.",
                                      "1e3",
                                      " 1",
                                      "1 ",
                                      "0x1",
                                      "--1",
                                      "9223372036854775808",
                                      "-9223372036854775809"};
    int64_t r = 7;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(num_parse_integer(bad[i], strlen(bad[i]), &r));
    assert_int_equal(r, 7);
    assert_true(num_parse_integer("-9223372036854775808", 20, &r));
    assert_true(r == INT64_MIN);
    assert_true(num_parse_integer("9223372036854775807", 19, &r));
    assert_true(r == INT64_MAX);
    assert_true(num_parse_integer("007", 3, &r));
    assert_int_equal(r, 7);
}

static double scalar(const char *text)
{
    double r = -7;

    return num_parse_scalar(text, strlen(text), &r) ? r : (double)NAN;
}

static void scalars_parse_to_the_nearest_double(void **state)
{
    (void)state;
    assert_true(scalar("0.1") == 0.1);
    assert_true(scalar("-1.0e+1") == -10);
    assert_true(scalar("12") == 12);
    assert_true(scalar("1e22") == 1e22);
    assert_true(scalar("1e23") == 1e23);
    assert_true(scalar("9007199254740993.0") == 9007199254740992.0);
    assert_true(scalar("123456789012345678901234567890.5E-3") == 123456789012345678901234567.8905);
    assert_true(scalar("4.9406564584124654e-324") == 0x1p-1074);
    assert_true(scalar("1e-400") == 0);
    assert_true(scalar("0e99999999999999999999") == 0);
    assert_true(scalar("1.5e-99999999999999999999") == 0);
    assert_true(signbit(scalar("-0.0")) != 0);
}

static void malformed_scalars_are_refused(void **state)
{
    static const char *const bad[] = {"",    ".5",    "1e", "1e+",  "1.5.2", "inf",  "nan", "0x1",
                                      "1_0", "1e400", "-",  "1.0 ", "1.",    "+1.0", "1.e5"};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_true(isnan(scalar(bad[i])));
}

static void distances_count_slips_of_the_pen(void **state)
{
    (void)state;
    assert_int_equal(num_edit_distance("conv", "conv", 3), 0);
    assert_int_equal(num_edit_distance("conv", "covn", 3), 1);
    assert_int_equal(num_edit_distance("conv", "deconv", 3), 2);
    assert_int_equal(num_edit_distance("kitten", "sitting", 9), 3);
    assert_int_equal(num_edit_distance("kitten", "sitting", 2), 3);
    assert_int_equal(num_edit_distance("", "abc", 5), 3);
}

static const char *operation(int index, const void *data)
{
    const char *const *name = data;

    return name[index];
}

static void the_nearest_name_is_suggested_if_it_is_near(void **state)
{
    static const char *const names[] = {"max_pool", "avg_pool", "relu", "prelu", "y", NULL};

    (void)state;
    assert_string_equal(num_nearest("max_pol", operation, names), "max_pool");
    assert_string_equal(num_nearest("rleu", operation, names), "relu");
    assert_null(num_nearest("x", operation, names));
    assert_string_equal(num_nearest("MaxPool", operation, names), "max_pool");
    assert_null(num_nearest("softmax", operation, names));
}

static void a_name_is_meant_for_sure_if_no_other_is_as_near(void **state)
{
    static const char *const names[] = {"max_pool", "tax_pool", "relu", NULL};
    struct nearest one = nearest_to("rleu"), two = nearest_to("ax_pool"), none = nearest_to("sin");

    (void)state;
    assert_string_equal(nearest_among(&one, operation, names), "relu");
    assert_true(one.unique);
    assert_string_equal(nearest_among(&two, operation, names), "max_pool");
    assert_false(two.unique);
    assert_null(nearest_among(&none, operation, names));
    assert_false(none.unique);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_products_refuse_to_overflow),
        cmocka_unit_test(powers_are_exact_or_refused),
        cmocka_unit_test(truncation_is_toward_zero_and_bounded),
        cmocka_unit_test(rounding_is_exact),
        cmocka_unit_test(integers_parse_whole_or_not_at_all),
        cmocka_unit_test(scalars_parse_to_the_nearest_double),
        cmocka_unit_test(malformed_scalars_are_refused),
        cmocka_unit_test(distances_count_slips_of_the_pen),
        cmocka_unit_test(the_nearest_name_is_suggested_if_it_is_near),
        cmocka_unit_test(a_name_is_meant_for_sure_if_no_other_is_as_near),
    };
    return cmocka_run_group_tests_name("num", tests, NULL, NULL);
}
