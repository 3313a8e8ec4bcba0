/* test_shape.c - extents: products that fit, and broadcasting aligned at dimension 0 */
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

struct broadcast_case {
    const char *a, *b, *result; /* NULL: conflict */
};

static void expect_broadcast(const struct broadcast_case *c, const char *a, const char *b)
{
    struct shape to = shape(a), with = shape(b);
    int axis = -1;

    if (!shape_broadcast(&to, &with, &axis)) {
        if (c->result)
            fail_msg("%s with %s conflicts in dimension %d", a, b, axis);
        assert_true(axis >= 0 && axis < with.rank);
        assert_int_not_equal(shape(a).extent[axis], with.extent[axis]);
        return;
    }
    if (!c->result)
        fail_msg("%s with %s does not conflict", a, b);
    assert_string_equal(SHAPE_TEXT(&to), c->result);
    assert_true(shape_broadcasts_to(&with, &to));
}

static void broadcasting_aligns_dimension_0(void **state)
{
    static const struct broadcast_case cases[] = {
        {"[2,3,4,5]", "[]", "[2,3,4,5]"},
        {"[2,3,4,5]", "[5]", NULL},
        {"[4,5]", "[2,3,4,5]", NULL},
        {"[1,4,5]", "[2,3,1,1]", NULL},
        {"[3,4,5]", "[2,1,1,1]", NULL},
        {"[2,3,4,5]", "[2,1,1,5]", "[2,3,4,5]"},
        {"[2,3,4,5]", "[1,3,1,5]", "[2,3,4,5]"},
        {"[2,3,4,5]", "[2,3,4,5]", "[2,3,4,5]"},
        {"[]", "[]", "[]"},
        {"[1]", "[]", "[1]"},
        {"[8,16]", "[16]", NULL},
        {"[8,16]", "[8]", "[8,16]"},
        {"[8,8]", "[8]", "[8,8]"},
        {"[1,16,7,7]", "[16,1,1]", "[16,16,7,7]"},
        {"[1,16,7,7]", "[1,16]", "[1,16,7,7]"},
        {"[1,16,7,7]", "[1,16,1,1]", "[1,16,7,7]"},
        {"[1,16,7,7]", "[16]", "[16,16,7,7]"},
        {"[16,16,7,7]", "[16]", "[16,16,7,7]"},
        {"[7,7,7,7]", "[7]", "[7,7,7,7]"},
        {"[2,3]", "[3,2]", NULL},
        {"[2,3]", "[2,3,1]", "[2,3,1]"},
        {"[2,3]", "[1,2,3]", NULL},
        {"[1,3]", "[4,3]", "[4,3]"},
        {"[4,1]", "[1,6]", "[4,6]"},
        {"[4,1]", "[6]", NULL},
        {"[4]", "[6,1]", NULL},
        {"[3,1,5]", "[4,5]", NULL},
        {"[5,4]", "[5,1,3]", "[5,4,3]"},
        {"[0]", "[3]", NULL},
        {"[2,3,4]", "[2,3,4,1,1]", "[2,3,4,1,1]"},
        {"[6,1,4]", "[6,5,4]", "[6,5,4]"},
        {"[?,3]", "[4,1]", "[4,3]"},
        {"[?,3]", "[1,3]", "[?,3]"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_broadcast(&cases[i], cases[i].a, cases[i].b);
        expect_broadcast(&cases[i], cases[i].b, cases[i].a);
    }
}

static void a_shape_broadcasts_only_to_what_it_does_not_widen(void **state)
{
    struct shape one = shape("[1,3]"), four = shape("[4,3]"), unknown = {.rank = RANK_UNKNOWN};

    (void)state;
    assert_true(shape_broadcasts_to(&one, &four));
    assert_false(shape_broadcasts_to(&four, &one));
    assert_true(shape_broadcasts_to(&unknown, &four));
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
        cmocka_unit_test(broadcasting_aligns_dimension_0),
        cmocka_unit_test(a_shape_broadcasts_only_to_what_it_does_not_widen),
        cmocka_unit_test(equality_may_except_one_axis),
        cmocka_unit_test(strides_repeat_what_is_broadcast),
    };
    return cmocka_run_group_tests_name("shape", tests, NULL, NULL);
}
