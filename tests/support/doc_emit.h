/* doc_emit.h - documents whose graphs are written as C, compiled together and called */
#ifndef NNEFC_TESTS_SUPPORT_DOC_EMIT_H
#define NNEFC_TESTS_SUPPORT_DOC_EMIT_H

#include "base/text.h"

#include <stdbool.h>

struct doc;

/* What was written of the documents so far, as one file of C, and what the reference computes. */
struct doc_emitter;

/* Graphs are planned for time, or if they are to be `small` for memory. */
struct doc_emitter *doc_emitter_new(bool small);
void doc_emitter_free(struct doc_emitter *emitter);

/*
 * Write the graph of a document that was read as C, as it is and with all compounds expanded, each
 * twice: the bytes have to be the same.  All identifiers that have '#>' are results.  False after
 * complaints; in `refused` is what has no form in C.
 */
bool doc_emit(struct doc_emitter *emitter, struct doc *doc, struct text *refused);

/*
 * Compile what was written by `compiler`, a command that makes a shared object, and call each with
 * what the marks feed.  Results must be those of the reference, within the tolerance of the mark in
 * proportion to the largest one.  What is wrong is added to `complaints`, a line each.  Returns the
 * number of documents that are wrong; each counts once.
 */
int doc_emitter_run(struct doc_emitter *emitter, const char *compiler, struct text *complaints);

#endif
