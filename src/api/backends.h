/* backends.h - who computes: which backend goes by a name, and what is asked after it */
#ifndef NNEFC_API_BACKENDS_H
#define NNEFC_API_BACKENDS_H

#include <stdbool.h>

struct backend;
struct nnefc_model;

/* Is there a backend of that name?  False after a report. */
bool backend_is_known(const struct nnefc_model *model, const char *name);

#endif
