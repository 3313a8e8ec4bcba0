/*
 * quantized.h - quantized values, as passes find them: results of 'dequantize'
 */
#ifndef NNEFC_PASS_QUANTIZED_H
#define NNEFC_PASS_QUANTIZED_H

#include "pass/bounds.h"
#include "pass/edit.h"

#include "tensor/quantization.h"

/* Integers of a value, and the scale and zero by which they stand for numbers. */
struct coded {
    struct value *items, *scale, *zero;
};

/* False: no 'dequantize' makes the value. */
bool coded_find(const struct value *value, struct coded *coded);

/* Is there one scale and one zero for all items, and are both known? */
bool coded_is_single(const struct coded *coded);
bool coded_is_known(const struct coded *coded);

/* Item `index` of a scale or zero that is known, of which there may be one for all. */
float scale_item(const struct value *scale, int64_t index);
int64_t zero_item(const struct value *zero, int64_t index);

/* Are the integers those of a constant, perhaps moved? */
bool coded_is_fixed(const struct value *items);

/* The integers whose greatest ones in windows these are, computed as scalars; NULL: these are
 * others. */
struct value *coded_picked_from(const struct value *items);

/* What the integers can be, by what makes them and has moved them since. */
struct interval coded_bounds(const struct value *items);

/* An integer constant of rank 0. */
struct value *pass_integer(struct pass *pass, int64_t number);

#endif
