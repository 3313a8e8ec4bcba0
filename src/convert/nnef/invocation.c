/* invocation.c - nodes as invocations */
#include "convert/nnef/invocation_priv.h"

#include "ir/graph.h"
#include "lower/lower.h"
#include "op/op_build.h"
#include "sema/sema.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct expr *name_expr(const struct nnef_writer *w, const char *name)
{
    struct expr *expr = expr_new(w->arena, EXPR_NAME);

    assert(name);
    expr->name = name;
    return expr;
}

static bool is_literal(const struct nnef_writer *w, const struct value *value)
{
    return !w->names->value[value->id];
}

struct expr *expr_of_value(const struct nnef_writer *w, const struct value *value)
{
    struct datum literal;

    if (!is_literal(w, value))
        return name_expr(w, w->names->value[value->id]);
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

/* TYPE_NAME_NONE for DTYPE_UNKNOWN. */
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

/* --- arguments ------------------------------------------------------------------------------ */

/* The operands of a node are taken one parameter after the other. */
struct invocation_args {
    const struct nnef_writer *w;
    const struct node *node;
    uint32_t next; /* operand */
    int next_row;  /* of the table of attributes */
    int param;     /* index of the parameter */
    struct expr **end;
    struct expr *left_out; /* tensors that are defaults, until one that is none follows */
    struct expr **left_end;
    bool is_default; /* of the tensor */
    bool by_name;    /* from here on */
    bool shows_type; /* an operand so far is a tensor of the type that '?' stands for */
};

/* A literal does not show its type: 1 may be an integer or a scalar. */
static const struct value *next_value(struct invocation_args *a, const struct sig_param *param)
{
    const struct value *value = a->node->in[a->next++].value;

    a->shows_type |= param->type->has_generic && !is_literal(a->w, value);
    return value;
}

/* A tensor, or an array of tensors. */
static struct expr *next_tensor(struct invocation_args *a, const struct sig_param *param)
{
    const struct node *node = a->node;
    bool variadic = node->op->traits & OP_VARIADIC;
    int count = node->group ? node->group[a->param] : -1; /* of an array; -1: a single tensor */

    a->is_default = false;
    if (variadic)
        count = (int)node->nin;
    if (count >= 0) {
        struct expr *array = expr_new(a->w->arena, EXPR_ARRAY);
        struct expr **end = &array->items.first;
        array->items.count = count;
        for (int i = 0; i < count; i++, end = &(*end)->next)
            *end = expr_of_value(a->w, next_value(a, param));
        return array;
    }
    const struct value *value = next_value(a, param);
    if (param->has_default && is_literal(a->w, value)) {
        struct datum literal = value_literal(value);
        a->is_default = datum_equal(&literal, &param->value);
    }
    return expr_of_value(a->w, value);
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

static void add_named(struct invocation_args *a, const struct sig_param *param, struct expr *value)
{
    *a->end = expr_named(a->w->arena, param->name, value);
    a->end = &(*a->end)->next;
}

/* Tensors go by position, so that a default is written if there is more behind it. */
static void add_tensor(struct invocation_args *a, const struct sig_param *param)
{
    struct expr *value = next_tensor(a, param);

    if (a->by_name) {
        if (!a->is_default)
            add_named(a, param, value);
        return;
    }
    *a->left_end = value;
    a->left_end = &value->next;
    if (a->is_default)
        return;
    *a->end = a->left_out;
    a->end = a->left_end;
    a->left_out = NULL;
    a->left_end = &a->left_out;
}

/* By name, unless it is the default. */
static void add_attribute(struct invocation_args *a, const struct sig_param *param)
{
    struct expr *value = next_attribute(a, param);

    a->by_name = true;
    if (value)
        add_named(a, param, value);
}

struct expr *invocation_of(const struct nnef_writer *w, const struct node *node, uint32_t skipped)
{
    const struct signature *signature = signature_of(w, node->op);
    struct expr *call = invocation_new(w, node->op->name, DTYPE_UNKNOWN);
    struct invocation_args a = {.w = w, .node = node, .next = skipped, .end = &call->call.args};

    assert(signature && skipped <= node->nin);
    a.left_end = &a.left_out;
    for (a.param = (int)skipped; a.param < signature->nparam; a.param++) {
        const struct sig_param *param = &signature->params[a.param];
        (param->type->has_tensor ? add_tensor : add_attribute)(&a, param);
    }
    if (signature->generic && !a.shows_type)
        call->op = (uint8_t)type_name_of(node->generic);
    return call;
}

/* --- results -------------------------------------------------------------------------------- */

/* [a, b] or (a, b) */
static struct expr *list_of_results(const struct nnef_writer *w, const struct node *node,
                                    enum expr_kind kind)
{
    struct expr *list = expr_new(w->arena, kind);
    struct expr **end = &list->items.first;

    list->items.count = (int)node->nout;
    for (uint32_t i = 0; i < node->nout; i++, end = &(*end)->next)
        *end = name_expr(w, w->names->value[node->out[i].id]);
    return list;
}

struct expr *target_of(const struct nnef_writer *w, const struct node *node)
{
    const struct signature *signature = signature_of(w, node->op);
    const struct type *first = signature->nresult ? signature->results[0].type : NULL;

    if (signature->nresult == 1 && first->kind == TYPE_ARRAY && first->item->kind == TYPE_TENSOR)
        return list_of_results(w, node, EXPR_ARRAY);
    for (int i = 0; i < signature->nresult; i++)
        if (signature->results[i].type->kind != TYPE_TENSOR)
            return NULL;
    if (signature->nresult == 1)
        return name_expr(w, w->names->value[node->out[0].id]);
    return list_of_results(w, node, EXPR_TUPLE);
}
