/*
 * test_quant.c - quantization files applied, and weights that are stored as integers; the values
 *                are worked out from the formulas of sections 4.9.5 and 5.2
 */
#include "file/dat.h"
#include "file/data_file.h"
#include "nnefc/nnefc.h"
#include "support/tensor_files.h"
#include "tensor/bytes.h"

#include "unit/base/scratch.h"

enum { WIDTH = 4 };

static void put_text(struct scratch *s, const char *name, const char *text)
{
    scratch_put(s, name, text, strlen(text));
}

static const char *const adding = "version 1.0;\n"
                                  "graph g( x ) -> ( y )\n"
                                  "{\n"
                                  "    x = external<scalar>(shape = [1,4]);\n"
                                  "    w = variable<scalar>(shape = [1,4], label = 'w');\n"
                                  "    y = add(x, w);\n"
                                  "}\n";

static const char *const provisional = "version 1.0\n"
                                       "graph g( x ) -> ( y )\n"
                                       "{\n"
                                       "    x = external(shape = [1,4])\n"
                                       "    w = variable(shape = [1,4], label = 'w')\n"
                                       "    y = add(x, w)\n"
                                       "}\n";

/* w.dat with four integers. */
static void put_weights(struct scratch *s, enum item_type type, int bits, const int64_t w[WIDTH])
{
    struct item_format format = {.type = type, .bits = bits};
    struct shape shape = {.rank = 2, .extent = {1, WIDTH}};
    struct tensor tensor;

    assert_true(tensor_allocate(&tensor, DTYPE_INTEGER, &shape));
    memcpy(tensor.data, w, WIDTH * sizeof *w);
    assert_true(data_write(s->diag, scratch_path(s, "w.dat"), &tensor, &format));
    tensor_clear(&tensor);
}

static void put_floats(struct scratch *s, const float w[WIDTH])
{
    struct shape shape = {.rank = 2, .extent = {1, WIDTH}};
    struct tensor tensor;

    assert_true(tensor_allocate(&tensor, DTYPE_SCALAR, &shape));
    memcpy(tensor.data, w, WIDTH * sizeof *w);
    assert_true(data_write(s->diag, scratch_path(s, "w.dat"), &tensor, NULL));
    tensor_clear(&tensor);
}

static struct nnefc_model *load(struct scratch *s, bool quantize)
{
    struct nnefc_model *model = nnefc_model_new();

    nnefc_model_set_quantize(model, quantize);
    nnefc_model_load(model, s->folder);
    return model;
}

static void feed(struct nnefc_run *run, const float x[WIDTH])
{
    struct nnefc_type type = {.dtype = NNEFC_SCALAR, .rank = 2, .extent = {1, WIDTH}};
    struct nnefc_tensor *tensor = nnefc_tensor_new(&type);

    assert_non_null(tensor);
    memcpy(nnefc_tensor_data(tensor), x, WIDTH * sizeof *x);
    assert_int_equal(nnefc_run_set_input(run, 0, tensor), NNEFC_OK);
    nnefc_tensor_free(tensor);
}

/* The model in the folder computes y from x in each of `steps` steps. */
static void expect_after(struct scratch *s, bool quantize, int steps, const float x[WIDTH],
                         const float y[WIDTH])
{
    struct nnefc_model *model = load(s, quantize);
    struct nnefc_run *run = nnefc_run_new(model);

    if (!run)
        nnefc_model_print_diagnostics(model, stderr, NNEFC_PRINT_SHORT, false);
    assert_non_null(run);
    feed(run, x);
    for (int i = 0; i < steps; i++)
        assert_int_equal(nnefc_run_step(run), NNEFC_OK);
    for (int i = 0; i < WIDTH; i++) {
        double found = nnefc_tensor_item(nnefc_run_output(run, 0), i);
        if (!(found >= (double)y[i] - 1e-6 && found <= (double)y[i] + 1e-6))
            fail_msg("item %d is %g, expected %g", i, found, (double)y[i]);
    }
    nnefc_run_free(run);
    nnefc_model_free(model);
}

static const float zeros[WIDTH] = {0};

/* What the weights are worth: added to 0. */
static void expect_weights(struct scratch *s, const float w[WIDTH])
{
    expect_after(s, false, 1, zeros, w);
}

static struct nnefc_diagnostic first_error(const struct nnefc_model *model)
{
    int index = 0;

    assert_true(nnefc_model_error_count(model) > 0);
    while (nnefc_model_diagnostics(model)->at[index]->severity != NNEFC_ERROR)
        index++;
    return *nnefc_model_diagnostics(model)->at[index];
}

/* The model in the folder cannot be run, and this is the first reason. */
static void expect_fault(struct scratch *s, const char *code, const char *part)
{
    struct nnefc_model *model = load(s, false);
    struct nnefc_run *run = nnefc_run_new(model);
    struct nnefc_diagnostic error = first_error(model);

    assert_null(run);
    if (!strstr(error.text, part))
        fail_msg("'%s' does not say '%s'", error.text, part);
    assert_string_equal(error.code, code);
    nnefc_model_free(model);
}

/* --- applied ------------------------------------------------------------------------------ */

/* Steps of 1/3: 0.4 is nearest to 1/3 and 0.6 to 2/3; what is beyond the range is clamped. */
static void every_kind_of_tensor_is_quantized(void **state)
{
    struct scratch *s = *state;
    const float x[] = {0.4f, 0.6f, -5, 0}, w[] = {0, 0, 0, 1};

    put_text(s, "graph.nnef", adding);
    put_floats(s, w);
    put_text(s, "graph.quant", "'x': linear_quantize(min = 0.0, max = 1.0, bits = 2);");
    expect_after(s, false, 1, x, (float[]){0.4f, 0.6f, -5, 1});
    expect_after(s, true, 1, x, (float[]){1 / 3.0f, 2 / 3.0f, 0, 1});
    put_text(s, "graph.quant", "'w': linear_quantize(min = 0.0, max = 0.5, bits = 2);");
    expect_after(s, true, 1, x, (float[]){0.4f, 0.6f, -5, 0.5f});
    put_text(s, "graph.quant", "'y': linear_quantize(min = 0.0, max = 1.0, bits = 2);");
    expect_after(s, true, 1, x, (float[]){1 / 3.0f, 2 / 3.0f, 0, 1});
}

/* Channel i goes up to 1, 2, 3, 6 in steps of a third of that. */
static void each_channel_may_have_its_range(void **state)
{
    struct scratch *s = *state;
    const float x[] = {0.3f, 0.9f, 2.6f, 9};

    put_text(s, "graph.nnef", adding);
    put_floats(s, zeros);
    put_text(s, "graph.quant",
             "'x': linear_quantize(min = 0.0, max = [[1.0, 2.0, 3.0, 6.0]], bits = 2);");
    expect_after(s, true, 1, x, (float[]){1 / 3.0f, 2 / 3.0f, 3, 6});
}

/* A scale of 0.5 about 1 with 3 bits: -8 / 2 .. 6 / 2 about it; symmetric from -3 on. */
static void a_signed_range_about_a_zero_point(void **state)
{
    struct scratch *s = *state;
    const float x[] = {0.7f, -9, 9, 0.25f};

    put_text(s, "graph.nnef", adding);
    put_floats(s, zeros);
    put_text(s, "graph.quant",
             "'x': zero_point_linear_quantize(zero_point = 1, scale = 0.5, bits = 3, "
             "signed = true, symmetric = false);");
    expect_after(s, true, 1, x, (float[]){0.5f, -2.5f, 1, 0.5f});
    put_text(s, "graph.quant",
             "'x': zero_point_linear_quantize(zero_point = 1, scale = 0.5, bits = 3, "
             "signed = true, symmetric = true);");
    expect_after(s, true, 1, x, (float[]){0.5f, -2, 1, 0.5f});
}

static void a_fragment_of_the_document_quantizes(void **state)
{
    struct scratch *s = *state;
    const float x[] = {0.3f, 0.9f, -1.3f, 0};
    char document[1024];

    snprintf(document, sizeof document,
             "version 1.0;\nextension KHR_enable_fragment_definitions;\n"
             "extension KHR_enable_operator_expressions;\n"
             "fragment coarse( x: tensor<scalar>, step: tensor<scalar> ) -> ( y: tensor<scalar> )"
             "{ y = round(x / step) * step; }\n%s",
             adding + strlen("version 1.0;\n"));
    put_text(s, "graph.nnef", document);
    put_floats(s, zeros);
    put_text(s, "graph.quant", "'x': coarse(step = [[0.5, 0.5, 1.0, 1.0]]);");
    expect_after(s, true, 1, x, (float[]){0.5f, 1, -1, 0});
}

/* What reads the variable sees it quantized; what is stored is not: 0.4, 0.8, 1.2, not 0, 0, 0. */
static void an_update_goes_to_the_variable_itself(void **state)
{
    struct scratch *s = *state;
    const float x[] = {0.4f, 0.4f, 0.4f, 0};

    put_text(s, "graph.nnef",
             "version 1.0;\ngraph g( x ) -> ( y, u )\n{\n"
             "    x = external<scalar>(shape = [1,4]);\n"
             "    w = variable<scalar>(shape = [1,4], label = 'w');\n"
             "    y = copy(w);\n"
             "    u = update(w, x);\n}\n");
    put_floats(s, (float[]){0.8f, 0, 0, 0});
    put_text(s, "graph.quant", "'w': linear_quantize(min = 0.0, max = 1.0, bits = 1);");
    expect_after(s, true, 1, x, (float[]){1, 0, 0, 0});
    expect_after(s, true, 2, x, (float[]){0, 0, 0, 0});
    expect_after(s, false, 2, x, (float[]){0.4f, 0.4f, 0.4f, 0});
}

static void a_provisional_file_is_applied(void **state)
{
    struct scratch *s = *state;
    const float x[] = {0.3f, 0.9f, 2.6f, 9};

    put_text(s, "graph.nnef", provisional);
    put_floats(s, zeros);
    put_text(s, "graph.quant",
             "'x': linear_quantize(min = 0.0, max = constant(shape = [1,4], "
             "value = [1.0, 2.0, 3.0, 6.0]), bits = 2)\n"
             "'w': linear_quantize(min = 0.0, max = 1.0, bits = 8)\n");
    expect_after(s, true, 1, x, (float[]){1 / 3.0f, 2 / 3.0f, 3, 6});
}

static void a_kept_tensor_is_the_quantized_one(void **state)
{
    struct scratch *s = *state;

    put_text(s, "graph.nnef", adding);
    put_floats(s, zeros);
    put_text(s, "graph.quant", "'x': linear_quantize(min = 0.0, max = 1.0, bits = 1);");
    struct nnefc_model *model = load(s, true);
    struct nnefc_run *run = nnefc_run_new(model);
    assert_string_equal(nnefc_model_inputs(model)->at[0]->name, "x");
    feed(run, (float[]){0.9f, 0, 0, 0});
    assert_int_equal(nnefc_run_keep(run, "x"), NNEFC_OK);
    assert_int_equal(nnefc_run_step(run), NNEFC_OK);
    assert_true(nnefc_tensor_item(nnefc_run_tensor(run, "x"), 0) == 1);
    nnefc_run_free(run);
    nnefc_model_free(model);
}

/* --- stored integers ---------------------------------------------------------------------- */

static void put_integers(struct scratch *s, const char *entry, enum item_type type, int bits,
                         const int64_t w[WIDTH])
{
    put_text(s, "graph.nnef", adding);
    put_text(s, "graph.quant", entry);
    put_weights(s, type, bits, w);
}

/* q / 255 * 5.1 - 2.55 = q * 0.02 - 2.55; with 4 bits q / 15 * 3 - 1 = q * 0.2 - 1 */
static void stored_integers_are_linear(void **state)
{
    struct scratch *s = *state;

    put_integers(s, "'w': linear_quantize(min = -2.55, max = 2.55, bits = 8);",
                 ITEM_QUANTIZED_UNSIGNED, 8, (int64_t[]){0, 255, 100, 1});
    expect_weights(s, (float[]){-2.55f, 2.55f, -0.55f, -2.53f});
    put_integers(s, "'w': linear_quantize(min = -1.0, max = 2.0, bits = 4);",
                 ITEM_QUANTIZED_UNSIGNED, 4, (int64_t[]){0, 15, 5, 9});
    expect_weights(s, (float[]){-1, 2, 0, 0.8f});
}

/* 4 bits, signed: (q + 8) / 15 * 3 - 1.5; symmetric: (q + 7) / 14 * 1.4 - 0.7 = q / 10 */
static void stored_integers_are_signed(void **state)
{
    struct scratch *s = *state;

    put_integers(s,
                 "'w': min_max_linear_quantize(min = -1.5, max = 1.5, bits = 4, signed = true, "
                 "symmetric = false);",
                 ITEM_QUANTIZED_SIGNED, 4, (int64_t[]){-8, 7, 0, -1});
    expect_weights(s, (float[]){-1.5f, 1.5f, 0.1f, -0.1f});
    put_integers(s,
                 "'w': min_max_linear_quantize(min = -0.7, max = 0.7, bits = 4, signed = true, "
                 "symmetric = true);",
                 ITEM_QUANTIZED_SIGNED, 8, (int64_t[]){-7, 7, 0, 3});
    expect_weights(s, (float[]){-0.7f, 0.7f, 0, 0.3f});
}

static void stored_integers_have_ranges_per_channel(void **state)
{
    struct scratch *s = *state;

    put_integers(s,
                 "'w': linear_quantize(min = [[0.0, 1.0, 2.0, -3.0]], "
                 "max = [[3.0, 4.0, 8.0, 0.0]], bits = 2);",
                 ITEM_QUANTIZED_UNSIGNED, 2, (int64_t[]){1, 1, 1, 3});
    expect_weights(s, (float[]){1, 2, 4, 0});
    put_integers(s,
                 "'w': zero_point_linear_quantize(zero_point = [[0, 1, -2, 128]], "
                 "scale = [[0.5, 0.25, 2.0, 1.0]], bits = 8, signed = false, symmetric = false);",
                 ITEM_QUANTIZED_UNSIGNED, 8, (int64_t[]){3, 3, 3, 3});
    expect_weights(s, (float[]){1.5f, 0.5f, 10, -125});
}

/* max = 6 has m = 3. Unsigned, 4 bits: 2 ^ (q + 3 - 15). Signed, 3 bits: 2 ^ (q + 3 - 7). */
static void stored_integers_are_exponents(void **state)
{
    struct scratch *s = *state;

    put_integers(s, "'w': logarithmic_quantize(max = 6.0, bits = 4);", ITEM_QUANTIZED_UNSIGNED, 4,
                 (int64_t[]){15, 12, 11, 14});
    expect_weights(s, (float[]){8, 1, 0.5f, 4});
    put_integers(s, "'w': logarithmic_quantize(max = 6.0, bits = 4);", ITEM_QUANTIZED_SIGNED, 4,
                 (int64_t[]){7, 4, -1, -8});
    expect_weights(s, (float[]){8, 1, -8, -0.0625f});
}

static void decoded_weights_may_be_quantized_as_well(void **state)
{
    struct scratch *s = *state;

    put_integers(s, "'w': linear_quantize(min = 0.0, max = 3.0, bits = 2);",
                 ITEM_QUANTIZED_UNSIGNED, 2, (int64_t[]){0, 1, 2, 3});
    expect_after(s, true, 1, zeros, (float[]){0, 1, 2, 3});
}

static void a_fragment_around_one_operation_is_as_good_as_it(void **state)
{
    struct scratch *s = *state;
    char document[1024];

    snprintf(document, sizeof document,
             "version 1.0;\nextension KHR_enable_fragment_definitions;\n"
             "fragment q8( x: tensor<scalar>, max: tensor<scalar> ) -> ( y: tensor<scalar> )"
             "{ y = linear_quantize(x, 0.0, max, bits = 8); }\n"
             "fragment own( x: tensor<scalar>, max: tensor<scalar> ) -> ( y: tensor<scalar> )"
             "{ y = mul(x, max); }\n%s",
             adding + strlen("version 1.0;\n"));
    put_integers(s, "'w': q8(max = 255.0);", ITEM_QUANTIZED_UNSIGNED, 8, (int64_t[]){1, 2, 3, 255});
    put_text(s, "graph.nnef", document);
    expect_weights(s, (float[]){1, 2, 3, 255});
    put_text(s, "graph.quant", "'w': own(max = 255.0);");
    expect_fault(s, "N0217", "no quantization info for variable 'w'");
}

static void integers_without_an_entry_have_no_meaning(void **state)
{
    struct scratch *s = *state;

    put_integers(s, "'x': linear_quantize(min = 0.0, max = 3.0, bits = 2);", ITEM_QUANTIZED_SIGNED,
                 8, (int64_t[]){0, 1, 2, 3});
    expect_fault(s, "N0217", "no quantization info for variable 'w'");
}

static void only_scalars_are_stored_as_quantized_integers(void **state)
{
    struct scratch *s = *state;

    put_text(s, "graph.nnef",
             "version 1.0;\ngraph g( x ) -> ( y, v )\n{\n"
             "    x = external<scalar>(shape = [1,4]);\n    y = neg(x);\n"
             "    w = variable<integer>(shape = [1,4], label = 'w');\n    v = copy(w);\n}\n");
    put_weights(s, ITEM_QUANTIZED_SIGNED, 8, (int64_t[]){0, 1, 2, 3});
    expect_fault(s, "N0184",
                 "items are of type 'quantized signed integer', but variable 'w' is of type "
                 "'integer'");
}

/* --- what old files say themselves -------------------------------------------------------- */

enum { TYPE_AT = 48, MIN_AT = 52, MAX_AT = 56 };

/* The header of NNEF 1.0 to 1.0.2: a type of 16 (linear) or 17, minimum, maximum. */
static void put_old_weights(struct scratch *s, int bits, const int64_t w[WIDTH], int type,
                            const float range[2])
{
    put_weights(s, ITEM_QUANTIZED_UNSIGNED, bits, w);
    scratch_get(s, "w.dat");
    s->bytes[TYPE_AT] = (unsigned char)type;
    bytes_store(s->bytes + MIN_AT, 4, bits_of_float(range[0]));
    bytes_store(s->bytes + MAX_AT, 4, bits_of_float(range[1]));
    scratch_put(s, "w.dat", s->bytes, s->size);
}

static void an_old_file_has_its_range(void **state)
{
    struct scratch *s = *state;

    put_text(s, "graph.nnef", adding);
    put_old_weights(s, 8, (int64_t[]){0, 255, 51, 102}, 16, (float[]){-1, 4});
    expect_weights(s, (float[]){-1, 4, 0, 1});
    put_old_weights(s, 4, (int64_t[]){15, 12, 11, 14}, 17, (float[]){0, 6});
    expect_weights(s, (float[]){8, 1, 0.5f, 4});
    put_old_weights(s, 4, (int64_t[]){7, 4, 15, 8}, 17, (float[]){-6, 6});
    expect_weights(s, (float[]){8, 1, -8, -0.0625f});
    put_old_weights(s, 4, (int64_t[]){7, 4, 15, 8}, 17, (float[]){1, -6});
    expect_fault(s, "N0136", "'max' of 'logarithmic_quantize' has item -6");
}

static void the_quantization_file_prevails_over_an_old_one(void **state)
{
    struct scratch *s = *state;

    put_text(s, "graph.nnef", adding);
    put_old_weights(s, 8, (int64_t[]){0, 255, 51, 102}, 16, (float[]){-1, 4});
    put_text(s, "graph.quant", "'w': linear_quantize(min = 0.0, max = 255.0, bits = 8);");
    expect_weights(s, (float[]){0, 255, 51, 102});
}

/* The provisional header, with the algorithm in it, and four items of a byte. */
static void put_provisional_weights(struct scratch *s, const char *algorithm)
{
    const unsigned char items[] = {0, 255, 51, 102};
    size_t size = strlen(algorithm), at = 24;
    unsigned char bytes[512] = {0x4E, 0xEF, 1, 0, [8] = 2, [12] = 1, [16] = 4, [20] = 1, 8};

    bytes[4] = (unsigned char)(at + size);
    bytes[22] = (unsigned char)size;
    snprintf((char *)bytes + at, sizeof bytes - at, "%s", algorithm);
    memcpy(bytes + at + size, items, sizeof items);
    scratch_put(s, "w.dat", bytes, at + size + sizeof items);
}

static void a_provisional_file_has_its_algorithm(void **state)
{
    struct scratch *s = *state;

    put_text(s, "graph.nnef", provisional);
    put_provisional_weights(s, "linear_quantize(min = -1.0, max = 4.0, bits = 8)");
    expect_weights(s, (float[]){-1, 4, 0, 1});
    put_text(s, "graph.nnef", adding);
    expect_weights(s, (float[]){-1, 4, 0, 1});
    put_provisional_weights(s, "linear_quantize(min = 0.0, max = 1.0 bits");
    expect_fault(s, "N0001", "unexpected identifier 'bits'");
    put_provisional_weights(s, "linea(min = 0.0)");
    expect_fault(s, "N0050", "unknown operation 'linea'");
    put_provisional_weights(s, "a(b = 1); 'w': a(b = 1)");
    expect_fault(s, "N0217", "no quantization info");
    put_provisional_weights(s, "neg(x = 1.0)");
    expect_fault(s, "N0213", "first parameter 'x' of 'neg' is given");
}

/* --- hostile files ------------------------------------------------------------------------ */

/* Whatever it is, it is read or reported. */
static void survive(struct scratch *s, const char *text, size_t size)
{
    scratch_put(s, "graph.quant", text, size);
    struct nnefc_model *model = load(s, true);
    nnefc_run_free(nnefc_run_new(model));
    nnefc_model_free(model);
}

static const char whole[] = "'x': linear_quantize(min = [[-1.0, 0.0, 0.0, 0.0]], max = 1.0, "
                            "bits = 8); \"w\": logarithmic_quantize(max = 2.0, bits = 4);\n";

static void a_file_may_end_anywhere(void **state)
{
    struct scratch *s = *state;

    put_text(s, "graph.nnef", adding);
    put_floats(s, zeros);
    for (size_t size = 0; size <= strlen(whole); size++)
        survive(s, whole, size);
    put_text(s, "graph.nnef", provisional);
    for (size_t size = 0; size <= strlen(whole); size++)
        survive(s, whole, size);
}

static void arrays_may_be_deep_long_or_both(void **state)
{
    static const char *const texts[] = {
        "'x': linear_quantize(min = [[0.0] * 1000000] * 1000000, max = 1.0, bits = 8);",
        "'x': linear_quantize(min = [[[[0.0] * 9999] * 9999] * 9999] * 9999, max = 0.0, bits = 8);",
        "'x': linear_quantize(min = [0.0] * 9223372036854775807, max = 1.0, bits = 8);",
        "'x': linear_quantize(min = 0.0, max = 1.0, bits = 9223372036854775807);",
        "'w': logarithmic_quantize(max = -1.0, bits = 62);",
        "'w': linear_quantize(min = 0.0, max = 0.0, bits = 1);",
    };
    struct scratch *s = *state;

    put_text(s, "graph.nnef", adding);
    put_weights(s, ITEM_QUANTIZED_SIGNED, 64, (int64_t[]){INT64_MIN, INT64_MAX, 0, -1});
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        survive(s, texts[i], strlen(texts[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(every_kind_of_tensor_is_quantized),
        scratch_test(each_channel_may_have_its_range),
        scratch_test(a_signed_range_about_a_zero_point),
        scratch_test(a_fragment_of_the_document_quantizes),
        scratch_test(an_update_goes_to_the_variable_itself),
        scratch_test(a_provisional_file_is_applied),
        scratch_test(a_kept_tensor_is_the_quantized_one),
        scratch_test(stored_integers_are_linear),
        scratch_test(stored_integers_are_signed),
        scratch_test(stored_integers_have_ranges_per_channel),
        scratch_test(stored_integers_are_exponents),
        scratch_test(decoded_weights_may_be_quantized_as_well),
        scratch_test(a_fragment_around_one_operation_is_as_good_as_it),
        scratch_test(integers_without_an_entry_have_no_meaning),
        scratch_test(only_scalars_are_stored_as_quantized_integers),
        scratch_test(an_old_file_has_its_range),
        scratch_test(the_quantization_file_prevails_over_an_old_one),
        scratch_test(a_provisional_file_has_its_algorithm),
        scratch_test(a_file_may_end_anywhere),
        scratch_test(arrays_may_be_deep_long_or_both),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
