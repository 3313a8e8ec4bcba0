/*
 * pnnx.c - models of PNNX: loading, with the weights beside the text (pnnx.h)
 *
 * A client may ask to compute with a model, to be informed about it, or to read its text only.  The
 * less it asks for, the fewer faults there are.
 */
#include "api/formats.h"
#include "api/open.h"
#include "base/intern.h"
#include "base/text.h"
#include "convert/onnx/import_value.h"
#include "convert/pnnx/archive.h"
#include "convert/pnnx/import.h"
#include "diag/source.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char suffix[] = ".param";

bool api_model_set_pnnx_reading(struct nnefc_model *model, enum nnefc_pnnx_reading reading)
{
    if ((unsigned)reading > NNEFC_PNNX_TO_READ)
        return misuse(model, "%d is no way to read a model of PNNX", (int)reading);
    model->pnnx.reading = reading;
    return true;
}

/* The name alone tells that a file is to be a text of PNNX. */
static bool ends_with_suffix(const char *name)
{
    size_t size = strlen(name);

    return size >= strlen(suffix) && strcmp(name + size - strlen(suffix), suffix) == 0;
}

bool pnnx_recognise(const char *name, const void *bytes, size_t size)
{
    static const char magic[] = "7767517"; /* the first line of the text */

    return (size >= strlen(magic) && memcmp(bytes, magic, strlen(magic)) == 0) ||
           ends_with_suffix(name);
}

/* --- weights ------------------------------------------------------------------------------- */

/* A name without the suffix gets ".bin" behind it. */
char *pnnx_path_beside(const char *path)
{
    size_t size = strlen(path) - (ends_with_suffix(path) ? strlen(suffix) : 0);
    struct text text = {0};

    text_add(&text, "%.*s.bin", (int)size, path);
    return text.data;
}

/* The file stays open only if all attributes have their data. */
static bool bind_weights(struct nnefc_model *model, const char *path)
{
    struct context *context = model->context;
    struct file_view *weights = &model->pnnx.weights;
    const struct file_request wanted = {.budget = context_budget(context),
                                        .read = context->limits.read_files};
    struct pnnx_archive archive;

    assert(model->pnnx.document && !weights->data);
    if (!file_open(context->diag, path, &wanted, weights))
        return false;
    bool ok = pnnx_archive_open(context, keep_text(model, path), weights->data, weights->size,
                                &archive) &&
              pnnx_weights_bind(context, model->pnnx.document, &archive);
    pnnx_archive_close(&archive);
    if (!ok)
        file_close(weights);
    context_account(context, file_memory(weights));
    return ok;
}

/* The help for a file that is missing says how to name another. */
bool pnnx_read_weights(struct nnefc_model *model, const char *path)
{
    struct diag *diag = model->context->diag;
    bool text_only = model->pnnx.reading == NNEFC_PNNX_TO_READ;

    if (model->pnnx.weights_file)
        return bind_weights(model, model->pnnx.weights_file);
    if (model->pnnx.document->nattribute == 0) /* then the file may be missing */
        return true;
    if (strcmp(path, "<stdin>") == 0) {
        diag_file_error(diag, path, DIAG_CANNOT_READ,
                        "the weights of a model from a stream are in a file that has to be named");
        return diag_help(diag, "give --bin=FILE.");
    }
    char *beside = pnnx_path_beside(path);
    int errors = diag_error_count(diag);
    bool ok = bind_weights(model, beside);
    if (!ok && diag_error_count(diag) > errors &&
        diag_at(diag, diag_count(diag) - 1).code == DIAG_CANNOT_READ)
        diag_help(
            diag,
            "the weights are in a file beside '%s'; if they are elsewhere, give --bin=FILE%s.",
            path, text_only ? "; the text alone is written to '-', with --to=pnnx" : "");
    free(beside);
    return ok;
}

/* --- loading ------------------------------------------------------------------------------- */

/* The document becomes the graph, with the shapes and extents that the client asked for.  The
 * weights are looked at even if operators are not known, unless the client wants to compute: then
 * faults of operators come first. */
static bool make_graph(struct nnefc_model *model, const char *name)
{
    struct context *context = model->context;
    bool compute = model->pnnx.reading == NNEFC_PNNX_TO_COMPUTE;
    bool ok = compute || pnnx_read_weights(model, name);

    ok &= pnnx_check_operators(context, model->pnnx.document); /* all faults, not the first */
    if (!ok || (compute && !pnnx_read_weights(model, name)))
        return false;
    if (open_pnnx(model, import_options(model, name))) {
        model->imported = true;
        return true;
    }
    model->graph =
        pnnx_import(context, model->pnnx.document, import_options(model, name), &model->memory);
    model->imported = model->graph != NULL;
    return model->imported;
}

/* A model that cannot be computed may yet be in order.  If all errors from report `from` on are of
 * that kind, they become warnings.  False if there are others, or warnings are errors (-Werror). */
static bool excuse(struct nnefc_model *model, int from)
{
    struct diag *diag = model->context->diag;
    int count = diag_count(diag) - from;
    struct diag_report *said = arena_array_of(model->context->arena, struct diag_report, count + 1);
    const char **help = arena_array_of(model->context->arena, const char *, count + 1);
    bool inform = model->pnnx.reading == NNEFC_PNNX_TO_INFORM, excused = count > 0;

    assert(count >= 0);
    for (int i = 0; i < count; i++) {
        said[i] = diag_at(diag, from + i);
        help[i] = diag_help_at(diag, from + i);
        enum diag_code code = said[i].code;
        excused &= said[i].severity != SEVERITY_ERROR || code == DIAG_NOT_IN_NNEF ||
                   code == DIAG_ONNX_UNKNOWN || (code == DIAG_CANNOT_READ && inform);
    }
    if (!excused)
        return false;
    diag_take_back(diag, from); /* the texts stay, in the arena */
    int errors = diag_error_count(diag);
    for (int i = 0; i < count; i++) {
        if (said[i].severity != SEVERITY_ERROR)
            continue;
        if (said[i].file)
            diag_file_warning(diag, said[i].file, WARNING_NOT_COMPUTABLE, "%s", said[i].text);
        else
            diag_warning(diag, said[i].at, WARNING_NOT_COMPUTABLE, "%s", said[i].text);
        if (help[i])
            diag_help(diag, "%s", help[i]);
    }
    return diag_error_count(diag) == errors;
}

/* An operator that nobody knows is a fault only for who wants to compute. */
bool import_pnnx(struct nnefc_model *model, const char *name, const void *bytes, size_t size)
{
    struct context *context = model->context;
    struct span at;

    if (!text_allowed(model, name, size))
        return false;
    if (model->onnx.options.nbound)
        return diag_file_error(context->diag, name, DIAG_INPUT_UNKNOWN,
                               "input '%s' cannot be bound: inputs are bound of ONNX models",
                               model->onnx.bounds[0].input);
    if (!enter_text(model, name, bytes, size, &at))
        return false;
    model->pnnx.document = pnnx_read(context, at.begin, bytes, size);
    if (!model->pnnx.document || model->pnnx.reading == NNEFC_PNNX_TO_READ)
        return model->pnnx.document;
    int before = diag_count(context->diag);
    return make_graph(model, name) ||
           (model->pnnx.reading != NNEFC_PNNX_TO_COMPUTE && excuse(model, before));
}

const char *pnnx_input_of_operand(const struct nnefc_model *model, const char *name)
{
    const char *key = intern(model->context->names, name, strlen(name));
    const struct pnnx_operand *operand =
        model->pnnx.document ? map_get(&model->pnnx.document->by_name, key) : NULL;
    bool is_input = operand && strcmp(operand->producer->type, "pnnx.Input") == 0;

    return is_input ? operand->producer->name : NULL;
}

/* Attributes are views of the mapped weights, so these are closed behind the document. */
void import_pnnx_free(struct nnefc_model *model)
{
    pnnx_document_free(model->pnnx.document);
    if (model->pnnx.weights.data)
        file_close(&model->pnnx.weights);
}
