/*
 * dynamic.c - samples of a model are compared, and what differs is computed or refused
 *
 * Nodes of ONNX are compared within what one node of NNEF became, so that one report tells of each
 * that cannot be so.  Initializers go by what they hold, as their names depend on which others
 * there are.
 */
#include "convert/onnx/dynamic.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/text.h"
#include "convert/onnx/export_priv.h"
#include "convert/onnx/extent.h"
#include "convert/proto/onnx_equal.h"
#include "diag/context.h"
#include "ir/site.h"
#include "op/op.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The nodes of ONNX that a node of NNEF became. */
struct group {
    struct onnx_node *first;
    int count;
};

struct sampled {
    const struct graph *graph;
    const struct onnx_model *model;
    const struct node **node; /* of NNEF, by id */
    struct group *group;      /* by id; one more for what belongs to no node */
    struct map initializers;  /* by name, interned */
    struct map infos;         /* of inputs, outputs and values, likewise */
};

struct merging {
    struct onnx_out *out;
    const struct onnx_dynamic *dynamic;
    struct sampled *sampled; /* dynamic->nsample */
    struct extents extents;
};

/* --- graphs -------------------------------------------------------------------------------- */

static bool same_operands(const struct node *a, const struct node *b)
{
    for (uint32_t i = 0; i < a->nin; i++)
        if (a->in[i].value->id != b->in[i].value->id ||
            a->in[i].value->kind != b->in[i].value->kind)
            return false;
    return true;
}

/* Operators of fragments without body are made anew by each lowering. */
static bool same_operator(const struct op_desc *a, const struct op_desc *b)
{
    return a == b || strcmp(a->name, b->name) == 0;
}

bool graph_same_nodes(const struct graph *a, const struct graph *b, const struct node **differs)
{
    const struct node *x = a->first, *y = b->first;

    *differs = a->last;
    for (; x && y; x = x->next, y = y->next)
        if (!same_operator(x->op, y->op) || x->id != y->id || x->nin != y->nin ||
            x->nout != y->nout || !same_operands(x, y)) {
            *differs = x;
            return false;
        }
    return !x && !y && a->value_count == b->value_count;
}

/* --- reports --------------------------------------------------------------------------------- */

char *onnx_sample_text(const struct onnx_dynamic *dynamic, int sample)
{
    const struct onnx_sample *s = dynamic->sample;
    struct text text = {0};

    for (int i = 0; i < dynamic->nsymbol; i++)
        if (s[sample].extent[i] != s[0].extent[i])
            text_add(&text, "%saxis %d of '%s'", text.size > 0 ? " and " : "",
                     dynamic->symbol[i].axis, dynamic->symbol[i].input);
    return text.data;
}

/* What `node` became is not the same at `sample`; returns false. */
static bool refuse(const struct merging *m, const struct node *node, int sample, const char *fmt,
                   ...) PRINTF_LIKE(4, 5);

static bool refuse(const struct merging *m, const struct node *node, int sample, const char *fmt,
                   ...)
{
    struct diag *diag = m->out->context->diag;
    char *open = onnx_sample_text(m->dynamic, sample);
    struct text why = {0};
    va_list args;

    va_start(args, fmt);
    text_add_v(&why, fmt, args);
    va_end(args);
    if (node) {
        struct place place = {diag, node->site, node->span};
        place_fault(&place, DIAG_NOT_IN_ONNX, "'%s' depends on the extent of %s: %s",
                    node->op->name, open, why.data);
        place_notes(&place);
    } else {
        diag_error(diag, m->out->from->outputs[0].span, DIAG_NOT_IN_ONNX,
                   "results of the graph depend on the extent of %s: %s", open, why.data);
    }
    text_free(&why);
    free(open);
    return false;
}

/* --- models by their names and nodes --------------------------------------------------------- */

static const char *key_of(const struct merging *m, const char *name)
{
    return intern(m->out->context->names, name, strlen(name));
}

static void index_infos(const struct merging *m, const struct onnx_value_info_list *list,
                        struct sampled *s)
{
    for (struct onnx_value_info *v = list->first; v; v = v->next)
        map_set(&s->infos, key_of(m, v->name), v);
}

static void index_nodes(const struct merging *m, const struct map *origin, struct sampled *s)
{
    struct arena *arena = m->out->context->arena;
    uint32_t count = s->graph->node_count;

    s->node = arena_array_of(arena, const struct node *, count);
    for (const struct node *n = s->graph->first; n; n = n->next)
        s->node[n->id] = n;
    s->group = arena_array_of(arena, struct group, count + 1);
    for (struct onnx_node *n = s->model->graph->node.first; n; n = n->next) {
        const struct node *from = map_get(origin, n);
        struct group *group = &s->group[from ? from->id : count];
        if (group->count++ == 0)
            group->first = n;
    }
}

static void index_model(const struct merging *m, const struct map *origin, struct sampled *s)
{
    const struct onnx_graph *graph = s->model->graph;

    index_nodes(m, origin, s);
    for (struct onnx_tensor *t = graph->initializer.first; t; t = t->next)
        map_set(&s->initializers, key_of(m, t->name), t);
    index_infos(m, &graph->input, s);
    index_infos(m, &graph->output, s);
    index_infos(m, &graph->value_info, s);
}

/* The model of sample k; what ONNX refuses there is an extent that it cannot have. */
static bool make_sample(struct merging *m, const struct onnx_options *options, int k)
{
    struct diag *diag = m->out->context->diag;
    struct onnx_options fixed = *options;
    struct sampled *s = &m->sampled[k];
    struct onnx_out out;
    int before = diag_count(diag);

    fixed.dynamic = NULL;
    s->graph = m->dynamic->sample[k].graph;
    s->model = onnx_fill_model(&out, s->graph, &fixed, NULL);
    if (s->model)
        index_model(m, &out.origin, s);
    onnx_out_clear(&out);
    bool ok = s->model;
    if (!ok) {
        struct diag_report why = diag_at(diag, before);
        char *open = onnx_sample_text(m->dynamic, k);
        diag_take_back(diag, before);
        diag_error(diag, why.at, DIAG_NOT_IN_ONNX, "%s cannot be left open: %s", open, why.text);
        free(open);
    } else {
        diag_take_back(diag, before); /* warnings, given already */
    }
    return ok;
}

/* --- nodes ------------------------------------------------------------------------------------ */

/* Initializers of all samples that one operand reads. */
struct operand {
    const struct onnx_tensor **tensor;
    int first_different; /* a sample; 0: all are equal */
};

static struct onnx_node *node_at(const struct merging *m, int sample, uint32_t id, int index)
{
    struct onnx_node *node = m->sampled[sample].group[id].first;

    while (index-- > 0)
        node = node->next;
    return node;
}

static const struct onnx_tensor *initializer(const struct merging *m, int sample, const char *name)
{
    return map_get(&m->sampled[sample].initializers, key_of(m, name));
}

static bool same_names(const struct onnx_texts *a, const struct onnx_texts *b)
{
    for (int i = 0; i < a->count && a->count == b->count; i++)
        if (strcmp(a->item[i], b->item[i]) != 0)
            return false;
    return a->count == b->count;
}

/* Operands are initializers in both, or have one name. */
static bool same_sources(const struct merging *m, const struct onnx_node *a, int sample,
                         const struct onnx_node *b)
{
    if (a->input.count != b->input.count)
        return false;
    for (int i = 0; i < a->input.count; i++) {
        const char *x = a->input.item[i], *y = b->input.item[i];
        bool stored = initializer(m, 0, x);
        if (stored != (initializer(m, sample, y) != NULL) || (!stored && strcmp(x, y) != 0))
            return false;
    }
    return true;
}

/* NULL for what belongs to no node. */
static const struct node *node_of(const struct merging *m, uint32_t id)
{
    return id < m->out->from->node_count ? m->sampled[0].node[id] : NULL;
}

/* All but what initializers hold. */
static bool same_group(const struct merging *m, uint32_t id, int sample)
{
    const struct group *a = &m->sampled[0].group[id], *b = &m->sampled[sample].group[id];
    const struct node *node = node_of(m, id);
    const struct onnx_node *x = a->first, *y = b->first;

    if (a->count != b->count)
        return refuse(m, node, sample, "other nodes of ONNX would compute it");
    for (int i = 0; i < a->count; i++, x = x->next, y = y->next) {
        if (strcmp(x->op_type, y->op_type) != 0 || strcmp(x->domain, y->domain) != 0 ||
            !same_names(&x->output, &y->output) || !same_sources(m, x, sample, y))
            return refuse(m, node, sample, "other nodes of ONNX would compute it");
        const char *attribute = onnx_attributes_differ(x, y);
        if (attribute)
            return refuse(m, node, sample, "attribute '%s' of %s would be another", attribute,
                          x->op_type);
    }
    return true;
}

static struct operand operand_of(const struct merging *m, uint32_t id, int index, int input)
{
    struct operand operand = {
        arena_array_of(m->out->context->arena, const struct onnx_tensor *, m->dynamic->nsample), 0};

    for (int k = m->dynamic->nsample - 1; k >= 0; k--) {
        const char *name = node_at(m, k, id, index)->input.item[input];
        operand.tensor[k] = initializer(m, k, name);
    }
    for (int k = m->dynamic->nsample - 1; k > 0; k--)
        if (!onnx_tensor_equal(operand.tensor[0], operand.tensor[k]))
            operand.first_different = k;
    return operand;
}

static int64_t item_count(const struct onnx_tensor *tensor)
{
    return tensor->dims.count == 0 ? 1 : tensor->dims.item[0];
}

/* The shape that a Reshape makes may leave one extent to what the others do not tell. */
static const char *left_open(struct merging *m, const struct samples_of *tensors)
{
    int64_t items[MAX_RANK];
    const struct shape shape = {.rank = 1, .extent = {tensors->count}};
    int open = 0;

    for (int i = 0; i < tensors->count && i < MAX_RANK; i++) {
        bool varies = sample_varies(&m->extents, tensors, i);
        items[i] = varies ? -1 : sample_item(tensors, 0, i);
        open += items[i] == -1;
    }
    if (open != 1 || tensors->count > MAX_RANK)
        return NULL;
    return onnx_out_literal(m->out, DTYPE_INTEGER, &shape, items);
}

static bool same_type(const struct merging *m, const struct operand *operand)
{
    const struct onnx_tensor *first = operand->tensor[0];

    for (int k = 0; k < m->dynamic->nsample; k++) {
        const struct onnx_tensor *t = operand->tensor[k];
        if (t->data_type != ONNX_INT64 || t->dims.count > 1 || t->dims.count != first->dims.count ||
            item_count(t) != item_count(first))
            return false;
    }
    return true;
}

/* What is read in place of an initializer that is not the same in all samples; or NULL. */
static const char *open_operand(struct merging *m, const struct onnx_node *node, int input,
                                const struct operand *operand)
{
    struct samples_of tensors = {operand->tensor, 0};
    const char *name = NULL;

    if (!same_type(m, operand))
        return NULL;
    tensors.count = (int)item_count(operand->tensor[0]);
    if (strcmp(node->op_type, "Reshape") == 0 && input == 1 && node->attribute.count == 0)
        name = left_open(m, &tensors);
    return name ? name : extents_tensor(&m->extents, &tensors);
}

static bool merge_operand(struct merging *m, uint32_t id, int index, int input)
{
    struct onnx_node *node = node_at(m, 0, id, index);
    struct operand operand;

    if (!initializer(m, 0, node->input.item[input]))
        return true;
    operand = operand_of(m, id, index, input);
    if (operand.first_different == 0)
        return true;
    const char *name = open_operand(m, node, input, &operand);
    if (!name)
        return refuse(m, node_of(m, id), operand.first_different,
                      "a constant of %s would be another", node->op_type);
    node->input.item[input] = name;
    return true;
}

static bool merge_operands(struct merging *m, uint32_t id)
{
    int count = m->sampled[0].group[id].count;

    for (int i = 0; i < count; i++)
        for (int k = 0; k < node_at(m, 0, id, i)->input.count; k++)
            if (!merge_operand(m, id, i, k))
                return false;
    return true;
}

static bool merge_group(struct merging *m, uint32_t id)
{
    for (int k = 1; k < m->dynamic->nsample; k++)
        if (!same_group(m, id, k))
            return false;
    return merge_operands(m, id);
}

/* --- padding by what a stride leaves over ----------------------------------------------------- */

static int64_t extent_at(const struct merging *m, int sample, const struct onnx_rest *rest)
{
    return shape_extent(m->sampled[sample].node[rest->node->id]->in[0].value->shape, rest->axis);
}

/* It does if the extent rises evenly, each time by a multiple of the divisor; else 0 < *sample is
 * where that shows. */
static bool rest_stays(const struct merging *m, const struct onnx_rest *rest, int *sample)
{
    int count = m->dynamic->nsample;
    int64_t *extent = arena_array_of(m->out->context->arena, int64_t, count);
    bool even = true;

    *sample = 0;
    for (int k = count - 1; k >= 0; k--)
        extent[k] = extent_at(m, k, rest);
    for (int k = count - 1; k > 0; k--) {
        even &= (extent[k] - extent[0]) % rest->divisor == 0;
        if (extent[k] != extent[0])
            *sample = k;
    }
    return even && extents_is_sum(&m->extents, extent);
}

static bool check_rests(const struct merging *m)
{
    bool ok = true;
    int sample;

    for (const struct onnx_rest *r = m->out->rests; r; r = r->next) {
        if (rest_stays(m, r, &sample))
            continue;
        ok = refuse(m, r->node, sample,
                    "its padding along axis %d is what a stride of %" PRId64 " leaves over",
                    r->axis, r->divisor);
        diag_help(m->out->context->diag, "write the padding out instead of leaving it empty.");
    }
    return ok;
}

/* --- shapes of values --------------------------------------------------------------------------- */

static struct onnx_dim *dim_at(const struct merging *m, int sample, const char *name, int axis)
{
    const struct onnx_value_info *info = map_get(&m->sampled[sample].infos, key_of(m, name));
    struct onnx_dim *dim = info->type->tensor_type->shape->dim.first;

    while (axis-- > 0)
        dim = dim->next;
    return dim;
}

static bool is_symbol(const struct merging *m, const char *name, int axis, int s)
{
    for (int k = 0; k < m->dynamic->nsample; k++)
        if (dim_at(m, k, name, axis)->dim_value != m->dynamic->sample[k].extent[s])
            return false;
    return true;
}

static bool is_fixed(const struct merging *m, const char *name, int axis)
{
    for (int k = 1; k < m->dynamic->nsample; k++)
        if (dim_at(m, k, name, axis)->dim_value != dim_at(m, 0, name, axis)->dim_value)
            return false;
    return true;
}

/* An extent that is no symbol itself is left unknown. */
static const char *param_of(const struct merging *m, const char *name, int axis)
{
    for (int s = 0; s < m->dynamic->nsymbol; s++)
        if (is_symbol(m, name, axis, s))
            return m->dynamic->symbol[s].name;
    return onnx_absent;
}

static void open_infos(const struct merging *m, const struct onnx_value_info_list *list)
{
    for (struct onnx_value_info *v = list->first; v; v = v->next) {
        const struct onnx_shape *shape = v->type->tensor_type->shape;
        int rank = shape ? shape->dim.count : 0;
        const char *param[MAX_RANK];
        for (int i = 0; i < rank; i++)
            param[i] = is_fixed(m, v->name, i) ? NULL : param_of(m, v->name, i);
        for (int i = 0; i < rank; i++)
            if (param[i])
                onnx_value_info_param(v, i, param[i]);
    }
}

/* --- the model --------------------------------------------------------------------------------- */

static void put_first(struct onnx_graph *graph, const struct onnx_node_list *nodes)
{
    if (nodes->count == 0)
        return;
    nodes->last->next = graph->node.first;
    graph->node.first = nodes->first;
    graph->node.count += nodes->count;
    if (!graph->node.last)
        graph->node.last = nodes->last;
}

static bool merge(struct merging *m, struct onnx_model *model)
{
    const struct diag *diag = m->out->context->diag;
    bool ok = check_rests(m);

    for (uint32_t id = 0; id <= m->out->from->node_count && !diag_full(diag); id++)
        ok &= merge_group(m, id);
    if (!ok)
        return false;
    put_first(model->graph, &m->extents.nodes);
    onnx_out_prune(m->out);
    open_infos(m, &model->graph->input);
    open_infos(m, &model->graph->output);
    open_infos(m, &model->graph->value_info);
    return true;
}

static void forget(struct merging *m)
{
    for (int k = 0; k < m->dynamic->nsample; k++) {
        map_free(&m->sampled[k].initializers);
        map_free(&m->sampled[k].infos);
    }
    map_free(&m->extents.names);
}

bool onnx_make_dynamic(struct onnx_out *out, struct onnx_model *model,
                       const struct onnx_options *options)
{
    const struct onnx_dynamic *dynamic = options->dynamic;
    struct merging m = {
        .out = out, .dynamic = dynamic, .extents = {.out = out, .dynamic = dynamic}};
    bool ok = true;

    m.sampled = arena_array_of(out->context->arena, struct sampled, dynamic->nsample);
    m.sampled[0].graph = out->from;
    m.sampled[0].model = model;
    index_model(&m, &out->origin, &m.sampled[0]);
    for (int k = 1; k < dynamic->nsample && ok; k++)
        ok = make_sample(&m, options, k);
    ok = ok && merge(&m, model);
    forget(&m);
    return ok;
}
