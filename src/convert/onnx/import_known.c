/* import_known.c - constants, and what is known as soon as shapes are */
#include "convert/onnx/import_priv.h"
#include "convert/onnx/import_share.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* --- shapes ------------------------------------------------------------------------------- */

/* A part of the shape if the node has bounds, which are clamped. */
struct imported *import_shape(struct translation *t)
{
    const struct shape *shape = &input_at(t, 0)->shape;
    int64_t bound[] = {get_int(t, "start", 0), get_int(t, "end", shape->rank)};

    for (int i = 0; i < 2; i++) {
        bound[i] += bound[i] < 0 ? shape->rank : 0;
        bound[i] = bound[i] < 0 ? 0 : bound[i] > shape->rank ? shape->rank : bound[i];
    }
    return known_integers(t, shape->extent + bound[0],
                          bound[1] > bound[0] ? (int)(bound[1] - bound[0]) : 0);
}

struct imported *import_size(struct translation *t)
{
    return known_integer(t, shape_volume(&input_at(t, 0)->shape), ONNX_INT64);
}

/* The distance of the ends may be beyond 64 bits with a sign, so it has none. */
static struct imported *integer_range(struct translation *t)
{
    int64_t number[3] = {0}; /* start, limit, delta */
    struct tensor *to;

    for (int i = 0; i < 3; i++) {
        double single;
        if (!input_number(t, i, &single))
            return NULL;
        if (dtype_of(input_at(t, i)->type) != DTYPE_INTEGER)
            return import_refuse(t, DIAG_ONNX_GRAPH, "has inputs of several types");
        number[i] = *(const int64_t *)input_at(t, i)->known->data;
    }
    bool up = number[2] > 0, any = up ? number[0] < number[1] : number[0] > number[1];
    uint64_t far =
        up ? (uint64_t)number[1] - (uint64_t)number[0] : (uint64_t)number[0] - (uint64_t)number[1];
    uint64_t step = up ? (uint64_t)number[2] : 0 - (uint64_t)number[2];
    uint64_t count = !any || step == 0 ? 0 : (far - 1) / step + 1;
    if (step == 0 || count >= 1000000000)
        return import_refuse(t, DIAG_ITEM_VALUE,
                             "has too many items: from %" PRId64 " to %" PRId64 " by %" PRId64,
                             number[0], number[1], number[2]);
    struct shape shape = {.rank = 1, .extent = {(int64_t)count}};
    struct imported *imported = known_new(t, input_at(t, 0)->type, &shape, &to);
    for (uint64_t i = 0; imported && i < count; i++)
        ((int64_t *)to->data)[i] = (int64_t)((uint64_t)number[0] + i * (uint64_t)number[2]);
    return imported;
}

/* Items are computed by themselves, so that no error adds up. */
struct imported *import_range(struct translation *t)
{
    double start, limit, delta;
    const enum dtype dtype = dtype_of(input_at(t, 0)->type);

    if (dtype == DTYPE_INTEGER)
        return integer_range(t);
    if (dtype != DTYPE_SCALAR)
        return import_refuse(t, DIAG_ONNX_GRAPH, "has a start of type %s, expected a number",
                             dtype_name(dtype));
    if (!input_number(t, 0, &start) || !input_number(t, 1, &limit) || !input_number(t, 2, &delta))
        return NULL;
    double count = ceil((limit - start) / delta);
    if (!(count < 1e9))
        return import_refuse(t, DIAG_ITEM_VALUE, "has too many items: from %g to %g by %g", start,
                             limit, delta);
    struct shape shape = {.rank = 1, .extent = {count > 0 ? (int64_t)count : 0}};
    return known_ramp(t, input_at(t, 0)->type, &shape, start, delta);
}

/* --- patterns ------------------------------------------------------------------------------ */

/* 1 on diagonal k, in a matrix of the shape of x. */
struct imported *import_eye_like(struct translation *t)
{
    const struct imported *x = input_at(t, 0);
    int64_t shift = get_int(t, "k", 0);
    int32_t type = (int32_t)get_int(t, "dtype", x->type);
    struct tensor *to;

    if (x->shape.rank != 2 || dtype_of(type) == DTYPE_UNKNOWN)
        return import_unsupported(t, "has shape %s, or a type that NNEF does not have",
                                  SHAPE_TEXT(&x->shape));
    struct imported *mask = known_new(t, ONNX_BOOL, &x->shape, &to);
    for (int64_t i = 0; mask && i < shape_volume(&x->shape); i++)
        ((unsigned char *)to->data)[i] = i % x->shape.extent[1] - i / x->shape.extent[1] == shift;
    return convert(t, mask, type);
}

/* Items on the other side of a diagonal become 0. */
struct imported *import_trilu(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    bool upper = get_int(t, "upper", 1);
    struct shape shape = {.rank = 2};
    struct tensor *to;
    double shift = 0;

    if (x->shape.rank < 2 || (has_input(t, 1) && !input_number(t, 1, &shift)))
        return t->failed ? NULL
                         : import_unsupported(t, "has rank %d, expected 2 or more", x->shape.rank);
    memcpy(shape.extent, x->shape.extent + x->shape.rank - 2, 2 * sizeof *shape.extent);
    struct imported *mask = known_new(t, ONNX_BOOL, &shape, &to);
    for (int64_t i = 0; mask && i < shape_volume(&shape); i++) {
        int64_t row = i / shape.extent[1], column = i % shape.extent[1];
        double off = (double)(column - row) - shift;
        ((unsigned char *)to->data)[i] = upper ? off >= 0 : off <= 0;
    }
    return op3(t, OP_select, mask, x, convert(t, literal(t, 0), x->type));
}

/* Where the index is equal to a ramp along a new axis, or to one that ends before 0. */
struct imported *import_one_hot(struct translation *t)
{
    struct imported *indices = input_at(t, 0), *values = input_at(t, 2);
    double depth;
    int axis;

    if (indices->shape.rank == MAX_RANK)
        return import_unsupported(t, "makes %d dimensions, expected at most %d", MAX_RANK + 1,
                                  MAX_RANK);
    if (!input_number(t, 1, &depth) ||
        !resolve_axis(t, get_int(t, "axis", -1), indices->shape.rank + 1, &axis))
        return NULL;
    if (shape_volume(&values->shape) != 2 || !(depth >= 1 && depth < 1e9))
        return import_refuse(t, DIAG_ITEM_VALUE, "has depth %g and values of shape %s", depth,
                             SHAPE_TEXT(&values->shape));
    struct shape ramp = shape_along(indices->shape.rank + 1, axis, (int64_t)depth);
    if (indices->type == ONNX_UINT64) /* beyond 2^63 they are not those from the end */
        indices = op2(t, OP_min, indices, literal(t, depth));
    struct imported *number = unsqueeze_at(t, convert(t, indices, ONNX_INT64), axis);
    struct imported *places = known_ramp(t, ONNX_INT64, &ramp, 0, 1);
    struct imported *from_end = op2(t, OP_sub, places, literal(t, depth));
    struct imported *on = slice_at(t, values, 0, 1, 2), *off = slice_at(t, values, 0, 0, 1);
    struct imported *is_on =
        op2(t, OP_or, op2(t, OP_eq, number, places), op2(t, OP_eq, number, from_end));
    return op3(t, OP_select, is_on, on, off);
}

/* --- windows -------------------------------------------------------------------------------- */

/* a - b * cos(x) + c * cos(2 * x) over a period, or one item less than that. */
static struct imported *window(struct translation *t, double a, double b, double c)
{
    const double turn = 6.283185307179586;
    struct tensor *to;
    double size;

    assert(t->nin == 1);
    if (!input_number(t, 0, &size))
        return NULL;
    /* A window that is not periodic ends as it began. */
    double period = get_int(t, "periodic", 1) ? size : size - 1;
    int32_t type = (int32_t)get_int(t, "output_datatype", ONNX_FLOAT);
    if (!(size >= 1 && size < 1e9) || dtype_of(type) != DTYPE_SCALAR)
        return import_unsupported(t, "has size %g, or a type that NNEF does not have", size);
    struct shape shape = {.rank = 1, .extent = {(int64_t)size}};
    struct imported *imported = known_new(t, type, &shape, &to);
    for (int64_t i = 0; imported && i < shape.extent[0]; i++) {
        double x = turn * (double)i / period;
        ((float *)to->data)[i] = (float)(a - b * cos(x) + c * cos(2 * x));
    }
    return imported;
}

struct imported *import_hann_window(struct translation *t)
{
    return window(t, 0.5, 0.5, 0);
}

struct imported *import_hamming_window(struct translation *t)
{
    return window(t, 25.0 / 46, 1 - 25.0 / 46, 0);
}

struct imported *import_blackman_window(struct translation *t)
{
    return window(t, 0.42, 0.5, 0.08);
}

/* --- constants ------------------------------------------------------------------------------ */

/* The name of a variable is that of the output. */
static struct imported *constant_tensor(struct translation *t, struct imported *imported)
{
    if (!imported)
        t->failed = true;
    else if (t->nout > 0)
        imported->name = t->node->output.item[0];
    return imported;
}

/* A tensor, a sparse tensor, or numbers in an attribute of their own. */
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
        return known_copy(t, ONNX_FLOAT, &(struct shape){0}, &number);
    }
    if (has_attribute(t, "value_int"))
        return known_integer(t, get_int(t, "value_int", 0), ONNX_INT64);
    if (get_floats(t, "value_floats", &floats, &count))
        return known_copy(t, ONNX_FLOAT, &(struct shape){.rank = 1, .extent = {count}}, floats);
    if (get_ints(t, "value_ints", &ints))
        return known_integers(t, ints.item, ints.count);
    return import_unsupported(t, "holds no tensor or numbers, but text or nothing");
}

/* One item, or a 0, spread out.  A shape without items is known at once. */
struct imported *import_constant_of_shape(struct translation *t)
{
    const struct onnx_attribute *value = get_attribute(t, "value");
    struct shape shape;

    if (!get_shape(t, "input", 0, &shape))
        return NULL;
    struct shape one = shape_along(shape.rank, -1, 1);
    struct imported *item = value && value->t ? import_tensor(t->import, value->t)
                                              : known_new(t, ONNX_FLOAT, &one, NULL);
    if (!item) {
        t->failed = true;
        return NULL;
    }
    if (shape_volume(&item->shape) != 1)
        return import_refuse(t, DIAG_VALUE_COUNT, "has a value of shape %s, expected a single item",
                             SHAPE_TEXT(&item->shape));
    return spread_to(t, reshape_to(t, item, &one), &shape);
}
