/*
 * import_resize.c - other extents by interpolation
 *
 * Sizes are known when the model is read.  NNEF has operations for whole factors.  For all other
 * sizes, items are picked along one axis after the other, or weighed by a matrix, both known.
 *
 * The formats do not say how extents and coordinates are rounded, which decides what is taken at a
 * tie.  All of them are 32-bit floats here, as they are in ONNX Runtime and in PyTorch.
 */
#include "convert/onnx/import_share.h"

#include "convert/onnx/import_value.h"
#include "diag/context.h"
#include "op/interpolate.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

/* Beyond this extent positions are no longer 32-bit floats. */
/* --- coordinates --------------------------------------------------------------------------- */

/* Where item `at` of the result lies among the items of the input, by the names of ONNX. */
static float coordinate(const struct resize *r, const struct resized_axis *a, int64_t at)
{
    const float i = (float)at, from = (float)a->from, to = (float)a->to;
    const float middle = a->step > 0 ? (i + 0.5F) * a->step : (i + 0.5F) / a->scale;

    switch (r->transform) {
    case RESIZE_ALIGN_CORNERS:
        return a->to > 1 ? i * (from - 1) / (to - 1) : 0;
    case RESIZE_ASYMMETRIC:
        return a->step > 0 ? i * a->step : i / a->scale;
    case RESIZE_TF_HALF_PIXEL:
        return middle;
    case RESIZE_TF_CROP:
        return a->to > 1 ? a->begin * (from - 1) + i * (a->end - a->begin) * (from - 1) / (to - 1)
                         : (float)(0.5 * (double)(a->begin + a->end) * (double)(from - 1));
    case RESIZE_SYMMETRIC: {
        float shift = from / 2 * (1 - to / (a->scale * from));
        return (float)((double)shift + ((double)i + 0.5) / (double)a->scale - 0.5);
    }
    case RESIZE_PYTORCH_HALF_PIXEL:
        return a->to == 1 ? 0 : middle - 0.5F;
    case RESIZE_HALF_PIXEL:
        break;
    }
    return middle - 0.5F;
}

/* The nearest index that there is. */
static int64_t within(double index, int64_t extent)
{
    if (!(index > 0))
        return 0;
    return index > (double)extent - 1 ? extent - 1 : (int64_t)index;
}

/*
 * By the mode; without one, as before opset 11, where a smaller result takes what is behind.  As in
 * ONNX Runtime, what is no farther than this from the middle of two items is a tie.
 */
static int64_t nearest(const struct resize *r, const struct resized_axis *a, int64_t at)
{
    const float tie = 1e-6F, x = coordinate(r, a, at), low = floorf(x), rest = x - low;
    bool up = false;

    switch (r->rounding) {
    case RESIZE_PREFER_FLOOR:
        up = rest > 0.5F + tie;
        break;
    case RESIZE_PREFER_CEIL:
        up = rest >= 0.5F - tie;
        break;
    case RESIZE_FLOOR:
        break;
    case RESIZE_CEIL:
        up = rest > 0;
        break;
    case RESIZE_OLD:
        up = rest > 0 && a->scale < 1;
        break;
    }
    return within((double)low + up, a->from);
}

/* Of an item at distance x: a triangle, or a cubic. */
static double weight(const struct resize *r, double x)
{
    double d = fabs(x);

    if (r->mode == RESIZE_LINEAR)
        return d < 1 ? 1 - d : 0;
    return cubic_weight(d, r->cubic);
}

/* Outside of the region: the result has a value of its own there. */
static bool is_beyond(const struct resize *r, const struct resized_axis *a, float x)
{
    return r->crops && !(x >= 0 && x <= (float)a->from - 1);
}

/* --- one axis ------------------------------------------------------------------------------ */

/* The axis becomes the last one for a product with the transposed matrix, and goes back. */
struct imported *weigh_axis(struct translation *t, struct imported *x, int axis,
                            struct imported *weights)
{
    if (!x || !weights)
        return NULL;
    assert(weights->shape.rank == 2 && axis >= 0 && axis < x->shape.rank);
    int last = x->shape.rank - 1;
    if (x->shape.rank == 1)
        return matmul(t, x, transpose_last(t, weights));
    x = matmul(t, swap_axes(t, x, axis, last), transpose_last(t, weights));
    return swap_axes(t, x, axis, last);
}

/* --- whole factors -------------------------------------------------------------------------- */

/* The method of NNEF that is this linear interpolation; false if it has none. */
static bool linear_method(const struct resize *r, enum resize_method *method)
{
    static const enum resize_transform transforms[] = {
        [RESIZE_METHOD_SYMMETRIC] = RESIZE_HALF_PIXEL,
        [RESIZE_METHOD_ASYMMETRIC] = RESIZE_ASYMMETRIC,
        [RESIZE_METHOD_ALIGNED] = RESIZE_ALIGN_CORNERS};

    if (r->antialias || r->exclude || r->crops || r->mode != RESIZE_LINEAR)
        return false;
    for (*method = RESIZE_METHOD_SYMMETRIC; *method <= RESIZE_METHOD_ALIGNED; ++*method)
        if (r->transform == transforms[*method])
            return true;
    return false;
}

/*
 * Factors of the spatial axes; false if they are no whole ones, or if others change.  By nearest
 * items, each must be there `factor` times in a row.
 */
static bool whole_factors(const struct resize *r, int64_t factor[MAX_RANK])
{
    if (r->rank < 3 || r->axis[0].changed || r->axis[1].changed)
        return false;
    for (int i = 2; i < r->rank; i++) {
        const struct resized_axis *a = &r->axis[i];
        int64_t whole = factor[i - 2] = a->to / a->from;
        if (whole * a->from != a->to || whole < 1 || a->scale < (float)whole ||
            a->scale > (float)whole)
            return false;
        for (int64_t k = 0; r->mode == RESIZE_NEAREST && a->changed && k < a->to; k++)
            if (nearest(r, a, k) != k / whole)
                return false;
    }
    return true;
}

struct resize resize_nothing(const struct shape *x)
{
    struct resize r = {.rank = x->rank, .cubic = -0.75};

    for (int i = 0; i < r.rank; i++)
        r.axis[i] =
            (struct resized_axis){.from = x->extent[i], .to = x->extent[i], .scale = 1, .end = 1};
    return r;
}

/* Along one axis: the nearest items, or sums of weighed items by a matrix. */
static struct imported *resize_axis(struct translation *t, const struct resize *r,
                                    struct imported *x, int axis)
{
    const struct resized_axis *a = &r->axis[axis];
    struct shape shape = {.rank = 2, .extent = {a->to, a->from}};
    struct tensor *to;

    if (r->mode == RESIZE_NEAREST) {
        struct imported *indices =
            known_new(t, ONNX_INT64, &(struct shape){.rank = 1, .extent = {a->to}}, &to);
        for (int64_t i = 0; indices && i < a->to; i++)
            ((int64_t *)to->data)[i] = nearest(r, a, i);
        return make2(t, OP_SPEC(gather, .axis = axis), x, indices);
    }
    const double shrink = r->antialias && a->scale < 1 ? (double)a->scale : 1;
    const double reach = (r->mode == RESIZE_LINEAR ? 1 : 2) / shrink;
    struct imported *weights = known_new(t, ONNX_FLOAT, &shape, &to);
    for (int64_t i = 0; weights && i < a->to; i++) {
        float *row = (float *)to->data + i * a->from;
        const float place = coordinate(r, a, i);
        double at = (double)place, sum = 0;
        if (is_beyond(r, a, place))
            continue;
        const int64_t first = (int64_t)ceil(at - reach), last = (int64_t)floor(at + reach);
        /* Items beyond the ends are those of the ends, or do not count. */
        for (int64_t k = first; k <= last; k++)
            if (!r->exclude || (k >= 0 && k < a->from))
                sum += weight(r, ((double)k - at) * shrink);
        for (int64_t k = first; k <= last; k++)
            if (!r->exclude || (k >= 0 && k < a->from))
                row[within((double)k, a->from)] +=
                    (float)(weight(r, ((double)k - at) * shrink) / sum);
    }
    return weigh_axis(t, x, axis, weights);
}

/*
 * Which axes change.  ONNX Runtime copies what keeps all its extents, and with antialias what keeps
 * one, by whatever scale; a region is cropped to even then.
 */
static void find_changes(struct resize *r)
{
    bool other = false;

    for (int i = 0; i < r->rank; i++)
        other |= r->axis[i].from != r->axis[i].to;
    for (int i = 0; i < r->rank; i++) {
        struct resized_axis *a = &r->axis[i];
        bool copied = !(a->step > 0) && (!other || r->antialias);
        bool scaled = a->from != a->to || (!copied && (a->scale < 1 || a->scale > 1));
        a->changed =
            scaled || (r->crops && (a->begin < 0 || a->begin > 0 || a->end < 1 || a->end > 1));
    }
}

/* Before anything is made for each item of an axis; false after a report. */
static bool check_result(struct translation *t, const struct resize *r, const struct shape *result)
{
    int64_t volume;

    if (!shape_volume_checked(result, t->builder->context->limits.volume, &volume))
        return import_error(t, DIAG_VOLUME_LIMIT, "resizes to shape %s, more than the limit",
                            SHAPE_TEXT(result));
    for (int i = 0; i < r->rank; i++)
        if (r->axis[i].changed && r->axis[i].to > SCALAR_EXACT)
            return import_error(t, DIAG_VOLUME_LIMIT,
                                "resizes extent %" PRId64 " to %" PRId64
                                ", expected at most %d, up to which 32-bit floats are exact",
                                r->axis[i].from, r->axis[i].to, SCALAR_EXACT);
    return true;
}

/* One operation of NNEF, or axis by axis, in the order of the axes. */
struct imported *resize_by(struct translation *t, struct imported *x, struct resize *r)
{
    struct imported *beyond = NULL;
    int64_t factor[MAX_RANK];
    enum resize_method method;
    struct tensor *items;
    struct shape result = {.rank = r->rank};

    for (int i = 0; i < r->rank; i++)
        result.extent[i] = r->axis[i].to;
    if (has_no_items(&result))
        return known_new(t, x->type, &result, NULL);
    find_changes(r);
    if (!check_result(t, r, &result))
        return NULL;
    bool whole = whole_factors(r, factor);
    if (whole && r->mode == RESIZE_NEAREST)
        return make1(t, OP_SPEC(nearest_upsample, .factor = {r->rank - 2, factor}), x);
    if (whole && linear_method(r, &method))
        return make1(t,
                     OP_SPEC(multilinear_upsample, .factor = {r->rank - 2, factor},
                             .resize_method = method, .border = BORDER_REPLICATE),
                     x);
    for (int i = 0; i < r->rank; i++)
        if (r->axis[i].changed)
            x = resize_axis(t, r, x, i);
    /* What lies beyond the region along any axis has a value of its own. */
    for (int i = 0; r->crops && i < r->rank; i++) {
        struct shape shape = shape_along(r->rank, i, r->axis[i].to);
        struct imported *mask = known_new(t, ONNX_BOOL, &shape, &items);
        for (int64_t k = 0; mask && k < r->axis[i].to; k++)
            ((unsigned char *)items->data)[k] =
                is_beyond(r, &r->axis[i], coordinate(r, &r->axis[i], k));
        beyond = beyond ? op2(t, OP_or, beyond, mask) : mask;
    }
    return beyond ? op3(t, OP_select, beyond, literal(t, r->outside), x) : x;
}

/* --- what is asked for ----------------------------------------------------------------------- */

/* Defaults changed with opset 11.  False after a report. */
static bool read_modes(struct translation *t, struct resize *r)
{
    static const char *const modes[] = {[RESIZE_NEAREST] = "nearest",
                                        [RESIZE_LINEAR] = "linear",
                                        [RESIZE_CUBIC] = "cubic",
                                        "bilinear",
                                        "trilinear",
                                        NULL};
    static const char *const transforms[] = {[RESIZE_HALF_PIXEL] = "half_pixel",
                                             [RESIZE_SYMMETRIC] = "half_pixel_symmetric",
                                             [RESIZE_PYTORCH_HALF_PIXEL] = "pytorch_half_pixel",
                                             [RESIZE_ALIGN_CORNERS] = "align_corners",
                                             [RESIZE_ASYMMETRIC] = "asymmetric",
                                             [RESIZE_TF_HALF_PIXEL] = "tf_half_pixel_for_nn",
                                             [RESIZE_TF_CROP] = "tf_crop_and_resize",
                                             NULL};
    static const char *const roundings[] = {[RESIZE_PREFER_FLOOR] = "round_prefer_floor",
                                            [RESIZE_PREFER_CEIL] = "round_prefer_ceil",
                                            [RESIZE_FLOOR] = "floor",
                                            [RESIZE_CEIL] = "ceil",
                                            NULL};
    const bool old = t->opset < 11;
    int mode = get_word(t, "mode", "nearest", modes);
    int transform = RESIZE_ASYMMETRIC, rounding = RESIZE_OLD;

    if (!old) {
        transform = get_word(t, "coordinate_transformation_mode", "half_pixel", transforms);
        rounding = get_word(t, "nearest_mode", "round_prefer_floor", roundings);
    }
    if (mode < 0 || transform < 0 || rounding < 0)
        return false;
    r->mode = mode <= RESIZE_CUBIC ? (enum resize_mode)mode : RESIZE_LINEAR;
    r->transform = (enum resize_transform)transform;
    r->rounding = (enum resize_rounding)rounding;
    r->cubic = get_float(t, "cubic_coeff_a", -0.75);
    r->outside = get_float(t, "extrapolation_value", 0);
    r->exclude = get_int(t, "exclude_outside", 0);
    r->antialias = get_int(t, "antialias", 0);
    r->crops = r->transform == RESIZE_TF_CROP;
    return true;
}

static bool check_count(struct translation *t, const char *what, int64_t found, int expected)
{
    return found == expected ||
           import_error(t, DIAG_ITEM_COUNT, "has %d %s, expected %d", (int)found, what, expected);
}

bool resize_axis_to(struct translation *t, struct resized_axis *a, int64_t to)
{
    if (to < 0 || to > 1000000000 || (to > 0 && a->from == 0))
        return import_error(t, DIAG_ITEM_VALUE, "asks for extent %" PRId64 " in place of %" PRId64,
                            to, a->from);
    a->to = to;
    a->scale = a->from > 0 ? (float)to / (float)a->from : 1;
    return true;
}

/* `to` is the product, a float, in one of two ways made whole.  False after a report. */
static bool resize_axis_by(struct translation *t, struct resized_axis *a, float scale, float to)
{
    if (!(scale > 0 && to < 1e9F))
        return import_error(t, DIAG_ITEM_VALUE, "scales extent %" PRId64 " by %g", a->from,
                            (double)scale);
    a->scale = scale;
    a->to = (int64_t)to;
    return true;
}

/* By policy the least or the greatest scale is that of all axes; extents are rounded. */
static bool keep_ratio(struct translation *t, struct resize *r, const int *axes, int count)
{
    enum { STRETCH, NOT_LARGER, NOT_SMALLER };
    static const char *const policies[] = {
        [STRETCH] = "stretch", [NOT_LARGER] = "not_larger", [NOT_SMALLER] = "not_smaller", NULL};
    int policy = get_word(t, "keep_aspect_ratio_policy", "stretch", policies);

    if (policy <= STRETCH || count == 0)
        return policy >= 0;
    bool larger = policy == NOT_SMALLER, ok = true;
    float scale = r->axis[axes[0]].scale;
    for (int i = 1; i < count; i++) {
        float other = r->axis[axes[i]].scale;
        scale = larger ? fmaxf(scale, other) : fminf(scale, other);
    }
    for (int i = 0; i < count && ok; i++) {
        struct resized_axis *a = &r->axis[axes[i]];
        ok = resize_axis_by(t, a, scale, roundf(scale * (float)a->from));
    }
    return ok;
}

/* The scales: an attribute before opset 9, else an input, which may be empty.  False after a
 * report.
 */
static bool read_scales(struct translation *t, int input, const float **scales, int *count)
{
    const struct tensor *tensor = has_input(t, input) ? known_input(t, input) : NULL;

    *count = 0;
    if (tensor && tensor->dtype != DTYPE_SCALAR)
        return import_error(t, DIAG_ONNX_GRAPH, "input %d has scales that are no floats", input);
    if (tensor && shape_volume(&tensor->shape) > 0) {
        *scales = tensor->data;
        *count = (int)shape_volume(&tensor->shape);
    } else if (!tensor) {
        get_floats(t, "scales", scales, count);
    }
    return !t->failed;
}

/* The sizes or scales of the axes; a product is rounded down.  False after a report. */
static bool read_extents(struct translation *t, struct resize *r, const int *axes, int count,
                         int input)
{
    struct integers sizes = {0};
    const float *scales = NULL;
    int scaled;

    if (!read_scales(t, input, &scales, &scaled))
        return false;
    if (!scaled && !get_integers(t, "sizes", 3, &sizes))
        return !t->failed && import_error(t, DIAG_ONNX_GRAPH, "has neither scales nor sizes");
    if (!check_count(t, scaled ? "scales" : "sizes", scaled ? scaled : sizes.count, count))
        return false;
    for (int i = 0; i < count; i++) {
        struct resized_axis *a = &r->axis[axes[i]];
        if (!(scaled ? resize_axis_by(t, a, scales[i], floorf(scales[i] * (float)a->from))
                     : resize_axis_to(t, a, sizes.item[i])))
            return false;
    }
    return scaled || keep_ratio(t, r, axes, count);
}

/* By scales, if input `input` has some, else by sizes; along all axes or those that are named. */
static struct imported *by_scales(struct translation *t, int input)
{
    struct imported *x = input_at(t, 0);
    struct resize r = resize_nothing(&x->shape);
    int axes[MAX_RANK] = {0};
    int count = read_modes(t, &r) ? get_axes(t, t->nin, r.rank, axes) : -1;

    if (count < 0 || !read_extents(t, &r, axes, count, input))
        return NULL;
    /* Where the region begins along each axis, then where it ends, in parts of the extent. */
    const struct tensor *region = r.crops ? known_input(t, 1) : NULL;
    if (t->failed ||
        (region && !check_count(t, "bounds of a region", shape_volume(&region->shape), 2 * count)))
        return NULL;
    for (int i = 0; region && i < count; i++) {
        r.axis[axes[i]].begin = (float)tensor_item(region, i);
        r.axis[axes[i]].end = (float)tensor_item(region, count + i);
    }
    return resize_by(t, x, &r);
}

struct imported *import_resize(struct translation *t)
{
    return by_scales(t, t->opset < 11 ? 1 : 2);
}

struct imported *import_upsample(struct translation *t)
{
    return by_scales(t, 1);
}
