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
    assert_false(file_open(s->diag, s->folder, INT64_MAX, &view));
    scratch_expect(s, DIAG_CANNOT_READ, "Is a directory");
}

static void a_regular_file_is_mapped_and_a_pipe_is_read(void **state)
{
    struct scratch *s = *state;
    struct file_view view;
    int ends[2];
    char path[32];

    assert_true(file_open(s->diag, scratch_put(s, "t", "abc", 3), INT64_MAX, &view));
    assert_true(view.mapped && view.size == 3 && memcmp(view.data, "abc", 3) == 0);
    file_close(&view);
    assert_null(view.data);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "abcd", 4), 4);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    assert_true(file_open(s->diag, path, INT64_MAX, &view));
    assert_true(!view.mapped && view.size == 4 && memcmp(view.data, "abcd", 4) == 0);
    file_close(&view);
    close(ends[0]);
}

static void an_empty_file_is_an_empty_view(void **state)
{
    struct scratch *s = *state;
    struct file_view view;

    assert_true(file_open(s->diag, scratch_put(s, "t", "", 0), INT64_MAX, &view));
    assert_int_equal(view.size, 0);
    file_close(&view);
}

static void a_file_appears_only_when_it_is_committed(void **state)
{
    struct scratch *s = *state;
    struct out_file file;

    scratch_put(s, "t", "old", 3);
    assert_true(out_file_open(s->diag, s->path, &file));
    out_file_write(&file, "new text", 8);
    scratch_get(s, "t");
    assert_memory_equal(s->bytes, "old", 3);
    assert_true(out_file_commit(s->diag, &file));
    scratch_get(s, "t");
    assert_int_equal(s->size, 8);
    assert_int_equal(scratch_count(s), 1);
}

static void an_abandoned_file_leaves_nothing(void **state)
{
    struct scratch *s = *state;
    struct out_file file;

    assert_true(out_file_open(s->diag, scratch_path(s, "t"), &file));
    out_file_write(&file, "new", 3);
    out_file_abandon(&file);
    out_file_abandon(&file);
    assert_int_equal(scratch_count(s), 0);
}

static void a_file_keeps_its_permissions_and_the_link_to_it(void **state)
{
    struct scratch *s = *state;
    struct out_file file;
    char link[SCRATCH_PATH];
    struct stat st;

    snprintf(link, sizeof link, "%s", scratch_path(s, "link"));
    scratch_put(s, "t", "old", 3);
    assert_int_equal(chmod(s->path, 0640), 0);
    assert_int_equal(symlink("t", link), 0);
    assert_true(out_file_open(s->diag, link, &file));
    out_file_write(&file, "longer", 6);
    assert_true(out_file_commit(s->diag, &file));
    assert_true(lstat(link, &st) == 0 && S_ISLNK(st.st_mode));
    assert_true(stat(link, &st) == 0 && st.st_size == 6 && (st.st_mode & 0777) == 0640);
}

static void a_device_is_written_and_not_replaced(void **state)
{
    struct scratch *s = *state;
    struct out_file file;
    struct stat st;

    assert_true(out_file_open(s->diag, "/dev/null", &file));
    out_file_write(&file, "x", 1);
    assert_true(out_file_commit(s->diag, &file));
    assert_true(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
}

static void what_cannot_be_written_is_named_with_the_reason(void **state)
{
    struct scratch *s = *state;
    struct out_file file;

    assert_false(out_file_open(s->diag, scratch_path(s, "no/such/t"), &file));
    scratch_expect(s, DIAG_CANNOT_WRITE, "No such file");
    assert_false(out_file_open(s->diag, s->folder, &file));
    scratch_expect(s, DIAG_CANNOT_WRITE, "Is a directory");
    if (access("/dev/full", W_OK) != 0)
        return;
    assert_true(out_file_open(s->diag, "/dev/full", &file));
    out_file_write(&file, "x", 1);
    assert_false(out_file_commit(s->diag, &file));
    scratch_expect(s, DIAG_CANNOT_WRITE, "No space left");
}

static void files_that_belong_together_appear_together(void **state)
{
    struct scratch *s = *state;
    struct out_file file[2];
    char first[SCRATCH_PATH];

    snprintf(first, sizeof first, "%s", scratch_path(s, "first"));
    assert_true(out_file_open(s->diag, first, &file[0]));
    assert_true(out_file_open(s->diag, scratch_path(s, "second"), &file[1]));
    out_file_write(&file[0], "1", 1);
    out_file_write(&file[1], "two", 3);
    assert_int_not_equal(access(first, F_OK), 0);
    assert_true(out_files_commit(s->diag, file, 2));
    assert_int_equal(scratch_count(s), 2);

    /* The name of the second is taken by a folder meanwhile. */
    unlink(first);
    assert_true(out_file_open(s->diag, first, &file[0]));
    assert_true(out_file_open(s->diag, scratch_path(s, "folder"), &file[1]));
    assert_int_equal(mkdir(s->path, 0777), 0);
    assert_false(out_files_commit(s->diag, file, 2));
    scratch_expect(s, DIAG_CANNOT_WRITE, "Is a directory");
    assert_int_not_equal(access(first, F_OK), 0);
    assert_int_equal(scratch_count(s), 2);
}

static void a_file_that_is_incomplete_keeps_the_others_from_appearing(void **state)
{
    struct scratch *s = *state;
    struct out_file file[2];

    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_true(out_file_open(s->diag, scratch_put(s, "t", "old", 3), &file[0]));
    assert_true(out_file_open(s->diag, "/dev/full", &file[1]));
    out_file_write(&file[0], "new text", 8);
    out_file_write(&file[1], "x", 1);
    assert_false(out_files_commit(s->diag, file, 2));
    scratch_expect(s, DIAG_CANNOT_WRITE, "No space left");
    scratch_get(s, "t");
    assert_int_equal(s->size, 3);
    assert_int_equal(scratch_count(s), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(a_text_is_read_whole_with_a_nul_behind),
        scratch_test(what_cannot_be_read_is_named_with_the_reason),
        scratch_test(a_regular_file_is_mapped_and_a_pipe_is_read),
        scratch_test(an_empty_file_is_an_empty_view),
        scratch_test(a_file_appears_only_when_it_is_committed),
        scratch_test(an_abandoned_file_leaves_nothing),
        scratch_test(a_file_keeps_its_permissions_and_the_link_to_it),
        scratch_test(a_device_is_written_and_not_replaced),
        scratch_test(what_cannot_be_written_is_named_with_the_reason),
        scratch_test(files_that_belong_together_appear_together),
        scratch_test(a_file_that_is_incomplete_keeps_the_others_from_appearing),
    };
    return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
