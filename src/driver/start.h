/* start.h - a model made ready to run as the settings want it */
#ifndef NNEFC_DRIVER_START_H
#define NNEFC_DRIVER_START_H

#include "driver/settings.h"

/* Fills in *run, which nnefc_run_free() takes; NULL after a failure.  `usual` is the backend if the
 * settings name none. */
enum nnefc_status start_run(const struct settings *settings, const char *usual,
                            struct nnefc_model *model, struct nnefc_run **run);

/* If the settings want it: how many packed weights of a graph file the run has used, on the standard error. */
void tell_packed(const struct settings *settings, const struct nnefc_model *model,
                 const struct nnefc_run *run);

#endif
