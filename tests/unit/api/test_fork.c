/* test_fork.c - a process that forks: the child has the runs of its parent, but none of their
 * threads */
#include "nnefc/nnefc.h"

#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/team.h"
#include "support/t.h"

enum { SECONDS = 60, FORKS = 20, ITEMS = 10 };

static const char *const backends[] = {"reference", "portable"};

static struct nnefc_run *new_run(struct nnefc_model *model, const char *backend)
{
    const struct nnefc_run_options options = {
        .size = sizeof options, .backend = backend, .threads = 2};
    struct nnefc_run *run = nnefc_run_new_with(model, &options);

    assert_non_null(run);
    assert_int_equal(nnefc_run_randomize_input(run, 0, 1), NNEFC_OK);
    assert_int_equal(nnefc_run_step(run), NNEFC_OK);
    return run;
}

/* What a child does; its exit status is 0 if all of it is as it should be. */
typedef bool child(struct nnefc_model *model, struct nnefc_run *run);

/* A child that waits for ever ends by its alarm. */
static void fork_and_wait(struct nnefc_model *model, struct nnefc_run *run, child *then)
{
    int status = -1;
    pid_t process = fork();

    assert_true(process >= 0);
    if (process == 0) {
        alarm(SECONDS);
        _exit(then(model, run) ? 0 : 1);
    }
    assert_int_equal(waitpid(process, &status, 0), process);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static bool is_freed(struct nnefc_model *model, struct nnefc_run *run)
{
    nnefc_run_free(run);
    nnefc_model_free(model);
    return true;
}

/* Two steps, of which the first may start threads. */
static bool computes_the_same(struct nnefc_model *model, struct nnefc_run *run)
{
    double before[ITEMS];
    bool ok = true;

    for (int i = 0; i < ITEMS; i++)
        before[i] = nnefc_tensor_item(nnefc_run_output(run, 0), i);
    for (int step = 0; step < 2; step++) {
        ok &= nnefc_run_step(run) == NNEFC_OK;
        for (int i = 0; i < ITEMS; i++)
            ok &= nnefc_tensor_item(nnefc_run_output(run, 0), i) == before[i];
    }
    return is_freed(model, run) && ok;
}

/* It forks just after a step, when threads may be on their way to sleep. */
static void children_free_and_compute(void **state)
{
#ifdef __SANITIZE_ADDRESS__
    print_message("skipped: a lock of the sanitizer that a thread holds stays taken in a child\n");
    skip();
#endif
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct nnefc_model *model = nnefc_model_new();
        assert_int_equal(nnefc_model_load(model, "examples/nnef/digits"), NNEFC_OK);
        struct nnefc_run *run = new_run(model, backends[i]);
        for (int k = 0; k < FORKS; k++) {
            fork_and_wait(model, run, k % 2 ? is_freed : computes_the_same);
            assert_int_equal(nnefc_run_step(run), NNEFC_OK);
        }
        assert_true(computes_the_same(model, run)); /* the parent has its threads still */
    }
}

static void add(void *data, int64_t begin, int64_t end, int member)
{
    (void)member;
    atomic_fetch_add((_Atomic int64_t *)data, end - begin);
}

static void a_team_is_where_it_was_made(void **state)
{
    struct team *team = team_new(3);
    _Atomic int64_t sum = 0;
    int status = -1;

    (void)state;
    team_share(team, 1000, 1, add, &sum);
    assert_true(team_is_here(team));
    pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) {
        alarm(SECONDS);
        bool here = team_is_here(team);
        team_free(team);
        _exit(here);
    }
    assert_int_equal(waitpid(process, &status, 0), process);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_true(team_is_here(team));
    team_free(team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_free_and_compute),
        cmocka_unit_test(a_team_is_where_it_was_made),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
