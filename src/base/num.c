/*
 * num.c - integer arithmetic without overflow, numbers from text (NNEF 1.0.5, 3.1), near names
 *
 * Parsing does not depend on the locale of the process: strtod() gets a decimal as an integer with
 * an exponent, never with a decimal point.
 */
#include "base/num.h"

#include "base/text.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool num_pow(int64_t base, int64_t exponent, int64_t *result)
{
    int64_t power = 1;

    assert(exponent >= 0);
    while (exponent > 0) {
        if (exponent % 2 && !num_mul(power, base, &power))
            return false;
        exponent /= 2;
        if (exponent && !num_mul(base, base, &base))
            return false;
    }
    *result = power;
    return true;
}

bool num_truncate(double value, int64_t *result)
{
    /* Both bounds are exact; INT64_MAX itself is no double. */
    if (!(value >= -0x1p63 && value < 0x1p63))
        return false;
    *result = (int64_t)value;
    return true;
}

/*
 * x + 0.5 may round up in floating point, x - floor(x) may not where it matters: it is exact but
 * for tiny negative x, where it is near 1.
 */
double num_round(double value)
{
    double below = floor(value);

    return below + (value - below >= 0.5 ? 1.0 : 0.0);
}

static size_t skip_digits(const char *text, size_t at, size_t len)
{
    while (at < len && (text[at] >= '0' && text[at] <= '9'))
        at++;
    return at;
}

bool num_parse_integer(const char *text, size_t len, int64_t *result)
{
    bool negative = len > 0 && text[0] == '-';
    size_t at = negative;
    int64_t value = 0;

    if (at == len || skip_digits(text, at, len) != len)
        return false;
    /* Downward, because there is one negative number more. */
    for (; at < len; at++)
        if (!num_mul(value, 10, &value) || !num_sub(value, text[at] - '0', &value))
            return false;
    if (!negative && !num_sub(0, value, &value))
        return false;
    *result = value;
    return true;
}

/* A decimal literal taken apart: text[begin..point) . text[point..end), times 10 ^ exponent. */
struct decimal {
    size_t begin, point, end;
    int64_t exponent;
    bool negative;
};

/* Take a literal apart; false if it is none. */
static bool scan_decimal(const char *text, size_t len, struct decimal *d)
{
    const int64_t largest = INT64_C(1) << 50; /* beyond it, not even a text of 4 GiB matters */

    *d = (struct decimal){.negative = len > 0 && text[0] == '-'};
    d->begin = d->negative;
    d->point = d->end = skip_digits(text, d->begin, len);
    if (d->point == d->begin)
        return false;
    if (d->end < len && text[d->end] == '.') {
        d->end = skip_digits(text, d->end + 1, len);
        if (d->end == d->point + 1)
            return false;
    }
    if (d->end == len)
        return true;
    if (text[d->end] != 'e' && text[d->end] != 'E')
        return false;
    size_t at = d->end + 1;
    at += at < len && text[at] == '+';
    size_t digits = at + (at < len && text[at] == '-' && text[at - 1] != '+');
    if (digits == len || skip_digits(text, digits, len) != len)
        return false;
    bool fits = num_parse_integer(text + at, len - at, &d->exponent);
    if (!fits || d->exponent > largest || d->exponent < -largest)
        d->exponent = text[at] == '-' ? -largest : largest;
    return true;
}

/* The number of digits after the point. */
static int64_t decimal_places(const struct decimal *d)
{
    return d->end > d->point ? (int64_t)(d->end - d->point) - 1 : 0;
}

/* Few digits and a small power of ten: both are doubles, so one rounding gives the right result. */
static bool decimal_exact(const char *text, const struct decimal *d, double *value)
{
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    int64_t exponent = d->exponent - decimal_places(d);
    int64_t digits = 0;

    if (d->end - d->begin > 16 || exponent < -22 || exponent > 22)
        return false;
    for (size_t i = d->begin; i < d->end; i++)
        if (i != d->point)
            digits = digits * 10 + (text[i] - '0');
    if (digits > INT64_C(1) << 53)
        return false;
    *value = exponent < 0 ? (double)digits / power[-exponent] : (double)digits * power[exponent];
    return true;
}

bool num_parse_scalar(const char *text, size_t len, double *result)
{
    struct decimal d;
    double value;

    if (!scan_decimal(text, len, &d))
        return false;
    if (!decimal_exact(text, &d, &value)) {
        size_t whole = d.point - d.begin, places = (size_t)decimal_places(&d);
        struct text digits = {0};
        text_add_bytes(&digits, text + d.begin, whole);
        text_add_bytes(&digits, text + d.end - places, places);
        text_add(&digits, "e%" PRId64, d.exponent - (int64_t)places);
        value = strtod(digits.data, NULL);
        text_free(&digits);
    }
    if (isinf(value))
        return false;
    *result = d.negative ? -value : value;
    return true;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

enum { LONGEST_NAME = 63, NAMES_COMPARED = 10000 };

/*
 * The least number of insertions, deletions, replacements and swaps of neighbours that turn `a`
 * into `b`.  `row` holds the distances of prefixes of `a`, of the last three lengths, to all
 * prefixes of `b`.
 */
static int distance(const char *a, int a_len, const char *b, int b_len)
{
    int row[3][LONGEST_NAME + 1] = {{0}};

    assert(a_len <= LONGEST_NAME && b_len <= LONGEST_NAME);
    for (int j = 0; j <= b_len; j++)
        row[0][j] = j;
    for (int i = 1; i <= a_len; i++) {
        int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= b_len; j++) {
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            now[j] = swapped ? least(now[j], before[j - 2] + 1) : now[j];
        }
    }
    return row[a_len % 3][b_len];
}

int num_edit_distance(const char *a, const char *b, int limit)
{
    size_t a_len = strlen(a), b_len = strlen(b);

    assert(limit >= 0);
    if (strcmp(a, b) == 0)
        return 0;
    if (a_len > LONGEST_NAME || b_len > LONGEST_NAME || abs((int)a_len - (int)b_len) > limit)
        return limit + 1;
    return least(distance(a, (int)a_len, b, (int)b_len), limit + 1);
}

/* The next character of a name that is not '_', in lower case. */
static char next_folded(const char **name)
{
    char c = **name;

    while (c == '_')
        c = *++*name;
    *name += c != '\0';
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

struct nearest nearest_to(const char *name)
{
    /* One mistake in three letters is near.  Two names of one letter are never near. */
    size_t len = strlen(name);

    return (struct nearest){name, (int)(len > LONGEST_NAME ? LONGEST_NAME : len) / 3 + 1, false};
}

bool nearest_take(struct nearest *search, const char *candidate)
{
    int d = num_edit_distance(search->name, candidate, search->distance);

    assert(search->distance >= 0 && candidate);
    if (d > 1 && search->distance > 1) {
        /* "MaxPool" and "max_pool" are one name, written in different styles. */
        const char *a = search->name, *b = candidate;
        char c = next_folded(&a);
        while (c && c == next_folded(&b))
            c = next_folded(&a);
        d = c == '\0' && next_folded(&b) == '\0' ? 1 : d;
    }
    if (d == 0 || d > search->distance)
        return false;
    search->unique &= d < search->distance;
    if (d == search->distance)
        return false;
    search->distance = d;
    return search->unique = true;
}

const char *nearest_among(struct nearest *search, const char *(*candidate)(int, const void *),
                          const void *data)
{
    const char *nearest = NULL, *other;

    for (int i = 0; i < NAMES_COMPARED && (other = candidate(i, data)); i++)
        if (nearest_take(search, other))
            nearest = other;
    return nearest;
}

const char *num_nearest(const char *name, const char *(*candidate)(int index, const void *data),
                        const void *data)
{
    struct nearest search = nearest_to(name);

    return nearest_among(&search, candidate, data);
}
