/*
 * test_pnnx_models.c - models of PNNX: their counts, their faults, and what other engines computed
 *
 * They are those of pnnx/ in NNEFC_SHARED, or in ../shared, with their manifest.  Without it the
 * tests are skipped.  Results are compared as they are, and once the model was written in NNEF, as
 * it is and with the passes that run by default, and read again.
 */
#include "nnefc/nnefc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/pnnx_rows.h"
#include "support/t.h"

static void load(struct nnefc_model *model, const char *path)
{
    if (nnefc_model_load(model, path) == NNEFC_OK)
        return;
    nnefc_model_print_diagnostics(model, stderr, NNEFC_PRINT_SHORT, false);
    fail_msg("%s cannot be loaded", path);
}

/* --- counts -------------------------------------------------------------------------------- */

static int number_in(const char *column)
{
    return (int)strtol(column, NULL, 10);
}

static void count(char *column[PNNX_COLUMNS])
{
    struct nnefc_model *model = nnefc_model_new();
    char path[PNNX_PATH_SIZE];

    pnnx_path_of(path, column);
    nnefc_model_load(model, path);
    const struct nnefc_identity *identity = nnefc_model_identity(model);
    if (identity->format != NNEFC_FORMAT_PNNX ||
        identity->operators != number_in(column[PNNX_OPERATORS]) ||
        identity->operands != number_in(column[PNNX_OPERANDS]) ||
        identity->attributes != number_in(column[PNNX_ATTRIBUTES]))
        fail_msg("%s has %d operators, %d operands, %d attributes, expected %s, %s, %s",
                 column[PNNX_ID], identity->operators, identity->operands, identity->attributes,
                 column[PNNX_OPERATORS], column[PNNX_OPERANDS], column[PNNX_ATTRIBUTES]);
    nnefc_model_free(model);
}

static void counts_agree_with_the_manifest(void **state)
{
    (void)state;
    if (pnnx_root())
        pnnx_for_rows("manifest.tsv", count);
    else
        skip();
}

/* --- faults -------------------------------------------------------------------------------- */

/* name verdict line why bin */
static void judge(char *column[PNNX_COLUMNS])
{
    struct nnefc_model *model = nnefc_model_new();
    char path[PNNX_PATH_SIZE];

    snprintf(path, sizeof path, "%s/bad/%s.pnnx.param", pnnx_root(), column[0]);
    bool accepted = nnefc_model_load(model, path) == NNEFC_OK;
    const struct nnefc_diagnostic *first = nnefc_model_diagnostics(model)->at[0];
    int line = first ? first->line : 0;
    if (strcmp(column[1], "either") != 0 && accepted != (strcmp(column[1], "accept") == 0))
        fail_msg("%s: expected '%s'", column[0], column[1]);
    if (!accepted && nnefc_model_diagnostics(model)->count != 1)
        fail_msg("%s: %d reports", column[0], nnefc_model_diagnostics(model)->count);
    if (!accepted && strcmp(column[2], "-") != 0 && line != number_in(column[2]))
        fail_msg("%s: reported in line %d, expected %s", column[0], line, column[2]);
    nnefc_model_free(model);
}

static void broken_files_have_one_report_at_their_line(void **state)
{
    (void)state;
    if (pnnx_root())
        pnnx_for_rows("bad/cases.tsv", judge);
    else
        skip();
}

/* --- results ------------------------------------------------------------------------------- */

/* An input: "x1 2x3x4 pattern37", "x0 fill 1", without a shape if the model has it. */
struct recipe {
    int index;
    struct nnefc_type type; /* rank 0: that of the model */
    double fill;            /* NAN: the pattern */
};

static struct recipe read_recipe(const char *text)
{
    struct recipe recipe = {.fill = (double)NAN, .type = {.dtype = NNEFC_SCALAR}};
    const char *word = strchr(text, 'x');
    char *end;

    assert_non_null(word);
    recipe.index = (int)strtol(word + 1, &end, 10);
    for (end++; *end >= '0' && *end <= '9'; end += *end == 'x')
        recipe.type.extent[recipe.type.rank++] = strtol(end, &end, 10);
    end += *end == ' ';
    if (strncmp(end, "fill ", 5) == 0)
        recipe.fill = strtod(end + 5, NULL);
    return recipe;
}

static int read_recipes(const char *text, struct recipe recipes[2])
{
    const char *second = strchr(text, ';');

    recipes[0] = read_recipe(text);
    if (second)
        recipes[1] = read_recipe(second);
    return second ? 2 : 1;
}

static void feed(struct nnefc_run *run, const struct nnefc_model *model,
                 const struct recipe *recipe)
{
    struct nnefc_type type = nnefc_model_inputs(model)->at[recipe->index]->type;
    struct nnefc_tensor *tensor = nnefc_tensor_new(&type);

    assert_non_null(tensor);
    float *items = nnefc_tensor_data(tensor);
    for (int64_t i = 0; i < nnefc_tensor_count(tensor); i++)
        items[i] = isnan(recipe->fill) ? ((float)(37 * i % 101) - 50) / 50 : (float)recipe->fill;
    assert_int_equal(nnefc_run_set_input(run, recipe->index, tensor), NNEFC_OK);
    nnefc_tensor_free(tensor);
}

/* What the table allows: "abs 5e-6", "abs+rel 1e-5". */
struct tolerance {
    double absolute, relative;
};

static struct tolerance read_tolerance(const char *check)
{
    const char *absolute = strstr(check, "abs "), *both = strstr(check, "abs+rel ");
    const char *word = both ? both + strlen("abs+rel ") : absolute ? absolute + 4 : NULL;
    double number = word ? strtod(word, NULL) : 0;

    assert_true(number > 0 && number <= 1e-5);
    return (struct tolerance){number, both ? number : 0};
}

/* As far as the expected tensor goes: of some results only the first image is known. */
static void compare(const struct nnefc_tensor *got, const struct nnefc_tensor *expected,
                    const struct tolerance *allowed, const char *name)
{
    assert_true(nnefc_tensor_count(got) >= nnefc_tensor_count(expected));
    for (int64_t i = 0; i < nnefc_tensor_count(expected); i++) {
        double want = nnefc_tensor_item(expected, i), have = nnefc_tensor_item(got, i);
        if (!(fabs(have - want) <= allowed->absolute + allowed->relative * fabs(want)))
            fail_msg("%s: item %d is %g, expected %g", name, (int)i, have, want);
    }
}

static void compare_all(struct nnefc_model *model, const struct nnefc_run *run, char *const *column)
{
    char path[PNNX_PATH_SIZE];
    bool first_image = strstr(column[PNNX_CHECK], "out0_b0c0.dat") != NULL;
    const struct tolerance allowed = read_tolerance(column[PNNX_CHECK]);

    for (int i = 0; i < nnefc_model_outputs(model)->count; i++) {
        snprintf(path, sizeof path, "%s/%s/%s/out%d%s.dat", pnnx_root(), column[PNNX_FOLDER],
                 column[PNNX_ID], i, first_image ? "_b0c0" : "");
        struct nnefc_tensor *expected = nnefc_tensor_read(model, path);
        assert_non_null(expected);
        compare(nnefc_run_output(run, i), expected, &allowed, path);
        nnefc_tensor_free(expected);
    }
}

static void run_model(struct nnefc_model *model, char *const *column)
{
    struct recipe recipes[2];
    int inputs = read_recipes(column[PNNX_INPUTS], recipes);
    struct nnefc_run *run = nnefc_run_new(model);

    assert_non_null(run);
    assert_int_equal(nnefc_model_inputs(model)->count, inputs);
    for (int i = 0; i < inputs; i++)
        feed(run, model, &recipes[i]);
    if (nnefc_run_step(run) != NNEFC_OK) {
        nnefc_model_print_diagnostics(model, stderr, NNEFC_PRINT_SHORT, false);
        fail_msg("%s cannot be run", column[PNNX_ID]);
    }
    if (strncmp(column[PNNX_CHECK], "(not given)", 11) != 0 && *column[PNNX_CHECK])
        compare_all(model, run, column);
    nnefc_run_free(run);
}

static struct nnefc_model *load_row(char *const *column)
{
    struct nnefc_model *model = nnefc_model_new();
    struct recipe recipes[2];
    int inputs = read_recipes(column[PNNX_INPUTS], recipes);
    char path[PNNX_PATH_SIZE], name[32];

    for (int i = 0; i < inputs; i++) {
        snprintf(name, sizeof name, "pnnx_input_%d", recipes[i].index);
        if (recipes[i].type.rank)
            nnefc_model_set_shape(model, name, recipes[i].type.rank, recipes[i].type.extent);
    }
    pnnx_path_of(path, column);
    load(model, path);
    return model;
}

static void convert_and_run(struct nnefc_model *model, char *const *column)
{
    char folder[] = "/tmp/pnnx-XXXXXX", file[sizeof folder + sizeof "/model.tar"];
    struct nnefc_model *again = nnefc_model_new();

    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/model.tar", folder);
    assert_int_equal(nnefc_model_write_nnef(model, file), NNEFC_OK);
    load(again, file);
    run_model(again, column);
    nnefc_model_free(again);
    remove(file);
    rmdir(folder);
}

static void compute(char *column[PNNX_COLUMNS])
{
    if (strcmp(column[PNNX_INPUTS], "-") == 0 || strcmp(column[PNNX_ID], "complex") == 0)
        return;
    const struct nnefc_rewrite by_default = {.size = sizeof by_default, .passes = "default"};
    struct nnefc_model *model = load_row(column);
    assert_int_equal(nnefc_model_verify(model, true), NNEFC_OK);
    run_model(model, column);
    convert_and_run(model, column);
    if (strcmp(column[PNNX_ID], "resnet_93_graph") != 0) { /* a run of it takes seconds */
        assert_int_equal(nnefc_model_rewrite(model, &by_default), NNEFC_OK);
        convert_and_run(model, column);
    }
    nnefc_model_free(model);
}

static void results_are_those_of_other_engines(void **state)
{
    (void)state;
    if (pnnx_root())
        pnnx_for_rows("manifest.tsv", compute);
    else
        skip();
}

static void what_cannot_be_computed_is_refused_by_name_and_line(void **state)
{
    struct nnefc_model *model = nnefc_model_new();
    char path[PNNX_PATH_SIZE];

    (void)state;
    if (!pnnx_root()) {
        nnefc_model_free(model);
        skip();
    }
    snprintf(path, sizeof path, "%s/gen/complex/complex.pnnx.param", pnnx_root());
    assert_int_not_equal(nnefc_model_load(model, path), NNEFC_OK);
    const struct nnefc_diagnostic *diagnostic = nnefc_model_diagnostics(model)->at[0];
    assert_string_equal(diagnostic->code, "N0231");
    assert_non_null(strstr(diagnostic->text, "torch.fft.rfft"));
    assert_int_equal(diagnostic->line, 4);
    nnefc_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_agree_with_the_manifest),
        cmocka_unit_test(broken_files_have_one_report_at_their_line),
        cmocka_unit_test(results_are_those_of_other_engines),
        cmocka_unit_test(what_cannot_be_computed_is_refused_by_name_and_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
