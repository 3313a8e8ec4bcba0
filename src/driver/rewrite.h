/* rewrite.h - passes over a model, and what they did */
#ifndef NNEFC_DRIVER_REWRITE_H
#define NNEFC_DRIVER_REWRITE_H

#include "driver/verb.h"

extern const struct option pass_options[]; /* ends with {0} */

/* For commands that rewrite a model unless told otherwise. */
void rewrite_by_default(struct settings *settings);

/* If so asked, rewrite a model that was loaded, and say on stderr what that did. */
void rewrite_model(const struct settings *settings, struct nnefc_model *model);

/* To standard output, for --list-passes. */
void passes_print(void);

#endif
