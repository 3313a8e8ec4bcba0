/* test_custom.c - operations that a client implements, through the public header alone */
#include "nnefc/nnefc.h"

#include "support/t.h"

#include <stdlib.h>
#include <string.h>

/* Every item times 'factor', each row `repeat` times; two results: product and row numbers. */
static const char document[] =
    "version 1.0;\n"
    "extension KHR_enable_fragment_definitions;\n"
    "fragment stretch(x: tensor<scalar>, weights: tensor<scalar>[], factor: scalar,\n"
    "                 repeat: (integer,integer)[] = [(2,1)], mode: string = 'rows',\n"
    "                 keep: logical = true)\n"
    "-> (product: tensor<scalar>, row: tensor<integer>);\n"
    "graph net(x, w) -> (y, s, row)\n"
    "{\n"
    "    x = external<scalar>(shape = [2,3]);\n"
    "    w = external<scalar>(shape = [3]);\n"
    "    (y, row) = stretch(x, [w, w], factor = 0.5);\n"
    "    s = sum_reduce(y, axes = [1]);\n"
    "}\n";

enum { FAULT_LINE = 11 };

/* What the callbacks saw, and are to do. */
struct client {
    int inferred, evaluated;
    const char *refusal;
    bool silent;
};

static int64_t repeats(const struct nnefc_datum *repeat)
{
    assert_int_equal(nnefc_datum_count(repeat), 1);
    const struct nnefc_datum *pair = nnefc_datum_item(repeat, 0);
    assert_int_equal(nnefc_datum_count(pair), 2);
    return nnefc_datum_integer(nnefc_datum_item(pair, 0));
}

static bool stretch_infer(struct nnefc_infer *infer, void *user)
{
    struct client *client = user;
    struct nnefc_type x = nnefc_infer_operand(infer, 0);

    client->inferred++;
    if (client->silent)
        return false;
    if (client->refusal)
        return nnefc_infer_error(infer, "factor", client->refusal);
    assert_int_equal(nnefc_infer_operand_count(infer), 3);
    assert_int_equal(nnefc_infer_result_count(infer), 2);
    assert_int_equal(nnefc_infer_operand(infer, 2).extent[0], 3);
    assert_string_equal(nnefc_datum_string(nnefc_infer_attribute(infer, "mode")), "rows");
    assert_true(nnefc_datum_logical(nnefc_infer_attribute(infer, "keep")));
    assert_null(nnefc_infer_attribute(infer, "unheard_of"));
    x.extent[0] *= repeats(nnefc_infer_attribute(infer, "repeat"));
    return nnefc_infer_set_shape(infer, 0, x.rank, x.extent) &&
           nnefc_infer_set_shape(infer, 1, 1, x.extent);
}

static bool stretch_eval(const struct nnefc_eval *eval, void *user)
{
    struct client *client = user;
    struct nnefc_type type = nnefc_tensor_type(nnefc_eval_result(eval, 0));
    const float *x = nnefc_tensor_items(nnefc_eval_operand(eval, 0));
    const float *weight = nnefc_tensor_items(nnefc_eval_operand(eval, 2));
    float *product = nnefc_tensor_data(nnefc_eval_result(eval, 0));
    int64_t *row = nnefc_tensor_data(nnefc_eval_result(eval, 1));
    double factor = nnefc_datum_scalar(nnefc_eval_attribute(eval, "factor"));
    int64_t repeat = repeats(nnefc_eval_attribute(eval, "repeat"));

    client->evaluated++;
    if (client->silent)
        return false;
    if (client->refusal)
        return nnefc_eval_error(eval, client->refusal);
    assert_int_equal(nnefc_eval_operand_count(eval), 3);
    assert_int_equal(nnefc_eval_result_count(eval), 2);
    for (int64_t i = 0; i < type.extent[0]; i++) {
        row[i] = i / repeat;
        for (int64_t k = 0; k < type.extent[1]; k++)
            product[i * type.extent[1] + k] =
                (float)((double)x[row[i] * type.extent[1] + k] * factor * (double)weight[k]);
    }
    return true;
}

static struct nnefc_model *load(struct client *client, bool with_kernel)
{
    struct nnefc_model *model = nnefc_model_new();
    const struct nnefc_custom_op op = {sizeof op, "stretch", stretch_infer,
                                       with_kernel ? stretch_eval : NULL, client};

    nnefc_model_add_op(model, &op);
    nnefc_model_load_text(model, "net.nnef", document, strlen(document));
    return model;
}

static void set_input(struct nnefc_run *run, struct nnefc_model *model, int index)
{
    struct nnefc_type type = nnefc_model_inputs(model)->at[index]->type;
    struct nnefc_tensor *tensor = nnefc_tensor_new(&type);
    float *item = nnefc_tensor_data(tensor);

    for (int64_t i = 0; i < nnefc_tensor_count(tensor); i++)
        item[i] = (float)(i + 1);
    assert_int_equal(nnefc_run_set_input(run, index, tensor), NNEFC_OK);
    nnefc_tensor_free(tensor);
}

static struct nnefc_run *start(struct nnefc_model *model)
{
    struct nnefc_run *run = nnefc_run_new(model);

    assert_non_null(run);
    set_input(run, model, 0);
    set_input(run, model, 1);
    return run;
}

static void expect_items(const struct nnefc_run *run, int output, const double *items, int count)
{
    const struct nnefc_tensor *tensor = nnefc_run_output(run, output);

    assert_int_equal(nnefc_tensor_count(tensor), count);
    for (int i = 0; i < count; i++)
        assert_true(nnefc_tensor_item(tensor, i) == items[i]);
}

static void expect_fault(const struct nnefc_model *model, const char *text)
{
    const struct nnefc_diagnostic *d = nnefc_model_diagnostics(model)->at[0];

    assert_int_equal(nnefc_model_error_count(model), 1);
    assert_string_equal(d->code, "N0065");
    assert_string_equal(d->text, text);
    assert_string_equal(d->file, "net.nnef");
    assert_int_equal(d->line, FAULT_LINE);
}

static void shapes_flow_through_a_custom_operation(void **state)
{
    struct client client = {0};
    struct nnefc_model *model = load(&client, true);

    (void)state;
    assert_int_equal(nnefc_model_status(model), NNEFC_OK);
    assert_int_equal(client.inferred, 1);
    struct nnefc_type sum = nnefc_model_outputs(model)->at[1]->type;
    assert_int_equal(sum.rank, 2);
    assert_int_equal(sum.extent[0], 4);
    assert_int_equal(sum.extent[1], 1);
    assert_int_equal(nnefc_model_outputs(model)->at[2]->type.dtype, NNEFC_INTEGER);
    nnefc_model_free(model);
}

static void a_custom_kernel_runs_in_each_step(void **state)
{
    static const double product[] = {0.5, 2, 4.5, 0.5, 2, 4.5, 2, 5, 9, 2, 5, 9};
    static const double sum[] = {7, 7, 16, 16}, row[] = {0, 0, 1, 1};
    struct client client = {0};
    struct nnefc_model *model = load(&client, true);
    struct nnefc_run *run = start(model);

    (void)state;
    assert_int_equal(nnefc_run_step(run), NNEFC_OK);
    assert_int_equal(nnefc_run_step(run), NNEFC_OK);
    assert_int_equal(client.evaluated, 2);
    expect_items(run, 0, product, 12);
    expect_items(run, 1, sum, 4);
    expect_items(run, 2, row, 4);
    nnefc_run_free(run);
    nnefc_model_free(model);
}

static void a_refused_shape_is_an_error_at_its_line(void **state)
{
    struct client client = {.refusal = "half a factor"};
    struct nnefc_model *model = load(&client, true);

    (void)state;
    assert_int_equal(nnefc_model_status(model), NNEFC_INVALID);
    expect_fault(model, "half a factor");
    assert_true(nnefc_model_diagnostics(model)->at[0]->column > 30); /* under the argument */
    nnefc_model_free(model);
}

static void a_silent_refusal_is_an_error_too(void **state)
{
    struct client client = {.silent = true};
    struct nnefc_model *model = load(&client, true);

    (void)state;
    expect_fault(model, "'stretch' refuses these arguments");
    nnefc_model_free(model);
}

static void a_fault_while_running_names_its_line(void **state)
{
    struct client client = {0};
    struct nnefc_model *model = load(&client, true);
    struct nnefc_run *run = start(model);

    (void)state;
    client.refusal = "out of thread";
    assert_int_equal(nnefc_run_step(run), NNEFC_INVALID);
    expect_fault(model, "out of thread");
    nnefc_run_free(run);
    nnefc_model_free(model);
}

static void a_silent_failure_names_its_line(void **state)
{
    struct client client = {0};
    struct nnefc_model *model = load(&client, true);
    struct nnefc_run *run = start(model);

    (void)state;
    client.silent = true;
    assert_int_equal(nnefc_run_step(run), NNEFC_INVALID);
    expect_fault(model, "'stretch' failed");
    nnefc_run_free(run);
    nnefc_model_free(model);
}

static void without_a_kernel_the_run_says_what_is_missing(void **state)
{
    struct client client = {0};
    struct nnefc_model *model = load(&client, false);

    (void)state;
    assert_int_equal(nnefc_model_status(model), NNEFC_OK);
    assert_null(nnefc_run_new(model));
    assert_int_equal(nnefc_model_status(model), NNEFC_UNSUPPORTED);
    assert_string_equal(nnefc_model_diagnostics(model)->at[0]->code, "N0064");
    assert_int_equal(nnefc_model_diagnostics(model)->at[0]->line, FAULT_LINE);
    nnefc_model_free(model);
}

static void without_a_shape_rule_nothing_can_be_computed(void **state)
{
    const struct nnefc_custom_op op = {sizeof op, "stretch", NULL, stretch_eval, NULL};
    struct nnefc_model *model = nnefc_model_new();
    char *printed = NULL;
    size_t size;
    FILE *to = open_memstream(&printed, &size);

    (void)state;
    nnefc_model_add_op(model, &op);
    assert_int_equal(nnefc_model_load_text(model, "net.nnef", document, strlen(document)),
                     NNEFC_OK);
    assert_int_equal(nnefc_model_outputs(model)->at[1]->type.rank, NNEFC_UNKNOWN);
    assert_null(nnefc_run_new(model));
    assert_int_equal(nnefc_model_status(model), NNEFC_UNSUPPORTED);
    nnefc_model_print_diagnostics(model, to, NNEFC_PRINT_FULL, false);
    fclose(to);
    assert_non_null(strstr(printed, "^ shapes end here: 'stretch' has no"));
    free(printed);
    nnefc_model_free(model);
}

static bool rank_nine(struct nnefc_infer *infer, void *user)
{
    int64_t extents[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};

    (void)user;
    return nnefc_infer_set_shape(infer, 0, 9, extents);
}

static bool negative_extent(struct nnefc_infer *infer, void *user)
{
    int64_t extent = -1;

    (void)user;
    return nnefc_infer_set_shape(infer, 1, 1, &extent);
}

static void impossible_shapes_are_refused(void **state)
{
    const struct nnefc_custom_op ops[] = {{sizeof *ops, "stretch", rank_nine, NULL, NULL},
                                          {sizeof *ops, "stretch", negative_extent, NULL, NULL}};
    static const char *const texts[] = {"'stretch' makes a tensor of rank 9, expected 0 to 8",
                                        "'stretch' makes a tensor of negative extent"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct nnefc_model *model = nnefc_model_new();
        nnefc_model_add_op(model, &ops[1 - i]);
        nnefc_model_add_op(model, &ops[i]); /* the last one counts */
        nnefc_model_load_text(model, "net.nnef", document, strlen(document));
        expect_fault(model, texts[i]);
        nnefc_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_flow_through_a_custom_operation),
        cmocka_unit_test(a_custom_kernel_runs_in_each_step),
        cmocka_unit_test(a_refused_shape_is_an_error_at_its_line),
        cmocka_unit_test(a_silent_refusal_is_an_error_too),
        cmocka_unit_test(a_fault_while_running_names_its_line),
        cmocka_unit_test(a_silent_failure_names_its_line),
        cmocka_unit_test(without_a_kernel_the_run_says_what_is_missing),
        cmocka_unit_test(without_a_shape_rule_nothing_can_be_computed),
        cmocka_unit_test(impossible_shapes_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
