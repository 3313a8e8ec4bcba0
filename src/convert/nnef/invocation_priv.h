/* invocation_priv.h - nodes as invocations; expressions lie in the arena of the writer */
#ifndef NNEFC_CONVERT_NNEF_INVOCATION_PRIV_H
#define NNEFC_CONVERT_NNEF_INVOCATION_PRIV_H

#include "convert/nnef/document.h"

/* A document that is being made; see document.h. */
struct nnef_writer {
    struct arena *arena;
    struct graph *graph;
    const struct names *names;
    const struct document_options *options;
};

/* An identifier. */
struct expr *name_expr(const struct nnef_writer *w, const char *name);

/* The identifier, or the literal that stands for the value: a constant of one item. */
struct expr *expr_of_value(const struct nnef_writer *w, const struct value *value);

/* The signature of an operation, standard or of the document. */
const struct signature *signature_of(const struct nnef_writer *w, const struct op_desc *op);

/* "op(x, y, size = [2, 2])", without its first `skipped` operands and their parameters. */
struct expr *invocation_of(const struct nnef_writer *w, const struct node *node, uint32_t skipped);

/* The name of an attribute that no literal stands for; NULL: there is none. */
const char *attribute_without_text(const struct nnef_writer *w, const struct node *node);

/* The left side of its assignment.  NULL if no left side says how long the arrays in it are. */
struct expr *target_of(const struct nnef_writer *w, const struct node *node);

/* "op<type>()" for arguments to be added. */
struct expr *invocation_new(const struct nnef_writer *w, const char *op, enum dtype generic);

#endif
