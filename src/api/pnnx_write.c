/* pnnx_write.c - models of PNNX: writing, both files or none (pnnx.h) */
#include "api/formats.h"
#include "convert/pnnx/document.h"
#include "file/out.h"

#include <assert.h>
#include <stdlib.h>

/* Add the text, or the weights, to the set. */
static bool put(struct nnefc_model *model, const char *path, bool weights, struct out_set *set)
{
    struct out_file *file = out_open(set, path);

    assert(model->pnnx.document);
    if (!file)
        return false;
    struct sink sink = out_sink(file);
    if (weights)
        pnnx_write_weights(model->context, model->pnnx.document, &sink);
    else
        pnnx_write_text(model->pnnx.document, &sink);
    return true;
}

/* May it be written, as it was read?  False after a report. */
static bool is_as_read(const struct nnefc_model *model)
{
    struct diag *diag = model->context->diag;
    const char *name = model->home ? store_document_name(model->home) : NULL;
    bool shaped = model->lower.noverride > 0;

    if (model->is_part)
        return diag_file_error(diag, name, DIAG_NOT_SUPPORTED,
                               "a part of a model cannot be written in PNNX");
    if (!model->pnnx.document) {
        diag_file_error(diag, name, DIAG_NOT_SUPPORTED,
                        "a model of format '%s' cannot be written in PNNX, expected one that was "
                        "read from a '.param' of PNNX",
                        nnefc_format_name(nnefc_model_identity(model)->format));
        return diag_help(diag, "it can be written in NNEF, in ONNX or as a graph file.");
    }
    if (!shaped && model->onnx.options.nextent == 0)
        return true;
    return diag_file_error(diag, name, DIAG_INPUT_UNKNOWN,
                           "extents of '%s' cannot be set: the model is written as it was read",
                           shaped ? model->overrides[0].name : model->onnx.extents[0].name);
}

bool api_model_write_pnnx(struct nnefc_model *model, const char *path)
{
    if (!path)
        return misuse(model, "a model and a path are needed");
    if (model->pnnx.reading != NNEFC_PNNX_TO_READ || (!model->pnnx.document && !model->graph))
        return misuse(model, "a model is written in PNNX once its text was read, and nothing else");
    struct out_set set = {model->context->diag, model->force, .count = 0};
    bool ok = is_as_read(model);
    /* There is nothing beside standard output, a device or a pipe: they take the text alone. */
    if (ok && out_is_stream(path)) {
        ok = put(model, path, false, &set);
    } else if (ok) {
        /* The text takes its name last: where it is there, so are the weights. */
        char *beside = pnnx_path_beside(path);
        ok = (model->pnnx.weights.data ||
              pnnx_read_weights(model, store_document_name(model->home))) &&
             put(model, beside, true, &set) && put(model, path, false, &set);
        free(beside);
    }
    return out_commit(&set, ok);
}
