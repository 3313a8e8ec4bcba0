/* random_moves.c - what moves items without computing: shapes, parts, copies; and updates */
#include "support/random_graph_priv.h"

#include <string.h>

/* --- transposes --------------------------------------------------------------------------- */

static void draw_order(struct random_graph *g, int64_t *axes, int rank)
{
    for (int i = 0; i < rank; i++)
        axes[i] = i;
    for (int i = rank - 1; i > 0 && !chance(g, 8); i--) {
        int k = below(g, i + 1);
        int64_t axis = axes[i];
        axes[i] = axes[k];
        axes[k] = axis;
    }
}

static struct made *transpose(struct random_graph *g, const struct made *x, const int64_t *axes)
{
    struct shape shape = x->shape;

    for (int i = 0; i < shape.rank; i++)
        shape.extent[i] = x->shape.extent[axes[i]];
    return add(g, x, &shape, "transpose( %s, axes = %s )", x->name, list_text(g, axes, shape.rank));
}

static void add_transpose(struct random_graph *g)
{
    struct made *x = pick(g, 2, 5);
    int64_t axes[MAX_RANK] = {0};

    draw_order(g, axes, x->shape.rank);
    transpose(g, x, axes);
}

/* There, something in between, and back. */
static void add_transposes(struct random_graph *g)
{
    struct made *x = pick(g, 2, 5);
    int64_t axes[MAX_RANK] = {0}, back[MAX_RANK] = {0};
    int rank = x->shape.rank;

    draw_order(g, axes, rank);
    for (int i = 0; i < rank; i++)
        back[axes[i]] = i;
    struct made *y = transpose(g, x, axes);
    if (chance(g, 60))
        y = add(g, y, &y->shape, "%s( %s )", ONE_OF(g, "relu", "neg", "abs", "copy"), y->name);
    transpose(g, y, chance(g, 75) ? back : axes);
}

/* --- reshapes ----------------------------------------------------------------------------- */

static struct shape split_volume(struct random_graph *g, int64_t volume, int most_rank)
{
    struct shape shape = {.rank = 0};

    while (shape.rank < most_rank - 1 && volume > 1) {
        int64_t factor = 1 + below(g, (int)volume);
        while (volume % factor)
            factor--;
        shape.extent[shape.rank++] = factor;
        volume /= factor;
        if (chance(g, 25))
            break;
    }
    shape.extent[shape.rank++] = volume;
    return shape;
}

/* Perhaps with 0 for an extent that stays and -1 for one that follows. */
static const char *shape_argument(struct random_graph *g, const struct shape *from,
                                  const struct shape *to)
{
    int64_t item[MAX_RANK];
    int open = chance(g, 40) ? below(g, to->rank) : -1;

    for (int i = 0; i < to->rank; i++) {
        bool same = i < from->rank && from->extent[i] == to->extent[i];
        item[i] = i == open ? -1 : same && chance(g, 40) ? 0 : to->extent[i];
    }
    return list_text(g, item, to->rank);
}

static struct made *reshape(struct random_graph *g, const struct made *x, const struct shape *to)
{
    return add(g, x, to, "reshape( %s, shape = %s )", x->name, shape_argument(g, &x->shape, to));
}

static void add_reshapes(struct random_graph *g)
{
    struct made *x = pick(g, 1, 5);
    struct shape shape = split_volume(g, shape_volume(&x->shape), 4);
    struct made *y = reshape(g, x, &shape);

    if (chance(g, 30))
        y = add(g, y, &y->shape, "%s( %s )", ONE_OF(g, "relu", "neg", "copy"), y->name);
    if (chance(g, 45)) {
        shape = chance(g, 60) ? x->shape : split_volume(g, shape_volume(&x->shape), 5);
        reshape(g, y, &shape);
    }
}

static struct made *unsqueeze(struct random_graph *g, const struct made *x, int axis)
{
    struct shape shape = {.rank = x->shape.rank + 1};

    for (int i = 0; i < shape.rank; i++)
        shape.extent[i] = i == axis ? 1 : x->shape.extent[i > axis ? i - 1 : i];
    return add(g, x, &shape, "unsqueeze( %s, axes = [%d] )", x->name, axis);
}

static struct made *squeeze(struct random_graph *g, const struct made *x, int axis)
{
    struct shape shape = {.rank = x->shape.rank - 1};

    for (int i = 0; i < shape.rank; i++)
        shape.extent[i] = x->shape.extent[i + (i >= axis)];
    return add(g, x, &shape, "squeeze( %s, axes = [%d] )", x->name, axis);
}

static void add_squeezes(struct random_graph *g)
{
    struct made *x = pick(g, 1, 4);
    int axis = below(g, x->shape.rank + 1);
    struct made *y = unsqueeze(g, x, axis);

    if (chance(g, 30))
        y = unsqueeze(g, y, below(g, y->shape.rank + 1));
    for (int i = y->shape.rank - 1; i >= 0; i--)
        if (y->shape.extent[i] == 1 && y->shape.rank > 1 && chance(g, 45))
            y = squeeze(g, y, i);
}

/* --- parts -------------------------------------------------------------------------------- */

/* Where no stride is given, the end of a dimension is 0, too, unless that is its begin. */
static const char *slice_text(struct random_graph *g, int64_t (*range)[4], int count, bool strides)
{
    const char *const names[] = {"axes", "begin", "end", "stride"};
    int64_t item[MAX_RANK];
    struct text text = {0};

    for (int k = 0; k < 3 + strides; k++) {
        for (int i = 0; i < count; i++)
            item[i] = range[i][k];
        text_add(&text, ", %s = %s", names[k], list_text(g, item, count));
    }
    const char *kept = format(g, "%s", text.data);
    text_free(&text);
    return kept;
}

/* All of a dimension or a part of it. */
static void draw_range(struct random_graph *g, int64_t extent, bool strides, int64_t *range)
{
    int64_t first = chance(g, 20) ? 0 : below(g, (int)extent);

    range[1] = first;
    range[2] = chance(g, 30) ? extent : first + 1 + below(g, (int)(extent - first));
    range[3] = strides && chance(g, 40) ? 2 : 1;
}

static struct made *draw_slice(struct random_graph *g, const struct made *x)
{
    struct shape shape = x->shape;
    int64_t range[MAX_RANK][4];
    bool strides = chance(g, 30);
    int count = 0;

    for (int i = 0; i < shape.rank; i++) {
        int64_t *r = range[count];
        if (!chance(g, 50))
            continue;
        draw_range(g, shape.extent[i], strides, r);
        r[0] = i;
        r[2] = r[1] && r[2] == shape.extent[i] && !strides && chance(g, 40) ? 0 : r[2];
        shape.extent[i] = ((r[2] ? r[2] : shape.extent[i]) - r[1] + r[3] - 1) / r[3];
        count++;
    }
    return count ? add(g, x, &shape, "slice( %s%s )", x->name, slice_text(g, range, count, strides))
                 : NULL;
}

static void add_slices(struct random_graph *g)
{
    struct made *y = draw_slice(g, pick(g, 1, 5));

    if (y && chance(g, 50))
        draw_slice(g, y);
}

static struct made *concat(struct random_graph *g, struct made *const *part, int count, int axis)
{
    struct shape shape = part[0]->shape;
    struct text list = {0};
    double bound = 0, grain = part[0]->grain;

    shape.extent[axis] = 0;
    for (int i = 0; i < count; i++) {
        text_add(&list, "%s%s", i ? ", " : "", part[i]->name);
        shape.extent[axis] += part[i]->shape.extent[axis];
        bound = part[i]->bound > bound ? part[i]->bound : bound;
        grain = part[i]->grain < grain ? part[i]->grain : grain;
    }
    struct made *y =
        add(g, part[0], &shape, "concat( [%s], axis = %d )", list.data ? list.data : "", axis);
    for (int i = 0; i < count; i++)
        y->strained = y->strained || part[i]->strained;
    set_range(y, bound, grain);
    text_free(&list);
    return y;
}

static void add_concat(struct random_graph *g)
{
    struct made *part[3] = {pick(g, 1, 5)};
    int count = chance(g, 15) ? 1 : 2 + below(g, 2), axis = below(g, part[0]->shape.rank);

    if (shape_volume(&part[0]->shape) > MOST_VOLUME / 3)
        return;
    for (int i = 1; i < count; i++) {
        struct made *like = pick_like(g, part[0]);
        part[i] = like ? like : part[0];
    }
    struct made *y = concat(g, part, count, axis);
    if (chance(g, 30))
        concat(g, (struct made *[]){y, part[0]}, 2, axis);
    if (chance(g, 30))
        draw_slice(g, y);
}

/* Split, some of the parts changed, and joined again in order or not. */
static void add_split(struct random_graph *g)
{
    struct made *x = pick(g, 1, 5);
    int axis = below(g, x->shape.rank), count = 0, first;
    int64_t extent = x->shape.extent[axis], ratio[8];
    struct shape shapes[8];
    struct made *part[8] = {x};

    for (int64_t left = extent; left > 0; left -= ratio[count++]) {
        ratio[count] = chance(g, 30) ? left : 1 + below(g, (int)left);
        shapes[count] = x->shape;
        shapes[count].extent[axis] = ratio[count];
        if (count == 6)
            return;
    }
    first = g->nmade;
    add_many(g, x, shapes, count,
             format(g, "split( %s, axis = %d, ratios = %s )", x->name, axis,
                    list_text(g, ratio, count)));
    for (int i = 0; i < count; i++)
        part[i] = g->made[first + i];
    if (chance(g, 40))
        part[0] = add(g, part[0], &part[0]->shape, "relu( %s )", part[0]->name);
    if (chance(g, 30) && count > 1)
        part[0] = part[1];
    if (chance(g, 70))
        concat(g, part, count, axis);
}

static void add_stack(struct random_graph *g)
{
    struct made *x = pick(g, 1, 4), *other = pick_like(g, x);
    int axis = below(g, x->shape.rank + 1);
    struct shape shape = {.rank = x->shape.rank + 1};
    struct shape each[2] = {x->shape, x->shape};

    other = other ? other : x;
    if (shape_volume(&x->shape) > MOST_VOLUME / 2)
        return;
    for (int i = 0; i < shape.rank; i++)
        shape.extent[i] = i == axis ? 2 : x->shape.extent[i > axis ? i - 1 : i];
    struct made *y = add(g, x, &shape, "stack( [%s, %s], axis = %d )", x->name, other->name, axis);
    combine_sum(y, x, other);
    if (chance(g, 50))
        add_many(g, y, each, 2, format(g, "unstack( %s, axis = %d )", y->name, axis));
}

/* --- more of the same items --------------------------------------------------------------- */

static void add_tile(struct random_graph *g)
{
    struct made *x = pick(g, 1, 4);
    struct shape shape = x->shape;
    int64_t repeats[MAX_RANK];

    if (shape_volume(&shape) > MOST_VOLUME / 8)
        return;
    for (int i = 0; i < shape.rank; i++) {
        repeats[i] = i < 3 && chance(g, 30) ? 2 : 1;
        shape.extent[i] *= repeats[i];
    }
    add(g, x, &shape, "tile( %s, repeats = %s )", x->name, list_text(g, repeats, shape.rank));
}

static void add_pads(struct random_graph *g)
{
    struct made *x = pick(g, 1, 4);
    int64_t pad[MAX_RANK][2] = {{0}};
    struct shape shape = x->shape;

    for (int again = chance(g, 40); again >= 0; again--) {
        const char *border = chance(g, 70) ? "constant" : "replicate";
        if (shape_volume(&shape) > MOST_VOLUME / 8)
            return;
        for (int i = 0; i < shape.rank; i++)
            for (int k = 0; k < 2; k++) {
                pad[i][k] = chance(g, 30) ? below(g, 3) : 0;
                shape.extent[i] += pad[i][k];
            }
        x = add(g, x, &shape, "pad( %s, padding = %s, border = '%s', value = 0.0 )", x->name,
                pairs_text(g, (const int64_t(*)[2])pad, shape.rank), border);
    }
}

static void add_gather(struct random_graph *g)
{
    struct made *x = pick(g, 1, 4);
    int axis = below(g, x->shape.rank), count = 1 + below(g, 3);
    struct shape shape = x->shape, indices = {1, {count}};
    int64_t item[3];

    for (int i = 0; i < count; i++)
        item[i] = below(g, (int)shape.extent[axis]);
    struct made *k =
        add(g, &(struct made){.dtype = DTYPE_INTEGER}, &indices,
            "constant<integer>( shape = [%d], value = %s )", count, list_text(g, item, count));
    k->fixed = true;
    shape.extent[axis] = count;
    add(g, x, &shape, "gather( %s, %s, axis = %d )", x->name, k->name, axis);
}

static void add_upsample(struct random_graph *g)
{
    struct made *x = pick(g, 3, 4);
    struct shape shape = x->shape;
    int64_t factor[MAX_RANK];

    if (shape_volume(&shape) > MOST_VOLUME / 8)
        return;
    for (int i = 2; i < shape.rank; i++)
        shape.extent[i] *= factor[i - 2] = 1 + below(g, 2);
    add(g, x, &shape, "nearest_upsample( %s, factor = %s )", x->name,
        list_text(g, factor, shape.rank - 2));
}

/* --- the world outside ------------------------------------------------------------------------ */

/* What is given is shown again, under one name or two. */
static void add_shown_input(struct random_graph *g)
{
    struct made *x = chance(g, 60) ? g->made[0] : pick(g, 1, 5);

    for (int i = chance(g, 40); i >= 0; i--)
        add(g, x, &x->shape, "copy( %s )", x->name)->output = true;
}

/* A variable is read, and then holds something else; sometimes it is a parameter of a layer, too.
 */
static void add_update(struct random_graph *g)
{
    struct made *x = pick(g, 1, 4);
    struct made *state = variable(g, &x->shape, SMALL_NUMBERS);
    struct made *y =
        add(g, x, &x->shape, "%s( %s, %s )", ONE_OF(g, "add", "max"), x->name, state->name);

    state->fixed = false;
    combine_sum(y, x, state);
    struct made *next = chance(g, 60) ? x : state;
    struct made *u = add(g, next, &x->shape, "update( %s, %s )", state->name, next->name);
    state->stays_inside = u->stays_inside = chance(g, 60);
    combine_sum(u, x, state);
    combine_sum(y, u, x);
    combine_sum(state, x, u);
}

const struct random_part random_moves[] = {
    {add_transpose, 4},   {add_transposes, 5}, {add_reshapes, 6},
    {add_squeezes, 5},    {add_slices, 4},     {add_concat, 5},
    {add_split, 5},       {add_stack, 2},      {add_tile, 1},
    {add_pads, 4},        {add_gather, 1},     {add_upsample, 1},
    {add_shown_input, 2}, {add_update, 2},     {0},
};
