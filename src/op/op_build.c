/* op_build.c - from an invocation with evaluated arguments to a node with shapes */
#include "op/op_build.h"

#include "base/arena.h"
#include "base/num.h"
#include "diag/context.h"
#include "ir/site.h"
#include "tensor/item.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { MAX_LABELS = 8 };

const struct op_desc *op_find(const char *name)
{
    for (int i = 0; i < OP_COUNT; i++)
        if (strcmp(op_table[i]->name, name) == 0)
            return op_table[i];
    return NULL;
}

/* --- reporting -------------------------------------------------------------------------- */

static struct span span_of(const struct op_call *call, const char *param)
{
    struct span span = call->span;

    for (int i = 0; param && i < call->nargs; i++)
        if (strcmp(call->args[i].attr->name, param) == 0)
            span = call->args[i].span;
    for (int i = 0; param && i < call->nin; i++)
        if (strcmp(call->in[i].param, param) == 0)
            span = call->in[i].span;
    return span.end ? span : call->span;
}

static struct place place_of(const struct infer *infer, const char *param)
{
    return (struct place){infer->graph->context->diag, infer->call->site,
                          span_of(infer->call, param)};
}

bool infer_error(const struct infer *infer, const char *param, enum diag_code code, const char *fmt,
                 ...)
{
    struct place place = place_of(infer, param);
    bool from_file = place_in_file(&place) != NULL;
    va_list args;

    va_start(args, fmt);
    place_error(&place, code, fmt, args);
    va_end(args);

    /* The shapes of the operands: labels where they stand in the text, notes if there is none.  A
     * result that nothing makes stands for a tensor of a foreign model. */
    for (int i = 0; i < infer->call->nin && i < MAX_LABELS; i++) {
        const char *name = infer->call->in[i].param;
        const struct value *v = infer->call->in[i].value;
        if (from_file || (v->kind == VALUE_RESULT && !v->producer))
            diag_note(place.diag, (struct span){0}, "'%s' has shape %s", name,
                      SHAPE_TEXT(v->shape));
        else if (v->shape->rank != RANK_UNKNOWN && (v->kind != VALUE_CONSTANT || v->shape->rank))
            diag_label(place.diag, value_span(v), "'%s' has shape %s", v->name ? v->name : name,
                       SHAPE_TEXT(v->shape));
    }
    place_notes(&place);
    return false;
}

void infer_warning(const struct infer *infer, const char *param, enum diag_warning warning,
                   const char *fmt, ...)
{
    struct place place = place_of(infer, param);
    va_list args;

    va_start(args, fmt);
    place_warning(&place, warning, fmt, args);
    va_end(args);
    place_notes(&place);
}

bool infer_label(const struct infer *infer, const char *param, const char *fmt, ...)
{
    struct place place = place_of(infer, param);
    va_list args;

    va_start(args, fmt);
    place_label(&place, fmt, args);
    va_end(args);
    return false;
}

bool eval_error(const struct eval *eval, enum diag_code code, const char *fmt, ...)
{
    struct place place = {eval->diag, eval->node->site, eval->node->span};
    va_list args;

    va_start(args, fmt);
    place_error(&place, code, fmt, args);
    va_end(args);
    place_notes(&place);
    return false;
}

bool eval_no_memory(const struct eval *eval)
{
    return eval_error(eval, DIAG_RUN_MEMORY, "not enough memory to run '%s'", eval->node->op->name);
}

/* --- shapes ----------------------------------------------------------------------------- */

const struct shape *infer_in(const struct infer *infer, int index)
{
    assert(index < infer->nin);
    return infer->call->in[index].value->shape;
}

bool infer_results(struct infer *infer, int64_t count)
{
    struct context *context = infer->graph->context;
    const struct limits *limits = &context->limits;
    struct place place = {context->diag, infer->call->site, infer->call->span};

    assert(count >= 0);
    if (count > limits->nodes || count > VALUE_PORTS) {
        infer_error(infer, NULL, DIAG_EXPANSION_SIZE,
                    "'%s' makes %" PRId64 " results, more than the limit of %" PRId64 " operations",
                    infer->call->op->name, count, limits->nodes);
        return diag_help(context->diag, "raise the limit with --limit=nodes=N.");
    }
    if (!place_grows(&place, context,
                     count * (int64_t)(sizeof(struct shape) + sizeof(struct value))))
        return false;
    infer->nout = (int)count;
    infer->out = arena_array_of(context->arena, struct shape, count);
    return true;
}

static void all_unknown(struct infer *infer)
{
    for (int i = 0; i < infer->nout; i++)
        infer->out[i] = (struct shape){.rank = RANK_UNKNOWN};
}

void infer_reads(const struct infer *infer, const struct shape *out, int64_t each)
{
    int64_t volume;

    assert(each >= 0 && infer->work);
    if (!shape_volume_checked(out, INT64_MAX, &volume) || !num_mul(volume, each, infer->work))
        *infer->work = INT64_MAX;
}

bool infer_work(const struct infer *infer, const struct shape *out, int64_t each)
{
    int64_t limit = infer->graph->context->limits.kernel_work;

    infer_reads(infer, out, each);
    if (*infer->work <= limit && *infer->work < INT64_MAX)
        return true;
    infer_error(infer, NULL, DIAG_WORK_LIMIT,
                "'%s' reads %" PRId64 " items for each one of shape %s, more than the limit of "
                "%" PRId64 " altogether",
                infer->call->op->name, each, SHAPE_TEXT(out), limit);
    return diag_help(infer->graph->context->diag, "raise the limit with --limit=work=N.");
}

/*
 * The shapes of all results.  They are unknown, and the answer is false, if the rule reports a
 * fault or cannot say: it knows too little of an operand.
 */
static bool infer_shapes(struct infer *infer, bool decoded)
{
    const struct op_call *call = infer->call;
    bool partial = call->op->traits & OP_PARTIAL, ok = decoded && call->op->infer;
    int64_t limit = infer->graph->context->limits.volume, volume;

    for (int i = 0; i < call->nin && ok; i++) {
        const struct shape *s = call->in[i].value->shape;
        ok = s->rank != RANK_UNKNOWN && (partial || shape_known(s));
    }
    ok = ok && call->op->infer(infer);
    for (int i = 0; ok && i < infer->nout; i++) {
        const struct shape *shape = &infer->out[i];
        assert(shape->rank >= RANK_UNKNOWN && shape->rank <= MAX_RANK);
        if (shape_volume_checked(shape, limit, &volume))
            continue;
        ok = infer_error(infer, NULL, DIAG_VOLUME_LIMIT,
                         "result of '%s' has shape %s, more than the limit of %" PRId64 " items",
                         call->op->name, SHAPE_TEXT(shape), limit);
        diag_help(infer->graph->context->diag, "raise the limit with --limit=volume=N.");
    }
    if (!ok)
        all_unknown(infer);
    return ok;
}

enum dtype op_result_dtype(const struct op_desc *op, int index, enum dtype generic)
{
    assert(index >= 0);
    switch (op->result[index < OP_RESULTS && op->nresult > 1 ? index : 0]) {
    case OP_RESULT_SCALAR:
        return DTYPE_SCALAR;
    case OP_RESULT_INTEGER:
        return DTYPE_INTEGER;
    case OP_RESULT_LOGICAL:
        return DTYPE_LOGICAL;
    case OP_RESULT_GENERIC:
        return generic;
    }
    return DTYPE_UNKNOWN;
}

static bool within_limits(struct graph *graph, const struct op_call *call)
{
    struct place place = {graph->context->diag, call->site, call->span};
    int64_t limit = graph->context->limits.nodes;

    int64_t size = (int64_t)sizeof(struct node) + call->nin * (int64_t)sizeof(struct use);

    if (!place_grows(&place, graph->context, size))
        return false;
    if (graph->node_count < limit)
        return true;
    place_fault(&place, DIAG_EXPANSION_SIZE, "the graph grows beyond %" PRId64 " operations",
                limit);
    place_notes(&place);
    return diag_help(place.diag, "raise the limit with --limit=nodes=N.");
}

/* --- nodes -------------------------------------------------------------------------------- */

/* The graph's copy of the shape of a result, which most often is that of an operand. */
static const struct shape *shape_of_result(struct graph *graph, const struct op_call *call,
                                           const struct shape *shape)
{
    const struct shape *first = call->nin > 0 ? call->in[0].value->shape : NULL;

    return first && shape_equal(first, shape) ? first : graph_shape(graph, shape);
}

static int declared_results(const struct op_desc *op)
{
    return op->nresult ? op->nresult : 1;
}

struct node *op_build(struct graph *graph, const struct op_call *call)
{
    struct shape declared[OP_RESULTS];
    int64_t work = 0;
    struct infer infer = {.graph = graph,
                          .call = call,
                          .nin = call->nin,
                          .nout = declared_results(call->op),
                          .out = declared,
                          .work = &work};

    struct value *few[8], **in = few;

    assert(!call->op->introduces && !(call->attrs && call->nargs > 0) && call->nin >= 0);
    memset(declared, 0, (size_t)infer.nout * sizeof *declared);
    if (!within_limits(graph, call) || (call->nout && !infer_results(&infer, call->nout)))
        return NULL;
    bool decoded = attrs_decode(&infer);
    infer_shapes(&infer, decoded);

    if (call->nin > (int)(sizeof few / sizeof few[0]))
        in = arena_array_of(graph->context->arena, struct value *, call->nin);
    for (int i = 0; i < call->nin; i++)
        in[i] = call->in[i].value;
    struct node *node =
        graph_add_node(graph, call->op, in, (uint32_t)call->nin, (uint32_t)infer.nout);
    node->attrs = infer.attrs;
    node->generic = call->generic;
    node->span = call->span;
    node->site = call->site;
    node->work = work;
    node->group = call->group;
    for (int i = 0; i < infer.nout; i++) {
        node->out[i].shape = shape_of_result(graph, call, &infer.out[i]);
        node->out[i].dtype = op_result_dtype(call->op, i, call->generic);
    }
    return node;
}

struct node *op_append(struct graph *graph, struct op_spec spec, struct value *const *in, int nin,
                       const struct op_origin *origin)
{
    const struct op_desc *op = op_table[spec.op];
    struct op_operand *operands = arena_array_of(graph->context->arena, struct op_operand, nin);
    enum dtype generic = origin->generic;

    assert((op->traits & OP_VARIADIC) || nin == op->noperand);
    for (int i = 0; i < nin; i++) {
        assert(in[i]);
        operands[i] = (struct op_operand){.param = "operand", .value = in[i]};
    }
    if (generic == DTYPE_UNKNOWN && op->result[0] == OP_RESULT_GENERIC && op->generic_operand < nin)
        generic = (enum dtype)in[op->generic_operand]->dtype;
    return op_build(graph, &(struct op_call){.op = op,
                                             .in = operands,
                                             .nin = nin,
                                             .attrs = spec.attrs,
                                             .generic = generic,
                                             .span = origin->span,
                                             .site = origin->site});
}

void op_restate(struct graph *graph, struct node *node, const void *attrs)
{
    const struct op_call call = {.op = node->op, .attrs = attrs};
    struct infer infer = {.graph = graph, .call = &call};

    if (attrs_decode(&infer))
        node->attrs = infer.attrs;
}

struct op_call op_call_of(struct graph *graph, const struct node *node)
{
    struct op_operand *in = arena_array_of(graph->context->arena, struct op_operand, node->nin);

    for (uint32_t i = 0; i < node->nin; i++)
        in[i] = (struct op_operand){.param = "operand", .value = node->in[i].value};
    return (struct op_call){.op = node->op,
                            .in = in,
                            .nin = (int)node->nin,
                            .group = node->group,
                            .generic = node->generic,
                            .span = node->span,
                            .site = node->site};
}

void op_infer(struct graph *graph, const struct node *node, struct inferred *inferred)
{
    struct arena *arena = graph->context->arena;
    struct op_call call = op_call_of(graph, node);
    struct infer infer = {.graph = graph,
                          .call = &call,
                          .attrs = node->attrs,
                          .nin = call.nin,
                          .nout = declared_results(node->op),
                          .work = &inferred->work};

    assert(!node->op->introduces);
    inferred->work = 0;
    infer.out = arena_array_of(arena, struct shape, infer.nout);
    if (!infer_shapes(&infer, true)) {
        infer.nout = (int)node->nout; /* only the text knew how many */
        infer.out = arena_array_of(arena, struct shape, infer.nout);
        all_unknown(&infer);
    }
    inferred->out = infer.out;
    inferred->nout = infer.nout;
}

/* --- values that no node computes --------------------------------------------------------- */

/* The items of a literal.  One item is kept as one, also where it stands for a whole tensor. */
static struct tensor *tensor_of_values(struct graph *graph, enum dtype dtype,
                                       const struct values *values, const struct shape *shape)
{
    struct tensor *tensor = arena_new_of(graph->context->arena, struct tensor);
    void *data = arena_array(graph->context->arena, (size_t)values->count, dtype_size(dtype));

    assert(dtype == DTYPE_SCALAR || dtype == DTYPE_INTEGER || dtype == DTYPE_LOGICAL);
    tensor->dtype = dtype;
    tensor->data = data;
    if (values->count != 1)
        tensor->shape = *shape;
    for (int i = 0; i < values->count; i++) {
        const struct datum *item = &values->item[i];
        if (dtype == DTYPE_SCALAR)
            ((float *)data)[i] = (float)item->scalar;
        else if (dtype == DTYPE_INTEGER)
            ((int64_t *)data)[i] = item->integer;
        else
            ((unsigned char *)data)[i] = item->logical;
    }
    return tensor;
}

/* Whether 32 bits hold the items of a constant; the first that they do not is warned of. */
static void check_values(const struct infer *infer, const struct values *values)
{
    for (int i = 0; i < values->count; i++) {
        double number = values->item[i].kind == DATUM_SCALAR ? values->item[i].scalar : 0;
        if (float_holds(number))
            continue;
        infer_warning(infer, "value", WARNING_DOUBLE_PRECISION,
                      "item %d is %g, but %g in the 32 bits that nnefc computes with", i, number,
                      (double)(float)number);
        return;
    }
}

struct value *op_introduce(struct graph *graph, const struct op_call *call)
{
    struct shape shape = {0};
    struct infer infer = {.graph = graph, .call = call, .nout = 1, .out = &shape};

    assert(call->op->introduces);
    if (!within_limits(graph, call))
        return NULL;
    if (dtype_size(call->generic) == 0) {
        infer_error(&infer, NULL, DIAG_TYPE_MISMATCH, "'%s' cannot make a tensor of type '%s'",
                    call->op->name, dtype_name(call->generic));
        return NULL;
    }
    int before = diag_error_count(graph->context->diag);
    infer_shapes(&infer, attrs_decode(&infer));
    struct value *value =
        graph_add_source(graph, call->op->introduces, call->generic, &shape, call->span);
    if (diag_error_count(graph->context->diag) != before)
        return value;

    /* A text is the label of a variable, and an array the items of a constant. */
    assert(value->source && value->kind == call->op->introduces);
    for (const struct op_attr *a = call->op->attrs; a && a->name; a++) {
        const unsigned char *field = (const unsigned char *)infer.attrs + a->offset;
        if (a->kind == ATTR_STRING) {
            memcpy(&value->source->label, field, sizeof value->source->label);
            value->source->label_span = span_of(call, a->name);
        }
        if (a->kind == ATTR_VALUES) {
            const struct values *values = (const struct values *)(const void *)field;
            check_values(&infer, values);
            value->source->tensor = tensor_of_values(graph, call->generic, values, &shape);
        }
    }
    return value;
}
