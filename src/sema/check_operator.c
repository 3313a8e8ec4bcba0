/*
 * check_operator.c - unary and binary operators (NNEF 1.0.5, section 3.3.3)
 *
 * With a tensor among its operands an operator is the invocation of a fragment and is checked
 * like one; without, the table of the standard settles what it takes and gives.
 */
#include "sema/report_priv.h"

#include <assert.h>

/* A binary operator with the types of its operands, neither of them poison. */
struct binary_operands {
    const struct expr *expr;
    const struct type *left, *right;
};

static void label_operands(struct checker *c, const struct binary_operands *o)
{
    label_type(c, o->expr->binary.left, o->left);
    label_type(c, o->expr->binary.right, o->right);
}

/* Always poison. */

static const struct type *operand_error(struct checker *c, const struct binary_operands *o,
                                        const char *expected)
{
    const char *op = binary_op_text(o->expr->op);

    diag_error(c->diag, o->expr->span, DIAG_OPERAND_TYPE, "operands of '%s' are %s and %s, %s", op,
               text_of(c, o->left), text_of(c, o->right), expected);
    label_operands(c, o);
    return poison();
}

/* --- tensors ---------------------------------------------------------------------------- */

/* Comparisons do not associate: 'a < b < c' is a fault unless it has parentheses. */
static bool is_comparison(const struct expr *expr)
{
    return expr->kind == EXPR_BINARY && !expr->parenthesized && expr->op >= BINARY_LT &&
           expr->op <= BINARY_NE;
}

static const struct type *chained(struct checker *c, const struct expr *expr)
{
    diag_error(c->diag, expr->span, DIAG_COMPARISON_CHAIN,
               "comparison of a comparison, expected two operands that are no comparisons");
    diag_help(c->diag, "join comparisons by '&&': write 'a < b && b < c'.");
    return poison();
}

/* Is an operand what the parameter of the standard operation takes?  False after a report. */
static bool fits_operand(struct checker *c, const struct expr *operand, const struct type *found,
                         const struct sig_param *param, const char *op)
{
    const struct type *expected = type_substitute(c->types, param->type, poison());

    if (fits(c, found, expected))
        return true;
    diag_error(c->diag, operand->span, DIAG_TYPE_MISMATCH, "operand of '%s' is %s, expected %s", op,
               text_of(c, found), text_of(c, expected));
    label_type(c, operand, found);
    fix_cast(c, operand, found, expected);
    return false;
}

/* --- values known at compile time ------------------------------------------------------- */

/* The types that arithmetic takes. */
static bool is_number(const struct type *type)
{
    return type->kind == TYPE_INTEGER || type->kind == TYPE_SCALAR;
}

/* Also of the empty array, whose items have no type. */
static bool is_array(const struct type *type)
{
    return type->kind == TYPE_ARRAY || type->kind == TYPE_EMPTY_ARRAY;
}

/* Both operands are integers or both are scalars: there is no implicit conversion. */
static const struct type *check_arithmetic(struct checker *c, const struct binary_operands *o)
{
    if (is_number(o->left) && o->left == o->right)
        return o->left;
    operand_error(c, o, "expected numbers of the same type");
    if (is_number(o->left) && is_number(o->right)) {
        bool left = o->left->kind == TYPE_INTEGER;
        const struct expr *integer = left ? o->expr->binary.left : o->expr->binary.right;
        help_cast(c, integer, type_primitive(TYPE_INTEGER), type_primitive(TYPE_SCALAR));
    }
    return poison();
}

/* Arrays are joined, strings too; numbers are added. */
static const struct type *check_sum(struct checker *c, const struct binary_operands *o)
{
    if (is_array(o->left) && is_array(o->right)) {
        const struct type *common = type_common(o->left, o->right);
        if (common)
            return common;
        diag_error(c->diag, o->expr->span, DIAG_NO_COMMON_TYPE,
                   "arrays to be joined are %s and %s, expected a common type", text_of(c, o->left),
                   text_of(c, o->right));
        label_operands(c, o);
        help_cast(c, o->expr->binary.right, o->right, o->left);
        return poison();
    }
    if (o->left->kind == TYPE_STRING && o->left == o->right)
        return o->left;
    if (o->left->kind != TYPE_STRING && o->right->kind != TYPE_STRING)
        return check_arithmetic(c, o);
    operand_error(c, o, "expected two strings");
    diag_help(c->diag, "convert the other operand by 'string(...)'.");
    return poison();
}

static void help_junction(struct checker *c, const struct expr *expr)
{
    diag_help(c->diag, "'in' binds weaker than '%s': put '... in ...' in parentheses.",
              binary_op_text(expr->op));
}

/* Numbers are ordered; equality takes values of one primitive type, which are not converted. */
static const struct type *check_comparison(struct checker *c, const struct binary_operands *o)
{
    bool equality = o->expr->op == BINARY_EQ || o->expr->op == BINARY_NE;

    if (equality && type_is_primitive(o->left) && o->left == o->right)
        return type_primitive(TYPE_LOGICAL);
    if (is_comparison(o->expr->binary.left))
        return chained(c, o->expr);
    if (!equality || (is_number(o->left) && is_number(o->right)))
        check_arithmetic(c, o);
    else
        operand_error(c, o, "expected values of the same primitive type");
    return type_primitive(TYPE_LOGICAL);
}

/* Both operands are logical. */
static const struct type *check_logical(struct checker *c, const struct binary_operands *o)
{
    const struct type *logical = type_primitive(TYPE_LOGICAL);

    if (o->left == logical && o->right == logical)
        return logical;
    operand_error(c, o, "expected logical operands");
    if (is_array(o->left) || is_array(o->right))
        help_junction(c, o->expr);
    return poison();
}

/* 'in' needs an array of items of the type of its left side. */
static const struct type *check_membership(struct checker *c, const struct binary_operands *o)
{
    const struct type *item = is_array(o->right) ? o->right->item : NULL;

    if (!is_array(o->right))
        operand_error(c, o, "expected an array on the right");
    else if (item && (o->left->has_tensor || item->has_tensor))
        operand_error(c, o, "expected values known at compile time");
    else if (item && !type_common(o->left, item)) {
        diag_error(c->diag, o->expr->span, DIAG_NO_COMMON_TYPE,
                   "%s is looked for in %s, expected a common type with its items",
                   text_of(c, o->left), text_of(c, o->right));
        label_operands(c, o);
        help_cast(c, o->expr->binary.left, o->left, item);
    }
    return type_primitive(TYPE_LOGICAL);
}

/* Operators on data of compile time; one case for each operator. */
static const struct type *check_values(struct checker *c, const struct binary_operands *o)
{
    switch ((enum binary_op)o->expr->op) {
    case BINARY_ADD:
        return check_sum(c, o);
    case BINARY_MUL: {
        bool repeats = is_array(o->left) || o->left->kind == TYPE_STRING;
        bool reversed = is_array(o->right) || o->right->kind == TYPE_STRING;

        if (repeats && o->right->kind == TYPE_INTEGER)
            return o->left;
        if (!repeats && !reversed)
            return check_arithmetic(c, o);
        operand_error(c, o, "expected an integer on the right of what is repeated");
        if (!repeats && o->left->kind == TYPE_INTEGER)
            diag_help(c->diag, "write what is repeated first: '[1] * 2'.");
        return poison();
    }
    case BINARY_SUB:
    case BINARY_DIV:
    case BINARY_POW:
        return check_arithmetic(c, o);
    case BINARY_LT:
    case BINARY_LE:
    case BINARY_GT:
    case BINARY_GE:
    case BINARY_EQ:
    case BINARY_NE:
        return check_comparison(c, o);
    case BINARY_AND:
    case BINARY_OR:
        return check_logical(c, o);
    case BINARY_IN:
        return check_membership(c, o);
    }
    return poison();
}

/* --- both ------------------------------------------------------------------------------- */

/* '&&' or '||' without parentheses around it. */
static bool is_bare_junction(const struct expr *expr)
{
    return expr->kind == EXPR_BINARY && !expr->parenthesized &&
           (expr->op == BINARY_AND || expr->op == BINARY_OR);
}

const struct type *check_binary(struct checker *c, struct expr *expr)
{
    struct binary_operands o = {.expr = expr};
    const struct expr *left = expr->binary.left, *right = expr->binary.right;
    int errors = diag_error_count(c->diag);

    assert(expr->kind == EXPR_BINARY && expr->op <= BINARY_IN);
    o.left = check_expr(c, expr->binary.left);
    /*
     * 'a && i in items && b' is 'in' of two junctions: one fault, and no need to look at the
     * second.
     */
    if (expr->op == BINARY_IN && is_bare_junction(left) && is_bare_junction(right) &&
        diag_error_count(c->diag) == errors + 1 &&
        diag_at(c->diag, diag_count(c->diag) - 1).code == DIAG_OPERAND_TYPE) {
        help_junction(c, left);
        return poison();
    }
    o.right = check_expr(c, expr->binary.right);
    if (is_poison(o.left) || is_poison(o.right))
        return poison();
    expr->slot = o.left->kind == TYPE_TENSOR || o.right->kind == TYPE_TENSOR;
    if (!expr->slot)
        return check_values(c, &o);
    /* On tensors it is typed as the invocation of its standard operation. */
    if (expr->op == BINARY_IN)
        return operand_error(c, &o, "expected values known at compile time");
    if (is_comparison(expr) && is_comparison(left))
        return chained(c, expr);
    const struct signature *s = library_binary(c->library, expr->op);
    const char *op = binary_op_text(expr->op);
    assert(s && s->nparam == 2);
    bool ok = fits_operand(c, left, o.left, &s->params[0], op);
    ok &= fits_operand(c, right, o.right, &s->params[1], op);
    return ok ? s->results[0].type : poison();
}

/* A sign keeps the type of its operand, 'not' is logical. */
const struct type *check_unary(struct checker *c, struct expr *expr)
{
    const struct type *type = check_expr(c, expr->unary.operand);
    bool logical = expr->op == UNARY_NOT;

    assert(expr->kind == EXPR_UNARY && expr->op <= UNARY_NOT);
    if (is_poison(type))
        return type;
    if (type->kind == TYPE_TENSOR) {
        const struct signature *s = library_unary(c->library, expr->op);
        if (!fits_operand(c, expr->unary.operand, type, &s->params[0], unary_op_text(expr->op)))
            return poison();
        return s->generic ? type : s->results[0].type;
    }
    if (logical ? type->kind == TYPE_LOGICAL : is_number(type))
        return type;
    diag_error(c->diag, expr->unary.operand->span, DIAG_OPERAND_TYPE,
               "operand of '%s' is %s, expected %s", unary_op_text(expr->op), text_of(c, type),
               logical ? "logical" : "a number");
    label_type(c, expr->unary.operand, type);
    return poison();
}
