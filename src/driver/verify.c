/* verify.c - nnefc verify: whether models, and the graphs made of them, are in order */
#include "driver/load.h"
#include "driver/verb.h"

#include <stdio.h>

static void print_ok(const struct settings *settings, const struct nnefc_model *model)
{
    struct nnefc_packed packed = nnefc_model_packed(model);

    printf("%s: ok", settings->model);
    if (packed.count > 0)
        printf(", with weights packed for %s%s", packed.kernels,
               packed.fits ? "" : ", which runs here do not use");
    putchar('\n');
}

static enum nnefc_status verify_one(const struct settings *settings)
{
    struct settings checking = *settings;

    checking.check_data = !settings->no_data;
    struct nnefc_model *model = prepare_model(&checking);
    nnefc_model_set_pnnx_reading(model,
                                 settings->no_data ? NNEFC_PNNX_TO_INFORM : NNEFC_PNNX_TO_VERIFY);
    load_prepared(&checking, model);
    if (nnefc_model_status(model) == NNEFC_OK && nnefc_model_name(model))
        nnefc_model_verify(model, !settings->no_data);
    enum nnefc_status status = nnefc_model_status(model);
    print_diagnostics(settings, model);
    if (status == NNEFC_OK && !settings->quiet)
        print_ok(settings, model);
    close_model(settings, model);
    return status;
}

/* Of several models the worst counts. */
enum nnefc_status verify_run(const struct settings *settings)
{
    enum nnefc_status worst = NNEFC_OK;

    for (int i = 0; i < settings->nmodel; i++) {
        struct settings one = *settings;
        one.model = settings->models[i];
        enum nnefc_status status = verify_one(&one);
        worst = status > worst ? status : worst;
    }
    return worst;
}
