/* json.c - results for programs */
#include "driver/json_build.h"
#include "driver/statistics.h"
#include "driver/summary.h"

static json_t *item_json(const struct nnefc_tensor *tensor, enum nnefc_dtype dtype, int64_t index)
{
    const void *items = nnefc_tensor_items(tensor);

    switch (dtype) {
    case NNEFC_INTEGER:
        return json_integer(((const int64_t *)items)[index]);
    case NNEFC_LOGICAL:
        return json_boolean(((const unsigned char *)items)[index]);
    case NNEFC_SCALAR:
    case NNEFC_DTYPE_UNKNOWN:
        break;
    }
    return json_number(nnefc_tensor_item(tensor, index));
}

static json_t *values_json(const struct nnefc_tensor *tensor, enum nnefc_dtype dtype)
{
    json_t *values = json_array();

    for (int64_t i = 0, count = nnefc_tensor_count(tensor); values && i < count; i++)
        json_add(&values, item_json(tensor, dtype, i));
    return values;
}

static json_t *top_json(const struct nnefc_tensor *tensor)
{
    int64_t top[TOP_COUNT];
    int count = top_scores(tensor, top);
    json_t *list = json_array();

    for (int i = 0; i < count; i++)
        json_add(&list, json_pack("{s:I, s:o}", "index", (json_int_t)top[i], "value",
                                  json_number(nnefc_tensor_item(tensor, top[i]))));
    return list;
}

static json_t *tensor_json(const char *name, const struct nnefc_tensor *tensor)
{
    struct nnefc_type type = nnefc_tensor_type(tensor);
    struct statistics s = statistics_of(tensor);
    json_t *object = json_pack("{s:s, s:s, s:o}", "name", name, "type",
                               nnefc_dtype_name(type.dtype), "shape", json_shape(&type));
    json_t *top = top_json(tensor);

    if (s.finite > 0) {
        json_set(&object, "min", json_number(s.min));
        json_set(&object, "max", json_number(s.max));
        json_set(&object, "mean", json_number(s.mean));
    }
    if (!top || json_array_size(top) > 0)
        json_set(&object, "top", top);
    else
        json_decref(top);
    json_set(&object, "values", values_json(tensor, type.dtype));
    return object;
}

bool summary_print_json(const struct nnefc_model *model, const struct nnefc_run *run, json_t *more)
{
    json_t *object = json_object(), *outputs = json_array();

    for (int i = 0; i < nnefc_model_output_count(model); i++)
        json_add(&outputs,
                 tensor_json(nnefc_model_output_name(model, i), nnefc_run_output(run, i)));
    json_set(&object, "graph", json_string(nnefc_model_name(model)));
    json_set(&object, "outputs", outputs);
    json_merge(&object, more);
    return json_print(object, JSON_REAL_PRECISION(FLOAT_DIGITS));
}
