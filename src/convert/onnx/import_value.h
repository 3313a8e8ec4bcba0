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
#include "tensor/shared.h"

struct context;
struct file_view;
struct graph;
struct value;

/* Memory that holds data of variables, apart from the bytes of the model itself. */
struct import_memory {
    struct tensor tensor;
    struct file_view *file; /* instead: other files */
    struct import_memory *next;
};

/* A variable or constant that is no tensor of the model, but a view of one or computed of it. */
struct late_name {
    struct value *value;
    const char *name; /* of that tensor; NULL: it has none */
    bool view;
};

struct reserved_name {
    const char *label; /* key of the name as a label; NULL: it is none, or nobody has asked */
    bool asked;
};

/* Names that only tensors of the model itself may have, once each. */
struct reserved_names {
    struct map known; /* struct reserved_name by builder_key() */
    const char **name;
    int count;
};

struct import_builder {
    struct context *context;
    struct arena *scratch; /* of what the import takes for itself */
    struct graph *graph;
    struct graph *folding; /* of nodes that are computed at once */
    struct labels labels;
    struct map names;                      /* of values */
    const struct reserved_names *reserved; /* its own, or those of all graphs of the model */
    struct reserved_names own;
    struct late_name *late; /* what gets its label at the end */
    int nlate;
    struct map
        operators[IMPORT_DOMAINS];  /* import_row by the type of an operator, of each domain */
    const struct library *standard; /* NNEF 1.0, once some composition is looked for */
    struct import_memory *memory;
    int64_t streams;   /* of random numbers, so far */
    bool trust_shapes; /* a declaration that does not hold (declared.h) is a warning */
    bool reshaped;     /* an input has extents that the file does not say */
};

/*
 * Begin with an empty graph, which lives in the arena of the context.  At the end it is returned,
 * and *memory is the caller's; both are NULL unless it is `ok`.
 */
void builder_begin(struct import_builder *builder, struct context *context, const char *graph);
struct graph *builder_end(struct import_builder *builder, bool ok, struct import_memory **memory);
struct import_memory *import_memory_add(struct import_memory **list);
void import_memory_free(struct context *context, struct import_memory *memory);

/*
 * Keep the items of a tensor as long as the variables, and count them among the memory in use.
 * builder_memory() makes an empty entry, for a file.
 */
struct tensor *builder_keep(struct import_builder *builder, const struct tensor *tensor);
struct import_memory *builder_memory(struct import_builder *builder);

/* A tensor as builder_keep() keeps it, or one that other graphs of the model have, too (shared.h).
 */
struct tensor *builder_share(struct import_builder *builder, const struct shared_key *key,
                             const struct tensor *tensor);

/* The name as a key of maps. */
const char *builder_key(const struct import_builder *builder, const char *name);

/*
 * Claim a name, which is a key, for a value of the graph; NULL if another value has it.  Names of
 * the model's own tensors are reserved first, and tensors of functions and inner graphs (`inner`)
 * do not get them.
 */
void builder_reserve(struct import_builder *builder, const char *name);

/* All names that the model reserves, made once for several imports: instead of builder_reserve().
 */
void reserved_add(const struct context *context, struct reserved_names *to, const char *name);
void builder_take_reserved(struct import_builder *builder, const struct reserved_names *names);

const char *builder_claim(struct import_builder *builder, const char *key, bool inner);

/*
 * The operators of a domain that are compositions, those of ONNX in onnx.nnef.  The text is read
 * with NNEF 1.0 when it is first asked for; NULL after a report.
 */
const struct library *builder_compositions(struct import_builder *builder,
                                           enum import_domain domain);

/* --- imported tensors ------------------------------------------------------------------- */

/* A tensor with known items, or one in the graph.  `tensor` is borrowed as long as the import. */
struct imported *imported_known(struct import_builder *builder, const char *name, int32_t type,
                                const struct tensor *tensor);
struct imported *imported_of_value(struct import_builder *builder, const char *name, int32_t type,
                                   struct value *value);

/* Give the result of a node that name, which is a key, if it has none and the name is free. */
void imported_name(struct import_builder *builder, struct imported *imported, const char *key,
                   bool inner);

/* In the graph: a constant or variable if it is known. NULL after a report. */
struct value *imported_value(struct translation *t, struct imported *imported);

/*
 * A value that can be an output of that name: inputs of the graph and known tensors are copied, as
 * an output of NNEF is the result of an operation.  NULL after a report.
 */
struct value *imported_shown(struct translation *t, struct imported *imported, const char *name);

/* --- integers: import_integer.c ----------------------------------------------------------- */

/* How many bits a type of integers has, and whether one is their sign. */
int64_t integer_bits(int32_t type);
bool integer_is_signed(int32_t type);

/* A literal that is a whole number as an integer of that type; anything else stays. */
struct imported *whole_literal(struct translation *t, struct imported *x, int32_t type);

/*
 * Replace an operation on scalars by the same on integers, and literals among its operands by
 * integers, if all operands are integers or whole literals.  Operations on integers without
 * attributes get those of the type.  Returns the type of the operands; ONNX_UNDEFINED, with
 * nothing replaced: they are none, or the operation has no such form.
 */
int32_t integer_request(struct translation *t, struct op_spec *spec, struct imported **in,
                        int count);

/* Operations that are several of integers, such as a mean: false, with nothing made, for others. */
bool integer_compose(struct translation *t, const struct op_spec *spec, struct imported *const *in,
                     int count, struct imported **result);

/* An operation on scalars gets this integer: warns, once for each node, if it may be rounded. */
void integer_meets_scalar(struct translation *t, enum op_id op, const struct imported *x);

#endif
