/* test_refused.c - what does not fit is refused by every backend, before anything is computed */
#include "nnefc/graph_file.h"
#include "nnefc/nnefc.h"

#include "support/doubling.h"
#include "support/t.h"

static const char *const backends[] = {"auto", "reference", "portable"};

enum { BACKENDS = sizeof backends / sizeof backends[0] };

static enum nnefc_status give(struct nnefc_run *run, const struct nnefc_type *type)
{
    struct nnefc_tensor *tensor = nnefc_tensor_new(type);

    assert_non_null(tensor);
    enum nnefc_status status = nnefc_run_set_input(run, 0, tensor);
    nnefc_tensor_free(tensor);
    return status;
}

static void assert_refused(struct nnefc_model *model, struct nnefc_run *run,
                           const struct nnefc_type *type, const char *code)
{
    assert_int_equal(give(run, type), NNEFC_FILE);
    assert_int_equal(nnefc_model_diagnostics(model)->count, 1);
    assert_string_equal(nnefc_model_diagnostics(model)->at[0]->code, code);
    nnefc_model_clear_diagnostics(model);
}

static void assert_all_refused(struct nnefc_model *model, struct nnefc_run *run)
{
    static const struct nnefc_type turned = {.dtype = NNEFC_SCALAR, .rank = 2, .extent = {3, 2}},
                                   longer = {.dtype = NNEFC_SCALAR, .rank = 2, .extent = {2, 4}},
                                   flat = {.dtype = NNEFC_SCALAR, .rank = 1, .extent = {6}},
                                   deep = {.dtype = NNEFC_SCALAR, .rank = 3, .extent = {1, 2, 3}},
                                   integers = {.dtype = NNEFC_INTEGER, .rank = 2, .extent = {2, 3}};

    assert_refused(model, run, &turned, "N0183");
    assert_refused(model, run, &longer, "N0183");
    assert_refused(model, run, &flat, "N0183");
    assert_refused(model, run, &deep, "N0183");
    assert_refused(model, run, &integers, "N0184");
}

static void inputs_that_do_not_fit_are_refused(void **state)
{
    for (int i = 0; i < BACKENDS; i++) {
        struct nnefc_run *run = doubling_run(*state, backends[i]);
        assert_all_refused(*state, run);
        assert_false(nnefc_run_has_input(run, 0));
        assert_int_equal(nnefc_run_step(run), NNEFC_USAGE);
        assert_null(nnefc_run_output(run, 0));
        nnefc_run_free(run);
    }
}

static void what_was_given_before_stays(void **state)
{
    float items[DOUBLING_ITEMS] = {1, 2, 3, 4, 5, 6};

    for (int i = 0; i < BACKENDS; i++) {
        struct nnefc_run *run = doubling_run(*state, backends[i]);
        assert_int_equal(nnefc_run_view_input(run, 0, items, sizeof items), NNEFC_OK);
        assert_all_refused(*state, run);
        assert_int_not_equal(nnefc_run_view_input(run, 0, items, sizeof items - 1), NNEFC_OK);
        assert_doubles(run, items);
        nnefc_run_free(run);
    }
}

/* The number of packed weights is none, and may be asked for without the second one. */
static void nothing_packed_may_be_asked_for_by_halves(void **state)
{
    struct nnefc_run *run = doubling_run(*state, "portable");
    int taken = -1;

    assert_int_equal(nnefc_run_packings(run, NULL), 0);
    assert_int_equal(nnefc_run_packings(NULL, NULL), 0);
    assert_int_equal(nnefc_run_packings(run, &taken), 0);
    assert_int_equal(taken, 0);
    nnefc_run_free(run);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, doubling_setup, doubling_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(inputs_that_do_not_fit_are_refused),
        TEST(what_was_given_before_stays),
        TEST(nothing_packed_may_be_asked_for_by_halves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
