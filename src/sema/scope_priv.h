/* scope_priv.h - the identifiers of the body that is checked */
#ifndef NNEFC_SEMA_SCOPE_PRIV_H
#define NNEFC_SEMA_SCOPE_PRIV_H

#include "sema/sema.h"

struct checker;

enum symbol_kind { SYMBOL_UNKNOWN, SYMBOL_PARAM, SYMBOL_RESULT, SYMBOL_LOCAL, SYMBOL_LOOP };

/* An identifier of a body.  UNKNOWN was used without being there, and reported. */
struct symbol {
    const char *name;
    const struct type *type; /* NULL: graph parameter or result before its assignment */
    struct span span;        /* where it was declared or assigned */
    uint32_t slot;
    uint8_t kind;  /* enum symbol_kind */
    bool assigned; /* it has a value now */
    bool used;     /* some expression names it */
    bool variable; /* it is, or in the provisional dialect may be, a variable */
};

/* Names that are hidden (loop variables behind their comprehension) are not found. */
struct symbol *scope_find(const struct checker *c, const char *name);
struct symbol *scope_at(const struct checker *c, uint32_t slot);
struct symbol *scope_add(struct checker *c, const char *name, struct span span,
                         enum symbol_kind kind);

/* What `name` was before a loop variable hid it, or NULL. */
void scope_restore(struct checker *c, const char *name, struct symbol *symbol);
void scope_clear(struct checker *c);

/* False for NULL and UNKNOWN. */
bool symbol_visible(const struct symbol *symbol);

/* Once for each name in a body. */
void report_unknown_name(struct checker *c, const struct expr *name);

#endif
