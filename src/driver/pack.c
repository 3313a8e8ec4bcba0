/*
 * pack.c - nnefc pack: a model with its data in one archive
 *
 * The library makes the same bytes of the same model.
 */
#include "driver/load.h"
#include "driver/path.h"
#include "driver/report.h"

#include <errno.h>
#include <string.h>

struct pack_settings {
    struct command command;
    struct loading loading;
};

static enum nnefc_status pack_run(const void *settings)
{
    const struct pack_settings *s = settings;
    const char *target = s->command.operand[1];

    if (!loading_agrees(&s->command, &s->loading))
        return NNEFC_USAGE;
    if (!path_is_stream(target) && !path_ends_in(target, ".tar") &&
        !path_ends_in(target, ".tar.gz") && !path_ends_in(target, ".tgz"))
        return usage_error(&s->command,
                           "cannot write '%s': archives are .tgz, .tar.gz or .tar files", target);
    if (!path_is_writable(target, false))
        return file_error(&s->command, target, strerror(errno));
    struct nnefc_model *model = load_model(&s->loading, s->command.operand[0]);
    enum nnefc_status status = loaded_status(&s->command, model);
    if (status == NNEFC_OK)
        status = nnefc_model_pack(model, target);
    close_model(&s->command, model);
    return status;
}

static const struct option pack_options[] = {
    DATA_OPTION(offsetof(struct pack_settings, loading)),
    FORCE_OPTION(offsetof(struct pack_settings, loading)),
    {0},
};

const struct verb pack_verb = {
    .name = "pack",
    .purpose = "put a model with its data into one archive",
    .examples = "  nnefc pack model/ model.tgz                 the same model makes the same "
                "bytes\n"
                "  nnefc pack model.nnef model.tar --data weights/\n",
    .operands = OPERANDS_MODEL_TARGET,
    .usage = "MODEL OUT",
    VERB_SETTINGS(pack, {.loading = LOADING_DEFAULTS}),
    .groups = {{pack_options, 0, NULL}, MODEL_GROUPS(pack)},
    .run = pack_run,
};
