/*
 * deconv.c - the reverse of convolution (section 4.3.1)
 *
 * output[b,k,i1,..] = bias[k] + sum over c, j1, .. of
 *     input[b, g * c/groups + c, (i1 + before1 - j1 * dilation1) / stride1, ..] *
 *     filter[g * c/groups + c, m, j1, ..]
 * over the taps for which the division is exact; m is the place of output channel k in group g.
 * The first extent of the filter is that of the input channels, the second times 'groups' the
 * output channels (E11); groups = 0 means as many groups as output_shape has channels, or the
 * input (E12).
 */
#include "op/check.h"
#include "op/convolve.h"

#include "base/num.h"
#include "diag/context.h"

#include <assert.h>
#include <inttypes.h>

static bool deconv_infer(struct infer *infer)
{
    const struct window_attrs *attrs = infer->attrs;
    const struct integers *wanted = &attrs->output_shape;
    struct window_source source;
    struct shape *out = &infer->out[0];

    assert(infer->nin == 3);
    if (!conv_source(infer, true, &source))
        return false;
    int64_t input = shape_extent(source.input, 1), batch = shape_extent(source.filter, 0);
    int64_t each = shape_extent(source.filter, 1), groups = attrs->groups;
    if (extents_differ(input, batch)) {
        infer_error(infer, "filter", DIAG_CHANNELS,
                    "filter of 'deconv' has %" PRId64 " input channels in dimension 0, "
                    "the input has %" PRId64,
                    batch, input);
        return diag_help(
            infer->graph->context->diag,
            "a filter of 'deconv' is [input channels, output channels / groups, ...].");
    }
    if (groups == 0 && extents_differ(each, 1))
        return infer_error(infer, "filter", DIAG_CHANNELS,
                           "filter of depth-wise 'deconv' has %" PRId64
                           " channels in dimension 1, expected 1",
                           each);
    if (groups <= 0)
        groups = wanted->count > 1 ? wanted->item[1] : input;
    if (!conv_check_groups(infer, groups, batch))
        return false;

    out->extent[0] = shape_extent(source.input, 0);
    out->extent[1] = EXTENT_UNKNOWN;
    if (groups != EXTENT_UNKNOWN && each != EXTENT_UNKNOWN &&
        !num_mul(each, groups, &out->extent[1]))
        return infer_error(infer, "groups", DIAG_NEGATIVE,
                           "%" PRId64 " groups of 'deconv' are too many", groups);

    /* Batch and channels do not slide: output_shape can only repeat them. */
    for (int axis = 0; axis < 2 && axis < wanted->count; axis++)
        if (extents_differ(out->extent[axis], wanted->item[axis]))
            return infer_error(infer, "output_shape", DIAG_OUTPUT_SHAPE,
                               "'output_shape' of 'deconv' has %" PRId64
                               " in dimension %d, expected %" PRId64,
                               wanted->item[axis], axis, out->extent[axis]);
    return conv_check_bias(infer, out->extent[1]) && window_infer(infer, &source, out);
}

DESCRIPTOR(deconv, OP_PARTIAL | OP_PRODUCTS, .infer = deconv_infer, .eval = conv_eval);
