/*
 * inspect.h - the part of nnefc.h about what a model consists of, what it costs and whether it is
 * sound
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
    const char *name; /* identifier; else "0.5" of a literal, and "%7" of what has none */
    struct nnefc_type type;
    enum nnefc_value_kind kind;
    int producer, port; /* of a result: which operation makes it as which of its results; else -1 */
    int array; /* operands: of which array-valued parameter it is an item, from 1; else 0 */
    int id;    /* from 0; the same wherever the same value is read, and that of struct nnefc_port */
    const char *label; /* of a variable, under which it is stored; NULL: it has none */
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
    const char *fragment;                 /* whose body it is */
    const struct nnefc_expansion *caller; /* in whose body it is invoked; NULL: the graph's */
    const char *file; /* where a text of the model invokes it; NULL: a text of the library does */
    int line, column;
    bool standard; /* the body is the library's */
};

struct nnefc_operation {
    const char *operation; /* "conv" */
    const struct nnefc_value_list *results, *operands;
    const struct nnefc_attribute_list *attributes;
    int64_t macs;         /* see struct nnefc_cost */
    const char *fragment; /* in whose body it is; NULL: the graph's, or it is of a node: */
    const char *node;     /* of ONNX: "node 3 'conv1' (Conv) at byte 812"; else NULL */
    const char *file;     /* where a text has it; NULL: there is none */
    int line, column;
    /* The innermost one, from which `caller` leads outwards; NULL: it is of none. */
    const struct nnefc_expansion *expansion;
};
NNEFC_LIST_OF(nnefc_operation);

/* Those of the graph, in the order in which they run; none until a model is loaded without errors.
 */
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

/* How many there are of each kind, most first, then by name. */
NNEFC_API const struct nnefc_operator_list *nnefc_model_operators(const struct nnefc_model *model);

/* --- what it costs ------------------------------------------------------------------------- */

/*
 * Numbers that do not fit are INT64_MAX, those of shapes that are not known NNEFC_UNKNOWN.
 *
 * A multiply-add is an item of a filter or matrix times an item of what it is applied to, added to
 * a sum.  With batches of N, G groups and a filter of K x K that makes
 *
 *     conv, C to D channels, to P x Q       N * P * Q * D * (C / G) * K * K
 *     deconv, C to D channels, from P x Q   N * P * Q * C * (D / G) * K * K
 *     matmul, [M,L] by [L,N]; linear        M * N * L, for each matrix of a stack
 *     attention, M queries of L to N keys   M * N * (L + R), for values of R items, likewise
 *
 * where the border counts like the inside.  Other operations, and what adds a bias, have none.
 */
struct nnefc_cost {
    /* Tensors that are stored: variables, and constants but for literals; of constants the items
     * that are written.  Bytes are those in memory: 4 of a scalar, 8 of an integer, 1 of a logical.
     */
    int64_t parameters, parameter_items, parameter_bytes;
    int64_t macs; /* multiply-adds of all operations */
    /* The most that a step has in memory at once, besides inputs and variables. */
    int64_t peak_bytes;
};
NNEFC_API const struct nnefc_cost *nnefc_model_cost(const struct nnefc_model *model);

/* --- whether it is sound ------------------------------------------------------------------- */

/*
 * Hold the graph of a loaded model against every rule of graphs: names, order, attributes, shapes
 * and types, labels, inputs and outputs; with `data` those of variables, too, which are read as by
 * nnefc_run_new().  A graph that breaks a rule is a mistake of the library: NNEFC_INTERNAL.
 */
NNEFC_API enum nnefc_status nnefc_model_verify(struct nnefc_model *model, bool data);

#ifdef __cplusplus
}
#endif

#endif
