/* corners.c - see corners.h */
#include "support/corners.h"

#include "base/text.h"
#include "exec/random.h"
#include "tensor/compare.h"
#include "tensor/tensor.h"

#include <float.h>
#include <math.h>

/* Those that are not finite first. */
static const float corner[] = {NAN,    INFINITY, -INFINITY, -0.0F,   0.0F,
                               1e-40F, -1e-45F,  FLT_MIN,   -FLT_MIN};

enum { CORNERS = sizeof corner / sizeof corner[0], INFINITE = 3, ZEROS = 2, DENSITIES = 9 };

void corners_put(struct tensor *tensor, const char *name, uint64_t seed, enum corners corners)
{
    struct random random = random_stream(seed, name);
    uint64_t first = corners == CORNERS_FINITE ? INFINITE : 0;
    uint64_t end = corners == CORNERS_LARGE ? INFINITE + ZEROS : CORNERS;
    uint64_t apart = UINT64_C(1) << random_bits(&random) % DENSITIES;
    float *items = tensor->data;

    if (tensor->dtype != DTYPE_SCALAR)
        return;
    for (int64_t i = 0, count = shape_volume(&tensor->shape); i < count; i++)
        if (random_bits(&random) % apart == 0)
            items[i] = corner[first + random_bits(&random) % (end - first)];
}

static bool agrees(double found, double expected, const struct tolerance *tolerance,
                   enum corner_rule rule)
{
    const bool changed = (isnan(found) && isinf(expected)) || (isinf(found) && isnan(expected));

    return item_agrees(found, expected, tolerance) || (rule == CORNER_CHANGES && changed) ||
           (rule == CORNER_SPREADS && !isfinite(found));
}

bool corners_agree(const struct tensor *found, const struct tensor *expected,
                   const struct tolerance *tolerance, enum corner_rule rule, struct text *what)
{
    static const struct tolerance none;
    const struct tolerance *allowed = expected->dtype == DTYPE_SCALAR ? tolerance : &none;
    int64_t beyond = 0, count = shape_volume(&expected->shape);

    for (int64_t i = 0; i < count; i++) {
        double x = tensor_item(found, i), y = tensor_item(expected, i);
        if (!agrees(x, y, allowed, rule) && beyond++ == 0)
            text_add(what, "item %lld is %.9g, expected %.9g", (long long)i, x, y);
    }
    if (beyond > 0)
        text_add(what, "; %lld of %lld differ", (long long)beyond, (long long)count);
    return beyond == 0;
}
