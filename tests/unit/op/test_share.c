/* test_share.c - what is worth it is shared among threads, what is not is left to the caller */
#include "op/compute.h"

#include "base/team.h"

#include "support/t.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { PATIENCE = 20 /* seconds */ };

struct meeting {
    atomic_int there;
    atomic_int missed;
};

/* Ends when two calls go on at a time. */
static void meet(const void *data, int64_t number)
{
    struct meeting *meeting = *(struct meeting *const *)data;
    time_t begin = time(NULL);

    (void)number;
    atomic_fetch_add(&meeting->there, 1);
    while (atomic_load(&meeting->there) < 2)
        if (time(NULL) - begin > PATIENCE) {
            atomic_fetch_add(&meeting->missed, 1);
            return;
        }
}

static void long_calls_go_on_in_two_threads(void **state)
{
    struct meeting meeting = {0}, *there = &meeting;
    struct eval eval = {.team = team_new(2)};

    (void)state;
    assert_int_equal(team_size(eval.team), 2);
    eval_share_part(&eval, 2, 1 << 20, meet, &there);
    assert_int_equal(meeting.there, 2);
    assert_int_equal(meeting.missed, 0);
    team_free(eval.team);
}

struct roll {
    pthread_t caller;
    atomic_int calls, others;
};

static void call(const void *data, int64_t number)
{
    struct roll *roll = *(struct roll *const *)data;

    atomic_fetch_add(&roll->calls, 1);
    if (number < 0 || !pthread_equal(roll->caller, pthread_self()))
        atomic_fetch_add(&roll->others, 1);
}

static void check_alone(const struct eval *eval, int64_t count, int64_t work)
{
    struct roll roll = {.caller = pthread_self()}, *called = &roll;

    for (int i = 0; i < 100; i++)
        eval_share_part(eval, count, work, call, &called);
    assert_int_equal(roll.calls, 100 * count);
    assert_int_equal(roll.others, 0);
}

static void short_loops_are_the_callers(void **state)
{
    struct eval eval = {.team = team_new(3)};

    (void)state;
    check_alone(&eval, 1000, 1);
    check_alone(&eval, 10, 1000);
    check_alone(&eval, 1, INT64_MAX);
    check_alone(&eval, 100, 0);
    check_alone(&eval, 0, 5);
    team_free(eval.team);
}

static void without_a_team_the_caller_is_alone(void **state)
{
    const struct eval eval = {.team = NULL};

    (void)state;
    check_alone(&eval, 100, INT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_calls_go_on_in_two_threads),
        cmocka_unit_test(short_loops_are_the_callers),
        cmocka_unit_test(without_a_team_the_caller_is_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
