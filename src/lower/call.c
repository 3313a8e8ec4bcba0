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

/* The size of an argument, items of its items included. */
struct contents {
    int64_t tensors, bytes;
};

static bool is_list(const struct datum *datum)
{
    return datum->kind == DATUM_ARRAY || datum->kind == DATUM_TUPLE;
}

/*
 * Adds the size of the datum to *sum.  Lists of the scratch arena may share items, so that a short
 * text makes more of them than there is time to walk over: each item is a step.
 */
static bool look_into(struct call_frame *frame, struct span span, const struct datum *datum,
                      struct contents *sum)
{
    bool list = is_list(datum) && datum->count > 0;

    sum->tensors += datum->kind == DATUM_TENSOR;
    sum->bytes += (int64_t)sizeof *datum;
    if (datum->kind == DATUM_STRING)
        sum->bytes += datum_length(datum);
    if (!read_string(frame, span, datum))
        return false;
    /* All items of an array are alike: numbers and tensors need not be looked at one by one. */
    if (list && datum->kind == DATUM_ARRAY && !is_list(datum->items) &&
        datum->items->kind != DATUM_STRING) {
        sum->tensors += datum->items->kind == DATUM_TENSOR ? datum->count : 0;
        sum->bytes += datum->count * (int64_t)sizeof *datum;
        return true;
    }
    if (!take_steps(frame, span, list ? datum->count : 0))
        return false;
    for (int i = 0; list && i < datum->count; i++)
        if (!look_into(frame, span, &datum->items[i], sum))
            return false;
    return true;
}

/* Flattens arrays of tensors; the number of operands that were added. */
static int add_operands(struct op_operand *in, const char *param, const struct bound *arg,
                        const struct datum *datum)
{
    int n = 0;

    assert(datum->kind == DATUM_TENSOR || datum->kind == DATUM_ARRAY);
    if (datum->kind == DATUM_TENSOR) {
        in[0] = (struct op_operand){param, datum->tensor, arg->span};
        return 1;
    }
    for (int i = 0; i < datum->count; i++)
        n += add_operands(in + n, param, arg, &datum->items[i]);
    return n;
}

/* The data type of the tensors in a result of that type. */
static enum dtype dtype_of_results(const struct type *type, enum dtype generic)
{
    while (type && (type->kind == TYPE_ARRAY || type->kind == TYPE_TENSOR))
        type = type->item;
    return type && type->kind != TYPE_GENERIC ? type_dtype(type) : generic;
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
        const struct datum *first = &call->args[i].value;
        while (first->kind == DATUM_ARRAY && first->count > 0)
            first = &first->items[0];
        if (first->kind == DATUM_TENSOR && sig->params[i].type->has_generic)
            return (enum dtype)first->tensor->dtype;
    }
    return dtype_of_results(sig->results[0].type, DTYPE_UNKNOWN);
}

/* Sort the arguments into operands, in the order of parameters, and attributes, by their row.
 * False, reported, if there is no room for a node of so many. */
static bool gather_arguments(struct call_frame *frame, const struct op_desc *op,
                             const struct invocation *call, struct op_call *gathered)
{
    const int64_t operand = sizeof(struct op_operand) + sizeof(struct value *) + sizeof(struct use);
    const struct signature *sig = call->signature;
    struct arena *scratch = frame->lowering->scratch;
    struct contents sum = {0};
    int nin = 0, nargs = 0;

    for (int i = 0; i < sig->nparam; i++) {
        int64_t before = sum.tensors;
        if (!look_into(frame, call->span, &call->args[i].value, &sum))
            return false;
        call->args[i].tensors = (int)(sum.tensors - before);
    }
    if (!may_take(frame, call->span,
                  sum.bytes + sum.tensors * operand +
                      sig->nparam * (int64_t)sizeof(struct op_argument)))
        return false;
    struct op_operand *in = arena_array_of(scratch, struct op_operand, (int)sum.tensors);
    struct op_argument *args = arena_array_of(scratch, struct op_argument, sig->nparam);
    for (int i = 0; i < sig->nparam; i++) {
        const struct sig_param *param = &sig->params[i];
        const struct bound *arg = &call->args[i];
        const struct op_attr *attr = sig->op == op ? param->attr : &op->attrs[nargs];
        if (param->type->has_tensor)
            nin += add_operands(in + nin, param->name, arg, &arg->value);
        else if (attr)
            args[nargs++] = (struct op_argument){attr, arg->value, arg->span};
    }
    assert(nin <= sum.tensors && nargs <= sig->nparam);
    *gathered = (struct op_call){.op = op,
                                 .in = in,
                                 .nin = nin,
                                 .args = args,
                                 .nargs = nargs,
                                 .generic = operator_type(op, call),
                                 .span = call->span,
                                 .site = frame_site(frame)};
    return true;
}

/* --- results ------------------------------------------------------------------------------ */

/* A tensor as data of an expression. */
static struct datum tensor_datum(struct value *value)
{
    return (struct datum){.kind = DATUM_TENSOR, .tensor = value};
}

/* The results of an operator, of op_build() or of the node maker. */
struct made_node {
    struct value *results;
    int count;
    struct span span;
};

/* All of them as an array or a tuple. */
static bool all_results(struct call_frame *frame, const struct made_node *made,
                        enum datum_kind kind, struct datum *out)
{
    struct datum *items = new_items(frame, made->span, made->count);

    if (!items)
        return false;
    for (int i = 0; i < made->count; i++)
        items[i] = tensor_datum(&made->results[i]);
    *out = (struct datum){.kind = kind, .count = made->count, .items = items};
    return true;
}

/* The value of the invocation: its result, or all results if they are several or an array. */
static bool node_results(struct call_frame *frame, const struct signature *sig,
                         const struct made_node *made, struct datum *out)
{
    const struct expr *target = frame->target;

    if (sig->nresult > 1)
        return all_results(frame, made, DATUM_TUPLE, out);
    if (sig->results[0].type->kind != TYPE_ARRAY) {
        *out = tensor_datum(&made->results[0]);
        return true;
    }
    /* Without a shape an array is as long as the left side wants it.  After a fault it is poison,
     * like all that is assigned from it. */
    if (made->count > 0 && made->results[0].shape->rank == RANK_UNKNOWN) {
        if (has_faults(frame->lowering))
            return false;
        if (!target || target->kind != EXPR_ARRAY)
            return fault(frame, made->span, DIAG_UNKNOWN_SHAPE,
                         "how many results '%s' has depends on a shape that is not known at "
                         "compile time",
                         sig->name);
    }
    return all_results(frame, made, DATUM_ARRAY, out);
}

/* A value that no node computes: external, variable, constant. */
static bool introduce(struct call_frame *frame, const struct invocation *call, struct datum *out)
{
    const struct lower_options *options = frame->lowering->options;
    const struct op_desc *op = call->signature->op;
    const struct expr *target = op->introduces == VALUE_EXTERNAL ? frame->target : NULL;
    const struct shape *shape = NULL;
    struct op_call op_call;

    assert(op->introduces != VALUE_RESULT);
    /* The extents that the caller of lower() wants for this external, if any, instead of its own.
     */
    for (int i = 0; target && target->kind == EXPR_NAME && i < options->noverride; i++)
        if (!shape && strcmp(options->overrides[i].name, target->name) == 0)
            shape = &options->overrides[i].shape;
    for (int i = 0; shape && i < call->signature->nparam; i++) {
        const struct datum *extents = &call->args[i].value;
        if (extents->kind == DATUM_ARRAY && extents->count != shape->rank)
            return fault(frame, call->span, DIAG_SHAPE_ASKED,
                         "shape %s was asked for, expected rank %d as declared", SHAPE_TEXT(shape),
                         extents->count);
    }
    if (!gather_arguments(frame, op, call, &op_call))
        return false;
    op_call.asked = shape;
    struct value *value = op_introduce(frame->lowering->graph, &op_call);
    if (!value || (value->kind == VALUE_VARIABLE && !check_label(frame, call, value)))
        return false;
    *out = tensor_datum(value);
    return true;
}

/* A node of a standard operator; op_build() infers shapes and reports what does not fit. */
static bool build_node(struct call_frame *frame, const struct invocation *call, struct datum *out)
{
    const struct signature *sig = call->signature;
    const struct expr *target = frame->target;
    struct node_maker *maker = frame->lowering->options->maker;
    struct op_call op_call;

    if (!gather_arguments(frame, sig->op, call, &op_call))
        return false;
    if (sig->type->kind == TYPE_ARRAY && target && target->kind == EXPR_ARRAY)
        op_call.nout = target->items.count;
    struct made_node made = {.span = call->span};
    if (maker) {
        made.results = maker->make(maker, &op_call, &made.count);
        return made.results && node_results(frame, sig, &made, out);
    }
    struct node *node = op_build(frame->lowering->graph, &op_call);
    if (!node || (op_call.op->traits & OP_EFFECT && !check_update(frame, call, node)))
        return false;
    made.results = node->out;
    made.count = (int)node->nout;
    return node_results(frame, sig, &made, out);
}

/* --- custom operations -------------------------------------------------------------------- */

/* The results of a node, handed out from `next` on; without a node they are only counted. */
struct handout {
    struct call_frame *frame;
    struct node *node;
    uint32_t next;
};

/* Hands the results out as a result of that type for the left side, which alone knows how long
 * arrays are, with the data types that the signature gives them.  False if the left side does not
 * say that, or if there is no room for the lists. */
static bool custom_results(struct handout *h, const struct type *type, const struct expr *target,
                           struct datum *out)
{
    bool array = type->kind == TYPE_ARRAY, list = target && target->kind != EXPR_NAME;
    const struct expr *item = list ? target->items.first : NULL;
    int count = array && list ? target->items.count : type->count;

    if (type->kind == TYPE_TENSOR && h->node) {
        struct value *value = &h->node->out[h->next];
        value->dtype = (unsigned)dtype_of_results(type, h->node->generic) & 0xfu;
        *out = tensor_datum(value);
    }
    if (type->kind == TYPE_TENSOR) {
        h->next++;
        return true;
    }
    struct datum *items = h->node ? new_items(h->frame, h->node->span, count) : NULL;
    if ((array && !list) || (h->node && !items))
        return false;
    for (int i = 0; i < count; i++) {
        if (!custom_results(h, array ? type->item : type->items[i], item, items ? &items[i] : NULL))
            return false;
        item = item ? item->next : NULL;
    }
    if (items)
        *out = (struct datum){
            .kind = array ? DATUM_ARRAY : DATUM_TUPLE, .count = count, .items = items};
    return true;
}

/* A node of a bodyless fragment of the document, which has one descriptor for all invocations. */
static bool build_custom(struct call_frame *frame, const struct invocation *call, struct datum *out)
{
    struct lowering *l = frame->lowering;
    const struct signature *sig = call->signature;
    struct op_desc *op = map_get(&l->customs, sig);
    struct op_call op_call;

    if (!op) { /* whose attributes are the parameters that are no tensors */
        struct op_attr *attrs = arena_array_of(l->context->arena, struct op_attr, sig->nparam + 1);
        op = custom_desc(l->context->arena,
                         custom_find(l->options->customs, l->options->ncustom, sig->name));
        op->name = sig->name;
        op->attrs = attrs;
        op->attrs_size = (size_t)sig->nparam * sizeof(struct datum);
        for (int i = 0, n = 0; i < sig->nparam; i++)
            if (!sig->params[i].type->has_tensor) {
                attrs[n] = (struct op_attr){.name = sig->params[i].name,
                                            .kind = ATTR_DATUM,
                                            .offset = (size_t)n * sizeof(struct datum)};
                n++;
            }
        map_set(&l->customs, sig, op);
    }
    if (!gather_arguments(frame, op, call, &op_call))
        return false;
    struct handout wanted = {.frame = frame};
    if (!custom_results(&wanted, sig->type, frame->target, NULL))
        return fault(frame, call->span, DIAG_ARRAY_LENGTH_UNKNOWN,
                     "'%s' gives an array whose length is not known, expected an array of "
                     "identifiers for it",
                     sig->name);
    op_call.nout = (int)wanted.next;
    /* Sizes of array-valued parameters, which the descriptor cannot tell. */
    int *group = arena_array_of(l->context->arena, int, sig->nparam);
    for (int i = 0; i < sig->nparam; i++)
        group[i] = call->args[i].value.kind == DATUM_TENSOR ? -1 : call->args[i].tensors;
    op_call.group = group;
    struct node *node = op_build(l->graph, &op_call);
    struct handout handout = {.frame = frame, .node = node};
    return node && custom_results(&handout, sig->type, frame->target, out);
}

/* --- expansion ----------------------------------------------------------------------------- */

/* Evaluate the body of a fragment with its parameters bound to the arguments. */
static bool expand(struct call_frame *frame, const struct invocation *call, struct datum *out)
{
    struct lowering *l = frame->lowering;
    const struct signature *sig = call->signature;
    struct arena_mark mark = arena_mark(l->scratch);
    struct call_frame inner = {.lowering = l,
                               .generic = call->generic,
                               .caller = frame,
                               .invocation = call,
                               .depth = frame->depth + 1};

    assert(sig->fragment->has_body && sig->nresult > 0);
    if (inner.depth > l->context->limits.expansion_depth) {
        fault(frame, call->span, DIAG_EXPANSION_DEPTH,
              "fragments are expanded more than %d deep, in '%s'",
              l->context->limits.expansion_depth, sig->name);
        return diag_help(
            l->context->diag,
            "see whether the recursion ends, or raise the limit with --limit=depth=N.");
    }
    inner.env = new_items(frame, call->span, sig->nslot);
    if (!inner.env)
        return false;
    for (int i = 0; i < sig->nparam; i++)
        inner.env[i] = call->args[i].value;
    if (!run_body(&inner, &sig->fragment->body))
        return false;
    /* The slots of results follow those of parameters.  One result is itself, several a tuple. */
    struct datum *items = new_items(&inner, call->span, sig->nresult);
    for (int i = 0; items && i < sig->nresult; i++) {
        items[i] = inner.env[sig->nparam + i];
        if (items[i].kind == DATUM_NONE ||
            !cast_datum(&inner, sig->results[i].type, sig->results[i].span, &items[i]))
            return false;
    }
    if (!items)
        return false;
    *out = (struct datum){.kind = DATUM_TUPLE, .count = sig->nresult, .items = items};
    if (sig->nresult == 1)
        *out = items[0];
    if (out->kind == DATUM_TENSOR) /* which needs nothing of what it was computed with */
        arena_rewind(l->scratch, mark);
    return true;
}

bool lower_keep_none(const struct op_desc *op)
{
    (void)op;
    return false;
}

bool lower_keep_standard(const struct op_desc *op)
{
    return !(op->traits & OP_EXTENSION);
}

/* A declaration of our extensions that the document repeats has its body in our library. */
static const struct signature *defined_by(const struct signature *sig)
{
    return sig->extension ? sig->extension : sig;
}

/* The client comes first, then operators, then bodies: a kept operation is not expanded. */
bool invoke(struct call_frame *frame, const struct invocation *invocation, struct datum *out)
{
    const struct signature *sig = invocation->signature;

    assert(invocation->signature && invocation->args);
    if (sig->op && sig->op->introduces)
        return introduce(frame, invocation, out);
    /* The client has a way of its own to compute what the document only declares. */
    const struct lower_options *options = frame->lowering->options;
    if (sig->extension && !sig->fragment->has_body &&
        custom_find(options->customs, options->ncustom, sig->name))
        return build_custom(frame, invocation, out);
    bool (*keep)(const struct op_desc *) = frame->lowering->options->keep;
    if (sig->op && (!defined_by(sig)->fragment->has_body || !keep || keep(sig->op)))
        return build_node(frame, invocation, out);
    struct invocation call = *invocation;
    call.signature = sig->fragment->has_body ? sig : defined_by(sig);
    if (call.signature->fragment->has_body)
        return expand(frame, &call, out);
    return build_custom(frame, invocation, out);
}

/* --- from the expression to the invocation -------------------------------------------------- */

/* The signature and the order of the arguments are settled by sema. */
bool evaluate_call(struct call_frame *frame, const struct expr *expr, struct datum *out)
{
    const struct signature *sig = expr->call.signature;
    const struct expr *target = frame->target;
    enum type_name generic = (enum type_name)expr->slot;
    int position = 0;

    assert(expr->kind == EXPR_CALL && sig);
    if (!may_take(frame, expr->span, sig->nparam * (int64_t)sizeof(struct bound)))
        return false;
    struct bound *args = arena_array_of(frame->lowering->scratch, struct bound, sig->nparam);
    struct invocation call = {sig, args, DTYPE_UNKNOWN, expr->span};
    if (generic != TYPE_NAME_NONE)
        call.generic =
            generic == TYPE_NAME_GENERIC ? frame->generic : type_dtype(type_of_name(generic));
    bool ok = true;
    frame->target = NULL; /* which is that of the call, not of its arguments */
    for (const struct expr *a = expr->call.args; a && ok; a = a->next, position++) {
        bool named = a->kind == EXPR_NAMED;
        int index = named ? a->named.param : position;
        const struct expr *value = named ? a->named.value : a;
        struct bound *arg = &args[index];
        assert(index >= 0 && index < sig->nparam);
        arg->span = value->span;
        ok = evaluate(frame, value, &arg->value) &&
             cast_datum(frame, sig->params[index].type, arg->span, &arg->value);
    }
    for (int i = 0; i < sig->nparam && ok; i++) {
        const struct sig_param *param = &sig->params[i];
        if (args[i].value.kind != DATUM_NONE)
            continue;
        assert(param->has_default);
        args[i].value = param->value;
        ok = cast_datum(frame, param->type, param->span, &args[i].value);
    }
    frame->target = target;
    return ok && invoke(frame, &call, out);
}
