/* emitted.h - how emitted.c calls a network, whatever its functions are called; emit.js writes
 * these */
#ifndef NNEFC_BENCH_EMITTED_H
#define NNEFC_BENCH_EMITTED_H

#include <stdint.h>

extern const int emitted_results;
extern const int64_t emitted_items[]; /* of each result */

/* Not 0: it fails.  `weights`: the bytes of MODEL, at a multiple of 64. */
int emitted_run(const void *weights, const float *input, float *const results[]);

#endif
