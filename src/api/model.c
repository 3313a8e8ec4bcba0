/* model.c - a model: its options, its loading, what it consists of as text */
#include "api/api_priv.h"
#include "base/arena.h"
#include "base/text.h"
#include "op/graph_print.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct nnefc_model *nnefc_model_new(void)
{
    struct nnefc_model *model = calloc(1, sizeof *model);

    if (!model)
        arena_out_of_memory();
    model->context = context_new();
    return model;
}

void nnefc_model_free(struct nnefc_model *model)
{
    if (!model)
        return;
    weights_free(model);
    store_close(model->home);
    store_close(model->data);
    context_free(model->context);
    free(model->overrides);
    free(model->customs);
    free(model->text);
    free(model->quant_text);
    free(model);
}

/* --- options ----------------------------------------------------------------------------- */

void nnefc_model_set_dialect(struct nnefc_model *model, enum nnefc_dialect dialect)
{
    switch (dialect) {
    case NNEFC_DIALECT_AUTO:
        model->parse.dialect = PARSE_AUTO;
        return;
    case NNEFC_DIALECT_1_0:
        model->parse.dialect = PARSE_1_0;
        return;
    case NNEFC_DIALECT_PROVISIONAL:
        model->parse.dialect = PARSE_PROVISIONAL;
        return;
    }
}

void nnefc_model_set_pedantic(struct nnefc_model *model, bool pedantic)
{
    model->sema.pedantic = pedantic;
}

void nnefc_model_set_werror(struct nnefc_model *model, bool werror)
{
    diag_set_werror(model->context->diag, werror);
}

void nnefc_model_set_error_limit(struct nnefc_model *model, int limit)
{
    diag_set_limit(model->context->diag, limit);
}

void nnefc_model_set_expand_all(struct nnefc_model *model, bool expand)
{
    model->lower.expand_all = expand;
}

static const char *keep_text(struct nnefc_model *model, const char *text)
{
    return arena_strndup(model->context->arena, text, strlen(text));
}

void nnefc_model_set_data_folder(struct nnefc_model *model, const char *folder)
{
    model->data_folder = folder ? keep_text(model, folder) : NULL;
}

void nnefc_model_set_quant_file(struct nnefc_model *model, const char *path)
{
    model->quant_file = path ? keep_text(model, path) : NULL;
}

void nnefc_model_set_quantize(struct nnefc_model *model, bool quantize)
{
    model->lower.apply_quant = quantize;
}

void nnefc_model_set_shape(struct nnefc_model *model, const char *parameter, int rank,
                           const int64_t *extents)
{
    size_t count = (size_t)model->lower.noverride;
    struct shape_override *list = realloc(model->overrides, (count + 1) * sizeof *list);

    assert(rank >= 0 && rank <= NNEFC_MAX_RANK);
    if (!list)
        arena_out_of_memory();
    list[count] = (struct shape_override){keep_text(model, parameter), {.rank = rank}};
    for (int i = 0; i < rank; i++)
        list[count].shape.extent[i] = extents[i];
    model->lower.overrides = model->overrides = list;
    model->lower.noverride++;
}

static int clamp_to_int(int64_t value)
{
    return value > INT32_MAX ? INT32_MAX : (int)value;
}

void nnefc_model_set_limit(struct nnefc_model *model, enum nnefc_limit limit, int64_t value)
{
    struct limits *limits = &model->context->limits;

    switch (limit) {
    case NNEFC_LIMIT_NESTING:
        /* beyond the standard limit our own recursion might exhaust the stack */
        if (value < limits_standard.nesting)
            limits->nesting = (int)value;
        return;
    case NNEFC_LIMIT_EXPANSION:
        limits->expansion_depth = clamp_to_int(value);
        return;
    case NNEFC_LIMIT_NODES:
        limits->nodes = value;
        return;
    case NNEFC_LIMIT_ARRAY_LENGTH:
        limits->array_length = value;
        return;
    case NNEFC_LIMIT_WORK:
        limits->work = value;
        return;
    case NNEFC_LIMIT_MEMORY:
        limits->memory = value;
        return;
    case NNEFC_LIMIT_VOLUME:
        limits->volume = value;
        return;
    }
}

/* --- loading ----------------------------------------------------------------------------- */

static bool read_and_compile(struct nnefc_model *model, const char *path)
{
    struct diag *diag = model->context->diag;

    store_close(model->home);
    model->home = store_open(diag, path);
    return model->home && store_document(diag, model->home, &model->text, &model->size) &&
           compile(model, store_document_name(model->home));
}

enum nnefc_status nnefc_model_load(struct nnefc_model *model, const char *path)
{
    if (model->text)
        return NNEFC_USAGE;
    int before = diag_count(model->context->diag);
    return read_and_compile(model, path) ? NNEFC_OK : status_since(model, before);
}

enum nnefc_status nnefc_model_load_text(struct nnefc_model *model, const char *name,
                                        const char *text, size_t size)
{
    if (model->text)
        return NNEFC_USAGE;
    int before = diag_count(model->context->diag);
    model->text = malloc(size + 1);
    if (!model->text)
        arena_out_of_memory();
    memcpy(model->text, text, size);
    model->text[size] = '\0';
    model->size = size;
    return compile(model, name) ? NNEFC_OK : status_since(model, before);
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
        if (model->checked)
            checked_print(model->checked, to);
        return model->checked != NULL;
    case NNEFC_STAGE_GRAPH:
        if (model->graph)
            graph_print(model->graph, to);
        return model->graph != NULL;
    }
    return false;
}

char *nnefc_model_dump(const struct nnefc_model *model, enum nnefc_stage stage)
{
    struct text text = {0};

    if (!print_stage(model, stage, &text))
        return NULL;
    text_add(&text, "%s", "");
    return text.data;
}
