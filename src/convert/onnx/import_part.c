/*
 * import_part.c - parts of tensors, put together and taken apart
 *
 * Parts without items are known tensors: no operation of the graph has to make them.
 */
#include "convert/onnx/import_share.h"

#include "base/num.h"
#include "convert/onnx/import_value.h"

#include "diag/context.h"
#include "ir/site.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Every integer up to here is a double. */
static const double whole_max = 9007199254740992.;

/* Empty tensors are left out, whatever their rank, unless all are empty. */
struct imported *join_parts(struct translation *t, struct imported *const *in, int count,
                            int64_t axis)
{
    struct imported **filled = import_alloc(t, count, sizeof(struct imported *));
    int kept = 0, at;

    for (int i = 0; i < count; i++)
        if (in[i] && shape_volume(&in[i]->shape) > 0)
            filled[kept++] = in[i];
    if (kept == 0)
        for (int i = 0; i < count; i++)
            if (in[i])
                filled[kept++] = in[i];
    return resolve_axis(t, axis, filled[0]->shape.rank, &at) ? join(t, filled, kept, at) : NULL;
}

struct imported *import_concat(struct translation *t)
{
    return join_parts(t, t->in, t->nin, get_int(t, "axis", 1));
}

/* --- splitting ---------------------------------------------------------------------------- */

/* The extents of the parts, as named or equal; the last equal one may be smaller. */
static bool split_sizes(struct translation *t, int64_t extent, int64_t *sizes)
{
    int64_t sum = 0, parts, size = (extent + t->nout - 1) / t->nout;
    struct integers named;

    if (get_integers(t, "split", 1, &named)) {
        bool ok = named.count == t->nout;
        for (int i = 0; i < named.count && ok; i++) {
            ok = named.item[i] >= 0 && named.item[i] <= extent - sum;
            sizes[i] = named.item[i];
            sum += sizes[i];
        }
        return (ok && sum == extent) ||
               import_error(t, DIAG_ITEM_VALUE,
                            "splits extent %" PRId64 " into parts of another sum or number",
                            extent);
    }
    parts = get_int(t, "num_outputs", t->nout);
    if (!t->failed && (parts != t->nout || (extent > 0 && size * (t->nout - 1) >= extent)))
        return import_error(t, DIAG_NOT_DIVISIBLE,
                            "splits extent %" PRId64 " into %" PRId64 " parts, for %d outputs",
                            extent, parts, t->nout);
    for (int i = 0; i < t->nout; i++)
        sizes[i] = i + 1 < t->nout ? size : extent - size * (t->nout - 1);
    return !t->failed;
}

/* Parts that have no items are known; NNEF makes the others, in their order. */
struct imported *import_split(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    int64_t *sizes = import_alloc(t, t->nout, sizeof *sizes), divisor = 0;
    int64_t *ratios = import_alloc(t, t->nout, sizeof *ratios);
    int axis, count = 0, next = 0;

    if (t->nout == 0 || !resolve_axis(t, get_int(t, "axis", 0), x->shape.rank, &axis) ||
        !split_sizes(t, x->shape.extent[axis], sizes))
        return NULL;
    /* NNEF's split takes ratios, so sizes are divided by what they have in common. */
    for (int i = 0; i < t->nout; i++)
        for (int64_t rest = sizes[i]; rest;) {
            int64_t left = divisor % rest;
            divisor = rest;
            rest = left;
        }
    for (int i = 0; i < t->nout; i++)
        if (sizes[i]) {
            assert(divisor > 0);
            ratios[count++] = sizes[i] / divisor;
        }
    if (count > 0 && !make1(t, OP_SPEC(split, .axis = axis, .ratios = {count, ratios}), x))
        return NULL;
    struct imported *const *made = t->made;
    struct shape empty = x->shape;
    empty.extent[axis] = 0;
    for (int i = 0; i < t->nout; i++) {
        struct imported *part = sizes[i] ? made[next++] : known_new(t, x->type, &empty, NULL);
        set_output(t, i, part);
        if (!part)
            return NULL;
    }
    return t->out[0];
}

/* --- slices ------------------------------------------------------------------------------- */

/*
 * Bounds of ONNX: negative ones count from the end, and all are clamped to the extent.  An end
 * before the first item is -1 here, and -extent - 1 in NNEF.
 */
struct imported *select_items(struct translation *t, struct imported *x, struct selection s)
{
    bool seen[MAX_RANK] = {false}, whole = true;
    int axis;

    if (!x)
        return NULL;
    struct shape shape = x->shape;
    for (int i = 0; i < s.count; i++) {
        if (!resolve_axis(t, s.axes[i], x->shape.rank, &axis))
            return NULL;
        if (s.stride[i] == 0 || s.stride[i] < -INT64_MAX || seen[axis])
            return import_refuse(t, DIAG_ITEM_VALUE, "has step 0, or axis %d twice", axis);
        bool back = s.stride[i] < 0;
        int64_t extent = x->shape.extent[axis], step = back ? -s.stride[i] : s.stride[i];
        int64_t last = back ? extent - 1 : extent;
        s.axes[i] = axis;
        seen[axis] = true;
        if (s.begin[i] < 0)
            s.begin[i] = s.begin[i] < -extent ? -1 : s.begin[i] + extent;
        if (s.end[i] < 0)
            s.end[i] = s.end[i] < -extent ? -1 : s.end[i] + extent;
        s.begin[i] = num_min(num_max(s.begin[i], 0), last);
        s.end[i] = num_min(num_max(s.end[i], back ? -1 : 0), last);
        int64_t distance = back ? s.begin[i] - s.end[i] : s.end[i] - s.begin[i];
        shape.extent[axis] = distance > 0 && extent > 0 ? (distance - 1) / step + 1 : 0;
        whole &= !back && shape.extent[axis] == extent;
        if (s.end[i] < 0)
            s.end[i] = -extent - 1;
    }
    if (shape_volume(&shape) == 0)
        return known_new(t, x->type, &shape, NULL);
    if (whole)
        return x;
    return make1(t,
                 OP_SPEC(slice, .axes = {s.count, s.axes}, .begin = {s.count, s.begin},
                         .end = {s.count, s.end}, .stride = {s.count, s.stride}),
                 x);
}

/* Attributes before opset 10, inputs since; without axes, the first ones. */
struct imported *import_slice(struct translation *t)
{
    struct integers begin = {0}, end = {0}, axes = {0}, stride = {0};
    int rank = input_at(t, 0)->shape.rank;

    bool ok = get_integers(t, "starts", 1, &begin) && get_integers(t, "ends", 2, &end);
    bool named = get_integers(t, "axes", 3, &axes), steps = get_integers(t, "steps", 4, &stride);
    if (t->failed)
        return NULL;
    if (!ok || begin.count != end.count || (named && axes.count != begin.count) ||
        (steps && stride.count != begin.count) || begin.count > rank)
        return import_refuse(t, DIAG_ITEM_COUNT,
                             "starts, ends, axes and steps have %d, %d, %d and %d items for rank "
                             "%d",
                             begin.count, end.count, axes.count, stride.count, rank);
    struct selection s = {.count = begin.count};
    for (int i = 0; i < s.count; i++) {
        s.axes[i] = named ? axes.item[i] : i;
        s.begin[i] = begin.item[i];
        s.end[i] = end.item[i];
        s.stride[i] = steps ? stride.item[i] : 1;
        /* The numbers that stand for the end of an extent of any size do so backwards, too. */
        if (s.stride[i] < 0 && (s.end[i] == INT32_MAX || s.end[i] == INT64_MAX))
            s.end[i] = INT64_MIN;
    }
    return select_items(t, input_at(t, 0), s);
}

/* --- padding ------------------------------------------------------------------------------ */

/* Pads of all dimensions, or of those that an input names; 0 for others.  False after a report. */
static bool read_pads(struct translation *t, int64_t pads[MAX_RANK][2])
{
    int axes[MAX_RANK], count = get_axes(t, 3, input_at(t, 0)->shape.rank, axes);
    struct integers named;

    memset(pads, 0, MAX_RANK * sizeof *pads);
    bool given = get_integers(t, t->opset < 2 ? "paddings" : "pads", 1, &named);
    if (!given || t->failed || named.count != 2 * count)
        return !t->failed &&
               import_error(t, DIAG_ITEM_COUNT, "has %d pads, expected two for each dimension",
                            given ? named.count : 0);
    for (int i = 0; i < 2 * count; i++) {
        int64_t pad = pads[axes[i % count]][i / count] = named.item[i];
        if (pad < -INT32_MAX || pad > INT32_MAX)
            return import_error(t, DIAG_ITEM_VALUE, "pads dimension %d by %" PRId64,
                                axes[i % count], pad);
    }
    return true;
}

/* Padding by items of the other end, of which there must be enough. */
static struct imported *wrap(struct translation *t, struct imported *x, int axis,
                             const int64_t pad[2])
{
    struct imported *parts[3];
    int count = 0;

    assert(axis >= 0 && (!x || axis < x->shape.rank));
    if (!x || (pad[0] == 0 && pad[1] == 0))
        return x;
    int64_t extent = x->shape.extent[axis];
    if (pad[0] < 0 || pad[1] < 0 || pad[0] > extent || pad[1] > extent)
        return import_unsupported(t, "wraps by (%" PRId64 ",%" PRId64 "), expected 0 to %" PRId64,
                                  pad[0], pad[1], extent);
    if (pad[0])
        parts[count++] = slice_at(t, x, axis, extent - pad[0], extent);
    parts[count++] = x;
    if (pad[1])
        parts[count++] = slice_at(t, x, axis, 0, pad[1]);
    return join(t, parts, count, axis);
}

/*
 * NNEF pads scalars, and has no literal for infinite numbers.  Integers and infinite numbers come
 * from constants, which are joined to the tensor along one axis after the other; negative pads cut
 * items off.
 */
struct imported *pad_with(struct translation *t, struct imported *x, const int64_t (*pads)[2],
                          struct imported *fill)
{
    if (!x || !fill)
        return NULL;
    assert(fill->known && shape_volume(&fill->shape) == 1);
    double value = fill->is_number ? fill->number : tensor_item(fill->known, 0);
    fill = convert(t, reshape_to(t, fill, &(struct shape){0}), x->type);
    if (isfinite(value) && dtype_of(x->type) == DTYPE_SCALAR)
        return make1(t,
                     OP_SPEC(pad, .padding = {x->shape.rank, pads}, .border = BORDER_CONSTANT,
                             .value = value),
                     x);
    for (int axis = 0, rank = x->shape.rank; x && axis < rank; axis++) {
        const int64_t *pad = pads[axis];
        struct imported *parts[3];
        int count = 0;
        if (pad[0] < 0 || pad[1] < 0)
            x = slice_at(t, x, axis, pad[0] < 0 ? -pad[0] : 0,
                         x->shape.extent[axis] + (pad[1] < 0 ? pad[1] : 0));
        for (int side = 0; x && side < 2; side++) {
            struct shape shape = x->shape;
            shape.extent[axis] = pad[side];
            if (side == 1)
                parts[count++] = x;
            if (pad[side] > 0)
                parts[count++] = spread_to(t, fill, &shape);
        }
        x = x ? join(t, parts, count, axis) : NULL;
    }
    return x;
}

/* The items along an axis by indices that are known. */
static struct imported *pick_axis(struct translation *t, struct imported *x, int axis,
                                  const int64_t *items, int count)
{
    struct imported *indices = known_integers(t, items, count);

    return make2(t, OP_SPEC(gather, .axis = axis), x, indices);
}

/* Item i of an axis that goes on at both ends by its last item, or in the other direction. */
static int64_t item_beyond(int64_t i, int64_t extent, bool edge)
{
    int64_t last = extent - 1;

    if (edge || last == 0)
        return i < 0 ? 0 : i > last ? last : i;
    i = (i % (2 * last) + 2 * last) % (2 * last);
    return i > last ? 2 * last - i : i;
}

/* Before anything of it is made: does the padded shape, and what picks its items, fit the limits?
 */
static bool may_pad(struct translation *t, const struct shape *x, const int64_t (*pads)[2])
{
    struct context *context = t->builder->context;
    const struct place place = {context->diag, t->site, t->span};
    struct shape shape = *x;
    int64_t most = 0, volume;

    for (int i = 0; i < shape.rank; i++) {
        shape.extent[i] += pads[i][0] + pads[i][1];
        if (shape.extent[i] < 1 || shape.extent[i] > INT32_MAX || x->extent[i] < 1)
            return import_error(t, DIAG_EXTENT, "pads extent %" PRId64 " to %" PRId64, x->extent[i],
                                shape.extent[i]);
        most = shape.extent[i] > most ? shape.extent[i] : most;
    }
    if (!shape_volume_checked(&shape, context->limits.volume, &volume))
        return import_error(t, DIAG_VOLUME_LIMIT, "has a result of shape %s, more than the limit",
                            SHAPE_TEXT(&shape));
    if (place_grows(&place, context, 2 * most * (int64_t)sizeof(int64_t)))
        return true;
    t->failed = true;
    return false;
}

/* Integers, which are picked one by one. */
static struct imported *pad_integers(struct translation *t, struct imported *x,
                                     const int64_t (*pads)[2], bool edge)
{
    if (!may_pad(t, &x->shape, pads))
        return NULL;
    for (int axis = 0, rank = x->shape.rank; x && axis < rank; axis++) {
        int64_t extent = x->shape.extent[axis], count = pads[axis][0] + extent + pads[axis][1];
        if (count == extent && pads[axis][0] == 0)
            continue;
        int64_t *from = import_alloc(t, count, sizeof *from);
        for (int64_t i = 0; i < count; i++)
            from[i] = item_beyond(i - pads[axis][0], extent, edge);
        x = pick_axis(t, x, axis, from, (int)count);
    }
    return x;
}

/* NNEF pads scalars only, so logicals are converted and back. */
struct imported *pad_by(struct translation *t, struct imported *x, const int64_t (*pads)[2],
                        const char *border, struct imported *fill)
{
    bool none = true;

    if (!x || !fill)
        return NULL;
    int rank = x->shape.rank;
    for (int i = 0; i < rank; i++)
        none &= pads[i][0] == 0 && pads[i][1] == 0;
    if (none)
        return x;
    if (strcmp(border, "wrap") == 0) {
        for (int i = 0; i < rank; i++)
            x = wrap(t, x, i, pads[i]);
        return x;
    }
    const bool edge = strcmp(border, "replicate") == 0, fills = strcmp(border, "constant") == 0;
    int32_t type = x->type;
    if (dtype_of(type) == DTYPE_INTEGER && !fills)
        return pad_integers(t, x, pads, edge);
    if (dtype_of(type) == DTYPE_INTEGER && fill->is_number && fabs(fill->number) > whole_max)
        return import_unsupported(t, "pads integers with %g, which is beyond 2^53", fill->number);
    if (dtype_of(type) == DTYPE_LOGICAL)
        x = convert(t, x, ONNX_FLOAT);
    if (fills)
        return convert(t, pad_with(t, x, pads, fill), type);
    x = make1(
        t,
        OP_SPEC(pad, .padding = {rank, pads}, .border = edge ? BORDER_REPLICATE : BORDER_REFLECT),
        x);
    return convert(t, x, type);
}

/* Pads before opset 11 are an attribute, as the value is. */
struct imported *import_pad(struct translation *t)
{
    static const char *const modes[] = {"constant", "reflect", "edge", "wrap", NULL};
    static const char *const borders[] = {"constant", "reflect", "replicate", "wrap"};
    double value = t->opset < 11 ? get_float(t, "value", 0) : 0;
    int64_t pads[MAX_RANK][2];

    if (!read_pads(t, pads) || (has_input(t, 2) && !input_number(t, 2, &value)))
        return NULL;
    int mode = get_word(t, "mode", "constant", modes);
    if (mode < 0)
        return NULL;
    return pad_by(t, input_at(t, 0), (const int64_t(*)[2])pads, borders[mode],
                  has_input(t, 2) ? input_at(t, 2) : literal(t, value));
}

/* Around the middle; if the surplus is odd, the larger half is behind. */
struct imported *import_center_crop_pad(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    int64_t pads[MAX_RANK][2] = {{0}};
    int axes[MAX_RANK], count = get_axes(t, t->nin, x->shape.rank, axes);
    struct integers wanted;

    if (count < 0 || !get_integers(t, "shape", 1, &wanted))
        return NULL;
    if (wanted.count != count)
        return import_refuse(t, DIAG_ITEM_COUNT, "has %d extents for %d axes", wanted.count, count);
    for (int i = 0; i < count; i++) {
        const int axis = axes[i];
        if (wanted.item[i] < 1 || wanted.item[i] > INT32_MAX)
            return import_refuse(t, DIAG_EXTENT, "asks for extent %" PRId64, wanted.item[i]);
        int64_t more = wanted.item[i] - x->shape.extent[axis];
        pads[axis][0] = more >= 0 ? more / 2 : -(-more / 2);
        pads[axis][1] = more - pads[axis][0];
    }
    return pad_by(t, x, (const int64_t(*)[2])pads, "constant", literal(t, 0));
}

/* --- gathering ---------------------------------------------------------------------------- */

struct imported *gather_at(struct translation *t, struct imported *x, int64_t axis,
                           struct imported *indices)
{
    int at;

    if (!x || !indices || !resolve_axis(t, axis, x->shape.rank, &at))
        return NULL;
    if (dtype_of(indices->type) != DTYPE_INTEGER)
        return import_refuse(t, DIAG_TYPE_MISMATCH, "has indices that are no integers");
    /* Known indices that are all in range need no nodes. */
    bool negative = !indices->known;
    for (int64_t i = 0; indices->known && i < shape_volume(&indices->shape); i++)
        negative |= tensor_item(indices->known, i) < 0;
    if (negative)
        indices = from_front(t, indices, x->shape.extent[at]);
    return make2(t, OP_SPEC(gather, .axis = at), x, indices);
}

struct imported *import_gather(struct translation *t)
{
    return gather_at(t, input_at(t, 0), get_int(t, "axis", 0), input_at(t, 1));
}

/* --- reversing ------------------------------------------------------------------------------ */

/* The first items of each batch the other way round, by an index into both dimensions as one. */
struct imported *import_reverse_sequence(struct translation *t)
{
    int64_t batch = get_int(t, "batch_axis", 1), time = get_int(t, "time_axis", 0);
    struct imported *x = input_at(t, 0);
    struct integers lengths;

    if (!get_integers(t, "sequence_lens", 1, &lengths))
        return NULL;
    if (x->shape.rank < 2 || batch + time != 1 || batch * time != 0 ||
        lengths.count != x->shape.extent[batch])
        return import_refuse(t, DIAG_ONNX_GRAPH, "has %d lengths for shape %s", lengths.count,
                             SHAPE_TEXT(&x->shape));
    struct shape shape = x->shape, flat = {.rank = x->shape.rank - 1};
    int64_t steps = shape.extent[time], count = steps * lengths.count;
    int64_t *items = import_alloc(t, count, sizeof *items);
    for (int64_t i = 0; i < count; i++) {
        int64_t at[2] = {i / shape.extent[1], i % shape.extent[1]};
        int64_t length = lengths.item[at[batch]];
        if (length < 0 || length > steps)
            return import_refuse(t, DIAG_ITEM_VALUE,
                                 "has length %" PRId64 ", expected 0 to %" PRId64, length, steps);
        at[time] = at[time] < length ? length - 1 - at[time] : at[time];
        items[i] = at[0] * shape.extent[1] + at[1];
    }
    flat.extent[0] = count;
    for (int i = 2; i < shape.rank; i++)
        flat.extent[i - 1] = shape.extent[i];
    x = pick_axis(t, reshape_to(t, x, &flat), 0, items, (int)count);
    return reshape_to(t, x, &shape);
}

/* The items along an axis, or of all of them, for which a condition is true: which has to be known,
 * as the shape of the result follows from it. */
struct imported *import_compress(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    const struct tensor *condition = known_input(t, 1);
    const struct shape flat = {.rank = 1, .extent = {shape_volume(&x->shape)}};
    int axis, count = 0;

    if (!condition)
        return NULL;
    if (!has_attribute(t, "axis"))
        x = reshape_to(t, x, &flat);
    if (!x || !resolve_axis(t, get_int(t, "axis", 0), x->shape.rank, &axis))
        return NULL;
    int64_t flags = shape_volume(&condition->shape);
    if (condition->dtype != DTYPE_LOGICAL || condition->shape.rank != 1 ||
        flags > x->shape.extent[axis] || flags > INT32_MAX)
        return import_refuse(
            t, DIAG_SHAPE_MISMATCH, "has a condition of type %s%s for %" PRId64 " items",
            dtype_name(condition->dtype), SHAPE_TEXT(&condition->shape), x->shape.extent[axis]);
    int64_t *taken = import_alloc(t, flags, sizeof *taken);
    for (int64_t i = 0; i < flags; i++)
        if (((const unsigned char *)condition->data)[i])
            taken[count++] = i;
    return gather_at(t, x, axis, known_integers(t, taken, count));
}
