/* test_data.c - the items of a tensor, of every type and from every field */
#include "convert/proto/onnx_data.h"
#include "tensor/bytes.h"
#include "tensor/tensor.h"
#include "unit/onnx/onnx_fixture.h"

#include <math.h>

enum { ITEMS = 3 };

struct sample {
    struct onnx_bytes file; /* a tensor of three items */
    enum dtype dtype;
    double item[ITEMS];
};

static void expect_items(struct onnx_fixture *f, const struct sample *s)
{
    const struct onnx_tensor *tensor = read_tensor(f, s->file);
    struct tensor items;

    assert_true(onnx_tensor_items(f->diag, "t.pb", tensor, NULL, &items));
    assert_string_equal(dtype_name(items.dtype), dtype_name(s->dtype));
    assert_int_equal(items.shape.rank, 1);
    assert_int_equal(items.shape.extent[0], ITEMS);
    for (int i = 0; i < ITEMS; i++)
        if (tensor_item(&items, i) != s->item[i])
            fail_msg("item %d of %s is %g, expected %g", i, onnx_type_name(tensor->data_type),
                     tensor_item(&items, i), s->item[i]);
    tensor_clear(&items);
}

static void raw_data_of_every_type_are_decoded(void **state)
{
    const struct sample samples[] = {
        {BYTES("\x08\x03\x10\x01\x4A\x0C\0\0\x80\x3F\0\0\0\xC0\0\0\0\0"), DTYPE_SCALAR, {1, -2, 0}},
        {BYTES("\x08\x03\x10\x02\x4A\x03\x01\xFF\x80"), DTYPE_INTEGER, {1, 255, 128}},
        {BYTES("\x08\x03\x10\x03\x4A\x03\x01\xFF\x80"), DTYPE_INTEGER, {1, -1, -128}},
        {BYTES("\x08\x03\x10\x04\x4A\x06\1\0\xFF\xFF\0\x80"), DTYPE_INTEGER, {1, 65535, 32768}},
        {BYTES("\x08\x03\x10\x05\x4A\x06\1\0\xFF\xFF\0\x80"), DTYPE_INTEGER, {1, -1, -32768}},
        {BYTES("\x08\x03\x10\x06\x4A\x0C\1\0\0\0\xFF\xFF\xFF\xFF\0\0\0\x80"),
         DTYPE_INTEGER,
         {1, -1, -2147483648.0}},
        {BYTES("\x08\x03\x10\x07\x4A\x18\1\0\0\0\0\0\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"
               "\0\0\0\0\1\0\0\0"),
         DTYPE_INTEGER,
         {1, -1, 4294967296.0}},
        {BYTES("\x08\x03\x10\x09\x4A\x03\1\0\1"), DTYPE_LOGICAL, {1, 0, 1}},
        {BYTES("\x08\x03\x10\x0A\x4A\x06\0\x3C\0\xC0\1\0"), DTYPE_SCALAR, {1, -2, 0x1p-24}},
        {BYTES("\x08\x03\x10\x0B\x4A\x18\0\0\0\0\0\0\xF0\x3F\0\0\0\0\0\0\0\xC0\0\0\0\0\0\0\0\0"),
         DTYPE_SCALAR,
         {1, -2, 0}},
        {BYTES("\x08\x03\x10\x0C\x4A\x0C\1\0\0\0\xFF\xFF\xFF\xFF\0\0\0\x80"),
         DTYPE_INTEGER,
         {1, 4294967295.0, 2147483648.0}},
        {BYTES("\x08\x03\x10\x0D\x4A\x18\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0"),
         DTYPE_INTEGER,
         {1, 2, 4294967296.0}},
        {BYTES("\x08\x03\x10\x10\x4A\x06\x80\x3F\0\xC0\x80\x7F"), DTYPE_SCALAR, {1, -2, HUGE_VAL}},
        {BYTES("\x08\x03\x10\x0D\x4A\x18\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x80"
               "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"),
         DTYPE_INTEGER,
         {1, -0x1p63, -1}},
        {BYTES("\x08\x03\x10\x15\x4A\x02\xF1\x08"), DTYPE_INTEGER, {1, 15, 8}},
        {BYTES("\x08\x03\x10\x16\x4A\x02\xF1\x08"), DTYPE_INTEGER, {1, -1, -8}},
        {BYTES("\x08\x03\x10\x19\x4A\x01\x2D"), DTYPE_INTEGER, {1, 3, 2}},
        {BYTES("\x08\x03\x10\x1A\x4A\x01\x2D"), DTYPE_INTEGER, {1, -1, -2}},
    };
    struct onnx_fixture *f = *state;

    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        expect_items(f, &samples[i]);
}

static void typed_data_of_every_type_are_decoded(void **state)
{
    const struct sample samples[] = {
        {BYTES("\x08\x03\x10\x01\x22\x0C\0\0\x80\x3F\0\0\0\xC0\0\0\0\0"), DTYPE_SCALAR, {1, -2, 0}},
        {BYTES("\x08\x03\x10\x02\x2A\x05\x01\xFF\x01\x80\x01"), DTYPE_INTEGER, {1, 255, 128}},
        {BYTES("\x08\x03\x10\x03\x2A\x0D\x01\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01\x80\x01"),
         DTYPE_INTEGER,
         {1, -1, -128}},
        {BYTES("\x08\x03\x10\x09\x28\x01\x28\x00\x28\x01"), DTYPE_LOGICAL, {1, 0, 1}},
        {BYTES("\x08\x03\x10\x0A\x2A\x07\x80\x78\x80\x80\x03\x80\x08"),
         DTYPE_SCALAR,
         {1, -2, 0x1p-14}},
        {BYTES("\x08\x03\x10\x07\x3A\x0C\x01\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01\x05"),
         DTYPE_INTEGER,
         {1, -1, 5}},
        {BYTES("\x08\x03\x10\x0B\x52\x18\0\0\0\0\0\0\xF0\x3F\0\0\0\0\0\0\0\xC0\0\0\0\0\0\0\0\0"),
         DTYPE_SCALAR,
         {1, -2, 0}},
        {BYTES("\x08\x03\x10\x0C\x5A\x07\x01\xFF\xFF\xFF\xFF\x0F\x05"),
         DTYPE_INTEGER,
         {1, 4294967295.0, 5}},
        {BYTES("\x08\x03\x10\x10\x2A\x08\x80\x7F\x80\x80\x03\x80\xFF\x01"),
         DTYPE_SCALAR,
         {1, -2, HUGE_VAL}},
        {BYTES("\x08\x03\x10\x16\x2A\x03\xF1\x01\x08"), DTYPE_INTEGER, {1, -1, -8}},
    };
    struct onnx_fixture *f = *state;

    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        expect_items(f, &samples[i]);
}

static void bytes_are_those_that_raw_data_would_have(void **state)
{
    struct onnx_fixture *f = *state;
    const struct onnx_tensor *raw = read_tensor(f, BYTES("\x08\x02\x10\x04\x4A\x04\1\2\3\4"));
    const struct onnx_tensor *varints =
        read_tensor(f, BYTES("\x08\x02\x10\x04\x2A\x04\x81\x04\x83\x08"));
    const struct onnx_tensor *floats = read_tensor(f, BYTES("\x10\x01\x22\x04\1\2\3\4"));
    const struct onnx_tensor *nibbles =
        read_tensor(f, BYTES("\x08\x03\x10\x15\x2A\x03\xF1\x01\x08"));
    struct onnx_bytes bytes = onnx_tensor_bytes(f->arena, raw);

    assert_ptr_equal(bytes.data, raw->raw_data.data);
    bytes = onnx_tensor_bytes(f->arena, varints);
    assert_int_equal(bytes.size, 4);
    assert_memory_equal(bytes.data, "\1\2\3\4", 4);
    bytes = onnx_tensor_bytes(f->arena, floats);
    assert_ptr_equal(bytes.data, floats->float_data.data);
    assert_int_equal(bytes.size, 4);
    bytes = onnx_tensor_bytes(f->arena, nibbles);
    assert_int_equal(bytes.size, 2);
    assert_memory_equal(bytes.data, "\xF1\x08", 2);
    assert_null(onnx_tensor_bytes(f->arena, read_tensor(f, BYTES("\x08\x02\x10\x04"))).data);
    assert_null(onnx_tensor_bytes(f->arena, read_tensor(f, BYTES("\x10\x08\x32\x01x"))).data);
}

static void floats_that_are_aligned_stay_where_they_are(void **state)
{
    const int64_t extent = 2;
    unsigned char bytes[2 * sizeof(float) + 1];
    struct onnx_fixture *f = *state;
    struct onnx_tensor *tensor = onnx_tensor_new(f->arena, "t", ONNX_FLOAT, &extent, 1);
    float *item = arena_array_of(f->arena, float, 2);
    struct tensor items;

    bytes_store((unsigned char *)item, 4, 0x3F800000);
    bytes_store((unsigned char *)item + 4, 4, 0xC0000000);
    onnx_tensor_raw(tensor, item, 2 * sizeof(float));
    assert_true(onnx_tensor_items(f->diag, "t.pb", tensor, NULL, &items));
    assert_true(((const float *)items.data)[1] == -2.0F);
    assert_true(items.data == item || item[0] != 1.0F); /* not on a big-endian machine */
    tensor_clear(&items);

    unsigned char *odd = (uintptr_t)bytes % 2 ? bytes : bytes + 1;
    memcpy(odd, item, 2 * sizeof(float));
    assert_true(onnx_tensor_items(f->diag, "t.pb", tensor,
                                  &(struct onnx_bytes){odd, 2 * sizeof(float)}, &items));
    assert_true(items.data != odd && ((const float *)items.data)[1] == -2.0F);
    tensor_clear(&items);
}

static void tensors_without_items_need_no_data(void **state)
{
    struct onnx_fixture *f = *state;
    struct tensor items;

    assert_true(onnx_tensor_items(f->diag, "t.pb", read_tensor(f, BYTES("\x08\x00\x10\x07")), NULL,
                                  &items));
    assert_int_equal(items.shape.extent[0], 0);
    assert_int_equal(items.dtype, DTYPE_INTEGER);
    tensor_clear(&items);
}

static void expect_refused(struct onnx_fixture *f, struct onnx_bytes file, enum diag_code code,
                           const char *text)
{
    struct tensor items;

    assert_false(onnx_tensor_items(f->diag, "t.pb", read_tensor(f, file), NULL, &items));
    onnx_expect(f, code, text);
}

static void what_has_no_place_in_our_tensors_is_refused(void **state)
{
    struct onnx_fixture *f = *state;

    expect_refused(f, BYTES("\x10\x08\x32\x01x\x42\x01w"), DIAG_NOT_SUPPORTED,
                   "tensor 'w' has items of type 'STRING', which is not supported");
    expect_refused(f, BYTES("\x10\x0E\x4A\x08\0\0\0\0\0\0\0\0"), DIAG_NOT_SUPPORTED,
                   "tensor '' has items of type 'COMPLEX64', which is not supported");
    expect_refused(f, BYTES("\x10\x63"), DIAG_NOT_SUPPORTED,
                   "tensor '' has items of type '?', which is not supported");
    expect_refused(f, BYTES("\x10\x01\x1A\x02\x08\x01"), DIAG_NOT_SUPPORTED,
                   "tensor '' is in a segment of type 'FLOAT', which is not supported");
    expect_refused(f, BYTES("\x0A\x09\1\1\1\1\1\1\1\1\1\x10\x02\x4A\x01\5"), DIAG_NOT_SUPPORTED,
                   "tensor '' has 9 dimensions, expected at most 8");
    expect_refused(f, BYTES("\x08\x02\x10\x01"), DIAG_ONNX_TENSOR,
                   "tensor '' of shape [2] has no items: the file has no data of it");
}

static void external_data_must_have_the_length_of_the_items(void **state)
{
    struct onnx_fixture *f = *state;
    const struct onnx_tensor *tensor = read_tensor(f, BYTES("\x08\x03\x10\x02\x70\x01"));
    struct tensor items;

    assert_true(onnx_tensor_items(f->diag, "w.bin", tensor, &BYTES("\1\2\3"), &items));
    assert_true(tensor_item(&items, 2) == 3);
    tensor_clear(&items);
    assert_false(onnx_tensor_items(f->diag, "w.bin", tensor, &BYTES("\1\2"), &items));
    onnx_expect(f, DIAG_ONNX_TENSOR, "tensor '' has 2 bytes of data, expected 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        onnx_test(raw_data_of_every_type_are_decoded),
        onnx_test(typed_data_of_every_type_are_decoded),
        onnx_test(bytes_are_those_that_raw_data_would_have),
        onnx_test(floats_that_are_aligned_stay_where_they_are),
        onnx_test(tensors_without_items_need_no_data),
        onnx_test(what_has_no_place_in_our_tensors_is_refused),
        onnx_test(external_data_must_have_the_length_of_the_items),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
