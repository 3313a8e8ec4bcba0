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
 * What may be found where NaN and infinities are expected is never finite: the same; or NaN instead
 * of an infinity and the other way round, for a rounded sum may be 0 or may be tiny, of which a
 * factor of infinity makes one or the other; or any of them, which may also be found elsewhere.
 * Where a function makes numbers of infinities but not of NaN, these rules are too strict.
 */
enum corner_rule { CORNER_STAYS, CORNER_CHANGES, CORNER_SPREADS };

/* Do the items agree, infinities and NaN by the rule?  True, or what differs is added to `what`. */
bool corners_agree(const struct tensor *found, const struct tensor *expected,
                   const struct tolerance *tolerance, enum corner_rule rule, struct text *what);

#endif
