/*
 * dynamic.c - samples of a model are compared, and what differs is computed or refused
 *
 * Nodes of ONNX are compared within what one node of NNEF became, so that one report tells of each
 * that cannot be so.  Initializers go by what they hold, as their names depend on which others
 * there are.
 */
#include "convert/onnx/dynamic.h"

#include "base/arena.h"
#include "base/text.h"
#include "diag/context.h"
#include "ir/site.h"
#include "op/op.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* The nodes of ONNX that a node of the graph became. */
struct onnx_group {
    struct onnx_node *first;
    int count;
};

/* --- reports --------------------------------------------------------------------------- */

const char *dynamic_text(const struct dynamic *d, int sample)
{
    struct text text = {0};

    for (int i = 0; i < d->nsymbol; i++)
        if (d->sample[sample].extent[i] != d->sample[0].extent[i])
            text_add(&text, "%saxis %d of '%s'", text.size > 0 ? " and " : "", d->symbol[i].axis,
                     d->symbol[i].input);
    return text_keep(&text, d->context->arena);
}

/* What `node` became is not the same at `sample`; returns false. */
static bool refuse_sample(const struct dynamic *d, const struct node *node, int sample,
                          const char *fmt, ...) PRINTF_LIKE(4, 5);

static bool refuse_sample(const struct dynamic *d, const struct node *node, int sample,
                          const char *fmt, ...)
{
    struct diag *diag = d->context->diag;
    const char *open = dynamic_text(d, sample);
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
        diag_error(diag, d->out->from->outputs[0].span, DIAG_NOT_IN_ONNX,
                   "results of the graph depend on the extent of %s: %s", open, why.data);
    }
    text_free(&why);
    return false;
}

/* --- models by their names and nodes --------------------------------------------------- */

static void index_infos(const struct dynamic *d, const struct onnx_value_info_list *list,
                        struct dynamic_sample *s)
{
    for (struct onnx_value_info *v = list->first; v; v = v->next)
        map_set(&s->infos, onnx_out_key(d->out, v->name), v);
}

static void index_nodes(const struct dynamic *d, const struct map *origin, struct dynamic_sample *s)
{
    struct arena *arena = d->context->arena;
    uint32_t count = s->graph->node_count;

    s->node = arena_array_of(arena, const struct node *, count);
    for (const struct node *n = s->graph->first; n; n = n->next)
        s->node[n->id] = n;
    s->group = arena_array_of(arena, struct onnx_group, count + 1);
    for (struct onnx_node *n = s->model->graph->node.first; n; n = n->next) {
        const struct node *from = map_get(origin, n);
        struct onnx_group *group = &s->group[from ? from->id : count];
        if (group->count++ == 0)
            group->first = n;
    }
}

static void index_model(const struct dynamic *d, const struct map *origin, struct dynamic_sample *s)
{
    const struct onnx_graph *graph = s->model->graph;

    index_nodes(d, origin, s);
    for (struct onnx_tensor *t = graph->initializer.first; t; t = t->next)
        map_set(&s->initializers, onnx_out_key(d->out, t->name), t);
    index_infos(d, &graph->input, s);
    index_infos(d, &graph->output, s);
    index_infos(d, &graph->value_info, s);
}

/* The model of sample k; what ONNX refuses there is an extent that it cannot have. */
static bool make_sample(struct dynamic *d, const struct onnx_options *options, int k)
{
    struct diag *diag = d->context->diag;
    struct onnx_options fixed = *options;
    struct dynamic_sample *s = &d->sample[k];
    struct onnx_out out;
    int before = diag_count(diag);

    fixed.open = NULL;
    s->model = onnx_fill_model(&out, s->graph, &fixed, NULL);
    if (s->model)
        index_model(d, &out.origin, s);
    onnx_out_clear(&out);
    struct diag_report why = s->model ? (struct diag_report){0} : diag_at(diag, before);
    diag_take_back(diag, before); /* warnings, which were given already */
    return s->model || diag_error(diag, why.at, DIAG_NOT_IN_ONNX, "%s cannot be left open: %s",
                                  dynamic_text(d, k), why.text);
}

/* --- messages that were made here ------------------------------------------------------ */

static bool same_bytes(const void *a, const void *b, size_t size)
{
    return a == b || size == 0 || memcmp(a, b, size) == 0;
}

static bool same_ints(const struct onnx_ints *a, const struct onnx_ints *b)
{
    return a->count == b->count && same_bytes(a->item, b->item, (size_t)a->count * sizeof *a->item);
}

static bool same_blob(const struct onnx_bytes *a, const struct onnx_bytes *b)
{
    return a->size == b->size && same_bytes(a->data, b->data, a->size);
}

static bool same_blobs(const struct onnx_blobs *a, const struct onnx_blobs *b)
{
    if (a->count != b->count)
        return false;
    for (int i = 0; i < a->count; i++)
        if (!same_blob(&a->item[i], &b->item[i]))
            return false;
    return true;
}

/* Both of one type, shape and content; the names do not matter. */
static bool same_tensor(const struct onnx_tensor *a, const struct onnx_tensor *b)
{
    return a->data_type == b->data_type && same_ints(&a->dims, &b->dims) &&
           a->produce == b->produce && a->from == b->from && same_blob(&a->raw_data, &b->raw_data);
}

static bool same_attribute(const struct onnx_attribute *a, const struct onnx_attribute *b)
{
    return a->type == b->type && strcmp(a->name, b->name) == 0 && a->i == b->i &&
           same_bytes(&a->f, &b->f, sizeof a->f) && same_blob(&a->s, &b->s) &&
           same_ints(&a->ints, &b->ints) && a->floats.count == b->floats.count &&
           same_bytes(a->floats.item, b->floats.item,
                      (size_t)a->floats.count * sizeof *a->floats.item) &&
           same_blobs(&a->strings, &b->strings) && a->t == b->t && a->g == b->g;
}

/* The name of the first attribute in which nodes differ; NULL if they are equal in that.  Tensors
 * and graphs are not looked into: others are different. */
static const char *different_attribute(const struct onnx_node *a, const struct onnx_node *b)
{
    const struct onnx_attribute *x = a->attribute.first, *y = b->attribute.first;

    for (; x && y; x = x->next, y = y->next)
        if (!same_attribute(x, y))
            return x->name;
    return x ? x->name : y ? y->name : NULL;
}

/* --- nodes ----------------------------------------------------------------------------- */

/* Initializers of all samples that one operand reads. */
struct sampled_operand {
    const struct onnx_tensor **tensor;
    int first_different; /* a sample; 0: all are equal */
};

static struct onnx_node *node_at(const struct dynamic *d, int sample, uint32_t id, int index)
{
    struct onnx_node *node = d->sample[sample].group[id].first;

    assert(index < d->sample[sample].group[id].count);
    while (index-- > 0)
        node = node->next;
    return node;
}

static const struct onnx_tensor *initializer(const struct dynamic *d, int sample, const char *name)
{
    return map_get(&d->sample[sample].initializers, onnx_out_key(d->out, name));
}

static bool same_names(const struct onnx_texts *a, const struct onnx_texts *b)
{
    for (int i = 0; i < a->count && a->count == b->count; i++)
        if (strcmp(a->item[i], b->item[i]) != 0)
            return false;
    return a->count == b->count;
}

/* Operands are initializers in both, or have one name. */
static bool same_sources(const struct dynamic *d, const struct onnx_node *a, int sample,
                         const struct onnx_node *b)
{
    if (a->input.count != b->input.count)
        return false;
    for (int i = 0; i < a->input.count; i++) {
        const char *x = a->input.item[i], *y = b->input.item[i];
        bool stored = initializer(d, 0, x);
        if (stored != (initializer(d, sample, y) != NULL) || (!stored && strcmp(x, y) != 0))
            return false;
    }
    return true;
}

/* NULL for what belongs to no node. */
static const struct node *node_of(const struct dynamic *d, uint32_t id)
{
    return id < d->out->from->node_count ? d->sample[0].node[id] : NULL;
}

/* All but what initializers hold. */
static bool same_group(const struct dynamic *d, uint32_t id, int sample)
{
    const struct onnx_group *a = &d->sample[0].group[id], *b = &d->sample[sample].group[id];
    const struct node *node = node_of(d, id);
    const struct onnx_node *x = a->first, *y = b->first;

    if (a->count != b->count)
        return refuse_sample(d, node, sample, "other nodes of ONNX would compute it");
    for (int i = 0; i < a->count; i++, x = x->next, y = y->next) {
        if (strcmp(x->op_type, y->op_type) != 0 || strcmp(x->domain, y->domain) != 0 ||
            !same_names(&x->output, &y->output) || !same_sources(d, x, sample, y))
            return refuse_sample(d, node, sample, "other nodes of ONNX would compute it");
        const char *attribute = different_attribute(x, y);
        if (attribute)
            return refuse_sample(d, node, sample, "attribute '%s' of %s would be another",
                                 attribute, x->op_type);
    }
    return true;
}

static struct sampled_operand operand_of(const struct dynamic *d, uint32_t id, int index, int input)
{
    struct sampled_operand operand = {
        arena_array_of(d->context->arena, const struct onnx_tensor *, d->nsample), 0};

    for (int k = d->nsample - 1; k >= 0; k--) {
        const char *name = node_at(d, k, id, index)->input.item[input];
        operand.tensor[k] = initializer(d, k, name);
    }
    for (int k = d->nsample - 1; k > 0; k--)
        if (!same_tensor(operand.tensor[0], operand.tensor[k]))
            operand.first_different = k;
    return operand;
}

static int64_t item_count(const struct onnx_tensor *tensor)
{
    return tensor->dims.count == 0 ? 1 : tensor->dims.item[0];
}

/* The shape that a Reshape makes may leave one extent to what the others do not tell. */
static const char *left_open(struct dynamic *d, const struct sampled_tensor *tensors)
{
    int64_t items[MAX_RANK];
    const struct shape shape = {.rank = 1, .extent = {tensors->count}};
    int open = 0;

    for (int i = 0; i < tensors->count && i < MAX_RANK; i++) {
        bool varies = sampled_item_varies(d, tensors, i);
        items[i] = varies ? -1 : sampled_item(tensors, 0, i);
        open += items[i] == -1;
    }
    if (open != 1 || tensors->count > MAX_RANK)
        return NULL;
    return onnx_out_literal(d->out, DTYPE_INTEGER, &shape, items);
}

static bool same_type(const struct dynamic *d, const struct sampled_operand *operand)
{
    const struct onnx_tensor *first = operand->tensor[0];

    for (int k = 0; k < d->nsample; k++) {
        const struct onnx_tensor *t = operand->tensor[k];
        if (t->data_type != ONNX_INT64 || t->dims.count > 1 || t->dims.count != first->dims.count ||
            item_count(t) != item_count(first))
            return false;
    }
    return true;
}

/* What is read in place of an initializer that is not the same in all samples; or NULL. */
static const char *open_operand(struct dynamic *d, const struct onnx_node *node, int input,
                                const struct sampled_operand *operand)
{
    struct sampled_tensor tensors = {operand->tensor, 0};
    const char *name = NULL;

    if (!same_type(d, operand))
        return NULL;
    tensors.count = (int)item_count(operand->tensor[0]);
    if (strcmp(node->op_type, "Reshape") == 0 && input == 1 && node->attribute.count == 0)
        name = left_open(d, &tensors);
    return name ? name : dynamic_tensor(d, &tensors);
}

static bool merge_operand(struct dynamic *d, uint32_t id, int index, int input)
{
    struct onnx_node *node = node_at(d, 0, id, index);
    struct sampled_operand operand;

    if (!initializer(d, 0, node->input.item[input]))
        return true;
    operand = operand_of(d, id, index, input);
    if (operand.first_different == 0)
        return true;
    const char *name = open_operand(d, node, input, &operand);
    if (!name)
        return refuse_sample(d, node_of(d, id), operand.first_different,
                             "a constant of %s would be another", node->op_type);
    node->input.item[input] = name;
    return true;
}

static bool merge_operands(struct dynamic *d, uint32_t id)
{
    int count = d->sample[0].group[id].count;

    for (int i = 0; i < count; i++)
        for (int k = 0; k < node_at(d, 0, id, i)->input.count; k++)
            if (!merge_operand(d, id, i, k))
                return false;
    return true;
}

static bool merge_group(struct dynamic *d, uint32_t id)
{
    for (int k = 1; k < d->nsample; k++)
        if (!same_group(d, id, k))
            return false;
    return merge_operands(d, id);
}

/* --- padding by what a stride leaves over ---------------------------------------------- */

static int64_t extent_at(const struct dynamic *d, int sample, const struct onnx_rest *rest)
{
    return shape_extent(d->sample[sample].node[rest->node->id]->in[0].value->shape, rest->axis);
}

/* It does if the extent rises evenly, each time by a multiple of the divisor; else 0 < *sample is
 * where that shows. */
static bool rest_stays(const struct dynamic *d, const struct onnx_rest *rest, int *sample)
{
    int count = d->nsample;
    int64_t *extent = arena_array_of(d->context->arena, int64_t, count);
    bool even = true;

    *sample = 0;
    for (int k = count - 1; k >= 0; k--)
        extent[k] = extent_at(d, k, rest);
    for (int k = count - 1; k > 0; k--) {
        even &= (extent[k] - extent[0]) % rest->divisor == 0;
        if (extent[k] != extent[0])
            *sample = k;
    }
    return even && dynamic_is_sum(d, extent);
}

static bool check_rests(const struct dynamic *d)
{
    bool ok = true;
    int sample;

    for (const struct onnx_rest *r = d->out->rests; r; r = r->next) {
        if (rest_stays(d, r, &sample))
            continue;
        ok = refuse_sample(d, r->node, sample,
                           "its padding along axis %d is what a stride of %" PRId64 " leaves over",
                           r->axis, r->divisor);
        diag_help(d->context->diag, "write the padding out instead of leaving it empty.");
    }
    return ok;
}

/* --- shapes of values ------------------------------------------------------------------ */

static struct onnx_dim *dim_at(const struct dynamic *d, int sample, const char *name, int axis)
{
    const struct onnx_value_info *info =
        map_get(&d->sample[sample].infos, onnx_out_key(d->out, name));
    struct onnx_dim *dim = info->type->tensor_type->shape->dim.first;

    while (axis-- > 0)
        dim = dim->next;
    return dim;
}

static bool is_symbol(const struct dynamic *d, const char *name, int axis, int s)
{
    for (int k = 0; k < d->nsample; k++)
        if (dim_at(d, k, name, axis)->dim_value != d->sample[k].extent[s])
            return false;
    return true;
}

static bool is_fixed(const struct dynamic *d, const char *name, int axis)
{
    for (int k = 1; k < d->nsample; k++)
        if (dim_at(d, k, name, axis)->dim_value != dim_at(d, 0, name, axis)->dim_value)
            return false;
    return true;
}

/* An extent that is no symbol itself is left unknown. */
static const char *param_of(const struct dynamic *d, const char *name, int axis)
{
    for (int s = 0; s < d->nsymbol; s++)
        if (is_symbol(d, name, axis, s))
            return d->symbol[s].name;
    return onnx_absent;
}

static void open_infos(const struct dynamic *d, const struct onnx_value_info_list *list)
{
    for (struct onnx_value_info *v = list->first; v; v = v->next) {
        const struct onnx_shape *shape = v->type->tensor_type->shape;
        int rank = shape ? shape->dim.count : 0;
        const char *param[MAX_RANK];
        for (int i = 0; i < rank; i++)
            param[i] = is_fixed(d, v->name, i) ? NULL : param_of(d, v->name, i);
        for (int i = 0; i < rank; i++)
            if (param[i])
                onnx_value_info_param(v, i, param[i]);
    }
}

/* --- the model ------------------------------------------------------------------------- */

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

static bool merge(struct dynamic *d, struct onnx_model *model)
{
    const struct diag *diag = d->context->diag;
    bool ok = check_rests(d);

    for (uint32_t id = 0; id <= d->out->from->node_count && !diag_full(diag); id++)
        ok &= merge_group(d, id);
    if (!ok)
        return false;
    put_first(model->graph, &d->nodes);
    onnx_out_prune(d->out);
    open_infos(d, &model->graph->input);
    open_infos(d, &model->graph->output);
    open_infos(d, &model->graph->value_info);
    return true;
}

bool dynamic_merge(struct dynamic *d, struct onnx_out *out, struct onnx_model *model,
                   const struct onnx_options *options)
{
    bool ok = true;

    assert(d->sample[0].graph == out->from && d->nsample > d->nsymbol);
    d->out = out;
    d->sample[0].model = model;
    index_model(d, &out->origin, &d->sample[0]);
    for (int k = 1; k < d->nsample && ok; k++)
        ok = make_sample(d, options, k);
    ok = ok && merge(d, model);
    for (int k = 0; k < d->nsample; k++) {
        map_free(&d->sample[k].initializers);
        map_free(&d->sample[k].infos);
    }
    map_free(&d->names);
    return ok;
}
