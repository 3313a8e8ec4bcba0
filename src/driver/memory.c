/* memory.c - memory of the program, which ends without it */
#include "driver/memory.h"

#include <assert.h>
#include <stdio.h>

void end_without_memory(void)
{
    fputs("nnefc: out of memory\n", stderr);
    exit(NNEFC_INTERNAL);
}

void *zeroed_items(size_t count, size_t size)
{
    return must_have(calloc(count > 0 ? count : 1, size));
}

void *resize_items(void *items, size_t count, size_t size)
{
    assert(count > 0 && size > 0);
    return must_have(realloc(items, count * size));
}

struct nnefc_model *new_model(void)
{
    return must_have(nnefc_model_new());
}

void check_memory(const struct nnefc_model *model)
{
    if (nnefc_model_out_of_memory(model))
        end_without_memory();
}
