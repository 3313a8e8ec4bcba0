/* test_quantize.c - models are quantized, measured and reported as quantize.h says */
#include "nnefc/nnefc.h"

#include "support/api_model.h"

#include <math.h>
#include <string.h>

#include "support/t.h"

/* The weights of the first layer are integers of 8 bits without a rest. */
static const char document[] =
    "version 1.0;\n"
    "graph net( x, far ) -> ( y )\n"
    "{\n"
    "    x = external<scalar>( shape = [1,2,50,50] );\n"
    "    far = external<scalar>( shape = [1,2,50,50] );\n"
    "    e = constant<scalar>( shape = [2,2,1,1], value = [1.0, 0.0, 0.0, 1.0] );\n"
    "    w = constant<scalar>( shape = [2,2,1,1], value = [1.0, -0.5, 0.25, 0.75] );\n"
    "    first = conv( x, e );\n"
    "    between = add( first, far );\n"
    "    second = conv( between, w );\n"
    "    y = softmax( second );\n"
    "}\n";

enum { ITEMS = 5000, SAMPLES = 20 };

struct inputs {
    float x[ITEMS], far[ITEMS];
    float outlier; /* of `far`: one item of sample 0 */
    float unit;    /* that all items are multiplied by */
    int fed;
};

static enum nnefc_status set(struct nnefc_run *run, int index, const float *items)
{
    return nnefc_run_view_input(run, index, items, ITEMS * sizeof *items);
}

static enum nnefc_status feed(void *user, int sample, struct nnefc_run *run)
{
    struct inputs *in = user;

    for (int i = 0; i < ITEMS; i++) {
        in->x[i] = in->unit * sinf((float)(i * (sample + 3)));
        in->far[i] = 0;
    }
    in->far[37] = sample == 0 ? in->unit * in->outlier : 0;
    in->fed++;
    const enum nnefc_status status = set(run, 0, in->x);
    return status == NNEFC_OK ? set(run, 1, in->far) : status;
}

static struct inputs inputs;

static struct nnefc_quantize usual(void)
{
    inputs = (struct inputs){.unit = 1};
    return (struct nnefc_quantize){
        .size = sizeof(struct nnefc_quantize), .samples = SAMPLES, .feed = feed, .user = &inputs};
}

static enum nnefc_status quantize(struct nnefc_model *model, const struct nnefc_quantize *how)
{
    assert_int_equal(nnefc_model_load_text(model, "net.nnef", document, sizeof document - 1),
                     NNEFC_OK);
    return nnefc_model_quantize(model, how);
}

static bool said(const struct nnefc_model *model, const char *code, const char *words)
{
    const struct nnefc_diagnostic_list *list = nnefc_model_diagnostics(model);

    for (int i = 0; i < list->count; i++)
        if (strcmp(list->at[i]->code, code) == 0 && strstr(list->at[i]->text, words))
            return true;
    return false;
}

static void layers_ways_and_outputs_are_reported(void **state)
{
    const struct nnefc_quantize how = usual();

    assert_int_equal(quantize(*state, &how), NNEFC_OK);
    const struct nnefc_quantized *found = nnefc_model_quantized(*state);
    assert_non_null(found);
    assert_int_equal(found->layers->count, 2);
    /* four ranges with and without corrections, and adapted weights */
    assert_int_equal(found->ways->count, 4 * 2 + 2);
    assert_int_equal(found->outputs->count, 1);
    assert_string_equal(found->outputs->at[0]->name, "second"); /* not behind the softmax */
    assert_true(found->share >= 1 && found->share <= 1);
    assert_true(found->reached);
    assert_true(found->snr > 35 && found->snr < 60);
    assert_true(found->layers->at[0]->alone <= found->layers->at[1]->alone);
}

/* The mean square of what rounding takes away is a twelfth of a step's square. */
static void the_snr_is_that_of_rounding_to_steps(void **state)
{
    struct nnefc_quantize how = usual();

    how.keep = "second";
    how.range = NNEFC_RANGE_MINMAX;
    how.correct_bias = NNEFC_CHOICE_NO;
    how.rounding = NNEFC_ROUNDING_NEAREST;
    how.outputs = "first";
    assert_int_equal(quantize(*state, &how), NNEFC_OK);
    const struct nnefc_quantized *found = nnefc_model_quantized(*state);
    const double step = 2.0 / 255, expected = 10 * log10(0.5 / (step * step / 12));
    assert_int_equal(found->ways->count, 1);
    assert_true(fabs(found->snr - expected) < 1.5);
}

static void what_is_kept_stays_as_it_is(void **state)
{
    struct nnefc_quantize how = usual();

    how.keep = "second";
    assert_int_equal(quantize(*state, &how), NNEFC_OK);
    const struct nnefc_quantized *found = nnefc_model_quantized(*state);
    for (int i = 0; i < 2; i++)
        assert_int_equal(found->layers->at[i]->quantized,
                         strcmp(found->layers->at[i]->name, "first") == 0);
    assert_true(found->share > 0.49 && found->share < 0.51);
}

/* It is not among the samples to measure with: to make room for it costs all others their steps. */
static void a_planted_outlier_is_cut_off(void **state)
{
    struct nnefc_quantize how = usual();

    inputs.outlier = 3000;
    how.checks = SAMPLES;
    assert_int_equal(quantize(*state, &how), NNEFC_OK);
    const struct nnefc_quantized *found = nnefc_model_quantized(*state);
    assert_string_not_equal(found->best.range, "minmax");
    assert_true(found->best.snr > found->ways->at[0]->snr + 20);
    for (int i = 0; i < 2; i++)
        assert_true(strcmp(found->layers->at[i]->name, "first") == 0 ||
                    (found->layers->at[i]->cut > 0 && found->layers->at[i]->high < 100));
}

static void the_layer_that_hurts_most_is_first_and_goes_first(void **state)
{
    struct nnefc_quantize how = usual();

    inputs.outlier = 3000;
    how.checks = SAMPLES;
    how.range = NNEFC_RANGE_MINMAX;
    how.min_snr = 30;
    how.budget = 50;
    assert_int_equal(quantize(*state, &how), NNEFC_OK);
    const struct nnefc_quantized *found = nnefc_model_quantized(*state);
    assert_string_equal(found->layers->at[0]->name, "second");
    assert_true(found->layers->at[0]->alone < 5);
    assert_true(found->layers->at[1]->alone > 40);
    assert_false(found->layers->at[0]->quantized);
    assert_true(found->layers->at[1]->quantized);
    assert_true(found->reached && found->snr > 30 && found->best.snr < 5);
}

static void a_ratio_beyond_the_budget_is_told(void **state)
{
    struct nnefc_quantize how = usual();

    how.min_snr = 100;
    how.budget = 50;
    assert_int_equal(quantize(*state, &how), NNEFC_OK);
    const struct nnefc_quantized *found = nnefc_model_quantized(*state);
    assert_false(found->reached);
    assert_true(found->share > 0.49 && found->share < 0.51);
}

static void units_do_not_matter(void **state)
{
    struct nnefc_model *other = nnefc_model_new();
    struct nnefc_quantize how = usual();

    how.outputs = "second";
    assert_int_equal(quantize(*state, &how), NNEFC_OK);
    inputs.unit = 1024;
    assert_int_equal(quantize(other, &how), NNEFC_OK);
    assert_true(fabs(nnefc_model_quantized(other)->snr - nnefc_model_quantized(*state)->snr) <
                1e-6);
    nnefc_model_free(other);
}

static void samples_that_tell_nothing_are_named(void **state)
{
    struct nnefc_quantize how = usual();

    inputs.unit = 0;
    assert_int_equal(quantize(*state, &how), NNEFC_FILE);
    assert_true(said(*state, "N0270", "is 0 everywhere"));
    assert_null(nnefc_model_quantized(*state));
    inputs.unit = INFINITY;
    assert_int_equal(nnefc_model_quantize(*state, &how), NNEFC_FILE);
    assert_true(said(*state, "N0270", "expected finite numbers"));
}

static void a_model_whose_results_overflow_is_refused(void **state)
{
    struct nnefc_quantize how = usual();

    inputs.unit = 3e38F;
    assert_int_equal(quantize(*state, &how), NNEFC_FILE);
    assert_true(said(*state, "N0270", "is not finite"));
}

static void few_samples_are_a_warning(void **state)
{
    struct nnefc_quantize how = usual();

    how.samples = 15;
    assert_int_equal(quantize(*state, &how), NNEFC_OK);
    assert_true(said(*state, "N0270", "number of samples is 15"));
}

static void a_model_is_not_quantized_twice(void **state)
{
    struct nnefc_quantize how = usual();

    assert_int_equal(quantize(*state, &how), NNEFC_OK);
    assert_int_equal(nnefc_model_quantize(*state, &how), NNEFC_UNSUPPORTED);
    assert_true(said(*state, "N0172", "the model is quantized"));
}

/* The greatest of a neighbourhood, as in maps of heat. */
static void results_are_measured_before_masks(void **state)
{
    static const char masked[] =
        "version 1.0;\n"
        "graph net( x, far ) -> ( y )\n"
        "{\n"
        "    x = external<scalar>( shape = [1,2,50,50] );\n"
        "    far = external<scalar>( shape = [1,2,50,50] );\n"
        "    w = constant<scalar>( shape = [2,2,1,1], value = [1.0, -0.5, 0.25, 0.75] );\n"
        "    heat = conv( x, w );\n"
        "    s = sigmoid( heat );\n"
        "    m = max_pool( s, size = [1,1,3,3], border = 'ignore' );\n"
        "    is = eq( m, s );\n"
        "    y = select( is, s, 0.0 );\n"
        "}\n";
    const struct nnefc_quantize how = usual();

    assert_int_equal(nnefc_model_load_text(*state, "net.nnef", masked, sizeof masked - 1),
                     NNEFC_OK);
    assert_int_equal(nnefc_model_quantize(*state, &how), NNEFC_OK);
    assert_string_equal(nnefc_model_quantized(*state)->outputs->at[0]->name, "heat");
}

static void names_that_mean_nothing_are_misuse(void **state)
{
    struct nnefc_quantize how = usual();

    how.keep = "second,third";
    assert_int_equal(quantize(*state, &how), NNEFC_USAGE);
    assert_true(said(*state, "N0192", "there is no layer 'third'"));
    how.keep = NULL;
    how.keep_op = "sigmoid";
    assert_int_equal(nnefc_model_quantize(*state, &how), NNEFC_USAGE);
    how.keep_op = "conv";
    assert_int_equal(nnefc_model_quantize(*state, &how), NNEFC_UNSUPPORTED);
    how.keep_op = NULL;
    how.outputs = "nowhere";
    assert_int_equal(nnefc_model_quantize(*state, &how), NNEFC_USAGE);
}

int main(void)
{
#define TEST_OF(name) cmocka_unit_test_setup_teardown(name, api_model_setup, api_model_teardown)
    const struct CMUnitTest tests[] = {
        TEST_OF(layers_ways_and_outputs_are_reported),
        TEST_OF(the_snr_is_that_of_rounding_to_steps),
        TEST_OF(what_is_kept_stays_as_it_is),
        TEST_OF(a_planted_outlier_is_cut_off),
        TEST_OF(the_layer_that_hurts_most_is_first_and_goes_first),
        TEST_OF(a_ratio_beyond_the_budget_is_told),
        TEST_OF(units_do_not_matter),
        TEST_OF(samples_that_tell_nothing_are_named),
        TEST_OF(a_model_whose_results_overflow_is_refused),
        TEST_OF(few_samples_are_a_warning),
        TEST_OF(a_model_is_not_quantized_twice),
        TEST_OF(results_are_measured_before_masks),
        TEST_OF(names_that_mean_nothing_are_misuse),
    };
    return cmocka_run_group_tests_name("quantize", tests, NULL, NULL);
}
