/* test_quantize.c - faults and corners of quantization that documents cannot reach (4.9.5) */
#include "support/op_fixture.h"
#include "support/t.h"

static void logarithmic_range_must_be_positive(void **state)
{
    struct op_fixture *f = *state;

    fixture_feed(f, "x", "[3] 1 2 3");
    fixture_feed(f, "max", "[] 0");
    fixture_expect_error(f, "logarithmic_quantize", "bits = 3", DIAG_NEGATIVE);

    fixture_feed(f, "x", "[3] 1 2 3");
    fixture_feed(f, "max", "[3] 1 -2 1");
    fixture_expect_error(f, "logarithmic_quantize", "bits = 3", DIAG_NEGATIVE);

    fixture_feed(f, "x", "[3] 1 2 3");
    fixture_feed(f, "max", "[] nan");
    fixture_expect_error(f, "logarithmic_quantize", "bits = 3", DIAG_NEGATIVE);
}

static void a_range_without_extent_has_no_steps(void **state)
{
    struct op_fixture *f = *state;

    fixture_feed(f, "x", "[3] 1 2 3");
    fixture_feed(f, "min", "[] 2");
    fixture_feed(f, "max", "[] 2");
    assert_true(fixture_run(f, "linear_quantize", "bits = 3"));
    fixture_expect(f, 0, "[3] nan nan nan");
}

static void halves_are_rounded_up(void **state)
{
    struct op_fixture *f = *state;

    fixture_feed(f, "x", "[4] -1.5 -0.5 0.5 1.5");
    fixture_feed(f, "zero_point", "integer[] 0");
    fixture_feed(f, "scale", "[] 1");
    assert_true(fixture_run(f, "zero_point_linear_quantize", "bits = 8, signed = true"));
    fixture_expect(f, 0, "[4] -1 0 1 2");
}

static void sixty_two_bits_change_nothing(void **state)
{
    struct op_fixture *f = *state;

    fixture_feed(f, "x", "[4] -1 -0.3 0.7 1");
    fixture_feed(f, "min", "[] -1");
    fixture_feed(f, "max", "[] 1");
    assert_true(fixture_run(f, "linear_quantize", "bits = 62"));
    fixture_expect(f, 0, "[4] -1 -0.3 0.7 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        OP_TEST(logarithmic_range_must_be_positive),
        OP_TEST(a_range_without_extent_has_no_steps),
        OP_TEST(halves_are_rounded_up),
        OP_TEST(sixty_two_bits_change_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
