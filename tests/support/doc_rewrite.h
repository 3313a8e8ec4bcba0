/*
 * doc_rewrite.h - documents whose graphs are rewritten by passes
 *
 *     #: --passes=a,b        these passes are run together, too; those by default if only options
 *                            below are given
 *     #: --leaves=conv,pad*2 exactly these operations are left by them, in whatever order
 *     #: --remark=a=reason   pass a left something as it was, and the reason, which extends to the
 *                            end of the line, has these words in it; just --remark=a for any
 *     #: --fold-limit=N, --prune-inputs   as those of nnefc
 */
#ifndef NNEFC_TESTS_SUPPORT_DOC_REWRITE_H
#define NNEFC_TESTS_SUPPORT_DOC_REWRITE_H

#include <stdbool.h>
#include <stdint.h>

struct doc;

struct doc_remark {
    struct doc_remark *next;
    int line;
    const char *pass, *reason; /* of the pass; words in it, or "" */
};

/* What the marks of a document say. */
struct doc_rewriting {
    const char *passes, *leaves; /* NULL: not given */
    struct doc_remark *remarks;
    int64_t fold_limit; /* 0: not given */
    bool prune_inputs;
    int line; /* of the last option */
};

/*
 * Let each pass alone, those by default and all of them rewrite the graph of a document that was
 * read: with its own outputs and with all identifiers that have '#>' as outputs, with compounds
 * kept and expanded.  The graph must be sound, and its interface and the values it computes the
 * same as before.  True if there are no complaints.
 */
bool doc_rewrite(struct doc *doc);

#endif
