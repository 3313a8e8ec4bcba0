/* case_json.h - tensors as the judges of tests/onnxruntime read them */
#ifndef NNEFC_TESTS_SUPPORT_CASE_JSON_H
#define NNEFC_TESTS_SUPPORT_CASE_JSON_H

#include "nnefc/nnefc.h"

#include <jansson.h>

/* An object of name, type, dims and items.  Those that JSON has no numbers for are text, integers
 * too: they may exceed a double. */
json_t *case_json(const char *name, const struct nnefc_tensor *tensor);

#endif
