/*
 * quant.c - the quantization file at work (NNEF 1.0.5, sections 5.3 and 7)
 *
 * An entry is as good as an invocation on the tensor that it names, whose result takes over the
 * name.  Since that may be declined, and is no way to read stored integers, every entry is first
 * tried out in a graph aside: there its faults show, and a node remains that knows all of it.
 */
#include "base/arena.h"
#include "lower/lower_priv.h"
#include "op/op_build.h"

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

/* After a fault, which was reported, the tensor is as good as ever. */
struct value *quantize(struct lowering *l, const struct expr *target, struct value *value)
{
    const struct quant_entry *entry = map_get(&l->entries, target->name);
    const struct node *node = NULL;

    assert(target->kind == EXPR_NAME);
    if (!entry || !quant_try(l, entry, value, &node))
        return value;
    if (value->kind == VALUE_VARIABLE && !value->name)
        value->source->quant = node;
    struct value *result = l->options->apply_quant ? invoke_entry(l, entry, value) : NULL;
    if (!result || result == value)
        return value;
    map_set(&l->raw, result, value);
    return result;
}

struct value *unquantized(const struct lowering *l, struct value *value)
{
    struct value *raw = map_get(&l->raw, value);

    return raw ? raw : value;
}
