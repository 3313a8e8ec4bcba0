/* alter.h - changes of a graph that change its results: attributes, operations that are left out */
#ifndef NNEFC_PASS_ALTER_H
#define NNEFC_PASS_ALTER_H

#include "op/op_build.h"

/* An attribute of a node, and its new value. */
struct alteration {
    const struct node *node;
    struct op_argument argument;
};

/* A value that no node makes, and its new shape. */
struct reshaping {
    struct value *value;
    const struct shape *shape; /* graph_shape() */
};

/*
 * Set attributes of nodes and shapes of sources, and infer again all shapes that depend on them.
 * Values keep their names, and outputs become the new values.  False after reports; the graph must
 * not be used then.
 */
bool graph_alter(struct graph *graph, const struct alteration *list, int count,
                 const struct reshaping *shapes, int shape_count);

/* The first operand that can replace the only result of the node; NULL: there is none. */
struct value *bridge_of(const struct node *node);

/* Replace the result by this operand, and erase the node; the result must be no output. */
void graph_bridge(struct graph *graph, struct node *node);

#endif
