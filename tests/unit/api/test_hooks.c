/* test_hooks.c - messages and progress are handed on, and calls are stopped */
#include "nnefc/nnefc.h"
#include "support/t.h"

#include <string.h>

static const char text[] = "version 1.0;\ngraph net( x ) -> ( y )\n{\n"
                           "    x = external<scalar>(shape = [3]);\n    a = neg(x);\n"
                           "    b = exp(a);\n    y = neg(b);\n}\n";

struct client {
    struct nnefc_model *model;
    int messages, parts[4];
    int64_t last[4];
    enum nnefc_work stop; /* cancel once that begins */
    bool stops;
    char code[8];
    const char *help;
};

static void note_message(void *user, const struct nnefc_diagnostic *message)
{
    struct client *client = user;

    client->messages++;
    client->help = message->help;
    strncpy(client->code, message->code, sizeof client->code - 1);
    /* Any function may be called: no lock is held. */
    assert_int_equal(nnefc_model_status(client->model), NNEFC_USAGE);
    assert_true(nnefc_model_diagnostics(client->model)->count >= client->messages);
}

static void note_progress(void *user, enum nnefc_work work, int64_t done, int64_t total)
{
    struct client *client = user;

    assert_true(done >= 1 && done <= total);
    client->parts[work]++;
    client->last[work] = done == total ? 0 : total - done;
    if (client->stops && work == client->stop)
        nnefc_model_cancel(client->model, true);
}

static void watch(struct client *client)
{
    const struct nnefc_hooks hooks = {sizeof hooks, note_message, note_progress, client};

    client->model = nnefc_model_new();
    assert_int_equal(nnefc_model_set_hooks(client->model, &hooks), NNEFC_OK);
}

static enum nnefc_status load(struct client *client)
{
    return nnefc_model_load_text(client->model, "net", text, sizeof text - 1);
}

static void messages_are_handed_on_once_and_whole(void **state)
{
    struct client client = {0};
    struct nnefc_hooks wrong = {.size = 1};

    (void)state;
    watch(&client);
    assert_int_equal(nnefc_model_set_warning(client.model, "depricated", NNEFC_WARNING_ON),
                     NNEFC_USAGE);
    assert_int_equal(client.messages, 1);
    assert_string_equal(client.code, "N0192");
    assert_string_equal(client.help, "did you mean 'deprecated'?");
    assert_int_equal(load(&client), NNEFC_OK);
    assert_int_equal(client.messages, 1);
    assert_int_equal(nnefc_model_set_hooks(client.model, &wrong), NNEFC_USAGE);
    assert_int_equal(client.messages, 2);
    assert_int_equal(nnefc_model_set_hooks(client.model, NULL), NNEFC_OK);
    assert_int_equal(nnefc_model_find_input(client.model, "none"), -1);
    assert_int_equal(client.messages, 2);
    nnefc_model_free(client.model);
}

static void progress_ends_with_all_that_there_is(void **state)
{
    const struct nnefc_rewrite how = {.size = sizeof how, .passes = "default"};
    struct client client = {0};

    (void)state;
    watch(&client);
    assert_int_equal(load(&client), NNEFC_OK);
    assert_int_equal(nnefc_model_rewrite(client.model, &how), NNEFC_OK);
    struct nnefc_run *run = nnefc_run_new(client.model);
    assert_int_equal(nnefc_run_fill_input(run, 0, 1), NNEFC_OK);
    assert_int_equal(nnefc_run_step(run), NNEFC_OK);
    assert_true(client.parts[NNEFC_WORK_LOAD] >= 3);
    assert_true(client.parts[NNEFC_WORK_PASSES] > 3);
    assert_true(client.parts[NNEFC_WORK_RUN] >= 1);
    for (int i = 0; i < 4; i++)
        assert_int_equal(client.last[i], 0);
    nnefc_run_free(run);
    nnefc_model_free(client.model);
}

static void loading_can_be_stopped(void **state)
{
    struct client client = {.stops = true, .stop = NNEFC_WORK_LOAD};

    (void)state;
    watch(&client);
    assert_int_equal(load(&client), NNEFC_CANCELLED);
    assert_int_equal(client.messages, 0);
    assert_null(nnefc_model_name(client.model));
    nnefc_model_free(client.model);
}

static void a_step_can_be_stopped_and_made_again(void **state)
{
    struct client client = {.stops = true, .stop = NNEFC_WORK_RUN};

    (void)state;
    watch(&client);
    assert_int_equal(load(&client), NNEFC_OK);
    struct nnefc_run *run = nnefc_run_new(client.model);
    assert_int_equal(nnefc_run_fill_input(run, 0, 0), NNEFC_OK);
    assert_int_equal(nnefc_run_step(run), NNEFC_CANCELLED);
    assert_int_equal(client.parts[NNEFC_WORK_RUN], 1);
    assert_null(nnefc_run_output(run, 0));
    assert_int_equal(nnefc_run_step(run), NNEFC_CANCELLED);
    client.stops = false;
    nnefc_model_cancel(client.model, false);
    assert_int_equal(nnefc_run_step(run), NNEFC_OK);
    assert_true(nnefc_tensor_item(nnefc_run_output(run, 0), 0) == -1);
    nnefc_run_free(run);
    nnefc_model_free(client.model);
}

static void passes_can_be_stopped(void **state)
{
    const struct nnefc_rewrite how = {.size = sizeof how, .passes = "default"};
    struct client client = {.stops = true, .stop = NNEFC_WORK_PASSES};

    (void)state;
    watch(&client);
    assert_int_equal(load(&client), NNEFC_OK);
    assert_int_equal(nnefc_model_rewrite(client.model, &how), NNEFC_CANCELLED);
    nnefc_model_free(client.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_handed_on_once_and_whole),
        cmocka_unit_test(progress_ends_with_all_that_there_is),
        cmocka_unit_test(loading_can_be_stopped),
        cmocka_unit_test(a_step_can_be_stopped_and_made_again),
        cmocka_unit_test(passes_can_be_stopped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
