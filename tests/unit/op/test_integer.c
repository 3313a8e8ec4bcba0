/*
 * test_integer.c - operations on integers, against the same in 128 bits
 *
 * The oracle takes the number that an item stands for, computes without any overflow, and keeps
 * what is left modulo 2^bits.  Where the compiler has no numbers of 128 bits, those of 64 do for
 * the widths up to 32.
 */
#include "op/compute.h"
#include "op/op_build.h"

#include "diag/context.h"
#include "ir/graph.h"
#include "support/op_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 big;
__extension__ typedef unsigned __int128 ubig;
#else
typedef int64_t big;
typedef uint64_t ubig;
#endif

struct width {
    int bits;
    bool is_signed;
};

static const struct width widths[] = {{8, true},  {8, false},  {16, true}, {16, false},
                                      {32, true}, {32, false}, {64, true}, {64, false}};

enum { WIDTHS = sizeof(big) > 8 ? 8 : 6 };
enum { RANDOM_PAIRS = 10000, EXTREMES = 10, PAIRS = RANDOM_PAIRS + EXTREMES * EXTREMES };

static big number_of(int64_t item, struct width w)
{
    return w.bits == 64 && !w.is_signed ? (big)(uint64_t)item : (big)item;
}

static int64_t item_of(ubig number, struct width w)
{
    ubig left = number & (((ubig)1 << w.bits) - 1);

    if (w.is_signed && left >> (w.bits - 1))
        return (int64_t)((big)left - ((big)1 << w.bits));
    return (int64_t)(uint64_t)left;
}

/* --- the oracle -------------------------------------------------------------------------- */

static ubig floor_rest(big x, big y)
{
    big r = x % y;

    return (ubig)(r != 0 && (r < 0) != (y < 0) ? r + y : r);
}

static ubig shift_right(big x, big y, int bits)
{
    if (y < 0 || y >= bits)
        return (ubig)(x < 0 ? -1 : 0);
    big divisor = (big)1 << y;
    return (ubig)((x - (big)floor_rest(x, divisor)) / divisor);
}

static ubig expected(enum op_id op, big x, big y, struct width w)
{
    ubig result = 1;

    switch ((int)op) {
    case OP_integer_add:
        return (ubig)x + (ubig)y;
    case OP_integer_sub:
        return (ubig)x - (ubig)y;
    case OP_integer_mul:
        return (ubig)x * (ubig)y;
    case OP_integer_div:
        return (ubig)(x / y);
    case OP_integer_rest:
        return (ubig)(x % y);
    case OP_integer_mod:
        return floor_rest(x, y);
    case OP_integer_pow:
        for (big i = 0; i < y; i++)
            result *= (ubig)x;
        return result;
    case OP_integer_min:
        return (ubig)(x < y ? x : y);
    case OP_integer_max:
        return (ubig)(x > y ? x : y);
    case OP_integer_and:
        return (ubig)x & (ubig)y;
    case OP_integer_or:
        return (ubig)x | (ubig)y;
    case OP_integer_xor:
        return (ubig)x ^ (ubig)y;
    case OP_integer_shift_left:
        return y < 0 || y >= 64 ? 0 : (ubig)x << y;
    case OP_integer_shift_right:
        return shift_right(x, y, w.bits);
    case OP_integer_lt:
        return x < y;
    case OP_integer_gt:
        return x > y;
    case OP_integer_le:
        return x <= y;
    case OP_integer_ge:
        return x >= y;
    case OP_integer_eq:
        return x == y;
    case OP_integer_ne:
        return x != y;
    case OP_integer_neg:
        return -(ubig)x;
    case OP_integer_abs:
        return (ubig)(x < 0 ? -x : x);
    case OP_integer_sign:
        return (ubig)(big)((x > 0) - (x < 0));
    case OP_integer_not:
        return ~(ubig)x;
    default:
        return (ubig)x;
    }
}

/* --- pairs ------------------------------------------------------------------------------- */

static uint64_t random_bits(void)
{
    static uint64_t state = 1;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Items around the ends, around 0, and any; of any number of bits, so that many are small. */
static void make_pairs(struct width w, int64_t *x, int64_t *y)
{
    const ubig half = (ubig)1 << (w.bits - 1);
    const ubig ends[EXTREMES] = {0, 1, 2, 3, half - 1, half, half + 1, (ubig)-1, (ubig)-2, 100};
    int at = 0;

    for (int i = 0; i < EXTREMES; i++)
        for (int k = 0; k < EXTREMES; k++, at++) {
            x[at] = item_of(ends[i], w);
            y[at] = item_of(ends[k], w);
        }
    for (; at < PAIRS; at++) {
        x[at] = item_of(random_bits() >> random_bits() % 64, w);
        y[at] = item_of(random_bits() >> random_bits() % 64, w);
        if (at % 3 == 0)
            y[at] = item_of((ubig)-y[at], w);
    }
}

/* What the operation is not asked for: quotients by 0, exponents that a loop cannot count to. */
static void settle(enum op_id op, int64_t *y)
{
    for (int i = 0; i < PAIRS; i++) {
        if (op == OP_integer_pow)
            y[i] = (int64_t)((uint64_t)y[i] % 70);
        if ((op == OP_integer_shift_left || op == OP_integer_shift_right) && i % 2)
            y[i] = (int64_t)((uint64_t)y[i] % 80);
        if ((op == OP_integer_div || op == OP_integer_rest || op == OP_integer_mod) && y[i] == 0)
            y[i] = 1;
    }
}

static struct tensor tensor_of(int64_t *items)
{
    return (struct tensor){
        .shape = {.rank = 1, .extent = {PAIRS}}, .dtype = DTYPE_INTEGER, .data = items};
}

static void check(struct op_fixture *f, enum op_id op, struct width w)
{
    static int64_t x[PAIRS], y[PAIRS];
    const struct op_spec spec = {op, &(const struct wrap_attrs){w.bits, w.is_signed}};
    struct value *in[2];
    struct tensor a = tensor_of(x), b = tensor_of(y), out;

    make_pairs(w, x, y);
    settle(op, y);
    for (int i = 0; i < 2; i++)
        in[i] =
            graph_add_source(f->graph, VALUE_EXTERNAL, DTYPE_INTEGER, &a.shape, (struct span){0});
    struct node *node =
        op_append(f->graph, spec, in, op_table[op]->noperand, &(struct op_origin){0});
    assert_non_null(node);
    assert_true(node_compute(node, (const struct tensor *[]){&a, &b}, &out, f->context->diag));
    for (int i = 0; i < PAIRS; i++) {
        ubig number = expected(op, number_of(x[i], w), number_of(y[i], w), w);
        int64_t item = out.dtype == DTYPE_LOGICAL ? ((const unsigned char *)out.data)[i]
                                                  : ((const int64_t *)out.data)[i];
        if (item != (out.dtype == DTYPE_LOGICAL ? (int64_t)number : item_of(number, w)))
            fail_msg("%s of %lld and %lld in %d bits, %s: %lld", op_table[op]->name,
                     (long long)x[i], (long long)y[i], w.bits, w.is_signed ? "signed" : "unsigned",
                     (long long)item);
    }
    tensor_clear(&out);
}

static void results_are_those_of_128_bits(void **state)
{
    for (enum op_id op = OP_integer_add; op <= OP_integer_wrap; op++)
        for (size_t i = 0; i < WIDTHS; i++)
            check(*state, op, widths[i]);
}

/* --- along axes, and products --------------------------------------------------------------- */

enum { LANES = 100, LENGTH = 100, ROWS = 13, INNER = 17, COLUMNS = 11 };

/* Of the items of a lane, by the numbers that they stand for. */
static ubig reduced(enum op_id op, const int64_t *item, struct width w)
{
    big best = number_of(item[0], w);
    ubig sum = (ubig)best, found = 0;

    for (int i = 1; i < LENGTH; i++) {
        big number = number_of(item[i], w);
        bool most = op == OP_integer_max_reduce || op == OP_integer_argmax_reduce;
        sum += (ubig)number;
        if (most ? number > best : number < best) {
            best = number;
            found = (ubig)i;
        }
    }
    return op == OP_integer_sum_reduce                                  ? sum
           : op == OP_integer_max_reduce || op == OP_integer_min_reduce ? (ubig)best
                                                                        : found;
}

static void check_lanes(struct op_fixture *f, enum op_id op, struct width w)
{
    static int64_t x[PAIRS], y[PAIRS];
    const struct wrap_reduce_attrs attrs = {{1, &(const int64_t){1}}, w.bits, w.is_signed};
    struct tensor a = {
        .shape = {.rank = 2, .extent = {LANES, LENGTH}}, .dtype = DTYPE_INTEGER, .data = x};
    struct tensor out;

    make_pairs(w, x, y);
    struct value *in =
        graph_add_source(f->graph, VALUE_EXTERNAL, DTYPE_INTEGER, &a.shape, (struct span){0});
    struct node *node =
        op_append(f->graph, (struct op_spec){op, &attrs}, &in, 1, &(struct op_origin){0});
    assert_non_null(node);
    assert_true(node_compute(node, (const struct tensor *[]){&a}, &out, f->context->diag));
    const struct width index = {32, true};
    bool finds = op == OP_integer_argmax_reduce || op == OP_integer_argmin_reduce;
    for (int i = 0; i < LANES; i++)
        if (((const int64_t *)out.data)[i] !=
            item_of(reduced(op, x + (ptrdiff_t)i * LENGTH, w), finds ? index : w))
            fail_msg("%s of lane %d in %d bits, %s", op_table[op]->name, i, w.bits,
                     w.is_signed ? "signed" : "unsigned");
    tensor_clear(&out);
}

static void reductions_are_those_of_128_bits(void **state)
{
    for (enum op_id op = OP_integer_sum_reduce; op <= OP_integer_argmin_reduce; op++)
        for (size_t i = 0; i < WIDTHS; i++)
            check_lanes(*state, op, widths[i]);
}

static void check_product(struct op_fixture *f, struct width w, bool flip_a, bool flip_b)
{
    static int64_t x[PAIRS], y[PAIRS];
    const struct integer_matmul_attrs attrs = {
        .transpose_a = flip_a, .transpose_b = flip_b, .bits = w.bits, .is_signed = w.is_signed};
    struct tensor a = {
        .shape = {.rank = 2, .extent = {flip_a ? INNER : ROWS, flip_a ? ROWS : INNER}},
        .dtype = DTYPE_INTEGER,
        .data = x};
    struct tensor b = {
        .shape = {.rank = 2, .extent = {flip_b ? COLUMNS : INNER, flip_b ? INNER : COLUMNS}},
        .dtype = DTYPE_INTEGER,
        .data = y};
    struct tensor out;

    make_pairs(w, x, y);
    struct value *in[] = {
        graph_add_source(f->graph, VALUE_EXTERNAL, DTYPE_INTEGER, &a.shape, (struct span){0}),
        graph_add_source(f->graph, VALUE_EXTERNAL, DTYPE_INTEGER, &b.shape, (struct span){0})};
    struct node *node = op_append(f->graph, (struct op_spec){OP_integer_matmul, &attrs}, in, 2,
                                  &(struct op_origin){0});
    assert_non_null(node);
    assert_true(node_compute(node, (const struct tensor *[]){&a, &b}, &out, f->context->diag));
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            ubig sum = 0;
            for (int k = 0; k < INNER; k++)
                sum += (ubig)number_of(x[flip_a ? k * ROWS + i : i * INNER + k], w) *
                       (ubig)number_of(y[flip_b ? j * INNER + k : k * COLUMNS + j], w);
            assert_true(((const int64_t *)out.data)[i * COLUMNS + j] == item_of(sum, w));
        }
    tensor_clear(&out);
}

static void products_are_those_of_128_bits(void **state)
{
    for (size_t i = 0; i < WIDTHS; i++)
        for (int flips = 0; flips < 4; flips++)
            check_product(*state, widths[i], flips & 1, flips & 2);
}

static void a_negative_exponent_leaves_the_whole_part(void **state)
{
    struct op_fixture *f = *state;

    fixture_feed(f, "x", "integer[6] 1 -1 -1 2 -2 0");
    fixture_feed(f, "y", "integer[6] -5 -5 -4 -1 -1 -1");
    assert_true(fixture_run(f, "integer_pow", "bits = 64, signed = true"));
    fixture_expect(f, 0, "integer[6] 1 -1 1 0 0 0");
}

static void nothing_is_divided_by_zero(void **state)
{
    static const char *const ops[] = {"integer_div", "integer_rest", "integer_mod"};

    for (int i = 0; i < 3; i++) {
        fixture_feed(*state, "x", "integer[2] 1 2");
        fixture_feed(*state, "y", "integer[2] 1 0");
        fixture_expect_error(*state, ops[i], "bits = 32, signed = true", DIAG_DIVISION_BY_ZERO);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        OP_TEST(results_are_those_of_128_bits),  OP_TEST(reductions_are_those_of_128_bits),
        OP_TEST(products_are_those_of_128_bits), OP_TEST(a_negative_exponent_leaves_the_whole_part),
        OP_TEST(nothing_is_divided_by_zero),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
