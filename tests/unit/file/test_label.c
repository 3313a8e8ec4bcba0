/* test_label.c - labels find their files, and only those inside the model folder */
#include "file/label.h"

#include "unit/base/scratch.h"

static void labels_of_the_standard_are_valid(void **state)
{
    static const char *const good[] = {"a", "/conv1/filter", "conv1\\filter", "v-1.0_x", "..a/b."};
    static const char *const bad[] = {"",     "/",    "a b",    "a//b", "//a",
                                      "a/",   "../x", "a/../b", ".",    "a/./b",
                                      "\\..", "a:b",  "a\nb",   "c:/x", "\xc3\xa9"};

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(label_valid(good[i], NULL));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *why = NULL;
        assert_false(label_valid(bad[i], &why));
        assert_non_null(why);
    }
}

static void labels_are_compared_without_case(void **state)
{
    (void)state;
    assert_true(label_equal("/Conv1/Filter", "conv1\\filter"));
    assert_false(label_equal("conv1", "conv"));
    assert_false(label_equal("conv", "conv1"));
}

static void case_is_the_last_to_tell_labels_apart(void **state)
{
    (void)state;
    assert_int_equal(label_compare("/Conv1/Filter", "conv1\\filter", false), 0);
    assert_int_equal(label_compare("/conv1/filter", "conv1\\filter", true), 0);
    assert_true(label_compare("Conv1", "/conv1", true) < 0);
    assert_true(label_compare("conv1", "/Conv1", true) > 0);
    assert_true(label_compare("conv", "Conv1", true) < 0);
    assert_true(label_compare("b", "A", true) > 0);
}

static void make_folder(struct scratch *s, const char *name)
{
    assert_int_equal(mkdir(scratch_path(s, name), 0777), 0);
}

static void make_link(struct scratch *s, const char *target, const char *name)
{
    assert_int_equal(symlink(target, scratch_path(s, name)), 0);
}

static void expect_found(struct scratch *s, const char *label, const char *file)
{
    char *path = label_find(s->diag, s->folder, label);

    if (!path)
        fail_msg("%s: %s", label, diag_at(s->diag, 0).text);
    assert_string_equal(path, scratch_path(s, file));
    free(path);
}

static void expect_fault(struct scratch *s, const char *label, enum diag_code code,
                         const char *part)
{
    assert_null(label_find(s->diag, s->folder, label));
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
    make_link(s, "../blobs/1", "conv/a.dat");
    make_link(s, "./conv", "alias");
    expect_found(s, "conv/a", "blobs/1");
    expect_found(s, "alias/a", "blobs/1");
}

static void links_out_of_the_folder_are_refused(void **state)
{
    struct scratch *s = *state;

    make_folder(s, "conv");
    make_link(s, "../../outside", "conv/a.dat");
    make_link(s, "/etc/passwd", "b.dat");
    make_link(s, "/etc", "etc");
    make_link(s, "c.dat", "c.dat");
    expect_fault(s, "conv/a", DIAG_OUTSIDE, "leads out of the model folder");
    expect_fault(s, "b", DIAG_OUTSIDE, "leads out of the model folder");
    expect_fault(s, "etc/passwd", DIAG_OUTSIDE, "leads out of the model folder");
    expect_fault(s, "c", DIAG_CANNOT_READ, "Too many levels");
}

static void expect_placed(struct scratch *s, const char *label, const char *file)
{
    char *path = label_place(s->diag, s->folder, label);

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
    make_link(s, "Conv1", "conv2");
    expect_placed(s, "conv2/filter", "Conv1/filter.dat");
}

static void nothing_is_written_outside_the_folder(void **state)
{
    struct scratch *s = *state;

    make_link(s, "/etc", "a");
    make_link(s, "../outside.dat", "b.dat");
    assert_null(label_place(s->diag, s->folder, "a/passwd"));
    scratch_expect(s, DIAG_OUTSIDE, "leads out of the model folder");
    assert_null(label_place(s->diag, s->folder, "b"));
    scratch_expect(s, DIAG_OUTSIDE, "leads out of the model folder");
    assert_null(label_place(s->diag, s->folder, "../c"));
    scratch_expect(s, DIAG_LABEL, "component '..'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_of_the_standard_are_valid),
        cmocka_unit_test(labels_are_compared_without_case),
        cmocka_unit_test(case_is_the_last_to_tell_labels_apart),
        scratch_test(separators_lead_into_folders),
        scratch_test(the_exact_name_is_preferred_to_another_case),
        scratch_test(links_inside_the_folder_are_followed),
        scratch_test(links_out_of_the_folder_are_refused),
        scratch_test(the_path_to_write_is_the_label_as_written),
        scratch_test(nothing_is_written_outside_the_folder),
    };
    return cmocka_run_group_tests_name("label", tests, NULL, NULL);
}
