/* test_path.c - files in a folder are opened as they are named, and nothing outside of it is */
#include "file/path.h"

#include "file/file.h"
#include "file/out.h"

#include "file/file.h"

#include "unit/base/scratch.h"

/* The file of that name holds the text, and was found at that place in the folder. */
static void expect_at(struct scratch *s, const char *name, const char *place, const char *text)
{
    const struct folder_file file = {s->folder, name};
    struct found_file found;

    assert_true(
        file_open_in(s->diag, &file, &(struct file_request){.budget = INT64_MAX}, &found, NULL));
    assert_string_equal(found.path, scratch_path(s, place));
    assert_int_equal(found.view.size, strlen(text));
    assert_memory_equal(found.view.data, text, found.view.size);
    file_close(&found.view);
    free(found.path);
}

static void expect_refused(struct scratch *s, const char *name, enum diag_code code,
                           const char *why)
{
    const struct folder_file file = {s->folder, name};
    struct found_file found;

    assert_false(
        file_open_in(s->diag, &file, &(struct file_request){.budget = INT64_MAX}, &found, NULL));
    assert_null(found.path);
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

/* The path of the file of a label; NULL after a report. */
static char *file_of(struct scratch *s, const char *label, bool to_write)
{
    struct path_fault fault = {0};
    char *file = path_of_label(s->folder, label, &fault);
    char *path = file ? path_find(&(struct folder_file){s->folder, file}, to_write, &fault) : NULL;

    free(file);
    if (!path)
        path_report(s->diag, &fault);
    return path;
}

static void expect_found(struct scratch *s, const char *label, const char *file)
{
    char *path = file_of(s, label, false);

    if (!path)
        fail_msg("%s: %s", label, diag_at(s->diag, 0).text);
    assert_string_equal(path, scratch_path(s, file));
    free(path);
}

static void expect_fault(struct scratch *s, const char *label, enum diag_code code,
                         const char *part)
{
    assert_null(file_of(s, label, false));
    scratch_expect(s, code, part);
}

static void separators_lead_into_folders(void **state)
{
    struct scratch *s = *state;

    make_folder(s, "conv1");
    scratch_put(s, "conv1/filter.dat", "", 0);
    scratch_put(s, "bias.dat", "", 0);
    expect_found(s, "bias", "bias.dat");
    expect_found(s, "/bias", "bias.dat");
    expect_found(s, "conv1/filter", "conv1/filter.dat");
    expect_found(s, "\\conv1\\filter", "conv1/filter.dat");
    expect_fault(s, "conv2/filter", DIAG_CANNOT_READ, "No such file");
    expect_fault(s, "bias.dat/x", DIAG_CANNOT_READ, "Not a directory");
    expect_fault(s, "a/../bias", DIAG_LABEL, "label 'a/../bias' has component '..'");
}

static void the_exact_name_is_preferred_to_another_case(void **state)
{
    struct scratch *s = *state;

    make_folder(s, "Conv");
    scratch_put(s, "Conv/B.dat", "", 0);
    expect_found(s, "cONV/b", "Conv/B.dat");
    scratch_put(s, "Conv/b.dat", "", 0);
    expect_found(s, "conv/b", "Conv/b.dat");
    expect_found(s, "conv/B", "Conv/B.dat");
    scratch_put(s, "Conv/Xy.dat", "", 0);
    scratch_put(s, "Conv/xY.dat", "", 0);
    expect_found(s, "conv/xy", "Conv/Xy.dat");
}

static void links_inside_the_folder_are_followed(void **state)
{
    struct scratch *s = *state;

    make_folder(s, "blobs");
    make_folder(s, "conv");
    scratch_put(s, "blobs/1", "", 0);
    make_link(s, "conv/a.dat", "../blobs/1");
    make_link(s, "alias", "./conv");
    expect_found(s, "conv/a", "blobs/1");
    expect_found(s, "alias/a", "blobs/1");
}

static void links_out_of_the_folder_are_refused(void **state)
{
    struct scratch *s = *state;

    make_folder(s, "conv");
    make_link(s, "conv/a.dat", "../../outside");
    make_link(s, "b.dat", "/etc/passwd");
    make_link(s, "etc", "/etc");
    make_link(s, "c.dat", "c.dat");
    expect_fault(s, "conv/a", DIAG_OUTSIDE, "leads out of the model folder");
    expect_fault(s, "b", DIAG_OUTSIDE, "leads out of the model folder");
    expect_fault(s, "etc/passwd", DIAG_OUTSIDE, "leads out of the model folder");
    expect_fault(s, "c", DIAG_CANNOT_READ, "Too many levels");
}

static void expect_placed(struct scratch *s, const char *label, const char *file)
{
    char *path = file_of(s, label, true);

    if (!path)
        fail_msg("%s: %s", label, diag_at(s->diag, 0).text);
    assert_string_equal(path, scratch_path(s, file));
    free(path);
}

static void the_path_to_write_is_the_label_as_written(void **state)
{
    struct scratch *s = *state;

    expect_placed(s, "\\conv1\\Filter", "conv1/Filter.dat");
    make_folder(s, "Conv1");
    expect_placed(s, "conv1/filter", "conv1/filter.dat");
    make_link(s, "conv2", "Conv1");
    expect_placed(s, "conv2/filter", "Conv1/filter.dat");
}

static void nothing_is_written_outside_the_folder(void **state)
{
    struct scratch *s = *state;

    make_link(s, "a", "/etc");
    make_link(s, "b.dat", "../outside.dat");
    assert_null(file_of(s, "a/passwd", true));
    scratch_expect(s, DIAG_OUTSIDE, "leads out of the model folder");
    assert_null(file_of(s, "b", true));
    scratch_expect(s, DIAG_OUTSIDE, "leads out of the model folder");
    assert_null(file_of(s, "../c", true));
    scratch_expect(s, DIAG_LABEL, "component '..'");
}

static void make_is(struct scratch *s, const char *name, const char *text)
{
    const struct folder_file place = {s->folder, name};
    struct out_set set = {.diag = s->diag};
    struct out_file *file = out_open_in(&set, &place);

    assert_non_null(file);
    out_write(file, text, strlen(text));
    assert_true(out_commit(&set, true));
}

static void a_file_is_written_where_it_is_placed(void **state)
{
    struct scratch *s = *state;
    struct out_set set = {.diag = s->diag};

    make_folder(s, "real");
    make_link(s, "alias", "real");
    make_link(s, "real/link.dat", "../other/deep/x.dat");
    make_is(s, "w.dat", "root");
    make_is(s, "a/b/c.dat", "deep");
    make_is(s, "alias/d.dat", "linked");
    make_is(s, "real/link.dat", "followed");
    expect_at(s, "w.dat", "w.dat", "root");
    expect_at(s, "a/b/c.dat", "a/b/c.dat", "deep");
    expect_at(s, "real/d.dat", "real/d.dat", "linked");
    expect_at(s, "other/deep/x.dat", "other/deep/x.dat", "followed");
    make_link(s, "out", "../..");
    make_link(s, "up", "a/..");
    assert_null(out_open_in(&set, &(struct folder_file){s->folder, "out/x"}));
    scratch_expect(s, DIAG_OUTSIDE, "leads out of the model folder");
    set.diag = s->diag;
    assert_null(out_open_in(&set, &(struct folder_file){s->folder, "w.dat/x"}));
    scratch_expect(s, DIAG_CANNOT_WRITE, "Not a directory");
    set.diag = s->diag;
    assert_null(out_open_in(&set, &(struct folder_file){s->folder, "up"}));
    scratch_expect(s, DIAG_CANNOT_WRITE, "Is a directory");
    set.diag = s->diag;
    assert_false(out_commit(&set, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(a_file_is_opened_where_it_is_named),
        scratch_test(a_name_as_written_comes_before_one_in_another_case),
        scratch_test(links_are_followed_inside_and_no_further),
        scratch_test(what_is_no_file_is_refused_with_the_reason),
        scratch_test(separators_lead_into_folders),
        scratch_test(the_exact_name_is_preferred_to_another_case),
        scratch_test(links_inside_the_folder_are_followed),
        scratch_test(links_out_of_the_folder_are_refused),
        scratch_test(the_path_to_write_is_the_label_as_written),
        scratch_test(nothing_is_written_outside_the_folder),
        scratch_test(a_file_is_written_where_it_is_placed),
    };
    return cmocka_run_group_tests_name("path", tests, NULL, NULL);
}
