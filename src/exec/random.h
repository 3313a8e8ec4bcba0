/*
 * random.h - reproducible random numbers
 *
 * xoshiro256** (Blackman and Vigna), seeded through splitmix64: the same numbers on every machine,
 * as only integers, sums, products and square roots are involved.  A stream belongs to a name, so
 * that tensors keep their items when others are added or removed.
 */
#ifndef NNEFC_EXEC_RANDOM_H
#define NNEFC_EXEC_RANDOM_H

#include "tensor/tensor.h"

#include <stdint.h>

struct random {
    uint64_t state[4];
};

/* The stream of that name; equal seeds and names give equal streams. */
struct random random_stream(uint64_t seed, const char *name);

uint64_t random_bits(struct random *random);

/* Evenly from [low, high). */
double random_between(struct random *random, double low, double high);

/* Scalars evenly from [low, high); integers and logicals are 0 or 1, which are valid indices. */
void random_fill(struct random *random, struct tensor *tensor, double low, double high);

#endif
