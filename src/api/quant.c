/*
 * quant.c - the quantization file, and integers that stand for scalars (NNEF 1.0.5, sections 5.2,
 *           5.3 and 7)
 *
 * What stored integers mean is said by the quantization file, else by the file that holds them:
 * by a minimum and a maximum before NNEF 1.0.3, by an invocation in the provisional standard.
 */
#include "api/weights.h"
#include "base/arena.h"
#include "base/text.h"
#include "file/dat.h"
#include "file/file.h"
#include "op/op_build.h"

#include <assert.h>
#include <string.h>

/* --- the quantization file ---------------------------------------------------------------- */

static const char file_name[] = "graph.quant";

/* What diagnostics call it: it is beside the document. */
static void add_name(struct text *name, const struct nnefc_model *model)
{
    const char *document = model->home ? store_document_name(model->home) : "";
    const char *slash = strrchr(document, '/');

    if (model->quant_file)
        text_add(name, "%s", file_input_name(model->quant_file));
    else
        text_add(name, "%.*s%s", slash ? (int)(slash + 1 - document) : 0, document, file_name);
}

/* The file that it is in if it is there; NULL in an archive, or where there is no place for it. */
static const char *path_of(const struct nnefc_model *model, const char *name)
{
    bool beside = model->home && store_folder(model->home);

    return model->quant_file ? model->quant_file : beside ? name : NULL;
}

static bool read_text(struct nnefc_model *model, const char *path, size_t *size)
{
    struct diag *diag = model->context->diag;

    model->quant_text = path ? draft_copy(model, path, size) : NULL;
    if (model->quant_text)
        return true;
    if (model->quant_file)
        return file_read(diag, model->quant_file, model->context->limits.text, &model->quant_text,
                         size);
    return !model->home || store_text(diag, model->home, file_name, &model->quant_text, size);
}

/* Enter a text that lives as long as the model. */
static bool enter(const struct nnefc_model *model, const char *name, const char *text, size_t size,
                  struct span *at)
{
    const struct context *context = model->context;
    uint32_t base = sources_add(context->sources, name, text, size);

    if (base == 0)
        return diag_file_error(context->diag, name, DIAG_NOT_SUPPORTED,
                               "the texts are larger than 4 GiB");
    *at = (struct span){base, base + (uint32_t)size};
    return true;
}

/* The entries of the text at `at`. */
static bool parse(const struct nnefc_model *model, struct span at, const char *text,
                  struct quant_entry_list *entries)
{
    struct context *context = model->context;
    int errors = diag_error_count(context->diag);

    *entries = parse_quant(context, at.begin, text, at.end - at.begin, model->document->dialect);
    return diag_error_count(context->diag) == errors;
}

static bool parse_file(struct nnefc_model *model, const char *name, size_t size)
{
    struct span *at = &model->origin[NNEFC_PART_QUANT].at;

    if (!enter(model, name, model->quant_text, size, at))
        return false;
    bool ok = parse(model, *at, model->quant_text, &model->quant);
    model->lower.quant = &model->quant;
    return sema_quant(model->checked, &model->quant, &model->sema) && ok;
}

bool quant_load(struct nnefc_model *model)
{
    struct origin *origin = &model->origin[NNEFC_PART_QUANT];
    struct text name = {0};
    size_t size = 0;

    add_name(&name, model);
    const char *path = path_of(model, name.data);
    bool ok = read_text(model, path, &size);
    if (ok && model->quant_text) {
        origin->path = path ? arena_strndup(model->context->arena, path, strlen(path)) : NULL;
        ok = parse_file(model, name.data, size);
    }
    text_free(&name);
    return ok;
}

/* --- what the file with the integers says ------------------------------------------------- */

static struct op_operand literal(struct graph *graph, const char *param, float value)
{
    struct datum datum = {.kind = DATUM_SCALAR, .scalar = (double)value};

    return (struct op_operand){param, graph_literal(graph, &datum), {0, 0}};
}

/* An operation, of a graph of its own, whose operands behind the first are literals. */
static const struct node *build_range(const struct nnefc_model *model, const struct stored *stored)
{
    const struct dat_info *info = stored->info;
    bool linear = info->range == DAT_LINEAR;
    const struct op_desc *op = op_table[linear ? OP_linear_quantize : OP_logarithmic_quantize];
    struct graph *graph = graph_new(model->context, model->graph->name);
    struct span span = stored->variable->span;
    struct op_operand in[3] = {{.param = "x"}};
    struct datum bits = {.kind = DATUM_INTEGER, .integer = info->format.bits};
    struct op_argument arg = {.attr = &op->attrs[0], .value = bits};
    struct op_call call = {.op = op, .in = in, .nin = 1, .args = &arg, .nargs = 1, .span = span};

    in[0].value =
        graph_add_source(graph, VALUE_EXTERNAL, DTYPE_SCALAR, stored->variable->value->shape, span);
    if (linear)
        in[call.nin++] = literal(graph, "min", info->min);
    in[call.nin++] = literal(graph, "max", info->max);
    return op_build(graph, &call);
}

/* The invocation in the file becomes an entry of a quantization file. */
static bool lower_algorithm(const struct nnefc_model *model, const struct stored *stored,
                            const struct node **node)
{
    struct quant_entry_list entries = {0};
    struct text text = {0};
    struct span at = {0};

    text_add_quoted(&text, stored->variable->label);
    text_add(&text, ": %s;", stored->info->algorithm);
    const char *kept = arena_strndup(model->context->arena, text.data, text.size);
    bool ok = enter(model, stored->file, kept, text.size, &at) && parse(model, at, kept, &entries);
    text_free(&text);
    if (!ok || entries.count != 1)
        return ok;
    return sema_quant_entry(model->checked, entries.first, &model->sema) &&
           lower_quant(model->checked, entries.first, stored->variable->value, node);
}

/* --- decoding ----------------------------------------------------------------------------- */

enum { MAX_OPERANDS = 4 };

static bool decode(const struct nnefc_model *model, const struct stored *stored,
                   const struct node *node, struct tensor *tensor)
{
    const struct tensor *in[MAX_OPERANDS] = {tensor};
    struct tensor decoded, *out = &decoded;
    struct diag *diag = model->context->diag;
    struct eval eval = {.node = node, .attrs = node->attrs, .in = in, .out = &out, .diag = diag};

    assert(node->nin <= MAX_OPERANDS);
    for (uint32_t i = 1; i < node->nin; i++)
        in[i] = node->in[i].value->source->tensor;
    struct reading made = {diag, stored->file, context_budget(model->context)};
    if (!reading_allocate(&made, &decoded, DTYPE_SCALAR, &tensor->shape))
        return false;
    bool is_signed = stored->info->format.type == ITEM_QUANTIZED_SIGNED;
    bool ok = node->op->dequantize(&eval, is_signed);
    tensor_clear(tensor);
    *tensor = decoded;
    return ok;
}

static bool no_meaning(const struct nnefc_model *model, const struct stored *stored)
{
    struct diag *diag = model->context->diag;

    diag_file_error(diag, stored->file, DIAG_QUANT_MISSING,
                    "no quantization info for variable '%s', whose items are quantized",
                    VALUE_TEXT(stored->variable->value));
    diag_help(diag, "name it in %s, with an operation that quantizes.", file_name);
    return false;
}

/* The operation that tells what the integers mean; NULL if it cannot be found. */
static const struct node *find_meaning(const struct nnefc_model *model, const struct stored *stored)
{
    const struct node *node = stored->variable->quant;

    if (!node && *stored->info->algorithm && !lower_algorithm(model, stored, &node))
        return NULL;
    if (!node && stored->info->range != DAT_NO_RANGE)
        node = build_range(model, stored);
    return node && node->op->dequantize ? node : NULL;
}

bool quant_decode(const struct nnefc_model *model, const struct stored *stored,
                  struct tensor *tensor)
{
    int errors = diag_error_count(model->context->diag);
    const struct node *node = find_meaning(model, stored);

    if (diag_error_count(model->context->diag) > errors)
        return false;
    return node ? decode(model, stored, node, tensor) : no_meaning(model, stored);
}
