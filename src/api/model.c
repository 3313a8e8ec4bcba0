/* model.c - a model: its options, its loading, its stages as text (nnefc.h) */
#include "api/formats.h"
#include "api/open.h"
#include "api/weights.h"
#include "base/text.h"
#include "convert/onnx/export_rules.h"
#include "op/graph_print.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A model as it is allocated.  The lists change though the model is const to a client who only
 * looks at it, so they lie behind a pointer. */
struct model_memory {
    struct nnefc_model model;
    struct lists lists;
};

struct nnefc_model *nnefc_model_new(void)
{
    struct model_memory *memory = calloc(1, sizeof *memory);
    struct context *context = memory ? try_context() : NULL;
    pthread_mutexattr_t how;

    if (!context) {
        free(memory);
        return NULL;
    }
    struct nnefc_model *model = &memory->model;
    model->context = context;
    model->lists = &memory->lists;
    model->lists->model = model;
    model->lock = &memory->lists.lock;
    /* A client may ask for lists while it is called back, where its thread holds the lock. */
    pthread_mutexattr_init(&how);
    pthread_mutexattr_settype(&how, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(model->lock, &how);
    pthread_mutexattr_destroy(&how);
    return model;
}

static void destroy(struct nnefc_model *model)
{
    assert(model->runs == 0 && model->results == 0);
    if (atomic_load(&model->lists->out_of_memory)) /* before it accounted for its bytes */
        context_account(model->context, INT64_MAX / 2);
    open_free(model);
    weights_free(model);
    import_free(model);
    import_pnnx_free(model);
    retained_tensors_free(model->context, model->kept);
    store_close(model->home); /* behind what may be a view of its files */
    store_close(model->data);
    context_free(model->context);
    arena_free(model->lists->arena);
    free(model->overrides);
    free(model->customs);
    drafts_free(model);
    free(model->text);
    free(model->quant.text);
    pthread_mutex_destroy(model->lock);
    free(model); /* the first member of what was allocated */
}

void model_release(struct nnefc_model *model)
{
    model_lock(model);
    bool over = model->given_up && model->runs == 0 && model->results == 0;
    model_unlock(model);
    if (over)
        destroy(model);
}

void nnefc_model_free(struct nnefc_model *model)
{
    if (!model)
        return;
    model_lock(model);
    model->given_up = true;
    model_unlock(model);
    model_release(model);
}

/* --- options ----------------------------------------------------------------------------- */

/* AUTO looks at the line of the version. */
bool api_model_set_dialect(struct nnefc_model *model, enum nnefc_dialect dialect)
{
    static const enum parse_dialect dialects[] = {[NNEFC_DIALECT_AUTO] = PARSE_AUTO,
                                                  [NNEFC_DIALECT_1_0] = PARSE_1_0,
                                                  [NNEFC_DIALECT_PROVISIONAL] = PARSE_PROVISIONAL};

    if ((unsigned)dialect > NNEFC_DIALECT_PROVISIONAL)
        return misuse(model, "%d is no dialect", (int)dialect);
    model->parse.dialect = dialects[dialect];
    return true;
}

/* May be set at any time: errors beyond the limit are counted only. */
bool api_model_set_error_limit(struct nnefc_model *model, int limit)
{
    if (limit < 0)
        return misuse(model, "the limit on errors cannot be %d", limit);
    diag_set_limit(model->context->diag, limit);
    return true;
}

/* The predicate tells of each compound operation whether it stays one node. */
bool api_model_set_keep(struct nnefc_model *model, enum nnefc_keep keep)
{
    static bool (*const keeps[])(const struct op_desc *) = {
        [NNEFC_KEEP_KERNELS] = NULL, /* the descriptor says whether it has a kernel */
        [NNEFC_KEEP_ONNX] = export_keeps,
        [NNEFC_KEEP_NONE] = lower_keep_none,
        [NNEFC_KEEP_ONNX_QDQ] = export_keeps_qdq,
    };

    if ((unsigned)keep > NNEFC_KEEP_ONNX_QDQ)
        return misuse(model, "%d is no way to expand a model", (int)keep);
    model->lower.keep = keeps[keep];
    return true;
}

bool api_model_set_quantization(struct nnefc_model *model, enum nnefc_quantization how)
{
    static const enum quantization ways[] = {
        [NNEFC_QUANTIZATION_OFF] = QUANTIZATION_OFF,
        [NNEFC_QUANTIZATION_APPLY] = QUANTIZATION_APPLY,
        [NNEFC_QUANTIZATION_INTEGERS] = QUANTIZATION_INTEGERS,
        [NNEFC_QUANTIZATION_AUTO] = QUANTIZATION_AUTO,
    };

    if ((unsigned)how > NNEFC_QUANTIZATION_AUTO)
        return misuse(model, "%d is no way to quantize a model", (int)how);
    model->lower.quantization = ways[how];
    return true;
}

/* May be set until the data is read, which the first run does. */
bool api_model_set_data_folder(struct nnefc_model *model, const char *folder)
{
    if (model->weights)
        return misuse(model, "the data is read already, so it cannot come from '%s'",
                      folder ? folder : "the model's folder");
    if (model->graph && model->graph->quantized && model->lower.quantization == QUANTIZATION_AUTO)
        return misuse(model,
                      "weights are integers as those of the model's folder are, so that '%s' "
                      "has to be set before the model is loaded",
                      folder ? folder : "the model's folder");
    model->data_folder = keep_text(model, folder);
    store_close(model->data); /* of the folder that was set before */
    model->data = NULL;
    return true;
}

/* Whether there is such a parameter is known when the document is lowered. */
bool api_model_set_shape(struct nnefc_model *model, const char *parameter, int rank,
                         const int64_t *extents)
{
    if (!parameter || rank < 0 || rank > NNEFC_MAX_RANK || (rank > 0 && !extents))
        return misuse(model, "a shape needs a parameter and a rank from 0 to %d, not %d",
                      NNEFC_MAX_RANK, rank);
    struct shape shape = {.rank = rank};
    for (int i = 0; i < rank; i++) {
        shape.extent[i] = extents[i];
        if (extents[i] < 0)
            return misuse(model, "extent %d of the shape of '%s' is negative", i, parameter);
    }
    int count = model->lower.noverride;
    model->overrides = heap_list(model->overrides, count, sizeof *model->overrides);
    model->overrides[count] = (struct shape_override){keep_text(model, parameter), shape};
    model->lower.overrides = model->overrides;
    model->lower.noverride++;
    return true;
}

/* --- loading ----------------------------------------------------------------------------- */

/* The text of the model, of whatever format: that of a member of an archive may be any. */
static bool load_text(struct nnefc_model *model, const char *name)
{
    return load_format(model, format_of(model, name, model->text, model->size), name, model->text,
                       model->size);
}

/* A folder, archive or file.  What is in a file of a foreign format is used where the file is
 * mapped; a text is copied, for its draft may stand for it, that of an archive by its path. */
static bool load_path(struct nnefc_model *model, const char *path)
{
    size_t size;

    store_close(model->home);
    model->home = store_open(model->context->diag, &model->context->limits, path);
    if (!model->home)
        return false;
    const struct file_view *file = store_file(model->home);
    context_account(model->context, file ? file_memory(file) : 0);
    const char *name = store_document_name(model->home);
    enum nnefc_format format =
        file ? format_of(model, path, file->data, file->size) : NNEFC_FORMAT_NNEF;
    if (format != NNEFC_FORMAT_NNEF)
        return load_format(model, format, name, file->data, file->size);
    if (!store_document(model->context->diag, model->home, &model->text, &model->size))
        return false;
    const char *document = store_document_path(model->home);
    char *draft = draft_copy(model, document ? document : path, &size);
    if (draft) {
        free(model->text);
        model->text = draft;
        model->size = size;
    }
    model->origin[NNEFC_PART_DOCUMENT].path = document;
    return load_text(model, name);
}

/* May the model be loaded now, from `what`? */
static bool may_load(const struct nnefc_model *model, const char *what)
{
    return (!model->text && !model->home && what) ||
           misuse(model, what ? "a model is loaded once" : "there is nothing to load a model from");
}

bool api_model_load(struct nnefc_model *model, const char *path)
{
    bool ok;

    if (!may_load(model, path))
        return false;
    /* Standard input can be read once, so a draft of it stands for it from the beginning. */
    char *draft = strcmp(path, "-") == 0 ? draft_copy(model, path, &model->size) : NULL;
    if (draft) {
        model->text = draft;
        model->origin[NNEFC_PART_DOCUMENT].path = "-";
        ok = load_text(model, file_input_name(path));
    } else {
        ok = load_path(model, path);
    }
    lists_forget(model->lists);
    return ok;
}

/* The text is copied: the client may free its own after the call. */
bool api_model_load_text(struct nnefc_model *model, const char *name, const char *text, size_t size)
{
    if (!may_load(model, name ? text : NULL) || !text_allowed(model, name, size))
        return false;
    model->text = text_copy(text, size);
    model->size = size;
    bool ok = load_text(model, name);
    lists_forget(model->lists);
    return ok;
}

/* --- dumps ------------------------------------------------------------------------------- */

/* A stage that was reached with errors is not sound, and not shown. */
char *api_model_dump(const struct nnefc_model *model, enum nnefc_stage stage)
{
    struct text text = {0};
    const struct checked *checked = model ? model->checked : NULL;

    if (stage == NNEFC_STAGE_AST && model && model->document)
        document_print(model->document, &text);
    else if (stage == NNEFC_STAGE_CHECKED && checked && checked->sound)
        checked_print(checked, &text);
    else if (stage == NNEFC_STAGE_GRAPH && model && model->graph)
        graph_print(model->graph, &text);
    else
        return NULL;
    text_add(&text, "%s", ""); /* so that there is a text even if nothing was printed */
    return text.data;
}
