/* again.h - whether a graph computes what another one did */
#ifndef NNEFC_TESTS_SUPPORT_AGAIN_H
#define NNEFC_TESTS_SUPPORT_AGAIN_H

struct graph;
struct run;

/* Run the second graph on the inputs of the step that `run` made of the first: the outputs are the
 * same bytes. Fails the test otherwise. */
void again_computes_same(const struct graph *second, const struct run *run,
                         const struct graph *first);

#endif
