/* alter.h - a graph that computes something else: other attributes, operations left out */
#ifndef NNEFC_PASS_ALTER_H
#define NNEFC_PASS_ALTER_H

#include "op/op_build.h"

/* An attribute of a node, and what it is to be. */
struct alteration {
    const struct node *node;
    struct op_argument argument;
};

/* A value that no node makes, and the shape that it is to have. */
struct reshaping {
    struct value *value;
    const struct shape *shape; /* graph_shape() */
};

/*
 * Give nodes other attributes and sources other shapes, and infer the shapes of all that depends on
 * them anew.  Values keep their names, and outputs show what takes the place of theirs.  False
 * after reports: then the graph is not to be used.
 */
bool graph_alter(struct graph *graph, const struct alteration *list, int count,
                 const struct reshaping *shapes, int shape_count);

/* The first operand that may stand for the only result of the node; NULL: there is none. */
struct value *bridge_of(const struct node *node);

/* Let it do so, and erase the node, whose result is no output. */
void graph_bridge(struct graph *graph, struct node *node);

#endif
