/* test_texts.c - texts of a model: drafts of them, the fixes made in them, writing them */
#include "nnefc/nnefc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/t.h"

static const char wrong[] =
    "version 1.0;\ngraph g(x) -> (y) { x = external(shape = [1]); y = x * 2; }\n";
static const char right[] = "version 1.0;\nextension KHR_enable_operator_expressions;\n"
                            "graph g(x) -> (y) { x = external(shape = [1]); y = x * 2.0; }\n";

struct fixture {
    char folder[32];
    char document[64], quant[64];
    struct nnefc_model *model;
};

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void assert_file(const char *path, const char *expected)
{
    char text[1024];
    FILE *file = fopen(path, "rb");

    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, expected);
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    assert_non_null(f);
    strcpy(f->folder, "/tmp/nnefc-texts-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->document, sizeof f->document, "%s/graph.nnef", f->folder);
    snprintf(f->quant, sizeof f->quant, "%s/graph.quant", f->folder);
    write_file(f->document, wrong);
    f->model = nnefc_model_new();
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    nnefc_model_free(f->model);
    unlink(f->document);
    unlink(f->quant);
    rmdir(f->folder);
    free(f);
    return 0;
}

static void the_texts_that_were_read_are_told(void **state)
{
    struct fixture *f = *state;

    write_file(f->document, right);
    write_file(f->quant, "\"x\": linear_quantize(min = 0.0, max = 1.0, bits = 8);\n");
    assert_null(nnefc_model_text(f->model, NNEFC_PART_DOCUMENT).name);
    assert_int_equal(nnefc_model_load(f->model, f->folder), NNEFC_OK);
    struct nnefc_text text = nnefc_model_text(f->model, NNEFC_PART_DOCUMENT);
    assert_string_equal(text.name, f->document);
    assert_string_equal(text.path, f->document);
    assert_string_equal(text.data, right);
    assert_int_equal(text.size, strlen(right));
    assert_string_equal(nnefc_model_text(f->model, NNEFC_PART_QUANT).path, f->quant);
    assert_null(nnefc_model_text(NULL, NNEFC_PART_QUANT).name);
}

static void a_text_from_memory_has_no_path(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(nnefc_model_load_text(f->model, "m.nnef", right, strlen(right)), NNEFC_OK);
    assert_string_equal(nnefc_model_text(f->model, NNEFC_PART_DOCUMENT).name, "m.nnef");
    assert_null(nnefc_model_text(f->model, NNEFC_PART_DOCUMENT).path);
    assert_null(nnefc_model_text(f->model, NNEFC_PART_QUANT).name);
}

static void a_draft_is_read_instead_of_its_file(void **state)
{
    struct fixture *f = *state;

    write_file(f->quant, "nonsense");
    assert_int_equal(nnefc_model_set_text(f->model, f->document, "v", 1), NNEFC_OK);
    assert_int_equal(nnefc_model_set_text(f->model, f->document, right, strlen(right)), NNEFC_OK);
    assert_int_equal(nnefc_model_set_text(f->model, f->quant, "", 0), NNEFC_OK);
    assert_int_equal(nnefc_model_load(f->model, f->folder), NNEFC_OK);
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 0);
    assert_string_equal(nnefc_model_text(f->model, NNEFC_PART_DOCUMENT).data, right);
    assert_file(f->document, wrong);
    assert_int_equal(nnefc_model_set_text(f->model, f->document, "", 0), NNEFC_USAGE);
}

static void a_draft_of_standard_input_is_not_waited_for(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(nnefc_model_set_text(f->model, "-", right, strlen(right)), NNEFC_OK);
    assert_int_equal(nnefc_model_load(f->model, "-"), NNEFC_OK);
    assert_string_equal(nnefc_model_text(f->model, NNEFC_PART_DOCUMENT).name, "<stdin>");
    assert_string_equal(nnefc_model_text(f->model, NNEFC_PART_DOCUMENT).path, "-");
}

static void a_draft_has_the_limit_of_a_text(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(nnefc_model_set_limit(f->model, NNEFC_LIMIT_TEXT, 10), NNEFC_OK);
    assert_int_equal(nnefc_model_set_text(f->model, f->document, wrong, 11), NNEFC_INVALID);
    assert_int_equal(nnefc_model_set_text(f->model, f->document, wrong, 10), NNEFC_OK);
    assert_int_equal(nnefc_model_set_text(f->model, NULL, wrong, 10), NNEFC_USAGE);
    assert_int_equal(nnefc_model_set_text(NULL, f->document, wrong, 10), NNEFC_USAGE);
}

static void fixes_are_made_until_none_is_left(void **state)
{
    struct fixture *f = *state;
    char *text;
    size_t size;

    assert_int_equal(nnefc_model_load(f->model, f->document), NNEFC_INVALID);
    assert_int_equal(nnefc_model_fixed_text(f->model, NNEFC_PART_QUANT, &text, &size), 0);
    assert_null(text);
    assert_int_equal(nnefc_model_fixed_text(f->model, NNEFC_PART_DOCUMENT, &text, &size), 2);
    assert_string_equal(text, right);
    assert_int_equal(size, strlen(right));
    nnefc_model_free(f->model);
    f->model = nnefc_model_new();
    assert_int_equal(nnefc_model_set_text(f->model, f->document, text, size), NNEFC_OK);
    free(text);
    assert_int_equal(nnefc_model_load(f->model, f->document), NNEFC_OK);
    assert_int_equal(nnefc_model_fixed_text(f->model, NNEFC_PART_DOCUMENT, &text, &size), 0);
    assert_null(text);
}

static void a_written_text_replaces_its_file_and_keeps_its_permissions(void **state)
{
    struct fixture *f = *state;
    struct stat status;

    assert_int_equal(chmod(f->document, 0604), 0);
    assert_int_equal(nnefc_model_write_text(f->model, f->document, right, strlen(right)), NNEFC_OK);
    assert_file(f->document, right);
    assert_int_equal(stat(f->document, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0604);
    assert_int_equal(nnefc_model_write_text(f->model, "/nowhere/x.nnef", right, 1), NNEFC_FILE);
    assert_int_equal(nnefc_model_write_text(f->model, NULL, right, 1), NNEFC_USAGE);
    assert_int_equal(nnefc_model_write_text(NULL, f->document, right, 1), NNEFC_USAGE);
}

static void a_text_that_was_read_is_replaced_by_force_only(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(nnefc_model_load(f->model, f->document), NNEFC_INVALID);
    assert_int_equal(nnefc_model_write_text(f->model, f->document, right, 1), NNEFC_FILE);
    assert_int_equal(nnefc_model_set_force(f->model, true), NNEFC_OK);
    assert_int_equal(nnefc_model_write_text(f->model, f->document, right, strlen(right)), NNEFC_OK);
    assert_file(f->document, right);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_texts_that_were_read_are_told),
        TEST(a_text_from_memory_has_no_path),
        TEST(a_draft_is_read_instead_of_its_file),
        TEST(a_draft_of_standard_input_is_not_waited_for),
        TEST(a_draft_has_the_limit_of_a_text),
        TEST(fixes_are_made_until_none_is_left),
        TEST(a_written_text_replaces_its_file_and_keeps_its_permissions),
        TEST(a_text_that_was_read_is_replaced_by_force_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
