/*
 * ast.h - the document: one NNEF text as it was written (section 3.2)
 *
 * Everything lives in the arena of the context.  Names are interned.  expr.h has the expressions.
 */
#ifndef NNEFC_PARSER_AST_H
#define NNEFC_PARSER_AST_H

#include "parser/expr.h"

/* An assignment `target = value`; the target consists only of NAME, ARRAY and TUPLE. */
struct stmt {
    struct stmt *next;
    struct expr *target, *value;
    bool faulty; /* an error in it was reported, or makes something in it unknown */
};
LIST_OF(stmt);

enum type_expr_kind { TYPE_EXPR_PRIMITIVE, TYPE_EXPR_TENSOR, TYPE_EXPR_ARRAY, TYPE_EXPR_TUPLE };

struct type_expr;
LIST_OF(type_expr);

/* A type as it was written. */
struct type_expr {
    enum type_expr_kind kind;
    enum type_name name; /* PRIMITIVE; TENSOR: its data type, NONE for tensor<> */
    bool bare;           /* TENSOR without brackets (provisional) */
    uint16_t depth;      /* of the type, 1 for one without items */
    struct span span;
    struct type_expr *next;
    struct type_expr_list items; /* ARRAY: one, TUPLE: two or more */
};

/* A parameter or result of a fragment. */
struct param {
    struct param *next;
    const char *name;
    struct span span; /* of the name */
    struct type_expr *type;
    struct expr *value; /* default, or NULL; always NULL in a result */
};
LIST_OF(param);

/* The declaration of an operation, with a body or without one. */
struct fragment {
    struct fragment *next;
    const char *name;
    struct span span; /* of the name */
    bool generic;
    enum type_name generic_default; /* NONE: the arguments decide */
    struct span generic_span;
    struct param_list params, results;
    bool faulty; /* an error in its declaration was reported */
    bool has_body;
    bool holed; /* assignments may be missing because of a reported error */
    struct stmt_list body;
};
LIST_OF(fragment);

/* An identifier in text that the parser skipped after a syntax error; it may be declared there. */
struct skipped_name {
    struct skipped_name *next;
    const char *name; /* interned */
};
LIST_OF(skipped_name);

struct graph_decl {
    const char *name;
    struct span span;                 /* of the name */
    struct expr_list params, results; /* NAME */
    bool holed;                       /* as in a fragment */
    struct stmt_list body;
};

struct extension {
    struct extension *next;
    const char *name;
    struct span span;
};
LIST_OF(extension);

/* An entry `"name": call;` of a quantization file (section 5.3). */
struct quant_entry {
    struct quant_entry *next;
    const char *name;  /* of a tensor of the graph body; interned */
    struct span span;  /* of the name */
    struct expr *call; /* CALL */
    bool faulty;       /* an error in it or in its file was reported */
};
LIST_OF(quant_entry);

struct document {
    enum dialect dialect;
    struct span version; /* of the number; {0} if the text has none */
    struct extension_list extensions;
    struct fragment_list fragments;
    struct graph_decl *graph; /* NULL in a library, or after a report */
    int faults;               /* errors reported by the parser */
    bool partial;             /* the parser skipped some of the text after a syntax error */
    bool cut;                 /* the end of the text was not read; anything may be declared there */
    struct skipped_name_list skipped;
};

#endif
