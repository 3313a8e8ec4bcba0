/*
 * literal.c - literal expressions: default values of parameters (NNEF 1.0.5, section 3.2.2), and
 *             arguments outside any document
 *
 * A literal has a value, which is a datum in the arena, and a type; an array of mixed items has
 * the one to which all of them can be cast.
 */
#include "sema/report_priv.h"

#include "base/arena.h"

/* The type of an array of `count` items; NULL if they have no common type. */
static const struct type *array_of(struct checker *c, const struct type *const *items, int count)
{
    if (count == 0)
        return type_primitive(TYPE_EMPTY_ARRAY);
    const struct type *common = items[0];
    for (int i = 1; i < count && common; i++)
        common = type_common(common, items[i]);
    return common ? type_array(c->types, common) : NULL;
}

/* All items are evaluated, so that each fault is reported. */
static const struct type *evaluate_list(struct checker *c, const struct expr *expr,
                                        struct datum *to)
{
    int count = expr->items.count, i = 0;
    const struct type **types = arena_array_of(c->arena, const struct type *, count);
    struct datum *items = arena_array_of(c->arena, struct datum, count);
    bool array = expr->kind == EXPR_ARRAY, ok = true;

    assert(array || expr->kind == EXPR_TUPLE);
    *to = (struct datum){.kind = array ? DATUM_ARRAY : DATUM_TUPLE, .count = count, .items = items};
    for (const struct expr *e = expr->items.first; e; e = e->next, i++) {
        types[i] = literal_evaluate(c, e, &items[i]);
        ok &= types[i] != NULL;
    }
    if (!ok)
        return NULL;
    if (!array)
        return limited(c, type_tuple(c->types, types, count), expr->span);
    const struct type *type = array_of(c, types, count);
    if (type)
        return limited(c, type, expr->span);
    diag_error(c->diag, expr->span, DIAG_NO_COMMON_TYPE, "items of the array have no common type");
    return NULL;
}

/* Signs are part of literals here, though they are operators of the grammar; one at most. */
const struct type *literal_evaluate(struct checker *c, const struct expr *expr, struct datum *to)
{
    bool is_signed = expr->kind == EXPR_UNARY, minus = is_signed && expr->op == UNARY_MINUS;
    const struct expr *value = is_signed ? expr->unary.operand : expr;

    if (value->kind == EXPR_SCALAR)
        *to =
            (struct datum){.kind = DATUM_SCALAR, .scalar = minus ? -value->scalar : value->scalar};
    else if (value->kind == EXPR_INTEGER && (!is_signed || value->integer >= 0))
        *to = (struct datum){.kind = DATUM_INTEGER,
                             .integer = minus ? -value->integer : value->integer};
    else if (value->kind == EXPR_LOGICAL && !is_signed)
        *to = (struct datum){.kind = DATUM_LOGICAL, .logical = value->logical};
    else if (value->kind == EXPR_STRING && !is_signed)
        *to = (struct datum){.kind = DATUM_STRING, .string = value->string};
    else if ((value->kind == EXPR_ARRAY || value->kind == EXPR_TUPLE) && !is_signed)
        return evaluate_list(c, value, to);
    else {
        diag_error(c->diag, expr->span, DIAG_DEFAULT_NOT_LITERAL,
                   "value is not a literal, expected numbers, strings, logical values or arrays "
                   "and tuples of them");
        return NULL;
    }
    return literal_type(c, to);
}

/* The type that a default value has by itself, whatever its parameter is. */
const struct type *literal_type(struct checker *c, const struct datum *datum)
{
    switch (datum->kind) {
    case DATUM_INTEGER:
        return type_primitive(TYPE_INTEGER);
    case DATUM_SCALAR:
        return type_primitive(TYPE_SCALAR);
    case DATUM_LOGICAL:
        return type_primitive(TYPE_LOGICAL);
    case DATUM_STRING:
        return type_primitive(TYPE_STRING);
    case DATUM_ARRAY:
    case DATUM_TUPLE: {
        const struct type **items = arena_array_of(c->arena, const struct type *, datum->count);
        for (int i = 0; i < datum->count; i++)
            items[i] = literal_type(c, &datum->items[i]);
        return datum->kind == DATUM_TUPLE ? type_tuple(c->types, items, datum->count)
                                          : array_of(c, items, datum->count);
    }
    case DATUM_NONE:
    case DATUM_TENSOR:
        break;
    }
    return poison();
}

bool sema_argument(struct context *context, const struct library *library,
                   const struct sig_param *param, const struct expr *value, struct datum *to)
{
    static const struct document nothing = {.dialect = DIALECT_1_0};
    struct checker c;

    checker_begin(&c, context, &nothing);
    c.library = library;
    c.types = library->types;
    const struct type *found = literal_evaluate(&c, value, to);
    const bool ok = found && fits(&c, found, param->type);
    if (found && !ok)
        diag_error(c.diag, value->span, DIAG_TYPE_MISMATCH, "'%s' is %s, expected %s", param->name,
                   text_of(&c, found), text_of(&c, param->type));
    checker_end(&c);
    return ok;
}
