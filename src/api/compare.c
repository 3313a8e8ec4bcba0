/* compare.c - the difference of two tensors as clients see it */
#include "tensor/compare.h"

#include "api/api_priv.h"

#include <math.h>

static bool is_tolerance(const struct nnefc_tolerance *tolerance)
{
    return tolerance && tolerance->absolute >= 0 && tolerance->relative >= 0 &&
           isfinite(tolerance->absolute) && isfinite(tolerance->relative);
}

static void set_index(struct nnefc_difference *difference, const struct shape *shape)
{
    int64_t rest = difference->worst;

    for (int i = shape->rank - 1; i >= 0; i--) {
        difference->index[i] = rest % shape->extent[i];
        rest /= shape->extent[i];
    }
}

static void compare_items(const struct tensor *a, const struct tensor *b,
                          const struct nnefc_tolerance *tolerance, struct nnefc_difference *to)
{
    const struct tolerance allowed = {tolerance->absolute, tolerance->relative};
    struct difference found = tensor_difference(a, b, &allowed);

    to->agreement = found.beyond > 0 ? NNEFC_OTHER_ITEMS : NNEFC_AGREES;
    to->beyond = found.beyond;
    to->max_absolute = found.max_absolute;
    to->max_relative = found.max_relative;
    to->worst = found.worst;
    if (found.worst >= 0)
        set_index(to, &b->shape);
}

enum nnefc_status nnefc_tensor_compare(const struct nnefc_tensor *a, const struct nnefc_tensor *b,
                                       const struct nnefc_tolerance *tolerance,
                                       struct nnefc_difference *difference)
{
    if (!a || !b || !is_tolerance(tolerance))
        return NNEFC_USAGE;
    const struct tensor *x = handle_tensor(a), *y = handle_tensor(b);
    struct nnefc_difference found = {.count = shape_volume(&y->shape), .worst = -1};

    if (x->dtype != y->dtype)
        found.agreement = NNEFC_OTHER_TYPE;
    else if (!shape_equal(&x->shape, &y->shape))
        found.agreement = NNEFC_OTHER_SHAPE;
    else
        compare_items(x, y, tolerance, &found);
    if (difference)
        *difference = found;
    return found.agreement == NNEFC_AGREES ? NNEFC_OK : NNEFC_DIFFERENT;
}
