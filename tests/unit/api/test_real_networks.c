/*
 * test_real_networks.c - trained networks compute what other engines computed
 *
 * They are the folders of real-nnef/ in NNEFC_SHARED, or in ../shared: each with a graph, its data,
 * inputs/PARAMETER.dat and expected/RESULT.dat.  Without them the test is skipped.
 */
#include "nnefc/nnefc.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/t.h"

enum { PATH_SIZE = 4096 };

/* Of the largest expected value. */
static const double allowed = 1e-4;

static void join(char path[PATH_SIZE], const char *folder, const char *part, const char *name)
{
    int size = snprintf(path, PATH_SIZE, "%s/%s/%s.dat", folder, part, name);

    assert_true(size > 0 && size < PATH_SIZE);
}

static void compare(const struct nnefc_tensor *got, const struct nnefc_tensor *expected,
                    const char *name)
{
    struct nnefc_tolerance tolerance = {0};
    struct nnefc_difference d;

    for (int64_t i = 0; i < nnefc_tensor_count(expected); i++)
        tolerance.absolute = fmax(tolerance.absolute, fabs(nnefc_tensor_item(expected, i)));
    tolerance.absolute *= allowed;
    if (nnefc_tensor_compare(got, expected, &tolerance, &d) != NNEFC_OK)
        fail_msg("'%s' differs by %g, allowed is %g", name, d.max_absolute, tolerance.absolute);
}

static void feed_all(struct nnefc_run *run, const struct nnefc_model *model, const char *folder)
{
    char path[PATH_SIZE];

    for (int i = 0; i < nnefc_model_inputs(model)->count; i++) {
        join(path, folder, "inputs", nnefc_model_inputs(model)->at[i]->name);
        assert_int_equal(nnefc_run_read_input(run, i, path), NNEFC_OK);
    }
}

static void compare_all(const struct nnefc_run *run, struct nnefc_model *model, const char *folder)
{
    char path[PATH_SIZE];

    for (int i = 0; i < nnefc_model_outputs(model)->count; i++) {
        const char *name = nnefc_model_outputs(model)->at[i]->name;
        join(path, folder, "expected", name);
        struct nnefc_tensor *expected = nnefc_tensor_read(model, path);
        assert_non_null(expected);
        compare(nnefc_run_output(run, i), expected, name);
        nnefc_tensor_free(expected);
    }
}

static void check_network(const char *name)
{
    char network[64], folder[SHARED_PATH_SIZE];

    snprintf(network, sizeof network, "real-nnef/%s", name);
    if (!shared_path(folder, network))
        skip();
    struct nnefc_model *model = nnefc_model_new();
    assert_int_equal(nnefc_model_load(model, folder), NNEFC_OK);
    struct nnefc_run *run = nnefc_run_new(model);
    assert_non_null(run);
    feed_all(run, model, folder);
    assert_int_equal(nnefc_run_step(run), NNEFC_OK);
    compare_all(run, model, folder);
    nnefc_run_free(run);
    nnefc_model_free(model);
}

static void face_detector(void **state)
{
    (void)state;
    check_network("blazeface_front");
}

static void wake_word_classifier(void **state)
{
    (void)state;
    check_network("oww_mycroft");
}

static void text_detector(void **state)
{
    (void)state;
    check_network("ocr_det");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(face_detector),
        cmocka_unit_test(wake_word_classifier),
        cmocka_unit_test(text_detector),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
