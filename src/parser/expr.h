/*
 * expr.h - expressions as they were written (section 3.2.3)
 *
 * They are the bulk of a large document, so only the member of the union that belongs to the kind
 * is allocated.  Copy pointers to expressions, never expressions.  Names are interned.  The
 * semantic check fills in the fields marked `sema`.
 */
#ifndef NNEFC_PARSER_EXPR_H
#define NNEFC_PARSER_EXPR_H

#include "base/list.h"
#include "diag/source.h"

#include <stdbool.h>
#include <stdint.h>

struct signature; /* sema */

/* NNEF 1.0 and the provisional standard before it, which differ in syntax and names. */
enum dialect { DIALECT_1_0, DIALECT_PROVISIONAL };

enum expr_kind {
    EXPR_INTEGER,
    EXPR_SCALAR,
    EXPR_LOGICAL,
    EXPR_STRING,
    EXPR_NAME,
    EXPR_ARRAY,
    EXPR_TUPLE,
    EXPR_CALL,
    EXPR_NAMED, /* argument `name = value`; only in the list of a call */
    EXPR_BUILTIN,
    EXPR_UNARY,
    EXPR_BINARY,
    EXPR_SELECT, /* `yes if condition else no` */
    EXPR_SUBSCRIPT,
    EXPR_RANGE,
    EXPR_COMPREHENSION,
};

/* Names of primitive types; '?' stands for the type parameter of a generic fragment. */
enum type_name {
    TYPE_NAME_NONE,
    TYPE_NAME_INTEGER,
    TYPE_NAME_SCALAR,
    TYPE_NAME_LOGICAL,
    TYPE_NAME_STRING,
    TYPE_NAME_GENERIC,
};

enum unary_op { UNARY_PLUS, UNARY_MINUS, UNARY_NOT };

enum binary_op {
    BINARY_ADD,
    BINARY_SUB,
    BINARY_MUL,
    BINARY_DIV,
    BINARY_POW,
    BINARY_LT,
    BINARY_LE,
    BINARY_GT,
    BINARY_GE,
    BINARY_EQ,
    BINARY_NE,
    BINARY_AND,
    BINARY_OR,
    BINARY_IN,
};

enum builtin {
    BUILTIN_SHAPE_OF,
    BUILTIN_LENGTH_OF,
    BUILTIN_RANGE_OF,
    BUILTIN_INTEGER, /* casts, in the order of the names of types */
    BUILTIN_SCALAR,
    BUILTIN_LOGICAL,
    BUILTIN_STRING,
};

struct expr;
LIST_OF(expr);

struct iter;
LIST_OF(iter);

/* [for iters if filter yield item] */
struct comprehension {
    struct iter_list iters;
    struct expr *filter; /* NULL: all items */
    struct expr *item;
};

/* The size of an expression depends on its kind: memory behind the member in use is not there. */
struct expr {
    uint8_t kind : 7;       /* enum expr_kind */
    bool parenthesized : 1; /* in parentheses of its own, which are no tuple */
    uint8_t op;             /* operator, builtin, or type_name of a call's `<...>` */
    uint16_t depth;         /* of the tree below, at most limits.nesting */
    uint32_t slot; /* sema: NAME: place in its body; BINARY: on tensors?; CALL: type_name of '?' */
    struct span span;
    struct expr *next; /* in the list that holds it */
    union {
        int64_t integer;
        double scalar;
        bool logical;
        const char *string; /* escapes resolved */
        const char *name;
        struct {
            struct expr *first;
            int count;
        } items; /* ARRAY, TUPLE */
        struct {
            const char *callee;
            struct expr *args;
            const struct signature *signature; /* sema */
        } call;
        struct {
            const char *name;
            struct expr *value;
            int param; /* sema: index of the parameter */
        } named;
        struct {
            struct expr *operand;
        } unary; /* UNARY, BUILTIN */
        struct {
            struct expr *left, *right;
        } binary;
        struct {
            struct expr *condition, *yes, *no;
        } select;
        struct {
            struct expr *base, *begin, *end; /* SUBSCRIPT: begin; RANGE: either may be NULL */
        } subscript;
        struct comprehension *comprehension;
    };
};

/* A loop `name in iterable` of a comprehension; all loops of one advance together. */
struct iter {
    struct iter *next;
    const char *name;
    struct span span; /* of the name */
    struct expr *iterable;
    uint32_t slot; /* sema */
};

/* The words and signs of the language; "" for TYPE_NAME_NONE. */
const char *type_name_text(enum type_name name, enum dialect dialect);
const char *unary_op_text(enum unary_op op);
const char *binary_op_text(enum binary_op op);
const char *builtin_text(enum builtin builtin, enum dialect dialect);

#endif
