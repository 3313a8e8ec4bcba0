/*
 * quant.c - the quantization file at work (NNEF 1.0.5, sections 5.3 and 7)
 *
 * An entry is as good as an invocation on the tensor that it names, whose result takes over the
 * name.  Since that may be declined, and is no way to read stored integers, every entry is first
 * tried out in a graph aside: there its faults show, and a node remains that knows all of it.  What
 * is not declined is put in effect once the graph is complete, as the invocation, or as integers.
 */
#include "base/arena.h"
#include "file/label.h"
#include "ir/graph_edit.h"
#include "lower/lower_priv.h"
#include "op/op_build.h"
#include "op/quant_grid.h"

#include <assert.h>
#include <stddef.h>

/* --- arrays in the place of tensors ------------------------------------------------------- */

/* An array that is being made a tensor. */
struct constant_items {
    struct call_frame *frame;
    struct span span;
    struct shape shape; /* as the first items have it */
    struct datum *items;
    int count;
};

/* Returns false, as there is a fault. */
static bool fault_array(const struct constant_items *b, const char *what)
{
    return fault(b->frame, b->span, DIAG_QUANT_ARRAY, "%s, expected one that fills a tensor", what);
}

/* The items in row-major order.  False if an array in it has another length than the first of its
 * depth, or another depth. */
static bool collect(struct constant_items *b, const struct datum *array, int axis)
{
    bool ok = true;

    if ((array->kind == DATUM_ARRAY) != (axis < b->shape.rank))
        return false;
    if (axis == b->shape.rank) {
        b->items[b->count++] = *array;
        return true;
    }
    if (array->count != b->shape.extent[axis])
        return false;
    for (int i = 0; i < array->count && ok; i++)
        ok = collect(b, &array->items[i], axis + 1);
    return ok;
}

/* A constant, which takes the place of the array; false after a report. */
static bool array_to_tensor(struct call_frame *frame, struct bound *arg)
{
    struct constant_items b = {.frame = frame, .span = arg->span};
    const struct datum *first = &arg->value;
    int64_t volume;

    for (; first->kind == DATUM_ARRAY; first = &first->items[0]) {
        if (first->count == 0)
            return fault_array(&b, "array without items");
        if (b.shape.rank == MAX_RANK)
            return fault_array(&b, "array of more than 8 dimensions");
        b.shape.extent[b.shape.rank++] = first->count;
    }
    if (!shape_volume_checked(&b.shape, INT32_MAX, &volume))
        return fault_array(&b, "array of too many items");
    b.items = new_items(frame, arg->span, volume);
    if (!b.items)
        return false;
    if (!collect(&b, &arg->value, 0))
        return fault_array(&b, "array whose parts are of different lengths");
    assert(b.count == volume);
    const struct op_spec constant =
        OP_SPEC(constant, .shape = {b.shape.rank, b.shape.extent}, .value = {b.count, b.items});
    struct op_call call = {.op = &op_constant, .attrs = constant.attrs, .span = b.span};
    if (first->kind == DATUM_INTEGER)
        call.generic = DTYPE_INTEGER;
    else if (first->kind == DATUM_SCALAR)
        call.generic = DTYPE_SCALAR;
    else if (first->kind == DATUM_LOGICAL)
        call.generic = DTYPE_LOGICAL;
    struct value *tensor = op_introduce(frame->lowering->graph, &call);
    arg->value = (struct datum){.kind = DATUM_TENSOR, .tensor = tensor};
    return tensor;
}

/* --- entries ------------------------------------------------------------------------------ */

/* The result of the operation that the entry invokes on `tensor`; NULL after a report. */
static struct value *invoke_entry(struct lowering *l, const struct quant_entry *entry,
                                  struct value *tensor)
{
    const struct expr *call = entry->call;
    const struct signature *s = call->call.signature;
    struct bound *args = arena_array_of(l->scratch, struct bound, s->nparam);
    struct invocation invocation = {.signature = s, .args = args, .span = call->span};
    struct call_frame frame = {.lowering = l};
    struct datum result = {.kind = DATUM_TENSOR, .tensor = tensor};

    if (call->slot != TYPE_NAME_NONE)
        invocation.generic = type_dtype(type_of_name((enum type_name)call->slot));
    args[0] = (struct bound){.value = result, .span = entry->span};
    for (const struct expr *a = call->call.args; a; a = a->next) {
        const struct type *type = s->params[a->named.param].type;
        struct bound *arg = &args[a->named.param];
        assert(a->kind == EXPR_NAMED && a->named.param < s->nparam);
        arg->span = a->named.value->span;
        if (!evaluate(&frame, a->named.value, &arg->value))
            return NULL;
        bool ok = type->kind == TYPE_TENSOR && arg->value.kind == DATUM_ARRAY
                      ? array_to_tensor(&frame, arg)
                      : cast_datum(&frame, type, arg->span, &arg->value);
        if (!ok)
            return NULL;
    }
    return invoke(&frame, &invocation, &result) ? result.tensor : NULL;
}

/* Expand the entry in a graph that is thrown away, to see whether it has faults.  *node is the one
 * operation that it makes; NULL if there are more, or none. */
static bool try_aside(struct lowering *l, const struct quant_entry *entry,
                      const struct value *tensor, const struct node **node)
{
    struct value *stand_in = graph_add_source(l->graph, VALUE_EXTERNAL, tensor->dtype,
                                              tensor->shape, value_span(tensor));

    stand_in->name = entry->name;
    const struct value *result = invoke_entry(l, entry, stand_in);
    if (!result)
        return false;
    /* Whatever an operation does, it has to leave type and shape alone. */
    const struct shape *a = tensor->shape, *b = result->shape;
    bool unknown = a->rank == RANK_UNKNOWN || b->rank == RANK_UNKNOWN;
    if (result->dtype != tensor->dtype || (!unknown && !shape_equal(a, b)))
        return diag_error(l->context->diag, entry->call->span, DIAG_QUANT_ALGORITHM,
                          "'%s' makes %s%s of tensor '%s', expected %s%s as before",
                          entry->call->call.signature->name, dtype_name(result->dtype),
                          SHAPE_TEXT(b), entry->name, dtype_name(tensor->dtype), SHAPE_TEXT(a));
    const struct node *made = result->kind == VALUE_RESULT ? result->producer : NULL;
    bool single = made && made->nin > 0 && made->in[0].value == stand_in;
    for (uint32_t i = 1; single && i < made->nin; i++)
        single = made->in[i].value->kind == VALUE_CONSTANT;
    *node = single ? made : NULL;
    return true;
}

bool quant_try(struct lowering *l, const struct quant_entry *entry, const struct value *tensor,
               const struct node **node)
{
    const struct lower_options kept = {0}, *options = l->options;
    struct graph *graph = l->graph;

    if (tensor->dtype != DTYPE_SCALAR)
        return diag_error(l->context->diag, entry->span, DIAG_TYPE_MISMATCH,
                          "tensor '%s' is of type '%s', expected '%s' to quantize", entry->name,
                          dtype_name(tensor->dtype), dtype_name(DTYPE_SCALAR));
    if (!l->aside) {
        l->aside = graph_new(l->context, l->graph->name);
        l->aside->provisional = l->graph->provisional;
    }
    l->graph = l->aside;
    l->options = &kept;
    bool ok = try_aside(l, entry, tensor, node);
    l->graph = graph;
    l->options = options;
    return ok;
}

/* --- tensors ------------------------------------------------------------------------------ */

/* A tensor of the graph body that has an entry. */
struct noted {
    struct noted *next;
    struct value *value;
    const struct quant_entry *entry;
    const char *why; /* integers cannot do it; NULL: they can, by the grid */
    struct quant_grid grid;
};

/* What keeps integers from doing what the entry says, by the node that it makes (NULL: by more);
 * NULL: nothing. */
static const char *find_grid(struct lowering *l, const struct value *value, const struct node *node,
                             struct quant_grid *grid)
{
    enum { MOST_BITS = 16 }; /* of what is computed */

    if (l->graph->provisional)
        return "the document is provisional";
    if (!node || !node->op->dequantize)
        return "its operation is none of section 4.9.5";
    const char *why = quant_grid_find(l->context->arena, node, grid);
    if (!why && value->kind != VALUE_VARIABLE && grid->bits > MOST_BITS)
        why = "it has more than 16 bits, which only variables may have";
    return why;
}

/* After a fault, which was reported, the tensor is as good as ever. */
void note_entry(struct lowering *l, struct value *value)
{
    const struct quant_entry *entry = map_get(&l->entries, value->name);
    const struct node *node = NULL;

    if (!entry || !quant_try(l, entry, value, &node))
        return;
    if (value->kind == VALUE_VARIABLE)
        value->source->quant = node;
    struct noted *noted = arena_new_of(l->context->arena, struct noted);
    *noted = (struct noted){.value = value, .entry = entry};
    noted->why = find_grid(l, value, node, &noted->grid);
    *(l->noted_last ? &l->noted_last->next : &l->noted_first) = noted;
    l->noted_last = noted;
    map_set(&l->noted, value, noted);
}

/* Do integers stand for the value, perhaps moved? */
static bool is_coded(const struct lowering *l, const struct value *value)
{
    const struct noted *noted;

    while (!(noted = map_get(&l->noted, value)) && value->kind == VALUE_RESULT &&
           value->producer->nin == 1 && value->producer->op->result[0] == OP_RESULT_GENERIC)
        value = value->producer->in[0].value;
    return noted && !noted->why;
}

static bool has_coded_layer(const struct lowering *l)
{
    const struct node *n = l->noted_first ? l->graph->first : NULL;

    while (n && !((n->op->traits & OP_PRODUCTS) && n->nin >= 2 && is_coded(l, n->in[0].value) &&
                  is_coded(l, n->in[1].value)))
        n = n->next;
    return n;
}

/* --- integers ------------------------------------------------------------------------------- */

/* A scale or zero as a constant of the graph. */
static struct value *parameter(struct graph *graph, const struct tensor *tensor, struct span span)
{
    if (shape_volume(&tensor->shape) == 1) {
        const struct tensor item = {.dtype = tensor->dtype, .data = tensor->data};
        const struct datum literal = item_literal(&item, 0);
        return graph_literal(graph, &literal);
    }
    struct value *value =
        graph_add_source(graph, VALUE_CONSTANT, tensor->dtype, &tensor->shape, span);
    value->source->tensor = arena_new_of(graph->context->arena, struct tensor);
    *value->source->tensor = *tensor;
    return value;
}

/* How a tensor is quantized: the operation that says so, and what it says. */
struct coding {
    const struct quant_grid *grid;
    struct op_origin origin;
};

/* 'quantize' or 'dequantize' of x in that graph; NULL after a report. */
static struct value *code(struct graph *graph, enum op_id op, struct value *x,
                          const struct coding *how)
{
    const struct saturate_attrs bounds = {how->grid->low, how->grid->high};
    struct value *in[] = {x, parameter(graph, &how->grid->scale, how->origin.span),
                          parameter(graph, &how->grid->zero, how->origin.span)};
    const struct op_spec spec = {op, op == OP_quantize ? &bounds : NULL};
    struct node *node = op_append(graph, spec, in, 3, &how->origin);

    return node ? &node->out[0] : NULL;
}

/* Is the variable the only one of its label, and never updated? */
static bool is_alone(const struct lowering *l, const struct value *variable)
{
    const char *key = label_key(l->context, variable->source->label, l->graph->provisional);

    return !map_get(&l->shared, key) && !map_get(&l->updated, key);
}

static void find_shared(struct lowering *l)
{
    for (const struct source *s = l->graph->variables.first; s; s = s->next) {
        const char *key = label_key(l->context, s->label, l->graph->provisional);
        if (map_get(&l->labels, key) != s->value)
            map_set(&l->shared, key, s->value);
    }
}

/* Are only weights quantized, and stored so, and nothing else has them? */
static bool has_coded_weights(const struct lowering *l)
{
    const struct lower_options *o = l->options;
    const struct noted *n = o->stores_integers ? l->noted_first : NULL;
    const bool any = n;

    while (n && !n->why && n->value->kind == VALUE_VARIABLE && is_alone(l, n->value) &&
           o->stores_integers(o->stored_by, n->value->source->label))
        n = n->next;
    return any && !n;
}

/* The numbers of the integers of x.  A variable that stays what it was read as is one of integers
 * itself, and the quantization of scalars that its file may have is kept aside. */
static struct value *numbers_of_integers(struct lowering *l, const struct noted *noted)
{
    const struct coding how = {&noted->grid, {.span = noted->entry->call->span}};
    struct value *x = noted->value, *integers = x;

    if (x->kind == VALUE_VARIABLE && is_alone(l, x)) {
        const struct value *coded =
            code(l->aside, OP_quantize,
                 graph_add_source(l->aside, VALUE_EXTERNAL, DTYPE_SCALAR, x->shape, value_span(x)),
                 &how);
        x->dtype = DTYPE_INTEGER;
        x->source->quant = coded ? coded->producer : NULL;
    } else {
        integers = code(l->graph, OP_quantize, x, &how);
    }
    return integers ? code(l->graph, OP_dequantize, integers, &how) : NULL;
}

/* Operations of the text that quantize are as good as entries. */
static bool code_operation(struct lowering *l, struct node *node)
{
    struct quant_grid grid;
    const struct coding how = {&grid, {node->span, node->site, DTYPE_UNKNOWN}};
    const uint32_t first_id = l->graph->node_count;

    if (!node->op->dequantize || find_grid(l, node->in[0].value, node, &grid))
        return true;
    l->graph->before = node;
    struct value *made = code(l->graph, OP_quantize, node->in[0].value, &how);
    made = made ? code(l->graph, OP_dequantize, made, &how) : NULL;
    l->graph->before = NULL;
    return made && lower_take_place(l->graph, node, &made, first_id);
}

/* --- in effect ------------------------------------------------------------------------------ */

/* Let `result` be what readers and outputs see under the name of the tensor.  An update goes to the
 * variable itself, and an input stays what is fed; so do nodes of that id and more. */
static void take_over(struct graph *graph, struct value *value, struct value *result,
                      uint32_t first_id)
{
    struct use *next;

    for (struct use *u = value->uses; u; u = next) {
        bool updates = (u->node->op->traits & OP_EFFECT) && u == &u->node->in[0];
        next = u->next;
        if (!updates && u->node->id < first_id)
            graph_set_operand(u, result);
    }
    graph_replace_outputs(graph, value, result);
    result->name = value->name;
    value->name = NULL;
}

/* What is no result is quantized before node `first`. */
static bool put_in_effect(struct lowering *l, const struct noted *noted, struct node *first)
{
    struct value *value = noted->value, *result;
    struct graph *graph = l->graph;
    const uint32_t first_id = graph->node_count;
    bool integers = l->options->quantization != QUANTIZATION_APPLY;

    graph->before = value->kind == VALUE_RESULT ? value->producer->next : first;
    if (integers && noted->why)
        diag_warning(l->context->diag, noted->entry->span, WARNING_QUANT_REALS,
                     "tensor '%s' is quantized as a scalar: %s", noted->entry->name, noted->why);
    if (integers && !noted->why)
        result = numbers_of_integers(l, noted);
    else
        result = invoke_entry(l, noted->entry, value);
    if (result && result != value)
        result = value_of_its_own(l, result, noted->entry->span);
    if (result && result != value)
        take_over(graph, value, result, first_id);
    graph->before = NULL;
    return result;
}

bool quantize_tensors(struct lowering *l)
{
    const enum quantization how = l->options->quantization;
    struct node *const first = l->graph->first;
    struct node *next;
    const bool takes_layers = how != QUANTIZATION_AUTO || has_coded_layer(l);
    bool ok = true;

    if (how == QUANTIZATION_OFF)
        return true;
    find_shared(l);
    if (!takes_layers && !has_coded_weights(l))
        return true;
    for (const struct noted *n = l->noted_first; n && ok; n = n->next) {
        struct arena_mark mark = arena_mark(l->scratch);
        ok = put_in_effect(l, n, first);
        arena_rewind(l->scratch, mark);
        l->graph->quantized = true;
    }
    if (how == QUANTIZATION_APPLY || !takes_layers)
        return ok;
    for (struct node *n = l->graph->first; n && ok; n = next) {
        next = n->next;
        ok = code_operation(l, n);
    }
    return ok;
}
