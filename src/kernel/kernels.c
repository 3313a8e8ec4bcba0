/* kernels.c - which kernels this processor can run */
#include "kernel/kernels.h"

#include <assert.h>
#if defined KERNELS_AVX2 && defined __clang__
#include <cpuid.h>
#endif
#include <stdlib.h>
#include <string.h>

extern const struct kernels kernels_generic;

#if defined KERNELS_AVX2
extern const struct kernels kernels_avx2, kernels_avx2_vnni;

/* AVX-VNNI, whose name clang 14 does not know.  Each layer of a plan asks, and CPUID is slow in a
 * virtual machine: gcc reads what libgcc has found out at the start. */
static bool has_avx_vnni(void)
{
#if defined __clang__
    enum { FEATURES = 7, AVX_VNNI = 1 << 4 };
    unsigned int eax = 0, ebx = 0, ecx = 0, edx = 0;

    return __get_cpuid_count(FEATURES, 1, &eax, &ebx, &ecx, &edx) && (eax & AVX_VNNI) != 0;
#else
    return __builtin_cpu_supports("avxvnni") != 0;
#endif
}
#endif
#if defined KERNELS_AVX512
extern const struct kernels kernels_avx512, kernels_avx512_vnni;
#endif

enum { VARIANTS = 5 };

const struct kernels *kernels_variant(int i)
{
    const struct kernels *usable[VARIANTS];
    const char *name = getenv("NNEFC_KERNELS");
    int count = 0, first = 0;

#if defined KERNELS_AVX512
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("fma")) {
        if (__builtin_cpu_supports("avx512vnni"))
            usable[count++] = &kernels_avx512_vnni;
        usable[count++] = &kernels_avx512;
    }
#endif
#if defined KERNELS_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        if (has_avx_vnni())
            usable[count++] = &kernels_avx2_vnni;
        usable[count++] = &kernels_avx2;
    }
#endif
    usable[count++] = &kernels_generic;

    /* The name of a slower variant shows what another processor would compute. */
    for (int k = 0; name && k < count; k++)
        if (strcmp(usable[k]->name, name) == 0)
            first = k;
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
