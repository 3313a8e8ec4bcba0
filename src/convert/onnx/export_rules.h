/*
 * export_rules.h - the table that says how each operator is written in ONNX
 *
 * Its rows are export_list.def.  The functions named there lie in export_FAMILY.c; each adds the
 * nodes that compute the results of e->node, or refuses (emit.h).
 */
#ifndef NNEFC_CONVERT_ONNX_EXPORT_RULES_H
#define NNEFC_CONVERT_ONNX_EXPORT_RULES_H

#include "convert/onnx/emit.h"

enum { EXPORT_ATTRS = 2 };

typedef const char *export_function(const struct emit *e);

/* What is not set is NULL.  An operator for which nothing is set is never exported. */
struct export_rule {
    const char *type; /* one operator of ONNX, with the same operands unless `emit` is set */
    const char *attr[EXPORT_ATTRS]; /* its attributes: names of the first ones of the descriptor */
    export_function *emit;
    export_function *emit_qdq; /* as QuantizeLinear and DequantizeLinear */
};

/* By enum op_id. */
extern const struct export_rule export_rules[OP_COUNT];

/* That of a descriptor; for a client's own operation one in which nothing is set. */
const struct export_rule *export_rule_of(const struct op_desc *op);

/* For `keep` of lowering: the operator has a rule; other operations are expanded. */
bool export_keeps(const struct op_desc *op);

/* The same, or it quantizes and becomes QuantizeLinear and DequantizeLinear. */
bool export_keeps_qdq(const struct op_desc *op);

/* What the attribute `seed` of a node stands for: a whole number for itself, other floats for their
 * bits. */
int64_t onnx_seed(float seed);

#define TYPE(operator, type)
#define ATTRS(operator, type, ...)
#define EMIT(operator) export_function export_##operator;
#define EMIT_AS(operator, function, name)
#define QDQ(operator)
#define NONE(operator)
#include "convert/onnx/export_list.def"

/* Functions of EMIT_AS and QDQ rows, each of several operators: e->node->op->id tells them apart.
 */
export_function export_arg_reduction, export_box, export_concat, export_convolution,
    export_indexed_pool, export_integer, export_integer_arg, export_layer_normalization,
    export_logical_reduction, export_quantize, export_quantize_linear, export_dequantize_linear,
    export_quantized_layer, export_random, export_recurrent, export_reduction, export_region_align,
    export_rms_normalization, export_roi_align, export_scatter, export_silu, export_split,
    export_squeeze, export_upsample;

#endif
