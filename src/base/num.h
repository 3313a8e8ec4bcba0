/*
 * num.h - integer arithmetic without overflow, the lesser and the greater number, numbers from
 * text, and the search for near names
 */
#ifndef NNEFC_BASE_NUM_H
#define NNEFC_BASE_NUM_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each returns false and leaves *result unchanged if the result does not fit. */
static inline bool num_add(int64_t a, int64_t b, int64_t *result)
{
    int64_t sum;

    if (__builtin_add_overflow(a, b, &sum))
        return false;
    *result = sum;
    return true;
}

/* The sum of numbers from 0; INT64_MAX if it does not fit. */
static inline int64_t num_add_most(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

static inline bool num_sub(int64_t a, int64_t b, int64_t *result)
{
    int64_t difference;

    if (__builtin_sub_overflow(a, b, &difference))
        return false;
    *result = difference;
    return true;
}

static inline bool num_mul(int64_t a, int64_t b, int64_t *result)
{
    int64_t product;

    if (__builtin_mul_overflow(a, b, &product))
        return false;
    *result = product;
    return true;
}

static inline int64_t num_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t num_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/*
 * min and max of NNEF: NaN stays, whichever operand it is, and of equal operands, which zeros of
 * different signs are, it is the first (E27).
 */
static inline double num_lesser(double a, double b)
{
    return b < a || isnan(b) ? b : a;
}

static inline double num_greater(double a, double b)
{
    return b > a || isnan(b) ? b : a;
}

/* 1 / (1 + exp(-x)).  The exponent is never positive, so that no argument overflows. */
static inline double num_logistic(double x)
{
    double e = exp(-fabs(x));

    return (x < 0 ? e : 1) / (1 + e);
}

/* The quotient rounded up; b > 0. */
static inline int64_t num_divide_up(int64_t a, int64_t b)
{
    return a / b + (a % b > 0);
}

/* The least multiple of `unit` that is not below `size`. */
static inline size_t num_round_up(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

/* base ^ exponent, exponent >= 0; false and *result unchanged if it does not fit. */
bool num_pow(int64_t base, int64_t exponent, int64_t *result);

/* NNEF's conversion of a scalar to an integer: toward zero. False if it does not fit or is NaN. */
bool num_truncate(double value, int64_t *result);

/* NNEF's `round`: floor(x + 0.5) as if in exact arithmetic. */
double num_round(double value);

/* Parse all of `text` as a literal of NNEF, which may begin with a minus; false if it is none. */
bool num_parse_integer(const char *text, size_t len, int64_t *result);
bool num_parse_scalar(const char *text, size_t len, double *result);

/* Edit distance of two names, for suggestions; anything above `limit` is limit + 1. */
int num_edit_distance(const char *a, const char *b, int limit);

/* A search among candidates for the name that may have been meant by the unknown `name`. */
struct nearest {
    const char *name;
    int distance; /* of the nearest candidate so far; initially the least that is too far */
    bool unique;  /* there is a nearest candidate, and no other is as near */
};
struct nearest nearest_to(const char *name);

/* Whether `candidate` is nearer than all before it; case and '_' hardly count. */
bool nearest_take(struct nearest *search, const char *candidate);

/*
 * The nearest of many candidates, or NULL.  `candidate(index, data)` returns the names, and NULL at
 * the end; at most some thousand are tried.
 */
const char *nearest_among(struct nearest *search, const char *(*candidate)(int, const void *),
                          const void *data);

/* The same with a search of its own. */
const char *num_nearest(const char *name, const char *(*candidate)(int index, const void *data),
                        const void *data);

#endif
