/* test_inside.c - files in a folder are opened as they are named, and nothing outside of it is */
#include "file/safe_path.h"

#include "file/file.h"

#include "unit/base/scratch.h"

/* The file of that name holds the text, and was found at that place in the folder. */
static void expect_at(struct scratch *s, const char *name, const char *place, const char *text)
{
    const struct inside file = {s->folder, name};
    struct file_view view;
    char *path;

    assert_true(inside_open(s->diag, &file, INT64_MAX, &view, &path));
    assert_string_equal(path, scratch_path(s, place));
    assert_int_equal(view.size, strlen(text));
    assert_memory_equal(view.data, text, view.size);
    file_close(&view);
    free(path);
}

static void expect_refused(struct scratch *s, const char *name, enum diag_code code,
                           const char *why)
{
    const struct inside file = {s->folder, name};
    struct file_view view;
    char *path;

    assert_false(inside_open(s->diag, &file, INT64_MAX, &view, &path));
    free(path);
    scratch_expect(s, code, why);
}

static void make_folder(struct scratch *s, const char *name)
{
    assert_int_equal(mkdir(scratch_path(s, name), 0777), 0);
}

static void make_link(struct scratch *s, const char *name, const char *target)
{
    assert_int_equal(symlink(target, scratch_path(s, name)), 0);
}

static void a_file_is_opened_where_it_is_named(void **state)
{
    struct scratch *s = *state;

    make_folder(s, "a");
    scratch_put(s, "w.dat", "one", 3);
    scratch_put(s, "a/w.dat", "other", 5);
    scratch_put(s, "a/none.dat", "", 0);
    expect_at(s, "w.dat", "w.dat", "one");
    expect_at(s, "a/w.dat", "a/w.dat", "other");
    expect_at(s, "a//./w.dat", "a/w.dat", "other");
    expect_at(s, "a/none.dat", "a/none.dat", "");
}

static void a_name_as_written_comes_before_one_in_another_case(void **state)
{
    struct scratch *s = *state;

    scratch_put(s, "W.dat", "large", 5);
    expect_at(s, "w.dat", "W.dat", "large");
    scratch_put(s, "w.dat", "small", 5);
    expect_at(s, "w.dat", "w.dat", "small");
    expect_at(s, "W.dat", "W.dat", "large");
}

static void links_are_followed_inside_and_no_further(void **state)
{
    struct scratch *s = *state;

    make_folder(s, "a");
    scratch_put(s, "a/w.dat", "other", 5);
    make_link(s, "file.dat", "a/w.dat");
    make_link(s, "folder", "a");
    make_link(s, "out", "..");
    make_link(s, "passwd.dat", "/etc/passwd");
    make_link(s, "round.dat", "round.dat");
    expect_at(s, "file.dat", "a/w.dat", "other");
    expect_at(s, "folder/w.dat", "a/w.dat", "other");
    expect_refused(s, "out/w.dat", DIAG_OUTSIDE, "leads out of the model folder");
    expect_refused(s, "passwd.dat", DIAG_OUTSIDE, "leads out of the model folder");
    expect_refused(s, "round.dat", DIAG_CANNOT_READ, "Too many levels");
    expect_refused(s, "../w.dat", DIAG_OUTSIDE, "leads out of the model folder");
}

static void what_is_no_file_is_refused_with_the_reason(void **state)
{
    struct scratch *s = *state;

    make_folder(s, "a");
    scratch_put(s, "w.dat", "one", 3);
    assert_int_equal(mkfifo(scratch_path(s, "pipe.dat"), 0666), 0);
    expect_refused(s, "a", DIAG_CANNOT_READ, "Is a directory");
    expect_refused(s, "pipe.dat", DIAG_CANNOT_READ, "a pipe or device");
    expect_refused(s, "missing.dat", DIAG_CANNOT_READ, "No such file");
    expect_refused(s, "w.dat/w.dat", DIAG_CANNOT_READ, "Not a directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(a_file_is_opened_where_it_is_named),
        scratch_test(a_name_as_written_comes_before_one_in_another_case),
        scratch_test(links_are_followed_inside_and_no_further),
        scratch_test(what_is_no_file_is_refused_with_the_reason),
    };
    return cmocka_run_group_tests_name("inside", tests, NULL, NULL);
}
