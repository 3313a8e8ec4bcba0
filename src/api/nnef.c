/* nnef.c - models written in NNEF */
#include "api/parts.h"
#include "api/weights.h"
#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"
#include "convert/nnef/document.h"
#include "file/file.h"
#include "parser/parser.h"

#include <string.h>
#include <unistd.h>

static const char document_file[] = "graph.nnef", quantization_file[] = "graph.quant";

/* What the files of the model will say. */
struct written {
    enum nnef_profile profile;
    struct graph *graph;
    const struct names *names;
    struct text document, quantization;
};

/* That of the document, if there was one. */
static const struct library *library_of(const struct nnefc_model *model)
{
    return model->checked ? model->checked->library : library_load(model->context, DIALECT_1_0);
}

/* --- the document that was read -------------------------------------------------------------- */

static DEFINE_APPEND(fragment)

/* Without the fragments that nothing invokes. */
static const struct document *used_document(const struct nnefc_model *model)
{
    struct arena *arena = model->context->arena;
    struct document *used = arena_new_of(arena, struct document);
    const struct fragment *from = model->document->fragments.first;

    *used = *model->document;
    used->fragments = (struct fragment_list){0};
    for (int i = 0; from; from = from->next, i++)
        if (model->checked->signatures[i]->invoked) {
            struct fragment *copy = arena_new_of(arena, struct fragment);
            *copy = *from;
            copy->next = NULL;
            used->fragments = fragment_append(used->fragments, copy);
        }
    return used;
}

/* Labels are what they were, and all constants are in the text. */
static const struct names *own_names(const struct nnefc_model *model)
{
    struct arena *arena = model->context->arena;
    struct names *names = arena_new_of(arena, struct names);
    int i = 0;

    names->label = arena_array_of(arena, const char *, model->graph->variables.count);
    names->stored = arena_array_of(arena, const char *, model->graph->constants.count);
    for (const struct source *s = model->graph->variables.first; s; s = s->next)
        names->label[i++] = s->label;
    return names;
}

static bool describe_as_read(struct nnefc_model *model, struct written *to)
{
    if (!model->document || model->passes.rounds > 0 || model->lower.noverride > 0)
        return diag_file_error(model->context->diag, NULL, DIAG_NOT_SUPPORTED,
                               "only the document of a model of NNEF that is as it was read can be "
                               "written with its fragments");
    to->graph = model->graph;
    to->names = own_names(model);
    document_print(used_document(model), &to->document);
    if (model->quant_text)
        text_add(&to->quantization, "%s", model->quant_text);
    return true;
}

/* --- the graph as a document ------------------------------------------------------------------ */

/* Names that NNEF does not have are found again by what stands at the end of the text. */
static void add_table(const struct graph *graph, struct written *to)
{
    struct text table = {0};

    names_table(graph, to->names, &table);
    if (table.size > 0) {
        text_add(&to->document, "\n# Names that were changed, and what they were:\n#\n");
        text_add_bytes(&to->document, table.data, table.size);
    }
    text_free(&table);
}

static bool describe(struct nnefc_model *model, struct written *to)
{
    const struct document_options options = {.library = library_of(model),
                                             .profile = to->profile,
                                             .checked = model->checked,
                                             .quant = model->lower.quant};
    const struct document *document;

    if (!options.library)
        return false;
    if (model->graph->provisional) {
        diag_error(model->context->diag, model->document->version, DIAG_NOT_SUPPORTED,
                   "a model of provisional NNEF cannot be written as NNEF 1.0");
        return false;
    }
    to->graph = profile_apply(model->graph, options.library, to->profile);
    if (!to->graph)
        return false;
    to->names = names_new(to->graph);
    if (to->names->unused)
        diag_file_warning(model->context->diag, model->onnx.file, WARNING_ADDED_PARAMETER,
                          "the graph has no parameters, of which NNEF wants one: '%s' is added, "
                          "which nothing reads",
                          to->names->unused);
    document = document_of_graph(to->graph, to->names, &options);
    if (!document)
        return false;
    document_print(document, &to->document);
    add_table(to->graph, to);
    if (!model->lower.apply_quant) /* else it is part of the graph */
        document_quant(to->graph, to->names, &options, &to->quantization);
    return true;
}

/* Of variables with the same label the first stands for all.  Files stay as they are. */
static void add_data(struct parts *parts, const struct nnefc_model *model,
                     const struct names *names)
{
    struct map done = {0};
    int i = 0;

    for (const struct source *s = model->graph->variables.first; s; s = s->next, i++) {
        if (!map_get(&done, names->label[i]) && !s->made)
            parts_add_data(parts, s->label, names->label[i]);
        else if (!map_get(&done, names->label[i]))
            parts_add_tensor(parts, s->tensor, names->label[i]);
        map_set(&done, names->label[i], parts);
    }
    map_free(&done);
}

/* All items of a constant, of which one may stand for all. */
static const struct tensor *spread(const struct nnefc_model *model, const struct source *constant)
{
    const struct tensor *from = constant->tensor;
    size_t size = dtype_size(from->dtype);
    struct tensor *to;

    if (shape_equal(&from->shape, constant->value->shape))
        return from;
    to = arena_new_of(model->context->arena, struct tensor);
    *to = (struct tensor){.shape = *constant->value->shape, .dtype = from->dtype};
    to->data = arena_alloc(model->context->arena, tensor_bytes(to));
    for (int64_t i = 0; i < shape_volume(&to->shape); i++)
        memcpy((unsigned char *)to->data + (size_t)i * size, from->data, size);
    return to;
}

static void add_stored(struct parts *parts, const struct nnefc_model *model,
                       const struct written *written)
{
    const struct names *names = written->names;
    int i = 0;

    for (const struct source *s = written->graph->constants.first; s; s = s->next, i++)
        if (names->stored[i])
            parts_add_tensor(parts, spread(model, s), names->stored[i]);
}

static void add_texts(struct parts *parts, const struct written *written, const char *document)
{
    const struct text *quant = &written->quantization;

    if (quant->size > 0)
        parts_add_text(parts, quantization_file, quant->data, quant->size);
    parts_add_text(parts, document, written->document.data, written->document.size);
}

/* --- places -------------------------------------------------------------------------------- */

/* A quantization file that is there would be taken for one of the model. */
static bool is_left_over(struct nnefc_model *model, const char *folder,
                         const struct written *written)
{
    struct text path = {0};

    text_add(&path, "%s%s%s", folder, *folder ? "/" : "", quantization_file);
    bool found = written->quantization.size == 0 && access(path.data, F_OK) == 0;
    if (found) {
        diag_file_error(model->context->diag, path.data, DIAG_CANNOT_WRITE,
                        "it is there already, and this model has none");
        diag_help(model->context->diag, "remove it, or write to another folder.");
    }
    text_free(&path);
    return found;
}

static bool write_folder(struct nnefc_model *model, const struct written *written,
                         const char *folder, const char *document)
{
    struct parts parts = {0};

    if (is_left_over(model, folder, written))
        return false;
    add_data(&parts, model, written->names);
    add_stored(&parts, model, written);
    add_texts(&parts, written, document);
    bool ok = parts_place(model, &parts, folder);
    parts_free(&parts);
    return ok;
}

static bool write_archive(struct nnefc_model *model, const struct written *written,
                          const char *path)
{
    struct parts parts = {0};

    add_data(&parts, model, written->names);
    add_stored(&parts, model, written);
    add_texts(&parts, written, document_file);
    bool ok = parts_pack(model, &parts, path);
    parts_free(&parts);
    return ok;
}

static const char *without_slashes(const struct nnefc_model *model, const char *path)
{
    size_t size = strlen(path);

    while (size > 1 && path[size - 1] == '/')
        size--;
    return arena_strndup(model->context->arena, path, size);
}

/* "folder/net.nnef", or a folder. */
static bool write_files(struct nnefc_model *model, const struct written *written, const char *path)
{
    size_t size = strlen(path);
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

    if (size < 5 || strcmp(path + size - 5, ".nnef") != 0)
        return write_folder(model, written, without_slashes(model, path), document_file);
    const char *folder = slash == path ? "/"
                                       : arena_strndup(model->context->arena, path,
                                                       slash ? (size_t)(slash - path) : 0);
    return write_folder(model, written, folder, name);
}

static bool write_text(struct nnefc_model *model, const struct text *text)
{
    struct out_file file;

    if (!out_file_open(model->context->diag, "-", &file))
        return false;
    out_file_write(&file, text->data, text->size);
    return out_file_commit(model->context->diag, &file);
}

static bool write_nnef(struct nnefc_model *model, const char *path, enum nnefc_profile profile)
{
    static const enum nnef_profile ours[] = {[NNEFC_PROFILE_STRICT] = PROFILE_STRICT,
                                             [NNEFC_PROFILE_COMPOUND] = PROFILE_COMPOUND,
                                             [NNEFC_PROFILE_CUSTOM] = PROFILE_CUSTOM};
    bool as_read = profile == NNEFC_PROFILE_DOCUMENT;
    struct written written = {.profile = as_read ? PROFILE_CUSTOM : ours[profile]};
    bool ok = as_read ? describe_as_read(model, &written) : describe(model, &written);

    if (ok && strcmp(path, "-") == 0)
        ok = write_text(model, &written.document);
    else if (ok)
        ok = weights_load(model) && (parts_are_packed(path) ? write_archive(model, &written, path)
                                                            : write_files(model, &written, path));
    text_free(&written.document);
    text_free(&written.quantization);
    return ok;
}

enum nnefc_status api_model_write_nnef(struct nnefc_model *model, const char *path)
{
    return api_model_write_profile(model, path, NNEFC_PROFILE_STRICT);
}

enum nnefc_status api_model_write_profile(struct nnefc_model *model, const char *path,
                                          enum nnefc_profile profile)
{
    if (!model || !model->graph || !path)
        return misuse(model, "a model that is not loaded cannot be written");
    if (profile < NNEFC_PROFILE_STRICT || profile > NNEFC_PROFILE_DOCUMENT)
        return misuse(model, "there is no profile of number %d", (int)profile);
    int before = diag_count(model->context->diag);

    return write_nnef(model, path, profile) ? NNEFC_OK : status_since(model, before);
}
