/* peak.c - how fast several threads can multiply and add at most, with nothing but registers */
#include "base/clock.h"
#include "base/team.h"
#include "kernel/kernels.h"

#include <assert.h>

enum { ROUNDS = 20000 }; /* so that a part takes some hundred microseconds */

/* The work of all members. */
struct burst {
    const struct kernels *kernels;
    int64_t operations; /* of one member */
};

static void run_part(void *data, int64_t begin, int64_t end, int member)
{
    const struct burst *burst = data;
    float result = 0;

    (void)member;
    for (int64_t i = begin; i < end; i++)
        (void)burst->kernels->peak(ROUNDS, &result);
}

double kernels_peak(int threads, double seconds)
{
    struct burst burst = {.kernels = kernels_variant(0)};
    struct team *team = team_new(threads);
    int members = team_size(team);
    float result = 0;
    double best = 0, begin = clock_seconds();

    assert(burst.kernels && members > 0);
    burst.operations = burst.kernels->peak(ROUNDS, &result);
    do {
        double start = clock_seconds();
        team_share(team, members, 1, run_part, &burst);
        double reached = (double)(burst.operations * members) / (clock_seconds() - start);
        best = reached > best ? reached : best;
    } while (clock_seconds() - begin < seconds);
    team_free(team);
    return best;
}
