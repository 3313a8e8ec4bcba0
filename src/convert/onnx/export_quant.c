/*
 * export_quant.c - quantization as QuantizeLinear and DequantizeLinear of ONNX
 *
 * Both sides use integers q from `low` to `high`; one stands for (q - zero) * scale.  ONNX wants
 * `zero` to be such an integer, which holds for a minimum and a maximum only if zero is one of the
 * steps between them.  Clipping first keeps out the integers of a type that are beyond `low` and
 * `high`.
 */
#include "convert/onnx/export_out.h"
#include "convert/onnx/export_rules.h"

#include "base/num.h"
#include "base/text.h"
#include "file/out.h"
#include "op/check.h"
#include "tensor/bytes.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>

/* How far float arithmetic may move zero between minimum and maximum, in parts of the range. */
#define ZERO_TOLERANCE 0x1p-22

/* The numbers that a quantization gives. */
struct quant_grid {
    int axis; /* along which scale and zero differ; -1: nowhere */
    int64_t count;
    double *scale, *zero; /* `count` of each */
    double low, high;
};

/* A type that holds integers. */
struct quant_holder {
    enum onnx_data_type type;
    size_t size;
    double low, high;
    int opset; /* the first that quantizes to it */
};

static const struct quant_holder holders[] = {
    {ONNX_UINT8, 1, 0, UINT8_MAX, EMIT_OPSET_MIN},
    {ONNX_INT8, 1, INT8_MIN, INT8_MAX, EMIT_OPSET_MIN},
    {ONNX_UINT16, 2, 0, UINT16_MAX, 21},
    {ONNX_INT16, 2, INT16_MIN, INT16_MAX, 21},
};

/* Integers without a zero point, which can be read but not made. */
static const struct quant_holder offsets = {ONNX_INT32, 4, INT32_MIN, INT32_MAX, EMIT_OPSET_MIN};

/* Says why, and what the user can do; returns false. */
static bool refuse_qdq(const struct emit *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

static bool refuse_qdq(const struct emit *e, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    const char *why = text_format_v(emit_arena(e), fmt, args);
    va_end(args);
    e->out->help = "--quant=apply writes it with ordinary operations.";
    emit_refuse(e, "'%s' cannot be QuantizeLinear: %s", e->node->op->name, why);
    return false;
}

/* --- scale and zero ----------------------------------------------------------------------- */

/* Does the range differ along some axis? */
static bool is_spread(const struct emit *e, int index)
{
    return shape_volume(&emit_constant(e, index)->shape) != 1;
}

/* An operand may differ along one axis, which is that of the others. */
static bool add_axes(const struct emit *e, int index, struct quant_grid *grid)
{
    const struct shape *shape = emit_shape(e, index);

    for (int i = 0; i < shape->rank; i++) {
        if (shape->extent[i] == 1)
            continue;
        if (grid->axis >= 0 && grid->axis != i)
            return refuse_qdq(e, "its range differs along axes %d and %d, expected one at most",
                              grid->axis, i);
        grid->axis = i;
        grid->count = shape->extent[i];
    }
    return true;
}

/* The axis along which the range differs: one at most. Makes room for scales and zeros. */
static bool find_axis(const struct emit *e, struct quant_grid *grid)
{
    *grid = (struct quant_grid){.axis = -1, .count = 1};
    for (int i = 1; i < (int)e->node->nin; i++) {
        if (!emit_constant(e, i)) {
            refuse_qdq(e, "its range is computed, expected constants");
            return false;
        }
        if (is_spread(e, i) && !add_axes(e, i, grid))
            return false;
    }
    grid->scale = emit_room(e, grid->count, sizeof *grid->scale);
    grid->zero = emit_room(e, grid->count, sizeof *grid->zero);
    return true;
}

/* Item `at` of an operand along the axis of the grid, or its only item. */
static double range_item(const struct emit *e, int index, int64_t at)
{
    return tensor_item(emit_constant(e, index), is_spread(e, index) ? at : 0);
}

/* Scales are positive; zeros are whole, and rounded to be so exactly. */
static bool check_grid(const struct emit *e, const struct quant_grid *grid)
{
    for (int64_t i = 0; i < grid->count; i++) {
        float scale = (float)grid->scale[i];
        double zero = grid->zero[i], off = fabs(zero - rint(zero));
        if (!(scale > 0) || isinf(scale))
            return refuse_qdq(e, "its scale is %g, expected more than 0", grid->scale[i]);
        if (!(off <= (grid->high - grid->low) * ZERO_TOLERANCE))
            return refuse_qdq(e, "zero comes to lie at step %g, expected a whole number", zero);
        grid->zero[i] = rint(zero);
    }
    return true;
}

/* --- what holds the integers --------------------------------------------------------------- */

/* The first type that holds all integers and zeros of the grid; NULL: there is none. */
static const struct quant_holder *find_holder(const struct quant_grid *grid, int opset)
{
    for (size_t i = 0; i < sizeof holders / sizeof *holders; i++) {
        const struct quant_holder *h = &holders[i];
        bool fits = h->opset <= opset && h->low <= grid->low && grid->high <= h->high;
        for (int64_t k = 0; k < grid->count && fits; k++)
            fits = h->low <= grid->zero[k] && grid->zero[k] <= h->high;
        if (fits)
            return h;
    }
    return NULL;
}

/* Says whether a newer opset would do; NULL. */
static const char *refuse_holder(const struct emit *e, const struct quant_grid *grid)
{
    bool later = find_holder(grid, EMIT_OPSET_MAX) != NULL;

    refuse_qdq(e,
               later ? "integers from %.0f to %.0f need opset 21"
                     : "ONNX has no type for integers from %.0f to %.0f and a zero of %.0f",
               grid->low, grid->high, grid->zero[0]);
    return NULL;
}

/* --- nodes -------------------------------------------------------------------------------- */

/* A number, or a vector along the axis of the grid. */
static const struct shape *grid_shape(const struct emit *e, const struct quant_grid *grid)
{
    struct shape *shape = emit_room(e, 1, sizeof *shape);

    if (grid->axis >= 0)
        *shape = (struct shape){.rank = 1, .extent = {grid->count}};
    return shape;
}

static const char *emit_scale(const struct emit *e, const struct quant_grid *grid)
{
    float *scale = emit_room(e, grid->count, sizeof *scale);

    for (int64_t i = 0; i < grid->count; i++)
        scale[i] = (float)grid->scale[i];
    return emit_scalars(e, grid_shape(e, grid), scale);
}

static void store_integer(unsigned char *bytes, size_t size, double integer)
{
    bytes_store(bytes, (int)size, (uint64_t)(int64_t)integer);
}

static const char *emit_zero(const struct emit *e, const struct quant_grid *grid,
                             const struct quant_holder *holder)
{
    const struct onnx_typed typed = {NULL, "zero_point", holder->type, grid_shape(e, grid)};
    struct onnx_tensor *tensor = onnx_out_typed(e->out, &typed);
    unsigned char *bytes = emit_room(e, grid->count, holder->size);

    for (int64_t i = 0; i < grid->count; i++)
        store_integer(bytes + (size_t)i * holder->size, holder->size, grid->zero[i]);
    onnx_tensor_raw(tensor, bytes, (size_t)grid->count * holder->size);
    return tensor->name;
}

/* What `integer` of each range stands for, in a shape that broadcasts to x. */
static const char *emit_bound(const struct emit *e, const struct quant_grid *grid, double integer)
{
    float *bound = emit_room(e, grid->count, sizeof *bound);
    struct shape shape = *grid_shape(e, grid);

    for (int64_t i = 0; i < grid->count; i++)
        bound[i] = (float)((integer - grid->zero[i]) * grid->scale[i]);
    while (shape.rank > 0 && shape.rank < emit_shape(e, 0)->rank - grid->axis)
        shape.extent[shape.rank++] = 1;
    return emit_scalars(e, &shape, bound);
}

/* A grid of one range has no axis. */
static void set_axis(const struct emit *e, const struct quant_grid *grid)
{
    if (grid->axis >= 0)
        emit_attr_int(e, "axis", grid->axis);
}

/* Both nodes, for tensors that are computed when the model runs. */
static const char *emit_pair(const struct emit *e, const struct quant_grid *grid)
{
    const struct quant_holder *holder = find_holder(grid, e->opset);

    assert(grid->count > 0 && grid->low <= grid->high);
    if (!holder)
        return refuse_holder(e, grid);
    const char *x = emit_in(e, 0), *scale = emit_scale(e, grid), *zero = emit_zero(e, grid, holder);
    if (holder->low < grid->low || grid->high < holder->high) {
        const char *low = emit_bound(e, grid, grid->low), *high = emit_bound(e, grid, grid->high);
        if (grid->axis < 0) {
            x = emit(e, "Clip", x, low, high, NULL);
        } else { /* Clip takes single numbers only */
            x = emit(e, "Min", x, high, NULL);
            x = emit(e, "Max", x, low, NULL);
        }
    }
    x = emit(e, "QuantizeLinear", x, scale, zero, NULL);
    set_axis(e, grid);
    x = emit(e, "DequantizeLinear", x, scale, zero, NULL);
    set_axis(e, grid);
    return x;
}

/* --- variables ---------------------------------------------------------------------------- */

/* A variable whose integers are made when they are written. */
struct stored_integers {
    const struct tensor *tensor;
    struct quant_grid grid;
    size_t size;   /* bytes of an integer */
    bool offset;   /* the zero is subtracted */
    int64_t inner; /* items that follow one another within one range */
};

/* Quantizes the items of a variable in pieces, as the kernel does: halves go up. */
static bool put_integers(struct diag *diag, const struct sink *sink, const void *from)
{
    enum { CHUNK = 4096 };
    const struct stored_integers *stored = from;
    const struct quant_grid *grid = &stored->grid;
    const float *items = stored->tensor->data;
    int64_t count = shape_volume(&stored->tensor->shape);
    unsigned char bytes[CHUNK * sizeof(int32_t)];
    size_t used = 0;

    (void)diag;
    assert(stored->inner > 0 && stored->size <= sizeof(int32_t));
    for (int64_t i = 0; i < count; i++) {
        int64_t at = i / stored->inner % grid->count;
        double q = num_round((double)items[i] / grid->scale[at]) + grid->zero[at];
        q = q < grid->high ? q : grid->high;
        q = q > grid->low ? q : grid->low;
        store_integer(bytes + used, stored->size, stored->offset ? q - grid->zero[at] : q);
        used += stored->size;
        if (used + stored->size > sizeof bytes || i + 1 == count) {
            sink->put(sink->to, bytes, used);
            used = 0;
        }
    }
    return true;
}

/* A variable that is not fed has its integers in the model, and the second node only. */
static const char *emit_stored(const struct emit *e, const struct quant_grid *grid)
{
    const struct quant_holder *holder = find_holder(grid, e->opset);
    const struct value *variable = e->node->in[0].value;
    const struct shape *shape = variable->shape;
    bool offset = !holder;

    /* The zero may be subtracted: integers of 32 bits need none. */
    for (int64_t i = 0; i < grid->count && offset; i++)
        offset =
            offsets.low <= grid->low - grid->zero[i] && grid->high - grid->zero[i] <= offsets.high;
    holder = offset ? &offsets : holder;
    if (!holder)
        return refuse_holder(e, grid);
    const struct onnx_typed typed = {variable, NULL, holder->type, shape};
    struct onnx_tensor *tensor = onnx_out_typed(e->out, &typed);
    struct stored_integers *stored = emit_room(e, 1, sizeof *stored);
    *stored = (struct stored_integers){variable->source->tensor, *grid, holder->size, offset, 1};
    for (int i = grid->axis + 1; i < shape->rank && grid->axis >= 0; i++)
        stored->inner *= shape->extent[i];
    onnx_tensor_produce(tensor, (size_t)shape_volume(shape) * holder->size, put_integers, stored);

    const char *scale = emit_scale(e, grid);
    const char *zero = offset ? NULL : emit_zero(e, grid, holder);
    const char *y = emit(e, "DequantizeLinear", tensor->name, scale, zero, NULL);
    set_axis(e, grid);
    return y;
}

/* A variable that no update writes to is quantized here; anything else when the model runs. */
static const char *emit_grid(const struct emit *e, const struct quant_grid *grid)
{
    const struct value *x = e->node->in[0].value;
    bool fixed = x->kind == VALUE_VARIABLE && !e->out->fed[onnx_out_first(e->out, x)->id];

    return fixed ? emit_stored(e, grid) : emit_pair(e, grid);
}

/* --- operators ---------------------------------------------------------------------------- */

/* The integers go by bits, sign and symmetry around 0; operands are zero and scale, or the least
 * and the greatest number. */
const char *export_quantize(const struct emit *e)
{
    const struct quantize_attrs *attrs = e->attrs;
    bool has_zero = e->node->op->id == OP_zero_point_linear_quantize;
    struct quant_grid grid;

    if (e->node->op->id == OP_logarithmic_quantize) {
        refuse_qdq(e, "its steps are powers of two, expected steps of one size");
        return NULL;
    }
    if (!find_axis(e, &grid))
        return NULL;
    grid.high = quantize_greatest(attrs->bits - attrs->is_signed);
    grid.low = attrs->is_signed ? -grid.high - !attrs->symmetric : 0;
    for (int64_t i = 0; i < grid.count; i++) {
        double first = range_item(e, 1, i), second = range_item(e, 2, i);
        grid.scale[i] = has_zero ? second : (second - first) / (grid.high - grid.low);
        grid.zero[i] = has_zero ? first : grid.low - first / grid.scale[i];
    }
    return check_grid(e, &grid) ? emit_grid(e, &grid) : NULL;
}
