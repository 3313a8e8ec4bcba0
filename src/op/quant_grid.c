/* quant_grid.c - the integers of an operation that quantizes in steps of one size (section 4.9.5)
 */
#include "op/quant_grid.h"

#include "base/arena.h"
#include "base/text.h"
#include "op/check.h"

#include <assert.h>
#include <math.h>

/* How far float arithmetic may move zero between minimum and maximum, in parts of the range. */
#define ZERO_TOLERANCE 0x1p-22

/* A constant operand, of which one item may stand for all. */
static double item_of(const struct value *constant, int64_t index)
{
    const struct tensor *tensor = constant->source->tensor;

    return tensor_item(tensor, shape_volume(&tensor->shape) > 1 ? index : 0);
}

static struct tensor new_tensor(struct arena *arena, enum dtype dtype, const struct shape *shape)
{
    struct tensor tensor = {.dtype = dtype, .shape = *shape};

    tensor.data = arena_array(arena, (size_t)shape_volume(shape), dtype_size(dtype));
    return tensor;
}

static const char *set_scale(struct arena *arena, struct quant_grid *grid, int64_t i, double scale)
{
    const float rounded = (float)scale;

    ((float *)grid->scale.data)[i] = rounded;
    return rounded > 0 && isfinite(rounded)
               ? NULL
               : text_format(arena, "its scale is %g, expected more than 0", scale);
}

static const char *set_zero(struct arena *arena, struct quant_grid *grid, int64_t i, double zero)
{
    double off = fabs(zero - rint(zero));

    if (!(off <= (double)(grid->high - grid->low) * ZERO_TOLERANCE))
        return text_format(arena, "zero comes to lie at step %g, expected a whole number", zero);
    if (zero < INT32_MIN || zero > UINT32_MAX)
        return text_format(arena, "zero comes to lie at step %g, expected one of 32 bits", zero);
    ((int64_t *)grid->zero.data)[i] = (int64_t)rint(zero);
    return NULL;
}

/* By a scale and a zero, which may differ in shape. */
static const char *by_zero_point(struct arena *arena, const struct node *node,
                                 struct quant_grid *grid)
{
    const struct value *zero = node->in[1].value, *scale = node->in[2].value;
    const char *why = NULL;

    grid->scale = new_tensor(arena, DTYPE_SCALAR, scale->shape);
    grid->zero = new_tensor(arena, DTYPE_INTEGER, zero->shape);
    for (int64_t i = 0, count = shape_volume(scale->shape); i < count && !why; i++)
        why = set_scale(arena, grid, i, item_of(scale, i));
    for (int64_t i = 0, count = shape_volume(zero->shape); i < count && !why; i++)
        why = set_zero(arena, grid, i, item_of(zero, i));
    return why;
}

/* Between a minimum and a maximum, which are those of all, or as many as each other. */
static const char *by_range(struct arena *arena, const struct node *node, struct quant_grid *grid)
{
    const struct value *min = node->in[1].value, *max = node->in[2].value;
    const int64_t mins = shape_volume(min->shape), maxs = shape_volume(max->shape);
    const struct shape *shape = mins > 1 ? min->shape : max->shape;
    const char *why = NULL;

    if (mins > 1 && maxs > 1 && !shape_equal(min->shape, max->shape))
        return text_format(arena, "its range is from shape %s to shape %s", SHAPE_TEXT(min->shape),
                           SHAPE_TEXT(max->shape));
    grid->scale = new_tensor(arena, DTYPE_SCALAR, shape);
    grid->zero = new_tensor(arena, DTYPE_INTEGER, shape);
    for (int64_t i = 0, count = shape_volume(shape); i < count && !why; i++) {
        const double low = item_of(min, mins > 1 ? i : 0), high = item_of(max, maxs > 1 ? i : 0);
        const double scale = (high - low) / (double)(grid->high - grid->low);
        why = set_scale(arena, grid, i, scale);
        if (!why)
            why = set_zero(arena, grid, i, (double)grid->low - low / scale);
    }
    return why;
}

const char *quant_grid_find(struct arena *arena, const struct node *node, struct quant_grid *grid)
{
    const struct quantize_attrs *attrs = node->attrs;

    if (node->op->id == OP_logarithmic_quantize)
        return "its steps are powers of two, expected steps of one size";
    for (uint32_t i = 1; i < node->nin; i++)
        if (node->in[i].value->kind != VALUE_CONSTANT)
            return "its range is computed, expected constants";
    assert(node->nin == 3 && node->op->dequantize);
    if (attrs->bits < 2 || attrs->bits > 32)
        return text_format(arena, "it has %d bits, expected 2 to 32", (int)attrs->bits);
    *grid = (struct quant_grid){.bits = attrs->bits};
    grid->high = (int64_t)quantize_greatest(attrs->bits - attrs->is_signed);
    grid->low = attrs->is_signed ? -grid->high - !attrs->symmetric : 0;
    return node->op->id == OP_zero_point_linear_quantize ? by_zero_point(arena, node, grid)
                                                         : by_range(arena, node, grid);
}
