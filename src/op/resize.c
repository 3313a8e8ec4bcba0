/*
 * resize.c - up and down-sampling by whole factors (section 4.3.4)
 *
 * Batch and channels stay, items of 'factor' belong to the spatial dimensions.
 * nearest_downsample:   output[i] = input[i * factor]
 * area_downsample:      the mean of the factor items that become one
 * nearest_upsample:     output[i] = input[i / factor], rounded down
 * multilinear_upsample: weighs the neighbours of coordinate i / factor (asymmetric),
 *     (i - (factor - 1) / 2) / factor (symmetric), or i * (x - 1) / (x * factor - 1) (aligned)
 */
#include "op/check.h"
#include "op/compute.h"
#include "op/interpolate.h"
#include "op/op_build.h"
#include "op/remap.h"
#include "op/window.h"

#include "base/num.h"

#include <assert.h>
#include <inttypes.h>

int64_t resize_factor(const struct resize_attrs *attrs, int axis)
{
    assert(axis >= 0);
    return axis < 2 ? 1 : integers_at(&attrs->factor, axis - 2);
}

/* --- shapes ----------------------------------------------------------------------------- */

static bool check_factors(const struct infer *infer, struct shape *out)
{
    const struct resize_attrs *attrs = infer->attrs;
    int needed = 2 + attrs->factor.count;

    *out = *infer_in(infer, 0);
    if (!infer->graph->provisional && out->rank < 2)
        return infer_error(infer, "input", DIAG_RANK,
                           "input of '%s' has rank %d, expected batch and channel dimensions",
                           infer_name(infer), out->rank);
    if (!infer->graph->provisional)
        return check_count(infer, "factor", attrs->factor.count, out->rank - 2);
    if (!check_rank_limit(infer, needed))
        return false;
    for (; out->rank < needed; out->rank++)
        out->extent[out->rank] = 1;
    return true;
}

static bool downsample_infer(struct infer *infer)
{
    const struct resize_attrs *attrs = infer->attrs;
    struct shape *out = &infer->out[0];

    if (!check_factors(infer, out))
        return false;
    for (int i = 2; i < out->rank; i++) {
        int64_t factor = resize_factor(attrs, i);
        if (out->extent[i] % factor != 0)
            return infer_error(infer, "factor", DIAG_NOT_DIVISIBLE,
                               "factor %" PRId64 " of '%s' does not divide extent %" PRId64
                               " of dimension %d",
                               factor, infer_name(infer), out->extent[i], i);
        out->extent[i] /= factor;
    }
    return true;
}

static bool upsample_infer(struct infer *infer)
{
    const struct resize_attrs *attrs = infer->attrs;
    const struct shape *input = infer_in(infer, 0);
    struct shape *out = &infer->out[0];
    bool reflects = infer->call->op->id == OP_multilinear_upsample &&
                    attrs->border == BORDER_REFLECT &&
                    attrs->resize_method != RESIZE_METHOD_ALIGNED;

    if (!check_factors(infer, out))
        return false;
    for (int i = 2; i < out->rank; i++)
        if (!num_mul(out->extent[i], resize_factor(attrs, i), &out->extent[i]))
            return infer_error(infer, "factor", DIAG_VOLUME_LIMIT,
                               "factor %" PRId64 " of '%s' is too large", resize_factor(attrs, i),
                               infer_name(infer));

    /* A single item has nothing to be reflected (E21). */
    for (int i = 2; reflects && i < out->rank; i++)
        if (shape_extent(input, i) == 1 && resize_factor(attrs, i) > 1)
            return infer_error(infer, "border", DIAG_ITEM_VALUE,
                               "border 'reflect' of 'multilinear_upsample' has nothing to reflect "
                               "in dimension %d, expected extent 2 or more",
                               i);
    return true;
}

/* --- kernels ---------------------------------------------------------------------------- */

static int64_t nearest_coordinate(const void *context, int axis, int64_t i)
{
    const struct eval *eval = context;
    int64_t factor = resize_factor(eval->attrs, axis);

    return eval->node->op->id == OP_nearest_upsample ? i / factor : i * factor;
}

struct window resize_block(const struct resize_attrs *attrs, const struct shape *in,
                           const struct shape *out)
{
    static const int64_t none[MAX_RANK][2];
    int64_t factor[MAX_RANK];

    assert(in->rank == out->rank);
    for (int i = 0; i < out->rank; i++)
        factor[i] = resize_factor(attrs, i);
    struct window_attrs block = {
        .padding = {out->rank, none}, .size = {out->rank, factor}, .stride = {out->rank, factor}};
    struct window_source source = {.attrs = &block, .input = in, .rank = out->rank};

    return window_of(&source, out);
}

/* An output item: the plane it lies in is one of batch * channels. */
static void upsample_item(const void *data, int64_t number)
{
    const struct eval *eval = data;
    float *output = (float *)eval->out[0]->data + number;
    const struct resize_attrs *attrs = eval->attrs;
    const struct shape *in = &eval->in[0]->shape, *out = &eval->out[0]->shape;
    struct neighbours at[MAX_RANK];
    int64_t pitch = 1;

    assert(number >= 0);
    for (int i = out->rank - 1; i >= 2; i--) {
        int64_t extent = shape_extent(in, i);
        double coordinate =
            resize_coordinate((enum resize_method)attrs->resize_method, number % out->extent[i],
                              (double)extent, out->extent[i]);
        at[i] = neighbours_of(coordinate, (enum border)attrs->border, extent, pitch);
        pitch *= extent;
        number /= out->extent[i];
    }
    *output = (float)interpolate((const float *)eval->in[0]->data + number * pitch, at + 2,
                                 out->rank - 2);
}

static bool resize_eval(const struct eval *eval)
{
    const struct shape *in = &eval->in[0]->shape, *out = &eval->out[0]->shape;
    const struct remap nearest = {.coordinate = nearest_coordinate, .context = eval};

    assert(in->rank <= out->rank);
    if (eval->node->op->id == OP_area_downsample) {
        const struct box box = {.window = resize_block(eval->attrs, in, out), .normalize = true};
        return box_run(eval, &box);
    }
    if (eval->node->op->id != OP_multilinear_upsample)
        return remap_run(eval, &nearest);
    eval_share(eval, shape_volume(out), upsample_item, eval);
    return true;
}

/* --- descriptors ------------------------------------------------------------------------ */

DESCRIPTOR(nearest_downsample, 0, .kind = "resize", .infer = downsample_infer, .eval = resize_eval);
DESCRIPTOR(area_downsample, 0, .kind = "resize", .infer = downsample_infer, .eval = resize_eval);
DESCRIPTOR(nearest_upsample, 0, .kind = "resize", .infer = upsample_infer, .eval = resize_eval);
DESCRIPTOR(multilinear_upsample, 0, .kind = "resize", .infer = upsample_infer, .eval = resize_eval);
