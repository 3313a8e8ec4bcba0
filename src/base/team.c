/* team.c - threads that wait for loops; see team.h */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): processors are no matter of POSIX */
#include "base/team.h"

#include "base/arena.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_MEMBERS = 256, SPINS = 4000, APART = 64, STACK_SIZE = 1 << 20 };

struct team_loop {
    team_part *part;
    void *data;
    int64_t count, grain;
};

/* The part of a loop that a member begins with; when that is done it helps others with theirs.  So
 * in loop after loop over the same data it has the same of it, which is in its processor's
 * cache. */
struct share {
    _Alignas(APART) _Atomic int64_t next; /* item that nobody has begun */
    int64_t end;
};

struct member {
    struct team *team;
    int number;
    pthread_t thread;
};

/*
 * A loop is open while parts of it may be begun.  A member first says that it is at work and then
 * looks whether the loop is open; the caller closes it and then looks who is at work.
 */
struct team {
    int size;
    struct member *members;
    struct share *shares;
    struct team_loop loop;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    _Alignas(APART) atomic_uint loops; /* begun so far */
    atomic_bool open, over, out_of_memory;
    atomic_int sleeping;
    _Alignas(APART) atomic_int working;
};

/* --- processors --------------------------------------------------------------------------- */

/* The first of the threads that share a core with this one; -1: not known. */
static int first_sibling(int cpu)
{
    char path[96], line[16], *end = line;

    (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
                   cpu);
    FILE *file = fopen(path, "re");
    if (!file)
        return -1;
    long first = fgets(line, sizeof line, file) ? strtol(line, &end, 10) : -1;
    (void)fclose(file);
    return end > line && first < CPU_SETSIZE ? (int)first : -1;
}

/* Of threads that share a core only the first counts, if this process may use it. */
static bool is_core(int cpu, const cpu_set_t *usable)
{
    int first = first_sibling(cpu);

    return first < 0 || first == cpu || !CPU_ISSET((size_t)first, usable);
}

int team_processors(void)
{
    cpu_set_t usable;
    int count = 0;

    if (sched_getaffinity(0, sizeof usable, &usable) != 0)
        return 1;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        count += CPU_ISSET((size_t)cpu, &usable) && is_core(cpu, &usable);
    return count > 0 ? count : 1;
}

/* --- parts of a loop ---------------------------------------------------------------------- */

/* As many whole parts for each member, but for one. */
static void deal(struct team *team)
{
    const struct team_loop *loop = &team->loop;
    int64_t parts = (loop->count - 1) / loop->grain + 1;

    for (int i = 0; i < team->size; i++) {
        int64_t end = parts * (i + 1) / team->size * loop->grain;
        team->shares[i].end = end < loop->count ? end : loop->count;
        atomic_store(&team->shares[i].next, parts * i / team->size * loop->grain);
    }
}

static void do_share(struct team *team, struct share *share, int member)
{
    const struct team_loop *loop = &team->loop;
    int64_t begin;

    while (atomic_load(&share->next) < share->end &&
           (begin = atomic_fetch_add(&share->next, loop->grain)) < share->end) {
        int64_t rest = share->end - begin;
        loop->part(loop->data, begin, begin + (rest < loop->grain ? rest : loop->grain), member);
    }
}

static void do_parts(struct team *team, int member)
{
    for (int i = 0; i < team->size; i++)
        do_share(team, &team->shares[(member + i) % team->size], member);
}

/* A member never jumps out of a loop in which others may still be: that is for the caller, at its
 * end. */
static void do_parts_within(struct team *team, int member)
{
    struct recovery recovery;

    recovery_begin(&recovery);
    if (setjmp(recovery.point) == 0)
        do_parts(team, member);
    else
        atomic_store(&team->out_of_memory, true);
    recovery_end(&recovery);
}

static inline void pause_briefly(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
}

/* --- members ------------------------------------------------------------------------------- */

static bool is_called(struct team *team, unsigned seen)
{
    return atomic_load(&team->loops) != seen || atomic_load(&team->over);
}

static void sleep_until_called(struct team *team, unsigned seen)
{
    pthread_mutex_lock(&team->mutex);
    atomic_fetch_add(&team->sleeping, 1);
    while (!is_called(team, seen))
        pthread_cond_wait(&team->wake, &team->mutex);
    atomic_fetch_sub(&team->sleeping, 1);
    pthread_mutex_unlock(&team->mutex);
}

static unsigned wait_for_loop(struct team *team, unsigned seen)
{
    for (int i = 0; i < SPINS && !is_called(team, seen); i++)
        pause_briefly();
    if (!is_called(team, seen))
        sleep_until_called(team, seen);
    return atomic_load(&team->loops);
}

static void *serve(void *data)
{
    const struct member *self = data;
    struct team *team = self->team;
    unsigned seen = 0;

    while (!atomic_load(&team->over)) {
        seen = wait_for_loop(team, seen);
        atomic_fetch_add(&team->working, 1);
        if (atomic_load(&team->open))
            do_parts_within(team, self->number);
        atomic_fetch_sub(&team->working, 1);
    }
    return NULL;
}

static void wake_all(struct team *team)
{
    if (atomic_load(&team->sleeping) == 0)
        return;
    pthread_mutex_lock(&team->mutex);
    pthread_cond_broadcast(&team->wake);
    pthread_mutex_unlock(&team->mutex);
}

/* --- teams --------------------------------------------------------------------------------- */

/* Signals are for the threads of the program.  Parts of loops need little stack; as much as a
 * program has, for each of many members, may be more than there is room for. */
static void start_members(struct team *team, int size)
{
    sigset_t all, before;
    pthread_attr_t attr;

    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_SIZE);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (; team->size < size; team->size++) {
        struct member *member = &team->members[team->size];
        *member = (struct member){.team = team, .number = team->size};
        if (pthread_create(&member->thread, &attr, serve, member) != 0)
            break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
}

static struct team *allocate(int size)
{
    struct team *team = aligned_alloc(APART, sizeof *team);
    struct share *shares = aligned_alloc(APART, (size_t)size * sizeof *shares);
    struct member *members = calloc((size_t)size, sizeof *members);

    if (team && shares && members) {
        *team = (struct team){.size = 1, .members = members, .shares = shares};
        return team;
    }
    free(members);
    free(shares);
    free(team);
    return NULL;
}

int team_usable(int size)
{
    size = size > 0 ? size : team_processors();
    return size < MOST_MEMBERS ? size : MOST_MEMBERS;
}

struct team *team_new(int size)
{
    size = team_usable(size);
    struct team *team = allocate(size);

    if (!team)
        return NULL;
    pthread_mutex_init(&team->mutex, NULL);
    pthread_cond_init(&team->wake, NULL);
    start_members(team, size);
    return team;
}

void team_free(struct team *team)
{
    if (!team)
        return;
    atomic_store(&team->over, true);
    wake_all(team);
    for (int i = 1; i < team->size; i++)
        pthread_join(team->members[i].thread, NULL);
    pthread_cond_destroy(&team->wake);
    pthread_mutex_destroy(&team->mutex);
    free(team->members);
    free(team->shares);
    free(team);
}

int team_size(const struct team *team)
{
    return team ? team->size : 1;
}

/* --- sharing ------------------------------------------------------------------------------- */

static void share_open(struct team *team)
{
    atomic_store(&team->open, true);
    atomic_fetch_add(&team->loops, 1);
    wake_all(team);
    do_parts_within(team, 0);
    atomic_store(&team->open, false);
    for (int i = 0; atomic_load(&team->working) > 0; i++)
        if (i < SPINS)
            pause_briefly();
        else
            sched_yield();
    if (atomic_exchange(&team->out_of_memory, false))
        arena_out_of_memory();
}

void team_share(struct team *team, int64_t count, int64_t grain, team_part *part, void *data)
{
    grain = grain > 0 ? grain : 1;
    if (count <= 0)
        return;
    if (team_size(team) == 1 || count <= grain) {
        part(data, 0, count, 0);
        return;
    }
    team->loop = (struct team_loop){part, data, count, grain};
    deal(team);
    share_open(team);
}
