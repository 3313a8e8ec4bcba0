/* doc_emit.h - documents whose graphs are written as C, compiled and called */
#ifndef NNEFC_TESTS_SUPPORT_DOC_EMIT_H
#define NNEFC_TESTS_SUPPORT_DOC_EMIT_H

#include <stdbool.h>

struct doc;
struct text;

/*
 * Write the graph of a document that was read as C, as it is and with all compounds expanded,
 * planned for time, or if it is to be `small` for memory,
 * compile that by `compiler` to a shared object and call it with what the marks feed.  All
 * identifiers that have '#>' are results, which must be those of the reference, within the
 * tolerance of the mark in proportion to the largest one.  True if there are no complaints; in
 * `refused` is what has no form in C.
 */
bool doc_run_emitted(struct doc *doc, const char *compiler, bool small, struct text *refused);

#endif
