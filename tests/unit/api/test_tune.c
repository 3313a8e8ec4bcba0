/* test_tune.c - runs whose ways were tried, and what is remembered of that */
#include "nnefc/nnefc.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "support/t.h"

static const char network[] = "examples/nnef/digits";

struct fixture {
    struct nnefc_model *model;
    char file[64];
};

static int setup(void **state)
{
    static struct fixture f;

    f = (struct fixture){.model = nnefc_model_new(), .file = "/tmp/nnefc-test-XXXXXX"};
    int fd = mkstemp(f.file); /* an empty file knows nothing */
    *state = &f;
    return fd < 0 || close(fd) != 0 || nnefc_model_load(f.model, network) != NNEFC_OK;
}

static int teardown(void **state)
{
    const struct fixture *f = *state;

    nnefc_model_free(f->model);
    return unlink(f->file);
}

static struct nnefc_run *step(const struct fixture *f, const char *backend)
{
    const struct nnefc_run_options options = {.backend = backend,
                                              .threads = 2,
                                              .tune = strcmp(backend, "reference") != 0,
                                              .tuning_file = f->file};
    struct nnefc_run *run = nnefc_run_new_with(f->model, &options);

    assert_non_null(run);
    assert_int_equal(nnefc_run_randomize_input(run, 0, 1), NNEFC_OK);
    assert_int_equal(nnefc_run_step(run), NNEFC_OK);
    return run;
}

static void assert_same(const struct nnefc_run *a, const struct nnefc_run *b)
{
    const struct nnefc_tensor *x = nnefc_run_output(a, 0), *y = nnefc_run_output(b, 0);

    assert_int_equal(nnefc_tensor_count(x), nnefc_tensor_count(y));
    for (int64_t i = 0; i < nnefc_tensor_count(x); i++)
        assert_true(fabs(nnefc_tensor_item(x, i) - nnefc_tensor_item(y, i)) < 1e-5);
}

static char *content(const struct fixture *f)
{
    FILE *file = fopen(f->file, "rb");
    char *text = calloc(1, 1 << 16);

    assert_non_null(file);
    assert_non_null(text);
    assert_in_range(fread(text, 1, (1 << 16) - 1, file), 1, (1 << 16) - 2);
    assert_int_equal(fclose(file), 0);
    return text;
}

static void tuned_runs_agree_with_the_reference(void **state)
{
    static const char *const backends[] = {"portable", "auto"};
    struct nnefc_run *reference = step(*state, "reference");

    for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++) {
        struct nnefc_run *run = step(*state, backends[i]);
        assert_same(run, reference);
        nnefc_run_free(run);
    }
    nnefc_run_free(reference);
}

static void what_was_tried_is_not_tried_again(void **state)
{
    nnefc_run_free(step(*state, "portable"));
    char *before = content(*state);

    nnefc_run_free(step(*state, "portable"));
    char *after = content(*state);

    assert_string_equal(before, after);
    free(before);
    free(after);
}

/* A way that is written there is done: nothing was tried. */
static void what_is_remembered_is_done(void **state)
{
    const struct fixture *f = *state;

    nnefc_run_free(step(f, "portable"));
    char *text = content(f), *at = strstr(text, "| linear(");
    assert_non_null(at);
    while (at > text && at[-1] != '\n')
        at--;
    const char *rest = strchr(at, '|');
    FILE *file = fopen(f->file, "wb");
    assert_non_null(file);
    assert_true(fprintf(file, "%.*sreference plain %s", (int)(at - text), text, rest) > 0);
    assert_int_equal(fclose(file), 0);

    struct nnefc_run *run = step(f, "portable");
    int found = 0;
    for (int i = 0; i < nnefc_run_step_count(run); i++) {
        struct nnefc_step s = nnefc_run_step_at(run, i);
        found += s.operations && strcmp(s.operations, "linear") == 0 &&
                 strcmp(s.backend, "reference") == 0;
    }
    assert_int_equal(found, 1);
    nnefc_run_free(run);
    free(text);
}

static void a_file_that_cannot_be_used_is_a_warning(void **state)
{
    struct fixture *f = *state, nowhere = *f;
    struct nnefc_run *reference = step(f, "reference");

    (void)snprintf(nowhere.file, sizeof nowhere.file, "/dev/null/tuning");
    struct nnefc_run *run = step(&nowhere, "portable");
    assert_same(run, reference);
    assert_int_equal(nnefc_model_diagnostic_count(f->model), 1);
    assert_int_equal(nnefc_model_diagnostic(f->model, 0).severity, NNEFC_WARNING);
    assert_string_equal(nnefc_model_diagnostic(f->model, 0).code, "N0174");
    nnefc_run_free(run);
    nnefc_run_free(reference);
}

static void the_reference_cannot_be_tuned(void **state)
{
    const struct fixture *f = *state;

    assert_null(nnefc_run_new_with(
        f->model, &(struct nnefc_run_options){.backend = "reference", .tune = true}));
    assert_int_equal(nnefc_model_status(f->model), NNEFC_USAGE);
}

/* --- threads ---------------------------------------------------------------------------------- */

/* Filters that threads pack together. */
static const char large[] = "version 1.0;\n"
                            "graph g( x ) -> ( y )\n"
                            "{\n"
                            "    x = external<scalar>( shape = [1,128,4,4] );\n"
                            "    f = variable<scalar>( shape = [64,128,3,3], label = 'f' );\n"
                            "    y = conv( x, f );\n"
                            "}\n";

static int count_threads(void)
{
    DIR *threads = opendir("/proc/self/task");
    int count = 0;

    while (threads && readdir(threads))
        count++;
    if (threads)
        assert_int_equal(closedir(threads), 0);
    return count;
}

/* The system lists a thread for a moment after it was joined. */
static bool are_threads(int count)
{
    for (int i = 0; i < 1000 && count_threads() != count; i++)
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return count_threads() == count;
}

static void no_thread_of_a_trial_is_left(void **state)
{
    struct fixture *f = *state;
    char folder[] = "/tmp/nnefc-tune-XXXXXX", file[64];
    int before = count_threads();

    if (before == 0)
        skip();
    nnefc_model_free(f->model);
    f->model = nnefc_model_new();
    assert_non_null(mkdtemp(folder));
    assert_int_equal(nnefc_model_load_text(f->model, "g.nnef", large, sizeof large - 1), NNEFC_OK);
    assert_int_equal(nnefc_model_set_data_folder(f->model, folder), NNEFC_OK);
    assert_int_equal(nnefc_model_init_weights(f->model, 1, true), NNEFC_OK);
    nnefc_run_free(step(f, "portable"));
    assert_true(are_threads(before));
    (void)snprintf(file, sizeof file, "%s/f.dat", folder);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    static const struct CMUnitTest tests[] = {
        TEST(tuned_runs_agree_with_the_reference), TEST(what_was_tried_is_not_tried_again),
        TEST(what_is_remembered_is_done),          TEST(a_file_that_cannot_be_used_is_a_warning),
        TEST(the_reference_cannot_be_tuned),       TEST(no_thread_of_a_trial_is_left),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
