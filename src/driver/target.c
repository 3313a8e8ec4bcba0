/* target.c - what the name of a file says about the model to be written into it */
#include "driver/target.h"

#include "driver/path.h"
#include "driver/report.h"

#include <assert.h>

bool target_find(const struct command *command, const char *path, enum target_format *format)
{
    static const struct {
        const char *suffix;
        enum target_format format;
    } suffixes[] = {{".onnx", TARGET_ONNX}, {".ng", TARGET_GRAPH}, {".param", TARGET_PNNX},
                    {".nnef", TARGET_NNEF}, {".tgz", TARGET_NNEF}, {".tar.gz", TARGET_NNEF},
                    {".tar", TARGET_NNEF},  {NULL, TARGET_BY_NAME}};
    int i = 0;

    while (suffixes[i].suffix && !path_ends_in(path, suffixes[i].suffix))
        i++;
    *format = path_is_stream(path)                          ? TARGET_ONNX
              : !suffixes[i].suffix && path_is_folder(path) ? TARGET_NNEF
                                                            : suffixes[i].format;
    if (*format == TARGET_BY_NAME)
        usage_error(command,
                    "the name '%s' decides no format, expected .onnx, .nnef, .tgz, .tar, .ng, "
                    ".param or a folder, whose name ends in '/'",
                    path);
    return *format != TARGET_BY_NAME;
}

enum nnefc_status target_write(const struct target_form *form, struct nnefc_model *model)
{
    switch (form->format) {
    case TARGET_NNEF:
        return nnefc_model_write_profile(model, form->path, form->profile);
    case TARGET_ONNX:
        return nnefc_model_write_onnx(model, form->path, form->onnx);
    case TARGET_PNNX:
        return nnefc_model_write_pnnx(model, form->path);
    case TARGET_GRAPH:
        return form->packing ? nnefc_model_write_packed(model, form->path, form->packing)
                             : nnefc_model_write_graph(model, form->path);
    case TARGET_BY_NAME:
        break;
    }
    assert(form->format != TARGET_BY_NAME);
    return NNEFC_USAGE;
}
