/* test_round_trip.c - what is written is read again: any field, there or not */
#include "support/onnx_message.h"
#include "unit/onnx/onnx_fixture.h"

static void expect_same(const struct onnx_model *a, const struct onnx_model *b)
{
    struct text where = {0};

    if (!onnx_models_same(a, b, &where))
        fail_msg("they differ: %s", where.data);
}

/* Written bytes that stay. */
static struct onnx_bytes written(struct onnx_fixture *f, const struct onnx_model *model)
{
    struct onnx_bytes bytes = write_model(f, model);

    return (struct onnx_bytes){arena_strndup(f->arena, bytes.data, bytes.size), bytes.size};
}

static void expect_round_trip(struct onnx_fixture *f, const struct onnx_model *model)
{
    struct onnx_bytes bytes = written(f, model), again;
    const struct onnx_model *back = read_model(f, bytes);

    expect_same(model, back);
    again = written(f, back);
    assert_int_equal(bytes.size, again.size);
    assert_memory_equal(bytes.data, again.data, bytes.size);
}

static void a_model_with_every_field_comes_back(void **state)
{
    struct onnx_fixture *f = *state;

    expect_round_trip(f, onnx_random_model(f->arena, 1, 100));
}

static void models_with_some_fields_come_back(void **state)
{
    struct onnx_fixture *f = *state;

    for (uint64_t seed = 0; seed < 200; seed++)
        expect_round_trip(f, onnx_random_model(f->arena, seed, 20 + (int)(seed % 4) * 15));
}

static void a_difference_is_found_wherever_it_is(void **state)
{
    struct onnx_fixture *f = *state;
    struct onnx_model *a = onnx_random_model(f->arena, 1, 100), *b;
    struct text where = {0};

    b = onnx_random_model(f->arena, 1, 100);
    expect_same(a, b);
    b->graph->node.last->attribute.first->type ^= 1;
    assert_false(onnx_models_same(a, b, &where));
    assert_string_equal(where.data, "type in attribute in node in graph");
    text_free(&where);
    b = onnx_random_model(f->arena, 1, 100);
    b->graph->input.first->doc_string = b->graph->doc_string = onnx_absent;
    assert_false(onnx_models_same(a, b, &where));
    assert_string_equal(where.data, "doc_string in graph");
    text_free(&where);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        onnx_test(a_model_with_every_field_comes_back),
        onnx_test(models_with_some_fields_come_back),
        onnx_test(a_difference_is_found_wherever_it_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
