/* rewrite.h - passes over a model, and what they did */
#ifndef NNEFC_DRIVER_REWRITE_H
#define NNEFC_DRIVER_REWRITE_H

#include "driver/command.h"

struct rewriting {
    struct nnefc_rewrite how;
    bool raw;     /* leave the graph as it is */
    bool verbose; /* say what passes did, and how many packed weights a run has used */
};

extern const struct option pass_options[]; /* for a struct rewriting */
#define PASS_TITLE "Passes"

/* If asked for, rewrite a loaded model; with -v the standard error gets what changed. */
void rewrite_model(const struct rewriting *rewriting, struct nnefc_model *model);

#endif
