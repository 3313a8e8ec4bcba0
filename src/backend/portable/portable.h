/* portable.h - the functions of the portable backend's files, for its table */
#ifndef NNEFC_BACKEND_PORTABLE_PORTABLE_H
#define NNEFC_BACKEND_PORTABLE_PORTABLE_H

#include "exec/backend.h"

/* See struct fast_op; for the operator of that name, or for several: chain for operators that go
 * item by item, reduction for all reductions and softmax, move for operators that compute
 * nothing. */
#define MATCH(name)                                                                            \
    unsigned portable_##name##_match(const struct planner *planner, const struct group *group, \
                                     void *match);
#define MAKE(name)                                                                  \
    bool portable_##name##_make(struct planner *planner, const struct group *group, \
                                struct step *step);

MATCH(cascade)
MATCH(chain)
MATCH(conv)
MATCH(reduction)
MATCH(matrix)
MATCH(move)
MATCH(normalize)
MATCH(pool)
MATCH(product)
MATCH(upsample)
MAKE(attention)
MAKE(cascade)
MAKE(chain)
MAKE(conv)
MAKE(reduction)
MAKE(matrix)
MAKE(move)
MAKE(normalize)
MAKE(pool)
MAKE(product)
MAKE(softmax)
MAKE(upsample)

#undef MATCH
#undef MAKE

#endif
