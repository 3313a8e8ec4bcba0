/* portable.h - what the files of the portable backend contribute to its table */
#ifndef NNEFC_FAST_PORTABLE_H
#define NNEFC_FAST_PORTABLE_H

#include "fast/backend.h"

/* As struct fast_op says, for the operator of that name; chain: for what goes item by item. */
#define PORTABLE(name)                                                                          \
    unsigned portable_##name##_layouts(const struct planner *planner, const struct task *task); \
    bool portable_##name##_make(struct planner *planner, const struct task *task,               \
                                struct step *step);

PORTABLE(chain)
PORTABLE(conv)
PORTABLE(linear)
PORTABLE(matmul)

#undef PORTABLE

#endif
