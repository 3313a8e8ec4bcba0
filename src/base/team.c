/* team.c - threads that wait for loops and share them */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): sched_getaffinity(), madvise() */
#include "base/team.h"

#include "base/arena.h"
#include "base/clock.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_MEMBERS = 256, SPINS = 4000, APART = 64, DATA_LINES = 4, STACK_SIZE = 1 << 20 };

struct team_loop {
    team_part *part;
    void *data;
    int64_t grain;
};

/*
 * The share of a loop with which a member begins, before it helps others.  In repeated loops over
 * the same data a member gets the same share each time, which is in the cache of its processor.
 */
struct share {
    _Alignas(APART) _Atomic int64_t next; /* the first item that no member has begun */
    int64_t end;
};

struct member {
    struct team *team;
    int number;
    pthread_t thread;
};

/*
 * A loop is open while members may begin parts of it.  A member first counts itself in `working`
 * and then checks `open`; the caller first clears `open` and then waits until nobody is working. So
 * no member can begin a part after the caller has gone on.
 */
struct team {
    int size;
    struct member *members;
    pid_t process; /* that started the threads; others have none of them */
    bool *here;    /* the same at no cost: true, and false in a forked child; NULL: not known */
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    /* What a member needs when it sees a new loop comes with the number of the loops. */
    _Alignas(APART) atomic_uint loops; /* begun so far */
    atomic_bool open, over, out_of_memory;
    atomic_int sleeping;
    struct team_loop loop;
    struct share *shares;
    struct team_span *spans; /* by member; NULL: nobody asks */
    _Alignas(APART) atomic_int working;
};
_Static_assert(offsetof(struct team, working) - offsetof(struct team, loops) == APART,
               "what a member needs of a loop is in one line");

/* --- processors --------------------------------------------------------------------------- */

int team_most(void)
{
    cpu_set_t usable;

    if (sched_getaffinity(0, sizeof usable, &usable) == 0)
        return CPU_COUNT(&usable);
    /* There may be more processors than a set of this size has. */
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > MOST_MEMBERS ? MOST_MEMBERS : online > 0 ? (int)online : 1;
}

int team_processors(void)
{
    cpu_set_t usable;
    int count = 0;

    if (sched_getaffinity(0, sizeof usable, &usable) != 0)
        return 1;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        char path[96], line[16], *end = line;
        if (!CPU_ISSET((size_t)cpu, &usable))
            continue;
        (void)snprintf(path, sizeof path,
                       "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
        FILE *file = fopen(path, "re");
        long first = file && fgets(line, sizeof line, file) ? strtol(line, &end, 10) : -1;
        if (file)
            (void)fclose(file);
        /* Of the threads of one core only the first counts, unless this process may not use it. */
        bool known = end > line && first >= 0 && first < CPU_SETSIZE;
        count += !known || first == cpu || !CPU_ISSET((size_t)first, &usable);
    }
    return count > 0 ? count : 1;
}

/* --- parts of a loop ---------------------------------------------------------------------- */

/*
 * Do parts of the loop, first those of the own share.  A member never jumps out of a loop in which
 * others may still be; the caller does that at the end.
 */
static void do_parts(struct team *team, int member)
{
    const struct team_loop *loop = &team->loop;
    struct team_span *span = team->spans ? &team->spans[member] : NULL;
    struct recovery recovery;

    if (span && span->begin == 0)
        span->begin = clock_seconds();
    recovery_begin(&recovery);
    if (setjmp(recovery.point) == 0)
        for (int i = 0; i < team->size; i++) {
            struct share *share = &team->shares[(member + i) % team->size];
            int64_t begin;
            while (atomic_load(&share->next) < share->end &&
                   (begin = atomic_fetch_add(&share->next, loop->grain)) < share->end) {
                int64_t rest = share->end - begin;
                int64_t end = begin + (rest < loop->grain ? rest : loop->grain);
                loop->part(loop->data, begin, end, member);
            }
        }
    else
        atomic_store(&team->out_of_memory, true);
    recovery_end(&recovery);
    if (span)
        span->end = clock_seconds();
}

static inline void pause_briefly(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("isb"); /* `yield` does nothing on most processors */
#elif defined __ARM_ARCH && __ARM_ARCH >= 7
    __asm__ volatile("yield");
#endif
}

/* --- members ------------------------------------------------------------------------------- */

/* Whether there is a loop after the first `seen` loops, or the team is to end. */
static bool is_called(struct team *team, unsigned seen)
{
    return atomic_load(&team->loops) != seen || atomic_load(&team->over);
}

/* Fetch what a loop reads first, all at once: it takes long from a processor that shares no cache.
 */
static void fetch_loop(const struct team *team, int member)
{
    const char *data = team->loop.data;

    __builtin_prefetch(&team->shares[member], 1);
    for (int i = 0; i < DATA_LINES; i++)
        __builtin_prefetch(data + (ptrdiff_t)i * APART);
}

/* The main function of a member's thread. */
static void *serve(void *data)
{
    const struct member *self = data;
    struct team *team = self->team;
    unsigned seen = 0;

    assert(self->number > 0);
    while (!atomic_load(&team->over)) {
        for (int i = 0; i < SPINS && !is_called(team, seen); i++)
            pause_briefly();
        if (!is_called(team, seen)) {
            pthread_mutex_lock(&team->mutex);
            atomic_fetch_add(&team->sleeping, 1);
            while (!is_called(team, seen))
                pthread_cond_wait(&team->wake, &team->mutex);
            atomic_fetch_sub(&team->sleeping, 1);
            pthread_mutex_unlock(&team->mutex);
        }
        seen = atomic_load(&team->loops);
        atomic_fetch_add(&team->working, 1);
        if (atomic_load(&team->open)) {
            fetch_loop(team, self->number);
            do_parts(team, self->number);
        }
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

int team_usable(int size)
{
    size = size > 0 ? size : team_processors();
    return size < MOST_MEMBERS ? size : MOST_MEMBERS;
}

/*
 * A page that the system clears when the process forks; NULL if it cannot.  An emulator may take
 * any advice, one that does not exist, too, and then follows none.
 */
static bool *new_mark(void)
{
#ifdef MADV_WIPEONFORK
    bool *mark =
        mmap(NULL, sizeof *mark, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (mark != MAP_FAILED && madvise(mark, sizeof *mark, -1) != 0 &&
        madvise(mark, sizeof *mark, MADV_WIPEONFORK) == 0) {
        *mark = true;
        return mark;
    }
    if (mark != MAP_FAILED)
        munmap(mark, sizeof *mark);
#endif
    return NULL;
}

bool team_is_here(const struct team *team)
{
    assert(team);
    return team->here ? *team->here : team->process == getpid();
}

/* Signals are for the threads of the program, but for faults of a member itself: the system ends a
 * process whose thread blocks them, even if it has a handler. */
static sigset_t left_to_others(void)
{
    static const int faults[] = {SIGBUS, SIGFPE, SIGILL, SIGSEGV};
    sigset_t set;

    sigfillset(&set);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&set, faults[i]);
    return set;
}

struct team *team_new(int size)
{
    sigset_t before;
    pthread_attr_t attr;

    size = team_usable(size);
    struct team *team = aligned_alloc(APART, sizeof *team);
    struct share *shares = aligned_alloc(APART, (size_t)size * sizeof *shares);
    struct member *members = calloc((size_t)size, sizeof *members);
    if (!team || !shares || !members) {
        free(members);
        free(shares);
        free(team);
        return NULL;
    }
    *team = (struct team){
        .size = 1, .members = members, .shares = shares, .process = getpid(), .here = new_mark()};
    pthread_mutex_init(&team->mutex, NULL);
    pthread_cond_init(&team->wake, NULL);

    /* Parts of loops need little stack; the usual size, for each of many members, could exceed the
     * address space. */
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_SIZE);
    sigset_t left = left_to_others();
    pthread_sigmask(SIG_SETMASK, &left, &before);
    for (; team->size < size; team->size++) {
        struct member *member = &team->members[team->size];
        *member = (struct member){.team = team, .number = team->size};
        if (pthread_create(&member->thread, &attr, serve, member) != 0)
            break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return team;
}

void team_free(struct team *team)
{
    if (!team)
        return;
    /* In a forked child there is no thread to wait for, and one that is gone may hold the mutex. */
    if (team_is_here(team)) {
        atomic_store(&team->over, true);
        wake_all(team);
        for (int i = 1; i < team->size; i++)
            pthread_join(team->members[i].thread, NULL);
        pthread_cond_destroy(&team->wake);
        pthread_mutex_destroy(&team->mutex);
    }
    if (team->here)
        munmap(team->here, sizeof *team->here);
    free(team->members);
    free(team->shares);
    free(team);
}

int team_size(const struct team *team)
{
    return team ? team->size : 1;
}

void team_watch(struct team *team, struct team_span *spans)
{
    if (team)
        team->spans = spans;
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
    /* Deal whole parts; the shares differ by one part at most. */
    int64_t parts = (count - 1) / grain + 1;
    for (int i = 0; i < team->size; i++) {
        int64_t end = parts * (i + 1) / team->size * grain;
        team->shares[i].end = end < count ? end : count;
        atomic_store_explicit(&team->shares[i].next, parts * i / team->size * grain,
                              memory_order_relaxed);
    }
    team->loop = (struct team_loop){part, data, grain};
    atomic_store_explicit(&team->open, true, memory_order_release);
    atomic_fetch_add(&team->loops, 1);
    wake_all(team);
    do_parts(team, 0);
    atomic_store(&team->open, false);
    for (int i = 0; atomic_load(&team->working) > 0; i++)
        if (i < SPINS)
            pause_briefly();
        else
            sched_yield();
    if (atomic_exchange(&team->out_of_memory, false))
        arena_out_of_memory();
}
