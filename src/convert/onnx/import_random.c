/*
 * import_random.c - random numbers
 *
 * Each node has a stream of its own, so that no two draw the same numbers.  A node without a seed
 * has that of the run.
 */
#include "convert/onnx/export_rules.h"
#include "convert/onnx/import_share.h"
#include "convert/onnx/import_value.h"
#include "convert/proto/onnx_data.h"

#include <inttypes.h>

/* -1: there is none.  That of Dropout is an integer. */
static int64_t seed_of(struct translation *t)
{
    const struct onnx_attribute *given = get_attribute(t, "seed");

    if (!given)
        return -1;
    return given->type == ONNX_ATTR_INT ? get_int(t, "seed", 0) & INT64_MAX
                                        : onnx_seed((float)get_float(t, "seed", 0));
}

static struct random_attrs attrs_of(struct translation *t, const struct shape *shape)
{
    return (struct random_attrs){.shape = {shape->rank, shape->extent},
                                 .high = 1,
                                 .scale = 1,
                                 .seed = seed_of(t),
                                 .stream = t->builder->streams++};
}

/* From 0 up to 1. */
static struct imported *evenly(struct translation *t, const struct shape *shape)
{
    const struct random_attrs attrs = attrs_of(t, shape);

    return make_all(t, (struct op_spec){OP_random_uniform, &attrs}, NULL, 0);
}

/* By the attributes of RandomNormal or RandomUniform, in the type of `dtype`. */
static struct imported *drawn(struct translation *t, const struct shape *shape, int32_t usual)
{
    const int32_t type = (int32_t)get_int(t, "dtype", usual);
    struct random_attrs attrs = attrs_of(t, shape);

    if (dtype_of(type) != DTYPE_SCALAR || type == ONNX_UNDEFINED)
        return import_unsupported(t, "draws numbers of type %s, expected a type of floats",
                                  onnx_type_name(type));
    attrs.low = get_float(t, "low", 0);
    attrs.high = get_float(t, "high", 1);
    attrs.mean = get_float(t, "mean", 0);
    attrs.scale = get_float(t, "scale", 1);
    return convert(t, make_all(t, (struct op_spec){t->row->op, &attrs}, NULL, 0), type);
}

struct imported *import_random(struct translation *t)
{
    struct shape shape;

    if (get_shape(t, "shape", 0, &shape))
        return drawn(t, &shape, ONNX_FLOAT);
    return t->failed ? NULL : import_refuse(t, DIAG_ONNX_GRAPH, "has no attribute 'shape'");
}

struct imported *import_random_like(struct translation *t)
{
    return drawn(t, &input_at(t, 0)->shape, input_at(t, 0)->type);
}

/* 1 with the probability that each item of x is. */
struct imported *import_bernoulli(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    const int32_t type = (int32_t)get_int(t, "dtype", x->type);

    if (dtype_of(type) == DTYPE_UNKNOWN || type == ONNX_UNDEFINED)
        return import_unsupported(t, "draws numbers of type %s, which NNEF does not have",
                                  onnx_type_name(type));
    return convert(t, op2(t, OP_lt, evenly(t, &x->shape), x), type);
}

/*
 * Classes, whose logarithms of probabilities are [batch,classes]: that with the greatest sum of its
 * logarithm and a number of Gumbel's distribution (Gumbel, 1954).
 */
struct imported *import_multinomial(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    int64_t count = get_int(t, "sample_size", 1);
    const int32_t type = (int32_t)get_int(t, "dtype", ONNX_INT32);

    if (x->shape.rank != 2 || x->shape.extent[1] < 1)
        return import_refuse(t, DIAG_ONNX_GRAPH,
                             "has probabilities of shape %s, expected [batch,classes]",
                             SHAPE_TEXT(&x->shape));
    if (count < 1 || count > INT32_MAX)
        return import_refuse(t, DIAG_ITEM_VALUE, "draws %" PRId64 " samples, expected 1 or more",
                             count);
    if (dtype_of(type) != DTYPE_INTEGER)
        return import_refuse(t, DIAG_ONNX_GRAPH, "draws samples of type %s, expected integers",
                             onnx_type_name(type));
    const struct shape shape = {.rank = 3,
                                .extent = {x->shape.extent[0], count, x->shape.extent[1]}};
    struct imported *gumbel = op1(t, OP_neg, op1(t, OP_log, evenly(t, &shape)));
    gumbel = op1(t, OP_neg, op1(t, OP_log, gumbel));
    struct imported *sums = op2(t, OP_add, unsqueeze_at(t, x, 1), gumbel);
    return convert(t, squeeze_at(t, reduce_at(t, OP_argmax_reduce, sums, 2), 2), type);
}

/* --- Dropout ----------------------------------------------------------------------------- */

/* The part of the items that is dropped, an attribute in old models; NULL after a report. */
static struct imported *dropped_part(struct translation *t)
{
    struct imported *ratio =
        t->opset >= 12 && has_input(t, 1) ? input_at(t, 1) : literal(t, get_float(t, "ratio", 0.5));
    double part = ratio && ratio->known && shape_volume(&ratio->shape) == 1
                      ? tensor_item(ratio->known, 0)
                      : 0;

    if (!ratio || shape_volume(&ratio->shape) != 1 || !(part >= 0 && part < 1))
        return import_refuse(t, DIAG_ITEM_VALUE,
                             "drops %g of the items, expected 0 or more, below 1", part);
    return reshape_to(t, ratio, &(struct shape){0});
}

/* As in training: some items become 0, and the others more, so that sums stay about the same. */
static struct imported *drop(struct translation *t, struct imported *x, struct imported **mask)
{
    struct imported *part = dropped_part(t);

    *mask = op2(t, OP_ge, evenly(t, &x->shape), part);
    struct imported *more = op2(t, OP_div, x, op2(t, OP_sub, literal(t, 1), part));
    return op3(t, OP_select, *mask, more, literal(t, 0));
}

/* When running, items stay, and none of them is hidden; a tensor may tell whether it is training.
 */
struct imported *import_dropout(struct translation *t)
{
    struct imported *x = input_at(t, 0), *y = x, *mask = convert(t, literal(t, 1), ONNX_BOOL);
    struct imported *kept = NULL;
    struct imported *training = t->opset >= 12 && has_input(t, 2) ? input_at(t, 2) : NULL;
    bool known = !training || training->known, trains = t->opset < 7 && !get_int(t, "is_test", 0);
    double number = 0;

    if (training && known && input_number(t, 2, &number))
        trains = number > 0;
    if (trains || !known)
        y = drop(t, x, &kept);
    if (trains)
        mask = kept;
    if (!known) {
        training = reshape_to(t, training, &(struct shape){0});
        y = op3(t, OP_select, training, y, x);
        mask = op3(t, OP_select, training, kept, mask);
    }
    if (!wants_output(t, 1))
        return y;
    mask = spread_to(t, convert(t, mask, t->opset < 10 ? x->type : ONNX_BOOL), &x->shape);
    set_output(t, 1, mask);
    return y;
}
