/* reduce_graph.h - parts of a graph, and how they are made simpler */
#ifndef NNEFC_DRIVER_REDUCE_GRAPH_H
#define NNEFC_DRIVER_REDUCE_GRAPH_H

#include "driver/reduce.h"

/* A try: compare the results that other operations read, or those of one operation. */
struct part_of {
    const bool *kept; /* by operation */
    int only;         /* -1: none in particular */
    const bool *full; /* by simplification: it is not made; NULL: none is made */
};

enum way {
    WAY_BRIDGE,  /* the operation that makes the tensor `name` is left out */
    WAY_DEFAULT, /* its attribute `to` gets its default */
    WAY_EXTENT,  /* extents of `size` of inputs and variables become `less` */
    WAY_ITEMS,   /* those of label `name` are replaced, as `items` says */
    WAY_TENSOR,  /* tensor `name` is called `to` */
    WAY_LABEL,   /* label `name` is called `to` */
};

/* A simplification of a part.  Of two of the same extent or label, the later one counts. */
struct simpler {
    enum way way;
    char *name, *to; /* NULL: it has none */
    int64_t size, less;
    enum nnefc_items items;
};

/* Texts of its own. */
struct texts {
    char **at;
    int count;
};

struct graph_reduction {
    struct reduction *r;
    char *file[2];             /* the whole model, and that of --differs=B; NULL: none */
    struct nnefc_model *whole; /* which is only looked at */
    const struct nnefc_operation_list *operations;
    struct tensors inputs; /* of the whole model */
    struct tensors begin;  /* inputs of the best part */
    bool *output;          /* by operation: the model shows a result of it */
    bool *best;
    int best_only;
    int left;            /* operations of the best part as it is written */
    int only;            /* of the next tries */
    int passing;         /* operations of the largest part that passes */
    bool written;        /* OUT is there, as this reduction wrote it */
    bool in_folder;      /* OUT is a folder of NNEF */
    struct texts there;  /* data files that were in it before */
    struct texts labels; /* of other data that the best part has there */
    struct simpler *simpler;
    int nsimpler;
    bool *best_full, *full; /* see struct part_of; of the next tries */
};

/* --- reduce_graph.c --------------------------------------------------------------------------- */

/* The tensors that the part reads and does not compute, and its outputs; the lists are to be freed.
 */
struct names part_inputs(const struct graph_reduction *g, const struct part_of *part);
struct names part_outputs(const struct graph_reduction *g, const struct part_of *part);

/* A part of the model, or of B.  NULL: it cannot be made.  Tensors that it does not read are
 * removed from `from`. */
struct nnefc_model *load_part(const struct graph_reduction *g, int which,
                              const struct part_of *part, struct names *from);

/* The best part, if it fails. */
enum answer try_part(struct graph_reduction *g, const struct part_of *part);

/* --- reduce_simpler.c ------------------------------------------------------------------------- */

/* Make the simplifications that `full` does not exclude; false: that is not possible.  Tensors that
 * are no inputs any more are removed from `from`. */
bool make_simpler(const struct graph_reduction *g, struct nnefc_model *model, const bool *full,
                  struct names *from);

/* Keep what a part reads of each of its inputs: items at the beginning along each axis. */
void cut_inputs(const struct nnefc_model *model, struct tensors *inputs);

/* Make the best part simpler: by operations and attributes; then by extents, items and names. */
void simplify(struct graph_reduction *g);
void simplify_form(struct graph_reduction *g);

void simpler_free(struct graph_reduction *g);

#endif
