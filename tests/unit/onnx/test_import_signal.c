/* test_import_signal.c - spectra, images and compositions of models of ONNX, by hand */
#include "import_fixture.h"

static void number(struct fixture *f, const char *name, int64_t value)
{
    struct onnx_tensor *t = onnx_tensor_new(f->arena, name, ONNX_INT64, NULL, 0);

    onnx_tensor_ints(f->arena, t, &value, 1);
    f->graph->initializer = onnx_tensor_append(f->graph->initializer, t);
}

static void a_short_signal_is_padded_for_its_spectrum(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 2, 1}, 3);
    number(f, "n", 4);
    node(f, "DFT", "x,n", "y");
    output(f, "y");
    computes(f, (double[]){1, 2}, (double[]){3, 0, 1, -2, -1, 0, 1, 2}, 8);
}

static void a_long_signal_is_cut_for_its_spectrum(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 3, 1}, 3);
    number(f, "n", 2);
    node(f, "DFT", "x,n", "y");
    output(f, "y");
    computes(f, (double[]){1, 2, 9}, (double[]){3, 0, -1, 0}, 4);
}

static void half_a_spectrum_becomes_a_real_signal(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 3, 2}, 3);
    struct onnx_node *dft = node(f, "DFT", "x", "y");
    onnx_node_int(f->arena, dft, "inverse", 1);
    onnx_node_int(f->arena, dft, "onesided", 1);
    output(f, "y");
    computes(f, (double[]){3, 0, 1, -2, -1, 0}, (double[]){1, 2, 0, 0}, 4);
}

static void frames_of_complex_signals_have_two_sides(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 3, 2}, 3);
    number(f, "step", 1);
    number(f, "length", 2);
    onnx_node_int(f->arena, node(f, "STFT", "x,step,,length", "y"), "onesided", 0);
    output(f, "y");
    computes(f, (double[]){1, 2, 3, 5, -1, 0}, (double[]){4, 7, -2, -3, 2, 5, 4, 5}, 8);
}

static void a_window_may_be_fed(void **state)
{
    struct fixture *f = *state;

    input(f, "window", ONNX_FLOAT, (int64_t[]){2}, 1);
    floats(f, "x", (int64_t[]){1, 4, 1}, 3);
    number(f, "step", 2);
    node(f, "STFT", "x,step,window", "y");
    output(f, "y");
    computes(f, (double[]){1, 3}, (double[]){3, 0, -3, 0, 11, 0, -7, 0}, 8);
}

static void a_frame_longer_than_the_signal_is_refused(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 3, 1}, 3);
    number(f, "step", 1);
    number(f, "length", 4);
    node(f, "STFT", "x,step,,length", "y");
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0225", "frames of 4 items");
}

static void one_hot_of_rank_8_is_refused(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_INT64, (int64_t[]){1, 1, 1, 1, 1, 1, 1, 2}, 8);
    number(f, "depth", 3);
    input(f, "values", ONNX_FLOAT, (int64_t[]){2}, 1);
    node(f, "OneHot", "x,depth,values", "y");
    output(f, "y");
    assert_int_equal(load(f), NNEFC_UNSUPPORTED);
    expect(f, 0, "N0231", "makes 9 dimensions");
}

/* A matrix for "bands", of spectra of `n` samples at a rate of 8000 hertz. */
static void mel_weights(struct fixture *f, int64_t n, int64_t low, int64_t high)
{
    number(f, "n", n);
    number(f, "rate", 8000);
    number(f, "low", low);
    number(f, "high", high);
    node(f, "MelWeightMatrix", "bands,n,rate,low,high", "y");
    output(f, "y");
}

static void bands_end_below_half_the_rate(void **state)
{
    struct fixture *f = *state;

    number(f, "bands", 2);
    mel_weights(f, 8, 0, 4001);
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0135", "from 0 to 4001 hertz");
}

static void a_number_that_is_not_known_is_one_fault(void **state)
{
    struct fixture *f = *state;

    input(f, "bands", ONNX_INT64, NULL, 0);
    mel_weights(f, 8, 0, 4000);
    assert_int_not_equal(load(f), NNEFC_OK);
    expect(f, 0, "N0226", "input 0, 'bands', has to be known");
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 1);
}

/* By the formula of ONNX the band begins at bin 2, has its middle at bin 4 and ends at bin 5. */
static void a_band_rises_to_its_middle(void **state)
{
    struct fixture *f = *state;

    number(f, "bands", 1);
    mel_weights(f, 14, 1500, 4000);
    computes(f, NULL, (double[]){0, 0, 0, .5, 1, 0, 0, 0}, 8);
}

/* The second region begins far above the map, where there is nothing. */
static void points_far_from_the_map_are_zero(void **state)
{
    struct fixture *f = *state;

    input(f, "rois", ONNX_FLOAT, (int64_t[]){2, 4}, 2);
    floats(f, "x", (int64_t[]){1, 1, 2, 2}, 4);
    integers(f, "batch", (int64_t[]){0, 0}, 2);
    struct onnx_node *align = node(f, "RoiAlign", "x,rois,batch", "y");
    onnx_node_int(f->arena, align, "output_height", 2);
    onnx_node_int(f->arena, align, "output_width", 1);
    onnx_node_int(f->arena, align, "sampling_ratio", 1);
    output(f, "y");
    computes(f, (double[]){0, 0, 2, 2, 0, -6, 2, 2}, (double[]){.5, 2.5, 0, .5}, 4);
}

static void columns_are_added_where_blocks_overlap(void **state)
{
    struct fixture *f = *state;
    static int64_t pads[] = {1, 0};

    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 2, 3}, 3);
    integers(f, "image", (int64_t[]){3}, 1);
    integers(f, "block", (int64_t[]){2}, 1);
    onnx_node_ints(f->arena, node(f, "Col2Im", "x,image,block", "y"), "pads", pads, 2);
    output(f, "y");
    computes(f, (double[]){1, 2, 3, 10, 20, 30}, (double[]){12, 23, 30}, 3);
}

static void indices_may_count_by_columns(void **state)
{
    struct fixture *f = *state;
    static int64_t kernel[] = {1, 3};

    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 1, 2, 3}, 4);
    struct onnx_node *pool = node(f, "MaxPool", "x", "most");
    onnx_text_add(f->arena, &pool->output, "y");
    onnx_node_ints(f->arena, pool, "kernel_shape", kernel, 2);
    onnx_node_int(f->arena, pool, "storage_order", 1);
    output(f, "y");
    computes(f, (double[]){1, 9, 3, 4, 5, 6}, (double[]){2, 5}, 2);
}

static void a_product_has_all_items(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){5}, 1);
    node(f, "ReduceProd", "x", "y");
    output(f, "y");
    computes(f, (double[]){2, 3, 5, 7, 11}, (double[]){2310}, 1);
}

static void the_first_greatest_item_is_1(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){2, 3}, 2);
    node(f, "Hardmax", "x", "y");
    output(f, "y");
    computes(f, (double[]){1, 4, 4, 3, 2, 1}, (double[]){0, 1, 0, 1, 0, 0}, 6);
}

/* x / (2 + 4 / 2 * (squares of itself and of the channel behind)) */
static void channels_behind_dampen(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 2, 1}, 3);
    struct onnx_node *lrn = node(f, "LRN", "x", "y");
    onnx_node_int(f->arena, lrn, "size", 2);
    onnx_node_float(f->arena, lrn, "alpha", 4);
    onnx_node_float(f->arena, lrn, "beta", 1);
    onnx_node_float(f->arena, lrn, "bias", 2);
    output(f, "y");
    computes(f, (double[]){1, 2}, (double[]){1. / 12, .2}, 2);
}

/* The size has no default. */
static void channels_of_a_window_are_counted(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 2, 1}, 3);
    node(f, "LRN", "x", "y");
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0225",
           "has an input of rank 3 and size 0, expected a rank of 2 or more and a positive size");
}

static void channels_of_one_place_are_together_unless_mode_is_crd(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 8, 1, 1}, 4);
    onnx_node_int(f->arena, node(f, "DepthToSpace", "x", "y"), "blocksize", 2);
    output(f, "y");
    computes(f, (double[]){0, 1, 2, 3, 4, 5, 6, 7}, (double[]){0, 2, 4, 6, 1, 3, 5, 7}, 8);
}

static void blocks_divide_the_channels(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 6, 1, 1}, 4);
    onnx_node_int(f->arena, node(f, "DepthToSpace", "x", "y"), "blocksize", 2);
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0146", "shape [1,6,1,1] does not consist of blocks of 2");
}

/* By a right angle (a, b) becomes (-b, a); items behind the pairs stay. */
static void pairs_turn_and_the_rest_stays(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 1, 1, 3}, 4);
    floats(f, "zero", (int64_t[]){1, 1, 1}, 3);
    node(f, "Cos", "zero", "one");
    struct onnx_node *turn = node(f, "RotaryEmbedding", "x,zero,one", "y");
    onnx_node_int(f->arena, turn, "rotary_embedding_dim", 2);
    output(f, "y");
    computes(f, (double[]){3, 4, 5}, (double[]){-4, 3, 5}, 3);
}

static void positions_are_of_a_batch_and_a_length(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 1, 1, 2}, 4);
    floats(f, "cache", (int64_t[]){1, 1}, 2);
    number(f, "position", 0);
    node(f, "RotaryEmbedding", "x,cache,cache,position", "y");
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0133", "has positions of shape [], expected rank 2");
}

static void a_direction_is_one_of_three_words(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 1, 1}, 3);
    floats(f, "w", (int64_t[]){1, 1, 1}, 3);
    onnx_node_string(f->arena, node(f, "RNN", "x,w,w", "y"), "direction", "fast");
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0139",
           "'direction' is 'fast', expected 'forward', 'reverse' or 'bidirectional'");
}

static void a_column_has_a_block_of_the_image(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 2, 3}, 3);
    integers(f, "image", (int64_t[]){3, 1}, 2);
    integers(f, "block", (int64_t[]){2}, 1);
    node(f, "Col2Im", "x,image,block", "y");
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0134", "input 2 has 1 items, expected 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_short_signal_is_padded_for_its_spectrum),
        TEST(a_long_signal_is_cut_for_its_spectrum),
        TEST(half_a_spectrum_becomes_a_real_signal),
        TEST(frames_of_complex_signals_have_two_sides),
        TEST(a_window_may_be_fed),
        TEST(a_frame_longer_than_the_signal_is_refused),
        TEST(one_hot_of_rank_8_is_refused),
        TEST(bands_end_below_half_the_rate),
        TEST(a_number_that_is_not_known_is_one_fault),
        TEST(a_band_rises_to_its_middle),
        TEST(points_far_from_the_map_are_zero),
        TEST(columns_are_added_where_blocks_overlap),
        TEST(indices_may_count_by_columns),
        TEST(a_product_has_all_items),
        TEST(the_first_greatest_item_is_1),
        TEST(channels_behind_dampen),
        TEST(channels_of_a_window_are_counted),
        TEST(channels_of_one_place_are_together_unless_mode_is_crd),
        TEST(blocks_divide_the_channels),
        TEST(pairs_turn_and_the_rest_stays),
        TEST(positions_are_of_a_batch_and_a_length),
        TEST(a_direction_is_one_of_three_words),
        TEST(a_column_has_a_block_of_the_image),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
