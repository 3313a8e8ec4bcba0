/*
 * cast.c - another data type (section 4.5.8)
 *
 * As the built-in functions convert: true is 1, whatever is not 0 is true, and a scalar loses its
 * fraction (E33).  Beyond the range of integers the nearest one is taken, 0 for what is no number.
 */
#include "op/compute.h"

#include "base/num.h"

#include <math.h>

static bool cast_infer(struct infer *infer)
{
    infer->out[0] = *infer_in(infer, 0);
    return true;
}

static int64_t integer_of(double value)
{
    int64_t integer;

    if (num_truncate(value, &integer))
        return integer;
    if (isnan(value))
        return 0;
    return value < 0 ? INT64_MIN : INT64_MAX;
}

/* By way of double only where one side is a scalar: integers keep all their digits. */
static int64_t integer_item(const struct tensor *tensor, int64_t i)
{
    if (tensor->dtype == DTYPE_INTEGER)
        return ((const int64_t *)tensor->data)[i];
    return integer_of(tensor_item(tensor, i));
}

static void cast_item(const void *data, int64_t i)
{
    const struct eval *eval = data;
    const struct tensor *from = eval->in[0], *to = eval->out[0];

    switch (to->dtype) {
    case DTYPE_SCALAR:
        ((float *)to->data)[i] = (float)tensor_item(from, i);
        break;
    case DTYPE_INTEGER:
        ((int64_t *)to->data)[i] = integer_item(from, i);
        break;
    case DTYPE_LOGICAL:
        ((unsigned char *)to->data)[i] = tensor_item(from, i) != 0;
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

const struct op_desc op_cast = {
    OP_SIGNATURE(cast, OP_ELEMENTWISE | OP_PARTIAL | OP_ANY_LAYOUT),
    .infer = cast_infer,
    .eval = cast_eval,
};
