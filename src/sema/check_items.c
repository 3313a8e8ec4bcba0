/*
 * check_items.c - arrays, tuples, subscripts and comprehensions (NNEF 1.0.5, section 3.3.3)
 *
 * Each check gives the type of its expression, poison after a fault.
 */
#include "sema/report_priv.h"

#include "base/arena.h"

#include <assert.h>
#include <inttypes.h>

/* What has an unknown part is unknown, lest one fault turns up in another shape. */
static const struct type *array_of(struct checker *c, const struct type *item, struct span span)
{
    return is_poison(item) ? item : limited(c, type_array(c->types, item), span);
}

/* Items need one common type; an empty array has a type of its own that casts to any. */
const struct type *check_array(struct checker *c, struct expr *expr)
{
    struct expr *first = expr->items.first;

    assert(expr->kind == EXPR_ARRAY);
    if (!first)
        return type_primitive(TYPE_EMPTY_ARRAY);
    const struct type *common = check_expr(c, first); /* of the items so far */
    for (struct expr *item = first->next; item; item = item->next) {
        const struct type *type = check_expr(c, item);
        const struct type *joint = type == common ? common : type_common(common, type);
        if (!joint) {
            diag_error(c->diag, item->span, DIAG_NO_COMMON_TYPE,
                       "item is %s, expected a common type with the %s before it", text_of(c, type),
                       text_of(c, common));
            label_type(c, item, type);
            label_type(c, first, common);
            help_cast(c, item, type, common);
            joint = poison();
        }
        common = joint;
    }
    return array_of(c, common, expr->span);
}

/* Each item keeps its own type; a tuple with an unknown item is unknown. */
const struct type *check_tuple(struct checker *c, struct expr *expr)
{
    const struct type *few[8], **items = few;
    int i = 0;

    assert(expr->kind == EXPR_TUPLE);
    if (expr->items.count > (int)(sizeof few / sizeof *few))
        items = arena_array_of(c->arena, const struct type *, expr->items.count);
    bool known = true;
    for (struct expr *item = expr->items.first; item; item = item->next) {
        items[i] = check_expr(c, item);
        known &= !is_poison(items[i++]);
    }
    return !known ? poison() : limited(c, type_tuple(c->types, items, i), expr->span);
}

/* Subscripts are integers; NULL is the end of a range that is left out. */
static void check_index(struct checker *c, struct expr *index)
{
    if (!index)
        return;
    const struct type *type = check_expr(c, index);
    if (type->kind == TYPE_INTEGER || is_poison(type))
        return;
    diag_error(c->diag, index->span, DIAG_INDEX_TYPE, "subscript is %s, expected %s",
               text_of(c, type), text_of(c, type_primitive(TYPE_INTEGER)));
    label_type(c, index, type);
    fix_cast(c, index, type, type_primitive(TYPE_INTEGER));
}

static const struct type *not_subscriptable(struct checker *c, const struct expr *expr,
                                            const struct type *type)
{
    diag_error(c->diag, expr->span, DIAG_NOT_SUBSCRIPTABLE,
               "%s has no subscripts, expected an array, a tuple or a string", text_of(c, type));
    label_type(c, expr, type);
    if (type->kind == TYPE_TENSOR)
        diag_help(c->diag, "use 'slice' to take a part of a tensor.");
    return poison();
}

/* Tuples are subscripted by literals only, since their items differ in type. */
const struct type *check_subscript(struct checker *c, struct expr *expr)
{
    const struct type *base = check_expr(c, expr->subscript.base);

    assert(expr->kind == EXPR_SUBSCRIPT);
    if (base->kind == TYPE_TUPLE) {
        check_expr(c, expr->subscript.begin);
        const struct expr *index = expr->subscript.begin;
        if (index->kind != EXPR_INTEGER)
            diag_error(c->diag, index->span, DIAG_TUPLE_INDEX,
                       "subscript of a tuple is no literal, expected 0 to %d", base->count - 1);
        else if (index->integer < 0 || index->integer >= base->count)
            diag_error(c->diag, index->span, DIAG_TUPLE_INDEX,
                       "subscript of a tuple is %" PRId64 ", expected 0 to %d", index->integer,
                       base->count - 1);
        else
            return base->items[index->integer];
        return poison();
    }
    check_index(c, expr->subscript.begin);
    if (base->kind == TYPE_ARRAY)
        return base->item;
    if (base->kind == TYPE_STRING)
        return base;
    if (base->kind == TYPE_EMPTY_ARRAY || is_poison(base))
        return poison();
    return not_subscriptable(c, expr->subscript.base, base);
}

/* The range of an array or string has the type of the whole. */
const struct type *check_range(struct checker *c, struct expr *expr)
{
    const struct type *base = check_expr(c, expr->subscript.base);

    assert(expr->kind == EXPR_RANGE);
    check_index(c, expr->subscript.begin);
    check_index(c, expr->subscript.end);
    if (base->kind == TYPE_ARRAY || base->kind == TYPE_STRING || base->kind == TYPE_EMPTY_ARRAY ||
        is_poison(base))
        return base;
    if (base->kind != TYPE_TUPLE)
        return not_subscriptable(c, expr->subscript.base, base);
    diag_error(c->diag, expr->span, DIAG_TUPLE_INDEX,
               "range of a tuple, expected a single literal from 0 to %d", base->count - 1);
    return poison();
}

/* Loops run over arrays. */
static const struct type *check_iterable(struct checker *c, struct iter *iter)
{
    const struct type *type = check_expr(c, iter->iterable);

    if (type->kind == TYPE_ARRAY)
        return type->item;
    if (type->kind == TYPE_EMPTY_ARRAY || is_poison(type))
        return poison();
    diag_error(c->diag, iter->iterable->span, DIAG_NOT_ITERABLE,
               "'%s' iterates over %s, expected an array", iter->name, text_of(c, type));
    label_type(c, iter->iterable, type);
    if (type->kind == TYPE_INTEGER || type->kind == TYPE_STRING)
        diag_help(c->diag, "iterate over indices by 'range_of(...)'.");
    return poison();
}

/* `first`: the slot of the first loop variable of this comprehension. */
static void enter_loop(struct checker *c, struct iter *iter, uint32_t first,
                       const struct type *type)
{
    const struct symbol *before = scope_find(c, iter->name);

    if (symbol_visible(before)) {
        if (before->slot >= first)
            diag_error(c->diag, iter->span, DIAG_LOOP_REPEATED,
                       "loop variable '%s' is declared twice", iter->name);
        else
            diag_error(c->diag, iter->span, DIAG_LOOP_SHADOWS,
                       "loop variable '%s' hides an identifier of the same name", iter->name);
        diag_label(c->diag, before->span, "'%s' is declared here", before->name);
    }
    struct symbol *symbol = scope_add(c, iter->name, iter->span, SYMBOL_LOOP);
    symbol->type = type;
    symbol->assigned = true;
    iter->slot = symbol->slot;
}

/* Iterables do not see the loop variables, so all are checked before the first is entered. */
const struct type *check_comprehension(struct checker *c, struct expr *expr)
{
    struct comprehension *loop = expr->comprehension;
    const struct type **items = arena_array_of(c->arena, const struct type *, loop->iters.count);
    struct symbol **hidden = arena_array_of(c->arena, struct symbol *, loop->iters.count);
    int i = 0;

    assert(expr->kind == EXPR_COMPREHENSION);
    for (struct iter *iter = loop->iters.first; iter; iter = iter->next)
        items[i++] = check_iterable(c, iter);
    uint32_t first = c->symbol_count;
    i = 0;
    for (struct iter *iter = loop->iters.first; iter; iter = iter->next, i++) {
        hidden[i] = scope_find(c, iter->name);
        enter_loop(c, iter, first, items[i]);
    }
    if (loop->filter)
        check_condition(c, loop->filter, "comprehension");
    const struct type *item = check_expr(c, loop->item);
    i = 0;
    for (struct iter *iter = loop->iters.first; iter; iter = iter->next, i++)
        if (!hidden[i] || hidden[i]->slot < first)
            scope_restore(c, iter->name, hidden[i]);
    return array_of(c, item, expr->span);
}
