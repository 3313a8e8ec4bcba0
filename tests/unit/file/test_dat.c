/* test_dat.c - tensor files: golden bytes, every form, and headers that lie */
#include "file/dat.h"
#include "file/data_file.h"
#include "support/tensor_files.h"

#include "file/file.h"
#include "tensor/bytes.h"

#include "unit/base/scratch.h"

enum { LENGTH = 4, RANK = 8, EXTENTS = 12, BITS = 44, TYPE = 48, VENDOR = 50, PARAMETER = 52 };

/* A file being made up: [2,3] floats of 32 bits with the values 1 to 6, unless changed. */
struct file {
    unsigned char bytes[512];
    size_t size;
};

static struct file floats(void)
{
    struct file f = {{0x4E, 0xEF, 1, 0, 24, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 3}, 128 + 24};

    f.bytes[BITS] = 32;
    for (int i = 0; i < 6; i++) {
        float value = (float)(i + 1);
        uint32_t bits;
        memcpy(&bits, &value, 4);
        bytes_store(f.bytes + 128 + (ptrdiff_t)4 * i, 4, bits);
    }
    return f;
}

/* One dimension of `count` items of a type, their bytes to be filled in. */
static struct file row(unsigned type, int bits, int count)
{
    struct file f = {{0x4E, 0xEF, 1, 0}, 128 + (size_t)(count * bits + 7) / 8};

    bytes_store(f.bytes + LENGTH, 4, f.size - 128);
    f.bytes[RANK] = 1;
    f.bytes[EXTENTS] = (unsigned char)count;
    f.bytes[BITS] = (unsigned char)bits;
    bytes_store(f.bytes + TYPE, 2, type);
    return f;
}

/* The provisional header of the same [2,3] floats. */
static struct file provisional(void)
{
    struct file f = {{0x4E, 0xEF, 1, 0, 24, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 32},
                     24 + 24};
    struct file modern = floats();

    memcpy(f.bytes + 24, modern.bytes + 128, 24);
    return f;
}

static bool read_file(struct scratch *s, const struct file *f, struct tensor *t,
                      struct dat_info *info)
{
    return dat_read(s->diag, scratch_put(s, "t.dat", f->bytes, f->size), t, info);
}

static void expect_fault(struct scratch *s, const struct file *f, enum diag_code code,
                         const char *part)
{
    struct tensor t;

    assert_false(read_file(s, f, &t, NULL));
    assert_string_equal(diag_at(s->diag, 0).file, s->path);
    scratch_expect(s, code, part);
}

static void expect_one_to_six(const struct tensor *t)
{
    assert_int_equal(t->dtype, DTYPE_SCALAR);
    assert_string_equal(SHAPE_TEXT(&t->shape), "[2,3]");
    for (int i = 0; i < 6; i++)
        assert_true(tensor_item(t, i) == i + 1);
}

static void floats_are_used_where_they_lie(void **state)
{
    struct scratch *s = *state;
    struct file f = floats();
    struct dat_info info;
    struct tensor t;

    assert_true(read_file(s, &f, &t, &info));
    expect_one_to_six(&t);
    if (bytes_are_native())
        assert_ptr_equal((char *)t.data - 128, t.mapping);
    else
        assert_null(t.mapping);
    assert_true(info.format.type == ITEM_FLOAT && info.format.bits == 32 && !info.provisional);
    tensor_clear(&t);
    assert_int_equal(diag_count(s->diag), 0);
}

static void a_written_file_has_the_bytes_of_the_standard(void **state)
{
    struct scratch *s = *state;
    struct file f = floats();
    struct tensor t;

    assert_true(read_file(s, &f, &t, NULL));
    assert_true(data_write(s->diag, scratch_path(s, "out.dat"), &t, NULL));
    tensor_clear(&t);
    scratch_get(s, "out.dat");
    assert_int_equal(s->size, f.size);
    assert_memory_equal(s->bytes, f.bytes, f.size);
    assert_int_equal(scratch_count(s), 2);
}

static void a_pipe_is_read_whole(void **state)
{
    struct scratch *s = *state;
    struct file f = floats();
    struct tensor t;
    char path[32];
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], f.bytes, f.size), f.size);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    assert_true(dat_read(s->diag, path, &t, NULL));
    close(ends[0]);
    expect_one_to_six(&t);
    tensor_clear(&t);
}

static void the_provisional_header_is_told_apart(void **state)
{
    struct scratch *s = *state;
    struct file f = provisional();
    struct dat_info info;
    struct tensor t;

    assert_true(read_file(s, &f, &t, &info));
    expect_one_to_six(&t);
    assert_true(info.provisional);
    tensor_clear(&t);
}

static void provisional_data_of_128_bytes_is_still_provisional(void **state)
{
    struct scratch *s = *state;
    struct file f = provisional();
    struct dat_info info;
    struct tensor t;

    f.bytes[EXTENTS] = 1;
    f.bytes[EXTENTS + 4] = 32;
    f.size = 24 + 128;
    assert_true(read_file(s, &f, &t, &info));
    assert_true(info.provisional && tensor_item(&t, 5) == 6);
    tensor_clear(&t);
}

static void a_provisional_file_tells_its_algorithm(void **state)
{
    static const char algorithm[] = "linear_quantize(min = -1.0, max = 1.0, bits = 8)";
    enum { SIZE = sizeof algorithm - 1 };
    struct scratch *s = *state;
    struct file f = {{0x4E, 0xEF, 1, 0, 20 + SIZE, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 8, SIZE, 0},
                     20 + SIZE + 2};
    struct dat_info info;
    struct tensor t;

    memcpy(f.bytes + 20, algorithm, SIZE);
    f.bytes[20 + SIZE + 1] = 200;
    assert_true(read_file(s, &f, &t, &info));
    assert_string_equal(info.algorithm, algorithm);
    assert_int_equal(info.format.type, ITEM_QUANTIZED_UNSIGNED);
    assert_true(tensor_item(&t, 0) == 0 && tensor_item(&t, 1) == 200);
    tensor_clear(&t);
}

static void a_provisional_header_states_its_own_length(void **state)
{
    enum { ALGORITHM_LENGTH = 22 };
    struct scratch *s = *state;
    struct file f = provisional();

    bytes_store(f.bytes + LENGTH, 4, 25);
    expect_fault(s, &f, DIAG_DATA_LENGTH, "of 48 bytes is shorter than its header");
    bytes_store(f.bytes + LENGTH, 4, 24 + 25);
    bytes_store(f.bytes + ALGORITHM_LENGTH, 2, 25);
    expect_fault(s, &f, DIAG_DATA_LENGTH, "of 48 bytes is shorter than its header");
}

static void four_bytes_too_many_are_an_old_habit(void **state)
{
    struct scratch *s = *state;
    struct file f = floats();
    struct tensor t;

    memmove(f.bytes + 132, f.bytes + 128, 24);
    f.size += 4;
    assert_true(read_file(s, &f, &t, NULL));
    expect_one_to_six(&t);
    tensor_clear(&t);
    scratch_expect(s, DIAG_DATA_LEGACY, "4 bytes more");
}

static void every_type_and_width_survives(void **state)
{
    static const struct {
        unsigned type;
        int bits;
    } cases[] = {{0, 16}, {0, 32}, {0, 64}, {1, 1},  {1, 2},  {1, 3},  {1, 4},  {1, 5},  {1, 6},
                 {1, 7},  {1, 8},  {1, 16}, {1, 24}, {1, 32}, {1, 64}, {2, 4},  {2, 8},  {2, 16},
                 {3, 8},  {3, 16}, {4, 4},  {4, 8},  {4, 16}, {4, 32}, {4, 48}, {4, 64}, {5, 1}};
    struct scratch *s = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct file f = row(cases[i].type, cases[i].bits, 8);
        struct dat_info info;
        struct tensor t;
        for (size_t b = 128; b < f.size; b++)
            f.bytes[b] = (unsigned char)(b * 29 & 0x3F);
        if (cases[i].bits == 64 && cases[i].type == 0)
            memset(f.bytes + 128, 0, f.size - 128); /* only floats survive as floats */
        assert_true(read_file(s, &f, &t, &info));
        assert_int_equal(info.format.type, cases[i].type);
        assert_true(data_write(s->diag, scratch_path(s, "out.dat"), &t, &info.format));
        tensor_clear(&t);
        scratch_get(s, "out.dat");
        assert_int_equal(s->size, f.size);
        assert_memory_equal(s->bytes, f.bytes, f.size);
    }
    assert_int_equal(diag_count(s->diag), 0);
}

static void old_item_codes_are_read_with_a_warning(void **state)
{
    static const unsigned code[][2] = {{0x10, ITEM_QUANTIZED_UNSIGNED},
                                       {0x11, ITEM_QUANTIZED_SIGNED},
                                       {0x100, ITEM_SIGNED},
                                       {0x101, ITEM_BOOL}};
    struct scratch *s = *state;

    for (size_t i = 0; i < sizeof code / sizeof *code; i++) {
        struct file f = row(code[i][0], 8, 1);
        struct dat_info info;
        struct tensor t;
        f.bytes[128] = 0xFF;
        assert_true(read_file(s, &f, &t, &info));
        assert_int_equal(info.format.type, code[i][1]);
        assert_int_equal(info.range, DAT_NO_RANGE);
        tensor_clear(&t);
        scratch_expect(s, DIAG_DATA_LEGACY, "outdated code");
    }
}

static void the_oldest_quantized_items_bring_their_range(void **state)
{
    struct scratch *s = *state;
    struct file f = row(0x11, 8, 1);
    struct dat_info info;
    struct tensor t;

    f.bytes[128] = 0xFF;
    bytes_store(f.bytes + PARAMETER + 4, 4, 0x40000000);
    assert_true(read_file(s, &f, &t, &info));
    assert_int_equal(info.range, DAT_LOGARITHMIC);
    assert_true(info.min == 0.0f && info.max == 2.0f);
    assert_true(tensor_item(&t, 0) == 255);
    tensor_clear(&t);
    scratch_expect(s, DIAG_DATA_LEGACY, "item type 0x11 is an outdated code");
}

static void the_deprecated_sign_is_honoured(void **state)
{
    struct scratch *s = *state;
    struct file f = row(1, 8, 1);
    struct tensor t;

    f.bytes[128] = 0xFE;
    f.bytes[PARAMETER] = 1;
    assert_true(read_file(s, &f, &t, NULL));
    assert_true(tensor_item(&t, 0) == -2);
    tensor_clear(&t);
    assert_int_equal(diag_count(s->diag), 0);
}

static void an_integer_beyond_int64_has_no_sign(void **state)
{
    struct scratch *s = *state;
    struct file f = row(1, 64, 3);
    struct tensor t;

    assert_true(read_file(s, &f, &t, NULL));
    assert_false(t.is_unsigned);
    tensor_clear(&t);
    memset(f.bytes + 128 + 8, 0xFF, 8);
    assert_true(read_file(s, &f, &t, NULL));
    assert_true(t.is_unsigned && tensor_item(&t, 1) >= 0x1p64);
    tensor_clear(&t);
    assert_int_equal(diag_count(s->diag), 0);
}

static void scalars_and_empty_tensors_have_files(void **state)
{
    struct scratch *s = *state;
    struct file f = row(0, 32, 1);
    struct tensor t;

    f.bytes[RANK] = 0;
    f.bytes[EXTENTS] = 0;
    assert_true(read_file(s, &f, &t, NULL));
    assert_int_equal(t.shape.rank, 0);
    tensor_clear(&t);
    f = row(0, 32, 0);
    assert_true(read_file(s, &f, &t, NULL));
    assert_true(shape_volume(&t.shape) == 0);
    assert_true(data_write(s->diag, scratch_path(s, "out.dat"), &t, NULL));
    tensor_clear(&t);
    scratch_get(s, "out.dat");
    assert_memory_equal(s->bytes, f.bytes, f.size);
}

static void a_file_cut_anywhere_is_an_error(void **state)
{
    struct scratch *s = *state;
    struct file f = floats(), p = provisional();
    struct tensor t;

    while (f.size-- > 0) {
        assert_false(read_file(s, &f, &t, NULL));
        scratch_expect(s, diag_at(s->diag, 0).code, f.size ? "tensor file" : "it is empty");
    }
    while (p.size-- > 0) {
        assert_false(read_file(s, &p, &t, NULL));
        scratch_expect(s, diag_at(s->diag, 0).code, "tensor file");
    }
}

static void a_file_too_long_is_an_error(void **state)
{
    struct scratch *s = *state;
    struct file f = floats();

    f.size++;
    expect_fault(s, &f, DIAG_DATA_LENGTH, "has 153 bytes, but shape [2,3] with 32 bits");
}

static void each_lying_field_is_named(void **state)
{
    static const struct {
        size_t at;
        int count;
        uint32_t value;
        enum diag_code code;
        const char *part;
    } lies[] = {
        {0, 1, 0x4F, DIAG_DATA_HEADER, "does not start with the bytes 4E EF"},
        {2, 1, 2, DIAG_DATA_HEADER, "version 2.0, expected 1.0"},
        {3, 1, 1, DIAG_DATA_HEADER, "version 1.1, expected 1.0"},
        {LENGTH, 4, 25, DIAG_DATA_LENGTH, "announces 25 bytes of data, but shape [2,3]"},
        {LENGTH, 4, UINT32_MAX, DIAG_DATA_LENGTH, "announces 4294967295 bytes"},
        {RANK, 4, 9, DIAG_DATA_HEADER, "rank 9, expected at most 8"},
        {RANK, 4, UINT32_MAX, DIAG_DATA_HEADER, "rank 4294967295"},
        {EXTENTS, 4, 3, DIAG_DATA_LENGTH, "shape [3,3]"},
        {EXTENTS, 4, 0, DIAG_DATA_LENGTH, "shape [0,3]"},
        {BITS, 4, 24, DIAG_DATA_HEADER, "float of 24 bits, expected 16, 32 or 64"},
        {BITS, 4, 0, DIAG_DATA_HEADER, "float of 0 bits"},
        {BITS, 4, 65, DIAG_DATA_HEADER, "float of 65 bits"},
        {BITS, 4, 0x10020, DIAG_DATA_HEADER, "of 65568 bits"},
        {BITS, 4, 64, DIAG_DATA_LENGTH, "64 bits an item takes 48"},
        {TYPE, 2, 6, DIAG_DATA_HEADER, "unknown item type 6"},
        {VENDOR, 2, 0x5452, DIAG_NOT_SUPPORTED, "of vendor 0x5452"},
    };
    struct scratch *s = *state;

    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        struct file f = floats();
        bytes_store(f.bytes + lies[i].at, lies[i].count, lies[i].value);
        expect_fault(s, &f, lies[i].code, lies[i].part);
    }
}

static void extents_cannot_overflow_into_a_small_product(void **state)
{
    struct scratch *s = *state;
    struct file f = floats();

    /* 2^31 * 2^31 * (2^32 - 4) * 6 is 0 modulo 2^64. */
    f.bytes[RANK] = 4;
    bytes_store(f.bytes + EXTENTS, 4, 0x80000000);
    bytes_store(f.bytes + EXTENTS + 4, 4, 0x80000000);
    bytes_store(f.bytes + EXTENTS + 8, 4, 0xFFFFFFFC);
    bytes_store(f.bytes + EXTENTS + 12, 4, 6);
    expect_fault(s, &f, DIAG_DATA_CLAIM, "claims shape [2147483648,");
}

static void undefined_widths_are_not_supported(void **state)
{
    struct scratch *s = *state;
    struct file f = row(1, 12, 2);

    expect_fault(s, &f, DIAG_NOT_SUPPORTED, "items of 12 bits");
}

static void a_value_too_wide_leaves_no_file(void **state)
{
    struct scratch *s = *state;
    int64_t value = 300;
    struct tensor t = {.shape = {1, {1}}, .dtype = DTYPE_INTEGER, .data = &value};
    struct item_format narrow = {ITEM_UNSIGNED, 8, false};

    assert_false(data_write(s->diag, scratch_path(s, "out.dat"), &t, &narrow));
    scratch_expect(s, DIAG_CANNOT_WRITE, "item 0 does not fit unsigned integer of 8 bits");
    assert_int_equal(scratch_count(s), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(floats_are_used_where_they_lie),
        scratch_test(a_written_file_has_the_bytes_of_the_standard),
        scratch_test(a_pipe_is_read_whole),
        scratch_test(the_provisional_header_is_told_apart),
        scratch_test(provisional_data_of_128_bytes_is_still_provisional),
        scratch_test(a_provisional_file_tells_its_algorithm),
        scratch_test(a_provisional_header_states_its_own_length),
        scratch_test(four_bytes_too_many_are_an_old_habit),
        scratch_test(every_type_and_width_survives),
        scratch_test(old_item_codes_are_read_with_a_warning),
        scratch_test(the_oldest_quantized_items_bring_their_range),
        scratch_test(the_deprecated_sign_is_honoured),
        scratch_test(an_integer_beyond_int64_has_no_sign),
        scratch_test(scalars_and_empty_tensors_have_files),
        scratch_test(a_file_cut_anywhere_is_an_error),
        scratch_test(a_file_too_long_is_an_error),
        scratch_test(each_lying_field_is_named),
        scratch_test(extents_cannot_overflow_into_a_small_product),
        scratch_test(undefined_widths_are_not_supported),
        scratch_test(a_value_too_wide_leaves_no_file),
    };
    return cmocka_run_group_tests_name("dat", tests, NULL, NULL);
}
