/* inspect.c - what a model was read from, what it costs, and whether its graph is sound */
#include "api/formats.h"
#include "api/operations.h"
#include "api/weights.h"
#include "base/arena.h"
#include "base/num.h"
#include "base/text.h"
#include "convert/pnnx/document.h"
#include "convert/proto/onnx.h"
#include "exec/check.h"
#include "ir/graph.h"
#include "op/graph_print.h"
#include "op/op.h"
#include "parser/ast.h"

#include <stdlib.h>

/* --- formats ------------------------------------------------------------------------------- */

static const char *const format_names[] = {
    [NNEFC_FORMAT_AUTO] = "auto",   [NNEFC_FORMAT_NNEF] = "nnef", [NNEFC_FORMAT_ONNX] = "onnx",
    [NNEFC_FORMAT_GRAPH] = "graph", [NNEFC_FORMAT_PNNX] = "pnnx",
};
enum { FORMAT_COUNT = sizeof format_names / sizeof format_names[0] };

const char *nnefc_format_name(enum nnefc_format format)
{
    return (unsigned)format < FORMAT_COUNT ? format_names[format] : NULL;
}

enum nnefc_status api_model_set_format(struct nnefc_model *model, enum nnefc_format format)
{
    if (!before_loading(model, "the format"))
        return NNEFC_USAGE;
    if (!nnefc_format_name(format))
        return misuse(model, "%d is no format", (int)format);
    model->format = format;
    return NNEFC_OK;
}

bool reads_onnx(const struct nnefc_model *model, const void *bytes, size_t size)
{
    return model->format == NNEFC_FORMAT_ONNX ||
           (model->format == NNEFC_FORMAT_AUTO && is_onnx(bytes, size));
}

/* --- what was read ------------------------------------------------------------------------- */

static struct nnefc_identity identity_of(const struct nnefc_model *model)
{
    const struct onnx_model *onnx = model->from_onnx;
    const struct pnnx_document *pnnx = model->pnnx.document;

    if (onnx)
        return (struct nnefc_identity){.format = NNEFC_FORMAT_ONNX,
                                       .ir_version = onnx->ir_version,
                                       .producer = onnx->producer_name,
                                       .producer_version = onnx->producer_version};
    if (pnnx)
        return (struct nnefc_identity){.format = NNEFC_FORMAT_PNNX,
                                       .operators = pnnx->operators.count,
                                       .operands = pnnx->operands.count,
                                       .attributes = pnnx->nattribute};
    if (model->graph && model->imported)
        return (struct nnefc_identity){.format = NNEFC_FORMAT_GRAPH};
    if (!model->document)
        return (struct nnefc_identity){0};
    return (struct nnefc_identity){.format = NNEFC_FORMAT_NNEF,
                                   .dialect = model->document->dialect == DIALECT_1_0
                                                  ? NNEFC_DIALECT_1_0
                                                  : NNEFC_DIALECT_PROVISIONAL,
                                   .version = "1.0"};
}

static void add_identity(const struct nnefc_model *model, struct list *list)
{
    const struct nnefc_identity identity = identity_of(model);

    list_append(list, &identity, sizeof identity);
}

const struct nnefc_identity *nnefc_model_identity(const struct nnefc_model *model)
{
    static const struct nnefc_identity nobody;

    return model_record(model, LIST_IDENTITY, add_identity, &nobody);
}

/* --- costs --------------------------------------------------------------------------------- */

static int64_t plus(int64_t a, int64_t b)
{
    int64_t sum;

    return num_add(a, b, &sum) ? sum : INT64_MAX;
}

static bool is_known(const struct value *value)
{
    return shape_known(value->shape);
}

static bool all_known(const struct node *node)
{
    bool known = true;

    for (uint32_t i = 0; i < node->nin; i++)
        known &= is_known(node->in[i].value);
    for (uint32_t i = 0; i < node->nout; i++)
        known &= is_known(&node->out[i]);
    return known;
}

int64_t macs_of(const struct node *node)
{
    if (!(node->op->traits & OP_PRODUCTS))
        return 0;
    return all_known(node) ? node->work : NNEFC_UNKNOWN;
}

static int64_t macs_of_all(const struct graph *graph)
{
    int64_t sum = 0;

    for (const struct node *n = graph->first; n; n = n->next) {
        int64_t macs = macs_of(n);
        if (macs == NNEFC_UNKNOWN)
            return NNEFC_UNKNOWN;
        sum = plus(sum, macs);
    }
    return sum;
}

static int64_t peak_of(const struct graph *graph)
{
    struct live live;

    for (const struct node *n = graph->first; n; n = n->next)
        if (!all_known(n))
            return NNEFC_UNKNOWN;
    if (!live_find(graph, &live))
        arena_out_of_memory();
    int64_t peak = peak_bytes(graph, &live);
    live_clear(&live);
    return peak;
}

static void add_parameter(struct nnefc_cost *cost, const struct source *source)
{
    const struct value *value = source->value;
    const struct shape *shape =
        value->kind == VALUE_CONSTANT ? &source->tensor->shape : value->shape;
    int64_t size = (int64_t)dtype_size((enum dtype)value->dtype), items, bytes;

    if (!shape_volume_checked(shape, INT64_MAX, &items) || !num_mul(items, size, &bytes))
        items = bytes = INT64_MAX;
    cost->parameters++;
    cost->parameter_items = plus(cost->parameter_items, items);
    cost->parameter_bytes = plus(cost->parameter_bytes, bytes);
}

static void add_cost(const struct nnefc_model *model, struct list *list)
{
    const struct graph *graph = model->graph;
    struct nnefc_cost *cost = LIST_ADD(list, (struct nnefc_cost){0});

    if (!graph)
        return;
    for (const struct source *s = graph->variables.first; s; s = s->next)
        add_parameter(cost, s);
    for (const struct source *s = graph->constants.first; s; s = s->next)
        if (!value_is_literal(s->value))
            add_parameter(cost, s);
    cost->macs = macs_of_all(graph);
    cost->peak_bytes = peak_of(graph);
}

const struct nnefc_cost *nnefc_model_cost(const struct nnefc_model *model)
{
    static const struct nnefc_cost nothing;

    return model_record(model, LIST_COST, add_cost, &nothing);
}

/* --- soundness ----------------------------------------------------------------------------- */

enum nnefc_status api_model_verify(struct nnefc_model *model, bool data)
{
    struct text why = {0};

    if (!model || !model->graph)
        return misuse(model, "a model that is not loaded cannot be verified");
    int before = diag_count(model->context->diag);
    bool ok = !data || weights_load(model);

    if (ok && !graph_verify(model->graph, &why))
        ok = diag_file_error(model->context->diag, NULL, DIAG_GRAPH_UNSOUND,
                             "the graph is not sound: %s", why.data);
    text_free(&why);
    return ok ? NNEFC_OK : status_since(model, before);
}
