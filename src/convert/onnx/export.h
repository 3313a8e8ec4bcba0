/*
 * export.h - an NNEF graph as an ONNX model
 *
 * The graph was lowered with export_keeps() or export_keeps_qdq() as `keep`, and its variables have
 * their data.  Names of inputs, outputs and identifiers are kept; each node has its place in the
 * text as doc_string.
 */
#ifndef NNEFC_CONVERT_ONNX_EXPORT_H
#define NNEFC_CONVERT_ONNX_EXPORT_H

#include "convert/proto/onnx.h"
#include "file/npz.h"
#include "ir/graph.h"

struct lower_trace;
struct shape_override;

/* An extent that the model leaves open: of that axis of a graph parameter, called `name`. */
struct onnx_symbol {
    const char *name;
    const char *input;
    int axis;
};

/*
 * All of them; those of one name have one extent.  graph_at() makes the graph again, with these
 * shapes of parameters, however large, as nothing is computed of it; NULL after reports.  *trace
 * tells on what a text has decided.
 */
struct onnx_open {
    struct onnx_symbol *item;
    int count;
    const struct shape_override *shapes; /* that the graph was made with */
    int nshape;
    struct graph *(*graph_at)(void *source, const struct shape_override *shapes, int count,
                              struct lower_trace *trace);
    void *source;
    bool traced;      /* else *trace stays empty */
    struct span span; /* of the whole graph, for reports */
};

struct onnx_options {
    int opset;                    /* EMIT_OPSET_MIN to EMIT_OPSET_MAX */
    bool state_defaults;          /* what updated variables hold at first is in the model */
    bool allow_custom;            /* what ONNX lacks becomes a node of domain ONNX_CUSTOM */
    bool functions;               /* fragments of the document become functions */
    bool qoperators;              /* operators on integers, such as QLinearConv */
    bool contrib;                 /* those of domain com.microsoft, too */
    const struct onnx_open *open; /* extents that are left open; NULL: none */
};

/*
 * The model lives in the arena of the graph's compilation and refers to the data of its variables.
 * NULL after reports: one for each operation that ONNX cannot express, and for each tensor that no
 * model can have, of strings or with unknown extents.  *initial, unless that is NULL, becomes the
 * first values of the inputs that stand for updated variables (state_inputs()).
 */
struct onnx_model *onnx_export(const struct graph *graph, const struct onnx_options *options,
                               struct npz_list *initial);

#endif
