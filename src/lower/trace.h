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

/* One of them. */
struct lower_choice {
    struct span span;
    const struct call_site *site;
    uint64_t operands; /* a digest of what they were */
    bool whole;        /* else they are too long to be looked at */
};

/* In the order of evaluation; starts with its arena only. */
struct lower_trace {
    struct arena *arena;
    struct lower_choice *choice;
    int count, capacity;
};

/* The first of `a` that is not so in `b`, or the last one; NULL if they are equal. */
const struct lower_choice *lower_trace_difference(const struct lower_trace *a,
                                                  const struct lower_trace *b);

#endif
