/* convert_functions.h - the functions of say_list.def, and what they share */
#ifndef NNEFC_CONVERT_PNNX_CONVERT_FUNCTIONS_H
#define NNEFC_CONVERT_PNNX_CONVERT_FUNCTIONS_H

#include "convert/pnnx/convert.h"

#define SAY(types, function) say_function say_##function;
#include "convert/pnnx/convert_list.def"
#undef SAY

/* Items in front of all dimensions, then behind them; the mode is that of torch. */
struct imported *say_pad(struct say *s, struct imported *x, const int64_t *pads, const char *mode);

#endif
