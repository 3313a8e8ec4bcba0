/* random_items.c - see random_items.h */
#include "support/random_items.h"

#include "support/t.h"

#include <stdlib.h>

float *random_items(int64_t count, unsigned seed)
{
    float *items = malloc((size_t)count * sizeof *items);

    assert_non_null(items);
    for (int64_t i = 0; i < count; i++) {
        seed = seed * 1664525U + 1013904223U;
        items[i] = (float)(seed >> 8) / 8388608.0F - 1;
    }
    return items;
}
