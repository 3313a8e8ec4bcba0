/* doubling.c - see doubling.h */
#include "support/doubling.h"

#include "nnefc/nnefc.h"

#include "support/t.h"

static const char doubling[] = "version 1.0;\n"
                               "extension KHR_enable_operator_expressions;\n"
                               "graph g( x ) -> ( y )\n"
                               "{\n"
                               "    x = external<scalar>( shape = [2,3] );\n"
                               "    y = x + x;\n"
                               "}\n";

int doubling_setup(void **state)
{
    struct nnefc_model *model = nnefc_model_new();

    *state = model;
    return nnefc_model_load_text(model, "g.nnef", doubling, sizeof doubling - 1) == NNEFC_OK ? 0
                                                                                             : -1;
}

int doubling_teardown(void **state)
{
    nnefc_model_free(*state);
    return 0;
}

struct nnefc_run *doubling_run(struct nnefc_model *model, const char *backend)
{
    const struct nnefc_run_options options = {
        .size = sizeof options, .backend = backend, .threads = 1};
    struct nnefc_run *run = nnefc_run_new_with(model, &options);

    assert_non_null(run);
    nnefc_model_clear_diagnostics(model);
    return run;
}

void assert_doubles(struct nnefc_run *run, const float items[DOUBLING_ITEMS])
{
    assert_int_equal(nnefc_run_step(run), NNEFC_OK);
    const struct nnefc_tensor *result = nnefc_run_output(run, 0);
    for (int i = 0; i < DOUBLING_ITEMS; i++)
        assert_true(nnefc_tensor_item(result, i) == 2 * (double)items[i]);
}
