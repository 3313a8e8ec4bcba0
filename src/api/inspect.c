/* inspect.c - what a model was read from, what it costs, and whether its graph is sound */
#include "api/weights.h"
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
#include <sys/stat.h>

/* --- what was read ------------------------------------------------------------------------- */

/* Also of a model in which a fault was found later: whatever of its file was read. */
void list_identity(const struct nnefc_model *model, struct list *list)
{
    const struct onnx_model *onnx = model->onnx.file;
    const struct pnnx_document *pnnx = model->pnnx.document;
    struct nnefc_identity *identity = LIST_ADD(list, (struct nnefc_identity){0});

    if (onnx) {
        identity->format = NNEFC_FORMAT_ONNX;
        identity->ir_version = onnx->ir_version;
        identity->producer = onnx->producer_name;
        identity->producer_version = onnx->producer_version;
    } else if (pnnx) {
        identity->format = NNEFC_FORMAT_PNNX;
        identity->operators = pnnx->operators.count;
        identity->operands = pnnx->operands.count;
        identity->attributes = pnnx->nattribute;
    } else if (model->graph && model->imported) {
        identity->format = NNEFC_FORMAT_GRAPH;
    } else if (model->document) {
        identity->format = NNEFC_FORMAT_NNEF;
        identity->dialect =
            model->document->dialect == DIALECT_1_0 ? NNEFC_DIALECT_1_0 : NNEFC_DIALECT_PROVISIONAL;
        identity->version = "1.0";
    }
}

/* Is that the file of data that need not have been read?  A folder that --data names, and that has
 * not been opened, is not reported here. */
static bool is_of_data(struct nnefc_model *model, const struct stat *file)
{
    struct diag *aside = diag_new(NULL);
    struct store *named = NULL, *store = model->home;
    const struct source *v = model->graph ? model->graph->variables.first : NULL;
    struct stat st;

    if (model->data_folder && !model->data)
        named = store_open_data(aside, &model->context->limits, model->data_folder);
    if (model->data_folder)
        store = model->data ? model->data : named;
    bool is = diag_is_input(aside, file->st_dev, file->st_ino);
    for (; v && store && !is; v = v->next) {
        char *path = v->label ? store_data_path(store, v->label) : NULL;
        is = path && stat(path, &st) == 0 && st.st_dev == file->st_dev && st.st_ino == file->st_ino;
        free(path);
    }
    if (named)
        store_close(named);
    diag_free(aside);
    return is;
}

bool api_model_reads(struct nnefc_model *model, const char *path)
{
    struct stat st;

    return model && path && stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
           (diag_is_input(model->context->diag, st.st_dev, st.st_ino) || is_of_data(model, &st));
}

/* --- costs --------------------------------------------------------------------------------- */

int64_t macs_of(const struct node *node)
{
    if (!(node->op->traits & OP_PRODUCTS))
        return 0;
    return node_is_known(node) ? node->work : NNEFC_UNKNOWN;
}

/* A constant counts the items that are written: one may stand for all. */
static void add_parameter(struct nnefc_cost *cost, const struct source *source)
{
    const struct value *value = source->value;
    const struct shape *shape =
        value->kind == VALUE_CONSTANT ? &source->tensor->shape : value->shape;
    int64_t size = (int64_t)dtype_size((enum dtype)value->dtype), items, bytes;

    if (!shape_volume_checked(shape, INT64_MAX, &items) || !num_mul(items, size, &bytes))
        items = bytes = INT64_MAX;
    cost->parameters++;
    cost->parameter_items = num_add_most(cost->parameter_items, items);
    cost->parameter_bytes = num_add_most(cost->parameter_bytes, bytes);
}

/* Multiply-adds and memory are known if those of every node are. */
void list_cost(const struct nnefc_model *model, struct list *list)
{
    const struct graph *graph = model->graph;
    struct nnefc_cost *cost = LIST_ADD(list, (struct nnefc_cost){0});
    bool known = true;
    struct live live;

    if (!graph)
        return;
    for (const struct source *s = graph->variables.first; s; s = s->next)
        add_parameter(cost, s);
    for (const struct source *s = graph->constants.first; s; s = s->next)
        if (!value_is_literal(s->value))
            add_parameter(cost, s);
    for (const struct node *n = graph->first; n; n = n->next) {
        int64_t macs = macs_of(n);
        known &= node_is_known(n);
        bool counted = cost->macs != NNEFC_UNKNOWN && macs != NNEFC_UNKNOWN;
        cost->macs = counted ? num_add_most(cost->macs, macs) : NNEFC_UNKNOWN;
    }
    cost->peak_bytes = NNEFC_UNKNOWN;
    if (!known)
        return;
    if (!live_find(graph, &live))
        arena_out_of_memory();
    cost->peak_bytes = peak_bytes(graph, &live);
    live_clear(&live);
}

/* --- soundness ----------------------------------------------------------------------------- */

/* Also if nothing was reported before: a graph that breaks a rule is our own mistake. */
bool api_model_verify(struct nnefc_model *model, bool data)
{
    struct text why = {0};

    if (!graph_is_there(model, "verified"))
        return false;
    bool ok = !data || weights_load(model);

    if (ok && !graph_verify(model->graph, &why))
        ok = diag_file_error(model->context->diag, NULL, DIAG_GRAPH_UNSOUND,
                             "the graph is not sound: %s", why.data);
    text_free(&why);
    return ok;
}
