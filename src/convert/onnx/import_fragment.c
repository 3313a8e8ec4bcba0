/*
 * import_fragment.c - operators of ONNX that stdlib/onnx.nnef composes of others
 *
 * The signature of the fragment says what to read from the node: tensors are inputs, other
 * parameters are attributes.  The lowering expands the body and calls back for each node, which is
 * made as any other of an import: see import_make.h.  During the expansion a value without
 * producer stands for an imported tensor; no such value gets into the graph.
 */
#include "convert/onnx/import_share.h"

#include "base/arena.h"
#include "convert/onnx/import_value.h"
#include "diag/context.h"
#include "lower/lower.h"
#include "op/op_build.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct expansion {
    struct node_maker maker; /* what the lowering calls; first, so that it is found again */
    struct translation *t;
    struct imported **tensors; /* by the id of the value that stands for each */
    uint32_t count;
};

/* --- tensors and the values that stand for them --------------------------------------------- */

/* Values with ids in a row, which the lowering sees in place of the tensors. */
static struct value *stand_ins(struct expansion *e, struct imported *const *tensors, int count)
{
    struct value *values = import_alloc(e->t, count, sizeof *values);

    assert(count > 0);
    for (int i = 0; i < count; i++) {
        values[i].shape = &tensors[i]->shape;
        values[i].dtype = dtype_of(tensors[i]->type);
        values[i].id = e->count;
        e->tensors =
            arena_list(e->t->builder->context->arena, e->tensors, e->count, sizeof *e->tensors);
        e->tensors[e->count++] = tensors[i];
    }
    return values;
}

/* One item of a constant may stand for all of them. */
static struct imported *constant_of(struct expansion *e, const struct value *value, int32_t type)
{
    const struct tensor *tensor = value->source->tensor;
    struct import_builder *builder = e->t->builder;
    struct tensor spread;

    if (shape_equal(&tensor->shape, value->shape))
        return imported_known(builder, NULL, type, tensor);
    if (!tensor_spread(&spread, tensor, value->shape)) {
        tensor_clear(&spread);
        return import_refuse(e->t, DIAG_RUN_MEMORY, "not enough memory for a tensor of shape %s",
                             SHAPE_TEXT(value->shape));
    }
    return imported_known(builder, NULL, type, builder_keep(builder, &spread));
}

/*
 * The tensor that a value stands for; the lowering makes literals and constants itself.  NULL: it
 * is a constant with a fault, which was reported.
 */
static struct imported *tensor_of(struct expansion *e, const struct value *value)
{
    const int32_t type = value->dtype == DTYPE_INTEGER ? ONNX_INT64 : ONNX_FLOAT;

    if (value->kind == VALUE_CONSTANT && !value->source->tensor)
        return NULL;
    if (value->kind == VALUE_CONSTANT && value->shape->rank == 0 && type == ONNX_FLOAT)
        return literal(e->t, tensor_item(value->source->tensor, 0));
    if (value->kind == VALUE_CONSTANT)
        return constant_of(e, value, type);
    assert(value->kind == VALUE_RESULT && !value->producer && value->id < e->count);
    return e->tensors[value->id];
}

/* Called for each node of the body; NULL after a report. */
static struct value *make_node(struct node_maker *maker, const struct op_call *call, int *count)
{
    struct expansion *e = (struct expansion *)maker;
    struct translation *t = e->t;
    struct imported **in = import_alloc(t, call->nin, sizeof(struct imported *));

    for (int i = 0; i < call->nin; i++)
        if (!(in[i] = tensor_of(e, call->in[i].value)))
            return NULL;
    struct imported *first = make_called(t, call, in);
    *count = first ? t->nmade : 0;
    return first ? stand_ins(e, t->made, t->nmade) : NULL;
}

/* --- arguments ------------------------------------------------------------------------------ */

/* Axes, the axes of a reduction, or integers of input `index`. */
static struct datum list_argument(struct translation *t, const struct sig_param *param, int index)
{
    const struct datum *usual = &param->value;
    int64_t *items = import_alloc(t, usual->count, sizeof *items);
    struct integers named = {param->has_default ? usual->count : 0, items}, list = {0};

    for (int i = 0; i < named.count; i++)
        items[i] = usual->items[i].integer;
    if (strcmp(param->name, "reduced") == 0) {
        reduced_axes(t, &list);
    } else if (strcmp(param->name, "axes") == 0) {
        get_ints(t, "axes", &named);
        if (!t->failed)
            resolve_axes(t, &named, input_at(t, 0)->shape.rank, &list);
    } else if (!get_integers(t, param->name, index, &list)) {
        return (struct datum){0};
    }
    return datum_of_integers(t->builder->context->arena, list.item, list.count, DATUM_ARRAY);
}

/* The attribute, or how many outputs are wanted. */
static int64_t integer_argument(struct translation *t, const struct sig_param *param)
{
    int64_t number = 0;
    int axis = 0;

    if (strcmp(param->name, "outputs") == 0) {
        for (int i = 0; i < t->nout; i++)
            number = wants_output(t, i) ? i + 1 : number;
        return number;
    }
    number = get_int(t, param->name, param->value.integer);
    if (strcmp(param->name, "axis") != 0)
        return number;
    resolve_axis(t, number, input_at(t, 0)->shape.rank, &axis);
    return axis;
}

/* See the head of onnx.nnef, whose operators have attributes of these types. */
static struct datum read_attribute(struct translation *t, const struct sig_param *param, int index)
{
    const enum type_kind kind = param->type->kind;
    const struct datum *usual = &param->value;
    struct datum arg = {0};

    if (kind == TYPE_ARRAY) {
        arg = list_argument(t, param, index);
    } else if (kind == TYPE_INTEGER) {
        arg = (struct datum){.kind = DATUM_INTEGER, .integer = integer_argument(t, param)};
    } else if (kind == TYPE_LOGICAL) {
        arg.kind = DATUM_LOGICAL;
        arg.logical = strncmp(param->name, "wants_", 6) == 0
                          ? wants_output(t, (int)strtol(param->name + 6, NULL, 10))
                          : get_int(t, param->name, usual->logical) != 0;
    } else if (kind == TYPE_SCALAR) {
        arg.kind = DATUM_SCALAR;
        arg.scalar = get_float(t, param->name, usual->scalar);
    } else {
        assert(kind == TYPE_STRING);
        arg = (struct datum){.kind = DATUM_STRING,
                             .string = get_string(t, param->name, usual->string)};
        arg.count = (int)strlen(arg.string);
    }
    return arg;
}

/* --- checks of import_list.def: false after a report ----------------------------------------- */

bool check_groups(struct translation *t)
{
    const struct shape *x = &input_at(t, 0)->shape;
    int64_t count = get_int(t, "num_groups", 0);

    return (x->rank > 2 && count > 0 && x->extent[1] % count == 0) ||
           import_error(t, DIAG_NOT_DIVISIBLE, "has %" PRId64 " groups of %" PRId64 " channels",
                        count, shape_extent(x, 1));
}

bool check_window_of_channels(struct translation *t)
{
    int rank = input_at(t, 0)->shape.rank;
    int64_t channels = get_int(t, "size", 0);

    return (rank >= 2 && channels >= 1) ||
           import_error(t, DIAG_ONNX_GRAPH,
                        "has an input of rank %d and size %" PRId64
                        ", expected a rank of 2 or more and a positive size",
                        rank, channels);
}

bool check_blocks(struct translation *t, const struct shape *shape, int64_t b, bool channels)
{
    const int64_t *e = shape->extent;

    if (shape->rank != 4 || b < 1 || b > INT32_MAX)
        return import_error(t, DIAG_RANK,
                            "has an input of rank %d and blocks of %" PRId64
                            ", expected rank 4 and a positive size",
                            shape->rank, b);
    return (channels ? e[1] % (b * b) == 0 : e[2] % b == 0 && e[3] % b == 0) ||
           import_error(t, DIAG_NOT_DIVISIBLE, "shape %s does not consist of blocks of %" PRId64,
                        SHAPE_TEXT(shape), b);
}

bool check_depth_blocks(struct translation *t)
{
    return check_blocks(t, &input_at(t, 0)->shape, get_int(t, "blocksize", 0), true);
}

bool check_space_blocks(struct translation *t)
{
    return check_blocks(t, &input_at(t, 0)->shape, get_int(t, "blocksize", 0), false);
}

bool check_regions(struct translation *t)
{
    static const char *const transforms[] = {"half_pixel", "output_half_pixel", NULL};
    static const char *const modes[] = {"avg", "max", NULL};
    int64_t rows = get_int(t, "output_height", 1), columns = get_int(t, "output_width", 1);
    int64_t points = get_int(t, "sampling_ratio", 0);

    if (get_word(t, "coordinate_transformation_mode", "half_pixel", transforms) < 0 ||
        get_word(t, "mode", "avg", modes) < 0)
        return false;
    return (rows >= 1 && columns >= 1 && points >= 0) ||
           import_error(t, DIAG_ITEM_VALUE,
                        "has %" PRId64 " by %" PRId64 " cells of %" PRId64
                        " points, expected 1 cell or more, and 0 points or more",
                        rows, columns, points);
}

bool check_crops(struct translation *t)
{
    static const char *const modes[] = {"bilinear", "nearest", NULL};
    const struct shape *x = &input_at(t, 0)->shape, *rois = &input_at(t, 1)->shape;
    struct integers size = {0};

    if (get_word(t, "mode", "bilinear", modes) < 0 || !get_integers(t, "", 3, &size))
        return false;
    bool ok = x->rank == 4 && rois->rank == 2 && rois->extent[1] == 4 && size.count == 2 &&
              size.item[0] >= 1 && size.item[1] >= 1 && size.item[0] <= 1 << 20 &&
              size.item[1] <= 1 << 20;
    return ok || import_error(t, DIAG_ONNX_GRAPH,
                              "has regions of shape %s in %s, and %d extents to resize them to",
                              SHAPE_TEXT(rois), SHAPE_TEXT(x), size.count);
}

bool check_places(struct translation *t)
{
    static const char *const modes[] = {"linear", "bilinear", "nearest", "cubic", "bicubic", NULL};
    static const char *const paddings[] = {"zeros", "border", "reflection", NULL};

    return get_word(t, "mode", "linear", modes) >= 0 &&
           get_word(t, "padding_mode", "zeros", paddings) >= 0;
}

bool check_affine_grid(struct translation *t, const struct shape *theta,
                       const struct integers *size)
{
    const int rank = size->count - 2;
    bool ok = (rank == 2 || rank == 3) && theta->rank == 3 && theta->extent[1] == rank &&
              theta->extent[2] == rank + 1 && theta->extent[0] == size->item[0];

    for (int i = 2; ok && i < size->count; i++)
        ok = size->item[i] >= 1 && size->item[i] <= 1 << 20;
    return ok || import_error(t, DIAG_ONNX_GRAPH, "has matrices of shape %s for %d extents",
                              SHAPE_TEXT(theta), size->count);
}

bool check_grid(struct translation *t)
{
    struct integers size = {0};

    return get_integers(t, "size", 1, &size) && check_affine_grid(t, &input_at(t, 0)->shape, &size);
}

/* Values of classes along axis 1, and the number of one for each other place. */
bool check_classes(struct translation *t)
{
    static const char *const reductions[] = {"none", "sum", "mean", NULL};
    const struct shape *x = &input_at(t, 0)->shape;
    struct shape places = {.rank = x->rank - 1};
    struct shape classes = {.rank = 1, .extent = {shape_extent(x, 1)}};

    if (get_word(t, "reduction", "mean", reductions) < 0)
        return false;
    if (dtype_of(input_at(t, 1)->type) != DTYPE_INTEGER)
        return import_error(t, DIAG_ONNX_GRAPH, "input 1 has a type other than integers");
    if (x->rank < 2 || classes.extent[0] < 1)
        return import_error(t, DIAG_SHAPE_MISMATCH,
                            "has values of shape %s, expected rank 2 or more, and classes",
                            SHAPE_TEXT(x));
    for (int i = 0; i < places.rank; i++)
        places.extent[i] = x->extent[i == 0 ? 0 : i + 1];
    return input_fits(t, 1, "targets", places) && input_fits(t, 2, "weights", classes);
}

bool check_causal(struct translation *t)
{
    static const char *const activations[] = {"none", "silu", "swish", NULL};
    const struct shape *x = &input_at(t, 0)->shape, *filter = &input_at(t, 1)->shape;
    struct shape channels = {.rank = 1, .extent = {shape_extent(x, 1)}}, past = *x, own = *filter;

    if (get_word(t, "activation", "none", activations) < 0)
        return false;
    own.extent[0] = channels.extent[0];
    own.extent[1] = 1;
    if (x->rank != 3 || filter->rank != 3 || filter->extent[2] < 1 || !shape_equal(filter, &own))
        return import_error(t, DIAG_SHAPE_MISMATCH,
                            "has a filter of shape %s for %s, expected [channels,1,size]",
                            SHAPE_TEXT(filter), SHAPE_TEXT(x));
    past.extent[2] = filter->extent[2] - 1;
    return input_fits(t, 2, "a bias", channels) && input_fits(t, 3, "a state", past);
}

bool check_gate(struct translation *t)
{
    return input_fits(t, 1, "an input", input_at(t, 0)->shape);
}

/* --- the whole ------------------------------------------------------------------------------ */

/* Stand-ins of arguments are made first, those of results as nodes are made. */
struct imported *expand_fragment(struct translation *t, const struct signature *sig,
                                 struct imported *const *in, int count, argument_reader *read)
{
    struct expansion e = {.maker = {make_node}, .t = t};
    struct value **values = import_alloc(t, sig->nresult, sizeof *values);
    struct datum *args = import_alloc(t, sig->nparam, sizeof *args);
    const struct fragment_call call = {sig, args, t->site, &e.maker};
    int next = 0;

    assert(sig->nresult > 0);
    for (int i = 0; i < sig->nparam && !t->failed; i++) {
        const struct sig_param *param = &sig->params[i];
        struct imported *const *tensor = &in[next];
        if (!param->type->has_tensor)
            args[i] = read ? read(t, param, next) : (struct datum){0};
        else if (next++ < count && *tensor)
            args[i] = (struct datum){.kind = DATUM_TENSOR, .tensor = stand_ins(&e, tensor, 1)};
        assert(!param->type->has_tensor || args[i].kind != DATUM_NONE || param->has_default);
    }
    if (t->failed || !lower_fragment(t->builder->folding, t->builder->standard, &call, values)) {
        t->failed = true;
        return NULL;
    }
    for (int i = 1; i < sig->nresult; i++)
        set_output(t, i, tensor_of(&e, values[i]));
    return tensor_of(&e, values[0]);
}

struct imported *import_fragment(struct translation *t)
{
    const struct import_row *row = t->row;

    if (row->check && !row->check(t))
        return NULL;
    return expand_fragment(t,
                           row->older && t->opset <= row->older_until ? row->older : row->fragment,
                           t->in, t->nin, read_attribute);
}

struct imported *compose_plain(struct translation *t, const char *fragment,
                               struct imported *const *in, int count)
{
    const struct library *library = builder_compositions(t->builder, IMPORT_ONNX);

    for (int i = 0; i < count; i++)
        if (!in[i])
            return NULL;
    return library ? expand_fragment(t, library_find(library, fragment), in, count, NULL) : NULL;
}
