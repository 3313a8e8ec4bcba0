/* nest.h - loops over boxes of items, as C */
#ifndef NNEFC_BACKEND_C_NEST_H
#define NNEFC_BACKEND_C_NEST_H

#include "tensor/shape.h"

#include <stdint.h>

struct c_writer;
struct text;

enum { NEST_RANK = 2 * MAX_RANK, NEST_VIEWS = 80 };

/* Dimensions slowest first; each view has its first item and strides. */
struct nest {
    const char *letter; /* of the variables: "i" gives i0, i1, .. */
    int rank, nview;
    int64_t extent[NEST_RANK];
    int64_t at[NEST_VIEWS], stride[NEST_VIEWS][NEST_RANK];
};

/* Add a dimension, faster than those before, with a stride for each view; it is merged with the
 * last one if all views go on with the same stride. */
void nest_add(struct nest *nest, int64_t extent, const int64_t *stride);

/* Write the heads of the loops, and the ends of them. */
void nest_open(struct c_writer *writer, const struct nest *nest);
void nest_close(struct c_writer *writer, const struct nest *nest);

/* Add the index of an item of a view: "3 + i0 * 12 + i1". */
void nest_index(struct text *to, const struct nest *nest, int view);

#endif
