/* op_table.c - operators by name; op_table itself is generated */
#include "op/op.h"

#include <string.h>

const struct op_desc *op_find(const char *name)
{
    for (int i = 0; i < OP_COUNT; i++)
        if (strcmp(op_table[i]->name, name) == 0)
            return op_table[i];
    return NULL;
}
