/* test_source.c - operations that introduce a tensor, and update (NNEF 1.0.5, sections 4.1, 4.8) */
#include "diag/context.h"
#include "support/op_fixture.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static enum diag_code last_code(const struct op_fixture *f)
{
    int count = diag_count(f->context->diag);

    assert_true(count > 0);
    return diag_at(f->context->diag, count - 1).code;
}

static void expect_shape(const struct value *value, const char *shape)
{
    assert_non_null(value);
    assert_string_equal(SHAPE_TEXT(value->shape), shape);
}

static void external_has_the_shape_given(void **state)
{
    struct op_fixture *f = *state;
    const struct value *value;

    f->generic = DTYPE_INTEGER;
    value = fixture_introduce(f, "external", "shape = [1,3,224,224]");
    expect_shape(value, "[1,3,224,224]");
    assert_int_equal(value->kind, VALUE_EXTERNAL);
    assert_int_equal(value->dtype, DTYPE_INTEGER);
    f->generic = DTYPE_SCALAR;
    expect_shape(fixture_introduce(f, "external", "shape = []"), "[]");
}

static void zero_is_unknown_in_the_provisional_dialect(void **state)
{
    struct op_fixture *f = *state;

    f->generic = DTYPE_SCALAR;
    f->graph->provisional = true;
    expect_shape(fixture_introduce(f, "external", "shape = [0,3]"), "[?,3]");
    assert_null(fixture_introduce(f, "external", "shape = [-1,3]"));
    assert_null(fixture_introduce(f, "variable", "shape = [0,3], label = 'v'"));
    assert_null(fixture_introduce(f, "constant", "shape = [0,3], value = [1.0]"));
}

static void extents_must_be_positive(void **state)
{
    struct op_fixture *f = *state;

    f->generic = DTYPE_SCALAR;
    assert_null(fixture_introduce(f, "external", "shape = [0,3]"));
    assert_int_equal(last_code(f), DIAG_EXTENT);
    assert_null(fixture_introduce(f, "variable", "shape = [-2], label = 'v'"));
    assert_int_equal(last_code(f), DIAG_EXTENT);
    assert_null(fixture_introduce(f, "constant", "shape = [0], value = [1.0]"));
    assert_int_equal(last_code(f), DIAG_EXTENT);
    assert_null(fixture_introduce(f, "external", "shape = [1,1,1,1,1,1,1,1,1]"));
    assert_int_equal(last_code(f), DIAG_RANK);
}

static void constant_takes_one_value_or_one_per_item(void **state)
{
    struct op_fixture *f = *state;
    const struct value *value;

    f->generic = DTYPE_SCALAR;
    value = fixture_introduce(f, "constant", "shape = [1,2], value = [1.5, 2.5]");
    expect_shape(value, "[1,2]");
    assert_true(tensor_item(value->source->tensor, 1) == 2.5);
    expect_shape(fixture_introduce(f, "constant", "shape = [2,3], value = [1.0]"), "[2,3]");
    assert_null(fixture_introduce(f, "constant", "shape = [3], value = [1.0, 2.0]"));
    assert_int_equal(last_code(f), DIAG_VALUE_COUNT);
    assert_null(fixture_introduce(f, "constant", "shape = [3], value = []"));
    assert_int_equal(last_code(f), DIAG_VALUE_COUNT);
}

static void huge_shapes_are_refused(void **state)
{
    struct op_fixture *f = *state;

    f->generic = DTYPE_SCALAR;
    assert_null(fixture_introduce(
        f, "constant", "shape = [4294967296,4294967296,4294967296], value = [1.0, 2.0]"));
    assert_int_equal(last_code(f), DIAG_VOLUME_LIMIT);
}

static void variable_has_a_label(void **state)
{
    struct op_fixture *f = *state;
    const struct value *value;

    f->generic = DTYPE_LOGICAL;
    value = fixture_introduce(f, "variable", "shape = [3], label = 'conv1/filter'");
    expect_shape(value, "[3]");
    assert_string_equal(value->source->label, "conv1/filter");
    assert_int_equal(value->dtype, DTYPE_LOGICAL);
}

static void update_gives_the_new_value(void **state)
{
    struct op_fixture *f = *state;

    fixture_feed(f, "variable", "[1,3] 1 2 3");
    fixture_feed(f, "value", "[1,3] 4 5 6");
    fixture_run(f, "update", NULL);
    fixture_expect(f, 0, "[1,3] 4 5 6");
    fixture_feed(f, "variable", "integer[2] 1 2");
    fixture_feed(f, "value", "integer[2] 3 4");
    fixture_run(f, "update", NULL);
    fixture_expect(f, 0, "integer[2] 3 4");
}

static void update_does_not_broadcast(void **state)
{
    struct op_fixture *f = *state;

    fixture_feed(f, "variable", "[1,3,1] 1");
    fixture_feed(f, "value", "[1,3] 1");
    fixture_expect_error(f, "update", NULL, DIAG_SHAPE_MISMATCH);
    fixture_feed(f, "variable", "[2,3] 1");
    fixture_feed(f, "value", "[1,3] 1");
    fixture_expect_error(f, "update", NULL, DIAG_SHAPE_MISMATCH);
    f->graph->provisional = true;
    fixture_feed(f, "variable", "[1,3,1] 1");
    fixture_feed(f, "value", "[1,3] 4");
    fixture_run(f, "update", NULL);
    assert_string_equal(SHAPE_TEXT(f->node->out[0].shape), "[1,3,1]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        OP_TEST(external_has_the_shape_given), OP_TEST(zero_is_unknown_in_the_provisional_dialect),
        OP_TEST(extents_must_be_positive),     OP_TEST(constant_takes_one_value_or_one_per_item),
        OP_TEST(huge_shapes_are_refused),      OP_TEST(variable_has_a_label),
        OP_TEST(update_gives_the_new_value),   OP_TEST(update_does_not_broadcast),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
