/* test_npy.c - NumPy arrays: golden bytes, both orders of everything, and headers that lie */
#include "file/data_file.h"
#include "file/npy.h"
#include "support/tensor_files.h"

#include "base/text.h"
#include "file/dat.h"
#include "tensor/bytes.h"

#include "unit/base/scratch.h"

/* A file of a version with this dictionary, unpadded, and these data. */
static const char *put(struct scratch *s, int version, const char *dictionary, const void *data,
                       size_t size)
{
    struct text file = {0};
    unsigned char length[4];
    int length_size = version == 1 ? 2 : 4;

    bytes_store(length, length_size, strlen(dictionary));
    text_add_bytes(&file, "\x93NUMPY", 6);
    text_add_bytes(&file, version == 1 ? "\1\0" : version == 2 ? "\2\0" : "\3\0", 2);
    text_add_bytes(&file, (char *)length, (size_t)length_size);
    text_add(&file, "%s", dictionary);
    text_add_bytes(&file, data, size);
    scratch_put(s, "t.npy", file.data, file.size);
    text_free(&file);
    return s->path;
}

static void expect_fault(struct scratch *s, const char *dictionary, enum diag_code code,
                         const char *part)
{
    struct tensor t;

    assert_false(npy_read(s->diag, put(s, 1, dictionary, "\0\0\0", 4), &t, NULL));
    scratch_expect(s, code, part);
}

static void a_written_file_has_the_bytes_numpy_writes(void **state)
{
    static const char header[] =
        "\x93NUMPY\1\0\x76\0{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }"
        "                                                          \n"
        "\0\0\x80\x3F\0\0\0\xC0";
    struct scratch *s = *state;
    float items[] = {1, -2};
    struct tensor t = {.shape = {2, {1, 2}}, .dtype = DTYPE_SCALAR, .data = items};

    assert_int_equal(sizeof header - 1, 136);
    assert_true(data_write(s->diag, scratch_path(s, "t.npy"), &t, NULL));
    scratch_get(s, "t.npy");
    assert_int_equal(s->size, 136);
    assert_memory_equal(s->bytes, header, 136);
}

static void floats_are_used_where_they_lie(void **state)
{
    struct scratch *s = *state;
    float items[] = {1, -2, 3};
    struct tensor t = {.shape = {1, {3}}, .dtype = DTYPE_SCALAR, .data = items}, back;

    assert_true(data_write(s->diag, scratch_path(s, "t.npy"), &t, NULL));
    assert_true(npy_read(s->diag, s->path, &back, NULL));
    if (bytes_are_native())
        assert_ptr_equal((char *)back.mapping + 128, back.data);
    else
        assert_null(back.mapping);
    assert_memory_equal(back.data, items, sizeof items);
    tensor_clear(&back);
}

static void all_versions_and_spellings_are_read(void **state)
{
    static const char *const dictionary[] = {
        "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }    \n",
        "{\"shape\":(2,3),\"descr\":\"<u1\",\"fortran_order\":False}",
        " { 'fortran_order' : False , 'shape' : ( 2 , 3 , ) , 'descr' : '>u1' , } ",
    };
    struct scratch *s = *state;
    struct tensor t;

    for (int i = 0; i < 3; i++) {
        assert_true(npy_read(s->diag, put(s, i + 1, dictionary[i], "\1\2\3\4\5\6", 6), &t, NULL));
        assert_string_equal(SHAPE_TEXT(&t.shape), "[2,3]");
        assert_true(t.dtype == DTYPE_INTEGER && tensor_item(&t, 4) == 5);
        tensor_clear(&t);
    }
}

static void every_type_and_byte_order_is_read(void **state)
{
    static const struct {
        const char *descr, *bytes;
        size_t size;
        double value;
    } cases[] = {
        {"<f2", "\x00\x3C", 2, 1},
        {">f2", "\xC0\x00", 2, -2},
        {"<f4", "\x00\x00\xC0\x3F", 4, 1.5},
        {">f4", "\x3F\xC0\x00\x00", 4, 1.5},
        {"<f8", "\0\0\0\0\0\0\xF8\x3F", 8, 1.5},
        {">f8", "\x3F\xF8\0\0\0\0\0\0", 8, 1.5},
        {"|i1", "\xFE", 1, -2},
        {"<i2", "\xFE\xFF", 2, -2},
        {">i2", "\xFF\xFE", 2, -2},
        {">i4", "\x80\0\0\0", 4, -2147483648.0},
        {"<i8", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 8, -1},
        {"|u1", "\xFE", 1, 254},
        {">u2", "\x01\x02", 2, 258},
        {"<u4", "\xFF\xFF\xFF\xFF", 4, 4294967295.0},
        {">u8", "\0\0\0\0\0\0\x01\0", 8, 256},
        {"|b1", "\x02", 1, 1},
    };
    struct scratch *s = *state;
    char dictionary[80];
    struct tensor t;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(dictionary, sizeof dictionary,
                 "{'descr': '%s', 'fortran_order': False, 'shape': (), }", cases[i].descr);
        assert_true(
            npy_read(s->diag, put(s, 1, dictionary, cases[i].bytes, cases[i].size), &t, NULL));
        assert_true(t.shape.rank == 0 && tensor_item(&t, 0) == cases[i].value);
        tensor_clear(&t);
    }
}

static void column_major_order_becomes_row_major(void **state)
{
    static const char *const orders[] = {"False", "True"};
    struct scratch *s = *state;
    unsigned char data[24];
    char dictionary[80];
    struct tensor t;

    for (int i = 0; i < 24; i++)
        data[i] = (unsigned char)i;
    for (int fortran = 0; fortran < 2; fortran++) {
        snprintf(dictionary, sizeof dictionary,
                 "{'descr': '|i1', 'fortran_order': %s, 'shape': (2, 3, 4), }", orders[fortran]);
        assert_true(npy_read(s->diag, put(s, 1, dictionary, data, 24), &t, NULL));
        assert_string_equal(SHAPE_TEXT(&t.shape), "[2,3,4]");
        for (int i = 0; i < 24; i++) {
            int a = i / 12, b = i / 4 % 3, c = i % 4;
            assert_true(tensor_item(&t, i) == (fortran ? a + 2 * b + 6 * c : i));
        }
        tensor_clear(&t);
    }
}

static void malformed_headers_are_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "{",
        "{}",
        "[]",
        "{'descr': '|i1', 'fortran_order': False, 'shape': (4,)",
        "{'descr': '|i1', 'fortran_order': False, 'shape': (4,)} x",
        "{'descr': '|i1' 'fortran_order': False, 'shape': (4,)}",
        "{'descr': '|i1', 'descr': '|i1', 'fortran_order': False, 'shape': (4,)}",
        "{'descr': '|i1', 'fortran_order': 0, 'shape': (4,)}",
        "{'descr': '|i1', 'fortran_order': False, 'shape': (4)}",
        "{'descr': '|i1', 'fortran_order': False, 'shape': 4}",
        "{'descr': '|i1', 'fortran_order': False, 'shape': (4,",
        "{'descr': '|i1', 'fortran_order': False, 'shape': (-4,)}",
        "{'descr': '|i1', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '|i1', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,4)}",
        "{'descr': '|i1', 'fortran_order': False}",
        "{'descr': '|i1', 'fortran_order': False, 'shape': (4,), 'more': 1}",
        "{'descr': i1, 'fortran_order': False, 'shape': (4,)}",
        "{'descr",
    };
    struct scratch *s = *state;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect_fault(s, bad[i], DIAG_DATA_HEADER, "malformed .npy file");
}

static void a_claim_of_far_more_than_there_is_is_refused(void **state)
{
    struct scratch *s = *state;

    expect_fault(s, "{'descr': '|i1', 'fortran_order': False, 'shape': (4294967296,4294967296)}",
                 DIAG_DATA_CLAIM, "claims shape");
    expect_fault(s, "{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776,)}",
                 DIAG_DATA_CLAIM, "claims 8796093022208 bytes");
}

static void other_types_are_not_supported(void **state)
{
    static const char *const bad[] = {"<c8", "|O", "<U4", "|S4", "<f3", "<f16",
                                      "f4",  "<i", "",    "|f4", "|b2", "=f4"};
    struct scratch *s = *state;
    char dictionary[80];

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(dictionary, sizeof dictionary,
                 "{'descr': '%s', 'fortran_order': False, 'shape': (4,), }", bad[i]);
        expect_fault(s, dictionary, DIAG_NOT_SUPPORTED, "are not supported");
    }
    expect_fault(s, "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,), }",
                 DIAG_NOT_SUPPORTED, "records");
}

static void data_of_another_size_are_refused(void **state)
{
    struct scratch *s = *state;

    expect_fault(s, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", DIAG_DATA_LENGTH,
                 "4 bytes of data, but shape [2] with 32 bits an item takes 8");
}

static void a_file_cut_anywhere_is_an_error(void **state)
{
    struct scratch *s = *state;
    struct tensor t;

    put(s, 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }\n", "\1\2\3\4\5\6", 6);
    scratch_get(s, "t.npy");
    for (size_t size = s->size; size-- > 0;) {
        scratch_put(s, "t.npy", s->bytes, size);
        assert_false(npy_read(s->diag, s->path, &t, NULL));
        scratch_expect(s, diag_at(s->diag, 0).code, ".npy file");
    }
}

static void other_versions_are_refused(void **state)
{
    struct scratch *s = *state;
    struct tensor t;

    assert_false(npy_read(s->diag, scratch_put(s, "t.npy", "\x93NUMPY\4\0\0\0\0\0", 12), &t, NULL));
    scratch_expect(s, DIAG_DATA_HEADER, "version 4, expected 1 to 3");
}

/* A .dat file of 8 items, through .npy, is the same again. */
static void expect_round_trip(struct scratch *s, unsigned type, int bits)
{
    unsigned char dat[128 + 64] = {0x4E, 0xEF, 1};
    size_t size = 128 + (size_t)bits;
    struct item_format format;
    struct dat_info info;
    struct tensor t;

    bytes_store(dat + 4, 4, (uint64_t)bits);
    dat[8] = 1;
    dat[12] = 8;
    dat[44] = (unsigned char)bits;
    dat[48] = (unsigned char)type;
    for (int i = 0; i < bits; i++)
        dat[128 + i] = (unsigned char)(type == ITEM_BOOL ? i % 2 : i * 7 % 64);
    assert_true(dat_read(s->diag, scratch_put(s, "a.dat", dat, size), &t, &info));
    assert_true(data_write(s->diag, scratch_path(s, "t.npy"), &t, &info.format));
    tensor_clear(&t);
    assert_true(npy_read(s->diag, s->path, &t, &format));
    assert_true(data_write(s->diag, scratch_path(s, "b.dat"), &t, &format));
    tensor_clear(&t);
    scratch_get(s, "b.dat");
    assert_int_equal(s->size, size);
    assert_memory_equal(s->bytes, dat, size);
}

static void tensor_files_survive_as_arrays(void **state)
{
    struct scratch *s = *state;

    expect_round_trip(s, ITEM_FLOAT, 16);
    expect_round_trip(s, ITEM_FLOAT, 32);
    expect_round_trip(s, ITEM_BOOL, 8);
    for (int bits = 8; bits <= 64; bits *= 2) {
        expect_round_trip(s, ITEM_SIGNED, bits);
        expect_round_trip(s, ITEM_UNSIGNED, bits);
    }
    assert_int_equal(diag_count(s->diag), 0);
}

static void widths_numpy_lacks_are_not_written(void **state)
{
    struct scratch *s = *state;
    struct item_format format = {ITEM_SIGNED, 24, false};
    int64_t item = 1;
    struct tensor t = {.shape = {1, {1}}, .dtype = DTYPE_INTEGER, .data = &item};

    assert_false(data_write(s->diag, scratch_path(s, "t.npy"), &t, &format));
    scratch_expect(s, DIAG_CANNOT_WRITE, "NumPy has no signed integer of 24 bits");
    assert_int_equal(scratch_count(s), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(a_written_file_has_the_bytes_numpy_writes),
        scratch_test(floats_are_used_where_they_lie),
        scratch_test(all_versions_and_spellings_are_read),
        scratch_test(every_type_and_byte_order_is_read),
        scratch_test(column_major_order_becomes_row_major),
        scratch_test(malformed_headers_are_refused),
        scratch_test(a_claim_of_far_more_than_there_is_is_refused),
        scratch_test(other_types_are_not_supported),
        scratch_test(data_of_another_size_are_refused),
        scratch_test(a_file_cut_anywhere_is_an_error),
        scratch_test(other_versions_are_refused),
        scratch_test(tensor_files_survive_as_arrays),
        scratch_test(widths_numpy_lacks_are_not_written),
    };
    return cmocka_run_group_tests_name("npy", tests, NULL, NULL);
}
