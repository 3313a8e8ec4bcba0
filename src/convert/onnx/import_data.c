/*
 * import_data.c - operators whose results have as many items as the data say
 *
 * What they read has to be known, so that the shape of the result is.  A model that is kept open
 * computes what is before such an operator first.
 */
#include "convert/onnx/import_make.h"
#include "convert/onnx/import_value.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- where items are not 0 ------------------------------------------------------------------- */

/* Indices [rank,count] of the items that are not 0, in row-major order. */
struct imported *import_non_zero(struct translation *t)
{
    const struct tensor *x = known_input(t, 0);
    int64_t volume = x ? shape_volume(&x->shape) : 0, count = 0, found = 0;
    struct tensor *to;

    if (!x)
        return NULL;
    for (int64_t i = 0; i < volume; i++)
        count += tensor_item(x, i) < 0 || tensor_item(x, i) > 0 || isnan(tensor_item(x, i));
    struct shape shape = {.rank = 2, .extent = {x->shape.rank, count}};
    struct imported *indices = known_new(t, ONNX_INT64, &shape, &to);
    for (int64_t i = 0; i < volume && indices; i++) {
        double item = tensor_item(x, i);
        int64_t rest = i;
        if (!(item < 0 || item > 0 || isnan(item)))
            continue;
        for (int k = x->shape.rank - 1; k >= 0; k--) {
            ((int64_t *)to->data)[k * count + found] = rest % x->shape.extent[k];
            rest /= x->shape.extent[k];
        }
        found++;
    }
    return indices;
}

/* --- what is there once ---------------------------------------------------------------------- */

/* Rows of a matrix, or its items if it has one column. */
struct rows {
    const struct tensor *tensor; /* [count,size] */
    int64_t count, size;
    bool no_sign;
};

/* Of two integers without a sign the one with the highest bit is larger. */
static int compare_items(const struct rows *r, int64_t a, int64_t b)
{
    const int64_t *integer = r->tensor->data;

    if (r->tensor->dtype == DTYPE_INTEGER && r->no_sign)
        return ((uint64_t)integer[a] > (uint64_t)integer[b]) -
               ((uint64_t)integer[a] < (uint64_t)integer[b]);
    if (r->tensor->dtype == DTYPE_INTEGER)
        return (integer[a] > integer[b]) - (integer[a] < integer[b]);
    double x = tensor_item(r->tensor, a), y = tensor_item(r->tensor, b);
    if (isnan(x) || isnan(y)) /* NaN is behind all, and equal to none */
        return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

static int compare_rows(const struct rows *r, int64_t a, int64_t b)
{
    int order = 0;

    for (int64_t i = 0; i < r->size && order == 0; i++)
        order = compare_items(r, a * r->size + i, b * r->size + i);
    return order;
}

/* By their items, equal ones by their places.  A merge sort of `index`, with as much room. */
static void sort_rows(const struct rows *r, int64_t *index, int64_t count, int64_t *room)
{
    int64_t half = count / 2, i = 0, k = half;

    if (count < 2)
        return;
    sort_rows(r, index, half, room);
    sort_rows(r, index + half, count - half, room);
    for (int64_t n = 0; n < count; n++) {
        bool left = k == count || (i < half && compare_rows(r, index[i], index[k]) <= 0);
        room[n] = left ? index[i++] : index[k++];
    }
    memcpy(index, room, (size_t)count * sizeof *index);
}

/* Unique rows: `first` of each, how many there are of it, and by row which it is. */
struct unique {
    int64_t *first, *times, *which;
    int64_t count;
};

static int by_place(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static struct unique find_unique(struct translation *t, const struct rows *r, bool sorted)
{
    int64_t *index = import_alloc(t, 2 * r->count, sizeof *index);
    struct unique u = {.first = import_alloc(t, r->count, sizeof *u.first),
                       .times = import_alloc(t, r->count, sizeof *u.times),
                       .which = import_alloc(t, r->count, sizeof *u.which)};
    int64_t *same = import_alloc(t, r->count, sizeof *same); /* by row: the first that is equal */

    for (int64_t i = 0; i < r->count; i++)
        index[i] = i;
    sort_rows(r, index, r->count, index + r->count);
    for (int64_t i = 0; i < r->count; i++) {
        bool again = i > 0 && compare_rows(r, index[i - 1], index[i]) == 0;
        same[index[i]] = again ? same[index[i - 1]] : index[i];
        if (!again)
            u.first[u.count++] = index[i];
    }
    if (!sorted) /* in the order in which they appear */
        qsort(u.first, (size_t)u.count, sizeof *u.first, by_place);
    int64_t *place = index; /* by row that is a first one */
    for (int64_t i = 0; i < u.count; i++)
        place[u.first[i]] = i;
    for (int64_t i = 0; i < r->count; i++) {
        u.which[i] = place[same[i]];
        u.times[u.which[i]]++;
    }
    return u;
}

static struct imported *long_list(struct translation *t, const int64_t *items, int64_t count)
{
    const struct shape shape = {.rank = 1, .extent = {count}};

    return known_copy(t, ONNX_INT64, &shape, items);
}

/* Unique items, or slices along an axis; where they are first, which one each is, and how often. */
struct imported *import_unique(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    int axis = 0;

    if (!known_input(t, 0))
        return NULL;
    if (!has_attribute(t, "axis"))
        x = reshape_to(t, x, &(struct shape){.rank = 1, .extent = {shape_volume(&x->shape)}});
    if (!x || !resolve_axis(t, get_int(t, "axis", 0), x->shape.rank, &axis))
        return NULL;
    /* The axis comes first, so that slices are rows. */
    struct imported *moved = axis > 0 ? swap_axes(t, x, 0, axis) : x;
    if (!moved)
        return NULL;
    const struct rows rows = {.tensor = moved->known,
                              .count = moved->shape.extent[0],
                              .size = shape_volume_range(&moved->shape, 1, moved->shape.rank),
                              .no_sign = x->type == ONNX_UINT64};
    struct unique u = find_unique(t, &rows, get_int(t, "sorted", 1) != 0);
    set_output(t, 1, long_list(t, u.first, u.count));
    set_output(t, 2, long_list(t, u.which, rows.count));
    set_output(t, 3, long_list(t, u.times, u.count));

    struct shape shape = moved->shape;
    struct tensor *to;
    shape.extent[0] = u.count;
    struct imported *y = known_new(t, x->type, &shape, &to);
    size_t size = (size_t)rows.size * dtype_size(rows.tensor->dtype);
    for (int64_t i = 0; i < u.count && y; i++)
        memcpy((char *)to->data + (size_t)i * size,
               (const char *)rows.tensor->data + (size_t)u.first[i] * size, size);
    return axis > 0 ? swap_axes(t, y, 0, axis) : y;
}

/* --- boxes that do not overlap --------------------------------------------------------------- */

/* Corners, the smaller ones first. */
struct box {
    float begin[2], end[2];
};

static struct box box_of(const float item[4], bool centers)
{
    struct box box;

    for (int i = 0; i < 2; i++) {
        float a = item[i], b = item[i + 2];
        box.begin[i] = centers ? a - b / 2 : a < b ? a : b;
        box.end[i] = centers ? a + b / 2 : a < b ? b : a;
    }
    return box;
}

static float area(const struct box *box)
{
    return (box->end[0] - box->begin[0]) * (box->end[1] - box->begin[1]);
}

/* Is the part that they share more of the whole than the threshold? */
static bool overlap(const struct box *a, const struct box *b, float threshold)
{
    struct box both;

    for (int i = 0; i < 2; i++) {
        both.begin[i] = a->begin[i] > b->begin[i] ? a->begin[i] : b->begin[i];
        both.end[i] = a->end[i] < b->end[i] ? a->end[i] : b->end[i];
        if (!(both.end[i] > both.begin[i]))
            return false;
    }
    float shared = area(&both), whole = area(a) + area(b) - shared;
    return area(a) > 0 && area(b) > 0 && whole > 0 && shared / whole > threshold;
}

/* What boxes of one batch are chosen by. */
struct choice {
    const float *box, *score; /* of the batch; of the class */
    int64_t count, most;
    float overlap, least;
    bool centers, has_least;
};

/* The indices of chosen boxes, the one with the highest score first; how many. */
static int64_t choose(const struct choice *c, int64_t *chosen, bool *gone)
{
    int64_t count = 0;

    for (int64_t i = 0; i < c->count; i++)
        gone[i] = c->has_least && !(c->score[i] > c->least);
    while (count < c->most) {
        int64_t best = -1;
        for (int64_t i = 0; i < c->count; i++)
            if (!gone[i] && (best < 0 || c->score[i] > c->score[best]))
                best = i;
        if (best < 0)
            break;
        struct box box = box_of(c->box + 4 * best, c->centers);
        gone[best] = true;
        chosen[count++] = best;
        for (int64_t i = 0; i < c->count; i++) {
            struct box other = box_of(c->box + 4 * i, c->centers);
            gone[i] = gone[i] || overlap(&box, &other, c->overlap);
        }
    }
    return count;
}

/* Boxes [batch,count,4] with scores [batch,class,count]: [n,3] of batch, class and box. */
struct imported *import_non_max_suppression(struct translation *t)
{
    const struct tensor *boxes = known_input(t, 0), *scores = known_input(t, 1);
    double most = 0, threshold = 0, least = 0;

    if (!boxes || !scores || (has_input(t, 2) && !input_number(t, 2, &most)) ||
        (has_input(t, 3) && !input_number(t, 3, &threshold)) ||
        (has_input(t, 4) && !input_number(t, 4, &least)))
        return NULL;
    const struct shape *b = &boxes->shape, *s = &scores->shape;
    if (b->rank != 3 || s->rank != 3 || b->extent[2] != 4 || b->extent[0] != s->extent[0] ||
        b->extent[1] != s->extent[2] || boxes->dtype != DTYPE_SCALAR ||
        scores->dtype != DTYPE_SCALAR)
        return import_refuse(t, DIAG_SHAPE_MISMATCH, "has boxes of shape %s and scores of shape %s",
                             SHAPE_TEXT(b), SHAPE_TEXT(s));
    if (!(threshold >= 0 && threshold <= 1))
        return import_refuse(t, DIAG_ITEM_VALUE,
                             "has a threshold of overlap of %g, expected 0 to 1", threshold);
    int64_t count = b->extent[1], classes = s->extent[1], found = 0;
    int64_t each = most < 0 ? 0 : most < (double)count ? (int64_t)most : count;
    int64_t *chosen = import_alloc(t, count, sizeof *chosen);
    int64_t *all = import_alloc(t, b->extent[0] * classes * each, 3 * sizeof *all);
    bool *gone = import_alloc(t, count, sizeof *gone);
    for (int64_t i = 0; i < b->extent[0] * classes; i++) {
        const struct choice choice = {
            .box = (const float *)boxes->data + i / classes * count * 4,
            .score = (const float *)scores->data + i * count,
            .count = count,
            .most = each,
            .overlap = (float)threshold,
            .least = (float)least,
            .centers = get_int(t, "center_point_box", 0) != 0,
            .has_least = has_input(t, 4),
        };
        int64_t taken = choose(&choice, chosen, gone);
        for (int64_t k = 0; k < taken; k++, found++)
            memcpy(all + 3 * found, (int64_t[]){i / classes, i % classes, chosen[k]},
                   3 * sizeof *all);
    }
    const struct shape shape = {.rank = 2, .extent = {found, 3}};
    return known_copy(t, ONNX_INT64, &shape, all);
}
