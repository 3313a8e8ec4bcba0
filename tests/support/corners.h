/* corners.h - numbers that are easily got wrong, and what becomes of them */
#ifndef NNEFC_TESTS_SUPPORT_CORNERS_H
#define NNEFC_TESTS_SUPPORT_CORNERS_H

#include <stdbool.h>
#include <stdint.h>

struct tensor;
struct text;
struct tolerance;

/*
 * Which ones: zeros of both signs and what is smaller than normal numbers; NaN, infinities and
 * zeros, whose quotients are infinite, but never so large that only sums of them are; all of these.
 */
enum corners { CORNERS_NONE, CORNERS_FINITE, CORNERS_LARGE, CORNERS_ALL };

/* Put some in place of items of a tensor of scalars, few or many; the same for a name and seed. */
void corners_put(struct tensor *tensor, const char *name, uint64_t seed, enum corners corners);

/*
 * Do the items agree, infinities and NaN included?  `spreads`: what is not finite may also be found
 * where it is not expected, and as another such number, but nothing finite in its place. True, or
 * what differs is added to `what`.
 */
bool corners_agree(const struct tensor *found, const struct tensor *expected,
                   const struct tolerance *tolerance, bool spreads, struct text *what);

#endif
