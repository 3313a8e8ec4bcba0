/* convert_part.c - parts of tensors, put together and taken apart */
#include "convert/pnnx/convert_functions.h"

#include <inttypes.h>
#include <string.h>

/* --- putting together ------------------------------------------------------------------------- */

/* The inputs, or the items of the one list that is an input; those that are no tensors are arguments. */
static struct imported **tensors_of(struct say *s, int *count)
{
    bool listed = s->op->nin > 0 && s->given[0]->is_list;
    struct given *const *from = listed ? s->given[0]->items : s->given;
    int most = listed ? s->given[0]->count : s->op->nin;
    struct imported **list = import_alloc(&s->t, most, sizeof(struct imported *));

    *count = 0;
    for (int i = 0; i < most; i++) {
        bool argument = !listed && s->op->key[i] && strcmp(s->op->key[i], "dim") == 0;
        if (from[i]->imported && !argument)
            list[(*count)++] = from[i]->imported;
    }
    if (*count == 0)
        say_refuse(s, "joins no tensors");
    return s->t.failed ? NULL : list;
}

struct imported *say_cat(struct say *s)
{
    int count, axis;
    struct imported **in = tensors_of(s, &count);

    if (!in || !say_axis(s, "dim", 0, in[0]->shape.rank, &axis))
        return NULL;
    say_begin(s, "Concat");
    node_int(s, "axis", axis);
    return say_end(s, in, count, NULL, 1);
}

struct imported *say_stack(struct say *s)
{
    int count, axis;
    struct imported **in = tensors_of(s, &count);

    if (!in || !say_axis(s, "dim", 0, in[0]->shape.rank + 1, &axis))
        return NULL;
    for (int i = 0; i < count; i++)
        if (!(in[i] = unsqueeze_at(&s->t, in[i], axis)))
            return NULL;
    return join(&s->t, in, count, axis);
}

/* --- taking apart ----------------------------------------------------------------------------- */

/* Hands over the parts as outputs, or as one that is a list. */
static struct imported *hand_over(struct say *s, struct imported *x, int axis,
                                  const struct integers *sizes)
{
    int64_t at = 0;

    if (sizes->count != s->op->nout)
        return say_refuse(s, "makes %d parts for %d outputs", sizes->count, s->op->nout);
    for (int i = 0; i < sizes->count; i++) {
        if (sizes->item[i] < 1 || sizes->item[i] > x->shape.extent[axis] - at)
            return say_refuse(s, "makes a part of %" PRId64 " items of shape %s", sizes->item[i],
                              SHAPE_TEXT(&x->shape));
        set_output(&s->t, i, slice_at(&s->t, x, axis, at, at + sizes->item[i]));
        at += sizes->item[i];
    }
    return s->op->nout ? s->t.out[0] : NULL;
}

/* All of a size, but the last. */
static struct imported *by_size(struct say *s, struct imported *x, int axis, int64_t size)
{
    int64_t extent = x->shape.extent[axis];

    if (size < 1)
        return say_refuse(s, "makes parts of %" PRId64 " items", size);
    int64_t count = extent / size + (extent % size != 0);
    if (count > s->op->nout)
        return say_refuse(s, "makes %" PRId64 " parts for %d outputs", count, s->op->nout);
    int64_t *sizes = import_alloc(&s->t, count, sizeof *sizes);
    for (int64_t i = 0; i < count; i++)
        sizes[i] = i + 1 < count ? size : extent - size * (count - 1);
    return hand_over(s, x, axis, &(struct integers){(int)count, sizes});
}

static struct imported *parted(struct say *s, int *axis)
{
    struct imported *x = say_option(s, "tensor");

    x = x ? x : say_argument(s, "input", 0);
    return x && x->shape.rank > 0 && say_axis(s, "dim", 0, x->shape.rank, axis) ? x : NULL;
}

struct imported *say_chunk(struct say *s)
{
    int axis;
    struct imported *x = parted(s, &axis);
    int64_t count = say_int(s, "chunks", s->op->nout);

    if (!x || count < 1)
        return x ? say_refuse(s, "makes %" PRId64 " parts", count) : NULL;
    return by_size(s, x, axis, (x->shape.extent[axis] - 1) / count + 1);
}

struct imported *say_split(struct say *s)
{
    int axis;
    struct imported *x = parted(s, &axis);
    struct integers sizes;
    bool given = say_ints(s, "split_size_or_sections", &sizes) ||
                 say_ints(s, "split_size", &sizes) || say_ints(s, "split_sizes", &sizes);

    if (!x || !given)
        return x && !s->t.failed ? say_refuse(s, "does not say how it splits") : NULL;
    if (sizes.count == 1 && s->op->nout != 1)
        return by_size(s, x, axis, sizes.item[0]);
    return hand_over(s, x, axis, &sizes);
}

/* By the items that parts begin with, or in parts of which the first ones are larger by one. */
struct imported *say_tensor_split(struct say *s)
{
    int axis, count = s->op->nout;
    struct imported *x = parted(s, &axis);
    int64_t *sizes = import_alloc(&s->t, count, sizeof *sizes), at = 0;
    struct integers indices;

    if (!x || count < 1)
        return NULL;
    int64_t extent = x->shape.extent[axis];
    bool given = say_ints(s, "indices", &indices);
    if (given && indices.count != count - 1)
        return say_refuse(s, "makes %d parts for %d outputs", indices.count + 1, count);
    for (int i = 0; i < count; i++) {
        int64_t end = !given ? at + extent / count + (i < extent % count)
                             : (i + 1 < count ? indices.item[i] : extent);
        if (end < 0 || end > extent)
            return say_refuse(s, "begins a part at item %" PRId64 " of %" PRId64, end, extent);
        sizes[i] = end - at;
        at = end;
    }
    return hand_over(s, x, axis, &(struct integers){count, sizes});
}

struct imported *say_unbind(struct say *s)
{
    int axis;
    struct imported *x = parted(s, &axis);

    if (!x || x->shape.extent[axis] != s->op->nout)
        return x ? say_refuse(s, "makes %" PRId64 " parts for %d outputs", x->shape.extent[axis],
                              s->op->nout)
                 : NULL;
    for (int i = 0; i < s->op->nout; i++)
        set_output(&s->t, i, squeeze_at(&s->t, slice_at(&s->t, x, axis, i, i + 1), axis));
    return s->op->nout ? s->t.out[0] : NULL;
}

/* --- slices ----------------------------------------------------------------------------------- */

static struct imported *sliced(struct say *s, struct imported *x, const struct integers *axes,
                               const int64_t *const bounds[3])
{
    struct imported *in[] = {x, known_integers(&s->t, bounds[0], axes->count),
                             known_integers(&s->t, bounds[1], axes->count),
                             known_integers(&s->t, axes->item, axes->count),
                             known_integers(&s->t, bounds[2], axes->count)};

    say_begin(s, "Slice");
    return say_end(s, in, 5, NULL, 1);
}

/* An item of dimension `axis`, which is gone then. */
static struct imported *select_item(struct say *s, struct imported *x, int axis, int64_t index)
{
    int64_t extent = x ? x->shape.extent[axis] : 0, at = index < 0 ? index + extent : index;

    if (!x)
        return NULL;
    if (at < 0 || at >= extent)
        return say_refuse(s, "selects item %" PRId64 " of %" PRId64, index, extent);
    return squeeze_at(&s->t, slice_at(&s->t, x, axis, at, at + 1), axis);
}

/* Lists of `slice_all`: each of one length, in any order; those that are not given have no items. */
struct slices {
    struct integers dims, starts, ends, steps, selects;
};

static bool fits(const struct integers *list, const struct integers *dims)
{
    return list->count == 0 || list->count == dims->count;
}

static bool read_slices(struct say *s, struct slices *list)
{
    *list = (struct slices){0};
    bool given = say_ints(s, "dims", &list->dims) && say_ints(s, "starts", &list->starts) &&
                 say_ints(s, "ends", &list->ends);

    say_ints(s, "steps", &list->steps);
    say_ints(s, "selects", &list->selects);
    if (!given || s->t.failed)
        return !s->t.failed && say_refuse(s, "does not say what it slices");
    if (list->starts.count != list->dims.count || list->ends.count != list->dims.count ||
        !fits(&list->steps, &list->dims) || !fits(&list->selects, &list->dims))
        say_refuse(s, "slices %d dimensions from %d starts to %d ends, by %d steps and %d selects",
                   list->dims.count, list->starts.count, list->ends.count, list->steps.count,
                   list->selects.count);
    return !s->t.failed;
}

/* Where each dimension is in the lists; -1: nowhere. */
static bool find_dimensions(struct say *s, const struct integers *dims, int rank, int at[MAX_RANK])
{
    int axis;

    for (int i = 0; i < rank; i++)
        at[i] = -1;
    for (int i = 0; i < dims->count; i++) {
        if (!resolve_axis(&s->t, dims->item[i], rank, &axis))
            return false;
        if (at[axis] >= 0)
            return say_refuse(s, "slices dimension %d twice", axis);
        at[axis] = i;
    }
    return true;
}

/* Several dimensions at once; INT64_MAX stands for the default, and for no item that is selected. */
static struct imported *slice_all(struct say *s, struct imported *x)
{
    int64_t axes[MAX_RANK], begin[MAX_RANK], end[MAX_RANK], step[MAX_RANK];
    struct integers sliced_axes = {0, axes};
    int at[MAX_RANK] = {0}, rank = x->shape.rank, *count = &sliced_axes.count;
    struct slices list;

    if (!read_slices(s, &list) || !find_dimensions(s, &list.dims, rank, at))
        return NULL;
    for (int axis = 0; axis < rank; axis++) {
        int i = at[axis];
        if (i < 0 || (list.selects.count && list.selects.item[i] != INT64_MAX))
            continue;
        axes[*count] = axis;
        begin[*count] = list.starts.item[i] == INT64_MAX ? 0 : list.starts.item[i];
        end[*count] = list.ends.item[i];
        step[*count] =
            !list.steps.count || list.steps.item[i] == INT64_MAX ? 1 : list.steps.item[i];
        ++*count;
    }
    if (*count)
        x = sliced(s, x, &sliced_axes, (const int64_t *const[]){begin, end, step});
    for (int axis = rank - 1; axis >= 0 && x; axis--) {
        int i = at[axis];
        if (i >= 0 && i < list.selects.count && list.selects.item[i] != INT64_MAX)
            x = select_item(s, x, axis, list.selects.item[i]);
    }
    return x;
}

struct imported *say_slice(struct say *s)
{
    struct imported *x = say_argument(s, "input", 0);
    int axis;

    if (!x)
        return NULL;
    if (say_has(s, "dims"))
        return slice_all(s, x);
    if (!say_axis(s, "dim", 0, x->shape.rank, &axis))
        return NULL;
    int64_t at = axis, begin = say_int(s, "start", 0), end = say_int(s, "end", INT64_MAX);
    int64_t step = say_int(s, "step", 1);
    begin = begin == INT64_MAX ? 0 : begin;
    return sliced(s, x, &(struct integers){1, &at}, (const int64_t *const[]){&begin, &end, &step});
}

struct imported *say_select(struct say *s)
{
    struct imported *x = say_argument(s, "input", 0);
    int axis;

    if (!x || !say_axis(s, "dim", 0, x->shape.rank, &axis))
        return NULL;
    return select_item(s, x, axis, say_int(s, "index", 0));
}

struct imported *say_narrow(struct say *s)
{
    struct imported *x = say_argument(s, "input", 0);
    int64_t begin = say_int(s, "start", 0), length = say_int(s, "length", 1);
    int axis;

    if (!x || !say_axis(s, "dim", 0, x->shape.rank, &axis))
        return NULL;
    begin += begin < 0 ? x->shape.extent[axis] : 0;
    if (begin < 0 || length < 1 || begin > x->shape.extent[axis] - length)
        return say_refuse(s, "takes %" PRId64 " items from %" PRId64 " on of shape %s", length,
                          begin, SHAPE_TEXT(&x->shape));
    return slice_at(&s->t, x, axis, begin, begin + length);
}

struct imported *say_flip(struct say *s)
{
    int64_t begin[MAX_RANK], end[MAX_RANK], step[MAX_RANK];
    struct imported *x = say_argument(s, "input", 0);
    struct integers axes;

    if (!x || !say_axes(s, "dims", x->shape.rank, &axes))
        return NULL;
    for (int i = 0; i < axes.count; i++) {
        begin[i] = -1;
        end[i] = -INT64_MAX;
        step[i] = -1;
    }
    return sliced(s, x, &axes, (const int64_t *const[]){begin, end, step});
}

static struct imported *roll(struct say *s, struct imported *x, int axis, int64_t shift)
{
    int64_t extent = x->shape.extent[axis];
    int64_t at = extent > 0 ? ((-shift % extent) + extent) % extent : 0;

    if (at == 0)
        return x;
    struct imported *parts[] = {slice_at(&s->t, x, axis, at, extent),
                                slice_at(&s->t, x, axis, 0, at)};
    return parts[0] && parts[1] ? join(&s->t, parts, 2, axis) : NULL;
}

/* Without dimensions as if there were one. */
struct imported *say_roll(struct say *s)
{
    struct imported *x = say_argument(s, "input", 0);
    struct integers shifts, dims;
    int axis;

    if (!x || !say_ints(s, "shifts", &shifts))
        return NULL;
    bool named = say_ints(s, "dims", &dims) && dims.count > 0;
    if (shifts.count != (named ? dims.count : 1))
        return say_refuse(s, "rolls %d dimensions by %d shifts", named ? dims.count : 1,
                          shifts.count);
    if (!named) {
        struct shape shape = x->shape, flat = {.rank = 1, .extent = {shape_volume(&shape)}};
        return reshape_to(&s->t, roll(s, reshape_to(&s->t, x, &flat), 0, shifts.item[0]), &shape);
    }
    for (int i = 0; i < dims.count && x; i++)
        x = resolve_axis(&s->t, dims.item[i], x->shape.rank, &axis)
                ? roll(s, x, axis, shifts.item[i])
                : NULL;
    return x;
}

/* --- by indices --------------------------------------------------------------------------------- */

static struct imported *gather(struct say *s, struct imported *x, int axis,
                               struct imported *indices)
{
    say_begin(s, "Gather");
    node_int(s, "axis", axis);
    return indices ? say_end(s, (struct imported *[]){x, indices}, 2, NULL, 1) : NULL;
}

struct imported *say_index_select(struct say *s)
{
    struct imported *x = say_argument(s, "input", 0), *indices = say_argument(s, "index", 1);
    int axis;

    if (!x || !say_axis(s, "dim", 0, x->shape.rank, &axis))
        return NULL;
    return gather(s, x, axis, indices);
}

struct imported *say_gather(struct say *s)
{
    struct imported *x = say_argument(s, "input", 0), *indices = say_argument(s, "index", 1);
    int axis;

    if (!x || !indices || !say_axis(s, "dim", 0, x->shape.rank, &axis))
        return NULL;
    say_begin(s, "GatherElements");
    node_int(s, "axis", axis);
    return say_end(s, (struct imported *[]){x, indices}, 2, NULL, 1);
}

struct imported *say_embedding(struct say *s)
{
    struct imported *table = say_weight(s, "weight"), *indices = say_argument(s, "input", 0);

    return gather(s, table ? table : say_argument(s, "weight", 1), 0, indices);
}

/* A list of which the items are numbers or lists of them; false if it is something else. */
static bool known_list(struct say *s, const struct given *given, struct imported **indices)
{
    if (given->imported) {
        *indices = given->imported;
        return dtype_of(given->imported->type) == DTYPE_INTEGER;
    }
    int64_t *items = import_alloc(&s->t, given->count, sizeof *items);
    for (int i = 0; i < given->count; i++) {
        const struct imported *item = given->items[i]->imported;
        if (!item || !item->known || shape_volume(&item->shape) != 1 ||
            !whole_of(tensor_item(item->known, 0), &items[i]))
            return false;
    }
    *indices = known_integers(&s->t, items, given->count);
    return given->is_list;
}

/* expr=[None,[0,2,5]]: one dimension is indexed, the others are whole. */
struct imported *say_index(struct say *s)
{
    const struct pnnx_param *param = pnnx_param_of(s->op, "expr");
    const struct given *list = param && param->expression ? say_expression(s, param) : NULL;
    struct imported *x = say_argument(s, "input", 0), *indices = NULL;
    int axis = -1;

    if (!x || !list || !list->is_list || list->count > x->shape.rank)
        return s->t.failed ? NULL : say_refuse(s, "has no list of indices");
    for (int i = 0; i < list->count; i++) {
        bool whole = list->items[i]->word && list->items[i]->word->kind == PNNX_NONE;
        if (!whole && axis >= 0)
            return say_refuse(s, "has indices into several dimensions");
        axis = whole ? axis : i;
    }
    if (axis < 0)
        return x;
    if (!known_list(s, list->items[axis], &indices))
        return say_refuse(s, "has indices that are no integers");
    return gather(s, x, axis, indices);
}

/* --- padding ------------------------------------------------------------------------------------ */

static const char *mode_of(const char *mode)
{
    return strcmp(mode, "zeros") == 0       ? "constant"
           : strcmp(mode, "replicate") == 0 ? "edge"
           : strcmp(mode, "circular") == 0  ? "wrap"
                                            : mode;
}

struct imported *say_pad(struct say *s, struct imported *x, const int64_t *pads, const char *mode)
{
    struct imported *value =
        x && strcmp(mode, "constant") == 0 ? literal(&s->t, say_real(s, "value", 0)) : NULL;

    if (!x)
        return NULL;
    say_begin(s, "Pad");
    node_text(s, "mode", mode_of(mode));
    return say_end(s,
                   (struct imported *[]){x, known_integers(&s->t, pads, 2 * x->shape.rank), value},
                   3, NULL, 1);
}

/* nn.ReflectionPad2d */
static const char *mode_of_type(const char *type)
{
    return strstr(type, "Reflection")    ? "reflect"
           : strstr(type, "Replication") ? "replicate"
           : strstr(type, "Circular")    ? "circular"
                                         : "constant";
}

/* In front of and behind the last dimension, then the one before it. */
struct imported *say_padding(struct say *s)
{
    struct imported *x = say_argument(s, "input", 0);
    int64_t pads[2 * MAX_RANK] = {0};
    const char *mode = say_text(s, "mode", mode_of_type(s->op->type));
    struct integers named;

    if (!x || (!say_ints(s, "pad", &named) && !say_ints(s, "padding", &named)))
        return x && !s->t.failed ? say_refuse(s, "does not say how it pads") : NULL;
    if (named.count % 2 || named.count > 2 * x->shape.rank)
        return say_refuse(s, "has %d pads for shape %s", named.count, SHAPE_TEXT(&x->shape));
    const int64_t *pair = named.item;
    for (int i = 0; i < named.count / 2; i++, pair += 2) {
        int axis = x->shape.rank - 1 - i;
        pads[axis] = pair[0];
        pads[x->shape.rank + axis] = pair[1];
    }
    return say_pad(s, x, pads, mode);
}
