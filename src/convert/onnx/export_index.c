/* export_index.c - items by indices that are computed */
#include "convert/onnx/export_out.h"
#include "convert/onnx/export_rules.h"

/* ONNX has no order of logicals. */
const char *export_topk(const struct emit *e)
{
    const struct topk_attrs *attrs = e->attrs;
    const bool logical = e->node->out[0].dtype == DTYPE_LOGICAL;
    const char *x = logical ? emit_cast(e, emit_in(e, 0), ONNX_INT64) : emit_in(e, 0);
    const char *values = emit(e, "TopK", x, emit_vector(e, &attrs->count, 1), NULL);

    emit_attr_int(e, "axis", attrs->axis);
    emit_attr_int(e, "largest", attrs->largest);
    onnx_out_result(e->out, 1, emit_also(e));
    return logical ? emit_cast(e, values, ONNX_BOOL) : values;
}

/* Sums came to ONNX with opset 16, extrema with opset 18. */
const char *export_scatter(const struct emit *e)
{
    const enum combining how = attr_combining(e->node);
    const int since = how >= COMBINING_MAX ? 18 : how > COMBINING_NONE ? 16 : 13;
    const char *y = NULL;

    if (e->opset < since) {
        emit_refuse(e, "needs opset %d", since);
        return NULL;
    }
    y = emit(e, e->type, emit_in(e, 0), emit_in(e, 1), emit_in(e, 2), NULL);
    if (op_attr_row(e->node->op, ATTR_axis))
        emit_attr_int(e, "axis", attr_axis(e->node));
    if (how != COMBINING_NONE)
        emit_attr_string(e, "reduction", combining_words[how]);
    return y;
}
