/* ast.h - the document: one NNEF text, exactly as written; its expressions are in expr.h */
#ifndef NNEFC_PARSER_AST_H
#define NNEFC_PARSER_AST_H

#include "parser/expr.h"

/* target = value; the target consists of NAME, ARRAY and TUPLE only. */
struct stmt {
    struct stmt *next;
    struct expr *target, *value;
};
LIST_OF(stmt);

enum type_expr_kind { TYPE_EXPR_PRIMITIVE, TYPE_EXPR_TENSOR, TYPE_EXPR_ARRAY, TYPE_EXPR_TUPLE };

struct type_expr;
LIST_OF(type_expr);

struct type_expr {
    enum type_expr_kind kind;
    enum type_name name; /* PRIMITIVE; TENSOR: its data type, NONE for tensor<> */
    bool bare;           /* TENSOR without brackets (provisional) */
    uint16_t depth;
    struct span span;
    struct type_expr *next;
    struct type_expr_list items; /* ARRAY: one, TUPLE: two or more */
};

struct param {
    struct param *next;
    const char *name;
    struct span span; /* of the name */
    struct type_expr *type;
    struct expr *value; /* default, or NULL; always NULL in a result */
};
LIST_OF(param);

struct fragment {
    struct fragment *next;
    const char *name;
    struct span span; /* of the name */
    bool generic;
    enum type_name generic_default; /* NONE: it is deduced */
    struct span generic_span;
    struct param_list params, results;
    bool has_body;
    struct stmt_list body;
};
LIST_OF(fragment);

struct graph_decl {
    const char *name;
    struct span span;                 /* of the name */
    struct expr_list params, results; /* NAME */
    struct stmt_list body;
};

struct extension {
    struct extension *next;
    const char *name;
    struct span span;
};
LIST_OF(extension);

/* "name": call; in a quantization file. */
struct quant_entry {
    struct quant_entry *next;
    const char *name;  /* of a tensor of the graph body; interned */
    struct span span;  /* of the name */
    struct expr *call; /* CALL */
    bool faulty;       /* something in its file was reported while that was parsed */
};
LIST_OF(quant_entry);

struct document {
    enum dialect dialect;
    struct span version; /* nowhere if the text has none */
    struct extension_list extensions;
    struct fragment_list fragments;
    struct graph_decl *graph; /* NULL in a library, or if it was not found (and reported) */
    int faults;               /* errors reported while it was parsed */
    bool partial;             /* a syntax error (reported) made the parser skip some of the text */
};

#endif
