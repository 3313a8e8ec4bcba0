/*
 * cast.c - another data type (section 4.5.8)
 *
 * As the built-in functions convert: true is 1, whatever is not 0 is true, and a scalar loses its
 * fraction (E33).  Beyond the range of integers the nearest one is taken, 0 for what is no number.
 */
#include "op/broadcast.h"
#include "op/compute.h"

#include "base/num.h"

#include <math.h>

static void cast_item(const void *data, int64_t i)
{
    const struct eval *eval = data;
    const struct tensor *from = eval->in[0], *to = eval->out[0];
    double value = tensor_item(from, i);
    int64_t integer;

    switch (to->dtype) {
    case DTYPE_SCALAR:
        /* Rounded once: large integers are no doubles. */
        ((float *)to->data)[i] =
            from->dtype == DTYPE_INTEGER ? (float)((const int64_t *)from->data)[i] : (float)value;
        break;
    case DTYPE_INTEGER:
        /* By way of double only where one side is a scalar: integers keep all their digits. */
        if (from->dtype == DTYPE_INTEGER)
            integer = ((const int64_t *)from->data)[i];
        else if (!num_truncate(value, &integer))
            integer = isnan(value) ? 0 : value < 0 ? INT64_MIN : INT64_MAX;
        ((int64_t *)to->data)[i] = integer;
        break;
    case DTYPE_LOGICAL:
        ((unsigned char *)to->data)[i] = value != 0;
        break;
    case DTYPE_UNKNOWN:
    case DTYPE_STRING:
        break;
    }
}

static bool cast_eval(const struct eval *eval)
{
    eval_share(eval, shape_volume(&eval->out[0]->shape), cast_item, eval);
    return true;
}

DESCRIPTOR(cast, OP_ELEMENTWISE | OP_PARTIAL | OP_ANY_LAYOUT, .infer = infer_same,
           .eval = cast_eval);
