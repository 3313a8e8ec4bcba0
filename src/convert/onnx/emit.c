/* emit.c - what emitters of ONNX have in common, and operators that are a row of export_list.def */
#include "convert/onnx/emit.h"

#include "convert/onnx/export_out.h"
#include "convert/onnx/export_rules.h"

#include "base/arena.h"
#include "base/text.h"
#include "diag/context.h"
#include "ir/site.h"
#include "tensor/tensor.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

/* --- operands ---------------------------------------------------------------------------- */

/* Operand `index` of the node, which has that many. */
static const struct value *operand(const struct emit *e, int index)
{
    assert(index >= 0 && (uint32_t)index < e->node->nin);
    return e->node->in[index].value;
}

const struct shape *emit_shape(const struct emit *e, int index)
{
    return operand(e, index)->shape;
}

const struct shape *emit_result_shape(const struct emit *e, int result)
{
    assert(result >= 0 && (uint32_t)result < e->node->nout);
    return e->node->out[result].shape;
}

const char *emit_in(const struct emit *e, int index)
{
    return onnx_out_value(e->out, operand(e, index));
}

/* A constant is stored with that shape, if that is cheap; anything else gets a node. */
const char *emit_in_rank(const struct emit *e, int index, int rank)
{
    struct shape shape = *emit_shape(e, index);
    int64_t axes[MAX_RANK];
    int count = 0;

    assert(rank >= 0 && rank <= MAX_RANK);
    if (shape.rank == 0 || shape.rank == rank)
        return emit_in(e, index);
    if (shape.rank > rank) {
        shape.rank = rank;
        return emit_in_shape(e, index, &shape);
    }
    for (; shape.rank < rank; shape.rank++) {
        axes[count++] = shape.rank;
        shape.extent[shape.rank] = 1;
    }
    const char *stored = onnx_out_reshaped(e->out, operand(e, index), &shape);
    return stored ? stored : emit_unsqueeze(e, emit_in(e, index), axes, count);
}

const char *emit_in_before(const struct emit *e, int index, const struct shape *shape)
{
    const struct value *value = operand(e, index);
    const struct node *made = value->kind == VALUE_RESULT ? value->producer : NULL;
    bool keeps = made && (made->op->id == OP_reshape || made->op->id == OP_unsqueeze ||
                          made->op->id == OP_squeeze);

    return keeps && shape_equal(shape, made->in[0].value->shape)
               ? onnx_out_value(e->out, made->in[0].value)
               : NULL;
}

const char *emit_in_shape(const struct emit *e, int index, const struct shape *shape)
{
    assert(shape_volume(shape) == shape_volume(emit_shape(e, index)));
    if (shape_equal(shape, emit_shape(e, index)))
        return emit_in(e, index);
    const char *before = emit_in_before(e, index, shape);
    if (before)
        return before;
    const char *stored = onnx_out_reshaped(e->out, operand(e, index), shape);
    return stored ? stored : emit_reshape(e, emit_in(e, index), shape);
}

struct integers emit_axes(const struct emit *e, int64_t item[MAX_RANK])
{
    const struct integers *axes = attr_axes(e->node);
    int count = 0;

    for (int i = 0; i < axes->count; i++)
        if (axes->item[i] < emit_shape(e, 0)->rank)
            item[count++] = axes->item[i];
    return (struct integers){count, item};
}

const struct tensor *emit_constant(const struct emit *e, int index)
{
    const struct value *value = operand(e, index);

    return value->kind == VALUE_CONSTANT ? value->source->tensor : NULL;
}

bool emit_is(const struct emit *e, int index, double value)
{
    const struct tensor *tensor = emit_constant(e, index);
    int64_t count = tensor ? shape_volume(&tensor->shape) : 0;

    for (int64_t i = 0; i < count; i++)
        if (tensor_item(tensor, i) < value || tensor_item(tensor, i) > value)
            return false;
    return count > 0;
}

/* dynamic.c checks these if extents are left open. */
void emit_goes_by_rest(const struct emit *e, int axis, int64_t divisor)
{
    struct onnx_rest *rest = arena_new_of(emit_arena(e), struct onnx_rest);

    assert(divisor > 0 && axis >= 0 && axis < MAX_RANK);
    *rest = (struct onnx_rest){e->out->rests, e->node, axis, divisor};
    e->out->rests = rest;
}

struct arena *emit_arena(const struct emit *e)
{
    return e->out->context->arena;
}

/* --- nodes ------------------------------------------------------------------------------- */

const char *emit(const struct emit *e, const char *type, ...)
{
    struct onnx_node *node = onnx_out_node(e->out, type);
    va_list in;

    va_start(in, type);
    for (const char *name = va_arg(in, const char *); name; name = va_arg(in, const char *))
        onnx_text_add(emit_arena(e), &node->input, name);
    va_end(in);
    return onnx_out_tensor(e->out);
}

const char *emit_list(const struct emit *e, const char *type, const char *const *in, int count)
{
    struct onnx_node *node = onnx_out_node(e->out, type);

    for (int i = 0; i < count; i++)
        onnx_text_add(emit_arena(e), &node->input, in[i]);
    return onnx_out_tensor(e->out);
}

const char *emit_also(const struct emit *e)
{
    assert(e->out->last && e->out->last->output.count > 0);
    return onnx_out_tensor(e->out);
}

void emit_attr_int(const struct emit *e, const char *name, int64_t value)
{
    onnx_node_int(emit_arena(e), e->out->last, name, value);
}

void emit_attr_ints(const struct emit *e, const char *name, const int64_t *values, int count)
{
    onnx_node_ints(emit_arena(e), e->out->last, name, values, count);
}

void emit_attr_float(const struct emit *e, const char *name, double value)
{
    onnx_node_float(emit_arena(e), e->out->last, name, (float)value);
}

void emit_attr_string(const struct emit *e, const char *name, const char *value)
{
    onnx_node_string(emit_arena(e), e->out->last, name, value);
}

/* --- nodes that are often needed --------------------------------------------------------- */

const char *emit_unsqueeze(const struct emit *e, const char *x, const int64_t *axes, int count)
{
    return count > 0 ? emit(e, "Unsqueeze", x, emit_vector(e, axes, count), NULL) : x;
}

/* ONNX takes no axes for all axes of extent 1. */
const char *emit_squeeze(const struct emit *e, const char *x, const int64_t *axes, int count)
{
    return count > 0 ? emit(e, "Squeeze", x, emit_vector(e, axes, count), NULL) : x;
}

const char *emit_reshape(const struct emit *e, const char *x, const struct shape *shape)
{
    return emit_reshape_to(e, x, shape->extent, shape->rank);
}

const char *emit_reshape_to(const struct emit *e, const char *x, const int64_t *extents, int count)
{
    return emit(e, "Reshape", x, emit_vector(e, extents, count), NULL);
}

const char *emit_transpose(const struct emit *e, const char *x, const int64_t *axes, int count)
{
    int ordered = 0;

    while (ordered < count && axes[ordered] == ordered)
        ordered++;
    if (ordered == count)
        return x;
    x = emit(e, "Transpose", x, NULL);
    emit_attr_ints(e, "perm", axes, count);
    return x;
}

const char *emit_cast(const struct emit *e, const char *x, int32_t to)
{
    const char *name = emit(e, "Cast", x, NULL);

    emit_attr_int(e, "to", to);
    return name;
}

/* Round of ONNX goes to the even neighbour of a half; floor(x + 0.5) would err below a half. */
const char *emit_round(const struct emit *e, const char *x)
{
    const char *below = emit(e, "Floor", x, NULL);
    const char *rest = emit(e, "Sub", x, below, NULL);
    const char *up = emit(e, "GreaterOrEqual", rest, emit_scalar(e, 0.5), NULL);

    return emit(e, "Add", below, emit_cast(e, up, ONNX_FLOAT), NULL);
}

/* The axes of ReduceSum are an operand since opset 13, those of the others since opset 18. */
const char *emit_reduce(const struct emit *e, const char *type, const char *x,
                        const struct integers *axes)
{
    const char *name;

    if (axes->count == 0)
        return x;
    if (e->opset >= 18 || strcmp(type, "ReduceSum") == 0)
        name = emit(e, type, x, emit_vector(e, axes->item, axes->count), NULL);
    else {
        name = emit(e, type, x, NULL);
        emit_attr_ints(e, "axes", axes->item, axes->count);
    }
    emit_attr_int(e, "keepdims", 1);
    return name;
}

const char *emit_slice(const struct emit *e, const char *x, const struct emit_range *at)
{
    assert(at->count >= 0 && at->count <= MAX_RANK);
    if (at->count == 0)
        return x;
    const char *begin = emit_vector(e, at->begin, at->count);
    const char *end = emit_vector(e, at->end, at->count);
    const char *axes = emit_vector(e, at->axes, at->count);
    const char *stride = at->stride ? emit_vector(e, at->stride, at->count) : NULL;

    return emit(e, "Slice", x, begin, end, axes, stride, NULL);
}

/* --- literals ---------------------------------------------------------------------------- */

const char *emit_scalar(const struct emit *e, double value)
{
    const struct shape shape = {0};
    const float item = (float)value;

    return onnx_out_literal(e->out, DTYPE_SCALAR, &shape, &item);
}

const char *emit_integer(const struct emit *e, int64_t value)
{
    const struct shape shape = {0};

    return onnx_out_literal(e->out, DTYPE_INTEGER, &shape, &value);
}

const char *emit_vector(const struct emit *e, const int64_t *values, int count)
{
    return onnx_out_vector(e->out, values, count);
}

const char *emit_scalars(const struct emit *e, const struct shape *shape, const float *items)
{
    return onnx_out_literal(e->out, DTYPE_SCALAR, shape, items);
}

const char *emit_integers(const struct emit *e, const struct shape *shape, const int64_t *items)
{
    return onnx_out_literal(e->out, DTYPE_INTEGER, shape, items);
}

void *emit_room(const struct emit *e, int64_t count, size_t size)
{
    return arena_array(e->out->context->arena, (size_t)count, size);
}

/* --- refusal ----------------------------------------------------------------------------- */

bool emit_refuse(const struct emit *e, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    e->out->refused = text_format_v(emit_arena(e), fmt, args);
    va_end(args);
    return false;
}

/* --- operators that ONNX has under another name ------------------------------------------ */

/* Operands of an elementwise operator broadcast: with equal ranks ONNX does the same as NNEF. */
static const char *emit_by_table(const struct emit *e, const struct export_rule *rule)
{
    int count = (int)e->node->nin;
    const char **in = emit_room(e, count, sizeof *in);
    bool broadcasts = count > 1 && (e->node->op->traits & OP_ELEMENTWISE);
    int rank = e->node->out[0].shape->rank;

    for (int i = 0; i < count; i++)
        in[i] = broadcasts ? emit_in_rank(e, i, rank) : emit_in(e, i);
    const char *y = emit_list(e, rule->type, in, count);
    for (int i = 0; i < EXPORT_ATTRS && rule->attr[i]; i++)
        onnx_out_attr(e->out, rule->attr[i], &e->node->op->attrs[i]);
    return y;
}

/* By the row of the operator; false after a refusal. */
static bool emit_node(const struct emit *e, bool shapes_known)
{
    const struct export_rule *rule = export_rule_of(e->node->op);
    export_function *function = rule->emit ? rule->emit : rule->emit_qdq;

    /* An operator of one operand that is one of ONNX is the same at any shape. */
    bool same = rule->type && !rule->emit && (shapes_known || e->node->nin == 1);
    if (!same && !shapes_known)
        return emit_refuse(e, "the shapes that '%s' works on are not known", e->node->op->name);
    if (!same && !function)
        return emit_refuse(e, "'%s' has no counterpart in ONNX", e->node->op->name);
    if (e->node->nout == 0)
        return true;
    const char *y = same ? emit_by_table(e, rule) : function(e);
    return y && onnx_out_result(e->out, 0, y);
}

/* --- refusal, or a node of our own ----------------------------------------------------------- */

/* Nodes that were added before it turned out that more cannot be are taken back. */
static bool make_custom(struct onnx_out *out, const struct node *node,
                        const struct onnx_node_list *before)
{
    struct place place = {out->context->diag, node->site, node->span};
    int errors = diag_error_count(out->context->diag);

    out->to->node = *before;
    if (before->last)
        before->last->next = NULL;
    onnx_out_custom(out, node);
    place_warn(&place, WARNING_CUSTOM_NODE, "'%s' becomes a node of domain '%s': %s",
               node->op->name, ONNX_CUSTOM, out->refused);
    place_notes(&place);
    return diag_error_count(out->context->diag) == errors;
}

/* Rests of a node that is refused are forgotten with its nodes. */
bool onnx_out_emit(struct onnx_out *out, const struct node *node, bool shapes_known)
{
    const struct emit e = {.out = out,
                           .node = node,
                           .type = export_rule_of(node->op)->type,
                           .attrs = node->attrs,
                           .opset = out->opset};
    const struct onnx_node_list before = out->to->node;
    const struct onnx_rest *rests = out->rests;

    assert(out->opset >= EMIT_OPSET_MIN && out->opset <= EMIT_OPSET_MAX);
    out->node = node;
    out->last = NULL;
    out->refused = out->help = NULL;
    bool ok = emit_node(&e, shapes_known);
    assert(!ok || !out->refused);
    if (!out->refused)
        return ok;
    out->rests = rests;
    if (out->allow_custom)
        return make_custom(out, node, &before);
    struct place place = {out->context->diag, node->site, node->span};
    place_fault(&place, DIAG_NOT_IN_ONNX, "%s", out->refused);
    place_notes(&place);
    if (out->help)
        diag_help(out->context->diag, "%s", out->help);
    return false;
}
