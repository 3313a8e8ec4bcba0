/*
 * diff.c - how two models differ (include/nnefc/diff.h), found from the pairs of diff_pair.c
 *
 * All data for clients is copied into the arena of struct nnefc_diff.
 */
#include "api/diff_priv.h"

#include "api/weights.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/text.h"
#include "op/op_build.h"
#include "parser/parser.h"
#include "tensor/compare.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct nnefc_diff {
    struct arena *arena;
    struct list *changes;
};

/* --- one change ------------------------------------------------------------------------------ */

const char *diff_keep(struct diff_work *work, const char *text)
{
    return text ? arena_strndup(work->arena, text, strlen(text)) : NULL;
}

const char *diff_keep_name(struct diff_work *work, const struct value *value)
{
    return value ? diff_keep(work, VALUE_TEXT(value)) : NULL;
}

static const char *keep_type(struct diff_work *work, const struct value *value)
{
    return text_format(work->arena, "%s%s", dtype_name((enum dtype)value->dtype),
                       SHAPE_TEXT(value->shape));
}

bool diff_ignores(const struct diff_work *work, enum nnefc_ignore what)
{
    return work->pairs.ignore & what;
}

static struct nnefc_change *add_change(struct diff_work *work, enum nnefc_change_kind kind,
                                       enum nnefc_changed what)
{
    return LIST_ADD(work->changes,
                    (struct nnefc_change){.kind = kind, .what = what, .operation = {-1, -1}});
}

struct nnefc_change *diff_change_values(struct diff_work *work, enum nnefc_change_kind kind,
                                        const struct value *a, const struct value *b)
{
    static const enum nnefc_changed kinds[] = {[VALUE_RESULT] = NNEFC_CHANGED_OPERATION,
                                               [VALUE_EXTERNAL] = NNEFC_CHANGED_INPUT,
                                               [VALUE_VARIABLE] = NNEFC_CHANGED_VARIABLE,
                                               [VALUE_CONSTANT] = NNEFC_CHANGED_CONSTANT};
    const struct value *sides[2] = {a, b};
    struct nnefc_change *change = add_change(work, kind, kinds[b ? b->kind : a->kind]);

    for (int which = 0; which < 2; which++) {
        const struct value *value = sides[which];
        change->name[which] = diff_keep_name(work, value);
        if (value && value->kind == VALUE_RESULT)
            change->operation[which] = work->pairs.side[which].place[value->producer->id];
    }
    return change;
}

/* The same of nodes; a node without results has no name. */
static struct nnefc_change *change_nodes(struct diff_work *work, enum nnefc_change_kind kind,
                                         const struct node *a, const struct node *b)
{
    const struct node *sides[2] = {a, b};
    struct nnefc_change *change = add_change(work, kind, NNEFC_CHANGED_OPERATION);

    for (int which = 0; which < 2; which++) {
        const struct node *node = sides[which];
        change->name[which] =
            node ? node->nout > 0 ? diff_keep_name(work, &node->out[0]) : node->op->name : NULL;
        if (node)
            change->operation[which] = work->pairs.side[which].place[node->id];
    }
    return change;
}

/* --- pairs of values ------------------------------------------------------------------------- */

static void compare_names(struct diff_work *work, const struct value *a, const struct value *b)
{
    if (!a->name || !b->name || strcmp(a->name, b->name) == 0 ||
        diff_ignores(work, NNEFC_IGNORE_NAMES))
        return;
    struct nnefc_change *change = diff_change_values(work, NNEFC_CHANGE_RENAMED, a, b);
    change->from = change->name[0];
    change->to = change->name[1];
}

static bool types_equal(const struct value *a, const struct value *b)
{
    return a->dtype == b->dtype && shape_equal(a->shape, b->shape);
}

/* The type of B's value differs.  `behind` is an earlier change that explains it; NULL: it is a
 * change of its own. */
static void compare_types(struct diff_work *work, const struct value *a, const struct value *b,
                          struct nnefc_change *behind)
{
    if (types_equal(a, b))
        return;
    if (behind) {
        behind->count++;
        work->began[b->id] = behind;
        return;
    }
    struct nnefc_change *change = diff_change_values(work, NNEFC_CHANGE_TYPE, a, b);
    change->from = keep_type(work, a);
    change->to = keep_type(work, b);
    work->began[b->id] = change;
}

/* Zeros of opposite signs are equal numbers, but 1 / x is not. */
static int64_t count_opposite_zeros(const struct tensor *x, const struct tensor *y)
{
    int64_t count = 0, volume = x->dtype == DTYPE_SCALAR ? shape_volume(&x->shape) : 0;

    for (int64_t i = 0; i < volume; i++) {
        double a = tensor_item(x, i), b = tensor_item(y, i);
        count += a == 0 && b == 0 && signbit(a) != signbit(b);
    }
    return count;
}

/* Items of variables, and of constants that are no literals. */
static void compare_items(struct diff_work *work, const struct value *a, const struct value *b)
{
    static const struct tolerance exact = {0, 0};
    struct tensor *x = a->source->tensor, *y = b->source->tensor;

    if (!x || !y || !types_equal(a, b) ||
        (x->dtype == y->dtype && shape_equal(&x->shape, &y->shape) &&
         tensor_size(x) == tensor_size(y) && tensor_size(x) > 0 && !x->bytes && !y->bytes &&
         memcmp(tensor_place(x), tensor_place(y), tensor_size(x)) == 0))
        return;
    if (!source_fill(work->pairs.side[0].graph->context, a->source) ||
        !source_fill(work->pairs.side[1].graph->context, b->source)) {
        work->failed = true;
        return;
    }
    x = a->source->tensor;
    y = b->source->tensor;
    if (!tensor_is_whole(x, a->shape) || !tensor_is_whole(y, b->shape) || x->dtype != y->dtype)
        return;
    struct difference found = tensor_difference(x, y, &exact);
    int64_t count = found.beyond + count_opposite_zeros(x, y);
    if (count == 0)
        return;
    struct nnefc_change *change = diff_change_values(work, NNEFC_CHANGE_WEIGHTS, a, b);
    change->count = count;
    change->items = found.count;
    change->max_absolute = found.max_absolute;
}

static void compare_labels(struct diff_work *work, const struct value *a, const struct value *b)
{
    const char *x = a->source->label, *y = b->source->label;

    if (!x || !y || strcmp(x, y) == 0 || diff_ignores(work, NNEFC_IGNORE_LABELS))
        return;
    struct nnefc_change *change = diff_change_values(work, NNEFC_CHANGE_LABEL, a, b);
    change->from = diff_keep(work, x);
    change->to = diff_keep(work, y);
}

/* --- the quantization file ------------------------------------------------------------------- */

static const char *keep_expression(struct diff_work *work, const struct expr *expr)
{
    struct text text = {0};

    if (!expr)
        return NULL;
    expr_print(expr, DIALECT_1_0, &text);
    return text_keep(&text, work->arena);
}

/* The argument of that name; NULL: there is none. */
static const struct expr *find_argument(const struct expr *call, const char *name)
{
    const struct expr *arg = call->call.args;

    while (arg && strcmp(arg->named.name, name) != 0)
        arg = arg->next;
    return arg ? arg->named.value : NULL;
}

/* An entry, or its argument of that name.  Either side may be NULL. */
static void compare_expressions(struct diff_work *work, const struct value *const values[2],
                                const char *name, const struct expr *const sides[2])
{
    const char *from = keep_expression(work, sides[0]), *to = keep_expression(work, sides[1]);

    if (from && to && strcmp(from, to) == 0)
        return;
    struct nnefc_change *change =
        diff_change_values(work, NNEFC_CHANGE_ATTRIBUTE, values[0], values[1]);
    change->attribute =
        text_format(work->arena, "quantization%s%s", name ? " " : "", name ? name : "");
    change->from = from;
    change->to = to;
}

/* All arguments are given by name, in any order.  If the operation is the same, each argument that
 * differs is a change. */
static void compare_quantization(struct diff_work *work, const struct value *a,
                                 const struct value *b)
{
    const struct value *const values[2] = {a, b};
    const struct expr *call[2];

    for (int which = 0; which < 2; which++) {
        const char *name = values[which]->name;
        const struct quant_entry *entry = name ? map_get(&work->entries[which], name) : NULL;
        call[which] = entry ? entry->call : NULL;
    }
    if (!call[0] && !call[1])
        return;
    if (!call[0] || !call[1] || strcmp(call[0]->call.callee, call[1]->call.callee) != 0) {
        compare_expressions(work, values, NULL, call);
        return;
    }
    for (const struct expr *y = call[1]->call.args; y; y = y->next)
        compare_expressions(
            work, values, y->named.name,
            (const struct expr *[]){find_argument(call[0], y->named.name), y->named.value});
    for (const struct expr *x = call[0]->call.args; x; x = x->next)
        if (!find_argument(call[1], x->named.name))
            compare_expressions(work, values, x->named.name,
                                (const struct expr *[]){x->named.value, NULL});
}

/* --- sources --------------------------------------------------------------------------------- */

/* Externals, variables and named constants; literals are seen where they are read. */
static void compare_sources(struct diff_work *work)
{
    const struct diff_side *a = &work->pairs.side[0], *b = &work->pairs.side[1];

    for (int i = 0; i < a->nexternal + a->nvariable; i++)
        if (!a->twin[a->source[i]->id])
            diff_change_values(work, NNEFC_CHANGE_REMOVED, a->source[i], NULL);
    for (int i = 0; i < b->nsource; i++) {
        const struct value *value = b->source[i], *twin = b->twin[value->id];
        if (!twin && value->kind != VALUE_CONSTANT)
            diff_change_values(work, NNEFC_CHANGE_INSERTED, NULL, value);
        if (!twin)
            continue;
        compare_names(work, twin, value);
        compare_types(work, twin, value, NULL);
        compare_quantization(work, twin, value);
        if (value->kind == VALUE_VARIABLE)
            compare_labels(work, twin, value);
        if (value->kind == VALUE_CONSTANT || work->pairs.data)
            compare_items(work, twin, value);
    }
}

/* --- operands -------------------------------------------------------------------------------- */

enum { WALK = 64 }; /* most values that are looked at before single nodes */

/* A value and, if single nodes made it, their operands, and so on.  Returns their number. */
static int walk_back(const struct diff_side *side, const struct value *value,
                     const struct value *seen[WALK])
{
    int count = 1;

    seen[0] = value;
    for (int i = 0; i < count; i++) {
        const struct node *node = seen[i]->kind == VALUE_RESULT ? seen[i]->producer : NULL;
        if (!node || side->mate[side->place[node->id]] >= 0)
            continue;
        for (uint32_t k = 0; k < node->nin && count < WALK; k++)
            seen[count++] = node->in[k].value;
    }
    return count;
}

bool diff_explained(const struct diff_work *work, const struct value *a, const struct value *b)
{
    const struct diff_side *x = &work->pairs.side[0], *y = &work->pairs.side[1];
    const struct value *before[WALK], *after[WALK];

    if (diff_twin(&work->pairs, 1, b) == a)
        return true;
    if (a->kind == VALUE_CONSTANT && b->kind == VALUE_CONSTANT)
        return x->digest.value[a->id] == y->digest.value[b->id];
    int nbefore = walk_back(x, a, before), nafter = walk_back(y, b, after);
    for (int i = 0; i < nafter; i++) {
        const struct value *twin = diff_twin(&work->pairs, 1, after[i]);
        for (int k = 0; twin && k < nbefore; k++)
            if (before[k] == twin)
                return true;
    }
    return false;
}

static const char *keep_operands(struct diff_work *work, const struct node *node)
{
    struct text text = {0};

    for (uint32_t i = 0; i < node->nin; i++)
        text_add(&text, "%s%s", i ? ", " : "", VALUE_TEXT(node->in[i].value));
    return text_keep(&text, work->arena);
}

/* The name of an operand.  If that of the other is the same, it is told what each is. */
static const char *keep_operand(struct diff_work *work, const struct value *value,
                                const struct value *other)
{
    static const char *const kinds[] = {[VALUE_RESULT] = "result",
                                        [VALUE_EXTERNAL] = "input",
                                        [VALUE_VARIABLE] = "variable",
                                        [VALUE_CONSTANT] = "constant"};
    const char *name = diff_keep_name(work, value);
    const bool alike = name && other->name && strcmp(name, other->name) == 0;

    return alike && value->kind != other->kind
               ? text_format(work->arena, "%s %s", kinds[value->kind], name)
               : name;
}

/* Another number of operands is one change, unless inserted or removed nodes explain all of it. */
static void compare_operands(struct diff_work *work, const struct node *a, const struct node *b)
{
    if (a->nin != b->nin) {
        struct nnefc_change *change = change_nodes(work, NNEFC_CHANGE_OPERAND, a, b);
        change->from = keep_operands(work, a);
        change->to = keep_operands(work, b);
        return;
    }
    for (uint32_t i = 0; i < b->nin; i++) {
        if (diff_explained(work, a->in[i].value, b->in[i].value))
            continue;
        struct nnefc_change *change = change_nodes(work, NNEFC_CHANGE_OPERAND, a, b);
        change->operand = (int)i + 1;
        change->from = keep_operand(work, a->in[i].value, b->in[i].value);
        change->to = keep_operand(work, b->in[i].value, a->in[i].value);
    }
}

/* --- nodes ----------------------------------------------------------------------------------- */

static const char *keep_attribute(struct diff_work *work, int which, const struct node *node,
                                  const struct op_attr *attr)
{
    struct datum value = op_attr_datum(work->pairs.side[which].graph, node, attr);
    struct text text = {0};

    datum_print(&value, &text);
    return text_keep(&text, work->arena);
}

/* Custom operations of two models have attributes of their own; they are matched by name. */
static const struct op_attr *find_attribute(const struct op_desc *op, const char *name)
{
    const struct op_attr *attr = op->attrs;

    while (attr && attr->name && strcmp(attr->name, name) != 0)
        attr++;
    return attr && attr->name ? attr : NULL;
}

/* Two attributes with the same name.  One of them may be NULL, for custom operations only. */
static void compare_attribute(struct diff_work *work, const struct node *const nodes[2],
                              const struct op_attr *x, const struct op_attr *y)
{
    const char *from = x ? keep_attribute(work, 0, nodes[0], x) : NULL;
    const char *to = y ? keep_attribute(work, 1, nodes[1], y) : NULL;

    assert(x || y);
    if (from && to && strcmp(from, to) == 0)
        return;
    struct nnefc_change *change = change_nodes(work, NNEFC_CHANGE_ATTRIBUTE, nodes[0], nodes[1]);
    change->attribute = diff_keep(work, y ? y->name : x->name);
    change->from = from;
    change->to = to;
}

/* Attributes of the same operator; those of custom operations are found by name. */
static void compare_attributes(struct diff_work *work, const struct node *a, const struct node *b)
{
    const struct node *const nodes[2] = {a, b};

    if (a->op == b->op && attrs_equal(a->op, a->attrs, b->attrs))
        return;
    for (const struct op_attr *y = b->op->attrs; y && y->name; y++)
        compare_attribute(work, nodes, find_attribute(a->op, y->name), y);
    for (const struct op_attr *x = a->op->attrs; x && x->name; x++)
        if (!find_attribute(b->op, x->name))
            compare_attribute(work, nodes, x, NULL);
}

/* The next fragment of a text around a site, from the innermost outwards; NULL: no more. */
static const struct call_site *outer_fragment(const struct call_site *site)
{
    while (site && (site->file || site->standard || !site->fragment))
        site = site->caller;
    return site;
}

static const char *keep_fragments(struct diff_work *work, const struct call_site *site)
{
    const char *path = NULL;

    for (site = outer_fragment(site); site; site = outer_fragment(site->caller))
        path = path ? text_format(work->arena, "%s/%s", site->fragment, path)
                    : diff_keep(work, site->fragment);
    return path;
}

/* Compare the fragments of two nodes.  If their number is the same, other names are renames. */
static void compare_fragments(struct diff_work *work, const struct node *a, const struct node *b)
{
    const struct call_site *x = outer_fragment(a->site), *y = outer_fragment(b->site);
    bool same = true;

    for (; x && y; x = outer_fragment(x->caller), y = outer_fragment(y->caller))
        same &= strcmp(x->fragment, y->fragment) == 0;
    bool renamed = !x && !y;
    if ((renamed && (same || diff_ignores(work, NNEFC_IGNORE_NAMES))) ||
        diff_ignores(work, NNEFC_IGNORE_FRAGMENTS))
        return;
    const char *from = keep_fragments(work, a->site), *to = keep_fragments(work, b->site);
    struct text text = {0};
    text_add(&text, "%s -> %s", from ? from : "", to ? to : "");
    const char *key = intern_text(work->said, &text);
    struct nnefc_change *change = map_get(&work->fragments, key);
    if (!change) {
        change = renamed ? add_change(work, NNEFC_CHANGE_RENAMED, NNEFC_CHANGED_FRAGMENT)
                         : change_nodes(work, NNEFC_CHANGE_FRAGMENT, a, b);
        change->from = from;
        change->to = to;
        map_set(&work->fragments, key, change);
    }
    change->count++;
}

/* The change of type that the types of a node follow from: that of the first operand with one. */
static struct nnefc_change *began_before(const struct diff_work *work, const struct node *node)
{
    struct nnefc_change *began = NULL;

    for (uint32_t i = 0; i < node->nin && !began; i++)
        began = work->began[node->in[i].value->id];
    return began;
}

static void compare_results(struct diff_work *work, const struct node *a, const struct node *b)
{
    struct nnefc_change *began = began_before(work, b);

    for (uint32_t i = 0; i < a->nout && i < b->nout; i++) {
        compare_names(work, &a->out[i], &b->out[i]);
        compare_types(work, &a->out[i], &b->out[i], began);
        compare_quantization(work, &a->out[i], &b->out[i]);
    }
    for (uint32_t i = b->nout; i < a->nout; i++)
        diff_change_values(work, NNEFC_CHANGE_REMOVED, &a->out[i], NULL);
    for (uint32_t i = a->nout; i < b->nout; i++)
        diff_change_values(work, NNEFC_CHANGE_INSERTED, NULL, &b->out[i]);
}

static void compare_nodes(struct diff_work *work, const struct node *a, const struct node *b)
{
    if (diff_same_op(a, b)) {
        compare_attributes(work, a, b);
    } else {
        struct nnefc_change *change = change_nodes(work, NNEFC_CHANGE_REPLACED, a, b);
        change->from = diff_keep(work, a->op->name);
        change->to = diff_keep(work, b->op->name);
    }
    compare_operands(work, a, b);
    compare_results(work, a, b);
    compare_fragments(work, a, b);
}

/* In the order of B; a removed node comes before the nodes that follow it in A. */
static void compare_graphs(struct diff_work *work)
{
    const struct diff_side *a = &work->pairs.side[0], *b = &work->pairs.side[1];
    int next = 0;

    for (int i = 0; i <= b->count; i++) {
        int mate = i < b->count ? b->mate[i] : a->count;
        for (; next < mate; next++)
            if (a->mate[next] < 0)
                change_nodes(work, NNEFC_CHANGE_REMOVED, a->node[next], NULL);
        if (i == b->count)
            break;
        const struct node *node = b->node[i];
        if (mate >= 0) {
            compare_nodes(work, a->node[mate], node);
            continue;
        }
        change_nodes(work, NNEFC_CHANGE_INSERTED, NULL, node);
        struct nnefc_change *began = began_before(work, node);
        for (uint32_t k = 0; k < node->nout; k++) /* passes a change on to later nodes */
            work->began[node->out[k].id] = began;
    }
}

/* --- the interface --------------------------------------------------------------------------- */

static void find_changes(struct diff_work *work)
{
    const struct graph *a = work->pairs.side[0].graph, *b = work->pairs.side[1].graph;

    diff_pairs_find(&work->pairs);
    work->began = arena_array_of(work->pairs.arena, struct nnefc_change *, b->value_count);
    if (a->name && b->name && strcmp(a->name, b->name) != 0 &&
        !diff_ignores(work, NNEFC_IGNORE_NAMES)) {
        struct nnefc_change *change = add_change(work, NNEFC_CHANGE_RENAMED, NNEFC_CHANGED_GRAPH);
        change->from = change->name[0] = diff_keep(work, a->name);
        change->to = change->name[1] = diff_keep(work, b->name);
    }
    compare_sources(work);
    diff_inputs(work);
    compare_graphs(work);
    diff_order_of_nodes(work);
    diff_outputs(work);
}

struct nnefc_diff *api_diff_new(struct nnefc_model *a, struct nnefc_model *b,
                                const struct nnefc_diff_options *options)
{
    struct nnefc_diff_options how = {0};

    if (!a || !b) {
        misuse(a ? a : b, "two models are compared");
        return NULL;
    }
    if (!settings_take(a, options, &how, sizeof how) || !graph_is_there(a, "compared") ||
        !graph_is_there(b, "compared") || (how.data && !(weights_load(a) && weights_load(b))))
        return NULL;
    struct nnefc_diff *diff = heap_array(1, sizeof *diff);
    diff->arena = arena_new();
    diff->changes = list_new(diff->arena);
    struct diff_work work = {.pairs = {.arena = arena_new(),
                                       .ignore = how.ignore,
                                       .data = how.data,
                                       .side = {{.graph = a->graph}, {.graph = b->graph}}},
                             .arena = diff->arena,
                             .changes = diff->changes};
    quant_by_name(a, &work.entries[0]);
    quant_by_name(b, &work.entries[1]);
    work.said = intern_new(work.pairs.arena);
    find_changes(&work);
    intern_free(work.said);
    map_free(&work.fragments);
    map_free(&work.entries[0]);
    map_free(&work.entries[1]);
    arena_free(work.pairs.arena);
    if (!work.failed)
        return diff;
    nnefc_diff_free(diff);
    return NULL;
}

void nnefc_diff_free(struct nnefc_diff *diff)
{
    if (diff)
        arena_free(diff->arena);
    free(diff);
}

const struct nnefc_change_list *nnefc_diff_changes(const struct nnefc_diff *diff)
{
    return diff ? (const void *)diff->changes : list_nothing();
}
