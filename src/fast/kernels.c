/* kernels.c - which kernels this processor can run */
#include "fast/kernels.h"

extern const struct kernels kernels_generic;

#if defined KERNELS_X86
extern const struct kernels kernels_avx2, kernels_avx512;

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
}
#endif

const struct kernels *kernels_variant(int i)
{
    const struct kernels *usable[4] = {0};
    int count = 0;

#if defined KERNELS_X86
    if (has_avx512())
        usable[count++] = &kernels_avx512;
    if (has_avx2())
        usable[count++] = &kernels_avx2;
#endif
    usable[count++] = &kernels_generic;
    return i >= 0 && i < count ? usable[i] : NULL;
}
