/*
 * import_value.h - the builder of the graph that a foreign model becomes
 *
 * The builder owns the names of values, the labels of variables, the operators that were looked
 * up, and the memory of tensors that are computed while the model is read.
 */
#ifndef NNEFC_CONVERT_ONNX_IMPORT_VALUE_H
#define NNEFC_CONVERT_ONNX_IMPORT_VALUE_H

#include "base/map.h"
#include "convert/onnx/import_node.h"
#include "file/label.h"

struct context;
struct file_view;
struct graph;
struct value;

/* Memory that the data of variables lie in, apart from the bytes of the model itself. */
struct import_memory {
    struct tensor tensor;
    struct file_view *file; /* instead: other files */
    struct import_memory *next;
};

struct import_builder {
    struct context *context;
    struct graph *graph;
    struct graph *folding; /* of nodes that are computed at once */
    struct labels labels;
    struct map names;     /* of values: those that are taken, and those that are reserved */
    struct map operators; /* import_row by the type of an operator; &no_row: none */
    const struct library *standard; /* NNEF 1.0, once some operator is looked for in `onnx` */
    const struct library *onnx;     /* the operators that are compositions */
    struct import_memory *memory;
};

/* The memory is the caller's to take over before it ends; else it is freed. */
void builder_begin(struct import_builder *builder, struct context *context, const char *graph);
void builder_end(struct import_builder *builder);
void import_memory_free(struct context *context, struct import_memory *memory);

/* Memory of a tensor that lasts as long as the variables; room for that of a file. */
struct tensor *builder_keep(struct import_builder *builder, const struct tensor *tensor);
struct import_memory *builder_memory(struct import_builder *builder);

/*
 * A name for a value of the graph, NULL if it is another's: `inner` ones leave those alone that are
 * reserved, which are those of the model's own tensors.
 */
void builder_reserve(struct import_builder *builder, const char *name);
const char *builder_claim(struct import_builder *builder, const char *name, bool inner);

/* --- imported tensors ------------------------------------------------------------------- */

struct imported *imported_known(struct import_builder *builder, const char *name, int32_t type,
                                const struct tensor *tensor);
struct imported *imported_of_value(struct import_builder *builder, const char *name, int32_t type,
                                   struct value *value);

/* The result of a node that has no name yet goes by this one. */
void imported_name(struct import_builder *builder, struct imported *imported, const char *name,
                   bool inner);

/* In the graph: a constant or variable if it is known. NULL after a report. */
struct value *imported_value(struct translation *t, struct imported *imported);

/* A value that can be an output of that name: inputs of the graph and known tensors are copied. */
struct value *imported_shown(struct translation *t, struct imported *imported, const char *name);

/*
 * import_fold.c: compute integers in 64 bits.  False if that is not for this operation; true with
 * NULL in *out, and t->failed, after a report.
 */
bool fold_integers(struct translation *t, struct op_spec spec, struct imported *const *in,
                   int count, struct imported **out);

#endif
