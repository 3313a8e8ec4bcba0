/*
 * conv.c - convolution (section 4.3.1)
 *
 * output[b,k,i1,..] = bias[k] + sum over c, j1, .. of
 *     input[b, g * C/groups + c, i1 * stride1 + j1 * dilation1 - before1, ..] * filter[k,c,j1,..]
 * where g is the group of output channel k; groups = 0 stands for one group per input channel.
 */
#include "op/check.h"
#include "op/convolve.h"

#include "base/num.h"
#include "diag/context.h"

#include <assert.h>
#include <inttypes.h>

bool conv_infer(struct infer *infer)
{
    const struct window_attrs *attrs = infer->attrs;
    struct window_source source;
    struct shape *out = &infer->out[0];

    assert(infer->nin > CONV_BIAS);
    if (!conv_source(infer, false, &source))
        return false;
    int64_t channels = shape_extent(source.input, 1), batch = shape_extent(source.filter, 0);
    int64_t groups = attrs->groups > 0 ? attrs->groups : channels;
    int64_t each = shape_extent(source.filter, 1), all;

    out->extent[0] = shape_extent(source.input, 0);
    out->extent[1] = batch;
    if (!conv_check_groups(infer, groups, batch))
        return false;
    if (channels != EXTENT_UNKNOWN && each != EXTENT_UNKNOWN &&
        (!num_mul(each, groups, &all) || all != channels)) {
        infer_error(infer, "filter", DIAG_CHANNELS,
                    "filter of '%s' has %" PRId64 " channels in each of %" PRId64
                    " groups, the input has %" PRId64 " in all",
                    infer_name(infer), each, groups, channels);
        return diag_help(infer->graph->context->diag,
                         "a filter is [output channels, input channels / groups, ...].");
    }
    return conv_check_bias(infer, batch) && window_infer(infer, &source, out);
}

DESCRIPTOR(conv, OP_PARTIAL | OP_PRODUCTS, .infer = conv_infer, .eval = conv_eval);
