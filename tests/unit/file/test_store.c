/* test_store.c - models in folders and archives, and archives that are not what they seem */
#include "file/store.h"

#include "file/path.h"

#include "base/limits.h"

#include "file/container.h"
#include "file/file.h"

#include "unit/file/archive.h"

static const struct entry model[] = {
    {.name = "graph.nnef", .text = "the document"},
    {.name = "graph.quant", .text = "the quantization"},
    {.name = "conv1/filter.dat", .text = "the filter"},
    {.name = "conv1/bias.dat", .text = "the bias"},
    {0},
};

static struct store *open_archive(struct scratch *s, const char *name, const struct entry *entries)
{
    struct store *store =
        store_open(s->diag, &limits_standard, archive_put(s, name, ARCHIVE_FILTER_GZIP, entries));

    if (!store)
        fail_msg("%s", diag_at(s->diag, 0).text);
    return store;
}

static void expect_document(struct scratch *s, struct store *store, const char *text)
{
    size_t size;
    char *data;

    assert_true(store_document(s->diag, store, &data, &size));
    assert_int_equal(size, strlen(text));
    assert_string_equal(data, text);
    free(data);
}

static void expect_data(struct scratch *s, struct store *store, const char *label, const char *text)
{
    struct found_file found;

    if (!store_data(s->diag, store, label, &found, NULL))
        fail_msg("%s: %s", label, diag_at(s->diag, 0).text);
    assert_int_equal(found.view.size, strlen(text));
    assert_memory_equal(found.view.data, text, found.view.size);
    assert_int_equal(strncmp(found.path, s->folder, strlen(s->folder)), 0);
    file_close(&found.view);
    free(found.path);
}

static void expect_no_data(struct scratch *s, struct store *store, const char *label,
                           enum diag_code code, const char *part)
{
    struct found_file found;
    struct path_fault fault = {0};

    assert_false(store_data(s->diag, store, label, &found, NULL));
    scratch_expect(s, code, part);
    assert_false(store_data(s->diag, store, label, &found, &fault));
    if (fault.why)
        path_report(s->diag, &fault);
    scratch_expect(s, code, part);
}

static void expect_code(struct scratch *s, const struct entry *entries, enum diag_code code,
                        const char *part)
{
    struct store *store = store_open(s->diag, &limits_standard,
                                     archive_put(s, "m.tgz", ARCHIVE_FILTER_GZIP, entries));
    size_t size;
    char *data;

    assert_true(!store || !store_document(s->diag, store, &data, &size));
    scratch_expect(s, code, part);
    store_close(store);
}

static void expect_refused(struct scratch *s, const struct entry *entries, const char *part)
{
    expect_code(s, entries, DIAG_ARCHIVE, part);
}

static void expect_model(struct scratch *s, struct store *store)
{
    const char *labels[] = {"conv1/filter", "conv1/bias", "absent", "../x"};
    struct store_order order = {labels, 4, 100};
    size_t size;
    char *data;

    expect_document(s, store, "the document");
    assert_true(store_text(s->diag, store, "graph.quant", &data, &size));
    assert_string_equal(data, "the quantization");
    free(data);
    assert_true(store_text(s->diag, store, "graph.other", &data, &size));
    assert_null(data);
    assert_true(store_prepare(s->diag, store, &order));
    expect_data(s, store, "conv1/filter", "the filter");
    expect_data(s, store, "conv1/filter", "the filter");
    expect_data(s, store, "/CONV1\\Bias", "the bias");
    expect_no_data(s, store, "absent", DIAG_CANNOT_READ, "cannot read");
    expect_no_data(s, store, "../x", DIAG_LABEL, "component '..'");
    store_close(store);
}

/* --- where a model may be ---------------------------------------------------------------- */

static void an_archive_is_known_by_its_content(void **state)
{
    static const int filters[] = {
        ARCHIVE_FILTER_NONE, ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_BZIP2,
        ARCHIVE_FILTER_XZ,   ARCHIVE_FILTER_LZMA, ARCHIVE_FILTER_LZIP,
        ARCHIVE_FILTER_LZ4,  ARCHIVE_FILTER_ZSTD, ARCHIVE_FILTER_COMPRESS};
    struct scratch *s = *state;

    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
        struct store *store =
            store_open(s->diag, &limits_standard, archive_put(s, "m.nnef", filters[i], model));
        if (!store)
            fail_msg("filter %d: %s", filters[i], diag_at(s->diag, 0).text);
        assert_null(store_folder(store));
        expect_model(s, store);
    }
    expect_model(s, store_open(s->diag, &limits_standard,
                               archive_put(s, "m.zip", ARCHIVE_FILTER_NONE, model)));
}

static void a_folder_is_the_same(void **state)
{
    struct scratch *s = *state;

    assert_int_equal(mkdir(scratch_path(s, "conv1"), 0777), 0);
    for (const struct entry *e = model; e->name; e++)
        scratch_put(s, e->name, e->text, strlen(e->text));
    expect_model(s, store_open(s->diag, &limits_standard, s->folder));
    expect_model(s, store_open(s->diag, &limits_standard, scratch_path(s, "graph.nnef")));
}

static void data_may_lie_elsewhere(void **state)
{
    struct scratch *s = *state;
    struct store *store = store_open_data(s->diag, &limits_standard,
                                          archive_put(s, "m.tar", ARCHIVE_FILTER_NONE, model + 2));

    expect_data(s, store, "conv1/bias", "the bias");
    store_close(store);
    store = store_open_data(s->diag, &limits_standard, scratch_path(s, "no such folder"));
    assert_string_equal(store_folder(store), s->path);
    store_close(store);
    assert_null(
        store_open_data(s->diag, &limits_standard, scratch_put(s, "text", "version 1.0;", 12)));
    scratch_expect(s, DIAG_ARCHIVE, "neither a folder nor an archive");
}

/* --- names ------------------------------------------------------------------------------- */

static void stray_members_and_untidy_names_do_not_matter(void **state)
{
    static const struct entry entries[] = {
        {.name = "./", .type = ENTRY_FOLDER},
        {.name = "./._graph.nnef", .text = "from a Mac"},
        {.name = ".//graph.nnef", .text = "the document"},
        {.name = "./README", .text = "read me"},
        {.name = "./Conv1\\Filter.dat", .text = "the filter"},
        {.name = "./conv2/a.DAT", .text = "upper"},
        {.name = "./conv2/a.dat", .text = "exact"},
        {0},
    };
    struct scratch *s = *state;
    struct store *store = open_archive(s, "m.tgz", entries);

    expect_document(s, store, "the document");
    expect_data(s, store, "conv1/filter", "the filter");
    expect_data(s, store, "conv2/a", "exact");
    store_close(store);
}

static void one_folder_may_be_around_the_model(void **state)
{
    static const struct entry wrapped[] = {
        {.name = "net/", .type = ENTRY_FOLDER},
        {.name = "__MACOSX/._graph.nnef", .text = "from a Mac"},
        {.name = "net/graph.nnef", .text = "the document"},
        {.name = "net/w.dat", .text = "inside"},
        {.name = "w.dat", .text = "outside"},
        {0},
    };
    static const struct entry two[] = {
        {.name = "a/graph.nnef", .text = "a"},
        {.name = "b/graph.nnef", .text = "b"},
        {0},
    };
    struct scratch *s = *state;
    struct store *store = open_archive(s, "m.tgz", wrapped);

    expect_document(s, store, "the document");
    expect_data(s, store, "w", "inside");
    store_close(store);
    expect_refused(s, two, "several models: 'a/graph.nnef' and 'b/graph.nnef'");
}

static void the_last_of_one_name_counts(void **state)
{
    static const struct entry entries[] = {
        {.name = "w.dat", .text = "old"},     {.name = "graph.nnef", .text = "old"},
        {.name = "./w.dat", .text = "newer"}, {.name = "./graph.nnef", .text = "newer"},
        {.name = "w.dat", .text = "newest"},  {0},
    };
    struct scratch *s = *state;
    struct store *store = open_archive(s, "m.tgz", entries);

    expect_document(s, store, "newer");
    expect_data(s, store, "w", "newest");
    store_close(store);
}

static void only_files_are_read(void **state)
{
    static const struct entry entries[] = {
        {.name = "graph.nnef", .text = "the document"},
        {.name = "a.dat", .text = "x/../graph.nnef", .type = ENTRY_SYMLINK},
        {.name = "b.dat", .text = "graph.nnef", .type = ENTRY_HARDLINK},
        {.name = "c.dat", .type = ENTRY_FIFO},
        {.name = "d.dat/", .type = ENTRY_FOLDER},
        {0},
    };
    struct scratch *s = *state;
    struct store *store = open_archive(s, "m.tgz", entries);

    expect_no_data(s, store, "a", DIAG_ARCHIVE, "not followed");
    expect_no_data(s, store, "b", DIAG_ARCHIVE, "not followed");
    expect_no_data(s, store, "c", DIAG_ARCHIVE, "not followed");
    expect_no_data(s, store, "d", DIAG_CANNOT_READ, "no such member");
    store_close(store);
}

static void an_archive_without_document_says_so(void **state)
{
    expect_refused(*state, model + 1, "no member 'graph.nnef'");
}

/* Whatever else is in the archive. */
static void what_leads_out_of_an_archive_is_refused(void **state)
{
    static const char *const names[] = {
        "/graph.nnef", "../graph.nnef", "x/../graph.nnef", "\\a", "a/..", "a\\..\\b", "C:/a",
        "d:a"};
    static const struct entry links[] = {
        {.name = "b.dat", .text = "/etc/passwd", .type = ENTRY_SYMLINK},
        {.name = "b/c.dat", .text = "../../x", .type = ENTRY_SYMLINK},
        {.name = "b/c.dat", .text = "../d/../../x", .type = ENTRY_SYMLINK},
        {.name = "b.dat", .text = "../x", .type = ENTRY_HARDLINK},
        {.name = "b.dat", .text = "/x", .type = ENTRY_HARDLINK},
    };
    struct entry entries[] = {{.name = "graph.nnef", .text = "x"}, {.text = "y"}, {0}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        entries[1].name = names[i];
        expect_code(*state, entries, DIAG_OUTSIDE, "leads out of the archive");
    }
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        entries[1] = links[i];
        expect_code(*state, entries, DIAG_OUTSIDE, "which leads out of the archive");
    }
}

/* --- hostile archives -------------------------------------------------------------------- */

/* Whatever is missing, there is an error or the whole; and an error is reported once. */
static void expect_whole_or_error(struct scratch *s)
{
    struct store *store = store_open(s->diag, &limits_standard, s->path);
    size_t size;
    char *data;

    if (store && store_document(s->diag, store, &data, &size)) {
        struct found_file found;
        free(data);
        if (store_data(s->diag, store, "conv1/bias", &found, NULL)) {
            assert_memory_equal(found.view.data, "the bias", 8);
            file_close(&found.view);
            free(found.path);
            store_close(store);
            return;
        }
    }
    assert_int_equal(diag_count(s->diag), 1);
    diag_free(s->diag);
    s->diag = diag_new(NULL);
    store_close(store);
}

static void cut_anywhere(struct scratch *s, const char *name, int filter)
{
    size_t size, step;

    archive_put(s, name, filter, model);
    scratch_get(s, name);
    size = s->size;
    step = size / 600 + 1;
    for (size_t cut = 0; cut < size; cut += step) {
        scratch_put(s, name, s->bytes, cut);
        expect_whole_or_error(s);
    }
    for (size_t at = 0; at < size; at += step) {
        s->bytes[at] ^= 0x41;
        scratch_put(s, name, s->bytes, size);
        s->bytes[at] ^= 0x41;
        struct store *store = store_open(s->diag, &limits_standard, s->path);
        store_close(store);
        diag_free(s->diag);
        s->diag = diag_new(NULL);
    }
}

static void a_damaged_archive_is_an_error(void **state)
{
    cut_anywhere(*state, "m.tar", ARCHIVE_FILTER_NONE);
    cut_anywhere(*state, "m.tgz", ARCHIVE_FILTER_GZIP);
    cut_anywhere(*state, "m.txz", ARCHIVE_FILTER_XZ);
    cut_anywhere(*state, "m.tzst", ARCHIVE_FILTER_ZSTD);
    cut_anywhere(*state, "m.zip", ARCHIVE_FILTER_NONE);
}

/* The size of the first member of a tar, and the sum of its header. */
static void set_size(struct scratch *s, const char *octal)
{
    unsigned sum = 8 * ' ';
    char text[8];

    memcpy(s->bytes + 124, octal, 11);
    for (int i = 0; i < 512; i++)
        sum += i >= 148 && i < 156 ? 0 : s->bytes[i];
    snprintf(text, sizeof text, "%06o", sum);
    memcpy(s->bytes + 148, text, 7);
}

static void a_lying_size_takes_no_memory(void **state)
{
    struct scratch *s = *state;

    archive_put(s, "m.tar", ARCHIVE_FILTER_NONE, model);
    scratch_get(s, "m.tar");
    set_size(s, "60000000000"); /* 6 GiB */
    assert_null(store_open(s->diag, &limits_standard, scratch_put(s, "m.tar", s->bytes, s->size)));
    scratch_expect(s, DIAG_ARCHIVE_LIMIT, "unpacks to more than 26");
    set_size(s, "01000000000"); /* 128 MiB */
    assert_null(store_open(s->diag, &limits_standard, scratch_put(s, "m.tar", s->bytes, s->size)));
    scratch_expect(s, DIAG_ARCHIVE, "runcated");
}

static void data_beyond_the_limit_are_not_read(void **state)
{
    const char *labels[] = {"conv1/filter", "conv1/bias"};
    struct scratch *s = *state;
    struct store *store = open_archive(s, "m.tgz", model);
    struct store_order order = {labels, 2, 17};

    assert_false(store_prepare(s->diag, store, &order));
    scratch_expect(s, DIAG_ARCHIVE_LIMIT, "more than is of use");
    order.limit++;
    assert_true(store_prepare(s->diag, store, &order));
    store_close(store);
}

/* Names that deflate to nothing. */
static void a_list_of_members_is_bounded(void **state)
{
    struct scratch *s = *state;
    char *name = calloc(1, 60001);
    struct archive *archive = archive_write_new();

    assert_non_null(name);
    memset(name, 'a', 60000);
    assert_int_equal(archive_write_add_filter_gzip(archive), ARCHIVE_OK);
    assert_int_equal(archive_write_set_format_gnutar(archive), ARCHIVE_OK);
    assert_int_equal(archive_write_open_filename(archive, scratch_path(s, "m.tgz")), ARCHIVE_OK);
    for (int i = 0; i < 1200; i++) {
        snprintf(name + 59000, 1000, "%d", i);
        archive_add(archive, &(struct entry){.name = name, .text = ""});
    }
    assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
    archive_write_free(archive);
    free(name);
    assert_null(store_open(s->diag, &limits_standard, s->path));
    scratch_expect(s, DIAG_ARCHIVE_LIMIT, "members");
}

static void what_is_taken_outlives_the_container(void **state)
{
    struct scratch *s = *state;
    struct file_view file;

    archive_put(s, "m.tar", ARCHIVE_FILTER_NONE, model);
    assert_true(file_open(s->diag, s->path, &(struct file_request){.budget = INT64_MAX}, &file));
    struct container *c = container_open(s->diag, &limits_standard, "m.tar", &file, NULL);
    assert_non_null(c);
    struct archive_member *member = container_find(c, "conv1/bias.dat");
    assert_non_null(member);
    member->wanted = true;
    assert_true(container_fetch(s->diag, c, 8));
    assert_true(member->view.borrowed); /* read where it lies */
    struct file_view view = container_take(member);
    container_close(c);
    assert_memory_equal(view.data, "the bias", view.size);
    file_close(&view);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(an_archive_is_known_by_its_content),
        scratch_test(a_folder_is_the_same),
        scratch_test(data_may_lie_elsewhere),
        scratch_test(stray_members_and_untidy_names_do_not_matter),
        scratch_test(one_folder_may_be_around_the_model),
        scratch_test(the_last_of_one_name_counts),
        scratch_test(only_files_are_read),
        scratch_test(an_archive_without_document_says_so),
        scratch_test(what_leads_out_of_an_archive_is_refused),
        scratch_test(a_damaged_archive_is_an_error),
        scratch_test(a_lying_size_takes_no_memory),
        scratch_test(data_beyond_the_limit_are_not_read),
        scratch_test(a_list_of_members_is_bounded),
        scratch_test(what_is_taken_outlives_the_container),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
