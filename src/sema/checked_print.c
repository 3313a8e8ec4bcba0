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

/* Where the copy goes, and in which dialect it is printed. */
struct document_copier {
    struct arena *arena;
    enum dialect dialect;
};

static struct expr *copy_expr(const struct document_copier *p, const struct expr *expr);

/* All arguments in the order of the declaration, those from the first attribute on by name. */
static void copy_call(const struct document_copier *p, const struct expr *call, struct expr *copy)
{
    const struct signature *s = call->call.signature;
    struct expr **end = &copy->call.args;
    bool positional = true;

    assert(s && call->kind == EXPR_CALL);
    for (int i = 0; i < s->nparam; i++, end = &(*end)->next) {
        const struct sig_param *param = &s->params[i];
        const struct expr *given = NULL;
        int position = 0;
        for (const struct expr *arg = call->call.args; arg && !given; arg = arg->next, position++) {
            bool named = arg->kind == EXPR_NAMED;
            if ((named ? arg->named.param : position) == i)
                given = named ? arg->named.value : arg;
        }
        struct expr *value = given ? copy_expr(p, given) : expr_literal(p->arena, &param->value);
        positional &= param->type->has_tensor;
        *end = positional ? value : expr_named(p->arena, param->name, value);
    }
    /* The provisional dialect cannot write generic types. */
    copy->op = p->dialect == DIALECT_PROVISIONAL ? TYPE_NAME_NONE : (uint8_t)call->slot;
    copy->call.callee = call->call.callee;
}

/* Loop variables keep their names, which are all that is printed of them. */
static void copy_comprehension(const struct document_copier *p, const struct comprehension *loop,
                               struct expr *copy)
{
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
}

/* Of an array or tuple. */
static void copy_items(const struct document_copier *p, const struct expr *list, struct expr *copy)
{
    struct expr **end = &copy->items.first;

    for (const struct expr *item = list->items.first; item; item = item->next) {
        *end = copy_expr(p, item);
        end = &(*end)->next;
    }
    copy->items.count = list->items.count;
}

/* NULL of NULL. */
static struct expr *copy_expr(const struct document_copier *p, const struct expr *expr)
{
    if (!expr)
        return NULL;
    if (expr->kind == EXPR_NAMED)
        return expr_named(p->arena, expr->named.name, copy_expr(p, expr->named.value));
    struct expr *copy = expr_new(p->arena, (enum expr_kind)expr->kind);
    copy->parenthesized = expr->parenthesized;
    copy->op = expr->op;
    switch ((enum expr_kind)expr->kind) {
    case EXPR_INTEGER:
        copy->integer = expr->integer;
        break;
    case EXPR_SCALAR:
        copy->scalar = expr->scalar;
        break;
    case EXPR_LOGICAL:
        copy->logical = expr->logical;
        break;
    case EXPR_STRING:
        copy->string = expr->string;
        break;
    case EXPR_NAME:
        copy->name = expr->name;
        break;
    case EXPR_ARRAY:
    case EXPR_TUPLE:
        copy_items(p, expr, copy);
        break;
    case EXPR_CALL:
        copy_call(p, expr, copy);
        break;
    case EXPR_BUILTIN:
    case EXPR_UNARY:
        copy->unary.operand = copy_expr(p, expr->unary.operand);
        break;
    case EXPR_BINARY:
        copy->binary.left = copy_expr(p, expr->binary.left);
        copy->binary.right = copy_expr(p, expr->binary.right);
        break;
    case EXPR_SELECT:
        copy->select.condition = copy_expr(p, expr->select.condition);
        copy->select.yes = copy_expr(p, expr->select.yes);
        copy->select.no = copy_expr(p, expr->select.no);
        break;
    case EXPR_SUBSCRIPT:
    case EXPR_RANGE:
        copy->subscript.base = copy_expr(p, expr->subscript.base);
        copy->subscript.begin = copy_expr(p, expr->subscript.begin);
        copy->subscript.end = copy_expr(p, expr->subscript.end);
        break;
    case EXPR_COMPREHENSION:
        copy_comprehension(p, expr->comprehension, copy);
        break;
    case EXPR_NAMED:
        break;
    }
    return copy;
}

/* --- the document ------------------------------------------------------------------------ */

/* Targets are not changed, so they are shared. */
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

/* Bodies are copied; all else of the document is shared. */
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
