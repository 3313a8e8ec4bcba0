/* convert_math.c - item by item, along dimensions, and products of matrices */
#include "convert/pnnx/convert.h"

#include <math.h>
#include <string.h>

/* --- item by item ----------------------------------------------------------------------------- */

/* torch.gt, aten::add: a function of expressions; aten::add has a factor as well. */
struct imported *convert_elementwise(struct pnnx_call *c, struct imported *x)
{
    const char *name = strpbrk(c->op->type, ".:");
    struct imported *in[2] = {x, NULL};
    struct imported *factor = NULL;

    name += name[1] == ':' ? 2 : 1;
    bool binary = c->op->nin > 1 || has_arg(c, "other") || has_arg(c, "exponent");
    if (binary)
        in[1] = operand_named(c, has_arg(c, "exponent") ? "exponent" : "other", 1);
    if (has_arg(c, "alpha"))
        factor = operand_named(c, "alpha", 2);
    else if (strncmp(c->op->type, "aten::", 6) == 0 && c->op->nin > 2)
        factor = tensor_at(c, 2);
    bool scales = factor && factor->known && !(tensor_item(factor->known, 0) == 1);
    if (scales)
        in[1] = apply_function(c, "mul", (struct imported *[]){in[1], factor}, 2);
    if (has_arg(c, "rounding_mode"))
        return import_unsupported(&c->t, "rounds a quotient '%s'",
                                  arg_text(c, "rounding_mode", ""));
    return apply_function(c, name, in, binary ? 2 : 1);
}

/* torch.logical_and: the function of expressions that the end of the type names. */
struct imported *convert_logical(struct pnnx_call *c, struct imported *x)
{
    const char *name = strrchr(c->op->type, '_') + 1;
    struct imported *in[] = {convert(&c->t, x, ONNX_BOOL), NULL};
    bool binary = strcmp(name, "not") != 0;

    if (binary)
        in[1] = convert(&c->t, operand_named(c, "other", 1), ONNX_BOOL);
    return apply_function(c, name, in, binary ? 2 : 1);
}

/* Both branches get one type. */
struct imported *convert_where(struct pnnx_call *c)
{
    struct imported *condition = tensor_named(c, "condition", 0);
    struct imported *in[] = {operand_named(c, "input", 1), operand_named(c, "other", 2)};

    return promote(c, in) ? op3(&c->t, OP_select, condition, in[0], in[1]) : NULL;
}

/* The value where the mask is true. */
struct imported *convert_masked_fill(struct pnnx_call *c, struct imported *x)
{
    struct imported *mask = tensor_named(c, "mask", 1);
    struct imported *in[] = {operand_named(c, "value", 2), x};

    return promote(c, in) ? op3(&c->t, OP_select, mask, in[0], in[1]) : NULL;
}

/* None and infinity bound nothing. */
static struct imported *bound(struct pnnx_call *c, const char *key)
{
    const struct pnnx_pair *param = pnnx_find(c->op, PNNX_PARAM, key);

    if (!param)
        return tensor_option(c, key);
    if (!has_arg(c, key) || (param->value->is_number && isinf(param->value->real)))
        return NULL;
    return number_value(c, param->value);
}

/* Two operations, since a bound may be missing or a tensor. */
struct imported *convert_clamp(struct pnnx_call *c, struct imported *x)
{
    struct imported *low = bound(c, "min"), *high = bound(c, "max");

    if (low)
        x = apply_function(c, "max", (struct imported *[]){x, low}, 2);
    return high && x ? apply_function(c, "min", (struct imported *[]){x, high}, 2) : x;
}

/* To the type that is named, or to that of another tensor; real numbers are truncated. */
struct imported *convert_to(struct pnnx_call *c, struct imported *x)
{
    const char *name = arg_text(c, "dtype", "");
    struct imported *like = tensor_option(c, "other");
    int32_t type = like ? like->type : onnx_type_named(name);

    if (!like && !*name)
        return x;
    if (type == ONNX_UNDEFINED)
        return import_unsupported(&c->t, "makes items of type '%s'", name);
    x = x->type != ONNX_BOOL && dtype_of(type) == DTYPE_INTEGER && dtype_of(x->type) == DTYPE_SCALAR
            ? apply_function(c, "trunc", &x, 1)
            : x;
    return convert(&c->t, x, type);
}

/* --- along dimensions ----------------------------------------------------------------------- */

/* All dimensions if none is named. */
static bool find_axes(struct pnnx_call *c, const struct imported *x, struct integers *axes)
{
    static const int64_t all[MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct integers named;

    *axes = (struct integers){x->shape.rank, all};
    if (!arg_ints(c, "dim", &named) || named.count == 0)
        return !c->t.failed;
    return resolve_axes(&c->t, &named, x->shape.rank, axes);
}

/* Sums and products of integers and logicals have 64 bits, or the type that is named. */
static struct imported *summed(struct pnnx_call *c, struct imported *x)
{
    const char *name = arg_text(c, "dtype", "");
    int32_t type = onnx_type_named(name);

    if (x && *name)
        return type == ONNX_UNDEFINED ? import_unsupported(&c->t, "makes items of type '%s'", name)
                                      : convert(&c->t, x, type);
    return x && dtype_of(x->type) != DTYPE_SCALAR ? convert(&c->t, x, ONNX_INT64) : x;
}

/* Integers have no mean in PyTorch unless another type is named. */
static struct imported *averaged(struct pnnx_call *c, struct imported *x)
{
    if (x && *arg_text(c, "dtype", ""))
        x = summed(c, x);
    return x && dtype_of(x->type) != DTYPE_SCALAR
               ? import_unsupported(&c->t, "averages something other than real numbers")
               : x;
}

/* The greatest or least of logicals is whether any or all are true. */
static struct imported *reduced(struct pnnx_call *c, struct imported *x, enum op_id op)
{
    struct integers axes;

    if (!find_axes(c, x, &axes))
        return NULL;
    if (op == OP_any_reduce || op == OP_all_reduce)
        x = convert(&c->t, x, ONNX_BOOL);
    else if (op == OP_sum_reduce)
        x = summed(c, x);
    else if (op == OP_mean_reduce)
        x = averaged(c, x);
    else if (x->type == ONNX_BOOL && op == OP_max_reduce)
        op = OP_any_reduce;
    else if (x->type == ONNX_BOOL && op == OP_min_reduce)
        op = OP_all_reduce;
    if (!x)
        return NULL;
    return drop_axes(&c->t, reduce(&c->t, op, x, &axes), &axes, arg_flag(c, "keepdim", false));
}

/* By one operation, which is the variant. */
struct imported *convert_reduce(struct pnnx_call *c, struct imported *x)
{
    return reduced(c, x, (enum op_id)c->row->variant);
}

struct imported *convert_prod(struct pnnx_call *c, struct imported *x)
{
    struct integers axes;

    if (!find_axes(c, x, &axes))
        return NULL;
    x = summed(c, x);
    return drop_axes(&c->t, compose(c, "products_along", &x, 1, &axes), &axes,
                     arg_flag(c, "keepdim", false));
}

/* By a fragment of onnx.nnef, of real numbers. */
static struct imported *reduce_by(struct pnnx_call *c, struct imported *x, const char *fragment)
{
    struct integers axes;

    if (dtype_of(x->type) == DTYPE_INTEGER)
        x = convert(&c->t, x, ONNX_FLOAT);
    return x && find_axes(c, x, &axes) ? compose(c, fragment, &x, 1, &axes) : NULL;
}

/* log(sum(exp(x))) without powers that overflow. */
struct imported *convert_logsumexp(struct pnnx_call *c, struct imported *x)
{
    return reduce_by(c, x, "ReduceLogSumExp");
}

/* Without a dimension the index is one into all items. */
static struct imported *index_of(struct pnnx_call *c, enum op_id op, struct imported *x)
{
    struct shape flat = {.rank = 1, .extent = {shape_volume(&x->shape)}};
    int axis = 0;

    if (!has_arg(c, "dim"))
        return squeeze_at(&c->t, reduce_at(&c->t, op, reshape_to(&c->t, x, &flat), 0), 0);
    if (!arg_axis(c, "dim", 0, x->shape.rank, &axis))
        return NULL;
    struct imported *index = reduce_at(&c->t, op, x, axis);
    return arg_flag(c, "keepdim", false) ? index : squeeze_at(&c->t, index, axis);
}

/* The variant is the operation. */
struct imported *convert_index_of(struct pnnx_call *c, struct imported *x)
{
    return index_of(c, (enum op_id)c->row->variant, x);
}

/* Of two tensors, of all items, or along a dimension with the indices. */
struct imported *convert_extreme(struct pnnx_call *c, struct imported *x)
{
    enum op_id op = (enum op_id)c->row->variant;

    if (c->op->nin > 1 && !has_arg(c, "dim"))
        return convert_elementwise(c, x);
    if (c->op->nout > 1 && c->op->out[1]->uses)
        set_output(&c->t, 1,
                   index_of(c, op == OP_max_reduce ? OP_argmax_reduce : OP_argmin_reduce, x));
    return reduced(c, x, op);
}

/* The mean of squares around the mean, by default of one item fewer; variant 1: its root. */
struct imported *convert_variance(struct pnnx_call *c, struct imported *x)
{
    struct integers axes;

    x = averaged(c, x);
    if (!x || !find_axes(c, x, &axes))
        return NULL;
    double count = 1, fewer = arg_real(c, "correction", arg_flag(c, "unbiased", true));
    for (int i = 0; i < axes.count; i++)
        count *= (double)x->shape.extent[axes.item[i]];
    struct imported *away = op2(&c->t, OP_sub, x, reduce(&c->t, OP_mean_reduce, x, &axes));
    struct imported *mean = reduce(&c->t, OP_mean_reduce, op1(&c->t, OP_sqr, away), &axes);
    if (fewer > 0 && count > fewer)
        mean = op2(&c->t, OP_mul, mean, literal(&c->t, count / (count - fewer)));
    else if (fewer > 0)
        return import_unsupported(&c->t, "is the variance of %g items", count);
    mean = drop_axes(&c->t, mean, &axes, arg_flag(c, "keepdim", false));
    return c->row->variant ? op1(&c->t, OP_sqrt, mean) : mean;
}

/* Orders 1 and 2 only; without one, 2. */
struct imported *convert_norm(struct pnnx_call *c, struct imported *x)
{
    const char *name = has_arg(c, "ord") ? "ord" : "p";
    const struct pnnx_pair *param = pnnx_find(c->op, PNNX_PARAM, name);
    double power = !param || !param->value->is_number ? 2 : param->value->real;
    bool named = param && param->value->kind == PNNX_TEXT;

    if (named && strcmp(param->value->text, "fro") != 0)
        return import_unsupported(&c->t, "has a norm of order '%s'", param->value->text);
    if (!averaged(c, x))
        return NULL;
    if (power >= 2 && power <= 2)
        return reduce_by(c, x, "ReduceL2");
    if (power >= 1 && power <= 1)
        return reduce_by(c, x, "ReduceL1");
    return import_unsupported(&c->t, "has a norm of order %g", power);
}

/* NNEF has no running sum: it is a product with a triangle of ones. */
struct imported *convert_cumsum(struct pnnx_call *c, struct imported *x)
{
    int axis;

    return arg_axis(c, "dim", 0, x->shape.rank, &axis)
               ? running_sum(&c->t, summed(c, x), axis, false, false)
               : NULL;
}

struct imported *convert_topk(struct pnnx_call *c, struct imported *x)
{
    bool largest = arg_flag(c, "largest", true);
    int64_t count = arg_int(c, "k", 1);
    int axis;

    if (!arg_axis(c, "dim", -1, x->shape.rank, &axis))
        return NULL;
    return extreme_items(&c->t, x, axis, largest, count);
}

/* --- products of matrices ------------------------------------------------------------------- */

/* Bias and scale go by the last dimension. */
struct imported *convert_linear(struct pnnx_call *c, struct imported *x)
{
    struct imported *weight = weight_or_input(c, "weight", 1);
    struct imported *bias = weight_or_option(c, "bias");

    if (!weight)
        return NULL;
    if (x->shape.rank == 2 && weight->shape.rank == 2)
        return linear(&c->t, x, weight, bias);
    struct imported *product = matmul(&c->t, x, transpose_last(&c->t, weight));
    return bias ? op2(&c->t, OP_add, product, bias) : product;
}

/* Also by a vector; dimensions before the last two are batches. */
struct imported *convert_matmul(struct pnnx_call *c)
{
    struct imported *a = tensor_option(c, "input"), *b = tensor_option(c, "other");

    b = b ? b : tensor_option(c, "mat2");
    b = b ? b : tensor_option(c, "vec");
    return matmul(&c->t, a ? a : tensor_at(c, 0), b ? b : tensor_at(c, 1));
}

/* Variant 1: of batches. */
struct imported *convert_addmm(struct pnnx_call *c, struct imported *x)
{
    static const char *const keys[2][2] = {{"mat1", "mat2"}, {"batch1", "batch2"}};
    const char *const *key = keys[c->row->variant];
    struct imported *in[] = {x, tensor_named(c, key[0], 1), tensor_named(c, key[1], 2)};

    return compose(c, "addmm", in, 3, NULL);
}

/* Operands are inputs, or the items of the one list that is an input. */
struct imported *convert_einsum(struct pnnx_call *c)
{
    const char *equation = arg_text(c, "equation", "");
    int count;
    struct pnnx_argument *const *from = arguments_from(c, 0, &count);

    struct imported **in = import_alloc(&c->t, count + 1, sizeof(struct imported *));
    for (int i = 0; i < count; i++)
        if (!(in[i] = from[i]->imported))
            return import_unsupported(&c->t, "has something else than tensors as operands");
    if (count == 0)
        return import_unsupported(&c->t, "has no operands");
    return c->t.failed ? NULL : einsum(&c->t, equation, in, count);
}
