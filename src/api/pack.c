/* pack.c - a model in one file: its document, graph.quant and the data of its variables */
#include "api/api_priv.h"
#include "base/arena.h"
#include "base/file.h"
#include "ir/graph.h"
#include "tensor/label.h"
#include "tensor/packer.h"

#include <stdlib.h>
#include <string.h>

/* A member to be: text, or the data of a label. */
struct part {
    char *name;
    const char *text, *label;
    size_t size; /* of the text */
};

struct parts {
    struct part *part;
    int count;
    char *quantization; /* text of graph.quant, or NULL */
};

/* --- what goes in ------------------------------------------------------------------------ */

/* Without its last step the order in which equal labels stand together. */
static int by_label(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    int order = label_compare(x->label, y->label, true);

    return order ? order : strcmp(x->label, y->label);
}

static int by_name(const void *a, const void *b)
{
    const struct part *x = a, *y = b;

    return strcmp(x->name, y->name);
}

/* One part for each label, without names. */
static void add_labels(struct parts *parts, const struct graph *graph)
{
    int n = 0, kept = 0;

    for (const struct source *v = graph->variables.first; v; v = v->next)
        parts->part[n++] = (struct part){.label = v->label};
    qsort(parts->part, (size_t)n, sizeof *parts->part, by_label);
    for (int i = 0; i < n; i++)
        if (kept == 0 || label_compare(parts->part[kept - 1].label, parts->part[i].label,
                                       graph->provisional) != 0)
            parts->part[kept++] = parts->part[i];
    parts->count = kept;
}

static char *copy_of(const char *name)
{
    char *copy = strdup(name);

    if (!copy)
        arena_out_of_memory();
    return copy;
}

static void add_text(struct parts *parts, const char *name, const char *text, size_t size)
{
    parts->part[parts->count++] = (struct part){.name = copy_of(name), .text = text, .size = size};
}

static bool collect(const struct nnefc_model *model, struct parts *parts)
{
    size_t room = (size_t)model->graph->variables.count + 2, size = 0;

    *parts = (struct parts){.part = calloc(room, sizeof *parts->part)};
    if (!parts->part)
        arena_out_of_memory();
    add_labels(parts, model->graph);
    for (int i = 0; i < parts->count; i++)
        parts->part[i].name = label_file(parts->part[i].label);
    add_text(parts, "graph.nnef", model->text, model->size);
    if (model->home &&
        !store_text(model->context->diag, model->home, "graph.quant", &parts->quantization, &size))
        return false;
    if (parts->quantization)
        add_text(parts, "graph.quant", parts->quantization, size);
    qsort(parts->part, (size_t)parts->count, sizeof *parts->part, by_name);
    return true;
}

static void discard(struct parts *parts)
{
    for (int i = 0; i < parts->count; i++)
        free(parts->part[i].name);
    free(parts->part);
    free(parts->quantization);
}

/* --- writing ----------------------------------------------------------------------------- */

static void write_part(struct packer *packer, const char *name, const void *bytes, size_t size)
{
    struct sink sink = packer_sink(packer);

    packer_begin(packer, name, (int64_t)size);
    sink.put(sink.to, bytes, size);
}

static bool write_data(struct nnefc_model *model, struct packer *packer, const struct part *part)
{
    struct file_view view;
    char *path;

    if (!store_data(model->context->diag, data_store(model), part->label, &view, &path))
        return false;
    write_part(packer, part->name, view.data, view.size);
    file_close(&view);
    free(path);
    return true;
}

static enum packer_form form_of(const char *path)
{
    size_t size = strlen(path);

    return size > 4 && strcmp(path + size - 4, ".tar") == 0 ? PACKER_TAR : PACKER_TAR_GZ;
}

static bool write_parts(struct nnefc_model *model, const struct parts *parts, const char *path)
{
    struct packer *packer = packer_open(model->context->diag, path, form_of(path));
    bool ok = packer != NULL;

    for (int i = 0; ok && i < parts->count; i++) {
        const struct part *part = &parts->part[i];
        if (part->text)
            write_part(packer, part->name, part->text, part->size);
        else
            ok = write_data(model, packer, part);
    }
    if (ok)
        return packer_commit(model->context->diag, packer);
    if (packer)
        packer_abandon(packer);
    return false;
}

static bool pack(struct nnefc_model *model, const char *path)
{
    struct parts parts;

    if (!weights_load(model))
        return false;
    bool ok = collect(model, &parts) && write_parts(model, &parts, path);
    discard(&parts);
    return ok;
}

enum nnefc_status nnefc_model_pack(struct nnefc_model *model, const char *path)
{
    if (!model || !model->graph || !path)
        return misuse(model, "a model that is not loaded cannot be packed");
    if (model->imported)
        return misuse(model, "a model of ONNX is one file already");
    int before = diag_count(model->context->diag);

    return pack(model, path) ? NNEFC_OK : status_since(model, before);
}
