/*
 * normalize.c - batch normalization, kept whole (NNEF 1.0.5, section 4.9.4)
 *
 *     output = offset + scale * (input - mean) / sqrt(variance + epsilon)
 *
 * By the formula a parameter might widen the input; here each has to broadcast to it, so that
 * a parameter of shape [C] instead of [1,C] does not pass unnoticed.
 */
#include "op/broadcast.h"
#include "op/op_families.h"
#include "op/to_onnx.h"

#include <math.h>

struct batch_normalization_attrs {
    double epsilon;
};

static const struct op_attr batch_normalization_fields[] = {
    {OP_ATTR(batch_normalization_attrs, epsilon), .kind = ATTR_SCALAR},
    {0},
};

enum { INPUT, MEAN, VARIANCE, OFFSET, SCALE };

static bool batch_normalization_infer(struct infer *infer)
{
    const struct shape *input = infer_in(infer, INPUT);
    bool ok = true;

    for (int i = MEAN; i <= SCALE; i++)
        ok &= infer_broadcasts_to(infer, i, input);
    infer->out[0] = *input;
    return ok;
}

static void apply_batch_normalization(struct items *items)
{
    const struct batch_normalization_attrs *attrs = items->eval->attrs;
    double *const in[] = {items->in[0], items->in[1], items->in[2], items->in[3], items->in[4]};

    for (int64_t i = 0; i < items->count; i++)
        items->out[i] = in[OFFSET][i] + in[SCALE][i] * (in[INPUT][i] - in[MEAN][i]) /
                                            sqrt(in[VARIANCE][i] + attrs->epsilon);
}

static bool batch_normalization_eval(const struct eval *eval)
{
    return eval_elementwise(eval, SCALE + 1, apply_batch_normalization);
}

/* A number for each channel. */
static bool is_of_channels(const struct emit *e, int index)
{
    const struct shape *input = emit_shape(e, INPUT), *shape = emit_shape(e, index);
    int64_t channels = shape_extent(input, 1);

    return input->rank >= 2 && shape->rank >= 2 && shape->extent[1] == channels &&
           shape_volume(shape) == channels;
}

static bool batch_normalization_to_onnx(const struct emit *e)
{
    const struct batch_normalization_attrs *attrs = e->attrs;
    const struct shape *input = emit_shape(e, INPUT);
    const struct shape channels = {.rank = 1, .extent = {shape_extent(input, 1)}};
    const char *p[SCALE + 1];
    bool plain = true;

    for (int i = MEAN; i <= SCALE; i++)
        plain &= is_of_channels(e, i);
    for (int i = INPUT; i <= SCALE; i++)
        p[i] =
            plain && i > INPUT ? emit_in_shape(e, i, &channels) : emit_in_rank(e, i, input->rank);
    if (plain) {
        emit(e, 0, "BatchNormalization", p[INPUT], p[SCALE], p[OFFSET], p[MEAN], p[VARIANCE], NULL);
        emit_attr_float(e, "epsilon", attrs->epsilon);
        return true;
    }
    const char *centered = emit(e, EMIT_TEMP, "Sub", p[INPUT], p[MEAN], NULL);
    const char *sum = emit(e, EMIT_TEMP, "Add", p[VARIANCE], emit_scalar(e, attrs->epsilon), NULL);
    const char *deviation = emit(e, EMIT_TEMP, "Sqrt", sum, NULL);
    const char *scaled = emit(e, EMIT_TEMP, "Mul", p[SCALE], centered, NULL);
    const char *quotient = emit(e, EMIT_TEMP, "Div", scaled, deviation, NULL);
    emit(e, 0, "Add", p[OFFSET], quotient, NULL);
    return true;
}

const struct op_desc op_batch_normalization = {
    .name = "batch_normalization",
    .kind = "normalize",
    .attrs = batch_normalization_fields,
    .attrs_size = sizeof(struct batch_normalization_attrs),
    .traits = OP_ELEMENTWISE | OP_PARTIAL,
    .infer = batch_normalization_infer,
    .eval = batch_normalization_eval,
    .to_onnx = batch_normalization_to_onnx,
};
