/* check.h - what a network in C is checked with */
#ifndef NNEFC_BACKEND_C_CHECK_H
#define NNEFC_BACKEND_C_CHECK_H

#include <stdbool.h>
#include <stdint.h>

struct tensor;

/* The results of the reference, by output, of inputs that were filled in their order from `seed`
 * on. */
struct c_check {
    uint32_t seed;
    const struct tensor *results;
};

/* Fill a tensor as the function in C does; *state is the seed before the first.  False: it is too
 * large for C. */
bool c_check_fill(uint32_t *state, struct tensor *tensor);

#endif
