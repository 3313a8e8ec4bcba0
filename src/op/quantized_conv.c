/*
 * quantized_conv.c - convolution of quantized tensors, of the extensions
 *
 * Items less their zeros are computed as conv does it: floats hold them, and doubles the sums.
 */
#include "op/check.h"
#include "op/convolve.h"

#include "op/broadcast.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

enum { INPUT_ZERO = CONV_BIAS + 1, FILTER_ZERO, MOST_ITEM = 1 << 17 };

/* One zero for all of the input; one for all or for each channel of the filter. */
static bool quantized_conv_infer(struct infer *infer)
{
    static const struct shape number;
    const struct shape *filter = infer_in(infer, CONV_FILTER);
    const struct shape channels = {.rank = 1, .extent = {shape_extent(filter, 0)}};

    return conv_infer(infer) && infer_broadcasts_to(infer, INPUT_ZERO, &number) &&
           infer_broadcasts_to(infer, FILTER_ZERO, &channels);
}

/* An operand less its zeros, of which there is one for each part of `each` items.  NULL after a
 * report. */
static float *less_zero(const struct eval *eval, int operand, int zero)
{
    const struct tensor *x = eval->in[operand], *z = eval->in[zero];
    const int64_t count = shape_volume(&x->shape), zeros = shape_volume(&z->shape);
    const int64_t each = zeros > 1 ? count / zeros : count;
    float *items = malloc((size_t)(count > 0 ? count : 1) * sizeof *items);

    if (!items) {
        eval_no_memory(eval);
        return NULL;
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t item = ((const int64_t *)x->data)[i], less = ((const int64_t *)z->data)[i / each];
        double number = (double)item - (double)less;
        if (number <= -MOST_ITEM || number >= MOST_ITEM) {
            eval_error(eval, DIAG_ITEM_VALUE,
                       "item %" PRId64 " of '%s' is %" PRId64 ", less %" PRId64
                       ", expected at most 16 bits",
                       i, eval->node->op->name, item, less);
            free(items);
            return NULL;
        }
        items[i] = (float)number;
    }
    return items;
}

static bool quantized_conv_eval(const struct eval *eval)
{
    float *input = less_zero(eval, CONV_INPUT, INPUT_ZERO);
    float *filter = input ? less_zero(eval, CONV_FILTER, FILTER_ZERO) : NULL;
    const struct convolve_items items = {.input = input,
                                         .filter = filter,
                                         .integer_bias = eval->in[CONV_BIAS]->data,
                                         .sums = eval->out[0]->data};

    if (filter)
        convolve_items(eval, &items);
    free(input);
    free(filter);
    return filter;
}

DESCRIPTOR(quantized_conv, OP_PARTIAL | OP_PRODUCTS, .kind = "conv", .infer = quantized_conv_infer,
           .eval = quantized_conv_eval);
