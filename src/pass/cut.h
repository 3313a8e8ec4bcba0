/* cut.h - a part of a graph: what some of its values depend on, from other values on */
#ifndef NNEFC_PASS_CUT_H
#define NNEFC_PASS_CUT_H

#include "ir/graph.h"

/* A value, and what the port is called that shows it. */
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
 * Leave only what computes `to` from `from`, which become the inputs and outputs in this order.  A
 * value of `from` that is no external becomes one, with the name of its port.  An update of a
 * variable stays if the variable, or another of its label, and what it is set to are in that part;
 * the result of an update of what becomes an input is a copy of what it is set to.  False after
 * reports: an input that is not of `from` is needed, or one of `from` is not, which leaves the
 * graph as it was; or a limit is exceeded.
 */
bool graph_cut(struct graph *graph, const struct cut *cut);

#endif
