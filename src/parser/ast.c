/*
 * ast.c - constructors of expressions and assignments (section 3.2.3)
 *
 * Only the member of the union that belongs to the kind is allocated (expr.h).  Each constructor
 * notes the depth of the tree, so that recursion over it is bounded by limits.nesting.
 */
#include "parser/ast_priv.h"

#include "base/arena.h"
#include "base/intern.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* The bytes of an expression up to the end of a member of its union. */
#define END_OF(member) (offsetof(struct expr, member) + sizeof((struct expr *)0)->member)

static const size_t expr_size[] = {
    [EXPR_INTEGER] = END_OF(integer), [EXPR_SCALAR] = END_OF(scalar),
    [EXPR_LOGICAL] = END_OF(logical), [EXPR_STRING] = END_OF(string),
    [EXPR_NAME] = END_OF(name),       [EXPR_ARRAY] = END_OF(items),
    [EXPR_TUPLE] = END_OF(items),     [EXPR_CALL] = END_OF(call),
    [EXPR_NAMED] = END_OF(named),     [EXPR_BUILTIN] = END_OF(unary),
    [EXPR_UNARY] = END_OF(unary),     [EXPR_BINARY] = END_OF(binary),
    [EXPR_SELECT] = END_OF(select),   [EXPR_SUBSCRIPT] = END_OF(subscript),
    [EXPR_RANGE] = END_OF(subscript), [EXPR_COMPREHENSION] = END_OF(comprehension),
};

static DEFINE_APPEND(stmt)
static DEFINE_APPEND(quant_entry)
static DEFINE_APPEND(skipped_name)
DEFINE_CHAIN(expr)
DEFINE_CHAIN(iter)

/* A new expression without operands. */
static struct expr *leaf(struct parser *p, enum expr_kind kind, struct span span)
{
    struct expr *e = arena_alloc(p->context->arena, expr_size[kind]);

    assert(kind <= EXPR_COMPREHENSION);
    e->kind = (uint8_t)(kind & 0x7f);
    e->depth = 1;
    e->span = span;
    return e;
}

/* A new expression whose operands are at most `below` deep. */
static struct expr *above(struct parser *p, enum expr_kind kind, struct span span, int below)
{
    struct expr *e = leaf(p, kind, span);

    if (parser_may_nest(p, below + 1, span))
        e->depth = (uint16_t)(below + 1);
    return e;
}

/* The depth of the deepest expression of a list, and of two that may be NULL. */
static int deepest(struct expr_list list)
{
    int depth = 0;

    for (const struct expr *e = list.first; e; e = e->next)
        if (e->depth > depth)
            depth = e->depth;
    return depth;
}

static int deeper(const struct expr *a, const struct expr *b)
{
    int a_depth = a ? a->depth : 0, b_depth = b ? b->depth : 0;

    return a_depth > b_depth ? a_depth : b_depth;
}

void ast_settle_magnitude(struct parser *p)
{
    if (p->unnegated)
        diag_error(p->diag, p->unnegated->span, DIAG_NUMBER_RANGE,
                   "integer '9223372036854775808' is out of range");
    p->unnegated = NULL;
}

struct expr *ast_integer(struct parser *p, uint64_t magnitude, struct span span)
{
    struct expr *e = leaf(p, EXPR_INTEGER, span);

    e->integer = INT64_MIN;
    if (magnitude <= INT64_MAX) {
        e->integer = (int64_t)magnitude;
        return e;
    }
    ast_settle_magnitude(p);
    p->unnegated = e;
    return e;
}

#define LEAF(member, type, kind)                                              \
    struct expr *ast_##member(struct parser *p, type value, struct span span) \
    {                                                                         \
        struct expr *e = leaf(p, kind, span);                                 \
                                                                              \
        e->member = value;                                                    \
        return e;                                                             \
    }
LEAF(scalar, double, EXPR_SCALAR)
LEAF(logical, bool, EXPR_LOGICAL)
LEAF(string, const char *, EXPR_STRING)
LEAF(name, const char *, EXPR_NAME)

/* An array or tuple of the items of a chain, which may be NULL. */
static struct expr *list_expr(struct parser *p, enum expr_kind kind, struct expr *chain,
                              struct span span)
{
    struct expr_list items = expr_list(chain);
    struct expr *e = above(p, kind, span, deepest(items));

    e->items.first = items.first;
    e->items.count = items.count;
    return e;
}

/* Whether a chain has exactly one item. */
static bool is_single(const struct expr *chain)
{
    return chain && chain->next == chain;
}

struct expr *ast_array(struct parser *p, struct expr *items, struct span span)
{
    return list_expr(p, EXPR_ARRAY, items, span);
}

struct expr *ast_parentheses(struct parser *p, struct expr *items, struct span span)
{
    if (!items) {
        diag_error(p->diag, span, DIAG_TUPLE_ITEMS, "tuple without items, expected at least two");
        return ast_array(p, items, span);
    }
    if (!is_single(items))
        return list_expr(p, EXPR_TUPLE, items, span);
    struct expr *e = expr_list(items).first;
    e->parenthesized = true;
    e->span = span;
    return e;
}

struct expr *ast_unary(struct parser *p, enum unary_op op, struct expr *operand, struct span span)
{
    struct expr *number = op == UNARY_MINUS && !operand->parenthesized ? operand : NULL;

    assert(op <= UNARY_NOT);
    /* A minus before a number becomes part of it, unless the number has one already. */
    if (number && number->kind == EXPR_INTEGER && number == p->unnegated)
        p->unnegated = NULL;
    else if (number && number->kind == EXPR_INTEGER && number->integer >= 0)
        number->integer = -number->integer;
    else if (number && number->kind == EXPR_SCALAR && !signbit(number->scalar))
        number->scalar = -number->scalar;
    else {
        struct expr *e = above(p, EXPR_UNARY, span, operand->depth);
        e->op = (uint8_t)op;
        e->unary.operand = operand;
        return e;
    }
    number->span = span;
    return number;
}

/* Whether `e` is this operation and not in parentheses. */
static bool is_bare(const struct expr *e, enum binary_op op)
{
    return e->kind == EXPR_BINARY && e->op == op && !e->parenthesized;
}

static bool is_bare_junction(const struct expr *e)
{
    return is_bare(e, BINARY_AND) || is_bare(e, BINARY_OR);
}

/* Warns if the precedence of the standard is not what readers know from other languages. */
struct expr *ast_binary(struct parser *p, enum binary_op op, struct expr *left, struct expr *right,
                        struct span span)
{
    struct expr *e = above(p, EXPR_BINARY, span, deeper(left, right));

    assert(op <= BINARY_IN);
    e->op = (uint8_t)op;
    e->binary.left = left;
    e->binary.right = right;
    if ((op == BINARY_AND && is_bare(left, BINARY_OR)) ||
        (op == BINARY_OR && is_bare(left, BINARY_AND))) {
        diag_warning(p->diag, span, WARNING_MIXED_LOGIC,
                     "'&&' and '||' have one precedence and group from the left");
        diag_help(p->diag, "put the operation that comes first in parentheses.");
    } else if (op == BINARY_POW && is_bare(left, BINARY_POW) &&
               !is_bare(left->binary.left, BINARY_POW)) {
        diag_warning(p->diag, span, WARNING_POWER_CHAIN, "'^' groups from the left");
        diag_help(p->diag, "write '(a ^ b) ^ c' or 'a ^ (b ^ c)'.");
    } else if (op == BINARY_IN && is_bare_junction(left) && !is_bare_junction(right)) {
        diag_warning(p->diag, span, WARNING_MIXED_LOGIC,
                     "'in' has the lowest precedence, below '&&' and '||'");
        diag_help(p->diag, "put the operation 'in' in parentheses.");
    }
    if (op == BINARY_IN)
        parser_require_1_0(p, span, "operator 'in' is");
    return e;
}

struct expr *ast_select(struct parser *p, struct expr *condition, struct expr *yes, struct expr *no,
                        struct span span)
{
    int below = deeper(yes, no) > condition->depth ? deeper(yes, no) : condition->depth;
    struct expr *e = above(p, EXPR_SELECT, span, below);

    e->select.condition = condition;
    e->select.yes = yes;
    e->select.no = no;
    return e;
}

struct expr *ast_range(struct parser *p, struct expr *base, struct expr *begin, struct expr *end,
                       struct span span)
{
    int below = deeper(begin, end) > base->depth ? deeper(begin, end) : base->depth;
    struct expr *e = above(p, EXPR_RANGE, span, below);

    e->subscript.base = base;
    e->subscript.begin = begin;
    e->subscript.end = end;
    return e;
}

struct expr *ast_subscript(struct parser *p, struct expr *base, struct expr *index,
                           struct span span)
{
    struct expr *e = ast_range(p, base, index, NULL, span);

    e->kind = EXPR_SUBSCRIPT;
    return e;
}

struct iter *ast_iter(struct parser *p, const char *name, struct span span, struct expr *iterable)
{
    struct iter *iter = arena_new_of(p->context->arena, struct iter);

    assert(name);
    iter->name = name;
    iter->span = span;
    iter->iterable = iterable;
    return iter;
}

static struct expr *comprehension(struct parser *p, struct comprehension parts, struct span span)
{
    int below = deeper(parts.filter, parts.item);

    for (const struct iter *i = parts.iters.first; i; i = i->next)
        if (i->iterable->depth > below)
            below = i->iterable->depth;
    struct expr *e = above(p, EXPR_COMPREHENSION, span, below);
    e->comprehension = arena_new_of(p->context->arena, struct comprehension);
    *e->comprehension = parts;
    return e;
}

struct expr *ast_comprehension(struct parser *p, struct iter *iters, struct expr *filter,
                               struct expr *item, struct span span)
{
    if (!parser_require_1_0(p, span, "a comprehension that begins with 'for' is"))
        diag_help(p->diag, "write '[f(i) for i in items]'.");
    return comprehension(p, (struct comprehension){iter_list(iters), filter, item}, span);
}

/* In provisional NNEF the item of a comprehension comes before its only loop. */
struct expr *ast_item_first(struct parser *p, struct expr *item, struct iter *iter,
                            struct expr *filter, struct span span)
{
    struct iter_list iters = iter_list(iter_append(NULL, iter));

    if (parser_in_1_0(p)) {
        diag_error(p->diag, span, DIAG_DIALECT,
                   "a comprehension that ends with 'for' is provisional NNEF");
        diag_help(p->diag, "write '[for i in items yield f(i)]'.");
        parser_hint_at_dialect(p);
    }
    return comprehension(p, (struct comprehension){iters, filter, item}, span);
}

struct expr *ast_call(struct parser *p, const char *callee, struct expr *args, struct span span)
{
    struct expr_list list = expr_list(args);
    struct expr *e = above(p, EXPR_CALL, span, deepest(list));

    assert(callee);
    if (!args)
        diag_error(p->diag, span, DIAG_EMPTY_LIST, "invocation of '%s' without arguments", callee);
    e->call.callee = callee;
    e->call.args = list.first;
    return e;
}

struct expr *ast_generic_call(struct parser *p, const char *callee, enum type_name type,
                              struct expr *args, struct span span)
{
    struct expr *e = ast_call(p, callee, args, span);

    parser_require_1_0(p, span, "an explicit type of an invocation is");
    e->op = (uint8_t)type;
    return e;
}

struct expr *ast_named(struct parser *p, const char *name, struct expr *value, struct span span)
{
    struct expr *e = above(p, EXPR_NAMED, span, value->depth);

    assert(name);
    e->named.name = name;
    e->named.value = value;
    return e;
}

struct expr *ast_builtin(struct parser *p, enum builtin builtin, struct expr *operand,
                         struct span span)
{
    struct expr *e = above(p, EXPR_BUILTIN, span, operand->depth);

    assert(builtin <= BUILTIN_STRING);
    e->op = (uint8_t)builtin;
    e->unary.operand = operand;
    return e;
}

struct expr *ast_cast(struct parser *p, enum type_name type, struct expr *operand, struct span span)
{
    int number = (int)(type - TYPE_NAME_INTEGER); /* casts stand in the order of types */

    assert(type >= TYPE_NAME_INTEGER && type <= TYPE_NAME_STRING);
    return ast_builtin(p, (enum builtin)(BUILTIN_INTEGER + number), operand, span);
}

/* A chain without parentheses around it: one expression, or a tuple. */
static struct expr *bare_tuple(struct parser *p, struct expr *items)
{
    if (is_single(items))
        return expr_list(items).first;
    return list_expr(p, EXPR_TUPLE, items, span_join(items->next->span, items->span));
}

/* The left side of '=' must be a name, or an array or tuple of targets. */
static bool check_target(struct parser *p, const struct expr *e)
{
    bool ok = true;

    if (e->parenthesized)
        return diag_error(p->diag, e->span, DIAG_TUPLE_ITEMS,
                          "tuple of one item, expected at least two");
    if (e->kind == EXPR_NAME)
        return true;
    if (e->kind != EXPR_ARRAY && e->kind != EXPR_TUPLE)
        return diag_error(
            p->diag, e->span, DIAG_NOT_ASSIGNABLE,
            "left side of an assignment is not an identifier, or an array or tuple of "
            "them");
    for (e = e->items.first; e; e = e->next)
        ok &= check_target(p, e);
    return ok;
}

/* Statements are collected in the parser until the definition to which they belong ends. */
void ast_stmt(struct parser *p, struct expr *target, struct expr *value)
{
    struct stmt *s = arena_new_of(p->context->arena, struct stmt);

    s->target = bare_tuple(p, target);
    s->value = bare_tuple(p, value);
    if (s->value != value && parser_in_1_0(p)) {
        struct span at = s->value->span;
        diag_error(p->diag, at, DIAG_TUPLE_PARENTHESES, "tuple without parentheses");
        diag_help(p->diag, "enclose the items in '(' and ')'.");
        diag_fix(p->diag, (struct span){at.begin, at.begin}, "(");
        diag_fix(p->diag, (struct span){at.end, at.end}, ")");
    }
    ast_settle_magnitude(p);
    s->faulty = ast_is_faulty(p);
    if (p->stop)
        return;
    if (check_target(p, s->target))
        p->body = stmt_append(p->body, s);
    else
        ast_skip(p, (struct span){s->target->span.begin, s->value->span.end});
}

bool ast_is_faulty(struct parser *p)
{
    int before = p->counted;

    p->counted = diag_error_count(p->diag) - p->forgiven;
    return p->counted > before;
}

/* Report it as an error that leaves the meaning of the text clear. */
static void missing_semicolon(struct parser *p, struct span span)
{
    p->forgiven += !diag_full(p->diag);
    diag_error(p->diag, span, DIAG_MISSING_SEMICOLON, "missing ';'");
    diag_label(p->diag, span, "expected ';' here");
    diag_fix(p->diag, span, ";");
    if (p->missing_semicolons > 1 && !p->quant)
        parser_hint_at_dialect(p);
}

void ast_missing_semicolon(struct parser *p, struct span span)
{
    if (!parser_in_1_0(p))
        return;
    p->missing_semicolons++;
    if (p->stop)
        return;
    if (p->misread) {
        /*
         * A text that is read as NNEF 1.0 only because the user asked for it may lack all of them.
         * The first is held back until a second is missing.
         */
        struct span first = p->pending;
        p->pending = p->missing_semicolons == 1 ? span : (struct span){0};
        span = first;
    }
    if (!p->misread || p->missing_semicolons > 1)
        missing_semicolon(p, span);
}

void ast_surplus(struct parser *p, struct span span, const char *missing)
{
    if (p->stop)
        return;
    p->forgiven += !diag_full(p->diag);
    diag_error(p->diag, span, DIAG_SYNTAX, "'%c' without %s", parser_byte(p, span.begin), missing);
    diag_fix(p->diag, span, "");
    /* Nothing else ends a text of many surplus signs, for they are no syntax errors. */
    p->stop |= diag_full(p->diag);
}

void ast_report_pending(struct parser *p)
{
    if (p->pending.end && !p->stop)
        missing_semicolon(p, p->pending);
}

/* An entry is an invocation without its first argument, the tensor. */
void ast_quant_entry(struct parser *p, const char *name, struct span span, struct expr *call)
{
    struct quant_entry *entry = arena_new_of(p->context->arena, struct quant_entry);

    assert(name);
    *entry = (struct quant_entry){.name = name, .span = span, .call = call};
    ast_settle_magnitude(p);
    if (call->kind != EXPR_CALL || call->parenthesized)
        diag_error(p->diag, call->span, DIAG_SYNTAX,
                   "quantization algorithm is not an invocation, expected 'operation(...)'");
    else if (!p->stop)
        p->entries = quant_entry_append(p->entries, entry);
}

/*
 * --- names in text that was skipped after a syntax error ---
 *
 * Such a name may be declared in the skipped text, so that its use elsewhere is not reported as
 * unknown.
 */

/* Add all words of `span` to the skipped names. */
static void lose_all(struct parser *p, struct span span)
{
    for (uint32_t at = span.begin, end; at < span.end; at = end) {
        end = scan_past_word(p, at);
        if (end == at) {
            end = scan_past_blank(p, at + 1);
            continue;
        }
        struct skipped_name *skipped = arena_new_of(p->context->arena, struct skipped_name);
        skipped->name = intern(p->context->names, p->text + (at - p->base), end - at);
        p->document->skipped = skipped_name_append(p->document->skipped, skipped);
    }
}

/* Only names that are assigned count: those of each list that leads to a '='. */
void ast_skip(struct parser *p, struct span span)
{
    assert(span.begin <= span.end);
    p->holed = true;
    if (!p->stop) {
        uint32_t list = span.begin, at = span.begin;

        while (at < span.end) {
            uint32_t end = scan_past_word(p, at),
                     next = scan_past_blank(p, end > at ? end : at + 1);
            char c = parser_byte(p, at);
            if (parser_byte(p, at) == '=' && parser_byte(p, at + 1) != '=')
                lose_all(p, (struct span){list, at});
            if (end > at ? parser_byte(p, next) == '(' : !strchr("[](),", c))
                list = next;
            at = next;
        }
    }
    ast_is_faulty(p);
}

void ast_skip_declaration(struct parser *p, struct span span)
{
    const char *begin = p->text + (span.begin - p->base);
    const char *brace = memchr(begin, '{', span.end - span.begin);
    uint32_t body = brace ? span.begin + (uint32_t)(brace - begin) : span.end;

    assert(span.begin <= span.end);
    if (!p->stop)
        lose_all(p, (struct span){span.begin, body});
    ast_skip(p, (struct span){body, span.end});
}
