/* graph_edit.h - changing a graph, one step at a time; pass/edit.h has larger ones */
#ifndef NNEFC_IR_GRAPH_EDIT_H
#define NNEFC_IR_GRAPH_EDIT_H

#include "ir/graph.h"

/* The same graph once more: nodes and values of its own, which share tensors, attributes and names.
 */
struct graph *graph_copy(const struct graph *graph);

/* Let operand `use` read `value` instead, which must be made before the node of the operand. */
void graph_set_operand(struct use *use, struct value *value);

/* Let all operands that read `from` read `to`; likewise the outputs that show it. */
void graph_replace_operands(struct value *from, struct value *to);
void graph_replace_outputs(struct graph *graph, const struct value *from, struct value *to);

/* Remove a node none of whose results is used, by a node or as an output.  Its memory stays: it
 * lies in the arena. */
void graph_erase_node(struct graph *graph, struct node *node);

/* Remove the externals, variables or constants without uses for which `unwanted` says so; the
 * constants that literals stand for remain. */
void graph_erase_sources(struct graph *graph, enum value_kind kind,
                         bool (*unwanted)(const struct value *value, void *data), void *data);

#endif
