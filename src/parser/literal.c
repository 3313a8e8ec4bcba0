/* literal.c - values of numbers and strings (section 3.1) */
#include "parser/scan_priv.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/num.h"
#include "base/text.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One more than the largest integer; it is valid behind a minus, which ast_unary() checks. */
#define LARGEST_MAGNITUDE ((uint64_t)INT64_MAX + 1)

static const char *token_text(const struct parser *p)
{
    return p->text + (p->begin - p->base);
}

enum { SHOWN = 40 }; /* bytes of a token in a message */

/* How many bytes of the token a message shows. */
static int shown(const struct parser *p)
{
    return p->at - p->begin < SHOWN ? (int)(p->at - p->begin) : SHOWN;
}

static void out_of_range(struct parser *p, const char *what)
{
    diag_error(p->diag, parser_token_span(p), DIAG_NUMBER_RANGE, "%s '%.*s' is out of range", what,
               shown(p), token_text(p));
}

/* Digits only: a minus is a token of its own. */
uint64_t scan_integer(struct parser *p)
{
    const char *text = token_text(p);
    uint64_t value = 0;

    for (uint32_t i = 0; i < p->at - p->begin; i++) {
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (value > (LARGEST_MAGNITUDE - digit) / 10) {
            out_of_range(p, "integer");
            return 0;
        }
        value = value * 10 + digit;
    }
    return value;
}

/* '1.' and '1.e5' are accepted with a warning, but num_parse_scalar() needs a digit after the
 * point. */
double scan_scalar(struct parser *p)
{
    const char *text = token_text(p);
    size_t size = p->at - p->begin;
    double value = 0;
    const char *point = memchr(text, '.', size);
    struct text number = {0};

    if (point && (point + 1 == text + size || point[1] < '0' || point[1] > '9')) {
        uint32_t at = p->begin + (uint32_t)(point - text) + 1;
        diag_warning(p->diag, parser_token_span(p), WARNING_MISSING_FRACTION,
                     "number '%.*s' lacks digits after the point", shown(p), text);
        diag_fix(p->diag, (struct span){at, at}, "0");
        text_add(&number, "%.*s0%.*s", (int)(point + 1 - text), text,
                 (int)(text + size - point - 1), point + 1);
        text = number.data;
        size = number.size;
    }
    if (!num_parse_scalar(text, size, &value))
        out_of_range(p, "scalar");
    text_free(&number);
    return value;
}

/* A number with an exponent is a scalar, but in provisional NNEF an integer if its value is one. */
int scan_exponent(struct parser *p, uint64_t *integer, double *scalar)
{
    double value = scan_scalar(p);

    if (parser_in_1_0(p) || fmod(value, 1) != 0 || value >= (double)LARGEST_MAGNITUDE) {
        *scalar = value;
        return SCALAR;
    }
    *integer = (uint64_t)value;
    if (!p->library)
        diag_warning(p->diag, parser_token_span(p), WARNING_DIALECT,
                     "'%.*s' is an integer in provisional NNEF only", shown(p), token_text(p));
    return INTEGER;
}

/* A number may begin with a point in other languages; the fix-it adds the digit before it. */
int scan_bad_number(struct parser *p, const char *what)
{
    diag_error(p->diag, parser_token_span(p), DIAG_BAD_NUMBER, "number '%.*s' %s", shown(p),
               token_text(p), what);
    if (parser_byte(p, p->begin) == '.')
        diag_fix(p->diag, (struct span){p->begin, p->begin}, "0");
    p->stop |= diag_full(p->diag);
    return NNEF_YYerror;
}

/* Report the first fault of a string. */
static bool check_string(struct parser *p)
{
    const char *text = token_text(p);

    for (uint32_t i = 1; i < p->at - p->begin - 1; i++) {
        struct span here = {p->begin + i, p->begin + i + 1};
        unsigned char c = (unsigned char)text[i];
        if (c < ' ' || c > '~')
            return diag_error(p->diag, here, DIAG_BAD_STRING,
                              "byte 0x%02x in a string, expected printable ASCII", c);
        if (c == '\\' && text[i + 1] != text[0] && text[i + 1] != '\\') {
            diag_error(p->diag, here, DIAG_BAD_STRING, "unknown escape in a string");
            return diag_help(p->diag, "a backslash stands before %c or another backslash only.",
                             text[0]);
        }
        i += c == '\\';
    }
    return true;
}

int scan_string(struct parser *p, const char **string)
{
    const char *text = token_text(p) + 1;
    uint32_t size = p->at - p->begin - 2, count = 0;
    bool plain = true;

    assert(p->at - p->begin >= 2);
    *string = "";
    if (!check_string(p))
        return STRING;
    for (uint32_t i = 0; i < size; i++)
        plain &= text[i] != '\\';
    if (plain) {
        *string = intern(p->context->names, text, size);
        return STRING;
    }
    char *copy = heap_array(size, 1);
    for (uint32_t i = 0; i < size; i++)
        copy[count++] = text[i] == '\\' ? text[++i] : text[i];
    *string = intern(p->context->names, copy, count);
    free(copy);
    return STRING;
}

/* The string ends before the first character that more likely belongs to the text behind it. */
int scan_open_string(struct parser *p, const char **string)
{
    const char *text = token_text(p) + 1;
    size_t size = 0;

    while (size < p->at - p->begin - 1 && !strchr("\\()[]{},;#", text[size]))
        size++;
    p->at = p->begin + 1 + (uint32_t)size;
    *string = intern(p->context->names, text, size);
    diag_error(p->diag, parser_token_span(p), DIAG_BAD_STRING, "string without its closing %c",
               parser_byte(p, p->begin));
    p->stop |= diag_full(p->diag);
    return size > 0 ? STRING : NNEF_YYerror;
}
