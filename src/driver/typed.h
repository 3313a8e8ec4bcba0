/* typed.h - tensors by name and type, on standard output and as JSON */
#ifndef NNEFC_DRIVER_TYPED_H
#define NNEFC_DRIVER_TYPED_H

#include "nnefc/nnefc.h"

#include <jansson.h>

/* "scalar[1,3,?]", "scalar[...]" if the rank is not known. */
void print_type(const struct nnefc_type *type);

/* As one word: what blanks or controls it has become '_'. */
void print_word(const char *name);

/* {"name", "type", "shape"} */
json_t *json_typed(const char *name, const struct nnefc_type *type);

#endif
