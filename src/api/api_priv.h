/*
 * api_priv.h - what stands behind the handles of nnefc.h
 *
 * Functions here are for the files of api/.  Unless a comment says otherwise a function that gives
 * false or NULL has reported why, handles are not NULL, and whatever looks at the model while runs
 * may have threads each goes on between run_enter() and run_leave().
 */
#ifndef NNEFC_API_API_PRIV_H
#define NNEFC_API_API_PRIV_H

#include "api/entry.h"
#include "api/list.h"
#include "api/loaded.h"
#include "base/arena.h"
#include "diag/context.h"
#include "diag/diag.h"
#include "exec/run.h"
#include "file/data_file.h"
#include "file/store.h"
#include "lower/lower.h"
#include "nnefc/nnefc.h"
#include "parser/parser.h"
#include "pass/pass.h"
#include "sema/sema.h"
#include "tensor/retained.h"

#include <pthread.h>

struct nnefc_model {
    struct context *context;

    /* what the client asked for before loading */
    enum nnefc_format format;
    struct parse_options parse;
    struct sema_options sema;
    struct lower_options lower;
    struct shape_override *overrides;  /* what lower.overrides shows */
    struct custom_op *customs;         /* what lower.customs shows */
    struct draft *drafts;              /* texts to be read instead of files */
    const char *data_folder;           /* NULL: where the document is */
    const struct label_alias *aliases; /* of labels whose data are in other files */

    /* what it was read from */
    bool force;                /* it may be replaced */
    struct store *home;        /* where the document is; NULL: it was given as text */
    struct store *data;        /* of data_folder, once it is needed */
    char *text;                /* of the document, which its sources refer to */
    size_t size;               /* of the text, in bytes */
    struct origin origin[2];   /* by enum nnefc_part */
    struct document *document; /* NNEF; NULL: it is no text, or has too many errors */
    struct checked *checked;
    struct loaded_quant quant;
    struct loaded_onnx onnx;
    struct loaded_pnnx pnnx;
    struct loaded_graph_file graph_file;
    struct loaded_open open;
    struct import_memory *memory; /* of tensors that an importer made */
    bool imported;                /* the graph is of no NNEF text, and has its weights */

    /* the graph, and what belongs to it */
    struct graph *graph;    /* NULL: not loaded, or with errors */
    struct tensor *weights; /* of the variables of the text, in their order; NULL: not read yet */
    int nweight;
    const struct value **computed; /* results in the order of execution; NULL: not listed yet */
    int ncomputed;
    struct retained_tensor *kept; /* made by passes */
    struct pass_report passes;    /* of the last rewriting */
    bool is_part;                 /* of the graph that was read */
    int runs;                     /* of the graph as it is now */
    int results;                  /* recorded ones that report to the model */
    bool given_up;                /* by the client; the last run or results free it */

    const struct nnefc_quantized *quantization; /* NULL: it was not quantized here */

    struct lists *lists;   /* what was given out, and hooks; changes though the model is const */
    pthread_mutex_t *lock; /* of all the above while runs have threads each */
};

struct nnefc_run {
    struct nnefc_model *model;
    struct run *run;
    const struct backend *backend; /* NULL: the reference */
    struct prepared *prepared;     /* what it has computed by a backend; NULL: not planned yet */
    struct special *special; /* of an open model, what `prepared` belongs to; NULL: none yet */
    bool exact, measured;    /* no algorithms that trade accuracy; steps take their times */
    struct image_options image;
    const char **kept; /* interned: tensors that the client wants to see after a step */
    int nkept;
    int threads;               /* 0: one for each core */
    uint64_t seed;             /* of random numbers */
    struct diag *diag;         /* what its steps report, until they are over */
    char *note;                /* of what is reported; NULL: none */
    struct arena *listed;      /* in which the list of its steps lies; NULL: not asked for yet */
    bool stepped;              /* there are results to show */
    bool in_parts;             /* of an open model, whose graph is cut */
    struct computed *computed; /* what it has computed in parts; NULL: nothing */
    nnefc_progress progress;   /* NULL: none */
    void *progress_data;
};

/* The graph with the parameters and results of the model as far as they are known; NULL: it is not
 * loaded. */
static inline const struct graph *model_interface(const struct nnefc_model *model)
{
    return model->open.interface ? model->open.interface : model->graph;
}

/* open.c: has the model a graph, which can be `what`, "written"?  False after a report, also of a
 * model that is not loaded; it names what is open. */
bool graph_is_there(const struct nnefc_model *model, const char *what);

/* --- calls of clients ------------------------------------------------------------------------- */

/*
 * A boundary of a public function (entry.h).  call_enter() is false if memory of the model ran out
 * before; `shared` is NULL without a model.  After a jump call_fail() takes the place of
 * call_leave().
 */
struct call {
    struct recovery recovery;
    struct lists *shared;
    int before; /* see run_enter() */
};
bool call_enter(struct call *call, struct lists *shared);
void call_leave(struct call *call);

/* The same without handing on messages: what hands them on asks for lists. */
void call_end(struct call *call);
void call_fail(struct call *call);

/* hooks.c: hand on new messages of the model when a call is over.  No lock is held. */
void hooks_tell(const struct nnefc_model *model);

/* Tell the client that of some part of a call `done` of `total` are done. */
void model_progress(const struct nnefc_model *model, enum nnefc_work work, int64_t done,
                    int64_t total);

/* model.c: free a model that the client has given up, once nothing needs it.  No lock is held. */
void model_release(struct nnefc_model *model);
struct context *try_context(void); /* a new one; NULL, without a report, if memory ran out */

/* --- status.c: what a call gives ------------------------------------------------------------- */

/* NNEFC_OK if `ok`, else the kind of the first error from index `from` of the diagnostics on; how
 * many there are.  NULL is a model that nothing can be done with. */
enum nnefc_status status_of_call(const struct nnefc_model *model, int from, bool ok);
int reports_of(const struct nnefc_model *model);

/* What a run does to its model goes on between these, in one thread at a time; run_enter() gives
 * the number of reports, run_leave() the status of what was done.  NULL is a run that can do
 * nothing. */
int run_enter(const struct nnefc_run *run);
enum nnefc_status run_leave(const struct nnefc_run *run, int before, bool ok);

/* Report how the library was misused, if there is a model to tell.  Always false. */
bool misuse(const struct nnefc_model *model, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Copy a struct of a client, which begins with its size (nnefc.h), to the `known` bytes at `to`:
 * what the client does not know is 0, and so is all for NULL.  False after a report if the size is
 * none, or if what this library does not know is not 0. */
bool settings_take(const struct nnefc_model *model, const void *from, void *to, size_t known);

/* An option can be set while no text is loaded; false after a report, also without a model. */
bool before_loading(const struct nnefc_model *model, const char *option);

/* --- tensors, values and nodes, as clients see them ------------------------------------------ */

/* A tensor of ours goes by another name outside. */
static inline const struct nnefc_tensor *tensor_handle(const struct tensor *tensor)
{
    return (const struct nnefc_tensor *)tensor;
}

static inline const struct tensor *handle_tensor(const struct nnefc_tensor *handle)
{
    return (const struct tensor *)handle;
}

static inline const struct nnefc_datum *datum_handle(const struct datum *datum)
{
    return (const struct nnefc_datum *)datum;
}

static inline const struct datum *handle_datum(const struct nnefc_datum *handle)
{
    return (const struct datum *)handle;
}

/* data.c: take over a tensor for a client; NULL, with it cleared and no report: no memory is left.
 */
struct nnefc_tensor *own_tensor(struct tensor *tensor);
/* Read a tensor from a file, by its content .dat or .npy; the caller clears it. */
bool read_tensor(struct nnefc_model *model, const char *path, struct tensor *tensor);
struct nnefc_type type_of(enum dtype dtype, const struct shape *shape);
struct nnefc_type unknown_type(void);

/* ports.c: a variable in the order of the text; NULL, without a report: the index is none. */
const struct source *variable_at(const struct nnefc_model *model, int index);

/* inspect.c: multiply-adds of a node; NNEFC_UNKNOWN if they depend on shapes that are not known. */
int64_t macs_of(const struct node *node);

/* results.c: the model by which they were opened; NULL of NULL */
const struct nnefc_model *results_model(const struct nnefc_results *results);

/* --- texts.c ---------------------------------------------------------------------------------- */

/* A copy of a text that lives as long as the model; NULL of NULL. */
const char *keep_text(const struct nnefc_model *model, const char *text);
/* A copy of what is read instead of `path`, to be freed; NULL, without a report: there is none. */
char *draft_copy(const struct nnefc_model *model, const char *path, size_t *size);
void drafts_free(struct nnefc_model *model);

/* Is a text of that size within the limit? */
bool text_allowed(const struct nnefc_model *model, const char *name, size_t size);

/* Enter a text that lives as long as the model; *at is where its parts refer to. */
bool enter_text(const struct nnefc_model *model, const char *name, const char *text, size_t size,
                struct span *at);

/* Write a text into a file, "-" for standard output, which is complete or not touched. */
bool write_text(const struct nnefc_model *model, const char *path, const char *text, size_t size);

/* quant.c: read and check the quantization file; true if there is none. */
bool quant_load(struct nnefc_model *model);

#endif
