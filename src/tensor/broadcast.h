/*
 * broadcast.h - which shapes go together, by the three rules there are
 *
 * NNEF (section 4.2) aligns shapes at the first dimension, ONNX at the last; the shorter one has
 * extents 1 for what it lacks, and an extent of 1 stands for any other.  Where ONNX broadcasts one
 * way only (PRelu, Gemm) the first shape stays as it is.
 */
#ifndef NNEFC_TENSOR_BROADCAST_H
#define NNEFC_TENSOR_BROADCAST_H

#include "tensor/shape.h"

enum broadcast_rule { BROADCAST_NNEF, BROADCAST_ONNX, BROADCAST_ONNX_ONE_WAY };

/*
 * Widen *to by `with`.  On a conflict returns false and in *axis the dimension of the wider shape
 * where it is: -1 if `with` has more dimensions than may be.  A shape that is unknown, or an extent,
 * fits all; what follows from an unknown rank is unknown.
 */
bool broadcast(enum broadcast_rule rule, struct shape *to, const struct shape *with, int *axis);

/* True if `from` broadcasts to exactly `to` by NNEF's rule. */
bool broadcasts_to(const struct shape *from, const struct shape *to);

#endif
