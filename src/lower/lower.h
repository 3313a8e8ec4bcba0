/*
 * lower.h - a checked document becomes a graph of primitives and kept compounds
 *
 * Fragments are expanded, attributes evaluated (branches lazily), operators on tensors become
 * nodes, shapes are inferred as nodes are made.  Every node remembers its invocation and the
 * fragments it was reached through.
 */
#ifndef NNEFC_LOWER_LOWER_H
#define NNEFC_LOWER_LOWER_H

#include "ir/graph.h"
#include "sema/sema.h"

#include <stdbool.h>

/* Extents to use for an external instead of those in the text (section 2.2). */
struct shape_override {
    const char *name; /* graph parameter */
    struct shape shape;
};

struct lower_options {
    bool expand_all; /* expand compounds that have a kernel of their own, too */
    const struct shape_override *overrides;
    int noverride;
};

/* NULL if anything was reported. */
struct graph *lower(const struct checked *checked, const struct lower_options *options);

#endif
