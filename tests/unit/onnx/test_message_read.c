/*
 * test_read.c - ONNX files as others may write them, and what is refused, byte by byte
 *
 * A tag is number << 3 | wire type: 0x08 is field 1 as a varint, 0x3A field 7 (the graph of a
 * model) with its length.
 */
#include "tensor/bytes.h"

#include "unit/onnx/onnx_fixture.h"

#include <float.h>

static void a_small_model_is_read(void **state)
{
    static const char bytes[] = "\x08\x08"          /* ir_version 8 */
                                "\x12\x02me"        /* producer_name */
                                "\x3A\x12"          /* graph */
                                "\x0A\x0D"          /* node */
                                "\x0A\x01x\x0A\x00" /* two inputs, one of them left out */
                                "\x12\x01y"         /* an output */
                                "\x22\x03"
                                "Neg"               /* op_type */
                                "\x12\x01g"         /* name of the graph */
                                "\x42\x02\x10\x11"; /* opset_import: version 17 */
    struct onnx_fixture *f = *state;
    const struct onnx_model *model = read_model(f, BYTES(bytes));
    const struct onnx_node *node = model->graph->node.first;

    assert_int_equal(model->ir_version, 8);
    assert_string_equal(model->producer_name, "me");
    assert_string_equal(model->graph->name, "g");
    assert_int_equal(model->opset_import.first->version, 17);
    assert_int_equal(model->graph->node.count, 1);
    assert_string_equal(node->op_type, "Neg");
    assert_int_equal(node->input.count, 2);
    assert_string_equal(node->input.item[0], "x");
    assert_string_equal(node->input.item[1], "");
    assert_string_equal(node->output.item[0], "y");
}

static void what_is_absent_is_told_from_what_is_empty(void **state)
{
    struct onnx_fixture *f = *state;
    const struct onnx_model *model = read_model(f, BYTES("\x32\x00\x08\x00\x3A\x00"));

    assert_ptr_equal(model->producer_name, onnx_absent);
    assert_ptr_not_equal(model->doc_string, onnx_absent);
    assert_string_equal(model->doc_string, "");
    assert_int_equal(model->has, 1 << 6 | 1 << 1 | 1 << 7);
}

static void unknown_fields_are_skipped(void **state)
{
    static const char bytes[] = "\xA0\x06\x96\x01"           /* 100, varint */
                                "\xA1\x06\1\2\3\4\5\6\7\x08" /* 100, 8 bytes */
                                "\xA2\x06\x03\x0B\x0C\xFF"   /* 100, any bytes */
                                "\xA5\x06\1\2\3\4"           /* 100, 4 bytes */
                                "\xF8\xFF\xFF\xFF\x0F\x01"   /* the largest number */
                                "\xA2\x01\x02\x0A\x00"       /* 20: training_info */
                                "\x3A\x00";
    struct onnx_fixture *f = *state;
    const struct onnx_model *model = read_model(f, BYTES(bytes));

    assert_int_equal(model->has, 1 << 7);
}

static void numbers_are_read_packed_and_unpacked(void **state)
{
    static const char bytes[] = "\x0A\x02\x02\x03\x08\x02" /* dims 2 3 | 2 */
                                "\x10\x06"                 /* INT32 */
                                "\x2A\x03\x01\x80\x01"     /* int32_data 1 128 */
                                "\x28\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01" /* -1 */
                                "\x2A\x00\x2A\x05\5\6\7\x08\x09"
                                "\x28\x0A\x2A\x03\x0B\x0C\x0D";
    struct onnx_fixture *f = *state;
    const struct onnx_tensor *tensor = read_tensor(f, BYTES(bytes));

    assert_int_equal(tensor->dims.count, 3);
    assert_int_equal(tensor->dims.item[1], 3);
    assert_int_equal(tensor->int32_data.count, 12);
    assert_int_equal(tensor->int32_data.size, 3 + 10 + 9);
    assert_memory_equal(tensor->int32_data.data, "\x01\x80\x01\xFF", 4);
    assert_memory_equal(tensor->int32_data.data + 13, "\5\6\7\x08\x09\x0A\x0B\x0C\x0D", 9);
}

static void floats_of_an_attribute_are_read_packed_and_unpacked(void **state)
{
    static const char bytes[] = "\x3A\x19\x0A\x17\x2A\x15"           /* the attribute of a node */
                                "\x3D\0\0\x80\x3F"                   /* floats 1 */
                                "\x3A\x08\0\0\0\x40\xFF\xFF\x7F\x7F" /* 2 FLT_MAX */
                                "\x42\x02\x05\x7F\x40\x06";          /* ints 5 127 | 6 */
    static const int64_t ints[] = {5, 127, 6};
    static const float floats[] = {1, 2, FLT_MAX};
    struct onnx_fixture *f = *state;
    const struct onnx_model *model = read_model(f, BYTES(bytes));
    const struct onnx_attribute *attribute = model->graph->node.first->attribute.first;

    assert_int_equal(attribute->floats.count, 3);
    assert_memory_equal(attribute->floats.item, floats, sizeof floats);
    assert_int_equal(attribute->ints.count, 3);
    assert_memory_equal(attribute->ints.item, ints, sizeof ints);
}

static void data_are_views_of_the_file(void **state)
{
    static const char bytes[] = "\x08\x01\x10\x01\x4A\x04\0\0\x80\x3F";
    struct onnx_fixture *f = *state;
    const struct onnx_tensor *raw = read_tensor(f, BYTES(bytes));
    const struct onnx_tensor *typed = read_tensor(f, BYTES("\x08\x01\x10\x01\x22\x04\0\0\x80\x3F"));

    assert_ptr_equal(raw->raw_data.data, bytes + 6);
    assert_int_equal(raw->raw_data.size, 4);
    assert_int_equal(typed->float_data.count, 1);
    assert_null(typed->float_data.own);
}

static void negative_numbers_and_those_too_wide_are_cut_as_protocol_buffers_do(void **state)
{
    struct onnx_fixture *f = *state;

    assert_int_equal(
        read_tensor(f, BYTES("\x10\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"))->data_type, -1);
    assert_int_equal(read_tensor(f, BYTES("\x10\x87\x80\x80\x80\x10"))->data_type, 7);
}

static void a_message_that_comes_twice_is_merged_and_a_number_replaced(void **state)
{
    struct onnx_fixture *f = *state;
    const struct onnx_model *model = read_model(f, BYTES("\x08\x01\x3A\x05\x12\x01g\x0A\x00"
                                                         "\x08\x02\x3A\x04\x0A\x02\x1A\x00"));

    assert_int_equal(model->ir_version, 2);
    assert_string_equal(model->graph->name, "g");
    assert_int_equal(model->graph->node.count, 2);
    assert_ptr_equal(model->graph->node.last->next, NULL);
}

/* The first extent of the first input, whose six bytes are these. */
static const struct onnx_dim *read_dim(struct onnx_fixture *f, const char *six)
{
    static const char head[] = "\x3A\x10\x5A\x0E\x12\x0C\x0A\x0A\x12\x08\x0A\x06";
    char bytes[sizeof head + 6];

    memcpy(bytes, head, sizeof head);
    memcpy(bytes + sizeof head - 1, six, 6);
    return read_model(f, (struct onnx_bytes){bytes, sizeof head + 5})
        ->graph->input.first->type->tensor_type->shape->dim.first;
}

static void of_alternatives_the_last_counts(void **state)
{
    struct onnx_fixture *f = *state;
    const struct onnx_dim *dim = read_dim(f, "\x12\x01n\x08\xAC\x02");

    assert_int_equal(dim->has, ONNX_DIM_VALUE);
    assert_int_equal(dim->dim_value, 300);
    assert_ptr_equal(dim->dim_param, onnx_absent);
    dim = read_dim(f, "\x08\xAC\x02\x12\x01n");
    assert_false(dim->has & ONNX_DIM_VALUE);
    assert_int_equal(dim->dim_value, 0);
    assert_string_equal(dim->dim_param, "n");
}

static void one_type_takes_the_place_of_another(void **state)
{
    struct onnx_fixture *f = *state;
    const struct onnx_model *model = read_model(f, BYTES("\x3A\x0C\x5A\x0A\x12\x08"
                                                         "\x0A\x02\x08\x01"    /* tensor_type */
                                                         "\x22\x02\x0A\x00")); /* sequence_type */
    const struct onnx_type *type = model->graph->input.first->type;

    assert_null(type->tensor_type);
    assert_non_null(type->sequence_type);
}

struct refusal {
    struct onnx_bytes file;
    enum diag_code code;
    const char *text;
};

static void broken_bytes_are_told_with_their_place(void **state)
{
    const struct refusal refused[] = {
        {BYTES("\x80"), DIAG_ONNX_WIRE, "byte 0: a number reaches past the end of its message"},
        {BYTES("\x08"), DIAG_ONNX_WIRE,
         "byte 1, ir_version: a number reaches past the end of its message"},
        {BYTES("\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02"), DIAG_ONNX_WIRE,
         "byte 1, ir_version: a number has more than 64 bits"},
        {BYTES("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"), DIAG_ONNX_WIRE,
         "byte 1, ir_version: a number has more than 64 bits"},
        {BYTES("\x3A\x03\x0A\x02\x0A"), DIAG_ONNX_WIRE,
         "byte 4, graph.node[0]: a length of 2, but its message ends after 1"},
        {BYTES("\x3A\x06\x0A\x00\x0A\x02\x0A\x01"), DIAG_ONNX_WIRE,
         "byte 8, graph.node[1].input[0]: a length of 1, but its message ends after 0"},
        {BYTES("\x3A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"), DIAG_ONNX_WIRE,
         "byte 11, graph: a length of 18446744073709551615, but its message ends after 0"},
        {BYTES("\x3A\x00\x13"), DIAG_ONNX_WIRE, "byte 2: a group, which ONNX does not use"},
        {BYTES("\x3A\x02\x0A\x00\x0C"), DIAG_ONNX_WIRE, "byte 4: a group, which ONNX does not use"},
        {BYTES("\xA6\x06"), DIAG_ONNX_WIRE, "byte 0: a field of the unknown wire type 6"},
        {BYTES("\xA7\x06"), DIAG_ONNX_WIRE, "byte 0: a field of the unknown wire type 7"},
        {BYTES("\x02\x00"), DIAG_ONNX_WIRE, "byte 0: 0 is no number of a field"},
        {BYTES("\x88\x80\x80\x80\x10\x00"), DIAG_ONNX_WIRE,
         "byte 0: 536870913 is no number of a field"},
        {BYTES("\xA5\x06\x01\x02\x03"), DIAG_ONNX_WIRE,
         "byte 2: a length of 4, but its message ends after 3"},
        {BYTES("\x3A\x07\x2A\x05\x22\x03\0\0\0"), DIAG_ONNX_WIRE,
         "byte 6, graph.initializer[0].float_data: 3 bytes hold no numbers of 4 bytes"},
        {BYTES("\x3A\x0B\x2A\x09\x52\x07\0\0\0\0\0\0\0"), DIAG_ONNX_WIRE,
         "byte 6, graph.initializer[0].double_data: 7 bytes hold no numbers of 8 bytes"},
        {BYTES("\x3A\x05\x2A\x03\x3A\x01\x80"), DIAG_ONNX_WIRE,
         "byte 6, graph.initializer[0].int64_data: a number reaches past the end of its message"},
        {BYTES("\x3A\x07\x0A\x05\x2A\x03\x42\x01\x80"), DIAG_ONNX_WIRE,
         "byte 8, graph.node[0].attribute[0].ints[0]: a number reaches past the end of its "
         "message"},
    };
    struct onnx_fixture *f = *state;

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_null(onnx_model_read(f->diag, f->arena, "t.onnx", refused[i].file));
        onnx_expect(f, refused[i].code, refused[i].text);
    }
}

static void other_protocol_buffers_are_refused(void **state)
{
    const struct refusal refused[] = {
        {BYTES(""), DIAG_ONNX_FIELD, "no graph, so this is no model of ONNX"},
        {BYTES("\x08\x08"), DIAG_ONNX_FIELD, "no graph, so this is no model of ONNX"},
        {BYTES("\x08\x01\x10\x01"), DIAG_ONNX_FIELD,
         "byte 3, producer_name: the field is written as a varint, expected bytes with their "
         "length"},
        {BYTES("\x0A\x01x"), DIAG_ONNX_FIELD,
         "byte 1, ir_version: the field is written as bytes with their length, expected a varint"},
        {BYTES("\x3A\x07\x0A\x05\x2A\x03\x11\x00"), DIAG_ONNX_WIRE,
         "byte 2, graph: a length of 7, but its message ends after 6"},
        {BYTES("\x3A\x05\x12\x03"
               "a\0b"),
         DIAG_ONNX_FIELD, "byte 5, graph.name: a zero byte in a text"},
        {BYTES("version 1.0;\n"), DIAG_ONNX_WIRE, "byte 0: a field of the unknown wire type 6"},
    };
    struct onnx_fixture *f = *state;

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_null(onnx_model_read(f->diag, f->arena, "t.onnx", refused[i].file));
        onnx_expect(f, refused[i].code, refused[i].text);
    }
}

static void impossible_tensors_are_refused(void **state)
{
    const struct refusal refused[] = {
        {BYTES("\x08\x02\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"), DIAG_ONNX_TENSOR,
         "byte 0: dimension 1 of a tensor is -1, expected at least 0"},
        {BYTES("\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F\x08\x02"), DIAG_ONNX_TENSOR,
         "byte 0: the dimensions of a tensor have a product of more than 63 bits"},
        {BYTES("\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F\x10\x01\x4A\x00"), DIAG_ONNX_TENSOR,
         "byte 0: the dimensions of a tensor are too large"},
        {BYTES("\x08\x02\x10\x01\x4A\x04\0\0\0\0"), DIAG_ONNX_TENSOR,
         "byte 0: 'raw_data' of a tensor has length 4, expected 8 for its dimensions"},
        {BYTES("\x08\x01\x10\x01\x4A\x00"), DIAG_ONNX_TENSOR,
         "byte 0: 'raw_data' of a tensor has length 0, expected 4 for its dimensions"},
        {BYTES("\x10\x01\x22\x08\0\0\0\0\0\0\0\0"), DIAG_ONNX_TENSOR,
         "byte 0: 'float_data' of a tensor has length 2, expected 1 for its dimensions"},
        {BYTES("\x10\x01\x4A\x04\0\0\0\0\x22\x04\0\0\0\0"), DIAG_ONNX_TENSOR,
         "byte 0: a tensor has data both in 'raw_data' and in 'float_data'"},
        {BYTES("\x10\x01\x3A\x01\x05"), DIAG_ONNX_TENSOR,
         "byte 0: a tensor of type FLOAT has data in 'int64_data', expected 'float_data'"},
        {BYTES("\x10\x08\x4A\x01\x05"), DIAG_ONNX_TENSOR,
         "byte 0: a tensor of type STRING has data in 'raw_data', expected 'string_data'"},
        {BYTES("\x08\x02\x10\x08\x32\x01x"), DIAG_ONNX_TENSOR,
         "byte 0: 'string_data' of a tensor has length 1, expected 2 for its dimensions"},
        {BYTES("\x10\x01\x22\x04\0\0\0\0\x70\x01"), DIAG_ONNX_TENSOR,
         "byte 0: a tensor has data in 'float_data', although they are external"},
        {BYTES("\x08\x03\x10\x16\x4A\x01\x21"), DIAG_ONNX_TENSOR,
         "byte 0: 'raw_data' of a tensor has length 1, expected 2 for its dimensions"},
        {BYTES("\x08\x03\x10\x16\x2A\x03\1\2\3"), DIAG_ONNX_TENSOR,
         "byte 0: 'int32_data' of a tensor has length 3, expected 2 for its dimensions"},
        {BYTES("\x08\x02\x10\x0E\x22\x08\0\0\0\0\0\0\0\0"), DIAG_ONNX_TENSOR,
         "byte 0: 'float_data' of a tensor has length 2, expected 4 for its dimensions"},
    };
    struct onnx_fixture *f = *state;

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_null(onnx_tensor_read(f->diag, f->arena, "t.pb", refused[i].file));
        onnx_expect(f, refused[i].code, refused[i].text);
    }
}

static void a_tensor_in_an_attribute_is_told_by_its_path(void **state)
{
    struct onnx_fixture *f = *state;

    assert_null(onnx_model_read(f->diag, f->arena, "t.onnx",
                                BYTES("\x3A\x0E\x0A\x00\x0A\x0A\x2A\x00\x2A\x06\x2A\x04"
                                      "\x10\x01\x4A\x00")));
    onnx_expect(f, DIAG_ONNX_TENSOR,
                "byte 12, graph.node[1].attribute[1].t: 'raw_data' of a tensor has length 0, "
                "expected 4 for its dimensions");
}

static void tensors_without_data_and_of_unknown_types_are_read(void **state)
{
    struct onnx_fixture *f = *state;

    assert_null(read_tensor(f, BYTES("\x08\x02\x10\x01"))->raw_data.data);
    read_tensor(f, BYTES("\x08\x02\x10\x63\x4A\x01\x05"));
    read_tensor(f, BYTES("\x08\x02\x10\x01\x70\x01\x4A\x00"));
    read_tensor(f,
                BYTES("\x08\x00\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F\x08\x02\x10\x01\x4A\x00"));
    read_tensor(f, BYTES("\x08\x03\x10\x16\x4A\x02\x21\x03"));
    read_tensor(f, BYTES("\x08\x03\x10\x16\x2A\x03\x21\x83\x01"));
}

/* A model whose graph is `levels` messages deep, from the inside outward in front of `end`. */
static struct onnx_bytes nest(unsigned char *end, int levels)
{
    static const unsigned char tag[] = {0x0A, 0x2A, 0x32}; /* a graph's node, its attribute's g */
    unsigned char size[VARINT_MAX], *at = end;

    for (int i = levels; i > 1; i--) {
        int count = varint_store(size, (uint64_t)(end - at));
        at -= count;
        memcpy(at, size, (size_t)count);
        *--at = i == 2 ? 0x3A : tag[i % 3];
    }
    return (struct onnx_bytes){at, (size_t)(end - at)};
}

static void nesting_is_bounded(void **state)
{
    enum { LEVELS = 60000, ROOM = LEVELS * 5 };
    struct onnx_fixture *f = *state;
    unsigned char *bytes = malloc(ROOM);

    assert_non_null(bytes);
    read_model(f, nest(bytes + ROOM, ONNX_NESTING_MAX));
    assert_null(
        onnx_model_read(f->diag, f->arena, "t.onnx", nest(bytes + ROOM, ONNX_NESTING_MAX + 1)));
    assert_int_equal(diag_at(f->diag, 0).code, DIAG_ONNX_LIMIT);
    assert_non_null(strstr(diag_at(f->diag, 0).text, "node[0].attribute[0].g.node[0]"));
    assert_non_null(strstr(diag_at(f->diag, 0).text, "nested deeper than 64 levels"));
    diag_clear(f->diag);
    assert_null(onnx_model_read(f->diag, f->arena, "t.onnx", nest(bytes + ROOM, LEVELS)));
    assert_int_equal(diag_at(f->diag, 0).code, DIAG_ONNX_LIMIT);
    free(bytes);
}

static void memory_is_bounded(void **state)
{
    const size_t nodes = 16 << 20; /* too many where a pointer has 4 bytes, too */
    struct onnx_fixture *f = *state;
    static const unsigned char head[] = {0x3A, 0x80, 0x80, 0x80, 0x10}; /* of a graph */
    unsigned char *bytes = malloc(sizeof head + 2 * nodes);

    assert_non_null(bytes);
    memcpy(bytes, head, sizeof head);
    for (size_t i = 0; i < nodes; i++) { /* empty ones */
        bytes[sizeof head + 2 * i] = 0x0A;
        bytes[sizeof head + 2 * i + 1] = 0;
    }
    assert_null(onnx_model_read(f->diag, f->arena, "t.onnx",
                                (struct onnx_bytes){bytes, sizeof head + 2 * nodes}));
    assert_int_equal(diag_at(f->diag, 0).code, DIAG_ONNX_LIMIT);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        onnx_test(a_small_model_is_read),
        onnx_test(what_is_absent_is_told_from_what_is_empty),
        onnx_test(unknown_fields_are_skipped),
        onnx_test(numbers_are_read_packed_and_unpacked),
        onnx_test(floats_of_an_attribute_are_read_packed_and_unpacked),
        onnx_test(data_are_views_of_the_file),
        onnx_test(negative_numbers_and_those_too_wide_are_cut_as_protocol_buffers_do),
        onnx_test(a_message_that_comes_twice_is_merged_and_a_number_replaced),
        onnx_test(of_alternatives_the_last_counts),
        onnx_test(one_type_takes_the_place_of_another),
        onnx_test(broken_bytes_are_told_with_their_place),
        onnx_test(other_protocol_buffers_are_refused),
        onnx_test(impossible_tensors_are_refused),
        onnx_test(a_tensor_in_an_attribute_is_told_by_its_path),
        onnx_test(tensors_without_data_and_of_unknown_types_are_read),
        onnx_test(nesting_is_bounded),
        onnx_test(memory_is_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
