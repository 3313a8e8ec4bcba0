/*
 * import_value.h - the graph that operators of a foreign model are made into
 *
 * Tensors of the model are entries: what is known when it is read has items, and comes into the graph,
 * as a constant or variable, when something there needs it.
 */
#ifndef NNEFC_CONVERT_ONNX_IMPORT_VALUE_H
#define NNEFC_CONVERT_ONNX_IMPORT_VALUE_H

#include "base/map.h"
#include "convert/onnx/import_node.h"
#include "file/labels.h"

struct context;
struct file_view;
struct graph;
struct value;

/* Memory that the data of variables lie in, apart from the bytes of the model itself. */
struct take_memory {
    struct tensor tensor;
    struct file_view *file; /* instead: other files */
    struct take_memory *next;
};

struct maker {
    struct context *context;
    struct graph *graph;
    struct graph *folding; /* of nodes that are computed at once */
    struct labels labels;
    struct map names; /* of values: those that are taken, and those that are reserved */
    struct take_memory *memory;
};

/* The memory is the caller's to take over before it ends; else it is freed. */
void maker_begin(struct maker *maker, struct context *context, const char *graph);
void maker_end(struct maker *maker);
void take_memory_free(struct context *context, struct take_memory *memory);

/* Memory of a tensor that lasts as long as the variables; room for that of a file. */
struct tensor *maker_keep(struct maker *maker, const struct tensor *tensor);
struct take_memory *maker_memory(struct maker *maker);

/*
 * A name for a value of the graph, NULL if it is another's: `inner` ones leave those alone that are
 * reserved, which are those of the model's own tensors.
 */
void maker_reserve(struct maker *maker, const char *name);
const char *maker_claim(struct maker *maker, const char *name, bool inner);

/* --- entries ------------------------------------------------------------------------------- */

struct entry *entry_known(struct maker *maker, const char *name, int32_t type,
                          const struct tensor *tensor);
struct entry *entry_of_value(struct maker *maker, const char *name, int32_t type,
                             struct value *value);

/* The result of a node that has no name yet goes by this one. */
void entry_name(struct maker *maker, struct entry *entry, const char *name, bool inner);

/* In the graph: a constant or variable if it is known. NULL after a report. */
struct value *entry_value(struct take *t, struct entry *entry);

/* What may be an output of the graph by that name: what is fed or known is copied. */
struct value *entry_shown(struct take *t, struct entry *entry, const char *name);

/* fold.c: integers in 64 bits.  False if the operation is not one of those; t->failed after a report */
bool fold_integers(struct take *t, enum op_id op, struct entry *const *in, int count,
                   struct entry **out);

#endif
