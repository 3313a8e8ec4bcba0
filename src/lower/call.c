/*
 * call.c - invocations (NNEF 1.0.5, section 3.3.2): a node, an expansion, or a new value
 */
#include "base/arena.h"
#include "lower/lower_priv.h"
#include "op/custom.h"
#include "op/op_build.h"

#include <assert.h>
#include <string.h>

/* --- operands and attributes ------------------------------------------------------------- */

static int count_tensors(const struct datum *datum)
{
    int count = 0;

    if (datum->kind == DATUM_TENSOR)
        return 1;
    if (datum->kind != DATUM_ARRAY && datum->kind != DATUM_TUPLE)
        return 0;
    for (int i = 0; i < datum->count; i++)
        count += count_tensors(&datum->items[i]);
    return count;
}

static int add_operands(struct op_operand *in, const char *param, const struct bound *arg,
                        const struct datum *datum)
{
    int n = 0;

    if (datum->kind == DATUM_TENSOR) {
        in[0] = (struct op_operand){param, datum->tensor, arg->span};
        return 1;
    }
    for (int i = 0; i < datum->count; i++)
        n += add_operands(in + n, param, arg, &datum->items[i]);
    return n;
}

/* Sizes of array-valued parameters, for operations whose descriptor cannot tell. */
static const int *operand_groups(struct lowering *l, const struct invocation *call)
{
    const struct signature *sig = call->signature;
    int *group = arena_array_of(l->context->arena, int, sig->nparam);

    for (int i = 0; i < sig->nparam; i++) {
        const struct datum *value = &call->args[i].value;
        group[i] = value->kind == DATUM_TENSOR ? -1 : count_tensors(value);
    }
    return group;
}

static enum dtype dtype_of_results(const struct type *type, enum dtype generic)
{
    while (type && (type->kind == TYPE_ARRAY || type->kind == TYPE_TENSOR))
        type = type->item;
    return type && type->kind != TYPE_GENERIC ? type_dtype(type) : generic;
}

static const struct datum *first_tensor(const struct datum *datum)
{
    while (datum->kind == DATUM_ARRAY && datum->count > 0)
        datum = &datum->items[0];
    return datum->kind == DATUM_TENSOR ? datum : NULL;
}

/*
 * What '?' of the operator stands for where the check left it open: the old dialect has bare
 * tensors, whose type shows here, and signatures that fix the type of a generic operator.
 */
static enum dtype operator_type(const struct op_desc *op, const struct invocation *call)
{
    const struct signature *sig = call->signature;

    if (call->generic != DTYPE_UNKNOWN || op->result[0] != OP_RESULT_GENERIC)
        return call->generic;
    for (int i = 0; i < sig->nparam; i++) {
        const struct datum *tensor = first_tensor(&call->args[i].value);
        if (tensor && sig->params[i].type->has_generic)
            return (enum dtype)tensor->tensor->dtype;
    }
    return dtype_of_results(sig->results[0].type, DTYPE_UNKNOWN);
}

static struct op_call gather_arguments(struct frame *frame, const struct op_desc *op,
                                       const struct invocation *call)
{
    const struct signature *sig = call->signature;
    struct arena *scratch = frame->lowering->scratch;
    int nin = 0, nargs = 0;

    for (int i = 0; i < sig->nparam; i++)
        nin += sig->params[i].type->has_tensor ? count_tensors(&call->args[i].value) : 0;
    struct op_operand *in = arena_array_of(scratch, struct op_operand, nin);
    struct op_argument *args = arena_array_of(scratch, struct op_argument, sig->nparam);
    nin = 0;
    for (int i = 0; i < sig->nparam; i++) {
        const struct sig_param *param = &sig->params[i];
        const struct bound *arg = &call->args[i];
        const struct op_attr *attr = sig->op ? param->attr : &op->attrs[nargs];
        if (param->type->has_tensor)
            nin += add_operands(in + nin, param->name, arg, &arg->value);
        else if (attr)
            args[nargs++] = (struct op_argument){attr, arg->value, arg->span};
    }
    if (op->traits & OP_EFFECT)
        in[0].value = unquantized(frame->lowering, in[0].value);
    return (struct op_call){.op = op,
                            .in = in,
                            .nin = nin,
                            .args = args,
                            .nargs = nargs,
                            .generic = operator_type(op, call),
                            .span = call->span,
                            .site = frame_site(frame)};
}

/* --- results ------------------------------------------------------------------------------ */

static struct datum tensor_datum(struct value *value)
{
    return (struct datum){.kind = DATUM_TENSOR, .tensor = value};
}

/* One result is itself, several are a tuple.  False if there was no room for `items`. */
static bool pack_results(const struct signature *sig, const struct datum *items, struct datum *out)
{
    if (!items)
        return false;
    *out = sig->nresult == 1
               ? items[0]
               : (struct datum){.kind = DATUM_TUPLE, .count = sig->nresult, .items = items};
    return true;
}

static bool array_of_results(struct frame *frame, struct node *node, uint32_t first, uint32_t count,
                             struct datum *out)
{
    struct datum *items = new_items(frame, node->span, count);

    if (!items)
        return false;
    for (uint32_t i = 0; i < count; i++)
        items[i] = tensor_datum(&node->out[first + i]);
    *out = (struct datum){.kind = DATUM_ARRAY, .count = (int)count, .items = items};
    return true;
}

/* An array whose shape rule failed has no length: what is assigned from it is poison. */
static bool single_result(struct frame *frame, const struct signature *sig, struct node *node,
                          struct datum *out)
{
    if (sig->results[0].type->kind != TYPE_ARRAY) {
        *out = tensor_datum(&node->out[0]);
        return true;
    }
    if (node->nout > 0 && node->out[0].shape->rank == RANK_UNKNOWN)
        return false;
    return array_of_results(frame, node, 0, node->nout, out);
}

static bool node_results(struct frame *frame, const struct signature *sig, struct node *node,
                         struct datum *out)
{
    if (sig->nresult == 1)
        return single_result(frame, sig, node, out);
    if (!array_of_results(frame, node, 0, node->nout, out))
        return false;
    out->kind = DATUM_TUPLE;
    return true;
}

/* The extents that the caller of lower() wants for this external, if any. */
static const struct shape *overriding(const struct frame *frame)
{
    const struct lower_options *options = frame->lowering->options;
    const struct expr *target = frame->target;

    for (int i = 0; target && target->kind == EXPR_NAME && i < options->noverride; i++)
        if (strcmp(options->overrides[i].name, target->name) == 0)
            return &options->overrides[i].shape;
    return NULL;
}

static bool override_shape(struct frame *frame, const struct invocation *call,
                           const struct shape *shape)
{
    for (int i = 0; i < call->signature->nparam; i++) {
        struct datum *extents = &call->args[i].value;
        if (extents->kind != DATUM_ARRAY)
            continue;
        if (extents->count != shape->rank)
            return fault(frame, call->span, DIAG_RANK,
                         "shape %s was asked for, expected rank %d as declared", SHAPE_TEXT(shape),
                         extents->count);
        struct datum *items = new_items(frame, call->span, shape->rank);
        for (int k = 0; items && k < shape->rank; k++)
            items[k] = (struct datum){.kind = DATUM_INTEGER, .integer = shape->extent[k]};
        extents->items = items;
    }
    return true;
}

static bool introduce(struct frame *frame, const struct invocation *call, struct datum *out)
{
    const struct op_desc *op = call->signature->op;
    const struct shape *shape = op->introduces == VALUE_EXTERNAL ? overriding(frame) : NULL;

    if (shape && !override_shape(frame, call, shape))
        return false;
    struct op_call op_call = gather_arguments(frame, op, call);
    struct value *value = op_introduce(frame->lowering->graph, &op_call);
    if (!value || (value->kind == VALUE_VARIABLE && !check_label(frame, call, value)))
        return false;
    *out = tensor_datum(value);
    return true;
}

static bool build_node(struct frame *frame, const struct invocation *call, struct datum *out)
{
    struct graph *graph = frame->lowering->graph;
    struct op_call op_call = gather_arguments(frame, call->signature->op, call);
    struct node *node = op_build(graph, &op_call);
    return node && node_results(frame, call->signature, node, out);
}

/* --- custom operations -------------------------------------------------------------------- */

static const struct op_attr *custom_attrs(struct lowering *l, const struct signature *sig)
{
    struct op_attr *attrs = arena_array_of(l->context->arena, struct op_attr, sig->nparam + 1);
    int n = 0;

    for (int i = 0; i < sig->nparam; i++)
        if (!sig->params[i].type->has_tensor) {
            attrs[n] = (struct op_attr){.name = sig->params[i].name,
                                        .kind = ATTR_DATUM,
                                        .offset = (size_t)n * sizeof(struct datum)};
            n++;
        }
    return attrs;
}

/* The descriptor of a bodyless fragment of the document; one per fragment. */
static const struct op_desc *custom_op(struct lowering *l, const struct signature *sig)
{
    struct op_desc *op = map_get(&l->customs, sig);

    if (op)
        return op;
    op = custom_desc(l->context->arena,
                     custom_find(l->options->customs, l->options->ncustom, sig->name));
    op->name = sig->name;
    op->attrs = custom_attrs(l, sig);
    op->attrs_size = (size_t)sig->nparam * sizeof(struct datum);
    map_set(&l->customs, sig, op);
    return op;
}

/* Results that the left side asks for in place of result `index`: only it knows the length. */
static int wanted(const struct frame *frame, const struct signature *sig, int index)
{
    const struct expr *target = frame->target;

    if (target && sig->nresult > 1 && target->kind == EXPR_TUPLE) {
        target = target->items.first;
        for (int i = 0; target && i < index; i++)
            target = target->next;
    }
    return target && target->kind == EXPR_ARRAY ? target->items.count : 1;
}

static bool custom_results(struct frame *frame, const struct signature *sig, struct node *node,
                           const int *count, struct datum *out)
{
    struct datum *items = new_items(frame, node->span, sig->nresult);
    uint32_t first = 0;

    for (int i = 0; items && i < sig->nresult; first += (uint32_t)count[i], i++) {
        unsigned dtype = dtype_of_results(sig->results[i].type, node->generic);
        for (int k = 0; k < count[i]; k++)
            node->out[first + (uint32_t)k].dtype = dtype & 0xfu;
        if (sig->results[i].type->kind != TYPE_ARRAY)
            items[i] = tensor_datum(&node->out[first]);
        else if (!array_of_results(frame, node, first, (uint32_t)count[i], &items[i]))
            return false;
    }
    return pack_results(sig, items, out);
}

static bool build_custom(struct frame *frame, const struct invocation *call, struct datum *out)
{
    struct lowering *l = frame->lowering;
    const struct signature *sig = call->signature;
    const struct op_desc *op = custom_op(l, sig);
    int *count = arena_array_of(l->scratch, int, sig->nresult);
    struct op_call op_call = gather_arguments(frame, op, call);

    for (int i = 0; i < sig->nresult; i++) {
        count[i] = sig->results[i].type->kind == TYPE_ARRAY ? wanted(frame, sig, i) : 1;
        op_call.nout += count[i];
    }
    op_call.group = operand_groups(l, call);
    struct node *node = op_build(l->graph, &op_call);
    return node && custom_results(frame, sig, node, count, out);
}

/* --- expansion ----------------------------------------------------------------------------- */

static bool collect_results(struct frame *inner, const struct signature *sig, struct datum *out)
{
    struct datum *items = new_items(inner, (struct span){0, 0}, sig->nresult);

    for (int i = 0; items && i < sig->nresult; i++) {
        items[i] = inner->env[sig->nparam + i];
        if (items[i].kind == DATUM_NONE || !cast_datum(inner, sig->results[i].type, &items[i]))
            return false;
    }
    return pack_results(sig, items, out);
}

static bool expand(struct frame *frame, const struct invocation *call, struct datum *out)
{
    struct lowering *l = frame->lowering;
    const struct signature *sig = call->signature;
    struct arena_mark mark = arena_mark(l->scratch);
    struct frame inner = {.lowering = l,
                          .generic = call->generic,
                          .caller = frame,
                          .invocation = call,
                          .depth = frame->depth + 1};

    if (inner.depth > l->context->limits.expansion_depth)
        return fault(frame, call->span, DIAG_EXPANSION_DEPTH,
                     "fragments are expanded more than %d deep, in '%s'",
                     l->context->limits.expansion_depth, sig->name);
    inner.env = new_items(frame, call->span, sig->nslot);
    if (!inner.env)
        return false;
    for (int i = 0; i < sig->nparam; i++)
        inner.env[i] = call->args[i].value;
    if (!run_body(&inner, &sig->fragment->body) || !collect_results(&inner, sig, out))
        return false;
    if (out->kind == DATUM_TENSOR) /* which needs nothing of what it was computed with */
        arena_rewind(l->scratch, mark);
    return true;
}

bool invoke(struct frame *frame, const struct invocation *invocation, struct datum *out)
{
    const struct signature *sig = invocation->signature;
    bool has_body = sig->fragment->has_body;

    if (sig->op && sig->op->introduces)
        return introduce(frame, invocation, out);
    if (sig->op && !(has_body && frame->lowering->options->expand_all))
        return build_node(frame, invocation, out);
    if (has_body)
        return expand(frame, invocation, out);
    return build_custom(frame, invocation, out);
}

/* --- from the expression to the invocation -------------------------------------------------- */

static enum dtype generic_of(const struct frame *frame, const struct expr *expr)
{
    if (expr->op == TYPE_NAME_NONE)
        return DTYPE_UNKNOWN;
    if (expr->op == TYPE_NAME_GENERIC)
        return frame->generic;
    return type_dtype(type_of_name(expr->op));
}

static bool evaluate_argument(struct frame *frame, const struct signature *sig, int index,
                              const struct expr *value, struct bound *arg)
{
    arg->span = value->span;
    return evaluate(frame, value, &arg->value) &&
           cast_datum(frame, sig->params[index].type, &arg->value);
}

static bool default_argument(struct frame *frame, const struct sig_param *param, struct bound *arg)
{
    assert(param->has_default);
    arg->value = param->value;
    return cast_datum(frame, param->type, &arg->value);
}

static bool evaluate_arguments(struct frame *frame, const struct expr *expr, struct bound *args)
{
    const struct signature *sig = expr->call.signature;
    int position = 0;

    for (const struct expr *a = expr->call.args; a; a = a->next, position++) {
        bool named = a->kind == EXPR_NAMED;
        int index = named ? a->named.param : position;
        const struct expr *value = named ? a->named.value : a;
        if (!evaluate_argument(frame, sig, index, value, &args[index]))
            return false;
    }
    for (int i = 0; i < sig->nparam; i++)
        if (args[i].value.kind == DATUM_NONE && !default_argument(frame, &sig->params[i], &args[i]))
            return false;
    return true;
}

bool evaluate_call(struct frame *frame, const struct expr *expr, struct datum *out)
{
    const struct signature *sig = expr->call.signature;
    const struct expr *target = frame->target;
    struct bound *args = arena_array_of(frame->lowering->scratch, struct bound, sig->nparam);
    struct invocation call = {sig, args, generic_of(frame, expr), expr->span};

    frame->target = NULL;
    bool ok = evaluate_arguments(frame, expr, args);
    frame->target = target;
    return ok && invoke(frame, &call, out);
}
