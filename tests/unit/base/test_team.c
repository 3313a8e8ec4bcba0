/* test_team.c - every item of a shared loop is done once, by any number of members, loop after loop
 */
#include "base/team.h"

#include "base/clock.h"
#include "support/t.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ITEMS = 1000, LOOPS = 300 };

struct tally {
    atomic_int done[ITEMS];
    atomic_int wrong;
    int members;
};

static void count(void *data, int64_t begin, int64_t end, int member)
{
    struct tally *tally = data;

    if (member < 0 || member >= tally->members || begin >= end)
        atomic_fetch_add(&tally->wrong, 1);
    for (int64_t i = begin; i < end; i++)
        atomic_fetch_add(&tally->done[i], 1);
}

static void check_loops(struct team *team, int64_t grain)
{
    static struct tally tally;

    tally = (struct tally){.members = team_size(team)};
    for (int i = 0; i < LOOPS; i++)
        team_share(team, ITEMS - i, grain, count, &tally);
    assert_int_equal(tally.wrong, 0);
    for (int i = 0; i < ITEMS; i++)
        assert_int_equal(tally.done[i], i <= ITEMS - LOOPS ? LOOPS : ITEMS - i);
}

static void test_every_item_is_done_once(void **state)
{
    (void)state;
    for (int size = 1; size <= 5; size++) {
        struct team *team = team_new(size);
        assert_int_equal(team_size(team), size);
        check_loops(team, 1);
        check_loops(team, 7);
        check_loops(team, ITEMS);
        check_loops(team, 0);
        team_free(team);
    }
}

/* Parts begin at multiples of the grain; only the last of all has fewer items. */
struct parts {
    atomic_int aside;
    int64_t grain;
};

static void check_part(void *data, int64_t begin, int64_t end, int member)
{
    struct parts *parts = data;
    bool whole = end - begin == parts->grain || end == ITEMS;

    (void)member;
    if (begin % parts->grain != 0 || !whole)
        atomic_fetch_add(&parts->aside, 1);
}

static void test_parts_are_whole(void **state)
{
    (void)state;
    struct team *team = team_new(3);

    for (int64_t grain = 1; grain < ITEMS; grain += 13) {
        struct parts parts = {.grain = grain};
        team_share(team, ITEMS, grain, check_part, &parts);
        assert_int_equal(parts.aside, 0);
    }
    team_free(team);
}

static void test_no_team_is_a_team_of_one(void **state)
{
    (void)state;
    assert_int_equal(team_size(NULL), 1);
    check_loops(NULL, 3);
    team_free(NULL);
}

static void test_a_loop_of_nothing_calls_nobody(void **state)
{
    (void)state;
    struct tally tally = {.members = 1};

    team_share(NULL, 0, 1, count, &tally);
    team_share(NULL, -1, 1, count, &tally);
    assert_int_equal(tally.wrong, 0);
}

/* A mapped page of a file that was cut off; the handler of who reads it makes the file long again.
 */
static const volatile char *page;
static int cut;
static atomic_int faults;

static void lengthen(int number)
{
    (void)number;
    atomic_fetch_add(&faults, 1);
    if (ftruncate(cut, 1) != 0)
        _exit(1);
}

/* Member 0 keeps its own part until another one has read the page. */
static void read_page(void *data, int64_t begin, int64_t end, int member)
{
    (void)data;
    (void)begin;
    (void)end;
    while (member == 0 && atomic_load(&faults) == 0)
        sched_yield();
    if (member != 0)
        (void)*page;
}

/* Mapped weights whose file becomes shorter are the program's to report, whichever thread reads. */
static void test_a_fault_of_a_member_is_handled(void **state)
{
    struct sigaction handler = {.sa_handler = lengthen}, before;
    FILE *file = tmpfile();
    struct team *team = team_new(2);

    (void)state;
    if (!file || team_size(team) < 2)
        skip();
    cut = fileno(file);
    void *mapped = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, cut, 0);
    assert_ptr_not_equal(mapped, MAP_FAILED);
    page = mapped;
    sigaction(SIGBUS, &handler, &before);
    team_share(team, 2, 1, read_page, NULL);
    sigaction(SIGBUS, &before, NULL);
    assert_int_equal(faults, 1);
    munmap(mapped, 1);
    fclose(file);
    team_free(team);
}

/* Wait for each other, so that both members have a part. */
static void meet(void *data, int64_t begin, int64_t end, int member)
{
    atomic_int *here = data;

    (void)begin;
    (void)end;
    (void)member;
    atomic_fetch_add(here, 1);
    while (atomic_load(here) < 2)
        sched_yield();
}

/* Members are noted while a loop goes on; a loop that is not shared is not noted, nor is a later
 * one. */
static void test_members_are_watched(void **state)
{
    struct team *team = team_new(2);
    struct team_span spans[2] = {{0}};
    atomic_int here = 2;

    (void)state;
    team_watch(team, spans);
    team_share(team, 2, 2, meet, &here);
    assert_true(spans[0].begin == 0 && spans[1].begin == 0);
    atomic_store(&here, 0);
    double begin = clock_seconds();
    team_share(team, 2, 1, meet, &here);
    double end = clock_seconds();
    team_watch(team, NULL);
    atomic_store(&here, 0);
    team_share(team, 2, 1, meet, &here);
    for (int i = 0; i < 2; i++)
        assert_true(begin <= spans[i].begin && spans[i].begin <= spans[i].end &&
                    spans[i].end <= end);
    team_watch(NULL, NULL);
    team_free(team);
}

static void test_there_is_a_processor(void **state)
{
    (void)state;
    assert_true(team_processors() >= 1);
    struct team *team = team_new(0);
    assert_int_equal(team_size(team), team_processors() < 256 ? team_processors() : 256);
    team_free(team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_item_is_done_once),
        cmocka_unit_test(test_parts_are_whole),
        cmocka_unit_test(test_no_team_is_a_team_of_one),
        cmocka_unit_test(test_a_loop_of_nothing_calls_nobody),
        cmocka_unit_test(test_a_fault_of_a_member_is_handled),
        cmocka_unit_test(test_members_are_watched),
        cmocka_unit_test(test_there_is_a_processor),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
