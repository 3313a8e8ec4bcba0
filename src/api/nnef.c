/*
 * nnef.c - models written in NNEF (passes.h): the document that was read, or one made of the graph,
 *          into an archive, a folder or a file
 */
#include "api/parts.h"
#include "api/weights.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/text.h"
#include "convert/nnef/document.h"
#include "convert/nnef/entries.h"
#include "file/listing.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

static const char document_file[] = "graph.nnef", quantization_file[] = "graph.quant";

/* What the files of the model will say. */
struct written {
    enum nnef_profile profile;
    struct graph *graph;          /* the model's, or as the profile has it */
    const struct names *names;    /* labels of variables and constants of that graph */
    struct text document;         /* graph.nnef; freed by the caller */
    struct text quantization;     /* graph.quant; empty: there is none */
    struct graph_entries entries; /* of the graph, unless those of the file that was read stay */
    const struct quant_entry_list *kept; /* whichever graph.quant has */
    bool drops_quantization;             /* a graph.quant of another model goes */
};

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

/* The document with its fragments; labels are what they were, and all constants are in the text. */
static bool describe_as_read(struct nnefc_model *model, bool verbatim, struct written *to)
{
    struct arena *arena = model->context->arena;
    struct names *names = arena_new_of(arena, struct names);
    int i = 0;

    if (!model->document || model->passes.rounds > 0 || model->lower.noverride > 0 ||
        model->is_part)
        return diag_file_error(model->context->diag, NULL, DIAG_NOT_SUPPORTED,
                               "only the document of a model of NNEF that is as it was read can be "
                               "written with its fragments");
    names->label = arena_array_of(arena, const char *, model->graph->variables.count);
    names->stored = arena_array_of(arena, const char *, model->graph->constants.count);
    for (const struct source *s = model->graph->variables.first; s; s = s->next)
        names->label[i++] = intern_string(model->context->names, s->label);
    assert(i == model->graph->variables.count);
    to->graph = model->graph;
    to->names = names;
    if (verbatim)
        text_add_bytes(&to->document, model->text, model->size);
    else
        document_print(used_document(model), &to->document);
    to->kept = &model->quant.entries;
    if (model->quant.text)
        text_add(&to->quantization, "%s", model->quant.text);
    return true;
}

/* --- the graph as a document ------------------------------------------------------------------ */

/* The graph by the rules of the profile, with the names that it had where NNEF can have them. */
static bool describe(struct nnefc_model *model, struct written *to)
{
    struct diag *diag = model->context->diag;
    const struct quant_entry_list *read = model->graph->quantized ? NULL : model->lower.quant;
    const struct document_options options = {
        .library =
            model->checked ? model->checked->library : library_load(model->context, DIALECT_1_0),
        .profile = to->profile,
        .checked = model->checked,
        .quant = read ? read : &to->entries.list,
        .file = model->home ? store_document_name(model->home) : NULL};
    struct text table = {0};

    if (!options.library)
        return false;
    if (model->graph->provisional)
        return diag_error(diag, model->document->version, DIAG_NOT_SUPPORTED,
                          "a model of provisional NNEF cannot be written as NNEF 1.0");
    if (model->graph->quantized && !weights_load(model)) /* which integers there are */
        return false;
    if (!graph_fill(model->graph))
        return false;
    struct graph *graph = read ? model->graph : entries_take(model->graph, &to->entries);
    to->graph = profile_apply(graph, options.library, to->profile);
    if (!to->graph)
        return false;
    to->names = names_new(to->graph);
    if (to->names->unused)
        diag_file_warning(diag, model->onnx.options.file, WARNING_ADDED_PARAMETER,
                          "the graph has no parameters, of which NNEF wants one: '%s' is added, "
                          "which nothing reads",
                          to->names->unused);
    const struct document *document = document_of_graph(to->graph, to->names, &options);
    if (!document)
        return false;
    document_print(document, &to->document);
    /* Names that NNEF cannot have are found again in a comment at the end of the text. */
    names_table(to->graph, to->names, &table);
    if (table.size > 0) {
        text_add(&to->document, "\n# Names that were changed, and what they were:\n#\n");
        text_add_bytes(&to->document, table.data, table.size);
    }
    text_free(&table);
    to->kept = options.quant;
    document_quant(to->graph, to->names, &options, &to->quantization);
    return true;
}

/* --- places -------------------------------------------------------------------------------- */

static bool has_entry(const struct written *written, const struct value *value)
{
    const struct quant_entry *e = written->kept->first;

    while (e && !(value->name && strcmp(e->name, value->name) == 0))
        e = e->next;
    return e;
}

/* The files of the model, `document` the name of its text, which comes last.  Of variables with the
 * same label the first stands for all.  Data that no pass has made are copied as they are stored.
 */
static void collect_parts(const struct nnefc_model *model, const struct written *written,
                          const char *document, struct parts *parts)
{
    struct arena *arena = model->context->arena;
    const struct names *names = written->names;
    const struct text *quant = &written->quantization;
    struct map done = {0};
    int i = 0;

    for (const struct source *s = written->graph->variables.first; s; s = s->next, i++) {
        /* A file of integers means nothing without an entry. */
        bool made = s->made || (s->quant && !has_entry(written, s->value));
        if (!map_get(&done, names->label[i]) && !made)
            parts_add_data(parts, s->label, names->label[i]);
        else if (!map_get(&done, names->label[i]))
            parts_add_tensor(parts, s->tensor, map_get(&written->entries.stored, s->tensor),
                             names->label[i]);
        map_set(&done, names->label[i], parts);
    }
    map_free(&done);
    i = 0;
    for (const struct source *s = written->graph->constants.first; s; s = s->next, i++) {
        const struct tensor *tensor = s->tensor;
        if (!names->stored[i])
            continue;
        if (!shape_equal(&tensor->shape, s->value->shape)) { /* one item stands for all */
            struct tensor *all = arena_new_of(arena, struct tensor);
            size_t size = dtype_size(tensor->dtype);
            *all = (struct tensor){.shape = *s->value->shape, .dtype = tensor->dtype};
            all->data = arena_alloc(arena, tensor_bytes(all));
            for (int64_t k = 0; k < shape_volume(&all->shape); k++)
                memcpy((unsigned char *)all->data + (size_t)k * size, tensor->data, size);
            tensor = all;
        }
        parts_add_tensor(parts, tensor, NULL, names->stored[i]);
    }
    if (quant->size > 0)
        parts_add_text(parts, quantization_file, quant->data, quant->size);
    else if (written->drops_quantization)
        parts_remove(parts, quantization_file);
    parts_add_text(parts, document, written->document.data, written->document.size);
}

/* The name of a document in the folder besides `document`; NULL: there is none. */
static const char *other_document(const struct nnefc_model *model, const char *folder,
                                  const char *document)
{
    struct listing all = listing_of(folder, ".nnef");
    const char *other = NULL;

    for (int i = 0; i < all.count && !other; i++) {
        const char *name = text_format(model->context->arena, "%s.nnef", all.names[i]);
        other = strcmp(name, document) == 0 ? NULL : name;
    }
    listing_free(&all);
    return other;
}

/* A folder has one quantization file (NNEF 1.0.5, section 5), which stands for all its documents:
 * false after a report if `other`, one of them, would get, keep or lose entries of this model. */
static bool may_share(const struct nnefc_model *model, struct written *written, const char *folder,
                      const char *other)
{
    const bool has_entries = written->quantization.size > 0;
    struct diag *diag = model->context->diag;
    const char *quant =
        text_format(model->context->arena, "%s%s%s", folder, *folder ? "/" : "", quantization_file);

    if (other && has_entries) {
        diag_file_error(diag, quant, DIAG_CANNOT_WRITE, "it would be that of '%s', too", other);
        return diag_help(diag, "write to a folder of its own, or with --force.");
    }
    written->drops_quantization = !has_entries && access(quant, F_OK) == 0;
    if (!written->drops_quantization || model->force)
        return true;
    diag_file_error(diag, quant, DIAG_CANNOT_WRITE, "it is there already, and this model has none");
    return diag_help(diag, "write to another folder, or with --force, which removes it.");
}

/* "net.tgz", "folder/net.nnef", or a folder, which may end in slashes. */
static bool write_files(struct nnefc_model *model, struct written *written, const char *path)
{
    struct parts parts = {0};
    size_t size = strlen(path);
    const char *slash = strrchr(path, '/'), *document = document_file;
    bool packed = parts_are_packed(path);

    if (text_ends_in(path, ".nnef")) {
        document = slash ? slash + 1 : path;
        size = slash == path ? 1 : slash ? (size_t)(slash - path) : 0;
    }
    while (size > 1 && path[size - 1] == '/')
        size--;
    const char *folder = arena_strndup(model->context->arena, path, size);
    const char *other = packed || model->force ? NULL : other_document(model, folder, document);
    if (!packed && !may_share(model, written, folder, other))
        return false;
    collect_parts(model, written, document, &parts);
    bool ok = packed ? parts_pack(model, &parts, path) : parts_place(model, &parts, folder, other);
    parts_free(&parts);
    return ok;
}

/* Every fragment expanded: what any reader of NNEF 1.0 can take. */
bool api_model_write_nnef(struct nnefc_model *model, const char *path)
{
    return api_model_write_profile(model, path, NNEFC_PROFILE_STRICT);
}

bool api_model_write_profile(struct nnefc_model *model, const char *path,
                             enum nnefc_profile profile)
{
    static const enum nnef_profile profiles[] = {[NNEFC_PROFILE_STRICT] = PROFILE_STRICT,
                                                 [NNEFC_PROFILE_COMPOUND] = PROFILE_COMPOUND,
                                                 [NNEFC_PROFILE_CUSTOM] = PROFILE_CUSTOM,
                                                 [NNEFC_PROFILE_DOCUMENT] = PROFILE_CUSTOM,
                                                 [NNEFC_PROFILE_TEXT] = PROFILE_CUSTOM};

    if (!path)
        return misuse(model, "there is no path to write to");
    if (!graph_is_there(model, "written"))
        return false;
    if (profile < NNEFC_PROFILE_STRICT || profile > NNEFC_PROFILE_TEXT)
        return misuse(model, "there is no profile of number %d", (int)profile);
    struct written written = {.profile = profiles[profile]};
    bool verbatim = profile == NNEFC_PROFILE_TEXT;
    bool ok = verbatim || profile == NNEFC_PROFILE_DOCUMENT
                  ? describe_as_read(model, verbatim, &written)
                  : describe(model, &written);
    if (ok && strcmp(path, "-") == 0) /* the document alone, without data */
        ok = write_text(model, path, written.document.data, written.document.size);
    else if (ok)
        ok = weights_load(model) && write_files(model, &written, path);
    text_free(&written.document);
    text_free(&written.quantization);
    map_free(&written.entries.stored);
    return ok;
}
