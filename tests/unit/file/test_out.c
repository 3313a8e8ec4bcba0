/* Sets of files that are replaced together. */
#include "file/out.h"

#include "file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
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

static void a_file_that_is_removed_goes_with_the_set_that_removes_it(void **state)
{
    struct scratch *s = *state;
    struct out_set set = {.diag = s->diag};

    scratch_put(s, "gone", "old", 3);
    out_remove(add(s, &set, "gone", ""));
    out_remove(add(s, &set, "never there", ""));
    assert_non_null(add(s, &set, "t", "new"));
    out_write(out_open(&set, "/dev/full"), "x", 1);
    assert_false(out_commit(&set, true));
    expect_text(s, "gone", "old");
    assert_int_equal(scratch_count(s), 1);
    for (int alone = 0; alone < 2; alone++) {
        scratch_put(s, "gone", "old", 3);
        out_remove(add(s, &set, "gone", ""));
        assert_true(alone || add(s, &set, "t", "new"));
        assert_true(out_commit(&set, true));
        expect_text(s, "t", "new");
        assert_int_equal(scratch_count(s), 1);
    }
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

/* So many that a quarter of what the process may open is more than what is left of it. */
static void a_set_needs_few_of_the_files_that_a_process_may_open(void **state)
{
    enum { FILES = 100, MAY_OPEN = 200, LEFT = 10 };
    struct scratch *s = *state;
    struct out_set set = {.diag = s->diag};
    int taken[MAY_OPEN], count = 0;
    struct rlimit before, low;
    char name[32];

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    low = (struct rlimit){MAY_OPEN, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    while (count < MAY_OPEN && (taken[count] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
        count++;
    while (count > 0 && taken[count - 1] >= MAY_OPEN - LEFT)
        close(taken[--count]);
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "f%d", i);
        assert_non_null(add(s, &set, name, name));
    }
    bool ok = out_commit(&set, true);
    while (count > 0)
        close(taken[--count]);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_true(ok);
    assert_int_equal(scratch_count(s), FILES);
    expect_text(s, "f0", "f0");
}

/* --- what is written to disk ------------------------------------------------------------------ */

/*
 * These stand for the functions of the system, in all of this program.  They tell which files,
 * folders and file systems were written to disk, and whether the first file had its name by then.
 */
static struct {
    struct sync_call {
        bool system, named;
        struct stat of;
    } call[128];
    int count;
    const char *first;    /* NULL: nothing is told */
    bool system, no_disk; /* whether syncfs() works, and fsync() fails */
} syncs;

int syncfs(int fd); /* not in POSIX */

static void tell(int fd, bool system)
{
    struct sync_call *call = &syncs.call[syncs.count];

    if (!syncs.first)
        return;
    assert_true(syncs.count++ < 128);
    *call = (struct sync_call){system, access(syncs.first, F_OK) == 0, {0}};
    assert_int_equal(fstat(fd, &call->of), 0);
}

int fsync(int fd)
{
    tell(fd, false);
    errno = EIO;
    return syncs.no_disk ? -1 : 0;
}

int syncfs(int fd)
{
    if (syncs.system)
        tell(fd, true);
    errno = ENOSYS;
    return syncs.system ? 0 : -1;
}

/* How often the file or folder was written after, or else before, the first file had its name. */
static int times_synced(const char *path, bool named)
{
    struct stat st;
    int count = 0;

    assert_int_equal(stat(path, &st), 0);
    for (int i = 0; i < syncs.count; i++) {
        const struct sync_call *call = &syncs.call[i];
        count += call->named == named && call->of.st_dev == st.st_dev &&
                 (call->system || call->of.st_ino == st.st_ino);
    }
    return count;
}

enum { IN_FOLDERS = 40 };

/* The path of file `i` of those that lie in two folders, or of its folder. */
static const char *in_folders(struct scratch *s, int i, bool folder)
{
    char name[32];

    snprintf(name, sizeof name, folder ? "%d" : "%d/f%d", i % 2, i);
    return scratch_path(s, name);
}

/* Begin a set of so many files that replace others in two folders. */
static void fill_folders(struct scratch *s, struct out_set *set, int count)
{
    static char first[SCRATCH_PATH];
    char name[32];

    for (int i = 0; i < count; i++) {
        mkdir(in_folders(s, i, true), 0777);
        snprintf(name, sizeof name, "%d/f%d", i % 2, i);
        assert_non_null(add(s, set, name, name));
    }
    snprintf(first, sizeof first, "%s", in_folders(s, 0, false));
    syncs.count = 0;
    syncs.first = first;
}

static int end_of_syncs(void **state)
{
    memset(&syncs, 0, sizeof syncs);
    return scratch_teardown(state);
}

/* Few are written one by one, many at once if the file system can do that, or if not one by one. */
static void files_are_on_disk_before_they_have_names_and_then_each_folder_is(void **state)
{
    struct scratch *s = *state;

    for (int round = 0; round < 3; round++) {
        struct out_set set = {.diag = s->diag};
        int count = round == 0 ? 3 : IN_FOLDERS;
        fill_folders(s, &set, count);
        syncs.system = round < 2;
        assert_true(out_commit(&set, true));
        syncs.first = NULL;
        for (int i = 0; i < count; i++) {
            assert_int_equal(times_synced(in_folders(s, i, false), false), 1);
            assert_int_equal(unlink(in_folders(s, i, false)), 0);
        }
        for (int i = 0; i < 2; i++)
            assert_int_equal(times_synced(in_folders(s, i, true), true), 1);
    }
}

static void files_that_cannot_be_written_to_disk_get_no_names(void **state)
{
    struct scratch *s = *state;

    for (int count = 3; count <= IN_FOLDERS; count += IN_FOLDERS - 3) {
        struct out_set set = {.diag = s->diag};
        fill_folders(s, &set, count);
        syncs.no_disk = true;
        assert_false(out_commit(&set, true));
        scratch_expect(s, DIAG_CANNOT_WRITE, "Input/output error");
        assert_int_not_equal(access(syncs.first, F_OK), 0);
    }
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
        if (!out_commit(&set, ok)) {
            diag_print(s->diag, stderr, DIAG_STYLE_SHORT, false);
            _exit(1);
        }
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
        scratch_test(a_file_that_is_removed_goes_with_the_set_that_removes_it),
        scratch_test(two_files_of_a_set_have_two_targets),
        scratch_test(a_file_that_was_read_is_replaced_only_by_force),
        scratch_test(a_set_may_have_more_files_than_a_process_may_open),
        scratch_test(a_set_needs_few_of_the_files_that_a_process_may_open),
        cmocka_unit_test_setup_teardown(
            files_are_on_disk_before_they_have_names_and_then_each_folder_is, scratch_setup,
            end_of_syncs),
        cmocka_unit_test_setup_teardown(files_that_cannot_be_written_to_disk_get_no_names,
                                        scratch_setup, end_of_syncs),
        scratch_test(processes_that_write_to_one_folder_take_turns),
    };
    return cmocka_run_group_tests_name("out", tests, NULL, NULL);
}
