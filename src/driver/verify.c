/*
 * verify.c - nnefc verify: whether models, and the graphs made of them, are in order
 *
 * Loading finds the faults of a model. The check of the graph after that finds faults of nnefc.
 */
#include "driver/load.h"
#include "driver/report.h"

#include <assert.h>

struct verify_settings {
    struct command command;
    struct loading loading;
    bool no_data;
};

static enum nnefc_status verify_run(const void *settings)
{
    const struct verify_settings *s = settings;
    enum nnefc_status worst = NNEFC_OK;

    if (!loading_agrees(&s->command, &s->loading))
        return NNEFC_USAGE;
    assert(s->command.operand_count > 0);
    for (int i = 0; i < s->command.operand_count; i++) {
        const char *path = s->command.operand[i];
        struct nnefc_model *model = prepare_model(&s->loading);
        nnefc_model_set_check_data(model, !s->no_data);
        nnefc_model_set_pnnx_reading(model,
                                     s->no_data ? NNEFC_PNNX_TO_INFORM : NNEFC_PNNX_TO_VERIFY);
        load_prepared(&s->loading, model, path);
        /* A model of PNNX that was read as text only has no name and no graph. */
        if (nnefc_model_status(model) == NNEFC_OK && nnefc_model_name(model))
            nnefc_model_verify(model, !s->no_data);
        enum nnefc_status status = s->command.operand_count > 1 ? nnefc_model_status(model)
                                                                : loaded_status(&s->command, model);
        const struct nnefc_packed *packed = nnefc_model_packed(model);
        report_model(&s->command, model);
        if (status == NNEFC_OK && !s->command.quiet) {
            struct record *record = record_new_object();
            record_text(record, "model", path);
            record_text(record, "packed", packed->count > 0 ? packed->kernels : NULL);
            record_bool(record, "fits", packed->fits);
            record_print_text(record,
                              "{model}: ok{packed?, with weights packed for {packed}"
                              "{fits!, which runs here do not use}}\n",
                              stdout);
        }
        close_model(&s->command, model);
        worst = status > worst ? status : worst; /* they are ordered by how bad they are */
    }
    return worst;
}

static const struct option verify_options[] = {
    {"--no-data", NULL, NULL, "do not read the data of variables",
     .field = offsetof(struct verify_settings, no_data)},
    DATA_OPTION(offsetof(struct verify_settings, loading)),
    {0},
};

const struct verb verify_verb = {
    .name = "verify",
    .purpose = "check models, their data and their graphs",
    .examples = "  nnefc verify model/                         prints 'model/: ok', or what is "
                "wrong\n"
                "  nnefc verify *.onnx                         several models\n"
                "  nnefc verify model.nnef --no-data           without the data of variables\n",
    .operands = OPERANDS_MODELS,
    .usage = "MODEL...",
    VERB_SETTINGS(verify, {.loading = LOADING_DEFAULTS}),
    .groups = {{verify_options, 0, NULL}, MODEL_GROUPS(verify)},
    .run = verify_run,
};
