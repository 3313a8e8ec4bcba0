/* compare.c - the difference of two tensors, item by item */
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

/* An infinite error is beyond what is allowed around an infinity, too. */
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
    double share, error; /* of the worst item: of its tolerance, and as it is */
};

static void see_whether_worst(struct survey *s, int64_t index, double error, double b)
{
    double share = isinf(error) ? error : error / allowed_around(b, s->tolerance);

    if (s->found.worst >= 0 && (share < s->share || (share == s->share && error <= s->error)))
        return;
    s->share = share;
    s->error = error;
    s->found.worst = index;
}

static void enter(struct survey *s, int64_t index, double error, double b)
{
    struct difference *found = &s->found;

    if (error == 0)
        return;
    found->max_absolute = fmax(found->max_absolute, error);
    if (b != 0)
        found->max_relative = fmax(found->max_relative, isinf(error) ? error : error / fabs(b));
    found->beyond += is_beyond(error, b, s->tolerance);
    see_whether_worst(s, index, error, b);
}

/* Exact up to the last rounding, which never makes 0 of a difference. */
static double integer_error(int64_t a, int64_t b)
{
    return (double)(a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a);
}

static void survey_items(struct survey *s, const struct tensor *a, const struct tensor *b)
{
    for (int64_t i = 0; i < s->found.count; i++) {
        double item = tensor_item(b, i);
        enter(s, i, item_error(tensor_item(a, i), item), item);
    }
}

struct difference tensor_difference(const struct tensor *a, const struct tensor *b,
                                    const struct tolerance *tolerance)
{
    static const struct tolerance none = {0, 0};
    struct survey survey = {.tolerance = b->dtype == DTYPE_SCALAR ? tolerance : &none,
                            .found = {.count = shape_volume(&b->shape), .worst = -1}};

    assert(a->dtype == b->dtype && shape_equal(&a->shape, &b->shape));
    if (b->dtype == DTYPE_INTEGER) {
        const int64_t *x = a->data, *y = b->data;
        for (int64_t i = 0; i < survey.found.count; i++)
            enter(&survey, i, integer_error(x[i], y[i]), (double)y[i]);
    } else
        survey_items(&survey, a, b);
    return survey.found;
}
