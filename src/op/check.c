/* check.c - checks of arguments that many shape rules share */
#include "op/check.h"

#include "diag/context.h"
#include "op/op_build.h"

#include <assert.h>
#include <inttypes.h>

const char *infer_name(const struct infer *infer)
{
    return infer->call->op->name;
}

bool check_count(const struct infer *infer, const char *param, int count, int expected)
{
    if (count == expected)
        return true;
    infer_error(infer, param, DIAG_ITEM_COUNT, "'%s' of '%s' has %d item%s, expected %d", param,
                infer_name(infer), count, count == 1 ? "" : "s", expected);
    return infer_label(infer, param, "expected %d item%s", expected, expected == 1 ? "" : "s");
}

bool check_axis(const struct infer *infer, const char *param, int64_t axis, int rank)
{
    if (axis >= 0 && axis < rank)
        return true;
    infer_error(infer, param, DIAG_AXIS,
                "axis %" PRId64 " of '%s' is out of range, expected 0 or more and below %d", axis,
                infer_name(infer), rank);
    if (rank == 0)
        return infer_label(infer, param, "a tensor of rank 0 has no axes");
    if (rank == 1)
        return infer_label(infer, param, "the only axis is 0");
    infer_label(infer, param, "valid axes are 0 to %d", rank - 1);
    if (axis < 0 && axis >= -rank)
        diag_help(infer->graph->context->diag,
                  "axes are not counted from the end: write %" PRId64 ".", axis + rank);
    return false;
}

bool check_axes(const struct infer *infer, const char *param, const struct integers *axes, int rank)
{
    bool seen[MAX_RANK] = {false};

    for (int i = 0; i < axes->count; i++) {
        int64_t axis = axes->item[i];
        if (!check_axis(infer, param, axis, rank))
            return false;
        if (seen[axis])
            return infer_error(infer, param, DIAG_AXIS_REPEATED,
                               "axis %" PRId64 " of '%s' is given twice", axis, infer_name(infer));
        seen[axis] = true;
    }
    return true;
}

bool check_rank(const struct infer *infer, int index, int rank, bool or_more)
{
    const struct op_operand *operand = &infer->call->in[index];
    int have = operand->value->shape->rank;

    assert(index >= 0 && index < infer->nin);
    return have == rank || (or_more && have > rank) ||
           infer_error(infer, operand->param, DIAG_RANK, "'%s' of '%s' has rank %d, expected %s%d",
                       operand->param, infer_name(infer), have, or_more ? "at least " : "", rank);
}

bool check_shape(const struct infer *infer, int index, const struct shape *expected, bool or_number)
{
    const struct op_operand *operand = &infer->call->in[index];
    const struct shape *shape = operand->value->shape;

    assert(index >= 0 && index < infer->nin);
    return shape_equal(shape, expected) || (shape->rank == 0 && or_number) ||
           infer_error(infer, operand->param, DIAG_SHAPE_MISMATCH,
                       "'%s' of '%s' has shape %s, expected %s", operand->param, infer_name(infer),
                       SHAPE_TEXT(shape), SHAPE_TEXT(expected));
}

bool check_rank_limit(const struct infer *infer, int64_t rank)
{
    assert(rank >= 0);
    if (rank <= MAX_RANK)
        return true;
    return infer_error(infer, NULL, DIAG_RANK,
                       "result of '%s' has rank %" PRId64 ", expected at most %d",
                       infer_name(infer), rank, MAX_RANK);
}

bool check_indices(const struct eval *eval, const struct tensor *index, const char *what,
                   int64_t end, const char *why)
{
    const int64_t *item = index->data;

    assert(index->dtype == DTYPE_INTEGER);
    for (int64_t i = 0, count = shape_volume(&index->shape); i < count; i++)
        if (item[i] < 0 || item[i] >= end)
            return eval_error(eval, DIAG_RUN_INDEX,
                              "%s of '%s' is %" PRId64 ", expected 0 or more and below %" PRId64
                              "%s",
                              what, eval->node->op->name, item[i], end, why);
    return true;
}

int64_t integers_at(const struct integers *integers, int index)
{
    assert(index >= 0);
    return index < integers->count ? integers->item[index] : 1;
}

bool integers_contain(const struct integers *integers, int64_t item)
{
    for (int i = 0; i < integers->count; i++)
        if (integers->item[i] == item)
            return true;
    return false;
}

bool extents_differ(int64_t a, int64_t b)
{
    return a != b && a != EXTENT_UNKNOWN && b != EXTENT_UNKNOWN;
}
