/* operators.c - what takes an operator: those here need the file around them */
#include "convert/onnx/import_priv.h"

#include <string.h>

static const struct import_row rows[] = {
    {"Constant", 0, 0, import_constant},
    {"ConstantOfShape", 1, 1, import_constant_of_shape},
    {"If", 1, 1, import_if},
    {"Loop", 0, -1, import_loop},
};

bool operator_find(const struct onnx_node *node, struct import_row *row)
{
    bool standard = !*node->domain || strcmp(node->domain, "ai.onnx") == 0;

    for (size_t i = 0; standard && i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].type, node->op_type) == 0) {
            *row = rows[i];
            return true;
        }
    return import_find_operator(node, row);
}
