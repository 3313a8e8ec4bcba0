/*
 * topk.c - the greatest or the least items along an axis, of the extensions
 *
 * Of equal items the one of the lower index comes first.  NaN comes before any number, whichever
 * end is asked for, as in reductions (docs/nnef-notes.md, NaN).
 */
#include "op/check.h"
#include "op/compute.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool topk_infer(struct infer *infer)
{
    const struct topk_attrs *attrs = infer->attrs;
    const struct shape *input = infer_in(infer, 0);

    if (!check_axis(infer, "axis", attrs->axis, input->rank))
        return false;
    if (attrs->count > input->extent[attrs->axis])
        return infer_error(infer, "count", DIAG_NEGATIVE,
                           "'%s' takes %" PRId64 " items of extent %" PRId64
                           ", expected at most %" PRId64,
                           infer_name(infer), attrs->count, input->extent[attrs->axis],
                           input->extent[attrs->axis]);
    for (int i = 0; i < 2; i++) {
        infer->out[i] = *input;
        infer->out[i].extent[attrs->axis] = attrs->count;
    }
    return true;
}

struct topk {
    const struct eval *eval;
    int64_t extent, count, inner; /* along the axis in and out, and behind it */
    bool largest;
};

/* The items along the axis at one place of the others, and the indices that are found of them. */
struct topk_lane {
    const struct topk *topk;
    const struct tensor *input;
    int64_t begin;  /* of the items */
    int64_t *found; /* `step` apart, as the items are */
    int64_t step, count;
};

/* Does item a come before item b? */
static bool precedes(const struct topk_lane *lane, int64_t a, int64_t b)
{
    const int64_t at = lane->begin + a * lane->step, other = lane->begin + b * lane->step;
    const bool largest = lane->topk->largest;

    if (lane->input->dtype == DTYPE_SCALAR) {
        const float *item = lane->input->data, x = item[at], y = item[other];
        if (x > y || x < y)
            return (x > y) == largest;
        return !isnan(x) == !isnan(y) ? a < b : isnan(x);
    }
    if (lane->input->dtype == DTYPE_INTEGER) {
        const int64_t *item = lane->input->data, x = item[at], y = item[other];
        return x == y ? a < b : (x > y) == largest;
    }
    const unsigned char *item = lane->input->data, x = item[at], y = item[other];
    return x == y ? a < b : (x > y) == largest;
}

static int64_t *found_at(const struct topk_lane *lane, int64_t i)
{
    return &lane->found[i * lane->step];
}

/* Puts an item at place `i` of the first `count`, which are a heap with the last of them on top. */
static void sift(const struct topk_lane *lane, int64_t i, int64_t item, int64_t count)
{
    for (int64_t below = 2 * i + 1; below < count; below = 2 * i + 1) {
        if (below + 1 < count && precedes(lane, *found_at(lane, below), *found_at(lane, below + 1)))
            below++;
        if (!precedes(lane, item, *found_at(lane, below)))
            break;
        *found_at(lane, i) = *found_at(lane, below);
        i = below;
    }
    *found_at(lane, i) = item;
}

/* The heap lies in the result: the first items, until better ones take the place of its top. */
static void find_in_lane(const struct topk_lane *lane)
{
    const int64_t count = lane->count;

    assert(count > 0 && count <= lane->topk->extent);
    for (int64_t i = 0; i < count; i++)
        *found_at(lane, i) = i;
    for (int64_t i = count / 2 - 1; i >= 0; i--)
        sift(lane, i, *found_at(lane, i), count);
    for (int64_t i = count; i < lane->topk->extent; i++)
        if (precedes(lane, i, *found_at(lane, 0)))
            sift(lane, 0, i, count);
    for (int64_t left = count - 1; left > 0; left--) {
        int64_t last = *found_at(lane, left);
        *found_at(lane, left) = *found_at(lane, 0);
        sift(lane, 0, last, left);
    }
}

static void do_lane(const void *data, int64_t number)
{
    const struct topk *topk = data;
    const struct tensor *input = topk->eval->in[0];
    const size_t size = dtype_size(input->dtype);
    int64_t outer = number / topk->inner, inner = number % topk->inner;
    int64_t to = outer * topk->count * topk->inner + inner;
    const struct topk_lane lane = {.topk = topk,
                                   .input = input,
                                   .begin = outer * topk->extent * topk->inner + inner,
                                   .found = (int64_t *)topk->eval->out[1]->data + to,
                                   .step = topk->inner,
                                   .count = topk->count};

    find_in_lane(&lane);
    for (int64_t i = 0; i < topk->count; i++) {
        int64_t from = lane.begin + *found_at(&lane, i) * lane.step;
        memcpy((unsigned char *)topk->eval->out[0]->data + (size_t)(to + i * lane.step) * size,
               (const unsigned char *)input->data + (size_t)from * size, size);
    }
}

static bool topk_eval(const struct eval *eval)
{
    const struct topk_attrs *attrs = eval->attrs;
    const struct shape *shape = &eval->in[0]->shape;
    const int axis = (int)attrs->axis;
    const struct topk topk = {.eval = eval,
                              .extent = shape->extent[axis],
                              .count = attrs->count,
                              .inner = shape_volume_range(shape, axis + 1, shape->rank),
                              .largest = attrs->largest};

    if (topk.count > 0)
        eval_share(eval, shape_volume_range(shape, 0, axis) * topk.inner, do_lane, &topk);
    return true;
}

DESCRIPTOR(topk, 0, .infer = topk_infer, .eval = topk_eval);
