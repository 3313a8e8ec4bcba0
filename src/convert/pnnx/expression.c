/* expression.c - runs the generated scanner and grammar over an expression; see expression.h */
#include "convert/pnnx/expression_priv.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/num.h"
#include "base/text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "pnnx_expr.tab.h"

#include "pnnx_expr.lex.h"

struct pnnx_piece expression_piece(const struct expression_reader *reader)
{
    return (struct pnnx_piece){reader->text + (reader->begin - reader->base),
                               (int)(reader->at - reader->begin),
                               {reader->begin, reader->at}};
}

void expression_error(struct expression_reader *reader, struct span at, const char *text)
{
    reader->failed = true;
    diag_error(reader->context->diag, at, DIAG_PNNX_EXPRESSION, "%s", text);
}

void expression_unexpected(struct expression_reader *reader, struct span at,
                           const char *const *expected, int count)
{
    const struct pnnx_piece found = {reader->text + (at.begin - reader->base),
                                     (int)(at.end - at.begin), at};
    struct text text = {0};

    reader_add_unexpected(&text, &found, "expression", expected, count);
    expression_error(reader, at, text.data);
    text_free(&text);
}

/* --- steps ---------------------------------------------------------------------------------- */

/* Keeps track of the greatest depth of the stack. */
static void add(struct expression_reader *reader, const struct pnnx_step *step)
{
    assert(reader->on_stack >= 0);
    reader->step = heap_list(reader->step, reader->count, sizeof *reader->step);
    reader->step[reader->count++] = *step;
    reader->on_stack++;
    if (reader->on_stack > reader->depth)
        reader->depth = reader->on_stack;
}

/* The number behind "@" counts the inputs of the operator. */
void expression_input(struct expression_reader *reader, struct pnnx_piece digits)
{
    struct pnnx_step step = {.kind = PNNX_STEP_INPUT, .span = digits.span};
    int64_t index;

    assert(digits.size > 1 && digits.text[0] == '@');
    if (!num_parse_integer(digits.text + 1, (size_t)digits.size - 1, &index) ||
        index >= reader->inputs) {
        reader->failed = true;
        diag_error(reader->context->diag, digits.span, DIAG_PNNX_EXPRESSION,
                   "'%.*s' is input %.*s of an operator with %d", digits.size, digits.text,
                   digits.size - 1, digits.text + 1, reader->inputs);
        index = 0;
    }
    step.index = (int)index;
    add(reader, &step);
}

void expression_literal(struct expression_reader *reader, struct pnnx_piece literal)
{
    struct pnnx_step step = {.kind = PNNX_STEP_LITERAL, .span = literal.span};

    step.literal = reader_atom(reader->context, literal);
    add(reader, &step);
}

/* Its operands were made last, so they are on top of the stack; the result takes their place. */
void expression_call(struct expression_reader *reader, struct pnnx_piece function, int count)
{
    struct pnnx_step step = {.kind = PNNX_STEP_CALL, .index = count, .span = function.span};

    assert(count > 0 && count <= reader->on_stack);
    step.function = intern(reader->context->names, function.text, (size_t)function.size);
    reader->on_stack -= count;
    add(reader, &step);
}

void expression_list(struct expression_reader *reader, int count, struct span span)
{
    struct pnnx_step step = {.kind = PNNX_STEP_LIST, .index = count, .span = span};

    assert(count >= 0 && count <= reader->on_stack);
    reader->on_stack -= count;
    add(reader, &step);
}

/* --- the whole ------------------------------------------------------------------------------ */

int pnnx_expr_yylex(PNNX_EXPR_YYSTYPE *value, struct span *span, struct expression_reader *r)
{
    int token = pnnx_expr_flex_lex(value, r->scanner);

    *span = (struct span){r->begin, r->at};
    return token;
}

struct pnnx_expression *pnnx_expression_read(struct context *context, const char *text,
                                             struct span span, int inputs)
{
    struct expression_reader reader = {
        .context = context, .text = text, .base = span.begin, .at = span.begin, .inputs = inputs};
    struct pnnx_expression *expression = arena_new_of(context->arena, struct pnnx_expression);

    if (pnnx_expr_flex_lex_init_extra(&reader, &reader.scanner) ||
        !pnnx_expr_flex__scan_bytes(text, (int)strlen(text), reader.scanner))
        arena_out_of_memory();
    bool ok = pnnx_expr_yyparse(&reader) == 0 && !reader.failed;
    pnnx_expr_flex_lex_destroy(reader.scanner);
    expression->count = reader.count;
    expression->depth = reader.depth;
    expression->step = arena_array_of(context->arena, struct pnnx_step, ok ? reader.count : 1);
    if (ok)
        memcpy(expression->step, reader.step, (size_t)reader.count * sizeof *reader.step);
    free(reader.step);
    return ok ? expression : NULL;
}
