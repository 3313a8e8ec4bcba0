/* pack.c - nnefc pack: a model with its data in one archive */
#include "driver/load.h"
#include "driver/verb.h"

enum nnefc_status pack_run(const struct settings *settings)
{
    struct nnefc_model *model = load_model(settings);
    enum nnefc_status status = nnefc_model_status(model);

    if (status == NNEFC_OK)
        status = nnefc_model_pack(model, settings->target);
    close_model(settings, model);
    return status;
}
