/*
 * reduce.c - reduce operations (NNEF 1.0.5, section 4.4)
 *
 * The result keeps the rank of the input and has extent 1 along 'axes'.  max is the operation
 * of section 4.2.4, in which a NaN gives way to whatever follows it.  The arg reductions give
 * the row-major index along all of the axes, of the first item where several are equal.
 */
#include "op/check.h"
#include "op/compute.h"
#include "op/lanes.h"

#include <assert.h>
#include <math.h>

static bool reduce_infer(struct infer *infer)
{
    const struct reduce_attrs *attrs = infer->attrs;
    struct shape *out = &infer->out[0];

    if (!infer_axes(infer, &attrs->axes))
        return false;
    *out = *infer_in(infer, 0);
    for (int i = 0; i < attrs->axes.count; i++)
        if (attrs->axes.item[i] < out->rank)
            out->extent[attrs->axes.item[i]] = 1;
    return true;
}

/* --- folding ---------------------------------------------------------------------------- */

struct folding {
    double start;
    double (*fold)(double sum, double item);
    bool mean; /* divide by the number of items */
};

static double add(double sum, double item)
{
    return sum + item;
}

static double greater(double sum, double item)
{
    return sum > item ? sum : item;
}

static double lesser(double sum, double item)
{
    return sum < item ? sum : item;
}

struct reduction {
    const struct eval *eval;
    struct lanes lanes;
    struct folding folding;
    float sign; /* what find_extreme() multiplies by */
};

static struct reduction reduction_of(const struct eval *eval)
{
    const struct reduce_attrs *attrs = eval->attrs;
    struct reduction r = {.eval = eval};

    lanes_init(&r.lanes, &eval->in[0]->shape, &attrs->axes);
    return r;
}

static double fold(const struct reduction *r, int64_t lane)
{
    const struct lanes *lanes = &r->lanes;
    int64_t begin = lanes_begin(lanes, lane);
    double sum = r->folding.start;

    for (int64_t i = 0; i < lanes->length; i += lanes->row) {
        int64_t at = begin + lanes_row(lanes, i);
        for (int64_t k = 0; k < lanes->row; k++)
            sum = r->folding.fold(sum, tensor_item(r->eval->in[0], at + k * lanes->step));
    }
    return r->folding.mean ? sum / (double)lanes->length : sum;
}

static void store(const struct tensor *to, int64_t index, double value)
{
    if (to->dtype == DTYPE_SCALAR)
        ((float *)to->data)[index] = (float)value;
    else
        ((unsigned char *)to->data)[index] = value != 0;
}

static void fold_lane(const void *data, int64_t lane)
{
    const struct reduction *r = data;

    assert(lane >= 0);
    store(r->eval->out[0], lane, fold(r, lane));
}

static bool eval_folding(const struct eval *eval, struct folding folding)
{
    struct reduction r = reduction_of(eval);

    assert(eval->node->nin == 1 && eval->node->nout == 1);
    r.folding = folding;
    eval_share(eval, r.lanes.count, fold_lane, &r);
    return true;
}

static bool sum_eval(const struct eval *eval)
{
    const struct reduce_attrs *attrs = eval->attrs;

    return eval_folding(eval, (struct folding){0, add, attrs->normalize});
}

static bool mean_eval(const struct eval *eval)
{
    return eval_folding(eval, (struct folding){0, add, true});
}

static bool max_eval(const struct eval *eval)
{
    return eval_folding(eval, (struct folding){-HUGE_VAL, greater, false});
}

static bool min_eval(const struct eval *eval)
{
    return eval_folding(eval, (struct folding){HUGE_VAL, lesser, false});
}

/* Of truth values the least tells whether all are true, the greatest whether any is. */
static bool all_eval(const struct eval *eval)
{
    return eval_folding(eval, (struct folding){1, lesser, false});
}

static bool any_eval(const struct eval *eval)
{
    return eval_folding(eval, (struct folding){0, greater, false});
}

/* --- arg reductions --------------------------------------------------------------------- */

/* Index within its lane of the first item that is greatest after multiplication by `sign`. */
static int64_t find_extreme(const float *item, const struct lanes *lanes, float sign)
{
    float best = sign * item[0];
    int64_t found = 0;

    for (int64_t i = 0; i < lanes->length; i += lanes->row) {
        const float *row = item + lanes_row(lanes, i);
        for (int64_t k = 0; k < lanes->row; k++)
            if (sign * row[k * lanes->step] > best) {
                best = sign * row[k * lanes->step];
                found = i + k;
            }
    }
    return found;
}

static void find_in_lane(const void *data, int64_t lane)
{
    const struct reduction *r = data;
    const float *in = r->eval->in[0]->data;
    int64_t *out = r->eval->out[0]->data;

    assert(lane >= 0);
    out[lane] = find_extreme(in + lanes_begin(&r->lanes, lane), &r->lanes, r->sign);
}

static bool eval_extreme(const struct eval *eval, float sign)
{
    struct reduction r = reduction_of(eval);

    assert(sign > 0 || sign < 0);
    r.sign = sign;
    if (r.lanes.length > 0)
        eval_share(eval, r.lanes.count, find_in_lane, &r);
    return true;
}

static bool argmax_eval(const struct eval *eval)
{
    return eval_extreme(eval, 1);
}

static bool argmin_eval(const struct eval *eval)
{
    return eval_extreme(eval, -1);
}

/* --- descriptors ------------------------------------------------------------------------ */

#define REDUCE(operator, stem, more)                                  \
    {                                                                 \
        .kind = "reduce", .infer = reduce_infer, .eval = stem##_eval, \
        OP_SIGNATURE(operator,(more) | OP_PARTIAL)                    \
    }

const struct op_desc op_sum_reduce = REDUCE(sum_reduce, sum, OP_ANY_LAYOUT);
const struct op_desc op_max_reduce = REDUCE(max_reduce, max, OP_ANY_LAYOUT);
const struct op_desc op_min_reduce = REDUCE(min_reduce, min, OP_ANY_LAYOUT);
const struct op_desc op_argmax_reduce = REDUCE(argmax_reduce, argmax, 0);
const struct op_desc op_argmin_reduce = REDUCE(argmin_reduce, argmin, 0);
const struct op_desc op_all_reduce = REDUCE(all_reduce, all, OP_ANY_LAYOUT);
const struct op_desc op_any_reduce = REDUCE(any_reduce, any, OP_ANY_LAYOUT);
const struct op_desc op_mean_reduce = REDUCE(mean_reduce, mean, OP_ANY_LAYOUT);
