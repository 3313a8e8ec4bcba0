/* start.c - a model made ready to run as the settings want it */
#include "driver/start.h"

enum nnefc_status start_run(const struct settings *settings, struct nnefc_model *model,
                            struct nnefc_run **run)
{
    *run = nnefc_run_new(model);
    if (!*run) {
        enum nnefc_status status = nnefc_model_status(model);
        return status == NNEFC_OK ? NNEFC_INTERNAL : status;
    }
    nnefc_run_set_threads(*run, settings->threads);
    return nnefc_run_set_image(*run, &settings->image);
}
