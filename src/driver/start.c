/* start.c - a model made ready to run as the settings want it */
#include "driver/start.h"

enum nnefc_status start_run(const struct settings *settings, const char *usual,
                            struct nnefc_model *model, struct nnefc_run **run)
{
    const struct nnefc_run_options options = {.backend =
                                                  settings->backend ? settings->backend : usual,
                                              .threads = settings->threads,
                                              .exact = settings->exact,
                                              .tune = settings->tuned,
                                              .tuning_file = settings->tuning_file};

    *run = nnefc_run_new_with(model, &options);
    if (!*run) {
        enum nnefc_status status = nnefc_model_status(model);
        return status == NNEFC_OK ? NNEFC_INTERNAL : status;
    }
    return nnefc_run_set_image(*run, &settings->image);
}
