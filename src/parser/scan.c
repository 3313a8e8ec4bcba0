/*
 * scan.c - tokens that depend on what stands around them (section 3.1)
 *
 * Three services make one grammar without conflicts of both dialects: a name before `<type>(` is
 * that of a generic fragment, a '>' that ends a type is never part of '>=', and where a provisional
 * assignment ends without ';', a virtual token says so. In NNEF 1.0 that token makes a forgotten
 * ';' a precise error.
 */
#include "parser/scan_priv.h"

#include "base/intern.h"

#include "nnef.lex.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r' || c == '\f';
}

static bool begins_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool at_end(const struct parser *p, uint32_t offset)
{
    return offset - p->base >= p->size;
}

static uint32_t past_line(const struct parser *p, uint32_t offset)
{
    while (!at_end(p, offset) && !is_line_end(parser_byte(p, offset)))
        offset++;
    return offset;
}

uint32_t scan_past_blank(const struct parser *p, uint32_t offset)
{
    assert(offset >= p->base);
    for (char c; (c = parser_byte(p, offset)); offset++)
        if (c == '#')
            offset = past_line(p, offset) - 1;
        else if (!(c == ' ' || (c >= '\t' && c <= '\r')))
            break;
    return offset;
}

uint32_t scan_past_word(const struct parser *p, uint32_t offset)
{
    assert(offset >= p->base);
    for (char c; (c = parser_byte(p, offset)); offset++)
        if (!begins_word(c) && !(c >= '0' && c <= '9'))
            break;
    return offset;
}

size_t scan_feed(struct parser *p, char *to, size_t room)
{
    size_t rest = p->size - p->fed, count = rest < room ? rest : room;

    memcpy(to, p->text + p->fed, count);
    p->fed += count;
    return count;
}

void scan_brace(struct parser *p, bool opens)
{
    p->declared = false;
    p->in_body = opens;
    p->assigned = false;
    p->brackets = 0;
}

void scan_semicolon(struct parser *p)
{
    p->assigned = false;
    p->brackets = 0;
}

int scan_stray(struct parser *p)
{
    unsigned char c = (unsigned char)parser_byte(p, p->begin);

    if (c < 0x80 && isprint(c))
        diag_error(p->diag, parser_token_span(p), DIAG_STRAY_CHARACTER, "stray '%c'", c);
    else
        diag_error(p->diag, parser_token_span(p), DIAG_STRAY_CHARACTER, "stray byte 0x%02x", c);
    if (c == '&' || c == '|') {
        diag_help(p->diag, "the operator is written '%c%c'.", c, c);
        diag_fix(p->diag, parser_token_span(p), c == '&' ? "&&" : "||");
    }
    p->stop |= diag_full(p->diag);
    return NNEF_YYerror;
}

static bool ends_expression(int token)
{
    return token == NAME || token == ')' || token == ']' || token == INTEGER || token == SCALAR ||
           token == STRING || token == TRUE || token == FALSE;
}

/* In provisional NNEF `version`, `extension` and `yield` are names where a name may stand. */

bool scan_is_version(const struct parser *p)
{
    return parser_in_1_0(p) || !p->last;
}

bool scan_is_extension(const struct parser *p)
{
    bool between = !p->last || p->last == SCALAR || p->last == ';' || p->last == '}';

    return parser_in_1_0(p) || (between && !p->in_body && !p->brackets);
}

bool scan_is_yield(const struct parser *p)
{
    return parser_in_1_0(p) || (p->brackets && ends_expression(p->last));
}

bool scan_is_angle(const struct parser *p)
{
    return p->last == '<' || (p->before == '<' && (p->last == TYPE || p->last == '?'));
}

static bool is_type_name(const struct parser *p, uint32_t begin, uint32_t end)
{
    const char *const names[] = {parser_in_1_0(p) ? "integer" : "extent", "scalar", "logical",
                                 "string"};
    size_t size = end - begin;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == size && memcmp(names[i], p->text + (begin - p->base), size) == 0)
            return true;
    return parser_byte(p, begin) == '?';
}

/* Whether `<type>(` begins at the offset. Type names are keywords, so `a < scalar(b)` differs. */
static bool is_explicit_type(const struct parser *p, uint32_t offset)
{
    uint32_t begin = scan_past_blank(p, offset + 1);
    uint32_t end = parser_byte(p, begin) == '?' ? begin + 1 : scan_past_word(p, begin);
    uint32_t angle = scan_past_blank(p, end);

    return is_type_name(p, begin, end) && parser_byte(p, angle) == '>' &&
           parser_byte(p, scan_past_blank(p, angle + 1)) == '(';
}

int scan_name(struct parser *p, const char **name)
{
    uint32_t next = scan_past_blank(p, p->at);

    *name = intern(p->context->names, p->text + (p->begin - p->base), p->at - p->begin);
    if (parser_byte(p, next) == '<' && p->last != FRAGMENT && is_explicit_type(p, next))
        return GENERIC_NAME;
    return NAME;
}

/* 'graph' and 'fragment' end a body that was not closed, unless something is assigned to them. */
int scan_definition(struct parser *p, int keyword, const char **name)
{
    uint32_t next = scan_past_blank(p, p->at);

    if (p->in_body && !p->brackets && parser_byte(p, next) == '=') {
        keyword_error(p, parser_token_span(p));
        return scan_name(p, name);
    }
    p->in_body = p->declared = false;
    return keyword;
}

static uint32_t past_string(const struct parser *p, uint32_t offset)
{
    char quote = parser_byte(p, offset++);

    for (char c; (c = parser_byte(p, offset)) && !is_line_end(c); offset++)
        if (c == quote)
            return offset + 1;
        else if (c == '\\')
            offset++;
    return offset;
}

/* Behind the bracket that closes the one at the offset, or where it cannot be found. */
static uint32_t past_group(const struct parser *p, uint32_t offset)
{
    int depth = 0;

    for (char c; (c = parser_byte(p, offset)) && !strchr(";{}", c);) {
        if (c == '\'' || c == '"') {
            offset = past_string(p, offset);
            continue;
        }
        depth += (c == '(' || c == '[') - (c == ')' || c == ']');
        offset++;
        if (depth == 0)
            break;
        offset = scan_past_blank(p, offset);
    }
    return offset;
}

/* Whether items of a left side, separated by commas, lead from the offset to a '='. */
static bool begins_assignment(struct parser *p, uint32_t offset)
{
    char c = ',';

    if (offset < p->run_end)
        return false;
    while (c == ',') {
        c = parser_byte(p, offset);
        if (!begins_word(c) && c != '(' && c != '[')
            break;
        offset = begins_word(c) ? scan_past_word(p, offset) : past_group(p, offset);
        offset = scan_past_blank(p, offset);
        c = parser_byte(p, offset);
        if (c == '=' && parser_byte(p, offset + 1) != '=')
            return true;
        if (c == ',')
            offset = scan_past_blank(p, offset + 1);
    }
    p->run_end = offset; /* whatever begins on the way ends there too: linear time */
    return false;
}

static bool on_new_line(const struct parser *p, uint32_t offset)
{
    for (uint32_t i = p->at; i < offset; i++)
        if (is_line_end(parser_byte(p, i)))
            return true;
    return false;
}

/* Whether `"name":` begins at the offset. */
static bool begins_entry(const struct parser *p, uint32_t offset)
{
    char c = parser_byte(p, offset);

    return (c == '\'' || c == '"') &&
           parser_byte(p, scan_past_blank(p, past_string(p, offset))) == ':';
}

/* An entry ends where the next begins, whatever is open, and with the text. */
static bool ends_entry(struct parser *p)
{
    if (!p->assigned || p->last == ':')
        return false;
    uint32_t next = scan_past_blank(p, p->at);
    bool ends = at_end(p, next) ? !p->brackets && ends_expression(p->last) : begins_entry(p, next);
    p->brackets = ends ? 0 : p->brackets;
    return ends;
}

/* Whether an assignment ends here, though no ';' says so. */
static bool ends_assignment(struct parser *p)
{
    if (p->quant)
        return ends_entry(p);
    if (!p->assigned || p->brackets || !p->in_body || !ends_expression(p->last))
        return false;
    uint32_t next = scan_past_blank(p, p->at);
    char c = parser_byte(p, next);
    if (c == '}')
        return true;
    if (c == '(' || c == '[')
        return (!parser_in_1_0(p) || on_new_line(p, next)) && begins_assignment(p, next);
    return begins_word(c) && begins_assignment(p, next);
}

/* What a text makes of memory is seen while it is read, not when there is none left. */
static void check_memory(struct parser *p)
{
    struct span end = {p->at, p->at};

    if (p->stop || context_growth(p->context) > 0)
        return;
    p->stop = p->failed = true;
    diag_error(p->diag, end, DIAG_MEMORY_LIMIT,
               "the document up to here takes more than %" PRId64 " bytes of memory",
               p->context->limits.memory);
    diag_help(p->diag, "raise the limit with --max-memory.");
}

/* Whether an assignment begins behind a declaration. */
static bool lacks_brace(struct parser *p)
{
    if (!p->declared || p->last != ')' || p->brackets)
        return false;
    uint32_t next = scan_past_blank(p, p->at);
    return begins_word(parser_byte(p, next)) && begins_assignment(p, next);
}

static int next_token(NNEF_YYSTYPE *value, struct parser *p)
{
    check_memory(p);
    bool ends = !p->stop && ends_assignment(p);

    if (p->quant && !p->last) {
        p->begin = p->at;
        return QUANT;
    }
    if (!p->stop && lacks_brace(p)) {
        p->begin = p->at;
        p->forgiven += !diag_full(p->diag);
        diag_error(p->diag, parser_token_span(p), DIAG_SYNTAX, "missing '{'");
        diag_label(p->diag, parser_token_span(p), "expected '{' here");
        diag_fix(p->diag, parser_token_span(p), " {");
        scan_brace(p, true);
        return '{';
    }
    if (!p->stop && !ends)
        return nnef_flex_lex(value, p->scanner);
    p->assigned = false;
    p->begin = p->at;
    return ends ? VIRTUAL : NNEF_YYEOF;
}

int nnef_yylex(NNEF_YYSTYPE *value, struct span *span, struct parser *p)
{
    int token = next_token(value, p);
    struct span here = parser_token_span(p);

    p->before = p->last;
    p->before_span = p->last_span;
    p->last = token;
    p->last_span = here;
    *span = here;
    return token;
}
