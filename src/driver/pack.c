/* pack.c - nnefc pack: a model with its data in one archive */
#include "driver/load.h"
#include "driver/message.h"
#include "driver/path.h"
#include "driver/verb.h"

#include <errno.h>
#include <string.h>

static bool is_for_archive(const char *path)
{
    return path_is_stream(path) || path_ends_in(path, ".tar") || path_ends_in(path, ".tar.gz") ||
           path_ends_in(path, ".tgz");
}

enum nnefc_status pack_run(const struct settings *settings)
{
    if (!is_for_archive(settings->target))
        return usage_error(settings, "cannot write '%s': archives are .tgz, .tar.gz or .tar files",
                           settings->target);
    if (!path_is_writable(settings->target, false))
        return file_error(settings, settings->target, strerror(errno));
    struct nnefc_model *model = load_model(settings);
    enum nnefc_status status = nnefc_model_status(model);

    if (status == NNEFC_OK)
        status = nnefc_model_pack(model, settings->target);
    close_model(settings, model);
    return status;
}
