/*
 * scan.c - tokens that depend on their surroundings (section 3.1)
 *
 * One grammar without conflicts covers both dialects, because the scanner decides three things.  A
 * name before `<type>(` is the name of a generic fragment.  A '>' that ends a type is never part of
 * '>='.  Where a provisional assignment ends, which has no ';', a virtual token is inserted.  In
 * NNEF 1.0 that token makes a forgotten ';' a precise error.
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

/* Only ASCII counts, whatever the locale. */
static bool begins_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool at_end(const struct parser *p, uint32_t offset)
{
    return offset - p->base >= p->size;
}

uint32_t scan_past_blank(const struct parser *p, uint32_t offset)
{
    assert(offset >= p->base);
    for (char c; (c = parser_byte(p, offset)); offset++)
        if (c == '#') {
            while (!at_end(p, offset + 1) && !is_line_end(parser_byte(p, offset + 1)))
                offset++;
        } else if (!(c == ' ' || (c >= '\t' && c <= '\r')))
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

/* The state of a statement is reset at braces and ';', so that one error does not cause others. */
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

/* Whether an expression may end with this token. */
static bool ends_expression(int token)
{
    return token == NAME || token == ')' || token == ']' || token == INTEGER || token == SCALAR ||
           token == STRING || token == TRUE || token == FALSE;
}

/* In provisional NNEF `version`, `extension` and `yield` are names wherever a name is possible. */

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

/* A '>' that ends a type is a token of its own, even in `tensor<scalar>= x`. */
bool scan_is_angle(const struct parser *p)
{
    return p->last == '<' || (p->before == '<' && (p->last == TYPE || p->last == '?'));
}

/* Whether `<type>(` begins at the offset. Type names are keywords, so `a < scalar(b)` differs. */
static bool is_explicit_type(const struct parser *p, uint32_t offset)
{
    uint32_t begin = scan_past_blank(p, offset + 1);
    bool type = parser_byte(p, begin) == '?';
    uint32_t end = type ? begin + 1 : scan_past_word(p, begin), angle = scan_past_blank(p, end);

    for (int name = TYPE_NAME_INTEGER; !type && name <= TYPE_NAME_STRING; name++) {
        const char *text = type_name_text((enum type_name)name, p->document->dialect);
        type = strlen(text) == end - begin &&
               memcmp(text, p->text + (begin - p->base), end - begin) == 0;
    }
    return type && parser_byte(p, angle) == '>' &&
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

/* 'graph' and 'fragment' end a body that lacks its '}', unless a '=' follows them. */
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

/* Behind the string at the offset, or at the end of the line if it has no closing quote. */
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

/* Behind the bracket that closes the one at the offset, or where the search for it ends. */
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
    /* Any list that begins on the way ends here too, so that the time is linear. */
    p->run_end = offset;
    return false;
}

/* Whether an assignment or an entry of a quantization file ends here, although there is no ';'. */
static bool ends_assignment(struct parser *p)
{
    uint32_t next = p->at;

    if (!p->assigned)
        return false;
    if (p->quant) {
        /* An entry ends where `"name":` begins the next, whatever is open, and with the text. */
        if (p->last == ':')
            return false;
        next = scan_past_blank(p, next);
        char quote = parser_byte(p, next);
        bool ends = at_end(p, next)
                        ? !p->brackets && ends_expression(p->last)
                        : (quote == '\'' || quote == '"') &&
                              parser_byte(p, scan_past_blank(p, past_string(p, next))) == ':';
        p->brackets = ends ? 0 : p->brackets;
        return ends;
    }
    if (p->brackets || !p->in_body || !ends_expression(p->last))
        return false;
    next = scan_past_blank(p, next);
    char c = parser_byte(p, next);
    if (c == '}')
        return true;
    if (c != '(' && c != '[')
        return begins_word(c) && begins_assignment(p, next);
    /* In NNEF 1.0 a bracket on the same line more likely continues the expression. */
    bool apart = !parser_in_1_0(p);
    for (uint32_t i = p->at; i < next && !apart; i++)
        apart = is_line_end(parser_byte(p, i));
    return apart && begins_assignment(p, next);
}

/* The next token: a virtual one, a missing '{', or what the generated scanner finds. */
static int next_token(NNEF_YYSTYPE *value, struct parser *p)
{
    /* Memory is checked while the text is read, because then the place can be reported. */
    if (!p->stop && context_growth(p->context) <= 0) {
        p->stop = p->failed = true;
        diag_error(p->diag, (struct span){p->at, p->at}, DIAG_MEMORY_LIMIT,
                   "the document up to here takes more than %" PRId64 " bytes of memory",
                   p->context->limits.memory);
        diag_help(p->diag, "raise the limit with --max-memory.");
    }
    bool ends = !p->stop && ends_assignment(p);

    if (p->quant && !p->last) {
        p->begin = p->at;
        return QUANT;
    }
    if (!p->stop && p->declared && p->last == ')' && !p->brackets) {
        uint32_t next = scan_past_blank(p, p->at);
        if (begins_word(parser_byte(p, next)) && begins_assignment(p, next)) {
            p->begin = p->at;
            p->forgiven += !diag_full(p->diag);
            diag_error(p->diag, parser_token_span(p), DIAG_SYNTAX, "missing '{'");
            diag_label(p->diag, parser_token_span(p), "expected '{' here");
            diag_fix(p->diag, parser_token_span(p), " {");
            scan_brace(p, true);
            return '{';
        }
    }
    if (!p->stop && !ends)
        return nnef_flex_lex(value, p->scanner);
    p->assigned = false;
    p->begin = p->at;
    return ends ? VIRTUAL : NNEF_YYEOF;
}

/* The function that the generated parser calls for each token. */
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
