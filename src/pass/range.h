/* range.h - what items of a value can be, by the operation that makes it */
#ifndef NNEFC_PASS_RANGE_H
#define NNEFC_PASS_RANGE_H

#include "op/op.h"

/* Of a scalar value; looks no further than to the operands of its operation. */
struct range range_of(const struct value *value);

/* Of items that are known: the least and the greatest; NaN if any is that. */
struct range range_of_items(const struct value *value);

/* Are they whole numbers, infinite, or NaN? */
bool is_whole(const struct value *value);

#endif
