/* test_archive.c - archives of weights, old and new, whole and broken */
#include "base/text.h"
#include "convert/pnnx/archive.h"
#include "diag/context.h"
#include "diag/diag.h"
#include "tensor/bytes.h"

#include "support/t.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { ALL_ONES = -1 };

struct fixture {
    struct context *context;
    struct pnnx_archive archive;
    struct text bytes;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    assert_non_null(f);
    f->context = context_new();
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    pnnx_archive_close(&f->archive);
    context_free(f->context);
    text_free(&f->bytes);
    free(f);
    return 0;
}

/* --- archives ------------------------------------------------------------------------------ */

static void put(struct text *to, int count, uint64_t number)
{
    unsigned char bytes[8];

    bytes_store(bytes, count, number);
    text_add_bytes(to, (const char *)bytes, (size_t)count);
}

struct member {
    const char *name, *data;
};

/* From the flags to the end of the extra field; `offset` < 0: it is the member's own header. */
static void put_header(struct text *to, const struct member *m, bool zip64, int64_t offset)
{
    size_t size = strlen(m->data);
    uint64_t in_field = zip64 ? UINT32_MAX : size;

    put(to, 2, 0);
    put(to, 2, 0); /* stored */
    put(to, 4, 0);
    put(to, 4, crc32(0, (const unsigned char *)m->data, (unsigned)size));
    put(to, 4, in_field);
    put(to, 4, in_field);
    put(to, 2, strlen(m->name));
    put(to, 2, zip64 ? 28 : 0);
    if (offset >= 0) {
        put(to, 8, 0);
        put(to, 2, 0);
        put(to, 4, zip64 ? UINT32_MAX : (uint64_t)offset);
    }
    text_add_bytes(to, m->name, strlen(m->name));
    if (!zip64)
        return;
    put(to, 2, 1);
    put(to, 2, 24);
    put(to, 8, size);
    put(to, 8, size);
    put(to, 8, offset < 0 ? 0 : (uint64_t)offset);
}

static void put_end(struct text *to, bool zip64, size_t directory, int count)
{
    uint64_t size = to->size - directory, end = to->size;

    if (zip64) {
        put(to, 4, 0x06064B50);
        put(to, 8, 44);
        put(to, 8, 0);
        put(to, 4, 0);
        put(to, 8, (uint64_t)count);
        put(to, 8, (uint64_t)count);
        put(to, 8, size);
        put(to, 8, directory);
        put(to, 4, 0x07064B50);
        put(to, 4, 0);
        put(to, 8, end);
        put(to, 4, 1);
    }
    put(to, 4, 0x06054B50);
    put(to, 4, 0);
    put(to, 2, zip64 ? UINT16_MAX : (uint64_t)count);
    put(to, 2, zip64 ? UINT16_MAX : (uint64_t)count);
    put(to, 4, zip64 ? UINT32_MAX : size);
    put(to, 4, zip64 ? UINT32_MAX : directory);
    put(to, 2, 0);
}

static void make(struct fixture *f, const struct member *members, int count, bool zip64)
{
    size_t at[4], directory;

    f->bytes.size = 0;
    for (int i = 0; i < count; i++) {
        at[i] = f->bytes.size;
        put(&f->bytes, 4, 0x04034B50);
        put(&f->bytes, 2, 0);
        put_header(&f->bytes, &members[i], zip64, ALL_ONES);
        text_add_bytes(&f->bytes, members[i].data, strlen(members[i].data));
    }
    directory = f->bytes.size;
    for (int i = 0; i < count; i++) {
        put(&f->bytes, 4, 0x02014B50);
        put(&f->bytes, 4, 0);
        put_header(&f->bytes, &members[i], zip64, (int64_t)at[i]);
    }
    put_end(&f->bytes, zip64, directory, count);
}

static bool open_archive(struct fixture *f)
{
    pnnx_archive_close(&f->archive);
    diag_clear(f->context->diag);
    return pnnx_archive_open(f->context, "m.bin", f->bytes.data, f->bytes.size, &f->archive);
}

static void expect_member(const struct fixture *f, const struct member *m)
{
    const struct pnnx_member *found = pnnx_archive_find(f->context, &f->archive, m->name);

    assert_non_null(found);
    assert_int_equal(found->size, strlen(m->data));
    assert_memory_equal(found->data, m->data, found->size);
}

static void expect_fault(struct fixture *f, const char *words)
{
    assert_false(open_archive(f));
    assert_int_equal(diag_error_count(f->context->diag), 1);
    assert_int_equal(diag_at(f->context->diag, 0).code, DIAG_PNNX_ARCHIVE);
    if (!strstr(diag_at(f->context->diag, 0).text, words))
        fail_msg("\"%s\" does not say \"%s\"", diag_at(f->context->diag, 0).text, words);
}

static const struct member two[] = {{"conv.weight", "0123456789ab"}, {"conv.bias", "xyz!"}};

/* --- tests --------------------------------------------------------------------------------- */

static void both_forms_are_read(void **state)
{
    struct fixture *f = *state;

    for (int zip64 = 0; zip64 < 2; zip64++) {
        make(f, two, 2, zip64);
        assert_true(open_archive(f));
        assert_int_equal(f->archive.count, 2);
        expect_member(f, &two[0]);
        expect_member(f, &two[1]);
        assert_null(pnnx_archive_find(f->context, &f->archive, "conv"));
        make(f, NULL, 0, zip64);
        assert_true(open_archive(f));
        assert_int_equal(f->archive.count, 0);
    }
}

static void every_shorter_file_is_refused(void **state)
{
    struct fixture *f = *state;

    for (int zip64 = 0; zip64 < 2; zip64++) {
        make(f, two, 2, zip64);
        for (size_t size = f->bytes.size; size-- > 0;) {
            f->bytes.size = size;
            assert_false(open_archive(f));
            assert_int_equal(diag_error_count(f->context->diag), 1);
        }
    }
}

static void damaged_data_are_found_by_their_checksum(void **state)
{
    struct fixture *f = *state;

    make(f, two, 2, true);
    assert_true(open_archive(f));
    const struct pnnx_member *first = pnnx_archive_find(f->context, &f->archive, two[0].name);
    f->bytes.data[first->data - (const unsigned char *)f->bytes.data]++;
    expect_fault(f, "checksum");
}

static void compressed_members_are_refused(void **state)
{
    struct fixture *f = *state;

    make(f, two, 2, false);
    size_t directory = bytes_load32((unsigned char *)f->bytes.data + f->bytes.size - 6);
    f->bytes.data[directory + 10] = 8;
    expect_fault(f, "compressed (method 8)");
}

static void two_members_of_a_name_are_refused(void **state)
{
    struct fixture *f = *state;

    make(f, (const struct member[]){two[0], two[0]}, 2, false);
    expect_fault(f, "twice");
}

static void what_is_no_archive_is_told_from_one_that_is_cut(void **state)
{
    struct fixture *f = *state;

    make(f, two, 2, false);
    f->bytes.size -= 10;
    expect_fault(f, "cut short");
    f->bytes.size = 0;
    text_add(&f->bytes, "7767517 is no archive of weights at all");
    expect_fault(f, "no ZIP archive");
}

#define test(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(both_forms_are_read),
        test(every_shorter_file_is_refused),
        test(damaged_data_are_found_by_their_checksum),
        test(compressed_members_are_refused),
        test(two_members_of_a_name_are_refused),
        test(what_is_no_archive_is_told_from_one_that_is_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
