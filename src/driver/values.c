/* values.c - values of options: numbers, sizes, names and files */
#include "driver/command.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool parse_integer(const char *text, long long min, long long max, long long *value)
{
    char *end;

    assert(min <= max);
    errno = 0;
    *value = strtoll(text, &end, 10);
    return end != text && !*end && !errno && *value >= min && *value <= max;
}

bool parse_real(const char *text, double *value)
{
    char *end;

    *value = strtod(text, &end);
    return end != text && !*end && isfinite(*value);
}

/* *field stays as it is if the value is not understood. */
static bool set_int(int *field, const char *value, int min, int max)
{
    long long number;
    bool ok = parse_integer(value, min, max, &number);

    assert(min >= 0 && min <= max);
    if (ok)
        *field = (int)number;
    return ok;
}

bool set_count(void *field, char *value)
{
    return set_int(field, value, 0, INT_MAX);
}

bool set_number(void *field, char *value)
{
    return set_int(field, value, 1, INT_MAX);
}

bool set_threads(void *field, char *value)
{
    return set_int(field, value, 1, 1024);
}

bool set_seed(void *field, char *value)
{
    long long number;

    if (!value)
        return true;
    bool ok = parse_integer(value, 0, LLONG_MAX, &number);
    if (ok)
        *(uint64_t *)field = (uint64_t)number;
    return ok;
}

bool set_real(void *field, char *value)
{
    return parse_real(value, field);
}

bool set_amount(void *field, char *value)
{
    double *amount = field;

    return parse_real(value, amount) && *amount >= 0;
}

bool set_size(void *field, char *value)
{
    static const char units[] = "KMGT";
    size_t size = strlen(value), power = 0;
    const char *unit = size > 1 ? strchr(units, value[size - 1]) : NULL;
    long long number;

    if (unit) {
        power = 10 * (size_t)(unit - units + 1);
        value[size - 1] = '\0';
    }
    if (!parse_integer(value, 0, INT64_MAX >> power, &number))
        return false;
    *(int64_t *)field = number << power;
    return true;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): as the table has it */
bool set_text(void *field, char *value)
{
    *(const char **)field = value;
    return *value;
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

char *next_listed(char **rest)
{
    char *name = *rest, *to = name;

    if (!name)
        return NULL;
    for (; **rest && **rest != ','; ++*rest) {
        *rest += (*rest)[0] == '\\' && (*rest)[1] == ',';
        *to++ = **rest;
    }
    *rest = **rest ? *rest + 1 : NULL;
    *to = '\0';
    return name;
}

bool is_name(const char *begin, const char *end)
{
    static const char all[] = "0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

    return strspn(begin, all + 10) > 0 && begin + strspn(begin, all) == end;
}

/* The name is what stands before the first '=', which in models of ONNX may have any characters. */
bool set_named_file(void *field, char *value)
{
    struct named_file *named = field;
    char *equals = strchr(value, '=');

    named->file = value;
    if (equals && equals > value && *value != '.' && *value != '/') {
        *equals = '\0';
        *named = (struct named_file){value, equals + 1};
    }
    return *named->file;
}

char *cut_name(char *value)
{
    char *equals = strrchr(value, '=');

    if (!equals || equals == value)
        return NULL;
    *equals = '\0';
    return equals + 1;
}
