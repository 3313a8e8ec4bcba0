/* window.c - extents, padding and borders of sliding windows (section 4.3) */
#include "op/window.h"

#include "base/num.h"
#include "op/check.h"

#include <assert.h>
#include <inttypes.h>

/* Sums of a few such numbers cannot overflow. */
static const int64_t reach_limit = INT64_C(1) << 60;

int64_t border_index(enum border border, int64_t i, int64_t extent)
{
    int64_t mapped = OUTSIDE;

    switch (border) {
    case BORDER_REPLICATE:
        mapped = i < 0 ? 0 : extent - 1;
        break;
    case BORDER_REFLECT:
        mapped = i < 0 ? -i : 2 * (extent - 1) - i;
        break;
    case BORDER_REFLECT_EVEN:
        mapped = i < 0 ? -i - 1 : 2 * extent - 1 - i;
        break;
    case BORDER_CONSTANT:
    case BORDER_IGNORE:
        break;
    }
    return mapped < extent ? mapped : OUTSIDE;
}

int64_t border_room(enum border border, int64_t extent)
{
    switch (border) {
    case BORDER_REFLECT:
        return extent > 0 ? extent - 1 : 0;
    case BORDER_REFLECT_EVEN:
        return extent;
    case BORDER_REPLICATE:
        return extent > 0 ? INT64_MAX : 0;
    case BORDER_CONSTANT:
    case BORDER_IGNORE:
        break;
    }
    return INT64_MAX;
}

/* --- the geometry ----------------------------------------------------------------------- */

static bool has_padding(const struct window_source *source, int axis)
{
    return axis - source->first < source->attrs->padding.count;
}

static struct window_dim dim_of(const struct window_source *source, int axis)
{
    const struct window_attrs *attrs = source->attrs;
    int item = axis - source->first;
    struct window_dim dim = {.in = shape_extent(source->input, axis)};

    assert(axis >= 0 && axis < MAX_RANK);
    dim.size =
        source->filter ? shape_extent(source->filter, axis) : integers_at(&attrs->size, item);
    dim.stride = integers_at(&attrs->stride, item);
    dim.dilation = integers_at(&attrs->dilation, item);
    if (has_padding(source, axis)) {
        dim.before = attrs->padding.item[item][0];
        dim.after = attrs->padding.item[item][1];
    }
    return dim;
}

/* Automatic padding: as little as makes the down-scaled extent ceil(large / stride). */
static void pad_automatically(struct window_dim *dim, bool reverse)
{
    int64_t large = reverse ? dim->out : dim->in, small = reverse ? dim->in : dim->out;
    int64_t total = (small - 1) * dim->stride + window_reach(dim) - large;

    if (total < 0)
        total = 0;
    dim->before = total / 2;
    dim->after = total - dim->before;
}

bool window_rounds(const struct window_source *source, int axis)
{
    struct window_dim dim = dim_of(source, axis);

    return !source->reverse && !has_padding(source, axis) && dim.stride > 1 &&
           window_reach(&dim) > 1;
}

struct window window_of(const struct window_source *source, const struct shape *out)
{
    struct window window = {.rank = source->rank - source->first, .reverse = source->reverse};
    int64_t pitch = 1;

    window.border = (enum border)source->attrs->border;
    for (int i = window.rank - 1; i >= 0; i--) {
        int axis = source->first + i;
        struct window_dim *dim = &window.dim[i];
        *dim = dim_of(source, axis);
        dim->out = shape_extent(out, axis);
        dim->pitch = pitch;
        pitch *= dim->in;
        if (!has_padding(source, axis))
            pad_automatically(dim, source->reverse);
    }
    if (window.rank == 0)
        window.dim[window.rank++] = (struct window_dim){1, 1, 1, 1, 1, 0, 0, 1};
    return window;
}

struct window window_of_eval(const struct eval *eval, bool reverse)
{
    const struct shape *out = &eval->out[0]->shape;
    struct window_source source = {
        .attrs = eval->attrs, .input = &eval->in[0]->shape, .rank = out->rank, .reverse = reverse};

    return window_of(&source, out);
}

int64_t window_input(const struct window *window, int axis, int64_t o, int64_t k)
{
    const struct window_dim *dim = &window->dim[axis];
    int64_t i;

    assert(axis >= 0 && axis < window->rank);
    if (window->reverse) {
        i = o + dim->before - k * dim->dilation;
        if (i % dim->stride != 0)
            return OUTSIDE;
        i /= dim->stride;
    } else {
        i = o * dim->stride + k * dim->dilation - dim->before;
    }
    return i >= 0 && i < dim->in ? i : border_index(window->border, i, dim->in);
}

/* --- numbers of items ------------------------------------------------------------------- */

/* One item for every dimension, or none; fewer in the provisional dialect. */
static bool check_items(const struct infer *infer, const char *param, int count, int expected)
{
    if (count == 0 || (infer->graph->provisional && count <= expected))
        return true;
    return check_count(infer, param, count, expected);
}

bool window_check_counts(const struct infer *infer, const struct window_source *source)
{
    const struct window_attrs *attrs = source->attrs;
    int count = source->rank - source->first;
    bool ok = check_items(infer, "padding", attrs->padding.count, count);

    ok &= check_items(infer, "stride", attrs->stride.count, count);
    ok &= check_items(infer, "dilation", attrs->dilation.count, count);
    ok &= check_items(infer, "output_shape", attrs->output_shape.count, source->rank);
    return ok;
}

bool window_source_full(const struct infer *infer, bool reverse, struct window_source *source)
{
    const struct window_attrs *attrs = infer->attrs;
    const struct shape *input = infer_in(infer, 0);
    int64_t longest = num_max(num_max(input->rank, attrs->size.count), attrs->padding.count);
    int64_t taps = 1;

    /* The provisional dialect implies trailing ones: the longest argument gives the rank. */
    *source = (struct window_source){
        .attrs = attrs, .input = input, .rank = input->rank, .reverse = reverse};
    if (infer->graph->provisional)
        source->rank = (int)num_max(longest, num_max(attrs->stride.count, attrs->dilation.count));
    else if (!check_count(infer, "size", attrs->size.count, source->rank))
        return false;
    if (!check_rank_limit(infer, source->rank))
        return false;

    /* Taps are numbered, so that their number has to fit. */
    for (int i = 0; i < attrs->size.count; i++)
        if (!num_mul(taps, attrs->size.item[i], &taps) || taps > reach_limit)
            return infer_error(infer, "size", DIAG_ITEM_VALUE, "the window of '%s' is too large",
                               infer_name(infer));
    return window_check_counts(infer, source);
}

/* --- extents of the result -------------------------------------------------------------- */

static bool too_large(int64_t value)
{
    return value > reach_limit || value < -reach_limit;
}

/* Extent of the result of down-scaling; -1 if the window does not fit.  A dimension without items
 * may be up to a stride shorter than the window: the extent is then 0. */
static int64_t scale_down(const struct window_dim *dim, int64_t large, bool padded)
{
    int64_t room = dim->before + large + dim->after - window_reach(dim);

    assert(dim->stride > 0);
    if (!padded)
        return num_divide_up(large, dim->stride);
    if (room < 0)
        return large == 0 && room >= -dim->stride ? 0 : -1;
    return room / dim->stride + 1;
}

/* output_shape, if given, has to scale down to the input; else the extent is the least that does.
 */
static bool infer_up(const struct infer *infer, const struct window_source *source, int axis,
                     struct window_dim *dim)
{
    bool padded = has_padding(source, axis);

    if (axis < source->attrs->output_shape.count) {
        dim->out = source->attrs->output_shape.item[axis];
        if (!too_large(dim->out) && scale_down(dim, dim->out, padded) == dim->in)
            return true;
        return infer_error(infer, "output_shape", DIAG_OUTPUT_SHAPE,
                           "'output_shape' of '%s' has %" PRId64 " in dimension %d, which does not "
                           "scale down to extent %" PRId64 " of the input",
                           infer_name(infer), dim->out, axis, dim->in);
    }
    dim->out = dim->in * dim->stride;
    if (dim->in > 0 && padded)
        dim->out = window_full(dim) - dim->before - dim->after;
    return dim->out > 0 || dim->in == 0 ||
           infer_error(infer, NULL, DIAG_EXTENT,
                       "result of '%s' has extent %" PRId64 " in dimension %d, "
                       "expected it to be positive",
                       infer_name(infer), dim->out, axis);
}

/* Items are reflected once: no further than there are items to reflect. */
static bool check_border(const struct infer *infer, const struct window_source *source, int axis,
                         const struct window_dim *dim)
{
    enum border border = (enum border)source->attrs->border;
    int64_t lowest, highest, room;

    if (border == BORDER_CONSTANT || border == BORDER_IGNORE || dim->out == 0)
        return true;
    if (dim->in == 0)
        return infer_error(infer, "border", DIAG_ITEM_VALUE,
                           "border '%s' of '%s' has no items to fill dimension %d with",
                           border_words[border], infer_name(infer), axis);
    if (border == BORDER_REPLICATE)
        return true;

    /* Input coordinates that the taps reach; exact divisions only can fall on one. */
    if (source->reverse) {
        lowest = (dim->before + 1 - window_reach(dim)) / dim->stride;
        highest = (dim->out - 1 + dim->before) / dim->stride;
    } else {
        lowest = -dim->before;
        highest = (dim->out - 1) * dim->stride + window_reach(dim) - 1 - dim->before;
    }
    room = border_room(border, dim->in);
    if (lowest >= -room && highest < dim->in + room)
        return true;
    return infer_error(infer, "padding", DIAG_ITEM_VALUE,
                       "the window of '%s' reaches from %" PRId64 " to %" PRId64
                       " in dimension %d, border '%s' fills %" PRId64 " to %" PRId64,
                       infer_name(infer), lowest, highest, axis, border_words[border], -room,
                       dim->in + room - 1);
}

/* The extent of one dimension; it stays unknown if that of input or window is. */
static bool infer_dim(const struct infer *infer, const struct window_source *source, int axis,
                      struct shape *out)
{
    struct window_dim dim = dim_of(source, axis);
    int64_t dilated = 0, spread = 0;

    out->extent[axis] = EXTENT_UNKNOWN;
    if (dim.in == EXTENT_UNKNOWN || dim.size == EXTENT_UNKNOWN)
        return true;

    /* Arguments are hostile until this has passed: no later sum or product overflows. */
    bool ok = num_mul(dim.size - 1, dim.dilation, &dilated) && !too_large(dilated) &&
              !too_large(dim.before) && !too_large(dim.after) && !too_large(dim.in);
    if (ok && source->reverse)
        ok = num_mul(dim.in, dim.stride, &spread) && !too_large(spread);
    if (source->attrs->border == BORDER_IGNORE && dim.size > 1)
        ok = ok && dim.dilation <= INT32_MAX;
    if (!ok)
        return infer_error(infer, NULL, DIAG_ITEM_VALUE,
                           "the window of '%s' reaches too far in dimension %d", infer_name(infer),
                           axis);
    if (infer->graph->provisional && (dim.before < 0 || dim.after < 0))
        return infer_error(infer, "padding", DIAG_ITEM_VALUE,
                           "padding of '%s' is (%" PRId64 ",%" PRId64 ") in dimension %d, "
                           "expected nothing negative in the provisional dialect",
                           infer_name(infer), dim.before, dim.after, axis);

    if (source->reverse && !infer_up(infer, source, axis, &dim))
        return false;
    if (!source->reverse)
        dim.out = scale_down(&dim, dim.in, has_padding(source, axis));
    if (!source->reverse && dim.out < 0)
        return infer_error(infer, source->filter ? "filter" : "size", DIAG_WINDOW_SIZE,
                           "the window of '%s' covers %" PRId64 " items in dimension %d, "
                           "the padded input has %" PRId64,
                           infer_name(infer), window_reach(&dim), axis,
                           dim.before + dim.in + dim.after);
    out->extent[axis] = dim.out;
    if (!has_padding(source, axis))
        pad_automatically(&dim, source->reverse);
    return check_border(infer, source, axis, &dim);
}

bool window_infer(const struct infer *infer, const struct window_source *source, struct shape *out)
{
    const struct shape *filter = source->filter;
    int64_t taps = 1, filters = filter ? shape_extent(filter, 0) : 0, volume;

    assert(source->rank <= MAX_RANK && source->first <= source->rank);
    out->rank = source->rank;
    for (int axis = source->first; axis < source->rank; axis++)
        if (!infer_dim(infer, source, axis, out))
            return false;

    /* Filters are as large as they are.  Every item of the result meets one, in deconvolution every
     * item of the input. */
    if (filters > 0 && shape_volume_checked(filter, INT64_MAX, &volume))
        infer_reads(infer, source->reverse ? source->input : out, volume / filters);
    if (filter)
        return true;

    /* A window without a filter may be of any size. */
    for (int i = 0; i < source->rank; i++)
        if (!num_mul(taps, integers_at(&source->attrs->size, i), &taps))
            taps = INT64_MAX;
    return infer_work(infer, out, taps);
}

/* --- windows without a tap -------------------------------------------------------------- */

/*
 * The smallest n >= 0 for which lowest <= n * step % modulus <= highest, -1 if there is none.
 * Multiples of `step` lie in the range or pass it; which lap hits is the same question modulo
 * `step`.
 */
static int64_t first_multiple(int64_t step, int64_t modulus, int64_t lowest, int64_t highest)
{
    if (lowest == 0)
        return 0;
    if (step == 0)
        return -1;
    if (step > modulus / 2)
        return first_multiple(modulus - step, modulus, modulus - highest, modulus - lowest);
    int64_t n = num_divide_up(lowest, step);
    if (n * step <= highest)
        return n;
    int64_t lap =
        first_multiple((step - modulus % step) % step, step, lowest % step, highest % step);
    return lap < 0 ? -1 : num_divide_up(lowest + lap * modulus, step);
}

/*
 * Does every window of a dimension have a tap inside the input?  The last one must not begin behind
 * it.  Of those that begin before the input, the first tap not before it must be inside.
 */
static bool all_windows_hit(const struct window_dim *dim)
{
    int64_t last = (dim->out - 1) * dim->stride - dim->before, first, missed;

    if (dim->out == 0)
        return true;
    if (last >= dim->in)
        return false;
    if (dim->before <= 0)
        return true;
    first = (dim->dilation - dim->before % dim->dilation) % dim->dilation;
    if (window_reach(dim) <= dim->before || first >= dim->in)
        return false;
    if (dim->in >= dim->dilation)
        return true;
    missed = first_multiple(dim->stride % dim->dilation, dim->dilation, dim->in - first,
                            dim->dilation - 1 - first);
    return missed < 0 || missed >= dim->out;
}

bool window_check_taps(const struct infer *infer, const struct window_source *source,
                       const struct shape *out)
{
    struct window window;

    if (source->attrs->border != BORDER_IGNORE || source->reverse || !shape_known(out) ||
        !shape_known(source->input))
        return true;
    window = window_of(source, out);
    for (int axis = 0; axis < window.rank; axis++)
        if (!all_windows_hit(&window.dim[axis]))
            return infer_error(infer, "padding", DIAG_WINDOW_SIZE,
                               "a window of '%s' lies outside the input in dimension %d, "
                               "border 'ignore' leaves nothing of it",
                               infer_name(infer), axis);
    return true;
}

/* --- indices of taps -------------------------------------------------------------------- */

bool window_check_indices(const struct eval *eval, const struct window *window,
                          const struct tensor *index)
{
    int64_t taps = 1;

    for (int i = 0; i < window->rank; i++)
        taps *= window->dim[i].size;
    return check_indices(eval, index, "index", taps, ", the size of the window");
}

double window_volume(const struct window *window)
{
    double volume = 1;

    for (int i = 0; i < window->rank; i++)
        volume *= (double)window->dim[i].size;
    return volume;
}

int64_t window_hits(const struct window *window, int axis, int64_t o)
{
    int64_t hits = 0;

    assert(axis >= 0 && axis < window->rank);
    for (int64_t tap = 0; tap < window->dim[axis].size; tap++)
        hits += window_input(window, axis, o, tap) != OUTSIDE;
    return hits;
}
