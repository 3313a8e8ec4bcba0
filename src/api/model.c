/* model.c - a model: its options, its loading, what it consists of as text */
#include "api/formats.h"
#include "api/weights.h"
#include "base/arena.h"
#include "base/text.h"
#include "convert/onnx/export_rules.h"
#include "file/file.h"
#include "op/graph_print.h"

#include <stdlib.h>
#include <string.h>

/* A client may ask for lists while it is called back, where the thread may hold the lock already.
 */
static void lock_init(pthread_mutex_t *lock)
{
    pthread_mutexattr_t how;

    pthread_mutexattr_init(&how);
    pthread_mutexattr_settype(&how, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(lock, &how);
    pthread_mutexattr_destroy(&how);
}

/* What is behind pointers changes though the model is const to a client who only looks at it. */
struct model_memory {
    struct nnefc_model model;
    struct lists lists;
};

struct nnefc_model *nnefc_model_new(void)
{
    struct model_memory *memory = calloc(1, sizeof *memory);
    struct context *context = memory ? try_context() : NULL;

    if (!context) {
        free(memory);
        return NULL;
    }
    struct nnefc_model *model = &memory->model;
    model->context = context;
    model->lists = &memory->lists;
    model->lists->model = model;
    model->lock = &memory->lists.lock;
    lock_init(model->lock);
    return model;
}

void nnefc_model_free(struct nnefc_model *model)
{
    if (!model)
        return;
    if (atomic_load(&model->lists->out_of_memory)) /* before it accounted for its bytes */
        context_account(model->context, INT64_MAX / 2);
    weights_free(model);
    import_free(model);
    import_pnnx_free(model);
    retained_tensors_free(model->context, model->kept);
    store_close(model->home);
    store_close(model->data);
    context_free(model->context);
    arena_free(model->lists->arena);
    free(model->overrides);
    free(model->customs);
    drafts_free(model);
    free(model->text);
    free(model->quant_text);
    pthread_mutex_destroy(model->lock);
    free(model);
}

/* --- options ----------------------------------------------------------------------------- */

enum nnefc_status api_model_set_dialect(struct nnefc_model *model, enum nnefc_dialect dialect)
{
    if (!before_loading(model, "the dialect"))
        return NNEFC_USAGE;
    switch (dialect) {
    case NNEFC_DIALECT_AUTO:
        model->parse.dialect = PARSE_AUTO;
        return NNEFC_OK;
    case NNEFC_DIALECT_1_0:
        model->parse.dialect = PARSE_1_0;
        return NNEFC_OK;
    case NNEFC_DIALECT_PROVISIONAL:
        model->parse.dialect = PARSE_PROVISIONAL;
        return NNEFC_OK;
    }
    return misuse(model, "%d is no dialect", (int)dialect);
}

enum nnefc_status api_model_set_pedantic(struct nnefc_model *model, bool pedantic)
{
    if (!before_loading(model, "to be pedantic"))
        return NNEFC_USAGE;
    model->sema.pedantic = pedantic;
    diag_set_pedantic(model->context->diag, pedantic);
    return NNEFC_OK;
}

enum nnefc_status api_model_set_error_limit(struct nnefc_model *model, int limit)
{
    if (!model)
        return NNEFC_USAGE;
    diag_set_limit(model->context->diag, limit);
    return NNEFC_OK;
}

enum nnefc_status api_model_set_keep(struct nnefc_model *model, enum nnefc_keep keep)
{
    static bool (*const keeps[])(const struct op_desc *) = {
        [NNEFC_KEEP_KERNELS] = NULL,
        [NNEFC_KEEP_ONNX] = export_keeps,
        [NNEFC_KEEP_NONE] = lower_keep_none,
        [NNEFC_KEEP_ONNX_QDQ] = export_keeps_qdq,
    };

    if (!before_loading(model, "what to expand"))
        return NNEFC_USAGE;
    model->lower.keep = keeps[keep];
    return NNEFC_OK;
}

static const char *keep_text(struct nnefc_model *model, const char *text)
{
    return arena_strndup(model->context->arena, text, strlen(text));
}

enum nnefc_status api_model_set_data_folder(struct nnefc_model *model, const char *folder)
{
    if (!model)
        return NNEFC_USAGE;
    if (model->weights)
        return misuse(model, "the data is read already, so it cannot come from '%s'",
                      folder ? folder : "the model's folder");
    model->data_folder = folder ? keep_text(model, folder) : NULL;
    store_close(model->data);
    model->data = NULL;
    return NNEFC_OK;
}

enum nnefc_status api_model_set_quant_file(struct nnefc_model *model, const char *path)
{
    if (!before_loading(model, "the quantization file"))
        return NNEFC_USAGE;
    model->quant_file = path ? keep_text(model, path) : NULL;
    return NNEFC_OK;
}

enum nnefc_status api_model_set_quantize(struct nnefc_model *model, bool quantize)
{
    if (!before_loading(model, "to quantize"))
        return NNEFC_USAGE;
    model->lower.apply_quant = quantize;
    return NNEFC_OK;
}

static void add_override(struct nnefc_model *model, const char *parameter, int rank,
                         const int64_t *extents)
{
    size_t count = (size_t)model->lower.noverride;
    struct shape_override *list = realloc(model->overrides, (count + 1) * sizeof *list);

    if (!list)
        arena_out_of_memory();
    model->lower.overrides = model->overrides = list;
    list[count] = (struct shape_override){keep_text(model, parameter), {.rank = rank}};
    for (int i = 0; i < rank; i++)
        list[count].shape.extent[i] = extents[i];
    model->lower.noverride++;
}

enum nnefc_status api_model_set_shape(struct nnefc_model *model, const char *parameter, int rank,
                                      const int64_t *extents)
{
    if (!before_loading(model, "the shape of a parameter"))
        return NNEFC_USAGE;
    if (!parameter || rank < 0 || rank > NNEFC_MAX_RANK || (rank > 0 && !extents))
        return misuse(model, "a shape needs a parameter and a rank from 0 to %d, not %d",
                      NNEFC_MAX_RANK, rank);
    for (int i = 0; i < rank; i++)
        if (extents[i] < 1)
            return misuse(model, "extent %d of the shape of '%s' is not positive", i, parameter);
    add_override(model, parameter, rank, extents);
    return NNEFC_OK;
}

/* --- loading ----------------------------------------------------------------------------- */

/* The draft of the document instead of what was read. */
static void prefer_draft(struct nnefc_model *model, const char *path)
{
    size_t size;
    char *draft = path ? draft_copy(model, path, &size) : NULL;

    if (!draft)
        return;
    free(model->text);
    model->text = draft;
    model->size = size;
}

static bool read_and_compile(struct nnefc_model *model, const char *path)
{
    struct diag *diag = model->context->diag;

    store_close(model->home);
    model->home = store_open(diag, &model->context->limits, path);
    if (!model->home)
        return false;
    const struct file_view *file = store_file(model->home);
    if (file && reads_onnx(model, file->data, file->size))
        return import_onnx(model, store_document_name(model->home), file->data, file->size);
    if (file && reads_native(model, file->data, file->size))
        return load_native(model, store_document_name(model->home), file->data, file->size);
    if (file && reads_pnnx(model, path, file->data, file->size))
        return import_pnnx(model, store_document_name(model->home), file->data, file->size);
    if (!store_document(diag, model->home, &model->text, &model->size))
        return false;
    model->origin[NNEFC_PART_DOCUMENT].path = store_document_path(model->home);
    prefer_draft(model, store_document_path(model->home));
    return compile(model, store_document_name(model->home));
}

/* Standard input is read once; true if it was and there is a draft of it. */
static bool take_standard_draft(struct nnefc_model *model, const char *path)
{
    static const char standard[] = "-";

    if (strcmp(path, standard) != 0)
        return false;
    model->text = draft_copy(model, standard, &model->size);
    model->origin[NNEFC_PART_DOCUMENT].path = standard;
    return model->text;
}

/* May it be loaded now, from this? */
static bool may_load(const struct nnefc_model *model, const char *what)
{
    if (model && !model->text && !model->home && what)
        return true;
    misuse(model, what ? "a model is loaded once" : "there is nothing to load a model from");
    return false;
}

enum nnefc_status api_model_load(struct nnefc_model *model, const char *path)
{
    if (!may_load(model, path))
        return NNEFC_USAGE;
    int before = diag_count(model->context->diag);
    bool ok = take_standard_draft(model, path) ? compile(model, file_input_name(path))
                                               : read_and_compile(model, path);
    lists_forget(model->lists);
    return ok ? NNEFC_OK : status_since(model, before);
}

enum nnefc_status api_model_load_text(struct nnefc_model *model, const char *name, const char *text,
                                      size_t size)
{
    if (!may_load(model, name ? text : NULL))
        return NNEFC_USAGE;
    int before = diag_count(model->context->diag);
    if (size > (uint64_t)model->context->limits.text) {
        file_text_too_large(model->context->diag, name, model->context->limits.text);
        return NNEFC_INVALID;
    }
    model->text = malloc(size + 1);
    if (!model->text)
        arena_out_of_memory();
    memcpy(model->text, text, size);
    model->text[size] = '\0';
    model->size = size;
    bool ok = compile(model, name);
    lists_forget(model->lists);
    return ok ? NNEFC_OK : status_since(model, before);
}

/* --- dumps ------------------------------------------------------------------------------- */

static bool print_stage(const struct nnefc_model *model, enum nnefc_stage stage, struct text *to)
{
    switch (stage) {
    case NNEFC_STAGE_AST:
        if (model->document)
            document_print(model->document, to);
        return model->document != NULL;
    case NNEFC_STAGE_CHECKED:
        if (!model->checked || !model->checked->sound)
            return false;
        checked_print(model->checked, to);
        return true;
    case NNEFC_STAGE_GRAPH:
        if (model->graph)
            graph_print(model->graph, to);
        return model->graph != NULL;
    }
    return false;
}

char *api_model_dump(const struct nnefc_model *model, enum nnefc_stage stage)
{
    struct text text = {0};

    if (!model || !print_stage(model, stage, &text))
        return NULL;
    text_add(&text, "%s", "");
    return text.data;
}
