/* start.c - a model made ready to run as the settings want it */
#include "driver/start.h"

#include <stdio.h>

enum nnefc_status start_run(const struct settings *settings, const char *usual,
                            struct nnefc_model *model, struct nnefc_run **run)
{
    const struct nnefc_run_options options = {.backend =
                                                  settings->backend ? settings->backend : usual,
                                              .threads = settings->threads,
                                              .exact = settings->exact};

    *run = nnefc_run_new_with(model, &options);
    if (!*run) {
        enum nnefc_status status = nnefc_model_status(model);
        return status == NNEFC_OK ? NNEFC_INTERNAL : status;
    }
    return nnefc_run_set_image(*run, &settings->image);
}

void tell_packed(const struct settings *settings, const struct nnefc_model *model,
                 const struct nnefc_run *run)
{
    struct nnefc_packed packed = nnefc_model_packed(model);
    int taken, wanted = nnefc_run_packings(run, &taken);

    if (!settings->verbose || packed.count == 0)
        return;
    if (wanted > 0)
        fprintf(stderr, "%d of %d packed weights are from the file", taken, wanted);
    else
        fprintf(stderr, "nothing is packed for '%s', nor taken from the file",
                nnefc_run_backend(run));
    fprintf(stderr, ", which has %d for %s%s\n", packed.count, packed.kernels,
            packed.fits ? "" : ", of no use to these kernels or this version");
}
