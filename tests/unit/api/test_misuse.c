/*
 * test_misuse.c - every public function, called with every value of support/api_values.h, returns,
 * and gives what nnefc.h says of misuse
 *
 * The calls are made of the headers (tools/api_calls.awk), so that a new function is among them.
 */
#include "support/api_values.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/t.h"
#include "unit/base/scratch.h"

enum { MOST_ARGUMENTS = 6 };

struct call {
    const char *name;
    void (*call)(struct world *world, const int *pick, struct answer *answer);
    int count;
    struct argument {
        enum given_kind kind;
        const char *name;
    } argument[MOST_ARGUMENTS];
};

#include "api_calls.h"

enum { CALLS = sizeof calls / sizeof *calls };

/* --- what the headers allow --------------------------------------------------------------- */

/* Of a function the argument that may be NULL, or any number; NULL: none of them is checked. */
struct exception {
    const char *name, *argument;
};

static const struct exception exceptions[] = {
    {"nnefc_run_new_with", "options"},
    {"nnefc_model_write_packed", "options"},
    {"nnefc_diff_new", "options"},
    {"nnefc_model_write_onnx", "how"},
    {"nnefc_model_write_c", "how"},
    {"nnefc_model_set_hooks", "hooks"},
    {"nnefc_model_set_data_folder", "folder"},
    {"nnefc_model_set_quant_file", "path"},
    {"nnefc_model_set_input_file", "parameter"}, /* the next one */
    {"nnefc_model_set_weights_file", "path"},
    {"nnefc_tensor_compare", "difference"},
    {"nnefc_run_packings", "taken"},
    {"nnefc_infer_error", "parameter"},
    {"nnefc_dtype_name", "dtype"},        /* "?" */
    {"nnefc_model_set_shape", "extents"}, /* of rank 0 */
    {"nnefc_infer_set_shape", "extents"},
    {"nnefc_model_set_open", "name"},
    {"nnefc_broadcast", NULL}, /* it gives the reason */
};

static bool is_excepted(const struct call *call, const char *argument)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (strcmp(exceptions[i].name, call->name) == 0 &&
            (!exceptions[i].argument || strcmp(exceptions[i].argument, argument) == 0))
            return true;
    return false;
}

/* Is that value of an argument one that the headers forbid? */
static bool is_misuse(const struct call *call, int index, int pick)
{
    static const char *const indexes[] = {"index", "pass", "result", "rank"};
    const struct argument *argument = &call->argument[index];
    bool is_index = false;

    if (is_excepted(call, argument->name))
        return false;
    for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++)
        is_index |= strcmp(argument->name, indexes[i]) == 0;
    if (given_is_pointer(argument->kind))
        return pick == 1;
    return pick >= 1 && ((argument->kind == GIVEN_ENUM && pick <= 4) ||
                         (argument->kind == GIVEN_INT && is_index && pick <= 3));
}

/* A text that a client says is longer than it is cannot be told from one that is that long. */
static bool is_believed(const struct call *call, int index, int pick)
{
    const char *name = call->argument[index].name;

    return (strcmp(call->name, "nnefc_model_write_text") == 0 && strcmp(name, "size") == 0 &&
            pick >= 2) ||
           (strcmp(call->name, "nnefc_broadcast") == 0 && strcmp(name, "count") == 0 &&
            (pick == 1 || pick == 5));
}

/* --- calls -------------------------------------------------------------------------------- */

static int picked[MOST_ARGUMENTS]; /* values of the call that is made */
static int faults;
static sigjmp_buf behind; /* the call */

static void tell(const struct call *call, const char *what)
{
    fprintf(stderr, "%s(", call->name);
    for (int i = 0; i < call->count; i++)
        fprintf(stderr, "%s%s: value %d", i ? ", " : "", call->argument[i].name, picked[i]);
    fprintf(stderr, "): %s\n", what);
    faults++;
}

static void check(const struct call *call, const char *what, bool holds)
{
    if (!holds)
        tell(call, what);
}

/* One crash does not hide the others. */
static void crashed(int number)
{
    siglongjmp(behind, number);
}

static void catch_crashes(void)
{
    static const int numbers[] = {SIGSEGV, SIGABRT, SIGFPE, SIGBUS};
    struct sigaction action = {.sa_handler = crashed};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
}

/* What a function of that name frees is not there any more. */
static void forget_freed(const struct call *call, struct world *world)
{
    if (strcmp(call->name, "nnefc_model_free") == 0 && picked[0] != 1)
        world->model = NULL;
    else if (strcmp(call->name, "nnefc_run_free") == 0)
        world->run = NULL;
    else if (strcmp(call->name, "nnefc_tensor_free") == 0)
        world->tensor = NULL;
    else if (strcmp(call->name, "nnefc_results_free") == 0)
        world->results = NULL;
    else if (strcmp(call->name, "nnefc_diff_free") == 0)
        world->diff = NULL;
    else if (strcmp(call->name, "nnefc_catalogue_free") == 0)
        world->catalogue = NULL;
}

static void call_once(const struct call *call, struct world *world)
{
    struct answer answer = {.nothing = true};
    volatile bool misused = false;

    for (int i = 0; i < call->count; i++) {
        if (is_believed(call, i, picked[i]))
            return;
        misused |= is_misuse(call, i, picked[i]);
    }
    world->writes = strstr(call->name, "write") || strstr(call->name, "pack");
    if (sigsetjmp(behind, 1) != 0) { /* nothing that it held can be freed */
        tell(call, "a crash");
        *world = (struct world){0};
        return;
    }
    call->call(world, picked, &answer);
    forget_freed(call, world);
    check(call, "a list or record is NULL", !answer.broken);
    check(call, "misuse gives something", !misused || answer.nothing);
    check(call, "a mistake of the library", answer.status != NNEFC_INTERNAL);
    if (answer.status == NNEFC_USAGE && world->model)
        check(call, "misuse is not explained", nnefc_model_error_count(world->model) > 0);
}

/* Each value of each argument with each of any other. */
static void call_with_all_pairs(const struct call *call, const struct world *within, int one,
                                int other)
{
    int values = call->count > one ? given_count(call->argument[one].kind) : 1;
    int others = call->count > other ? given_count(call->argument[other].kind) : 1;

    for (int i = 0; i < values; i++)
        for (int k = 0; k < others; k++) {
            struct world world = *within;
            memset(picked, 0, sizeof picked);
            picked[one] = i;
            picked[other] = k;
            call_once(call, &world);
            world_free(&world);
        }
}

static void call_with_all_values(const struct call *call, const struct world *within)
{
    if (call->count < 2)
        call_with_all_pairs(call, within, 0, 1);
    for (int one = 0; one < call->count; one++)
        for (int other = one + 1; other < call->count; other++)
            call_with_all_pairs(call, within, one, other);
}

static bool takes(const struct call *call, enum given_kind kind)
{
    return call->count > 0 && call->argument[0].kind == kind;
}

static void every_function_survives_misuse(void **state)
{
    (void)state;
    catch_crashes();
    for (int i = 0; i < CALLS; i++)
        call_with_all_values(&calls[i], &(struct world){0});
    assert_int_equal(faults, 0);
}

/* --- within operations of the client ------------------------------------------------------ */

static const char custom[] = "version 1.0;\n"
                             "extension KHR_enable_fragment_definitions;\n"
                             "fragment mine( x: tensor<scalar>, n: integer = 3 )"
                             " -> ( y: tensor<scalar> );\n"
                             "graph net( x ) -> ( y )\n{\n"
                             "    x = external<scalar>(shape = [3]);\n    y = mine(x);\n}\n";

static bool infer(struct nnefc_infer *infer, void *user)
{
    const int64_t extent = 3;
    int *called = user;

    for (int i = 0; i < CALLS; i++)
        if (takes(&calls[i], GIVEN_INFER))
            call_with_all_values(&calls[i], &(struct world){.infer = infer});
    ++*called;
    return nnefc_infer_set_shape(infer, 0, 1, &extent);
}

static bool eval(const struct nnefc_eval *eval, void *user)
{
    int *called = user;

    for (int i = 0; i < CALLS; i++)
        if (takes(&calls[i], GIVEN_EVAL))
            call_with_all_values(&calls[i], &(struct world){.eval = eval});
    ++*called;
    return true;
}

static void rules_and_kernels_of_clients_survive_misuse(void **state)
{
    int called = 0;
    const struct nnefc_custom_op op = {sizeof op, "mine", infer, eval, &called};
    struct nnefc_model *model = nnefc_model_new();

    (void)state;
    catch_crashes();
    assert_int_equal(nnefc_model_add_op(model, &op), NNEFC_OK);
    (void)nnefc_model_load_text(model, "net", custom, sizeof custom - 1);
    nnefc_model_free(model);
    assert_int_equal(called, 1);
    assert_int_equal(faults, 0);
}

/* --- out of order ------------------------------------------------------------------------- */

static void a_model_lives_as_long_as_what_was_made_of_it(void **state)
{
    struct world world = {0};
    struct nnefc_run *run = given_run(&world, 0), *other = nnefc_run_new_like(run);
    struct nnefc_results *results = nnefc_results_open(world.model, "results");

    (void)state;
    assert_non_null(other);
    nnefc_model_free(world.model);
    nnefc_run_free(run);
    assert_int_equal(nnefc_run_fill_input(other, 0, 1), NNEFC_OK);
    assert_int_equal(nnefc_run_step(other), NNEFC_OK);
    assert_non_null(nnefc_run_output(other, 0));
    nnefc_run_free(other);
    struct nnefc_tensor *tensor = nnefc_results_read(results, 0);
    assert_int_equal(nnefc_tensor_count(tensor), 3);
    nnefc_tensor_free(tensor);
    nnefc_results_free(results);
}

/* --- where it happens --------------------------------------------------------------------- */

/* Files are read and written in a working folder of their own. */
struct place {
    char before[4096], own[64];
};

static int setup(void **state)
{
    static struct place place = {.own = "/tmp/nnefc-misuse-XXXXXX"};

    *state = &place;
    if (!getcwd(place.before, sizeof place.before) || !mkdtemp(place.own) || chdir(place.own) != 0)
        return -1;
    world_prepare();
    return 0;
}

static int teardown(void **state)
{
    const struct place *place = *state;

    scratch_remove(place->own);
    return chdir(place->before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_survives_misuse),
        cmocka_unit_test(a_model_lives_as_long_as_what_was_made_of_it),
        cmocka_unit_test(rules_and_kernels_of_clients_survive_misuse),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
