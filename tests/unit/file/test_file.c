/* test_file.c - files are read whole, and written whole or not at all */
#include "file/file.h"

#include <fcntl.h>

#include "unit/base/scratch.h"

static void a_text_is_read_whole_with_a_nul_behind(void **state)
{
    struct scratch *s = *state;
    static char content[100000];
    char *data;
    size_t size;

    memset(content, 'x', sizeof content);
    assert_true(
        file_read(s->diag, scratch_put(s, "t", content, sizeof content), INT64_MAX, &data, &size));
    assert_int_equal(size, sizeof content);
    assert_memory_equal(data, content, size);
    assert_int_equal(data[size], 0);
    free(data);
    assert_true(file_read(s->diag, scratch_put(s, "empty", "", 0), INT64_MAX, &data, &size));
    assert_int_equal(size, 0);
    assert_string_equal(data, "");
    free(data);
}

static void what_cannot_be_read_is_named_with_the_reason(void **state)
{
    struct scratch *s = *state;
    struct file_view view;
    char *data;
    size_t size;

    assert_false(file_read(s->diag, scratch_path(s, "missing"), INT64_MAX, &data, &size));
    scratch_expect(s, DIAG_CANNOT_READ, "No such file");
    assert_false(file_read(s->diag, s->folder, INT64_MAX, &data, &size));
    scratch_expect(s, DIAG_CANNOT_READ, "Is a directory");
    assert_false(file_open(s->diag, s->folder, &(struct file_request){.budget = INT64_MAX}, &view));
    scratch_expect(s, DIAG_CANNOT_READ, "Is a directory");
}

static void a_regular_file_is_mapped_and_a_pipe_is_read(void **state)
{
    struct scratch *s = *state;
    struct file_view view;
    int ends[2];
    char path[32];

    assert_true(file_open(s->diag, scratch_put(s, "t", "abc", 3),
                          &(struct file_request){.budget = INT64_MAX}, &view));
    assert_true(view.mapped && view.size == 3 && memcmp(view.data, "abc", 3) == 0);
    file_close(&view);
    assert_null(view.data);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "abcd", 4), 4);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    assert_true(file_open(s->diag, path, &(struct file_request){.budget = INT64_MAX}, &view));
    assert_true(!view.mapped && view.size == 4 && memcmp(view.data, "abcd", 4) == 0);
    file_close(&view);
    close(ends[0]);
}

static void an_empty_file_is_an_empty_view(void **state)
{
    struct scratch *s = *state;
    struct file_view view;

    assert_true(file_open(s->diag, scratch_put(s, "t", "", 0),
                          &(struct file_request){.budget = INT64_MAX}, &view));
    assert_int_equal(view.size, 0);
    file_close(&view);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(a_text_is_read_whole_with_a_nul_behind),
        scratch_test(what_cannot_be_read_is_named_with_the_reason),
        scratch_test(a_regular_file_is_mapped_and_a_pipe_is_read),
        scratch_test(an_empty_file_is_an_empty_view),
    };
    return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
