/* test_import_fed.c - extents that ONNX models leave open, taken from the files of their inputs */
#include "import_fixture.h"

/* A file of zeros that the test removes. */
static const char *file_of(struct fixture *f, const char *name, enum nnefc_dtype dtype, int rank,
                           const int64_t *extents)
{
    struct nnefc_type type = {.dtype = dtype, .rank = rank};
    char path[64];

    for (int i = 0; i < rank; i++)
        type.extent[i] = extents[i];
    snprintf(path, sizeof path, "/tmp/nnefc-fed-%ld-%s", (long)getpid(), name);
    struct nnefc_tensor *tensor = nnefc_tensor_new(&type);
    assert_non_null(tensor);
    assert_int_equal(nnefc_tensor_write(f->model, tensor, path), NNEFC_OK);
    nnefc_tensor_free(tensor);
    return arena_strndup(f->arena, path, strlen(path));
}

/* The shape of an input is known once the model is loaded. */
static void expect_input(const struct fixture *f, int index, int rank, const int64_t *extents)
{
    const struct nnefc_type *type = &nnefc_model_inputs(f->model)->at[index]->type;

    assert_int_equal(type->rank, rank);
    for (int i = 0; i < rank; i++)
        assert_int_equal(type->extent[i], extents[i]);
}

static void an_input_of_unknown_rank_has_the_shape_of_its_file(void **state)
{
    struct fixture *f = *state;
    const char *file = file_of(f, "x.npy", NNEFC_SCALAR, 2, (int64_t[]){4, 3});

    input(f, "x", ONNX_FLOAT, NULL, -1);
    node(f, "Relu", "x", "y");
    output(f, "y");
    assert_int_equal(nnefc_model_set_input_file(f->model, "x", file, false), NNEFC_OK);
    must_load(f);
    expect_input(f, 0, 2, (int64_t[]){4, 3});
    assert_int_equal(remove(file), 0);
}

static void extents_without_names_are_those_of_the_file(void **state)
{
    struct fixture *f = *state;
    const char *x = file_of(f, "x.npy", NNEFC_SCALAR, 2, (int64_t[]){4, 3});
    const char *y = file_of(f, "y.dat", NNEFC_SCALAR, 2, (int64_t[]){5, 3});

    input(f, "x", ONNX_FLOAT, (int64_t[]){-1, 3}, 2);
    input(f, "y", ONNX_FLOAT, (int64_t[]){-1, 3}, 2);
    node(f, "Relu", "x", "a");
    node(f, "Relu", "y", "b");
    output(f, "a");
    output(f, "b");
    nnefc_model_set_input_file(f->model, "y", y, false);
    nnefc_model_set_input_file(f->model, NULL, x, false); /* for what is left */
    must_load(f);
    expect_input(f, 0, 2, (int64_t[]){4, 3});
    expect_input(f, 1, 2, (int64_t[]){5, 3});
    assert_int_equal(remove(x), 0);
    assert_int_equal(remove(y), 0);
}

/* Inputs with initializers and bound ones are no parameters. */
static void files_without_names_are_for_parameters(void **state)
{
    struct fixture *f = *state;
    struct nnefc_type type = {.dtype = NNEFC_INTEGER, .rank = 1, .extent = {1}};
    struct nnefc_tensor *bound = nnefc_tensor_new(&type);
    const char *file = file_of(f, "x.npy", NNEFC_SCALAR, 2, (int64_t[]){4, 3});

    input(f, "w", ONNX_FLOAT, (int64_t[]){3}, 1);
    floats(f, "w", (int64_t[]){3}, 1);
    input(f, "axes", ONNX_INT64, (int64_t[]){-1}, 1);
    onnx_value_info_param(input(f, "x", ONNX_FLOAT, (int64_t[]){-1, 3}, 2), 0, "n");
    node(f, "Add", "x,w", "a");
    node(f, "Unsqueeze", "a,axes", "y");
    output(f, "y");
    assert_int_equal(nnefc_model_bind(f->model, "axes", bound), NNEFC_OK);
    nnefc_tensor_free(bound);
    nnefc_model_set_input_file(f->model, NULL, file, false);
    must_load(f);
    expect_input(f, 0, 2, (int64_t[]){4, 3});
    assert_int_equal(remove(file), 0);
}

/* The file is not even looked for. */
static void what_the_client_gives_goes_before_files(void **state)
{
    struct fixture *f = *state;

    onnx_value_info_param(input(f, "x", ONNX_FLOAT, (int64_t[]){-1, 3}, 2), 0, "n");
    input(f, "y", ONNX_FLOAT, (int64_t[]){-1}, 1);
    input(f, "z", ONNX_FLOAT, (int64_t[]){2}, 1);
    node(f, "Relu", "x", "a");
    node(f, "Relu", "y", "b");
    node(f, "Relu", "z", "c");
    output(f, "a");
    output(f, "b");
    output(f, "c");
    nnefc_model_set_extent(f->model, "n", 7);
    nnefc_model_set_shape(f->model, "y", 1, (int64_t[]){5});
    nnefc_model_set_input_file(f->model, "x", "/nowhere.npy", false);
    nnefc_model_set_input_file(f->model, "y", "/nowhere.npy", false);
    nnefc_model_set_input_file(f->model, "z", "/nowhere.npy", false);
    must_load(f);
    expect_input(f, 0, 2, (int64_t[]){7, 3});
    expect_input(f, 1, 1, (int64_t[]){5});
}

/* It is why the extents are not known, which nothing else is told of. */
static void a_file_for_no_input_is_told_if_extents_stay_open(void **state)
{
    struct fixture *f = *state;

    input(f, "image", ONNX_FLOAT, (int64_t[]){-1, 3}, 2);
    node(f, "Relu", "image", "y");
    output(f, "y");
    nnefc_model_set_input_file(f->model, "imgae", "/nowhere.npy", false);
    assert_int_equal(load(f), NNEFC_USAGE);
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 1);
    expect(f, 0, "N0188", "the model has no input 'imgae' for '/nowhere.npy'");
}

static void missing_operators_are_told_with_a_file_that_is_not_there(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){-1}, 1);
    node(f, "OptionalGetElement", "x,x", "y");
    output(f, "y");
    nnefc_model_set_input_file(f->model, "x", "/nowhere.npy", false);
    load(f);
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 2);
    assert_string_equal(nnefc_model_diagnostics(f->model)->at[0]->code, "N0180");
    expect(f, 1, "N0231", "operator 'OptionalGetElement' is not supported");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_input_of_unknown_rank_has_the_shape_of_its_file),
        TEST(extents_without_names_are_those_of_the_file),
        TEST(files_without_names_are_for_parameters),
        TEST(what_the_client_gives_goes_before_files),
        TEST(a_file_for_no_input_is_told_if_extents_stay_open),
        TEST(missing_operators_are_told_with_a_file_that_is_not_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
