/* test_import_images.c - grids, regions and windows of models of ONNX that do not fit, and what is
 * said of them */
#include "import_fixture.h"

/*
 * Floats x[1,4,3,3], grid[2,2,2,2], regions[2,4], pooled[2,5], filter[2,4,1,1] and
 * offset[1,2,3,3], integers batch[2], small[4] and large[4], and all[1,4,3,3] that are an input.
 */
static void feed_node(struct fixture *f, struct onnx_node *n)
{
    static int64_t windows[] = {2, 2};

    floats(f, "x", (int64_t[]){1, 4, 3, 3}, 4);
    floats(f, "grid", (int64_t[]){2, 2, 2, 2}, 4);
    floats(f, "regions", (int64_t[]){2, 4}, 2);
    floats(f, "pooled", (int64_t[]){2, 5}, 2);
    floats(f, "filter", (int64_t[]){2, 4, 1, 1}, 4);
    floats(f, "offset", (int64_t[]){1, 2, 3, 3}, 4);
    integers(f, "batch", (int64_t[]){0, 0}, 2);
    integers(f, "small", (int64_t[]){1, 4, 3, 3}, 4);
    integers(f, "large", (int64_t[]){1, 4, 9, 9}, 4);
    input(f, "all", ONNX_INT64, (int64_t[]){1, 4, 3, 3}, 4);
    if (strcmp(n->op_type, "MaxUnpool") == 0)
        onnx_node_ints(f->arena, n, "kernel_shape", windows, 2);
}

static void what_does_not_fit_is_one_error(void **state)
{
    static const struct misfit misfits[] = {
        {"GridSample", "x,grid", NULL, NULL, 0, "N0145",
         "shape [2,2,2,2], expected batch extent 1"},
        {"GridSample", "x,x", NULL, NULL, 0, "N0145", "and a last extent of 2"},
        {"GridSample", "x,regions", NULL, NULL, 0, "N0133", "rank 2, expected 4"},
        {"GridSample", "x,grid", "mode", "area", 0, "N0139", "'mode' is 'area'"},
        {"GridSample", "x,grid", "padding_mode", "wrap", 0, "N0139", "'padding_mode' is 'wrap'"},
        {"RoiAlign", "x,pooled,batch", NULL, NULL, 0, "N0145", "the second of extent 4"},
        {"RoiAlign", "x,regions,small", NULL, NULL, 0, "N0145", "shape [4], expected [2]"},
        {"RoiAlign", "x,regions,batch", "mode", "min", 0, "N0139", "'mode' is 'min'"},
        {"RoiAlign", "x,regions,batch", "output_height", NULL, 0, "N0135", "has 0 by 1 cells"},
        {"RoiAlign", "x,regions,batch", "sampling_ratio", NULL, -1, "N0135", "of -1 points"},
        {"MaxRoiPool", "x,pooled", NULL, NULL, 0, "N0134", "0 items, expected 2"},
        {"DeformConv", "x,filter,offset", "group", NULL, 2, "N0137", "4 channels in each of 2"},
        {"DeformConv", "x,filter,offset", "offset_group", NULL, 3, "N0146", "3 offset groups"},
        {"DeformConv", "x,filter,offset", "offset_group", NULL, 2, "N0145", "expected [1,4,3,3]"},
        {"DeformConv", "x,filter,offset,,offset", NULL, NULL, 0, "N0145",
         "'offset' of 'deform_conv' has"},
        {"MaxUnpool", "x,all,small", NULL, NULL, 0, "N0145", "windows that reach shape [1,4,4,4]"},
        {"MaxUnpool", "x,batch,large", NULL, NULL, 0, "N0145", "indices of shape [2]"},
        {"Det", "pooled", NULL, NULL, 0, "N0145", "expected square matrices"},
    };

    expect_misfits(misfits, sizeof misfits / sizeof misfits[0], 20, feed_node);
    (void)state;
}

/* It stands in the text of a library, which no user has written. */
static void a_fault_within_a_fragment_names_the_node(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 4, 3, 3}, 4);
    input(f, "regions", ONNX_FLOAT, (int64_t[]){2, 5}, 2);
    onnx_node_ints(f->arena, node(f, "MaxRoiPool", "x,regions", "y"), "pooled_shape",
                   (int64_t[]){0, 3}, 2);
    output(f, "y");
    assert_int_not_equal(load(f), NNEFC_OK);
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 1);
    expect(f, 0, "N0135", "node 0 (MaxRoiPool) at byte");
}

/* The number of items, which is 0, does not tell what is left of a shape for -1. */
static void groups_of_no_images_have_a_shape(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){0, 4, 2, 3}, 4);
    floats(f, "one", (int64_t[]){4}, 1);
    onnx_node_int(f->arena, node(f, "GroupNormalization", "x,one,one", "g"), "num_groups", 2);
    node(f, "Hardmax", "g", "y");
    f->onnx->opset_import.first->version = 11;
    output(f, "y");
    must_load(f);
    expect_dump(f, "result y: scalar[0,4,2,3]", true);
}

/* Items of a line go back to where they were, of which there are more than windows reach. */
static void unpooled(struct fixture *f, const int64_t *index)
{
    static int64_t two[] = {2};

    integers(f, "index", index, 2);
    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 1, 2}, 3);
    integers(f, "shape", (int64_t[]){1, 1, 5}, 3);
    integers(f, "as_x", (int64_t[]){1, 1, 2}, 3);
    node(f, "Reshape", "index,as_x", "at");
    struct onnx_node *n = node(f, "MaxUnpool", "x,at,shape", "y");
    onnx_node_ints(f->arena, n, "kernel_shape", two, 1);
    onnx_node_ints(f->arena, n, "strides", two, 1);
    output(f, "y");
    must_load(f);
}

static void items_go_anywhere_in_the_shape_that_is_told(void **state)
{
    struct fixture *f = *state;

    unpooled(f, (int64_t[]){4, 0});
    runs(f, (double[]){7, 8}, (double[]){8, 0, 0, 0, 7}, 5);
}

static struct onnx_node *windows_of_two(struct fixture *f, struct onnx_node *n)
{
    onnx_node_ints(f->arena, n, "kernel_shape", (int64_t[]){2, 2}, 2);
    onnx_node_ints(f->arena, n, "strides", (int64_t[]){2, 2}, 2);
    return n;
}

/* An index need not lie in the window of its item. */
static void items_go_anywhere_in_the_shape_of_the_windows(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 1, 2, 2}, 4);
    integers(f, "all", (int64_t[]){0, 5, 8, 10}, 4);
    integers(f, "as_x", (int64_t[]){1, 1, 2, 2}, 4);
    node(f, "Reshape", "all,as_x", "at");
    windows_of_two(f, node(f, "MaxUnpool", "x,at", "y"));
    output(f, "y");
    must_load(f);
    runs(f, (double[]){1, 2, 3, 4}, (double[]){1, 0, 0, 0, 0, 2, 0, 0, 3, 0, 4, 0, 0, 0, 0, 0}, 16);
}

/* MaxPool, and MaxUnpool with what it found; `shape` is the input of that name, or "". */
static void pool_and_unpool(struct fixture *f, int64_t extent, const char *shape)
{
    char inputs[16];

    snprintf(inputs, sizeof inputs, "most,at%s%s", *shape ? "," : "", shape);
    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 1, extent, extent}, 4);
    onnx_text_add(f->arena, &windows_of_two(f, node(f, "MaxPool", "x", "most"))->output, "at");
    windows_of_two(f, node(f, "MaxUnpool", inputs, "y"));
    output(f, "y");
    must_load(f);
}

/* Those of an image of 5 columns are indices into an output of 4. */
static void items_of_a_larger_image_go_to_their_indices(void **state)
{
    struct fixture *f = *state;

    pool_and_unpool(f, 5, "");
    runs(f, (double[]){1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
         (double[]){1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 4, 0, 0, 0}, 16);
}

/* NNEF has an operation for items that go back into their windows. */
static void items_go_back_by_one_operation(void **state)
{
    struct fixture *f = *state;

    pool_and_unpool(f, 2, "");
    expect_dump(f, "desample", true);
    runs(f, (double[]){1, 4, 3, 2}, (double[]){0, 4, 0, 0}, 4);
}

static void items_go_back_into_a_shape_that_windows_do_not_fill(void **state)
{
    struct fixture *f = *state;

    integers(f, "shape", (int64_t[]){1, 1, 3, 3}, 4);
    pool_and_unpool(f, 3, "shape");
    expect_dump(f, "desample", true);
    runs(f, (double[]){1, 2, 0, 0, 0, 0, 0, 0, 9}, (double[]){0, 2, 0, 0, 0, 0, 0, 0, 0}, 9);
}

static void unpooling_keeps_the_channels(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 1, 2, 2}, 4);
    input(f, "at", ONNX_INT64, (int64_t[]){1, 1, 2, 2}, 4);
    integers(f, "shape", (int64_t[]){1, 3, 4, 4}, 4);
    windows_of_two(f, node(f, "MaxUnpool", "x,at,shape", "y"));
    output(f, "y");
    assert_int_not_equal(load(f), NNEFC_OK);
    expect(f, 0, "N0145", "windows that reach shape [1,1,4,4], and [1,3,4,4] for its output");
}

static void an_index_out_of_the_shape_is_an_error(void **state)
{
    struct fixture *f = *state;

    unpooled(f, (int64_t[]){1, -1});
    f->run = nnefc_run_new(f->model);
    assert_non_null(f->run);
    feed(f, 0, (double[]){7, 8});
    assert_int_not_equal(nnefc_run_step(f->run), NNEFC_OK);
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 1);
    expect(f, 0, "N0170", "'scatter_elements' is 5");
}

/* A region of two cells over a map of rows 0 to 3, of as many points as they have items. */
static void regions_are_said_in_nnef_by_a_number_of_points_only(void **state)
{
    struct fixture *f = *state;

    input(f, "rois", ONNX_FLOAT, (int64_t[]){1, 4}, 2);
    floats(f, "x", (int64_t[]){1, 1, 4, 1}, 4);
    integers(f, "batch", (int64_t[]){0}, 1);
    struct onnx_node *align = node(f, "RoiAlign", "x,rois,batch", "y");
    onnx_node_int(f->arena, align, "output_height", 2);
    output(f, "y");
    must_load(f);
    assert_int_not_equal(nnefc_model_write_nnef(f->model, "/tmp/nnefc-never-written.tar"),
                         NNEFC_OK);
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 1);
    expect(f, 0, "N0231", "'roi_align' does with as many points as a cell has items");
    go_on_with(f, reread_as(f, NNEFC_PROFILE_CUSTOM));
    runs(f, (double[]){0, 0, 1, 4}, (double[]){.5, 2.5}, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_one_error),
        TEST(a_fault_within_a_fragment_names_the_node),
        TEST(groups_of_no_images_have_a_shape),
        TEST(items_go_anywhere_in_the_shape_that_is_told),
        TEST(items_go_anywhere_in_the_shape_of_the_windows),
        TEST(items_of_a_larger_image_go_to_their_indices),
        TEST(items_go_back_by_one_operation),
        TEST(items_go_back_into_a_shape_that_windows_do_not_fill),
        TEST(unpooling_keeps_the_channels),
        TEST(an_index_out_of_the_shape_is_an_error),
        TEST(regions_are_said_in_nnef_by_a_number_of_points_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
