/*
 * import_resize.c - other extents by interpolation
 *
 * Sizes are known.  Whole factors are NNEF's own operations; anything else picks items along one
 * axis after the other, or weighs them by a matrix.
 */
#include "convert/onnx/import_share.h"

#include <math.h>
#include <string.h>

static bool is(const char *text, const char *word)
{
    return strcmp(text, word) == 0;
}

/* --- coordinates --------------------------------------------------------------------------- */

static double coordinate(const struct resize *r, const struct resized_axis *a, int64_t at)
{
    double i = (double)at, from = (double)a->from, to = (double)a->to;

    if (is(r->transform, "align_corners"))
        return a->to > 1 ? i * (from - 1) / (to - 1) : 0;
    if (is(r->transform, "asymmetric"))
        return i / a->scale;
    if (is(r->transform, "tf_half_pixel_for_nn"))
        return (i + 0.5) / a->scale;
    if (is(r->transform, "tf_crop_and_resize"))
        return a->to > 1 ? (a->begin + i * (a->end - a->begin) / (to - 1)) * (from - 1)
                         : (a->begin + a->end) / 2 * (from - 1);
    if (is(r->transform, "pytorch_half_pixel") && a->to == 1)
        return 0;
    double shift =
        is(r->transform, "half_pixel_symmetric") ? from / 2 * (1 - to / (a->scale * from)) : 0;
    return shift + (i + 0.5) / a->scale - 0.5;
}

static int64_t within(double index, int64_t extent)
{
    if (!(index > 0))
        return 0;
    return index > (double)extent - 1 ? extent - 1 : (int64_t)index;
}

static int64_t nearest(const struct resize *r, const struct resized_axis *a, int64_t at)
{
    double x = coordinate(r, a, at);

    if (is(r->nearest, "floor"))
        return within(floor(x), a->from);
    if (is(r->nearest, "ceil"))
        return within(ceil(x), a->from);
    bool half_up = is(r->nearest, "round_prefer_ceil");
    return within(half_up ? floor(x + 0.5) : ceil(x - 0.5), a->from);
}

static double weight(const struct resize *r, double x)
{
    double d = fabs(x), c = r->cubic;

    if (is(r->mode, "linear"))
        return d < 1 ? 1 - d : 0;
    if (d <= 1)
        return ((c + 2) * d - (c + 3)) * d * d + 1;
    return d < 2 ? ((c * d - 5 * c) * d + 8 * c) * d - 4 * c : 0;
}

static bool is_beyond(const struct resize *r, const struct resized_axis *a, double x)
{
    return r->crops && !(x >= 0 && x <= (double)a->from - 1);
}

/* Weights of all items for item `at`; those beyond the ends are of the ends, or do not count. */
static void weigh(const struct resize *r, const struct resized_axis *a, int64_t at, float *row)
{
    double x = coordinate(r, a, at), shrink = r->antialias && a->scale < 1 ? a->scale : 1;
    double reach = (is(r->mode, "linear") ? 1 : 2) / shrink, sum = 0;

    if (is_beyond(r, a, x))
        return;
    int64_t first = (int64_t)ceil(x - reach), last = (int64_t)floor(x + reach);
    for (int64_t k = first; k <= last; k++)
        if (!r->exclude || (k >= 0 && k < a->from))
            sum += weight(r, ((double)k - x) * shrink);
    for (int64_t k = first; k <= last; k++)
        if (!r->exclude || (k >= 0 && k < a->from))
            row[within((double)k, a->from)] += (float)(weight(r, ((double)k - x) * shrink) / sum);
}

/* --- one axis ------------------------------------------------------------------------------ */

struct imported *pick_axis(struct translation *t, struct imported *x, int axis,
                           const int64_t *items, int count)
{
    struct imported *indices = known_integers(t, items, count);

    return make2(t, OP_SPEC(gather, .axis = axis), x, indices);
}

struct imported *weigh_axis(struct translation *t, struct imported *x, int axis,
                            struct imported *weights)
{
    int64_t order[MAX_RANK];

    if (!x || !weights)
        return NULL;
    int last = x->shape.rank - 1;
    for (int i = 0; i <= last; i++)
        order[i] = i;
    order[axis] = last;
    order[last] = axis;
    if (x->shape.rank == 1)
        return matmul(t, x, transpose_last(t, weights));
    return transpose_by(t, matmul(t, transpose_by(t, x, order), transpose_last(t, weights)), order);
}

/* Along one axis, items that are nearest to the places asked for. */
static struct imported *pick(struct translation *t, const struct resize *r, struct imported *x,
                             int axis)
{
    const struct resized_axis *a = &r->axis[axis];
    int64_t *items = import_alloc(t, a->to, sizeof *items);

    for (int64_t i = 0; i < a->to; i++)
        items[i] = nearest(r, a, i);
    return pick_axis(t, x, axis, items, (int)a->to);
}

/* Along one axis, sums of weighed items: a product with a matrix that is known. */
static struct imported *interpolate(struct translation *t, const struct resize *r,
                                    struct imported *x, int axis)
{
    const struct resized_axis *a = &r->axis[axis];
    struct shape shape = {.rank = 2, .extent = {a->to, a->from}};
    struct tensor *items;
    struct imported *weights = known_new(t, ONNX_FLOAT, &shape, &items);

    for (int64_t i = 0; weights && i < a->to; i++)
        weigh(r, a, i, (float *)items->data + i * a->from);
    return weigh_axis(t, x, axis, weights);
}

/* A value of its own for what lies beyond the region. */
static struct imported *crop(struct translation *t, const struct resize *r, struct imported *x)
{
    struct imported *beyond = NULL;

    for (int i = 0; r->crops && i < r->rank; i++) {
        struct shape shape = {.rank = r->rank};
        struct tensor *items;
        for (int k = 0; k < r->rank; k++)
            shape.extent[k] = k == i ? r->axis[i].to : 1;
        struct imported *mask = known_new(t, ONNX_BOOL, &shape, &items);
        for (int64_t k = 0; mask && k < r->axis[i].to; k++)
            ((unsigned char *)items->data)[k] =
                is_beyond(r, &r->axis[i], coordinate(r, &r->axis[i], k));
        beyond = beyond ? op2(t, OP_or, beyond, mask) : mask;
    }
    return beyond ? op3(t, OP_select, beyond, literal(t, r->outside), x) : x;
}

/* --- whole factors -------------------------------------------------------------------------- */

/* Every item `factor` times in a row. */
static bool repeats(const struct resize *r, const struct resized_axis *a, int64_t factor)
{
    for (int64_t i = 0; i < a->to; i++)
        if (nearest(r, a, i) != i / factor)
            return false;
    return true;
}

/* Does NNEF have that linear interpolation? */
static bool linear_method(const struct resize *r, enum resize_method *method)
{
    static const char *const transforms[] = {[RESIZE_METHOD_SYMMETRIC] = "half_pixel",
                                             [RESIZE_METHOD_ASYMMETRIC] = "asymmetric",
                                             [RESIZE_METHOD_ALIGNED] = "align_corners"};

    if (r->antialias || r->exclude || r->crops || !is(r->mode, "linear"))
        return false;
    for (*method = RESIZE_METHOD_SYMMETRIC; *method <= RESIZE_METHOD_ALIGNED; ++*method)
        if (is(r->transform, transforms[*method]))
            return true;
    return false;
}

/* Factors of the spatial axes; false if they are no whole ones, or if others change. */
static bool whole_factors(const struct resize *r, int64_t factor[MAX_RANK])
{
    if (r->rank < 3 || r->axis[0].changed || r->axis[1].changed)
        return false;
    for (int i = 2; i < r->rank; i++) {
        factor[i - 2] = r->axis[i].to / r->axis[i].from;
        if (factor[i - 2] * r->axis[i].from != r->axis[i].to || factor[i - 2] < 1)
            return false;
        if (r->axis[i].scale < (double)factor[i - 2] || r->axis[i].scale > (double)factor[i - 2])
            return false;
        if (is(r->mode, "nearest") && !repeats(r, &r->axis[i], factor[i - 2]))
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

struct imported *resize_by(struct translation *t, struct imported *x, struct resize *r)
{
    int64_t factor[MAX_RANK];

    for (int i = 0; i < r->rank; i++) {
        struct resized_axis *a = &r->axis[i];
        a->changed = a->from != a->to || a->scale < 1 || a->scale > 1 ||
                     (r->crops && (a->begin > 0 || a->end < 1));
    }

    bool whole = whole_factors(r, factor), by_items = is(r->mode, "nearest");
    enum resize_method method;

    if (whole && by_items)
        return make1(t, OP_SPEC(nearest_upsample, .factor = {r->rank - 2, factor}), x);
    if (whole && linear_method(r, &method))
        return make1(t,
                     OP_SPEC(multilinear_upsample, .factor = {r->rank - 2, factor},
                             .resize_method = method, .border = BORDER_REPLICATE),
                     x);
    for (int i = 0; i < r->rank; i++)
        if (r->axis[i].changed)
            x = by_items ? pick(t, r, x, i) : interpolate(t, r, x, i);
    return crop(t, r, x);
}

/* --- what is asked for ----------------------------------------------------------------------- */

static bool read_modes(struct translation *t, struct resize *r)
{
    bool old = t->opset < 11;

    r->mode = get_string(t, "mode", "nearest");
    r->transform =
        get_string(t, "coordinate_transformation_mode", old ? "asymmetric" : "half_pixel");
    r->nearest = get_string(t, "nearest_mode", old ? "floor" : "round_prefer_floor");
    if (is(r->mode, "bilinear") || is(r->mode, "trilinear"))
        r->mode = "linear";
    r->cubic = get_float(t, "cubic_coeff_a", -0.75);
    r->outside = get_float(t, "extrapolation_value", 0);
    r->exclude = get_int(t, "exclude_outside", 0);
    r->antialias = get_int(t, "antialias", 0);
    r->crops = is(r->transform, "tf_crop_and_resize");
    return is(r->mode, "nearest") || is(r->mode, "linear") || is(r->mode, "cubic") ||
           import_error(t, DIAG_ENUM_VALUE,
                        "'mode' is '%s', expected 'nearest', 'linear' or 'cubic'", r->mode);
}

/* The axes that scales, sizes and regions are told of. */
static bool read_axes(struct translation *t, const struct resize *r, int axes[MAX_RANK], int *count)
{
    struct integers named;

    if (!get_ints(t, "axes", &named)) {
        for (int i = 0; i < r->rank; i++)
            axes[i] = i;
        *count = r->rank;
        return !t->failed;
    }
    *count = named.count;
    for (int i = 0; i < named.count && i < MAX_RANK; i++)
        if (!resolve_axis(t, named.item[i], r->rank, &axes[i]))
            return false;
    return named.count <= MAX_RANK ||
           import_error(t, DIAG_AXIS, "'axes' has %d items, expected at most %d", named.count,
                        r->rank);
}

static bool wrong_count(struct translation *t, const char *what, int64_t found, int expected)
{
    return import_error(t, DIAG_ITEM_COUNT, "has %d %s, expected %d", (int)found, what, expected);
}

bool resize_axis_to(struct translation *t, struct resized_axis *a, int64_t to)
{
    if (to < 1 || to > 1000000000)
        return import_error(t, DIAG_ITEM_VALUE, "asks for extent %d", (int)to);
    a->to = to;
    a->scale = (double)a->to / (double)a->from;
    return true;
}

bool resize_axis_by(struct translation *t, struct resized_axis *a, double scale)
{
    double to = floor((double)a->from * scale);

    if (!(to >= 1 && to < 1e9))
        return import_error(t, DIAG_ITEM_VALUE, "scales extent %d by %g", (int)a->from, scale);
    a->scale = scale;
    a->to = (int64_t)to;
    return true;
}

/* A scale for each axis; the extent follows, rounded down. */
static bool read_scales(struct translation *t, struct resize *r, const struct tensor *scales,
                        const int *axes, int count)
{
    if (shape_volume(&scales->shape) != count)
        return wrong_count(t, "scales", shape_volume(&scales->shape), count);
    for (int i = 0; i < count; i++)
        if (!resize_axis_by(t, &r->axis[axes[i]], tensor_item(scales, i)))
            return false;
    return true;
}

/* One scale for all of them, that the least or the greatest one is. */
static void keep_ratio(struct translation *t, struct resize *r, const int *axes, int count)
{
    const char *policy = get_string(t, "keep_aspect_ratio_policy", "stretch");
    bool larger = is(policy, "not_smaller");

    if (is(policy, "stretch") || count == 0)
        return;
    double scale = r->axis[axes[0]].scale;
    for (int i = 1; i < count; i++) {
        double other = r->axis[axes[i]].scale;
        scale = larger ? fmax(scale, other) : fmin(scale, other);
    }
    for (int i = 0; i < count; i++) {
        r->axis[axes[i]].scale = scale;
        r->axis[axes[i]].to = (int64_t)floor(scale * (double)r->axis[axes[i]].from + 0.5);
    }
}

/* An extent for each axis; the scale follows. */
static bool read_sizes(struct translation *t, struct resize *r, const int *axes, int count)
{
    struct integers sizes;

    if (!get_integers(t, "sizes", 3, &sizes))
        return !t->failed && import_error(t, DIAG_ONNX_GRAPH, "has neither scales nor sizes");
    if (sizes.count != count)
        return wrong_count(t, "sizes", sizes.count, count);
    for (int i = 0; i < count; i++)
        if (!resize_axis_to(t, &r->axis[axes[i]], sizes.item[i]))
            return false;
    keep_ratio(t, r, axes, count);
    return true;
}

/* Where the region begins and ends along each axis, in parts of the extent. */
static bool read_region(struct translation *t, struct resize *r, const int *axes, int count)
{
    const struct tensor *region = r->crops ? known_input(t, 1) : NULL;

    if (!region)
        return !t->failed;
    if (shape_volume(&region->shape) != INT64_C(2) * count)
        return wrong_count(t, "bounds of a region", shape_volume(&region->shape), 2 * count);
    for (int i = 0; i < count; i++) {
        r->axis[axes[i]].begin = tensor_item(region, i);
        r->axis[axes[i]].end = tensor_item(region, count + i);
    }
    return true;
}

static struct imported *by_scales(struct translation *t, int input)
{
    struct imported *x = input_at(t, 0);
    struct resize r = resize_nothing(&x->shape);
    int axes[MAX_RANK] = {0}, count = 0;

    if (!read_modes(t, &r) || !read_axes(t, &r, axes, &count))
        return NULL;
    const struct tensor *scales = has_input(t, input) ? known_input(t, input) : NULL;
    bool scaled = scales && shape_volume(&scales->shape) > 0;
    if (t->failed ||
        !(scaled ? read_scales(t, &r, scales, axes, count) : read_sizes(t, &r, axes, count)) ||
        !read_region(t, &r, axes, count))
        return NULL;
    return resize_by(t, x, &r);
}

struct imported *import_resize(struct translation *t)
{
    return by_scales(t, t->opset < 11 ? 1 : 2);
}

/* Before opset 9 scales were an attribute. */
struct imported *import_upsample(struct translation *t)
{
    const float *items;
    struct tensor *to;
    int count;

    if (!get_floats(t, "scales", &items, &count))
        return t->failed ? NULL : by_scales(t, 1);
    struct shape shape = {.rank = 1, .extent = {count}};
    struct imported *scales = known_new(t, ONNX_FLOAT, &shape, &to),
                    *in[] = {input_at(t, 0), scales};
    if (!scales)
        return NULL;
    if (count)
        memcpy(to->data, items, (size_t)count * sizeof *items);
    t->in = in;
    t->nin = 2;
    return by_scales(t, 1);
}
