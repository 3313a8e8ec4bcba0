/* tune.h - what tuning has found, from one run of a program to the next: include/nnefc/backend.h */
#ifndef NNEFC_API_TUNE_H
#define NNEFC_API_TUNE_H

#include "exec/tune.h"

#include <stdbool.h>

struct nnefc_model;

/* For which plans it is. */
struct tuning_for {
    const char *file;     /* NULL: the user's */
    const char *backends; /* what there is to choose from, as it is to be called */
    int threads;
    bool exact;
};

struct tuned {
    struct tuner tuner;
    char *path;       /* NULL: there is none */
    bool may_write;   /* it is a file of ours, or not there yet */
    bool was_damaged; /* it is to be written even if nothing is new */
    int errors;       /* that there were before */
};

/* Read what is known.  A file that cannot be used is a warning. */
void tuned_begin(const struct nnefc_model *model, const struct tuning_for *wanted,
                 struct tuned *tuned);

/* Write what is new, likewise.  False if a warning was made an error. */
bool tuned_end(const struct nnefc_model *model, struct tuned *tuned);

#endif
