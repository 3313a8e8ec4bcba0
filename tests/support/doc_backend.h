/* doc_backend.h - documents that a backend computes, and the reference with it */
#ifndef NNEFC_TESTS_SUPPORT_DOC_BACKEND_H
#define NNEFC_TESTS_SUPPORT_DOC_BACKEND_H

#include <stdbool.h>

struct backend;
struct doc;

/* The backend of that name, and the portable one for what it does not take.  False: it is in a plugin
 * that is not there. */
bool doc_backend(const char *name, struct backend *backend);

/*
 * Plan the graph of a document that was read, and run it step by step beside the reference: as it is
 * and rewritten as for speed, with its own outputs and with all identifiers that have '#>' as outputs,
 * with compounds kept and expanded.  Outputs and variables must be the same: scalars within the
 * tolerance of the mark, in proportion to the largest one of the output.  True if there are no
 * complaints.
 */
bool doc_run_by(struct doc *doc, const struct backend *backend);

#endif
