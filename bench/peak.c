/*
 * peak.c - how fast a machine can be at most
 *
 * A multiply-add waits some cycles for the one before it on the same register, and processors begin
 * one or two in each cycle: twelve registers keep them busy.  That is said in assembler, for no
 * compiler may spill, combine or drop any of it. Registers are cleared first, because numbers that
 * happen to be very small would be slow.
 */
#include "peak.h"

#include "base/team.h"

#include <stdbool.h>
#include <time.h>

enum { BURSTS = 12, ROUNDS = 4000000, REGISTERS = 12 };

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* --- processors ---------------------------------------------------------------------------- */

struct kernel {
    void (*run)(long rounds);
    int reductions; /* of a register */
};

#if defined __x86_64__ && defined __GNUC__

#define EACH(DO)     DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)
#define CLEAR_512(n) "vpxord %%zmm" #n ", %%zmm" #n ", %%zmm" #n "\n\t"
#define CLEAR_256(n) "vxorps %%ymm" #n ", %%ymm" #n ", %%ymm" #n "\n\t"
#define ADD_512(n)   "vfmadd231ps %%zmm12, %%zmm13, %%zmm" #n "\n\t"
#define ADD_256(n)   "vfmadd231ps %%ymm12, %%ymm13, %%ymm" #n "\n\t"

/* Clears all, then adds to each of them `%0` times. */
#define LOOP(CLEAR, ADD) \
    EACH(CLEAR)          \
    CLEAR(12) CLEAR(13) "1:\n\t" EACH(ADD) "dec %0\n\tjnz 1b\n\tvzeroupper"

#define CHANGED                                                                                    \
    "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
        "xmm11", "xmm12", "xmm13"

static void run_512(long rounds)
{
    __asm__ volatile(LOOP(CLEAR_512, ADD_512) : "+r"(rounds) : : CHANGED);
}

static void run_256(long rounds)
{
    __asm__ volatile(LOOP(CLEAR_256, ADD_256) : "+r"(rounds) : : CHANGED);
}

static struct kernel widest(void)
{
    if (__builtin_cpu_supports("avx512f"))
        return (struct kernel){run_512, 16};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return (struct kernel){run_256, 8};
    return (struct kernel){0};
}

#else

static struct kernel widest(void)
{
    return (struct kernel){0};
}

#endif

/* --- measuring ----------------------------------------------------------------------------- */

static void run_rounds(void *data, int64_t begin, int64_t end, int member)
{
    const struct kernel *kernel = data;

    (void)member;
    for (int64_t i = begin; i < end; i++)
        kernel->run(ROUNDS);
}

/* Operations a second of one burst, in which each member has its rounds. */
static double burst(struct kernel *kernel, struct team *team)
{
    double each = 2.0 * kernel->reductions * REGISTERS * ROUNDS, start = now();

    team_share(team, team_size(team), 1, run_rounds, kernel);
    return each * team_size(team) / (now() - start);
}

double peak_flops(int threads)
{
    struct kernel kernel = widest();
    double best = -1.0;

    if (!kernel.run)
        return best;
    struct team *team = team_new(threads);
    for (int i = 0; i < BURSTS; i++) {
        double reached = burst(&kernel, team);
        best = reached > best ? reached : best;
    }
    team_free(team);
    return best;
}
