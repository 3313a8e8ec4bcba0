/*
 * checked_print.c - the document as the check understood it
 *
 * A copy of the document in which every invocation has all its arguments, in the order of the
 * declaration, and its generic type; then printed like any other.
 */
#include "sema/sema.h"

#include "base/arena.h"
#include "diag/context.h"
#include "parser/parser.h"

#include <assert.h>

struct document_copier {
    struct arena *arena;
    enum dialect dialect;
};

static struct expr *copy_expr(const struct document_copier *p, const struct expr *expr);

/* --- invocations ------------------------------------------------------------------------- */

static const struct expr *argument_of(const struct expr *call, int param)
{
    int position = 0;

    for (const struct expr *arg = call->call.args; arg; arg = arg->next, position++) {
        bool named = arg->kind == EXPR_NAMED;
        if ((named ? arg->named.param : position) == param)
            return named ? arg->named.value : arg;
    }
    return NULL;
}

/* The provisional dialect cannot write generic types. */
static struct expr *copy_call(const struct document_copier *p, const struct expr *call)
{
    const struct signature *s = call->call.signature;
    struct expr *copy = expr_new(p->arena, EXPR_CALL);
    struct expr **end = &copy->call.args;
    bool positional = true;

    assert(call->kind == EXPR_CALL);
    for (int i = 0; i < s->nparam; i++, end = &(*end)->next) {
        const struct sig_param *param = &s->params[i];
        const struct expr *arg = argument_of(call, i);
        struct expr *value = arg ? copy_expr(p, arg) : expr_literal(p->arena, &param->value);
        positional &= param->type->has_tensor;
        *end = positional ? value : expr_named(p->arena, param->name, value);
    }
    copy->op = p->dialect == DIALECT_PROVISIONAL ? TYPE_NAME_NONE : (uint8_t)call->slot;
    copy->call.callee = call->call.callee;
    return copy;
}

/* --- other expressions ------------------------------------------------------------------- */

static struct expr *copy_items(const struct document_copier *p, const struct expr *expr)
{
    struct expr *copy = expr_new(p->arena, (enum expr_kind)expr->kind);
    struct expr **end = &copy->items.first;

    for (const struct expr *item = expr->items.first; item; item = item->next) {
        *end = copy_expr(p, item);
        end = &(*end)->next;
    }
    copy->items.count = expr->items.count;
    return copy;
}

static struct expr *copy_comprehension(const struct document_copier *p, const struct expr *expr)
{
    const struct comprehension *loop = expr->comprehension;
    struct expr *copy = expr_new(p->arena, EXPR_COMPREHENSION);

    assert(expr->kind == EXPR_COMPREHENSION);
    copy->comprehension = arena_new_of(p->arena, struct comprehension);
    struct iter **end = &copy->comprehension->iters.first;
    for (const struct iter *iter = loop->iters.first; iter; iter = iter->next) {
        *end = arena_new_of(p->arena, struct iter);
        (*end)->name = iter->name;
        (*end)->iterable = copy_expr(p, iter->iterable);
        end = &(*end)->next;
    }
    copy->comprehension->iters.count = loop->iters.count;
    copy->comprehension->filter = copy_expr(p, loop->filter);
    copy->comprehension->item = copy_expr(p, loop->item);
    return copy;
}

static struct expr *copy_operation(const struct document_copier *p, const struct expr *expr)
{
    struct expr *copy = expr_new(p->arena, (enum expr_kind)expr->kind);

    if (expr->kind == EXPR_UNARY || expr->kind == EXPR_BUILTIN) {
        copy->unary.operand = copy_expr(p, expr->unary.operand);
    } else if (expr->kind == EXPR_BINARY) {
        copy->binary.left = copy_expr(p, expr->binary.left);
        copy->binary.right = copy_expr(p, expr->binary.right);
    } else if (expr->kind == EXPR_SELECT) {
        copy->select.condition = copy_expr(p, expr->select.condition);
        copy->select.yes = copy_expr(p, expr->select.yes);
        copy->select.no = copy_expr(p, expr->select.no);
    } else {
        copy->subscript.base = copy_expr(p, expr->subscript.base);
        copy->subscript.begin = copy_expr(p, expr->subscript.begin);
        copy->subscript.end = copy_expr(p, expr->subscript.end);
    }
    copy->op = expr->op;
    return copy;
}

static struct expr *copy_leaf(const struct document_copier *p, const struct expr *expr)
{
    struct expr *copy = expr_new(p->arena, (enum expr_kind)expr->kind);

    if (expr->kind == EXPR_INTEGER)
        copy->integer = expr->integer;
    else if (expr->kind == EXPR_SCALAR)
        copy->scalar = expr->scalar;
    else if (expr->kind == EXPR_LOGICAL)
        copy->logical = expr->logical;
    else
        copy->name = expr->name;
    return copy;
}

static struct expr *copy_kind(const struct document_copier *p, const struct expr *expr)
{
    switch ((enum expr_kind)expr->kind) {
    case EXPR_INTEGER:
    case EXPR_SCALAR:
    case EXPR_LOGICAL:
    case EXPR_NAME:
        return copy_leaf(p, expr);
    case EXPR_ARRAY:
    case EXPR_TUPLE:
        return copy_items(p, expr);
    case EXPR_CALL:
        return copy_call(p, expr);
    case EXPR_NAMED:
        return expr_named(p->arena, expr->named.name, copy_expr(p, expr->named.value));
    case EXPR_BUILTIN:
    case EXPR_UNARY:
    case EXPR_BINARY:
    case EXPR_SELECT:
    case EXPR_SUBSCRIPT:
    case EXPR_RANGE:
        return copy_operation(p, expr);
    case EXPR_COMPREHENSION:
        return copy_comprehension(p, expr);
    case EXPR_STRING:
        break;
    }
    struct expr *copy = expr_new(p->arena, EXPR_STRING);
    copy->string = expr->string;
    return copy;
}

static struct expr *copy_expr(const struct document_copier *p, const struct expr *expr)
{
    if (!expr)
        return NULL;
    struct expr *copy = copy_kind(p, expr);
    copy->parenthesized = expr->parenthesized;
    return copy;
}

/* --- the document ------------------------------------------------------------------------ */

static struct stmt_list copy_body(const struct document_copier *p, struct stmt_list body)
{
    struct stmt_list copy = {.count = body.count};
    struct stmt **end = &copy.first;

    for (const struct stmt *stmt = body.first; stmt; stmt = stmt->next) {
        *end = arena_new_of(p->arena, struct stmt);
        (*end)->target = stmt->target;
        (*end)->value = copy_expr(p, stmt->value);
        end = &(*end)->next;
    }
    return copy;
}

void checked_print(const struct checked *checked, struct text *to)
{
    struct document_copier p = {.arena = arena_new(), .dialect = checked->document->dialect};
    struct document document = *checked->document;
    struct graph_decl graph;
    struct fragment **end = &document.fragments.first;

    for (const struct fragment *f = *end; f; f = f->next) {
        *end = arena_new_of(p.arena, struct fragment);
        **end = *f;
        (*end)->body = copy_body(&p, f->body);
        end = &(*end)->next;
    }
    if (document.graph) {
        graph = *document.graph;
        graph.body = copy_body(&p, graph.body);
        document.graph = &graph;
    }
    document_print(&document, to);
    arena_free(p.arena);
}
