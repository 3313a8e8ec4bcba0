/* backends.h - who computes: which backend goes by a name, and what is asked after it */
#ifndef NNEFC_API_BACKENDS_H
#define NNEFC_API_BACKENDS_H

#include <stdbool.h>

struct backend;
struct nnefc_model;

/* Is there a backend of that name?  False after a report. */
bool backend_is_known(const struct nnefc_model *model, const char *name);

/* The one of that name, which is known and not "reference"; "auto" has all there are, if there is to be a
 * choice.  False after a report. */
bool backend_choose(const struct nnefc_model *model, const char *name, bool choice,
                    struct backend *backend);

/* It and all that are asked after it, with their facts; the caller's. */
char *backend_text(const struct backend *backend);

#endif
