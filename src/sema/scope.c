/* scope.c - the identifiers of one body (NNEF 1.0.5, section 3.3.2, identifier usage) */
#include "sema/report_priv.h"

#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>

enum { PAGE_SIZE = 64 };

/* Symbols stay where they are. */
struct symbol_page {
    struct symbol symbol[PAGE_SIZE];
};

/* A symbol that is hidden is not found; one that was UNKNOWN is. */
struct symbol *scope_find(const struct checker *c, const char *name)
{
    return map_get(&c->scope, name);
}

struct symbol *scope_at(const struct checker *c, uint32_t slot)
{
    assert(slot <= c->symbol_count);
    return &c->page[slot / PAGE_SIZE]->symbol[slot % PAGE_SIZE];
}

/* Hides a symbol of the same name, which scope_restore() brings back. */
struct symbol *scope_add(struct checker *c, const char *name, struct span span,
                         enum symbol_kind kind)
{
    assert(name);
    if (c->symbol_count % PAGE_SIZE == 0) {
        int count = (int)(c->symbol_count / PAGE_SIZE);
        c->page = heap_list(c->page, count, sizeof(struct symbol_page *));
        c->page[count] = heap_array(1, sizeof(struct symbol_page));
    }
    struct symbol *symbol = scope_at(c, c->symbol_count);
    *symbol = (struct symbol){
        .name = name, .span = span, .slot = c->symbol_count++, .kind = (uint8_t)kind};
    map_set(&c->scope, name, symbol);
    return symbol;
}

/* NULL if there was none. */
void scope_restore(struct checker *c, const char *name, struct symbol *symbol)
{
    map_set(&c->scope, name, symbol);
}

void scope_clear(struct checker *c)
{
    for (uint32_t slot = 0; slot < c->symbol_count; slot += PAGE_SIZE)
        free(c->page[slot / PAGE_SIZE]);
    free(c->page);
    c->page = NULL;
    c->symbol_count = 0;
    map_free(&c->scope);
    map_free(&c->targets);
}

bool symbol_visible(const struct symbol *symbol)
{
    return symbol && symbol->kind != SYMBOL_UNKNOWN;
}

/* Enters what a left side assigns, unless an earlier one does. */
static void add_targets(struct checker *c, const struct expr *target)
{
    assert(target->kind == EXPR_NAME || target->kind == EXPR_ARRAY || target->kind == EXPR_TUPLE);
    if (target->kind == EXPR_NAME) {
        if (!map_get(&c->targets, target->name))
            map_set(&c->targets, target->name, target);
        return;
    }
    for (const struct expr *item = target->items.first; item; item = item->next)
        add_targets(c, item);
}

/* Later uses of the same name find the symbol made here and stay silent. */
void report_unknown_name(struct checker *c, const struct expr *name)
{
    const struct symbol *declared = scope_find(c, name->name);

    if (!declared)
        scope_add(c, name->name, name->span, SYMBOL_UNKNOWN)->type = poison();
    if (is_skipped(c, name->name))
        return;
    if (!c->targets.count)
        for (const struct stmt *stmt = c->body->first; stmt; stmt = stmt->next)
            add_targets(c, stmt->target);
    const struct expr *later = map_get(&c->targets, name->name);
    if (later) {
        diag_error(c->diag, name->span, DIAG_UNKNOWN_IDENTIFIER,
                   "'%s' is used before it is assigned", name->name);
        diag_label(c->diag, later->span, "assigned here");
    } else if (!declared) {
        diag_error(c->diag, name->span, DIAG_UNKNOWN_IDENTIFIER,
                   "unknown identifier '%s', expected one assigned before", name->name);
        help_identifier(c, name->name, name->span);
    } /* else it is never assigned, which is reported at the end of the body */
}
