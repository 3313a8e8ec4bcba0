/* test_pack.c - models and arrays in archives, as clients of the library use them */
#include "nnefc/nnefc.h"

#include "unit/api/loaded.h"
#include "unit/base/scratch.h"

static const char document[] = "version 1.0;\n"
                               "graph g( x ) -> ( y, z )\n{\n"
                               "    x = external<scalar>(shape = [1,3]);\n"
                               "    w = variable<scalar>(shape = [1,3], label = 'a/w');\n"
                               "    v = variable<scalar>(shape = [1,3], label = 'a/w');\n"
                               "    y = add(x, w);\n"
                               "    z = mul(x, v);\n"
                               "}\n";

static struct nnefc_run *step(struct nnefc_model *model)
{
    struct nnefc_run *run = nnefc_run_new(model);

    assert_non_null(run);
    if (!nnefc_run_has_input(run, 0))
        assert_int_equal(nnefc_run_randomize_input(run, 0, 1), NNEFC_OK);
    assert_int_equal(nnefc_run_step(run), NNEFC_OK);
    return run;
}

static void expect_same_results(const struct nnefc_run *a, const struct nnefc_run *b)
{
    for (int i = 0; i < 2; i++)
        assert_memory_equal(nnefc_tensor_items(nnefc_run_output(a, i)),
                            nnefc_tensor_items(nnefc_run_output(b, i)), 3 * sizeof(float));
}

static void a_packed_model_is_the_model(void **state)
{
    struct scratch *s = *state;
    struct nnefc_model *model =
        loaded_model(scratch_put(s, "graph.nnef", document, sizeof document - 1));

    assert_int_equal(nnefc_model_init_weights(model, 1, false), NNEFC_OK);
    assert_int_equal(nnefc_model_pack(model, scratch_path(s, "m.tgz")), NNEFC_OK);
    struct nnefc_model *packed = loaded_model(s->path);
    struct nnefc_run *run = step(model), *again = step(packed);
    expect_same_results(run, again);
    assert_int_equal(nnefc_model_init_weights(packed, 1, true), NNEFC_FILE);
    nnefc_run_free(run);
    nnefc_run_free(again);
    nnefc_model_free(model);
    nnefc_model_free(packed);
}

static void what_is_not_loaded_is_not_packed(void **state)
{
    struct scratch *s = *state;
    struct nnefc_model *model = nnefc_model_new();

    assert_int_equal(nnefc_model_pack(model, scratch_path(s, "m.tgz")), NNEFC_USAGE);
    assert_int_equal(nnefc_model_load_text(model, "g", document, sizeof document - 1), NNEFC_OK);
    assert_int_equal(nnefc_model_pack(model, s->path), NNEFC_FILE);
    assert_int_equal(scratch_count(s), 0);
    nnefc_model_free(model);
}

static void results_go_into_one_archive_and_feed_the_next(void **state)
{
    static const char next[] = "version 1.0;\n"
                               "graph g( z, y ) -> ( r )\n{\n"
                               "    y = external<scalar>(shape = [1,3]);\n"
                               "    z = external<scalar>(shape = [1,3]);\n"
                               "    r = sub(y, z);\n"
                               "}\n";
    struct scratch *s = *state;
    struct nnefc_model *model =
        loaded_model(scratch_put(s, "graph.nnef", document, sizeof document - 1));
    struct nnefc_model *second = loaded_model(scratch_put(s, "next.nnef", next, sizeof next - 1));

    assert_int_equal(nnefc_model_init_weights(model, 1, true), NNEFC_OK);
    struct nnefc_run *run = nnefc_run_new(model), *other = nnefc_run_new(second);
    assert_int_equal(nnefc_run_write_outputs(run, scratch_path(s, "r.npz")), NNEFC_USAGE);
    nnefc_run_free(run);
    run = step(model);
    assert_int_equal(nnefc_run_write_outputs(run, s->path), NNEFC_OK);
    assert_true(nnefc_is_npz(s->path));
    assert_int_equal(nnefc_run_read_inputs(other, s->path), NNEFC_OK);
    assert_true(nnefc_run_has_input(other, 0) && nnefc_run_has_input(other, 1));
    assert_int_equal(nnefc_run_step(other), NNEFC_OK);
    float y = ((const float *)nnefc_tensor_items(nnefc_run_output(run, 0)))[0];
    float z = ((const float *)nnefc_tensor_items(nnefc_run_output(run, 1)))[0];
    assert_true(nnefc_tensor_item(nnefc_run_output(other, 0), 0) == (double)(y - z));
    nnefc_run_free(run);
    nnefc_run_free(other);
    nnefc_model_free(model);
    nnefc_model_free(second);
}

static void an_archive_without_parameters_feeds_nothing(void **state)
{
    struct scratch *s = *state;
    struct nnefc_model *model =
        loaded_model(scratch_put(s, "graph.nnef", document, sizeof document - 1));

    assert_int_equal(nnefc_model_init_weights(model, 1, true), NNEFC_OK);
    struct nnefc_run *run = step(model);
    assert_int_equal(nnefc_run_write_outputs(run, scratch_path(s, "r.npz")), NNEFC_OK);
    assert_int_equal(nnefc_run_read_inputs(run, s->path), NNEFC_USAGE);
    assert_int_equal(nnefc_run_read_inputs(run, scratch_path(s, "graph.nnef")), NNEFC_FILE);
    assert_int_equal(nnefc_run_read_inputs(run, scratch_path(s, "absent")), NNEFC_FILE);
    assert_false(nnefc_is_npz(s->path));
    nnefc_run_free(run);
    nnefc_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(a_packed_model_is_the_model),
        scratch_test(what_is_not_loaded_is_not_packed),
        scratch_test(results_go_into_one_archive_and_feed_the_next),
        scratch_test(an_archive_without_parameters_feeds_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
