/*
 * quant.c - the quantization file, and integers that stand for scalars (NNEF 1.0.5, sections 5.2,
 *           5.3 and 7)
 *
 * The quantization file says what stored integers mean, else the file that holds them: by a minimum
 * and a maximum before NNEF 1.0.3, by an invocation in the provisional standard.
 */
#include "api/weights.h"
#include "base/text.h"
#include "file/dat.h"
#include "op/op_build.h"

#include <assert.h>
#include <string.h>

/* --- the quantization file ---------------------------------------------------------------- */

static const char file_name[] = "graph.quant";

/* The entries of the text at `at`. */
static bool parse(const struct nnefc_model *model, struct span at, const char *text,
                  struct quant_entry_list *entries)
{
    struct context *context = model->context;
    int errors = diag_error_count(context->diag);

    *entries = parse_quant(context, at.begin, text, at.end - at.begin, model->document->dialect);
    return diag_error_count(context->diag) == errors;
}

/* A draft comes before the file that the client named, and that before the one beside the
 * document. */
bool quant_load(struct nnefc_model *model)
{
    struct loaded_quant *quant = &model->quant;
    struct origin *origin = &model->origin[NNEFC_PART_QUANT];
    struct diag *diag = model->context->diag;
    const char *document = model->home ? store_document_name(model->home) : "";
    const char *slash = strrchr(document, '/');
    struct text name = {0}; /* what diagnostics call it: it is beside the document */
    size_t size = 0;
    bool ok = true;

    assert(!quant->text && model->checked);
    if (quant->path)
        text_add(&name, "%s", file_input_name(quant->path));
    else
        text_add(&name, "%.*s%s", slash ? (int)(slash + 1 - document) : 0, document, file_name);
    /* The file that it is in; NULL in an archive, or where there is no place for it. */
    bool beside = model->home && store_folder(model->home);
    const char *path = quant->path ? quant->path : beside ? name.data : NULL;
    quant->text = path ? draft_copy(model, path, &size) : NULL;
    if (!quant->text && quant->path)
        ok = file_read(diag, quant->path, model->context->limits.text, &quant->text, &size);
    else if (!quant->text && model->home)
        ok = store_text(diag, model->home, file_name, &quant->text, &size);
    if (ok && quant->text) {
        origin->path = keep_text(model, path);
        ok = enter_text(model, name.data, quant->text, size, &origin->at);
        if (ok) {
            ok = parse(model, origin->at, quant->text, &quant->entries);
            model->lower.quant = &quant->entries;
            model->lower.stores_integers = weights_are_quantized;
            model->lower.stored_by = model;
            ok &= sema_quant(model->checked, &quant->entries, &model->sema);
        }
    }
    text_free(&name);
    return ok;
}

/* --- what the file with the integers says ------------------------------------------------- */

/* A constant operand of the parameter `param`. */
static struct op_operand literal(struct graph *graph, const char *param, float value)
{
    struct datum datum = {.kind = DATUM_SCALAR, .scalar = (double)value};

    return (struct op_operand){param, graph_literal(graph, &datum), {0, 0}};
}

/* --- decoding ----------------------------------------------------------------------------- */

enum { MAX_OPERANDS = 4 }; /* of operations that quantize */

/* What a range in the file says, as an operation in a graph of its own, whose operands behind the
 * first are literals. */
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

    assert(info->range != DAT_NO_RANGE);
    in[0].value =
        graph_add_source(graph, VALUE_EXTERNAL, DTYPE_SCALAR, stored->variable->value->shape, span);
    if (linear)
        in[call.nin++] = literal(graph, "min", info->min);
    in[call.nin++] = literal(graph, "max", info->max);
    return op_build(graph, &call);
}

/* The operation that tells what the integers mean; NULL if there is none, maybe after reports.  An
 * invocation in the file becomes an entry of a quantization file. */
static const struct node *find_meaning(const struct nnefc_model *model, const struct stored *stored)
{
    const struct source *variable = stored->variable;
    const struct node *node = variable->quant;
    struct quant_entry_list entries = {0};
    struct text text = {0};
    struct span at = {0};

    if (!node && *stored->info->algorithm) {
        text_add_quoted(&text, variable->label);
        text_add(&text, ": %s;", stored->info->algorithm);
        size_t size = text.size;
        const char *kept = text_keep(&text, model->context->arena);
        bool ok =
            enter_text(model, stored->file, kept, size, &at) && parse(model, at, kept, &entries);
        if (ok && entries.count == 1)
            ok = sema_quant_entry(model->checked, entries.first, &model->sema) &&
                 lower_quant(model->checked, entries.first, variable->value, &node);
        if (!ok)
            return NULL;
    }
    if (!node && stored->info->range != DAT_NO_RANGE)
        node = build_range(model, stored);
    return node && node->op->dequantize ? node : NULL;
}

/* Let the tensor be what the node makes of it by `compute`; its operands behind the first are
 * constants. */
static bool replace_items(const struct nnefc_model *model, const struct stored *stored,
                          const struct node *node, struct tensor *tensor)
{
    const struct tensor *in[MAX_OPERANDS] = {tensor};
    struct tensor made, *out = &made;
    struct eval eval = {
        .node = node, .attrs = node->attrs, .in = in, .out = &out, .diag = model->context->diag};
    struct reading reading = {eval.diag, stored->file, context_budget(model->context)};
    bool encodes = tensor->dtype == DTYPE_SCALAR;

    assert(node->nin <= MAX_OPERANDS);
    for (uint32_t i = 1; i < node->nin; i++)
        in[i] = node->in[i].value->source->tensor;
    if (!reading_allocate(&reading, &made, encodes ? DTYPE_INTEGER : DTYPE_SCALAR, &tensor->shape))
        return false;
    bool ok = encodes
                  ? node->op->eval(&eval)
                  : node->op->dequantize(&eval, stored->info->format.type == ITEM_QUANTIZED_SIGNED);
    tensor_clear(tensor);
    *tensor = made;
    return ok;
}

/* The quantization file comes first, then the file of the data itself. */
static bool decode(const struct nnefc_model *model, const struct stored *stored,
                   struct tensor *tensor)
{
    struct diag *diag = model->context->diag;
    int errors = diag_error_count(diag);
    const struct node *node = find_meaning(model, stored);

    if (diag_error_count(diag) > errors)
        return false;
    if (!node) {
        diag_file_error(diag, stored->file, DIAG_QUANT_MISSING,
                        "no quantization info for variable '%s', whose items are quantized",
                        VALUE_TEXT(stored->variable->value));
        return diag_help(diag, "name it in %s, with an operation that quantizes.", file_name);
    }
    return replace_items(model, stored, node, tensor);
}

bool quant_settle(const struct nnefc_model *model, const struct stored *stored,
                  struct tensor *tensor)
{
    const bool wants_integers = stored->variable->value->dtype == DTYPE_INTEGER;

    if (is_quantized(&stored->info->format))
        return wants_integers || decode(model, stored, tensor);
    return !wants_integers || tensor->dtype == DTYPE_INTEGER ||
           replace_items(model, stored, stored->variable->quant, tensor);
}
