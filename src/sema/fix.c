/*
 * fix.c - changes that mend a fault for sure
 *
 * A change is offered only where the text has one meaning that its author can have had: a number
 * written as one of the other type, a list in the other kind of brackets, a line that is missing.
 */
#include "sema/report_priv.h"

#include "base/num.h"
#include "base/text.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* --- numbers and lists --------------------------------------------------------------------- */

/* Integers up to here are scalars of the same value. */
#define LARGEST_EXACT ((int64_t)1 << 53)

/* Whether a literal has the same value in the other numeric type, which is put in `text`. */
static bool converted(const struct expr *expr, const struct type *to, struct text *text)
{
    bool scalar = to->kind == TYPE_SCALAR && expr->kind == EXPR_INTEGER;
    bool integer = to->kind == TYPE_INTEGER && expr->kind == EXPR_SCALAR;
    int64_t whole = expr->kind == EXPR_INTEGER ? expr->integer : 0;

    if (integer && (!num_truncate(expr->scalar, &whole) || (double)whole < expr->scalar ||
                    (double)whole > expr->scalar))
        return false;
    if ((scalar || integer) && (whole >= -LARGEST_EXACT && whole <= LARGEST_EXACT)) {
        text_add(text, "%" PRId64 "%s", whole, scalar ? ".0" : "");
        return true;
    }
    if (to->kind != TYPE_LOGICAL || expr->kind != EXPR_INTEGER || (uint64_t)expr->integer > 1)
        return false;
    text_add(text, "%s", expr->integer ? "true" : "false");
    return true;
}

/* Whether each number in a list can be converted or need not; if `apply`, the changes are made. */
static bool convert(struct checker *c, const struct expr *expr, const struct type *to, bool apply)
{
    struct text text = {0};
    bool ok = true;

    if (expr->kind == EXPR_ARRAY && to->kind == TYPE_ARRAY) {
        for (const struct expr *item = expr->items.first; item && ok; item = item->next)
            ok = convert(c, item, to->item, apply);
        return ok;
    }
    if (to->kind == TYPE_TENSOR && to->item)
        to = to->item;
    ok = (expr->kind == EXPR_INTEGER && to->kind == TYPE_INTEGER) ||
         (expr->kind == EXPR_SCALAR && to->kind == TYPE_SCALAR) || converted(expr, to, &text);
    if (apply && text.size)
        diag_fix(c->diag, expr->span, text.data);
    text_free(&text);
    return ok;
}

/* Replace the brackets around a list. */
static void fix_brackets(struct checker *c, const struct expr *list, const char *open,
                         const char *close)
{
    struct span span = list->span;

    diag_fix(c->diag, (struct span){span.begin, span.begin + 1}, open);
    diag_fix(c->diag, (struct span){span.end - 1, span.end}, close);
}

/* Arrays for tuples: "[[0, 1]]" of type (integer, integer)[]. */
static bool are_arrays_for_tuples(const struct expr *list, const struct type *to)
{
    const struct type *tuple = to->kind == TYPE_ARRAY ? to->item : NULL;
    bool ok = tuple && tuple->kind == TYPE_TUPLE && list->kind == EXPR_ARRAY;

    for (const struct expr *e = ok ? list->items.first : NULL; e && ok; e = e->next)
        ok = e->kind == EXPR_ARRAY && e->items.count == tuple->count && !e->parenthesized;
    return ok;
}

/* Help for the report made last, that `expr` is of the type `from` and not `to`. */
void fix_cast(struct checker *c, const struct expr *expr, const struct type *from,
              const struct type *to)
{
    bool tuple = expr->kind == EXPR_TUPLE && from->kind == TYPE_TUPLE && !expr->parenthesized;

    help_cast(c, expr, from, to);
    if (tuple && to->kind == TYPE_ARRAY) {
        bool alike = true;
        for (int i = 0; i < from->count; i++)
            alike &= fits(c, from->items[i], to->item);
        if (alike)
            fix_brackets(c, expr, "[", "]");
    } else if (are_arrays_for_tuples(expr, to)) {
        diag_help(c->diag, "write tuples: '(...)' instead of '[...]'.");
        for (const struct expr *e = expr->items.first; e; e = e->next)
            fix_brackets(c, e, "(", ")");
    } else if (convert(c, expr, to, false)) {
        convert(c, expr, to, true);
    }
}

/* --- extensions ---------------------------------------------------------------------------- */

/* A line behind that of the version, or a statement behind it if more stands on its line. */
void fix_extension(struct checker *c, const char *extension)
{
    struct span version = c->document->version;
    struct location where;

    if (!version.end || !sources_locate(c->context->sources, version.end, &where))
        return;
    size_t at = (size_t)where.column - 1, begin = at;
    while (at < where.size && where.text[at] == ' ')
        at++;
    if (at == where.size || where.text[at] != ';')
        return;
    size_t next = ++at;
    while (next < where.size && strchr(" \t\r", where.text[next]))
        next++;
    bool alone = next == where.size || where.text[next] == '#';
    uint32_t place = version.end + (uint32_t)((alone ? where.size : at) - begin);
    /* The new line ends as the one before does; if that ends with nothing, as most lines do. */
    const char *end = where.text + where.size;
    const char *separator = *end != '\r' ? "\n" : end[1] == '\n' ? "\r\n" : "\r";
    diag_fix(c->diag, (struct span){place, place},
             text_format(c->arena, "%sextension %s;", alone ? separator : " ", extension));
}

/* --- arguments ----------------------------------------------------------------------------- */

/* Put the name of its parameter before a value. */
void fix_name(struct checker *c, struct span at, const char *name)
{
    assert(name && at.begin <= at.end);
    diag_fix(c->diag, (struct span){at.begin, at.begin}, text_format(c->arena, "%s = ", name));
}

/* Tensors given by name, but first and in the order of their parameters, need no names. */
void fix_named_tensors(struct checker *c, const struct expr *call, const struct signature *s)
{
    int position = 0;

    assert(call->kind == EXPR_CALL);
    for (const struct expr *arg = call->call.args; arg && position < s->nparam; arg = arg->next) {
        const struct sig_param *param = &s->params[position++];
        if (!param->type->has_tensor)
            return;
        if (arg->kind != EXPR_NAMED)
            continue;
        if (arg->named.name != param->name)
            return;
        diag_fix(c->diag, (struct span){arg->span.begin, arg->named.value->span.begin}, "");
    }
}
