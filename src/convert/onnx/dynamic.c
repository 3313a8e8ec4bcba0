/*
 * dynamic.c - compares samples of a model, and computes or refuses what differs
 *
 * Nodes of ONNX are compared within what one node of NNEF became, so that there is one report for
 * each node of NNEF that is refused.  Initializers are compared by their data, as their names
 * depend on which others there are.
 */
#include "convert/onnx/dynamic.h"

#include "base/arena.h"
#include "base/text.h"
#include "diag/context.h"
#include "file/out.h"
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
    va_list args;

    va_start(args, fmt);
    const char *why = text_format_v(d->context->arena, fmt, args);
    va_end(args);
    if (node) {
        struct place place = {diag, node->site, node->span};
        place_fault(&place, DIAG_NOT_IN_ONNX, "'%s' depends on the extent of %s: %s",
                    node->op->name, open, why);
        place_notes(&place);
    } else {
        diag_error(diag, d->out->from->outputs[0].span, DIAG_NOT_IN_ONNX,
                   "results of the graph depend on the extent of %s: %s", open, why);
    }
    return false;
}

/* --- models by their names and nodes --------------------------------------------------- */

static void index_infos(const struct dynamic *d, const struct onnx_value_info_list *list,
                        struct dynamic_sample *s)
{
    for (struct onnx_value_info *v = list->first; v; v = v->next)
        map_set(&s->infos, onnx_out_key(d->out, v->name), v);
}

/* Finds nodes and tensors of a sample by what they belong to and by their names. */
static void index_model(const struct dynamic *d, const struct map *origin, struct dynamic_sample *s)
{
    const struct onnx_graph *graph = s->model->graph;
    struct arena *arena = d->context->arena;
    uint32_t count = s->graph->node_count;

    s->node = arena_array_of(arena, const struct node *, count);
    for (const struct node *n = s->graph->first; n; n = n->next)
        s->node[n->id] = n;
    s->group = arena_array_of(arena, struct onnx_group, count + 1);
    for (struct onnx_node *n = graph->node.first; n; n = n->next) {
        const struct node *from = map_get(origin, n);
        struct onnx_group *group = &s->group[from ? from->id : count];
        if (group->count++ == 0)
            group->first = n;
    }
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
    struct dynamic_sample *s = &d->sample[k];
    struct onnx_out out;
    int before = diag_count(diag);

    assert(k > 0 && k < d->nsample);
    s->model = onnx_fill_model(&out, s->graph, options, NULL);
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

/* Bytes that are made while a model is written. */
static void take_produced(void *to, const void *data, size_t size)
{
    text_add_bytes(to, data, size);
}

static bool same_produced(const struct dynamic *d, const struct onnx_tensor *a,
                          const struct onnx_tensor *b)
{
    struct text x = {0}, y = {0};

    if (a->from == b->from || !a->produce)
        return a->from == b->from;
    bool same = a->produce(d->context->diag, &(struct sink){"", take_produced, &x}, a->from) &&
                b->produce(d->context->diag, &(struct sink){"", take_produced, &y}, b->from) &&
                x.size == y.size && same_bytes(x.data, y.data, x.size);
    text_free(&x);
    text_free(&y);
    return same;
}

/* Both of one type, shape and content; the names do not matter. */
static bool same_tensor(const struct dynamic *d, const struct onnx_tensor *a,
                        const struct onnx_tensor *b)
{
    return a->data_type == b->data_type && same_ints(&a->dims, &b->dims) &&
           a->produce == b->produce && same_blob(&a->raw_data, &b->raw_data) &&
           same_produced(d, a, b);
}

/* Of one name, type and value. Tensors and graphs are not looked into: others are different. */
static bool same_attribute(const struct onnx_attribute *a, const struct onnx_attribute *b)
{
    bool same = a->type == b->type && strcmp(a->name, b->name) == 0 && a->i == b->i &&
                same_bytes(&a->f, &b->f, sizeof a->f) && same_blob(&a->s, &b->s) &&
                same_ints(&a->ints, &b->ints) && a->floats.count == b->floats.count &&
                same_bytes(a->floats.item, b->floats.item,
                           (size_t)a->floats.count * sizeof *a->floats.item) &&
                a->strings.count == b->strings.count && a->t == b->t && a->g == b->g;

    for (int i = 0; same && i < a->strings.count; i++)
        same = same_blob(&a->strings.item[i], &b->strings.item[i]);
    return same;
}

/* The name of the first attribute in which nodes differ; NULL if their attributes are equal. */
static const char *different_attribute(const struct onnx_node *a, const struct onnx_node *b)
{
    const struct onnx_attribute *x = a->attribute.first, *y = b->attribute.first;

    for (; x && y; x = x->next, y = y->next)
        if (!same_attribute(x, y))
            return x->name;
    return x ? x->name : y ? y->name : NULL;
}

/* --- nodes ----------------------------------------------------------------------------- */

/* Node `index` of those that node `id` of the graph became in a sample. */
static struct onnx_node *node_at(const struct dynamic *d, int sample, uint32_t id, int index)
{
    struct onnx_node *node = d->sample[sample].group[id].first;

    assert(index < d->sample[sample].group[id].count);
    while (index-- > 0)
        node = node->next;
    return node;
}

/* NULL if the tensor of that name is none in the sample. */
static const struct onnx_tensor *initializer(const struct dynamic *d, int sample, const char *name)
{
    return map_get(&d->sample[sample].initializers, onnx_out_key(d->out, name));
}

/* Results have one name in both samples; operands have, or are initializers in both. */
static bool same_names(const struct dynamic *d, const struct onnx_node *a, int sample,
                       const struct onnx_node *b)
{
    bool same = a->input.count == b->input.count && a->output.count == b->output.count;

    for (int i = 0; same && i < a->output.count; i++)
        same = strcmp(a->output.item[i], b->output.item[i]) == 0;
    for (int i = 0; same && i < a->input.count; i++) {
        const char *x = a->input.item[i], *y = b->input.item[i];
        bool stored = initializer(d, 0, x);
        same = stored == (initializer(d, sample, y) != NULL) && (stored || strcmp(x, y) == 0);
    }
    return same;
}

/* NULL for what belongs to no node. */
static const struct node *node_of(const struct dynamic *d, uint32_t id)
{
    return id < d->out->from->node_count ? d->sample[0].node[id] : NULL;
}

/* Compares what a node became in a sample and in sample 0, but for the data of initializers. */
static bool same_group(const struct dynamic *d, uint32_t id, int sample)
{
    const struct onnx_group *a = &d->sample[0].group[id], *b = &d->sample[sample].group[id];
    const struct node *node = node_of(d, id);
    const struct onnx_node *x = a->first, *y = b->first;

    if (a->count != b->count)
        return refuse_sample(d, node, sample, "other nodes of ONNX would compute it");
    for (int i = 0; i < a->count; i++, x = x->next, y = y->next) {
        if (strcmp(x->op_type, y->op_type) != 0 || strcmp(x->domain, y->domain) != 0 ||
            !same_names(d, x, sample, y))
            return refuse_sample(d, node, sample, "other nodes of ONNX would compute it");
        const char *attribute = different_attribute(x, y);
        if (attribute)
            return refuse_sample(d, node, sample, "attribute '%s' of %s would be another",
                                 attribute, x->op_type);
    }
    return true;
}

/* Items of a tensor of rank 0 or 1. */
static int64_t item_count(const struct onnx_tensor *tensor)
{
    return tensor->dims.count == 0 ? 1 : tensor->dims.item[0];
}

/* The shape of a value in a sample, as its model gives it; NULL if it gives none. */
static const struct onnx_shape *shape_in(const struct dynamic *d, int sample, const char *name)
{
    const struct onnx_value_info *info =
        map_get(&d->sample[sample].infos, onnx_out_key(d->out, name));

    return info ? info->type->tensor_type->shape : NULL;
}

static int64_t extent_in(const struct onnx_shape *shape, int axis)
{
    const struct onnx_dim *dim = shape->dim.first;

    while (axis-- > 0)
        dim = dim->next;
    return dim->dim_value;
}

/* How far the item is before the end of that axis of the operand, in each sample; -1 if that
 * differs, if it is behind, or if nobody knows. */
static int64_t before_end(const struct dynamic *d, const struct sampled_tensor *tensors, int item,
                          const char *operand, int64_t axis)
{
    int64_t distance = -1;

    for (int k = 0; k < d->nsample; k++) {
        const struct onnx_shape *shape = shape_in(d, k, operand);
        if (!shape || axis < 0 || axis >= shape->dim.count)
            return -1;
        int64_t rest = extent_in(shape, (int)axis) - sampled_item(tensors, k, item);
        if (rest < 0 || (k > 0 && rest != distance))
            return -1;
        distance = rest;
    }
    return distance;
}

/* The shape that a Reshape makes may take extents from its operand, each at its place, and leave
 * one more open, which follows from the others. */
static void leave_open(const struct dynamic *d, const struct onnx_node *node,
                       struct sampled_tensor *tensors, int64_t *instead)
{
    enum { FROM_OPERAND = 0, FOLLOWS = -1 };
    int open = 0, last = 0, unfit = tensors->count;
    bool follows = false; /* the shape has such an extent already */

    for (int i = 0; i < tensors->count; i++) {
        bool varies = sampled_item_varies(d, tensors, i);
        follows |= !varies && sampled_item(tensors, 0, i) == FOLLOWS;
        if (varies && before_end(d, tensors, i, node->input.item[0], i) == 0) {
            instead[i] = FROM_OPERAND;
        } else if (varies) {
            open++;
            last = i;
            if (unfit == tensors->count && !sampled_item_has_form(d, tensors, i))
                unfit = i;
        }
    }
    if (open == 1 && !follows)
        instead[last] = FOLLOWS;
    else if (!follows && unfit < tensors->count)
        instead[unfit] = FOLLOWS;
}

/* Limits of a Slice may count from the end of its operand. */
static void count_from_end(const struct dynamic *d, const struct onnx_node *node,
                           const struct sampled_tensor *tensors, int64_t *instead)
{
    const struct onnx_tensor *list =
        node->input.count > 3 ? initializer(d, 0, node->input.item[3]) : NULL;
    const struct sampled_tensor axes = {.tensor = &list};

    for (int i = 0; list && i < tensors->count; i++) {
        int64_t distance =
            before_end(d, tensors, i, node->input.item[0], sampled_item(&axes, 0, i));
        if (sampled_item_varies(d, tensors, i) && distance > 0)
            instead[i] = -distance;
    }
}

/* What is read in place of an initializer that is not the same in all samples; or NULL. */
static const char *open_operand(struct dynamic *d, const struct onnx_node *node, int input,
                                const struct onnx_tensor *const *tensor)
{
    struct sampled_tensor tensors = {.tensor = tensor};

    /* Integers of one shape, of rank 0 or 1. */
    for (int k = 0; k < d->nsample; k++)
        if (tensor[k]->data_type != ONNX_INT64 || tensor[k]->dims.count > 1 ||
            tensor[k]->dims.count != tensor[0]->dims.count ||
            item_count(tensor[k]) != item_count(tensor[0]))
            return NULL;
    tensors.count = (int)item_count(tensor[0]);
    int64_t *instead = arena_array_of(d->context->arena, int64_t, tensors.count);
    for (int i = 0; i < tensors.count; i++)
        instead[i] = SAMPLED_AS_IT_IS;
    if (strcmp(node->op_type, "Reshape") == 0 && input == 1 && node->attribute.count == 0)
        leave_open(d, node, &tensors, instead);
    else if (strcmp(node->op_type, "Slice") == 0 && (input == 1 || input == 2))
        count_from_end(d, node, &tensors, instead);
    tensors.instead = instead;
    return dynamic_tensor(d, &tensors);
}

/* An initializer that differs in some sample is computed; false after a report that it cannot be.
 */
static bool merge_operand(struct dynamic *d, uint32_t id, int index, int input)
{
    struct onnx_node *node = node_at(d, 0, id, index);
    int first_different = 0;

    if (!initializer(d, 0, node->input.item[input]))
        return true;
    const struct onnx_tensor **tensor =
        arena_array_of(d->context->arena, const struct onnx_tensor *, d->nsample);
    for (int k = 0; k < d->nsample; k++) {
        tensor[k] = initializer(d, k, node_at(d, k, id, index)->input.item[input]);
        if (first_different == 0 && !same_tensor(d, tensor[0], tensor[k]))
            first_different = k;
    }
    if (first_different == 0)
        return true;
    const char *name = open_operand(d, node, input, tensor);
    if (!name)
        return refuse_sample(d, node_of(d, id), first_different,
                             "a constant of %s would be another", node->op_type);
    node->input.item[input] = name;
    return true;
}

/* False after a report of the first difference that cannot be computed. */
static bool merge_group(struct dynamic *d, uint32_t id)
{
    int count = d->sample[0].group[id].count;

    for (int k = 1; k < d->nsample; k++)
        if (!same_group(d, id, k))
            return false;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < node_at(d, 0, id, i)->input.count; k++)
            if (!merge_operand(d, id, i, k))
                return false;
    return true;
}

/* --- padding by what a stride leaves over ---------------------------------------------- */

/*
 * What an extent leaves over if it is divided stays the same if the extent rises evenly, each time
 * by a multiple of the divisor.
 */
static bool check_rests(const struct dynamic *d)
{
    int64_t *extent = arena_array_of(d->context->arena, int64_t, d->nsample);
    bool ok = true;

    for (const struct onnx_rest *r = d->out->rests; r; r = r->next) {
        bool even = true;
        int sample = 0; /* the first that shows it; 0: none */
        assert(r->divisor > 0);
        for (int k = 0; k < d->nsample; k++) {
            const struct node *node = d->sample[k].node[r->node->id];
            extent[k] = shape_extent(node->in[0].value->shape, r->axis);
            even &= (extent[k] - extent[0]) % r->divisor == 0;
            if (sample == 0 && extent[k] != extent[0])
                sample = k;
        }
        if (even && dynamic_is_sum(d, extent))
            continue;
        ok = refuse_sample(d, r->node, sample,
                           "its padding along axis %d is what a stride of %" PRId64 " leaves over",
                           r->axis, r->divisor);
        diag_help(d->context->diag, "write the padding out instead of leaving it empty.");
    }
    return ok;
}

/* --- shapes of values ------------------------------------------------------------------ */

/* NULL if the extent is the same in all samples; one that is no symbol itself is left unknown. */
static const char *param_of(const struct dynamic *d, const char *name, int axis)
{
    bool fixed = true;

    for (int k = 1; k < d->nsample; k++)
        fixed &= extent_in(shape_in(d, k, name), axis) == extent_in(shape_in(d, 0, name), axis);
    if (fixed)
        return NULL;
    for (int s = 0; s < d->nsymbol; s++) {
        bool equal = true;
        for (int k = 0; k < d->nsample; k++)
            equal &= extent_in(shape_in(d, k, name), axis) == d->sample[k].extent[s];
        if (equal)
            return d->symbol[s].name;
    }
    return onnx_absent;
}

/* Extents that vary become parameters, after all of them were compared. */
static void open_infos(const struct dynamic *d, const struct onnx_value_info_list *list)
{
    for (struct onnx_value_info *v = list->first; v; v = v->next) {
        const struct onnx_shape *shape = v->type->tensor_type->shape;
        int rank = shape ? shape->dim.count : 0;
        const char *param[MAX_RANK];
        for (int i = 0; i < rank; i++)
            param[i] = param_of(d, v->name, i);
        for (int i = 0; i < rank; i++)
            if (param[i])
                onnx_value_info_param(v, i, param[i]);
    }
}

/* --- the model ------------------------------------------------------------------------- */

/* All differences are reported; only then the model is changed, but for its operands. */
static bool merge(struct dynamic *d, struct onnx_model *model)
{
    const struct diag *diag = d->context->diag;
    struct onnx_node_list *nodes = &model->graph->node;
    bool ok = check_rests(d);

    for (uint32_t id = 0; id <= d->out->from->node_count && !diag_full(diag); id++)
        ok &= merge_group(d, id);
    if (!ok)
        return false;
    if (d->nodes.count > 0) { /* nodes that compute numbers go first */
        d->nodes.last->next = nodes->first;
        nodes->first = d->nodes.first;
        nodes->count += d->nodes.count;
        if (!nodes->last)
            nodes->last = d->nodes.last;
    }
    onnx_out_prune(d->out);
    open_infos(d, &model->graph->input);
    open_infos(d, &model->graph->output);
    open_infos(d, &model->graph->value_info);
    return true;
}

/* The maps of all samples are freed in any case. */
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
