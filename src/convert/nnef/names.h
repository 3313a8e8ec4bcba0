/* names.h - what the tensors and variables of a graph are called in a document of NNEF 1.0 */
#ifndef NNEFC_CONVERT_NNEF_NAMES_H
#define NNEFC_CONVERT_NNEF_NAMES_H

#include "ir/graph.h"

struct text;

/*
 * Inputs and outputs are called as the graph says, identifiers of the text keep their names,
 * other variables are called as their labels, and other tensors as their operation, with a number.
 * Where a name is taken, or is none in NNEF, it is changed as little as possible, in an order that
 * depends on the graph alone.
 */
struct names {
    const char *graph;
    const char *unused;  /* parameter of a graph that has none, as there has to be one; else NULL */
    const char **value;  /* by id; NULL: it is a literal */
    const char **output; /* by index of the graph's outputs */
    const char **label;  /* by index of the graph's variables */
    const char **stored; /* by index of the graph's constants: label of one that becomes a variable,
                            as no text can say its items; NULL: it does not */
};

/* The names of a graph that has a name itself; in the arena of the graph's compilation. */
struct names *names_new(const struct graph *graph);

/*
 * Comments that say what was called otherwise in the graph, a line each; nothing if no name was
 * changed.  Names are quoted, control characters as \x0a:
 *
 *     # input_0 = 'input:0'
 *     # label 'conv_1' = 'conv:1'
 */
void names_table(const struct graph *graph, const struct names *names, struct text *to);

#endif
