/* convert.c - nnefc convert: a model in another format, which the name of the file tells */
#include "driver/load.h"
#include "driver/message.h"
#include "driver/path.h"
#include "driver/verb.h"

#include <errno.h>
#include <string.h>

enum nnefc_status convert_run(const struct settings *settings)
{
    struct settings for_onnx = *settings;

    if (!path_is_stream(settings->target) && !path_ends_in(settings->target, ".onnx"))
        return usage_error(settings, "cannot write '%s': what is written are .onnx files",
                           settings->target);
    if (settings->onnx.external_data && path_is_stream(settings->target))
        return usage_error(settings,
                           "--external-data puts a file beside the model, but '%s' is no file",
                           settings->target);
    if (!path_is_writable(settings->target, false))
        return file_error(settings, settings->target, strerror(errno));
    for_onnx.keep = settings->qdq ? NNEFC_KEEP_ONNX_QDQ : NNEFC_KEEP_ONNX;
    struct nnefc_model *model = load_model(&for_onnx);
    enum nnefc_status status = nnefc_model_status(model);

    if (status == NNEFC_OK)
        status = nnefc_model_write_onnx(model, settings->target, &settings->onnx);
    close_model(settings, model);
    return status;
}
