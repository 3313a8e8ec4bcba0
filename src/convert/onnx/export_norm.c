/* export_norm.c - batch_normalization, layer_normalization, rms_normalization and softmax */
#include "convert/onnx/export_rules.h"

#include "op/check.h"

/* Operands, in the order of their signatures. */
enum { BATCH_INPUT, BATCH_MEAN, BATCH_VARIANCE, BATCH_OFFSET, BATCH_SCALE };
enum { LAYER_INPUT, LAYER_SCALE, LAYER_OFFSET };

const char *export_batch_normalization(const struct emit *e)
{
    const struct batch_normalization_attrs *attrs = e->attrs;
    const struct shape *input = emit_shape(e, BATCH_INPUT);
    const struct shape channels = {.rank = 1, .extent = {shape_extent(input, 1)}};
    const char *p[BATCH_SCALE + 1];
    bool plain = true;

    /* BatchNormalization takes a number for each channel; anything else is written out. */
    for (int i = BATCH_MEAN; i <= BATCH_SCALE; i++) {
        const struct shape *shape = emit_shape(e, i);
        plain &= input->rank >= 2 && shape->rank >= 2 && shape->extent[1] == channels.extent[0] &&
                 shape_volume(shape) == channels.extent[0];
    }
    for (int i = BATCH_INPUT; i <= BATCH_SCALE; i++)
        p[i] = plain && i > BATCH_INPUT ? emit_in_shape(e, i, &channels)
                                        : emit_in_rank(e, i, input->rank);
    if (plain) {
        const char *y = emit(e, "BatchNormalization", p[BATCH_INPUT], p[BATCH_SCALE],
                             p[BATCH_OFFSET], p[BATCH_MEAN], p[BATCH_VARIANCE], NULL);
        emit_attr_float(e, "epsilon", attrs->epsilon);
        return y;
    }
    const char *centered = emit(e, "Sub", p[BATCH_INPUT], p[BATCH_MEAN], NULL);
    const char *sum = emit(e, "Add", p[BATCH_VARIANCE], emit_scalar(e, attrs->epsilon), NULL);
    const char *deviation = emit(e, "Sqrt", sum, NULL);
    const char *scaled = emit(e, "Mul", p[BATCH_SCALE], centered, NULL);
    return emit(e, "Add", p[BATCH_OFFSET], emit(e, "Div", scaled, deviation, NULL), NULL);
}

/* Does the operand have a number for each item that is normalized? */
static bool is_of_items(const struct emit *e, int index, int axis)
{
    const struct shape *input = emit_shape(e, LAYER_INPUT), *shape = emit_shape(e, index);

    for (int i = 0; i < input->rank; i++)
        if (shape_extent(shape, i) != (i < axis ? 1 : input->extent[i]))
            return false;
    return shape->rank == input->rank;
}

/* The numbers of an operand for the items that are normalized; ones if it is 1. */
static const char *of_items(const struct emit *e, int index, int axis)
{
    const struct shape *input = emit_shape(e, LAYER_INPUT);
    struct shape shape = {.rank = input->rank - axis};

    for (int i = 0; i < shape.rank; i++)
        shape.extent[i] = input->extent[axis + i];
    if (is_of_items(e, index, axis))
        return emit_in_shape(e, index, &shape);
    int64_t count = shape_volume(&shape);
    float *ones = emit_room(e, count, sizeof *ones);
    for (int64_t i = 0; i < count; i++)
        ones[i] = 1;
    return emit_scalars(e, &shape, ones);
}

/* As e->type, which takes all axes from one to the last; NULL if that is not enough. */
static const char *emit_whole(const struct emit *e, int since)
{
    const struct layer_normalization_attrs *attrs = e->attrs;
    int rank = emit_shape(e, LAYER_INPUT)->rank, axis = rank - attrs->axes.count;
    bool shifted = e->node->nin > LAYER_OFFSET && !emit_is(e, LAYER_OFFSET, 0),
         trailing = attrs->axes.count > 0;

    for (int i = axis; i < rank; i++)
        trailing &= integers_contain(&attrs->axes, i);
    if (e->opset < since || !trailing ||
        (!is_of_items(e, LAYER_SCALE, axis) && !emit_is(e, LAYER_SCALE, 1)) ||
        (shifted && !is_of_items(e, LAYER_OFFSET, axis)))
        return NULL;
    const char *y = emit(e, e->type, emit_in(e, LAYER_INPUT), of_items(e, LAYER_SCALE, axis),
                         shifted ? of_items(e, LAYER_OFFSET, axis) : NULL, NULL);
    emit_attr_int(e, "axis", axis);
    emit_attr_float(e, "epsilon", attrs->epsilon);
    return y;
}

/* Divided by the root of the mean of its squares. */
static const char *emit_quotient(const struct emit *e, const char *x)
{
    const struct layer_normalization_attrs *attrs = e->attrs;
    const char *mean = emit_reduce(e, "ReduceMean", emit(e, "Mul", x, x, NULL), &attrs->axes);
    const char *sum = emit(e, "Add", mean, emit_scalar(e, attrs->epsilon), NULL);

    return emit(e, "Div", x, emit(e, "Sqrt", sum, NULL), NULL);
}

/* Axes that e->type does not take are normalized by ordinary operations. */
const char *export_layer_normalization(const struct emit *e)
{
    const struct layer_normalization_attrs *attrs = e->attrs;
    const char *x = emit_in(e, LAYER_INPUT);
    const char *whole = emit_whole(e, 17);
    int rank = emit_shape(e, LAYER_INPUT)->rank;

    if (whole)
        return whole;
    const char *mean = emit_reduce(e, "ReduceMean", x, &attrs->axes);
    const char *centered = emit(e, "Sub", x, mean, NULL);
    const char *quotient = emit_quotient(e, centered);
    const char *scaled = emit(e, "Mul", quotient, emit_in_rank(e, LAYER_SCALE, rank), NULL);
    return emit(e, "Add", scaled, emit_in_rank(e, LAYER_OFFSET, rank), NULL);
}

const char *export_rms_normalization(const struct emit *e)
{
    const char *whole = emit_whole(e, 23);
    int rank = emit_shape(e, LAYER_INPUT)->rank;

    if (whole)
        return whole;
    const char *quotient = emit_quotient(e, emit_in(e, LAYER_INPUT));
    return emit(e, "Mul", quotient, emit_in_rank(e, LAYER_SCALE, rank), NULL);
}

/* Softmax of ONNX has one axis; along several the maximum keeps powers from overflowing. */
const char *export_softmax(const struct emit *e)
{
    int64_t item[MAX_RANK];
    const struct integers axes = emit_axes(e, item);
    const char *x = emit_in(e, 0);

    if (axes.count == 1) {
        x = emit(e, "Softmax", x, NULL);
        emit_attr_int(e, "axis", item[0]);
        return x;
    }
    const char *most = emit_reduce(e, "ReduceMax", x, &axes);
    const char *below = emit(e, "Sub", x, most, NULL);
    const char *weight = emit(e, "Exp", below, NULL);
    const char *sum = emit_reduce(e, "ReduceSum", weight, &axes);
    return emit(e, "Div", weight, sum, NULL);
}
