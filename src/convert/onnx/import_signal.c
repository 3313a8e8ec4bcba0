/*
 * import_signal.c - spectra, as products with known sines and cosines
 *
 * Complex numbers are pairs in the last dimension.  Real ones have extent 1 there.
 */
#include "convert/onnx/import_share.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

static const double turn = 6.283185307179586;

/* Part `place` of `count` of a turn.  It is reduced first, so that large places stay exact. */
static double angle(int64_t place, int64_t count)
{
    return turn * (double)(place % count) / (double)count;
}

/* An optional input of a single integer from 1 on; false after a report. */
static bool import_length(struct translation *t, int index, int64_t *length)
{
    double number;

    if (!has_input(t, index))
        return true;
    if (!input_number(t, index, &number))
        return false;
    *length = (int64_t)number;
    return (number >= 1 && number <= INT32_MAX) ||
           import_error(t, DIAG_ITEM_VALUE, "input %d is %g, expected a length", index, number);
}

/* --- along an axis ------------------------------------------------------------------------ */

struct transform {
    int axis;
    int64_t in, out; /* extents */
    int64_t length;  /* of the period */
    bool inverse;
    bool half; /* inverse, of one side only */
};

enum part { COSINES, SINES };

/*
 * Cosines or sines along the axis, as a product with a matrix [out, in].  Of one side, the other
 * half of what comes in is its conjugate, so items count twice but for the first and the middle.
 */
static struct imported *apply(struct translation *t, const struct transform *d, enum part part,
                              struct imported *x)
{
    struct shape shape = {.rank = 2, .extent = {d->out, d->in}};
    struct tensor *items;
    struct imported *weights = known_new(t, ONNX_FLOAT, &shape, &items);

    assert(d->length > 0);
    for (int64_t i = 0; weights && i < shape_volume(&shape); i++) {
        int64_t to = i / d->in, from = i % d->in;
        double at = angle(to % d->length * from, d->length);
        double item = part == COSINES ? cos(at) : sin(at);
        bool twice = d->half && from > 0 && 2 * from != d->length;
        item =
            from >= d->length ? 0 : item * (twice ? 2 : 1) / (d->inverse ? (double)d->length : 1);
        ((float *)items->data)[i] = (float)item;
    }
    return weigh_axis(t, x, d->axis, weights);
}

/* The sine has the sign of the exponent: x * cos +- y * sin. */
static struct imported *combine(struct translation *t, struct imported *x, struct imported *y,
                                bool plus)
{
    return y ? op2(t, plus ? OP_add : OP_sub, x, y) : x;
}

/* Real and imaginary parts are items 0 and 1 of the last dimension; a real tensor has one item. */
static struct imported *transform(struct translation *t, const struct transform *d,
                                  struct imported *x)
{
    int last = x->shape.rank - 1;
    bool complex = x->shape.extent[last] == 2;
    struct imported *re = slice_at(t, x, last, 0, 1),
                    *im = complex ? slice_at(t, x, last, 1, 2) : NULL;
    struct imported *part[2];

    part[0] = combine(t, apply(t, d, COSINES, re), im ? apply(t, d, SINES, im) : NULL, !d->inverse);
    if (d->half)
        return part[0];
    struct imported *turned = apply(t, d, SINES, re);
    if (!d->inverse)
        turned = op1(t, OP_neg, turned);
    part[1] = combine(t, turned, im ? apply(t, d, COSINES, im) : NULL, true);
    return part[0] && part[1] ? join(t, part, 2, last) : NULL;
}

/* The axis is an attribute before opset 20, an input since; never the dimension of the parts. */
struct imported *import_dft(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    struct transform d = {.inverse = get_int(t, "inverse", 0)};
    double axis = t->opset < 20 ? (double)get_int(t, "axis", 1) : -2;
    bool onesided = get_int(t, "onesided", 0);
    int rank = x->shape.rank;

    if (t->opset >= 20 && has_input(t, 2) && !input_number(t, 2, &axis))
        return NULL;
    if (t->failed || !resolve_axis(t, (int64_t)axis, rank, &d.axis))
        return NULL;
    if (d.axis == rank - 1 || x->shape.extent[rank - 1] < 1 || x->shape.extent[rank - 1] > 2)
        return import_refuse(t, DIAG_ONNX_GRAPH,
                             "has axis %d of shape %s, whose last dimension is for one or two "
                             "parts of a number",
                             d.axis, SHAPE_TEXT(&x->shape));
    d.half = onesided && d.inverse;
    d.in = x->shape.extent[d.axis];
    d.length = d.half ? 2 * (d.in - 1) : d.in;
    if (!import_length(t, 1, &d.length))
        return NULL;
    if (d.length < 1)
        return import_unsupported(t, "transforms extent %" PRId64 " of one side", d.in);
    d.out = onesided && !d.inverse ? d.length / 2 + 1 : d.length;
    int32_t type = x->type;
    return convert(t, transform(t, &d, convert(t, x, ONNX_FLOAT)), type);
}

/* --- frame by frame ------------------------------------------------------------------------- */

struct frames {
    int64_t step, length, bins;
    int64_t parts; /* of a number of the signal */
};

/* A filter for the real part of each bin, then one for the imaginary part of each. */
static struct imported *filters(struct translation *t, const struct frames *f)
{
    struct shape shape = {.rank = 3, .extent = {2 * f->bins, f->parts, f->length}};
    struct tensor *items;

    assert(f->length > 0 && f->bins > 0 && f->parts > 0);
    struct imported *imported = known_new(t, ONNX_FLOAT, &shape, &items);

    for (int64_t i = 0; imported && i < shape_volume(&shape); i++) {
        int64_t at = i % f->length, part = i / f->length % f->parts;
        int64_t bin = i / f->length / f->parts;
        double x = angle(bin % f->bins * at, f->length);
        bool imaginary = bin >= f->bins;
        double item = imaginary == (part == 1) ? cos(x) : imaginary ? -sin(x) : sin(x);
        ((float *)items->data)[i] = (float)item;
    }
    return imported;
}

/* Ranks and lengths; false after a report. */
static bool read_frames(struct translation *t, struct frames *f)
{
    const struct imported *x = input_at(t, 0), *window = input_at(t, 2);

    if (x->shape.rank != 3 || x->shape.extent[2] < 1 || x->shape.extent[2] > 2)
        return import_error(t, DIAG_RANK,
                            "the signal has shape %s, expected a batch, its length, and one or two "
                            "parts of a number",
                            SHAPE_TEXT(&x->shape));
    *f = (struct frames){.parts = x->shape.extent[2], .length = -1};
    if (window)
        f->length = shape_volume(&window->shape);
    if (!import_length(t, 1, &f->step) || !import_length(t, 3, &f->length))
        return false;
    if (f->length < 1 || f->length > x->shape.extent[1] ||
        (window && (window->shape.rank != 1 || window->shape.extent[0] != f->length)))
        return import_error(t, DIAG_ONNX_GRAPH,
                            "has frames of %" PRId64 " items, for a signal of shape %s", f->length,
                            SHAPE_TEXT(&x->shape));
    f->bins = get_int(t, "onesided", 1) ? f->length / 2 + 1 : f->length;
    return true;
}

/* A convolution by one period of each wave, seen through the window. */
struct imported *import_stft(struct translation *t)
{
    static const int64_t channels_first[] = {0, 2, 1}, bins_last[] = {0, 3, 2, 1};
    struct imported *x = input_at(t, 0), *filter;
    struct frames f = {0};

    if (!read_frames(t, &f))
        return NULL;
    int32_t type = x->type;
    filter = filters(t, &f);
    if (has_input(t, 2))
        filter = op2(t, OP_mul, filter, convert(t, input_at(t, 2), ONNX_FLOAT));
    x = transpose_by(t, convert(t, x, ONNX_FLOAT), channels_first);
    struct imported *y =
        make_all(t,
                 OP_SPEC(conv, .padding = {1, (const int64_t[][2]){{0, 0}}}, .stride = {1, &f.step},
                         .dilation = {1, (const int64_t[]){1}}, .groups = 1),
                 (struct imported *[]){x, filter, literal(t, 0)}, 3);
    if (!y)
        return NULL;
    struct shape apart = {.rank = 4, .extent = {y->shape.extent[0], 2, f.bins, y->shape.extent[2]}};
    return convert(t, transpose_by(t, reshape_to(t, y, &apart), bins_last), type);
}

/* --- the scale of mel ----------------------------------------------------------------------- */

enum mel_input { MEL_BINS, MEL_DFT_LENGTH, MEL_SAMPLE_RATE, MEL_LOWER, MEL_UPPER, MEL_INPUTS };

/* The bin of the spectrum where band `index` begins; the one before it has its middle there. */
static int64_t bin_of(const double *in, int64_t index)
{
    double low = 2595 * log10(1 + in[MEL_LOWER] / 700),
           high = 2595 * log10(1 + in[MEL_UPPER] / 700);
    double mel = low + (double)index * (high - low) / (in[MEL_BINS] + 2);
    double hertz = 700 * (pow(10, mel / 2595) - 1);

    return (int64_t)floor((in[MEL_DFT_LENGTH] + 1) * hertz / in[MEL_SAMPLE_RATE]);
}

struct imported *import_mel_weight_matrix(struct translation *t)
{
    int32_t type = (int32_t)get_int(t, "output_datatype", ONNX_FLOAT);
    double in[MEL_INPUTS];
    struct tensor *items;

    for (int i = 0; i < MEL_INPUTS; i++)
        if (!input_number(t, i, &in[i]))
            return NULL;
    if (!(in[MEL_BINS] >= 1 && in[MEL_BINS] <= INT32_MAX && in[MEL_DFT_LENGTH] >= 1 &&
          in[MEL_DFT_LENGTH] <= INT32_MAX && in[MEL_SAMPLE_RATE] >= 1 && in[MEL_LOWER] >= 0 &&
          in[MEL_UPPER] >= in[MEL_LOWER] && 2 * in[MEL_UPPER] <= in[MEL_SAMPLE_RATE]))
        return import_refuse(
            t, DIAG_ITEM_VALUE,
            "has %g bands from %g to %g hertz, of a spectrum of %g items at %g a second",
            in[MEL_BINS], in[MEL_LOWER], in[MEL_UPPER], in[MEL_DFT_LENGTH], in[MEL_SAMPLE_RATE]);
    struct shape shape = {.rank = 2,
                          .extent = {(int64_t)in[MEL_DFT_LENGTH] / 2 + 1, (int64_t)in[MEL_BINS]}};
    struct imported *imported = known_new(t, ONNX_FLOAT, &shape, &items);
    /* A triangle over the bins of each band; only its rising half if a band is of one bin. */
    for (int64_t band = 0; imported && band < shape.extent[1]; band++) {
        int64_t lower = bin_of(in, band), middle = bin_of(in, band + 1);
        int64_t upper = bin_of(in, band + 2);
        float *to = (float *)items->data + band;
        for (int64_t i = lower; i < middle; i++)
            to[i * shape.extent[1]] = (float)((double)(i - lower) / (double)(middle - lower));
        to[middle * shape.extent[1]] = 1;
        for (int64_t i = middle; i < upper; i++)
            to[i * shape.extent[1]] = (float)((double)(upper - i) / (double)(upper - middle));
    }
    return convert(t, imported, type);
}
