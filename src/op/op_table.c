/* op_table.c - the list of all operators */
#include "op/op_families.h"

#include <string.h>

const struct op_desc *const op_table[OP_COUNT] = {
#define OP(name) [OP_##name] = &op_##name,
#include "op/op_list.def"
#undef OP
};

const struct op_desc *op_find(const char *name)
{
    for (int i = 0; i < OP_COUNT; i++)
        if (strcmp(op_table[i]->name, name) == 0)
            return op_table[i];
    return NULL;
}

enum op_id op_id_of(const struct op_desc *op)
{
    for (enum op_id id = 0; id < OP_COUNT; id++)
        if (op_table[id] == op)
            return id;
    return OP_COUNT;
}
