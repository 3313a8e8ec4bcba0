/* test_shape.c - extents: products that fit, equality and strides */
#include "tensor/shape.h"

#include <stdlib.h>
#include <string.h>

#include "support/t.h"

/* "[2,?,4]" as a shape. */
static struct shape shape(const char *text)
{
    struct shape s = {.rank = 0};

    for (const char *c = text + 1; *c && *c != ']'; c += *c == ',') {
        int64_t extent = EXTENT_UNKNOWN;
        if (*c == '?') {
            c++;
        } else {
            char *end;
            extent = strtoll(c, &end, 10);
            c = end;
        }
        s.extent[s.rank++] = extent;
    }
    return s;
}

static void shapes_print_as_nnef_writes_them(void **state)
{
    struct shape s = shape("[1,?,224]"), scalar = shape("[]"), unknown = {.rank = RANK_UNKNOWN};

    (void)state;
    assert_string_equal(SHAPE_TEXT(&s), "[1,?,224]");
    assert_string_equal(SHAPE_TEXT(&scalar), "[]");
    assert_string_equal(SHAPE_TEXT(&unknown), "[...]");
}

static void volumes_refuse_to_overflow(void **state)
{
    struct shape large = shape("[4294967296,4294967296]"), s = shape("[2,3,4]");
    struct shape empty = shape("[0,5]"), hidden = shape("[0,4294967296,4294967296]");
    int64_t volume = 7;

    (void)state;
    assert_false(shape_volume_checked(&large, INT64_MAX, &volume));
    assert_false(shape_volume_checked(&hidden, INT64_MAX, &volume));
    assert_false(shape_volume_checked(&s, 23, &volume));
    assert_int_equal(volume, 7);
    assert_true(shape_volume_checked(&s, 24, &volume));
    assert_int_equal(volume, 24);
    assert_int_equal(shape_volume(&empty), 0);
    assert_int_equal(shape_volume_range(&s, 1, 3), 12);
}

static void equality_may_except_one_axis(void **state)
{
    struct shape a = shape("[2,3]"), b = shape("[2,4]"), c = shape("[2,3,1]"), d = shape("[2,?]");

    (void)state;
    assert_true(shape_equal_but(&a, &b, 1));
    assert_false(shape_equal_but(&a, &b, 0));
    assert_false(shape_equal(&a, &c));
    assert_true(shape_compatible(&a, &d));
    assert_false(shape_compatible(&c, &d));
    assert_int_equal(shape_extent(&a, 5), 1);
}

static void strides_repeat_what_is_broadcast(void **state)
{
    struct shape s = shape("[1,3]"), to = shape("[2,3,4]");
    int64_t stride[MAX_RANK];

    (void)state;
    shape_strides(&to, stride);
    assert_true(stride[0] == 12 && stride[1] == 4 && stride[2] == 1);
    shape_broadcast_strides(&s, &to, stride);
    assert_true(stride[0] == 0 && stride[1] == 1 && stride[2] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_print_as_nnef_writes_them),
        cmocka_unit_test(volumes_refuse_to_overflow),
        cmocka_unit_test(equality_may_except_one_axis),
        cmocka_unit_test(strides_repeat_what_is_broadcast),
    };
    return cmocka_run_group_tests_name("shape", tests, NULL, NULL);
}
