/* convert_math.c - item by item, along dimensions, and products of matrices */
#include "convert/pnnx/convert_functions.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* --- item by item ------------------------------------------------------------------------------- */

/* torch.gt, aten::add: a function of expressions; aten::add has a factor as well. */
struct imported *say_elementwise(struct say *s)
{
    const char *name = strpbrk(s->op->type, ".:");
    struct imported *in[2] = {say_argument(s, "input", 0), NULL};
    struct imported *factor = NULL;

    name += name[1] == ':' ? 2 : 1;
    bool binary = s->op->nin > 1 || say_has(s, "other") || say_has(s, "exponent");
    if (binary)
        in[1] = say_operand(s, say_has(s, "exponent") ? "exponent" : "other", 1);
    if (say_has(s, "alpha"))
        factor = say_operand(s, "alpha", 2);
    else if (strncmp(s->op->type, "aten::", 6) == 0 && s->op->nin > 2)
        factor = say_in(s, 2);
    bool scales = factor && factor->known && !(tensor_item(factor->known, 0) == 1);
    if (scales)
        in[1] = say_call(s, "mul", (struct imported *[]){in[1], factor}, 2);
    if (say_has(s, "rounding_mode"))
        return say_refuse(s, "rounds a quotient '%s'", say_text(s, "rounding_mode", ""));
    return say_call(s, name, in, binary ? 2 : 1);
}

static struct imported *logical(struct say *s, const char *type)
{
    struct imported *x = convert(&s->t, say_argument(s, "input", 0), ONNX_BOOL);

    return say2(s, type, x, convert(&s->t, say_operand(s, "other", 1), ONNX_BOOL));
}

struct imported *say_logical_and(struct say *s)
{
    return logical(s, "And");
}

struct imported *say_logical_or(struct say *s)
{
    return logical(s, "Or");
}

struct imported *say_logical_xor(struct say *s)
{
    return logical(s, "Xor");
}

struct imported *say_logical_not(struct say *s)
{
    return op1(&s->t, OP_not, convert(&s->t, say_argument(s, "input", 0), ONNX_BOOL));
}

struct imported *say_where(struct say *s)
{
    struct imported *condition = say_argument(s, "condition", 0);
    struct imported *in[] = {say_operand(s, "input", 1), say_operand(s, "other", 2)};

    return say_meet(s, in) ? op3(&s->t, OP_select, condition, in[0], in[1]) : NULL;
}

struct imported *say_masked_fill(struct say *s)
{
    struct imported *x = say_argument(s, "input", 0), *mask = say_argument(s, "mask", 1);

    struct imported *in[] = {say_operand(s, "value", 2), x};

    return say_meet(s, in) ? op3(&s->t, OP_select, mask, in[0], in[1]) : NULL;
}

/* None and infinity bound nothing. */
static struct imported *bound(struct say *s, const char *key)
{
    const struct pnnx_param *param = pnnx_param_of(s->op, key);

    if (!param)
        return say_option(s, key);
    if (!say_has(s, key) || (param->value->is_number && isinf(param->value->real)))
        return NULL;
    return say_number(s, param->value);
}

struct imported *say_clamp(struct say *s)
{
    struct imported *x = say_argument(s, "input", 0), *low = bound(s, "min"),
                    *high = bound(s, "max");

    if (low && x)
        x = say_call(s, "max", (struct imported *[]){x, low}, 2);
    return high && x ? say_call(s, "min", (struct imported *[]){x, high}, 2) : x;
}

struct imported *say_to(struct say *s)
{
    const char *name = say_text(s, "dtype", "");
    struct imported *x = say_argument(s, "input", 0), *like = say_option(s, "other");
    int32_t type = like ? like->type : say_type_named(name);

    if (!x || (!like && !*name))
        return x;
    if (type == ONNX_UNDEFINED)
        return say_refuse(s, "makes items of type '%s'", name);
    x = x->type != ONNX_BOOL && dtype_of(type) == DTYPE_INTEGER && dtype_of(x->type) == DTYPE_SCALAR
            ? say_call(s, "trunc", &x, 1)
            : x;
    return convert(&s->t, x, type);
}

/* --- along dimensions ----------------------------------------------------------------------------- */

/* All dimensions if none is named. */
static bool find_axes(struct say *s, const struct imported *x, struct integers *axes)
{
    static const int64_t all[MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct integers named;

    *axes = (struct integers){x->shape.rank, all};
    if (!say_ints(s, "dim", &named) || named.count == 0)
        return !s->t.failed;
    return resolve_axes(&s->t, &named, x->shape.rank, axes);
}

static struct imported *finish(struct say *s, struct imported *x, const struct integers *axes)
{
    if (!x || axes->count == 0 || say_flag(s, "keepdim", false))
        return x;
    return make1(&s->t, OP_SPEC(squeeze, .axes = *axes), x);
}

static struct imported *reduced(struct say *s, const char *type)
{
    struct imported *x = say_argument(s, "input", 0);
    struct integers axes;

    if (!x || !find_axes(s, x, &axes))
        return NULL;
    say_begin(s, type);
    node_int(s, "keepdims", say_flag(s, "keepdim", false));
    struct imported *in[] = {x, known_integers(&s->t, axes.item, axes.count)};
    return say_end(s, in, 2, NULL, 1);
}

struct imported *say_sum(struct say *s)
{
    return reduced(s, "ReduceSum");
}

struct imported *say_mean(struct say *s)
{
    return reduced(s, "ReduceMean");
}

struct imported *say_amax(struct say *s)
{
    return reduced(s, "ReduceMax");
}

struct imported *say_amin(struct say *s)
{
    return reduced(s, "ReduceMin");
}

struct imported *say_prod(struct say *s)
{
    return reduced(s, "ReduceProd");
}

struct imported *say_logsumexp(struct say *s)
{
    return reduced(s, "ReduceLogSumExp");
}

static struct imported *truths(struct say *s, enum op_id op)
{
    struct imported *x = convert(&s->t, say_argument(s, "input", 0), ONNX_BOOL);
    struct integers axes;

    if (!x || !find_axes(s, x, &axes))
        return NULL;
    return finish(s, reduce(&s->t, op, x, &axes), &axes);
}

struct imported *say_any(struct say *s)
{
    return truths(s, OP_any_reduce);
}

struct imported *say_all(struct say *s)
{
    return truths(s, OP_all_reduce);
}

/* Without a dimension the index is one into all items. */
static struct imported *index_of(struct say *s, enum op_id op, struct imported *x)
{
    struct shape flat = {.rank = 1, .extent = {x ? shape_volume(&x->shape) : 0}};
    int axis = 0;

    if (!x)
        return NULL;
    if (!say_has(s, "dim"))
        return squeeze_at(&s->t, reduce_at(&s->t, op, reshape_to(&s->t, x, &flat), 0), 0);
    if (!say_axis(s, "dim", 0, x->shape.rank, &axis))
        return NULL;
    struct imported *index = reduce_at(&s->t, op, x, axis);
    return say_flag(s, "keepdim", false) ? index : squeeze_at(&s->t, index, axis);
}

struct imported *say_argmax(struct say *s)
{
    return index_of(s, OP_argmax_reduce, say_argument(s, "input", 0));
}

struct imported *say_argmin(struct say *s)
{
    return index_of(s, OP_argmin_reduce, say_argument(s, "input", 0));
}

/* Of two tensors, of all items, or along a dimension with the indices. */
static struct imported *extreme(struct say *s, bool greatest)
{
    struct imported *x = say_argument(s, "input", 0);

    if (s->op->nin > 1 && !say_has(s, "dim"))
        return say_elementwise(s);
    if (s->op->nout > 1 && s->op->out[1]->uses)
        set_output(&s->t, 1, index_of(s, greatest ? OP_argmax_reduce : OP_argmin_reduce, x));
    return reduced(s, greatest ? "ReduceMax" : "ReduceMin");
}

struct imported *say_max(struct say *s)
{
    return extreme(s, true);
}

struct imported *say_min(struct say *s)
{
    return extreme(s, false);
}

/* The mean of squares around the mean, with one item fewer unless told. */
static struct imported *variance(struct say *s)
{
    struct imported *x = say_argument(s, "input", 0);
    struct integers axes;

    if (!x || !find_axes(s, x, &axes))
        return NULL;
    double count = 1, fewer = say_real(s, "correction", say_flag(s, "unbiased", true));
    for (int i = 0; i < axes.count; i++)
        count *= (double)x->shape.extent[axes.item[i]];
    struct imported *away = op2(&s->t, OP_sub, x, reduce(&s->t, OP_mean_reduce, x, &axes));
    struct imported *mean = reduce(&s->t, OP_mean_reduce, op1(&s->t, OP_sqr, away), &axes);
    if (fewer > 0 && count > fewer)
        mean = op2(&s->t, OP_mul, mean, literal(&s->t, count / (count - fewer)));
    else if (fewer > 0)
        return say_refuse(s, "is the variance of %g items", count);
    return finish(s, mean, &axes);
}

struct imported *say_var(struct say *s)
{
    return variance(s);
}

struct imported *say_std(struct say *s)
{
    return op1(&s->t, OP_sqrt, variance(s));
}

struct imported *say_norm(struct say *s)
{
    const char *name = say_has(s, "ord") ? "ord" : "p";
    const struct pnnx_param *param = pnnx_param_of(s->op, name);
    double power = !param || !param->value->is_number ? 2 : param->value->real;
    bool named = param && param->value->kind == PNNX_TEXT;

    if (named && strcmp(param->value->text, "fro") != 0)
        return say_refuse(s, "has a norm of order '%s'", param->value->text);
    if (power >= 2 && power <= 2)
        return reduced(s, "ReduceL2");
    if (power >= 1 && power <= 1)
        return reduced(s, "ReduceL1");
    return say_refuse(s, "has a norm of order %g", power);
}

struct imported *say_cumsum(struct say *s)
{
    struct imported *x = say_argument(s, "input", 0);
    int axis;

    if (!x || !say_axis(s, "dim", 0, x->shape.rank, &axis))
        return NULL;
    int64_t at = axis;
    return say2(s, "CumSum", x, known_integers(&s->t, &at, 1));
}

struct imported *say_topk(struct say *s)
{
    struct imported *x = say_argument(s, "input", 0), *out[2] = {NULL};
    int64_t count = say_int(s, "k", 1);

    if (!x)
        return NULL;
    say_begin(s, "TopK");
    node_int(s, "axis", say_int(s, "dim", -1));
    node_int(s, "largest", say_flag(s, "largest", true));
    node_int(s, "sorted", 1);
    struct imported *in[] = {x, known_integers(&s->t, &count, 1)};
    say_end(s, in, 2, out, 2);
    set_output(&s->t, 1, out[1]);
    return out[0];
}

/* --- products of matrices -------------------------------------------------------------------------- */

/* Bias and scale go by the last dimension. */
struct imported *say_linear(struct say *s)
{
    struct imported *x = say_argument(s, "input", 0), *weight = say_weight(s, "weight");
    struct imported *bias = say_weight(s, "bias");

    weight = weight ? weight : say_argument(s, "weight", 1);
    bias = bias ? bias : say_option(s, "bias");
    if (!x || !weight)
        return NULL;
    if (x->shape.rank == 2 && weight->shape.rank == 2) {
        say_begin(s, "Gemm");
        node_int(s, "transB", 1);
        return say_end(s, (struct imported *[]){x, weight, bias}, 3, NULL, 1);
    }
    struct imported *product = matmul(&s->t, x, transpose_last(&s->t, weight));
    return bias ? op2(&s->t, OP_add, product, bias) : product;
}

struct imported *say_matmul(struct say *s)
{
    struct imported *a = say_option(s, "input"), *b = say_option(s, "other");

    b = b ? b : say_option(s, "mat2");
    b = b ? b : say_option(s, "vec");
    return say2(s, "MatMul", a ? a : say_in(s, 0), b ? b : say_in(s, 1));
}

/* beta * input + alpha * (a @ b) */
static struct imported *add_product(struct say *s, const char *first, const char *second)
{
    struct translation *t = &s->t;
    double alpha = say_real(s, "alpha", 1), beta = say_real(s, "beta", 1);
    struct imported *c = say_argument(s, "input", 0);
    struct imported *product =
        say2(s, "MatMul", say_argument(s, first, 1), say_argument(s, second, 2));

    if (alpha < 1 || alpha > 1)
        product = op2(t, OP_mul, product, literal(t, alpha));
    if (beta < 1 || beta > 1)
        c = op2(t, OP_mul, c, literal(t, beta));
    return op2(t, OP_add, c, product);
}

struct imported *say_addmm(struct say *s)
{
    return add_product(s, "mat1", "mat2");
}

struct imported *say_baddbmm(struct say *s)
{
    return add_product(s, "batch1", "batch2");
}

struct imported *say_einsum(struct say *s)
{
    const char *equation = say_text(s, "equation", "");
    struct given *const *from = s->given;
    int count = s->op->nin;

    if (count > 0 && from[0]->is_list) {
        count = from[0]->count;
        from = from[0]->items;
    }
    struct imported **in = import_alloc(&s->t, count + 1, sizeof(struct imported *));
    for (int i = 0; i < count; i++)
        in[i] = from[i]->imported;
    say_begin(s, "Einsum");
    node_text(s, "equation", equation);
    return say_end(s, in, count, NULL, 1);
}
