/* test_import_index.c - faults of indices, and what is said of them */
#include "import_fixture.h"

/* Floats x[3,4] and u[2,2], integers i[2,2] that are an input, k[3], five and minus. */
static void feed_node(struct fixture *f, struct onnx_node *n)
{
    input(f, "i", ONNX_INT64, (int64_t[]){2, 2}, 2);
    floats(f, "x", (int64_t[]){3, 4}, 2);
    floats(f, "u", (int64_t[]){2, 2}, 2);
    integers(f, "k", (int64_t[]){0, 1, 2}, 3);
    integers(f, "five", (int64_t[]){5}, 1);
    integers(f, "minus", (int64_t[]){-1}, 1);
    (void)n;
}

static void what_does_not_fit_is_one_error(void **state)
{
    static const struct misfit misfits[] = {
        {"TopK", "x,five", "axis", NULL, 0, "N0136", "wants 5 items of extent 3 along axis 0"},
        {"TopK", "x,minus", NULL, NULL, 0, "N0136", "wants -1 items of extent 4 along axis 1"},
        {"TopK", "x,five", "axis", NULL, 2, "N0142", "axis 2 is out of range, expected -2 to 1"},
        {"TopK", "x,i", NULL, NULL, 0, "N0226", "input 1, 'i', has to be known"},
        {"GatherElements", "x,i", "axis", NULL, -3, "N0142", "axis -3 is out of range"},
        {"GatherElements", "x,u", NULL, NULL, 0, "N0090",
         "indices of type FLOAT, expected integers"},
        {"GatherElements", "x,k", NULL, NULL, 0, "N0133", "has rank 1, expected 2"},
        {"GatherND", "x,i", "batch_dims", NULL, -1, "N0136", "-1 dimensions of batches"},
        {"GatherND", "x,i", "batch_dims", NULL, 1, "N0145",
         "indices of shape [2,2] for shape [3,4]"},
        {"ScatterElements", "x,i,k", NULL, NULL, 0, "N0090", "has updates of type"},
        {"ScatterElements", "x,i,x", NULL, NULL, 0, "N0145",
         "'x' of 'scatter_elements' has shape [3,4], expected [2,2]"},
        {"ScatterElements", "x,i,u", "axis", NULL, 2, "N0142", "axis 2 is out of range"},
        {"ScatterElements", "x,i,u", "reduction", "mean", 0, "N0139", "'reduction' is 'mean'"},
        {"ScatterND", "x,k,u", NULL, NULL, 0, "N0145", "indices of shape [3] for shape [3,4]"},
        {"TensorScatter", "x,u", NULL, NULL, 0, "N0142", "axis 0, which is that of batches"},
        {"TensorScatter", "x,u", "axis", NULL, 1, "N0145",
         "writes shape [2,2] along axis 1 of [3,4]"},
        {"TensorScatter", "x,x,five", "axis", NULL, 1, "N0145", "of shape [1], expected [3]"},
        {"TensorScatter", "x,x", "mode", "round", 0, "N0139", "'mode' is 'round'"},
    };

    expect_misfits(misfits, sizeof misfits / sizeof misfits[0], 24, feed_node);
    (void)state;
}

/* One report of a run with these indices. */
static void fails(struct fixture *f, const double *indices, const char *code, const char *says)
{
    output(f, "y");
    must_load(f);
    f->run = nnefc_run_new(f->model);
    assert_non_null(f->run);
    feed(f, 0, indices);
    assert_int_not_equal(nnefc_run_step(f->run), NNEFC_OK);
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 1);
    expect(f, 0, code, says);
}

static void an_index_is_reported_with_its_extent(void **state)
{
    struct fixture *f = *state;

    input(f, "i", ONNX_INT64, (int64_t[]){2, 2}, 2);
    floats(f, "x", (int64_t[]){3, 4}, 2);
    node(f, "GatherND", "x,i", "y");
    fails(
        f, (double[]){2, -4, 0, -5}, "N0170",
        "item 3 of 'indices' of 'gather_nd' is -5, expected -4 or more and below 4, the extent of "
        "dimension 1");
}

static void two_updates_of_one_item_have_to_be_equal(void **state)
{
    struct fixture *f = *state;

    input(f, "i", ONNX_INT64, (int64_t[]){2, 1}, 2);
    floats(f, "x", (int64_t[]){3, 2}, 2);
    floats(f, "u", (int64_t[]){2, 2}, 2);
    node(f, "ScatterND", "x,i,u", "y");
    fails(f, (double[]){1, -2}, "N0175",
          "'indices' of 'scatter_nd' name item [1,0] twice, for the updates 0 and 2");
}

static void a_cache_is_not_written_before_its_begin(void **state)
{
    struct fixture *f = *state;

    f->onnx->opset_import.first->version = 24;
    input(f, "at", ONNX_INT64, (int64_t[]){2}, 1);
    floats(f, "x", (int64_t[]){2, 4, 1}, 3);
    floats(f, "u", (int64_t[]){2, 1, 1}, 3);
    onnx_node_string(f->arena, node(f, "TensorScatter", "x,u,at", "y"), "mode", "circular");
    fails(f, (double[]){5, -1}, "N0170", "is 4, expected -4 or more and below 4");
}

static void logicals_are_added_by_or(void **state)
{
    struct fixture *f = *state;

    f->onnx->opset_import.first->version = 18;
    input(f, "i", ONNX_INT64, (int64_t[]){4}, 1);
    floats(f, "x", (int64_t[]){4}, 1);
    onnx_node_int(f->arena, node(f, "Cast", "x", "b"), "to", ONNX_BOOL);
    node(f, "Not", "b", "n");
    onnx_node_string(f->arena, node(f, "ScatterElements", "n,i,b", "s"), "reduction", "add");
    onnx_node_int(f->arena, node(f, "Cast", "s", "y"), "to", ONNX_FLOAT);
    output(f, "y");
    must_load(f);
    runs(f, (double[]){2, 2, -3, 1}, (double[]){1, 1, 1, 0}, 4);
}

static void what_nnef_cannot_say_is_refused_by_name(void **state)
{
    struct fixture *f = *state;

    input(f, "i", ONNX_INT64, (int64_t[]){2, 1}, 2);
    floats(f, "x", (int64_t[]){3, 2}, 2);
    floats(f, "u", (int64_t[]){2, 2}, 2);
    node(f, "ScatterND", "x,i,u", "y");
    output(f, "y");
    must_load(f);
    assert_int_not_equal(nnefc_model_write_nnef(f->model, "/tmp/nnefc-never-written.tar"),
                         NNEFC_OK);
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 1);
    expect(f, 0, "N0231", "operations of NNEF cannot compute what 'scatter_nd' does");
    go_on_with(f, reread_as(f, NNEFC_PROFILE_CUSTOM));
    runs(f, (double[]){2, 0}, (double[]){2, 3, 2, 3, 0, 1}, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_one_error),
        TEST(an_index_is_reported_with_its_extent),
        TEST(two_updates_of_one_item_have_to_be_equal),
        TEST(a_cache_is_not_written_before_its_begin),
        TEST(logicals_are_added_by_or),
        TEST(what_nnef_cannot_say_is_refused_by_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
