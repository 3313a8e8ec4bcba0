/*
 * random_graph.h - documents of random operations, of those kinds that passes look for
 *
 * They are valid, can be run, and are the same for a seed on every machine.  What inputs and
 * variables hold is in marks '#<' (see doc.h), so that a document that shows a fault is a test as
 * it stands.
 *
 * Errors of rounding stay in proportion to the largest number on the way: there is no division by
 * what may be almost 0 and no growth without bound, and what jumps (comparisons, rounding, the
 * place of a maximum) is given only what can be computed without rounding.
 */
#ifndef NNEFC_TESTS_SUPPORT_RANDOM_GRAPH_H
#define NNEFC_TESTS_SUPPORT_RANDOM_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

struct random_graph;
struct text;

struct random_graph *random_graph_new(uint64_t seed);
void random_graph_free(struct random_graph *graph);

void random_graph_text(const struct random_graph *graph, struct text *to);

/* Take away outputs and statements, or let the graph be given what they compute, as long as `fails`
 * says that its text still fails. */
void random_graph_reduce(struct random_graph *graph, bool (*fails)(void *to, const char *text),
                         void *to);

#endif
