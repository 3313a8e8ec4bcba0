/*
 * deform_conv.c - convolution whose taps are moved by numbers that are computed (nnefc-ext.nnef)
 *
 * Tap k of output o reads the input at o * stride + k * dilation - before + offset, interpolated
 * between its neighbours, of which those beyond the input are 0; that counts 'mask' times.  Both
 * are the same for the channels of an offset group.
 */
#include "op/check.h"
#include "op/compute.h"
#include "op/convolve.h"
#include "op/interpolate.h"

#include "base/num.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { OFFSET = CONV_BIAS + 1, MASK };

/* --- shape rule ----------------------------------------------------------------------------- */

/* An operand has that many numbers for each window; one number may be the whole mask. */
static bool check_numbers(const struct infer *infer, int index, int64_t numbers)
{
    struct shape expected = infer->out[0];

    expected.extent[1] = numbers;
    return check_shape(infer, index, &expected, index == MASK);
}

static bool check_channels(const struct infer *infer, const struct window_source *source)
{
    const struct window_attrs *attrs = infer->attrs;
    int64_t channels = source->input->extent[1], all;

    if (!num_mul(source->filter->extent[1], attrs->groups, &all) || all != channels)
        return infer_error(infer, "filter", DIAG_CHANNELS,
                           "filter of '%s' has %" PRId64 " channels in each of %" PRId64
                           " groups, the input has %" PRId64 " in all",
                           infer_name(infer), source->filter->extent[1], attrs->groups, channels);
    return channels % attrs->offset_groups == 0 ||
           infer_error(infer, "offset_groups", DIAG_NOT_DIVISIBLE,
                       "%" PRId64 " offset groups of '%s' do not divide %" PRId64 " channels",
                       attrs->offset_groups, infer_name(infer), channels);
}

static bool deform_conv_infer(struct infer *infer)
{
    const struct window_attrs *attrs = infer->attrs;
    struct window_source source;
    struct shape *out = &infer->out[0];
    int64_t taps, numbers;

    if (!check_rank(infer, CONV_INPUT, 3, true) || !conv_source(infer, false, &source))
        return false;
    *out = *source.input;
    out->extent[1] = source.filter->extent[0];
    if (!check_channels(infer, &source) ||
        !conv_check_groups(infer, attrs->groups, out->extent[1]) ||
        !conv_check_bias(infer, out->extent[1]) || !window_infer(infer, &source, out))
        return false;
    taps = shape_volume_range(source.filter, 2, source.filter->rank);
    if (!num_mul(taps, attrs->offset_groups, &taps) ||
        !num_mul(taps, source.input->rank - 2, &numbers))
        numbers = taps = INT64_MAX;
    return check_numbers(infer, OFFSET, numbers) && check_numbers(infer, MASK, taps);
}

/* --- kernel ----------------------------------------------------------------------------------- */

/* Windows that are summed up together; a block is every so many of such lots, with a room of its
 * own. */
enum { LOT = 16, BLOCKS = 64 };

struct deformation {
    const struct eval *eval;
    struct window window;
    int64_t channels_in, channels_out, groups, offset_groups;
    int64_t taps;
    int64_t plane_in, plane_out;
    int64_t blocks;
    double
        *columns; /* of each block: what the taps of each channel read, for all windows of a lot */
};

/* The neighbours that tap `tap` of an offset group has for window `o` of batch `batch`: all is the
 * same from two items beyond the input on. */
static void move_tap(const struct deformation *d, int64_t batch, int64_t o, int64_t tap,
                     struct neighbours *near)
{
    const int rank = d->window.rank;
    const int64_t numbers = d->offset_groups * d->taps * rank;
    const float *offset = (const float *)d->eval->in[OFFSET]->data +
                          (batch * numbers + tap * rank) * d->plane_out + o;
    int64_t rest = tap % d->taps;

    for (int i = rank - 1; i >= 0; i--) {
        const struct window_dim *dim = &d->window.dim[i];
        int64_t place = o % dim->out * dim->stride - dim->before + rest % dim->size * dim->dilation;
        double at = (double)place + (double)offset[i * d->plane_out];
        near[i] = neighbours_of(fmin(fmax(at, -2), (double)dim->in + 1), BORDER_CONSTANT, dim->in,
                                dim->pitch);
        o /= dim->out;
        rest /= dim->size;
    }
}

/* What all taps of all channels read for a window, as one of a lot. */
static void fill_columns(const struct deformation *d, int64_t batch, int64_t o, double *columns)
{
    const struct tensor *mask = d->eval->in[MASK];
    const float *input = d->eval->in[CONV_INPUT]->data, *factor = mask->data;
    const int64_t each = d->channels_in / d->offset_groups;
    struct neighbours near[MAX_RANK];

    for (int64_t tap = 0; tap < d->offset_groups * d->taps; tap++) {
        int64_t at = (batch * d->offset_groups * d->taps + tap) * d->plane_out + o;
        double share = (double)factor[mask->shape.rank > 0 ? at : 0];
        move_tap(d, batch, o, tap, near);
        for (int64_t i = 0; i < each; i++) {
            int64_t channel = tap / d->taps * each + i;
            const float *map = input + (batch * d->channels_in + channel) * d->plane_in;
            columns[(channel * d->taps + tap % d->taps) * LOT] =
                share * interpolate(map, near, d->window.rank);
        }
    }
}

/* An output channel of `count` windows, of which the result has the first at `out`. */
static void sum_lot(const struct deformation *d, int64_t channel, int count, const double *columns,
                    float *out)
{
    const struct tensor *bias = d->eval->in[CONV_BIAS];
    const int64_t length = d->channels_in / d->groups * d->taps;
    const float *filter = (const float *)d->eval->in[CONV_FILTER]->data + channel * length;
    const double *column = columns + channel / (d->channels_out / d->groups) * length * LOT;
    double sum[LOT];

    for (int k = 0; k < LOT; k++)
        sum[k] = (double)((const float *)bias->data)[shape_volume(&bias->shape) > 1 ? channel : 0];
    for (int64_t i = 0; i < length; i++, column += LOT)
        for (int k = 0; k < LOT; k++)
            sum[k] += (double)filter[i] * column[k];
    for (int k = 0; k < count; k++)
        out[k] = (float)sum[k];
}

/* Lots of windows are numbered over batches and the places of a plane. */
static void convolve_block(const void *data, int64_t block)
{
    const struct deformation *d = data;
    const int64_t lots = num_divide_up(d->plane_out, LOT);
    double *columns = d->columns + block * (d->channels_in * d->taps + 1) * LOT;

    assert(block >= 0 && block < d->blocks);
    for (int64_t lot = block; lot < d->eval->out[0]->shape.extent[0] * lots; lot += d->blocks) {
        int64_t batch = lot / lots, o = lot % lots * LOT;
        int count = (int)num_min(d->plane_out - o, LOT);
        float *out = (float *)d->eval->out[0]->data + batch * d->channels_out * d->plane_out + o;
        for (int k = 0; d->plane_in > 0 && k < count; k++)
            fill_columns(d, batch, o + k, columns + k);
        for (int64_t c = 0; c < d->channels_out; c++)
            sum_lot(d, c, count, columns, out + c * d->plane_out);
    }
}

static bool deform_conv_eval(const struct eval *eval)
{
    const struct window_attrs *attrs = eval->attrs;
    const struct shape *input = &eval->in[CONV_INPUT]->shape, *out = &eval->out[0]->shape;
    const struct shape *filter = &eval->in[CONV_FILTER]->shape;
    const struct window_source source = {eval->attrs, input, filter, 2, out->rank, false};
    struct deformation d = {.eval = eval,
                            .groups = attrs->groups,
                            .offset_groups = attrs->offset_groups,
                            .channels_in = input->extent[1],
                            .channels_out = out->extent[1],
                            .taps = shape_volume_range(filter, 2, filter->rank),
                            .plane_in = shape_volume_range(input, 2, input->rank),
                            .plane_out = shape_volume_range(out, 2, out->rank)};

    if (shape_volume(out) == 0)
        return true;
    d.window = window_of(&source, out);
    d.blocks = num_min(out->extent[0] * num_divide_up(d.plane_out, LOT), BLOCKS);
    d.columns =
        calloc((size_t)d.blocks, ((size_t)(d.channels_in * d.taps) + 1) * LOT * sizeof(double));
    if (!d.columns)
        return eval_no_memory(eval);
    eval_share(eval, d.blocks, convolve_block, &d);
    free(d.columns);
    return true;
}

DESCRIPTOR(deform_conv, OP_PRODUCTS, .infer = deform_conv_infer, .eval = deform_conv_eval);
