/*
 * convolve.c - what conv and deconv share (section 4.3.1)
 *
 * An output channel of group g sums over the input channels of group g, and over the taps of its
 * filter.  Both operations are computed from the side of the result, so that each output is
 * written once, by one thread; they differ in which input a tap reads and where in the filter
 * the weights of a channel lie.
 */
#include "op/convolve.h"

#include "base/num.h"
#include "diag/context.h"
#include "op/check.h"
#include "op/compute.h"
#include "op/sweep.h"

#include <assert.h>
#include <inttypes.h>

/* --- checks ----------------------------------------------------------------------------- */

bool conv_source(const struct infer *infer, bool reverse, struct window_source *source)
{
    const struct window_attrs *attrs = infer->attrs;
    const struct shape *input = infer_in(infer, CONV_INPUT);
    const struct shape *filter = infer_in(infer, CONV_FILTER);

    *source = (struct window_source){.attrs = attrs,
                                     .input = input,
                                     .filter = filter,
                                     .first = 2,
                                     .rank = input->rank,
                                     .reverse = reverse};
    /* 0, which means one group per channel, came with NNEF 1.0. */
    if (infer->graph->provisional && attrs->groups <= 0)
        return infer_error(infer, "groups", DIAG_NEGATIVE,
                           "'groups' of '%s' is %" PRId64
                           ", expected 1 or more in the provisional dialect",
                           infer_name(infer), attrs->groups);

    /* The provisional dialect implies trailing ones: the longest argument gives the rank. */
    if (infer->graph->provisional) {
        int64_t items =
            num_max(attrs->padding.count, num_max(attrs->stride.count, attrs->dilation.count));
        source->rank = (int)num_max(num_max(input->rank, filter->rank), 2 + items);
        if (!check_rank_limit(infer, source->rank))
            return false;
    } else if (input->rank < 2) {
        return infer_error(infer, "input", DIAG_RANK,
                           "input of '%s' has rank %d, expected batch and channel dimensions",
                           infer_name(infer), input->rank);
    } else if (filter->rank != input->rank) {
        infer_error(infer, "filter", DIAG_RANK,
                    "filter of '%s' has rank %d, expected rank %d of the input", infer_name(infer),
                    filter->rank, input->rank);
        return diag_help(
            infer->graph->context->diag,
            "a filter has two dimensions of channels and then one for each that the window "
            "slides along.");
    }
    for (int i = 2; i < filter->rank; i++)
        if (filter->extent[i] == 0)
            return infer_error(infer, "filter", DIAG_EXTENT,
                               "filter of '%s' has shape %s, expected positive extents to slide",
                               infer_name(infer), SHAPE_TEXT(filter));
    return window_check_counts(infer, source);
}

bool conv_check_groups(const struct infer *infer, int64_t groups, int64_t batch)
{
    assert(infer->nin > CONV_BIAS);
    if (groups == EXTENT_UNKNOWN || batch == EXTENT_UNKNOWN || (groups > 0 && batch % groups == 0))
        return true;
    return infer_error(infer, "groups", DIAG_NOT_DIVISIBLE,
                       "%" PRId64 " groups of '%s' do not divide extent %" PRId64
                       " of the filter in dimension 0",
                       groups, infer_name(infer), batch);
}

bool conv_check_bias(const struct infer *infer, int64_t channels)
{
    const struct shape *bias = infer_in(infer, CONV_BIAS);
    bool ok = true;

    for (int i = 0; i < bias->rank; i++)
        ok &= !extents_differ(bias->extent[i], 1) ||
              (i == 1 && !extents_differ(bias->extent[i], channels));
    if (ok)
        return true;
    infer_error(infer, "bias", DIAG_BIAS_SHAPE,
                "bias of '%s' has shape %s, expected [1,%" PRId64 "]", infer_name(infer),
                SHAPE_TEXT(bias), channels);
    return diag_help(
        infer->graph->context->diag,
        "a bias has the batch extent 1 and then one item for each channel of the output.");
}

/* --- kernel ----------------------------------------------------------------------------- */

struct convolution {
    struct window window;
    struct convolve_items items;
    int64_t group_in, group_out; /* channels per group */
    int64_t channels_in, channels_out;
    int64_t rows, row_size; /* of an output plane */
    int64_t plane;          /* items of an input plane */
    int64_t row_taps, taps; /* of the filter */
    int64_t bias_step;
};

/* Where one output row comes from. */
struct channel_row {
    const float *input;  /* plane of the first channel of the group */
    const float *filter; /* weights of that channel */
    int64_t filter_step; /* to the weights of the next */
    int64_t number;      /* of the row in its plane */
    double bias;
};

/* Add one combination of the outer taps with all taps of the last dimension, over all channels of
 * the group. */
static void add_taps(const struct convolution *c, const struct channel_row *row,
                     const struct sweep *sweep, struct block *block)
{
    const float *input = row->input + sweep->in;

    for (int64_t tap = 0; tap < c->row_taps; tap++) {
        struct span_taps span = block_span(block, tap);
        const float *filter = row->filter + sweep->number * c->row_taps + tap;
        for (int64_t i = 0; i < c->group_in; i++)
            block_add(block, &span, input + i * c->plane, (double)filter[i * row->filter_step]);
    }
}

static double bias_of(const struct convolution *c, int64_t channel)
{
    const int64_t at = channel * c->bias_step;

    return c->items.integer_bias ? (double)c->items.integer_bias[at] : (double)c->items.bias[at];
}

/* Rows are numbered over batches, output channels, and rows of a plane. */
static void convolve_row(const void *data, int64_t number)
{
    const struct convolution *c = data;
    int64_t plane = number / c->rows;
    int64_t batch = plane / c->channels_out, channel = plane % c->channels_out;
    int64_t group = channel / c->group_out, from = group * c->group_in;
    struct channel_row row = {.input = c->items.input + (batch * c->channels_in + from) * c->plane,
                              .number = number % c->rows,
                              .bias = bias_of(c, channel)};
    const int64_t first = number * c->row_size;
    struct block block;
    struct sweep sweep;

    /* A filter of deconv begins with the input channel, one of conv with the output channel. */
    assert(number >= 0 && c->group_in >= 0);
    if (c->window.reverse) {
        row.filter = c->items.filter + (from * c->group_out + channel % c->group_out) * c->taps;
        row.filter_step = c->group_out * c->taps;
    } else {
        row.filter = c->items.filter + channel * c->group_in * c->taps;
        row.filter_step = c->taps;
    }
    for (int64_t begin = 0; begin < c->row_size; begin = block.end) {
        block_begin(&block, &c->window, begin, row.bias);
        sweep_begin(&sweep, &c->window, row.number);
        do
            if (sweep.in != OUTSIDE)
                add_taps(c, &row, &sweep, &block);
        while (sweep_next(&sweep));
        for (int64_t i = begin; i < block.end; i++)
            if (c->items.sums)
                c->items.sums[first + i] = (int64_t)block.sum[i - begin];
            else
                c->items.output[first + i] = (float)block.sum[i - begin];
    }
}

void convolve_items(const struct eval *eval, const struct convolve_items *items)
{
    const struct shape *input = &eval->in[CONV_INPUT]->shape, *out = &eval->out[0]->shape;
    const struct shape *filter = &eval->in[CONV_FILTER]->shape;
    bool reverse = eval->node->op->id == OP_deconv;
    struct window_source source = {eval->attrs, input, filter, 2, out->rank, reverse};

    if (shape_volume(out) == 0)
        return;
    struct convolution c = {.window = window_of(&source, out),
                            .items = *items,
                            .channels_in = shape_extent(input, 1),
                            .channels_out = shape_extent(out, 1)};
    int64_t groups = conv_groups(input, filter, out, reverse);

    assert(groups > 0 && c.channels_in % groups == 0 && c.channels_out % groups == 0);
    c.group_in = c.channels_in / groups;
    c.group_out = c.channels_out / groups;
    c.rows = sweep_rows(&c.window);
    c.row_size = c.window.dim[c.window.rank - 1].out;
    c.row_taps = c.window.dim[c.window.rank - 1].size;
    c.plane = shape_volume_range(input, 2, input->rank);
    c.taps = shape_volume_range(filter, 2, filter->rank);
    c.bias_step = shape_extent(&eval->in[CONV_BIAS]->shape, 1) == 1 ? 0 : 1;
    eval_share(eval, out->extent[0] * c.channels_out * c.rows, convolve_row, &c);
}

bool conv_eval(const struct eval *eval)
{
    const struct convolve_items items = {.input = eval->in[CONV_INPUT]->data,
                                         .filter = eval->in[CONV_FILTER]->data,
                                         .bias = eval->in[CONV_BIAS]->data,
                                         .output = eval->out[0]->data};

    convolve_items(eval, &items);
    return true;
}
