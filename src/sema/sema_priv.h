/*
 * sema_priv.h - shared by the files of the semantic check
 *
 * Checks of expressions give their type, TYPE_POISON after a fault.
 */
#ifndef NNEFC_SEMA_SEMA_PRIV_H
#define NNEFC_SEMA_SEMA_PRIV_H

#include "sema/sema.h"

#include "base/map.h"
#include "diag/context.h"
#include "diag/diag.h"
#include "op/op.h"
#include "sema/scope_priv.h"

#include <string.h>

/* An argument that met its parameter. */
struct binding {
    const struct expr *value; /* NULL: not given */
    const struct type *type;
};

/* The check of one document, text of the library or quantization file. */
struct checker {
    struct context *context;
    struct arena *arena; /* of the context */
    struct diag *diag;   /* likewise */
    struct types *types; /* those of the library, to which a document adds its own */
    const struct document *document;
    const struct library *library; /* of the standard that holds for the document */
    struct signature **signatures; /* of the document's fragments */
    int signature_count;
    struct sema_options options;
    enum dialect dialect;
    bool standard; /* it is the library itself that is checked */
    bool quant;    /* it is a quantization file: all arguments are given, by name */
    bool partial;  /* statements may be missing */
    int errors;    /* reported before the check began */
    int forgiven;  /* of those since then: what they are about means the same without them */
    bool faulty;   /* the statement or entry being checked is: what it lacks may have been there */
    bool poisoned; /* something in it has no type */

    struct map operations; /* name -> struct signature: standard and of the document */
    struct map skipped;    /* names that stand in text that was skipped */

    bool fragments_enabled, expressions_enabled; /* by extensions or dialect */
    bool expressions_used; /* so that the extension is not declared for nothing */
    bool level_reported;   /* a missing extension */
    bool foreign_reported; /* an operation of another program */
    bool extension_fixed;  /* a change that adds it is offered already */
    bool misplaced;        /* what the statement being checked assigns was reported */
    int nesting_count, naming_count, shape_of_count; /* tolerated so far */

    /* the body being checked */
    const struct signature *signature; /* NULL: the graph */
    const struct stmt_list *body;
    const struct expr *direct; /* right side of the statement being checked */
    bool flat;                 /* flat syntax only */
    struct map scope;          /* name -> struct symbol */
    struct map targets; /* name -> where the body assigns it first, once that was asked for */
    struct symbol_page **page; /* symbols by slot; pages stay where they are */
    uint32_t symbol_count;     /* slots of the body so far */

    struct binding *binding; /* stack: bindings of the invocations being checked */
    int binding_count, binding_room;
};

/* sema.c: the steps that a document and the library have in common */
void checker_begin(struct checker *c, struct context *context, const struct document *document);
void checker_declare(struct checker *c);
void checker_fragments(struct checker *c);
void checker_end(struct checker *c);

/* May it be declared in text that was skipped? */
bool is_skipped(const struct checker *c, const char *name);

/* library.c: let bodies invoke the operations of a text, by their names */
void library_enter(const struct library *library, struct map *operations);

/* extension.c: which of the document's fragments are those of our extensions */
void extensions_join(struct checker *c);

/* signature.c: declarations (3.3.2), whatever can be said without bodies */
struct signature *signature_make(struct checker *c, const struct fragment *fragment);
int signature_param(const struct signature *signature, const char *name); /* -1: none of them */
void label_signature(struct checker *c, const struct signature *signature);
void label_param(struct checker *c, const struct sig_param *param);

/* literal.c: type and value of a literal expression; NULL if it is none (reported) */
const struct type *literal_evaluate(struct checker *c, const struct expr *expr, struct datum *to);
const struct type *literal_type(struct checker *c, const struct datum *datum);

/* check_body.c: a fragment with its body, if it has one; the statements of a body; marks those that
 * have faults */
void check_fragment(struct checker *c, struct signature *signature);
void check_body(struct checker *c, const struct stmt_list *body);

/* check_graph.c: the number of slots of the graph body; the assignment to one of its names */
uint32_t check_graph(struct checker *c, const struct graph_decl *graph);
void graph_assign(struct checker *c, struct symbol *symbol, const struct expr *target,
                  const struct type *type);

/* check_expr.c, check_items.c, check_builtin.c, check_operator.c, check_call.c: the type of an
 * expression of that kind, never NULL.  All parts are checked, and names get their slots. */
const struct type *check_value(struct checker *c, struct expr *expr); /* right side */
const struct type *check_expr(struct checker *c, struct expr *expr);  /* part of another */
const struct type *check_array(struct checker *c, struct expr *expr);
const struct type *check_tuple(struct checker *c, struct expr *expr);
const struct type *check_subscript(struct checker *c, struct expr *expr);
const struct type *check_range(struct checker *c, struct expr *expr);
const struct type *check_comprehension(struct checker *c, struct expr *expr);
const struct type *check_builtin(struct checker *c, struct expr *expr);
const struct type *check_unary(struct checker *c, struct expr *expr);
const struct type *check_binary(struct checker *c, struct expr *expr);
const struct type *check_call(struct checker *c, struct expr *call);
/* Is it logical, and known at compile time?  `of_what`: "branching", for the report. */
bool check_condition(struct checker *c, struct expr *expr, const char *of_what);
/* Poison, with a report, if the type is too large. */
const struct type *limited(struct checker *c, const struct type *type, struct span span);

/* The name in an invocation, without its arguments. */
static inline struct span callee_span(const struct expr *call)
{
    return (struct span){call->span.begin, call->span.begin + (uint32_t)strlen(call->call.callee)};
}

/* check_call.c: room for the bindings of one more invocation; the index of the first */
int push_bindings(struct checker *c, int count);

/* bind.c: arguments to parameters; the bindings are base[0..nparam) of c->binding */
bool bind_arguments(struct checker *c, struct expr *call, const struct signature *signature,
                    int base);
const struct type *bind_generic(struct checker *c, struct expr *call, int base, bool complete);
void bind_check(struct checker *c, const struct expr *call, const struct signature *signature,
                int base, const struct type *generic);

/* variable.c: external, variable and update (3.3.2, 4.1, 4.8); what an invocation makes, whether it
 * updates a variable, whether it may stand where it does, what a local stands for */
bool introduces(const struct signature *signature, enum value_kind kind);
bool has_effect(const struct signature *signature);
void check_introduction(struct checker *c, const struct expr *call, int base);
void note_variable(const struct checker *c, struct symbol *symbol, const struct expr *value);
const struct expr *label_of(const struct expr *call); /* NULL if it is no literal */

/* level.c: extensions and what they enable (3.2): those that a document declares, what needs one
 * and lacks it, those that nothing needs */
void level_document(struct checker *c);
void level_statement(struct checker *c, const struct stmt *stmt);
void level_expression(struct checker *c, const struct expr *expr);
void level_nested(struct checker *c, const struct expr *call);
void level_unused(struct checker *c);

static inline const struct type *poison(void)
{
    return type_primitive(TYPE_POISON);
}

static inline bool is_poison(const struct type *type)
{
    return type->kind == TYPE_POISON;
}

/* A text of operations, checked and joined with descriptors. */
struct library {
    enum dialect dialect;
    const char *text;            /* embedded, with its comments */
    const struct library *base;  /* NULL: it is that of a standard */
    const struct library **more; /* those on top of it, by enum library_more, once asked for */
    struct types *types;
    struct signature **signatures; /* in the order of the text */
    int count;
    /* what operators on tensors invoke; NULL for 'in', and in texts above a standard */
    const struct signature *unary[UNARY_NOT + 1], *binary[BINARY_IN + 1];
};

/* join.c: let fragments and their parameters point to descriptors and their rows: all of a text, or
 * one that a document declares as an extension does. */
void library_join(struct checker *c, struct library *library);
void signature_join(struct signature *s, const struct op_desc *op, enum dialect dialect);

#endif
