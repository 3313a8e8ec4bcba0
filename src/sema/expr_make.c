/* expr_make.c - expressions that no text was read for */
#include "sema/sema.h"

#include "base/arena.h"

#include <assert.h>

struct expr *expr_new(struct arena *arena, enum expr_kind kind)
{
    struct expr *expr = arena_new_of(arena, struct expr);

    expr->kind = (unsigned)kind & 0x7F;
    return expr;
}

struct expr *expr_named(struct arena *arena, const char *name, struct expr *value)
{
    struct expr *expr = expr_new(arena, EXPR_NAMED);

    expr->named.name = name;
    expr->named.value = value;
    return expr;
}

/* Items of arrays and tuples are made likewise. */
struct expr *expr_literal(struct arena *arena, const struct datum *datum)
{
    static const enum expr_kind kind[] = {
        [DATUM_INTEGER] = EXPR_INTEGER, [DATUM_SCALAR] = EXPR_SCALAR,
        [DATUM_LOGICAL] = EXPR_LOGICAL, [DATUM_STRING] = EXPR_STRING,
        [DATUM_ARRAY] = EXPR_ARRAY,     [DATUM_TUPLE] = EXPR_TUPLE,
    };

    assert(datum->kind != DATUM_NONE && datum->kind != DATUM_TENSOR);
    if (datum->kind == DATUM_ARRAY || datum->kind == DATUM_TUPLE) {
        struct expr *list = expr_new(arena, datum->kind == DATUM_ARRAY ? EXPR_ARRAY : EXPR_TUPLE);
        struct expr **end = &list->items.first;
        for (int i = 0; i < datum->count; i++, end = &(*end)->next)
            *end = expr_literal(arena, &datum->items[i]);
        list->items.count = datum->count;
        return list;
    }
    struct expr *expr = expr_new(arena, kind[datum->kind]);
    if (datum->kind == DATUM_SCALAR)
        expr->scalar = datum->scalar;
    else if (datum->kind == DATUM_LOGICAL)
        expr->logical = datum->logical;
    else if (datum->kind == DATUM_STRING)
        expr->string = datum->string;
    else
        expr->integer = datum->integer;
    return expr;
}
