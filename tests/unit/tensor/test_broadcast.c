/* test_broadcast.c - shapes that go together by NNEF's rule and by the two of ONNX */
#include "tensor/shape.h"

#include <stdlib.h>
#include <string.h>

#include "support/t.h"

/* "[2,?,4]" as a shape. */
static struct shape shape(const char *text)
{
    struct shape s = {.rank = 0};

    for (const char *c = text + 1; *c && *c != ']'; c += *c == ',') {
        char *end = NULL;
        int64_t extent = *c == '?' ? EXTENT_UNKNOWN : strtoll(c, &end, 10);
        c = end ? end : c + 1;
        s.extent[s.rank++] = extent;
    }
    return s;
}

/* NULL: they do not go together. */
struct row {
    const char *a, *b, *nnef, *onnx, *one_way;
};

/* Two shapes under each rule. NNEF and ONNX agree where ranks are equal, and hardly elsewhere. */
static const struct row rows[] = {
    {"[]", "[]", "[]", "[]", "[]"},
    {"[2,3]", "[]", "[2,3]", "[2,3]", "[2,3]"},
    {"[]", "[1]", "[1]", "[1]", NULL},
    {"[2,3,5]", "[5]", NULL, "[2,3,5]", "[2,3,5]"},
    {"[2,3,5]", "[2]", "[2,3,5]", NULL, NULL},
    {"[6,6]", "[6]", "[6,6]", "[6,6]", "[6,6]"},
    {"[1,4,3,3]", "[1,4]", "[1,4,3,3]", NULL, NULL},
    {"[1,4,3,3]", "[4,1,1]", "[4,4,3,3]", "[1,4,3,3]", "[1,4,3,3]"},
    {"[1,4,3,3]", "[1,4,1,1]", "[1,4,3,3]", "[1,4,3,3]", "[1,4,3,3]"},
    {"[2,1]", "[1,3]", "[2,3]", "[2,3]", NULL},
    {"[2,1]", "[3]", NULL, "[2,3]", NULL},
    {"[1,3]", "[2,3]", "[2,3]", "[2,3]", NULL},
    {"[2,3]", "[2,3,1]", "[2,3,1]", NULL, NULL},
    {"[2,3]", "[1,2,3]", NULL, "[1,2,3]", NULL},
    {"[2,3]", "[3,2]", NULL, NULL, NULL},
    {"[2,3]", "[2,3,1,1]", "[2,3,1,1]", "[2,3,2,3]", NULL},
    {"[4,3]", "[4,1,2]", "[4,3,2]", NULL, NULL},
    {"[0,4]", "[1,4]", "[0,4]", "[0,4]", "[0,4]"},
    {"[0]", "[3]", NULL, NULL, NULL},
    {"[?,3]", "[4,1]", "[4,3]", "[4,3]", "[?,3]"},
    {"[?,3]", "[1,3]", "[?,3]", "[?,3]", "[?,3]"},
};

static void expect(enum broadcast_rule rule, const char *a, const char *b, const char *expected)
{
    struct shape to = shape(a), with = shape(b);
    int axis = 99;

    if (!broadcast(rule, &to, &with, &axis)) {
        if (expected)
            fail_msg("%s with %s by rule %d conflicts in dimension %d", a, b, (int)rule, axis);
        assert_true(axis >= -1 && axis < to.rank);
        return;
    }
    if (!expected)
        fail_msg("%s with %s by rule %d gives %s", a, b, (int)rule, SHAPE_TEXT(&to));
    assert_string_equal(SHAPE_TEXT(&to), expected);
}

static void nnef_aligns_the_first_dimension(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expect(BROADCAST_NNEF, rows[i].a, rows[i].b, rows[i].nnef);
        expect(BROADCAST_NNEF, rows[i].b, rows[i].a, rows[i].nnef);
    }
}

static void onnx_aligns_the_last_dimension(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expect(BROADCAST_ONNX, rows[i].a, rows[i].b, rows[i].onnx);
        expect(BROADCAST_ONNX, rows[i].b, rows[i].a, rows[i].onnx);
    }
}

static void one_way_never_widens_the_first_shape(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(BROADCAST_ONNX_ONE_WAY, rows[i].a, rows[i].b, rows[i].one_way);
}

static void a_conflict_names_the_dimension(void **state)
{
    struct shape a = shape("[2,3,4]"), b = shape("[3,5]"), c = shape("[2,3,4,1]");
    int axis = 99;

    (void)state;
    assert_false(broadcast(BROADCAST_ONNX, &a, &b, &axis));
    assert_int_equal(axis, 2);
    a = shape("[2,3,4]");
    assert_false(broadcast(BROADCAST_NNEF, &a, &b, &axis));
    assert_int_equal(axis, 0);
    a = shape("[2,3,4]");
    assert_false(broadcast(BROADCAST_ONNX_ONE_WAY, &a, &c, &axis));
    assert_int_equal(axis, -1);
}

static void a_shape_broadcasts_only_to_what_it_does_not_widen(void **state)
{
    struct shape one = shape("[1,3]"), four = shape("[4,3]"), unknown = {.rank = RANK_UNKNOWN};

    (void)state;
    assert_true(broadcasts_to(&one, &four));
    assert_false(broadcasts_to(&four, &one));
    assert_true(broadcasts_to(&unknown, &four));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nnef_aligns_the_first_dimension),
        cmocka_unit_test(onnx_aligns_the_last_dimension),
        cmocka_unit_test(one_way_never_widens_the_first_shape),
        cmocka_unit_test(a_conflict_names_the_dimension),
        cmocka_unit_test(a_shape_broadcasts_only_to_what_it_does_not_widen),
    };
    return cmocka_run_group_tests_name("broadcast", tests, NULL, NULL);
}
