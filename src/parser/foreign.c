/*
 * foreign.c - recognises texts of other languages, to give one report instead of a cascade
 *
 * NNEF 2.0 has another syntax.  tract and torch_to_nnef write a dialect of NNEF 1.0 with the
 * statement `extension tract_...`; the standard knows neither its operations, nor arguments of
 * extensions, nor identifiers in quotes.
 */
#include "parser/scan_priv.h"

#include "base/text.h"

#include <assert.h>
#include <string.h>

/* The word at `at`; empty if there is none. */
static struct span word_at(const struct parser *p, uint32_t at)
{
    uint32_t begin = scan_past_blank(p, at);

    return (struct span){begin, scan_past_word(p, begin)};
}

/* Whether a word begins with, or is, a text. */
static bool begins_with(const struct parser *p, struct span word, const char *prefix)
{
    size_t size = strlen(prefix);

    return word.end - word.begin >= size &&
           memcmp(p->text + (word.begin - p->base), prefix, size) == 0;
}

static bool is_word(const struct parser *p, struct span word, const char *text)
{
    return word.end - word.begin == strlen(text) && begins_with(p, word, text);
}

/* Behind `byte`, if it is the next one that is not blank. */
static uint32_t past_byte(const struct parser *p, uint32_t at, char byte)
{
    at = scan_past_blank(p, at);
    return at + (parser_byte(p, at) == byte);
}

/* --- NNEF 2.0 ---------------------------------------------------------------------------- */

/* Report NNEF 2.0.  Always true. */
static bool next_version(struct parser *p, struct span at)
{
    diag_error(p->diag, at, DIAG_VERSION, "this is NNEF 2.0, expected version 1.0");
    diag_help(p->diag,
              "NNEF 2.0 is another language; export the model as NNEF 1.0, or use the tools "
              "of Khronos.");
    return true;
}

/* --- tract ------------------------------------------------------------------------------- */

enum { OPERATIONS_NAMED = 4 }; /* in a note */

/*
 * List the first operations of tract that the text invokes, for text_free().  A name is invoked if
 * it begins an expression and an argument list follows.
 */
static struct text operations_of(const struct parser *p, uint32_t from)
{
    struct text list = {0};
    const char *end = p->text + p->size;
    int count = 0;

    for (const char *c = p->text + (from - p->base); count < OPERATIONS_NAMED && c < end;) {
        const char *t = memchr(c, 't', (size_t)(end - c));
        if (!t)
            break;
        uint32_t at = p->base + (uint32_t)(t - p->text);
        struct span word = {at, scan_past_word(p, at)};
        char before = at > p->base ? parser_byte(p, at - 1) : ' ';
        bool found = begins_with(p, word, "tract_") && strchr(" \t\n=(,[+-*/", before) &&
                     strchr("(<", parser_byte(p, scan_past_blank(p, word.end)));
        c = found ? t + (word.end - word.begin) : t + 1;
        if (found)
            text_add(&list, "%s'%.*s'", count++ ? ", " : "", (int)(word.end - word.begin), t);
    }
    return list;
}

bool foreign_identifier(struct parser *p, struct span at)
{
    bool prefixed = p->last == STRING && p->before == NAME && p->before_span.end == at.begin &&
                    at.begin - p->before_span.begin == 1 && parser_byte(p, at.begin - 1) == 'i';

    if (!prefixed)
        return false;
    diag_error(
        p->diag, (struct span){p->before_span.begin, at.end}, DIAG_FOREIGN_DIALECT,
        "identifier in quotes, an extension of tract, expected only letters, digits and '_'");
    diag_help(p->diag, "export the model without extended identifiers.");
    return true;
}

/* --- both -------------------------------------------------------------------------------- */

/* Only the beginning is examined: version and extensions, or the first section of NNEF 2.0. */
bool foreign_text(struct parser *p, uint32_t at)
{
    struct span word = word_at(p, at);

    assert(at >= p->base);
    if (is_word(p, word, "version")) {
        uint32_t number = scan_past_blank(p, word.end), end = number;
        while (parser_byte(p, end) && strchr("0123456789.", parser_byte(p, end)))
            end++;
        if (parser_byte(p, number) == '2' && strchr(".;", parser_byte(p, number + 1)))
            return next_version(p, (struct span){number, end});
        word = word_at(p, past_byte(p, end, ';'));
    }
    while (is_word(p, word, "extension")) {
        struct span name = word_at(p, word.end);
        if (begins_with(p, name, "tract_")) {
            struct text operations = operations_of(p, name.end);
            diag_error(
                p->diag, name, DIAG_FOREIGN_DIALECT,
                "extension '%.*s' declares the dialect of tract, expected NNEF of the standard",
                (int)(name.end - name.begin), p->text + (name.begin - p->base));
            diag_help(p->diag,
                      "export the model as NNEF of Khronos: with torch_to_nnef, for the target "
                      "'KhronosNNEF'.");
            if (operations.size)
                diag_note(p->diag, (struct span){0},
                          "it invokes operations that only tract has, such as %s", operations.data);
            text_free(&operations);
            return true;
        }
        /* Go behind the ';' of the statement, whose names are separated by ','. */
        uint32_t next = name.end;
        while (name.end > name.begin) {
            next = past_byte(p, name.end, ',');
            name = word_at(p, next);
        }
        word = word_at(p, past_byte(p, next, ';'));
    }
    /* A graph or operator of NNEF 2.0 has sections, named like '@input'. */
    uint32_t brace = scan_past_blank(p, word_at(p, word.end).end);
    return (is_word(p, word, "graph") || is_word(p, word, "operator")) &&
           parser_byte(p, brace) == '{' && parser_byte(p, scan_past_blank(p, brace + 1)) == '@' &&
           next_version(p, word);
}
