/*
 * open.h - the part of nnefc.h about open models: those with unknown extents, and those whose graph
 * depends on the items of inputs
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
 * So a model that leaves some open has many graphs.  A step makes the graph that fits its inputs,
 * and its plan, unless an earlier step of any run has made them; all graphs share the weights.  The
 * same inputs give the same results, whatever was computed before.
 *
 * An input decides if the graph depends on its items: on a shape, an axis, a number of trips, or
 * the condition of a branch.  Such inputs are found when a graph is made; the graph is then for
 * these items only.
 */
#ifndef NNEFC_OPEN_H
#define NNEFC_OPEN_H

#include "nnefc.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Before loading; for ONNX and provisional NNEF: keep extents open that the file leaves open, and
 * let inputs of ONNX decide if they are not bound.  Without this call, and with other formats,
 * loading reports them as errors.  Extents that the client sets are not open.  In an open model the
 * types of parameters and results have NNEFC_UNKNOWN for open extents.  It has no graph yet, so
 * functions that list, rewrite or write a graph refuse it.
 */
NNEFC_API enum nnefc_status nnefc_model_keep_open(struct nnefc_model *model);

/*
 * Before loading; for NNEF: leave an extent of a parameter open, although the text gives it.
 * Extents with the same `name`, which may be NULL, must be equal.  Loading reports a parameter or
 * axis that does not exist.  Operations and types are those of the text, but types of parameters
 * and results have NNEFC_UNKNOWN for open extents.
 */
NNEFC_API enum nnefc_status nnefc_model_set_open(struct nnefc_model *model, const char *parameter,
                                                 int axis, const char *name);

/* Something that a model leaves open. */
struct nnefc_open {
    int input;        /* index of the parameter */
    int axis;         /* of the open extent; NNEFC_UNKNOWN: its rank, or its items if it decides */
    bool decides;     /* the graph depends on its items */
    const char *name; /* of the extent, "batch"; NULL: it has none */
};

NNEFC_LIST_OF(nnefc_open);

/*
 * In the order of the parameters.  Inputs that decide are found when a graph is made.  So a later
 * list of an open model may be longer, but a list that was returned does not change.
 */
NNEFC_API const struct nnefc_open_list *nnefc_model_open(const struct nnefc_model *model);

/* A node of ONNX at which a model is cut, because a tensor that it has to know is computed: one
 * graph ends before the node, and the next part of the model begins with it. */
struct nnefc_cut {
    const char *node;      /* its name in the file, "" if it has none */
    const char *operation; /* "NonZero" */
    const char *place;     /* in a sentence, with the nodes and functions around it */
    const char *why;       /* "its condition is computed" */
};

NNEFC_LIST_OF(nnefc_cut);

/*
 * In the order in which they were found: the first one when a graph is made, the others when a step
 * comes to them.  The list is empty if the model was a single graph for all inputs so far.
 */
NNEFC_API const struct nnefc_cut_list *nnefc_model_cuts(const struct nnefc_model *model);

/*
 * As nnefc_run_view_input(), with the extents of the items.  They must equal the known extents of
 * the parameter; NNEFC_FILE if not.  The type of items is that of the parameter;
 * NNEFC_DTYPE_UNKNOWN means the same.
 */
NNEFC_API enum nnefc_status nnefc_run_view_input_as(struct nnefc_run *run, int index,
                                                    const struct nnefc_type *type,
                                                    const void *items, size_t size);

/* As nnefc_run_randomize_input(), with the extents of the input. */
NNEFC_API enum nnefc_status nnefc_run_randomize_input_as(struct nnefc_run *run, int index,
                                                         const struct nnefc_type *type,
                                                         uint64_t seed);

/*
 * Define a state: when a step begins, the result of the step before becomes the input of the
 * parameter, unless the parameter was given another input since.  The tensor is moved, not copied,
 * if it has memory of its own.  The names are those of a parameter and a result, or patterns with
 * one '*' each, which stands for the same text: ("past*", "present*").  The types must be equal;
 * extents may grow where the parameter is open.  A parameter without an input before the first step
 * begins with zeros; an open extent is 0 unless another input gives an extent of the same name.
 * The results of a step are valid until the next step begins.
 */
NNEFC_API enum nnefc_status nnefc_run_set_state(struct nnefc_run *run, const char *inputs,
                                                const char *outputs);

/* The graphs that an open model has made so far, with their plans; all 0 for other models. */
struct nnefc_plans {
    int64_t made, taken, dropped; /* taken: how often a step found its graph made already */
    int kept;                     /* the number of graphs that exist now */
    double seconds;               /* the time of making them */
    int64_t bytes;                /* of the graphs that are kept, without what they share */
    int64_t weight_bytes; /* of weights that were copied, computed or packed for all of them */
};

NNEFC_API struct nnefc_plans nnefc_model_plans(const struct nnefc_model *model);

#ifdef __cplusplus
}
#endif

#endif
