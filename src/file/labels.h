/* labels.h - labels that name different files */
#ifndef NNEFC_FILE_LABELS_H
#define NNEFC_FILE_LABELS_H

#include "base/map.h"

#include <stdbool.h>

struct context;

/* What labels of the same data have in common: an interned text.  `case_counts` as label_fold(). */
const char *label_key(const struct context *context, const char *label, bool case_counts);

/* Those that are taken; starts as {context}. */
struct labels {
    struct context *context;
    struct map taken; /* by what labels of the same data have in common */
};

/* `label` if none of the same data is taken, else with the first number behind it that makes it free;
 * it is taken then, and lasts as long as the context.  `label` is valid. */
const char *labels_take(struct labels *labels, const char *label);

void labels_free(struct labels *labels);

#endif
