/* dtype.h - data types of tensors and how their items are stored in memory */
#ifndef NNEFC_TENSOR_DTYPE_H
#define NNEFC_TENSOR_DTYPE_H

#include <stddef.h>

/* NNEF 1.0.5, section 3.3.1; in memory a scalar is a float, an integer an int64_t, a logical a
 * byte that is 0 or 1. */
enum dtype { DTYPE_UNKNOWN, DTYPE_SCALAR, DTYPE_INTEGER, DTYPE_LOGICAL, DTYPE_STRING };

size_t dtype_size(enum dtype dtype);      /* bytes per item; 0 if it cannot be stored */
const char *dtype_name(enum dtype dtype); /* "scalar", ...; "?" if unknown */

#endif
