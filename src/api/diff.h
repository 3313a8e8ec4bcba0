/*
 * diff.h - digests of graphs, and pairs of nodes and sources of two graphs
 *
 * A source is a value that no node computes.  All of it lies in the arena of struct diff_pairs.
 */
#ifndef NNEFC_API_DIFF_H
#define NNEFC_API_DIFF_H

#include "ir/graph.h"

struct arena;
struct map;
struct nnefc_model;

/* --- digest.c ------------------------------------------------------------------------------ */

struct digests {
    uint64_t *alone; /* by node id: operator and attributes */
    uint64_t *value; /* by value id: all that it depends on */
    uint64_t *use;   /* by node id: all that depends on it; 0: nothing */
};

/* Of the type and shape, and of the items of a constant. */
uint64_t digest_source(const struct value *value);

/* Compute `alone` first, then `value`, which needs those of sources, then `use`. */
void digests_begin(struct digests *digests, const struct graph *graph, struct arena *arena);
void digests_values(struct digests *digests, const struct graph *graph);
void digests_uses(struct digests *digests, const struct graph *graph);

/* A hash of a text, which may be NULL. */
uint64_t digest_text(uint64_t hash, const char *text);

/* The entries of the quantization file that the graph does not show, by the names of tensors. */
void quant_by_name(const struct nnefc_model *model, struct map *entries);

/* --- diff_pair.c --------------------------------------------------------------------------- */

struct diff_side {
    const struct graph *graph;
    struct digests digest;
    const struct node **node; /* in their order */
    int count;
    int *place;                  /* by node id: its index in `node` */
    int *mate;                   /* by index: that of the other graph; -1: none */
    const struct value **twin;   /* by value id, of sources: that of the other graph */
    const struct value **source; /* externals, then variables, then constants */
    int nexternal, nvariable, nsource;
};

struct diff_pairs {
    struct arena *arena;
    unsigned ignore; /* enum nnefc_ignore */
    bool data;       /* variables have their items */
    struct diff_side side[2];
};

/* Finds all pairs; the first three members are set, and the graphs. */
void diff_pairs_find(struct diff_pairs *pairs);

/* The partner of a value of graph `which` in the other graph; NULL: none. */
const struct value *diff_twin(const struct diff_pairs *pairs, int which, const struct value *value);

bool diff_same_op(const struct node *a, const struct node *b);

/* --- pairs of what has equal keys ------------------------------------------------------------ */

struct diff_key {
    uint64_t key; /* 0: pairs with nothing */
    int index;
};

/* Calls `pair` for indices of equal keys, the first of A with the first of B.  Sorts both lists. */
void diff_match(struct diff_key *keys[2], const int counts[2],
                void (*pair)(void *data, int a, int b), void *data);

#endif
