/* test_observed.c - ranges by each rule, and the scale and zero that stand for them */
#include "tensor/observed.h"

#include "support/t.h"

#include <math.h>
#include <stdlib.h>

static const struct saturation bytes = {0, 0, 255};

static void observe(struct observed *observed, const float *items, int64_t count)
{
    assert_true(observed_begin(observed, count));
    assert_true(observed_add(observed, items, count));
    observed_end(observed);
}

static void scale_and_zero_stand_for_both_ends_and_for_0(void **state)
{
    (void)state;
    struct saturation s = bytes;

    assert_true(quantization_of((struct code_range){-1, 4.1F}, &s) == (float)(5.1F / 255));
    assert_int_equal(s.zero, 50);
    assert_true(quantization_of((struct code_range){1, 5.1F}, &s) == (float)(5.1F / 255));
    assert_int_equal(s.zero, 0); /* 0 is always among the numbers */
    assert_true(quantization_of((struct code_range){-2.55F, -1}, &s) == (float)(2.55F / 255));
    assert_int_equal(s.zero, 255);
    s = (struct saturation){0, -128, 127};
    assert_true(quantization_of((struct code_range){0, 2.55F}, &s) == (float)(2.55F / 255));
    assert_int_equal(s.zero, -128);
}

static void a_tensor_of_zeros_has_a_scale(void **state)
{
    (void)state;
    struct saturation s = bytes;

    assert_true(quantization_of((struct code_range){0, 0}, &s) == 1.0F / 255);
    assert_int_equal(s.zero, 0);
    assert_true(quantization_of((struct code_range){0, 1e-40F}, &s) > 0);
    assert_true(isfinite(quantization_of((struct code_range){-3e38F, 3e38F}, &s)));
}

static void percentiles_leave_out_as_many_items_at_each_end(void **state)
{
    enum { COUNT = 1000 };
    struct observed observed;
    float items[COUNT];

    (void)state;
    for (int i = 0; i < COUNT; i++)
        items[(i * 7) % COUNT] = (float)i - 500;
    observe(&observed, items, COUNT);
    const struct code_range all = observed_range(&observed, RANGE_MINMAX, 100, &bytes);
    assert_true(all.low == -500 && all.high == 499);
    const struct code_range most = observed_range(&observed, RANGE_PERCENTILE, 99, &bytes);
    assert_true(most.low == -490 && most.high == 489);
    assert_true(fabs(observed_cut(&observed, most) - 0.02) < 1e-12);
    const struct code_range few = observed_range(&observed, RANGE_PERCENTILE, 99.999, &bytes);
    assert_true(few.low == -500 && few.high == 499);
    observed_free(&observed);
}

/* One item of 1000 among many from 0 to 1: cutting it off is the least error. */
static void the_least_squares_leave_out_what_is_far_from_all_others(void **state)
{
    enum { COUNT = 1 << 14 };
    struct observed observed;
    float *items = calloc(COUNT, sizeof *items);

    (void)state;
    assert_non_null(items);
    for (int i = 0; i < COUNT; i++)
        items[i] = (float)(i % 1024) / 1024;
    items[77] = 3;
    observe(&observed, items, COUNT);
    const struct code_range range = observed_range(&observed, RANGE_MSE, 100, &bytes);
    assert_true(range.low >= 0 && range.low <= 0);
    assert_true(range.high < 3 && range.high > 0.9F);
    observed_free(&observed);
    free(items);
}

static void samples_are_bounded_and_depend_on_the_items_only(void **state)
{
    enum { COUNT = 3 * OBSERVED_MOST + 5, PART = 1000 };
    struct observed one, parts;
    float *items = calloc(COUNT, sizeof *items);

    (void)state;
    assert_non_null(items);
    for (int i = 0; i < COUNT; i++)
        items[i] = (float)i;
    observe(&one, items, COUNT);
    assert_true(observed_begin(&parts, COUNT));
    for (int i = 0; i < COUNT; i += PART)
        assert_true(observed_add(&parts, items + i, COUNT - i < PART ? COUNT - i : PART));
    observed_end(&parts);
    assert_true(one.count <= OBSERVED_MOST && one.count > OBSERVED_MOST / 2);
    assert_int_equal(one.count, parts.count);
    assert_memory_equal(one.sample, parts.sample, (size_t)one.count * sizeof *items);
    assert_true(parts.low <= 0 && parts.high >= (float)(COUNT - 1));
    observed_free(&one);
    observed_free(&parts);
    free(items);
}

static void what_is_no_finite_number_is_told(void **state)
{
    const float items[][2] = {{1, NAN}, {INFINITY, 1}, {-INFINITY, 1}};

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct observed observed;
        assert_true(observed_begin(&observed, 2));
        assert_false(observed_add(&observed, items[i], 2));
        observed_free(&observed);
    }
}

static void histograms_have_bins_of_one_width(void **state)
{
    static const float items[] = {0, 1, 1.5F, 2, 2, 3.5F, 4, 4};
    static const float ones[] = {1, 1};
    struct observed observed;
    double share[4];

    (void)state;
    observe(&observed, items, 8);
    observed_histogram(&observed, share, 4); /* from 0, 1, 2 and 3 on; 4 is in the last */
    assert_true(share[0] == 0.125 && share[1] == 0.25 && share[2] == 0.25 && share[3] == 0.375);
    observed_free(&observed);
    observe(&observed, ones, 2);
    observed_histogram(&observed, share, 2);
    assert_true(share[0] == 1 && share[1] == 0);
    observed_free(&observed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scale_and_zero_stand_for_both_ends_and_for_0),
        cmocka_unit_test(a_tensor_of_zeros_has_a_scale),
        cmocka_unit_test(histograms_have_bins_of_one_width),
        cmocka_unit_test(percentiles_leave_out_as_many_items_at_each_end),
        cmocka_unit_test(the_least_squares_leave_out_what_is_far_from_all_others),
        cmocka_unit_test(samples_are_bounded_and_depend_on_the_items_only),
        cmocka_unit_test(what_is_no_finite_number_is_told),
    };
    return cmocka_run_group_tests_name("observed", tests, NULL, NULL);
}
