/*
 * origin.h - the part of nnefc.h about the file that a model was read from: its format, version and
 * producer
 */
#ifndef NNEFC_ORIGIN_H
#define NNEFC_ORIGIN_H

#include "nnefc.h"

#ifdef __cplusplus
extern "C" {
#endif

enum nnefc_format {
    NNEFC_FORMAT_AUTO, /* by how the file begins */
    NNEFC_FORMAT_NNEF,
    NNEFC_FORMAT_ONNX,
    NNEFC_FORMAT_GRAPH, /* a graph file */
    NNEFC_FORMAT_PNNX,
};

/* "auto", "nnef", "onnx", "graph", "pnnx"; NULL behind the last. */
NNEFC_API const char *nnefc_format_name(enum nnefc_format format);

/* Before loading: read the file in that format, whatever its first bytes are. */
NNEFC_API enum nnefc_status nnefc_model_set_format(struct nnefc_model *model,
                                                   enum nnefc_format format);

/* The file with the weights of a PNNX model; NULL: the one beside its text, "net.bin" for
 * "net.param". */
NNEFC_API enum nnefc_status nnefc_model_set_weights_file(struct nnefc_model *model,
                                                         const char *path);

struct nnefc_identity {
    enum nnefc_format format;            /* AUTO: nothing could be read */
    enum nnefc_dialect dialect;          /* of NNEF */
    const char *version;                 /* of NNEF: "1.0"; else NULL */
    int64_t ir_version;                  /* of ONNX; else 0 */
    const char *producer;                /* of ONNX, "" if it does not say; else NULL */
    const char *producer_version;        /* likewise */
    int operators, operands, attributes; /* of PNNX, as its file has them; else 0 */
};

/* The identity of the file that was read, even if a fault was found in it later. */
NNEFC_API const struct nnefc_identity *nnefc_model_identity(const struct nnefc_model *model);

/* NNEF: names that stand behind `extension`, in the order of the text. */
struct nnefc_extension {
    const char *name;
};
NNEFC_LIST_OF(nnefc_extension);
NNEFC_API const struct nnefc_extension_list *
nnefc_model_extensions(const struct nnefc_model *model);

/* ONNX: sets of operators that are imported, in the order of the file. */
struct nnefc_opset {
    const char *domain; /* "ai.onnx" */
    int64_t version;
};
NNEFC_LIST_OF(nnefc_opset);
NNEFC_API const struct nnefc_opset_list *nnefc_model_opsets(const struct nnefc_model *model);

/* ONNX and PNNX: inputs without initializers, and outputs, as the file declares them.  They exist
 * even if loading failed. */
struct nnefc_declared {
    const char *name, *type; /* "FLOAT[batch,3,?]" of ONNX, "f32[?,3,%height]" of PNNX */
};
NNEFC_LIST_OF(nnefc_declared);
NNEFC_API const struct nnefc_declared_list *
nnefc_model_declared_inputs(const struct nnefc_model *model);
NNEFC_API const struct nnefc_declared_list *
nnefc_model_declared_outputs(const struct nnefc_model *model);

/* ONNX and PNNX: the number of nodes of each type in the graph of the file, in descending order,
 * then by name. */
struct nnefc_operator {
    const char *operation; /* "Conv", "com.microsoft.Gelu" */
    int count;
};
NNEFC_LIST_OF(nnefc_operator);
NNEFC_API const struct nnefc_operator_list *nnefc_model_node_types(const struct nnefc_model *model);

#ifdef __cplusplus
}
#endif

#endif
