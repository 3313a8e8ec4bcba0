/*
 * reader.c - runs the generated scanner and grammar over the text of a PNNX model
 *
 * PNNX's own reader checks neither magic nor counts; every fault is reported here.
 */
#include "convert/pnnx/reader_priv.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/num.h"
#include "base/text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pnnx_param.tab.h"

#include "pnnx_param.lex.h"

enum { LARGEST_TEXT = 1 << 30, SHORTEST_LINE = 8 }; /* "a b 0 0\n" */

static const char magic[] = "7767517";

/* Reports stop the reading if there are too many. */
bool reader_error(struct pnnx_reader *reader, struct span at, enum diag_code code, const char *fmt,
                  ...)
{
    va_list args;

    va_start(args, fmt);
    diag_error(reader->diag, at, code, "%s", text_format_v(reader->context->arena, fmt, args));
    va_end(args);
    reader->stop |= diag_full(reader->diag);
    return false;
}

void reader_add_unexpected(struct text *text, const struct pnnx_piece *found, const char *whole,
                           const char *const *expected, int count)
{
    enum { LONGEST = 40 };

    if (found->size > 0 && *found->text != '\n')
        text_add(text, "found '%.*s', expected ", (int)num_min(found->size, LONGEST), found->text);
    else
        text_add(text, "the %s ends, expected ", whole);
    if (count == 0)
        text_add(text, "'key=value'");
    for (int i = 0; i < count; i++)
        text_add(text, "%s%s", i == 0 ? "" : i == count - 1 ? " or " : ", ", expected[i]);
}

void reader_unexpected(struct pnnx_reader *reader, struct span at, const char *const *expected,
                       int count)
{
    const struct pnnx_piece found = {reader->text + (at.begin - reader->base),
                                     (int)(at.end - at.begin), at};
    struct text text = {0};

    assert(at.begin >= reader->base);
    if (reader->stop)
        return; /* the end of the text was made up */
    reader_add_unexpected(&text, &found, "line", expected, count);
    reader_error(reader, at, DIAG_PNNX_SYNTAX, "%s", text.data);
    text_free(&text);
}

const char *reader_name(struct pnnx_reader *reader, const struct pnnx_piece *piece)
{
    return intern(reader->context->names, piece->text, (size_t)piece->size);
}

struct pnnx_piece reader_piece(const struct pnnx_reader *reader, uint32_t front, uint32_t back)
{
    uint32_t begin = reader->begin + front, end = reader->at - back;

    assert(begin <= end && end <= reader->base + reader->size);
    return (struct pnnx_piece){
        reader->text + (begin - reader->base), (int)(end - begin), {begin, end}};
}

/* --- the columns of a line ------------------------------------------------------------------ */

void reader_word(struct pnnx_reader *reader, struct pnnx_piece word)
{
    reader->word = heap_list(reader->word, reader->nword, sizeof *reader->word);
    reader->word[reader->nword++] = word;
}

static DEFINE_APPEND(pnnx_pair)

/* Pairs keep their order for writing. */
struct pnnx_pair *reader_pair(struct pnnx_reader *reader, enum pnnx_mark mark,
                              struct pnnx_piece name)
{
    struct pnnx_pair *pair = arena_new_of(reader->context->arena, struct pnnx_pair);
    struct pnnx_pairs *pairs = &reader->pairs;

    pair->mark = mark;
    pair->name = reader_name(reader, &name);
    pair->span = name.span;
    pairs->of[mark] = pnnx_pair_append(pairs->of[mark], pair);
    *(pairs->first ? &pairs->last->behind : &pairs->first) = pair;
    pairs->last = pair;
    return pair;
}

void reader_argument(struct pnnx_reader *reader, struct pnnx_piece name, struct pnnx_piece operand)
{
    struct pnnx_pair *pair = reader_pair(reader, PNNX_ARGUMENT, name);

    pair->operand = reader_name(reader, &operand);
    pair->operand_span = operand.span;
}

void reader_next_line(struct pnnx_reader *reader)
{
    reader->nword = 0;
    reader->pairs = (struct pnnx_pairs){0};
}

void reader_lost(struct pnnx_reader *reader)
{
    reader->lost = true;
    reader_next_line(reader);
}

/* --- the first two lines -------------------------------------------------------------------- */

/* A text with another first line is no model, so that reading stops. */
void reader_magic(struct pnnx_reader *reader, struct span line)
{
    const struct pnnx_piece *word = reader->word;
    bool ok = reader->nword == 1 && !reader->pairs.first && word->size == (int)strlen(magic) &&
              memcmp(word->text, magic, strlen(magic)) == 0;

    reader->stop |= !ok;
    if (!ok)
        reader_error(reader, line, DIAG_PNNX_SYNTAX,
                     "the text of a PNNX model begins with the line '%s'", magic);
    reader_next_line(reader);
}

/* False if it is no number, negative or too large. */
static bool read_count(const struct pnnx_piece *word, int64_t most, int64_t *count)
{
    return num_parse_integer(word->text, (size_t)word->size, count) && *count >= 0 &&
           *count <= most;
}

/* No text has more operators than lines, nor more operands than words. */
void reader_counts(struct pnnx_reader *reader, struct span line)
{
    int64_t size = (int64_t)reader->size;
    bool ok = true;

    reader->counts = line;
    if (reader->nword != 2 || reader->pairs.first ||
        !read_count(&reader->word[0], INT32_MAX, &reader->operators) ||
        !read_count(&reader->word[1], INT32_MAX, &reader->operands))
        ok = reader_error(reader, line, DIAG_PNNX_COUNT,
                          "line 2 has the numbers of operators and operands, at most %d each",
                          INT32_MAX);
    else if (reader->operators == 0)
        ok = reader_error(reader, line, DIAG_PNNX_COUNT, "the model has no operators");
    else if (reader->operators > size / SHORTEST_LINE || reader->operands > size / 2)
        ok = reader_error(reader, line, DIAG_PNNX_COUNT,
                          "%" PRId64 " operators and %" PRId64
                          " operands are more than a text of %zu bytes can have",
                          reader->operators, reader->operands, reader->size);
    reader->stop |= !ok;
    reader_next_line(reader);
}

/* --- the whole ------------------------------------------------------------------------------ */

int pnnx_param_yylex(PNNX_PARAM_YYSTYPE *value, struct span *span, struct pnnx_reader *r)
{
    int token = r->stop ? PNNX_PARAM_YYEOF : pnnx_param_flex_lex(value, r->scanner);

    *span = (struct span){r->begin, r->at};
    return token;
}

/* PNNX's own reader ignores line 2; a wrong count means a damaged text. */
static void check_counts(struct pnnx_reader *reader)
{
    const struct pnnx_document *document = reader->document;

    assert(!reader->stop);
    if (document->operators.count != reader->operators)
        reader_error(reader, reader->counts, DIAG_PNNX_COUNT,
                     "%" PRId64 " operators are announced, but there are %d", reader->operators,
                     document->operators.count);
    if (document->operands.count != reader->operands)
        reader_error(reader, reader->counts, DIAG_PNNX_COUNT,
                     "%" PRId64 " operands are announced, but there are %d", reader->operands,
                     document->operands.count);
}

/* Names end at a NUL, so that a text with one could not be written again. */
static bool is_text(struct pnnx_reader *reader)
{
    const char *nul;

    if (reader->size > LARGEST_TEXT)
        return reader_error(reader, (struct span){reader->base, reader->base}, DIAG_TEXT_LIMIT,
                            "text of %zu bytes, expected at most %d", reader->size, LARGEST_TEXT);
    nul = reader->size ? memchr(reader->text, '\0', reader->size) : NULL;
    if (!nul)
        return true;
    uint32_t at = reader->base + (uint32_t)(nul - reader->text);
    return reader_error(reader, (struct span){at, at + 1}, DIAG_PNNX_SYNTAX,
                        "found a NUL, which no text has");
}

struct pnnx_document *pnnx_read(struct context *context, uint32_t base, const char *text,
                                size_t size)
{
    struct pnnx_document *document = arena_new_of(context->arena, struct pnnx_document);
    struct pnnx_reader reader = {.context = context,
                                 .diag = context->diag,
                                 .document = document,
                                 .text = text,
                                 .size = size,
                                 .base = base,
                                 .at = base};
    int errors = diag_error_count(context->diag);

    if (is_text(&reader)) {
        /* Scanner and grammar report to the reader, so their results are not looked at. */
        if (pnnx_param_flex_lex_init_extra(&reader, &reader.scanner) ||
            !pnnx_param_flex__scan_bytes(text, (int)size, reader.scanner))
            arena_out_of_memory();
        pnnx_param_yyparse(&reader);
        pnnx_param_flex_lex_destroy(reader.scanner);
        free(reader.word);
        map_free(&reader.members);
        if (diag_error_count(context->diag) == errors)
            check_counts(&reader);
    }
    if (diag_error_count(context->diag) == errors)
        return document;
    pnnx_document_free(document);
    return NULL;
}

void pnnx_document_free(struct pnnx_document *document)
{
    if (document)
        map_free(&document->by_name);
}

const struct pnnx_pair *pnnx_find(const struct pnnx_operator *operator, enum pnnx_mark mark,
                                  const char *name)
{
    const struct pnnx_pair *pair = operator->pairs.of[mark].first;

    while (pair && strcmp(pair->name, name) != 0)
        pair = pair->next;
    return pair;
}

const char *pnnx_member_name(const struct context *context, const struct pnnx_operator *operator,
                             const struct pnnx_pair * attribute)
{
    struct text name = {0};

    text_add(&name, "%s.%s", operator->name, attribute->name);
    return intern_text(context->names, &name);
}
