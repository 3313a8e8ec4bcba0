/*
 * import_quant.c - quantized tensors and operators on them, those of ONNX Runtime, too
 *
 * number = (integer - zero point) * scale.  Operands of an operator on integers are dequantized,
 * its plain counterpart computes, and the result is quantized: the pass find-quantized-layers makes
 * layers of integers of that.  Products that give integers are such layers.
 */
#include "convert/onnx/import_share.h"
#include "convert/onnx/import_value.h"

#include "pass/quantized.h"

#include <assert.h>
#include <math.h>

/* How one tensor is quantized. */
struct code {
    struct imported *scale, *zero; /* zero NULL: 0 */
    int32_t type;                  /* of the integers */
};

/* One number for all of a tensor of that rank, or one for each index of an axis. */
static struct imported *spread_along(struct translation *t, struct imported *x, int rank, int axis)
{
    struct shape shape = {0};

    if (x && shape_volume(&x->shape) != 1)
        shape = shape_along(rank, rank ? axis : -1, shape_volume(&x->shape));
    return reshape_to(t, x, &shape);
}

/*
 * A scale or zero point for a tensor of that shape: one for all, one for each index of the axis, or
 * one for each block of items along it.
 */
static struct imported *along_axis(struct translation *t, struct imported *x,
                                   const struct shape *shape, int64_t block)
{
    int axis = 0;

    if (!x || (shape_volume(&x->shape) != 1 &&
               !resolve_axis(t, get_int(t, "axis", 1), shape->rank, &axis)))
        return NULL;
    if (x->shape.rank == 1 || shape_volume(&x->shape) == 1)
        return spread_along(t, x, shape->rank, axis);
    if (block < 1 || x->shape.rank != shape->rank || x->shape.rank == MAX_RANK)
        return import_unsupported(t, "has a scale of shape %s", SHAPE_TEXT(&x->shape));
    if (x->shape.extent[axis] == 1) /* one block, for which it broadcasts */
        return x;
    struct shape wide = x->shape;
    wide.rank++;
    for (int i = shape->rank; i > axis + 1; i--)
        wide.extent[i] = x->shape.extent[i - 1];
    wide.extent[axis + 1] = 1;
    x = reshape_to(t, x, &wide);
    wide.extent[axis + 1] = block;
    return reshape_to(t, spread_to(t, x, &wide), shape);
}

/* A zero point as an integer; NULL: 0. */
static struct imported *zero_or_none(struct translation *t, struct imported *zero, int32_t type)
{
    return zero ? convert(t, zero, ONNX_INT64) : known_integer(t, 0, type);
}

/* Such a scale is computed with all the same, as ONNX says. */
static void check_scale(struct translation *t, const struct imported *scale)
{
    const struct tensor *items = scale ? scale->known : NULL;

    for (int64_t i = 0, count = items ? shape_volume(&items->shape) : 0; i < count; i++) {
        const double item = tensor_item(items, i);
        if (item > 0 && isfinite(item))
            continue;
        import_warn(t, WARNING_QUANT_VALUE, "has a scale of %g, expected a number above 0", item);
        return;
    }
}

enum { MOST_MOVES = 64 }; /* one behind the other */

/*
 * What a value of the graph stands for by one scale and zero point.  If it was moved, or is the
 * greatest of windows, the numbers are instead: a layer is the same whether a file has moved its
 * integers or its numbers.
 */
static struct imported *numbers_of(struct translation *t, struct imported *x,
                                   struct imported *const code[2], int depth)
{
    const struct value *items = x->known || x->list ? NULL : x->value;
    const struct node *node = items && items->kind == VALUE_RESULT ? items->producer : NULL;
    const bool grows = code[0]->known && tensor_item(code[0]->known, 0) > 0;
    struct value *before = NULL;

    if (node && depth < MOST_MOVES && node_moves_one(node))
        before = node->in[0].value;
    else if (node && depth < MOST_MOVES && grows && (before = coded_picked_from(items)))
        node = node->in[0].value->producer;
    if (before) {
        x = imported_of_value(t->builder, NULL, x->type, before);
        x = numbers_of(t, x, code, depth + 1);
        return x ? make1(t, (struct op_spec){node->op->id, node->attrs}, x) : NULL;
    }
    return make_all(t, op_plain(OP_dequantize), (struct imported *[]){x, code[0], code[1]}, 3);
}

struct imported *dequantized(struct translation *t, struct imported *x, struct imported *zero,
                             struct imported *scale)
{
    if (!x || !scale)
        return NULL;
    if (dtype_of(x->type) != DTYPE_INTEGER)
        return import_unsupported(t, "dequantizes a type that is not supported");
    const struct shape single = {0};
    const bool is_single =
        shape_volume(&scale->shape) == 1 && (!zero || shape_volume(&zero->shape) == 1);
    struct imported *in[] = {x, convert(t, scale, ONNX_FLOAT), zero_or_none(t, zero, x->type)};
    if (!is_single)
        return convert(t, make_all(t, op_plain(OP_dequantize), in, 3), scale->type);
    struct imported *code[] = {reshape_to(t, in[1], &single), reshape_to(t, in[2], &single)};
    return code[0] && code[1] ? convert(t, numbers_of(t, x, code, 0), scale->type) : NULL;
}

/* The same; scales that are not above 0 are told. */
static struct imported *numbers(struct translation *t, struct imported *x, struct imported *zero,
                                struct imported *scale)
{
    check_scale(t, scale);
    return dequantized(t, x, zero, scale);
}

/* With a dimension for blocks of so many items in place of that axis. */
static struct shape shape_in_blocks(const struct shape *shape, int axis, int64_t block)
{
    struct shape blocks = *shape;

    assert(block > 0);
    for (int i = blocks.rank++; i > axis + 1; i--)
        blocks.extent[i] = shape->extent[i - 1];
    blocks.extent[axis] = shape->extent[axis] / block;
    blocks.extent[axis + 1] = block;
    return blocks;
}

/* A scale or zero point of blocks along the axis, or one for all. */
static struct imported *of_blocks(struct translation *t, struct imported *x,
                                  const struct shape *blocks, int axis)
{
    struct shape shape = *blocks;

    shape.extent[axis + 1] = 1;
    if (!x || shape_volume(&x->shape) == 1)
        return reshape_to(t, x, &(struct shape){0});
    return reshape_to(t, x, &shape);
}

/* Blocks of items along an axis get a dimension of their own, so that each has one scale. */
static struct imported *decode_blocks(struct translation *t, struct imported *x,
                                      const struct code *code, int64_t block)
{
    int axis;

    if (!resolve_axis(t, get_int(t, "axis", 1), x->shape.rank, &axis))
        return NULL;
    if (x->shape.extent[axis] == block) /* a dimension of their own is there */
        return numbers(t, x, code->zero, code->scale);
    const struct shape shape = x->shape, blocks = shape_in_blocks(&shape, axis, block);
    return reshape_to(t,
                      numbers(t, reshape_to(t, x, &blocks), of_blocks(t, code->zero, &blocks, axis),
                              of_blocks(t, code->scale, &blocks, axis)),
                      &shape);
}

/* Is there a scale for each block of so many items along the axis? */
static bool is_in_blocks(struct translation *t, const struct imported *x, const struct code *code,
                         int64_t block)
{
    const struct shape *scale = &code->scale->shape;
    int64_t axis = get_int(t, "axis", 1);

    axis += axis < 0 ? x->shape.rank : 0;
    if (block < 1 || axis < 0 || axis >= x->shape.rank || x->shape.rank == MAX_RANK ||
        scale->rank != x->shape.rank || x->shape.extent[axis] % block != 0 ||
        (code->zero && !shape_equal(&code->zero->shape, scale)))
        return false;
    struct shape each = x->shape;
    each.extent[axis] /= block;
    return shape_equal(scale, &each);
}

/* By blocks of items along the axis if `block` is not 0. */
static struct imported *decode(struct translation *t, struct imported *x, const struct code *code,
                               int64_t block)
{
    if (!x || !code->scale)
        return NULL;
    if (is_in_blocks(t, x, code, block))
        return decode_blocks(t, x, code, block);
    struct imported *scale = along_axis(t, code->scale, &x->shape, block);
    struct imported *zero = along_axis(t, code->zero, &x->shape, block);
    return scale ? numbers(t, x, zero, scale) : NULL;
}

/* Integers of numbers, whose scale and zero point (NULL: 0) broadcast. */
static struct imported *integers(struct translation *t, struct imported *x, struct imported *scale,
                                 struct imported *zero, int32_t type)
{
    const int64_t bits = integer_bits(type);

    if (dtype_of(type) != DTYPE_INTEGER || bits > 32)
        return x ? import_unsupported(t, "makes integers of a type that is not supported") : NULL;
    check_scale(t, scale);
    const int64_t half = (int64_t)1 << (bits - 1), low = integer_is_signed(type) ? -half : 0;
    struct imported *in[] = {convert(t, x, ONNX_FLOAT), convert(t, scale, ONNX_FLOAT),
                             zero_or_none(t, zero, type)};
    x = make_all(t, OP_SPEC(quantize, .low = low, .high = low + 2 * half - 1), in, 3);
    if (x)
        x->type = type;
    return x;
}

static struct imported *encode(struct translation *t, struct imported *x, const struct code *code,
                               int64_t block)
{
    return x ? integers(t, x, along_axis(t, code->scale, &x->shape, block),
                        along_axis(t, code->zero, &x->shape, block), code->type)
             : NULL;
}

/* By inputs `first` (scale) and `first` + 1 (zero point), which tells the type, too. */
static struct code code_at(const struct translation *t, int first, int32_t otherwise)
{
    struct code code = {input_at(t, first), input_at(t, first + 1), otherwise};

    if (code.zero)
        code.type = code.zero->type;
    return code;
}

struct imported *import_quantize_linear(struct translation *t)
{
    int64_t asked = get_int(t, "output_dtype", 0);
    struct code code = code_at(t, 1, asked ? (int32_t)asked : ONNX_UINT8);

    return encode(t, input_at(t, 0), &code, get_int(t, "block_size", 0));
}

/* The numbers have the type of the scale unless another is asked for. */
struct imported *import_dequantize_linear(struct translation *t)
{
    struct code code = code_at(t, 1, 0);
    struct imported *number = decode(t, input_at(t, 0), &code, get_int(t, "block_size", 0));
    int64_t asked = get_int(t, "output_dtype", 0);

    return asked ? convert(t, number, (int32_t)asked) : number;
}

/* The least range that has all items and 0, in 255 steps. */
static struct code dynamic_code(struct translation *t, struct imported *x)
{
    static const int64_t all[MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct imported *none = literal(t, 0), *steps = literal(t, 255);
    struct integers axes = {x->shape.rank, all};
    struct shape single = {0};
    struct imported *low =
        op2(t, OP_min, reshape_to(t, reduce(t, OP_min_reduce, x, &axes), &single), none);
    struct imported *high =
        op2(t, OP_max, reshape_to(t, reduce(t, OP_max_reduce, x, &axes), &single), none);
    struct imported *scale = op2(t, OP_div, op2(t, OP_sub, high, low), steps);
    struct imported *zero = op1(t, OP_neg, op2(t, OP_div, low, scale));

    return (struct code){scale, integers(t, zero, literal(t, 1), NULL, ONNX_UINT8), ONNX_UINT8};
}

struct imported *import_dynamic_quantize_linear(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    const struct code code = dynamic_code(t, x);

    set_output(t, 1, code.scale);
    set_output(t, 2, code.zero);
    return encode(t, x, &code, 0);
}

/* --- operators on integers ------------------------------------------------------------------- */

/* Scales of rank 1 are those of rows on the left, of columns on the right. */
static struct imported *matrix_scale(struct translation *t, struct imported *x, bool rows)
{
    return x && x->shape.rank == 1 ? spread_along(t, x, rows ? 2 : 1, 0) : x;
}

/* The numbers of an operand of a product. */
static struct imported *matrix(struct translation *t, struct imported *x, const struct code *code,
                               bool rows)
{
    return numbers(t, x, matrix_scale(t, code->zero, rows), matrix_scale(t, code->scale, rows));
}

struct imported *import_q_linear_matmul(struct translation *t)
{
    struct code a = code_at(t, 1, 0), b = code_at(t, 4, 0), y = code_at(t, 6, ONNX_UINT8);
    struct imported *product =
        matmul(t, matrix(t, input_at(t, 0), &a, true), matrix(t, input_at(t, 3), &b, false));

    return integers(t, product, matrix_scale(t, y.scale, true), matrix_scale(t, y.zero, true),
                    y.type);
}

/* One for all, one for each row of the left matrix, or one for each column of the right one. */
static bool is_zero_point(struct translation *t, int index, bool rows)
{
    const struct imported *x = input_at(t, index - 2), *zero = input_at(t, index);
    const int rank = x->shape.rank;

    if (!zero || (shape_volume(&zero->shape) == 1 && zero->shape.rank < 2))
        return true;
    struct shape wide = x->shape;
    if (rank >= 2) {
        wide.extent[rows ? rank - 1 : rank - 2] = 1;
        if (shape_equal(&zero->shape, &wide) ||
            (zero->shape.rank == 1 &&
             zero->shape.extent[0] == x->shape.extent[rows ? rank - 2 : rank - 1]))
            return true;
    }
    return import_error(t, DIAG_ONNX_GRAPH,
                        "input %d has shape %s, expected a single item or one for each %s of %s",
                        index, SHAPE_TEXT(&zero->shape), rows ? "row" : "column",
                        SHAPE_TEXT(&x->shape));
}

/* Sums of INT32, which wrap. */
static struct imported *sums(struct translation *t, struct imported *sum)
{
    return convert(t, sum, ONNX_INT32);
}

/* A zero point for all, or one for each row or column of matrices of that rank: as an operand of
 * the product.  Others, which differ in the batch, are taken from *x. */
static struct imported *zero_of_matrix(struct translation *t, struct imported **x,
                                       struct imported *zero, int rank, bool rows)
{
    struct imported *none = known_integer(t, 0, ONNX_INT64);

    if (!zero)
        return none;
    if (shape_volume(&zero->shape) == 1)
        return reshape_to(t, convert(t, zero, ONNX_INT64), &(struct shape){0});
    if (zero->shape.rank == 1)
        return with_rank(t, convert(t, matrix_scale(t, zero, rows), ONNX_INT64), rank);
    *x = op2(t, OP_sub, convert(t, *x, ONNX_INT32), convert(t, zero, ONNX_INT32));
    return none;
}

struct imported *import_matmul_integer(struct translation *t)
{
    struct imported *a = input_at(t, 0), *b = input_at(t, 1);

    if (!is_zero_point(t, 2, true) || !is_zero_point(t, 3, false))
        return NULL;
    if (a->shape.rank < 2 || b->shape.rank < 2) /* a vector has no rows or columns */
        return matmul(
            t,
            op2(t, OP_sub, convert(t, a, ONNX_INT32), zero_or_none(t, input_at(t, 2), ONNX_INT32)),
            op2(t, OP_sub, convert(t, b, ONNX_INT32), zero_or_none(t, input_at(t, 3), ONNX_INT32)));
    int rank = a->shape.rank > b->shape.rank ? a->shape.rank : b->shape.rank;
    struct imported *zero_a = zero_of_matrix(t, &a, input_at(t, 2), rank, true);
    struct imported *zero_b = zero_of_matrix(t, &b, input_at(t, 3), rank, false);
    if (!a || !b)
        return NULL;
    struct imported *in[] = {with_rank(t, a, rank), with_rank(t, b, rank),
                             known_integer(t, 0, ONNX_INT64), zero_a, zero_b};
    return sums(t, make_all(t, op_plain(OP_quantized_matmul), in, 5));
}

/* The numbers of a filter, by zero points and scales of its channels of output. */
static struct imported *filter_of(struct translation *t, struct imported *x,
                                  const struct code *code)
{
    int rank = x->shape.rank;

    assert(rank <= MAX_RANK);
    return numbers(t, x, spread_along(t, code->zero, rank, 0),
                   spread_along(t, code->scale, rank, 0));
}

/* The bias has integers of scale x.scale * w.scale. `turns`: images have their channels last. */
static struct imported *q_linear_conv(struct translation *t, bool turns)
{
    struct code x = code_at(t, 1, 0), w = code_at(t, 4, 0), y = code_at(t, 6, ONNX_UINT8);
    struct imported *bias = input_at(t, 8);

    if (bias)
        bias = numbers(t, bias, NULL, op2(t, OP_mul, x.scale, w.scale));
    struct imported *image = decode(t, input_at(t, 0), &x, 0);
    image = turns ? move_channels(t, image, false) : image;
    struct imported *sum = convolve(t, image, filter_of(t, input_at(t, 3), &w), bias);
    return encode(t, turns ? move_channels(t, sum, true) : sum, &y, 0);
}

struct imported *import_q_linear_conv(struct translation *t)
{
    return q_linear_conv(t, false);
}

/* Zero points are those of the channels of output, or one for all. */
struct imported *import_conv_integer(struct translation *t)
{
    struct imported *zero_x = input_at(t, 2), *zero_y = input_at(t, 3);
    const struct shape number = {0};

    if (zero_x && shape_volume(&zero_x->shape) != 1)
        return import_refuse(t, DIAG_SHAPE_MISMATCH, "has a zero point of shape %s for its input",
                             SHAPE_TEXT(&zero_x->shape));
    zero_x = reshape_to(t, zero_or_none(t, zero_x, ONNX_INT64), &number);
    zero_y = zero_or_none(t, zero_y, ONNX_INT64);
    if (zero_y && shape_volume(&zero_y->shape) == 1)
        zero_y = reshape_to(t, zero_y, &number);
    return sums(t, convolve_integers(t, input_at(t, 0), zero_x, input_at(t, 1), zero_y));
}

/* --- of domain com.microsoft ----------------------------------------------------------------- */

/* As in ONNX; this domain had 16 bits before opset 21 of ONNX did. */
struct imported *import_microsoft_quantize_linear(struct translation *t)
{
    return import_quantize_linear(t);
}

struct imported *import_microsoft_dequantize_linear(struct translation *t)
{
    return import_dequantize_linear(t);
}

static bool is_given(struct translation *t, int index)
{
    return has_input(t, index) ||
           import_error(t, DIAG_ONNX_GRAPH, "input %d is left out, expected a tensor", index);
}

/* Input `index` as numbers: its scale and zero point are behind it. */
static struct imported *coded_input(struct translation *t, int index)
{
    const struct code code = code_at(t, index + 1, 0);

    if (has_input(t, index) && code.zero && code.zero->type != input_at(t, index)->type)
        return import_refuse(t, DIAG_ONNX_GRAPH, "input %d has a zero point of another type",
                             index);
    return is_given(t, index) && is_given(t, index + 1) ? decode(t, input_at(t, index), &code, 0)
                                                        : NULL;
}

/* Integers of that type, unless the zero point has another one; `index`: of the scale. */
static struct imported *coded_output(struct translation *t, struct imported *x, int index,
                                     int32_t type)
{
    const struct code code = code_at(t, index, type);

    return is_given(t, index) ? encode(t, x, &code, 0) : NULL;
}

/* Decode input 0, apply a plain operator by the rules of that opset, and encode the result;
 * `index`: see coded_output(). */
static struct imported *through_numbers(struct translation *t, import_function *plain, int opset,
                                        int index)
{
    const bool turns = get_int(t, "channels_last", 0);
    struct imported *x = coded_input(t, 0), **in = t->in;
    const int64_t own = t->opset;
    const int count = t->nin;

    x = turns ? move_channels(t, x, false) : x;
    if (!x)
        return NULL;
    t->in = &x;
    t->nin = 1;
    t->opset = opset;
    struct imported *y = plain(t);
    t->in = in;
    t->nin = count;
    t->opset = own;
    return coded_output(t, turns ? move_channels(t, y, true) : y, index, input_at(t, 0)->type);
}

static struct imported *by_numbers(struct translation *t, enum op_id op)
{
    struct imported *x = coded_input(t, 0), *y = coded_input(t, 3);

    return x && y ? coded_output(t, op2(t, op, x, y), 6, input_at(t, 0)->type) : NULL;
}

struct imported *import_q_linear_add(struct translation *t)
{
    return by_numbers(t, OP_add);
}

struct imported *import_q_linear_mul(struct translation *t)
{
    return by_numbers(t, OP_mul);
}

struct imported *import_microsoft_q_linear_conv(struct translation *t)
{
    const bool turns = get_int(t, "channels_last", 0);

    if (!is_given(t, 3) || !is_given(t, 4) || !is_given(t, 6))
        return NULL;
    if (turns && input_at(t, 0)->shape.rank < 3)
        return import_refuse(t, DIAG_RANK, "has an input of rank %d, expected 3 or more",
                             input_at(t, 0)->shape.rank);
    return q_linear_conv(t, turns);
}

static struct imported *plain_sigmoid(struct translation *t)
{
    return op1(t, OP_sigmoid, input_at(t, 0));
}

struct imported *import_q_linear_sigmoid(struct translation *t)
{
    return through_numbers(t, plain_sigmoid, 13, 3);
}

static struct imported *plain_leaky_relu(struct translation *t)
{
    return make1(t, OP_SPEC(leaky_relu, .alpha = get_float(t, "alpha", 0.01)), input_at(t, 0));
}

struct imported *import_q_linear_leaky_relu(struct translation *t)
{
    return through_numbers(t, plain_leaky_relu, 13, 3);
}

/* Along one axis; before opset 13 of ONNX along it and all behind it. */
static struct imported *plain_softmax(struct translation *t)
{
    bool single = get_int(t, "opset", 13) >= 13;
    struct imported *x = input_at(t, 0);
    int64_t axes[MAX_RANK];
    int axis, count = 0;

    if (!resolve_axis(t, get_int(t, "axis", -1), x->shape.rank, &axis))
        return NULL;
    for (int i = axis; i < (single ? axis + 1 : x->shape.rank); i++)
        axes[count++] = i;
    return make1(t, OP_SPEC(softmax, .axes = {count, axes}), x);
}

struct imported *import_q_linear_softmax(struct translation *t)
{
    return through_numbers(t, plain_softmax, 13, 3);
}

static struct imported *plain_mean(struct translation *t)
{
    return reduction_of(t, OP_mean_reduce);
}

struct imported *import_q_linear_reduce_mean(struct translation *t)
{
    return through_numbers(t, plain_mean, 13, 3);
}

struct imported *import_q_linear_average_pool(struct translation *t)
{
    return through_numbers(t, import_average_pool, 11, 3);
}

static struct imported *plain_global_average_pool(struct translation *t)
{
    static const int64_t spatial[MAX_RANK] = {2, 3, 4, 5, 6, 7};
    struct imported *x = input_at(t, 0);
    struct integers axes = {x->shape.rank > 2 ? x->shape.rank - 2 : 0, spatial};

    return reduce(t, OP_mean_reduce, x, &axes);
}

struct imported *import_q_linear_global_average_pool(struct translation *t)
{
    return through_numbers(t, plain_global_average_pool, 13, 3);
}

struct imported *import_q_linear_where(struct translation *t)
{
    struct imported *x = coded_input(t, 1), *y = coded_input(t, 4);

    return x && y
               ? coded_output(t, op3(t, OP_select, input_at(t, 0), x, y), 7, input_at(t, 1)->type)
               : NULL;
}

/* Inputs: scale and zero point of the result; then tensor, scale and zero point of each part. */
struct imported *import_q_linear_concat(struct translation *t)
{
    int count = (t->nin - 2) / 3;
    struct imported **parts = import_alloc(t, count + 1, sizeof *parts);

    if (t->nin != 2 + 3 * count || count == 0)
        return import_refuse(t, DIAG_ONNX_GRAPH,
                             "has %d inputs, expected three for each tensor behind the first two",
                             t->nin);
    for (int i = 0; i < count; i++)
        if (!(parts[i] = coded_input(t, 2 + 3 * i)))
            return NULL;
    return coded_output(t, join_parts(t, parts, count, get_int(t, "axis", 0)), 0,
                        input_at(t, 2)->type);
}

/* Scales and zero points of the right matrix may be those of its columns.  The scale of the bias is
 * alpha * scale a * scale b.  Without an output scale the result is float. */
struct imported *import_q_gemm(struct translation *t)
{
    const bool flip_b = get_int(t, "transB", 0);
    const struct code a = code_at(t, 1, 0), b = code_at(t, 4, 0);
    struct imported *x = input_at(t, 0), *y = input_at(t, 3), *bias = input_at(t, 6);
    struct imported *alpha = literal(t, get_float(t, "alpha", 1));

    if (!is_given(t, 3) || !is_given(t, 4))
        return NULL;
    if (x->shape.rank != 2 || y->shape.rank != 2)
        return import_refuse(t, DIAG_RANK, "has inputs of rank %d and %d, expected 2",
                             x->shape.rank, y->shape.rank);
    x = decode(t, x, &a, 0);
    y = numbers(t, y, spread_along(t, b.zero, 2, !flip_b), spread_along(t, b.scale, 2, !flip_b));
    if (bias) {
        struct imported *scale =
            op2(t, OP_mul, spread_along(t, a.scale, 1, 0), spread_along(t, b.scale, 1, 0));
        bias = numbers(t, bias, NULL, scale);
    }
    if (!x || !y || (has_input(t, 6) && !bias))
        return NULL;
    struct imported *sum = flipped_product(t, x, y, bias);
    if (get_float(t, "alpha", 1) != 1)
        sum = op2(t, OP_mul, sum, alpha);
    return has_input(t, 7) ? coded_output(t, sum, 7, input_at(t, 0)->type) : sum;
}

struct imported *add_bias(struct translation *t, struct imported *x, int index)
{
    return x && has_input(t, index) ? op2(t, OP_add, x, input_at(t, index)) : x;
}

struct imported *import_matmul_integer_to_float(struct translation *t)
{
    const struct code a = {input_at(t, 2), input_at(t, 4), 0};
    const struct code b = {input_at(t, 3), input_at(t, 5), 0};

    return add_bias(
        t, matmul(t, matrix(t, input_at(t, 0), &a, true), matrix(t, input_at(t, 1), &b, false)), 6);
}

struct imported *import_dynamic_quantize_matmul(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    const struct code a = dynamic_code(t, x);
    const struct code b = {input_at(t, 2), input_at(t, 3), 0};
    struct imported *left = decode(t, encode(t, x, &a, 0), &a, 0);

    return add_bias(t, matmul(t, left, matrix(t, input_at(t, 1), &b, false)), 4);
}
