/*
 * init.c - nnefc init: random weights for a model without data
 *
 * The library scales them by their use, so that activations neither vanish nor explode.
 */
#include "driver/load.h"
#include "driver/report.h"

struct init_settings {
    struct command command;
    struct loading loading;
    uint64_t seed;
    bool force; /* replace weights that are there */
};

static enum nnefc_status init_run(const void *settings)
{
    const struct init_settings *s = settings;

    if (!loading_agrees(&s->command, &s->loading))
        return NNEFC_USAGE;
    struct nnefc_model *model = load_model(&s->loading, s->command.operand[0]);
    enum nnefc_status status = loaded_status(&s->command, model);
    /* Weights that exist already are an error without --force. */
    if (status == NNEFC_OK)
        status = nnefc_model_init_weights(model, s->seed, s->force);
    close_model(&s->command, model);
    return status;
}

static const struct option init_options[] = {
    {"--seed", NULL, "N", "another N makes other weights (1)", .expects = "a whole number from 0",
     .set = set_seed, .field = offsetof(struct init_settings, seed)},
    {"--data", NULL, "DIR", "folder to write to (the model's)", .set = set_text,
     .field = offsetof(struct init_settings, loading.data)},
    {"--force", "-f", NULL, "replace weights that are there",
     .field = offsetof(struct init_settings, force)},
    {0},
};

const struct verb init_verb = {
    .name = "init",
    .purpose = "write random weights for a model that has none",
    .examples = "  nnefc init model/                           write model/LABEL.dat for each "
                "variable\n"
                "  nnefc init model.nnef --data weights/       write to another folder\n",
    .operands = OPERANDS_MODEL,
    .usage = "MODEL",
    VERB_SETTINGS(init, {.loading = LOADING_DEFAULTS, .seed = 1}),
    .groups = {{init_options, 0, NULL}, MODEL_GROUPS(init)},
    .run = init_run,
};
