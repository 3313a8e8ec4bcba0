/* native.c - graph files (graph_file.h): a model in one file, whole, maybe with packed weights */
#include "api/formats.h"
#include "convert/graphfile/graphfile.h"

#include "api/prepare.h"
#include "api/weights.h"
#include "exec/packed.h"
#include "file/out.h"

#include <assert.h>

bool native_recognise(const char *name, const void *bytes, size_t size)
{
    (void)name;
    return graphfile_recognise(bytes, size);
}

/* The file has the graph as passes left it, so nothing about it can be set any more. */
bool load_native(struct nnefc_model *model, const char *name, const void *bytes, size_t size)
{
    const struct file_view *view = model->home ? store_file(model->home) : NULL;
    const struct graphfile file = {.name = name,
                                   .bytes = bytes,
                                   .size = size,
                                   .library = library_load(model->context, DIALECT_1_0),
                                   .check_data = model->graph_file.check_data,
                                   .mapped = view && view->mapped && view->data == bytes};

    assert(!model->graph);
    if (!file.library || !import_unused(model, name))
        return false;
    if (model->lower.noverride > 0)
        return diag_file_error(model->context->diag, name, DIAG_INPUT_UNKNOWN,
                               "the shape of '%s' cannot be set: shapes of a graph file are what "
                               "they were when it was made",
                               model->overrides[0].name);
    model->graph = graphfile_read(model->context, &file, &model->graph_file.packed);
    model->imported = model->graph != NULL;
    return model->imported;
}

/* The graph as it is, or if `how` is not NULL as such a run rewrites and packs it. */
static bool write_graph(struct nnefc_model *model, const char *path,
                        const struct nnefc_run_options *how)
{
    if (!path)
        return misuse(model, "there is no path to write to");
    if (!graph_is_there(model, "written"))
        return false;
    if (!weights_load(model))
        return false;
    struct out_set set = {model->context->diag, model->force, .count = 0};
    struct out_file *file = out_open(&set, path);
    struct sink sink = file ? out_sink(file) : (struct sink){.name = path};
    bool ok = file && (how ? model_write_packed(model, how, &sink)
                           : graphfile_write(model->graph, NULL, &sink));
    return out_commit(&set, ok);
}

bool api_model_write_graph(struct nnefc_model *model, const char *path)
{
    return write_graph(model, path, NULL);
}

bool api_model_write_packed(struct nnefc_model *model, const char *path,
                            const struct nnefc_run_options *options)
{
    struct nnefc_run_options taken;

    return settings_take(model, options, &taken, sizeof taken) && write_graph(model, path, &taken);
}

/* Weights for another kind of processor do not fit, and are packed anew by a run. */
void list_packed(const struct nnefc_model *model, struct list *list)
{
    struct nnefc_packed *packed = LIST_ADD(list, (struct nnefc_packed){0});
    const struct tensor_blocks *blocks = model->graph_file.packed;

    if (!blocks)
        return;
    packed->count = blocks->count;
    packed->kernels = blocks->kind;
    packed->fits = packed_fits(blocks);
    for (int i = 0; i < blocks->count; i++)
        packed->bytes += (int64_t)blocks->block[i].size;
}
