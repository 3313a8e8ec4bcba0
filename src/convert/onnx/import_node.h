/*
 * import_node.h - one node of a foreign model, on its way into the graph
 *
 * There are three ways to import an operator of ONNX.  NNEF has the same operator under another
 * name; stdlib/onnx.nnef composes it of others; or a function that import_list.def names decodes
 * the attributes and makes nodes.  A function returns the first output and hands over others by
 * set_output().
 *
 * A fault is reported where it is found, once.  NULL then stands for the tensor, and an operation
 * on NULL makes NULL and reports nothing, so that functions need no checks in between.
 */
#ifndef NNEFC_CONVERT_ONNX_IMPORT_NODE_H
#define NNEFC_CONVERT_ONNX_IMPORT_NODE_H

#include "convert/onnx/operators.h"
#include "convert/proto/onnx.h"
#include "diag/diag.h"
#include "ir/datum.h"
#include "op/attr.h"
#include "op/op.h"
#include "tensor/tensor.h"

struct import;
struct import_builder;
struct import_row;
struct pooled;
struct scope;
struct signature;

/*
 * A tensor of the foreign model, or one that appeared while a node was imported.  A known tensor
 * comes into the graph, as a constant or variable, only when a node there reads it.
 */
struct imported {
    struct imported_list *list; /* of a sequence, which is no tensor; NULL: a tensor */
    const char *name;           /* its own, or of what it was made from; NULL: none */
    int32_t type; /* enum onnx_data_type; UNDEFINED: a literal of the type that it meets */
    struct shape shape;
    const struct tensor *known; /* its items; NULL if they are known only when running */
    struct value *value;        /* in the graph; NULL: known, and not needed there so far */
    struct imported *views;     /* of its items with other shapes */
    struct imported *next;
    double number; /* of a literal, whose item may be rounded; if is_number */
    bool is_number;
    bool input;                  /* of the graph */
    bool made;                   /* computed of what has that name, which is another tensor */
    bool view;                   /* the same items as the tensor of that name, in another shape */
    const struct pooled *pooled; /* of indices that a pool gave; NULL: other tensors */
};

/* The tensors of a sequence. */
struct imported_list {
    struct imported **item;
    int count;
    int32_t type; /* of all of them; ONNX_UNDEFINED: that of the first one */
};

/* Does an operator take a sequence at that input?  All others take tensors. */
bool takes_sequence(const struct import_row *row, int input);

/*
 * The import of one node: what its function reads, and where it leaves the outputs.  PNNX uses it
 * without a file of ONNX around it.
 */
struct translation {
    struct import_builder *builder;
    struct import *import; /* of a file of ONNX; else NULL */
    const struct onnx_node *node;
    const struct import_row *row;   /* of its operator */
    const struct onnx_call *caller; /* of the function that the node is in; NULL: none */
    const struct call_site *site;   /* of a file that is no text; NULL: it is at `span` */
    struct span span;
    const char *who; /* in front of reports; NULL: nothing */
    struct scope *scope;
    const struct onnx_opset *opsets;
    struct imported **in, **out;
    int nin, nout;
    int64_t opset;
    bool failed;            /* something was reported */
    bool rounds;            /* it was warned that integers may be rounded */
    struct imported **made; /* all results of the operation that was made last */
    int nmade;
};

typedef struct imported *import_function(struct translation *t);

/* Sets of operators, which models name by their domain. */
enum import_domain {
    IMPORT_ONNX,      /* ai.onnx, or no name */
    IMPORT_MICROSOFT, /* com.microsoft: what ONNX Runtime adds */
    IMPORT_DOMAINS
};

#define IMPORT(type, function, least, most) import_function import_##function;
#define IMPORT_AS(type, function, op, least, most)
#define IMPORT_OF(domain, type, function, least, most) import_function import_##function;
#define IMPORT_WEIGHTS(domain, type, function, least, most, input) \
    import_function import_##function;
#define COMPOSED(type, function) bool check_##function(struct translation *t);
#define COMPOSED_OF(domain, type, function)
#include "convert/onnx/import_list.def"

/* Functions of several operators, which differ in the operation of NNEF: row->op. */
import_function import_bits, import_chain, import_mean, import_conv, import_reduction,
    import_random, import_random_like, import_recurrent, import_scatter;

/* Checks of compositions of other domains, some of several operators. */
bool check_bias(struct translation *t);
bool check_skip(struct translation *t);
bool check_skip_simplified(struct translation *t);
bool check_rotation(struct translation *t);
bool check_crops(struct translation *t);

/* Operators that stdlib/onnx.nnef, or microsoft.nnef, composes of others. */
import_function import_fragment;

/* How an operator is imported.  Found once for each type, and kept by the builder. */
struct import_row {
    const char *name; /* its type */
    enum import_domain domain;
    int min, max; /* inputs; -1: any number */
    int weights;  /* 1 + the input with weights in integers; 0: none */
    import_function *import;
    enum op_id op; /* its operation of NNEF, for functions of several operators */
    bool (*check)(struct translation *t); /* false after a report; NULL: nothing to check */
    const struct signature *fragment;     /* for a composition: its fragment, */
    const struct signature *older;        /* and the one that holds up to opset `older_until` */
    int64_t older_until;
};

/* NULL if no operator of a domain that we import has that type. */
const struct import_row *import_find_operator(struct import_builder *builder,
                                              const struct onnx_node *node);

/* --- reports: the same for functions that return a bool, false, and a pointer, NULL ----------- */

bool import_error(struct translation *t, enum diag_code code, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
void *import_refuse(struct translation *t, enum diag_code code, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* A warning at the node. */
void import_warn(struct translation *t, enum diag_warning warning, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* The code is DIAG_NOT_IN_NNEF. */
void *import_unsupported(struct translation *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* --- inputs and outputs ---------------------------------------------------------------------- */

/* Inputs that are left out make has_input() false and input_at() NULL. */
bool has_input(const struct translation *t, int index);
struct imported *input_at(const struct translation *t, int index);

/* Is an input, which messages call `what`, left out or of that shape?  Extents of the expected one
 * may be unknown.  False after a report. */
bool input_fits(struct translation *t, int index, const char *what, struct shape expected);

/* Does the node have that output, under a name? */
bool wants_output(const struct translation *t, int index);

/* Outputs that the node does not have are ignored. */
void set_output(struct translation *t, int index, struct imported *imported);

/* The items of an input, which have to be known; NULL after a report. */
const struct tensor *known_input(struct translation *t, int index);

/* The single item of such an input; false after a report. */
bool input_number(struct translation *t, int index, double *number);

/*
 * decide.c: note which inputs of the model the tensor is computed from, if they are few items and
 * nothing else is read.
 * False, with nothing noted: it is not so, or the caller wants no such inputs.
 */
bool import_decides(struct import *import, const struct imported *imported);
bool import_takes_data(const struct import_row *row, const struct imported *imported);

/*
 * part.c: let the part end before the node that is being imported, which has to know what is
 * computed, if that may help; `within` says that a graph within the node computes it.  The node has
 * failed then, without a report.
 */
bool import_cut(struct translation *t, bool within, const char *why);

/* --- attributes ------------------------------------------------------------------------------ */

/* NULL if there is none.  Within a function of the model, an attribute may be one of its caller. */
const struct onnx_attribute *get_attribute(struct translation *t, const char *name);

/* `otherwise` stands for an attribute that is absent, and for one of another type, after a report.
 */
bool has_attribute(struct translation *t, const char *name);
int64_t get_int(struct translation *t, const char *name, int64_t otherwise);
double get_float(struct translation *t, const char *name, double otherwise);
const char *get_string(struct translation *t, const char *name, const char *otherwise);

/* Which word of the list, which NULL ends; a report and -1 if it is another one. */
int get_word(struct translation *t, const char *name, const char *otherwise,
             const char *const *words);

/*
 * False, with nothing set, if the attribute is absent, or after a report.  Numbers belong to the
 * message; strings are copies that last as long as the graph.
 */
bool get_ints(struct translation *t, const char *name, struct integers *items);
bool get_floats(struct translation *t, const char *name, const float **items, int *count);
bool get_strings(struct translation *t, const char *name, const char ***items, int *count);

/*
 * Integers that are an attribute in old opsets and an input in newer ones.  False if neither is
 * there, or after a report.
 */
bool get_integers(struct translation *t, const char *name, int index, struct integers *items);

/* The same as extents of a shape, none of them negative. */
bool get_shape(struct translation *t, const char *name, int index, struct shape *shape);

/*
 * The same as axes of `rank`, in their order; without any, all axes.  How many; -1 after a report.
 */
int get_axes(struct translation *t, int index, int rank, int axes[MAX_RANK]);

/* An axis of `rank`, negative ones from the end; false after a report. */
bool resolve_axis(struct translation *t, int64_t axis, int rank, int *result);

/* The same for a list, in ascending order and none twice. */
bool resolve_axes(struct translation *t, const struct integers *axes, int rank,
                  struct integers *result);

/* Zeroed memory that lives as long as the import; operations have copies of their attributes. */
void *import_alloc(const struct translation *t, int64_t count, size_t size);

/* Zeroed tensors that live as long as the graph, which may have them as its constants. */
struct tensor *import_tensors(const struct translation *t, int64_t count);

#endif
