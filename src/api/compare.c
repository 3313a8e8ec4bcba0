/* compare.c - the difference of two tensors as clients see it (compare.h) */
#include "tensor/compare.h"

#include "api/api_priv.h"

#include <assert.h>
#include <math.h>

/* Items of equal type and shape; the largest difference is told by its index in `b`. */
static void compare_items(const struct tensor *a, const struct tensor *b,
                          const struct nnefc_tolerance *tolerance, struct nnefc_difference *to)
{
    const struct tolerance allowed = {tolerance->absolute, tolerance->relative};
    const struct difference found = tensor_difference(a, b, &allowed);
    int64_t rest = found.worst; /* in row-major order: the last dimension runs fastest */

    assert(a->dtype == b->dtype && found.beyond >= 0);
    to->agreement = found.beyond > 0 ? NNEFC_OTHER_ITEMS : NNEFC_AGREES;
    to->beyond = found.beyond;
    to->max_absolute = found.max_absolute;
    to->max_relative = found.max_relative;
    to->worst = found.worst;
    for (int i = b->shape.rank - 1; i >= 0 && found.worst >= 0; i--) {
        to->index[i] = rest % b->shape.extent[i];
        rest /= b->shape.extent[i];
    }
}

enum nnefc_status nnefc_tensor_compare(const struct nnefc_tensor *a, const struct nnefc_tensor *b,
                                       const struct nnefc_tolerance *tolerance,
                                       struct nnefc_difference *difference)
{
    if (!a || !b || !tolerance || !(tolerance->absolute >= 0 && tolerance->relative >= 0) ||
        !isfinite(tolerance->absolute) || !isfinite(tolerance->relative))
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
