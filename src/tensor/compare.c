/* compare.c - compares two tensors item by item */
#include "tensor/compare.h"

#include "tensor/tensor.h"

#include <assert.h>
#include <math.h>

double item_error(double a, double b)
{
    if (a == b || (isnan(a) && isnan(b)))
        return 0;
    return isnan(a) || isnan(b) ? (double)INFINITY : fabs(a - b);
}

static double allowed_around(double b, const struct tolerance *tolerance)
{
    return tolerance->absolute + tolerance->relative * fabs(b);
}

/* An infinite error is beyond every tolerance, even the infinite one around an infinity. */
static bool is_beyond(double error, double b, const struct tolerance *tolerance)
{
    return error > 0 && (isinf(error) || error > allowed_around(b, tolerance));
}

bool item_agrees(double a, double b, const struct tolerance *tolerance)
{
    return !is_beyond(item_error(a, b), b, tolerance);
}

/* Exact up to the last rounding, which never makes 0 of a difference. */
static double integer_error(const struct tensor *a, const struct tensor *b, int64_t index)
{
    int64_t x = ((const int64_t *)a->data)[index], y = ((const int64_t *)b->data)[index];

    /* An integer beyond 2^63 is more than any with a sign. */
    if ((a->is_unsigned && x < 0) != (b->is_unsigned && y < 0))
        return fabs(tensor_item(a, index) - tensor_item(b, index));
    return (double)(x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x);
}

struct difference tensor_difference(const struct tensor *a, const struct tensor *b,
                                    const struct tolerance *tolerance)
{
    static const struct tolerance none = {0, 0};
    struct difference d = {.count = shape_volume(&b->shape), .worst = -1};
    double worst_share = 0, worst_error = 0;

    assert(a->dtype == b->dtype && shape_equal(&a->shape, &b->shape));
    tolerance = b->dtype == DTYPE_SCALAR ? tolerance : &none;
    for (int64_t i = 0; i < d.count; i++) {
        double item = tensor_item(b, i), error;
        error = b->dtype == DTYPE_INTEGER ? integer_error(a, b, i)
                                          : item_error(tensor_item(a, i), item);
        if (error == 0)
            continue;
        d.max_absolute = fmax(d.max_absolute, error);
        if (item != 0)
            d.max_relative = fmax(d.max_relative, isinf(error) ? error : error / fabs(item));
        d.beyond += is_beyond(error, item, tolerance);
        /* The worst item has the largest multiple of its tolerance, then the largest error. */
        double share = isinf(error) ? error : error / allowed_around(item, tolerance);
        if (d.worst < 0 || share > worst_share || (share == worst_share && error > worst_error)) {
            worst_share = share;
            worst_error = error;
            d.worst = i;
        }
    }
    return d;
}
