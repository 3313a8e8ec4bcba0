/*
 * sema.h - the semantic check: a document that passed it can be lowered
 *
 * Afterwards every name is resolved (slot), every invocation bound to a signature with its
 * generic type deduced, every expression typed, and each fault reported once.
 */
#ifndef NNEFC_SEMA_SEMA_H
#define NNEFC_SEMA_SEMA_H

#include "ir/datum.h"
#include "parser/ast.h"
#include "sema/type.h"

#include <stdbool.h>

struct context;
struct op_attr;
struct op_desc;

/* A parameter of a fragment. */
struct sig_param {
    const char *name; /* interned */
    struct span span; /* of its declaration */
    const struct type *type;
    bool has_default;
    struct datum value;         /* the default, evaluated; items in the arena */
    const struct op_attr *attr; /* attribute of the operator that it lands in; NULL: a tensor, or
                                   no descriptor */
};

/* A result of a fragment. */
struct sig_result {
    const char *name; /* interned */
    struct span span; /* of its declaration */
    const struct type *type;
};

struct signature;

/* What the body of an extension invokes. */
struct helper {
    const struct signature *signature;
    const struct helper *next;
};

/* A fragment, standard or of the document, as its callers see it. */
struct signature {
    const char *name;
    const struct fragment *fragment;
    const struct op_desc *op; /* its behaviour: primitives and kept compounds; NULL: expanded by
                                 its body, or custom (no body either) */
    const struct signature *extension; /* that of the library, which the document declares in the
                                          same words; NULL: it is another */
    const struct helper *helpers;      /* of an extension: others of the library that it invokes */
    struct sig_param *params;
    int nparam;
    const struct sig_param **by_name; /* params in an order of their names; NULL if they are few */
    struct sig_result *results;
    int nresult;
    const struct type *type; /* of an invocation: that of the result, the tuple of several;
                                poison if the declaration contradicts itself (reported) */
    bool generic;
    enum dtype generic_default; /* UNKNOWN: deduced */
    bool standard;
    bool faulty;  /* something in the declaration was reported */
    bool invoked; /* by anything but itself */
    /*
     * Environment of its body: slots 0..nparam-1 are the parameters, nparam..nparam+nresult-1 the
     * results, then the other identifiers and loop variables.
     */
    uint32_t nslot;
};

/* The standard operations of one dialect, by name. */
struct library;

/* What the checker and the lowering share: dialect, library, types, the document's fragments. */
struct checked {
    bool sound; /* else there were errors, in this document or its parsing: statements are marked */
    struct context *context;
    const struct document *document;
    const struct library *library;
    struct types *types;
    struct signature **signatures; /* of the document's fragments, in their order */
    uint32_t graph_slots;          /* environment of the graph body: parameters first, then
                                      results, then others */
};

/* Parse the embedded text of a dialect's library and join it with the operators; never fails on
 * a released build (a test proves it): faults are reported like any other and give NULL. */
const struct library *library_load(struct context *context, enum dialect dialect);

/* Texts that stand on the library of NNEF 1.0: the extensions, on these ONNX, and on ONNX others.
 */
enum library_more {
    LIBRARY_EXTENSIONS, /* operations that NNEF lacks: a document has those that it declares */
    LIBRARY_ONNX,       /* operators of ONNX that are compositions of those before */
    LIBRARY_PNNX,       /* the same of PNNX */
    LIBRARY_MICROSOFT,  /* the same of domain com.microsoft */
    LIBRARY_MORE
};

/* It shares types with `standard`, the library of NNEF 1.0, and is read when first asked for. */
const struct library *library_above(struct context *context, const struct library *standard,
                                    enum library_more which);

const struct signature *library_find(const struct library *library, const char *name);

/* All of them in the order of the library's text. */
int library_count(const struct library *library);
const struct signature *library_at(const struct library *library, int index);

/* The fragments that operators on tensors invoke (section 3.3.3); never NULL for a tensor
 * operator. `library_unary(UNARY_NOT)` is `not`. */
const struct signature *library_unary(const struct library *library, enum unary_op op);
const struct signature *library_binary(const struct library *library, enum binary_op op);

struct sema_options {
    bool pedantic; /* what is tolerated with a warning becomes an error */
    bool no_graph; /* a library of fragments */
};

/*
 * Check a whole document; reports everything it finds.  Returns what lower/ needs, which is sound
 * if there were no errors, else good enough to find the faults of the statements that are not
 * marked as faulty; NULL if there are too many errors, or is too little left, for that.
 */
struct checked *sema_check(struct context *context, struct document *document,
                           const struct sema_options *options);

/*
 * Check a quantization file (section 5.3): every name is a tensor of the graph body, every
 * invocation bound to a signature.  Arrays in the place of tensors are left to lower/.  False if
 * anything was reported, now or in its parsing.
 */
bool sema_quant(const struct checked *checked, const struct quant_entry_list *entries,
                const struct sema_options *options);

/* The same for an entry that is not of the file: the name of its tensor does not matter. */
bool sema_quant_entry(const struct checked *checked, struct quant_entry *entry,
                      const struct sema_options *options);

/* The value of a literal that is the argument of a parameter of the library.  False after a report,
 * also if it has another type. */
bool sema_argument(struct context *context, const struct library *library,
                   const struct sig_param *param, const struct expr *value, struct datum *to);

/* The document with every default filled in, every generic type written out and named arguments
 * in the order of the declaration: what `--dump=checked` shows. */
struct text;
void checked_print(const struct checked *checked, struct text *to);

/* --- describe.c: what the text of the library says about its operations, for people ----------- */

/* Texts live in the arena of the context. */
struct description {
    const char *declaration;     /* "conv(input: tensor<scalar>, ...) -> (output: ...)" */
    const char *section, *title; /* under which it stands: "4.3.1", "sliding window ..." */
    const char *shape;           /* of the results, in a few words */
    const char *since;           /* version, NULL if the text does not say */
    const char *borders;         /* that it takes, NULL if it has none */
};

struct description library_describe(struct context *context, const struct library *library,
                                    const struct signature *signature);

struct arena;

/* --- expr_make.c: expressions that no text was read for, of documents that are to be printed -- */

struct expr *expr_new(struct arena *arena, enum expr_kind kind);

/* The argument `name = value`. */
struct expr *expr_named(struct arena *arena, const char *name, struct expr *value);

/* The literal, array or tuple; a datum with tensors in it is the caller's to write. */
struct expr *expr_literal(struct arena *arena, const struct datum *datum);

#endif
