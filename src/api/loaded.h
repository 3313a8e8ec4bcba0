/* loaded.h - what a model keeps of the files that it was read from, by format */
#ifndef NNEFC_API_LOADED_H
#define NNEFC_API_LOADED_H

#include "base/text.h"
#include "convert/onnx/import.h"
#include "diag/diag.h"
#include "file/file.h"
#include "lower/lower.h"
#include "nnefc/nnefc.h"
#include "tensor/shared.h"

/* A text that was read. */
struct origin {
    struct span at;   /* nowhere: none */
    const char *path; /* NULL: it is in no file of its own */
};

/* ONNX: what the client asked for, in the arrays that `options` shows, and what the file says. */
struct loaded_onnx {
    struct onnx_import_options options; /* PNNX, too */
    struct onnx_extent *extents;
    struct onnx_fed *fed;
    struct onnx_bound *bounds;     /* inputs whose items are known; their tensors are the model's */
    const struct onnx_model *file; /* NULL: it is none of ONNX */
};

/* PNNX: text and weights. */
struct loaded_pnnx {
    struct pnnx_document *document; /* what the text says; NULL: it is none of PNNX */
    const char *weights_file;       /* as asked for; NULL: beside the text */
    struct file_view weights;       /* open while the document is */
    enum nnefc_pnnx_reading reading;
};

/* A graph file. */
struct loaded_graph_file {
    bool check_data;                    /* compare the sums of its data */
    const struct tensor_blocks *packed; /* weights packed for kernels; NULL: none */
};

/* The quantization file of an NNEF text (section 5.3). */
struct loaded_quant {
    const char *path;                /* as asked for; NULL: graph.quant where the document is */
    char *text;                      /* NULL: there is none */
    struct quant_entry_list entries; /* what lower.quant shows */
};

/* What the model leaves open (open.h). */
enum { SPECIAL_BUCKETS = 64 };

struct loaded_open {
    bool allowed;          /* by the client; else it is reported */
    struct opened *opened; /* by the client, of an NNEF text */
    int nopened;
    const struct graph *interface; /* parameters and results; NULL: nothing is open */
    struct open_input *inputs;     /* its parameters: what they are called */
    struct onnx_order *order;      /* of the nodes of a model of ONNX */
    struct part_info *parts;       /* what is known of parts of its graph (program.c) */
    struct function_call *calls;   /* of functions that have parts (control_flow.c) */
    struct nnefc_cut *cuts;        /* where its graph is cut, as far as that was found */
    int ncut;
    struct onnx_deciding deciding; /* the names of those that decide */
    struct text key;               /* room for the key of a graph that is looked for */
    struct shared *shared;         /* tensors that its graphs have in common; NULL: none yet */
    struct special *newest, *oldest;
    struct special *by_hash[SPECIAL_BUCKETS]; /* those that can be taken again */
    int kept;                                 /* of them, of the model from its first node on */
    struct remade *remade; /* other graphs, while the model is written; NULL: none */
    struct nnefc_plans plans;
};

#endif
