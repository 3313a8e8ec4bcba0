/* attribute.h - values of attributes as text */
#ifndef NNEFC_DRIVER_VIEW_ATTRIBUTE_H
#define NNEFC_DRIVER_VIEW_ATTRIBUTE_H

#include "nnefc/nnefc.h"

#include <stdio.h>

/* As NNEF has it: "[(0,1),(0,1)]", "'constant'", "0.5". */
void attribute_print(FILE *to, const struct nnefc_datum *datum);

#endif
