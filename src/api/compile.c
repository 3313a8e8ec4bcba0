/*
 * compile.c - the formats that models are read in, and the line from NNEF text to graph
 *
 * The table below is the one place that lists the formats.  Each loader is given the bytes of the
 * file and leaves a graph in the model.
 */
#include "api/formats.h"
#include "api/open.h"
#include "base/text.h"

#include <assert.h>
#include <string.h>

enum { COMPILE_PARTS = 3 }; /* parsing, checking, lowering */

/* A text to a graph: parse, check, lower.  Faults of the quantization file do not hide those of the
 * expansion, so both are looked for. */
static bool compile_text(struct nnefc_model *model, const char *name, const void *bytes,
                         size_t size)
{
    struct context *c = model->context;
    struct span *at = &model->origin[NNEFC_PART_DOCUMENT].at;

    assert(bytes == model->text && size == model->size);
    if (model->format == NNEFC_FORMAT_AUTO && text_ends_in(name, ".ng"))
        return diag_file_error(c->diag, name, DIAG_NATIVE_FILE,
                               "this is no graph file, which its name says it is");
    if (!is_nnef(model, name) || !import_unused(model, name))
        return false;
    context_account(c, (int64_t)size);
    if (!enter_text(model, name, bytes, size, at))
        return false;
    model->document = parse_text(c, at->begin, bytes, size, &model->parse);
    if (!model->document || context_cancelled(c))
        return false;
    model_progress(model, NNEFC_WORK_LOAD, 1, COMPILE_PARTS);
    model->checked = sema_check(c, model->document, &model->sema);
    if (!model->checked || context_cancelled(c))
        return false;
    model_progress(model, NNEFC_WORK_LOAD, 2, COMPILE_PARTS);
    bool ok = quant_load(model);
    struct graph *graph = lower(model->checked, &model->lower);
    model->graph = ok ? graph : NULL;
    if (model->graph)
        warn_unused(model->checked, graph);
    model_progress(model, NNEFC_WORK_LOAD, COMPILE_PARTS, COMPILE_PARTS);
    return model->graph && open_text(model);
}

struct model_format {
    const char *name; /* as options of the program have it */
    bool (*recognise)(const char *name, const void *bytes, size_t size); /* NULL: what is left */
    bool (*load)(struct nnefc_model *model, const char *name, const void *bytes, size_t size);
};

/* Bytes are those of the first format that recognises them; none does so with an NNEF text. */
static const struct model_format formats[] = {
    [NNEFC_FORMAT_AUTO] = {"auto", NULL, NULL},
    [NNEFC_FORMAT_NNEF] = {"nnef", NULL, compile_text},
    [NNEFC_FORMAT_ONNX] = {"onnx", onnx_recognise, import_onnx},
    [NNEFC_FORMAT_GRAPH] = {"graph", native_recognise, load_native},
    [NNEFC_FORMAT_PNNX] = {"pnnx", pnnx_recognise, import_pnnx},
};
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };
static_assert(FORMAT_COUNT == NNEFC_FORMAT_PNNX + 1, "the table has all formats");

/* Clients count up to the first NULL. */
const char *nnefc_format_name(enum nnefc_format format)
{
    return (unsigned)format < FORMAT_COUNT ? formats[format].name : NULL;
}

/* Bytes of that format are read so even if they look like another. */
bool api_model_set_format(struct nnefc_model *model, enum nnefc_format format)
{
    if (!nnefc_format_name(format))
        return misuse(model, "%d is no format", (int)format);
    model->format = format;
    return true;
}

enum nnefc_format format_of(const struct nnefc_model *model, const char *name, const void *bytes,
                            size_t size)
{
    if (model->format != NNEFC_FORMAT_AUTO)
        return model->format;
    for (unsigned i = 0; i < FORMAT_COUNT; i++)
        if (formats[i].recognise && formats[i].recognise(name, bytes, size))
            return (enum nnefc_format)i;
    return NNEFC_FORMAT_NNEF;
}

bool load_format(struct nnefc_model *model, enum nnefc_format format, const char *name,
                 const void *bytes, size_t size)
{
    assert((unsigned)format < FORMAT_COUNT && formats[format].load);
    if (model->open.nopened > 0 && format != NNEFC_FORMAT_NNEF)
        return diag_file_error(model->context->diag, name, DIAG_INPUT_UNKNOWN,
                               "extents are opened of NNEF texts: here those are open that the "
                               "file leaves open");
    return formats[format].load(model, name, bytes, size);
}
