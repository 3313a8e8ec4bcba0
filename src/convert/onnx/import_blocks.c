/*
 * import_blocks.c - MatMulNBits of ONNX Runtime: products with weights of few bits in blocks
 *
 * Weights stay integers with a dimension for blocks: the pass find-block-products makes products of
 * them that read integers.
 */
#include "convert/onnx/import_share.h"
#include "convert/onnx/import_value.h"
#include "convert/proto/onnx_data.h"

#include "base/num.h"

#include <inttypes.h>
#include <math.h>

/* Of MatMulNBits: integers of a few bits, each row in blocks with a scale and a zero point each. */
struct blocks {
    int64_t rows, columns, size, count; /* items of a block, blocks of a row */
    int bits;
    const struct tensor *codes, *scales, *zeros; /* zeros NULL: the middle of the range */
    bool packed;                                 /* zeros are integers of so many bits, too */
};

/* Integer `index` of a row of them, which begin in the lowest bits of byte `from`. */
static int64_t code_of(const struct tensor *bytes, int bits, int64_t from, int64_t index)
{
    int64_t byte = tensor_integer(bytes, from + index * bits / 8);

    return byte >> index * bits % 8 & ((1 << bits) - 1);
}

static double zero_of(const struct blocks *b, int64_t row, int64_t block)
{
    if (!b->zeros)
        return 1 << (b->bits - 1);
    return b->packed ? (double)code_of(b->zeros, b->bits,
                                       row * num_divide_up(b->count * b->bits, 8), block)
                     : tensor_item(b->zeros, row * b->count + block);
}

/* Do inputs have as many items as the attributes say?  False after a report. */
static bool check_blocks_of(struct translation *t, const struct blocks *b)
{
    const int64_t bytes = b->rows * b->count * (b->size * b->bits / 8);
    const int64_t scales = b->rows * b->count;
    const int64_t zeros = b->packed ? b->rows * num_divide_up(b->count * b->bits, 8) : scales;

    if (b->codes->dtype != DTYPE_INTEGER || shape_volume(&b->codes->shape) != bytes ||
        shape_volume(&b->scales->shape) != scales ||
        (b->zeros && shape_volume(&b->zeros->shape) != zeros))
        return import_error(
            t, DIAG_SHAPE_MISMATCH,
            "has weights, scales and zero points of shapes %s, %s and %s for %" PRId64
            " rows of %" PRId64 " items",
            SHAPE_TEXT(&b->codes->shape), SHAPE_TEXT(&b->scales->shape),
            b->zeros ? SHAPE_TEXT(&b->zeros->shape) : "-", b->rows, b->columns);
    return true;
}

/* With rows as columns, so that a product has no transpose. */
static struct imported *numbers_of_blocks(struct translation *t, const struct blocks *b)
{
    const struct shape shape = {.rank = 2, .extent = {b->columns, b->rows}};
    struct tensor *items;
    struct imported *known = known_new(t, ONNX_FLOAT, &shape, &items);

    for (int64_t i = 0; known && i < b->rows * b->count; i++) {
        const int64_t row = i / b->count, first = i % b->count * b->size;
        const double zero = zero_of(b, row, i % b->count);
        const float scale = (float)tensor_item(b->scales, i);
        for (int64_t k = 0; k < num_min(b->size, b->columns - first); k++) {
            double code = (double)code_of(b->codes, b->bits, i * (b->size * b->bits / 8), k);
            ((float *)items->data)[(first + k) * b->rows + row] = (float)(code - zero) * scale;
        }
    }
    return known;
}

/* Integers of a few bits, from the first byte on, as a tensor of the type of bytes: where they are
 * if that can be. */
static struct imported *codes_at(struct translation *t, struct imported *bytes, int bits,
                                 const struct shape *shape)
{
    struct tensor *items;

    if (bits == 8 && bytes->type == ONNX_UINT8)
        return reshape_to(t, bytes, shape);
    if (bits == 4 && bytes->known->bytes)
        return nibbles_of(t, bytes, shape);
    struct imported *codes =
        bits == 8 ? known_new(t, ONNX_UINT8, shape, &items) : known_nibbles(t, shape, &items);
    for (int64_t i = 0; codes && i < shape_volume(shape); i++) {
        const int64_t code = code_of(bytes->known, bits, 0, i);
        if (items->bytes)
            ((uint8_t *)items->bytes)[i / 2] |= (uint8_t)(code << i % 2 * 4);
        else
            ((int64_t *)items->data)[i] = code;
    }
    return codes;
}

static struct imported *codes_of_blocks(struct translation *t, const struct blocks *b)
{
    const struct shape shape = {.rank = 3, .extent = {b->rows, b->count, b->size}};

    return codes_at(t, input_at(t, 1), b->bits, &shape);
}

/* Zero points as integers; false: some have fractions. */
static bool has_whole_zeros(const struct blocks *b)
{
    for (int64_t i = 0; b->zeros && !b->packed && i < b->rows * b->count; i++) {
        const double zero = tensor_item(b->zeros, i);
        if (!(zero >= 0 && zero < 1 << b->bits && zero == floor(zero)))
            return false;
    }
    return true;
}

static struct imported *zeros_of_blocks(struct translation *t, const struct blocks *b)
{
    const struct shape shape = {.rank = 3, .extent = {b->rows, b->count, 1}};
    struct tensor *items;

    if (!b->zeros)
        return known_integer(t, 1 << (b->bits - 1), ONNX_UINT8);
    if (b->packed && b->count * b->bits % 8 == 0)
        return codes_at(t, input_at(t, 3), b->bits, &shape);
    struct imported *zeros = known_new(t, ONNX_UINT8, &shape, &items);
    for (int64_t i = 0; zeros && i < b->rows * b->count; i++)
        ((int64_t *)items->data)[i] = (int64_t)zero_of(b, i / b->count, i % b->count);
    return zeros;
}

/* The numbers, with rows as rows. */
static struct imported *matrix_of_blocks(struct translation *t, const struct blocks *b)
{
    const struct shape shape = {.rank = 2, .extent = {b->rows, b->count * b->size}};
    const struct shape each = {.rank = 3, .extent = {b->rows, b->count, 1}};
    struct imported *matrix =
        reshape_to(t,
                   dequantized(t, codes_of_blocks(t, b), zeros_of_blocks(t, b),
                               reshape_to(t, convert(t, input_at(t, 2), ONNX_FLOAT), &each)),
                   &shape);

    return b->columns < b->count * b->size ? slice_at(t, matrix, 1, 0, b->columns) : matrix;
}

static struct imported *product_of_blocks(struct translation *t, struct imported *x,
                                          const struct blocks *b)
{
    if (!has_whole_zeros(b))
        return matmul(t, x, numbers_of_blocks(t, b));
    struct imported *matrix = matrix_of_blocks(t, b);
    if (!x || !matrix || x->shape.rank < 2)
        return matmul(t, x, matrix ? transpose_last(t, matrix) : NULL);
    return make2(t, OP_SPEC(matmul, .transpose_b = true), x, with_rank(t, matrix, x->shape.rank));
}

/* Bytes, whatever lies in them. */
static bool check_bytes(struct translation *t, const struct imported *x, const char *what)
{
    return x->type == ONNX_UINT8 ||
           import_refuse(t, DIAG_TYPE_MISMATCH, "has %s of type %s, expected UINT8", what,
                         onnx_type_name(x->type));
}

struct imported *import_matmul_n_bits(struct translation *t)
{
    struct blocks b = {.rows = get_int(t, "N", 0),
                       .columns = get_int(t, "K", 0),
                       .size = get_int(t, "block_size", 32)};
    const int64_t bits = get_int(t, "bits", 4);
    struct imported *x = input_at(t, 0), *zeros = input_at(t, 3);
    const int64_t most = 1 << 30; /* so that products fit */

    if (has_input(t, 4))
        return import_unsupported(t, "has columns in another order ('g_idx')");
    if (has_input(t, 1) && !check_bytes(t, input_at(t, 1), "weights"))
        return NULL;
    b.codes = known_input(t, 1);
    b.scales = b.codes ? known_input(t, 2) : NULL;
    b.zeros = b.scales && zeros ? known_input(t, 3) : NULL;
    if (!b.scales || (zeros && !b.zeros))
        return NULL;
    b.packed = zeros && dtype_of(zeros->type) == DTYPE_INTEGER;
    if (b.packed && !check_bytes(t, zeros, "zero points"))
        return NULL;
    if (b.rows < 1 || b.rows > most || b.columns < 1 || b.columns > most || b.size < 1 ||
        b.size > most)
        return import_refuse(t, DIAG_ITEM_VALUE,
                             "has %" PRId64 " rows of %" PRId64 " items in blocks of %" PRId64,
                             b.rows, b.columns, b.size);
    if ((bits != 2 && bits != 4 && bits != 8) || b.size < 16 || (b.size & (b.size - 1)) != 0)
        return import_refuse(t, DIAG_ITEM_VALUE,
                             "has blocks of %" PRId64 " items of %" PRId64 " bits", b.size, bits);
    b.bits = (int)bits;
    b.count = num_divide_up(b.columns, b.size);
    if (!check_blocks_of(t, &b))
        return NULL;
    return add_bias(t, product_of_blocks(t, convert(t, x, ONNX_FLOAT), &b), 5);
}
