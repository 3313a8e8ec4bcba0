/* export_random.c - random numbers in ONNX */
#include "convert/onnx/export_rules.h"
#include "convert/proto/onnx.h"

const char *export_random(const struct emit *e)
{
    const struct random_attrs *attrs = e->attrs;
    bool even = e->node->op->id == OP_random_uniform;
    const char *y = emit_list(e, e->type, NULL, 0);

    emit_attr_int(e, "dtype", ONNX_FLOAT);
    emit_attr_float(e, even ? "low" : "mean", even ? attrs->low : attrs->mean);
    emit_attr_float(e, even ? "high" : "scale", even ? attrs->high : attrs->scale);
    if (attrs->seed >= 0)
        emit_attr_float(e, "seed", (double)attrs->seed);
    emit_attr_ints(e, "shape", attrs->shape.item, attrs->shape.count);
    return y;
}
