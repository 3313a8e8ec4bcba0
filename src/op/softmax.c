/*
 * softmax.c - softmax, kept whole (NNEF 1.0.5, section 4.9.1)
 *
 *     y = e / sum_reduce(e, axes),  e = exp(x - max_reduce(x, axes))
 */
#include "op/check.h"
#include "op/compute.h"
#include "op/lanes.h"

#include <assert.h>
#include <math.h>

static bool softmax_infer(struct infer *infer)
{
    const struct softmax_attrs *attrs = infer->attrs;

    if (!infer_axes(infer, &attrs->axes))
        return false;
    if (attrs->axes.count == 0)
        infer_warning(infer, "axes", WARNING_EMPTY_AXES,
                      "'softmax' along no axis makes every item 1, expected at least one axis");
    infer->out[0] = *infer_in(infer, 0);
    return true;
}

struct softmax {
    const float *x;
    float *y;
    struct lanes lanes;
};

/* The greatest item is taken off first, so that no exponential overflows. */
static void normalize_lane(const void *data, int64_t lane)
{
    const struct softmax *s = data;
    const struct lanes *lanes = &s->lanes;
    int64_t begin = lanes_begin(lanes, lane);
    const float *x = s->x + begin;
    float *y = s->y + begin;
    double max = -HUGE_VAL, sum = 0;

    assert(lane >= 0);
    for (int64_t i = 0; i < lanes->length; i += lanes->row) {
        const float *row = x + lanes_row(lanes, i);
        for (int64_t k = 0; k < lanes->row; k++) {
            double item = (double)row[k * lanes->step];
            max = max > item ? max : item;
        }
    }
    for (int64_t i = 0; i < lanes->length; i += lanes->row) {
        const float *row = x + lanes_row(lanes, i);
        for (int64_t k = 0; k < lanes->row; k++)
            sum += exp((double)row[k * lanes->step] - max);
    }
    for (int64_t i = 0; i < lanes->length; i += lanes->row) {
        int64_t at = lanes_row(lanes, i);
        for (int64_t k = 0; k < lanes->row; k++, at += lanes->step)
            y[at] = (float)(exp((double)x[at] - max) / sum);
    }
}

static bool softmax_eval(const struct eval *eval)
{
    const struct softmax_attrs *attrs = eval->attrs;
    struct softmax s = {.x = eval->in[0]->data, .y = eval->out[0]->data};

    lanes_init(&s.lanes, &eval->in[0]->shape, &attrs->axes);
    if (s.lanes.length > 0)
        eval_share(eval, s.lanes.count, normalize_lane, &s);
    return true;
}

DESCRIPTOR(softmax, OP_PARTIAL | OP_ANY_LAYOUT | OP_ZEROS_ALIKE,
           .range = OP_RANGE(0, 1, true, false), .kind = "normalize", .infer = softmax_infer,
           .eval = softmax_eval);
