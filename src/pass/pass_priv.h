/* pass_priv.h - the state of a run of passes */
#ifndef NNEFC_PASS_PASS_PRIV_H
#define NNEFC_PASS_PASS_PRIV_H

#include "file/label.h"
#include "pass/edit.h"

struct passes {
    struct graph *graph;
    const struct pass_options *options;
    struct retained_tensor **kept;
    struct pass_report *report;
    unsigned char *stays; /* by value id, up to `known`: 1 an output, 2 pinned */
    uint32_t known;
    struct labels labels;
};

extern const struct pass_desc *const pass_table[];

enum { STAYS_OUTPUT = 1, STAYS_PINNED = 2 };

/* edit.c: what stays, found out anew; a value that was made later stays only as an output. */
void passes_begin(struct passes *passes);
void passes_end(struct passes *passes);

#endif
