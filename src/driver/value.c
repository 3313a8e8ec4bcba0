/* value.c - values of options */
#include "driver/value.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool parse_integer(const char *text, long long min, long long max, long long *value)
{
    char *end;

    errno = 0;
    *value = strtoll(text, &end, 10);
    return end != text && !*end && !errno && *value >= min && *value <= max;
}

bool parse_count(const char *text, int min, int *count)
{
    long long value;
    bool ok = parse_integer(text, min, INT_MAX, &value);

    if (ok)
        *count = (int)value;
    return ok;
}

bool parse_seed(const char *text, uint64_t *seed)
{
    long long value;
    bool ok = parse_integer(text, 0, LLONG_MAX, &value);

    if (ok)
        *seed = (uint64_t)value;
    return ok;
}

int parse_word(const char *text, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], text) == 0)
            return i;
    return -1;
}

char *next_part(char **rest, char separator)
{
    char *part = *rest;
    char *end = part ? strchr(part, separator) : NULL;

    *rest = end ? end + 1 : NULL;
    if (end)
        *end = '\0';
    return part;
}

char *next_item(char **rest)
{
    return next_part(rest, ',');
}

bool is_name(const char *begin, const char *end)
{
    const char *letters = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t head = strspn(begin, letters);
    size_t tail = strspn(begin, "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");

    return head > 0 && begin + tail == end;
}

struct named_file split_name(char *value)
{
    char *equals = strchr(value, '=');

    if (!equals || equals == value || *value == '.' || *value == '/')
        return (struct named_file){NULL, value};
    *equals = '\0';
    return (struct named_file){value, equals + 1};
}

struct named_file split_any_name(char *value)
{
    char *equals = strrchr(value, '=');

    if (!equals || equals == value)
        return (struct named_file){NULL, value};
    *equals = '\0';
    return (struct named_file){value, equals + 1};
}

bool parse_size(const char *text, int64_t *value)
{
    static const char units[] = "KMGT";
    long long number;
    char digits[32];
    size_t size = strlen(text), power = 0;
    const char *unit = size > 1 && size < sizeof digits ? strchr(units, text[size - 1]) : NULL;

    if (unit && *unit) {
        memcpy(digits, text, size - 1);
        digits[size - 1] = '\0';
        text = digits;
        power = 10 * (size_t)(unit - units + 1);
    }
    if (!parse_integer(text, 0, INT64_MAX >> power, &number))
        return false;
    *value = number << power;
    return true;
}

bool parse_amount(const char *text, double *value)
{
    char *end;

    *value = strtod(text, &end);
    return end != text && !*end && isfinite(*value) && *value >= 0;
}
