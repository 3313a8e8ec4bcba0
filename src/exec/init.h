/* init.h - random weights that keep the numbers in a network of a sensible size */
#ifndef NNEFC_EXEC_INIT_H
#define NNEFC_EXEC_INIT_H

#include <stdint.h>

struct library;
struct tensor;
struct value;

/*
 * Fill the tensor of a variable by its role.  The role follows from the parameter, in a signature
 * of `library`, that takes the variable.  Filters have a variance of one over their fan-in, so that
 * sums of branches do not grow without bound; variances are near one and positive, scales about one
 * half, shifts near zero.  The items depend on seed, label, role and shape only.
 */
void init_variable(const struct value *variable, const struct library *library, uint64_t seed,
                   struct tensor *tensor);

#endif
