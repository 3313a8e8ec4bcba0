/*
 * origin.h - the part of nnefc.h about what a model was read from: its format, and what the file says
 *            of itself
 *
 * Texts live as long as the model.  An index that is none gives a struct of zeros.
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

/* Before loading: read the file as being of that format, whatever it looks like. */
NNEFC_API enum nnefc_status nnefc_model_set_format(struct nnefc_model *model,
                                                   enum nnefc_format format);

/* The weights of a model of PNNX, if not those beside its text (NULL): "net.bin" of "net.param". */
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

/* What was read, also if a fault was found in it later. */
NNEFC_API struct nnefc_identity nnefc_model_identity(const struct nnefc_model *model);

/* NNEF: names that stand behind `extension`, in the order of the text. */
NNEFC_API int nnefc_model_extension_count(struct nnefc_model *model);
NNEFC_API const char *nnefc_model_extension(struct nnefc_model *model, int index);

/* ONNX: sets of operators that are imported, in the order of the file. */
struct nnefc_opset {
    const char *domain; /* "ai.onnx" */
    int64_t version;
};
NNEFC_API int nnefc_model_opset_count(struct nnefc_model *model);
NNEFC_API struct nnefc_opset nnefc_model_opset(struct nnefc_model *model, int index);

/* ONNX and PNNX: inputs, but for initializers, and outputs as the file declares them; it need not be loaded. */
struct nnefc_declared {
    const char *name, *type; /* "FLOAT[batch,3,?]" of ONNX, "f32[?,3,%height]" of PNNX */
};
NNEFC_API int nnefc_model_declared_input_count(struct nnefc_model *model);
NNEFC_API int nnefc_model_declared_output_count(struct nnefc_model *model);
NNEFC_API struct nnefc_declared nnefc_model_declared_input(struct nnefc_model *model, int index);
NNEFC_API struct nnefc_declared nnefc_model_declared_output(struct nnefc_model *model, int index);

/* ONNX and PNNX: how many nodes of each type the graph itself has, most first, then by name. */
struct nnefc_operator {
    const char *operation; /* "Conv", "com.microsoft.Gelu" */
    int count;
};
NNEFC_API int nnefc_model_node_type_count(struct nnefc_model *model);
NNEFC_API struct nnefc_operator nnefc_model_node_type(struct nnefc_model *model, int index);

#ifdef __cplusplus
}
#endif

#endif
