/* export_rules.c - the table that says how each operator is written in ONNX */
#include "convert/onnx/export_rules.h"

#include <assert.h>

#define TYPE(operator, name)       [OP_##operator] = {.type = name},
#define ATTRS(operator, name, ...) [OP_##operator] = {.type = name, .attr = {__VA_ARGS__}},
#define EMIT(operator)   [OP_##operator] = {.emit = export_##operator},
#define EMIT_AS(operator, function, name) \
    [OP_##operator] = {.type = name, .emit = export_##function},
#define QDQ(operator)    [OP_##operator] = {.emit_qdq = export_quantize},
#define NONE(operator)             [OP_##operator] = {.type = NULL},

const struct export_rule export_rules[OP_COUNT] = {
#include "convert/onnx/export_list.def"
};

#define TYPE(operator, name)              +1
#define ATTRS(operator, name, ...)        +1
#define EMIT(operator)                    +1
#define EMIT_AS(operator, function, name) +1
#define QDQ(operator)                     +1
#define NONE(operator)                    +1

/* Two rows of one operator do not compile, so that as many rows as operators are one for each. */
static_assert(0
#include "convert/onnx/export_list.def"
                  == OP_COUNT,
              "each operator has one row in export_list.def");

const struct export_rule *export_rule_of(const struct op_desc *op)
{
    static const struct export_rule none;

    return op->id < OP_COUNT ? &export_rules[op->id] : &none;
}

bool export_keeps(const struct op_desc *op)
{
    const struct export_rule *rule = export_rule_of(op);

    return rule->type || rule->emit;
}

bool export_keeps_qdq(const struct op_desc *op)
{
    return export_keeps(op) || export_rule_of(op)->emit_qdq;
}
