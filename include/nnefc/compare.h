/*
 * compare.h - the part of nnefc.h for comparing tensors, recorded results, and steps in parts
 *
 *     const struct nnefc_tolerance tolerance = {1e-5, 1e-5};
 *     struct nnefc_tensor *expected = nnefc_tensor_read(model, "expected/y.npy");
 *     struct nnefc_difference difference;
 *
 *     if (nnefc_tensor_compare(nnefc_run_output(run, 0), expected, &tolerance, &difference))
 *         printf("off by %g, item %lld most\n", difference.max_absolute,
 *                (long long)difference.worst);
 */
#ifndef NNEFC_COMPARE_H
#define NNEFC_COMPARE_H

#include "nnefc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- tensors ------------------------------------------------------------------------------ */

/*
 * An item a agrees with b, its reference, if |a - b| <= absolute + relative * |b|.  Integers and
 * logicals agree only if they are equal, whatever the tolerance; NaN agrees with NaN and an
 * infinity with itself, with nothing else.
 */
struct nnefc_tolerance {
    double absolute, relative; /* finite, 0 or more */
};

enum nnefc_agreement {
    NNEFC_AGREES,
    NNEFC_OTHER_TYPE,
    NNEFC_OTHER_SHAPE, /* the type is the same */
    NNEFC_OTHER_ITEMS, /* type and shape are the same */
};

struct nnefc_difference {
    enum nnefc_agreement agreement;
    int64_t count, beyond; /* items of b, and those that do not agree */
    double max_absolute;   /* largest |a - b|; infinite if that is no number */
    double max_relative;   /* largest |a - b| / |b| of items whose b is not 0 */
    int64_t worst;         /* the item that takes the largest part of its tolerance, or exceeds it
                              most; -1: all are equal, or cannot be compared */
    int64_t index[NNEFC_MAX_RANK]; /* of that item, by dimensions */
};

/* NNEFC_OK if all of `a` agrees with `b`, else NNEFC_DIFFERENT; `difference`, which may be NULL,
 * says how far they are apart.  NNEFC_USAGE if there are not two tensors or is no tolerance. */
NNEFC_API enum nnefc_status nnefc_tensor_compare(const struct nnefc_tensor *a,
                                                 const struct nnefc_tensor *b,
                                                 const struct nnefc_tolerance *tolerance,
                                                 struct nnefc_difference *difference);

/* --- recorded results --------------------------------------------------------------------- */

/*
 * Recorded results: the .dat and .npy files of a folder, as `nnefc run --output=folder/` writes
 * them ("%2F" in the name of a file is a '/' in the name of the result), or the arrays of a file
 * .npz.  The list is sorted by name.  NULL with a diagnostic of the model, which need not be
 * loaded.
 */
struct nnefc_results;

struct nnefc_result {
    const char *name;
};
NNEFC_LIST_OF(nnefc_result);

NNEFC_API struct nnefc_results *nnefc_results_open(struct nnefc_model *model, const char *path);
NNEFC_API void nnefc_results_free(struct nnefc_results *results);
NNEFC_API const struct nnefc_result_list *nnefc_results_list(const struct nnefc_results *results);

/* The tensor of a result of the list, as nnefc_tensor_read() returns it: the caller frees it. */
NNEFC_API struct nnefc_tensor *nnefc_results_read(struct nnefc_results *results, int index);

/* --- what a run works on ----------------------------------------------------------------- */

/*
 * Give each item of a parameter that value.  For scalars it is rounded to 32 bits.  For integers it
 * must be whole and at most 2^53, for logicals 0 or 1; otherwise NNEFC_USAGE.
 */
NNEFC_API enum nnefc_status nnefc_run_fill_input(struct nnefc_run *run, int index, double value);

/* The input of a parameter, valid until it is given another; NULL if it has none. */
NNEFC_API const struct nnefc_tensor *nnefc_run_input(const struct nnefc_run *run, int index);

/* The value of a variable: its data, or the value that the last step gave it; valid until the next
 * step.  NULL after a report if all its items would take more memory than the limit. */
NNEFC_API const struct nnefc_tensor *nnefc_run_variable(const struct nnefc_run *run, int index);

/* --- a step in parts ---------------------------------------------------------------------- */

/* A result of an operation.  The list of a model is in the order of execution, with fragments
 * expanded. */
struct nnefc_computed {
    const char *name; /* identifier of the graph body; NULL: it has none */
    struct nnefc_type type;
    const char *operation; /* "conv" */
    const char *fragment;  /* the fragment of the document whose body it is in; NULL: the graph's */
    const char *file;      /* the text that the operation is in; NULL: it is in none */
    int line, column;
};
NNEFC_LIST_OF(nnefc_computed);
NNEFC_API const struct nnefc_computed_list *nnefc_model_computed(const struct nnefc_model *model);

/*
 * Begin a step, or continue it, until that result is computed.  Its tensor is valid until the next
 * call.  nnefc_run_step() completes the step; giving a parameter an input abandons it.
 */
NNEFC_API enum nnefc_status nnefc_run_advance(struct nnefc_run *run, int index);

/* Before a step: keep the tensor of this result until the next step begins. */
NNEFC_API enum nnefc_status nnefc_run_keep_computed(struct nnefc_run *run, int index);

/* The tensor of the step that was begun, or of the last step.  NULL if it is not valid any more, or
 * was not computed because no output depends on it. */
NNEFC_API const struct nnefc_tensor *nnefc_run_computed(const struct nnefc_run *run, int index);

#ifdef __cplusplus
}
#endif

#endif
