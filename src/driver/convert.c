/* convert.c - nnefc convert: a model in another format, which the name of the file tells */
#include "driver/load.h"
#include "driver/message.h"
#include "driver/path.h"
#include "driver/rewrite.h"
#include "driver/verb.h"

#include <errno.h>
#include <string.h>

static bool names_nnef(const char *path)
{
    return path_ends_in(path, ".nnef") || path_ends_in(path, ".tgz") ||
           path_ends_in(path, ".tar.gz") || path_ends_in(path, ".tar") || path_is_folder(path);
}

/* What is written to a stream is ONNX unless told otherwise. */
static enum target_format format_of(const struct settings *settings)
{
    const char *path = settings->target;

    if (settings->target_format)
        return settings->target_format;
    if (path_ends_in(path, ".onnx") || path_is_stream(path))
        return TARGET_ONNX;
    if (path_ends_in(path, ".ng"))
        return TARGET_GRAPH;
    if (path_ends_in(path, ".param"))
        return TARGET_PNNX;
    return names_nnef(path) ? TARGET_NNEF : TARGET_BY_NAME;
}

/* What is written is found in the text of the model again, or shows what that amounts to: no data are
 * needed for that. */
static bool follows_text(const struct settings *settings, enum target_format format)
{
    return settings->onnx.functions || settings->onnx.dynamic_count > 0 ||
           (format == TARGET_NNEF &&
            (path_is_stream(settings->target) || settings->profile == NNEFC_PROFILE_DOCUMENT));
}

static enum nnefc_status write_graph(const struct settings *settings, struct nnefc_model *model)
{
    const struct nnefc_run_options how = {.backend = "portable", .exact = settings->exact};

    return settings->pack ? nnefc_model_write_packed(model, settings->target, &how)
                          : nnefc_model_write_graph(model, settings->target);
}

static enum nnefc_status write_as(const struct settings *settings, enum target_format format,
                                  struct nnefc_model *model)
{
    switch (format) {
    case TARGET_NNEF:
        return nnefc_model_write_profile(model, settings->target, settings->profile);
    case TARGET_ONNX:
        return nnefc_model_write_onnx(model, settings->target, &settings->onnx);
    case TARGET_GRAPH:
        return write_graph(settings, model);
    case TARGET_PNNX:
        return nnefc_model_write_pnnx(model, settings->target);
    case TARGET_BY_NAME:
        break;
    }
    return NNEFC_USAGE;
}

static enum nnefc_status write_model(const struct settings *settings, enum target_format format)
{
    struct settings loading = *settings;

    if (format == TARGET_ONNX)
        loading.keep = settings->qdq ? NNEFC_KEEP_ONNX_QDQ : NNEFC_KEEP_ONNX;
    if (!follows_text(settings, format))
        rewrite_by_default(&loading);
    loading.check_data = true;
    struct nnefc_model *model = prepare_model(&loading);
    if (format == TARGET_PNNX)
        nnefc_model_set_pnnx_reading(model, NNEFC_PNNX_TO_READ);
    load_prepared(&loading, model);
    rewrite_model(&loading, model);
    enum nnefc_status status = nnefc_model_status(model);
    if (status == NNEFC_OK)
        status = write_as(settings, format, model);
    close_model(settings, model);
    return status;
}

/* Of PNNX only what was read can be written. */
static enum nnefc_status check_raw(const struct settings *settings, enum target_format format)
{
    if (format != TARGET_PNNX)
        return NNEFC_OK;
    if (!settings->raw)
        return usage_error(settings,
                           "PNNX is written of models of PNNX as they are only: say --raw, or "
                           "write NNEF, ONNX or a graph file");
    if (settings->nshape || settings->nextent || settings->nbound)
        return usage_error(settings,
                           "--shape, --dim and --bind do not go with PNNX, which is written "
                           "as it was read");
    return NNEFC_OK;
}

enum nnefc_status convert_run(const struct settings *settings)
{
    const char *target = settings->target;
    enum target_format format = format_of(settings);

    if (format == TARGET_BY_NAME)
        return usage_error(
            settings,
            "cannot tell what '%s' is to be, expected .onnx, .nnef, .tgz, .tar, .ng, "
            ".param or a folder, whose name ends in '/'; or say --to=nnef",
            target);
    if (format != TARGET_ONNX && settings->qdq)
        return usage_error(settings, "--quant=qdq is for ONNX, which '%s' is not to be", target);
    if (format != TARGET_NNEF && settings->profile_told)
        return usage_error(settings, "--profile is for NNEF, which '%s' is not to be", target);
    if (check_raw(settings, format) != NNEFC_OK)
        return NNEFC_USAGE;
    if (settings->onnx.external_data && path_is_stream(target))
        return usage_error(
            settings, "--external-data puts a file beside the model, but '%s' is no file", target);
    if (!path_is_folder(target) && !path_is_writable(target, false))
        return file_error(settings, target, strerror(errno));
    return write_model(settings, format);
}

enum nnefc_status compile_run(const struct settings *settings)
{
    struct settings one = *settings;

    if (!settings->target)
        return usage_error(settings, "'compile' needs a file to write, -o FILE.ng");
    if (settings->exact && !settings->pack)
        return usage_error(settings, "--exact says how --pack packs, which is not asked for");
    one.target_format = TARGET_GRAPH;
    return convert_run(&one);
}
