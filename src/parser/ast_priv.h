/*
 * ast_priv.h - constructors of the document
 *
 * The grammar calls one constructor for each production.  It checks what can be checked without
 * knowing names and types.  It returns NULL if the item was reported and dropped.  The span of an
 * expression covers all of it, that of a declaration the name.
 */
#ifndef NNEFC_PARSER_AST_PRIV_H
#define NNEFC_PARSER_AST_PRIV_H

#include "parser/parser_priv.h"

/*
 * A list under construction is a chain: a pointer to its last item, whose `next` is the first one.
 * This keeps the values on the parser's stack at the size of a pointer.  type_append() skips NULL.
 * type_list() turns a chain into a list.
 */
#define DECLARE_CHAIN(type)                                            \
    struct type *type##_append(struct type *chain, struct type *item); \
    struct type##_list type##_list(struct type *chain)

#define DEFINE_CHAIN(type)                                                \
    struct type *type##_append(struct type *chain, struct type *item)     \
    {                                                                     \
        if (!item)                                                        \
            return chain;                                                 \
        item->next = chain ? chain->next : item;                          \
        if (chain)                                                        \
            chain->next = item;                                           \
        return item;                                                      \
    }                                                                     \
    struct type##_list type##_list(struct type *chain)                    \
    {                                                                     \
        struct type##_list list = {chain ? chain->next : NULL, chain, 0}; \
                                                                          \
        if (chain)                                                        \
            chain->next = NULL;                                           \
        for (struct type *item = list.first; item; item = item->next)     \
            list.count++;                                                 \
        return list;                                                      \
    }

/* --- ast.c: expressions and assignments --- */

DECLARE_CHAIN(expr);
DECLARE_CHAIN(iter);

/*
 * Literals and names; strings are interned.  The magnitude 9223372036854775808 is accepted until
 * ast_settle_magnitude(), because a minus may follow.
 */
struct expr *ast_integer(struct parser *p, uint64_t magnitude, struct span span);
struct expr *ast_scalar(struct parser *p, double value, struct span span);
struct expr *ast_logical(struct parser *p, bool value, struct span span);
struct expr *ast_string(struct parser *p, const char *value, struct span span);
struct expr *ast_name(struct parser *p, const char *value, struct span span);

/*
 * Lists, of chains.  Parentheses around one item only mark it as parenthesized; around others they
 * make a tuple.
 */
struct expr *ast_array(struct parser *p, struct expr *items, struct span span);
struct expr *ast_parentheses(struct parser *p, struct expr *items, struct span span);

/* Operations.  A minus before a number makes a negative number. */
struct expr *ast_unary(struct parser *p, enum unary_op op, struct expr *operand, struct span span);
struct expr *ast_binary(struct parser *p, enum binary_op op, struct expr *left, struct expr *right,
                        struct span span);
struct expr *ast_select(struct parser *p, struct expr *condition, struct expr *yes, struct expr *no,
                        struct span span);

/* Items of an array or string: base[index] and base[begin:end], where both ends may be NULL. */
struct expr *ast_subscript(struct parser *p, struct expr *base, struct expr *index,
                           struct span span);
struct expr *ast_range(struct parser *p, struct expr *base, struct expr *begin, struct expr *end,
                       struct span span);

/*
 * Comprehensions: a loop `name in iterable`, the form of NNEF 1.0 and that of provisional NNEF. The
 * filter may be NULL.  Each form is reported in the other dialect.
 */
struct iter *ast_iter(struct parser *p, const char *name, struct span span, struct expr *iterable);
struct expr *ast_comprehension(struct parser *p, struct iter *iters, struct expr *filter,
                               struct expr *item, struct span span);
struct expr *ast_item_first(struct parser *p, struct expr *item, struct iter *iter,
                            struct expr *filter, struct span span);

/* Invocations; the arguments are a chain, in which ast_named() makes `name = value`. */
struct expr *ast_call(struct parser *p, const char *callee, struct expr *args, struct span span);
struct expr *ast_generic_call(struct parser *p, const char *callee, enum type_name type,
                              struct expr *args, struct span span);
struct expr *ast_named(struct parser *p, const char *name, struct expr *value, struct span span);

/* Built-in functions; a cast is one that has the name of a type. */
struct expr *ast_builtin(struct parser *p, enum builtin builtin, struct expr *operand,
                         struct span span);
struct expr *ast_cast(struct parser *p, enum type_name type, struct expr *operand,
                      struct span span);

/* Add an assignment to the current body; the operands are chains. */
void ast_stmt(struct parser *p, struct expr *target, struct expr *value);

/* Note text that was skipped after a syntax error: assignments, or a declaration with its body. */
void ast_skip(struct parser *p, struct span span);
void ast_skip_declaration(struct parser *p, struct span span);

/* Whether an error that leaves the meaning of the text open was reported since the last call. */
bool ast_is_faulty(struct parser *p);

/* Report a magnitude that no minus made an integer; called at the end of each statement. */
void ast_settle_magnitude(struct parser *p);

/* Report a missing ';', if this dialect requires it. */
void ast_missing_semicolon(struct parser *p, struct span span);

/* Report a separator or end at `span` without the `missing` item before it. */
void ast_surplus(struct parser *p, struct span span, const char *missing);

/* At the end of the text, report the missing ';' that was held back. */
void ast_report_pending(struct parser *p);

/* Add an entry of a quantization file; `call` must be an invocation. */
void ast_quant_entry(struct parser *p, const char *name, struct span span, struct expr *call);

/* --- ast_decl.c: types, declarations and the document --- */

/* The `<?>` or `<? = type>` of a fragment. */
struct generic {
    enum type_name type; /* the default, or NONE */
    struct span span;
};

DECLARE_CHAIN(type_expr);
DECLARE_CHAIN(param);
DECLARE_CHAIN(extension);

/* Report a name that is no type of the dialect, and return the type that it probably means. */
enum type_name ast_type_name(struct parser *p, const char *name, struct span span);

/* Types; the items of a tuple are a chain. */
struct type_expr *ast_primitive(struct parser *p, enum type_name name, struct span span);
struct type_expr *ast_tensor(struct parser *p, enum type_name name, struct span span);
struct type_expr *ast_bare_tensor(struct parser *p, struct span span);
struct type_expr *ast_array_type(struct parser *p, struct type_expr *item, struct span span);
struct type_expr *ast_tuple_type(struct parser *p, struct type_expr *items, struct span span);

/* Declarations.  ast_signature() ends one and begins its body, if it has one. */
struct param *ast_param(struct parser *p, const char *name, struct span span,
                        struct type_expr *type, struct expr *value);
struct generic *ast_generic(struct parser *p, enum type_name type, struct span span);
struct fragment *ast_fragment(struct parser *p, const char *name, struct span span,
                              const struct generic *generic);
struct fragment *ast_signature(struct parser *p, struct fragment *fragment, struct param *params,
                               struct param *results);
void ast_empty_body(struct parser *p, struct span span);

/* Add a fragment with the current body, or one without a body, to the document. */
void ast_definition(struct parser *p, struct fragment *fragment);
void ast_declaration(struct parser *p, struct fragment *fragment);

/* The graph; ast_graph() adds it to the document, with the current body. */
struct expr *ast_graph_name(struct parser *p, const char *name, struct span span,
                            struct span surplus);
struct graph_decl *ast_graph_signature(struct parser *p, const char *name, struct span span,
                                       struct expr *params, struct expr *results);
void ast_graph(struct parser *p, struct graph_decl *graph);

/* Extension statements, each with a chain of names, and the version. */
struct extension *ast_extension(struct parser *p, const char *name, struct span span);
void ast_extensions(struct parser *p, struct extension *extensions, struct span span);
void ast_version(struct parser *p, struct span number, bool semicolon);

#endif
