/*
 * random_quantized.h - documents of quantized values: layers, sums, products and moves
 *
 * They are valid, can be run, and are the same for a seed on every machine.
 */
#ifndef NNEFC_TESTS_SUPPORT_RANDOM_QUANTIZED_H
#define NNEFC_TESTS_SUPPORT_RANDOM_QUANTIZED_H

#include <stdint.h>

struct text;

/* Returns by how much integers may differ if passes make integer steps of steps with numbers. */
int64_t random_quantized_text(uint64_t seed, struct text *to);

#endif
