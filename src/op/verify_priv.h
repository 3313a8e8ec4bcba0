/* verify_priv.h - what a check of a graph has in hand */
#ifndef NNEFC_OP_VERIFY_PRIV_H
#define NNEFC_OP_VERIFY_PRIV_H

#include "base/map.h"
#include "base/text.h"
#include "diag/context.h"
#include "ir/graph.h"

/* Shape rules are asked in a graph that looks like the one that is checked, but whose memory and
 * reports are thrown away. */
struct verifier {
    const struct graph *graph;
    struct graph shadow;
    struct context context;    /* of the shadow */
    const struct value **made; /* by id: values that are available at this point of the order */
    bool *seen;                /* by id: nodes that were met */
    struct map names;          /* of values */
    struct map labels;         /* folded: the variable that had it first */
    struct map updated;        /* folded labels: the node that updates it */
    uint64_t operands, uses;
    struct text *why; /* the first thing that is wrong */
};

/* Say what is wrong with a node; always false. */
bool wrong_node(struct verifier *v, const struct node *node, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* What stands for the data that a label names. */
const char *verify_storage(const struct verifier *v, const char *label);

/* What a node says of itself: attributes, operands that belong together, results as its operator
 * makes them of its operands, which were checked. */
bool verify_node(struct verifier *v, const struct node *node);

#endif
