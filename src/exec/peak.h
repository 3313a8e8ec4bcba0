/* peak.h - how much memory a step takes, told before it begins */
#ifndef NNEFC_EXEC_PEAK_H
#define NNEFC_EXEC_PEAK_H

#include <stdbool.h>
#include <stdint.h>

struct graph;
struct live;

/*
 * Will all that a step has in memory at once, besides inputs and the data of variables, fit into
 * `room` bytes?  `left` is room for a number of each value.  False after a report that names the
 * operation at which it does not.
 */
bool peak_check(const struct graph *graph, const struct live *live, uint32_t *left, int64_t room);

/* The most that it has; INT64_MAX if that does not fit.  All shapes are known. */
int64_t peak_bytes(const struct graph *graph, const struct live *live, uint32_t *left);

#endif
