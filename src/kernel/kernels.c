/* kernels.c - which kernels this processor can run */
#include "kernel/kernels.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

extern const struct kernels kernels_generic;

#if defined KERNELS_AVX2
extern const struct kernels kernels_avx2;

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

#if defined KERNELS_AVX512
extern const struct kernels kernels_avx512;

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("fma");
}
#endif

enum { VARIANTS = 3 };

/* Those of fewer instructions may be asked for by name: what another processor does is seen on this
 * one. */
static int first_wanted(const struct kernels *const *usable, int count)
{
    const char *name = getenv("NNEFC_KERNELS");

    for (int i = 0; name && i < count; i++)
        if (strcmp(usable[i]->name, name) == 0)
            return i;
    return 0;
}

const struct kernels *kernels_variant(int i)
{
    const struct kernels *usable[VARIANTS];
    int count = 0;

#if defined KERNELS_AVX512
    if (has_avx512())
        usable[count++] = &kernels_avx512;
#endif
#if defined KERNELS_AVX2
    if (has_avx2())
        usable[count++] = &kernels_avx2;
#endif
    usable[count++] = &kernels_generic;
    int first = first_wanted(usable, count);
    return i >= 0 && first + i < count ? usable[first + i] : NULL;
}

size_t kernels_scratch(const struct conv_kernel *kernel, const struct conv *conv, int members)
{
    size_t most = 0;

    assert(members > 0);
    for (int i = 1; i <= members; i++) {
        size_t size = kernel->scratch_size(conv, i);
        most = size > most ? size : most;
    }
    return most;
}
