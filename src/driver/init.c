/* init.c - nnefc init: random weights for a model without data */
#include "driver/load.h"
#include "driver/verb.h"

enum nnefc_status init_run(const struct settings *settings)
{
    struct nnefc_model *model = load_model(settings);
    enum nnefc_status status = nnefc_model_status(model);

    if (status == NNEFC_OK)
        status = nnefc_model_init_weights(model, settings->seed, settings->force);
    close_model(settings, model);
    return status;
}
