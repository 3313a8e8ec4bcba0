/* check.c - nnefc check: what is wrong with a model, and what it looks like inside */
#include "driver/load.h"
#include "driver/verb.h"

#include <stdio.h>
#include <stdlib.h>

static void dump(const struct nnefc_model *model, enum nnefc_stage stage)
{
    char *text = nnefc_model_dump(model, stage);

    if (text)
        fputs(text, stdout);
    free(text);
}

static enum nnefc_status check_one(const struct settings *settings)
{
    struct nnefc_model *model = load_model(settings);
    enum nnefc_status status = nnefc_model_status(model);

    print_diagnostics(settings, model);
    if (settings->dump)
        dump(model, settings->stage);
    close_model(settings, model);
    return status;
}

/* Of several models the worst counts. */
enum nnefc_status check_run(const struct settings *settings)
{
    enum nnefc_status worst = NNEFC_OK;

    for (int i = 0; i < settings->nmodel; i++) {
        struct settings one = *settings;
        one.model = settings->models[i];
        enum nnefc_status status = check_one(&one);
        worst = status > worst ? status : worst;
    }
    return worst;
}
