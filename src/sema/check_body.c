/*
 * check_body.c - assignments, and the bodies of fragments (NNEF 1.0.5, sections 3.3.2 and 3.3.3)
 *
 * Each identifier is assigned once.  A left side may be an array or tuple of identifiers, which
 * unpacks a value of the same structure.
 */
#include "sema/report_priv.h"

#include <assert.h>

static void assign(struct checker *c, struct expr *target, const struct type *type);

/* A name that is not declared becomes a local by its first assignment.  The results of a fragment
 * are declared with their types; those of the graph get theirs now. */
static void assign_name(struct checker *c, struct expr *target, const struct type *type)
{
    struct symbol *symbol = scope_find(c, target->name);
    bool declared = symbol_visible(symbol);

    assert(target->kind == EXPR_NAME);
    if (!declared) {
        symbol = scope_add(c, target->name, target->span, SYMBOL_LOCAL);
        symbol->type = type;
        symbol->assigned = true;
    } else if (symbol->assigned && symbol->kind == SYMBOL_PARAM && c->signature) {
        diag_error(c->diag, target->span, DIAG_PARAMETER_ASSIGNED,
                   "parameter '%s' of fragment '%s' is assigned", target->name, c->signature->name);
        diag_label(c->diag, symbol->span, "declared as a parameter here");
    } else if (symbol->assigned) {
        diag_error(c->diag, target->span, DIAG_REASSIGNED, "'%s' is assigned a second time",
                   target->name);
        diag_label(c->diag, target->span, "assigned again");
        diag_label(c->diag, symbol->span, "first assigned here");
    } else if (c->signature) {
        struct span span = symbol->span;
        symbol->assigned = true;
        symbol->span = target->span;
        if (!fits(c, type, symbol->type)) {
            diag_error(c->diag, target->span, DIAG_TYPE_MISMATCH,
                       "result '%s' is assigned %s, expected %s", target->name, text_of(c, type),
                       text_of(c, symbol->type));
            label_type(c, c->direct, type);
            diag_label(c->diag, span, "declared %s here", text_of(c, symbol->type));
            help_cast(c, c->direct, type, symbol->type);
        }
    }
    if (!c->signature && (!declared || !symbol->assigned))
        graph_assign(c, symbol, target, type);
    target->slot = symbol->slot;
}

/* All names of a left side that does not match: silence what depends on them. */
static void assign_poison(struct checker *c, struct expr *target)
{
    for (struct expr *item = target->items.first; item; item = item->next)
        assign(c, item, poison());
}

/* The shape of the target does not fit that of the value. */
static void wrong_structure(struct checker *c, struct expr *target, const struct type *type)
{
    bool array = target->kind == EXPR_ARRAY;
    bool lists = type->kind == TYPE_TUPLE || type->kind == TYPE_ARRAY || array;

    if (!is_poison(type) && lists)
        diag_error(c->diag, target->span, DIAG_UNPACK_KIND,
                   "%s of identifiers is assigned %s, expected %s", array ? "array" : "tuple",
                   text_of(c, type), array ? "an array" : "a tuple");
    else if (!is_poison(type))
        diag_error(c->diag, target->span, DIAG_UNPACK_COUNT,
                   "%d identifiers are assigned one %s, expected one identifier",
                   target->items.count, text_of(c, type));
    if (type->kind == TYPE_TUPLE && array)
        diag_help(c->diag, "several results are unpacked by a tuple: write '(a, b) = ...'.");
    if (type->kind == TYPE_ARRAY && !array)
        diag_help(c->diag, "an array is unpacked by an array: write '[a, b] = ...'.");
    assign_poison(c, target);
}

/* An array or tuple has more or fewer items than identifiers. */
static void wrong_count(struct checker *c, struct expr *target, int found)
{
    diag_error(c->diag, target->span, DIAG_UNPACK_COUNT,
               "%d identifier%s assigned %d item%s, expected as many identifiers",
               target->items.count, target->items.count == 1 ? " is" : "s are", found,
               found == 1 ? "" : "s");
    diag_label(c->diag, c->direct->span, "%d item%s here", found, found == 1 ? "" : "s");
    assign_poison(c, target);
}

/* Assign a value of that type: poison stands for anything and has no items. */
static void assign(struct checker *c, struct expr *target, const struct type *type)
{
    bool array = type->kind == TYPE_ARRAY || type->kind == TYPE_EMPTY_ARRAY;
    bool arrays = target->kind == EXPR_ARRAY && array;
    int i = 0;

    if (target->kind == EXPR_NAME)
        assign_name(c, target, type);
    else if (!arrays && (target->kind != EXPR_TUPLE || type->kind != TYPE_TUPLE))
        wrong_structure(c, target, type);
    else if (arrays && type->kind == TYPE_EMPTY_ARRAY && target->items.count)
        wrong_count(c, target, 0);
    else if (!arrays && type->count != target->items.count)
        wrong_count(c, target, type->count);
    else
        for (struct expr *item = target->items.first; item; item = item->next)
            assign(c, item, arrays ? type->item : type->items[i++]);
}

/* The right side is checked before the target, which may not occur in it. */
static void check_statement(struct checker *c, struct stmt *stmt)
{
    int before = diag_error_count(c->diag) - c->forgiven;
    const struct expr *value = stmt->value;
    struct expr *target = stmt->target;

    c->direct = value;
    c->misplaced = false;
    c->faulty = stmt->faulty;
    c->poisoned = false;
    level_statement(c, stmt);
    const struct type *type = check_value(c, stmt->value);
    /* Nobody knows how many tensors a primitive gives before shapes are inferred (R075). */
    const struct signature *s = value->kind == EXPR_CALL ? value->call.signature : NULL;
    if (s && !s->fragment->has_body && target->kind == EXPR_NAME && type->kind == TYPE_ARRAY &&
        c->dialect == DIALECT_1_0 && c->signature) {
        diag_error(c->diag, target->span, DIAG_ARRAY_LENGTH_UNKNOWN,
                   "'%s' is assigned the array that '%s' gives, whose length is not known",
                   target->name, s->name);
        diag_help(c->diag, "unpack it: write '[a, b] = %s(...)'.", s->name);
        type = poison();
    }
    /* The length of the right side if the text alone tells it, else -1. */
    int length = value->kind == EXPR_ARRAY ? value->items.count : -1;
    if (target->kind == EXPR_ARRAY && length >= 0 && length != target->items.count)
        wrong_count(c, target, length);
    else
        assign(c, target, type);
    if (target->kind == EXPR_NAME)
        note_variable(c, scope_at(c, target->slot), value);
    stmt->faulty |= c->poisoned || diag_error_count(c->diag) - c->forgiven > before;
}

/* The search ends at the limit of errors. */
void check_body(struct checker *c, const struct stmt_list *body)
{
    c->body = body;
    for (struct stmt *stmt = body->first; stmt && !diag_full(c->diag); stmt = stmt->next)
        check_statement(c, stmt);
}

/* Each result must be assigned once, unless text of the body was skipped. */
void check_fragment(struct checker *c, struct signature *signature)
{
    assert(!c->signature);
    if (!signature->fragment->has_body || is_poison(signature->type))
        return;
    c->signature = signature;
    c->flat = !c->expressions_enabled;
    for (int i = 0; i < signature->nparam; i++) {
        struct symbol *p =
            scope_add(c, signature->params[i].name, signature->params[i].span, SYMBOL_PARAM);
        p->type = signature->params[i].type;
        p->assigned = true;
        p->variable = c->dialect == DIALECT_PROVISIONAL;
    }
    for (int i = 0; i < signature->nresult; i++) {
        struct symbol *r =
            scope_add(c, signature->results[i].name, signature->results[i].span, SYMBOL_RESULT);
        r->type = signature->results[i].type;
    }
    check_body(c, &signature->fragment->body);
    bool holed = signature->fragment->holed || c->document->cut;

    for (int i = 0; i < signature->nresult && !holed && !diag_full(c->diag); i++) {
        if (scope_find(c, signature->results[i].name)->assigned)
            continue;
        diag_error(c->diag, signature->results[i].span, DIAG_RESULT_NOT_ASSIGNED,
                   "result '%s' of fragment '%s' is never assigned", signature->results[i].name,
                   signature->name);
        help_unused(c, signature->results[i].name);
    }
    signature->nslot = c->symbol_count;
    c->signature = NULL;
    scope_clear(c);
}
