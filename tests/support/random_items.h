/* random_items.h - arrays of random numbers */
#ifndef NNEFC_TESTS_SUPPORT_RANDOM_ITEMS_H
#define NNEFC_TESTS_SUPPORT_RANDOM_ITEMS_H

#include <stdint.h>

/* Numbers from -1 to 1, the same for the same seed; to be freed. */
float *random_items(int64_t count, unsigned seed);

#endif
