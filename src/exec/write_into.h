/* write_into.h - results and operands that take no step of their own: parts of others, or read through views */
#ifndef NNEFC_EXEC_WRITE_INTO_H
#define NNEFC_EXEC_WRITE_INTO_H

#include "exec/planner.h"

/* Results that are written where they are wanted, see within.c.  A concat or a view of which parts are
 * there has begun, and is finished by a step that moves the rest, if there is any: false after a report. */
void within_prepare(struct planner *planner);
bool within_begun(const struct planner *planner, const struct task *task);
bool within_finish(struct planner *planner, const struct task *task);

/* Operands that are read as they lie before they are transposed or cut, see through.c: the step of such a node
 * is postponed until somebody needs its result in order. */
bool through_fits(const struct planner *planner, const struct task *task);
bool through_make(struct planner *planner, const struct value *value);

#endif
