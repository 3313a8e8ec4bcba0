/* test_import_random.c - random numbers, losses, states, bits and conditions in models of ONNX, by
 * hand */
#include "import_fixture.h"

#include "nnefc/backend.h"
#include "nnefc/passes.h"

enum { SIDE = 100, COUNT = SIDE * SIDE };

static void opset(struct fixture *f, int64_t version)
{
    f->onnx->opset_import.first->version = version;
}

/* --- what is drawn ------------------------------------------------------------------------- */

static struct onnx_node *drawing(struct fixture *f, const char *type, const char *out)
{
    struct onnx_node *n = node(f, type, "", out);

    onnx_node_ints(f->arena, n, "shape", (int64_t[]){SIDE, SIDE}, 2);
    return n;
}

struct moments {
    double mean, deviation, least, most;
};

static struct moments moments_of(const struct nnefc_tensor *tensor)
{
    int64_t count = nnefc_tensor_count(tensor);
    struct moments m = {.least = HUGE_VAL, .most = -HUGE_VAL};
    double squares = 0;

    for (int64_t i = 0; i < count; i++) {
        double item = nnefc_tensor_item(tensor, i);
        m.mean += item / (double)count;
        squares += item * item / (double)count;
        m.least = fmin(m.least, item);
        m.most = fmax(m.most, item);
    }
    m.deviation = sqrt(squares - m.mean * m.mean);
    return m;
}

static struct moments drawn(struct fixture *f, const double *items, int count)
{
    must_load(f);
    return moments_of(result_of(f, items, count));
}

static void is_near(double got, double expected, double by)
{
    if (!(fabs(got - expected) <= by))
        fail_msg("%g is not near %g", got, expected);
}

static void normal_numbers_have_their_moments(void **state)
{
    struct fixture *f = *state;
    struct onnx_node *n = drawing(f, "RandomNormal", "y");

    onnx_node_float(f->arena, n, "mean", 3);
    onnx_node_float(f->arena, n, "scale", 2);
    output(f, "y");
    struct moments m = drawn(f, NULL, COUNT);
    is_near(m.mean, 3, 0.06);
    is_near(m.deviation, 2, 0.05);
    assert_true(m.least < 3 - 6 && m.most > 3 + 6);
}

static void even_numbers_have_their_moments(void **state)
{
    struct fixture *f = *state;
    struct onnx_node *n = drawing(f, "RandomUniform", "y");

    onnx_node_float(f->arena, n, "low", -1);
    onnx_node_float(f->arena, n, "high", 5);
    output(f, "y");
    struct moments m = drawn(f, NULL, COUNT);
    is_near(m.mean, 2, 0.06);
    is_near(m.deviation, 6 / sqrt(12), 0.03);
    assert_true(m.least >= -1 && m.least < -0.98 && m.most < 5 && m.most > 4.98);
}

static void what_is_like_an_input_has_its_shape(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){2, 3}, 2);
    node(f, "RandomNormalLike", "x", "a");
    node(f, "RandomUniformLike", "x", "b");
    node(f, "Sub", "a,b", "y");
    output(f, "y");
    must_load(f);
    result_of(f, NULL, 6);
}

static void integers_are_drawn_by_no_operator_of_floats(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_INT64, (int64_t[]){2, 3}, 2);
    node(f, "RandomNormalLike", "x", "y");
    output(f, "y");
    assert_int_equal(load(f), NNEFC_UNSUPPORTED);
    expect(f, 0, "N0231", "draws numbers of type INT64, expected a type of floats");
}

static void a_drawing_without_a_shape_is_refused(void **state)
{
    struct fixture *f = *state;

    node(f, "RandomNormal", "", "y");
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0225", "has no attribute 'shape'");
}

static void one_is_drawn_with_its_probability(void **state)
{
    struct fixture *f = *state;
    double items[1000];

    for (int i = 0; i < 1000; i++)
        items[i] = i < 10 ? 0 : i < 20 ? 1 : 0.3;
    input(f, "x", ONNX_FLOAT, (int64_t[]){1000}, 1);
    onnx_node_int(f->arena, node(f, "Bernoulli", "x", "y"), "dtype", ONNX_INT32);
    output(f, "y");
    struct moments m = drawn(f, items, 1000);
    is_near(m.mean, 0.3 * 0.98 + 0.01, 0.05);
    for (int i = 0; i < 20; i++)
        assert_true(nnefc_tensor_item(nnefc_run_output(f->run, 0), i) == (i < 10 ? 0 : 1));
}

static void classes_are_drawn_by_their_probabilities(void **state)
{
    struct fixture *f = *state;
    const double x[] = {log(0.5), log(0.25), log(0.25), -HUGE_VAL, -HUGE_VAL, 7, -HUGE_VAL, 5};
    int times[4] = {0};

    input(f, "x", ONNX_FLOAT, (int64_t[]){2, 4}, 2);
    onnx_node_int(f->arena, node(f, "Multinomial", "x", "y"), "sample_size", 2000);
    output(f, "y");
    must_load(f);
    const struct nnefc_tensor *y = result_of(f, x, 4000);
    assert_int_equal(nnefc_tensor_type(y).dtype, NNEFC_INTEGER);
    for (int i = 0; i < 2000; i++)
        times[(int)nnefc_tensor_item(y, i)]++;
    is_near(times[0], 1000, 100);
    is_near(times[1], 500, 80);
    is_near(times[2], 500, 80);
    assert_int_equal(times[3], 0);
    for (int i = 2000; i < 4000; i++)
        assert_true((int)nnefc_tensor_item(y, i) % 2 == 1);
}

/* --- dropping ------------------------------------------------------------------------------ */

static void trains(struct fixture *f)
{
    integers(f, "one", (int64_t[]){1}, 1);
    onnx_node_int(f->arena, node(f, "Cast", "one", "training"), "to", ONNX_BOOL);
}

static void dropout(struct fixture *f, const char *in)
{
    input(f, "x", ONNX_FLOAT, (int64_t[]){SIDE, SIDE}, 2);
    struct onnx_node *n = node(f, "Dropout", in, "y");
    onnx_text_add(f->arena, &n->output, "mask");
    onnx_node_int(f->arena, n, "seed", 4);
    output(f, "y");
    output(f, "mask");
}

static void in_training_items_are_dropped(void **state)
{
    struct fixture *f = *state;
    double *ones = calloc(COUNT, sizeof *ones);

    assert_non_null(ones);
    for (int i = 0; i < COUNT; i++)
        ones[i] = 1;
    trains(f);
    dropout(f, "x,,training");
    must_load(f);
    const struct nnefc_tensor *y = result_of(f, ones, COUNT), *mask = nnefc_run_output(f->run, 1);
    is_near(moments_of(mask).mean, 0.5, 0.02);
    for (int i = 0; i < COUNT; i++)
        assert_true(nnefc_tensor_item(y, i) == (nnefc_tensor_item(mask, i) > 0 ? 2 : 0));
    free(ones);
}

static void a_tensor_may_say_whether_it_is_training(void **state)
{
    struct fixture *f = *state;
    static const bool yes[] = {true}, no[] = {false};

    input(f, "training", ONNX_BOOL, NULL, 0);
    dropout(f, "x,,training");
    must_load(f);
    f->run = nnefc_run_new(f->model);
    assert_non_null(f->run);
    assert_int_equal(nnefc_run_fill_input(f->run, 1, 1), NNEFC_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(nnefc_run_view_input(f->run, 0, i ? no : yes, 1), NNEFC_OK);
        assert_int_equal(nnefc_run_step(f->run), NNEFC_OK);
        is_near(moments_of(nnefc_run_output(f->run, 0)).mean, 1, 0.04);
        is_near(moments_of(nnefc_run_output(f->run, 1)).mean, i ? 1 : 0.5, 0.02);
    }
}

static void all_items_cannot_be_dropped(void **state)
{
    struct fixture *f = *state;
    struct onnx_tensor *ratio = onnx_tensor_new(f->arena, "ratio", ONNX_FLOAT, NULL, 0);

    onnx_tensor_floats(f->arena, ratio, (float[]){1}, 1);
    f->graph->initializer = onnx_tensor_append(f->graph->initializer, ratio);
    trains(f);
    dropout(f, "x,ratio,training");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0135", "drops 1 of the items, expected 0 or more, below 1");
}

/* --- seeds --------------------------------------------------------------------------------- */

static struct nnefc_run *stepped(struct fixture *f, const char *backend, int threads, uint64_t seed)
{
    const struct nnefc_run_options options = {
        .size = sizeof options, .backend = backend, .threads = threads};
    struct nnefc_run *run = nnefc_run_new_with(f->model, &options);

    assert_non_null(run);
    nnefc_run_set_seed(run, seed);
    assert_int_equal(nnefc_run_step(run), NNEFC_OK);
    return run;
}

static bool same_bytes(const struct nnefc_run *a, int of_a, const struct nnefc_run *b, int of_b)
{
    const struct nnefc_tensor *x = nnefc_run_output(a, of_a), *y = nnefc_run_output(b, of_b);

    assert_int_equal(nnefc_tensor_count(x), nnefc_tensor_count(y));
    return memcmp(nnefc_tensor_items(x), nnefc_tensor_items(y),
                  (size_t)nnefc_tensor_count(x) * sizeof(float)) == 0;
}

/* y and z without a seed, w with one. */
static void three_drawings(struct fixture *f)
{
    drawing(f, "RandomNormal", "y");
    drawing(f, "RandomNormal", "z");
    onnx_node_float(f->arena, drawing(f, "RandomNormal", "w"), "seed", 4.5F);
    output(f, "y");
    output(f, "z");
    output(f, "w");
    must_load(f);
}

static void the_seed_decides_what_is_drawn(void **state)
{
    struct fixture *f = *state;
    static const char *const backends[] = {"reference", "auto", "auto"};

    three_drawings(f);
    struct nnefc_run *first = stepped(f, "reference", 1, 7);
    for (int i = 0; i < 3; i++) { /* whoever computes, by any number of threads */
        struct nnefc_run *run = stepped(f, backends[i], 1 + i % 2, 7);
        for (int output = 0; output < 3; output++)
            assert_true(same_bytes(first, output, run, output));
        nnefc_run_free(run);
    }
    struct nnefc_run *other = stepped(f, "auto", 1, 8);
    assert_false(same_bytes(first, 0, other, 0));
    assert_false(same_bytes(first, 1, other, 1));
    assert_true(same_bytes(first, 2, other, 2)); /* it has a seed of its own */
    nnefc_run_free(other);
    nnefc_run_free(first);
}

static void two_nodes_draw_different_numbers(void **state)
{
    const struct nnefc_rewrite how = {.size = sizeof how};
    struct fixture *f = *state;

    three_drawings(f);
    assert_int_equal(nnefc_model_rewrite(f->model, &how), NNEFC_OK);
    f->run = stepped(f, "auto", 1, 7);
    assert_false(same_bytes(f->run, 0, f->run, 1));
    assert_false(same_bytes(f->run, 0, f->run, 2));
}

static void each_step_draws_others_until_the_seed_is_set(void **state)
{
    struct fixture *f = *state;

    three_drawings(f);
    struct nnefc_run *first = stepped(f, "auto", 1, 7);
    f->run = stepped(f, "auto", 1, 7);
    assert_int_equal(nnefc_run_step(f->run), NNEFC_OK);
    assert_false(same_bytes(first, 0, f->run, 0));
    nnefc_run_set_seed(f->run, 7);
    assert_int_equal(nnefc_run_step(f->run), NNEFC_OK);
    assert_true(same_bytes(first, 0, f->run, 0));
    struct nnefc_run *like = nnefc_run_new_like(first);
    assert_int_equal(nnefc_run_step(like), NNEFC_OK);
    assert_true(same_bytes(first, 0, like, 0));
    nnefc_run_free(like);
    nnefc_run_free(first);
    nnefc_run_set_seed(NULL, 1);
}

/* --- losses -------------------------------------------------------------------------------- */

/* Of targets 0 and `target`, of 3 classes. */
static void loss(struct fixture *f, int64_t target)
{
    input(f, "x", ONNX_FLOAT, (int64_t[]){2, 3}, 2);
    integers(f, "t", (int64_t[]){0, target}, 2);
    struct onnx_node *n = node(f, "NegativeLogLikelihoodLoss", "x,t", "y");
    onnx_node_int(f->arena, n, "ignore_index", -1);
    output(f, "y");
}

static void targets_that_are_ignored_are_not_counted(void **state)
{
    struct fixture *f = *state;

    loss(f, -1);
    computes(f, (double[]){-2, 9, 9, 9, 9, HUGE_VAL}, (double[]){2}, 1);
}

static void a_target_that_is_no_class_is_one_fault(void **state)
{
    struct fixture *f = *state;

    loss(f, 3);
    assert_int_equal(load(f), NNEFC_INVALID);
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 1);
    expect(f, 0, "N0170", "node 0 (NegativeLogLikelihoodLoss) at byte 6: index of 'gather' is 3");
}

static void a_target_that_is_fed_is_checked_when_running(void **state)
{
    struct fixture *f = *state;

    input(f, "t", ONNX_INT32, (int64_t[]){2}, 1);
    input(f, "x", ONNX_FLOAT, (int64_t[]){2, 3}, 2);
    node(f, "SoftmaxCrossEntropyLoss", "x,t", "y");
    output(f, "y");
    must_load(f);
    f->run = nnefc_run_new(f->model);
    assert_non_null(f->run);
    feed(f, 0, (double[]){0, -2});
    feed(f, 1, (double[]){1, 2, 3, 4, 5, 6});
    assert_int_equal(nnefc_run_step(f->run), NNEFC_INVALID);
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 1);
    expect(f, 0, "N0170", "index of 'gather' is -2, expected 0 or more and below 3");
}

static void targets_have_the_shape_of_the_places(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){2, 3, 4}, 3);
    input(f, "t", ONNX_INT64, (int64_t[]){2, 3}, 2);
    node(f, "SoftmaxCrossEntropyLoss", "x,t", "y");
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0145", "has targets of shape [2,3], expected [2,4]");
}

/* --- states -------------------------------------------------------------------------------- */

static void a_causal_convolution_goes_on_where_it_was(void **state)
{
    struct fixture *f = *state;

    opset(f, 27);
    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 1, 3}, 3);
    floats(f, "w", (int64_t[]){1, 1, 3}, 3);    /* 0 1 2 */
    floats(f, "past", (int64_t[]){1, 1, 2}, 3); /* 0 1 */
    struct onnx_node *n = node(f, "CausalConvWithState", "x,w,,past", "y");
    onnx_text_add(f->arena, &n->output, "present");
    onnx_node_int(f->arena, node(f, "Concat", "y,present", "z"), "axis", 2);
    output(f, "z");
    computes(f, (double[]){5, 7, -1}, (double[]){11, 19, 5, 7, -1}, 5);
}

static void a_filter_of_several_channels_is_not_causal(void **state)
{
    struct fixture *f = *state;

    opset(f, 27);
    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 2, 3}, 3);
    floats(f, "w", (int64_t[]){2, 2, 3}, 3);
    node(f, "CausalConvWithState", "x,w", "y");
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0145", "has a filter of shape [2,2,3] for [1,2,3]");
}

static struct onnx_node *linear_attention(struct fixture *f, int64_t heads)
{
    opset(f, 27);
    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 2, 2}, 3);
    struct onnx_node *n = node(f, "LinearAttention", "x,x,x", "y");
    onnx_node_int(f->arena, n, "q_num_heads", 1);
    onnx_node_int(f->arena, n, "kv_num_heads", heads);
    output(f, "y");
    return n;
}

/* The scale is 1 / sqrt(2). */
static void attention_by_a_state_has_a_scale(void **state)
{
    struct fixture *f = *state;
    const double root = sqrt(2), x[] = {1, 2, 3, 1};

    onnx_node_string(f->arena, linear_attention(f, 1), "update_rule", "linear");
    must_load(f);
    runs(f, x, (double[]){5 / root, 10 / root, 35 / root, 20 / root}, 4);
}

static void a_rule_wants_its_inputs(void **state)
{
    struct fixture *f = *state;

    onnx_node_string(f->arena, linear_attention(f, 1), "update_rule", "gated");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0225", "has no decay, which the rule 'gated' needs");
}

static void heads_divide_each_other(void **state)
{
    struct fixture *f = *state;

    onnx_node_string(f->arena, linear_attention(f, 2), "update_rule", "linear");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0146", "1 heads of them and 2 of keys");
}

/* --- bits ---------------------------------------------------------------------------------- */

static void cast_bits(struct fixture *f, enum onnx_data_type from, enum onnx_data_type to)
{
    opset(f, 26);
    input(f, "x", from, (int64_t[]){3}, 1);
    onnx_node_int(f->arena, node(f, "BitCast", "x", "y"), "to", to);
    output(f, "y");
}

static void bits_of_halves_become_integers_with_a_sign(void **state)
{
    struct fixture *f = *state;

    cast_bits(f, ONNX_FLOAT16, ONNX_INT16);
    must_load(f);
    runs(f, (double[]){1, -2, 0}, (double[]){15360, -16384, 0}, 3);
}

static void bits_of_integers_become_floats(void **state)
{
    struct fixture *f = *state;

    cast_bits(f, ONNX_INT32, ONNX_FLOAT);
    must_load(f);
    runs(f, (double[]){1065353216, -1073741824, 0}, (double[]){1, -2, 0}, 3);
}

static void integers_change_their_sign(void **state)
{
    struct fixture *f = *state;

    cast_bits(f, ONNX_UINT8, ONNX_INT8);
    must_load(f);
    runs(f, (double[]){1, 255, 128}, (double[]){1, -1, -128}, 3);
}

static void bits_become_as_many(void **state)
{
    struct fixture *f = *state;

    cast_bits(f, ONNX_FLOAT, ONNX_INT16);
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0225", "casts the 32 bits of FLOAT to INT16, which has 16");
}

static void doubles_have_other_bits_here(void **state)
{
    struct fixture *f = *state;

    cast_bits(f, ONNX_DOUBLE, ONNX_INT64);
    assert_int_equal(load(f), NNEFC_UNSUPPORTED);
    expect(f, 0, "N0231", "casts the bits of DOUBLE to INT64");
}

/* --- opset 28 ------------------------------------------------------------------------------ */

static void a_remainder_of_floats_has_the_sign_of_the_divisor(void **state)
{
    struct fixture *f = *state;

    opset(f, 28);
    input(f, "x", ONNX_FLOAT, (int64_t[]){4}, 1);
    input(f, "y", ONNX_FLOAT, (int64_t[]){4}, 1);
    node(f, "Mod", "x,y", "z");
    output(f, "z");
    must_load(f);
    f->run = nnefc_run_new(f->model);
    feed(f, 1, (double[]){3, -3, HUGE_VAL, -HUGE_VAL});
    feed(f, 0, (double[]){-4, 4, 5, 5});
    assert_int_equal(nnefc_run_step(f->run), NNEFC_OK);
    const double expected[] = {2, -2, 5, -HUGE_VAL};
    for (int i = 0; i < 4; i++)
        assert_true(nnefc_tensor_item(nnefc_run_output(f->run, 0), i) == expected[i]);
}

static void channels_of_one_channel_are_together_in_mode_crd(void **state)
{
    struct fixture *f = *state;

    opset(f, 28);
    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 2, 2, 2}, 4);
    struct onnx_node *n = node(f, "SpaceToDepth", "x", "y");
    onnx_node_int(f->arena, n, "blocksize", 2);
    onnx_node_string(f->arena, n, "mode", "CRD");
    output(f, "y");
    computes(f, (double[]){0, 1, 2, 3, 4, 5, 6, 7}, (double[]){0, 1, 2, 3, 4, 5, 6, 7}, 8);
}

static void the_first_input_is_the_gate(void **state)
{
    struct fixture *f = *state;

    opset(f, 28);
    input(f, "a", ONNX_FLOAT, (int64_t[]){3}, 1);
    floats(f, "b", (int64_t[]){3}, 1);
    node(f, "SwiGLU", "a,b", "y");
    output(f, "y");
    computes(f, (double[]){1, 0, 2}, (double[]){0, 0, 4 / (1 + exp(-2))}, 3);
}

static void a_gate_does_not_broadcast(void **state)
{
    struct fixture *f = *state;

    opset(f, 28);
    input(f, "a", ONNX_FLOAT, (int64_t[]){3}, 1);
    floats(f, "b", (int64_t[]){1}, 1);
    node(f, "SwiGLU", "a,b", "y");
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0145", "has an input of shape [1], expected [3]");
}

static void opset_29_is_not_known(void **state)
{
    struct fixture *f = *state;

    opset(f, 29);
    input(f, "x", ONNX_FLOAT, (int64_t[]){3}, 1);
    node(f, "Relu", "x", "y");
    output(f, "y");
    assert_int_equal(load(f), NNEFC_UNSUPPORTED);
    expect(f, 0, "N0231",
           "version 29 of the operators of 'ai.onnx' is not known, expected up to 28");
}

/* --- conditions ---------------------------------------------------------------------------- */

static void items_are_taken_by_a_condition_that_is_known(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){2, 2}, 2);
    integers(f, "flags", (int64_t[]){0, 1, 1}, 3);
    onnx_node_int(f->arena, node(f, "Cast", "flags", "condition"), "to", ONNX_BOOL);
    node(f, "Compress", "x,condition", "y");
    output(f, "y");
    computes(f, (double[]){5, 6, 7, 8}, (double[]){6, 7}, 2);
}

static void a_condition_is_not_longer_than_the_axis(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){2, 2}, 2);
    integers(f, "flags", (int64_t[]){0, 1, 1}, 3);
    onnx_node_int(f->arena, node(f, "Cast", "flags", "condition"), "to", ONNX_BOOL);
    onnx_node_int(f->arena, node(f, "Compress", "x,condition", "y"), "axis", -1);
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0145", "has a condition of type logical[3] for 2 items");
}

static void a_condition_that_is_fed_is_refused(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){2, 2}, 2);
    input(f, "c", ONNX_BOOL, (int64_t[]){2}, 1);
    node(f, "Compress", "x,c", "y");
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0226", "input 1, 'c', has to be known when the model is read");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(normal_numbers_have_their_moments),
        TEST(even_numbers_have_their_moments),
        TEST(what_is_like_an_input_has_its_shape),
        TEST(integers_are_drawn_by_no_operator_of_floats),
        TEST(a_drawing_without_a_shape_is_refused),
        TEST(one_is_drawn_with_its_probability),
        TEST(classes_are_drawn_by_their_probabilities),
        TEST(in_training_items_are_dropped),
        TEST(a_tensor_may_say_whether_it_is_training),
        TEST(all_items_cannot_be_dropped),
        TEST(the_seed_decides_what_is_drawn),
        TEST(two_nodes_draw_different_numbers),
        TEST(each_step_draws_others_until_the_seed_is_set),
        TEST(targets_that_are_ignored_are_not_counted),
        TEST(a_target_that_is_no_class_is_one_fault),
        TEST(a_target_that_is_fed_is_checked_when_running),
        TEST(targets_have_the_shape_of_the_places),
        TEST(a_causal_convolution_goes_on_where_it_was),
        TEST(a_filter_of_several_channels_is_not_causal),
        TEST(attention_by_a_state_has_a_scale),
        TEST(a_rule_wants_its_inputs),
        TEST(heads_divide_each_other),
        TEST(bits_of_halves_become_integers_with_a_sign),
        TEST(bits_of_integers_become_floats),
        TEST(integers_change_their_sign),
        TEST(bits_become_as_many),
        TEST(doubles_have_other_bits_here),
        TEST(a_remainder_of_floats_has_the_sign_of_the_divisor),
        TEST(channels_of_one_channel_are_together_in_mode_crd),
        TEST(the_first_input_is_the_gate),
        TEST(a_gate_does_not_broadcast),
        TEST(opset_29_is_not_known),
        TEST(items_are_taken_by_a_condition_that_is_known),
        TEST(a_condition_is_not_longer_than_the_axis),
        TEST(a_condition_that_is_fed_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
