/* import_table.c - which function takes an operator of ONNX */
#include "convert/onnx/export_rules.h"
#include "convert/onnx/import_make.h"

#include <string.h>

#define IMPORT(type, function, least, most) import_function import_##function;
#include "convert/onnx/import_list.def"
#undef IMPORT

static const struct import_row rows[] = {
#define IMPORT(type, function, least, most) {#type, least, most, import_##function},
#include "convert/onnx/import_list.def"
#undef IMPORT
};

/* One to one: all that NNEF needs to know are the operands. */
static const struct op_desc *same_operator(const char *type)
{
    for (int i = 0; i < OP_COUNT; i++)
        if (export_rules[i].type && !op_table[i]->attrs && strcmp(export_rules[i].type, type) == 0)
            return op_table[i];
    return NULL;
}

/* Before opset 7 the second operand stood at an axis of the first, if told so. */
static struct imported *at_axis(struct translation *t, struct imported *x, struct imported *y)
{
    struct shape shape = {.rank = x->shape.rank};
    int axis;

    if (t->opset >= 7 || !get_int(t, "broadcast", 0) || !has_attribute(t, "axis"))
        return y;
    if (!resolve_axis(t, get_int(t, "axis", 0), x->shape.rank, &axis))
        return NULL;
    if (axis + y->shape.rank > shape.rank) {
        import_error(t, DIAG_BROADCAST, "shape %s does not fit at axis %d of %s",
                     SHAPE_TEXT(&y->shape), axis, SHAPE_TEXT(&x->shape));
        return NULL;
    }
    for (int i = 0; i < shape.rank; i++)
        shape.extent[i] = i < axis || i >= axis + y->shape.rank ? 1 : y->shape.extent[i - axis];
    return reshape_to(t, y, &shape);
}

static struct imported *import_same(struct translation *t)
{
    enum op_id id = (enum op_id)same_operator(t->node->op_type)->id;

    if (t->nin == 1)
        return op1(t, id, input_at(t, 0));
    return op2(t, id, input_at(t, 0), at_axis(t, input_at(t, 0), input_at(t, 1)));
}

bool import_find_operator(const struct onnx_node *node, struct import_row *row)
{
    if (*node->domain && strcmp(node->domain, "ai.onnx") != 0)
        return false;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].type, node->op_type) == 0) {
            *row = rows[i];
            return true;
        }
    const struct op_desc *op = same_operator(node->op_type);
    int inputs = op && op->binary ? 2 : 1;
    if (op)
        *row = (struct import_row){export_rule_of(op)->type, inputs, inputs, import_same};
    return op;
}
