/* graph_print.h - the graph as stable text, and a check that it is sound */
#ifndef NNEFC_OP_GRAPH_PRINT_H
#define NNEFC_OP_GRAPH_PRINT_H

#include <stdbool.h>

struct graph;
struct text;

/*
 * What `--dump=graph` shows:
 *
 *     graph net
 *     parameter x: scalar[1,3,8,8]
 *     result y: scalar[1,10]
 *
 *     variable w: scalar[16,3,3,3] 'conv/filter'
 *     conv1: scalar[1,16,6,6] = conv(x, w, 0.0, border = 'constant', padding = [], ...)
 */
void graph_print(struct graph *graph, struct text *to);

/*
 * Every invariant of a graph, in linear time: operands and uses mirror each other, each node stands
 * after its producers, ids and names are unique, attributes are values that they can have, shapes
 * and types of results are what op_build() would make of the operands now, labels are legal and
 * name one kind of data, data fit their shapes, a variable is updated once, inputs are externals,
 * outputs are made.  Returns true, or false with the first that does not hold in *why.  Nothing is
 * reported to the graph's context, and none of its memory is taken.
 */
bool graph_verify(const struct graph *graph, struct text *why);

#endif
