/* test_text.c - numbers and strings as text that reads back */
#include "base/num.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

#include "support/t.h"

static void expect_scalar(double value, const char *expected)
{
    struct text text = {0};

    text_add_scalar(&text, value);
    assert_string_equal(text.data, expected);
    text_free(&text);
}

static void scalars_are_short_and_marked_as_such(void **state)
{
    (void)state;
    expect_scalar(1, "1.0");
    expect_scalar(-0.0, "-0.0");
    expect_scalar(0.1, "0.1");
    expect_scalar(0.1 + 0.2, "0.30000000000000004");
    expect_scalar(100000, "100000.0");
    expect_scalar(1e300, "1e+300");
    expect_scalar(0x1p-1074, "5e-324");
    expect_scalar((double)-INFINITY, "-inf");
    expect_scalar((double)NAN, "nan");
}

static void scalars_read_back_as_themselves(void **state)
{
    double back;

    (void)state;
    for (int exponent = -1074; exponent < 1024; exponent += 3) {
        double value = ldexp(1.0 / 3.0, exponent);
        struct text text = {0};
        text_add_scalar(&text, value);
        assert_true(num_parse_scalar(text.data, text.size, &back));
        assert_true(back == value);
        text_free(&text);
    }
}

static void expect_quoted(const char *string, const char *expected)
{
    struct text text = {0};

    text_add_quoted(&text, string);
    assert_string_equal(text.data, expected);
    text_free(&text);
}

static void quotes_are_chosen_to_need_no_escape(void **state)
{
    (void)state;
    expect_quoted("conv1/filter", "'conv1/filter'");
    expect_quoted("it's", "\"it's\"");
    expect_quoted("\"'\\", "'\"\\'\\\\'");
    expect_quoted("", "''");
}

static void long_additions_are_whole(void **state)
{
    struct text text = {0};

    (void)state;
    for (int i = 0; i < 1000; i++)
        text_add(&text, "%0100d", i);
    assert_int_equal(text.size, 100 * 1000);
    assert_int_equal(strlen(text.data), text.size);
    assert_string_equal(text.data + text.size - 3, "999");
    text_free(&text);
    assert_null(text.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_are_short_and_marked_as_such),
        cmocka_unit_test(scalars_read_back_as_themselves),
        cmocka_unit_test(quotes_are_chosen_to_need_no_escape),
        cmocka_unit_test(long_additions_are_whole),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
