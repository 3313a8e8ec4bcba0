/* Sets of files that are replaced together. */
#include "file/out.h"

#include "file/file.h"

#include <sys/types.h>
#include <sys/wait.h>

#include "unit/base/scratch.h"

/* Add a file of that name in the folder of the test, with this text. */
static struct out_file *add(struct scratch *s, struct out_set *set, const char *name,
                            const char *text)
{
    struct out_file *file = out_open(set, scratch_path(s, name));

    if (file)
        out_write(file, text, strlen(text));
    return file;
}

static void expect_text(struct scratch *s, const char *name, const char *text)
{
    scratch_get(s, name);
    assert_int_equal(s->size, strlen(text));
    assert_memory_equal(s->bytes, text, s->size);
}

static void a_file_appears_only_when_it_is_committed(void **state)
{
    struct scratch *s = *state;
    struct out_set set = {.diag = s->diag};

    scratch_put(s, "t", "old", 3);
    assert_non_null(add(s, &set, "t", "new text"));
    expect_text(s, "t", "old");
    assert_true(out_commit(&set, true));
    expect_text(s, "t", "new text");
    assert_int_equal(scratch_count(s), 1);
}

static void a_discarded_set_leaves_nothing(void **state)
{
    struct scratch *s = *state;
    struct out_set set = {.diag = s->diag};

    assert_non_null(add(s, &set, "t", "new"));
    assert_non_null(add(s, &set, "u", "new"));
    assert_false(out_commit(&set, false));
    assert_false(out_commit(&set, false));
    assert_int_equal(scratch_count(s), 0);
}

static void a_file_keeps_its_permissions_and_the_link_to_it(void **state)
{
    struct scratch *s = *state;
    struct out_set set = {.diag = s->diag};
    char link[SCRATCH_PATH];
    struct stat st;

    snprintf(link, sizeof link, "%s", scratch_path(s, "link"));
    scratch_put(s, "t", "old", 3);
    assert_int_equal(chmod(s->path, 0640), 0);
    assert_int_equal(symlink("t", link), 0);
    assert_non_null(add(s, &set, "link", "longer"));
    assert_true(out_commit(&set, true));
    assert_true(lstat(link, &st) == 0 && S_ISLNK(st.st_mode));
    assert_true(stat(link, &st) == 0 && st.st_size == 6 && (st.st_mode & 0777) == 0640);
}

static void a_device_is_written_and_not_replaced(void **state)
{
    struct scratch *s = *state;
    struct out_set set = {.diag = s->diag};
    struct stat st;

    out_write(out_open(&set, "/dev/null"), "x", 1);
    assert_true(out_commit(&set, true));
    assert_true(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
}

static void what_cannot_be_written_is_named_with_the_reason(void **state)
{
    struct scratch *s = *state;
    struct out_set set = {.diag = s->diag};

    assert_null(out_open(&set, scratch_path(s, "no/such/t")));
    scratch_expect(s, DIAG_CANNOT_WRITE, "No such file");
    set.diag = s->diag;
    assert_null(out_open(&set, s->folder));
    scratch_expect(s, DIAG_CANNOT_WRITE, "Is a directory");
    set.diag = s->diag;
    assert_false(out_commit(&set, false));
    if (access("/dev/full", W_OK) != 0)
        return;
    out_write(out_open(&set, "/dev/full"), "x", 1);
    assert_false(out_commit(&set, true));
    scratch_expect(s, DIAG_CANNOT_WRITE, "No space left");
}

static void files_that_belong_together_appear_together(void **state)
{
    struct scratch *s = *state;
    struct out_set set = {.diag = s->diag};

    assert_non_null(add(s, &set, "first", "1"));
    assert_non_null(add(s, &set, "second", "two"));
    assert_int_equal(scratch_count(s), 0);
    assert_true(out_commit(&set, true));
    assert_int_equal(scratch_count(s), 2);
    expect_text(s, "first", "1");
    expect_text(s, "second", "two");
}

/* The name of the last, and then of the first, is taken by a folder meanwhile. */
static void after_a_name_that_is_refused_all_files_are_those_of_before(void **state)
{
    static const char *const names[] = {"a", "b", "c"};
    struct scratch *s = *state;
    char taken[SCRATCH_PATH];

    for (int i = 0; i < 3; i++) {
        struct out_set set = {.diag = s->diag};
        for (int k = 0; k < 3; k++) {
            scratch_put(s, names[k], "before", 6);
            assert_non_null(add(s, &set, names[k], "new"));
        }
        snprintf(taken, sizeof taken, "%s", scratch_path(s, names[i]));
        unlink(taken);
        assert_int_equal(mkdir(taken, 0777), 0);
        assert_false(out_commit(&set, true));
        scratch_expect(s, DIAG_CANNOT_WRITE, "Is a directory");
        assert_int_equal(rmdir(taken), 0);
        assert_int_equal(scratch_count(s), 2);
        for (int k = 0; k < 3; k++)
            if (k != i)
                expect_text(s, names[k], "before");
    }
}

static void a_file_that_is_incomplete_keeps_the_others_from_appearing(void **state)
{
    struct scratch *s = *state;
    struct out_set set = {.diag = s->diag};

    if (access("/dev/full", W_OK) != 0)
        skip();
    scratch_put(s, "t", "old", 3);
    assert_non_null(add(s, &set, "t", "new text"));
    out_write(out_open(&set, "/dev/full"), "x", 1);
    assert_false(out_commit(&set, true));
    scratch_expect(s, DIAG_CANNOT_WRITE, "No space left");
    expect_text(s, "t", "old");
    assert_int_equal(scratch_count(s), 1);
}

static void two_files_of_a_set_have_two_targets(void **state)
{
    struct scratch *s = *state;
    struct out_set set = {.diag = s->diag};

    scratch_put(s, "t", "old", 3);
    assert_int_equal(symlink("t", scratch_path(s, "link")), 0);
    assert_non_null(add(s, &set, "t", "1"));
    assert_non_null(add(s, &set, "u", "2"));
    assert_non_null(add(s, &set, "link", "3"));
    assert_false(out_commit(&set, true));
    scratch_expect(s, DIAG_CANNOT_WRITE, "two results are to be written to this file");
    expect_text(s, "t", "old");
    assert_int_equal(scratch_count(s), 2);
}

static void a_file_that_was_read_is_replaced_only_by_force(void **state)
{
    struct scratch *s = *state;
    struct out_set set = {.diag = s->diag};
    struct file_view view;

    assert_true(file_open(s->diag, scratch_put(s, "t", "old", 3),
                          &(struct file_request){.budget = INT64_MAX}, &view));
    assert_int_equal(symlink("t", scratch_path(s, "link")), 0);
    assert_null(add(s, &set, "link", "new"));
    scratch_expect(s, DIAG_CANNOT_WRITE, "the model was read from this file");
    set.diag = s->diag;
    assert_false(out_commit(&set, false));
    set.force = true;
    assert_non_null(add(s, &set, "link", "new"));
    assert_true(out_commit(&set, true));
    assert_memory_equal(view.data, "old", 3);
    file_close(&view);
    expect_text(s, "t", "new");
}

/* More than may be open at a time, so that some have temporary names. */
static void a_set_may_have_more_files_than_a_process_may_open(void **state)
{
    enum { FILES = 2000 };
    struct scratch *s = *state;
    char name[32];

    for (int ok = 0; ok < 2; ok++) {
        struct out_set set = {.diag = s->diag};
        for (int i = 0; i < FILES; i++) {
            snprintf(name, sizeof name, "f%d", i);
            assert_non_null(add(s, &set, name, name));
        }
        assert_int_equal(out_commit(&set, ok), ok);
        assert_int_equal(scratch_count(s), ok ? FILES : 0);
    }
    expect_text(s, "f0", "f0");
    expect_text(s, "f1999", "f1999");
}

/* Each process of a pair writes sets of its own text: all files of the folder have the same one. */
static void processes_that_write_to_one_folder_take_turns(void **state)
{
    enum { ROUNDS = 200 };
    struct scratch *s = *state;
    pid_t child = fork();
    char first;

    assert_true(child >= 0);
    for (int i = 0; i < ROUNDS; i++) {
        struct out_set set = {.diag = s->diag};
        bool ok = add(s, &set, "a", child ? "parent" : "child!") &&
                  add(s, &set, "b", child ? "parent" : "child!");
        if (!out_commit(&set, ok))
            _exit(1);
    }
    if (child == 0)
        _exit(0);
    int status = -1;
    assert_true(waitpid(child, &status, 0) == child && status == 0);
    scratch_get(s, "a");
    first = (char)s->bytes[0];
    scratch_get(s, "b");
    assert_int_equal(s->bytes[0], first);
    assert_int_equal(scratch_count(s), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(a_file_appears_only_when_it_is_committed),
        scratch_test(a_discarded_set_leaves_nothing),
        scratch_test(a_file_keeps_its_permissions_and_the_link_to_it),
        scratch_test(a_device_is_written_and_not_replaced),
        scratch_test(what_cannot_be_written_is_named_with_the_reason),
        scratch_test(files_that_belong_together_appear_together),
        scratch_test(after_a_name_that_is_refused_all_files_are_those_of_before),
        scratch_test(a_file_that_is_incomplete_keeps_the_others_from_appearing),
        scratch_test(two_files_of_a_set_have_two_targets),
        scratch_test(a_file_that_was_read_is_replaced_only_by_force),
        scratch_test(a_set_may_have_more_files_than_a_process_may_open),
        scratch_test(processes_that_write_to_one_folder_take_turns),
    };
    return cmocka_run_group_tests_name("out", tests, NULL, NULL);
}
