/* cut.h - a part of a graph: the nodes that compute some of its values from other values */
#ifndef NNEFC_PASS_CUT_H
#define NNEFC_PASS_CUT_H

#include "ir/graph.h"

/* A value, and the name of the port that it becomes. */
struct cut_port {
    struct value *value;
    const char *name; /* interned */
};

struct cut {
    const struct cut_port *from, *to; /* each value once in each of them */
    int nfrom, nto;
    bool inputs; /* the inputs that are needed stand for `from` */
};

/*
 * Keep only the nodes that compute `to` from `from`.  `from` become the inputs and `to` the
 * outputs, in this order.  A value of `from` that is no external becomes one, with the name of its
 * port.  An update of a variable stays if the part has the new value and the variable, or another
 * one of the same label.  If the variable becomes an input, the result of its update becomes a copy
 * of the new value.  False after reports: if the part needs an input that is not in `from`, or does
 * not need one of `from`, the graph is as it was; or a limit is exceeded.
 */
bool graph_cut(struct graph *graph, const struct cut *cut);

#endif
