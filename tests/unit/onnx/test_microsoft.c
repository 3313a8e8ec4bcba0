/* test_microsoft.c - operators of com.microsoft, by hand: what is refused, and what no other judges
 */
#include "import_fixture.h"

static const char *const domain = "com.microsoft";

/* "2x3 i4 -": a tensor of scalars, one of integers of 32 bits, and one that is left out; "l4":
 * of 64. */
static void inputs_of(struct fixture *f, const char *text, char names[64])
{
    char letter = 'a';

    for (*names = '\0'; *text; letter++) {
        const char *end = text + strcspn(text, " ");
        enum onnx_data_type type = *text == 'i'   ? ONNX_INT32
                                   : *text == 'l' ? ONNX_INT64
                                                  : ONNX_FLOAT;
        int64_t dim[8];
        int rank = 0;
        size_t length = strlen(names);
        bool there = *text != '-';
        const char *name = arena_strndup(f->arena, &letter, 1);
        for (const char *at = text; there && at < end; at++)
            if (*at >= '0' && *at <= '9') {
                char *behind;
                dim[rank++] = strtol(at, &behind, 10);
                at = behind;
            }
        if (there)
            input(f, name, type, dim, rank);
        snprintf(names + length, 64 - length, "%s%s", length > 0 || letter > 'a' ? "," : "",
                 there ? name : "");
        text = *end ? end + 1 : end;
    }
}

/* One node, whose attributes are integers: "num_heads=2 scale=3". */
static struct onnx_node *microsoft(struct fixture *f, const char *type, const char *inputs,
                                   const char *attributes)
{
    char names[64];

    inputs_of(f, inputs, names);
    struct onnx_node *n = node(f, type, names, "y");
    n->domain = domain;
    onnx_opset_add(f->arena, &f->onnx->opset_import, domain, 1);
    while (*attributes) {
        const char *equal = strchr(attributes, '=');
        char *end;
        int64_t number = strtol(equal + 1, &end, 10);
        onnx_node_int(f->arena, n,
                      arena_strndup(f->arena, attributes, (size_t)(equal - attributes)), number);
        attributes = *end ? end + 1 : end;
    }
    output(f, "y");
    return n;
}

/* What does not fit, and what is reported; NULL: it fits. */
static const struct fault {
    const char *type, *inputs, *attributes, *code, *text;
} faults[] = {
    {"BiasGelu", "2x3 2", "", "N0145", "has a bias of shape [2], expected [3]"},
    {"FastGelu", "2x3 1x3", "", "N0145", "has a bias of shape [1,3], expected [3]"},
    {"SkipLayerNormalization", "2x3x4 1x3x4 4", "", "", NULL},
    {"SkipLayerNormalization", "2x3x4 3x4 4", "", "", NULL},
    {"SkipLayerNormalization", "2x3x4 2x1x4 4", "", "N0145", "adds shape [2,1,4] to [2,3,4]"},
    {"SkipLayerNormalization", "2x3x4 3x3x4 4", "", "N0145", "adds shape [3,3,4] to [2,3,4]"},
    {"SkipLayerNormalization", "2x3x4 4 4", "", "N0145", "adds shape [4] to [2,3,4]"},
    {"SkipLayerNormalization", "2x3x4 2x3x4 3", "", "N0145", "of shape [3], expected [4]"},
    {"SkipLayerNormalization", "4 4 4", "", "N0145", "of rank 2 or 3"},
    {"EmbedLayerNormalization", "i2x3 i2x2 5x4 3x4 2x4 4 4", "", "N0145",
     "has segments of shape [2,2], expected [2,3]"},
    {"EmbedLayerNormalization", "i2x3 - 5x4 2x4 - 4 4", "", "N0145",
     "has 3 positions, expected at most 2"},
    {"EmbedLayerNormalization", "i2x3 i2x3 5x4 3x4 - 4 4", "", "N0225",
     "has input 1 without input 4, expected both"},
    {"EmbedLayerNormalization", "i2x3 - 5x4 3x4", "", "N0225", "input 5 is left out"},
    {"EmbedLayerNormalization", "i6 - 5x4 3x4 - 4 4", "", "N0145",
     "has words of shape [6], expected [?,?]"},
    {"MatMulNBits", "1x64 i128x2x16 256", "N=128 K=64 bits=4 block_size=32", "N0090",
     "has weights of type INT32, expected UINT8"},
    {"RotaryEmbedding", "1x0x4 l1 4x2 4x2", "", "", NULL},
    {"RotaryEmbedding", "0x2x4 l1 4x2 4x2", "", "", NULL},
    {"RotaryEmbedding", "1x2x6 l1 4x2 4x2", "", "N0146", "turns 2 pairs"},
    {"RotaryEmbedding", "1x2x4 l2 4x2 4x2", "", "N0145", "has positions of shape [2]"},
    {"RotaryEmbedding", "1x2x4 l3x2 4x2 4x2", "", "N0145", "expected [1,2]"},
    {"RotaryEmbedding", "1x2x4 l1 4x2 3x2", "", "N0145", "has sines of shape [3,2]"},
    {"RotaryEmbedding", "2x4 l1 4x2 4x2", "", "N0133", "has an input of rank 2"},
    {"RotaryEmbedding", "1x2x4 l1 4x2 4x2", "is_packed_batching=1", "N0231", "has packed batches"},
    {"RotaryEmbedding", "1x2x4 l1 4x1 4x1", "num_heads=3 rotary_embedding_dim=2", "N0146",
     "has 3 heads for shape [1,2,4]"},
    {"Attention", "1x2x3 3x12 12", "num_heads=3", "N0146", "has 3 heads"},
    {"Attention", "1x2x3 3x13 13", "num_heads=2", "N0146", "in 13"},
    {"Attention", "1x2x3 3x12 12", "", "N0146", "has 0 heads"},
    {"Attention", "1x2x3 4x12 12", "num_heads=2", "N0145", "has weights of shape [4,12]"},
    {"Attention", "2x3 3x12 12", "num_heads=2", "N0145", "has an input of shape [2,3]"},
    {"Attention", "1x2x3 3x12 11", "num_heads=2", "N0145", "has a bias of shape [11]"},
    {"Attention", "1x2x3 3x12 12 i1x1x2x2", "num_heads=2", "N0231",
     "has a mask of shape [1,1,2,2] for 1 batches of 2 queries and 2 keys"},
    {"Attention", "1x2x3 3x12 12 1x2", "num_heads=2", "N0090", "no tensor of integers"},
    {"Attention", "1x2x3 3x12 12 - 2x1x2x1x3", "num_heads=2", "N0145",
     "has a past of shape [2,1,2,1,3]"},
    {"Attention", "1x2x3 3x12 12", "num_heads=2 do_rotary=1", "N0231", "turns its queries"},
    {"Attention", "1x2x3 3x12 12 - - 1x2x2x3", "num_heads=2", "N0145",
     "has what is added to the products of shape [1,2,2,3], expected [1,2,2,2]"},
    {"MultiHeadAttention", "1x2x4 1x2x4 1x2x4", "num_heads=3", "N0231", "for 3 heads"},
    {"MultiHeadAttention", "1x2x4 1x2x4 1x2x4", "", "N0135", "has 0 heads"},
    {"MultiHeadAttention", "1x2x4 1x2x4 1x3x4", "num_heads=2", "N0145", "has queries of shape"},
    {"MultiHeadAttention", "1x2x4 1x2x4", "num_heads=2", "N0231", "keys of rank 3"},
    {"MultiHeadAttention", "1x2x4 - -", "num_heads=2", "N0231", "has queries of rank 3"},
    {"MultiHeadAttention", "1x2x2x4x2", "num_heads=2", "N0145", "has packed keys and values"},
    {"MultiHeadAttention", "1x2x4 1x2x4 1x2x4 11", "num_heads=2", "N0145",
     "has a bias of shape [11], expected [12]"},
    {"MultiHeadAttention", "1x2x4 1x3x4 1x3x4", "num_heads=2 unidirectional=1", "N0231",
     "has 3 keys in one direction for 2 queries"},
    {"MultiHeadAttention", "1x2x4 1x2x4 1x2x4 - - - 1x2x1x2", "num_heads=2", "N0225",
     "has input 6 without input 7, expected both"},
    {"MultiHeadAttention", "1x2x4 1x2x4 1x2x4 - i2", "num_heads=2", "N0231", "has a mask"},
    {"FusedGemm", "2x3 3x2x1", "", "N0133", "expected 2"},
    {"FusedConv", "1x1x3x3 1x1x2x2 - 1x1x3x3", "", "N0145", "adds shape [1,1,3,3] to [1,1,2,2]"},
    {"CropAndResize", "1x2x3x3 1x4 i1 l2", "", "N0226", "input 3, 'd', has to be known"},
    {"NhwcMaxPool", "1x3", "", "N0133", "has an input of rank 2"},
    {"QLinearAdd", "i2 1 - i2 1", "", "N0225", "input 6 is left out"},
    {"QLinearAdd", "i2 1 i1 - 1", "", "N0225", "input 3 is left out"},
    {"QLinearConcat", "1 i1 i2 1", "", "N0225", "has 4 inputs, expected three for each tensor"},
    {"QLinearGlobalAveragePool", "i2x3 1 - 1", "channels_last=1", "N0133", "of rank 2"},
    {"QGemm", "i2x3 1 i1 i3x2x1 1 i1", "", "N0133", "has inputs of rank 2 and 3"},
};

static void check_fault(const struct fault *fault)
{
    struct fixture *f;

    assert_int_equal(setup((void **)&f), 0);
    microsoft(f, fault->type, fault->inputs, fault->attributes);
    enum nnefc_status status = load(f);
    if ((status == NNEFC_OK) != !fault->text)
        fail_msg("%s %s %s: %s", fault->type, fault->inputs, fault->attributes,
                 status == NNEFC_OK ? "taken" : nnefc_model_diagnostics(f->model)->at[0]->text);
    if (fault->text)
        expect(f, 0, fault->code, fault->text);
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, fault->text ? 1 : 0);
    assert_int_equal(teardown((void **)&f), 0);
}

static void what_does_not_fit_is_one_fault(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        check_fault(&faults[i]);
}

/* A node of CropAndResize with a size that is known. */
static struct onnx_node *crop(struct fixture *f, const int64_t *size, int count)
{
    struct onnx_node *n = microsoft(f, "CropAndResize", "1x2x3x3 1x4 i1", "");

    integers(f, "size", size, count);
    onnx_text_add(f->arena, &n->input, "size");
    return n;
}

static void a_crop_has_two_extents(void **state)
{
    struct fixture *f = *state;

    crop(f, (int64_t[]){2}, 1);
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0225", "has regions of shape [1,4] in [1,2,3,3], and 1 extents");
}

static void a_crop_is_not_empty(void **state)
{
    struct fixture *f = *state;

    crop(f, (int64_t[]){2, 0}, 2);
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0225", "has regions of shape [1,4] in [1,2,3,3], and 2 extents");
}

static void a_crop_is_resized_by_one_of_two_modes(void **state)
{
    struct fixture *f = *state;

    onnx_node_string(f->arena, crop(f, (int64_t[]){2, 2}, 2), "mode", "cubic");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0139", "'mode' is 'cubic'");
}

static void a_newer_version_is_refused(void **state)
{
    struct fixture *f = *state;

    microsoft(f, "Gelu", "2", "");
    f->onnx->opset_import.first->next->version = 2;
    assert_int_equal(load(f), NNEFC_UNSUPPORTED);
    expect(f, 0, "N0231",
           "version 2 of the operators of 'com.microsoft' is not known, expected up");
}

static void an_activation_is_one_of_some(void **state)
{
    struct fixture *f = *state;

    onnx_node_string(f->arena, microsoft(f, "FusedGemm", "2x2 2x2", ""), "activation", "Mish");
    assert_int_equal(load(f), NNEFC_UNSUPPORTED);
    expect(f, 0, "N0231", "has the activation 'Mish'");
}

static void a_domain_has_operators_of_its_own(void **state)
{
    struct fixture *f = *state;

    microsoft(f, "SimplifiedLayerNormalization", "2x2 2", "");
    assert_int_equal(load(f), NNEFC_UNSUPPORTED);
    expect(f, 0, "N0231", "'SimplifiedLayerNormalization' of domain 'com.microsoft'");
}

static void roots_of_mean_squares_are_of_both_names(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 2}, 2);
    floats(f, "scale", (int64_t[]){2}, 1);
    onnx_node_float(f->arena, node(f, "SimplifiedLayerNormalization", "x,scale", "y"), "epsilon",
                    0);
    output(f, "y");
    must_load(f);
    runs(f, (double[]){1, 7}, (double[]){0, 1.4}, 2); /* the mean of 1 and 49 is 25 */
}

static void a_word_beyond_the_table_is_an_error(void **state)
{
    struct fixture *f = *state;

    microsoft(f, "EmbedLayerNormalization", "i1x2 - 3x4 2x4 - 4 4", "");
    must_load(f);
    f->run = nnefc_run_new(f->model);
    feed(f, 0, (double[]){2, 3});
    for (int i = 1; i < 5; i++)
        assert_int_equal(nnefc_run_randomize_input(f->run, i, 1), NNEFC_OK);
    assert_int_equal(nnefc_run_step(f->run), NNEFC_INVALID);
    expect(f, 0, "N0170",
           "node 0 (EmbedLayerNormalization) at byte 7: index of 'gather' is 3, expected 0 or more "
           "and below 3");
}

/* The greatest of both channels are 3 and 5. */
static void channels_of_a_pool_may_come_last(void **state)
{
    struct fixture *f = *state;
    struct onnx_node *n = microsoft(f, "NhwcMaxPool", "1x2x1x2", "");

    onnx_node_ints(f->arena, n, "kernel_shape", (int64_t[]){2, 1}, 2);
    must_load(f);
    runs(f, (double[]){1, 5, 3, 2}, (double[]){3, 5}, 2);
}

static void a_pool_whose_channels_come_last_has_no_indices(void **state)
{
    struct fixture *f = *state;
    struct onnx_node *n = microsoft(f, "NhwcMaxPool", "1x2x1x2", "");

    onnx_node_ints(f->arena, n, "kernel_shape", (int64_t[]){2, 1}, 2);
    onnx_text_add(f->arena, &n->output, "indices");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0225", "has 2 outputs, expected 1");
}

/* A single key has all the weight, so that the value behind query and key is the result. */
static void packed_queries_arrive_as_attention(void **state)
{
    struct fixture *f = *state;

    microsoft(f, "MultiHeadAttention", "1x1x1x3x1", "num_heads=1");
    must_load(f);
    expect_dump(f, "attention", true);
    runs(f, (double[]){4, 5, 6}, (double[]){6}, 1);
}

/* x is the same in all items, so that each has its part of 1: in units of 1 / 100 that is 50 along
 * one axis of two items, and 25 along both, as it was before opset 13. */
static void a_quantized_softmax_goes_by_the_version_of_onnx(void **state)
{
    for (int version = 11; version <= 13; version += 2) {
        assert_int_equal(teardown(state), 0);
        assert_int_equal(setup(state), 0);
        struct fixture *f = *state;
        input(f, "x", ONNX_UINT8, (int64_t[]){2, 2}, 2);
        onnx_node_float(f->arena, node(f, "Constant", "", "x_scale"), "value_float", 0.5F);
        onnx_node_float(f->arena, node(f, "Constant", "", "y_scale"), "value_float", 0.01F);
        struct onnx_node *n = node(f, "QLinearSoftmax", "x,x_scale,,y_scale", "y");
        n->domain = domain;
        onnx_opset_add(f->arena, &f->onnx->opset_import, domain, 1);
        onnx_node_int(f->arena, n, "axis", 0);
        onnx_node_int(f->arena, n, "opset", version);
        output(f, "y");
        int part = version < 13 ? 25 : 50;
        computes(f, (double[]){7, 7, 7, 7}, (double[]){part, part, part, part}, 4);
    }
}

/* 3 * 0.5 is 6 quarters, and (3 - 2) * 2 is 8. */
static void a_quantized_choice_is_of_numbers(void **state)
{
    static const struct {
        const char *name;
        float value;
    } scales[] = {{"half", 0.5F}, {"two", 2}, {"quarter", 0.25F}};
    struct fixture *f = *state;

    input(f, "x", ONNX_UINT8, (int64_t[]){2}, 1);
    for (int i = 0; i < 3; i++)
        onnx_node_float(f->arena, node(f, "Constant", "", scales[i].name), "value_float",
                        scales[i].value);
    onnx_node_int(f->arena, node(f, "Constant", "", "2"), "value_int", 2);
    onnx_node_int(f->arena, node(f, "Cast", "2", "zero"), "to", ONNX_UINT8);
    onnx_node_int(f->arena, node(f, "Constant", "", "0"), "value_int", 0);
    onnx_node_int(f->arena, node(f, "Cast", "0", "none"), "to", ONNX_UINT8);
    node(f, "Greater", "x,zero", "first");
    node(f, "Equal", "x,zero", "same");
    node(f, "QLinearWhere", "first,x,half,none,x,two,zero,quarter,none", "a")->domain = domain;
    node(f, "QLinearWhere", "same,x,half,none,x,two,zero,quarter,none", "b")->domain = domain;
    onnx_opset_add(f->arena, &f->onnx->opset_import, domain, 1);
    onnx_node_int(f->arena, node(f, "Concat", "a,b", "y"), "axis", 0);
    output(f, "y");
    computes(f, (double[]){3, 3}, (double[]){6, 6, 8, 8}, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_one_fault),
        TEST(a_crop_has_two_extents),
        TEST(a_crop_is_not_empty),
        TEST(a_crop_is_resized_by_one_of_two_modes),
        TEST(a_newer_version_is_refused),
        TEST(an_activation_is_one_of_some),
        TEST(a_domain_has_operators_of_its_own),
        TEST(roots_of_mean_squares_are_of_both_names),
        TEST(a_word_beyond_the_table_is_an_error),
        TEST(channels_of_a_pool_may_come_last),
        TEST(a_pool_whose_channels_come_last_has_no_indices),
        TEST(packed_queries_arrive_as_attention),
        TEST(a_quantized_softmax_goes_by_the_version_of_onnx),
        TEST(a_quantized_choice_is_of_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
