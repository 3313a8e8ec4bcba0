/*
 * concat.c - between one tensor and sections of it along a dimension (section 4.5.3)
 *
 * concat joins tensors along 'axis', split cuts one in proportion to 'ratios'; stack and unstack
 * do the same with sections of extent 1 whose dimension 'axis' does not exist on its own.  A
 * section lies in the whole as blocks of consecutive items, one per index before 'axis'.
 */
#include "op/check.h"

#include "base/arena.h"
#include "base/num.h"
#include "diag/context.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* --- joining ---------------------------------------------------------------------------- */

static bool check_operands(const struct infer *infer)
{
    if (infer->nin > 0)
        return true;
    return infer_error(infer, NULL, DIAG_EMPTY_OPERANDS,
                       "'%s' of no tensors, expected at least one", infer_name(infer));
}

/* Let an unknown extent be that of another operand. */
static bool merge(int64_t *extent, int64_t other)
{
    if (extents_differ(*extent, other))
        return false;
    if (*extent == EXTENT_UNKNOWN)
        *extent = other;
    return true;
}

static bool concat_infer(struct infer *infer)
{
    const struct concat_attrs *attrs = infer->attrs;
    struct shape *out = &infer->out[0];

    if (!check_operands(infer))
        return false;

    /* Ranks are equal; in the provisional dialect shapes are padded with ones. */
    out->rank = infer_in(infer, 0)->rank;
    if (infer->graph->provisional && attrs->axis >= out->rank && attrs->axis < MAX_RANK)
        out->rank = (int)attrs->axis + 1;
    for (int i = 1; i < infer->nin; i++) {
        int rank = infer_in(infer, i)->rank;
        if (rank != out->rank && !infer->graph->provisional)
            return infer_error(infer, NULL, DIAG_RANK,
                               "operand %d of '%s' has rank %d, the first has rank %d", i,
                               infer_name(infer), rank, out->rank);
        if (rank > out->rank)
            out->rank = rank;
    }
    if (!check_axis(infer, "axis", attrs->axis, out->rank))
        return false;
    for (int k = 0; k < out->rank; k++)
        out->extent[k] = shape_extent(infer_in(infer, 0), k);

    /* Extents along the axis add up, unless one is unknown; all others have to be the same. */
    for (int i = 1; i < infer->nin; i++)
        for (int k = 0; k < out->rank; k++) {
            int64_t *extent = &out->extent[k], other = shape_extent(infer_in(infer, i), k);
            bool fits = true;
            if (k != attrs->axis)
                fits = merge(extent, other);
            else if (*extent == EXTENT_UNKNOWN || other == EXTENT_UNKNOWN)
                *extent = EXTENT_UNKNOWN;
            else
                fits = num_add(*extent, other, extent);
            if (!fits)
                return infer_error(
                    infer, NULL, DIAG_SHAPE_MISMATCH,
                    "operand %d of 'concat' has shape %s, the first has %s: they may "
                    "differ in dimension %" PRId64 " only",
                    i, SHAPE_TEXT(infer_in(infer, i)), SHAPE_TEXT(infer_in(infer, 0)), attrs->axis);
        }
    return true;
}

static bool stack_infer(struct infer *infer)
{
    const struct concat_attrs *attrs = infer->attrs;
    struct shape section, *out = &infer->out[0];

    if (!check_operands(infer))
        return false;
    section = *infer_in(infer, 0);
    if (!check_rank_limit(infer, section.rank + 1) ||
        !check_axis(infer, "axis", attrs->axis, section.rank + 1))
        return false;
    for (int i = 1; i < infer->nin; i++)
        if (!shape_compatible(infer_in(infer, i), &section))
            return infer_error(infer, NULL, DIAG_SHAPE_MISMATCH,
                               "operand %d of '%s' has shape %s, the first has %s", i,
                               infer_name(infer), SHAPE_TEXT(infer_in(infer, i)),
                               SHAPE_TEXT(&section));
    for (int i = 1; i < infer->nin; i++)
        for (int k = 0; k < section.rank; k++)
            merge(&section.extent[k], infer_in(infer, i)->extent[k]);

    /* The number of sections stands in front of what was dimension 'axis' of each. */
    out->rank = section.rank + 1;
    for (int k = 0; k < out->rank; k++)
        out->extent[k] = k == attrs->axis ? infer->nin : section.extent[k - (k > attrs->axis)];
    return true;
}

/* --- cutting ---------------------------------------------------------------------------- */

static bool split_infer(struct infer *infer)
{
    const struct concat_attrs *attrs = infer->attrs;
    const struct integers *ratios = &attrs->ratios;
    const struct shape *value = infer_in(infer, 0);
    int64_t unit = EXTENT_UNKNOWN, sum = 0; /* extent of a section for each unit of its ratio */
    bool fits = true;

    if (!check_axis(infer, "axis", attrs->axis, value->rank))
        return false;
    if (ratios->count == 0)
        return infer_error(infer, "ratios", DIAG_ITEM_COUNT,
                           "'ratios' of 'split' is empty, expected one item per result");
    for (int i = 0; i < ratios->count; i++)
        fits = fits && num_add(sum, ratios->item[i], &sum);
    int64_t extent = value->extent[attrs->axis];
    if (extent != EXTENT_UNKNOWN) {
        unit = fits && sum > 0 ? extent / sum : 0;
        if (!fits || unit * sum != extent)
            return infer_error(infer, "ratios", DIAG_NOT_DIVISIBLE,
                               "ratios of 'split' add up to %" PRId64
                               "%s, which does not divide extent %" PRId64,
                               sum, fits ? "" : " and more", extent);
    }
    if (!infer_results(infer, ratios->count))
        return false;
    for (int i = 0; i < infer->nout; i++) {
        infer->out[i] = *value;
        infer->out[i].extent[attrs->axis] = unit == EXTENT_UNKNOWN ? unit : unit * ratios->item[i];
    }
    return true;
}

static bool unstack_infer(struct infer *infer)
{
    const struct concat_attrs *attrs = infer->attrs;
    const struct shape *value = infer_in(infer, 0);
    int64_t count;

    if (!check_axis(infer, "axis", attrs->axis, value->rank))
        return false;
    count = value->extent[attrs->axis];
    if (!infer_results(infer, count))
        return false;
    for (int i = 0; i < infer->nout; i++) {
        struct shape *out = &infer->out[i];
        for (int k = 0; k < value->rank; k++)
            if (k != attrs->axis)
                out->extent[out->rank++] = value->extent[k];
    }
    return true;
}

/* --- kernels ---------------------------------------------------------------------------- */

/*
 * The parts lie one after the other in each block of the whole, and a block begins with each index
 * of the dimensions before the axis.  Copies them there, or if the whole is cut from there.
 */
static bool copy_parts(const struct eval *eval, const struct tensor *whole, bool cut)
{
    int axis = (int)((const struct concat_attrs *)eval->attrs)->axis;
    uint32_t count = cut ? eval->node->nout : eval->node->nin;
    int64_t blocks = shape_volume_range(&whole->shape, 0, axis);
    size_t pitch = blocks > 0 ? tensor_bytes(whole) / (size_t)blocks : 0;
    unsigned char *at = whole->data;

    assert(axis >= 0 && axis < whole->shape.rank);
    for (uint32_t i = 0; pitch > 0 && i < count; i++) {
        const struct tensor *tensor = cut ? eval->out[i] : eval->in[i];
        unsigned char *part = tensor->data;
        size_t size = tensor_bytes(tensor) / (size_t)blocks;
        for (size_t k = 0; size > 0 && k < (size_t)blocks; k++)
            memcpy(cut ? part + k * size : at + k * pitch, cut ? at + k * pitch : part + k * size,
                   size);
        at += size;
    }
    return true;
}

/* For concat and stack. */
static bool join_eval(const struct eval *eval)
{
    return copy_parts(eval, eval->out[0], false);
}

/* For split and unstack. */
static bool cut_eval(const struct eval *eval)
{
    return copy_parts(eval, eval->in[0], true);
}

/* --- descriptors ------------------------------------------------------------------------ */

DESCRIPTOR(concat, OP_PARTIAL | OP_ANY_LAYOUT | OP_MOVES, .kind = "move", .infer = concat_infer,
           .eval = join_eval);
DESCRIPTOR(stack, OP_PARTIAL | OP_MOVES, .kind = "move", .infer = stack_infer, .eval = join_eval);
DESCRIPTOR(split, OP_PARTIAL | OP_ANY_LAYOUT | OP_MOVES, .kind = "move", .infer = split_infer,
           .eval = cut_eval);
DESCRIPTOR(unstack, OP_MOVES, .kind = "move", .infer = unstack_infer, .eval = cut_eval);
