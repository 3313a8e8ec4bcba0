/* label.h - labels of variables and their files in a model folder (NNEF 1.0.5, 4.1.3 and 5.1) */
#ifndef NNEFC_FILE_LABEL_H
#define NNEFC_FILE_LABEL_H

#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>

struct context;

/*
 * Letters, digits and _ - . / \ only; one leading separator is ignored; no component is empty, ".",
 * ".." or a drive; there are no more than 1024 characters, which is less than files may have.  If
 * not valid, *why (which may be NULL) says so: "component '..'".
 */
bool label_valid(const char *label, const char **why);

/* The same, but that any character is in order, as in the provisional dialect. */
bool label_is_safe(const char *label, const char **why);

/* Whether two labels name the same data: without case, '\' as '/'. */
bool label_equal(const char *a, const char *b);

/*
 * What all labels of the same data have in common, of at most the length of `label`; the number of
 * bytes written before the final NUL.  Case counts in the provisional dialect.
 */
size_t label_fold(const char *label, bool case_counts, char *to);

/*
 * An order of labels in which those of the same data compare as 0.  Where case counts it is the
 * last to tell them apart, so that labels equal but for case stand together either way.
 */
int label_compare(const char *a, const char *b, bool case_counts);

/* The file of a label below the model folder, label.dat with '/' in it, to be freed. */
char *label_file(const char *label);

/* Equal whatever the case and whichever of / \ _ - . stand between: "conv/W1" and "conv_w1". */
bool label_flat_equal(const char *a, const char *b);

/*
 * The label nearest to `label` whose file is in the same folder below `folder`, or one of a file in
 * an outer folder with other characters for '/', to be freed; NULL if none is near.
 */
char *label_nearest(const char *folder, const char *label);

/* What labels of the same data have in common: an interned text.  `case_counts` as label_fold(). */
const char *label_key(const struct context *context, const char *label, bool case_counts);

/* Those that are taken; starts as {context}. */
struct labels {
    struct context *context;
    struct map taken; /* by what labels of the same data have in common */
};

/*
 * `label` if none of the same data is taken, else with the first number behind it that makes it
 * free; it is taken then, and lasts as long as the context.  `label` is valid.
 */
const char *labels_take(struct labels *labels, const char *label);

void labels_free(struct labels *labels);

#endif
