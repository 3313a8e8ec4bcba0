/* test_compare.c - differences of tensors, worked out by hand */
#include "tensor/compare.h"

#include "tensor/tensor.h"

#include <math.h>
#include <string.h>

#include "support/t.h"

enum { MOST = 8 };

static const struct tolerance none = {0, 0};

static struct tensor view(enum dtype dtype, void *items, int count)
{
    return (struct tensor){.shape = {.rank = 1, .extent = {count}}, .dtype = dtype, .data = items};
}

static struct difference of_floats(const float *a, const float *b, int count,
                                   struct tolerance tolerance)
{
    float x[MOST], y[MOST];

    memcpy(x, a, (size_t)count * sizeof *x);
    memcpy(y, b, (size_t)count * sizeof *y);
    struct tensor s = view(DTYPE_SCALAR, x, count), t = view(DTYPE_SCALAR, y, count);
    return tensor_difference(&s, &t, &tolerance);
}

static void equal_tensors_have_no_worst_item(void **state)
{
    const float a[] = {0, -1.5F, 3e38F, -0.0F}, b[] = {-0.0F, -1.5F, 3e38F, 0};
    struct difference d = of_floats(a, b, 4, none);

    (void)state;
    assert_int_equal(d.count, 4);
    assert_int_equal(d.beyond, 0);
    assert_true(d.max_absolute == 0 && d.max_relative == 0);
    assert_int_equal(d.worst, -1);
}

/* |a - b|: 1, 0.5, 0.25, 0; of |b|: 1/8, 1/2, -, 0; of 0.25 + 0.125 |b|: 0.8, 4/3, 1, 0. */
static void errors_are_those_worked_out_by_hand(void **state)
{
    const float a[] = {9, 1.5F, 0.25F, 7}, b[] = {8, 1, 0, 7};
    struct difference d = of_floats(a, b, 4, (struct tolerance){0.25, 0.125});

    (void)state;
    assert_true(d.max_absolute == 1);
    assert_true(d.max_relative == 0.5);
    assert_int_equal(d.beyond, 1);
    assert_int_equal(d.worst, 1);
}

static void an_item_at_its_tolerance_agrees(void **state)
{
    (void)state;
    assert_true(item_agrees(0.25, 0, &(struct tolerance){0.25, 0}));
    assert_true(item_agrees(-4.5, -4, &(struct tolerance){0, 0.125}));
    assert_true(item_agrees(4.75, 4, &(struct tolerance){0.25, 0.125}));
    assert_false(item_agrees(4.8125, 4, &(struct tolerance){0.25, 0.125}));
}

/* 8 against 10 is off by 20 percent of 10, 10 against 8 by 25 percent of 8. */
static void the_second_tensor_is_the_reference(void **state)
{
    const float a[] = {8}, b[] = {10};
    const struct tolerance percent = {0, 0.2};

    (void)state;
    assert_int_equal(of_floats(a, b, 1, percent).beyond, 0);
    assert_int_equal(of_floats(b, a, 1, percent).beyond, 1);
    assert_true(of_floats(b, a, 1, percent).max_relative == 0.25);
}

static void without_tolerance_the_largest_error_is_the_worst(void **state)
{
    const float a[] = {1, 2, 0, 5}, b[] = {1.5F, 4, 0.125F, 3};
    struct difference d = of_floats(a, b, 4, none);

    (void)state;
    assert_int_equal(d.beyond, 4);
    assert_int_equal(d.worst, 1);
}

static void a_worst_item_is_known_though_all_agree(void **state)
{
    const float a[] = {1000.5F, 0.25F, 1}, b[] = {1000, 0, 1};
    struct difference d = of_floats(a, b, 3, (struct tolerance){1, 1});

    (void)state;
    assert_int_equal(d.beyond, 0);
    assert_int_equal(d.worst, 1);
    assert_true(d.max_absolute == 0.5);
}

static void nan_agrees_with_nan_in_the_same_place_only(void **state)
{
    const float a[] = {NAN, 1, NAN}, b[] = {NAN, NAN, 1};
    struct difference d = of_floats(a, b, 3, (struct tolerance){1e30, 1e30});

    (void)state;
    assert_int_equal(d.beyond, 2);
    assert_int_equal(d.worst, 1);
    assert_true(isinf(d.max_absolute) && isinf(d.max_relative));
}

static void an_infinity_agrees_with_itself_only(void **state)
{
    const float a[] = {INFINITY, -INFINITY, INFINITY, 1, INFINITY};
    const float b[] = {INFINITY, -INFINITY, -INFINITY, INFINITY, 1};
    struct difference d = of_floats(a, b, 5, (struct tolerance){1, 1});

    (void)state;
    assert_int_equal(d.beyond, 3);
    assert_int_equal(d.worst, 2);
    assert_false(item_agrees(1, (double)INFINITY, &none));
}

/* As doubles these are the same number. */
static void integers_are_compared_exactly(void **state)
{
    int64_t a[] = {INT64_MAX, INT64_MIN, 7, 100}, b[] = {INT64_MAX - 1, INT64_MIN, 7, 100};
    int64_t low[] = {INT64_MIN, 5}, high[] = {INT64_MAX, -5};
    struct tensor s = view(DTYPE_INTEGER, a, 4), t = view(DTYPE_INTEGER, b, 4);
    struct tensor u = view(DTYPE_INTEGER, low, 2), v = view(DTYPE_INTEGER, high, 2);
    const struct tolerance wide = {1e30, 1e30};
    struct difference d = tensor_difference(&s, &t, &wide);

    (void)state;
    assert_int_equal(d.beyond, 1);
    assert_int_equal(d.worst, 0);
    assert_true(d.max_absolute == 1);
    d = tensor_difference(&u, &v, &wide);
    assert_int_equal(d.beyond, 2);
    assert_true(d.max_absolute == 18446744073709551615.0);
    assert_true(d.max_relative == 2);
}

static void logicals_have_no_tolerance(void **state)
{
    unsigned char a[] = {1, 0, 1}, b[] = {1, 1, 1};
    struct tensor s = view(DTYPE_LOGICAL, a, 3), t = view(DTYPE_LOGICAL, b, 3);
    struct difference d = tensor_difference(&s, &t, &(struct tolerance){2, 2});

    (void)state;
    assert_int_equal(d.beyond, 1);
    assert_int_equal(d.worst, 1);
}

static void empty_tensors_agree(void **state)
{
    float item = 0;
    struct tensor a = view(DTYPE_SCALAR, &item, 0);
    struct difference d = tensor_difference(&a, &a, &none);

    (void)state;
    assert_int_equal(d.count, 0);
    assert_int_equal(d.beyond, 0);
    assert_int_equal(d.worst, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_tensors_have_no_worst_item),
        cmocka_unit_test(errors_are_those_worked_out_by_hand),
        cmocka_unit_test(an_item_at_its_tolerance_agrees),
        cmocka_unit_test(the_second_tensor_is_the_reference),
        cmocka_unit_test(without_tolerance_the_largest_error_is_the_worst),
        cmocka_unit_test(a_worst_item_is_known_though_all_agree),
        cmocka_unit_test(nan_agrees_with_nan_in_the_same_place_only),
        cmocka_unit_test(an_infinity_agrees_with_itself_only),
        cmocka_unit_test(integers_are_compared_exactly),
        cmocka_unit_test(logicals_have_no_tolerance),
        cmocka_unit_test(empty_tensors_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
