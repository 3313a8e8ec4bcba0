/* convert_shape.c - other shapes and orders of the same items, and repetitions */
#include "convert/pnnx/convert.h"

#include <inttypes.h>
#include <string.h>

/* Drops nothing in evaluation, and memory order is no matter of NNEF. */
struct imported *convert_itself(struct pnnx_call *c)
{
    return input_of(c);
}

/* --- shapes --------------------------------------------------------------------------------- */

/* One extent may be -1; variant 1: the shape of another tensor. */
struct imported *convert_reshape(struct pnnx_call *c, struct imported *x)
{
    struct integers extents;

    if (c->row->variant) {
        const struct imported *like = tensor_named(c, "other", 1);
        return like ? reshape_to(&c->t, x, &like->shape) : NULL;
    }
    if (!arg_ints(c, "shape", &extents) && !arg_ints(c, "size", &extents))
        return c->t.failed ? NULL : import_unsupported(&c->t, "does not say which shape it makes");
    return reshape_as(&c->t, x, &extents, false);
}

/* Dimensions from `start_dim` to `end_dim` become one; torch.flatten begins with the first. */
struct imported *convert_flatten(struct pnnx_call *c, struct imported *x)
{
    bool whole = strncmp(c->op->type, "nn.", 3) != 0;
    struct shape shape = {0};
    int first, last;

    if (!arg_axis(c, "start_dim", whole ? 0 : 1, x->shape.rank, &first) ||
        !arg_axis(c, "end_dim", -1, x->shape.rank, &last))
        return NULL;
    if (last < first)
        return import_unsupported(&c->t, "flattens from axis %d to axis %d", first, last);
    for (int i = 0; i < first; i++)
        shape.extent[shape.rank++] = x->shape.extent[i];
    shape.extent[shape.rank++] =
        shape_volume_range(&x->shape, first, last < x->shape.rank ? last + 1 : x->shape.rank);
    for (int i = last + 1; i < x->shape.rank; i++)
        shape.extent[shape.rank++] = x->shape.extent[i];
    return reshape_to(&c->t, x, &shape);
}

/* One dimension becomes several, of which one may be -1. */
struct imported *convert_unflatten(struct pnnx_call *c, struct imported *x)
{
    struct integers sizes;
    int64_t extents[2 * MAX_RANK];
    int axis, count = 0;

    if (!arg_axis(c, "dim", 0, x->shape.rank, &axis) ||
        !(arg_ints(c, "sizes", &sizes) || arg_ints(c, "unflattened_size", &sizes)))
        return NULL;
    if (sizes.count > MAX_RANK)
        return import_unsupported(&c->t, "makes %d dimensions of one", sizes.count);
    for (int i = 0; i < x->shape.rank; i++) {
        if (i != axis)
            extents[count++] = x->shape.extent[i];
        for (int k = 0; i == axis && k < sizes.count; k++)
            extents[count++] = sizes.item[k];
    }
    return reshape_as(&c->t, x, &(struct integers){count, extents}, false);
}

/* Dimensions of another extent than 1 stay. */
struct imported *convert_squeeze(struct pnnx_call *c, struct imported *x)
{
    struct integers axes = {0};
    struct shape shape = {0};

    bool some = arg_axes(c, "dim", x->shape.rank, &axes);
    if (c->t.failed)
        return NULL;
    for (int i = 0, next = 0; i < x->shape.rank; i++) {
        bool listed = next < axes.count && axes.item[next] == i;
        next += listed;
        if (x->shape.extent[i] != 1 || (some && !listed))
            shape.extent[shape.rank++] = x->shape.extent[i];
    }
    return reshape_to(&c->t, x, &shape);
}

/* A new dimension of extent 1, which may come behind the last one. */
struct imported *convert_unsqueeze(struct pnnx_call *c, struct imported *x)
{
    int axis;

    if (!arg_axis(c, "dim", 0, x->shape.rank + 1, &axis))
        return NULL;
    if (x->shape.rank == MAX_RANK)
        return import_unsupported(&c->t, "makes more than %d dimensions", MAX_RANK);
    return unsqueeze_at(&c->t, x, axis);
}

/* --- orders --------------------------------------------------------------------------------- */

/* Each dimension once, negative ones from the end. */
struct imported *convert_permute(struct pnnx_call *c, struct imported *x)
{
    int64_t order[MAX_RANK];
    bool seen[MAX_RANK] = {false};
    struct integers dims;

    if (!arg_ints(c, "dims", &dims))
        return NULL;
    if (dims.count != x->shape.rank)
        return import_unsupported(&c->t, "orders %d dimensions of %d", dims.count, x->shape.rank);
    for (int i = 0; i < dims.count; i++) {
        int axis;
        if (!resolve_axis(&c->t, dims.item[i], x->shape.rank, &axis))
            return NULL;
        if (seen[axis])
            return import_unsupported(&c->t, "orders dimension %d twice", axis);
        seen[axis] = true;
        order[i] = axis;
    }
    return transpose_by(&c->t, x, order);
}

/* Two dimensions change places, by default the first two; of one there is nothing to swap. */
struct imported *convert_transpose(struct pnnx_call *c, struct imported *x)
{
    int a, b;

    if (!arg_axis(c, "dim0", 0, x->shape.rank, &a) ||
        !arg_axis(c, "dim1", x->shape.rank < 2 ? 0 : 1, x->shape.rank, &b))
        return NULL;
    return x->shape.rank < 2 ? x : swap_axes(&c->t, x, a, b);
}

/* --- repetitions ---------------------------------------------------------------------------- */

/* New dimensions come in front; -1 keeps an extent. Variant 1: to the shape of another tensor. */
struct imported *convert_expand(struct pnnx_call *c, struct imported *x)
{
    static const char *const keys[] = {"sizes", "shape", "size", NULL};
    const struct imported *like = c->row->variant ? tensor_named(c, "other", 1) : NULL;
    struct integers extents = {0};

    if (like)
        extents = (struct integers){like->shape.rank, like->shape.extent};
    if (!like && (c->row->variant || !arg_ints_any(c, keys, &extents)))
        return NULL;
    int more = extents.count - x->shape.rank;
    struct shape shape = {.rank = extents.count};
    if (more < 0 || extents.count > MAX_RANK)
        return import_unsupported(&c->t, "expands shape %s to %d dimensions", SHAPE_TEXT(&x->shape),
                                  extents.count);
    for (int i = 0; i < shape.rank; i++) {
        int64_t own = i < more ? 1 : x->shape.extent[i - more];
        shape.extent[i] = extents.item[i] == -1 ? own : extents.item[i];
        if (shape.extent[i] < 0 || (own != 1 && own != shape.extent[i]))
            return import_unsupported(&c->t,
                                      "expands shape %s to extent %" PRId64 " at dimension %d",
                                      SHAPE_TEXT(&x->shape), shape.extent[i], i);
    }
    return spread_to(&c->t, x, &shape);
}

/* There may be more repeats than dimensions, and for `tile` fewer. */
struct imported *convert_repeat(struct pnnx_call *c, struct imported *x)
{
    static const char *const keys[] = {"sizes", "repeats", "dims", NULL};
    int64_t repeats[MAX_RANK];
    struct integers named;

    if (!arg_ints_any(c, keys, &named))
        return NULL;
    int rank = named.count > x->shape.rank ? named.count : x->shape.rank;
    if (rank > MAX_RANK)
        return import_unsupported(&c->t, "makes %d dimensions", rank);
    for (int i = 0; i < rank; i++) {
        int from = i - (rank - named.count);
        repeats[i] = from < 0 ? 1 : named.item[from];
        if (repeats[i] < 0)
            return import_unsupported(&c->t, "repeats dimension %d %" PRId64 " times", i,
                                      repeats[i]);
    }
    x = with_rank(&c->t, x, rank);
    return x ? repeat_by(&c->t, x, &(struct integers){rank, repeats}) : NULL;
}

/* --- between channels and space ------------------------------------------------------------- */

struct imported *convert_pixel_shuffle(struct pnnx_call *c, struct imported *x)
{
    if (!check_blocks(&c->t, &x->shape, arg_int(c, "upscale_factor", 1), true))
        return NULL;
    return compose1(c, "pixel_shuffle", x);
}

struct imported *convert_pixel_unshuffle(struct pnnx_call *c, struct imported *x)
{
    const int64_t f = arg_int(c, "downscale_factor", 1), *e = x->shape.extent;

    if (x->shape.rank != 4 || f < 1 || f > e[2] || e[2] % f || e[3] % f)
        return import_unsupported(&c->t, "takes shape %s apart by %" PRId64, SHAPE_TEXT(&x->shape),
                                  f);
    return compose1(c, "pixel_unshuffle", x);
}

struct imported *convert_channel_shuffle(struct pnnx_call *c, struct imported *x)
{
    int64_t groups = arg_int(c, "groups", 1);

    if (x->shape.rank < 2 || groups < 1 || x->shape.extent[1] % groups)
        return import_unsupported(&c->t, "shuffles shape %s in %" PRId64 " groups",
                                  SHAPE_TEXT(&x->shape), groups);
    return compose1(c, "channel_shuffle", x);
}
