/* list.h - nnefc list of a model of PNNX: its text, whether or not it can be computed */
#ifndef NNEFC_DRIVER_LIST_H
#define NNEFC_DRIVER_LIST_H

#include "driver/record.h"

/* As text the operators, as JSON the operands, too; false if memory ran out. */
bool list_pnnx(struct nnefc_model *model, enum form form);

#endif
