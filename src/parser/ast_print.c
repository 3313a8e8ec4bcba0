/*
 * ast_print.c - prints a document as NNEF text
 *
 * Parsing the printed text gives the same document.  Parentheses are printed where precedence
 * requires them, and where the text has them and a reader could mistake the precedence.
 */
#include "parser/parser.h"

#include "base/text.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Precedence, from the loosest to the tightest (section 3.3.3). */
enum level {
    LEVEL_SELECT,
    LEVEL_IN,
    LEVEL_JUNCTION,
    LEVEL_COMPARISON,
    LEVEL_SUM,
    LEVEL_PRODUCT,
    LEVEL_SIGN,
    LEVEL_POWER,
    LEVEL_POSTFIX,
};

static const struct {
    const char *text;
    enum level level;
} binary_ops[] = {
    [BINARY_ADD] = {"+", LEVEL_SUM},        [BINARY_SUB] = {"-", LEVEL_SUM},
    [BINARY_MUL] = {"*", LEVEL_PRODUCT},    [BINARY_DIV] = {"/", LEVEL_PRODUCT},
    [BINARY_POW] = {"^", LEVEL_POWER},      [BINARY_LT] = {"<", LEVEL_COMPARISON},
    [BINARY_LE] = {"<=", LEVEL_COMPARISON}, [BINARY_GT] = {">", LEVEL_COMPARISON},
    [BINARY_GE] = {">=", LEVEL_COMPARISON}, [BINARY_EQ] = {"==", LEVEL_COMPARISON},
    [BINARY_NE] = {"!=", LEVEL_COMPARISON}, [BINARY_AND] = {"&&", LEVEL_JUNCTION},
    [BINARY_OR] = {"||", LEVEL_JUNCTION},   [BINARY_IN] = {"in", LEVEL_IN},
};

static const char *const unary_ops[] = {[UNARY_PLUS] = "+", [UNARY_MINUS] = "-", [UNARY_NOT] = "!"};

const char *type_name_text(enum type_name name, enum dialect dialect)
{
    static const char *const text[] = {
        [TYPE_NAME_NONE] = "",         [TYPE_NAME_INTEGER] = "integer",
        [TYPE_NAME_SCALAR] = "scalar", [TYPE_NAME_LOGICAL] = "logical",
        [TYPE_NAME_STRING] = "string", [TYPE_NAME_GENERIC] = "?",
    };

    if (name == TYPE_NAME_INTEGER && dialect == DIALECT_PROVISIONAL)
        return "extent";
    assert(name <= TYPE_NAME_GENERIC);
    return text[name];
}

const char *unary_op_text(enum unary_op op)
{
    assert(op <= UNARY_NOT);
    return unary_ops[op];
}

const char *binary_op_text(enum binary_op op)
{
    assert(op <= BINARY_IN);
    return binary_ops[op].text;
}

const char *builtin_text(enum builtin builtin, enum dialect dialect)
{
    static const char *const text[] = {[BUILTIN_SHAPE_OF] = "shape_of",
                                       [BUILTIN_LENGTH_OF] = "length_of",
                                       [BUILTIN_RANGE_OF] = "range_of"};

    if (builtin < BUILTIN_INTEGER)
        return text[builtin];
    return type_name_text((enum type_name)(TYPE_NAME_INTEGER + (builtin - BUILTIN_INTEGER)),
                          dialect);
}

/* Append words and signs as they are. */
static void add(const struct ast_printer *to, const char *text)
{
    text_add_bytes(to->to, text, strlen(text));
}

/* The precedence of the outermost operator. */
static enum level level_of(const struct expr *e)
{
    bool negative = (e->kind == EXPR_INTEGER && e->integer < 0) ||
                    (e->kind == EXPR_SCALAR && signbit(e->scalar));

    if (e->kind == EXPR_SELECT)
        return LEVEL_SELECT;
    if (e->kind == EXPR_BINARY)
        return binary_ops[e->op].level;
    return e->kind == EXPR_UNARY || negative ? LEVEL_SIGN : LEVEL_POSTFIX;
}

static void print_in_parentheses(const struct ast_printer *to, const struct expr *e)
{
    add(to, "(");
    ast_print_expr(to, e);
    add(to, ")");
}

/* Print an operand that must bind as tightly as `least`. */
static void print_at_least(const struct ast_printer *to, const struct expr *e, enum level least)
{
    if (level_of(e) < least)
        print_in_parentheses(to, e);
    else
        ast_print_expr(to, e);
}

/* Print an operand of a binary operator of level `outer`. */
static void print_operand(const struct ast_printer *to, const struct expr *e, enum level outer,
                          enum level least)
{
    enum level inner = level_of(e);
    /* The parser warns of some mixtures of operators, and readers stumble over others. */
    bool misleading =
        e->kind == EXPR_BINARY && ((inner == LEVEL_JUNCTION && outer <= LEVEL_JUNCTION) ||
                                   (inner == LEVEL_COMPARISON && outer == LEVEL_COMPARISON) ||
                                   (inner == LEVEL_POWER && outer == LEVEL_POWER));

    if (e->parenthesized && misleading)
        print_in_parentheses(to, e);
    else
        print_at_least(to, e, least);
}

static void print_binary(const struct ast_printer *to, const struct expr *e)
{
    const struct expr *right = e->binary.right;
    enum level level = level_of(e);
    /* Operators group from the left.  A sign may follow any of them. */
    bool sign = level == LEVEL_POWER && level_of(right) == LEVEL_SIGN;

    assert(e->kind == EXPR_BINARY);
    print_operand(to, e->binary.left, level, level);
    text_add(to->to, " %s ", binary_ops[e->op].text);
    print_operand(to, right, level, sign ? LEVEL_SIGN : level + 1);
}

static void print_unary(const struct ast_printer *to, const struct expr *e)
{
    const struct expr *operand = e->unary.operand;
    bool number = operand->kind == EXPR_INTEGER || operand->kind == EXPR_SCALAR;

    assert(e->kind == EXPR_UNARY);
    add(to, unary_op_text((enum unary_op)e->op));
    if (number && e->op == UNARY_MINUS && level_of(operand) != LEVEL_SIGN)
        print_in_parentheses(to, operand); /* else the minus would be part of the number */
    else
        print_at_least(to, operand, LEVEL_SIGN);
}

/* Print a list of expressions between `open` and `close`. */
static void print_items(const struct ast_printer *to, const char *open, const struct expr *list,
                        const char *close)
{
    add(to, open);
    for (const struct expr *e = list; e; e = e->next) {
        ast_print_expr(to, e);
        add(to, e->next ? ", " : "");
    }
    add(to, close);
}

static void print_call(const struct ast_printer *to, const struct expr *e)
{
    assert(e->kind == EXPR_CALL);
    if (to->print_call) {
        to->print_call(to, e);
        return;
    }
    add(to, e->call.callee);
    if (e->op)
        text_add(to->to, "<%s>", type_name_text((enum type_name)e->op, to->dialect));
    print_items(to, "(", e->call.args, ")");
}

static void print_subscript(const struct ast_printer *to, const struct expr *e)
{
    assert(e->kind == EXPR_SUBSCRIPT || e->kind == EXPR_RANGE);
    print_at_least(to, e->subscript.base, LEVEL_POSTFIX);
    add(to, "[");
    if (e->subscript.begin)
        ast_print_expr(to, e->subscript.begin);
    add(to, e->kind == EXPR_RANGE ? ":" : "");
    if (e->subscript.end)
        ast_print_expr(to, e->subscript.end);
    add(to, "]");
}

/* The order of item and loops depends on the dialect. */
static void print_comprehension(const struct ast_printer *to, const struct comprehension *c)
{
    bool item_first = to->dialect == DIALECT_PROVISIONAL;

    assert(c->iters.first && c->item);
    add(to, "[");
    if (item_first)
        ast_print_expr(to, c->item);
    add(to, item_first ? " for " : "for ");
    for (const struct iter *i = c->iters.first; i; i = i->next) {
        text_add(to->to, "%s in ", i->name);
        print_at_least(to, i->iterable, LEVEL_IN);
        add(to, i->next ? ", " : "");
    }
    if (c->filter) {
        add(to, " if ");
        ast_print_expr(to, c->filter);
    }
    if (!item_first) {
        add(to, " yield ");
        ast_print_expr(to, c->item);
    }
    add(to, "]");
}

/* In provisional NNEF a whole number with an exponent and no point would be an integer. */
static void print_scalar(const struct ast_printer *to, double value)
{
    struct text number = {0};

    text_add_scalar(&number, value);
    char *exponent = strchr(number.data, 'e');
    if (exponent && !strchr(number.data, '.'))
        text_add(to->to, "%.*s.0%s", (int)(exponent - number.data), number.data, exponent);
    else
        add(to, number.data);
    text_free(&number);
}

void ast_print_expr(const struct ast_printer *to, const struct expr *e)
{
    switch ((enum expr_kind)e->kind) {
    case EXPR_INTEGER:
        text_add(to->to, "%lld", (long long)e->integer);
        break;
    case EXPR_SCALAR:
        print_scalar(to, e->scalar);
        break;
    case EXPR_LOGICAL:
        add(to, e->logical ? "true" : "false");
        break;
    case EXPR_STRING:
        text_add_quoted(to->to, e->string);
        break;
    case EXPR_NAME:
        add(to, e->name);
        break;
    case EXPR_ARRAY:
        print_items(to, "[", e->items.first, "]");
        break;
    case EXPR_TUPLE:
        print_items(to, "(", e->items.first, ")");
        break;
    case EXPR_CALL:
        print_call(to, e);
        break;
    case EXPR_NAMED:
        text_add(to->to, "%s = ", e->named.name);
        ast_print_expr(to, e->named.value);
        break;
    case EXPR_BUILTIN:
        add(to, builtin_text((enum builtin)e->op, to->dialect));
        print_in_parentheses(to, e->unary.operand);
        break;
    case EXPR_UNARY:
        print_unary(to, e);
        break;
    case EXPR_BINARY:
        print_binary(to, e);
        break;
    case EXPR_SELECT:
        print_at_least(to, e->select.yes, LEVEL_IN);
        add(to, " if ");
        ast_print_expr(to, e->select.condition);
        add(to, " else ");
        ast_print_expr(to, e->select.no);
        break;
    case EXPR_SUBSCRIPT:
    case EXPR_RANGE:
        print_subscript(to, e);
        break;
    case EXPR_COMPREHENSION:
        print_comprehension(to, e->comprehension);
        break;
    }
}

static void print_type(const struct ast_printer *to, const struct type_expr *type)
{
    switch (type->kind) {
    case TYPE_EXPR_PRIMITIVE:
        add(to, type_name_text(type->name, to->dialect));
        break;
    case TYPE_EXPR_TENSOR:
        add(to, "tensor");
        if (!type->bare)
            text_add(to->to, "<%s>", type_name_text(type->name, to->dialect));
        break;
    case TYPE_EXPR_ARRAY:
        print_type(to, type->items.first);
        add(to, "[]");
        break;
    case TYPE_EXPR_TUPLE:
        add(to, "(");
        for (const struct type_expr *t = type->items.first; t; t = t->next) {
            print_type(to, t);
            add(to, t->next ? ", " : "");
        }
        add(to, ")");
        break;
    }
}

/* Print the parameters or results of a fragment. */
static void print_params(const struct ast_printer *to, struct param_list params)
{
    add(to, "(");
    for (const struct param *param = params.first; param; param = param->next) {
        text_add(to->to, "%s: ", param->name);
        print_type(to, param->type);
        if (param->value) {
            add(to, " = ");
            ast_print_expr(to, param->value);
        }
        add(to, param->next ? ", " : "");
    }
    add(to, ")");
}

static void print_body(const struct ast_printer *to, struct stmt_list body)
{
    add(to, "\n{\n");
    for (const struct stmt *s = body.first; s; s = s->next) {
        add(to, "    ");
        ast_print_expr(to, s->target);
        add(to, " = ");
        ast_print_expr(to, s->value);
        add(to, ";\n");
    }
    add(to, "}\n");
}

void ast_print_document(const struct ast_printer *to, const struct document *document)
{
    text_add(to->to, "version 1.0%s\n", to->dialect == DIALECT_1_0 ? ";" : "");
    for (const struct extension *e = document->extensions.first; e; e = e->next)
        text_add(to->to, "extension %s;\n", e->name);
    for (const struct fragment *f = document->fragments.first; f; f = f->next) {
        text_add(to->to, "\nfragment %s", f->name);
        if (f->generic)
            add(to, f->generic_default ? "<? = " : "<?");
        text_add(to->to, "%s%s", type_name_text(f->generic_default, to->dialect),
                 f->generic ? ">" : "");
        print_params(to, f->params);
        add(to, " -> ");
        print_params(to, f->results);
        if (f->has_body)
            print_body(to, f->body);
        else
            add(to, ";\n");
    }
    if (document->graph) {
        const struct graph_decl *g = document->graph;
        text_add(to->to, "\ngraph %s", g->name);
        print_items(to, "(", g->params.first, ") -> ");
        print_items(to, "(", g->results.first, ")");
        print_body(to, g->body);
    }
}

void document_print(const struct document *document, struct text *to)
{
    ast_print_document(&(struct ast_printer){to, document->dialect, NULL}, document);
}

void expr_print(const struct expr *expr, enum dialect dialect, struct text *to)
{
    ast_print_expr(&(struct ast_printer){to, dialect, NULL}, expr);
}
