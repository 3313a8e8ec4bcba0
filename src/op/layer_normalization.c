/*
 * layer_normalization.c - normalization over some dimensions of each item (nnefc-ext.nnef)
 *
 *     layer_normalization: output = (input - mean) / sqrt(variance + epsilon) * scale + offset
 *     rms_normalization: output = input / sqrt(mean of squares + epsilon) * scale
 *
 * with means and variance of the items along 'axes'.  As with batch_normalization scale and offset
 * do not widen the input.
 */
#include "op/broadcast.h"
#include "op/check.h"
#include "op/compute.h"
#include "op/lanes.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { INPUT, SCALE, OFFSET };

static bool normalization_infer(struct infer *infer)
{
    const struct layer_normalization_attrs *attrs = infer->attrs;
    bool ok = infer_axes(infer, &attrs->axes);

    ok &= infer_parameters(infer);
    return ok;
}

/* --- kernel ------------------------------------------------------------------------------ */

struct statistics {
    double mean, deviation;
};

struct normalization {
    const struct eval *eval;
    const struct tensor *operand[OFFSET + 1];
    bool centered;
    struct lanes lanes;
    struct statistics *statistics; /* by lane */
};

/* Of the differences from `mean` along a lane, or of their squares. */
static double sum_of(const float *x, const struct lanes *lanes, double mean, bool squared)
{
    double sum = 0;

    for (int64_t i = 0; i < lanes->length; i += lanes->row) {
        const float *row = x + lanes_row(lanes, i);
        for (int64_t k = 0; k < lanes->row; k++) {
            double item = (double)row[k * lanes->step] - mean;
            sum += squared ? item * item : item;
        }
    }
    return sum;
}

static void measure_lane(const void *data, int64_t number)
{
    const struct normalization *n = data;
    const struct layer_normalization_attrs *attrs = n->eval->attrs;
    const struct lanes *lanes = &n->lanes;
    const float *lane = (const float *)n->eval->in[INPUT]->data + lanes_begin(lanes, number);
    double mean = n->centered ? sum_of(lane, lanes, 0, false) / (double)lanes->length : 0;
    double variance = sum_of(lane, lanes, mean, true) / (double)lanes->length;

    assert(number >= 0);
    n->statistics[number] = (struct statistics){mean, sqrt(variance + attrs->epsilon)};
}

/* Operands of the walk, of which the last is numbered like the lanes. */
enum { WALK_STATISTICS = OFFSET + 1, WALK_COUNT };

static void normalize_run(const void *data, const struct item_run *run)
{
    const struct normalization *n = data;
    const struct eval *eval = n->eval;
    const struct statistics *statistics = n->statistics + run->at[WALK_STATISTICS];
    const float *in[WALK_STATISTICS];
    float *out = (float *)eval->out[0]->data + run->first;

    for (int k = INPUT; k <= OFFSET; k++)
        in[k] = (const float *)n->operand[k]->data + run->at[k];
    for (int64_t i = 0; i < run->count; i++) {
        const struct statistics *s = &statistics[i * run->step[WALK_STATISTICS]];
        double x = ((double)in[INPUT][i * run->step[INPUT]] - s->mean) / s->deviation;
        out[i] = (float)(x * (double)in[SCALE][i * run->step[SCALE]] +
                         (double)in[OFFSET][i * run->step[OFFSET]]);
    }
}

static bool normalization_eval(const struct eval *eval)
{
    const struct layer_normalization_attrs *attrs = eval->attrs;
    const bool centered = eval->node->op->id == OP_layer_normalization;
    float nothing = 0;
    struct tensor no_offset = {.data = &nothing};
    struct tensor lane_numbers = {.shape = eval->in[INPUT]->shape};
    struct normalization n = {
        .eval = eval,
        .operand = {eval->in[INPUT], eval->in[SCALE], centered ? eval->in[OFFSET] : &no_offset},
        .centered = centered};
    const struct tensor *operand[] = {n.operand[INPUT], n.operand[SCALE], n.operand[OFFSET],
                                      &lane_numbers};
    struct walk walk;

    lanes_init(&n.lanes, &eval->in[INPUT]->shape, &attrs->axes);
    if (n.lanes.count == 0 || n.lanes.length == 0)
        return true;
    n.statistics = calloc((size_t)n.lanes.count, sizeof *n.statistics);
    if (!n.statistics)
        return eval_no_memory(eval);
    eval_share_part(eval, n.lanes.count, 2 * n.lanes.length, measure_lane, &n);

    /* Lanes are numbered like the items of a result with extent 1 along the axes. */
    for (int i = 0; i < attrs->axes.count; i++)
        lane_numbers.shape.extent[attrs->axes.item[i]] = 1;
    walk_init(&walk, &eval->out[0]->shape, operand, WALK_COUNT);
    walk_share(eval, &walk, normalize_run, &n);
    free(n.statistics);
    return true;
}

DESCRIPTOR(layer_normalization, OP_PARTIAL, .kind = "normalize", .infer = normalization_infer,
           .eval = normalization_eval);
DESCRIPTOR(rms_normalization, OP_PARTIAL, .kind = "normalize", .infer = normalization_infer,
           .eval = normalization_eval);
