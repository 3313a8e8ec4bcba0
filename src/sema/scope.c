/* scope.c - the identifiers of one body (NNEF 1.0.5, section 3.3.2, identifier usage) */
#include "sema/sema_priv.h"

#include "base/arena.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 32 };

uint32_t scope_place(const struct checker *c, const char *name)
{
    return (uint32_t)(uintptr_t)map_get(&c->scope, name);
}

struct symbol *scope_find(struct checker *c, const char *name)
{
    uint32_t place = scope_place(c, name);

    return place ? &c->symbol[place - 1] : NULL;
}

static void grow(struct checker *c)
{
    uint32_t capacity = c->symbol_capacity ? c->symbol_capacity * 2 : FIRST_CAPACITY;
    struct symbol *symbol = realloc(c->symbol, capacity * sizeof *symbol);

    if (!symbol)
        arena_out_of_memory();
    c->symbol = symbol;
    c->symbol_capacity = capacity;
}

struct symbol *scope_add(struct checker *c, const char *name, struct span span,
                         enum symbol_kind kind)
{
    if (c->symbol_count == c->symbol_capacity)
        grow(c);
    struct symbol *symbol = &c->symbol[c->symbol_count++];
    *symbol = (struct symbol){.name = name, .span = span, .kind = (uint8_t)kind};
    map_set(&c->scope, name, (void *)(uintptr_t)c->symbol_count);
    return symbol;
}

uint32_t scope_slot(const struct checker *c, const struct symbol *symbol)
{
    return (uint32_t)(symbol - c->symbol);
}

void scope_restore(struct checker *c, const char *name, uint32_t place)
{
    map_set(&c->scope, name, (void *)(uintptr_t)place);
}

void scope_clear(struct checker *c)
{
    map_free(&c->scope);
    c->symbol_count = 0;
}

bool symbol_visible(const struct symbol *symbol)
{
    return symbol && symbol->kind != SYMBOL_UNKNOWN;
}

/* Where in the body `name` is assigned; NULL if nowhere. */
static const struct expr *find_target(const struct expr *target, const char *name)
{
    if (target->kind == EXPR_NAME)
        return target->name == name ? target : NULL;
    for (const struct expr *item = target->items.first; item; item = item->next) {
        const struct expr *found = find_target(item, name);
        if (found)
            return found;
    }
    return NULL;
}

static const struct expr *find_assignment(const struct stmt_list *body, const char *name)
{
    for (const struct stmt *stmt = body->first; stmt; stmt = stmt->next) {
        const struct expr *found = find_target(stmt->target, name);
        if (found)
            return found;
    }
    return NULL;
}

/* Later uses of the same name find the symbol made here and stay silent. */
void report_unknown_name(struct checker *c, const struct expr *name)
{
    const struct expr *later = c->body ? find_assignment(c->body, name->name) : NULL;
    struct symbol *symbol = scope_find(c, name->name);

    if (!symbol)
        scope_add(c, name->name, name->span, SYMBOL_UNKNOWN)->type = poison();
    /* What is declared and never assigned is reported at the end of the body. */
    if (c->partial || (symbol && !later))
        return;
    if (later) {
        diag_error(c->diag, name->span, DIAG_UNKNOWN_IDENTIFIER,
                   "'%s' is used before it is assigned", name->name);
        diag_note(c->diag, later->span, "assigned here");
        return;
    }
    diag_error(c->diag, name->span, DIAG_UNKNOWN_IDENTIFIER,
               "unknown identifier '%s', expected one assigned before", name->name);
    help_identifier(c, name->name);
}
