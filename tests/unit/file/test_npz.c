/* test_npz.c - arrays by name, stored and deflated, and archives of arrays that lie */
#include "file/npz.h"

#include "file/container.h"
#include "file/data_file.h"
#include "support/tensor_files.h"

#include "unit/file/archive.h"

static float items[] = {1, -2, 3};
static int64_t integers[] = {7};
static const struct tensor floats = {.shape = {1, {3}}, .dtype = DTYPE_SCALAR, .data = items};
static const struct tensor one = {.shape = {0, {0}}, .dtype = DTYPE_INTEGER, .data = integers};
static const struct npz_array arrays[] = {{"x", &floats}, {"n", &one}};

/* "x.npz" in the folder, or an array in it. */
static void expect_array(struct scratch *s, const char *path, const struct tensor *expected)
{
    struct tensor t;

    if (!data_read(s->diag, scratch_path(s, path), NULL, &t, NULL))
        fail_msg("%s: %s", path, diag_at(s->diag, 0).text);
    assert_int_equal(t.dtype, expected->dtype);
    assert_true(shape_equal(&t.shape, &expected->shape));
    assert_memory_equal(t.data, expected->data, tensor_bytes(&t));
    tensor_clear(&t);
}

static void expect_fault(struct scratch *s, const char *path, enum diag_code code, const char *part)
{
    struct tensor t;

    assert_false(data_read(s->diag, scratch_path(s, path), NULL, &t, NULL));
    scratch_expect(s, code, part);
}

static void arrays_have_names(void **state)
{
    struct scratch *s = *state;

    assert_true(npz_write(s->diag, scratch_path(s, "a.npz"), arrays, 2));
    expect_array(s, "a.npz:x", &floats);
    expect_array(s, "a.npz:n", &one);
    expect_array(s, "a.npz:n.npy", &one);
    expect_fault(s, "a.npz:X", DIAG_INPUT_UNKNOWN, "no array 'X'; it has 'n.npy', 'x.npy'");
    expect_fault(s, "a.npz", DIAG_INPUT_UNKNOWN, "2 arrays; name one");
    expect_fault(s, "b.npz:x", DIAG_CANNOT_READ, "cannot read");
}

static void the_only_array_needs_no_name(void **state)
{
    struct scratch *s = *state;

    assert_true(npz_write(s->diag, scratch_path(s, "a.bin"), arrays, 1));
    expect_array(s, "a.bin", &floats);
}

static void a_file_of_the_whole_name_comes_first(void **state)
{
    struct scratch *s = *state;

    assert_true(npz_write(s->diag, scratch_path(s, "a.npz"), arrays, 2));
    assert_true(data_write(s->diag, scratch_path(s, "a.npz:x"), &one, NULL));
    expect_array(s, "a.npz:x", &one);
    scratch_put(s, "a.dat", "text", 4);
    expect_fault(s, "a.dat:x", DIAG_DATA_HEADER, "not an archive of arrays");
}

static void the_same_arrays_make_the_same_bytes(void **state)
{
    static const char *const zones[] = {"UTC0", "XXX-14"};
    static unsigned char first[SCRATCH_FILE];
    struct scratch *s = *state;
    size_t size = 0;

    for (int i = 0; i < 2; i++) {
        assert_int_equal(setenv("TZ", zones[i], 1), 0); /* NOLINT(concurrency-mt-unsafe) */
        assert_true(npz_write(s->diag, scratch_path(s, "a.npz"), arrays, 2));
        scratch_get(s, "a.npz");
        assert_true(i == 0 || (size == s->size && memcmp(first, s->bytes, size) == 0));
        size = s->size;
        memcpy(first, s->bytes, size);
        unsetenv("TZ"); /* NOLINT(concurrency-mt-unsafe) */
    }
}

/* Of a file written by libarchive, whose zip is deflated unless told. */
static void deflated_arrays_are_read(void **state)
{
    static const char npy[] =
        "\x93NUMPY\1\0\x76\0{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"
        "                                                            \n"
        "\0\0\x80\x3F\0\0\0\xC0\0\0\x40\x40";
    const struct entry entries[] = {{.name = "x.npy", .text = npy, .size = sizeof npy - 1}, {0}};
    struct scratch *s = *state;

    assert_int_equal(sizeof npy - 1, 140);
    archive_put(s, "a.npz", ARCHIVE_FILTER_NONE, entries);
    expect_array(s, "a.npz", &floats);
}

static void a_changed_byte_is_noticed(void **state)
{
    struct scratch *s = *state;
    struct tensor t;

    assert_true(npz_write(s->diag, scratch_path(s, "a.npz"), arrays, 1));
    scratch_get(s, "a.npz");
    for (size_t at = 0; at + 8 <= s->size; at++)
        if (memcmp(s->bytes + at, "\0\0\x80\x3F\0\0\0\xC0", 8) == 0)
            s->bytes[at] ^= 1;
    assert_false(data_read(s->diag, scratch_put(s, "a.npz", s->bytes, s->size), NULL, &t, NULL));
    scratch_expect(s, DIAG_ARCHIVE, "CRC");
}

static void an_array_far_too_large_is_not_read(void **state)
{
    struct scratch *s = *state;
    struct tensor large, t;
    struct shape shape = {1, {8 << 20}}, wanted = {1, {3}};
    struct npz_array array = {"x", &large};
    struct data_request request = {.image = {NULL, &wanted}};

    assert_true(tensor_allocate(&large, DTYPE_SCALAR, &shape));
    assert_true(npz_write(s->diag, scratch_path(s, "a.npz"), &array, 1));
    tensor_clear(&large);
    assert_false(data_read(s->diag, s->path, &request, &t, NULL));
    scratch_expect(s, DIAG_ARCHIVE_LIMIT, "more than is of use");
}

static void a_file_cut_anywhere_is_an_error(void **state)
{
    struct scratch *s = *state;
    struct tensor t;

    assert_true(npz_write(s->diag, scratch_path(s, "a.npz"), arrays, 1));
    scratch_get(s, "a.npz");
    for (size_t cut = 0; cut < s->size; cut++) {
        assert_false(data_read(s->diag, scratch_put(s, "c.npz", s->bytes, cut), NULL, &t, NULL));
        assert_int_equal(diag_count(s->diag), 1);
        diag_free(s->diag);
        s->diag = diag_new(NULL);
    }
}

static void nothing_is_left_of_a_file_that_failed(void **state)
{
    struct scratch *s = *state;

    assert_false(npz_write(s->diag, scratch_path(s, "no/a.npz"), arrays, 2));
    scratch_expect(s, DIAG_CANNOT_WRITE, "cannot write");
    assert_int_equal(scratch_count(s), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(arrays_have_names),
        scratch_test(the_only_array_needs_no_name),
        scratch_test(a_file_of_the_whole_name_comes_first),
        scratch_test(the_same_arrays_make_the_same_bytes),
        scratch_test(deflated_arrays_are_read),
        scratch_test(a_changed_byte_is_noticed),
        scratch_test(an_array_far_too_large_is_not_read),
        scratch_test(a_file_cut_anywhere_is_an_error),
        scratch_test(nothing_is_left_of_a_file_that_failed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
