/*
 * test_pnnx_write.c - models of PNNX are written as they were read: text and weights, both or none
 *
 * Those of pnnx/ in NNEFC_SHARED, or in ../shared; without it the tests of them are skipped.
 */
#include "nnefc/pnnx.h"

#include "convert/pnnx/archive.h"
#include "diag/context.h"
#include "file/file.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/pnnx_rows.h"
#include "support/t.h"

enum { ROOM = 1 << 24 };

static char folder[] = "/tmp/pnnx-write-XXXXXX";
static char text_file[sizeof folder + 16], weights_file[sizeof folder + 16];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(text_file, sizeof text_file, "%s/m.pnnx.param", folder);
    snprintf(weights_file, sizeof weights_file, "%s/m.pnnx.bin", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    remove(text_file);
    remove(weights_file);
    return rmdir(folder);
}

static struct nnefc_model *load(const char *path)
{
    struct nnefc_model *model = nnefc_model_new();

    nnefc_model_set_pnnx_reading(model, NNEFC_PNNX_TO_READ);
    if (nnefc_model_load(model, path) == NNEFC_OK)
        return model;
    nnefc_model_print_diagnostics(model, stderr, NNEFC_PRINT_SHORT, false);
    fail_msg("%s cannot be loaded", path);
    return NULL;
}

/* --- what is compared ---------------------------------------------------------------------- */

static struct file_view view(struct context *context, const char *path)
{
    struct file_view file;

    assert_true(file_open(context->diag, path, &(struct file_request){.budget = ROOM}, &file));
    return file;
}

static bool is_blank(char c)
{
    return c != '\n' && isspace((unsigned char)c);
}

/* As diff -w: as if there were no blanks. */
static void expect_same_text(const char *one, const char *other)
{
    struct context *context = context_new();
    struct file_view a = view(context, one), b = view(context, other);
    const char *p = a.data, *q = b.data, *a_end = p + a.size, *b_end = q + b.size;

    for (int line = 1; p < a_end || q < b_end; line += p < a_end && *p == '\n', p++, q++) {
        while (p < a_end && is_blank(*p))
            p++;
        while (q < b_end && is_blank(*q))
            q++;
        if (p == a_end && q == b_end)
            break;
        if (p == a_end || q == b_end || *p != *q)
            fail_msg("%s:%d: is written in another way", one, line);
    }
    file_close(&a);
    file_close(&b);
    context_free(context);
}

static void expect_same_member(const struct pnnx_member *a, const struct pnnx_member *b)
{
    assert_non_null(b);
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->data, b->data, a->size);
}

/* The same members, of the same bytes. */
static void expect_same_weights(const char *one, const char *other)
{
    struct context *context = context_new();
    struct file_view a = view(context, one), b = view(context, other);
    struct pnnx_archive first, second;

    assert_true(pnnx_archive_open(context, one, a.data, a.size, &first));
    assert_true(pnnx_archive_open(context, other, b.data, b.size, &second));
    assert_int_equal(first.count, second.count);
    for (size_t i = 0; i < first.members.capacity; i++)
        if (first.members.slot[i].key)
            expect_same_member(first.members.slot[i].value,
                               map_get(&second.members, first.members.slot[i].key));
    pnnx_archive_close(&first);
    pnnx_archive_close(&second);
    file_close(&a);
    file_close(&b);
    context_free(context);
}

static void expect_same_bytes(const char *one, const char *other)
{
    struct context *context = context_new();
    struct file_view a = view(context, one), b = view(context, other);

    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    file_close(&a);
    file_close(&b);
    context_free(context);
}

/* --- models of the table ------------------------------------------------------------------- */

/* An archive of ZIP64 is one of a PNNX of today: ours has the same bytes. */
static void write_row(char *column[PNNX_COLUMNS])
{
    char path[PNNX_PATH_SIZE], weights[PNNX_PATH_SIZE];

    if (strcmp(column[PNNX_BIN], "none") == 0)
        return;
    pnnx_path_of(path, column);
    snprintf(weights, sizeof weights, "%.*s.bin", (int)(strlen(path) - strlen(".param")), path);
    struct nnefc_model *model = load(path);
    assert_int_equal(nnefc_model_write_pnnx(model, text_file), NNEFC_OK);
    nnefc_model_free(model);
    expect_same_text(path, text_file);
    expect_same_weights(weights, weights_file);
    if (strcmp(column[PNNX_BIN], "zip64") == 0)
        expect_same_bytes(weights, weights_file);
}

static void models_are_written_as_they_were_read(void **state)
{
    (void)state;
    if (pnnx_root())
        pnnx_for_rows("manifest.tsv", write_row);
    else
        skip();
}

/* --- what is refused ----------------------------------------------------------------------- */

static const char document[] = "version 1.0;\ngraph g( x ) -> ( y )\n{\n"
                               "    x = external<scalar>( shape = [2] );\n    y = neg( x );\n}\n";

static void models_of_other_formats_are_refused(void **state)
{
    struct nnefc_model *model = nnefc_model_new();

    (void)state;
    nnefc_model_set_pnnx_reading(model, NNEFC_PNNX_TO_READ);
    assert_int_equal(nnefc_model_load_text(model, "g", document, strlen(document)), NNEFC_OK);
    assert_int_equal(nnefc_model_write_pnnx(model, text_file), NNEFC_UNSUPPORTED);
    assert_non_null(strstr(nnefc_model_diagnostics(model)->at[0]->text, "'nnef'"));
    assert_int_not_equal(access(text_file, F_OK), 0);
    nnefc_model_free(model);
}

static void write_file(const char *path, const char *content)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

static const char small[] = "7767517\n2 1\npnnx.Input x 0 1 a #a=(2)f32\npnnx.Output y 1 0 a\n";

static void a_graph_is_not_written(void **state)
{
    struct nnefc_model *model = nnefc_model_new();

    (void)state;
    write_file(text_file, small);
    assert_int_equal(nnefc_model_load(model, text_file), NNEFC_OK);
    assert_int_equal(nnefc_model_write_pnnx(model, text_file), NNEFC_USAGE);
    nnefc_model_free(model);
    assert_int_equal(nnefc_model_write_pnnx(NULL, text_file), NNEFC_USAGE);
}

static void what_is_written_as_it_was_has_no_extents_to_set(void **state)
{
    struct nnefc_model *model = nnefc_model_new();
    const int64_t extent = 3;

    (void)state;
    write_file(text_file, small);
    nnefc_model_set_pnnx_reading(model, NNEFC_PNNX_TO_READ);
    nnefc_model_set_shape(model, "x", 1, &extent);
    assert_int_equal(nnefc_model_load(model, text_file), NNEFC_OK);
    assert_int_not_equal(nnefc_model_write_pnnx(model, text_file), NNEFC_OK);
    assert_non_null(strstr(nnefc_model_diagnostics(model)->at[0]->text, "'x'"));
    nnefc_model_free(model);
}

/* Whatever was refused is refused again. */
static void weights_that_cannot_be_read_are_not_written(void **state)
{
    struct nnefc_model *model = nnefc_model_new();
    static const char text[] = "7767517\n2 1\npnnx.Attribute w 0 1 a @data=(2)f32\nO y 1 0 a\n";

    (void)state;
    write_file(text_file, text);
    write_file(weights_file, "no archive");
    nnefc_model_set_pnnx_reading(model, NNEFC_PNNX_TO_READ);
    assert_int_equal(nnefc_model_load(model, text_file), NNEFC_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(nnefc_model_write_pnnx(model, text_file), NNEFC_INVALID);
    assert_int_equal(nnefc_model_write_pnnx(model, "/dev/null"), NNEFC_OK);
    nnefc_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_of_other_formats_are_refused),
        cmocka_unit_test(a_graph_is_not_written),
        cmocka_unit_test(what_is_written_as_it_was_has_no_extents_to_set),
        cmocka_unit_test(weights_that_cannot_be_read_are_not_written),
        cmocka_unit_test(models_are_written_as_they_were_read),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
