/*
 * open.h - the part of nnefc.h about models that leave something open: extents, and inputs that
 * decide what the graph is
 *
 *     struct nnefc_model *model = nnefc_model_new();
 *
 *     nnefc_model_keep_open(model);
 *     nnefc_model_load(model, "encoder.onnx");            // ids: [batch,seq]
 *     struct nnefc_run *run = nnefc_run_new_with(model, NULL);
 *     for (int i = 0; i < count; i++) {
 *         struct nnefc_type type = {NNEFC_INTEGER, 2, {1, length[i]}};
 *
 *         nnefc_run_view_input_as(run, 0, &type, ids[i], size[i]);
 *         nnefc_run_step(run);                            // plans if that length is new
 *     }
 *
 * A graph has fixed extents (NNEF 1.0.5, section 2.2, lets a consumer choose those of parameters).
 * So a model that leaves some open has many graphs.  A step makes the one that fits its inputs,
 * with its plan, unless the model has it from an earlier step of any run; weights are shared.  The
 * same inputs give the same results, whatever was computed before.
 *
 * Some inputs decide what the graph is by their items: a shape, an axis, a number of trips, the
 * condition of a branch.  These are found when the graph is made, and their items belong to what a
 * graph is made for.
 */
#ifndef NNEFC_OPEN_H
#define NNEFC_OPEN_H

#include "nnefc.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * ONNX, provisional NNEF: extents that the file leaves open stay so, and inputs of ONNX decide that
 * are not bound; without it, and with other formats, loading reports them.  Before loading.  What
 * the client sets is closed.  An open model has parameters and results whose types have
 * NNEFC_UNKNOWN where it is open, and no operations: what lists, rewrites or writes a graph refuses
 * it, for it has none yet.
 */
NNEFC_API enum nnefc_status nnefc_model_keep_open(struct nnefc_model *model);

/*
 * NNEF: leave an extent of a parameter open, though the text says it.  `name`, which may be NULL,
 * joins extents that have to be equal.  Before loading; loading reports a parameter or axis that
 * there is not.  Operations and types are those of the text, but types of parameters and results
 * have NNEFC_UNKNOWN where they are open.
 */
NNEFC_API enum nnefc_status nnefc_model_set_open(struct nnefc_model *model, const char *parameter,
                                                 int axis, const char *name);

/* What a model leaves open. */
struct nnefc_open {
    int input;        /* which parameter, by its index */
    int axis;         /* of its extents; NNEFC_UNKNOWN: its rank, or its items if it decides */
    bool decides;     /* the graph depends on its items */
    const char *name; /* of the extent, "batch"; NULL: it has none */
};

NNEFC_LIST_OF(nnefc_open);

/*
 * In the order of the parameters.  Which inputs decide is known once a graph was made, so that the
 * list of an open model may grow with the first steps; a list that was given out does not change.
 */
NNEFC_API const struct nnefc_open_list *nnefc_model_open(const struct nnefc_model *model);

/* A node of ONNX before which a graph ends, because what it has to know is computed by then: the
 * next part of the model begins with it. */
struct nnefc_cut {
    const char *node;      /* its name in the file, "" if it has none */
    const char *operation; /* "NonZero" */
    const char *place;     /* in a sentence, with the nodes and functions around it */
    const char *why;       /* "its condition is computed" */
};

NNEFC_LIST_OF(nnefc_cut);

/*
 * In the order in which they were found: the first one once a graph was made, the others by the
 * steps that come to them.  It is empty of a model that is one graph for what it was fed so far.
 */
NNEFC_API const struct nnefc_cut_list *nnefc_model_cuts(const struct nnefc_model *model);

/*
 * As nnefc_run_view_input(), with the extents that the items have.  They must be those of the
 * parameter as far as these are known; NNEFC_FILE if not.  The type of items is that of the
 * parameter, or NNEFC_DTYPE_UNKNOWN, which stands for it.
 */
NNEFC_API enum nnefc_status nnefc_run_view_input_as(struct nnefc_run *run, int index,
                                                    const struct nnefc_type *type,
                                                    const void *items, size_t size);

/* As nnefc_run_randomize_input(), with the extents that the input has. */
NNEFC_API enum nnefc_status nnefc_run_randomize_input_as(struct nnefc_run *run, int index,
                                                         const struct nnefc_type *type,
                                                         uint64_t seed);

/*
 * A state: after each step the result becomes the parameter, when the next step begins, unless that
 * was given another input by then.  It is moved, not copied, where it has memory of its own.  Names
 * are those of a parameter and a result, or patterns with one '*' each that stands for the same
 * text: ("past*", "present*").  Types are equal; extents may grow where the parameter is open.  A
 * parameter that was given nothing before the first step begins as zeros, with 0 for what is open
 * and has no name that another input tells.  The results of a step are there until the next begins.
 */
NNEFC_API enum nnefc_status nnefc_run_set_state(struct nnefc_run *run, const char *inputs,
                                                const char *outputs);

/* What open models have made so far: all zero of a closed one. */
struct nnefc_plans {
    int64_t made, taken, dropped; /* graphs with their plans; how often one was there already */
    int kept;                     /* of them there are now */
    double seconds;               /* that making them took */
    int64_t bytes;                /* that those take which are kept, without what they share */
    int64_t weight_bytes; /* of weights that were copied, computed or packed for all of them */
};

NNEFC_API struct nnefc_plans nnefc_model_plans(const struct nnefc_model *model);

#ifdef __cplusplus
}
#endif

#endif
