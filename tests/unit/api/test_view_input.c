/* test_view_input.c - runs read inputs where their owner has them */
#include "nnefc/nnefc.h"

#include "support/doubling.h"
#include "support/t.h"

static const char *const backends[] = {"reference", "portable"};

enum { BACKENDS = sizeof backends / sizeof backends[0] };

static void what_is_viewed_may_change_between_steps(void **state)
{
    for (int i = 0; i < BACKENDS; i++) {
        float items[DOUBLING_ITEMS] = {1, 2, 3, 4, 5, 6};
        struct nnefc_run *run = doubling_run(*state, backends[i]);
        assert_int_equal(nnefc_run_view_input(run, 0, items, sizeof items), NNEFC_OK);
        assert_true(nnefc_run_has_input(run, 0));
        assert_doubles(run, items);
        items[0] = -7;
        items[5] = 0.5F;
        assert_doubles(run, items);
        nnefc_run_free(run);
        assert_true(items[0] == -7 && items[4] == 5); /* they were only read */
    }
}

static void another_input_takes_the_place_of_a_view(void **state)
{
    const float items[DOUBLING_ITEMS] = {1, 1, 1, 1, 1, 1},
                others[DOUBLING_ITEMS] = {2, 3, 4, 5, 6, 7};
    const struct nnefc_type type = nnefc_model_inputs(*state)->at[0]->type;
    struct nnefc_tensor *tensor = nnefc_tensor_new(&type);
    struct nnefc_run *run = doubling_run(*state, "portable");

    for (int i = 0; i < DOUBLING_ITEMS; i++)
        ((float *)nnefc_tensor_data(tensor))[i] = items[i];
    assert_int_equal(nnefc_run_view_input(run, 0, others, sizeof others), NNEFC_OK);
    assert_doubles(run, others);
    assert_int_equal(nnefc_run_set_input(run, 0, tensor), NNEFC_OK);
    assert_doubles(run, items);
    assert_int_equal(nnefc_run_view_input(run, 0, others, sizeof others), NNEFC_OK);
    assert_doubles(run, others);
    nnefc_tensor_free(tensor);
    nnefc_run_free(run);
}

static void what_does_not_fit_is_not_viewed(void **state)
{
    const float items[DOUBLING_ITEMS + 1] = {0};
    struct nnefc_run *run = doubling_run(*state, "portable");
    const size_t size = DOUBLING_ITEMS * sizeof *items;

    assert_int_equal(nnefc_run_view_input(run, 0, items, size - 1), NNEFC_USAGE);
    assert_int_equal(nnefc_run_view_input(run, 0, items, sizeof items), NNEFC_USAGE);
    assert_int_equal(nnefc_run_view_input(run, 0, (const char *)items + 1, size), NNEFC_USAGE);
    assert_int_equal(nnefc_run_view_input(run, 1, items, size), NNEFC_USAGE);
    assert_int_equal(nnefc_run_view_input(run, 0, NULL, size), NNEFC_USAGE);
    assert_int_equal(nnefc_run_view_input(NULL, 0, items, size), NNEFC_USAGE);
    assert_false(nnefc_run_has_input(run, 0));
    nnefc_run_free(run);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, doubling_setup, doubling_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_viewed_may_change_between_steps),
        TEST(another_input_takes_the_place_of_a_view),
        TEST(what_does_not_fit_is_not_viewed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
