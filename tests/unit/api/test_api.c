/* test_api.c - the library as its clients use it */
#include "nnefc/nnefc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/api_model.h"
#include "support/t.h"

static enum nnefc_status load(struct nnefc_model *model, const char *body)
{
    char text[1024];

    snprintf(text, sizeof text, "version 1.0;\ngraph g( x ) -> ( y )\n{\n%s\n}\n", body);
    return nnefc_model_load_text(model, "g.nnef", text, strlen(text));
}

static const char *const doubling = "x = external<scalar>(shape = [1,3]); y = add(x, x);";

static struct nnefc_run *run_of(struct nnefc_model *model, const char *body)
{
    assert_int_equal(load(model, body), NNEFC_OK);
    struct nnefc_run *run = nnefc_run_new(model);
    assert_non_null(run);
    return run;
}

static struct nnefc_tensor *scalars(int count, ...)
{
    struct nnefc_type type = {.dtype = NNEFC_SCALAR, .rank = 2, .extent = {1, count}};
    struct nnefc_tensor *tensor = nnefc_tensor_new(&type);
    va_list items;

    assert_non_null(tensor);
    va_start(items, count);
    for (int i = 0; i < count; i++)
        ((float *)nnefc_tensor_data(tensor))[i] = (float)va_arg(items, double);
    va_end(items);
    return tensor;
}

static void the_version_is_that_of_the_header(void **state)
{
    char version[32];

    (void)state;
    snprintf(version, sizeof version, "%d.%d.%d", NNEFC_VERSION_MAJOR, NNEFC_VERSION_MINOR,
             NNEFC_VERSION_PATCH);
    assert_string_equal(nnefc_version(), version);
}

static void a_loaded_model_tells_its_parameters_and_results(void **state)
{
    struct nnefc_model *model = *state;

    assert_null(nnefc_model_name(model));
    assert_int_equal(nnefc_model_inputs(model)->count, 0);
    assert_int_equal(load(model, doubling), NNEFC_OK);
    assert_string_equal(nnefc_model_name(model), "g");
    assert_int_equal(nnefc_model_inputs(model)->count, 1);
    assert_string_equal(nnefc_model_inputs(model)->at[0]->name, "x");
    struct nnefc_type type = nnefc_model_outputs(model)->at[0]->type;
    assert_int_equal(type.dtype, NNEFC_SCALAR);
    assert_int_equal(type.rank, 2);
    assert_int_equal(type.extent[1], 3);
    assert_int_equal(nnefc_model_find_output(model, "y"), 0);
}

static void a_model_is_loaded_once(void **state)
{
    struct nnefc_model *model = *state;

    assert_int_equal(load(model, doubling), NNEFC_OK);
    assert_int_equal(load(model, doubling), NNEFC_USAGE);
}

static void a_fault_has_code_and_place(void **state)
{
    struct nnefc_model *model = *state;

    assert_int_equal(load(model, "x = external<scalar>(shape = [1,3]);\ny = ad(x, x);"),
                     NNEFC_INVALID);
    assert_int_equal(nnefc_model_error_count(model), 1);
    const struct nnefc_diagnostic *d = nnefc_model_diagnostics(model)->at[0];
    assert_int_equal(d->severity, NNEFC_ERROR);
    assert_string_equal(d->code, "N0050");
    assert_string_equal(d->file, "g.nnef");
    assert_int_equal(d->line, 5);
    assert_int_equal(d->column, 5);
    assert_int_equal(nnefc_model_status(model), NNEFC_INVALID);
}

static void a_name_that_is_none_is_reported_with_a_suggestion(void **state)
{
    struct nnefc_model *model = *state;
    char *printed;
    size_t size;
    FILE *to = open_memstream(&printed, &size);
    const char *text = "version 1.0; graph g( image ) -> ( y )\n"
                       "{ image = external<scalar>(shape = [1,3]); y = neg(image); }\n";

    assert_int_equal(nnefc_model_load_text(model, "g.nnef", text, strlen(text)), NNEFC_OK);
    assert_int_equal(nnefc_model_find_input(model, "imgae"), -1);
    assert_int_equal(nnefc_model_status(model), NNEFC_USAGE);
    nnefc_model_print_diagnostics(model, to, NNEFC_PRINT_FULL, false);
    fclose(to);
    assert_non_null(strstr(printed, "did you mean 'image'?"));
    free(printed);
}

static void a_run_computes_results(void **state)
{
    struct nnefc_run *run = run_of(*state, doubling);
    struct nnefc_tensor *x = scalars(3, 1.0, 2.0, 4.0);

    assert_null(nnefc_run_output(run, 0));
    assert_false(nnefc_run_has_input(run, 0));
    assert_int_equal(nnefc_run_set_input(run, 0, x), NNEFC_OK);
    assert_int_equal(nnefc_run_step(run), NNEFC_OK);
    assert_true(nnefc_tensor_item(nnefc_run_output(run, 0), 2) == 8);
    nnefc_tensor_free(x);
    nnefc_run_free(run);
}

static void an_input_of_another_shape_is_refused(void **state)
{
    struct nnefc_run *run = run_of(*state, doubling);
    struct nnefc_tensor *x = scalars(2, 1.0, 2.0);

    assert_int_equal(nnefc_run_set_input(run, 0, x), NNEFC_FILE);
    assert_string_equal(nnefc_model_diagnostics(*state)->at[0]->code, "N0183");
    nnefc_tensor_free(x);
    nnefc_run_free(run);
}

static void an_input_that_is_missing_is_wrong_usage(void **state)
{
    struct nnefc_run *run = run_of(*state, doubling);

    assert_int_equal(nnefc_run_step(run), NNEFC_USAGE);
    assert_null(nnefc_run_output(run, 0));
    nnefc_run_free(run);
}

static void runs_of_one_model_are_independent(void **state)
{
    struct nnefc_run *a = run_of(*state, doubling), *b = nnefc_run_new(*state);
    struct nnefc_tensor *x = scalars(3, 1.0, 1.0, 1.0), *y = scalars(3, 2.0, 2.0, 2.0);

    nnefc_run_set_input(a, 0, x);
    nnefc_run_set_input(b, 0, y);
    assert_int_equal(nnefc_run_step(a), NNEFC_OK);
    assert_int_equal(nnefc_run_step(b), NNEFC_OK);
    assert_true(nnefc_tensor_item(nnefc_run_output(a, 0), 0) == 2);
    assert_true(nnefc_tensor_item(nnefc_run_output(b, 0), 0) == 4);
    nnefc_tensor_free(x);
    nnefc_tensor_free(y);
    nnefc_run_free(a);
    nnefc_run_free(b);
}

static void a_kept_tensor_can_be_seen(void **state)
{
    struct nnefc_run *run =
        run_of(*state, "x = external<scalar>(shape = [1,3]); t = add(x, x); y = neg(t);");

    assert_int_equal(nnefc_run_keep(run, "t"), NNEFC_OK);
    assert_int_equal(nnefc_run_keep(run, "none"), NNEFC_USAGE);
    assert_int_equal(nnefc_run_randomize_input(run, 0, 1), NNEFC_OK);
    assert_int_equal(nnefc_run_step(run), NNEFC_OK);
    assert_non_null(nnefc_run_tensor(run, "t"));
    assert_null(nnefc_run_tensor(run, "x"));
    assert_true(nnefc_tensor_item(nnefc_run_tensor(run, "t"), 1) ==
                -nnefc_tensor_item(nnefc_run_output(run, 0), 1));
    nnefc_run_free(run);
}

static void a_shape_may_be_overridden(void **state)
{
    struct nnefc_model *model = *state;
    const int64_t extents[] = {4, 5};

    nnefc_model_set_shape(model, "x", 2, extents);
    assert_int_equal(load(model, doubling), NNEFC_OK);
    assert_int_equal(nnefc_model_outputs(model)->at[0]->type.extent[0], 4);
}

static void an_extent_may_be_0(void **state)
{
    struct nnefc_type type = {.dtype = NNEFC_SCALAR, .rank = 2, .extent = {0, 3}};
    const int64_t negative[] = {-1, 3};

    assert_int_equal(nnefc_model_set_shape(*state, "x", 2, negative), NNEFC_USAGE);
    assert_int_equal(nnefc_model_set_extent(*state, "batch", -1), NNEFC_USAGE);
    assert_int_equal(nnefc_model_set_shape(*state, "x", 2, type.extent), NNEFC_OK);
    assert_int_equal(load(*state, doubling), NNEFC_OK);
    struct nnefc_tensor *x = nnefc_tensor_new(&type);
    assert_non_null(nnefc_tensor_data(x));
    for (int fast = 0; fast < 2; fast++) {
        struct nnefc_run *run = fast ? nnefc_run_new_with(*state, NULL) : nnefc_run_new(*state);
        assert_int_equal(nnefc_run_set_input(run, 0, x), NNEFC_OK);
        assert_int_equal(nnefc_run_step(run), NNEFC_OK);
        const struct nnefc_tensor *y = nnefc_run_output(run, 0);
        assert_int_equal(nnefc_tensor_count(y), 0);
        assert_int_equal(nnefc_tensor_type(y).extent[1], 3);
        assert_non_null(nnefc_tensor_items(y));
        nnefc_run_free(run);
    }
    nnefc_tensor_free(x);
}

static void a_limit_refuses_what_costs_more(void **state)
{
    struct nnefc_model *model = *state;

    nnefc_model_set_limit(model, NNEFC_LIMIT_VOLUME, 2);
    assert_int_equal(load(model, doubling), NNEFC_INVALID);
}

static void a_model_without_a_folder_has_no_data(void **state)
{
    struct nnefc_model *model = *state;

    assert_int_equal(load(model, "x = external<scalar>(shape = [1,3]);\n"
                                 "v = variable<scalar>(shape = [1,3], label = 'v');\n"
                                 "y = add(x, v);"),
                     NNEFC_OK);
    assert_int_equal(nnefc_model_variables(model)->count, 1);
    assert_string_equal(nnefc_model_variables(model)->at[0]->label, "v");
    assert_null(nnefc_run_new(model));
    assert_int_equal(nnefc_model_status(model), NNEFC_FILE);
}

static void dumps_show_each_stage(void **state)
{
    struct nnefc_model *model = *state;

    assert_null(nnefc_model_dump(model, NNEFC_STAGE_AST));
    assert_int_equal(load(model, doubling), NNEFC_OK);
    char *ast = nnefc_model_dump(model, NNEFC_STAGE_AST);
    char *graph = nnefc_model_dump(model, NNEFC_STAGE_GRAPH);
    assert_non_null(strstr(ast, "external"));
    assert_non_null(strstr(graph, "result y: scalar[1,3]"));
    free(ast);
    free(graph);
}

static void an_impossible_tensor_is_refused(void **state)
{
    struct nnefc_type open = {.dtype = NNEFC_SCALAR, .rank = 1, .extent = {NNEFC_UNKNOWN}};
    struct nnefc_type huge = {.dtype = NNEFC_SCALAR, .rank = 2, .extent = {1LL << 40, 1LL << 40}};

    (void)state;
    assert_null(nnefc_tensor_new(&open));
    assert_null(nnefc_tensor_new(&huge));
}

static void the_nearest_word_is_suggested(void **state)
{
    const char *const words[] = {"check", "run", "init", NULL};

    (void)state;
    assert_string_equal(nnefc_nearest("chek", words), "check");
    assert_null(nnefc_nearest("zzzzzzzz", words));
}

static void nothing_can_be_asked_of_a_model_that_is_not_loaded(void **state)
{
    struct nnefc_model *model = *state;

    assert_int_equal(nnefc_model_find_input(model, "x"), -1);
    assert_int_equal(nnefc_model_find_output(model, NULL), -1);
    assert_null(nnefc_run_new(model));
    assert_int_equal(nnefc_model_init_weights(model, 1, false), NNEFC_USAGE);
    assert_int_equal(nnefc_model_pack(model, "none.tgz"), NNEFC_USAGE);
    assert_int_equal(nnefc_model_error_count(model), 5);
    assert_string_equal(nnefc_model_diagnostics(model)->at[0]->code, "N0192");
    assert_int_equal(nnefc_model_status(model), NNEFC_USAGE);
    assert_null(nnefc_model_inputs(model)->at[0]);
    assert_null(nnefc_model_variables(model)->at[0]);
    assert_int_equal(nnefc_model_outputs(model)->count, 0);
}

static void an_index_that_is_none_is_wrong_usage(void **state)
{
    struct nnefc_model *model = *state;
    struct nnefc_run *run = run_of(model, doubling);
    struct nnefc_tensor *x = scalars(3, 1.0, 2.0, 4.0);

    for (int index = -1; index <= 1; index += 2) {
        assert_int_equal(nnefc_run_set_input(run, index, x), NNEFC_USAGE);
        assert_int_equal(nnefc_run_read_input(run, index, "x.dat"), NNEFC_USAGE);
        assert_int_equal(nnefc_run_randomize_input(run, index, 1), NNEFC_USAGE);
        assert_false(nnefc_run_has_input(run, index));
        assert_null(nnefc_run_output(run, index));
    }
    assert_int_equal(nnefc_model_error_count(model), 6);
    assert_non_null(strstr(nnefc_model_diagnostics(model)->at[0]->text, "no parameter -1"));
    assert_null(nnefc_model_diagnostics(model)->at[6]);
    assert_true(isnan(nnefc_tensor_item(x, 3)));
    nnefc_tensor_free(x);
    nnefc_run_free(run);
}

static void a_result_is_written_after_the_first_step(void **state)
{
    struct nnefc_model *model = *state;
    struct nnefc_run *run = run_of(model, doubling);

    assert_int_equal(nnefc_tensor_write(model, nnefc_run_output(run, 0), "none.dat"), NNEFC_USAGE);
    assert_int_equal(nnefc_run_write_outputs(run, "none.npz"), NNEFC_USAGE);
    assert_int_equal(nnefc_model_error_count(model), 2);
    nnefc_run_free(run);
}

static void options_come_before_loading(void **state)
{
    struct nnefc_model *model = *state;
    int64_t extents[] = {2, 3};

    assert_int_equal(nnefc_model_set_shape(model, "x", 9, extents), NNEFC_USAGE);
    assert_int_equal(nnefc_model_set_shape(model, "x", 2, NULL), NNEFC_USAGE);
    assert_int_equal(nnefc_model_set_dialect(model, (enum nnefc_dialect)7), NNEFC_USAGE);
    nnefc_model_clear_diagnostics(model);
    assert_int_equal(load(model, doubling), NNEFC_OK);
    assert_int_equal(nnefc_model_set_shape(model, "x", 2, extents), NNEFC_USAGE);
    assert_int_equal(nnefc_model_set_dialect(model, NNEFC_DIALECT_1_0), NNEFC_USAGE);
    assert_int_equal(nnefc_model_set_keep(model, NNEFC_KEEP_NONE), NNEFC_USAGE);
    assert_int_equal(nnefc_model_error_count(model), 3);
    assert_int_equal(nnefc_model_set_data_folder(model, "weights"), NNEFC_OK);
}

static void null_handles_are_wrong_usage(void **state)
{
    assert_int_equal(nnefc_model_status(NULL), NNEFC_USAGE);
    assert_int_equal(nnefc_model_load(NULL, "x"), NNEFC_USAGE);
    assert_int_equal(nnefc_model_load(*state, NULL), NNEFC_USAGE);
    assert_int_equal(nnefc_model_load_text(*state, "x", NULL, 3), NNEFC_USAGE);
    assert_int_equal(nnefc_model_set_pedantic(NULL, true), NNEFC_USAGE);
    assert_int_equal(nnefc_model_set_warning(NULL, "all", NNEFC_WARNING_OFF), NNEFC_USAGE);
    assert_int_equal(nnefc_model_set_warning(*state, NULL, NNEFC_WARNING_OFF), NNEFC_USAGE);
    assert_int_equal(nnefc_model_set_warning(*state, "all", (enum nnefc_warning_state)9),
                     NNEFC_USAGE);
    assert_int_equal(nnefc_model_inputs(NULL)->count, 0);
    assert_null(nnefc_model_dump(NULL, NNEFC_STAGE_AST));
    assert_null(nnefc_run_new(NULL));
    assert_int_equal(nnefc_run_step(NULL), NNEFC_USAGE);
    assert_int_equal(nnefc_run_read_input(NULL, 0, "x"), NNEFC_USAGE);
    assert_null(nnefc_run_output(NULL, 0));
    assert_null(nnefc_run_tensor(NULL, "x"));
    assert_null(nnefc_tensor_new(NULL));
    assert_null(nnefc_tensor_read(*state, NULL));
    assert_int_equal(nnefc_tensor_count(NULL), 0);
    assert_null(nnefc_tensor_items(NULL));
    assert_null(nnefc_catalogue_ops(NULL, NNEFC_DIALECT_1_0)->at[0]);
    assert_null(nnefc_nearest(NULL, NULL));
    assert_int_equal(nnefc_datum_integer(NULL), 0);
    nnefc_run_free(NULL);
    nnefc_model_free(NULL);
}

static void a_client_goes_on_after_clearing_the_diagnostics(void **state)
{
    struct nnefc_model *model = *state;
    struct nnefc_run *run = run_of(model, doubling);

    for (int i = 0; i < 30; i++)
        assert_int_equal(nnefc_run_read_input(run, 0, "missing.dat"),
                         i < 20 ? NNEFC_FILE : NNEFC_INVALID);
    assert_int_equal(nnefc_model_diagnostics(model)->count, 20);
    assert_int_equal(nnefc_model_error_count(model), 30);
    assert_int_equal(nnefc_model_hidden_count(model), 10);
    nnefc_model_clear_diagnostics(model);
    assert_int_equal(nnefc_model_status(model), NNEFC_OK);
    assert_int_equal(nnefc_model_diagnostics(model)->count, 0);
    assert_int_equal(nnefc_run_randomize_input(run, 0, 1), NNEFC_OK);
    assert_int_equal(nnefc_run_step(run), NNEFC_OK);
    assert_int_equal(nnefc_run_read_input(run, 0, "missing.dat"), NNEFC_FILE);
    assert_int_equal(nnefc_model_error_count(model), 1);
    nnefc_run_free(run);
}

static void a_diagnostic_has_an_end_and_the_name_of_its_warning(void **state)
{
    struct nnefc_model *model = *state;

    assert_int_equal(nnefc_model_set_warning(model, "missing-extension", NNEFC_WARNING_ERROR),
                     NNEFC_OK);
    assert_int_equal(load(model, "x = external<scalar>(shape = [1]);\ny = neg(neg(x));"),
                     NNEFC_INVALID);
    const struct nnefc_diagnostic *d = nnefc_model_diagnostics(model)->at[0];
    assert_string_equal(d->warning, "missing-extension");
    assert_int_equal(d->severity, NNEFC_ERROR);
    assert_int_equal(d->line, d->end_line);
    assert_int_equal(d->end_column - d->column, strlen("neg(x)"));
    assert_int_equal(d->labels->count, 0);
    assert_null(d->labels->at[0]);
    assert_null(d->fixes->at[d->fixes->count]);
}

static void an_unknown_warning_is_answered_with_a_known_one(void **state)
{
    assert_int_equal(nnefc_model_set_warning(*state, "depricated", NNEFC_WARNING_ON), NNEFC_USAGE);
    assert_string_equal(nnefc_model_diagnostics(*state)->at[0]->help, "did you mean 'deprecated'?");
    struct nnefc_catalogue *catalogue = nnefc_catalogue_new();
    const struct nnefc_warning_list *warnings = nnefc_catalogue_warnings(catalogue);
    assert_string_equal(warnings->at[0]->code, "N0010");
    assert_null(warnings->at[warnings->count]);
    assert_ptr_equal(nnefc_catalogue_warnings(catalogue), warnings);
    nnefc_catalogue_free(catalogue);
}

static void a_diagnostic_has_notes_labels_and_help(void **state)
{
    struct nnefc_model *model = *state;

    assert_int_equal(load(model, "x = external<scalar>(shape = [1,3,8,8]);\n"
                                 "f = variable<scalar>(shape = [4,4,3,3], label = 'f');\n"
                                 "y = conv(x, f);"),
                     NNEFC_INVALID);
    const struct nnefc_diagnostic *d = nnefc_model_diagnostics(model)->at[0];
    assert_true(d->labels->count >= 2);
    const struct nnefc_diagnostic *label = d->labels->at[1];
    assert_int_equal(label->severity, NNEFC_NOTE);
    assert_int_equal(label->line, 5);
    assert_non_null(strstr(label->text, "f"));
    assert_null(d->labels->at[d->labels->count]);
    assert_null(d->notes->at[d->notes->count]);
    assert_int_equal(label->notes->count, 0);
    assert_int_equal(nnefc_model_find_input(model, "z"), -1);
}

static void a_name_that_is_none_gets_all_names_as_help(void **state)
{
    struct nnefc_model *model = *state;

    assert_int_equal(load(model, doubling), NNEFC_OK);
    assert_int_equal(nnefc_model_find_output(model, "output"), -1);
    assert_string_equal(nnefc_model_diagnostics(model)->at[0]->help, "it has 'y'.");
}

/* Section 4.1.3: case does not count, and both separators are one. */
static void labels_are_equal_in_any_spelling(void **state)
{
    (void)state;
    assert_true(nnefc_label_equal("block/Weights", "/BLOCK\\weights"));
    assert_false(nnefc_label_equal("a/b", "ab"));
    assert_false(nnefc_label_equal("a", "ab"));
    assert_false(nnefc_label_equal("a", NULL));
    assert_false(nnefc_label_equal(NULL, NULL));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, api_model_setup, api_model_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_version_is_that_of_the_header),
        TEST(a_loaded_model_tells_its_parameters_and_results),
        TEST(a_model_is_loaded_once),
        TEST(a_fault_has_code_and_place),
        TEST(a_name_that_is_none_is_reported_with_a_suggestion),
        TEST(a_run_computes_results),
        TEST(an_input_of_another_shape_is_refused),
        TEST(an_input_that_is_missing_is_wrong_usage),
        TEST(runs_of_one_model_are_independent),
        TEST(a_kept_tensor_can_be_seen),
        TEST(a_shape_may_be_overridden),
        TEST(an_extent_may_be_0),
        TEST(a_limit_refuses_what_costs_more),
        TEST(a_model_without_a_folder_has_no_data),
        TEST(dumps_show_each_stage),
        TEST(an_impossible_tensor_is_refused),
        TEST(the_nearest_word_is_suggested),
        TEST(nothing_can_be_asked_of_a_model_that_is_not_loaded),
        TEST(an_index_that_is_none_is_wrong_usage),
        TEST(a_result_is_written_after_the_first_step),
        TEST(options_come_before_loading),
        TEST(null_handles_are_wrong_usage),
        TEST(a_client_goes_on_after_clearing_the_diagnostics),
        TEST(a_diagnostic_has_an_end_and_the_name_of_its_warning),
        TEST(an_unknown_warning_is_answered_with_a_known_one),
        TEST(a_diagnostic_has_notes_labels_and_help),
        TEST(a_name_that_is_none_gets_all_names_as_help),
        TEST(labels_are_equal_in_any_spelling),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
