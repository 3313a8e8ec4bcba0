/* list_pnnx.h - nnefc list of a model of PNNX: what its file says, whether or not it can be computed */
#ifndef NNEFC_DRIVER_LIST_PNNX_H
#define NNEFC_DRIVER_LIST_PNNX_H

#include "nnefc/nnefc.h"

#include <stdbool.h>

/* Type and name of each operator, a line each. */
void list_pnnx_text(struct nnefc_model *model);

/* An object with the operators, `ops`, and the operands, `values`; false if it cannot be printed. */
bool list_pnnx_json(struct nnefc_model *model);

#endif
