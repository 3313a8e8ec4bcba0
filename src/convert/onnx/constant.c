/* constant.c - tensors in attributes */
#include "convert/onnx/import_make.h"
#include "convert/onnx/import_priv.h"

#include <inttypes.h>
#include <string.h>

static struct imported *constant_integers(struct translation *t, const int64_t *items, int count,
                                          bool vector)
{
    struct shape shape = {.rank = vector, .extent = {count}};
    struct tensor *to;
    struct imported *imported = known_new(t, ONNX_INT64, &shape, &to);

    if (imported && count)
        memcpy(to->data, items, (size_t)count * sizeof *items);
    return imported;
}

static struct imported *constant_floats(struct translation *t, const float *items, int count,
                                        bool vector)
{
    struct shape shape = {.rank = vector, .extent = {count}};
    struct tensor *to;
    struct imported *imported = known_new(t, ONNX_FLOAT, &shape, &to);

    if (imported && count)
        memcpy(to->data, items, (size_t)count * sizeof *items);
    return imported;
}

/* The name of a variable is that of the output. */
static struct imported *constant_tensor(struct translation *t, struct imported *imported)
{
    if (!imported)
        t->failed = true;
    else if (t->nout > 0)
        imported->name = t->node->output.item[0];
    return imported;
}

struct imported *import_constant(struct translation *t)
{
    const struct onnx_attribute *value = get_attribute(t, "value");
    const struct onnx_attribute *sparse = get_attribute(t, "sparse_value");
    const float *floats;
    struct integers ints;
    int count;

    if (value && value->t)
        return constant_tensor(t, import_tensor(t->import, value->t));
    if (sparse && sparse->sparse_tensor)
        return constant_tensor(t, import_sparse(t->import, sparse->sparse_tensor));
    if (has_attribute(t, "value_float")) {
        float number = (float)get_float(t, "value_float", 0);
        return constant_floats(t, &number, 1, false);
    }
    if (has_attribute(t, "value_int")) {
        int64_t number = get_int(t, "value_int", 0);
        return constant_integers(t, &number, 1, false);
    }
    if (get_floats(t, "value_floats", &floats, &count))
        return constant_floats(t, floats, count, true);
    if (get_ints(t, "value_ints", &ints))
        return constant_integers(t, ints.item, ints.count, true);
    return import_unsupported(t, "holds no tensor or numbers, but text or nothing");
}

struct imported *import_constant_of_shape(struct translation *t)
{
    const struct onnx_attribute *value = get_attribute(t, "value");
    struct integers extents;
    struct shape shape, one = {0};
    struct tensor *items;

    if (!get_integers(t, "input", 0, &extents))
        return NULL;
    if (extents.count > MAX_RANK)
        return import_unsupported(t, "makes %d dimensions, expected at most %d", extents.count,
                                  MAX_RANK);
    one.rank = shape.rank = extents.count;
    for (int i = 0; i < shape.rank; i++) {
        one.extent[i] = 1;
        shape.extent[i] = extents.item[i];
        if (shape.extent[i] < 0) {
            import_error(t, DIAG_EXTENT, "asks for extent %" PRId64, shape.extent[i]);
            return NULL;
        }
    }
    struct imported *item = value && value->t ? import_tensor(t->import, value->t)
                                              : known_new(t, ONNX_FLOAT, &one, &items);
    if (!item) {
        t->failed = true;
        return NULL;
    }
    if (shape_volume(&item->shape) != 1) {
        import_error(t, DIAG_VALUE_COUNT, "has a value of shape %s, expected a single item",
                     SHAPE_TEXT(&item->shape));
        return NULL;
    }
    int64_t volume;
    if (shape_volume_checked(&shape, INT64_MAX, &volume) && volume == 0)
        return known_new(t, item->type, &shape, &items);
    return spread_to(t, reshape_to(t, item, &one), &shape);
}
