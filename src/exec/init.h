/* init.h - random weights that keep the numbers in a network of a sensible size */
#ifndef NNEFC_EXEC_INIT_H
#define NNEFC_EXEC_INIT_H

#include <stdint.h>

struct library;
struct tensor;
struct value;

/*
 * Fill the tensor of a variable.  The operations that read it tell its role by the name that
 * their signatures in `library` give the operand: filters have a variance of one over their
 * fan-in, so that sums of branches do not grow without bound; variances are near one and positive,
 * scales near one, what is added near zero.  The items depend on seed, label, role and shape only.
 */
void init_variable(const struct value *variable, const struct library *library, uint64_t seed,
                   struct tensor *tensor);

#endif
