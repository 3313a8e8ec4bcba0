/*
 * memory.h - memory of the program, which ends without it: with a message, and NNEFC_INTERNAL
 *
 * Nothing is left half done then: the library gives its files their names when they are complete.
 */
#ifndef NNEFC_DRIVER_MEMORY_H
#define NNEFC_DRIVER_MEMORY_H

#include "nnefc/nnefc.h"

#include <stdlib.h>

_Noreturn void end_without_memory(void);

/* What an allocation gave, never NULL: must_have(malloc(size)). */
static inline void *must_have(void *memory)
{
    if (!memory)
        end_without_memory();
    return memory;
}

/* `count` zeroed items; `items` in memory for `count` of them, maybe in another place. */
void *zeroed_items(size_t count, size_t size);
void *resize_items(void *items, size_t count, size_t size);

struct nnefc_model *new_model(void);

/* End if memory ran out within a call with the model. */
void check_memory(const struct nnefc_model *model);

#endif
