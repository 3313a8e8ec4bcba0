/* pass_priv.h - the state of a run of passes */
#ifndef NNEFC_PASS_PASS_PRIV_H
#define NNEFC_PASS_PASS_PRIV_H

#include "file/label.h"
#include "pass/edit.h"

#define PASS(id, title, standard, plans) extern const struct pass_desc pass_##id;
#include "pass/pass_list.def"
#undef PASS

/* Nodes that may be unneeded, each once. */
struct worklist {
    struct node **node;
    int count, room;
};

/* A run of passes over one graph. */
struct passes {
    struct graph *graph;
    const struct pass_options *options;
    struct retained_tensor **kept;
    struct pass_report *report;
    unsigned char *stays; /* by value id, up to `known`: bits of STAYS_* */
    uint32_t known;
    struct labels labels;     /* of all variables, so that new ones differ */
    bool has[OP_COUNT + 1];   /* by operator: there may be nodes of it */
    uint32_t noted;           /* graph->node_count at that time */
    bool unmerged;            /* there may be constants or variables that hold the same */
    int last;                 /* the last pass that changed something; at first behind all */
    struct arena *scratch;    /* of pass_scratch() */
    struct worklist unneeded; /* of pass_sweep(), with room for so many */
};

enum { STAYS_OUTPUT = 1, STAYS_PINNED = 2 };

/* pass.c: is that pass run, too? */
bool pass_is_run(const struct pass *pass, const struct pass_desc *desc);

/*
 * edit.c: finds out what stays, which variables an update changes, and which labels there are.  A
 * value that is made later stays only as an output.  passes_end() frees what passes_begin() took.
 */
void passes_begin(struct passes *passes);
void passes_end(struct passes *passes);

/* fold.c: let constants stand for the results of a node if its operands are known; NULL, or why
 * they do not. */
const char *fold_node(struct pass *pass, struct node *node);

#endif
