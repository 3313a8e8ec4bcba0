/* test_runs.c - several runs of one plan, each in a thread of its own */
#include "nnefc/nnefc.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/api_model.h"
#include "support/t.h"

enum { TOGETHER = 4, STEPS = 6, THREADS = 2 };

static const char network[] = "examples/nnef/digits";

static const char *const backends[] = {"reference", "portable"};

enum { BACKENDS = sizeof backends / sizeof backends[0] };

static const char counting[] = "version 1.0;\n"
                               "extension KHR_enable_operator_expressions;\n"
                               "graph g( x ) -> ( y )\n"
                               "{\n"
                               "    x = external<scalar>( shape = [1,3] );\n"
                               "    v = variable<scalar>( shape = [1,3], label = 'v' );\n"
                               "    y = v + x;\n"
                               "    v2 = update( v, y );\n"
                               "}\n";

static struct nnefc_run *new_run(struct nnefc_model *model, const char *backend)
{
    const struct nnefc_run_options options = {
        .size = sizeof options, .backend = backend, .threads = THREADS};
    struct nnefc_run *run = nnefc_run_new_with(model, &options);

    assert_non_null(run);
    return run;
}

/* --- at a time ------------------------------------------------------------------------------ */

struct part {
    struct nnefc_run *run;
    float *expected; /* results of all seeds, one behind the other */
    int64_t count;   /* of items of a result */
    uint64_t first;  /* seed */
    bool same;
};

static bool is_result(const struct part *part, const struct nnefc_tensor *result, uint64_t seed)
{
    size_t bytes = (size_t)part->count * sizeof(float);

    return result && nnefc_tensor_count(result) == part->count &&
           memcmp(nnefc_tensor_items(result), part->expected + seed * (uint64_t)part->count,
                  bytes) == 0;
}

/* Seeds in an order of its own. */
static void *compute(void *data)
{
    struct part *part = data;

    for (uint64_t i = 0; i < STEPS; i++) {
        uint64_t seed = (part->first + i) % STEPS;
        part->same &= nnefc_run_randomize_input(part->run, 0, seed) == NNEFC_OK &&
                      nnefc_run_step(part->run) == NNEFC_OK &&
                      is_result(part, nnefc_run_output(part->run, 0), seed);
    }
    return NULL;
}

/* What the run alone computes. */
static void note_results(struct nnefc_run *run, struct part *part)
{
    for (uint64_t seed = 0; seed < STEPS; seed++) {
        assert_int_equal(nnefc_run_randomize_input(run, 0, seed), NNEFC_OK);
        assert_int_equal(nnefc_run_step(run), NNEFC_OK);
        const struct nnefc_tensor *result = nnefc_run_output(run, 0);
        part->count = nnefc_tensor_count(result);
        if (!part->expected)
            part->expected = calloc((size_t)part->count * STEPS, sizeof(float));
        assert_non_null(part->expected);
        memcpy(part->expected + seed * (uint64_t)part->count, nnefc_tensor_items(result),
               (size_t)part->count * sizeof(float));
    }
}

static void share(struct part parts[TOGETHER], void *(*work)(void *))
{
    pthread_t threads[TOGETHER];

    for (int i = 0; i < TOGETHER; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &parts[i]), 0);
    for (int i = 0; i < TOGETHER; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static void compute_together(struct nnefc_model *model, const char *backend)
{
    struct nnefc_run *run = new_run(model, backend);
    struct part part = {.same = true}, parts[TOGETHER];

    note_results(run, &part);
    for (int i = 0; i < TOGETHER; i++) {
        parts[i] = part;
        parts[i].first = (uint64_t)i;
        parts[i].run = i == 0 ? run : nnefc_run_new_like(run);
        assert_non_null(parts[i].run);
    }
    share(parts, compute);
    for (int i = 0; i < TOGETHER; i++) {
        assert_true(parts[i].same);
        nnefc_run_free(parts[i].run); /* that which had the plan first is freed first */
    }
    free(part.expected);
}

static void runs_of_one_plan_compute_at_a_time(void **state)
{
    struct nnefc_model *model = *state;

    assert_int_equal(nnefc_model_load(model, network), NNEFC_OK);
    for (int i = 0; i < BACKENDS; i++)
        compute_together(model, backends[i]);
}

/* Each makes a run for itself, also while others compute. */
static void *compute_by_another(void *data)
{
    struct part *part = data, own = *part;

    for (int i = 0; i < STEPS / 2; i++) {
        own.run = nnefc_run_new_like(part->run);
        own.same = own.run != NULL;
        if (own.run)
            compute(&own);
        nnefc_run_free(own.run);
        part->same &= own.same;
    }
    return NULL;
}

static void runs_are_made_and_freed_while_others_compute(void **state)
{
    struct nnefc_model *model = *state;
    struct part part = {.same = true}, parts[TOGETHER];

    assert_int_equal(nnefc_model_load(model, network), NNEFC_OK);
    part.run = new_run(model, "portable");
    note_results(part.run, &part);
    for (int i = 0; i < TOGETHER; i++)
        parts[i] = part;
    share(parts, compute_by_another);
    for (int i = 0; i < TOGETHER; i++)
        assert_true(parts[i].same);
    nnefc_run_free(part.run);
    free(part.expected);
}

static void *stop_at_operations(void *data)
{
    struct part *part = data;

    part->same &= nnefc_run_computed(part->run, 0) == NULL &&
                  nnefc_run_randomize_input(part->run, 0, part->first) == NNEFC_OK;
    for (int i = 0; i < STEPS; i++)
        part->same &=
            nnefc_run_advance(part->run, i) == NNEFC_OK && nnefc_run_computed(part->run, i) != NULL;
    return NULL;
}

static void runs_stop_at_operations_at_a_time(void **state)
{
    struct nnefc_model *model = *state;
    struct part parts[TOGETHER];

    assert_int_equal(nnefc_model_load(model, network), NNEFC_OK);
    for (int i = 0; i < TOGETHER; i++)
        parts[i] = (struct part){.run = new_run(model, "reference"), .same = true};
    share(parts, stop_at_operations);
    for (int i = 0; i < TOGETHER; i++) {
        assert_true(parts[i].same);
        nnefc_run_free(parts[i].run);
    }
}

/* --- open models ---------------------------------------------------------------------------- */

enum { BATCHES = 3, CLASSES = 10 };

/* Results of batches of 1, 2 and 3, as models of these shapes compute them. */
static float batch_results[BATCHES][BATCHES * CLASSES];

static void note_batches(void)
{
    for (int64_t batch = 1; batch <= BATCHES; batch++) {
        struct nnefc_model *model = nnefc_model_new();
        nnefc_model_set_shape(model, "image", 4, (int64_t[]){batch, 1, 8, 8});
        assert_int_equal(nnefc_model_load(model, network), NNEFC_OK);
        struct nnefc_run *run = new_run(model, "portable");
        assert_int_equal(nnefc_run_randomize_input(run, 0, (uint64_t)batch), NNEFC_OK);
        assert_int_equal(nnefc_run_step(run), NNEFC_OK);
        memcpy(batch_results[batch - 1], nnefc_tensor_items(nnefc_run_output(run, 0)),
               (size_t)batch * CLASSES * sizeof(float));
        nnefc_run_free(run);
        nnefc_model_free(model);
    }
}

static void *compute_batches(void *data)
{
    struct part *part = data;

    for (uint64_t i = 0; i < 2 * (uint64_t)STEPS; i++) {
        int64_t batch = 1 + (int64_t)((part->first + i) % BATCHES);
        part->same &=
            nnefc_run_randomize_input_as(
                part->run, 0, &(struct nnefc_type){.rank = 4, .extent = {batch, 1, 8, 8}},
                (uint64_t)batch) == NNEFC_OK &&
            nnefc_run_step(part->run) == NNEFC_OK &&
            memcmp(nnefc_tensor_items(nnefc_run_output(part->run, 0)), batch_results[batch - 1],
                   (size_t)batch * CLASSES * sizeof(float)) == 0;
    }
    return NULL;
}

/* While some compute one shape, others make the plan of another one, or drop it. */
static void shapes_are_computed_at_a_time(void **state)
{
    static const int64_t kept[] = {1, 2, 64};

    (void)state;
    note_batches();
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++) {
        struct nnefc_model *model = nnefc_model_new();
        struct part parts[TOGETHER];
        nnefc_model_set_open(model, "image", 0, "batch");
        nnefc_model_set_limit(model, NNEFC_LIMIT_PLANS, kept[k]);
        assert_int_equal(nnefc_model_load(model, network), NNEFC_OK);
        for (int i = 0; i < TOGETHER; i++)
            parts[i] = (struct part){.run = i ? nnefc_run_new_like(parts[0].run)
                                              : new_run(model, "portable"),
                                     .first = (uint64_t)i,
                                     .same = true};
        share(parts, compute_batches);
        for (int i = 0; i < TOGETHER; i++) {
            assert_true(parts[i].same);
            nnefc_run_free(parts[i].run);
        }
        assert_true(nnefc_model_plans(model).made >= BATCHES);
        nnefc_model_free(model);
    }
}

/* --- faults --------------------------------------------------------------------------------- */

static void *step_without_input(void *data)
{
    struct part *part = data;

    for (int i = 0; i < STEPS; i++)
        part->same &= nnefc_run_step(part->run) == NNEFC_USAGE &&
                      nnefc_run_read_input(part->run, 0, "there-is-none") == NNEFC_FILE;
    return NULL;
}

static void no_fault_is_lost(struct nnefc_model *model, const char *backend)
{
    struct part parts[TOGETHER];

    for (int i = 0; i < TOGETHER; i++)
        parts[i] = (struct part){.run = i == 0 ? new_run(model, backend)
                                               : nnefc_run_new_like(parts[0].run),
                                 .same = true};
    nnefc_model_clear_diagnostics(model);
    share(parts, step_without_input);
    assert_int_equal(nnefc_model_diagnostics(model)->count, 2 * TOGETHER * STEPS);
    for (int i = 0; i < nnefc_model_diagnostics(model)->count; i++) {
        const struct nnefc_diagnostic *d = nnefc_model_diagnostics(model)->at[i];
        if (strstr(d->text, "has no input"))
            assert_non_null(strstr(d->help, "--random"));
        else
            assert_string_equal(d->file, "there-is-none");
    }
    for (int i = 0; i < TOGETHER; i++) {
        assert_true(parts[i].same);
        nnefc_run_free(parts[i].run);
    }
}

static void faults_of_several_threads_are_told_each(void **state)
{
    struct nnefc_model *model = *state;

    nnefc_model_set_error_limit(model, 0);
    assert_int_equal(nnefc_model_load(model, network), NNEFC_OK);
    no_fault_is_lost(model, "reference");
    no_fault_is_lost(model, "portable");
}

/* --- what each has for itself ----------------------------------------------------------------- */

static double count_on(struct nnefc_run *run)
{
    assert_int_equal(nnefc_run_fill_input(run, 0, 1), NNEFC_OK);
    assert_int_equal(nnefc_run_step(run), NNEFC_OK);
    return nnefc_tensor_item(nnefc_run_output(run, 0), 0);
}

static void write_weights(struct nnefc_model *model, const char *folder)
{
    assert_int_equal(nnefc_model_set_data_folder(model, folder), NNEFC_OK);
    assert_int_equal(nnefc_model_init_weights(model, 1, true), NNEFC_OK);
}

static void each_run_has_variables_of_its_own(void **state)
{
    struct nnefc_model *model = *state;
    char folder[] = "/tmp/nnefc-runs-XXXXXX", file[64];

    assert_non_null(mkdtemp(folder));
    assert_int_equal(nnefc_model_load_text(model, "g.nnef", counting, sizeof counting - 1),
                     NNEFC_OK);
    write_weights(model, folder);
    for (int i = 0; i < BACKENDS; i++) {
        struct nnefc_run *run = new_run(model, backends[i]);
        double first = count_on(run);
        struct nnefc_run *other = nnefc_run_new_like(run);
        assert_true(fabs(count_on(run) - first - 1) < 1e-5);
        assert_false(nnefc_run_has_input(other, 0));
        assert_true(fabs(count_on(other) - first) < 1e-5); /* it begins with the data, too */
        nnefc_run_free(run);
        assert_true(fabs(count_on(other) - first - 1) < 1e-5);
        nnefc_run_free(other);
    }
    snprintf(file, sizeof file, "%s/v.dat", folder);
    assert_int_equal(remove(file), 0);
    assert_int_equal(remove(folder), 0);
}

static void what_is_kept_is_kept_by_the_other_too(void **state)
{
    struct nnefc_model *model = *state;

    assert_int_equal(nnefc_model_load(model, network), NNEFC_OK);
    for (int i = 0; i < BACKENDS; i++) {
        struct nnefc_run *run = new_run(model, backends[i]);
        assert_int_equal(nnefc_run_keep(run, "relu1"), NNEFC_OK);
        struct nnefc_run *other = nnefc_run_new_like(run);
        assert_int_equal(nnefc_run_keep(other, "relu2"), NNEFC_OK); /* which takes another plan */
        assert_int_equal(nnefc_run_randomize_input(other, 0, 1), NNEFC_OK);
        assert_int_equal(nnefc_run_randomize_input(run, 0, 1), NNEFC_OK);
        assert_int_equal(nnefc_run_step(other), NNEFC_OK);
        assert_int_equal(nnefc_run_step(run), NNEFC_OK);
        assert_non_null(nnefc_run_tensor(other, "relu1"));
        assert_non_null(nnefc_run_tensor(other, "relu2"));
        assert_non_null(nnefc_run_tensor(run, "relu1"));
        assert_null(nnefc_run_tensor(run, "relu2"));
        assert_string_equal(nnefc_run_backend(run), nnefc_run_backend(other));
        assert_int_equal(nnefc_run_threads(other), nnefc_run_threads(run));
        nnefc_run_set_threads(other, 0);
        assert_in_range(nnefc_run_threads(other), 1, 256);
        nnefc_run_set_threads(other, 1000000000);
        assert_in_range(nnefc_run_threads(other), 1, sysconf(_SC_NPROCESSORS_ONLN));
        nnefc_run_free(run);
        nnefc_run_free(other);
    }
    assert_null(nnefc_run_new_like(NULL));
    assert_int_equal(nnefc_run_threads(NULL), 0);
}

/* --- how long results are there --------------------------------------------------------------- */

static const char passing[] = "version 1.0;\n"
                              "graph g( x ) -> ( y, z )\n"
                              "{\n"
                              "    x = external<scalar>( shape = [1,3] );\n"
                              "    y = reshape( x, shape = [3] );\n"
                              "    z = copy( x );\n"
                              "    unused = neg( x );\n"
                              "}\n";

static double first_item(const struct nnefc_tensor *tensor)
{
    assert_non_null(tensor);
    return nnefc_tensor_item(tensor, 0);
}

/* Also those that are the input by another name. */
static void results_stay_when_the_next_input_is_given(void **state)
{
    struct nnefc_model *model = *state;

    assert_int_equal(nnefc_model_load_text(model, "g.nnef", passing, sizeof passing - 1), NNEFC_OK);
    for (int i = 0; i < BACKENDS; i++) {
        struct nnefc_run *run = new_run(model, backends[i]);
        assert_int_equal(nnefc_run_keep(run, "x"), NNEFC_OK);
        for (int value = 1; value <= STEPS; value++) {
            assert_int_equal(nnefc_run_fill_input(run, 0, value), NNEFC_OK);
            assert_int_equal(nnefc_run_step(run), NNEFC_OK);
            assert_int_equal(nnefc_run_fill_input(run, 0, -value), NNEFC_OK);
            assert_int_equal(nnefc_run_fill_input(run, 0, 0), NNEFC_OK);
            assert_true(first_item(nnefc_run_output(run, 0)) == value);
            assert_true(first_item(nnefc_run_output(run, 1)) == value);
            assert_true(first_item(nnefc_run_tensor(run, "x")) == value);
        }
        nnefc_run_free(run);
    }
}

static void assert_no_results(const struct nnefc_run *run)
{
    assert_null(nnefc_run_output(run, 0));
    assert_null(nnefc_run_tensor(run, "relu1"));
    assert_int_equal(nnefc_run_write_outputs(run, "never-written.npz"), NNEFC_USAGE);
}

static void results_go_with_their_plan(void **state)
{
    struct nnefc_model *model = *state;

    assert_int_equal(nnefc_model_load(model, network), NNEFC_OK);
    struct nnefc_run *run = new_run(model, "portable");
    assert_int_equal(nnefc_run_keep(run, "relu1"), NNEFC_OK);
    assert_int_equal(nnefc_run_randomize_input(run, 0, 1), NNEFC_OK);
    assert_int_equal(nnefc_run_step(run), NNEFC_OK);
    nnefc_run_set_threads(run, THREADS); /* which are no others */
    assert_non_null(nnefc_run_output(run, 0));
    nnefc_run_set_threads(run, 0);
    assert_no_results(run);
    assert_int_equal(nnefc_run_step(run), NNEFC_OK);
    assert_non_null(nnefc_run_tensor(run, "relu1"));
    assert_int_equal(nnefc_run_keep(run, "relu2"), NNEFC_OK);
    assert_no_results(run);
    assert_int_equal(nnefc_run_prepare(run), NNEFC_OK);
    assert_no_results(run);
    nnefc_run_free(run);
}

static void what_was_not_computed_is_no_tensor(void **state)
{
    struct nnefc_model *model = *state;

    assert_int_equal(nnefc_model_load_text(model, "g.nnef", passing, sizeof passing - 1), NNEFC_OK);
    for (int i = 0; i < BACKENDS; i++) {
        struct nnefc_run *run = new_run(model, backends[i]);
        assert_int_equal(nnefc_run_keep(run, "unused"), NNEFC_OK);
        assert_int_equal(nnefc_run_fill_input(run, 0, 1), NNEFC_OK);
        assert_int_equal(nnefc_run_step(run), NNEFC_OK);
        assert_null(nnefc_run_tensor(run, "unused"));
        nnefc_run_free(run);
    }
    struct nnefc_run *run = new_run(model, "reference");
    assert_int_equal(nnefc_run_fill_input(run, 0, 1), NNEFC_OK);
    assert_int_equal(nnefc_run_step(run), NNEFC_OK);
    assert_int_equal(nnefc_run_keep(run, "z"), NNEFC_OK);
    assert_non_null(nnefc_run_tensor(run, "z")); /* it is a result anyway */
    nnefc_run_free(run);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, api_model_setup, api_model_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(runs_of_one_plan_compute_at_a_time),
        TEST(runs_are_made_and_freed_while_others_compute),
        TEST(runs_stop_at_operations_at_a_time),
        cmocka_unit_test(shapes_are_computed_at_a_time),
        TEST(faults_of_several_threads_are_told_each),
        TEST(each_run_has_variables_of_its_own),
        TEST(what_is_kept_is_kept_by_the_other_too),
        TEST(results_stay_when_the_next_input_is_given),
        TEST(results_go_with_their_plan),
        TEST(what_was_not_computed_is_no_tensor),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
