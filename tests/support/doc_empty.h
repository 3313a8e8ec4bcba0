/* doc_empty.h - documents whose externals have extents of 0 */
#ifndef NNEFC_TESTS_SUPPORT_DOC_EMPTY_H
#define NNEFC_TESTS_SUPPORT_DOC_EMPTY_H

#include <stdbool.h>

struct doc;

/*
 * Let each extent of each external of a document be 0 in turn: that one alone, and with all that
 * are equal to it; alone, also with compounds expanded if there are any.  What an operation does
 * not allow then is reported with its place, by the front end or by the reference.  The rest runs
 * by the reference and as doc_run_planned() does, with the same results.  True if there are no
 * complaints.
 */
bool doc_run_empty(struct doc *doc);

#endif
