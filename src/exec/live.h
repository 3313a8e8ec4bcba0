/* live.h - which nodes must run for the outputs and the updates of variables */
#ifndef NNEFC_EXEC_LIVE_H
#define NNEFC_EXEC_LIVE_H

#include <stdbool.h>
#include <stdint.h>

struct graph;

/*
 * By node id: must it run?  By value id: how many operands of such nodes read it, plus one if it
 * outlives the cycle (outputs, and results that update a variable).
 */
struct live {
    bool *node;
    uint32_t *holds;
    int nodes; /* that must run */
};

/* False if there is not enough memory. */
bool live_find(const struct graph *graph, struct live *live);
void live_clear(struct live *live);

#endif
