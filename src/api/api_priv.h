/* api_priv.h - what stands behind the handles of nnefc.h */
#ifndef NNEFC_API_API_PRIV_H
#define NNEFC_API_API_PRIV_H

#include "api/entry.h"
#include "api/list.h"
#include "api/pnnx.h"
#include "base/arena.h"
#include "convert/onnx/import.h"
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

struct backend;
struct dat_info;
struct prepared;
struct tensor_blocks;

/* A text that was read. */
struct origin {
    struct span at;   /* nowhere: none */
    const char *path; /* NULL: it is in no file of its own */
};

struct nnefc_model {
    struct context *context;
    enum nnefc_format format; /* asked for */
    struct parse_options parse;
    struct sema_options sema;
    struct lower_options lower;
    struct shape_override *overrides; /* what lower.overrides shows */
    struct custom_op *customs;        /* what lower.customs shows */
    const char *data_folder;          /* as asked for; NULL: where the document is */
    struct store *home;               /* where the document is; NULL: it was given as text */
    struct store *data;               /* of data_folder, once it is needed */
    char *text;                       /* of the document, which its sources refer to */
    size_t size;
    const char *quant_file;        /* as asked for; NULL: graph.quant where the document is */
    char *quant_text;              /* NULL: there is none */
    struct origin origin[2];       /* by enum nnefc_part */
    struct draft *drafts;          /* to be read instead of files */
    struct quant_entry_list quant; /* what lower.quant shows */
    struct document *document;
    struct checked *checked;
    struct graph *graph;
    struct onnx_import_options onnx; /* what its shapes, extents and bounds show: */
    struct onnx_input_shape *input_shapes;
    struct onnx_extent *extents;
    struct onnx_bound *bounds;
    const struct onnx_model *from_onnx; /* what the file says; NULL: it is none of ONNX */
    struct pnnx_model pnnx;
    bool imported;                /* the graph is of no text, and has its weights */
    bool check_data;              /* compare sums of data in the file of the graph */
    struct import_memory *memory; /* that these lie in */
    struct tensor *weights; /* of the variables that were in the text, in their order; NULL: not
                                   read yet */
    int nweight;
    const struct value **computed; /* results in the order of execution; NULL: not listed yet */
    int ncomputed;
    struct lists *lists;
    struct retained_tensor *kept;       /* made by passes */
    const struct tensor_blocks *packed; /* weights in the graph file; NULL: none */
    struct pass_report passes;          /* of the last rewriting */
    int runs;                           /* of the graph there is */
    pthread_mutex_t *lock;              /* of all the above while runs have threads each */
};

struct kept {
    const struct value *value;
    struct kept *next;
};

struct nnefc_run {
    struct nnefc_model *model;
    struct run *run;
    const struct backend *backend; /* NULL: the reference */
    struct prepared *prepared;     /* what it has computed by a backend; NULL: not planned yet */
    bool exact, measured;
    struct image_options image;
    struct kept *kept;
    int threads;
    struct diag *diag;       /* what its steps report, until they are over */
    struct arena *listed;    /* in which the list of its steps lies; NULL: not asked for yet */
    bool stepped;            /* there are results to show */
    nnefc_progress progress; /* NULL: none */
    void *progress_data;
};

/*
 * A boundary of a public function (entry.h).  call_enter() is false if memory of the model ran out
 * before; `shared` is NULL without a model.  After a jump call_fail() takes the place of
 * call_leave().
 */
struct call {
    struct recovery recovery;
    struct lists *shared;
};
bool call_enter(struct call *call, struct lists *shared);
void call_leave(struct call *call);

/* The same without handing on messages: what hands them on asks for lists. */
void call_end(struct call *call);
void call_fail(struct call *call);

/* hooks.c: hand on messages of the model that were not handed on yet, when a call is over */
void hooks_tell(const struct nnefc_model *model);

/* Of some part of a call `done` of `total` are done. */
void model_progress(const struct nnefc_model *model, enum nnefc_work work, int64_t done,
                    int64_t total);

/* A new context; NULL if there is not enough memory. */
struct context *try_context(void);

/* results.c: the model by which they were opened; NULL of NULL */
const struct nnefc_model *results_model(const struct nnefc_results *results);

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

/* Take over a tensor for a client; NULL, with the tensor cleared, if there is not enough memory. */
struct nnefc_tensor *own_tensor(struct tensor *tensor);

/* The line from text to graph: compile.c. False if anything was reported. */
bool compile(struct nnefc_model *model, const char *name);

/* Of what kind a failure is: that of the first error from index `from` of the diagnostics on. */
enum nnefc_status status_since(const struct nnefc_model *model, int from);

/* What a run does to its model goes on between these, in one thread at a time; enter() tells the
 * number of reports there are.  leave() gives the status of what was done.  NULL is a run that
 * cannot do anything. */
int run_enter(const struct nnefc_run *run);
enum nnefc_status run_leave(const struct nnefc_run *run, int before, bool ok);

/* Report how the library was misused, if there is a model to tell.  Always NNEFC_USAGE. */
enum nnefc_status misuse(const struct nnefc_model *model, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* An option can be set while no text is loaded; false after a report. */
bool before_loading(const struct nnefc_model *model, const char *option);

/* NULL for an index that is none. */
const struct source *variable_at(const struct nnefc_model *model, int index);

struct nnefc_type type_of(enum dtype dtype, const struct shape *shape);
struct nnefc_type unknown_type(void);

/* texts.c: a copy of what is to be read instead of `path`, to be freed; NULL: that itself is */
char *draft_copy(const struct nnefc_model *model, const char *path, size_t *size);
void drafts_free(struct nnefc_model *model);
/* quant.c: read and check the quantization file; true if there is none */
bool quant_load(struct nnefc_model *model);

#endif
