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

static int count_written(const struct fixture *f, const char *text)
{
    char *dump = nnefc_model_dump(f->model, NNEFC_STAGE_AST);
    int count = 0;

    assert_non_null(dump);
    for (const char *at = strstr(dump, text); at; at = strstr(at + 1, text))
        count++;
    free(dump);
    return count;
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

/* Of what is beyond 2^31, ONNX says nothing. */
static void a_cast_to_32_bits_is_one_operation(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){4}, 1);
    onnx_node_int(f->arena, node(f, "Cast", "x", "y"), "to", ONNX_INT32);
    output(f, "y");
    computes(f, (double[]){-1.5, 2147483520, -2147483648., 0.9},
             (double[]){-1, 2147483520, -2147483648., 0}, 4);
    expect_written(f, "y = cast<integer>(x)");
}

/* In 8 bits: a = x + 3, b = a * x, y = b + a. */
static void a_chain_of_integers_is_cast_at_its_ends(void **state)
{
    struct fixture *f = *state;
    struct onnx_tensor *three = onnx_tensor_new(f->arena, "three", ONNX_UINT8, NULL, 0);

    onnx_tensor_raw(three, "\3", 1);
    f->graph->initializer = onnx_tensor_append(f->graph->initializer, three);
    input(f, "x", ONNX_UINT8, (int64_t[]){3}, 1);
    node(f, "Add", "x,three", "a");
    node(f, "Mul", "a,x", "b");
    node(f, "Add", "b,a", "y");
    output(f, "y");
    computes(f, (double[]){255, 1, 128}, (double[]){0, 8, 3}, 3);
    assert_int_equal(count_written(f, "cast<scalar>"), 1);
    assert_int_equal(count_written(f, "cast<integer>"), 1);
}

/* NaN stays in Min, and becomes 0. */
static void a_sum_of_integers_that_were_nan_is_exact(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){3}, 1);
    numbers(f, "bound", (float[]){100}, 1);
    integers(f, "much", (int64_t[]){16777215}, 1);
    node(f, "Sigmoid", "x", "unit");
    node(f, "Min", "unit,bound", "least");
    onnx_node_int(f->arena, node(f, "Cast", "least", "whole"), "to", ONNX_INT64);
    node(f, "Add", "whole,much", "y");
    output(f, "y");
    computes(f, (double[]){(double)NAN, 1, 100}, (double[]){16777215, 16777215, 16777216}, 3);
}

static void powers_of_2_are_written_in_full(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    numbers(f, "large", (float[]){4294967296}, 1);
    numbers(f, "small", (float[]){1 / 65536.F}, 1);
    node(f, "Mul", "x,large", "z");
    node(f, "Add", "z,small", "y");
    output(f, "y");
    computes(f, (double[]){0.5}, (double[]){2147483648.}, 1);
    expect_written(f, "4294967296.0");
    expect_written(f, "1.52587890625e-05");
}

/* Offsets of the last dimension are its indices. */
static void an_index_is_multiplied_by_no_stride_of_1(void **state)
{
    struct fixture *f = *state;

    input(f, "i", ONNX_INT64, (int64_t[]){2, 2}, 2);
    floats(f, "x", (int64_t[]){2, 2}, 2);
    node(f, "GatherND", "x,i", "y");
    output(f, "y");
    computes(f, (double[]){0, 1, -1, 0}, (double[]){1, 2}, 2);
    assert_int_equal(count_written(f, "mul("), 1);
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
        TEST(a_cast_to_32_bits_is_one_operation),
        TEST(a_chain_of_integers_is_cast_at_its_ends),
        TEST(a_sum_of_integers_that_were_nan_is_exact),
        TEST(powers_of_2_are_written_in_full),
        TEST(an_index_is_multiplied_by_no_stride_of_1),
        TEST(padding_that_is_infinite_is_put_beside),
        TEST(a_graph_without_inputs_is_given_a_parameter),
        TEST(the_name_of_the_graph_becomes_an_identifier),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
