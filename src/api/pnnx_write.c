/* pnnx_write.c - models of PNNX: writing, both files or none */
#include "api/api_priv.h"
#include "convert/pnnx/document.h"
#include "file/file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* There is nothing beside standard output, a device or a pipe. */
static bool is_stream(const char *path)
{
    struct stat st;

    return strcmp(path, "-") == 0 || (stat(path, &st) == 0 && !S_ISREG(st.st_mode));
}

static bool put_text(struct nnefc_model *model, const char *path, struct out_file *file)
{
    if (!out_file_open(model->context->diag, path, file))
        return false;
    struct sink sink = out_file_sink(file);
    pnnx_write_text(model->pnnx.document, &sink);
    return true;
}

static bool put_weights(struct nnefc_model *model, const char *path, struct out_file *file)
{
    if (!out_file_open(model->context->diag, path, file))
        return false;
    struct sink sink = out_file_sink(file);
    pnnx_write_weights(model->context, model->pnnx.document, &sink);
    return true;
}

/* The text takes its name last: where it is there, so are the weights. */
static bool write_both(struct nnefc_model *model, const char *path)
{
    struct diag *diag = model->context->diag;
    char *beside = pnnx_path_beside(path);
    struct out_file files[2];
    bool ok = put_weights(model, beside, &files[0]);

    if (ok && !put_text(model, path, &files[1])) {
        out_file_abandon(&files[0]);
        ok = false;
    }
    ok = ok && out_files_commit(diag, files, 2);
    free(beside);
    return ok;
}

static bool write_text(struct nnefc_model *model, const char *path)
{
    struct out_file file;

    return put_text(model, path, &file) && out_file_commit(model->context->diag, &file);
}

static bool load_weights(struct nnefc_model *model)
{
    return model->pnnx.weights.data || pnnx_read_weights(model, store_document_name(model->home));
}

/* May it be written?  False after a report. */
static bool is_as_read(const struct nnefc_model *model)
{
    struct diag *diag = model->context->diag;
    const char *name = model->home ? store_document_name(model->home) : NULL;

    if (!model->pnnx.document) {
        diag_file_error(diag, name, DIAG_NOT_SUPPORTED,
                        "a model of format '%s' cannot be written in PNNX, expected one that was "
                        "read from a '.param' of PNNX",
                        nnefc_format_name(nnefc_model_identity(model)->format));
        diag_help(diag, "it can be written in NNEF, in ONNX or as a graph file.");
        return false;
    }
    if (model->lower.noverride == 0 && model->onnx.nextent == 0)
        return true;
    return diag_file_error(diag, name, DIAG_INPUT_UNKNOWN,
                           "extents of '%s' cannot be set: the model is written as it was read",
                           model->lower.noverride ? model->overrides[0].name
                                                  : model->extents[0].name);
}

enum nnefc_status api_model_write_pnnx(struct nnefc_model *model, const char *path)
{
    if (!model || !path)
        return misuse(model, "a model and a path are needed");
    if (model->pnnx.reading != NNEFC_PNNX_TO_READ || (!model->pnnx.document && !model->graph))
        return misuse(model, "a model is written in PNNX once its text was read, and nothing else");
    int before = diag_count(model->context->diag);
    bool stream = is_stream(path);

    if (is_as_read(model) && (stream || load_weights(model)) &&
        (stream ? write_text : write_both)(model, path))
        return NNEFC_OK;
    return status_since(model, before);
}
