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

enum { WIDEST = 64 };

static int64_t wrap(int64_t item, int64_t bits, bool is_signed)
{
    int unused = WIDEST - (int)bits;
    uint64_t moved;

    assert(bits >= 1 && bits <= WIDEST);
    moved = (uint64_t)item << unused;
    if (!is_signed || !(moved >> (WIDEST - 1)))
        return (int64_t)(moved >> unused);
    return (int64_t) ~(~moved >> unused);
}

/* --- two items, or one ------------------------------------------------------------------- */

static int64_t sum(int64_t x, int64_t y, bool huge)
{
    (void)huge;
    return (int64_t)((uint64_t)x + (uint64_t)y);
}

static int64_t difference(int64_t x, int64_t y, bool huge)
{
    (void)huge;
    return (int64_t)((uint64_t)x - (uint64_t)y);
}

static int64_t product(int64_t x, int64_t y, bool huge)
{
    (void)huge;
    return (int64_t)((uint64_t)x * (uint64_t)y);
}

/* The kernel has refused a divisor of 0.  The quotient of the least item by -1 wraps. */
static int64_t quotient(int64_t x, int64_t y, bool huge)
{
    assert(y != 0);
    if (huge)
        return (int64_t)((uint64_t)x / (uint64_t)y);
    return y == -1 ? difference(0, x, huge) : x / y;
}

static int64_t rest(int64_t x, int64_t y, bool huge)
{
    assert(y != 0);
    if (huge)
        return (int64_t)((uint64_t)x % (uint64_t)y);
    return y == -1 ? 0 : x % y;
}

static int64_t modulus(int64_t x, int64_t y, bool huge)
{
    int64_t left = rest(x, y, huge);

    return !huge && left != 0 && (left < 0) != (y < 0) ? left + y : left;
}

/* Squares and multiplies.  Of 0 to a negative power nothing is left, as of all but 1 and -1. */
static int64_t power(int64_t x, int64_t y, bool huge)
{
    uint64_t result = 1, factor = (uint64_t)x;

    if (!huge && y < 0)
        return x == 1 ? 1 : x == -1 ? (y % 2 ? -1 : 1) : 0;
    for (uint64_t left = (uint64_t)y; left; left >>= 1, factor *= factor)
        if (left & 1)
            result *= factor;
    return (int64_t)result;
}

static int64_t is_less(int64_t x, int64_t y, bool huge)
{
    return huge ? (uint64_t)x < (uint64_t)y : x < y;
}

static int64_t is_greater(int64_t x, int64_t y, bool huge)
{
    return is_less(y, x, huge);
}

static int64_t is_at_most(int64_t x, int64_t y, bool huge)
{
    return !is_less(y, x, huge);
}

static int64_t is_at_least(int64_t x, int64_t y, bool huge)
{
    return !is_less(x, y, huge);
}

static int64_t is_equal(int64_t x, int64_t y, bool huge)
{
    (void)huge;
    return x == y;
}

static int64_t is_different(int64_t x, int64_t y, bool huge)
{
    (void)huge;
    return x != y;
}

static int64_t lesser(int64_t x, int64_t y, bool huge)
{
    return is_less(x, y, huge) ? x : y;
}

static int64_t greater(int64_t x, int64_t y, bool huge)
{
    return is_less(y, x, huge) ? x : y;
}

static int64_t both(int64_t x, int64_t y, bool huge)
{
    (void)huge;
    return (int64_t)((uint64_t)x & (uint64_t)y);
}

static int64_t either(int64_t x, int64_t y, bool huge)
{
    (void)huge;
    return (int64_t)((uint64_t)x | (uint64_t)y);
}

static int64_t one_of(int64_t x, int64_t y, bool huge)
{
    (void)huge;
    return (int64_t)((uint64_t)x ^ (uint64_t)y);
}

static int64_t shifted_left(int64_t x, int64_t y, bool huge)
{
    (void)huge;
    return y < 0 || y >= WIDEST ? 0 : (int64_t)((uint64_t)x << y);
}

/* An item of fewer bits without a sign is not negative, so its sign fills in zeros. */
static int64_t shifted_right(int64_t x, int64_t y, bool huge)
{
    bool fills = !huge && x < 0;
    uint64_t bits = fills ? ~(uint64_t)x : (uint64_t)x;

    bits = y < 0 || y >= WIDEST ? 0 : bits >> y;
    return (int64_t)(fills ? ~bits : bits);
}

static int64_t negative(int64_t x, int64_t y, bool huge)
{
    (void)y;
    return difference(0, x, huge);
}

static int64_t size_of(int64_t x, int64_t y, bool huge)
{
    (void)y;
    return !huge && x < 0 ? difference(0, x, huge) : x;
}

static int64_t sign_of(int64_t x, int64_t y, bool huge)
{
    (void)y;
    return huge ? x != 0 : (x > 0) - (x < 0);
}

static int64_t complement(int64_t x, int64_t y, bool huge)
{
    (void)y;
    (void)huge;
    return (int64_t) ~(uint64_t)x;
}

static int64_t itself(int64_t x, int64_t y, bool huge)
{
    (void)y;
    (void)huge;
    return x;
}

/* --- item by item ------------------------------------------------------------------------ */

static bool check_bits(const struct infer *infer, int64_t bits)
{
    return bits <= WIDEST || infer_error(infer, "bits", DIAG_ITEM_VALUE,
                                         "'bits' of '%s' is %" PRId64 ", expected at most %d",
                                         infer_name(infer), bits, WIDEST);
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
    bool huge = attrs->bits == WIDEST && !attrs->is_signed;

    for (int64_t i = 0; i < run->count; i++) {
        int64_t z = eval->node->op->integer(x[i * run->step[0]], y[i * run->step[last]], huge);
        if (out->dtype == DTYPE_LOGICAL)
            ((unsigned char *)out->data)[run->first + i] = z != 0;
        else
            ((int64_t *)out->data)[run->first + i] = wrap(z, attrs->bits, attrs->is_signed);
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
    ((int64_t *)r->eval->out[0]->data)[lane] = wrap(result, attrs->bits, attrs->is_signed);
}

/* The least or greatest that such an integer can be is where an extremum begins. */
static int64_t least(const struct wrap_reduce_attrs *attrs)
{
    return attrs->is_signed ? wrap((int64_t)((uint64_t)1 << (attrs->bits - 1)), attrs->bits, true)
                            : 0;
}

static bool fold_eval(const struct eval *eval, int64_t start)
{
    const struct wrap_reduce_attrs *attrs = eval->attrs;
    struct integer_lanes r = {
        .eval = eval, .start = start, .huge = attrs->bits == WIDEST && !attrs->is_signed};

    lanes_init(&r.lanes, &eval->in[0]->shape, &attrs->axes);
    eval_share(eval, r.lanes.count, fold_lane, &r);
    return true;
}

static bool sum_eval(const struct eval *eval)
{
    return fold_eval(eval, 0);
}

static bool greatest_eval(const struct eval *eval)
{
    return fold_eval(eval, least(eval->attrs));
}

static bool least_eval(const struct eval *eval)
{
    const struct wrap_reduce_attrs *attrs = eval->attrs;

    return fold_eval(eval, wrap(~least(attrs), attrs->bits, attrs->is_signed));
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

static bool find_eval(const struct eval *eval)
{
    const struct wrap_reduce_attrs *attrs = eval->attrs;
    struct integer_lanes r = {.eval = eval, .huge = attrs->bits == WIDEST && !attrs->is_signed};

    lanes_init(&r.lanes, &eval->in[0]->shape, &attrs->axes);
    if (r.lanes.length > 0)
        eval_share(eval, r.lanes.count, find_in_lane, &r);
    return true;
}

/* --- products of matrices ---------------------------------------------------------------- */

static struct matmul_attrs product_of(const struct integer_matmul_attrs *attrs)
{
    return (struct matmul_attrs){.transpose_a = attrs->transpose_a,
                                 .transpose_b = attrs->transpose_b};
}

static bool matmul_infer(struct infer *infer)
{
    const struct integer_matmul_attrs *attrs = infer->attrs;
    const struct matmul_attrs product = product_of(attrs);

    return check_bits(infer, attrs->bits) && infer_product(infer, &product, &infer->out[0]);
}

static void add_times(uint64_t *restrict sum, const uint64_t *row, uint64_t factor, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        sum[i] += factor * row[i];
}

/* One row of the result.  Sums are kept in its items, and wrapped at the end. */
static void multiply_row(const void *data, int64_t index)
{
    const struct eval *eval = data;
    const struct integer_matmul_attrs *attrs = eval->attrs;
    const struct shape *c = &eval->out[0]->shape;
    const int last = c->rank - 1;
    const struct shape a = shape_with_rank(&eval->in[0]->shape, c->rank);
    const struct shape b = shape_with_rank(&eval->in[1]->shape, c->rank);
    int64_t rows = c->extent[last - 1], columns = c->extent[last];
    int64_t length = a.extent[attrs->transpose_a ? last - 1 : last];
    int64_t row = index % rows, batch = index / rows, at_a = 0, at_b = 0;
    int64_t stride_a[MAX_RANK], stride_b[MAX_RANK];

    shape_strides(&a, stride_a);
    shape_strides(&b, stride_b);
    for (int i = last - 2; i >= 0; batch /= c->extent[i--]) {
        at_a += a.extent[i] == 1 ? 0 : batch % c->extent[i] * stride_a[i];
        at_b += b.extent[i] == 1 ? 0 : batch % c->extent[i] * stride_b[i];
    }
    const int64_t *left = (const int64_t *)eval->in[0]->data + at_a +
                          row * stride_a[attrs->transpose_a ? last : last - 1];
    const int64_t *right = (const int64_t *)eval->in[1]->data + at_b;
    int64_t step_a = stride_a[attrs->transpose_a ? last - 1 : last];
    int64_t step_b = stride_b[attrs->transpose_b ? last : last - 1];
    int64_t column_b = stride_b[attrs->transpose_b ? last - 1 : last];
    uint64_t *out = (uint64_t *)eval->out[0]->data + index * columns;

    for (int64_t j = 0; j < columns; j++)
        out[j] = 0;
    for (int64_t k = 0; k < length && column_b == 1; k++)
        add_times(out, (const uint64_t *)right + k * step_b, (uint64_t)left[k * step_a], columns);
    for (int64_t j = 0; j < columns && column_b != 1; j++)
        for (int64_t k = 0; k < length; k++)
            out[j] += (uint64_t)left[k * step_a] * (uint64_t)right[k * step_b + j * column_b];
    for (int64_t j = 0; j < columns; j++)
        out[j] = (uint64_t)wrap((int64_t)out[j], attrs->bits, attrs->is_signed);
}

static bool matmul_eval(const struct eval *eval)
{
    const struct shape *c = &eval->out[0]->shape;

    assert(c->rank >= 2);
    eval_share(eval, shape_volume_range(c, 0, c->rank - 1), multiply_row, eval);
    return true;
}

/* --- descriptors ------------------------------------------------------------------------- */

#define ELEMENT(operator, function, eval_function, more)                            \
    {                                                                               \
        .infer = element_infer, .eval = (eval_function), .integer = function,       \
        OP_SIGNATURE(operator,(more) | OP_ELEMENTWISE | OP_PARTIAL | OP_ANY_LAYOUT) \
    }

const struct op_desc op_integer_add = ELEMENT(integer_add, sum, element_eval, OP_COMMUTATIVE);
const struct op_desc op_integer_sub = ELEMENT(integer_sub, difference, element_eval, 0);
const struct op_desc op_integer_mul = ELEMENT(integer_mul, product, element_eval, OP_COMMUTATIVE);
const struct op_desc op_integer_div = ELEMENT(integer_div, quotient, division_eval, 0);
const struct op_desc op_integer_rest = ELEMENT(integer_rest, rest, division_eval, 0);
const struct op_desc op_integer_mod = ELEMENT(integer_mod, modulus, division_eval, 0);
const struct op_desc op_integer_pow = ELEMENT(integer_pow, power, element_eval, 0);
const struct op_desc op_integer_min = ELEMENT(integer_min, lesser, element_eval, OP_COMMUTATIVE);
const struct op_desc op_integer_max = ELEMENT(integer_max, greater, element_eval, OP_COMMUTATIVE);
const struct op_desc op_integer_and = ELEMENT(integer_and, both, element_eval, OP_COMMUTATIVE);
const struct op_desc op_integer_or = ELEMENT(integer_or, either, element_eval, OP_COMMUTATIVE);
const struct op_desc op_integer_xor = ELEMENT(integer_xor, one_of, element_eval, OP_COMMUTATIVE);
const struct op_desc op_integer_shift_left =
    ELEMENT(integer_shift_left, shifted_left, element_eval, 0);
const struct op_desc op_integer_shift_right =
    ELEMENT(integer_shift_right, shifted_right, element_eval, 0);

const struct op_desc op_integer_lt = ELEMENT(integer_lt, is_less, element_eval, 0);
const struct op_desc op_integer_gt = ELEMENT(integer_gt, is_greater, element_eval, 0);
const struct op_desc op_integer_le = ELEMENT(integer_le, is_at_most, element_eval, 0);
const struct op_desc op_integer_ge = ELEMENT(integer_ge, is_at_least, element_eval, 0);
const struct op_desc op_integer_eq = ELEMENT(integer_eq, is_equal, element_eval, OP_COMMUTATIVE);
const struct op_desc op_integer_ne =
    ELEMENT(integer_ne, is_different, element_eval, OP_COMMUTATIVE);

const struct op_desc op_integer_neg = ELEMENT(integer_neg, negative, element_eval, 0);
const struct op_desc op_integer_abs = ELEMENT(integer_abs, size_of, element_eval, 0);
const struct op_desc op_integer_sign = ELEMENT(integer_sign, sign_of, element_eval, 0);
const struct op_desc op_integer_not = ELEMENT(integer_not, complement, element_eval, 0);
const struct op_desc op_integer_wrap = ELEMENT(integer_wrap, itself, element_eval, 0);

#define REDUCE(operator, function, eval_function, more)                                           \
    {                                                                                             \
        .kind = "reduce", .infer = reduction_infer, .eval = (eval_function), .integer = function, \
        OP_SIGNATURE(operator, more)                                                              \
    }

const struct op_desc op_integer_sum_reduce =
    REDUCE(integer_sum_reduce, sum, sum_eval, OP_ANY_LAYOUT);
const struct op_desc op_integer_max_reduce =
    REDUCE(integer_max_reduce, greater, greatest_eval, OP_ANY_LAYOUT);
const struct op_desc op_integer_min_reduce =
    REDUCE(integer_min_reduce, lesser, least_eval, OP_ANY_LAYOUT);
const struct op_desc op_integer_argmax_reduce =
    REDUCE(integer_argmax_reduce, is_greater, find_eval, 0);
const struct op_desc op_integer_argmin_reduce =
    REDUCE(integer_argmin_reduce, is_less, find_eval, 0);

const struct op_desc op_integer_matmul = {
    OP_SIGNATURE(integer_matmul, 0),
    .kind = "product",
    .infer = matmul_infer,
    .eval = matmul_eval,
};
