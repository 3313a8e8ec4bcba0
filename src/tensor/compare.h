/*
 * compare.h - the differences between two tensors
 *
 * An item a agrees with b, its reference, if |a - b| <= absolute + relative * |b|.  Integers and
 * logicals have no tolerance.  NaN agrees with NaN and an infinity with itself, with nothing else.
 */
#ifndef NNEFC_TENSOR_COMPARE_H
#define NNEFC_TENSOR_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

struct tensor;

struct tolerance {
    double absolute, relative; /* finite, 0 or more */
};

/* |a - b|; infinite if only one of them is NaN, or if they are different infinities. */
double item_error(double a, double b);

bool item_agrees(double a, double b, const struct tolerance *tolerance);

struct difference {
    int64_t count, beyond; /* the number of items, and of those that do not agree */
    double max_absolute;   /* the largest |a - b| */
    double max_relative;   /* the largest |a - b| / |b| of items whose b is not 0 */

    /*
     * The index of the item whose |a - b| is the largest multiple of its tolerance, and of several
     * such items the one with the largest |a - b|; -1 if all items are equal.
     */
    int64_t worst;
};

/* The tensors must have the same type and shape. */
struct difference tensor_difference(const struct tensor *a, const struct tensor *b,
                                    const struct tolerance *tolerance);

#endif
