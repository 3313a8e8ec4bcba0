/*
 * open.h - models that leave extents open, or items that decide; graphs for what is fed
 *
 * Functions report why they give false; the caller holds the lock of the model.
 */
#ifndef NNEFC_API_OPEN_H
#define NNEFC_API_OPEN_H

#include "api/api_priv.h"

struct backend;

/* An extent that the client opens in an NNEF text. */
struct opened {
    const char *parameter, *name; /* NULL: the extent has no name */
    int axis;
};

/* --- open.c: what is open -------------------------------------------------------------------- */

/* A text was lowered: let the extents be open that the client asks for. */
bool open_text(struct nnefc_model *model);

/* A file of ONNX was read: make its interface if it leaves anything open, or if inputs are known to
 * decide, and the client has allowed it. */
bool open_onnx(struct nnefc_model *model);

/* The shape of an input that is made up: extents that are open are those of inputs that were fed,
 * by their names. */
bool open_shape(const struct nnefc_run *run, int index, struct shape *shape);

/* The same, where what nobody tells remains open. */
void open_extents(const struct nnefc_run *run, int index, struct shape *shape);

void open_free(struct nnefc_model *model);

/* --- inputs.c, state.c: what is fed by itself ------------------------------------------------- */

/* Zeroed memory for the input of a parameter, of a shape that fits it; false after a report. */
bool allocate_input(const struct nnefc_run *run, const struct value *value,
                    const struct shape *shape, struct tensor *tensor);

/* Parameters that have a state and no input yet begin with one. */
bool states_begin(struct nnefc_run *run);

/* --- special.c: graphs for what is fed -------------------------------------------------------- */

/* A graph and its plan for extents, items and settings of a run. */
struct special;

/* Let the run of an open model compute the graph for its inputs, which is made if it is not there.
 */
bool run_specialise(struct nnefc_run *run);

/* It computes nothing more. */
void run_generalise(struct nnefc_run *run);

/* Of all of them, which no run uses. */
void specials_free(struct nnefc_model *model);

#endif
