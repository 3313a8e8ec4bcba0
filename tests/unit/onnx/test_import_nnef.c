/* test_import_nnef.c - what models of ONNX become when they are written in NNEF */
#include "import_fixture.h"

#include <math.h>

static void expect_written(const struct fixture *f, const char *text)
{
    char *dump = nnefc_model_dump(f->model, NNEFC_STAGE_AST);

    assert_non_null(dump);
    if (!strstr(dump, text))
        fail_msg("'%s' is not in:\n%s", text, dump);
    free(dump);
}

static void numbers(struct fixture *f, const char *name, const float *items, int64_t count)
{
    const int64_t dim[] = {count};
    struct onnx_tensor *t = onnx_tensor_new(f->arena, name, ONNX_FLOAT, dim, count > 1);

    onnx_tensor_floats(f->arena, t, items, (size_t)count);
    f->graph->initializer = onnx_tensor_append(f->graph->initializer, t);
}

static void constants_without_literals_become_variables(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){3}, 1);
    numbers(f, "bounds", (float[]){-INFINITY, INFINITY, 2}, 3);
    node(f, "Min", "x,bounds", "y");
    output(f, "y");
    computes(f, (double[]){4, 5, 6}, (double[]){-(double)INFINITY, 5, 2}, 3);
    expect_written(f, "variable<scalar>(shape = [3], label = 'bounds')");
}

static void literals_that_are_infinite_become_variables(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){2}, 1);
    numbers(f, "bound", (float[]){INFINITY}, 1);
    node(f, "Div", "x,bound", "y");
    output(f, "y");
    computes(f, (double[]){4, -5}, (double[]){0, 0}, 2);
    expect_written(f, "variable<scalar>(shape = [], label = 'constant_1')");
    expect_written(f, "div(x, constant_1)");
}

static void padding_that_is_infinite_is_put_beside(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){2, 2}, 2);
    integers(f, "pads", (int64_t[]){0, -1, 0, 1}, 4);
    numbers(f, "value", (float[]){-INFINITY}, 1);
    node(f, "Pad", "x,pads,value", "y");
    output(f, "y");
    computes(f, (double[]){1, 2, 3, 4}, (double[]){2, -(double)INFINITY, 4, -(double)INFINITY}, 4);
}

static void a_graph_without_inputs_is_given_a_parameter(void **state)
{
    struct fixture *f = *state;

    floats(f, "y", (int64_t[]){2}, 1);
    output(f, "y");
    must_load(f);
    runs(f, NULL, (double[]){0, 1}, 2);
    struct nnefc_model *again = reread(f);
    expect(f, 0, "N0231", "'unused' is added");
    assert_string_equal(nnefc_model_diagnostics(f->model)->at[0]->warning, "added-parameter");
    go_on_with(f, again);
    runs(f, NULL, (double[]){0, 1}, 2);
    assert_int_equal(nnefc_model_inputs(f->model)->count, 1);
    assert_string_equal(nnefc_model_inputs(f->model)->at[0]->name, "unused");
}

static void the_name_of_the_graph_becomes_an_identifier(void **state)
{
    struct fixture *f = *state;

    f->graph->name = "torch-jit-export";
    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    node(f, "Neg", "x", "y");
    output(f, "y");
    computes(f, (double[]){1}, (double[]){-1}, 1);
    assert_string_equal(nnefc_model_name(f->model), "torch_jit_export");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(constants_without_literals_become_variables),
        TEST(literals_that_are_infinite_become_variables),
        TEST(padding_that_is_infinite_is_put_beside),
        TEST(a_graph_without_inputs_is_given_a_parameter),
        TEST(the_name_of_the_graph_becomes_an_identifier),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
