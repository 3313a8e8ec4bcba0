/*
 * reduce.c - reduce operations (NNEF 1.0.5, section 4.4)
 *
 * The result keeps the rank of the input and has extent 1 along 'axes'.  max is the operation
 * of section 4.2.4, in which NaN stays (E27).  The arg reductions give the row-major index along
 * all of the axes, of the first item where several are equal, and of the first NaN if there is one.
 */
#include "base/num.h"
#include "op/check.h"
#include "op/compute.h"
#include "op/lanes.h"
#include "op/op_build.h"

#include <assert.h>
#include <math.h>

bool infer_reduction(struct infer *infer, const struct integers *axes, bool chooses)
{
    const struct shape *input = infer_in(infer, 0);
    struct shape *out = &infer->out[0];

    if (!infer_axes(infer, axes))
        return false;
    *out = *input;
    for (int i = 0; i < axes->count; i++)
        if (axes->item[i] < out->rank)
            out->extent[axes->item[i]] = 1;
    /* There must be no results that no item of the input belongs to. */
    return !chooses || !shape_known(input) || shape_volume(input) > 0 || shape_volume(out) == 0 ||
           infer_error(infer, "axes", DIAG_EXTENT,
                       "'%s' along axes of shape %s without an item, expected at least one",
                       infer_name(infer), SHAPE_TEXT(input));
}

static bool reduce_infer(struct infer *infer)
{
    const struct reduce_attrs *attrs = infer->attrs;
    unsigned op = infer->call->op->id;

    return infer_reduction(infer, &attrs->axes,
                           op == OP_max_reduce || op == OP_min_reduce || op == OP_argmax_reduce ||
                               op == OP_argmin_reduce);
}

/* --- folding ---------------------------------------------------------------------------- */

static double add(double sum, double item)
{
    return sum + item;
}

/* What an operator does to the items of a lane. */
struct folding {
    double (*fold)(double sum, double item); /* NULL: an arg reduction */
    double start;
    float sign; /* what arg reductions multiply by: 1 finds the greatest item, -1 the least */
    bool mean;  /* divide by the number of items */
};

struct reduction {
    const struct eval *eval;
    struct folding how;
    struct lanes lanes;
};

static void fold_lane(const void *data, int64_t lane)
{
    const struct reduction *r = data;
    const struct lanes *lanes = &r->lanes;
    const struct tensor *to = r->eval->out[0];
    int64_t begin = lanes_begin(lanes, lane);
    double sum = r->how.start;

    assert(to->dtype == DTYPE_SCALAR || to->dtype == DTYPE_LOGICAL);
    for (int64_t i = 0; i < lanes->length; i += lanes->row) {
        int64_t at = begin + lanes_row(lanes, i);
        for (int64_t k = 0; k < lanes->row; k++)
            sum = r->how.fold(sum, tensor_item(r->eval->in[0], at + k * lanes->step));
    }
    if (r->how.mean)
        sum /= (double)lanes->length;
    if (to->dtype == DTYPE_SCALAR)
        ((float *)to->data)[lane] = (float)sum;
    else
        ((unsigned char *)to->data)[lane] = sum != 0;
}

/* The index within the lane of the first item that is greatest after multiplication by `sign`; NaN
 * is greater than any number. */
static void find_in_lane(const void *data, int64_t lane)
{
    const struct reduction *r = data;
    const struct lanes *lanes = &r->lanes;
    const float *item = (const float *)r->eval->in[0]->data + lanes_begin(lanes, lane);
    float best = r->how.sign * item[0];
    int64_t found = 0;

    assert(lanes->length > 0);
    for (int64_t i = 0; i < lanes->length; i += lanes->row) {
        const float *row = item + lanes_row(lanes, i);
        for (int64_t k = 0; k < lanes->row; k++) {
            float signed_item = r->how.sign * row[k * lanes->step];
            if (signed_item <= best || isnan(best))
                continue;
            best = signed_item;
            found = i + k;
        }
    }
    ((int64_t *)r->eval->out[0]->data)[lane] = found;
}

/* All truth values are true if the least is, and any is if the greatest is. */
static const struct folding foldings[OP_COUNT] = {
    [OP_sum_reduce] = {.fold = add, .start = 0},
    [OP_mean_reduce] = {.fold = add, .start = 0, .mean = true},
    [OP_max_reduce] = {.fold = num_greater, .start = -HUGE_VAL},
    [OP_min_reduce] = {.fold = num_lesser, .start = HUGE_VAL},
    [OP_all_reduce] = {.fold = num_lesser, .start = 1},
    [OP_any_reduce] = {.fold = num_greater, .start = 0},
    [OP_argmax_reduce] = {.sign = 1},
    [OP_argmin_reduce] = {.sign = -1},
};

static bool reduce_eval(const struct eval *eval)
{
    const struct reduce_attrs *attrs = eval->attrs;
    struct reduction r = {.eval = eval, .how = foldings[eval->node->op->id]};
    bool folds = r.how.fold;

    assert(eval->node->nin == 1 && eval->node->nout == 1 && (folds || r.how.sign != 0));
    r.how.mean |= eval->node->op->id == OP_sum_reduce && attrs->normalize;
    lanes_init(&r.lanes, &eval->in[0]->shape, &attrs->axes);
    if (folds || r.lanes.length > 0)
        eval_share(eval, r.lanes.count, folds ? fold_lane : find_in_lane, &r);
    return true;
}

/* --- descriptors ------------------------------------------------------------------------ */

#define REDUCE(name, traits)                                                         \
    DESCRIPTOR(name, (traits) | OP_PARTIAL, .kind = "reduce", .infer = reduce_infer, \
               .eval = reduce_eval)

REDUCE(sum_reduce, OP_ANY_LAYOUT);
REDUCE(max_reduce, OP_ANY_LAYOUT);
REDUCE(min_reduce, OP_ANY_LAYOUT);
REDUCE(argmax_reduce, 0);
REDUCE(argmin_reduce, 0);
REDUCE(all_reduce, OP_ANY_LAYOUT);
REDUCE(any_reduce, OP_ANY_LAYOUT);
REDUCE(mean_reduce, OP_ANY_LAYOUT);
