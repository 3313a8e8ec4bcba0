/* import_priv.h - what an import has in hand */
#ifndef NNEFC_CONVERT_ONNX_IMPORT_PRIV_H
#define NNEFC_CONVERT_ONNX_IMPORT_PRIV_H

#include "base/map.h"
#include "convert/onnx/import.h"
#include "convert/onnx/import_value.h"
#include "sema/sema.h"

/* Of each domain: the newest version of its operators, and those that are compositions. */
struct domain_info {
    const char *name;
    int newest;
    enum library_more text;
};

extern const struct domain_info import_domains[IMPORT_DOMAINS];

/* Names of tensors; those of the graph around are seen from within. */
struct scope {
    struct map entries;
    struct map declared; /* struct declared, by name */
    struct scope *outer;
};

struct text;

/* Operators that nothing imports, in the order of their first nodes; it starts as {0}. */
struct missing {
    struct map by_type; /* struct missing_operator */
    struct missing_operator *first, **last;
    bool in_graph; /* some are in the graph of the model itself, which is read in any case */
    bool told;
};

/* Of all graphs and functions of a model. */
struct onnx_order {
    struct map orders; /* struct node_order, by graphs and functions */
    struct map reads;  /* struct reads, by graphs */
    struct map others; /* see struct import */
    struct missing missing;
    struct reserved_names reserved; /* of all tensors of the graph */
    bool composed;                  /* there are operators that are compositions */
};

/* part.c: add what nodes of the graph, and of those within, read of others. */
void import_find_reads(struct context *context, struct onnx_order *order,
                       const struct onnx_graph *graph);

/* Is there all that nodes of the model read?  False after a report. */
bool import_check_reads(struct import *import, const struct onnx_order *order);

struct import {
    struct import_builder builder;
    const struct onnx_model *model;
    const struct onnx_import_options *options; /* with what files tell */
    struct imported faulty;                    /* stands for what was reported */
    struct map digests; /* of files of external data that were compared, by their locations */
    struct map orders;  /* struct node_order, by graphs and functions of the model */
    struct map others;  /* names that are read as something else than weights in integers */
    struct missing missing;
    int64_t work; /* nodes read so far, again for each trip of a loop */
    bool ended;   /* a limit was reached: nothing more is read */
    bool open;    /* only inputs and outputs are wanted, whose extents may be unknown */
    int at;       /* the node of the graph or part itself that is being imported */
    bool cut;     /* the part ends before it */
    int depth;    /* of functions and graphs in attributes */
};

/* What a list of the file says of a tensor; a name may be in several lists. */
struct declared {
    const struct onnx_value_info *info;
    bool binding; /* a shape that does not hold is an error */
    struct declared *next;
};

/* A node with what it is: a function of the model, an operator, or neither. */
struct resolved_node {
    const struct onnx_node *node;
    const struct onnx_function *function;
    const struct import_row *row; /* unless it is a function */
    int index;                    /* among the nodes of the file */
    const struct call_site *site; /* in the graph of an open model, for all imports; else NULL */
};

/* The nodes of a graph or function, each behind the makers of what it reads. */
struct node_order {
    struct resolved_node *nodes;
    int count;
};

/* One name for the operators of that kind, and for functions of the model. */
const char *operator_key(const struct import *import, const char *domain, const char *type,
                         const char *overload);

/* order.c: look up and sort the nodes of the whole model; false after a report of a cycle. */
bool import_order(struct import *import);

/* missing.c: note one of them; report all, if that was not done so far: false if there are any. */
bool is_missing(const struct resolved_node *node);
void missing_note(struct import *import, const char *where, const struct resolved_node *node);
bool missing_report(struct import *import);

/* "node 3 'conv1' (Conv)", and the same with its byte behind the nodes around it. */
void node_title(struct text *to, const struct resolved_node *node);
const char *node_place(const struct import *import, const char *where,
                       const struct resolved_node *node);

/* `where` of the nodes within the node at `place`; it is cut if it is long, as it nests. */
const char *places_within(const struct import *import, const char *place);

/* The operators of ONNX itself have a domain of two names. */
bool is_standard_domain(const char *domain);

/* The nodes of a graph or function, in a scope of their own. */
struct body {
    const struct node_order *order;
    const struct onnx_opset *opsets;
    const struct onnx_call *caller; /* of the function; NULL: none */
    const char *where;              /* "": the graph of the model */
};

/* part.c: what a graph of a part is made of. */
struct body import_part_body(const struct import *import, const struct onnx_graph *graph);

/* part.c: bind what a part reads: slots, and constants of nodes before it; then its results. */
bool import_part_inputs(struct import *import, struct scope *scope);
bool import_part_outputs(struct import *import, const struct scope *scope, const struct body *body);

/* Import one node of a body; false if anything was reported. */
bool import_node_at(struct import *import, struct scope *scope, const struct body *body, int index);

/* Initializers of a graph; false after reports of any of them. */
bool import_initializers(struct import *import, struct scope *scope,
                         const struct onnx_graph *graph);

/* A graph in an attribute: its inputs, as many as it has, and its outputs; false after a report. */
bool import_subgraph(struct translation *t, const struct onnx_graph *graph,
                     struct imported *const *in, struct imported **out);

/* initial.c: an initializer or constant; NULL after a report */
struct imported *import_tensor(struct import *import, const struct onnx_tensor *tensor);

/* The same of an initializer that is bound to its name: weights may stay bytes (struct tensor). */
struct imported *import_initializer(struct import *import, const struct onnx_tensor *tensor);

/* The data of a tensor that are in another file, which stays open; false after a report. */
bool import_external_bytes(struct import *import, const struct onnx_tensor *tensor,
                           struct onnx_bytes *bytes, const struct file_view **file);

/* The same of a sparse tensor, with all its items. */
struct imported *import_sparse(struct import *import, const struct onnx_sparse_tensor *from);

/*
 * Shapes and types that the file declares: note those of a list, and compare those of a name in the
 * scope itself; `what` is "initializer" or "input", or NULL if the node of `t` makes it.  False
 * after an error.  Shapes of a list that is not binding are only warned of.
 */
void import_declare(struct import *import, struct scope *scope,
                    const struct onnx_value_info_list *list, bool binding);
bool import_fits(struct translation *t, const struct scope *scope, const struct imported *computed,
                 const char *what);

/* Tensors by name, which is one of the context: as seen from a scope, and of that scope itself. */
struct imported *import_find(const struct scope *scope, const char *name);
bool import_has(const struct scope *scope, const char *name);
void import_bind(struct scope *scope, const char *name, struct imported *imported);

/* Report a fault of the file; false. */
bool import_fault(const struct import *import, enum diag_code code, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* A place in the file that is no node, for reports; NULL: the file. */
struct translation import_place(struct import *import, const char *what);

/*
 * ports.c: what the graph of the model is fed with, and what it shows.  Extents that the model
 * leaves open are first looked for in files (false after a report), then import_inputs() reports
 * the rest, and whether it will is known before.
 */
bool import_inputs(struct import *import, struct scope *scope);
bool import_fed(struct import *import, const struct scope *scope,
                struct onnx_import_options *options);
bool import_is_open(const struct import *import, const struct scope *scope);
bool import_outputs(struct import *import, const struct scope *scope);

/* An input with what the file says of its extents. */
struct open_input import_describe(const struct onnx_value_info *info);

/* The outputs as the file declares them, of a graph without nodes; false after a report. */
bool import_declared_outputs(struct import *import);

#endif
