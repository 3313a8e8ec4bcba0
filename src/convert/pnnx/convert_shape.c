/* convert_shape.c - other shapes and orders of the same items, and repetitions */
#include "convert/pnnx/convert_functions.h"

#include <inttypes.h>
#include <string.h>

struct imported *say_itself(struct say *s)
{
    return say_argument(s, "input", 0);
}

/* --- shapes --------------------------------------------------------------------------------- */

/* -1 stands for what is left; 0 is an extent and keeps nothing. */
static struct imported *with_extents(struct say *s, struct imported *x,
                                     const struct integers *extents)
{
    say_begin(s, "Reshape");
    node_int(s, "allowzero", 1);
    return say_end(s,
                   (struct imported *[]){x, known_integers(&s->t, extents->item, extents->count)},
                   2, NULL, 1);
}

struct imported *say_reshape(struct say *s)
{
    struct imported *x = say_argument(s, "input", 0);
    struct integers extents;

    if (!x)
        return NULL;
    if (!say_ints(s, "shape", &extents) && !say_ints(s, "size", &extents))
        return s->t.failed ? NULL : say_refuse(s, "does not say which shape it makes");
    return with_extents(s, x, &extents);
}

struct imported *say_reshape_as(struct say *s)
{
    struct imported *x = say_argument(s, "input", 0), *like = say_argument(s, "other", 1);

    return x && like ? reshape_to(&s->t, x, &like->shape) : NULL;
}

struct imported *say_flatten(struct say *s)
{
    struct imported *x = say_argument(s, "input", 0);
    bool whole = strncmp(s->op->type, "nn.", 3) != 0;
    struct shape shape = {0};
    int first, last;

    if (!x || !say_axis(s, "start_dim", whole ? 0 : 1, x->shape.rank, &first) ||
        !say_axis(s, "end_dim", -1, x->shape.rank, &last))
        return NULL;
    if (last < first)
        return say_refuse(s, "flattens from axis %d to axis %d", first, last);
    for (int i = 0; i < first; i++)
        shape.extent[shape.rank++] = x->shape.extent[i];
    shape.extent[shape.rank++] =
        shape_volume_range(&x->shape, first, last < x->shape.rank ? last + 1 : x->shape.rank);
    for (int i = last + 1; i < x->shape.rank; i++)
        shape.extent[shape.rank++] = x->shape.extent[i];
    return reshape_to(&s->t, x, &shape);
}

struct imported *say_unflatten(struct say *s)
{
    struct imported *x = say_argument(s, "input", 0);
    struct integers sizes;
    int64_t extents[2 * MAX_RANK];
    int axis, count = 0;

    if (!x || !say_axis(s, "dim", 0, x->shape.rank, &axis) ||
        !(say_ints(s, "sizes", &sizes) || say_ints(s, "unflattened_size", &sizes)))
        return NULL;
    if (sizes.count > MAX_RANK)
        return say_refuse(s, "makes %d dimensions of one", sizes.count);
    for (int i = 0; i < x->shape.rank; i++) {
        if (i != axis)
            extents[count++] = x->shape.extent[i];
        for (int k = 0; i == axis && k < sizes.count; k++)
            extents[count++] = sizes.item[k];
    }
    return with_extents(s, x, &(struct integers){count, extents});
}

/* Dimensions of another extent than 1 stay. */
struct imported *say_squeeze(struct say *s)
{
    struct imported *x = say_argument(s, "input", 0);
    struct integers axes = {0};
    struct shape shape = {0};

    if (!x)
        return NULL;
    bool some = say_axes(s, "dim", x->shape.rank, &axes);
    if (s->t.failed)
        return NULL;
    for (int i = 0, next = 0; i < x->shape.rank; i++) {
        bool listed = next < axes.count && axes.item[next] == i;
        next += listed;
        if (x->shape.extent[i] != 1 || (some && !listed))
            shape.extent[shape.rank++] = x->shape.extent[i];
    }
    return reshape_to(&s->t, x, &shape);
}

struct imported *say_unsqueeze(struct say *s)
{
    struct imported *x = say_argument(s, "input", 0);
    int axis;

    if (!x || !say_axis(s, "dim", 0, x->shape.rank + 1, &axis))
        return NULL;
    if (x->shape.rank == MAX_RANK)
        return say_refuse(s, "makes more than %d dimensions", MAX_RANK);
    return unsqueeze_at(&s->t, x, axis);
}

/* --- orders --------------------------------------------------------------------------------- */

struct imported *say_permute(struct say *s)
{
    struct imported *x = say_argument(s, "input", 0);
    int64_t order[MAX_RANK];
    bool seen[MAX_RANK] = {false};
    struct integers dims;

    if (!x || !say_ints(s, "dims", &dims))
        return NULL;
    if (dims.count != x->shape.rank)
        return say_refuse(s, "orders %d dimensions of %d", dims.count, x->shape.rank);
    for (int i = 0; i < dims.count; i++) {
        int axis;
        if (!resolve_axis(&s->t, dims.item[i], x->shape.rank, &axis))
            return NULL;
        if (seen[axis])
            return say_refuse(s, "orders dimension %d twice", axis);
        seen[axis] = true;
        order[i] = axis;
    }
    return transpose_by(&s->t, x, order);
}

static struct imported *swap_axes(struct say *s, struct imported *x, int a, int b)
{
    int64_t order[MAX_RANK];

    for (int i = 0; i < MAX_RANK; i++)
        order[i] = i;
    order[a] = b;
    order[b] = a;
    return transpose_by(&s->t, x, order);
}

struct imported *say_transpose(struct say *s)
{
    struct imported *x = say_argument(s, "input", 0);
    int a, b;

    if (!x || !say_axis(s, "dim0", 0, x->shape.rank, &a) ||
        !say_axis(s, "dim1", 1, x->shape.rank, &b))
        return NULL;
    return x->shape.rank < 2 ? x : swap_axes(s, x, a, b);
}

struct imported *say_t(struct say *s)
{
    struct imported *x = say_argument(s, "input", 0);

    return !x || x->shape.rank < 2 ? x : swap_axes(s, x, 0, 1);
}

/* --- repetitions ---------------------------------------------------------------------------- */

static struct imported *expand_to(struct say *s, struct imported *x, const struct integers *extents)
{
    int more = extents->count - x->shape.rank;
    struct shape shape = {.rank = extents->count};

    if (more < 0 || extents->count > MAX_RANK)
        return say_refuse(s, "expands shape %s to %d dimensions", SHAPE_TEXT(&x->shape),
                          extents->count);
    for (int i = 0; i < shape.rank; i++) {
        int64_t own = i < more ? 1 : x->shape.extent[i - more];
        shape.extent[i] = extents->item[i] == -1 ? own : extents->item[i];
        if (shape.extent[i] < 1 || (own != 1 && own != shape.extent[i]))
            return say_refuse(s, "expands shape %s to extent %" PRId64 " at dimension %d",
                              SHAPE_TEXT(&x->shape), shape.extent[i], i);
    }
    return spread_to(&s->t, with_rank(&s->t, x, shape.rank), &shape);
}

struct imported *say_expand(struct say *s)
{
    struct imported *x = say_argument(s, "input", 0);
    struct integers extents;

    if (!x || (!say_ints(s, "sizes", &extents) && !say_ints(s, "shape", &extents) &&
               !say_ints(s, "size", &extents)))
        return NULL;
    return expand_to(s, x, &extents);
}

struct imported *say_expand_as(struct say *s)
{
    struct imported *x = say_argument(s, "input", 0), *like = say_argument(s, "other", 1);

    if (!x || !like)
        return NULL;
    return expand_to(s, x, &(struct integers){like->shape.rank, like->shape.extent});
}

/* There may be more repeats than dimensions, and for `tile` fewer. */
struct imported *say_repeat(struct say *s)
{
    struct imported *x = say_argument(s, "input", 0);
    int64_t repeats[MAX_RANK];
    struct integers named;

    if (!x || !(say_ints(s, "sizes", &named) || say_ints(s, "repeats", &named) ||
                say_ints(s, "dims", &named)))
        return NULL;
    int rank = named.count > x->shape.rank ? named.count : x->shape.rank;
    if (rank > MAX_RANK)
        return say_refuse(s, "makes %d dimensions", rank);
    for (int i = 0; i < rank; i++) {
        int from = i - (rank - named.count);
        repeats[i] = from < 0 ? 1 : named.item[from];
        if (repeats[i] < 1)
            return say_refuse(s, "repeats dimension %d %" PRId64 " times", i, repeats[i]);
    }
    return say2(s, "Tile", with_rank(&s->t, x, rank), known_integers(&s->t, repeats, rank));
}

/* --- between channels and space -------------------------------------------------------------- */

struct imported *say_pixel_shuffle(struct say *s)
{
    say_begin(s, "DepthToSpace");
    node_int(s, "blocksize", say_int(s, "upscale_factor", 1));
    node_text(s, "mode", "CRD");
    return say_end1(s, say_argument(s, "input", 0));
}

/* The channels that come of one stand together, where ONNX has them apart. */
struct imported *say_pixel_unshuffle(struct say *s)
{
    static const int64_t order[] = {0, 1, 3, 5, 2, 4};
    struct imported *x = say_argument(s, "input", 0);
    int64_t f = say_int(s, "downscale_factor", 1);

    if (!x)
        return NULL;
    const int64_t *e = x->shape.extent;
    if (x->shape.rank != 4 || f < 1 || f > e[2] || e[2] % f || e[3] % f)
        return say_refuse(s, "takes shape %s apart by %" PRId64, SHAPE_TEXT(&x->shape), f);
    struct shape apart = {.rank = 6, .extent = {e[0], e[1], e[2] / f, f, e[3] / f, f}};
    struct shape shape = {.rank = 4, .extent = {e[0], e[1] * f * f, e[2] / f, e[3] / f}};
    return reshape_to(&s->t, transpose_by(&s->t, reshape_to(&s->t, x, &apart), order), &shape);
}

struct imported *say_channel_shuffle(struct say *s)
{
    static const int64_t order[] = {0, 2, 1, 3};
    struct imported *x = say_argument(s, "input", 0);
    int64_t groups = say_int(s, "groups", 1);

    if (!x)
        return NULL;
    const int64_t *e = x->shape.extent;
    if (x->shape.rank < 2 || groups < 1 || e[1] % groups)
        return say_refuse(s, "shuffles shape %s in %" PRId64 " groups", SHAPE_TEXT(&x->shape),
                          groups);
    struct shape apart = {
        .rank = 4,
        .extent = {e[0], groups, e[1] / groups, shape_volume_range(&x->shape, 2, x->shape.rank)}};
    struct shape shape = x->shape;
    return reshape_to(&s->t, transpose_by(&s->t, reshape_to(&s->t, x, &apart), order), &shape);
}
