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

/* What is not set is NULL.  An operator for which nothing is set is never exported. */
struct export_rule {
    const char *type; /* one operator of ONNX, with the same operands unless `emit` is set */
    const char *attr[EXPORT_ATTRS]; /* its attributes: names of the first ones of the descriptor */
    bool (*emit)(const struct emit *e);
    bool (*emit_qdq)(const struct emit *e); /* as QuantizeLinear and DequantizeLinear */
};

/* By enum op_id. */
extern const struct export_rule export_rules[OP_COUNT];

/* That of a descriptor; for a client's own operation one in which nothing is set. */
const struct export_rule *export_rule_of(const struct op_desc *op);

/* For `keep` of lowering: the operator has a rule; other operations are expanded. */
bool export_keeps(const struct op_desc *op);

/* The same, or it quantizes and becomes QuantizeLinear and DequantizeLinear. */
bool export_keeps_qdq(const struct op_desc *op);

#define TYPE(operator, type)
#define ATTRS(operator, type, ...)
#define EMIT(operator) bool export_##operator(const struct emit *e);
#define EMIT_AS(operator, function, name)
#define QDQ(operator) bool export_##operator(const struct emit *e);
#define NONE(operator)
#include "convert/onnx/export_list.def"

/* Functions of EMIT_AS rows, each of several operators: e->node->op->id tells them apart. */
bool export_arg_reduction(const struct emit *e);
bool export_box(const struct emit *e);
bool export_concat(const struct emit *e);
bool export_convolution(const struct emit *e);
bool export_indexed_pool(const struct emit *e);
bool export_integer(const struct emit *e);
bool export_integer_arg(const struct emit *e);
bool export_logical_reduction(const struct emit *e);
bool export_recurrent(const struct emit *e);
bool export_reduction(const struct emit *e);
bool export_roi_align(const struct emit *e);
bool export_silu(const struct emit *e);
bool export_split(const struct emit *e);
bool export_squeeze(const struct emit *e);
bool export_upsample(const struct emit *e);

#endif
