/* check_expr.c - expressions: names, literals, branches (NNEF 1.0.5, section 3.3.3) */
#include "sema/report_priv.h"

#include <assert.h>

/* Types of expressions can double with each statement, so their size has a limit. */
const struct type *limited(struct checker *c, const struct type *type, struct span span)
{
    if (type->size <= TYPE_SIZE_LIMIT)
        return type;
    diag_error(c->diag, span, DIAG_NESTING, "type of more than %d parts, expected a smaller one",
               TYPE_SIZE_LIMIT);
    return poison();
}

/* A use before the assignment is reported once; later uses find the symbol and stay silent. */
static const struct type *check_name(struct checker *c, struct expr *expr)
{
    struct symbol *symbol = scope_find(c, expr->name);

    if (!symbol || (!symbol->assigned && symbol_visible(symbol))) {
        report_unknown_name(c, expr);
        symbol = scope_find(c, expr->name);
        if (!symbol->assigned && symbol_visible(symbol))
            return poison();
    }
    symbol->used = true;
    expr->slot = symbol->slot;
    return symbol->type;
}

/* Conditions are logical data of compile time: a tensor cannot decide what a graph contains. */
bool check_condition(struct checker *c, struct expr *expr, const char *of_what)
{
    const struct type *type = check_expr(c, expr);

    if (type->kind == TYPE_LOGICAL || is_poison(type))
        return true;
    diag_error(c->diag, expr->span, DIAG_CONDITION,
               "condition of the %s is %s, expected logical, known at compile time", of_what,
               text_of(c, type));
    label_type(c, expr, type);
    if (type->kind == TYPE_TENSOR)
        diag_help(c->diag, "write 'select(condition, a, b)' to choose between items of tensors.");
    else if (type->kind == TYPE_INTEGER || type->kind == TYPE_SCALAR)
        diag_help(c->diag, "compare it: write '... != %s'.",
                  type->kind == TYPE_INTEGER ? "0" : "0.0");
    return false;
}

/* Both branches need a common type, though only one of them is evaluated.  `check` is how branches
 * are checked: as values or as parts of an expression. */
static const struct type *check_select(struct checker *c, const struct expr *expr,
                                       const struct type *(*check)(struct checker *, struct expr *))
{
    const struct type *yes = check(c, expr->select.yes);
    check_condition(c, expr->select.condition, "branching");
    const struct type *no = check(c, expr->select.no), *common = type_common(yes, no);

    assert(expr->kind == EXPR_SELECT);
    if (common)
        return common;
    diag_error(c->diag, expr->span, DIAG_NO_COMMON_TYPE,
               "branches are %s and %s, expected a common type", text_of(c, yes), text_of(c, no));
    label_type(c, expr->select.yes, yes);
    label_type(c, expr->select.no, no);
    help_cast(c, expr->select.no, no, yes);
    return poison();
}

/* What an invocation inside an expression gives must be a single tensor (R066, R068). */
static const struct type *check_nested(struct checker *c, struct expr *call)
{
    level_nested(c, call);
    const struct type *type = check_call(c, call);
    if (c->dialect == DIALECT_PROVISIONAL || type->kind == TYPE_TENSOR || is_poison(type))
        return type;
    diag_error(c->diag, call->span, DIAG_CHAINED_RESULTS,
               "nested invocation of '%s' gives %s, expected a single tensor", call->call.callee,
               text_of(c, type));
    diag_help(c->diag, "assign what it gives to identifiers first.");
    return poison();
}

/* One case for each kind of expression. */
static const struct type *check_kind(struct checker *c, struct expr *expr)
{
    switch ((enum expr_kind)expr->kind) {
    case EXPR_INTEGER:
        return type_primitive(TYPE_INTEGER);
    case EXPR_SCALAR:
        return type_primitive(TYPE_SCALAR);
    case EXPR_LOGICAL:
        return type_primitive(TYPE_LOGICAL);
    case EXPR_STRING:
        return type_primitive(TYPE_STRING);
    case EXPR_NAME:
        return check_name(c, expr);
    case EXPR_ARRAY:
        return check_array(c, expr);
    case EXPR_TUPLE:
        return check_tuple(c, expr);
    case EXPR_CALL:
        return check_nested(c, expr);
    case EXPR_BUILTIN:
        return check_builtin(c, expr);
    case EXPR_UNARY:
        return check_unary(c, expr);
    case EXPR_BINARY:
        return check_binary(c, expr);
    case EXPR_SELECT:
        return check_select(c, expr, check_expr);
    case EXPR_SUBSCRIPT:
        return check_subscript(c, expr);
    case EXPR_RANGE:
        return check_range(c, expr);
    case EXPR_COMPREHENSION:
        return check_comprehension(c, expr);
    case EXPR_NAMED:
        break;
    }
    return poison();
}

/* Whether flat syntax does not have it. */
static bool is_extended(const struct expr *expr)
{
    const unsigned kinds = 1U << EXPR_BUILTIN | 1U << EXPR_UNARY | 1U << EXPR_BINARY |
                           1U << EXPR_SELECT | 1U << EXPR_SUBSCRIPT | 1U << EXPR_RANGE |
                           1U << EXPR_COMPREHENSION;

    return expr->parenthesized || (kinds >> expr->kind & 1);
}

const struct type *check_expr(struct checker *c, struct expr *expr)
{
    if (is_extended(expr))
        level_expression(c, expr);
    const struct type *type = check_kind(c, expr);
    c->poisoned |= is_poison(type);
    return type;
}

/* The outermost operation of a right side is no nested one and needs no extension. */
const struct type *check_value(struct checker *c, struct expr *expr)
{
    bool select = expr->kind == EXPR_SELECT;

    if (!select && expr->kind != EXPR_CALL)
        return check_expr(c, expr);
    if (select || is_extended(expr))
        level_expression(c, expr);
    /* A branch that is the right side of an assignment is no nested invocation. */
    return select ? check_select(c, expr, check_value) : check_call(c, expr);
}
