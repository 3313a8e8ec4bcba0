/* test_explain.c - every code is explained, and its examples are what they are said to be */
#include "nnefc/nnefc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/t.h"

enum { DOCUMENT_SIZE = 4096 };

static const char enabled[] = "version 1.0;\n"
                              "extension KHR_enable_fragment_definitions;\n"
                              "extension KHR_enable_operator_expressions;\n";
static const char graph[] = "graph g( x ) -> ( y )\n{\n"
                            "    x = external<scalar>(shape = [1,4,8,8]);\n";

static bool begins_with(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* The whole document that an example is part of. */
static void complete(const char *example, bool whole, char document[DOCUMENT_SIZE])
{
    const char *statements = "y = neg(x);\n";
    const char *declarations = "";

    if (whole || begins_with(example, "version") || begins_with(example, "graph")) {
        snprintf(document, DOCUMENT_SIZE, "%s", example);
        return;
    }
    if (begins_with(example, "fragment"))
        declarations = example;
    else
        statements = example;
    snprintf(document, DOCUMENT_SIZE, "%s%s%s%s}\n", enabled, declarations, graph, statements);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void run_on_random_input(struct nnefc_model *model)
{
    struct nnefc_run *run = nnefc_run_new(model);

    if (run && nnefc_run_randomize_input(run, 0, 1) == NNEFC_OK)
        nnefc_run_step(run);
    nnefc_run_free(run);
}

static struct nnefc_model *try_example(const struct nnefc_explanation *e, const char *example)
{
    struct nnefc_model *model = nnefc_model_new();
    char document[DOCUMENT_SIZE], quant[] = "nnefc-test-XXXXXX";
    bool quantized = e->kind == NNEFC_EXAMPLE_QUANT;

    if (quantized) {
        close(mkstemp(quant));
        write_file(quant, example);
        nnefc_model_set_quant_file(model, quant);
    }
    if (e->kind == NNEFC_EXAMPLE_WALL)
        nnefc_model_set_warning(model, "all", NNEFC_WARNING_ON);
    if (e->kind == NNEFC_EXAMPLE_PNNX)
        nnefc_model_set_format(model, NNEFC_FORMAT_PNNX);
    nnefc_model_set_pedantic(model, e->kind == NNEFC_EXAMPLE_PEDANTIC);
    complete(quantized ? "y = neg(x);\n" : example, e->kind == NNEFC_EXAMPLE_PNNX, document);
    nnefc_model_load_text(model, "example", document, strlen(document));
    if (e->kind == NNEFC_EXAMPLE_RUN && nnefc_model_status(model) == NNEFC_OK)
        run_on_random_input(model);
    if (quantized)
        unlink(quant);
    return model;
}

/* How many diagnostics the example has other than `code`, or 1 if it has none where it should. */
static int faults(const struct nnefc_explanation *e, const char *example, const char *code)
{
    struct nnefc_model *model = try_example(e, example);
    int count = nnefc_model_diagnostics(model)->count, others = code && count == 0;

    if (others)
        print_error("%s: nothing is reported\n", e->code);
    for (int i = 0; i < count; i++) {
        const struct nnefc_diagnostic *said = nnefc_model_diagnostics(model)->at[i];
        if (code && strcmp(said->code, code) == 0)
            continue;
        print_error("%s, %s example, line %d: %s: %s\n", e->code, code ? "wrong" : "right",
                    said->line, said->code, said->text);
        others++;
    }
    nnefc_model_free(model);
    return others;
}

static bool is_tried_here(const struct nnefc_explanation *e)
{
    return e->kind != NNEFC_EXAMPLE_NONE && e->kind != NNEFC_EXAMPLE_COMMAND &&
           e->kind != NNEFC_EXAMPLE_CLIENT; /* tests/cli/explain.sh tries these */
}

static void wrong_examples_have_that_fault_and_no_other(void **state)
{
    const struct nnefc_explanation_list *all = nnefc_catalogue_explanations(*state);
    int others = 0, tried = 0;

    for (int i = 0; i < all->count; i++)
        if (is_tried_here(all->at[i])) {
            others += faults(all->at[i], all->at[i]->wrong, all->at[i]->code);
            tried++;
        }
    assert_int_equal(others, 0);
    assert_true(tried > 100);
}

static void right_examples_have_no_fault(void **state)
{
    const struct nnefc_explanation_list *all = nnefc_catalogue_explanations(*state);
    int others = 0;

    for (int i = 0; i < all->count; i++)
        if (is_tried_here(all->at[i]))
            others += faults(all->at[i], all->at[i]->right, NULL);
    assert_int_equal(others, 0);
}

static void every_code_is_explained_and_found(void **state)
{
    const struct nnefc_explanation_list *all = nnefc_catalogue_explanations(*state);

    for (int i = 0; i < all->count; i++) {
        const struct nnefc_explanation *e = all->at[i];
        assert_non_null(e->text);
        assert_non_null(e->chapter);
        assert_int_equal(e->text[strlen(e->text) - 1], '\n');
        assert_int_equal(e->wrong == NULL, e->kind == NNEFC_EXAMPLE_NONE);
        assert_int_equal(e->right == NULL, e->kind == NNEFC_EXAMPLE_NONE);
        assert_ptr_equal(nnefc_catalogue_explain(*state, e->code), e);
        assert_ptr_equal(nnefc_catalogue_explain(*state, e->code + 1), e);
    }
    assert_true(all->count > 100);
    assert_null(all->at[all->count]);
}

static void codes_are_found_however_they_are_written(void **state)
{
    static const char *const names[] = {"N0090", "n0090", "0090", "90", "N90", NULL};
    static const char *const wrong[] = {"", "N", "N00900", "9x", "-90", "N9999", "M0090", NULL};

    for (int i = 0; wrong[i]; i++)
        assert_null(nnefc_catalogue_explain(*state, wrong[i]));
    assert_null(nnefc_catalogue_explain(*state, NULL));
    assert_null(nnefc_catalogue_explain(NULL, "N0090"));
    for (int i = 0; names[i]; i++) {
        assert_string_equal(nnefc_catalogue_explain(*state, names[i])->title, "type mismatch");
        assert_string_equal(nnefc_catalogue_explain(*state, names[i])->section, "3.3.1");
    }
}

static int begin_catalogue(void **state)
{
    *state = nnefc_catalogue_new();
    return 0;
}

static int end_catalogue(void **state)
{
    nnefc_catalogue_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_is_explained_and_found),
        cmocka_unit_test(codes_are_found_however_they_are_written),
        cmocka_unit_test(wrong_examples_have_that_fault_and_no_other),
        cmocka_unit_test(right_examples_have_no_fault),
    };

    return cmocka_run_group_tests(tests, begin_catalogue, end_catalogue);
}
