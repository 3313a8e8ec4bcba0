/*
 * level.c - what the extensions of a document enable (NNEF 1.0.5, sections 3.2.2 to 3.2.4)
 *
 * Flat syntax needs none.  A missing extension is reported once for a document of NNEF 1.0, and
 * once for a statement in the provisional dialect, whose graph is flat and has no extensions.
 */
#include "sema/report_priv.h"

#include "base/num.h"

#include <assert.h>
#include <string.h>

/* The two extensions of the standard. */
static const char fragment_definitions[] = "KHR_enable_fragment_definitions";
static const char operator_expressions[] = "KHR_enable_operator_expressions";

/* Which extensions are declared, and which of them are known. */
void level_document(struct checker *c)
{
    const char *const known[] = {fragment_definitions, operator_expressions};
    const struct document *document = c->document;

    c->fragments_enabled = c->expressions_enabled =
        c->dialect == DIALECT_PROVISIONAL || c->standard;
    for (const struct extension *e = document->extensions.first; e; e = e->next) {
        struct nearest search = nearest_to(e->name);
        const char *near = NULL;
        bool fragments = strcmp(e->name, fragment_definitions) == 0;
        bool expressions = strcmp(e->name, operator_expressions) == 0;
        c->fragments_enabled |= fragments;
        c->expressions_enabled |= expressions;
        if (fragments || expressions)
            continue;
        for (int i = 0; i < 2; i++)
            near = nearest_take(&search, known[i]) ? known[i] : near;
        diag_error(c->diag, e->span, DIAG_EXTENSION_UNKNOWN,
                   "unknown extension '%s', expected %s or %s", e->name, known[0], known[1]);
        if (near) {
            diag_help(c->diag, "did you mean '%s'?", near);
            diag_fix(c->diag, e->span, near);
        } else if (strncmp(e->name, "KHR_", 4) != 0) {
            diag_help(c->diag, "extensions of a vendor are not supported.");
        }
    }
    if (!document->fragments.first || c->fragments_enabled)
        return;
    diag_error(c->diag, document->fragments.first->span, DIAG_FRAGMENTS_DISABLED,
               "fragment '%s' in a document without extension %s", document->fragments.first->name,
               fragment_definitions);
    diag_help(c->diag, "write 'extension %s;' after the version.", fragment_definitions);
    fix_extension(c, fragment_definitions);
}

/* Offers the missing extension as a fix-it, once for a document. */
static void help_enable(struct checker *c)
{
    if (c->dialect == DIALECT_PROVISIONAL) {
        diag_help(c->diag, "expressions belong into fragments in the provisional dialect.");
        return;
    }
    diag_help(c->diag, "write 'extension %s;' after the version.", operator_expressions);
    if (!c->extension_fixed)
        fix_extension(c, operator_expressions);
    c->extension_fixed = true;
}

void level_statement(struct checker *c, const struct stmt *stmt)
{
    /* Operators and the like are reported where they stand. */
    const unsigned plain_kinds = 1U << EXPR_INTEGER | 1U << EXPR_SCALAR | 1U << EXPR_LOGICAL |
                                 1U << EXPR_STRING | 1U << EXPR_NAME | 1U << EXPR_ARRAY |
                                 1U << EXPR_TUPLE;
    bool plain = !stmt->value->parenthesized && (plain_kinds >> stmt->value->kind & 1);

    if (c->dialect == DIALECT_PROVISIONAL)
        c->level_reported = false;
    c->expressions_used |= plain;
    if (!plain || !c->flat || c->level_reported || c->partial) /* it may be cut off */
        return;
    c->level_reported = c->misplaced = true;
    c->forgiven++;
    diag_error(c->diag, stmt->value->span, DIAG_FLAT_RIGHT_SIDE,
               "right side of an assignment in flat syntax, expected an invocation");
    help_enable(c);
}

/* What a message calls an expression that flat syntax does not have. */
static const char *kind_text(const struct expr *expr)
{
    static const char *const texts[] = {[EXPR_BUILTIN] = "built-in function",
                                        [EXPR_UNARY] = "operator",
                                        [EXPR_BINARY] = "operator",
                                        [EXPR_SELECT] = "branching",
                                        [EXPR_SUBSCRIPT] = "subscript",
                                        [EXPR_RANGE] = "subscript",
                                        [EXPR_COMPREHENSION] = "comprehension"};
    bool has_text = expr->kind < sizeof texts / sizeof *texts && texts[expr->kind];

    return has_text ? texts[expr->kind] : "expression in parentheses";
}

/* The standard's own example has operators in the graph of the provisional dialect (E63). */
void level_expression(struct checker *c, const struct expr *expr)
{
    bool tolerated = c->dialect == DIALECT_PROVISIONAL && !c->options.pedantic;

    c->expressions_used = true;
    if (!c->flat || c->level_reported)
        return;
    c->level_reported = true;
    if (tolerated) {
        diag_warning(c->diag, expr->span, WARNING_GRAPH_EXPRESSION,
                     "%s in the graph, expected literals, identifiers and invocations",
                     kind_text(expr));
        return;
    }
    c->forgiven++;
    diag_error(c->diag, expr->span, DIAG_EXPRESSIONS_DISABLED,
               "%s in flat syntax, expected literals, identifiers and invocations",
               kind_text(expr));
    help_enable(c);
}

/* Nested invocations are so common that only the pedantic reject them (E49). */
void level_nested(struct checker *c, const struct expr *call)
{
    assert(call->kind == EXPR_CALL);
    c->expressions_used = true;
    if (!c->flat || c->level_reported)
        return;
    if (c->options.pedantic || c->dialect == DIALECT_PROVISIONAL)
        c->level_reported = true;
    if (tolerate(c, &c->nesting_count, call->span, WARNING_MISSING_EXTENSION,
                 "nested invocation in flat syntax, expected an identifier or a literal"))
        help_enable(c);
}

/* An extension that nothing needs is at most warned of. */
void level_unused(struct checker *c)
{
    if (c->partial)
        return;
    for (const struct extension *e = c->document->extensions.first; e; e = e->next) {
        bool fragments = strcmp(e->name, fragment_definitions) == 0;
        bool expressions = strcmp(e->name, operator_expressions) == 0;
        if ((fragments && !c->document->fragments.first) || (expressions && !c->expressions_used))
            diag_warning(c->diag, e->span, WARNING_UNUSED_EXTENSION,
                         "extension '%s' is declared, but not used", e->name);
    }
}
