/* literal.c - items of constants as literals of the text */
#include "ir/graph.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The double of fewest digits that rounds to `item`: 0.1 and not 0.100000001490116.  A power of 2
 * stays as it is, since integers are split at it: 4294967296, not 4294967300, to any reader. */
static double shortest(float item)
{
    char digits[32];
    int exponent;

    if (fabsf(frexpf(item, &exponent)) == 0.5F)
        return (double)item;
    for (int precision = 6; precision < 9; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, (double)item);
        if (strtof(digits, NULL) == item)
            return strtod(digits, NULL);
    }
    return (double)item;
}

struct datum item_literal(const struct tensor *tensor, int64_t index)
{
    double item = tensor_item(tensor, index);

    assert(index >= 0);
    switch (tensor->dtype) {
    case DTYPE_SCALAR:
        return (struct datum){.kind = DATUM_SCALAR, .scalar = shortest((float)item)};
    case DTYPE_INTEGER:
        return (struct datum){.kind = DATUM_INTEGER,
                              .integer = ((const int64_t *)tensor->data)[index]};
    case DTYPE_LOGICAL:
        return (struct datum){.kind = DATUM_LOGICAL, .logical = item != 0};
    case DTYPE_UNKNOWN:
    case DTYPE_STRING:
        break;
    }
    return (struct datum){0};
}

bool value_is_literal(const struct value *value)
{
    return value->kind == VALUE_CONSTANT && !value->name && value->shape->rank == 0;
}

struct datum value_literal(const struct value *value)
{
    assert(value_is_literal(value));
    return item_literal(value->source->tensor, 0);
}
