/*
 * map.h - functions of items, each applied to many
 *
 * Functions see truth values as the numbers 0 and 1; tensors have bytes.
 */
#ifndef NNEFC_KERNEL_MAP_H
#define NNEFC_KERNEL_MAP_H

#include <stdint.h>

enum map_id {
#define MAP(name, weight, formula) MAP_##name,
#include "kernel/map.def"
#undef MAP
    MAP_COUNT
};

/* Attributes of a function. */
struct map_numbers {
    float alpha, lambda;
};

/* to[i] = f(in[0][i], in[1][i], in[2][i]).  All three lists have `count` items, even if the
 * function needs fewer; `to` may be one of them. */
typedef void map_function(float *to, const float *const in[3], const struct map_numbers *numbers,
                          int64_t count);

struct maps {
    map_function *map[MAP_COUNT];
    void (*from_truth)(float *to, const uint8_t *from, int64_t count);
    void (*to_truth)(uint8_t *to, const float *from, int64_t count);
};

#endif
