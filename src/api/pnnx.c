/* pnnx.c - models of PNNX: loading, with the weights beside the text */
#include "api/api_priv.h"
#include "base/arena.h"
#include "base/intern.h"
#include "base/text.h"
#include "convert/onnx/import_value.h"
#include "convert/pnnx/archive.h"
#include "convert/pnnx/import.h"
#include "diag/source.h"
#include "file/file.h"

#include <stdlib.h>
#include <string.h>

static const char suffix[] = ".param";

enum nnefc_status api_model_set_weights_file(struct nnefc_model *model, const char *path)
{
    if (!before_loading(model, "the file of weights"))
        return NNEFC_USAGE;
    model->pnnx.weights_file =
        path ? arena_strndup(model->context->arena, path, strlen(path)) : NULL;
    return NNEFC_OK;
}

enum nnefc_status api_model_set_pnnx_reading(struct nnefc_model *model,
                                             enum nnefc_pnnx_reading reading)
{
    if (!before_loading(model, "what is asked of a model of PNNX"))
        return NNEFC_USAGE;
    if ((unsigned)reading > NNEFC_PNNX_TO_READ)
        return misuse(model, "%d is no way to read a model of PNNX", (int)reading);
    model->pnnx.reading = (int)reading;
    return NNEFC_OK;
}

static bool ends_with_suffix(const char *name)
{
    size_t size = strlen(name);

    return size >= strlen(suffix) && strcmp(name + size - strlen(suffix), suffix) == 0;
}

/* The text begins with a number of its own; a file that is to be one is told by its name. */
bool reads_pnnx(const struct nnefc_model *model, const char *name, const void *bytes, size_t size)
{
    static const char magic[] = "7767517";
    bool begins = size >= strlen(magic) && memcmp(bytes, magic, strlen(magic)) == 0;

    return model->format == NNEFC_FORMAT_PNNX ||
           (model->format == NNEFC_FORMAT_AUTO && (begins || ends_with_suffix(name)));
}

/* --- weights ------------------------------------------------------------------------------- */

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
    struct pnnx_archive archive;

    if (!file_open(context->diag, path, context_budget(context), &model->pnnx.weights))
        return false;
    const char *name = arena_strndup(context->arena, path, strlen(path));
    bool ok = pnnx_archive_open(context, name, model->pnnx.weights.data, model->pnnx.weights.size,
                                &archive) &&
              pnnx_weights_bind(context, model->pnnx.document, &archive);
    pnnx_archive_close(&archive);
    if (!ok)
        file_close(&model->pnnx.weights);
    return ok;
}

/* Nothing is beside a stream. */
static bool lacks_name(const struct nnefc_model *model, const char *path)
{
    if (strcmp(path, "<stdin>") != 0)
        return false;
    diag_file_error(model->context->diag, path, DIAG_CANNOT_READ,
                    "the weights of a model from a stream are in a file that has to be named");
    diag_help(model->context->diag, "give --bin=FILE.");
    return true;
}

static bool bind_beside(struct nnefc_model *model, const char *path)
{
    struct diag *diag = model->context->diag;
    char *beside = pnnx_path_beside(path);
    int errors = diag_error_count(diag);
    bool ok = bind_weights(model, beside);

    if (!ok && diag_error_count(diag) > errors &&
        diag_at(diag, diag_count(diag) - 1).code == DIAG_CANNOT_READ)
        diag_help(
            diag,
            "the weights are in a file beside '%s'; if they are elsewhere, give --bin=FILE%s.",
            path,
            model->pnnx.reading == NNEFC_PNNX_TO_READ
                ? "; the text alone is written to '-', with --to=pnnx"
                : "");
    free(beside);
    return ok;
}

/* A model without weights may do without the file. */
bool pnnx_read_weights(struct nnefc_model *model, const char *path)
{
    const char *named = model->pnnx.weights_file;

    if (named)
        return bind_weights(model, named);
    if (model->pnnx.document->nattribute == 0)
        return true;
    return !lacks_name(model, path) && bind_beside(model, path);
}

/* --- loading ------------------------------------------------------------------------------- */

static void hand_over(struct nnefc_model *model, struct pnnx_import_options *options)
{
    int count = model->lower.noverride;
    struct arena *arena = model->context->arena;
    struct pnnx_input_shape *shapes = arena_array_of(arena, struct pnnx_input_shape, count + 1);
    struct pnnx_extent *extents =
        arena_array_of(arena, struct pnnx_extent, model->onnx.nextent + 1);

    for (int i = 0; i < count; i++)
        shapes[i] = (struct pnnx_input_shape){model->overrides[i].name, model->overrides[i].shape};
    for (int i = 0; i < model->onnx.nextent; i++)
        extents[i] = (struct pnnx_extent){model->extents[i].name, model->extents[i].extent};
    options->shapes = shapes;
    options->nshape = count;
    options->extents = extents;
    options->nextent = model->onnx.nextent;
}

static bool is_too_large(const struct nnefc_model *model, const char *name, size_t size)
{
    if (size <= (uint64_t)model->context->limits.text)
        return false;
    file_text_too_large(model->context->diag, name, model->context->limits.text);
    return true;
}

/* Weights are looked at even if nobody can say what the operators are. */
static bool make_graph(struct nnefc_model *model, const char *name)
{
    struct pnnx_import_options options = {.name = name};
    struct context *context = model->context;
    bool compute = model->pnnx.reading == NNEFC_PNNX_TO_COMPUTE;
    bool ok = compute || pnnx_read_weights(model, name);

    ok &= pnnx_check_operators(context, model->pnnx.document);
    if (!ok || (compute && !pnnx_read_weights(model, name)))
        return false;
    hand_over(model, &options);
    model->graph = pnnx_import(context, model->pnnx.document, &options, &model->memory);
    model->imported = model->graph != NULL;
    return model->imported;
}

/* --- what cannot be computed may yet be in order --------------------------------------------- */

static bool is_excused(const struct nnefc_model *model, enum diag_code code)
{
    return code == DIAG_NOT_IN_NNEF || code == DIAG_ONNX_UNKNOWN ||
           (code == DIAG_CANNOT_READ && model->pnnx.reading == NNEFC_PNNX_TO_INFORM);
}

static void warn(struct diag *diag, const struct diag_report *said, const char *help)
{
    if (said->file)
        diag_file_warning(diag, said->file, WARNING_NOT_COMPUTABLE, "%s", said->text);
    else
        diag_warning(diag, said->at, WARNING_NOT_COMPUTABLE, "%s", said->text);
    if (help)
        diag_help(diag, "%s", help);
}

/* If nothing else is wrong, that becomes warnings. */
static bool excuse(struct nnefc_model *model, int from)
{
    struct diag *diag = model->context->diag;
    int count = diag_count(diag) - from;
    struct diag_report *said = arena_array_of(model->context->arena, struct diag_report, count + 1);
    const char **help = arena_array_of(model->context->arena, const char *, count + 1);
    bool excused = count > 0;

    for (int i = 0; i < count; i++) {
        said[i] = diag_at(diag, from + i);
        help[i] = diag_help_at(diag, from + i);
        excused &= said[i].severity != SEVERITY_ERROR || is_excused(model, said[i].code);
    }
    if (!excused)
        return false;
    diag_take_back(diag, from);
    int errors = diag_error_count(diag);
    for (int i = 0; i < count; i++)
        if (said[i].severity == SEVERITY_ERROR)
            warn(diag, &said[i], help[i]);
    return diag_error_count(diag) == errors; /* -Werror */
}

/* --- the whole ------------------------------------------------------------------------------- */

bool import_pnnx(struct nnefc_model *model, const char *name, const void *bytes, size_t size)
{
    struct context *context = model->context;

    if (is_too_large(model, name, size))
        return false;
    if (model->onnx.nbound)
        return diag_file_error(context->diag, name, DIAG_INPUT_UNKNOWN,
                               "input '%s' cannot be bound: inputs are bound of ONNX models",
                               model->bounds[0].input);
    uint32_t base = sources_add(context->sources, name, bytes, size);
    if (base == 0)
        return diag_file_error(context->diag, name, DIAG_NOT_SUPPORTED,
                               "the text is larger than 4 GiB");
    model->pnnx.document = pnnx_read(context, base, bytes, size);
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

void import_pnnx_free(struct nnefc_model *model)
{
    pnnx_document_free(model->pnnx.document);
    if (model->pnnx.weights.data)
        file_close(&model->pnnx.weights);
}
