/* graph_verify.c - the invariants of graph.h, checked one by one; each takes linear time */
#include "base/arena.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/text.h"
#include "diag/context.h"
#include "file/label.h"
#include "op/graph_print.h"
#include "op/op_build.h"

#include <inttypes.h>
#include <string.h>

/* Shape rules are asked in a graph that looks like the one that is checked, but whose memory and
 * reports are thrown away. */
struct verifier {
    const struct graph *graph;
    struct graph shadow;
    struct context context;    /* of the shadow */
    const struct value **made; /* by id: values that are available at this point of the order */
    bool *seen;                /* by id: nodes that were met */
    struct map names;          /* of values */
    struct map labels;         /* folded: the variable that had it first */
    struct map updated;        /* folded labels: the node that updates it */
    uint64_t operands, uses;
    struct text *why; /* the first thing that is wrong */
};

/* --- what is wrong ------------------------------------------------------------------------ */

PRINTF_LIKE(3, 4)
static bool wrong_value(struct verifier *v, const struct value *value, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    text_add(v->why, "%s: ", VALUE_TEXT(value));
    text_add_v(v->why, fmt, args);
    va_end(args);
    return false;
}

PRINTF_LIKE(3, 4)
static bool wrong_node(struct verifier *v, const struct node *node, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    text_add(v->why, "node %" PRIu32 " (%s): ", node->id, node->op ? node->op->name : "?");
    text_add_v(v->why, fmt, args);
    va_end(args);
    return false;
}

static bool wrong(struct verifier *v, const char *what)
{
    text_add(v->why, "%s", what);
    return false;
}

/* What stands for the data that a label names. */
static const char *storage_key(const struct verifier *v, const char *label)
{
    return label_key(&v->context, label, v->graph->provisional);
}

/* --- values -------------------------------------------------------------------------------- */

/* From here on `value` may be an operand.  Its id and its name, if it has one, are its own. */
static bool introduce_value(struct verifier *v, const struct value *value)
{
    if (value->id >= v->graph->value_count)
        return wrong_value(v, value, "id out of range");
    if (v->made[value->id])
        return wrong_value(v, value, "made twice, or its id is that of another");
    v->made[value->id] = value;

    const struct shape *shape = value->shape;
    int64_t volume;
    if (!shape || shape->rank < RANK_UNKNOWN || shape->rank > MAX_RANK)
        return wrong_value(v, value, "no shape, or one of an impossible rank");
    for (int i = 0; i < shape->rank; i++)
        if (shape->extent[i] < 0 && shape->extent[i] != EXTENT_UNKNOWN)
            return wrong_value(v, value, "extent %d of its shape is negative", i);
    if (shape->rank != RANK_UNKNOWN && !shape_volume_checked(shape, INT64_MAX, &volume))
        return wrong_value(v, value, "the volume of its shape overflows");

    if (!value->name)
        return true;
    const char *name = intern(v->context.names, value->name, strlen(value->name));
    if (map_get(&v->names, name))
        return wrong_value(v, value, "name used twice");
    map_set(&v->names, name, value);
    return true;
}

static bool is_made(const struct verifier *v, const struct value *value)
{
    return value && value->id < v->graph->value_count && v->made[value->id] == value;
}

/* Every use in a list is met as an operand, so equal numbers mean equal sets. */
static bool count_uses(struct verifier *v, const struct value *value)
{
    const struct use *const *link = (const struct use *const *)&value->uses;

    for (const struct use *u = value->uses; u; u = u->next, v->uses++) {
        if (u->value != value || (const struct use *const *)u->link != link)
            return wrong_value(v, value, "list of uses is broken");
        link = (const struct use *const *)&u->next;
    }
    return true;
}

/* --- sources ------------------------------------------------------------------------------- */

static bool verify_label(struct verifier *v, const struct source *source)
{
    const struct value *value = source->value, *before;
    const char *why;

    if (!source->label)
        return wrong_value(v, value, "variable without a label");
    if (v->graph->provisional ? !label_is_safe(source->label, &why)
                              : !label_valid(source->label, &why))
        return wrong_value(v, value, "label '%s' has %s", source->label, why);
    const char *key = storage_key(v, source->label);
    before = map_get(&v->labels, key);
    if (!before)
        map_set(&v->labels, key, value);
    if (!before || (before->dtype == value->dtype && shape_equal(before->shape, value->shape)))
        return true;
    return wrong_value(v, value, "label '%s' is that of '%s', of another type or shape",
                       source->label, VALUE_TEXT(before));
}

static bool verify_source(struct verifier *v, const struct source *source, enum value_kind kind)
{
    const struct value *value = source->value;
    const struct tensor *tensor = source->tensor;
    int64_t items = 0;

    if (value->kind != kind || value->source != source)
        return wrong_value(v, value, "source and value do not mirror each other");
    if (!introduce_value(v, value) || !count_uses(v, value))
        return false;
    if (kind != VALUE_EXTERNAL && !shape_known(value->shape))
        return wrong_value(v, value, "data of unknown shape");
    if (kind == VALUE_VARIABLE && !verify_label(v, source))
        return false;
    /* Operand 0 of the quantization stands for the variable. */
    for (uint32_t i = 1; source->quant && i < source->quant->nin; i++)
        if (source->quant->in[i].value->kind != VALUE_CONSTANT)
            return wrong_value(v, value, "quantized by what is no constant");
    if (kind == VALUE_CONSTANT && !tensor)
        return wrong_value(v, value, "constant without data");
    if (kind == VALUE_EXTERNAL || !tensor)
        return true;

    /* Data are as the value says; of a constant one item may stand for all. */
    if (!tensor_place(tensor) || tensor->dtype != value->dtype)
        return wrong_value(v, value, "its data are none, or of type %s", dtype_name(tensor->dtype));
    if (kind == VALUE_CONSTANT && !shape_volume_checked(&tensor->shape, INT64_MAX, &items))
        items = 0;
    return shape_equal(&tensor->shape, value->shape) || items == 1 ||
           wrong_value(v, value, "its data have shape %s, expected %s", SHAPE_TEXT(&tensor->shape),
                       SHAPE_TEXT(value->shape));
}

static bool verify_sources(struct verifier *v, const struct source_list *list, enum value_kind kind)
{
    const struct source *last = NULL;
    int count = 0;

    for (const struct source *s = list->first; s && count <= list->count; s = s->next, count++) {
        if (!verify_source(v, s, kind))
            return false;
        last = s;
    }
    return (count == list->count && last == list->last) ||
           wrong(v, "a list of sources is of another length, or has another end");
}

/* --- nodes --------------------------------------------------------------------------------- */

/* A node stands behind its producers, is in the list of uses of each operand, and makes its
 * results. */
static bool verify_edges(struct verifier *v, const struct node *node)
{
    for (uint32_t i = 0; i < node->nin; i++) {
        const struct use *use = &node->in[i];
        if (!is_made(v, use->value))
            return wrong_node(v, node, "operand %" PRIu32 " is used before it is made", i);
        if (use->node != node || *use->link != use)
            return wrong_value(v, use->value, "use is not in the list of uses");
    }
    v->operands += node->nin;
    for (uint32_t i = 0; i < node->nout; i++) {
        const struct value *value = &node->out[i];
        if (value->kind != VALUE_RESULT || value->producer != node || value->port != i)
            return wrong_value(v, value, "result does not point to its producer");
        if (!introduce_value(v, value) || !count_uses(v, value))
            return false;
    }
    return true;
}

/* Results are those that the shape rule gives for the operands now. */
static bool compare_results(struct verifier *v, const struct node *node)
{
    struct inferred inferred;

    op_infer(&v->shadow, node, &inferred);
    if (inferred.nout != (int)node->nout)
        return wrong_node(v, node, "%" PRIu32 " results, expected %d", node->nout, inferred.nout);
    for (uint32_t i = 0; i < node->nout; i++) {
        const struct value *value = &node->out[i];
        enum dtype dtype = op_result_dtype(node->op, (int)i, node->generic);
        if (value->dtype != dtype)
            return wrong_node(v, node, "result %" PRIu32 " has type %s, expected %s", i,
                              dtype_name((enum dtype)value->dtype), dtype_name(dtype));
        if (!shape_equal(value->shape, &inferred.out[i]))
            return wrong_node(v, node, "result %" PRIu32 " has shape %s, expected %s", i,
                              SHAPE_TEXT(value->shape), SHAPE_TEXT(&inferred.out[i]));
    }
    return node->work == inferred.work ||
           wrong_node(v, node, "work is %" PRId64 ", expected %" PRId64, node->work, inferred.work);
}

/* What a node says of itself: attributes, operands that belong together, results as its operator
 * makes them of its operands, which were checked. */
static bool verify_node(struct verifier *v, const struct node *node)
{
    const struct op_attr *attr = node->op->attrs;
    int64_t items = 0;

    if (attr && attr->name && !node->attrs)
        return wrong_node(v, node, "no attributes");
    for (; attr && attr->name; attr++)
        if (!attr_valid(attr, node->attrs))
            return wrong_node(v, node, "attribute '%s' has a value that it cannot have",
                              attr->name);

    /* Array-valued operands have as many items as there are operands; empty arrays may follow. */
    for (int i = 0; node->group && items < node->nin; i++)
        items += node->group[i] < 0 ? 1 : node->group[i];
    if (node->group && items != node->nin)
        return wrong_node(v, node, "its arrays have more items than it has operands");

    /* A variable is updated once, under whichever of its labels. */
    if (node->op->traits & OP_EFFECT) {
        const struct value *target = node->nin ? node->in[0].value : NULL;
        if (!target || target->kind != VALUE_VARIABLE)
            return wrong_node(v, node, "updates what is no variable");
        const char *key = storage_key(v, target->source->label);
        if (map_get(&v->updated, key))
            return wrong_node(v, node, "updates '%s' a second time", VALUE_TEXT(target));
        map_set(&v->updated, key, node);
    }

    if (node->op->traits & OP_CUSTOM) /* was asked once */
        return true;
    struct arena_mark mark = arena_mark(v->context.arena);
    bool ok = compare_results(v, node);
    arena_rewind(v->context.arena, mark);
    if (diag_count(v->context.diag) > 0)
        diag_clear(v->context.diag);
    return ok;
}

static bool verify_nodes(struct verifier *v)
{
    const struct node *prev = NULL;

    for (const struct node *n = v->graph->first; n; prev = n, n = n->next) {
        if (!n->op || n->op->introduces)
            return wrong_node(v, n, "no operator, or one that makes no node");
        if (n->prev != prev)
            return wrong_node(v, n, "order is broken");
        if (n->id >= v->graph->node_count || v->seen[n->id])
            return wrong_node(v, n, "id out of range, or that of another");
        v->seen[n->id] = true;
        if (!verify_edges(v, n) || !verify_node(v, n))
            return false;
    }
    return (v->graph->last == prev && v->operands == v->uses) ||
           wrong(v, "last node or number of uses is wrong");
}

/* --- inputs and outputs --------------------------------------------------------------------- */

/* Each has a name, no two the same. */
static bool verify_port(struct verifier *v, const struct port *port, struct map *names)
{
    if (!port->name)
        return wrong(v, "an input or output without a name");
    const char *name = intern(v->context.names, port->name, strlen(port->name));
    if (!is_made(v, port->value)) {
        text_add(v->why, "input or output '%s' is made by nothing", name);
        return false;
    }
    if (map_get(names, name))
        return wrong_value(v, port->value, "input or output '%s' is there twice", name);
    map_set(names, name, port);
    return true;
}

static bool verify_ports(struct verifier *v)
{
    const struct graph *g = v->graph;
    struct map inputs = {0}, outputs = {0}, fed = {0};
    bool ok = true;

    for (int i = 0; ok && i < g->ninput; i++) {
        const struct value *value = g->inputs[i].value;
        ok = verify_port(v, &g->inputs[i], &inputs);
        if (ok && value->kind != VALUE_EXTERNAL)
            ok = wrong_value(v, value, "input is no external");
        if (ok)
            map_set(&fed, value, g);
    }

    /* Each external is one input. */
    for (const struct source *s = g->externals.first; s && ok; s = s->next)
        if (!map_get(&fed, s->value))
            ok = wrong_value(v, s->value, "external is no input");
    if (ok && g->ninput != g->externals.count)
        ok = wrong_value(v, g->inputs[0].value, "some input is there twice");

    for (int i = 0; ok && i < g->noutput; i++)
        ok = verify_port(v, &g->outputs[i], &outputs);
    map_free(&inputs);
    map_free(&outputs);
    map_free(&fed);
    return ok;
}

/* --- the whole ----------------------------------------------------------------------------- */

bool graph_verify(const struct graph *graph, struct text *why)
{
    struct verifier v = {.graph = graph, .why = why};

    /* A context of its own: shape rules may report and take memory. */
    v.context = (struct context){
        .limits = graph->context->limits, .sources = graph->context->sources, .arena = arena_new()};
    v.context.diag = diag_new(v.context.sources);
    v.context.names = intern_new(v.context.arena);
    v.shadow = *graph;
    v.shadow.context = &v.context;
    v.made = arena_array_of(v.context.arena, const struct value *, graph->value_count);
    v.seen = arena_array_of(v.context.arena, bool, graph->node_count);
    bool ok = verify_sources(&v, &graph->externals, VALUE_EXTERNAL) &&
              verify_sources(&v, &graph->variables, VALUE_VARIABLE) &&
              verify_sources(&v, &graph->constants, VALUE_CONSTANT) && verify_nodes(&v) &&
              verify_ports(&v);
    map_free(&v.names);
    map_free(&v.labels);
    map_free(&v.updated);
    intern_free(v.context.names);
    diag_free(v.context.diag);
    arena_free(v.context.arena);
    return ok;
}
