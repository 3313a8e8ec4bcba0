/*
 * number.c - numbers of Python in expressions
 *
 * They are doubles, while tensors have 32-bit floats: int(100 * 0.29) is 28, and would be 29.
 */
#include "convert/pnnx/convert.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Integers below are exact. */
#define WHOLE_END 0x1p53

static bool of_two(const char *function, double a, double b, struct pnnx_number *result)
{
    bool known = true;

    if (strcmp(function, "add") == 0)
        result->value = a + b;
    else if (strcmp(function, "sub") == 0)
        result->value = a - b;
    else if (strcmp(function, "mul") == 0)
        result->value = a * b;
    else if (strcmp(function, "floor_divide") == 0)
        result->value = floor(a / b);
    else if (strcmp(function, "div") == 0)
        *result = (struct pnnx_number){.value = a / b};
    else
        known = false;
    return known;
}

static bool of_one(const char *function, double a, struct pnnx_number *result)
{
    bool known = true;

    if (strcmp(function, "neg") == 0)
        result->value = -a;
    else if (strcmp(function, "floor") == 0)
        result->value = floor(a);
    else if (strcmp(function, "ceil") == 0)
        result->value = ceil(a);
    else if (strcmp(function, "trunc") == 0)
        result->value = trunc(a);
    else if (strcmp(function, "int") == 0)
        *result = (struct pnnx_number){.value = trunc(a), .whole = true};
    else
        known = false;
    return known;
}

bool number_function(const char *function, const struct pnnx_number *in, int count,
                     struct pnnx_number *result)
{
    assert(count >= 0);
    if (count < 1 || count > 2 || !(fabs(in[0].value) < WHOLE_END) ||
        !(fabs(in[count - 1].value) < WHOLE_END))
        return false;
    result->whole = in[0].whole && in[count - 1].whole;
    return (count == 2 ? of_two(function, in[0].value, in[1].value, result)
                       : of_one(function, in[0].value, result)) &&
           fabs(result->value) < WHOLE_END;
}

struct pnnx_argument *number_argument(struct pnnx_call *c, struct pnnx_number number)
{
    struct imported *imported =
        number.whole ? known_whole(c, (int64_t)number.value) : literal(&c->t, number.value);
    struct pnnx_argument *arg = tensor_argument(c->import, imported);

    if (arg) {
        arg->is_number = true;
        arg->number = number;
    }
    return arg;
}
