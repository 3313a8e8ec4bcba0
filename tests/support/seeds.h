/* seeds.h - the command line of programs that try one random thing after the other */
#ifndef NNEFC_TESTS_SUPPORT_SEEDS_H
#define NNEFC_TESTS_SUPPORT_SEEDS_H

#include <stdbool.h>
#include <stdint.h>

struct seeds {
    uint64_t first, count;
    bool print; /* what would be tried, and nothing else */
};

/* [--seed=S] [--count=N] [--print]; 200 from seed 1 on if nothing is said.  False after the usage.
 */
bool seeds_read(int argc, char *argv[], const char *program, struct seeds *seeds);

#endif
