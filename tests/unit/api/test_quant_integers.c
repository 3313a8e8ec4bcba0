/*
 * test_quant_integers.c - quantization files by which a model computes with integers; the values
 * are worked out from the formulas of section 4.9.5, halves to the even integer
 */
#include "file/data_file.h"
#include "nnefc/backend.h"
#include "nnefc/nnefc.h"
#include "support/tensor_files.h"

#include "unit/base/scratch.h"

enum { WIDTH = 4 };

static const char layer[] = "version 1.0;\ngraph g( x ) -> ( y )\n{\n"
                            "    x = external<scalar>(shape = [1,4]);\n"
                            "    w = variable<scalar>(shape = [1,4], label = 'w');\n"
                            "    b = variable<scalar>(shape = [1,1], label = 'b');\n"
                            "    y = linear(x, w, b);\n}\n";

#define OF_X                                                                                  \
    "'x': zero_point_linear_quantize(zero_point = 1, scale = 0.5, bits = 8, signed = false, " \
    "symmetric = false);\n"
#define OF_W                                                                                  \
    "'w': zero_point_linear_quantize(zero_point = 0, scale = 0.25, bits = 8, signed = true, " \
    "symmetric = true);\n"
#define OF_B                                                                                    \
    "'b': zero_point_linear_quantize(zero_point = 0, scale = 0.125, bits = 32, signed = true, " \
    "symmetric = false);\n"

static void put_text(struct scratch *s, const char *name, const char *text)
{
    scratch_put(s, name, text, strlen(text));
}

/* Quantized items of that many bits; 0: floats. */
static void put_items(struct scratch *s, const char *name, int bits, int count, const double *items)
{
    struct item_format format = {.type = ITEM_QUANTIZED_SIGNED, .bits = bits};
    struct shape shape = {.rank = 2, .extent = {1, count}};
    struct tensor tensor;

    assert_true(tensor_allocate(&tensor, bits ? DTYPE_INTEGER : DTYPE_SCALAR, &shape));
    for (int i = 0; i < count; i++)
        if (bits)
            ((int64_t *)tensor.data)[i] = (int64_t)items[i];
        else
            ((float *)tensor.data)[i] = (float)items[i];
    assert_true(data_write(s->diag, scratch_path(s, name), &tensor, bits ? &format : NULL));
    tensor_clear(&tensor);
}

/* Weights of 1, 2, -1 and 0.5, as integers in steps of 0.25 or as floats, and no bias. */
static void put_layer(struct scratch *s, const char *entries, bool stored)
{
    put_text(s, "graph.nnef", layer);
    put_text(s, "graph.quant", entries);
    put_items(s, "w.dat", stored ? 8 : 0, WIDTH,
              stored ? (double[]){4, 8, -4, 2} : (double[]){1, 2, -1, 0.5});
    put_items(s, "b.dat", 0, 1, (double[]){0});
}

static struct nnefc_model *load(struct scratch *s, enum nnefc_quantization how)
{
    struct nnefc_model *model = nnefc_model_new();

    assert_int_equal(nnefc_model_set_quantization(model, how), NNEFC_OK);
    nnefc_model_load(model, s->folder);
    return model;
}

/* The first result of a step by the reference, or by the fast backend, of x. */
static double compute(struct nnefc_model *model, bool fast, const float x[WIDTH])
{
    struct nnefc_type type = {.dtype = NNEFC_SCALAR, .rank = 2, .extent = {1, WIDTH}};
    struct nnefc_tensor *tensor = nnefc_tensor_new(&type);
    struct nnefc_run *run = fast ? nnefc_run_new_with(model, NULL) : nnefc_run_new(model);

    if (!run)
        nnefc_model_print_diagnostics(model, stderr, NNEFC_PRINT_SHORT, false);
    assert_non_null(run);
    memcpy(nnefc_tensor_data(tensor), x, WIDTH * sizeof *x);
    assert_int_equal(nnefc_run_set_input(run, 0, tensor), NNEFC_OK);
    assert_int_equal(nnefc_run_step(run), NNEFC_OK);
    double item = nnefc_tensor_item(nnefc_run_output(run, 0), 0);
    nnefc_run_free(run);
    nnefc_tensor_free(tensor);
    return item;
}

static void expect(struct scratch *s, enum nnefc_quantization how, double y)
{
    const float x[WIDTH] = {1, 2, 0.25f, -9};

    for (int fast = 0; fast < 2; fast++) {
        struct nnefc_model *model = load(s, how);
        double found = compute(model, fast, x);
        if (found != y)
            fail_msg("%s gives %g, expected %g", fast ? "fast" : "reference", found, y);
        nnefc_model_free(model);
    }
}

/* x becomes 1, 2, 0 (a half, to the even integer) and -0.5 (beyond the range), so that the sum is
 * 1 + 4 - 0 - 0.25; with halves up 1 + 4 - 0.5 - 0.25; without 1 + 4 - 0.25 - 4.5. */
static void a_layer_computes_with_integers(void **state)
{
    struct scratch *s = *state;

    for (int stored = 0; stored < 2; stored++) {
        put_layer(s, OF_X OF_W, stored);
        expect(s, NNEFC_QUANTIZATION_INTEGERS, 4.75);
        expect(s, NNEFC_QUANTIZATION_AUTO, 4.75);
        expect(s, NNEFC_QUANTIZATION_APPLY, 4.25);
        expect(s, NNEFC_QUANTIZATION_OFF, 0.25);
    }
}

static void auto_needs_both_operands_of_a_product(void **state)
{
    struct scratch *s = *state;

    put_layer(s, OF_X, false);
    expect(s, NNEFC_QUANTIZATION_AUTO, 0.25);
    expect(s, NNEFC_QUANTIZATION_INTEGERS, 4.75);
    put_layer(s, OF_W, true);
    expect(s, NNEFC_QUANTIZATION_AUTO, 0.25);
}

/* 2^24 + 3, which no float is, in steps of 0.125 and less 0.125 * 38: sums are exact. */
static void a_bias_has_32_bits(void **state)
{
    struct scratch *s = *state;

    put_layer(s, OF_X OF_W OF_B, true);
    put_items(s, "b.dat", 32, 1, (double[]){16777219 - 38});
    expect(s, NNEFC_QUANTIZATION_INTEGERS, 16777220 * 0.125);
}

/* 255 steps of 0.5 with zero at step 1: the same integers of x. */
static void a_range_with_zero_on_a_step_is_as_good(void **state)
{
    struct scratch *s = *state;

    put_layer(s, "'x': linear_quantize(min = -0.5, max = 127.0, bits = 8);" OF_W, true);
    expect(s, NNEFC_QUANTIZATION_INTEGERS, 4.75);
    put_layer(s,
              "'x': min_max_linear_quantize(min = -0.5, max = 127.0, bits = 8, signed = true, "
              "symmetric = false);" OF_W,
              true);
    expect(s, NNEFC_QUANTIZATION_INTEGERS, 4.75);
}

static void expect_warning(struct scratch *s, enum nnefc_quantization how, const char *part)
{
    struct nnefc_model *model = load(s, how);
    const struct nnefc_diagnostic_list *list = nnefc_model_diagnostics(model);

    assert_int_equal(list->count, part ? 1 : 0);
    if (part) {
        assert_string_equal(list->at[0]->code, "N0218");
        if (!strstr(list->at[0]->text, part))
            fail_msg("'%s' does not say '%s'", list->at[0]->text, part);
    }
    nnefc_model_free(model);
}

/* Integers of w at -1, 0, 1 of powers of two: 1, 2, -1 and 0.5 stay; x is in steps of 0.4 of -0.5,
 * where 1, 2 and 0.25 become 1.1, 1.9 and 0.3. */
static void what_integers_cannot_do_is_applied(void **state)
{
    struct scratch *s = *state;
    static const char powers[] = OF_X "'w': logarithmic_quantize(max = 2.0, bits = 3);";

    put_layer(s, powers, false);
    expect_warning(s, NNEFC_QUANTIZATION_INTEGERS,
                   "tensor 'w' is quantized as a scalar: its steps");
    expect_warning(s, NNEFC_QUANTIZATION_AUTO, NULL);
    expect(s, NNEFC_QUANTIZATION_INTEGERS, 4.75);
    expect(s, NNEFC_QUANTIZATION_AUTO, 0.25);
    put_layer(s, "'x': linear_quantize(min = -0.5, max = 126.6, bits = 8);" OF_W, true);
    expect_warning(s, NNEFC_QUANTIZATION_INTEGERS, "zero comes to lie at step 1.003");
    put_layer(s, "'x': linear_quantize(min = 0.0, max = 65535.0, bits = 17);", true);
    expect_warning(s, NNEFC_QUANTIZATION_INTEGERS, "more than 16 bits");
    put_layer(s, "'x': linear_quantize(min = 0.0, max = 1.0, bits = 1);", true);
    expect_warning(s, NNEFC_QUANTIZATION_INTEGERS, "it has 1 bits, expected 2 to 32");
}

/* An update stores floats; the variable is quantized where it is read, as 2 * 2 + 0 are. */
static void an_updated_variable_stays_one_of_scalars(void **state)
{
    struct scratch *s = *state;
    const float x[WIDTH] = {2, 0, 0, 0};

    put_layer(s, OF_X OF_W, false);
    put_text(s, "graph.nnef",
             "version 1.0;\ngraph g( x ) -> ( y, u )\n{\n"
             "    x = external<scalar>(shape = [1,4]);\n"
             "    w = variable<scalar>(shape = [1,4], label = 'w');\n"
             "    y = linear(x, w, 0.0);\n    u = update(w, x);\n}\n");
    put_items(s, "w.dat", 8, WIDTH, (double[]){8, 0, 0, 0});
    struct nnefc_model *model = load(s, NNEFC_QUANTIZATION_INTEGERS);
    assert_true(compute(model, false, x) == 4);
    nnefc_model_free(model);
}

static void plain_integers_are_no_weights(void **state)
{
    struct scratch *s = *state;
    struct item_format format = {.type = ITEM_SIGNED, .bits = 8};
    struct shape shape = {.rank = 2, .extent = {1, WIDTH}};
    struct tensor tensor;

    put_layer(s, OF_X OF_W, true);
    assert_true(tensor_allocate(&tensor, DTYPE_INTEGER, &shape));
    assert_true(data_write(s->diag, scratch_path(s, "w.dat"), &tensor, &format));
    tensor_clear(&tensor);
    struct nnefc_model *model = load(s, NNEFC_QUANTIZATION_INTEGERS);
    assert_null(nnefc_run_new(model));
    assert_string_equal(nnefc_model_diagnostics(model)->at[0]->code, "N0184");
    nnefc_model_free(model);
}

static void a_plan_tells_its_layers_of_integers(void **state)
{
    struct scratch *s = *state;

    put_layer(s, OF_X OF_W, true);
    struct nnefc_model *model = load(s, NNEFC_QUANTIZATION_AUTO);
    struct nnefc_run *run = nnefc_run_new_with(model, NULL);
    assert_int_equal(nnefc_run_layers(run).count, 0);
    assert_int_equal(nnefc_run_prepare(run), NNEFC_OK);
    struct nnefc_layers layers = nnefc_run_layers(run);
    assert_true(layers.count == 1 && layers.integers == 1);
    assert_true(layers.macs == 4 && layers.integer_macs == 4);
    nnefc_run_free(run);
    nnefc_model_free(model);
}

static void random_weights_are_scalars(void **state)
{
    struct scratch *s = *state;

    put_layer(s, OF_X OF_W, true);
    struct nnefc_model *model = load(s, NNEFC_QUANTIZATION_AUTO);
    assert_int_equal(nnefc_model_init_weights(model, 1, true), NNEFC_USAGE);
    nnefc_model_free(model);
}

static void there_are_four_ways(void **state)
{
    struct nnefc_model *model = nnefc_model_new();

    (void)state;
    assert_int_equal(nnefc_model_set_quantization(model, (enum nnefc_quantization)4), NNEFC_USAGE);
    nnefc_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(a_layer_computes_with_integers),
        scratch_test(auto_needs_both_operands_of_a_product),
        scratch_test(a_bias_has_32_bits),
        scratch_test(a_range_with_zero_on_a_step_is_as_good),
        scratch_test(what_integers_cannot_do_is_applied),
        scratch_test(an_updated_variable_stays_one_of_scalars),
        scratch_test(plain_integers_are_no_weights),
        scratch_test(a_plan_tells_its_layers_of_integers),
        scratch_test(random_weights_are_scalars),
        scratch_test(there_are_four_ways),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
