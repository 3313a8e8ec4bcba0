/* write_into.h - results and operands that take no step of their own: parts of others, or read through views */
#ifndef NNEFC_EXEC_WRITE_INTO_H
#define NNEFC_EXEC_WRITE_INTO_H

#include "exec/planner.h"

/*
 * Results that are written where they are wanted, see write_into.c.  A concat, or what gives its operand another
 * shape or order, has begun when the first of its parts was written into its result.
 */
void target_prepare(struct planner *planner);
bool target_begun(const struct planner *planner, const struct group *group);

/* Operands that are read as they lie before they are transposed or cut, see read_strided.c: the step of such a node
 * is postponed until somebody needs its result in order. */
bool postpone_fits(const struct planner *planner, const struct group *group);
bool postpone_make(struct planner *planner, const struct value *value);

#endif
