/* case_json.c - tensors as the judges of tests/onnxruntime read them */
#include "support/case_json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static json_t *item_of(const struct nnefc_tensor *tensor, int64_t index)
{
    double value = nnefc_tensor_item(tensor, index);
    char digits[32];

    if (nnefc_tensor_type(tensor).dtype == NNEFC_INTEGER) {
        snprintf(digits, sizeof digits, "%" PRId64,
                 ((const int64_t *)nnefc_tensor_items(tensor))[index]);
        return json_string(digits);
    }
    if (isnan(value))
        return json_string("NaN");
    if (isinf(value))
        return json_string(value < 0 ? "-Infinity" : "Infinity");
    return json_real(value);
}

json_t *case_json(const char *name, const struct nnefc_tensor *tensor)
{
    struct nnefc_type type = nnefc_tensor_type(tensor);
    json_t *dims = json_array(), *items = json_array();

    for (int i = 0; i < type.rank; i++)
        json_array_append_new(dims, json_integer(type.extent[i]));
    for (int64_t i = 0; i < nnefc_tensor_count(tensor); i++)
        json_array_append_new(items, item_of(tensor, i));
    return json_pack("{s:s, s:s, s:o, s:o}", "name", name, "type", nnefc_dtype_name(type.dtype),
                     "dims", dims, "items", items);
}
