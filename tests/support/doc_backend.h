/* doc_backend.h - documents that the portable backend computes, and the reference with it */
#ifndef NNEFC_TESTS_SUPPORT_DOC_BACKEND_H
#define NNEFC_TESTS_SUPPORT_DOC_BACKEND_H

#include <stdbool.h>

struct doc;

/*
 * Plan the graph of a document that was read, and run it step by step beside the reference: as it
 * is and rewritten as for speed, with its own outputs and with all identifiers that have '#>' as
 * outputs, with compounds kept and expanded.  Outputs and variables must be the same: scalars
 * within the tolerance of the mark, in proportion to the largest one of the output.  True if there
 * are no complaints.
 */
bool doc_run_planned(struct doc *doc);

/* The same of this text instead of the document's, in which nothing is faulty, with compounds
 * expanded or kept. */
void doc_plan_text(struct doc *doc, const char *text, bool expanded);

#endif
