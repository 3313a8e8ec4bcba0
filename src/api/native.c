/* native.c - graph files: a model in one file, whole */
#include "api/formats.h"
#include "convert/graphfile/graphfile.h"

#include "api/prepare.h"
#include "api/weights.h"
#include "exec/packed.h"
#include "file/file.h"

bool load_native(struct nnefc_model *model, const char *name, const void *bytes, size_t size)
{
    struct graphfile file = {name, bytes, size, library_load(model->context, DIALECT_1_0),
                             model->check_data};

    if (!file.library || !import_unused(model, name) || !is_unshaped(model, name))
        return false;
    model->graph = graphfile_read(model->context, &file, &model->packed);
    model->imported = model->graph != NULL;
    return model->imported;
}

bool reads_native(const struct nnefc_model *model, const void *bytes, size_t size)
{
    return model->format == NNEFC_FORMAT_GRAPH ||
           (model->format == NNEFC_FORMAT_AUTO && graphfile_recognise(bytes, size));
}

enum nnefc_status api_model_set_check_data(struct nnefc_model *model, bool check)
{
    if (!before_loading(model, "to check the data"))
        return NNEFC_USAGE;
    model->check_data = check;
    return NNEFC_OK;
}

/* As it is, or if `how` is not NULL as such a run has it. */
static bool put_graph(struct nnefc_model *model, const struct nnefc_run_options *how,
                      const struct sink *sink)
{
    return how ? model_write_packed(model, how, sink) : graphfile_write(model->graph, NULL, sink);
}

static bool write_native(struct nnefc_model *model, const char *path,
                         const struct nnefc_run_options *how)
{
    struct diag *diag = model->context->diag;
    struct out_file file;

    if (!weights_load(model) || !out_file_open(diag, path, &file))
        return false;
    struct sink sink = out_file_sink(&file);
    if (put_graph(model, how, &sink))
        return out_file_commit(diag, &file);
    out_file_abandon(&file);
    return false;
}

enum nnefc_status api_model_write_graph(struct nnefc_model *model, const char *path)
{
    if (!model || !model->graph || !path)
        return misuse(model, "a model that is not loaded cannot be written");
    int before = diag_count(model->context->diag);

    return write_native(model, path, NULL) ? NNEFC_OK : status_since(model, before);
}

enum nnefc_status api_model_write_packed(struct nnefc_model *model, const char *path,
                                         const struct nnefc_run_options *options)
{
    const struct nnefc_run_options usual = {0};

    if (!model || !model->graph || !path)
        return misuse(model, "a model that is not loaded cannot be written");
    int before = diag_count(model->context->diag);

    return write_native(model, path, options ? options : &usual) ? NNEFC_OK
                                                                 : status_since(model, before);
}

static void add_packed(const struct nnefc_model *model, struct list *list)
{
    struct nnefc_packed *packed = LIST_ADD(list, (struct nnefc_packed){0});
    const struct tensor_blocks *blocks = model->packed;

    if (!blocks)
        return;
    packed->count = blocks->count;
    packed->kernels = blocks->kind;
    packed->fits = packed_fits(blocks);
    for (int i = 0; i < blocks->count; i++)
        packed->bytes += (int64_t)blocks->block[i].size;
}

const struct nnefc_packed *nnefc_model_packed(const struct nnefc_model *model)
{
    static const struct nnefc_packed nothing;

    return model_record(model, LIST_PACKED, add_packed, &nothing);
}
