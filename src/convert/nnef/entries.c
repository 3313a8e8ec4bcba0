/*
 * entries.c - quantized tensors of a graph as entries of a quantization file (NNEF 1.0.5, 5.3)
 *
 *     dequantize(quantize(x)) = x, which has an entry
 *     dequantize(integers)    = a variable of scalars, whose file has the integers
 *
 * Reading the file again makes the same operations (lower/quant.c).
 */
#include "convert/nnef/entries.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/text.h"
#include "diag/context.h"
#include "file/label.h"
#include "ir/graph_edit.h"
#include "op/op_build.h"
#include "parser/parser.h"
#include "sema/sema.h"

#include <assert.h>
#include <math.h>

enum { ITEMS, SCALE, ZERO };

static DEFINE_APPEND(quant_entry)

/* Entries that are taken out of a copy. */
struct taking {
    struct graph *graph;
    struct graph_entries *entries;
    struct map dropped; /* scales and zeros that were read by operations that are gone */
    struct map names;   /* of all tensors */
    int unnamed;
    const struct node **maker; /* by value id of the graph as it was: what has quantized the
                                  integers, which were but moved since; NULL: that is not known */
    uint32_t makers;
};

/* --- what can be said ----------------------------------------------------------------------- */

/* The items of a constant, or of a variable that nothing updates; NULL: they are not known. */
static const struct tensor *known_items(const struct value *value)
{
    bool fixed = value->kind == VALUE_CONSTANT ||
                 (value->kind == VALUE_VARIABLE && value->source->made && !value->source->updated);

    return fixed ? value->source->tensor : NULL;
}

/* Can a literal say it? */
static bool is_sayable(const struct value *parameter)
{
    const struct tensor *tensor = known_items(parameter);

    for (int64_t i = 0; tensor && i < shape_volume(&tensor->shape); i++) {
        const double item = tensor_item(tensor, i);
        if (tensor->dtype == DTYPE_SCALAR && !(item > 0 && isfinite(item)))
            return false;
    }
    return tensor && shape_volume(&tensor->shape) > 0;
}

static bool is_same(const struct value *a, const struct value *b)
{
    const struct tensor *x = known_items(a), *y = known_items(b);

    if (a == b || !x || !y || !shape_equal(&x->shape, &y->shape))
        return a == b;
    for (int64_t i = 0; i < shape_volume(&x->shape); i++)
        if (tensor_item(x, i) != tensor_item(y, i))
            return false;
    return true;
}

static bool is_output(const struct graph *graph, const struct value *value)
{
    for (int i = 0; i < graph->noutput; i++)
        if (graph->outputs[i].value == value)
            return true;
    return false;
}

/* Do only 'dequantize' nodes of one scale and zero, which can be said, read the integers?  NULL, or
 * the first of the nodes. */
static struct node *only_reader(const struct graph *graph, const struct value *integers)
{
    struct node *first = integers->uses ? integers->uses->node : NULL;

    if (is_output(graph, integers))
        return NULL;
    for (const struct use *u = integers->uses; u; u = u->next) {
        const struct node *node = u->node;
        if (node->op->id != OP_dequantize || u != &node->in[ITEMS] ||
            !is_same(node->in[SCALE].value, first->in[SCALE].value) ||
            !is_same(node->in[ZERO].value, first->in[ZERO].value))
            return NULL;
    }
    return first && is_sayable(first->in[SCALE].value) && is_sayable(first->in[ZERO].value) ? first
                                                                                            : NULL;
}

/* --- the text of an entry --------------------------------------------------------------------- */

/* The items of an axis and those behind it from *index on; trailing axes of one item are left out.
 */
static struct datum nested(struct arena *arena, const struct tensor *tensor, int axis, int rank,
                           int64_t *index)
{
    if (axis == rank)
        return item_literal(tensor, (*index)++);
    const int count = (int)tensor->shape.extent[axis];
    struct datum *items = arena_array_of(arena, struct datum, count);
    for (int i = 0; i < count; i++)
        items[i] = nested(arena, tensor, axis + 1, rank, index);
    return (struct datum){.kind = DATUM_ARRAY, .count = count, .items = items};
}

static struct datum parameter_datum(struct arena *arena, const struct tensor *tensor)
{
    int64_t count = shape_volume(&tensor->shape), index = 0;
    int rank = tensor->shape.rank;
    bool all = true;

    for (int64_t i = 1; i < count && all; i++)
        all = tensor_item(tensor, i) == tensor_item(tensor, 0);
    while (rank > 0 && tensor->shape.extent[rank - 1] == 1)
        rank--;
    return all ? item_literal(tensor, 0) : nested(arena, tensor, 0, rank, &index);
}

/* Integers of so many bits. */
struct width {
    int64_t bits;
    bool is_signed, symmetric;
};

/* The width whose integers are just those from `low` to `high`; false: there is none. */
static bool find_width(int64_t low, int64_t high, struct width *width)
{
    enum { MOST_BITS = 16 };

    for (int64_t bits = 2; bits <= MOST_BITS; bits++) {
        const int64_t half = INT64_C(1) << (bits - 1);
        *width = (struct width){bits, low < 0, low == 1 - half};
        if (low < 0 ? high == half - 1 && low >= -half && low <= 1 - half
                    : low == 0 && high == 2 * half - 1)
            return true;
    }
    return false;
}

/* The least width from so many bits on, doubled, that has all items and zeros; false: it is more
 * than four bytes. */
static bool find_least(const struct tensor *items, const struct tensor *zeros, int64_t bits,
                       struct width *width)
{
    int64_t low = 0, high = 0;

    for (int k = 0; k < 2; k++) {
        const struct tensor *tensor = k ? zeros : items;
        for (int64_t i = 0; i < shape_volume(&tensor->shape); i++) {
            const int64_t item = ((const int64_t *)tensor->data)[i];
            low = item < low ? item : low;
            high = item > high ? item : high;
        }
    }
    for (; bits <= 32; bits *= 2) {
        const int64_t half = INT64_C(1) << (bits - 1);
        *width = (struct width){bits, low < 0 || high<half, low> - half};
        if (low >= -half && high < (low < 0 ? half : 2 * half))
            return true;
    }
    return false;
}

static void add_argument(struct arena *arena, struct expr *call, const char *name,
                         struct datum datum)
{
    struct expr **end = &call->call.args;

    while (*end)
        end = &(*end)->next;
    *end = expr_named(arena, name, expr_literal(arena, &datum));
}

static struct datum logical(bool value)
{
    return (struct datum){.kind = DATUM_LOGICAL, .logical = value};
}

/* By that scale and zero. */
static void add_entry(struct taking *t, const struct value *value, const struct tensor *scale,
                      const struct tensor *zero, const struct width *width)
{
    struct arena *arena = t->graph->context->arena;
    struct quant_entry *entry = arena_new_of(arena, struct quant_entry);
    struct expr *call = expr_new(arena, EXPR_CALL);

    call->call.callee = op_table[OP_zero_point_linear_quantize]->name;
    add_argument(arena, call, "zero_point", parameter_datum(arena, zero));
    add_argument(arena, call, "scale", parameter_datum(arena, scale));
    add_argument(arena, call, "bits",
                 (struct datum){.kind = DATUM_INTEGER, .integer = width->bits});
    add_argument(arena, call, "signed", logical(width->is_signed));
    add_argument(arena, call, "symmetric", logical(width->is_signed && width->symmetric));
    *entry = (struct quant_entry){.name = value->name, .call = call};
    t->entries->list = quant_entry_append(t->entries->list, entry);
}

/* --- taking them out -------------------------------------------------------------------------- */

static void drop(struct taking *t, struct node *node)
{
    map_set(&t->dropped, node->in[SCALE].value, node);
    map_set(&t->dropped, node->in[ZERO].value, node);
    graph_erase_node(t->graph, node);
}

/* Is the second name better, in a text of NNEF? */
static bool is_better(const char *name, const char *other)
{
    return other && (!name || (!is_identifier(name) && is_identifier(other)));
}

/* Let `value` be what the readers of the integers have made of them.  Its name is its own, or else
 * one of theirs, or that of the integers. */
static void pass_readers(struct taking *t, struct value *integers, struct value *value)
{
    struct use *next;

    for (struct use *u = integers->uses; u; u = next) {
        struct value *numbers = &u->node->out[0];
        next = u->next;
        if (is_better(value->name, numbers->name))
            value->name = numbers->name;
        graph_replace_operands(numbers, value);
        graph_replace_outputs(t->graph, numbers, value);
        drop(t, u->node);
    }
    if (!value->name)
        value->name = integers->name;
    while (!value->name) {
        struct text text = {0};
        text_add(&text, "quantized_%d", ++t->unnamed);
        const char *name = intern_text(t->graph->context->names, &text);
        value->name = map_get(&t->names, name) ? NULL : name;
    }
}

/* --- moves ------------------------------------------------------------------------------------ */

/* The node behind `x` of that operator; NULL: something else reads it, too, or it is an output. */
static struct node *maker(const struct taking *t, const struct value *x, enum op_id op)
{
    bool alone = x->uses && !x->uses->next && !is_output(t->graph, x);

    return alone && x->kind == VALUE_RESULT && x->producer->op->id == op ? x->producer : NULL;
}

/* The greatest integers of windows are found by scalars: the pool between the two casts. */
static struct node *find_pool(const struct taking *t, const struct node *cast)
{
    struct node *pool = cast->op->id == OP_cast ? maker(t, cast->in[0].value, OP_max_pool) : NULL;
    const struct node *before =
        pool && attr_border(pool) == BORDER_IGNORE ? maker(t, pool->in[0].value, OP_cast) : NULL;

    return before && before->in[0].value->dtype == DTYPE_INTEGER ? pool : NULL;
}

static void find_makers(struct taking *t)
{
    t->makers = t->graph->value_count;
    t->maker = arena_array_of(t->graph->context->arena, const struct node *, t->makers);
    for (const struct node *n = t->graph->first; n; n = n->next)
        if (n->op->id == OP_quantize)
            t->maker[n->out[0].id] = n;
        else if (node_moves_one(n))
            t->maker[n->out[0].id] = t->maker[n->in[0].value->id];
}

/* Append an operation on x with a scale and zero, or on x alone; NULL after a report. */
static struct value *append(struct taking *t, const struct node *like, struct value *x,
                            const struct node *coded)
{
    const struct op_origin origin = {like->span, like->site, DTYPE_UNKNOWN};
    struct value *in[] = {x, coded ? coded->in[SCALE].value : NULL,
                          coded ? coded->in[ZERO].value : NULL};
    const struct op_spec spec = {(enum op_id)like->op->id, like->attrs};
    struct node *node = x ? op_append(t->graph, spec, in, coded ? 3 : 1, &origin) : NULL;

    return node ? &node->out[0] : NULL;
}

/*
 * Numbers of integers that were moved are moved numbers, by one scale and zero for all.  So are the
 * greatest numbers of windows, which are quantized once more: that is how networks have it.
 */
static void move_reader(struct taking *t, struct node *node)
{
    struct value *moved = &node->out[0];
    struct node *pool = find_pool(t, node);
    const struct node *reader = pool || node_moves_one(node) ? only_reader(t->graph, moved) : NULL;

    if (!reader || shape_volume(reader->in[SCALE].value->shape) != 1 ||
        shape_volume(reader->in[ZERO].value->shape) != 1)
        return;
    struct node *first = pool ? pool->in[0].value->producer : node;
    struct value *integers = first->in[0].value;
    const struct node *quantize = integers->id < t->makers ? t->maker[integers->id] : NULL;
    if (!quantize)
        return;
    t->graph->before = node;
    struct value *made = append(t, pool ? pool : node, append(t, reader, integers, reader), NULL);
    if (pool)
        made = append(t, reader, append(t, quantize, made, reader), reader);
    t->graph->before = NULL;
    if (!made)
        return;
    pass_readers(t, moved, made);
    for (struct node *dead = node; dead;) {
        struct node *from = dead == first ? NULL : dead->in[0].value->producer;
        graph_erase_node(t->graph, dead);
        dead = from;
    }
}

/* --- entries --------------------------------------------------------------------------------- */

/* x itself if nothing else reads it, else a copy.  NULL after a report. */
static struct value *named_alone(struct taking *t, struct node *quantize)
{
    struct value *x = quantize->in[ITEMS].value;
    const struct op_origin origin = {quantize->span, quantize->site, DTYPE_UNKNOWN};

    if (x->uses && !x->uses->next && !is_output(t->graph, x) && x->kind != VALUE_CONSTANT)
        return x;
    t->graph->before = quantize;
    struct node *copy = op_append(t->graph, op_plain(OP_copy), &x, 1, &origin);
    t->graph->before = NULL;
    return copy ? &copy->out[0] : NULL;
}

static void take_pair(struct taking *t, struct node *quantize)
{
    struct value *integers = &quantize->out[0];
    const struct node *reader = only_reader(t->graph, integers);
    struct width width;

    if (!reader || !is_same(reader->in[SCALE].value, quantize->in[SCALE].value) ||
        !is_same(reader->in[ZERO].value, quantize->in[ZERO].value) ||
        !find_width(attr_low(quantize), attr_high(quantize), &width))
        return;
    struct value *x = named_alone(t, quantize);
    if (!x)
        return;
    pass_readers(t, integers, x);
    add_entry(t, x, known_items(quantize->in[SCALE].value), known_items(quantize->in[ZERO].value),
              &width);
    drop(t, quantize);
}

/* The name, or the first with a number behind it that no variable has as its label. */
static const char *free_label(const struct taking *t, const char *name)
{
    const struct source *other = t->graph->variables.first;
    const char *label = name;

    for (int number = 0; other;) {
        for (; other && !(other->label && label_equal(other->label, label)); other = other->next)
            ;
        if (!other)
            break;
        label = text_format(t->graph->context->arena, "%s_%d", name, ++number);
        other = t->graph->variables.first;
    }
    return label;
}

/* Integers that a constant has become those of a variable.  NULL: they are one item, written once.
 */
static struct value *stored(struct taking *t, struct value *integers)
{
    const struct source *source = integers->source;

    if (integers->kind == VALUE_VARIABLE)
        return integers;
    if (!shape_equal(&source->tensor->shape, integers->shape) || integers->shape->rank == 0)
        return NULL;
    struct value *variable =
        graph_add_source(t->graph, VALUE_VARIABLE, DTYPE_INTEGER, integers->shape, source->span);
    variable->name = integers->name;
    variable->source->tensor = source->tensor;
    variable->source->made = true;
    map_set(&t->dropped, integers, source);
    return variable;
}

/* Does each row of the last axis have a scale of its own? */
static bool is_in_blocks(const struct value *integers, const struct node *reader)
{
    const struct shape *shape = integers->shape, *scale = reader->in[SCALE].value->shape;
    bool same = shape->rank >= 3 && scale->rank <= shape->rank;

    for (int i = 0; same && i < shape->rank; i++)
        same = shape_extent(scale, i) == (i + 1 < shape->rank ? shape->extent[i] : 1);
    return same;
}

/* The file of a model of NNEF has what its entry says; else whole bytes do, or half of these if the
 * integers are in blocks. */
static bool find_stored_width(const struct value *integers, const struct node *reader,
                              struct width *width)
{
    const struct node *made_by = integers->kind == VALUE_VARIABLE ? integers->source->quant : NULL;
    const struct tensor *items = integers->source->tensor;

    if (made_by && find_width(attr_low(made_by), attr_high(made_by), width))
        return true;
    const int64_t least = is_in_blocks(integers, reader) ? 4 : 8;
    return items && items->data &&
           find_least(items, known_items(reader->in[ZERO].value), least, width);
}

/* A tensor of the same items, in the shape of others if it has as many as they. */
static struct tensor *in_shape(struct taking *t, const struct tensor *from,
                               const struct shape *shape)
{
    struct tensor *tensor = arena_new_of(t->graph->context->arena, struct tensor);

    *tensor = (struct tensor){.shape = from->shape, .dtype = from->dtype, .data = from->data};
    if (shape_volume(&from->shape) == shape_volume(shape))
        tensor->shape = *shape;
    return tensor;
}

/* The operation, if any, that gives the variable another shape before all else: a bias has one for
 * each channel. */
static struct node *find_reshape(const struct taking *t, const struct value *variable,
                                 const struct node *reader)
{
    const struct tensor *tensor = variable->source->tensor;
    struct node *node = variable->uses && !variable->uses->next ? variable->uses->node : NULL;

    if (!node || !tensor || is_output(t->graph, variable) || is_output(t->graph, &node->out[0]) ||
        (node->op->id != OP_reshape && node->op->id != OP_unsqueeze))
        return NULL;
    for (int i = SCALE; i <= ZERO; i++) {
        const int64_t count = shape_volume(&known_items(reader->in[i].value)->shape);
        if (count != 1 && count != shape_volume(variable->shape))
            return NULL;
    }
    return node;
}

static void take_stored(struct taking *t, struct value *integers)
{
    struct arena *arena = t->graph->context->arena;
    const struct node *reader = only_reader(t->graph, integers);
    struct width width;

    if (!reader || integers->source->updated || !find_stored_width(integers, reader, &width))
        return;
    struct value *variable = stored(t, integers);
    if (!variable)
        return;
    struct item_format *format = arena_new_of(arena, struct item_format);
    *format = (struct item_format){
        width.is_signed ? ITEM_QUANTIZED_SIGNED : ITEM_QUANTIZED_UNSIGNED, (int)width.bits, false};
    pass_readers(t, integers, variable);
    struct node *reshape = find_reshape(t, variable, reader);
    if (reshape) {
        variable->shape = reshape->out[0].shape;
        variable->source->tensor = in_shape(t, variable->source->tensor, variable->shape);
        variable->source->made = true;
        graph_replace_operands(&reshape->out[0], variable);
        graph_erase_node(t->graph, reshape);
    }
    add_entry(t, variable, in_shape(t, known_items(reader->in[SCALE].value), variable->shape),
              in_shape(t, known_items(reader->in[ZERO].value), variable->shape), &width);
    variable->dtype = DTYPE_SCALAR;
    variable->source->quant = NULL;
    if (!variable->source->label)
        variable->source->label = free_label(t, variable->name);
    if (variable->source->tensor)
        map_set(&t->entries->stored, variable->source->tensor, format);
}

/* --- the graph -------------------------------------------------------------------------------- */

static bool is_dropped(const struct value *value, void *data)
{
    const struct taking *t = data;

    return map_get(&t->dropped, value) && !is_output(t->graph, value);
}

struct graph *entries_take(struct graph *graph, struct graph_entries *entries)
{
    const struct node *n = graph->first;
    struct taking t = {.entries = entries};

    while (n && n->op->id != OP_dequantize)
        n = n->next;
    if (!n || graph->provisional)
        return graph;
    t.graph = graph_copy(graph);
    graph_note_names(t.graph);
    struct value *const *values = graph_values(t.graph);
    for (struct value *const *v = values; *v; v++)
        if ((*v)->name)
            map_set(&t.names, (*v)->name, *v);
    find_makers(&t);
    for (struct node *node = t.graph->last, *prev; node; node = prev) {
        prev = node->prev;
        move_reader(&t, node);
    }
    values = graph_values(t.graph);
    for (struct value *const *v = values; *v; v++)
        if ((*v)->kind == VALUE_RESULT && (*v)->producer->op->id == OP_quantize)
            take_pair(&t, (*v)->producer);
        else if (((*v)->kind == VALUE_VARIABLE || (*v)->kind == VALUE_CONSTANT) &&
                 (*v)->dtype == DTYPE_INTEGER)
            take_stored(&t, *v);
    graph_erase_sources(t.graph, VALUE_VARIABLE, is_dropped, &t);
    graph_erase_sources(t.graph, VALUE_CONSTANT, is_dropped, &t);
    map_free(&t.dropped);
    map_free(&t.names);
    return t.graph;
}
