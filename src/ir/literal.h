/* literal.h - items of constants as literals of the text */
#ifndef NNEFC_IR_LITERAL_H
#define NNEFC_IR_LITERAL_H

#include "ir/datum.h"
#include "ir/graph.h"

/* For scalars the literal of fewest digits: 0.1 and not 0.100000001. */
struct datum item_literal(const struct tensor *tensor, int64_t index);

/* Is the value what a literal of the text stands for, and which one? */
bool value_is_literal(const struct value *value);
struct datum value_literal(const struct value *value);

#endif
