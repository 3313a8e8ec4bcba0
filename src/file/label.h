/* label.h - labels of variables and their files in a model folder (NNEF 1.0.5, 4.1.3 and 5.1) */
#ifndef NNEFC_FILE_LABEL_H
#define NNEFC_FILE_LABEL_H

#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct context;
struct text;

/*
 * Whether a label has only letters, digits and _ - . / \, at most 1024 characters, and no component
 * that is empty, ".", ".." or a drive.  One leading separator is ignored.  If the label is not
 * valid, *why says what it has: "component '..'".  `why` may be NULL.
 */
bool label_valid(const char *label, const char **why);

/* The same, but any character is allowed, as in the provisional dialect. */
bool label_is_safe(const char *label, const char **why);

/*
 * A valid label of any name, in a text without anything: characters that no label has become '_',
 * and so do paths that lead up.
 */
void label_make(const char *name, struct text *label);

/* Would that be the name itself? */
bool label_is_made(const char *name);

/* Whether two labels name the same data: case does not count, and '\' is '/'. */
bool label_equal(const char *a, const char *b);

/*
 * Write the canonical form of `label`, which all labels of the same data share, to `to`.  It is no
 * longer than `label`; returns its length.  Case counts in the provisional dialect.
 */
size_t label_fold(const char *label, bool case_counts, char *to);

/*
 * An order of labels; labels of the same data compare as 0.  If case counts, it decides last, so
 * that labels which differ only in case are neighbours either way.
 */
int label_compare(const char *a, const char *b, bool case_counts);

/* Labels that compare as 0 have the same hash. */
uint64_t label_hash(const char *label, bool case_counts);

/* The file of a label below the model folder, LABEL.dat with '/' for '\'; the caller frees it. */
char *label_file(const char *label);

/* Whether two labels differ only in case and in / \ _ - . for each other: "conv/W1", "conv_w1". */
bool label_flat_equal(const char *a, const char *b);

/*
 * A label that may have been meant by `label`, which has no file: the nearest one with a file in
 * the same folder below `folder`, or one in an outer folder that is label_flat_equal().  The caller
 * frees it; NULL if none is near.
 */
char *label_nearest(const char *folder, const char *label);

/* The result of label_fold(), interned. */
const char *label_key(const struct context *context, const char *label, bool case_counts);

/* Labels in use; starts as {context}. */
struct labels {
    struct context *context;
    struct map taken; /* struct label_state, by label_key() */
    const char **reserved;
    int nreserved;
};

/*
 * Take `label` if it is free, else the first of label_2, label_3, ... that is.  Returns the label
 * taken, which lives as long as the context.  `label` is valid.
 */
const char *labels_take(struct labels *labels, const char *label);

/* Keep a label for labels_take_own(): labels_take() does not give it.  The text is not copied.
 * `key` is its label_key(), whatever the case of letters. */
void labels_reserve(struct labels *labels, const char *label);
const char *labels_take_own(struct labels *labels, const char *label, const char *key);

void labels_free(struct labels *labels);

#endif
