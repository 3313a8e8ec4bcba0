/*
 * fixit.h - the changes that reports propose, made in a text
 *
 * The changes of a report are made together or not at all.  Of reports whose changes touch each
 * other the first is mended; whoever looks again finds the others.  Reports of the same changes are
 * mended by making them once.
 */
#ifndef NNEFC_DIAG_FIXIT_H
#define NNEFC_DIAG_FIXIT_H

#include "base/text.h"
#include "diag/diag.h"

/*
 * Put the text that `at` covers, all of one source, into `mended`, which starts as {0}, with the
 * changes that lie in it.  Returns how many reports they mend; 0: none, and nothing was put.
 */
int fixit_apply(const struct diag *diag, struct span at, struct text *mended);

#endif
