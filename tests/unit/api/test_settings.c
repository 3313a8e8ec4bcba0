/* test_settings.c - structs of settings from clients of an older and a newer version */
#include "nnefc/nnefc.h"

#include "support/doubling.h"
#include "support/t.h"

/* As a later version might have it. */
struct later {
    struct nnefc_run_options options;
    int64_t more;
};

static const char none[] = "no such backend";

/* Does a run begin with these options? */
static bool runs(struct nnefc_model *model, const void *options)
{
    struct nnefc_run *run = nnefc_run_new_with(model, options);
    bool ok = run;

    assert_int_equal(nnefc_model_status(model), ok ? NNEFC_OK : NNEFC_USAGE);
    nnefc_model_clear_diagnostics(model);
    nnefc_run_free(run);
    return ok;
}

static void a_newer_client_may_not_use_what_is_new(void **state)
{
    struct later later = {.options = {.size = sizeof later}};

    assert_true(runs(*state, &later));
    later.more = 1;
    assert_false(runs(*state, &later));
}

/* What lies behind the size is not the client's. */
static void an_older_client_has_fewer_members(void **state)
{
    struct nnefc_run_options options = {.size = sizeof options, .backend = none};

    assert_false(runs(*state, &options));
    options.size = offsetof(struct nnefc_run_options, backend);
    assert_true(runs(*state, &options));
}

static void a_size_must_be_set(void **state)
{
    static const size_t sizes[] = {0, 1, sizeof(size_t) - 1, 100000, SIZE_MAX};
    struct nnefc_run_options options = {.size = 0};

    assert_true(runs(*state, NULL));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        options.size = sizes[i];
        assert_false(runs(*state, &options));
    }
}

/* All structs that begin with a size are read by it. */
static void every_struct_has_a_size(void **state)
{
    const struct nnefc_rewrite rewrite = {0};
    const struct nnefc_onnx onnx = {0};
    const struct nnefc_image image = {0};
    const struct nnefc_hooks hooks = {0};
    const struct nnefc_custom_op op = {.name = "mine"};
    struct nnefc_model *model = nnefc_model_new();
    struct nnefc_run *run = doubling_run(*state, "auto");

    assert_int_equal(nnefc_model_add_op(model, &op), NNEFC_USAGE);
    assert_int_equal(nnefc_model_set_hooks(model, &hooks), NNEFC_USAGE);
    assert_int_equal(nnefc_run_set_image(run, &image), NNEFC_USAGE);
    assert_int_equal(nnefc_model_write_packed(*state, "never-written.ng",
                                              &(struct nnefc_run_options){.size = 0}),
                     NNEFC_USAGE);
    assert_int_equal(
        nnefc_model_write_c(*state, "never-written.c", &(struct nnefc_emit_c){.size = 0}),
        NNEFC_USAGE);
    assert_int_equal(nnefc_model_write_c(
                         *state, "never-written.c",
                         &(struct nnefc_emit_c){.size = sizeof(struct nnefc_emit_c),
                                                .summary = &(struct nnefc_c_summary){.size = 0}}),
                     NNEFC_USAGE);
    nnefc_run_free(run);
    assert_int_equal(nnefc_model_rewrite(*state, &rewrite), NNEFC_USAGE);
    assert_int_equal(nnefc_model_set_keep(model, NNEFC_KEEP_ONNX), NNEFC_OK);
    assert_int_equal(nnefc_model_load(model, "examples/nnef/digits"), NNEFC_OK);
    assert_int_equal(nnefc_model_write_onnx(model, "never-written.onnx", &onnx), NNEFC_USAGE);
    nnefc_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_newer_client_may_not_use_what_is_new),
        cmocka_unit_test(an_older_client_has_fewer_members),
        cmocka_unit_test(a_size_must_be_set),
        cmocka_unit_test(every_struct_has_a_size),
    };

    return cmocka_run_group_tests(tests, doubling_setup, doubling_teardown);
}
