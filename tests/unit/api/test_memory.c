/* test_memory.c - memory that runs out is a failure of the call, and of nothing else */
#include "base/arena.h"
#include "base/team.h"
#include "nnefc/nnefc.h"
#include "support/t.h"

#include <string.h>
#if defined __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

static const char text[] = "version 1.0;\n"
                           "extension KHR_enable_fragment_definitions;\n"
                           "fragment mine( x: tensor<scalar> ) -> ( y: tensor<scalar> );\n"
                           "graph net( x ) -> ( y )\n{\n"
                           "    x = external<scalar>(shape = [3]);\n    y = mine(x);\n}\n";

/* A call that ran out of memory leaks what it had, which the leak sanitizer must not count. */
static void ignore_leaks(bool ignored)
{
#if defined __SANITIZE_ADDRESS__
    if (ignored)
        __lsan_disable();
    else
        __lsan_enable();
#else
    (void)ignored;
#endif
}

/* What of an operation lacks memory: its shape rule or its kernel. */
struct lacking {
    bool infer, eval;
};

static bool infer_same(struct nnefc_infer *infer, void *user)
{
    const struct lacking *lacking = user;
    struct nnefc_type type = nnefc_infer_operand(infer, 0);

    if (lacking->infer)
        arena_out_of_memory();
    return nnefc_infer_set_shape(infer, 0, type.rank, type.extent);
}

static bool eval_same(const struct nnefc_eval *eval, void *user)
{
    const struct lacking *lacking = user;

    if (lacking->eval)
        arena_out_of_memory();
    memcpy(nnefc_tensor_data(nnefc_eval_result(eval, 0)),
           nnefc_tensor_items(nnefc_eval_operand(eval, 0)), 3 * sizeof(float));
    return true;
}

static enum nnefc_status load(struct nnefc_model *model, struct lacking *lacking)
{
    const struct nnefc_custom_op op = {sizeof op, "mine", infer_same, eval_same, lacking};

    assert_int_equal(nnefc_model_add_op(model, &op), NNEFC_OK);
    ignore_leaks(true);
    enum nnefc_status status = nnefc_model_load_text(model, "net", text, sizeof text - 1);
    ignore_leaks(false);
    return status;
}

static void a_load_without_memory_fails_and_marks_the_model(void **state)
{
    struct nnefc_model *model = nnefc_model_new(), *other = nnefc_model_new();
    struct lacking lacking = {.infer = true}, nothing = {false};

    (void)state;
    assert_int_equal(load(model, &lacking), NNEFC_INTERNAL);
    assert_true(nnefc_model_out_of_memory(model));
    assert_int_equal(nnefc_model_status(model), NNEFC_INTERNAL);
    assert_int_equal(nnefc_model_inputs(model)->count, 0);
    assert_int_equal(nnefc_model_diagnostics(model)->count, 0);
    assert_int_equal(nnefc_model_find_input(model, "x"), -1);
    assert_null(nnefc_run_new(model));
    assert_int_equal(nnefc_model_set_pedantic(model, true), NNEFC_INTERNAL);
    assert_int_equal(load(other, &nothing), NNEFC_OK);
    assert_false(nnefc_model_out_of_memory(other));
    nnefc_model_free(model);
    nnefc_model_free(other);
}

/* The lock of the model is free again, else the last calls would wait for ever. */
static void a_step_without_memory_fails_and_lists_stay(void **state)
{
    struct nnefc_model *model = nnefc_model_new();
    struct lacking lacking = {false};

    (void)state;
    assert_int_equal(load(model, &lacking), NNEFC_OK);
    const struct nnefc_port_list *inputs = nnefc_model_inputs(model);
    struct nnefc_run *run = nnefc_run_new(model);
    assert_int_equal(nnefc_run_fill_input(run, 0, 2), NNEFC_OK);
    assert_int_equal(nnefc_run_step(run), NNEFC_OK);
    lacking.eval = true;
    assert_int_equal(nnefc_run_step(run), NNEFC_INTERNAL);
    assert_int_equal(nnefc_run_step(run), NNEFC_INTERNAL);
    int threads = nnefc_run_threads(run);
    nnefc_run_set_threads(run, 1);
    assert_int_equal(nnefc_run_threads(run), threads);
    assert_ptr_equal(nnefc_model_inputs(model), inputs);
    assert_string_equal(inputs->at[0]->name, "x");
    nnefc_run_free(run);
    nnefc_model_free(model);
}

/* --- threads of a team ---------------------------------------------------------------------- */

static void lack(void *data, int64_t begin, int64_t end, int member)
{
    const int64_t *item = data;

    (void)member;
    if (*item >= begin && *item < end)
        arena_out_of_memory();
}

static bool shares(struct team *team, int64_t item)
{
    struct recovery recovery;
    volatile bool ok = false;

    recovery_begin(&recovery);
    if (setjmp(recovery.point) == 0) {
        team_share(team, 64, 1, lack, &item);
        ok = true;
    }
    recovery_end(&recovery);
    return ok;
}

static void a_part_of_a_loop_without_memory_fails_at_the_end_of_the_loop(void **state)
{
    struct team *team = team_new(2);

    (void)state;
    assert_false(shares(team, 0));
    assert_false(shares(team, 63));
    assert_true(shares(team, 64));
    team_free(team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_without_memory_fails_and_marks_the_model),
        cmocka_unit_test(a_step_without_memory_fails_and_lists_stay),
        cmocka_unit_test(a_part_of_a_loop_without_memory_fails_at_the_end_of_the_loop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
