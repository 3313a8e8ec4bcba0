/* convert_part.c - parts of tensors, put together and taken apart */
#include "convert/pnnx/convert.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* --- putting together ----------------------------------------------------------------------- */

/* The inputs, or the items of the one list that is an input; the others are arguments. */
static struct imported **tensors_of(struct pnnx_call *c, int *count)
{
    bool listed = c->op->nin > 0 && c->arg[0]->is_list;
    int most;
    struct pnnx_argument *const *from = arguments_from(c, 0, &most);
    struct imported **list = import_alloc(&c->t, most, sizeof(struct imported *));

    *count = 0;
    for (int i = 0; i < most; i++) {
        bool argument = !listed && c->op->key[i] && strcmp(c->op->key[i], "dim") == 0;
        if (from[i]->imported && !argument)
            list[(*count)++] = from[i]->imported;
    }
    if (*count == 0)
        import_unsupported(&c->t, "joins no tensors");
    return c->t.failed ? NULL : list;
}

/* Items without any extent add nothing. */
struct imported *convert_cat(struct pnnx_call *c)
{
    int count, axis;
    struct imported **in = tensors_of(c, &count);

    if (!in || !arg_axis(c, "dim", 0, in[0]->shape.rank, &axis))
        return NULL;
    return join_parts(&c->t, in, count, axis);
}

/* Along a new axis, so it may be one beyond the last. */
struct imported *convert_stack(struct pnnx_call *c)
{
    int count, axis;
    struct imported **in = tensors_of(c, &count);

    if (!in || !arg_axis(c, "dim", 0, in[0]->shape.rank + 1, &axis))
        return NULL;
    for (int i = 0; i < count; i++)
        if (!(in[i] = unsqueeze_at(&c->t, in[i], axis)))
            return NULL;
    return join(&c->t, in, count, axis);
}

/* --- taking apart --------------------------------------------------------------------------- */

/* Hands over the parts as outputs, or as one that is a list. */
static struct imported *hand_over(struct pnnx_call *c, struct imported *x, int axis,
                                  const struct integers *sizes)
{
    int64_t at = 0;

    if (sizes->count != c->op->nout)
        return import_unsupported(&c->t, "makes %d parts for %d outputs", sizes->count,
                                  c->op->nout);
    for (int i = 0; i < sizes->count; i++) {
        if (sizes->item[i] < 0 || sizes->item[i] > x->shape.extent[axis] - at)
            return import_unsupported(&c->t, "makes a part of %" PRId64 " items of shape %s",
                                      sizes->item[i], SHAPE_TEXT(&x->shape));
        set_output(&c->t, i, slice_at(&c->t, x, axis, at, at + sizes->item[i]));
        at += sizes->item[i];
    }
    return c->op->nout ? c->t.out[0] : NULL;
}

/* All of a size, but the last. */
static struct imported *by_size(struct pnnx_call *c, struct imported *x, int axis, int64_t size)
{
    int64_t extent = x->shape.extent[axis];

    if (size < 1 && extent > 0)
        return import_unsupported(&c->t, "makes parts of %" PRId64 " items", size);
    int64_t count = extent > 0 ? extent / size + (extent % size != 0) : c->op->nout;
    if (count > c->op->nout)
        return import_unsupported(&c->t, "makes %" PRId64 " parts for %d outputs", count,
                                  c->op->nout);
    int64_t *sizes = import_alloc(&c->t, count, sizeof *sizes);
    for (int64_t i = 0; i < count; i++)
        sizes[i] = extent == 0 ? 0 : i + 1 < count ? size : extent - size * (count - 1);
    return hand_over(c, x, axis, &(struct integers){(int)count, sizes});
}

/* The tensor to take apart, and along which axis. */
static struct imported *parted(struct pnnx_call *c, int *axis)
{
    struct imported *x = tensor_option(c, "tensor");

    x = x ? x : input_of(c);
    return x && x->shape.rank > 0 && arg_axis(c, "dim", 0, x->shape.rank, axis) ? x : NULL;
}

/* Parts of equal size, of which the last may be smaller. */
struct imported *convert_chunk(struct pnnx_call *c)
{
    int axis;
    struct imported *x = parted(c, &axis);
    int64_t count = arg_int(c, "chunks", c->op->nout);

    if (!x || count < 1)
        return x ? import_unsupported(&c->t, "makes %" PRId64 " parts", count) : NULL;
    return by_size(c, x, axis, (x->shape.extent[axis] - 1) / count + 1);
}

/* By one size for all parts, or by a list of sizes. */
struct imported *convert_split(struct pnnx_call *c)
{
    static const char *const keys[] = {"split_size_or_sections", "split_size", "split_sizes", NULL};
    int axis;
    struct imported *x = parted(c, &axis);
    struct integers sizes;
    bool given = arg_ints_any(c, keys, &sizes);

    if (!x || !given)
        return x && !c->t.failed ? import_unsupported(&c->t, "does not say how it splits") : NULL;
    if (sizes.count == 1 && c->op->nout != 1)
        return by_size(c, x, axis, sizes.item[0]);
    return hand_over(c, x, axis, &sizes);
}

/* By the items that parts begin with, or in parts of which the first ones are larger by one. */
struct imported *convert_tensor_split(struct pnnx_call *c)
{
    int axis, count = c->op->nout;
    struct imported *x = parted(c, &axis);
    int64_t *sizes = import_alloc(&c->t, count, sizeof *sizes), at = 0;
    struct integers indices;

    if (!x || count < 1)
        return NULL;
    int64_t extent = x->shape.extent[axis];
    bool given = arg_ints(c, "indices", &indices);
    if (given && indices.count != count - 1)
        return import_unsupported(&c->t, "makes %d parts for %d outputs", indices.count + 1, count);
    for (int i = 0; i < count; i++) {
        int64_t end = !given ? at + extent / count + (i < extent % count)
                             : (i + 1 < count ? indices.item[i] : extent);
        if (end < 0 || end > extent)
            return import_unsupported(&c->t, "begins a part at item %" PRId64 " of %" PRId64, end,
                                      extent);
        sizes[i] = end - at;
        at = end;
    }
    return hand_over(c, x, axis, &(struct integers){count, sizes});
}

/* One part for each item of the axis, which is gone then. */
struct imported *convert_unbind(struct pnnx_call *c)
{
    int axis;
    struct imported *x = parted(c, &axis);

    if (!x || x->shape.extent[axis] != c->op->nout)
        return x ? import_unsupported(&c->t, "makes %" PRId64 " parts for %d outputs",
                                      x->shape.extent[axis], c->op->nout)
                 : NULL;
    for (int i = 0; i < c->op->nout; i++)
        set_output(&c->t, i, squeeze_at(&c->t, slice_at(&c->t, x, axis, i, i + 1), axis));
    return c->op->nout ? c->t.out[0] : NULL;
}

/* --- slices --------------------------------------------------------------------------------- */

/* An item of dimension `axis`, which is gone then. */
static struct imported *select_item(struct pnnx_call *c, struct imported *x, int axis,
                                    int64_t index)
{
    int64_t extent = x ? x->shape.extent[axis] : 0, at = index < 0 ? index + extent : index;

    assert(!x || axis < x->shape.rank);
    if (!x)
        return NULL;
    if (at < 0 || at >= extent)
        return import_unsupported(&c->t, "selects item %" PRId64 " of %" PRId64, index, extent);
    return squeeze_at(&c->t, slice_at(&c->t, x, axis, at, at + 1), axis);
}

/* Lists of `slice_all`: all of one length, dimensions in any order; absent ones have no items. */
struct slices {
    struct integers dims, starts, ends, steps, selects;
};

/* An absent list has no items. */
static bool fits(const struct integers *list, const struct integers *dims)
{
    return list->count == 0 || list->count == dims->count;
}

/* Starts and ends are required for each dimension, steps and selects are not. */
static bool read_slices(struct pnnx_call *c, struct slices *list)
{
    *list = (struct slices){0};
    bool given = arg_ints(c, "dims", &list->dims) && arg_ints(c, "starts", &list->starts) &&
                 arg_ints(c, "ends", &list->ends);

    arg_ints(c, "steps", &list->steps);
    arg_ints(c, "selects", &list->selects);
    if (!given || c->t.failed)
        return !c->t.failed && import_unsupported(&c->t, "does not say what it slices");
    if (list->starts.count != list->dims.count || list->ends.count != list->dims.count ||
        !fits(&list->steps, &list->dims) || !fits(&list->selects, &list->dims))
        import_unsupported(
            &c->t, "slices %d dimensions from %d starts to %d ends, by %d steps and %d selects",
            list->dims.count, list->starts.count, list->ends.count, list->steps.count,
            list->selects.count);
    return !c->t.failed;
}

/* Several dimensions at once; INT64_MAX stands for the default, and for no item that is selected.
 */
static struct imported *slice_all(struct pnnx_call *c, struct imported *x)
{
    int at[MAX_RANK] = {0}, rank = x->shape.rank, named;
    struct selection s = {.count = 0};
    struct slices list;

    if (!read_slices(c, &list))
        return NULL;

    /* Where each dimension is in the lists; -1: nowhere. */
    for (int axis = 0; axis < rank; axis++)
        at[axis] = -1;
    for (int i = 0; i < list.dims.count; i++) {
        if (!resolve_axis(&c->t, list.dims.item[i], rank, &named))
            return NULL;
        if (at[named] >= 0)
            return import_unsupported(&c->t, "slices dimension %d twice", named);
        at[named] = i;
    }
    for (int axis = 0; axis < rank; axis++) {
        int i = at[axis];
        if (i < 0 || (list.selects.count && list.selects.item[i] != INT64_MAX))
            continue;
        s.axes[s.count] = axis;
        s.begin[s.count] = list.starts.item[i] == INT64_MAX ? 0 : list.starts.item[i];
        s.end[s.count] = list.ends.item[i];
        s.stride[s.count++] =
            !list.steps.count || list.steps.item[i] == INT64_MAX ? 1 : list.steps.item[i];
    }
    if (s.count)
        x = select_items(&c->t, x, s);

    /* Selected dimensions are gone: from the last on, so that the others keep their place. */
    for (int axis = rank - 1; axis >= 0 && x; axis--) {
        int i = at[axis];
        if (i >= 0 && i < list.selects.count && list.selects.item[i] != INT64_MAX)
            x = select_item(c, x, axis, list.selects.item[i]);
    }
    return x;
}

/* Bounds beyond the extent are clamped, as in Python. */
struct imported *convert_slice(struct pnnx_call *c, struct imported *x)
{
    int axis;

    if (has_arg(c, "dims"))
        return slice_all(c, x);
    if (!arg_axis(c, "dim", 0, x->shape.rank, &axis))
        return NULL;
    int64_t begin = arg_int(c, "start", 0);
    const struct selection s = {.count = 1,
                                .axes = {axis},
                                .begin = {begin == INT64_MAX ? 0 : begin},
                                .end = {arg_int(c, "end", INT64_MAX)},
                                .stride = {arg_int(c, "step", 1)}};
    return c->t.failed ? NULL : select_items(&c->t, x, s);
}

/* One item of an axis, which is gone then. */
struct imported *convert_select(struct pnnx_call *c, struct imported *x)
{
    int axis;

    return arg_axis(c, "dim", 0, x->shape.rank, &axis)
               ? select_item(c, x, axis, arg_int(c, "index", 0))
               : NULL;
}

/* `length` items from `start` on; nothing is clamped. */
struct imported *convert_narrow(struct pnnx_call *c, struct imported *x)
{
    int64_t begin = arg_int(c, "start", 0), length = arg_int(c, "length", 1);
    int axis;

    if (!arg_axis(c, "dim", 0, x->shape.rank, &axis))
        return NULL;
    begin += begin < 0 ? x->shape.extent[axis] : 0;
    if (begin < 0 || length < 0 || begin > x->shape.extent[axis] - length)
        return import_unsupported(&c->t, "takes %" PRId64 " items from %" PRId64 " on of shape %s",
                                  length, begin, SHAPE_TEXT(&x->shape));
    return slice_at(&c->t, x, axis, begin, begin + length);
}

/* A slice with step -1 along each axis. */
struct imported *convert_flip(struct pnnx_call *c, struct imported *x)
{
    struct selection s = {.count = 0};
    struct integers axes;

    if (!arg_axes(c, "dims", x->shape.rank, &axes))
        return NULL;
    for (int i = 0; i < axes.count; i++) {
        s.axes[i] = axes.item[i];
        s.begin[i] = s.stride[i] = -1;
        s.end[i] = -INT64_MAX;
        s.count++;
    }
    return select_items(&c->t, x, s);
}

/* Items that leave at one end come in at the other: two slices, swapped. */
static struct imported *roll(struct pnnx_call *c, struct imported *x, int axis, int64_t shift)
{
    int64_t extent = x->shape.extent[axis];
    int64_t at = extent > 0 ? ((-shift % extent) + extent) % extent : 0;

    assert(axis < x->shape.rank);
    if (at == 0)
        return x;
    struct imported *parts[] = {slice_at(&c->t, x, axis, at, extent),
                                slice_at(&c->t, x, axis, 0, at)};
    return parts[0] && parts[1] ? join(&c->t, parts, 2, axis) : NULL;
}

/* Without dimensions as if there were one. */
struct imported *convert_roll(struct pnnx_call *c, struct imported *x)
{
    struct integers shifts, dims;
    int axis;

    if (!arg_ints(c, "shifts", &shifts))
        return NULL;
    bool named = arg_ints(c, "dims", &dims) && dims.count > 0;
    if (shifts.count != (named ? dims.count : 1))
        return import_unsupported(&c->t, "rolls %d dimensions by %d shifts", named ? dims.count : 1,
                                  shifts.count);
    if (!named) {
        struct shape shape = x->shape, flat = {.rank = 1, .extent = {shape_volume(&shape)}};
        return reshape_to(&c->t, roll(c, reshape_to(&c->t, x, &flat), 0, shifts.item[0]), &shape);
    }
    for (int i = 0; i < dims.count && x; i++)
        x = resolve_axis(&c->t, dims.item[i], x->shape.rank, &axis)
                ? roll(c, x, axis, shifts.item[i])
                : NULL;
    return x;
}

/* --- by indices ------------------------------------------------------------------------------- */

/* Along one axis by indices of rank 1; variant 1: by indices of the rank of x, each for one item.
 */
struct imported *convert_gather(struct pnnx_call *c, struct imported *x)
{
    struct imported *indices = tensor_named(c, "index", 1);
    int64_t axis = arg_int(c, "dim", 0);

    if (!indices)
        return NULL;
    return (c->row->variant ? gather_elements : gather_at)(&c->t, x, axis, indices);
}

/* Of the updates, as many are added as there are indices. */
struct imported *convert_scatter_add(struct pnnx_call *c, struct imported *x)
{
    struct imported *indices = tensor_named(c, "index", 1), *updates = tensor_named(c, "src", 2);

    for (int i = 0; indices && updates && i < updates->shape.rank; i++)
        if (i < indices->shape.rank && indices->shape.extent[i] < updates->shape.extent[i])
            updates = slice_at(&c->t, updates, i, 0, indices->shape.extent[i]);
    if (updates && dtype_of(updates->type) != dtype_of(x->type))
        return import_refuse(&c->t, DIAG_TYPE_MISMATCH, "adds items of another type");
    return scatter_sums(&c->t, x, arg_int(c, "dim", 0), indices, updates);
}

/* Rows of a table by indices of any shape. */
struct imported *convert_embedding(struct pnnx_call *c, struct imported *x)
{
    return gather_at(&c->t, weight_or_input(c, "weight", 1), 0, x);
}

/* A list of which the items are numbers or lists of them; false if it is something else. */
static bool known_list(struct pnnx_call *c, const struct pnnx_argument *given,
                       struct imported **indices)
{
    if (given->imported) {
        *indices = given->imported;
        return dtype_of(given->imported->type) == DTYPE_INTEGER;
    }
    int64_t *items = import_alloc(&c->t, given->count, sizeof *items);
    for (int i = 0; i < given->count; i++) {
        double number;
        if (!known_number(given->items[i], &number) || !whole_of(number, &items[i]))
            return false;
    }
    *indices = known_integers(&c->t, items, given->count);
    return given->is_list;
}

/* expr=[None,[0,2,5]]: one dimension is indexed, the others are whole. */
struct imported *convert_index(struct pnnx_call *c, struct imported *x)
{
    const struct pnnx_pair *param = pnnx_find(c->op, PNNX_PARAM, "expr");
    const struct pnnx_argument *list =
        param && param->expression ? evaluate_expression(c, param) : NULL;
    struct imported *indices = NULL;
    int axis = -1;

    if (!list || !list->is_list || list->count > x->shape.rank)
        return c->t.failed ? NULL : import_unsupported(&c->t, "has no list of indices");
    for (int i = 0; i < list->count; i++) {
        bool whole = list->items[i]->word && list->items[i]->word->kind == PNNX_NONE;
        if (!whole && axis >= 0)
            return import_unsupported(&c->t, "has indices into several dimensions");
        axis = whole ? axis : i;
    }
    if (axis < 0)
        return x;
    if (!known_list(c, list->items[axis], &indices))
        return import_unsupported(&c->t, "has indices that are no integers");
    return gather_at(&c->t, x, axis, indices);
}

/* --- padding ---------------------------------------------------------------------------------- */

/* A negative pad takes items away. Pads are bounded, so that extents do not overflow. */
struct imported *pad_by_mode(struct pnnx_call *c, struct imported *x, const int64_t (*pads)[2],
                             const char *mode)
{
    static const char *const borders[][2] = {{"constant", "constant"}, /* PyTorch, NNEF */
                                             {"zeros", "constant"},
                                             {"reflect", "reflect"},
                                             {"replicate", "replicate"},
                                             {"circular", "wrap"}};
    const char *border = NULL;

    for (size_t i = 0; i < sizeof borders / sizeof borders[0]; i++)
        if (strcmp(borders[i][0], mode) == 0)
            border = borders[i][1];
    if (!border)
        import_error(&c->t, DIAG_ENUM_VALUE,
                     "'mode' is '%s', expected 'constant', 'reflect', 'replicate' or 'circular'",
                     mode);
    if (!x || c->t.failed)
        return NULL;
    for (int i = 0; i < 2 * x->shape.rank; i++)
        if (pads[i / 2][i % 2] < -INT32_MAX || pads[i / 2][i % 2] > INT32_MAX)
            return import_refuse(&c->t, DIAG_ITEM_VALUE, "pads dimension %d by %" PRId64, i / 2,
                                 pads[i / 2][i % 2]);
    bool fills = strcmp(mode, "constant") == 0;
    return pad_by(&c->t, x, pads, border,
                  fills ? arg_item(c, "value", x->type) : literal(&c->t, 0));
}

/* In front of and behind the last dimension, then the one before it; see nn.ReflectionPad2d. */
struct imported *convert_padding(struct pnnx_call *c, struct imported *x)
{
    static const char *const keys[] = {"pad", "padding", NULL};
    const char *otherwise = strstr(c->op->type, "Reflection")    ? "reflect"
                            : strstr(c->op->type, "Replication") ? "replicate"
                            : strstr(c->op->type, "Circular")    ? "circular"
                                                                 : "constant";
    const char *mode = arg_text(c, "mode", otherwise);
    int64_t pads[MAX_RANK][2] = {{0}};
    struct integers named;

    if (!arg_ints_any(c, keys, &named))
        return c->t.failed ? NULL : import_unsupported(&c->t, "does not say how it pads");
    if (named.count % 2 || named.count > 2 * x->shape.rank)
        return import_unsupported(&c->t, "has %d pads for shape %s", named.count,
                                  SHAPE_TEXT(&x->shape));
    for (int i = 0; i < named.count; i++)
        pads[x->shape.rank - 1 - i / 2][i % 2] = named.item[i];
    return pad_by_mode(c, x, (const int64_t(*)[2])pads, mode);
}
