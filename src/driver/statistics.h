/* statistics.h - a tensor in a few numbers */
#ifndef NNEFC_DRIVER_STATISTICS_H
#define NNEFC_DRIVER_STATISTICS_H

#include "nnefc/nnefc.h"

#include <stdbool.h>
#include <stdint.h>

struct statistics {
    int64_t count, finite;
    double min, max, mean; /* of the finite items; 0 if there are none */
};

struct statistics statistics_of(const struct nnefc_tensor *tensor);

enum { TOP_COUNT = 5 };

/*
 * Scores are a vector of scalars, [n] or [1,n] with n > 1 and nothing but 1 behind it.  Fills in
 * the indices of the largest, largest first and equal ones by index; returns how many, 0 if the
 * tensor holds no scores.
 */
int top_scores(const struct nnefc_tensor *tensor, int64_t top[TOP_COUNT]);

#endif
