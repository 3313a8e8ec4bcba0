/*
 * integer.c - arithmetic on integers that is exact, of the extensions
 *
 * Items are 64-bit integers.  Every sum, product and quotient is taken modulo 2^64, then wrapped to
 * the width of the operation, with its sign or without.  An item of 64 bits without a sign is held
 * as the signed one of the same bits, so only quotients, orders and shifts to the right look at it
 * in another way: they are told by `huge`.
 */
#include "op/broadcast.h"
#include "op/check.h"
#include "op/compute.h"
#include "op/lanes.h"
#include "op/matmul.h"
#include "op/op_build.h"
#include "tensor/shape.h"

#include <assert.h>
#include <inttypes.h>

/* What items are made of, which the backend 'c' prints, too. */
#define NN_USUAL static inline
#include "op/text/integers.h"

/* --- item by item ------------------------------------------------------------------------ */

static bool check_bits(const struct infer *infer, int64_t bits)
{
    return bits <= NN_WIDEST || infer_error(infer, "bits", DIAG_ITEM_VALUE,
                                            "'bits' of '%s' is %" PRId64 ", expected at most %d",
                                            infer_name(infer), bits, NN_WIDEST);
}

static bool element_infer(struct infer *infer)
{
    const struct wrap_attrs *attrs = infer->attrs;

    return check_bits(infer, attrs->bits) &&
           (infer->nin == 1 ? infer_same(infer) : infer_broadcast(infer));
}

static void element_run(const void *data, const struct item_run *run)
{
    const struct eval *eval = data;
    const struct wrap_attrs *attrs = eval->attrs;
    const struct tensor *out = eval->out[0];
    const int last = (int)eval->node->nin - 1;
    const int64_t *x = (const int64_t *)eval->in[0]->data + run->at[0];
    const int64_t *y = (const int64_t *)eval->in[last]->data + run->at[last];
    bool huge = attrs->bits == NN_WIDEST && !attrs->is_signed;

    for (int64_t i = 0; i < run->count; i++) {
        int64_t z = eval->node->op->integer(x[i * run->step[0]], y[i * run->step[last]], huge);
        if (out->dtype == DTYPE_LOGICAL)
            ((unsigned char *)out->data)[run->first + i] = z != 0;
        else
            ((int64_t *)out->data)[run->first + i] = nn_wrap(z, attrs->bits, attrs->is_signed);
    }
}

static bool element_eval(const struct eval *eval)
{
    struct walk walk;

    walk_init(&walk, &eval->out[0]->shape, eval->in, (int)eval->node->nin);
    walk_share(eval, &walk, element_run, eval);
    return true;
}

/* No result stands for a quotient by 0. */
static bool division_eval(const struct eval *eval)
{
    const int64_t *divisor = eval->in[1]->data;
    bool is_needed = shape_volume(&eval->out[0]->shape) > 0;

    for (int64_t i = 0, count = shape_volume(&eval->in[1]->shape); i < count && is_needed; i++)
        if (divisor[i] == 0)
            return eval_error(eval, DIAG_DIVISION_BY_ZERO, "an integer is divided by 0");
    return element_eval(eval);
}

/*
 * Defines the function of two items, or of one, and the descriptor of one operator; see UNARY().
 * Unsigned sums, differences and products wrap.
 */
#define INTEGER(operator, formula, kernel, more)                                        \
    static int64_t operator##_of(int64_t x, int64_t y, bool huge)                       \
    {                                                                                   \
        (void)y, (void)huge;                                                            \
        return (int64_t)(formula);                                                      \
    }                                                                                   \
    DESCRIPTOR(integer_##operator,(more) | OP_ELEMENTWISE | OP_PARTIAL | OP_ANY_LAYOUT, \
               .infer = element_infer, .eval = (kernel), .integer = operator##_of,      \
               .expression = #formula)

INTEGER(add, (uint64_t)x + (uint64_t)y, element_eval, OP_COMMUTATIVE);
INTEGER(sub, (uint64_t)x - (uint64_t)y, element_eval, 0);
INTEGER(mul, (uint64_t)x *(uint64_t)y, element_eval, OP_COMMUTATIVE);
INTEGER(div, nn_quotient(x, y, huge), division_eval, 0);
INTEGER(rest, nn_rest(x, y, huge), division_eval, 0);
INTEGER(mod, nn_modulus(x, y, huge), division_eval, 0);
INTEGER(pow, nn_power(x, y, huge), element_eval, 0);
INTEGER(min, nn_is_less(x, y, huge) ? x : y, element_eval, OP_COMMUTATIVE);
INTEGER(max, nn_is_less(y, x, huge) ? x : y, element_eval, OP_COMMUTATIVE);

INTEGER(and, (uint64_t)x &(uint64_t)y, element_eval, OP_COMMUTATIVE);
INTEGER(or, (uint64_t)x | (uint64_t)y, element_eval, OP_COMMUTATIVE);
INTEGER(xor, (uint64_t)x ^ (uint64_t)y, element_eval, OP_COMMUTATIVE);
INTEGER(shift_left, y < 0 || y >= NN_WIDEST ? 0 : (uint64_t)x << y, element_eval, 0);
INTEGER(shift_right, nn_shifted_right(x, y, huge), element_eval, 0);

INTEGER(lt, nn_is_less(x, y, huge), element_eval, 0);
INTEGER(gt, nn_is_less(y, x, huge), element_eval, 0);
INTEGER(le, !nn_is_less(y, x, huge), element_eval, 0);
INTEGER(ge, !nn_is_less(x, y, huge), element_eval, 0);
INTEGER(eq, x == y, element_eval, OP_COMMUTATIVE);
INTEGER(ne, x != y, element_eval, OP_COMMUTATIVE);

INTEGER(neg, 0 - (uint64_t)x, element_eval, 0);
INTEGER(abs, !huge && x < 0 ? 0 - (uint64_t)x : (uint64_t)x, element_eval, 0);
INTEGER(sign, huge ? x != 0 : (x > 0) - (x < 0), element_eval, 0);
INTEGER(not, ~(uint64_t)x, element_eval, 0);
INTEGER(wrap, x, element_eval, 0);

/* --- along axes -------------------------------------------------------------------------- */

struct integer_lanes {
    const struct eval *eval;
    struct lanes lanes;
    int64_t start;
    bool huge;
};

static bool reduction_infer(struct infer *infer)
{
    const struct wrap_reduce_attrs *attrs = infer->attrs;

    return check_bits(infer, attrs->bits) &&
           infer_reduction(infer, &attrs->axes, infer->call->op->id != OP_integer_sum_reduce);
}

static void fold_lane(const void *data, int64_t lane)
{
    const struct integer_lanes *r = data;
    const struct wrap_reduce_attrs *attrs = r->eval->attrs;
    const struct lanes *lanes = &r->lanes;
    const int64_t *item = (const int64_t *)r->eval->in[0]->data + lanes_begin(lanes, lane);
    int64_t result = r->start;

    for (int64_t i = 0; i < lanes->length; i += lanes->row) {
        const int64_t *row = item + lanes_row(lanes, i);
        for (int64_t k = 0; k < lanes->row; k++)
            result = r->eval->node->op->integer(result, row[k * lanes->step], r->huge);
    }
    ((int64_t *)r->eval->out[0]->data)[lane] = nn_wrap(result, attrs->bits, attrs->is_signed);
}

/* The least or greatest that such an integer can be is where an extremum begins. */
static int64_t least(const struct wrap_reduce_attrs *attrs)
{
    return attrs->is_signed
               ? nn_wrap((int64_t)((uint64_t)1 << (attrs->bits - 1)), attrs->bits, true)
               : 0;
}

/* The index of the first item that no other is beyond. */
static void find_in_lane(const void *data, int64_t lane)
{
    const struct integer_lanes *r = data;
    const struct lanes *lanes = &r->lanes;
    const int64_t *item = (const int64_t *)r->eval->in[0]->data + lanes_begin(lanes, lane);
    int64_t best = item[0], found = 0;

    for (int64_t i = 0; i < lanes->length; i += lanes->row) {
        const int64_t *row = item + lanes_row(lanes, i);
        for (int64_t k = 0; k < lanes->row; k++)
            if (r->eval->node->op->integer(row[k * lanes->step], best, r->huge)) {
                best = row[k * lanes->step];
                found = i + k;
            }
    }
    ((int64_t *)r->eval->out[0]->data)[lane] = found;
}

static bool reduction_eval(const struct eval *eval)
{
    const struct wrap_reduce_attrs *attrs = eval->attrs;
    const unsigned op = eval->node->op->id;
    bool finds = op == OP_integer_argmax_reduce || op == OP_integer_argmin_reduce;
    struct integer_lanes r = {.eval = eval, .huge = attrs->bits == NN_WIDEST && !attrs->is_signed};

    if (op == OP_integer_max_reduce)
        r.start = least(attrs);
    else if (op == OP_integer_min_reduce)
        r.start = nn_wrap(~least(attrs), attrs->bits, attrs->is_signed);
    lanes_init(&r.lanes, &eval->in[0]->shape, &attrs->axes);
    if (!finds || r.lanes.length > 0)
        eval_share(eval, r.lanes.count, finds ? find_in_lane : fold_lane, &r);
    return true;
}

#define REDUCE(name, function, traits)                                                      \
    DESCRIPTOR(integer_##name##_reduce, traits, .kind = "reduce", .infer = reduction_infer, \
               .eval = reduction_eval, .integer = function)

REDUCE(sum, add_of, OP_ANY_LAYOUT);
REDUCE(max, max_of, OP_ANY_LAYOUT);
REDUCE(min, min_of, OP_ANY_LAYOUT);
REDUCE(argmax, gt_of, 0);
REDUCE(argmin, lt_of, 0);

/* --- products of matrices ---------------------------------------------------------------- */

enum { LEFT, RIGHT, BIAS, LEFT_ZERO, RIGHT_ZERO };

static bool is_quantized(const struct op_desc *op)
{
    return op->id == OP_quantized_matmul;
}

/* The attributes of both operations begin with these. */
static struct matmul_attrs product_of(const struct op_desc *op, const void *attrs)
{
    const struct integer_matmul_attrs *wraps = attrs;
    const struct quantized_matmul_attrs *exact = attrs;

    return is_quantized(op) ? (struct matmul_attrs){exact->transpose_a, exact->transpose_b}
                            : (struct matmul_attrs){wraps->transpose_a, wraps->transpose_b};
}

static bool matmul_infer(struct infer *infer)
{
    const struct integer_matmul_attrs *attrs = infer->attrs;
    const struct matmul_attrs product = product_of(infer->call->op, infer->attrs);

    return check_bits(infer, attrs->bits) && infer_product(infer, &product, &infer->out[0]);
}

static bool quantized_infer(struct infer *infer)
{
    const struct matmul_attrs product = product_of(infer->call->op, infer->attrs);
    struct shape *c = &infer->out[0];

    if (!infer_product(infer, &product, c))
        return false;
    struct shape rows = *c, columns = *c;
    for (int i = 0; i < c->rank; i++) {
        rows.extent[i] = i == c->rank - 2 ? c->extent[i] : 1;
        columns.extent[i] = i == c->rank - 1 ? c->extent[i] : 1;
    }
    return infer_broadcasts_to(infer, BIAS, &columns) &&
           infer_broadcasts_to(infer, LEFT_ZERO, &rows) &&
           infer_broadcasts_to(infer, RIGHT_ZERO, &columns);
}

/* An integer for each of some items, or for all of them if `step` is 0. */
struct each {
    const uint64_t *item;
    int step;
};

/* 0 for an operation that has no such operand. */
static struct each each_of(const struct eval *eval, int operand)
{
    static const uint64_t none = 0;
    const struct tensor *x = is_quantized(eval->node->op) ? eval->in[operand] : NULL;

    return x ? (struct each){x->data, shape_volume(&x->shape) > 1} : (struct each){&none, 0};
}

static uint64_t each_at(struct each each, int64_t index)
{
    return each.item[index * each.step];
}

static void add_times(uint64_t *restrict sum, const uint64_t *row, struct each zero,
                      uint64_t factor, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        sum[i] += factor * (row[i] - each_at(zero, i));
}

/* One row of the result.  Sums are kept in its items, and wrapped at the end. */
static void multiply_row(const void *data, int64_t index)
{
    const struct eval *eval = data;
    const struct matmul_attrs attrs = product_of(eval->node->op, eval->attrs);
    const struct shape *c = &eval->out[0]->shape, batch = batch_of(c);
    const struct factor a = factor_of(&eval->in[LEFT]->shape, c, attrs.transpose_a);
    const struct factor b = factor_of(&eval->in[RIGHT]->shape, c, !attrs.transpose_b);
    int64_t rows = c->extent[c->rank - 2], columns = c->extent[c->rank - 1];
    const uint64_t *left = (const uint64_t *)eval->in[LEFT]->data +
                           shape_offset(&batch, a.batch, index / rows) + index % rows * a.outer;
    const uint64_t *right =
        (const uint64_t *)eval->in[RIGHT]->data + shape_offset(&batch, b.batch, index / rows);
    uint64_t *out = (uint64_t *)eval->out[0]->data + index * columns;
    const struct each bias = each_of(eval, BIAS), zero = each_of(eval, RIGHT_ZERO);
    const uint64_t less = each_at(each_of(eval, LEFT_ZERO), index % rows);

    for (int64_t j = 0; j < columns; j++)
        out[j] = each_at(bias, j);
    for (int64_t k = 0; k < a.length && b.outer == 1; k++)
        add_times(out, right + k * b.inner, zero, left[k * a.inner] - less, columns);
    for (int64_t j = 0; j < columns && b.outer != 1; j++)
        for (int64_t k = 0; k < a.length; k++)
            out[j] +=
                (left[k * a.inner] - less) * (right[k * b.inner + j * b.outer] - each_at(zero, j));
}

static void multiply_and_wrap(const void *data, int64_t index)
{
    const struct eval *eval = data;
    const struct integer_matmul_attrs *attrs = eval->attrs;
    const struct shape *c = &eval->out[0]->shape;
    int64_t columns = c->extent[c->rank - 1];
    int64_t *out = (int64_t *)eval->out[0]->data + index * columns;

    multiply_row(data, index);
    for (int64_t j = 0; j < columns; j++)
        out[j] = nn_wrap(out[j], attrs->bits, attrs->is_signed);
}

static bool matmul_eval(const struct eval *eval)
{
    const struct shape *c = &eval->out[0]->shape;

    assert(c->rank >= 2);
    eval_share(eval, shape_volume_range(c, 0, c->rank - 1),
               is_quantized(eval->node->op) ? multiply_row : multiply_and_wrap, eval);
    return true;
}

DESCRIPTOR(integer_matmul, 0, .kind = "product", .infer = matmul_infer, .eval = matmul_eval);
DESCRIPTOR(quantized_matmul, OP_PRODUCTS, .kind = "product", .infer = quantized_infer,
           .eval = matmul_eval);
