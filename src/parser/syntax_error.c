/*
 * syntax_error.c - turns a syntax error of the grammar into a readable message
 *
 * The grammar names each token that could stand at the place of the fault.  Most of these tokens
 * belong to a few families ("an expression", "an operator"), and the message names the family.
 */
#include "parser/scan_priv.h"

#include "base/num.h"
#include "base/stack.h"
#include "base/text.h"

#include <assert.h>
#include <string.h>

/* Families of tokens, as bits. */
enum family {
    EXPRESSION = 1,
    OPERATOR = 2,
    TYPE_SPEC = 4,
    TYPE_WORD = 8,
    HIDDEN = 16, /* never named */
};

/* A family is expected if its chief is, a token that is in no other family. */
static const struct {
    const char *chief, *phrase;
    unsigned family;
} families[] = {
    {"'!'", "an expression", EXPRESSION},
    {"'*'", "an operator", OPERATOR},
    {"'tensor'", "a type", TYPE_SPEC},
    {"'?'", "a type name", TYPE_WORD},
};
enum { FAMILY_COUNT = sizeof families / sizeof *families };

/* The tokens of each family or combination of families. */
static const struct {
    unsigned families;
    const char *token[14]; /* ends with NULL */
} members[] = {
    {HIDDEN, {"identifier of a generic fragment", "quantization file", "end of assignment"}},
    {EXPRESSION | TYPE_SPEC | TYPE_WORD, {"identifier", "type name"}},
    {EXPRESSION | TYPE_SPEC | OPERATOR, {"'('"}},
    {EXPRESSION | OPERATOR, {"'['", "'+'", "'-'"}},
    {EXPRESSION,
     {"integer literal", "scalar literal", "string literal", "'true'", "'false'",
      "built-in function", "'!'"}},
    {OPERATOR,
     {"'*'", "'/'", "'^'", "'<'", "'<='", "'>'", "'>='", "'=='", "'!='", "'&&'", "'||'", "'in'",
      "'if'"}},
    {TYPE_SPEC | TYPE_WORD, {"'?'"}},
    {TYPE_SPEC, {"'tensor'"}},
};

/* The tokens that the grammar expects, by the names that it gives them. */
struct expectation {
    const char *const *token;
    int count;
};

static bool expects(struct expectation e, const char *token)
{
    for (int i = 0; i < e.count; i++)
        if (strcmp(e.token[i], token) == 0)
            return true;
    return false;
}

/* The families of a token; 0 if it is in none, and is always named. */
static unsigned families_of(const char *token)
{
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        for (const char *const *member = members[i].token; *member; member++)
            if (strcmp(*member, token) == 0)
                return members[i].families;
    return 0;
}

/* Alternatives of a message: tokens first, then families. */
enum { MAX_PHRASES = 5 };
struct phrases {
    const char *text[MAX_PHRASES];
    int count;
};

/* More phrases than fit would not help a reader, so the rest is dropped. */
static void add_phrase(struct phrases *phrases, const char *text)
{
    if (phrases->count < MAX_PHRASES)
        phrases->text[phrases->count++] = text;
}

/*
 * Whether naming the token would mislead: the '=' of a named argument, where ',' or ')' is more
 * likely to be missing, and tokens that the grammar accepts only to report a surplus ',' or ';'.
 */
static bool is_beside_point(const struct parser *p, struct expectation e, const char *token)
{
    bool closes = strcmp(token, "')'") == 0 || strcmp(token, "']'") == 0;

    if (strcmp(token, "'='") == 0)
        return expects(e, "')'") && expects(e, "','");
    return (closes && p->before == ',') || (strcmp(token, "';'") == 0 && expects(e, "'}'"));
}

/* What to name as expected: single tokens, then families that cover the others. */
static struct phrases phrases_of(const struct parser *p, struct expectation e)
{
    struct phrases phrases = {.count = 0};
    bool there[FAMILY_COUNT];
    unsigned present = HIDDEN;

    for (int i = 0; i < FAMILY_COUNT; i++) {
        bool covered = families_of(families[i].chief) & present;
        there[i] = !covered && expects(e, families[i].chief);
        present |= there[i] ? families[i].family : 0;
    }
    for (int i = 0; i < e.count; i++)
        if (!(families_of(e.token[i]) & present) && !is_beside_point(p, e, e.token[i]))
            add_phrase(&phrases, e.token[i]);
    for (int i = 0; i < FAMILY_COUNT; i++)
        if (there[i])
            add_phrase(&phrases, expects(e, "'}'") ? "an assignment" : families[i].phrase);
    return phrases;
}

enum { SHOWN = 40, MAX_KEYWORD = 16 }; /* bytes */

/* Whether the current token is a keyword that was meant as a name: what follows fits a name. */
static bool stands_for_name(const struct parser *p, struct span keyword, struct expectation e)
{
    static const int keywords[] = {VERSION, EXTENSION, GRAPH, FRAGMENT, TENSOR, FOR,  IN,
                                   YIELD,   IF,        ELSE,  TRUE,     FALSE,  TYPE, BUILTIN};
    char next = parser_byte(p, scan_past_blank(p, keyword.end));
    bool found = false;

    for (size_t i = 0; i < sizeof keywords / sizeof *keywords && !found; i++)
        found = keywords[i] == p->last;
    if (!found || !expects(e, "identifier") || expects(e, "'?'"))
        return false;
    return next && strchr(expects(e, "'!'") ? "=,):;]}<" : "=,):;]}<(", next);
}

bool keyword_error(struct parser *p, struct span at)
{
    assert(at.begin <= at.end);
    return diag_error(p->diag, at, DIAG_KEYWORD, "keyword '%.*s' used as identifier",
                      (int)(at.end - at.begin), p->text + (at.begin - p->base));
}

/* Suggest a keyword for a misspelled one, where no name is possible. */
static void help_keyword(struct parser *p, struct span at, struct expectation e)
{
    char name[MAX_KEYWORD], word[MAX_KEYWORD], near[MAX_KEYWORD] = "";
    size_t size = at.end - at.begin;

    if (p->last != NAME || expects(e, "identifier") || size >= sizeof name)
        return;
    memcpy(name, p->text + (at.begin - p->base), size);
    name[size] = '\0';
    struct nearest search = nearest_to(name);
    for (int i = 0; i < e.count; i++) {
        size_t length = strlen(e.token[i]);
        if (length >= MAX_KEYWORD || e.token[i][0] != '\'')
            continue;
        /* Without the quotes around the token. */
        memcpy(word, e.token[i] + 1, length - 2);
        word[length - 2] = '\0';
        if (nearest_take(&search, word))
            memcpy(near, word, sizeof near);
    }
    if (!*near)
        return;
    diag_help(p->diag, "did you mean '%s'?", near);
    if (search.unique)
        diag_fix(p->diag, at, near);
}

/* Add help for common mistakes to the report; a later one replaces an earlier one. */
static void add_help(struct parser *p, struct span at, struct expectation e)
{
    if (p->last == ';' && !p->in_body && !p->graph_seen) {
        diag_help(p->diag, "only the version, extensions and assignments end with ';'.");
        if (p->before == ';' || p->before == '}')
            diag_fix(p->diag, at, "");
    }
    help_keyword(p, at, e);
    /* A comment of other languages: two slashes, or a slash and a star. */
    char next = parser_byte(p, at.begin + 1);
    if (p->last == '/' && (p->before == '/' || next == '/' || next == '*')) {
        bool doubled = p->before == '/';
        struct span slashes = {doubled ? p->before_span.begin : at.begin,
                               doubled ? at.end : at.begin + 2};

        diag_help(p->diag, "a comment begins with '#' and ends with the line.");
        if (parser_byte(p, slashes.begin + 1) == '/')
            diag_fix(p->diag, slashes, "#");
    }
    if (p->before == NAME && e.count == 1 && expects(e, "':'")) {
        struct span name = p->before_span;
        diag_help(p->diag, "a parameter or result of a fragment has a type: write '%.*s: %s'.",
                  (int)(name.end - name.begin), p->text + (name.begin - p->base),
                  parser_in_1_0(p) ? "tensor<scalar>" : "tensor");
    }
    if (p->last == ELSE && p->brackets)
        diag_help(p->diag, "an 'if' behind an iterable begins the filter; put a conditional "
                           "iterable in parentheses.");
    if (p->last == YIELD && expects(e, "']'"))
        diag_help(p->diag, "a comprehension is written '[for i in items yield f(i)]'.");
}

void syntax_error(struct parser *p, struct span at, const char *const *expected, int count)
{
    struct expectation e = {expected, count};
    struct text text = {0};

    assert(count >= 0 && at.begin <= at.end);
    if (p->stop)
        return;
    p->failed = true;
    if (p->versionless && (!p->before || p->last == VERSION))
        return;

    /* A keyword used as a name, or a name in the dialect of tract. */
    bool only_bracket = count == 1 && expects(e, "'('");
    bool type_as_name = only_bracket && (p->before == TYPE || p->before == BUILTIN);
    if (type_as_name || stands_for_name(p, at, e)) {
        keyword_error(p, type_as_name ? p->before_span : at);
        p->stop |= diag_full(p->diag);
        return;
    }
    if (foreign_identifier(p, at)) {
        p->stop = true;
        return;
    }

    /* What was found, and what was expected. */
    bool trailing = p->graph_seen && expects(e, "'graph'");
    int size = at.end - at.begin < SHOWN ? (int)(at.end - at.begin) : SHOWN;
    const char *found = p->text + (at.begin - p->base);
    if (p->last == NNEF_YYEOF)
        text_add(&text, "unexpected end of text");
    else if (p->last == VIRTUAL)
        text_add(&text, "unexpected end of %s", p->quant ? "entry" : "assignment");
    else if (p->last == STRING)
        text_add(&text, "unexpected string %.*s", size, found);
    else
        text_add(&text, "unexpected %s'%.*s'", p->last == NAME ? "identifier " : "", size, found);
    if (trailing)
        text_add(&text, " after the graph");
    else if (!p->before)
        text_add(&text, ", expected 'version'");
    else {
        struct phrases phrases = phrases_of(p, e);
        for (int i = 0; i < phrases.count; i++) {
            bool last = i + 1 == phrases.count;
            text_add(&text, "%s%s", i == 0 ? ", expected " : last ? " or " : ", ", phrases.text[i]);
        }
    }
    diag_error(p->diag, at, trailing ? DIAG_TRAILING : DIAG_SYNTAX, "%s", text.data);
    text_free(&text);
    add_help(p, at, e);
    p->stop |= diag_full(p->diag);
}

/* Few texts are so deep that the stack matters. */
bool parser_may_nest(struct parser *p, int depth, struct span at)
{
    int limit = p->context->limits.nesting;

    if (depth > p->nesting && !p->measured) {
        int64_t bearable = (int64_t)(stack_left(stack_floor()) / STACK_OF_A_LEVEL);

        p->measured = true;
        p->nesting = (int)num_max(num_min(limit, bearable), p->nesting);
    }
    if (depth <= p->nesting)
        return true;
    if (!p->stop)
        diag_error(p->diag, at, DIAG_NESTING, "nested more than %d deep", p->nesting);
    if (!p->stop && p->nesting < limit)
        diag_help(p->diag, "the stack of this thread bears no more; let it be larger.");
    p->stop = p->failed = true;
    return false;
}
