/* check_builtin.c - built-in functions (NNEF 1.0.5, section 3.3.3) */
#include "sema/report_priv.h"

#include <assert.h>

/* Always poison. */
static const struct type *wrong_argument(struct checker *c, const struct expr *expr,
                                         const struct type *type, const char *expected)
{
    diag_error(c->diag, expr->unary.operand->span, DIAG_BUILTIN_ARGUMENT,
               "argument of '%s' is %s, expected %s", builtin_text(expr->op, c->dialect),
               text_of(c, type), expected);
    label_type(c, expr->unary.operand, type);
    return poison();
}

/* Values of compile time are converted, but no tensors. */
static const struct type *check_conversion(struct checker *c, const struct expr *expr,
                                           const struct type *type, enum type_kind to)
{
    if (type_is_primitive(type))
        return type_primitive(to);
    wrong_argument(c, expr, type, "a value of primitive type");
    if (type->kind == TYPE_TENSOR && to != TYPE_STRING && c->dialect == DIALECT_1_0)
        diag_help(c->diag, "write 'cast<%s>(...)' to convert the items of a tensor.",
                  builtin_text(expr->op, c->dialect));
    return type_primitive(to);
}

/* The built-in functions of section 3.3.3; 'shape_of' is deprecated. */
const struct type *check_builtin(struct checker *c, struct expr *expr)
{
    const struct type *type = check_expr(c, expr->unary.operand);
    bool known = is_poison(type) || type->kind == TYPE_ARRAY || type->kind == TYPE_EMPTY_ARRAY ||
                 type->kind == TYPE_STRING; /* it has a length */

    assert(expr->kind == EXPR_BUILTIN && expr->op <= BUILTIN_STRING);
    if (is_poison(type))
        type = type_primitive(TYPE_GENERIC);
    switch ((enum builtin)expr->op) {
    case BUILTIN_SHAPE_OF: {
        if (c->dialect == DIALECT_1_0 && !c->standard)
            tolerate(c, &c->shape_of_count, expr->span, WARNING_DEPRECATED,
                     "'shape_of' is deprecated, expected shapes to be given by attributes");
        if (type->kind != TYPE_TENSOR && !type_is_primitive(type))
            wrong_argument(c, expr, type, "a tensor");
        return type_array(c->types, type_primitive(TYPE_INTEGER));
    }
    case BUILTIN_LENGTH_OF:
        if (!known)
            wrong_argument(c, expr, type, "an array or a string");
        return type_primitive(TYPE_INTEGER);
    case BUILTIN_RANGE_OF:
        if (!known)
            wrong_argument(c, expr, type, "an array or a string");
        return type_array(c->types, type_primitive(TYPE_INTEGER));
    case BUILTIN_INTEGER:
        return check_conversion(c, expr, type, TYPE_INTEGER);
    case BUILTIN_SCALAR:
        return check_conversion(c, expr, type, TYPE_SCALAR);
    case BUILTIN_LOGICAL:
        return check_conversion(c, expr, type, TYPE_LOGICAL);
    case BUILTIN_STRING:
        return check_conversion(c, expr, type, TYPE_STRING);
    }
    return poison();
}
