/*
 * syntax_error.c - says in a reader's words what the grammar did not expect
 *
 * The grammar names each token that could stand at the place of the fault. Most of these lists
 * are one of a few families ("an expression", "an operator"), and the message names the family.
 */
#include "parser/scan_priv.h"

#include "base/num.h"
#include "base/text.h"

#include <assert.h>
#include <string.h>

enum family {
    EXPRESSION = 1,
    OPERATOR = 2,
    TYPE_SPEC = 4,
    TYPE_WORD = 8,
    HIDDEN = 16,
};

/* A family is there if its chief is: the one token found in no other family. */
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

static const struct {
    const char *token;
    unsigned families;
} members[] = {
    {"identifier", EXPRESSION | TYPE_SPEC | TYPE_WORD},
    {"identifier of a generic fragment", HIDDEN},
    {"quantization file", HIDDEN},
    {"end of assignment", HIDDEN},
    {"integer literal", EXPRESSION},
    {"scalar literal", EXPRESSION},
    {"string literal", EXPRESSION},
    {"'true'", EXPRESSION},
    {"'false'", EXPRESSION},
    {"built-in function", EXPRESSION},
    {"type name", EXPRESSION | TYPE_SPEC | TYPE_WORD},
    {"'tensor'", TYPE_SPEC},
    {"'?'", TYPE_SPEC | TYPE_WORD},
    {"'('", EXPRESSION | TYPE_SPEC | OPERATOR},
    {"'['", EXPRESSION | OPERATOR},
    {"'!'", EXPRESSION},
    {"'+'", EXPRESSION | OPERATOR},
    {"'-'", EXPRESSION | OPERATOR},
    {"'*'", OPERATOR},
    {"'/'", OPERATOR},
    {"'^'", OPERATOR},
    {"'<'", OPERATOR},
    {"'<='", OPERATOR},
    {"'>'", OPERATOR},
    {"'>='", OPERATOR},
    {"'=='", OPERATOR},
    {"'!='", OPERATOR},
    {"'&&'", OPERATOR},
    {"'||'", OPERATOR},
    {"'in'", OPERATOR},
    {"'if'", OPERATOR},
};

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

static unsigned families_of(const char *token)
{
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (strcmp(members[i].token, token) == 0)
            return members[i].families;
    return 0;
}

/* Alternatives of a message: tokens first, then families. */
enum { MAX_PHRASES = 5 };
struct phrases {
    const char *text[MAX_PHRASES];
    int count;
};

static void add_phrase(struct phrases *phrases, const char *text)
{
    if (phrases->count < MAX_PHRASES)
        phrases->text[phrases->count++] = text;
}

/*
 * The '=' of a named argument, where ',' and ')' are likelier to be missing; what could stand only
 * because a surplus ',' or ';' is reported and passed over.
 */
static bool is_beside_point(const struct parser *p, struct expectation e, const char *token)
{
    bool closes = strcmp(token, "')'") == 0 || strcmp(token, "']'") == 0;

    if (strcmp(token, "'='") == 0)
        return expects(e, "')'") && expects(e, "','");
    return (closes && p->before == ',') || (strcmp(token, "';'") == 0 && expects(e, "'}'"));
}

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

enum { SHOWN = 40, MAX_KEYWORD = 16, MAX_KEYWORDS = 16 };

struct keywords {
    const char *text[MAX_KEYWORDS];
    int count;
};

static bool is_keyword(int token)
{
    static const int keywords[] = {VERSION, EXTENSION, GRAPH, FRAGMENT, TENSOR, FOR,  IN,
                                   YIELD,   IF,        ELSE,  TRUE,     FALSE,  TYPE, BUILTIN};

    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (keywords[i] == token)
            return true;
    return false;
}

/* Whether what follows the keyword is what would follow a name. */
static bool stands_for_name(const struct parser *p, struct span keyword, struct expectation e)
{
    char next = parser_byte(p, scan_past_blank(p, keyword.end));

    if (!is_keyword(p->last) || !expects(e, "identifier") || expects(e, "'?'"))
        return false;
    return next && strchr(expects(e, "'!'") ? "=,):;]}<" : "=,):;]}<(", next);
}

bool keyword_error(struct parser *p, struct span at)
{
    assert(at.begin <= at.end);
    return diag_error(p->diag, at, DIAG_KEYWORD, "keyword '%.*s' used as identifier",
                      (int)(at.end - at.begin), p->text + (at.begin - p->base));
}

static const char *keyword_at(int index, const void *data)
{
    const struct keywords *keywords = data;

    return index < keywords->count ? keywords->text[index] : NULL;
}

/* A misspelled keyword where only keywords can stand. */
static void help_keyword(struct parser *p, struct span at, struct expectation e)
{
    char name[MAX_KEYWORD], text[MAX_KEYWORDS][MAX_KEYWORD];
    struct keywords keywords = {.count = 0};
    size_t size = at.end - at.begin;

    if (p->last != NAME || expects(e, "identifier") || size >= sizeof name)
        return;
    memcpy(name, p->text + (at.begin - p->base), size);
    name[size] = '\0';
    for (int i = 0; i < e.count && keywords.count < MAX_KEYWORDS; i++)
        if (strlen(e.token[i]) < MAX_KEYWORD && e.token[i][0] == '\'') {
            char *to = text[keywords.count];
            memcpy(to, e.token[i] + 1, strlen(e.token[i]));
            to[strlen(to) - 1] = '\0';
            keywords.text[keywords.count++] = to;
        }
    struct nearest search = nearest_to(name);
    const char *near = nearest_among(&search, keyword_at, &keywords);
    if (!near)
        return;
    diag_help(p->diag, "did you mean '%s'?", near);
    if (search.unique)
        diag_fix(p->diag, at, near);
}

static void help_semicolon(struct parser *p, struct span at)
{
    if (p->last != ';' || p->in_body || p->graph_seen)
        return;
    diag_help(p->diag, "only the version, extensions and assignments end with ';'.");
    if (p->before == ';' || p->before == '}')
        diag_fix(p->diag, at, "");
}

static void add_help(struct parser *p, struct span at, struct expectation e)
{
    help_semicolon(p, at);
    help_keyword(p, at, e);
    /* Two slashes, or a slash and a star. */
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

static bool report(struct parser *p, struct span at, struct expectation e)
{
    struct text text = {0};
    bool only_bracket = e.count == 1 && expects(e, "'('");
    bool trailing = p->graph_seen && expects(e, "'graph'");

    if (only_bracket && (p->before == TYPE || p->before == BUILTIN))
        return keyword_error(p, p->before_span);
    if (stands_for_name(p, at, e))
        return keyword_error(p, at);
    if (foreign_identifier(p, at)) {
        p->stop = true;
        return false;
    }
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
        for (int i = 0; i < phrases.count; i++)
            text_add(&text, "%s%s",
                     i == 0                  ? ", expected "
                     : i + 1 < phrases.count ? ", "
                                             : " or ",
                     phrases.text[i]);
    }
    diag_error(p->diag, at, trailing ? DIAG_TRAILING : DIAG_SYNTAX, "%s", text.data);
    text_free(&text);
    add_help(p, at, e);
    return false;
}

/* Says what was found and what could stand there; long lists of tokens become phrases. */
void syntax_error(struct parser *p, struct span at, const char *const *expected, int count)
{
    assert(count >= 0);
    if (p->stop)
        return;
    p->failed = true;
    if (p->versionless && (!p->before || p->last == VERSION))
        return;
    report(p, at, (struct expectation){expected, count});
    p->stop |= diag_full(p->diag);
}

void nesting_error(struct parser *p, struct span at)
{
    if (!p->stop)
        diag_error(p->diag, at, DIAG_NESTING, "nested more than %d deep", p->nesting);
    p->stop = p->failed = true;
}
