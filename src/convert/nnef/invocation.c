/* invocation.c - nodes as invocations */
#include "convert/nnef/invocation_priv.h"

#include "base/arena.h"
#include "ir/graph.h"
#include "lower/lower.h"
#include "op/op_build.h"
#include "sema/sema.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static struct expr *name_of(const struct nnef_writer *w, const struct value *value)
{
    struct expr *expr = expr_new(w->arena, EXPR_NAME);

    assert(w->names->value[value->id]);
    expr->name = w->names->value[value->id];
    return expr;
}

static bool is_literal(const struct nnef_writer *w, const struct value *value)
{
    return !w->names->value[value->id];
}

/* A constant of one item is written as a literal. */
struct expr *expr_of_value(const struct nnef_writer *w, const struct value *value)
{
    struct datum literal;

    if (!is_literal(w, value))
        return name_of(w, value);
    literal = value_literal(value);
    return expr_literal(w->arena, &literal);
}

const struct signature *signature_of(const struct nnef_writer *w, const struct op_desc *op)
{
    const struct checked *checked = w->options->checked;
    const struct signature *found = lower_signature(w->graph, w->options->library, op);

    for (int i = 0; !found && checked && i < checked->document->fragments.count; i++)
        if (strcmp(checked->signatures[i]->name, op->name) == 0)
            found = checked->signatures[i];
    return found;
}

static enum type_name type_name_of(enum dtype dtype)
{
    for (int name = TYPE_NAME_INTEGER; name <= TYPE_NAME_STRING; name++)
        if (type_dtype(type_of_name((enum type_name)name)) == dtype)
            return (enum type_name)name;
    return TYPE_NAME_NONE;
}

struct expr *invocation_new(const struct nnef_writer *w, const char *op, enum dtype generic)
{
    struct expr *call = expr_new(w->arena, EXPR_CALL);

    assert(op);
    call->call.callee = op;
    call->op = (uint8_t)type_name_of(generic);
    return call;
}

/* --- arguments ----------------------------------------------------------------------------- */

/* The operands of a node are taken one parameter after the other. */
struct invocation_args {
    const struct nnef_writer *w;
    const struct node *node;
    uint32_t next; /* operand */
    int next_row;  /* of the table of attributes */
    int param;     /* index of the parameter */
    struct expr **end;
    bool by_name;    /* from here on */
    bool tells_type; /* an operand so far is a tensor of the type that '?' stands for */
};

/* Items of an array, -1 for a single tensor. */
static int array_length(const struct invocation_args *a)
{
    if (a->node->op->traits & OP_VARIADIC)
        return (int)a->node->nin;
    return a->node->group ? a->node->group[a->param] : -1;
}

static const struct value *next_value(struct invocation_args *a, const struct sig_param *param)
{
    const struct value *value = a->node->in[a->next++].value;

    a->tells_type |= param->type->has_generic && !is_literal(a->w, value);
    return value;
}

static struct expr *next_array(struct invocation_args *a, const struct sig_param *param, int count)
{
    struct expr *array = expr_new(a->w->arena, EXPR_ARRAY);
    struct expr **end = &array->items.first;

    array->items.count = count;
    for (int i = 0; i < count; i++, end = &(*end)->next)
        *end = expr_of_value(a->w, next_value(a, param));
    return array;
}

/* Arguments that equal their default are left out. */
static bool is_default(const struct nnef_writer *w, const struct value *value,
                       const struct sig_param *param)
{
    struct datum literal = {0};

    if (!param->has_default || !is_literal(w, value))
        return false;
    literal = value_literal(value);
    return datum_equal(&literal, &param->value);
}

/* NULL for a literal that is the default. */
static struct expr *next_tensor(struct invocation_args *a, const struct sig_param *param)
{
    int count = array_length(a);

    if (count >= 0)
        return next_array(a, param, count);
    const struct value *value = next_value(a, param);
    return is_default(a->w, value, param) ? NULL : expr_of_value(a->w, value);
}

const char *attribute_without_text(const struct nnef_writer *w, const struct node *node)
{
    for (const struct op_attr *attr = node->op->attrs; attr && attr->name; attr++) {
        struct datum datum = op_attr_datum(w->graph, node, attr);
        if (datum.kind == DATUM_SCALAR && !isfinite(datum.scalar))
            return attr->name;
    }
    return NULL;
}

/* NULL for the default.  Rows stand in the order of parameters. */
static struct expr *next_attribute(struct invocation_args *a, const struct sig_param *param)
{
    const struct op_attr *attr = &a->node->op->attrs[a->next_row++];
    struct datum datum = op_attr_datum(a->w->graph, a->node, attr);

    if (param->has_default && datum_equal(&datum, &param->value))
        return NULL;
    return expr_literal(a->w->arena, &datum);
}

/* Behind the first that is left out, or is no tensor, arguments go by name. */
static void add(struct invocation_args *a, const struct sig_param *param, struct expr *value)
{
    a->by_name |= !value || !param->type->has_tensor;
    if (!value)
        return;
    *a->end = a->by_name ? expr_named(a->w->arena, param->name, value) : value;
    a->end = &(*a->end)->next;
}

struct expr *invocation_of(const struct nnef_writer *w, const struct node *node, uint32_t skipped)
{
    const struct signature *signature = signature_of(w, node->op);
    struct expr *call = invocation_new(w, node->op->name, DTYPE_UNKNOWN);
    struct invocation_args a = {.w = w, .node = node, .next = skipped, .end = &call->call.args};

    for (a.param = (int)skipped; a.param < signature->nparam; a.param++) {
        const struct sig_param *param = &signature->params[a.param];
        add(&a, param,
            param->type->has_tensor ? next_tensor(&a, param) : next_attribute(&a, param));
    }
    if (signature->generic && !a.tells_type)
        call->op = (uint8_t)type_name_of(node->generic);
    return call;
}

/* --- results ------------------------------------------------------------------------------- */

static struct expr *list_of_results(const struct nnef_writer *w, const struct node *node,
                                    enum expr_kind kind)
{
    struct expr *list = expr_new(w->arena, kind);
    struct expr **end = &list->items.first;

    list->items.count = (int)node->nout;
    for (uint32_t i = 0; i < node->nout; i++, end = &(*end)->next)
        *end = name_of(w, &node->out[i]);
    return list;
}

static bool is_tensor(const struct sig_result *result)
{
    return result->type->kind == TYPE_TENSOR;
}

static bool is_array_of_tensors(const struct sig_result *result)
{
    return result->type->kind == TYPE_ARRAY && result->type->item->kind == TYPE_TENSOR;
}

struct expr *target_of(const struct nnef_writer *w, const struct node *node)
{
    const struct signature *signature = signature_of(w, node->op);

    if (signature->nresult == 1 && is_array_of_tensors(&signature->results[0]))
        return list_of_results(w, node, EXPR_ARRAY);
    for (int i = 0; i < signature->nresult; i++)
        if (!is_tensor(&signature->results[i]))
            return NULL;
    if (signature->nresult == 1)
        return name_of(w, &node->out[0]);
    return list_of_results(w, node, EXPR_TUPLE);
}
