/* compare.c - the difference of two tensors as clients see it (compare.h) */
#include "tensor/compare.h"

#include "api/api_priv.h"

#include <assert.h>
#include <math.h>

/* Types are compared first, then shapes, then items; the first difference decides what the
 * result tells. */
enum nnefc_status nnefc_tensor_compare(const struct nnefc_tensor *a, const struct nnefc_tensor *b,
                                       const struct nnefc_tolerance *tolerance,
                                       struct nnefc_difference *difference)
{
    if (!a || !b || !tolerance || !(tolerance->absolute >= 0 && tolerance->relative >= 0) ||
        !isfinite(tolerance->absolute) || !isfinite(tolerance->relative))
        return NNEFC_USAGE;
    const struct tensor *x = handle_tensor(a), *y = handle_tensor(b);
    const struct shape *shape = &y->shape;
    struct nnefc_difference result = {.count = shape_volume(shape), .worst = -1};

    if (x->dtype != y->dtype) {
        result.agreement = NNEFC_OTHER_TYPE;
    } else if (!shape_equal(&x->shape, shape)) {
        result.agreement = NNEFC_OTHER_SHAPE;
    } else {
        const struct tolerance allowed = {tolerance->absolute, tolerance->relative};
        const struct difference found = tensor_difference(x, y, &allowed);
        int64_t rest = found.worst; /* its index: the last dimension runs fastest */
        assert(found.beyond >= 0 && found.worst < result.count);
        result.agreement = found.beyond > 0 ? NNEFC_OTHER_ITEMS : NNEFC_AGREES;
        result.beyond = found.beyond;
        result.max_absolute = found.max_absolute;
        result.max_relative = found.max_relative;
        result.worst = found.worst;
        for (int i = shape->rank - 1; i >= 0 && found.worst >= 0; i--) {
            result.index[i] = rest % shape->extent[i];
            rest /= shape->extent[i];
        }
    }
    if (difference)
        *difference = result;
    return result.agreement == NNEFC_AGREES ? NNEFC_OK : NNEFC_DIFFERENT;
}
