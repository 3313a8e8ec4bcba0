/* compile.c - the line from text to graph */
#include "api/formats.h"
#include "diag/source.h"

#include <string.h>

/* Not that of a text. */
static bool is_named_native(const char *name)
{
    size_t size = strlen(name);

    return size > 3 && strcmp(name + size - 3, ".ng") == 0;
}

enum { COMPILE_PARTS = 3 }; /* parsing, checking, lowering */

bool compile(struct nnefc_model *model, const char *name)
{
    struct context *c = model->context;

    if (reads_onnx(model, model->text, model->size))
        return import_onnx(model, name, model->text, model->size);
    if (reads_native(model, model->text, model->size))
        return load_native(model, name, model->text, model->size);
    if (model->format == NNEFC_FORMAT_AUTO && is_named_native(name))
        return diag_file_error(c->diag, name, DIAG_NATIVE_FILE,
                               "this is no graph file, which its name says it is");
    if (reads_pnnx(model, name, model->text, model->size))
        return import_pnnx(model, name, model->text, model->size);
    if (!is_nnef(model, name) || !import_unused(model, name))
        return false;
    context_account(c, (int64_t)model->size);
    uint32_t base = sources_add(c->sources, name, model->text, model->size);
    if (base == 0)
        return diag_file_error(c->diag, name, DIAG_NOT_SUPPORTED, "the text is larger than 4 GiB");
    model->origin[NNEFC_PART_DOCUMENT].at = (struct span){base, base + (uint32_t)model->size};
    model->document = parse_text(c, base, model->text, model->size, &model->parse);
    if (!model->document || atomic_load(&c->cancelled))
        return false;
    model_progress(model, NNEFC_WORK_LOAD, 1, COMPILE_PARTS);
    model->checked = sema_check(c, model->document, &model->sema);
    if (!model->checked || atomic_load(&c->cancelled))
        return false;
    model_progress(model, NNEFC_WORK_LOAD, 2, COMPILE_PARTS);
    bool ok = quant_load(model);
    struct graph *graph = lower(model->checked, &model->lower);
    model->graph = ok ? graph : NULL;
    if (model->graph)
        warn_unused(model->checked, graph);
    model_progress(model, NNEFC_WORK_LOAD, COMPILE_PARTS, COMPILE_PARTS);
    return model->graph != NULL;
}
