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

/* --- all items --------------------------------------------------------------------------- */

struct survey {
    const struct tolerance *tolerance;
    struct difference found;
    double share, error; /* of the worst item: |a - b| in multiples of its tolerance, |a - b| */
};

/* Add item `index`, which is `error` away from its reference b. */
static void enter(struct survey *s, int64_t index, double error, double b)
{
    struct difference *found = &s->found;

    if (error == 0)
        return;
    found->max_absolute = fmax(found->max_absolute, error);
    if (b != 0)
        found->max_relative = fmax(found->max_relative, isinf(error) ? error : error / fabs(b));
    found->beyond += is_beyond(error, b, s->tolerance);
    double share = isinf(error) ? error : error / allowed_around(b, s->tolerance);
    if (found->worst >= 0 && (share < s->share || (share == s->share && error <= s->error)))
        return;
    s->share = share;
    s->error = error;
    found->worst = index;
}

struct difference tensor_difference(const struct tensor *a, const struct tensor *b,
                                    const struct tolerance *tolerance)
{
    static const struct tolerance none = {0, 0};
    struct survey survey = {.tolerance = b->dtype == DTYPE_SCALAR ? tolerance : &none,
                            .found = {.count = shape_volume(&b->shape), .worst = -1}};

    assert(a->dtype == b->dtype && shape_equal(&a->shape, &b->shape));
    for (int64_t i = 0; i < survey.found.count; i++) {
        double item = tensor_item(b, i), error;
        if (b->dtype == DTYPE_INTEGER) {
            /* Exact up to the last rounding, which never makes 0 of a difference. */
            int64_t x = ((const int64_t *)a->data)[i], y = ((const int64_t *)b->data)[i];
            error = (double)(x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x);
        } else
            error = item_error(tensor_item(a, i), item);
        enter(&survey, i, error, item);
    }
    return survey.found;
}
