/*
 * foreign.c - texts of other languages that look like NNEF 1.0: one report instead of a cascade
 *
 * NNEF 2.0 has another syntax altogether. tract and torch_to_nnef write a dialect that declares
 * itself by `extension tract_...`; its operations, payloads of extensions and quoted identifiers
 * mean nothing to the standard.
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

static uint32_t past_byte(const struct parser *p, uint32_t at, char byte)
{
    at = scan_past_blank(p, at);
    return at + (parser_byte(p, at) == byte);
}

/* --- NNEF 2.0 ---------------------------------------------------------------------------- */

static bool next_version(struct parser *p, struct span at)
{
    diag_error(p->diag, at, DIAG_VERSION, "this is NNEF 2.0, expected version 1.0");
    diag_help(p->diag, "NNEF 2.0 is another language, for which there are the tools of Khronos; "
                       "export the model as NNEF 1.0.");
    return true;
}

/* Sections of a graph or operator are named like '@input'. */
static bool has_sections(const struct parser *p, struct span keyword)
{
    struct span name = word_at(p, keyword.end);
    uint32_t brace = scan_past_blank(p, name.end);
    bool definition = is_word(p, keyword, "graph") || is_word(p, keyword, "operator");

    return definition && parser_byte(p, brace) == '{' &&
           parser_byte(p, scan_past_blank(p, brace + 1)) == '@';
}

/* --- tract ------------------------------------------------------------------------------- */

enum { OPERATIONS_NAMED = 4 };

/* Whether the word, found by its prefix, is the name of an operation that is invoked. */
static bool is_invoked(const struct parser *p, struct span word)
{
    uint32_t next = scan_past_blank(p, word.end);
    char before = word.begin > p->base ? parser_byte(p, word.begin - 1) : ' ';

    return strchr(" \t\n=(,[+-*/", before) && strchr("(<", parser_byte(p, next));
}

/* The operations of tract that are invoked first, to be freed by text_free(). */
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
        bool found = begins_with(p, word, "tract_") && is_invoked(p, word);
        c = found ? t + (word.end - word.begin) : t + 1;
        if (found)
            text_add(&list, "%s'%.*s'", count++ ? ", " : "", (int)(word.end - word.begin), t);
    }
    return list;
}

/* Tools of other vendors write identifiers as strings; one report covers them all. */
bool foreign_identifier(struct parser *p, struct span at)
{
    bool prefixed = p->last == STRING && p->before == NAME && p->before_span.end == at.begin &&
                    at.begin - p->before_span.begin == 1 && parser_byte(p, at.begin - 1) == 'i';

    if (!prefixed)
        return false;
    diag_error(p->diag, (struct span){p->before_span.begin, at.end}, DIAG_FOREIGN_DIALECT,
               "identifier in quotes, which is of the dialect of tract, expected letters, digits "
               "and '_' only");
    diag_help(p->diag, "export the model without extended identifiers.");
    return true;
}

/* --- both -------------------------------------------------------------------------------- */

/* Behind the ';' of the extension statement whose first name is `name`. */
static uint32_t past_extension(const struct parser *p, struct span name)
{
    while (name.end > name.begin) {
        uint32_t next = past_byte(p, name.end, ',');
        name = word_at(p, next);
        if (name.end == name.begin)
            return past_byte(p, next, ';');
    }
    return name.end;
}

/* Looks at the beginning only: a text in another language would give an error for each line. */
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
                          "it invokes operations that only tract knows, such as %s",
                          operations.data);
            text_free(&operations);
            return true;
        }
        word = word_at(p, past_extension(p, name));
    }
    return has_sections(p, word) && next_version(p, word);
}
