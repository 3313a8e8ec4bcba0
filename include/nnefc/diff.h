/*
 * diff.h - the part of nnefc.h about how two models differ, whatever their files look like
 *
 *     const struct nnefc_diff_options how = {.size = sizeof how, .ignore = NNEFC_IGNORE_NAMES};
 *     struct nnefc_diff *diff = nnefc_diff_new(a, b, &how);
 *
 *     if (diff && nnefc_diff_changes(diff)->count == 0)
 *         puts("A and B differ at most in names");
 *     nnefc_diff_free(diff);
 */
#ifndef NNEFC_DIFF_H
#define NNEFC_DIFF_H

#include "nnefc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- digests ------------------------------------------------------------------------------- */

/*
 * Equal operations have equal digests.  Two different operations have different digests, but for a
 * chance of 2^-64.  Digests of all models in a process can be compared.  On another machine they
 * may be different.
 */
struct nnefc_digest {
    uint64_t alone; /* of an operation by itself: its operator, attributes, numbers of operands
                       and results, and their entries in the quantization file, but not shapes */
    uint64_t whole; /* the same, with everything that the operation depends on: for a variable its
                       label, type, shape and quantization, for a parameter its number, type, shape
                       and quantization, for a constant its items */
};
NNEFC_LIST_OF(nnefc_digest);

/* The digests of nnefc_model_operations(), in the same order. */
NNEFC_API const struct nnefc_digest_list *nnefc_model_digests(const struct nnefc_model *model);

/* --- differences --------------------------------------------------------------------------- */

enum nnefc_change_kind {
    NNEFC_CHANGE_RENAMED,   /* from, to: names */
    NNEFC_CHANGE_LABEL,     /* of a variable; from, to: labels */
    NNEFC_CHANGE_ATTRIBUTE, /* from, to: values of `attribute`; NULL: it has none */
    NNEFC_CHANGE_OPERAND,   /* it reads another tensor; from, to: names of the tensors */
    NNEFC_CHANGE_TYPE,      /* from, to: "scalar[1,8]"; tensors behind it are only counted */
    NNEFC_CHANGE_WEIGHTS,   /* items of a variable or constant; 0.0 and -0.0 differ, too */
    NNEFC_CHANGE_REPLACED,  /* by another operation; from, to: operators */
    NNEFC_CHANGE_INSERTED,  /* it is in B only */
    NNEFC_CHANGE_REMOVED,   /* it is in A only */
    NNEFC_CHANGE_ORDER,     /* from, to: the one before it; NULL: it is the first */
    NNEFC_CHANGE_FRAGMENT,  /* from, to: the fragments it is in, "block/inner"; NULL: none */
};

enum nnefc_changed {
    NNEFC_CHANGED_GRAPH,
    NNEFC_CHANGED_INPUT,
    NNEFC_CHANGED_VARIABLE,
    NNEFC_CHANGED_CONSTANT,
    NNEFC_CHANGED_OPERATION, /* or its results */
    NNEFC_CHANGED_OUTPUT,
    NNEFC_CHANGED_FRAGMENT,
};

struct nnefc_change {
    enum nnefc_change_kind kind;
    enum nnefc_changed what;
    /* In A and in B; NULL: it is not there.  An operation has the name of its first result.  A
     * tensor without an identifier is called "%7".  A fragment has no name here. */
    const char *name[2];
    int operation[2];      /* index in nnefc_model_operations() of A and B; -1: none */
    const char *attribute; /* ATTRIBUTE: its name; "quantization": the entry of the tensor in the
                              quantization file; "quantization scale": an argument of the entry */
    int operand;           /* OPERAND: which one, from 1; 0: all of them, as their number differs */
    const char *from, *to; /* as their kind says; else NULL */
    int64_t count;       /* TYPE: tensors behind it that changed with it; FRAGMENT, and RENAMED of a
                            fragment: operations; WEIGHTS: items that differ */
    int64_t items;       /* WEIGHTS: of how many */
    double max_absolute; /* WEIGHTS: largest |a - b| */
};
NNEFC_LIST_OF(nnefc_change);

/* Kinds of changes that are not listed. */
enum nnefc_ignore {
    NNEFC_IGNORE_NAMES = 1 << 0,     /* of tensors, fragments and graphs */
    NNEFC_IGNORE_LABELS = 1 << 1,    /* of variables */
    NNEFC_IGNORE_ORDER = 1 << 2,     /* of operations, inputs and outputs */
    NNEFC_IGNORE_FRAGMENTS = 1 << 3, /* which fragments an operation is in */
};

struct nnefc_diff_options {
    size_t size;     /* sizeof(struct nnefc_diff_options) */
    unsigned ignore; /* enum nnefc_ignore */
    bool data;       /* compare items of variables, too, which are read as by nnefc_run_new() */
};

/*
 * First, inputs and variables of both models are paired: by label, by name, and with `data` by
 * items.  Then operations are paired: by what they depend on, by what depends on them, by name, and
 * by the pairs around them.  All others are inserted or removed.  A consequence of an inserted or
 * removed operation, such as another operand of the operation behind it, is no change of its own.
 * Time grows as n log n.
 *
 * `options` may be NULL: all zero.  The function returns NULL after a report if a model is not
 * loaded, if it is open, or if its data cannot be read; the report is a diagnostic of the first
 * such model.  No other thread may use either model meanwhile.  The result does not depend on the
 * models; the caller frees it.
 */
struct nnefc_diff;
NNEFC_API struct nnefc_diff *nnefc_diff_new(struct nnefc_model *a, struct nnefc_model *b,
                                            const struct nnefc_diff_options *options);
NNEFC_API void nnefc_diff_free(struct nnefc_diff *diff);

/* In the order of B; a removed operation stands where A has it.  The list lives as long as `diff`.
 */
NNEFC_API const struct nnefc_change_list *nnefc_diff_changes(const struct nnefc_diff *diff);

#ifdef __cplusplus
}
#endif

#endif
