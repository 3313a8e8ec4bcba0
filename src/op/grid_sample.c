/*
 * grid_sample.c - an image, looked up at the places of a grid (nnefc-ext.nnef)
 *
 * Number n of a place is coordinate ((n + 1) * extent - 1) / 2, and (n + 1) / 2 * (extent - 1) with
 * 'align_corners'.  Each dimension has one to four taps about its coordinate, and an item of the
 * result is the sum over all their combinations.  NaN, and a number whose coordinate has no integer
 * of 64 bits, count as -1: PyTorch says so of NaN, and ONNX Runtime computes both like that.
 */
#include "op/check.h"
#include "op/compute.h"
#include "op/interpolate.h"

#include "base/num.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { INPUT, GRID };

/* Dimensions of an image, taps along each, taps in all, places that are looked up together. */
enum { SPATIAL_MIN = 2, SPATIAL_MAX = 3, AXIS_TAPS = 4, TAPS = 64, PLACES = 16 };

/* --- shape rule ----------------------------------------------------------------------------- */

static int64_t taps_of(const struct grid_sample_attrs *attrs, int spatial)
{
    int64_t each = attrs->sample_mode == SAMPLE_MODE_CUBIC    ? AXIS_TAPS
                   : attrs->sample_mode == SAMPLE_MODE_LINEAR ? 2
                                                              : 1;
    int64_t taps = 1;

    for (int i = 0; i < spatial; i++)
        taps *= each;
    return taps;
}

static bool grid_sample_infer(struct infer *infer)
{
    const struct shape *input = infer_in(infer, INPUT), *grid = infer_in(infer, GRID);
    struct shape *out = &infer->out[0];
    int spatial = input->rank - 2;

    if (spatial < SPATIAL_MIN || spatial > SPATIAL_MAX)
        return infer_error(infer, "input", DIAG_RANK, "input of '%s' has rank %d, expected 4 or 5",
                           infer_name(infer), input->rank);
    if (!check_rank(infer, GRID, input->rank, false))
        return false;
    if (grid->extent[0] != input->extent[0] || grid->extent[grid->rank - 1] != spatial)
        return infer_error(infer, "grid", DIAG_SHAPE_MISMATCH,
                           "grid of '%s' has shape %s, expected batch extent %" PRId64
                           " and a last extent of %d",
                           infer_name(infer), SHAPE_TEXT(grid), input->extent[0], spatial);
    *out = *input;
    for (int i = 0; i < spatial; i++)
        out->extent[2 + i] = grid->extent[1 + i];
    infer_reads(infer, out, taps_of(infer->attrs, spatial));
    return true;
}

/* --- taps ------------------------------------------------------------------------------------ */

struct tap {
    int64_t offset;
    double weight;
};

/* What an item of the result is made of, in any channel. */
struct taps {
    int count;
    struct tap tap[TAPS];
};

struct sampling {
    const struct eval *eval;
    const struct grid_sample_attrs *attrs;
    int spatial;
    int64_t extent[SPATIAL_MAX], pitch[SPATIAL_MAX];
    int64_t channels, plane; /* items of a channel of the image */
    int64_t rows, width;     /* of places in a batch, and places in a row */
};

/* The item that stands for item i; OUTSIDE if none does. */
static int64_t item_for(const struct grid_sample_attrs *attrs, int64_t i, int64_t extent)
{
    if (i >= 0 && i < extent)
        return i;
    if (attrs->border != BORDER_REFLECT)
        return border_index(attrs->border, i, extent);
    /* There and back again, with the items at the ends once or twice. */
    int64_t period = attrs->align_corners ? 2 * (extent - 1) : 2 * extent;
    if (period == 0)
        return 0;
    i = (i % period + period) % period;
    return i < extent ? i : attrs->align_corners ? period - i : period - 1 - i;
}

static float coordinate(const struct sampling *s, int axis, float place)
{
    const float extent = (float)s->extent[axis];

    return s->attrs->align_corners ? (place + 1) / 2 * (extent - 1)
                                   : ((place + 1) * extent - 1) / 2;
}

/* The taps about a coordinate along one axis.  How many; some may be outside. */
static int axis_taps(const struct sampling *s, int axis, float place, struct tap *tap)
{
    const enum sample_mode mode = s->attrs->sample_mode;
    const float told = coordinate(s, axis, place);
    const float at = fabsf(told) < 0x1p63F ? told : coordinate(s, axis, -1);
    const double kept = fmin(fmax((double)at, -COORDINATE_FAR), COORDINATE_FAR);
    const double low = mode == SAMPLE_MODE_NEAREST ? nearbyint(kept) : floor(kept);
    const double share = kept - low;
    int count = 1, first = 0;

    tap[0].weight = 1;
    if (mode == SAMPLE_MODE_LINEAR) {
        count = 2;
        tap[0].weight = 1 - share;
        tap[1].weight = share;
    } else if (mode == SAMPLE_MODE_CUBIC) {
        count = AXIS_TAPS;
        first = -1;
        for (int i = 0; i < count; i++)
            tap[i].weight = cubic_weight(share - (first + i), -0.75);
    }
    for (int i = 0; i < count; i++) {
        int64_t item = item_for(s->attrs, (int64_t)low + first + i, s->extent[axis]);
        tap[i].offset = item == OUTSIDE ? OUTSIDE : item * s->pitch[axis];
    }
    return count;
}

/* Combine taps with those of one axis more, without what adds nothing. */
static void combine(struct taps *taps, const struct tap *with, int count)
{
    struct tap former[TAPS];
    int many = taps->count;

    assert(many >= 0 && many * count <= TAPS);
    memcpy(former, taps->tap, (size_t)many * sizeof *former);
    taps->count = 0;
    for (int i = 0; i < many; i++)
        for (int k = 0; k < count; k++) {
            double weight = former[i].weight * with[k].weight;
            if (with[k].offset != OUTSIDE && weight != 0)
                taps->tap[taps->count++] = (struct tap){former[i].offset + with[k].offset, weight};
        }
}

static void find_taps(const struct sampling *s, const float *place, struct taps *taps)
{
    struct tap along[AXIS_TAPS];

    taps->count = 1;
    taps->tap[0] = (struct tap){0, 1};
    for (int i = 0; i < s->spatial; i++) {
        int count = axis_taps(s, i, place[s->spatial - 1 - i], along);
        combine(taps, along, count);
    }
}

/* --- kernel ----------------------------------------------------------------------------------- */

/* Some places of a row of the grid, in all channels. */
static void sample_places(const struct sampling *s, int64_t row, int64_t begin, int count)
{
    const float *grid = s->eval->in[GRID]->data, *map = s->eval->in[INPUT]->data;
    float *out = s->eval->out[0]->data;
    struct taps taps[PLACES];
    int64_t batch = row / s->rows * s->channels;

    assert(count <= PLACES);
    for (int i = 0; i < count; i++)
        find_taps(s, grid + (row * s->width + begin + i) * s->spatial, &taps[i]);
    for (int64_t c = batch; c < batch + s->channels; c++)
        for (int i = 0; i < count; i++) {
            double sum = 0;
            for (int k = 0; k < taps[i].count; k++)
                sum += taps[i].tap[k].weight * (double)map[c * s->plane + taps[i].tap[k].offset];
            out[(c * s->rows + row % s->rows) * s->width + begin + i] = (float)sum;
        }
}

static void sample_row(const void *data, int64_t row)
{
    const struct sampling *s = data;

    for (int64_t begin = 0; begin < s->width; begin += PLACES)
        sample_places(s, row, begin, (int)num_min(PLACES, s->width - begin));
}

static bool grid_sample_eval(const struct eval *eval)
{
    const struct shape *input = &eval->in[INPUT]->shape, *out = &eval->out[0]->shape;
    struct sampling s = {.eval = eval,
                         .attrs = eval->attrs,
                         .spatial = input->rank - 2,
                         .channels = input->extent[1],
                         .plane = shape_volume_range(input, 2, input->rank),
                         .rows = shape_volume_range(out, 2, out->rank - 1),
                         .width = out->extent[out->rank - 1]};
    int64_t pitch = 1;

    if (shape_volume(input) == 0 || shape_volume(out) == 0)
        return true;
    for (int i = s.spatial - 1; i >= 0; pitch *= s.extent[i--]) {
        s.extent[i] = input->extent[2 + i];
        s.pitch[i] = pitch;
    }
    eval_share(eval, out->extent[0] * s.rows, sample_row, &s);
    return true;
}

DESCRIPTOR(grid_sample, 0, .infer = grid_sample_infer, .eval = grid_sample_eval);
