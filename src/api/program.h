/*
 * program.h - the tensors of a model in parts, and its conditionals and loops
 *
 * Only the thread that steps a run uses them.  Functions report in the diagnostics of the run why
 * they give false.
 */
#ifndef NNEFC_API_PROGRAM_H
#define NNEFC_API_PROGRAM_H

#include "api/api_priv.h"

/* The tensors of a sequence. */
struct slot_list {
    int count;
    struct tensor item[];
};

/* A tensor, or a sequence of some, by its name, which is interned.  A tensor with `release` NULL is
 * a view. */
struct slot {
    const char *name;
    int32_t type; /* enum onnx_data_type */
    struct tensor tensor;
    struct slot_list *list; /* of a sequence, which has no tensor; NULL: a tensor */
};

/* The tensors of a graph while it is computed. */
struct frame {
    const struct frame *outer; /* NULL: of the model, or of a function */
    const struct onnx_graph *graph;
    const struct onnx_call *caller; /* of the function that it is within; NULL: of none */
    struct slot *slot;
    int count, room;
    int depth; /* of calls of functions */
};

/* --- program.c ---------------------------------------------------------------------------- */

/* Take over what a slot has, under a name. */
void frame_add(struct frame *frame, const char *name, const struct slot *slot);

/* Also in the frames around it; NULL: they have none of that name. */
struct slot *frame_find(const struct frame *frame, const char *name);

/* Move the slot of that name out of a frame, or copy it if it is not the frame's own. */
bool frame_take(const struct nnefc_run *run, const struct frame *frame, const char *name,
                struct slot *to);

void frame_empty(struct frame *frame); /* its room stays */
void frame_clear(struct frame *frame);

/* Memory for a tensor of the run, as long as it is not released. */
bool frame_allocate(const struct nnefc_run *run, enum dtype dtype, const struct shape *shape,
                    struct tensor *tensor);

/* A sequence with room for so many tensors, which are not there yet. */
struct slot_list *sequence_new(int count);

/* Copies of all tensors; *to has to be cleared, also after a failure. */
bool slot_copy(const struct nnefc_run *run, const struct slot *from, struct slot *to);
void slot_clear(struct slot *slot);

/* Nobody has computed that tensor: the file is at fault. */
bool not_there(const struct nnefc_run *run, const char *name);

/* All nodes of the graph of a frame. */
bool frame_run(struct nnefc_run *run, struct frame *body);

/* Begin another trip of a loop, unless the step has made too many. */
bool count_trip(struct nnefc_run *run, const char *node);

/* --- control_flow.c ----------------------------------------------------------------------- */

/* Compute a node that has graphs which have to know what is computed within. */
bool run_control(struct nnefc_run *run, struct frame *frame, int index);

#endif
