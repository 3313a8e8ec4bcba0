/* limits.c - the standard limits, far above any real model and bearable for any machine */
#include "base/limits.h"

#include <sys/resource.h>
#include <unistd.h>

const struct limits limits_standard = {
    .nesting = 2048,
    .expansion_depth = 4096,
    .nodes = INT64_C(4000000),
    .array_length = INT64_C(4000000),
    .work = INT64_C(25000000),
    .growth = INT64_C(128) << 20,
    .volume = INT64_C(1) << 40,
    .kernel_work = INT64_C(1000000000000),
    .total_work = INT64_C(100000000000000),
    .trips = 1000000,
    .plans = 128,
    .text = INT64_C(64) << 20,
    .members = INT64_C(100000),
    .unpacked = INT64_C(256) << 20,
    .memory = INT64_C(2) << 30,
};

int64_t limits_machine_memory(void)
{
    int64_t memory = limits_standard.memory;
    struct rlimit space;

#ifdef _SC_PHYS_PAGES
    int64_t pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    if (pages > 0 && size > 0 && pages < INT64_MAX / size)
        memory = pages * size;
#endif
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur < (uint64_t)memory)
        memory = (int64_t)space.rlim_cur;
    return memory / 4 * 3;
}
