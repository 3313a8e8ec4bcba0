/* check_body.c - assignments, and the bodies of fragments (NNEF 1.0.5, sections 3.3.2 and 3.3.3) */
#include "sema/report_priv.h"

#include <assert.h>

static void assign(struct checker *c, struct expr *target, const struct type *type);

static void assign_result(struct checker *c, struct symbol *symbol, const struct expr *target,
                          const struct type *type)
{
    struct span declared = symbol->span;

    symbol->assigned = true;
    symbol->span = target->span;
    if (fits(c, type, symbol->type))
        return;
    diag_error(c->diag, target->span, DIAG_TYPE_MISMATCH, "result '%s' is assigned %s, expected %s",
               target->name, text_of(c, type), text_of(c, symbol->type));
    label_type(c, c->direct, type);
    diag_label(c->diag, declared, "declared %s here", text_of(c, symbol->type));
    help_cast(c, c->direct, type, symbol->type);
}

/* A name that is not declared becomes a local by its first assignment. */
static void assign_name(struct checker *c, struct expr *target, const struct type *type)
{
    struct symbol *symbol = scope_find(c, target->name);

    if (symbol_visible(symbol)) {
        if (symbol->assigned && symbol->kind == SYMBOL_PARAM && c->signature) {
            diag_error(c->diag, target->span, DIAG_PARAMETER_ASSIGNED,
                       "parameter '%s' of fragment '%s' is assigned", target->name,
                       c->signature->name);
            diag_label(c->diag, symbol->span, "declared as a parameter here");
        } else if (symbol->assigned) {
            diag_error(c->diag, target->span, DIAG_REASSIGNED, "'%s' is assigned a second time",
                       target->name);
            diag_label(c->diag, target->span, "assigned again");
            diag_label(c->diag, symbol->span, "first assigned here");
        } else if (c->signature) {
            assign_result(c, symbol, target, type);
        } else {
            graph_assign(c, symbol, target, type);
        }
    } else {
        symbol = scope_add(c, target->name, target->span, SYMBOL_LOCAL);
        symbol->type = type;
        symbol->assigned = true;
        if (!c->signature)
            graph_assign(c, symbol, target, type);
    }
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

static void wrong_count(struct checker *c, struct expr *target, int found)
{
    diag_error(c->diag, target->span, DIAG_UNPACK_COUNT,
               "%d identifier%s assigned %d item%s, expected as many identifiers",
               target->items.count, target->items.count == 1 ? " is" : "s are", found,
               found == 1 ? "" : "s");
    diag_label(c->diag, c->direct->span, "%d item%s here", found, found == 1 ? "" : "s");
    assign_poison(c, target);
}

static void assign_array(struct checker *c, struct expr *target, const struct type *type)
{
    if (type->kind == TYPE_EMPTY_ARRAY && target->items.count) {
        wrong_count(c, target, 0);
        return;
    }
    for (struct expr *item = target->items.first; item; item = item->next)
        assign(c, item, type->item);
}

static void assign_tuple(struct checker *c, struct expr *target, const struct type *type)
{
    int i = 0;

    for (struct expr *item = target->items.first; item; item = item->next)
        assign(c, item, type->items[i++]);
}

/* What `target` is assigned: poison stands for anything and has no items. */
static void assign(struct checker *c, struct expr *target, const struct type *type)
{
    bool array = type->kind == TYPE_ARRAY || type->kind == TYPE_EMPTY_ARRAY;

    if (target->kind == EXPR_NAME)
        assign_name(c, target, type);
    else if (target->kind == EXPR_ARRAY && array)
        assign_array(c, target, type);
    else if (target->kind != EXPR_TUPLE || type->kind != TYPE_TUPLE)
        wrong_structure(c, target, type);
    else if (type->count != target->items.count)
        wrong_count(c, target, type->count);
    else
        assign_tuple(c, target, type);
}

/* Nobody knows how many tensors a primitive gives before shapes are inferred (R075). */
static bool length_known(struct checker *c, const struct stmt *stmt, const struct type *type)
{
    const struct expr *value = stmt->value;
    const struct signature *s = value->kind == EXPR_CALL ? value->call.signature : NULL;

    if (!s || s->fragment->has_body || stmt->target->kind != EXPR_NAME ||
        type->kind != TYPE_ARRAY || c->dialect == DIALECT_PROVISIONAL || !c->signature)
        return true;
    diag_error(c->diag, stmt->target->span, DIAG_ARRAY_LENGTH_UNKNOWN,
               "'%s' is assigned the array that '%s' gives, whose length is not known",
               stmt->target->name, s->name);
    diag_help(c->diag, "unpack it: write '[a, b] = %s(...)'.", s->name);
    return false;
}

/* The value is checked before its target, which may not occur in it. */
static void check_statement(struct checker *c, struct stmt *stmt)
{
    int before = diag_error_count(c->diag) - c->forgiven;

    c->direct = stmt->value;
    c->misplaced = false;
    c->faulty = stmt->faulty;
    c->poisoned = false;
    level_statement(c, stmt);
    const struct type *type = check_value(c, stmt->value);
    if (!length_known(c, stmt, type))
        type = poison();
    /* The length of the right side if the text alone tells it, else -1. */
    int length = stmt->value->kind == EXPR_ARRAY ? stmt->value->items.count : -1;
    if (stmt->target->kind == EXPR_ARRAY && length >= 0 && length != stmt->target->items.count)
        wrong_count(c, stmt->target, length);
    else
        assign(c, stmt->target, type);
    if (stmt->target->kind == EXPR_NAME)
        note_variable(c, scope_at(c, stmt->target->slot), stmt->value);
    stmt->faulty |= c->poisoned || diag_error_count(c->diag) - c->forgiven > before;
}

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
