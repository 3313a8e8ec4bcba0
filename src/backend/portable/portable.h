/* portable.h - what the files of the portable backend contribute to its table */
#ifndef NNEFC_BACKEND_PORTABLE_PORTABLE_H
#define NNEFC_BACKEND_PORTABLE_PORTABLE_H

#include "exec/backend.h"

/* As struct fast_op says, for the operator of that name; or for many: chain for what goes item by
 * item, lanes for reductions, move for what computes nothing. */
#define PORTABLE(name)                                                                          \
    unsigned portable_##name##_layouts(const struct planner *planner, const struct task *task); \
    bool portable_##name##_make(struct planner *planner, const struct task *task,               \
                                struct step *step);

PORTABLE(cascade)
PORTABLE(chain)
PORTABLE(conv)
PORTABLE(deconv)
PORTABLE(lanes)
PORTABLE(matrix)
PORTABLE(move)
PORTABLE(normalize)
PORTABLE(pool)
PORTABLE(product)
PORTABLE(upsample)

#undef PORTABLE

bool portable_attention_make(struct planner *planner, const struct task *task, struct step *step);

bool portable_softmax_make(struct planner *planner, const struct task *task, struct step *step);

#endif
