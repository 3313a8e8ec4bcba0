/* check_builtin.c - built-in functions (NNEF 1.0.5, section 3.3.3) */
#include "sema/report_priv.h"

#include <assert.h>

static void wrong_argument(struct checker *c, const struct expr *expr, const struct type *type,
                           const char *expected)
{
    diag_error(c->diag, expr->unary.operand->span, DIAG_BUILTIN_ARGUMENT,
               "argument of '%s' is %s, expected %s", builtin_text(expr->op, c->dialect),
               text_of(c, type), expected);
    label_type(c, expr->unary.operand, type);
}

/* The built-in functions of section 3.3.3; 'shape_of' is deprecated. */
const struct type *check_builtin(struct checker *c, struct expr *expr)
{
    static const enum type_kind converted[] = {[BUILTIN_INTEGER] = TYPE_INTEGER,
                                               [BUILTIN_SCALAR] = TYPE_SCALAR,
                                               [BUILTIN_LOGICAL] = TYPE_LOGICAL,
                                               [BUILTIN_STRING] = TYPE_STRING};
    const struct type *type = check_expr(c, expr->unary.operand);
    const struct type *integer = type_primitive(TYPE_INTEGER);
    enum builtin which = (enum builtin)expr->op;
    bool poisoned = is_poison(type); /* which suits all of them */
    bool has_length =
        type->kind == TYPE_ARRAY || type->kind == TYPE_EMPTY_ARRAY || type->kind == TYPE_STRING;

    assert(expr->kind == EXPR_BUILTIN && which <= BUILTIN_STRING);
    if (which == BUILTIN_SHAPE_OF) {
        if (c->dialect == DIALECT_1_0 && !c->standard)
            tolerate(c, &c->shape_of_count, expr->span, WARNING_DEPRECATED,
                     "'shape_of' is deprecated, expected shapes to be given by attributes");
        if (!poisoned && type->kind != TYPE_TENSOR && !type_is_primitive(type))
            wrong_argument(c, expr, type, "a tensor");
        return type_array(c->types, integer);
    }
    if (which == BUILTIN_LENGTH_OF || which == BUILTIN_RANGE_OF) {
        if (!poisoned && !has_length)
            wrong_argument(c, expr, type, "an array or a string");
        return which == BUILTIN_LENGTH_OF ? integer : type_array(c->types, integer);
    }
    /* The others convert values of compile time, but no tensors. */
    if (!poisoned && !type_is_primitive(type)) {
        wrong_argument(c, expr, type, "a value of primitive type");
        if (type->kind == TYPE_TENSOR && which != BUILTIN_STRING && c->dialect == DIALECT_1_0)
            diag_help(c->diag, "write 'cast<%s>(...)' to convert the items of a tensor.",
                      builtin_text(which, c->dialect));
    }
    return type_primitive(converted[which]);
}
