/*
 * plan.h - how to compute a graph: an order of steps and a place for every tensor
 *
 * A plan is made once, and read-only then.  It owns packed weights, and refers to the graph and to
 * the weights that it reads as they are.  Executions run it, see execute.h.
 */
#ifndef NNEFC_EXEC_PLAN_H
#define NNEFC_EXEC_PLAN_H

#include "exec/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct backend;
struct graph;
struct tensor_blocks;
struct packed_list;
struct pool;
struct tensor;
struct text;
struct value;

/* Which convolutions the backend 'c' does together, a band of rows at a time. */
enum plan_memory {
    PLAN_FOR_TIME,     /* where that is quick */
    PLAN_SAVING,       /* where a step more needs less memory so, with bands of single rows */
    PLAN_SAVING_AHEAD, /* where what is between two of them is larger than such rows */
};

struct plan_options {
    const struct backend
        *backend;            /* NULL: the reference, which fuses nothing and shares no memory */
    int threads;             /* of a run; 0: as many as there are processors */
    bool exact;              /* no algorithm that trades accuracy for speed */
    enum plan_memory memory; /* of the backend 'c' */
    bool channels_last;      /* the same: inputs and outputs of 4 dimensions or more lie so */
    bool eager; /* nodes are done together where they can be, even if it does not pay */
    const struct value *const
        *retained; /* results that can be looked at after a run, like outputs */
    int nretained;

    /* Memory for copies of constants, which outlives the plan.  NULL: the plan has its own pool. */
    struct pool *pool;
    bool warm; /* other plans take memory of that pool soon: it is not given back to the system */

    const struct tensor_blocks *packed; /* weights in the file of the model; NULL: none */
    struct packed_list *pack_into;      /* put what is packed there, too; NULL: nowhere */

    /* Called with constants that are needed no more, once they are packed; it may free their items.
     * NULL: they stay. */
    void (*discard)(void *data, const struct tensor *tensor);
    void *discard_data;
};

struct plan;

/*
 * All shapes are known and variables have their tensors.  Reports all that is in the way
 * (operations without a kernel, open shapes, limits) and gives NULL then.
 */
struct plan *plan_new(const struct graph *graph, const struct plan_options *options);
void plan_free(struct plan *plan);

/* How an input or output lies where the caller has it, by that option. */
enum layout plan_outer_layout(bool channels_last, const struct value *value);

/* As stable text: the same graph, options and processor give the same bytes. */
void plan_print(const struct plan *plan, struct text *to);

/* Its sums of products, and those that are computed with integers; `macs` of those that are known.
 */
struct plan_layers {
    int count, integers;
    int64_t macs, integer_macs;
};
struct plan_layers plan_layers(const struct plan *plan);

/* What it takes besides packed weights and the memory of executions. */
int64_t plan_bytes(const struct plan *plan);

/* The number of packed weights, and of those the number that the file had. */
int plan_packings(const struct plan *plan, int *taken);

#endif
