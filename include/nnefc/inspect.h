/*
 * inspect.h - the part of nnefc.h about the operations of a model, its costs, and checks of its
 * graph
 *
 *     const struct nnefc_operation_list *operations = nnefc_model_operations(model);
 *
 *     for (int i = 0; i < operations->count; i++)
 *         printf("%s %s\n", operations->at[i]->operation, operations->at[i]->results->at[0]->name);
 */
#ifndef NNEFC_INSPECT_H
#define NNEFC_INSPECT_H

#include "nnefc.h"
#include "origin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- its operations ------------------------------------------------------------------------ */

enum nnefc_value_kind {
    NNEFC_VALUE_RESULT,   /* of an operation */
    NNEFC_VALUE_EXTERNAL, /* is fed */
    NNEFC_VALUE_VARIABLE, /* is stored */
    NNEFC_VALUE_CONSTANT, /* is written in the text */
};

struct nnefc_value {
    const char *name; /* its identifier, or "0.5" for a literal, or "%7" if it has none */
    struct nnefc_type type;
    enum nnefc_value_kind kind;
    int producer, port; /* of a result: index of the operation, and of the result in it; else -1 */
    int array; /* of an operand: number of its array-valued parameter, from 1; 0: it is no array */
    int id;    /* from 0; the same wherever the value is used, also in struct nnefc_port */
    const char *label; /* under which a variable is stored; NULL: it has none */
};
NNEFC_LIST_OF(nnefc_value);

/* An attribute; nnefc_datum_integer() and the functions beside it give its value. */
struct nnefc_attribute {
    const char *name; /* "padding" */
    const struct nnefc_datum *value;
};
NNEFC_LIST_OF(nnefc_attribute);

/* A fragment that was expanded.  Operations of one expansion share one record of it. */
struct nnefc_expansion {
    const char *fragment;                 /* the fragment whose body was expanded */
    const struct nnefc_expansion *caller; /* the one that invokes it; NULL: the graph does */
    const char *file; /* the text of the model that invokes it; NULL: one of the library does */
    int line, column;
    bool standard; /* the body is the library's */
};

struct nnefc_operation {
    const char *operation; /* "conv" */
    const struct nnefc_value_list *results, *operands;
    const struct nnefc_attribute_list *attributes;
    int64_t macs;         /* see struct nnefc_cost */
    const char *fragment; /* the fragment whose body it is in; NULL: the graph, or a node */
    const char *node;     /* of ONNX: "node 3 'conv1' (Conv) at byte 812"; else NULL */
    const char *file;     /* the text that it is in; NULL: there is none */
    int line, column;
    /* The innermost expansion around it, from which `caller` leads outwards; NULL: there is none */
    const struct nnefc_expansion *expansion;
};
NNEFC_LIST_OF(nnefc_operation);

/* The operations of the graph, in the order in which they run.  The list is empty until a model is
 * loaded without errors. */
NNEFC_API const struct nnefc_operation_list *
nnefc_model_operations(const struct nnefc_model *model);

enum nnefc_datum_kind {
    NNEFC_DATUM_NONE,
    NNEFC_DATUM_INTEGER,
    NNEFC_DATUM_SCALAR,
    NNEFC_DATUM_LOGICAL,
    NNEFC_DATUM_STRING,
    NNEFC_DATUM_ARRAY,
    NNEFC_DATUM_TUPLE,
};
NNEFC_API enum nnefc_datum_kind nnefc_datum_kind(const struct nnefc_datum *datum);

/* The number of operations of each kind, in descending order, then by name. */
NNEFC_API const struct nnefc_operator_list *nnefc_model_operators(const struct nnefc_model *model);

/* --- what it costs ------------------------------------------------------------------------- */

/*
 * Numbers that do not fit are INT64_MAX.  Numbers that depend on unknown shapes are NNEFC_UNKNOWN.
 *
 * A multiply-add multiplies an item of a filter or matrix by an item of the other operand, and adds
 * the product to a sum.  With batches of N, G groups and a filter of K x K these are
 *
 *     conv, C to D channels, to P x Q       N * P * Q * D * (C / G) * K * K
 *     deconv, C to D channels, from P x Q   N * P * Q * C * (D / G) * K * K
 *     matmul, [M,L] by [L,N]; linear        M * N * L, for each matrix of a stack
 *     attention, M queries of L to N keys   M * N * (L + R), for values of R items, likewise
 *
 * where the border counts like the inside.  Other operations, and the addition of a bias, have no
 * multiply-adds.
 */
struct nnefc_cost {
    /* Stored tensors: variables, and constants that are no literals.  Items of a constant are those
     * that the text has.  Bytes are those in memory: 4 for a scalar, 8 for an integer, 1 for a
     * logical. */
    int64_t parameters, parameter_items, parameter_bytes;
    int64_t macs; /* multiply-adds of all operations */
    /* The peak of the memory of a step, without inputs and variables. */
    int64_t peak_bytes;
};
NNEFC_API const struct nnefc_cost *nnefc_model_cost(const struct nnefc_model *model);

/* --- checks ------------------------------------------------------------------------------- */

/*
 * Check the graph of a loaded model by every rule of graphs: names, order, attributes, shapes and
 * types, labels, inputs and outputs.  With `data`, also read the data of variables, as
 * nnefc_run_new() does, and check it.  A graph that breaks a rule is a mistake of the library:
 * NNEFC_INTERNAL.
 */
NNEFC_API enum nnefc_status nnefc_model_verify(struct nnefc_model *model, bool data);

#ifdef __cplusplus
}
#endif

#endif
