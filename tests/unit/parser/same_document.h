/* same_document.h - whether two documents say the same, wherever it stands in their texts */
#ifndef NNEFC_TESTS_UNIT_PARSER_SAME_DOCUMENT_H
#define NNEFC_TESTS_UNIT_PARSER_SAME_DOCUMENT_H

#include "parser/ast.h"

#include <math.h>
#include <string.h>

static inline bool same_expr(const struct expr *a, const struct expr *b);

static inline bool same_text(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static inline bool same_items(const struct expr *a, const struct expr *b)
{
    for (; a && b; a = a->next, b = b->next)
        if (!same_expr(a, b))
            return false;
    return !a && !b;
}

static inline bool same_comprehension(const struct comprehension *a, const struct comprehension *b)
{
    const struct iter *i = a->iters.first, *j = b->iters.first;

    for (; i && j; i = i->next, j = j->next)
        if (!same_text(i->name, j->name) || !same_expr(i->iterable, j->iterable))
            return false;
    return !i && !j && same_expr(a->filter, b->filter) && same_expr(a->item, b->item);
}

/* Of two expressions of one kind. */
static inline bool same_parts(const struct expr *a, const struct expr *b)
{
    switch ((enum expr_kind)a->kind) {
    case EXPR_INTEGER:
        return a->integer == b->integer;
    case EXPR_SCALAR:
        return a->scalar == b->scalar && signbit(a->scalar) == signbit(b->scalar);
    case EXPR_LOGICAL:
        return a->logical == b->logical;
    case EXPR_STRING:
        return same_text(a->string, b->string);
    case EXPR_NAME:
        return same_text(a->name, b->name);
    case EXPR_ARRAY:
    case EXPR_TUPLE:
        return a->items.count == b->items.count && same_items(a->items.first, b->items.first);
    case EXPR_CALL:
        return same_text(a->call.callee, b->call.callee) && same_items(a->call.args, b->call.args);
    case EXPR_NAMED:
        return same_text(a->named.name, b->named.name) && same_expr(a->named.value, b->named.value);
    case EXPR_BUILTIN:
    case EXPR_UNARY:
        return same_expr(a->unary.operand, b->unary.operand);
    case EXPR_BINARY:
        return same_expr(a->binary.left, b->binary.left) &&
               same_expr(a->binary.right, b->binary.right);
    case EXPR_SELECT:
        return same_expr(a->select.condition, b->select.condition) &&
               same_expr(a->select.yes, b->select.yes) && same_expr(a->select.no, b->select.no);
    case EXPR_SUBSCRIPT:
    case EXPR_RANGE:
        return same_expr(a->subscript.base, b->subscript.base) &&
               same_expr(a->subscript.begin, b->subscript.begin) &&
               same_expr(a->subscript.end, b->subscript.end);
    case EXPR_COMPREHENSION:
        return same_comprehension(a->comprehension, b->comprehension);
    }
    return false;
}

static inline bool same_expr(const struct expr *a, const struct expr *b)
{
    if (!a || !b)
        return !a && !b;
    return a->kind == b->kind && a->op == b->op && a->depth == b->depth && same_parts(a, b);
}

static inline bool same_type(const struct type_expr *a, const struct type_expr *b)
{
    if (a->kind != b->kind || a->name != b->name || a->bare != b->bare)
        return false;
    for (a = a->items.first, b = b->items.first; a && b; a = a->next, b = b->next)
        if (!same_type(a, b))
            return false;
    return !a && !b;
}

static inline bool same_params(struct param_list a, struct param_list b)
{
    const struct param *p = a.first, *q = b.first;

    for (; p && q; p = p->next, q = q->next)
        if (!same_text(p->name, q->name) || !same_type(p->type, q->type) ||
            !same_expr(p->value, q->value))
            return false;
    return !p && !q && a.count == b.count;
}

static inline bool same_body(struct stmt_list a, struct stmt_list b)
{
    const struct stmt *s = a.first, *t = b.first;

    for (; s && t; s = s->next, t = t->next)
        if (!same_expr(s->target, t->target) || !same_expr(s->value, t->value))
            return false;
    return !s && !t && a.count == b.count;
}

static inline bool same_fragment(const struct fragment *f, const struct fragment *g)
{
    return same_text(f->name, g->name) && f->generic == g->generic &&
           f->generic_default == g->generic_default && same_params(f->params, g->params) &&
           same_params(f->results, g->results) && f->has_body == g->has_body &&
           same_body(f->body, g->body);
}

static inline bool same_graph(const struct graph_decl *a, const struct graph_decl *b)
{
    return same_text(a->name, b->name) && same_items(a->params.first, b->params.first) &&
           same_items(a->results.first, b->results.first) && same_body(a->body, b->body);
}

static inline bool same_document(const struct document *a, const struct document *b)
{
    if (!a || !b)
        return a == b;
    const struct fragment *f = a->fragments.first, *g = b->fragments.first;
    const struct extension *d = a->extensions.first, *e = b->extensions.first;

    for (; f && g; f = f->next, g = g->next)
        if (!same_fragment(f, g))
            return false;
    for (; d && e; d = d->next, e = e->next)
        if (!same_text(d->name, e->name))
            return false;
    return a->dialect == b->dialect && !f && !g && !d && !e && !a->graph == !b->graph &&
           (!a->graph || same_graph(a->graph, b->graph));
}

#endif
