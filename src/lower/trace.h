/*
 * trace.h - what the text decides by, so that lowerings at other extents can be compared
 *
 * Two lowerings of one document that saw the same here made their nodes on the same way; numbers
 * in their attributes are sums and products of extents, for whatever else is done with a number is
 * noted: comparisons, divisions, powers, conversions.
 */
#ifndef NNEFC_LOWER_TRACE_H
#define NNEFC_LOWER_TRACE_H

#include "ir/graph.h"

struct arena;

/* One expression that decides something. */
struct lower_choice {
    struct span span;
    const struct call_site *site;
    uint64_t operands; /* a digest of what they were */
    bool whole;        /* else they are too long to be looked at */
};

/* All of them, in the order of evaluation.  The caller sets the arena, the rest starts as 0. */
struct lower_trace {
    struct arena *arena;
    struct lower_choice *choice;
    int count;
};

/* The first choice of `a` that is not the same in `b`, or is too long to be compared; the last one
 * of the longer trace if it only goes on.  NULL if they are equal. */
const struct lower_choice *lower_trace_difference(const struct lower_trace *a,
                                                  const struct lower_trace *b);

#endif
