/*
 * open.h - models that leave extents open, or items that decide; graphs for what is fed
 *
 * Functions report why they give false; the caller holds the lock of the model.
 */
#ifndef NNEFC_API_OPEN_H
#define NNEFC_API_OPEN_H

#include "api/api_priv.h"

struct backend;
struct prepared;

/* An extent that the client opens in an NNEF text. */
struct opened {
    const char *parameter, *name; /* NULL: the extent has no name */
    int axis;
};

/* What is known of a part of a graph of ONNX before it is made. */
struct part_info {
    const struct onnx_graph *graph;
    const struct onnx_graph *const *around; /* the graphs around it, NULL behind the last */
    const struct onnx_call
        *caller; /* the call that the part is within; NULL: it is in no function */
    int first;
    bool single;
    const char **reads;             /* names of slots, NULL behind the last */
    struct onnx_deciding *deciding; /* slots whose items it has to know */
    int kept;                       /* graphs that were made of it */
    struct part_info *next;
};

/* --- open.c: what is open -------------------------------------------------------------------- */

/* A text was lowered: let the extents be open that the client asks for. */
bool open_text(struct nnefc_model *model);

/* A file of ONNX was read: make its interface, if the client has allowed that it is open. */
bool open_onnx(struct nnefc_model *model);

/* A text of PNNX was read: does it leave extents open, and has the client allowed that?  Then it
 * has an interface. */
bool open_pnnx(struct nnefc_model *model, const struct onnx_import_options *options);

/* onnx.c: is the model loaded to be written in ONNX? */
bool is_for_onnx(const struct nnefc_model *model);

/* Are extents of one name equal in what the run is fed?  False after a report of each that differs
 * from the first. */
bool open_names_agree(const struct nnefc_run *run);

bool deciding_has(const struct onnx_deciding *deciding, const char *name);

/* Are there extents in the interface that nobody knows? */
bool has_open_extents(const struct graph *interface);

/* The shape of an input that is made up: extents that are open are those of inputs that were fed,
 * by their names. */
bool open_shape(const struct nnefc_run *run, int index, struct shape *shape);

/* The same, where what nobody tells remains open. */
void open_extents(const struct nnefc_run *run, int index, struct shape *shape);

/* Report the node that cuts the model, and inputs that decide by their items, so that there is no
 * graph of it to be `what`, "written". */
void report_unknown_items(const struct nnefc_model *model, const char *what);

void open_free(struct nnefc_model *model);

/* onnx.c: graphs of the model for other extents, which were made to write it. */
void remade_free(struct nnefc_model *model);

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

/* A graph ends at a node that has to know what is computed: what follows is run in parts. */
void note_cut(struct nnefc_model *model, const struct onnx_part *part);

/* program.c: memory for results that other parts read. */
struct pool *computed_pool(struct nnefc_run *run);

/* Compute what is behind the first part of the model, after that; false after a report.
 * No lock is held. */
bool run_rest(struct nnefc_run *run);

/* A result of the model after that. */
const struct tensor *computed_output(const struct nnefc_run *run, int index);

/* Add the steps of a plan with their times so far (struct nnefc_step), or those of all parts of a
 * run.  Texts lie in the arena. */
void steps_list(struct list *list, struct arena *arena, const struct execution *execution,
                const struct graph *graph);
void steps_list_parts(struct list *list, const struct nnefc_run *run);

/* A tensor that is kept; NULL: it was kept after that. */
const struct tensor *computed_tensor(const struct nnefc_run *run, const char *name);

/* What a run in parts has computed; nothing is left of it. */
void run_clear_parts(struct nnefc_run *run);

/* A graph for a part of the model with these slots, in their order; the caller holds the lock, and
 * gives it back with part_release().  NULL after a report. */
struct special *part_take(struct nnefc_run *run, struct part_info *info,
                          const struct onnx_slot *slots, int count);
void part_release(struct special *special);

/* Drop what was used longest ago, of that part beyond the number that is kept, and of all as long
 * as they are too large; but for what is in use. */
void evict(struct nnefc_model *model, const struct part_info *info);
bool plans_are_large(const struct nnefc_model *model);

const struct onnx_part *special_part(const struct special *special);
const struct part_info *special_info(const struct special *special);
struct graph *special_graph(const struct special *special);
const struct prepared *special_prepared(const struct special *special);

/* It computes nothing more.  False after a report: what variables hold is lost. */
bool run_generalise(struct nnefc_run *run);

/* Of all of them, which no run uses. */
void specials_free(struct nnefc_model *model);

#endif
