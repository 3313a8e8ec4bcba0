/*
 * diff.h - the part of nnefc.h about how two models differ, whatever their files look like
 *
 *     const struct nnefc_diff_options how = {.size = sizeof how, .ignore = NNEFC_IGNORE_NAMES};
 *     struct nnefc_diff *diff = nnefc_diff_new(a, b, &how);
 *
 *     if (diff && nnefc_diff_changes(diff)->count == 0)
 *         puts("B computes as A does");
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
 * What is equal has equal digests; what differs has different ones, but for a chance of 2^-64 each.
 * They are the same for all models in a process, and on other machines may be others.
 */
struct nnefc_digest {
    uint64_t alone; /* of an operation by itself: its operator, attributes, numbers of operands
                       and results, and what the quantization file says about these, whatever the
                       shapes are */
    uint64_t whole; /* the same with all that its operands are made of: for a variable its label,
                       type, shape and quantization, for a parameter its number, type, shape and
                       quantization, for a constant its items */
};
NNEFC_LIST_OF(nnefc_digest);

/* Those of nnefc_model_operations(), in the same order. */
NNEFC_API const struct nnefc_digest_list *nnefc_model_digests(const struct nnefc_model *model);

/* --- differences --------------------------------------------------------------------------- */

enum nnefc_change_kind {
    NNEFC_CHANGE_RENAMED,   /* from, to: names */
    NNEFC_CHANGE_LABEL,     /* of a variable; from, to: labels */
    NNEFC_CHANGE_ATTRIBUTE, /* which one; from, to: its values; NULL: it has none */
    NNEFC_CHANGE_OPERAND,   /* it reads another tensor; from, to: their names */
    NNEFC_CHANGE_TYPE,      /* from, to: "scalar[1,8]"; types behind are no changes of their own */
    NNEFC_CHANGE_WEIGHTS,   /* items of a variable or constant; 0.0 and -0.0 differ, too */
    NNEFC_CHANGE_REPLACED,  /* by another operation; from, to: operators */
    NNEFC_CHANGE_INSERTED,  /* is in B only */
    NNEFC_CHANGE_REMOVED,   /* is in A only */
    NNEFC_CHANGE_ORDER,     /* from, to: what it stands behind; NULL: nothing */
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
    /* In A and in B; NULL: it is not there.  An operation is called by its first result, a tensor
     * without an identifier "%7"; a fragment has no name here. */
    const char *name[2];
    int operation[2];      /* index in nnefc_model_operations() of A and B; -1: none */
    const char *attribute; /* ATTRIBUTE: its name; "quantization": the entry of the tensor in the
                              quantization file; "quantization scale": an argument of the entry */
    int operand;           /* OPERAND: which one, from 1; 0: all of them, as their number differs */
    const char *from, *to; /* as their kind says; else NULL */
    int64_t count;       /* TYPE: tensors behind that changed; FRAGMENT, and RENAMED of a fragment:
                            operations; WEIGHTS: items that differ */
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
 * Inputs and variables pair up first: by label, name, and with data by items.  Operations pair up
 * by what they are made of, by what is made of them, by name, and by the pairs around them; the
 * rest is inserted or removed.  What an inserted or removed operation explains, such as another
 * operand of the operation behind, is no change of its own.  Time grows as n log n.
 *
 * `options` may be NULL: all zero.  NULL after a report: the first model that has one says that it
 * is not loaded or open, or that data cannot be read.  Both models are read, so no other thread may
 * use them meanwhile.  The result lives by itself and is the caller's to free.
 */
struct nnefc_diff;
NNEFC_API struct nnefc_diff *nnefc_diff_new(struct nnefc_model *a, struct nnefc_model *b,
                                            const struct nnefc_diff_options *options);
NNEFC_API void nnefc_diff_free(struct nnefc_diff *diff);

/* In the order of B; what was removed stands where A has it.  Lives as long as `diff`. */
NNEFC_API const struct nnefc_change_list *nnefc_diff_changes(const struct nnefc_diff *diff);

#ifdef __cplusplus
}
#endif

#endif
