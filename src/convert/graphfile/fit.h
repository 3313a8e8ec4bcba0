/* fit.h - whether what a file says is what an operation takes */
#ifndef NNEFC_CONVERT_GRAPHFILE_FIT_H
#define NNEFC_CONVERT_GRAPHFILE_FIT_H

#include "op/op_build.h"
#include "sema/sema.h"

/* The declaration of an operation, in the library or its extensions; NULL: there is none. */
const struct signature *fit_signature(struct context *context, const struct library *library,
                                      const char *name);

/* Are there as many operands as it declares, each of the type that it declares? */
bool fit_operands(const struct signature *signature, const struct op_call *call);

/* Is the datum of the type that the attribute is declared with? */
bool fit_attr(const struct signature *signature, const struct op_attr *attr,
              const struct datum *datum);

#endif
