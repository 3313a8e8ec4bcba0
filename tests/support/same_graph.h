/* same_graph.h - whether a graph that was rewritten still is the same to the world */
#ifndef NNEFC_TESTS_SUPPORT_SAME_GRAPH_H
#define NNEFC_TESTS_SUPPORT_SAME_GRAPH_H

#include "tensor/compare.h"

#include <stdbool.h>

struct graph;
struct run;
struct text;
struct value;

/*
 * Names, types and shapes of inputs and outputs, and their order; `pruned`: `after` may lack
 * inputs. True, or what is not the same is added to `what`.
 */
bool same_interface(const struct graph *after, const struct graph *before, bool pruned,
                    struct text *what);

/* The largest finite item of all that a value depends on and itself; all of them were kept. */
double largest_on_the_way(const struct graph *graph, const struct run *run,
                          const struct value *value);

/* The tensors of an output of that name, likewise. */
bool same_items(const char *name, const struct tensor *after, const struct tensor *before,
                const struct tolerance *tolerance, struct text *what);

#endif
