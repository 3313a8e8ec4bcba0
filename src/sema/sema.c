/* sema.c - the whole document (NNEF 1.0.5, section 3.3) */
#include "sema/sema_priv.h"

#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>

/* Library, types and options are the caller's to set. */
void checker_begin(struct checker *c, struct context *context, const struct document *document)
{
    assert(document);
    *c = (struct checker){.context = context,
                          .arena = context->arena,
                          .diag = context->diag,
                          .document = document,
                          .dialect = document->dialect};
    c->signatures = arena_array_of(c->arena, struct signature *, document->fragments.count);
    c->partial = document->partial;
    c->errors = diag_error_count(c->diag);
    for (struct skipped_name *skipped = document->skipped.first; skipped; skipped = skipped->next)
        map_set(&c->skipped, skipped->name, skipped);
}

bool is_skipped(const struct checker *c, const char *name)
{
    assert(name);
    return c->document->cut || map_get(&c->skipped, name);
}

/* What lies in the arena stays. */
void checker_end(struct checker *c)
{
    map_free(&c->operations);
    map_free(&c->skipped);
    scope_clear(c);
    free(c->binding);
}

/* May a fragment take the name of that one?  In the text of a library, if it is of one below. */
static bool hides(const struct checker *c, const struct signature *before)
{
    for (int i = 0; i < c->signature_count; i++)
        if (c->signatures[i] == before)
            return false;
    return c->standard;
}

/* All fragments are declared before any body is checked: order does not matter. */
void checker_declare(struct checker *c)
{
    const struct fragment *f = c->document->fragments.first;
    bool needs_body = c->dialect == DIALECT_PROVISIONAL && !c->standard && !c->document->faults;

    for (; f && !diag_full(c->diag); f = f->next) {
        const struct signature *before = map_get(&c->operations, f->name);
        int errors = diag_error_count(c->diag);
        struct signature *signature = signature_make(c, f);

        assert(c->signature_count < c->document->fragments.count);
        signature->faulty = f->faulty || diag_error_count(c->diag) > errors;
        c->signatures[c->signature_count++] = signature;
        if (before && !hides(c, before)) {
            diag_error(c->diag, f->span, DIAG_FRAGMENT_REDEFINED, "%s '%s' is defined already",
                       before->standard ? "standard operation" : "fragment", f->name);
            label_signature(c, before);
        } else {
            map_set(&c->operations, f->name, signature);
        }
        if (needs_body && !f->has_body)
            diag_error(c->diag, f->span, DIAG_BODY_MISSING,
                       "fragment '%s' has no body, expected one in the provisional dialect",
                       f->name);
    }
}

/* In their order, until the limit of errors. */
void checker_fragments(struct checker *c)
{
    for (int i = 0; i < c->signature_count && !diag_full(c->diag); i++)
        check_fragment(c, c->signatures[i]);
}

struct checked *sema_check(struct context *context, struct document *document,
                           const struct sema_options *options)
{
    struct checker c;
    const struct library *library = library_load(context, document->dialect);

    if (!library)
        return NULL;
    checker_begin(&c, context, document);
    c.library = library;
    c.types = library->types;
    c.options = *options;
    struct checked *checked = arena_new_of(context->arena, struct checked);
    *checked = (struct checked){.context = context,
                                .document = document,
                                .library = library,
                                .types = c.types,
                                .signatures = c.signatures};
    if (!document->graph && !options->no_graph && !document->partial && !document->faults)
        diag_error(c.diag, document->version, DIAG_GRAPH_COUNT, "document without a graph");
    library_enter(library, &c.operations);
    level_document(&c);
    checker_declare(&c);
    extensions_join(&c);
    checker_fragments(&c);
    if (document->graph && !diag_full(c.diag))
        checked->graph_slots = check_graph(&c, document->graph);
    level_unused(&c);
    checker_end(&c);
    bool reported = document->faults > 0 || diag_error_count(context->diag) > c.errors;
    checked->sound = !document->partial && !reported;
    bool useful = document->graph && !document->cut && !diag_full(context->diag);
    return checked->sound || useful ? checked : NULL;
}
