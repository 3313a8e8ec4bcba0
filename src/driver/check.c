/* check.c - nnefc check: what is wrong with a model, and what it looks like inside */
#include "driver/fix.h"
#include "driver/load.h"
#include "driver/message.h"
#include "driver/start.h"
#include "driver/verb.h"

#include <stdio.h>
#include <stdlib.h>

/* What a model that could not be loaded lacks was reported. */
static enum nnefc_status dump(const struct settings *settings, const struct nnefc_model *model)
{
    char *text = nnefc_model_dump(model, settings->stage);
    enum nnefc_status status = nnefc_model_status(model);

    if (text)
        fputs(text, stdout);
    else if (status == NNEFC_OK)
        status = usage_error(settings, "'%s' is no text of NNEF: it has a graph only, --dump=graph",
                             settings->model);
    free(text);
    return status;
}

static enum nnefc_status dump_plan(const struct settings *settings, struct nnefc_model *model)
{
    struct nnefc_run *run;
    enum nnefc_status status = start_run(settings, "auto", model, &run);
    char *text = status == NNEFC_OK ? nnefc_run_dump_plan(run) : NULL;

    if (text)
        fputs(text, stdout);
    else if (status == NNEFC_OK)
        status = nnefc_model_status(model);
    free(text);
    nnefc_run_free(run);
    return status;
}

/* Tell about a loaded model, and free it. */
static enum nnefc_status tell(const struct settings *settings, struct nnefc_model *model)
{
    enum nnefc_status status = nnefc_model_status(model);

    print_diagnostics(settings, model);
    if (settings->dump_plan && status == NNEFC_OK)
        status = dump_plan(settings, model);
    else if (settings->dump)
        status = dump(settings, model);
    close_model(settings, model);
    return status;
}

static enum nnefc_status worse(enum nnefc_status a, enum nnefc_status b)
{
    return a > b ? a : b;
}

static enum nnefc_status check_one(const struct settings *settings)
{
    struct mending mending = {.settings = settings};
    enum nnefc_status status;

    if (!settings->fix && !settings->diff)
        return tell(settings, load_model(settings));
    status = mend(&mending);
    if (status != NNEFC_USAGE && status != NNEFC_INTERNAL)
        status = worse(status, tell(settings, mend_load(&mending)));
    mend_end(&mending);
    return status;
}

/* What a plan depends on tells nothing of anything else. */
static enum nnefc_status plans_agree(const struct settings *s)
{
    const char *option = s->backend       ? "--backend"
                         : s->exact       ? "--exact"
                         : s->threads > 0 ? "--threads"
                         : s->data        ? "--data"
                                          : NULL;

    if (option && !s->dump_plan)
        return usage_error(s, "%s is for --dump=plan", option);
    return NNEFC_OK;
}

/* Of several models the worst counts. */
enum nnefc_status check_run(const struct settings *settings)
{
    enum nnefc_status worst = plans_agree(settings);

    if (worst != NNEFC_OK)
        return worst;
    for (int i = 0; i < settings->nmodel; i++) {
        struct settings one = *settings;
        one.model = settings->models[i];
        worst = worse(worst, check_one(&one));
    }
    return worst;
}
