/* load.h - a model as the settings want it, and what there is to say about it */
#ifndef NNEFC_DRIVER_LOAD_H
#define NNEFC_DRIVER_LOAD_H

#include "driver/settings.h"

/* Never NULL; not loaded yet. */
struct nnefc_model *prepare_model(const struct settings *settings);
void load_prepared(const struct settings *settings, struct nnefc_model *model);

/* Never NULL; nnefc_model_status() says whether it was loaded. */
struct nnefc_model *load_model(const struct settings *settings);

/* Print the diagnostics not printed yet to stderr: with -q only when there are errors. */
void print_diagnostics(const struct settings *settings, struct nnefc_model *model);

/* Print what is left to say and free the model. */
void close_model(const struct settings *settings, struct nnefc_model *model);

#endif
