/* test_write.c - the bytes of a model, data that are made while it is written, and its limits */
#include "support/onnx_parts.h"
#include "unit/onnx/onnx_fixture.h"

static void fields_are_written_in_the_order_of_their_numbers(void **state)
{
    static const char expected[] = "\x08\x08\x12\x02me\x3A\x1D"
                                   "\x0A\x18\x0A\x01x\x0A\x00\x12\x01y\x22\x04Gelu"
                                   "\x2A\x08\x0A\x01k\x18\x00\xA0\x01\x02"
                                   "\x12\x01g"
                                   "\x42\x04\x0A\x00\x10\x11";
    struct onnx_fixture *f = *state;
    struct onnx_model *model = onnx_model_new(f->arena, 8, "g");
    struct onnx_node *node = onnx_node_new(f->arena, model->graph, "Gelu");

    onnx_opset_add(f->arena, &model->opset_import, "", 17);
    onnx_text_add(f->arena, &node->output, "y");
    onnx_node_int(f->arena, node, "k", 0);
    onnx_text_add(f->arena, &node->input, "x");
    onnx_text_add(f->arena, &node->input, "");
    model->producer_name = "me";
    struct onnx_bytes bytes = write_model(f, model);
    assert_int_equal(bytes.size, sizeof expected - 1);
    assert_memory_equal(bytes.data, expected, sizeof expected - 1);
}

static void every_kind_of_attribute_is_typed(void **state)
{
    static const int64_t ints[] = {1, -1};
    static const float floats[] = {0.5F};
    static const char *const strings[] = {"a", ""};
    static const enum onnx_attribute_type types[] = {
        ONNX_ATTR_INT,    ONNX_ATTR_INTS,    ONNX_ATTR_FLOAT,  ONNX_ATTR_FLOATS,
        ONNX_ATTR_STRING, ONNX_ATTR_STRINGS, ONNX_ATTR_TENSOR, ONNX_ATTR_GRAPH,
    };
    struct onnx_fixture *f = *state;
    struct onnx_model *model = onnx_model_new(f->arena, 8, "g");
    struct onnx_node *node = onnx_node_new(f->arena, model->graph, "Any");

    onnx_node_int(f->arena, node, "int", 7);
    onnx_node_ints(f->arena, node, "ints", ints, 2);
    onnx_node_float(f->arena, node, "float", 0);
    onnx_node_floats(f->arena, node, "floats", floats, 1);
    onnx_node_string(f->arena, node, "string", "s");
    onnx_node_strings(f->arena, node, "strings", strings, 2);
    onnx_node_tensor(f->arena, node, "tensor", onnx_tensor_new(f->arena, "t", ONNX_INT64, ints, 0));
    onnx_node_graph(f->arena, node, "graph", onnx_graph_new(f->arena, "inner"));

    const struct onnx_attribute *a =
        read_model(f, write_model(f, model))->graph->node.first->attribute.first;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        assert_non_null(a);
        assert_int_equal(a->type, types[i]);
        if (types[i] == ONNX_ATTR_INTS)
            assert_memory_equal(a->ints.item, ints, sizeof ints);
        if (types[i] == ONNX_ATTR_FLOAT)
            assert_true(a->has & ONNX_ATTR_HAS_F);
        if (types[i] == ONNX_ATTR_FLOATS)
            assert_true(a->floats.count == 1 && a->floats.item[0] == floats[0]);
        if (types[i] == ONNX_ATTR_STRING)
            assert_memory_equal(a->s.data, "s", 1);
        if (types[i] == ONNX_ATTR_STRINGS)
            assert_true(a->strings.count == 2 && a->strings.item[1].size == 0);
        if (types[i] == ONNX_ATTR_GRAPH)
            assert_string_equal(a->g->name, "inner");
        a = a->next;
    }
    assert_null(a);
}

static void values_have_extents_names_or_neither(void **state)
{
    static const int64_t extents[] = {1, 0, -1};
    struct onnx_fixture *f = *state;
    struct onnx_model *model = onnx_model_new(f->arena, 8, "g");
    struct onnx_value_info *value = onnx_value_info_new(f->arena, "x", ONNX_FLOAT, extents, 3);

    onnx_value_info_param(value, 0, "batch");
    model->graph->input = onnx_value_info_append(model->graph->input, value);
    value = read_model(f, write_model(f, model))->graph->input.first;
    assert_string_equal(value->name, "x");
    assert_int_equal(value->type->tensor_type->elem_type, ONNX_FLOAT);
    const struct onnx_dim *dim = value->type->tensor_type->shape->dim.first;
    assert_string_equal(dim->dim_param, "batch");
    assert_int_equal(dim->has, 1 << 2);
    assert_int_equal(dim->next->has, ONNX_DIM_VALUE);
    assert_int_equal(dim->next->dim_value, 0);
    assert_int_equal(dim->next->next->has, 0);
    assert_null(dim->next->next->next);
}

/* `from` is how many bytes to put, a few at a time; NULL: none, and it fails. */
static bool produce(struct diag *diag, const struct sink *sink, const void *from)
{
    if (!from)
        return diag_file_error(diag, "weights", DIAG_CANNOT_READ, "gone");
    for (size_t left = *(const size_t *)from; left; left -= 2)
        sink->put(sink->to, "ab", 2);
    return true;
}

static struct onnx_model *produced_model(struct onnx_fixture *f, int64_t extent, const size_t *size)
{
    struct onnx_model *model = onnx_model_new(f->arena, 8, "g");
    struct onnx_tensor *tensor = onnx_tensor_new(f->arena, "w", ONNX_UINT8, &extent, 1);

    onnx_tensor_produce(tensor, (size_t)extent, produce, size);
    model->graph->initializer = onnx_tensor_append(model->graph->initializer, tensor);
    return model;
}

static void data_may_be_made_while_they_are_written(void **state)
{
    static const size_t size = 6;
    struct onnx_fixture *f = *state;
    const struct onnx_model *back = read_model(f, write_model(f, produced_model(f, 6, &size)));
    struct onnx_bytes raw = back->graph->initializer.first->raw_data;

    assert_int_equal(raw.size, 6);
    assert_memory_equal(raw.data, "ababab", 6);
}

static void more_than_2_gib_are_refused_before_anything_is_written(void **state)
{
    struct onnx_fixture *f = *state;
    const struct sink sink = {"t.onnx", put_in_text, &f->bytes};
    struct onnx_model *model = produced_model(f, UINT32_MAX, NULL);

    assert_true(onnx_model_size(model) > (uint64_t)1 << 32);
    assert_false(onnx_model_put(f->diag, &sink, model));
    onnx_expect(f, DIAG_ONNX_SIZE,
                "the model takes 4294967329 bytes, a file of ONNX at most 2147483647");
    assert_int_equal(f->bytes.size, 0);

    /* Exactly as much as there may be is not refused, but tried. */
    uint64_t head = onnx_model_size(produced_model(f, INT32_MAX, NULL)) - INT32_MAX;
    model = produced_model(f, INT32_MAX - (int64_t)head, NULL);
    assert_int_equal(onnx_model_size(model), ONNX_SIZE_MAX);
    assert_false(onnx_model_put(f->diag, &sink, model));
    onnx_expect(f, DIAG_CANNOT_READ, "gone");
}

static void external_data_are_told_by_file_and_place(void **state)
{
    static const int64_t extent = 3;
    struct onnx_fixture *f = *state;
    struct onnx_model *model = onnx_model_new(f->arena, 8, "g");
    struct onnx_tensor *tensor = onnx_tensor_new(f->arena, "w", ONNX_FLOAT, &extent, 1);

    onnx_tensor_external(f->arena, tensor, &(struct onnx_extern){"w.bin", (uint64_t)1 << 32, 12});
    model->graph->initializer = onnx_tensor_append(model->graph->initializer, tensor);
    tensor = read_model(f, write_model(f, model))->graph->initializer.first;
    assert_int_equal(tensor->data_location, ONNX_LOCATION_EXTERNAL);
    const struct onnx_entry *entry = tensor->external_data.first;
    assert_string_equal(entry->key, "location");
    assert_string_equal(entry->value, "w.bin");
    assert_string_equal(entry->next->key, "offset");
    assert_string_equal(entry->next->value, "4294967296");
    assert_string_equal(entry->next->next->key, "length");
    assert_string_equal(entry->next->next->value, "12");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        onnx_test(fields_are_written_in_the_order_of_their_numbers),
        onnx_test(every_kind_of_attribute_is_typed),
        onnx_test(values_have_extents_names_or_neither),
        onnx_test(data_may_be_made_while_they_are_written),
        onnx_test(more_than_2_gib_are_refused_before_anything_is_written),
        onnx_test(external_data_are_told_by_file_and_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
