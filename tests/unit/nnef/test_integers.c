/*
 * test_integers.c - operations on integers, written in NNEF's own
 *
 * The operations on integers, which test_integer.c judges, say what is right: whatever is written
 * by operations on scalars has the same items, at the extremes of all operands and between.
 */
#include "support/t.h"

#include "base/arena.h"
#include "base/text.h"
#include "convert/nnef/profile.h"
#include "diag/context.h"
#include "diag/diag.h"
#include "exec/run.h"
#include "ir/graph.h"
#include "ir/graph_edit.h"
#include "op/graph_print.h"
#include "op/op_build.h"
#include "pass/bounds.h"
#include "tensor/shape.h"

#include <math.h>
#include <string.h>

enum { ITEMS = 24, INPUTS = 3, VALUES = 14, LIMIT = 1 << 24 };

/* Each input has items of its own width. */
struct width {
    int bits;
    bool is_signed;
};

struct fixture {
    struct context *context;
    const struct library *library;
    struct graph *graph;
    uint64_t state; /* of random numbers */
    struct value *value[VALUES];
    struct width width[VALUES];
    int count;
};

static int setup(void **state)
{
    static struct fixture f;

    f = (struct fixture){.context = context_new(), .state = 1};
    f.library = library_load(f.context, DIALECT_1_0);
    f.graph = graph_new(f.context, "g");
    f.graph->inputs = arena_array_of(f.context->arena, struct port, INPUTS);
    f.graph->outputs = arena_array_of(f.context->arena, struct port, VALUES);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    context_free(f->context);
    return 0;
}

/* --- graphs -------------------------------------------------------------------------------- */

static struct value *input(struct fixture *f, struct shape shape)
{
    static const char *const names[INPUTS] = {"x0", "x1", "x2"};
    struct value *value =
        graph_add_source(f->graph, VALUE_EXTERNAL, DTYPE_INTEGER, &shape, (struct span){0, 0});

    assert_true(f->graph->ninput < INPUTS);
    value->name = names[f->graph->ninput];
    f->graph->inputs[f->graph->ninput++] = (struct port){.name = value->name, .value = value};
    return value;
}

static struct value *row(struct fixture *f)
{
    return input(f, (struct shape){.rank = 1, .extent = {ITEMS}});
}

static void show(struct fixture *f, struct value *value)
{
    static const char *const names[VALUES] = {"y0", "y1", "y2", "y3",  "y4",  "y5",  "y6",
                                              "y7", "y8", "y9", "y10", "y11", "y12", "y13"};

    assert_true(f->graph->noutput < VALUES);
    f->graph->outputs[f->graph->noutput] =
        (struct port){.name = names[f->graph->noutput], .value = value};
    f->graph->noutput++;
}

static struct value *number(struct fixture *f, int64_t item)
{
    return graph_literal(f->graph, &(struct datum){.kind = DATUM_INTEGER, .integer = item});
}

static struct value *made(struct fixture *f, struct op_spec spec, struct value *x, struct value *y)
{
    const struct op_origin origin = {{0, 0}, NULL, DTYPE_UNKNOWN};
    struct node *node =
        op_append(f->graph, spec, (struct value *[]){x, y}, op_table[spec.op]->noperand, &origin);

    assert_non_null(node);
    return &node->out[0];
}

static struct value *in_width(struct fixture *f, enum op_id op, struct width w, struct value *x,
                              struct value *y)
{
    return made(f, (struct op_spec){op, &(struct wrap_attrs){w.bits, w.is_signed}}, x, y);
}

static struct value *in_64(struct fixture *f, enum op_id op, struct value *x, struct value *y)
{
    return in_width(f, op, (struct width){64, true}, x, y);
}

/* A value of 64 bits that is within these bounds. */
static struct value *between(struct fixture *f, int64_t low, int64_t high)
{
    return in_64(f, OP_integer_min, in_64(f, OP_integer_max, row(f), number(f, low)),
                 number(f, high));
}

static struct value *chosen(struct fixture *f, struct value *condition, struct value *x,
                            struct value *y)
{
    const struct op_origin origin = {{0, 0}, NULL, DTYPE_INTEGER};
    struct node *node =
        op_append(f->graph, op_plain(OP_select), (struct value *[]){condition, x, y}, 3, &origin);

    assert_non_null(node);
    return &node->out[0];
}

static const struct graph *strict(struct fixture *f)
{
    return profile_apply(f->graph, f->library, PROFILE_STRICT);
}

static bool is_written(struct fixture *f)
{
    return strict(f);
}

/* --- what they compute ---------------------------------------------------------------------- */

static uint64_t random_bits(struct fixture *f)
{
    f->state ^= f->state << 13;
    f->state ^= f->state >> 7;
    f->state ^= f->state << 17;
    return f->state;
}

static int64_t random_below(struct fixture *f, int count)
{
    return (int64_t)(random_bits(f) % (uint64_t)count);
}

/* What is left of the bits in that width. */
static int64_t fitted(uint64_t bits, struct width w)
{
    int unused = 64 - w.bits;
    uint64_t kept = bits << unused;

    return w.is_signed ? (int64_t)kept >> unused : (int64_t)(kept >> unused);
}

/* An end of the width, one next to 0 or to 2^24, or any of some number of bits. */
static int64_t random_item(struct fixture *f, struct width w)
{
    const uint64_t half = (uint64_t)1 << (w.bits - 1);
    const uint64_t ends[] = {0,
                             1,
                             2,
                             (uint64_t)-1,
                             half - 1,
                             half,
                             half + 1,
                             (uint64_t)-2,
                             LIMIT - 1,
                             LIMIT,
                             LIMIT + 1,
                             (uint64_t)-LIMIT,
                             (uint64_t)-LIMIT - 1};
    const int count = sizeof ends / sizeof ends[0];

    if (random_below(f, 3))
        return fitted(ends[random_below(f, count)], w);
    return fitted(random_bits(f) >> random_below(f, 64), w);
}

/* Items are of the types of the inputs. */
static struct run *begin(const struct graph *graph, void *const *items)
{
    struct run *run = run_new(graph);

    assert_non_null(run);
    run_set_threads(run, 1);
    for (int i = 0; i < graph->ninput; i++) {
        struct tensor tensor;
        assert_true(tensor_allocate(&tensor, (enum dtype)graph->inputs[i].value->dtype,
                                    graph->inputs[i].value->shape));
        memcpy(tensor.data, items[i], tensor_bytes(&tensor));
        run_set_input(run, i, &tensor);
    }
    return run;
}

/* Both graphs have the same outputs, or are refused both. */
static void expect_same(const struct fixture *f, const struct graph *written, void *const *items)
{
    struct run *exact = begin(f->graph, items), *scalars = begin(written, items);
    bool ok = run_step(exact);

    assert_int_equal(run_step(scalars), ok);
    for (int i = 0; ok && i < f->graph->noutput; i++) {
        const struct tensor *a = run_output(exact, i), *b = run_output(scalars, i);
        assert_int_equal(a->dtype, b->dtype);
        assert_true(shape_equal(&a->shape, &b->shape));
        if (memcmp(a->data, b->data, tensor_bytes(a)) == 0)
            continue;
        struct text text = {0};
        graph_print(f->graph, &text);
        int64_t at = 0;
        while (tensor_item(a, at) == tensor_item(b, at))
            at++;
        print_error("%s", text.data);
        fail_msg("item %d of output %d is %g, expected %g", (int)at, i, tensor_item(b, at),
                 tensor_item(a, at));
    }
    run_free(exact);
    run_free(scalars);
}

/* The graph is written, and has the same outputs for these items of its input. */
static void expect_written(struct fixture *f, void *items)
{
    const struct graph *written = strict(f);

    assert_non_null(written);
    expect_same(f, written, &items);
}

/* --- any graph ------------------------------------------------------------------------------ */

static const struct width widths[] = {{4, true},  {4, false},  {8, true},  {8, false},
                                      {16, true}, {16, false}, {32, true}, {32, false},
                                      {64, true}, {64, false}};
enum { WIDTHS = sizeof widths / sizeof widths[0] };

static bool holds(struct width w, struct width part)
{
    return w.is_signed == part.is_signed ? w.bits >= part.bits : w.is_signed && w.bits > part.bits;
}

/* A value of that width, or a number, which is more often small than not. */
static struct value *random_operand(struct fixture *f, struct width w)
{
    for (int tries = 0; tries < 8; tries++) {
        int64_t at = random_below(f, f->count);
        if (holds(w, f->width[at]) && f->value[at]->dtype == DTYPE_INTEGER)
            return f->value[at];
    }
    return number(f, random_below(f, 4) ? fitted((uint64_t)random_below(f, 7) + 1, w)
                                        : random_item(f, w));
}

/* An operation of any width on any values of that width; adds its result. */
static enum op_id random_operation(struct fixture *f)
{
    const enum op_id op =
        OP_integer_add + (enum op_id)random_below(f, OP_integer_argmin_reduce - OP_integer_add + 1);
    struct width w = widths[random_below(f, WIDTHS)];
    struct value *x = random_operand(f, w), *y = random_operand(f, w);
    const int64_t axis = 0;

    if (op == OP_integer_wrap)
        x = random_operand(f, widths[random_below(f, WIDTHS)]);
    if (op_attr_row(op_table[op], ATTR_axes)) {
        if (x->shape->rank == 0) {
            int64_t at = random_below(f, INPUTS);
            x = f->value[at];
            w = f->width[at];
        }
        const struct wrap_reduce_attrs attrs = {{1, &axis}, w.bits, w.is_signed};
        f->value[f->count] = made(f, (struct op_spec){op, &attrs}, x, NULL);
    } else
        f->value[f->count] = in_width(f, op, w, x, y);
    bool finds = op == OP_integer_argmax_reduce || op == OP_integer_argmin_reduce;
    f->width[f->count++] = finds ? (struct width){64, true} : w;
    return op;
}

static void check_random(struct fixture *f, const struct graph *written, const struct width *of)
{
    int64_t items[INPUTS][ITEMS];

    for (int i = 0; i < INPUTS; i++)
        for (int k = 0; k < ITEMS; k++)
            items[i][k] = random_item(f, of[i]);
    expect_same(f, written, (void *[]){items[0], items[1], items[2]});
}

/* Operations are added one after the other, unless they cannot be written; by operation, how many
 * were, and how many were not. */
static void try_random(struct fixture *f, int *accepted, int *refused)
{
    for (f->count = 0; f->count < INPUTS; f->count++) {
        f->value[f->count] = row(f);
        f->width[f->count] = widths[random_below(f, WIDTHS)];
    }
    for (int tries = 0; tries < 40 && f->count < VALUES; tries++) {
        const enum op_id op = random_operation(f);
        show(f, f->value[f->count - 1]);
        const struct graph *written = strict(f);
        (written ? accepted : refused)[op]++;
        if (written) {
            for (int i = 0; i < 4; i++)
                check_random(f, written, f->width);
            continue;
        }
        f->graph->noutput--;
        graph_erase_node(f->graph, f->value[--f->count]->producer);
    }
}

static void what_is_written_computes_the_same(void **state)
{
    static int accepted[OP_COUNT], refused[OP_COUNT];
    uint64_t seed = 88172645463325252U;

    for (int i = 0; i < 300; i++) {
        struct fixture *f = *state;
        f->state = seed;
        try_random(f, accepted, refused);
        seed = f->state;
        teardown(state);
        setup(state);
    }
    for (int op = OP_integer_add; op <= OP_integer_argmin_reduce; op++) {
        print_message("%s: %d written, %d refused\n", op_table[op]->name, accepted[op],
                      refused[op]);
        bool never = op >= OP_integer_and && op <= OP_integer_shift_right;
        if ((accepted[op] == 0) != (never || op == OP_integer_pow))
            fail_msg("'%s' was written %d times", op_table[op]->name, accepted[op]);
    }
}

/* --- each rule at its bound ----------------------------------------------------------------- */

static void comparisons_with_less_than_2_24_are_exact(void **state)
{
    struct fixture *f = *state;
    int64_t items[ITEMS] = {LIMIT - 2, LIMIT - 1, LIMIT, LIMIT + 1, INT64_MAX, INT64_MIN, -LIMIT};
    struct value *x = row(f);

    for (int op = OP_integer_lt; op <= OP_integer_ne; op++) {
        show(f, in_64(f, (enum op_id)op, x, number(f, LIMIT - 1)));
        show(f, in_64(f, (enum op_id)op, number(f, 1 - LIMIT), x));
    }
    expect_written(f, items);
}

/* 2^24 + 1 as a scalar is 2^24, and bits of scalars are no bits of integers. */
static void a_refusal_says_whether_other_numbers_would_do(void **state)
{
    static const char *const why[] = {"may be beyond 2^24, or wrap", "none computes the same"};
    struct fixture *f = *state;

    for (int i = 0; i < 2; i++) {
        show(f, in_64(f, i ? OP_integer_xor : OP_integer_eq, row(f), number(f, LIMIT)));
        assert_false(is_written(f));
        assert_non_null(strstr(diag_at(f->context->diag, 0).text, why[i]));
        assert_int_equal(teardown(state) + setup(state), 0);
    }
}

static void two_operands_may_be_2_24(void **state)
{
    struct fixture *f = *state;
    int64_t items[ITEMS] = {LIMIT - 1, LIMIT, LIMIT + 1, -LIMIT};

    struct value *x = in_64(f, OP_integer_add, between(f, 1 - LIMIT, LIMIT - 1), number(f, 1));

    show(f, in_64(f, OP_integer_lt, x, number(f, LIMIT)));
    expect_written(f, items);
}

/* floor(x / y) * y of the modulus is as far from 0 as x and y together. */
static void operands_of_a_modulus_are_2_24_together(void **state)
{
    struct fixture *f = *state;
    int64_t items[ITEMS] = {1 - LIMIT + 7, 7 - LIMIT, LIMIT - 7, LIMIT - 8, 3, -3, 0};
    struct value *x = between(f, 7 - LIMIT, LIMIT - 7);

    show(f, in_64(f, OP_integer_mod, x, number(f, -7)));
    show(f, in_64(f, OP_integer_mod, x, number(f, 7)));
    expect_written(f, items);
    show(f, in_64(f, OP_integer_mod, x, number(f, 8)));
    assert_false(is_written(f));
}

static void a_divisor_that_may_be_0_is_refused(void **state)
{
    struct fixture *f = *state;
    struct value *x = between(f, -5, 5);

    show(f, in_64(f, OP_integer_div, number(f, 10), in_64(f, OP_integer_abs, x, NULL)));
    assert_false(is_written(f));
}

static struct value *sum_of(struct fixture *f, struct value *x)
{
    const int64_t axis = 0;
    const struct wrap_reduce_attrs attrs = {{1, &axis}, 64, true};

    return made(f, (struct op_spec){OP_integer_sum_reduce, &attrs}, x, NULL);
}

static void sums_stay_within_2_24(void **state)
{
    struct fixture *f = *state;
    int64_t items[ITEMS] = {LIMIT, LIMIT, LIMIT, -LIMIT, LIMIT};
    const int64_t most = LIMIT / ITEMS;

    show(f, sum_of(f, between(f, -most, most)));
    expect_written(f, items);
    show(f, sum_of(f, between(f, -1, most + 1)));
    assert_false(is_written(f));
}

static void sums_stay_above_minus_2_24(void **state)
{
    struct fixture *f = *state;

    show(f, sum_of(f, between(f, -LIMIT / ITEMS - 1, 1)));
    assert_false(is_written(f));
}

static struct value *product(struct fixture *f, int64_t most)
{
    struct value *x = between(f, -most, most);
    const struct op_origin origin = {{0, 0}, NULL, DTYPE_INTEGER};
    const struct shape shape = {2, {1, ITEMS}};
    const int64_t extents[] = {1, ITEMS};
    struct node *node = op_append(
        f->graph, OP_SPEC(reshape, .shape = {2, extents}, .axis_count = -1), &x, 1, &origin);

    assert_non_null(node);
    assert_true(shape_equal(node->out[0].shape, &shape));
    return made(f, OP_SPEC(integer_matmul, .transpose_b = true, .bits = 64, .is_signed = true),
                &node->out[0], &node->out[0]);
}

static void products_of_matrices_stay_within_2_24(void **state)
{
    struct fixture *f = *state;
    int64_t items[ITEMS];

    for (int i = 0; i < ITEMS; i++)
        items[i] = 1000;
    show(f, product(f, 836)); /* 24 * 836^2 = 16773504 */
    expect_written(f, items);
    show(f, product(f, 837));
    assert_false(is_written(f));
}

/* Without a sign, and in a chain: each result is within its width, wrapped or not. */
static void chains_of_8_bits_are_written(void **state)
{
    const struct width bytes = {8, false};
    struct fixture *f = *state;
    int64_t items[ITEMS] = {0, 1, 2, 127, 128, 200, 254, 255};
    struct value *x = row(f), *y = x;

    for (int op = OP_integer_add; op <= OP_integer_mul; op++)
        show(f,
             y = in_width(f, (enum op_id)op, bytes, y, op == OP_integer_sub ? number(f, 201) : x));
    show(f, in_width(f, OP_integer_div, bytes, y, number(f, 7)));
    show(f, in_width(f, OP_integer_rest, bytes, y, number(f, 7)));
    show(f, in_width(f, OP_integer_mod, bytes, y, number(f, 7)));
    show(f, in_width(f, OP_integer_abs, bytes, y, NULL));
    show(f, in_width(f, OP_integer_sign, bytes, y, NULL));
    show(f, in_width(f, OP_integer_neg, bytes, y, NULL));
    show(f, in_width(f, OP_integer_not, bytes, y, NULL));
    expect_written(f, items);
}

static void scalars_become_integers_that_wrap(void **state)
{
    struct fixture *f = *state;
    const struct shape shape = {.rank = 1, .extent = {ITEMS}};
    const struct op_origin origin = {{0, 0}, NULL, DTYPE_INTEGER};
    struct value *x =
        graph_add_source(f->graph, VALUE_EXTERNAL, DTYPE_SCALAR, &shape, (struct span){0, 0});
    float items[ITEMS] = {0.5F,
                          -0.5F,
                          127.5F,
                          128,
                          -128.9F,
                          -129,
                          255,
                          256,
                          -1,
                          32768,
                          8388607.5F,
                          16777216,
                          2147483648,
                          -2147483648.0F,
                          -2147483904.0F,
                          4294967296,
                          4294967808,
                          6442450944,
                          -6442450944.0F,
                          1e15F,
                          -1e18F,
                          9.3e18F,
                          -INFINITY,
                          NAN};

    x->name = "x";
    f->graph->inputs[f->graph->ninput++] = (struct port){.name = "x", .value = x};
    struct node *cast = op_append(f->graph, op_plain(OP_cast), &x, 1, &origin);
    assert_non_null(cast);
    for (int bits = 8; bits <= 16; bits *= 2) {
        show(f, in_width(f, OP_integer_wrap, (struct width){bits, true}, &cast->out[0], NULL));
        show(f, in_width(f, OP_integer_wrap, (struct width){bits, false}, &cast->out[0], NULL));
    }
    expect_written(f, items);
    show(f, in_width(f, OP_integer_wrap, (struct width){32, false}, &cast->out[0], NULL));
    assert_false(is_written(f));
}

/* Half to even: floor(x), or one more. */
static void bounds_of_scalars_are_followed(void **state)
{
    struct fixture *f = *state;
    const struct shape shape = {.rank = 1, .extent = {ITEMS}};
    const struct op_origin origin = {{0, 0}, NULL, DTYPE_INTEGER}, same = {{0, 0}, NULL, 0};
    const struct datum ends[] = {{.kind = DATUM_SCALAR, .scalar = 0},
                                 {.kind = DATUM_SCALAR, .scalar = 254.5}};
    struct value *x =
        graph_add_source(f->graph, VALUE_EXTERNAL, DTYPE_SCALAR, &shape, (struct span){0, 0});
    struct value *clamp[] = {x, graph_literal(f->graph, &ends[0]),
                             graph_literal(f->graph, &ends[1])};
    struct node *node = op_append(f->graph, op_plain(OP_clamp), clamp, 3, &same);
    node = op_append(f->graph, op_plain(OP_floor), (struct value *[]){&node->out[0]}, 1, &same);
    node = op_append(f->graph, op_plain(OP_sub), (struct value *[]){&node->out[0], clamp[2]}, 2,
                     &same);
    node = op_append(f->graph, op_plain(OP_cast), (struct value *[]){&node->out[0]}, 1, &origin);
    const struct interval *bounds = bounds_of_values(f->graph, false);

    assert_int_equal(bounds[node->out[0].id].low, -255);
    assert_int_equal(bounds[node->out[0].id].high, 1); /* 255 - 254 */
}

static struct value *by_literals(struct fixture *f, enum op_id op, struct value *x, double low,
                                 double high)
{
    const struct op_origin origin = {{0, 0}, NULL, 0};
    const struct datum ends[] = {{.kind = DATUM_SCALAR, .scalar = low},
                                 {.kind = DATUM_SCALAR, .scalar = high}};
    struct value *in[] = {x, graph_literal(f->graph, &ends[0]), graph_literal(f->graph, &ends[1])};
    struct node *node = op_append(f->graph, op_plain(op), in, op_table[op]->noperand, &origin);

    assert_non_null(node);
    return &node->out[0];
}

/* NaN stays, and is cast to 0. */
static void bounds_of_scalars_have_the_cast_of_nan(void **state)
{
    struct fixture *f = *state;
    const struct shape shape = {.rank = 1, .extent = {ITEMS}};
    struct value *x =
        graph_add_source(f->graph, VALUE_EXTERNAL, DTYPE_SCALAR, &shape, (struct span){0, 0});
    struct value *unit = by_literals(f, OP_sigmoid, x, 0, 0);
    uint32_t least = by_literals(f, OP_min, unit, -5, 0)->id;
    uint32_t most = by_literals(f, OP_max, unit, 5, 0)->id;
    uint32_t within = by_literals(f, OP_clamp, unit, 5, 10)->id;
    const struct interval *bounds = bounds_of_values(f->graph, false);

    assert_true(bounds[least].low == -5 && bounds[least].high == 0);
    assert_true(bounds[most].low == 0 && bounds[most].high == 5);
    assert_true(bounds[within].low == 0 && bounds[within].high == 5);
}

/* --- indices --------------------------------------------------------------------------------- */

static struct value *gathered(struct fixture *f, int64_t extent, struct value *indices)
{
    const struct op_origin origin = {{0, 0}, NULL, DTYPE_INTEGER};
    const struct shape shape = {.rank = 1, .extent = {extent}};
    struct value *data =
        graph_add_source(f->graph, VALUE_CONSTANT, DTYPE_INTEGER, &shape, (struct span){0, 0});
    struct tensor *tensor = arena_new_of(f->context->arena, struct tensor);
    int64_t *item = arena_array_of(f->context->arena, int64_t, extent);

    for (int64_t i = 0; i < extent; i++)
        item[i] = 3 * i;
    *tensor = (struct tensor){.shape = shape, .dtype = DTYPE_INTEGER, .data = item};
    data->source->tensor = tensor;
    struct node *node = op_append(f->graph, OP_SPEC(gather, .axis = 0),
                                  (struct value *[]){data, indices}, 2, &origin);
    assert_non_null(node);
    return &node->out[0];
}

/* As ONNX counts them: negative ones from the end. */
static struct value *from_front(struct fixture *f, struct value *x, int64_t extent)
{
    struct value *is_negative = in_64(f, OP_integer_lt, x, number(f, 0));

    return chosen(f, is_negative, in_64(f, OP_integer_add, x, number(f, extent)), x);
}

static void negative_indices_are_written(void **state)
{
    struct fixture *f = *state;
    int64_t items[ITEMS] = {0, 9, -1, -10, 5};
    int64_t beyond[ITEMS] = {0, 9, -1, -11}, far[ITEMS] = {INT64_MIN}, wraps[ITEMS] = {INT64_MAX};

    show(f, gathered(f, 10, from_front(f, row(f), 10)));
    expect_written(f, items);
    expect_written(f, beyond);
    expect_written(f, far);
    expect_written(f, wraps);
}

/* What else is seen of a sum that is an index must be exact. */
static void indices_that_are_seen_are_refused(void **state)
{
    struct fixture *f = *state;
    struct value *at = from_front(f, row(f), 10);

    show(f, gathered(f, 10, at));
    show(f, at);
    assert_false(is_written(f));
}

/* x - y may be a valid index where neither operand is small. */
static void differences_of_large_integers_are_no_indices(void **state)
{
    struct fixture *f = *state;
    struct value *x = row(f);

    show(f, gathered(f, 10, in_64(f, OP_integer_sub, x, row(f))));
    assert_false(is_written(f));
}

/* Nor is what comes of a sum by another operation. */
static void sums_of_sums_are_no_indices(void **state)
{
    struct fixture *f = *state;
    struct value *sum = in_64(f, OP_integer_add, row(f), number(f, 3));

    show(f, gathered(f, 10, in_64(f, OP_integer_mod, sum, number(f, 10))));
    assert_false(is_written(f));
}

/* 2^32 - 1 and 1 are 0 in 32 bits without a sign, 2^32 in scalars. */
static void indices_without_a_sign_are_refused(void **state)
{
    struct fixture *f = *state;

    show(f, gathered(f, 10,
                     in_width(f, OP_integer_add, (struct width){32, false}, row(f), number(f, 1))));
    assert_false(is_written(f));
}

/* --- bounds ---------------------------------------------------------------------------------- */

static void an_argmax_is_below_the_extent(void **state)
{
    struct fixture *f = *state;
    const int64_t axis = 0;
    const struct wrap_reduce_attrs attrs = {{1, &axis}, 64, true};
    struct value *y =
        made(f, (struct op_spec){OP_integer_argmax_reduce, &attrs}, between(f, -9, 9), NULL);
    const struct interval *bounds = bounds_of_values(f->graph, false);

    assert_int_equal(bounds[y->id].low, 0);
    assert_int_equal(bounds[y->id].high, ITEMS - 1);
    show(f, in_64(f, OP_integer_mul, y, number(f, LIMIT / (ITEMS - 1))));
    assert_true(is_written(f));
    show(f, in_64(f, OP_integer_mul, y, number(f, LIMIT / (ITEMS - 1) + 1)));
    assert_false(is_written(f));
}

/* Nothing that depends on how many items there are is known then. */
static void extents_that_are_open_bound_nothing(void **state)
{
    struct fixture *f = *state;
    const int64_t axis = 0;
    const struct wrap_reduce_attrs attrs = {{1, &axis}, 64, true};
    struct value *x = between(f, -9, 9);
    struct value *at = made(f, (struct op_spec){OP_integer_argmax_reduce, &attrs}, x, NULL);
    struct value *most = made(f, (struct op_spec){OP_integer_max_reduce, &attrs}, x, NULL);
    struct value *sum = sum_of(f, x);
    const struct interval *bounds = bounds_of_values(f->graph, true);

    assert_true(bounds[at->id].low == 0 && bounds[at->id].high == INT64_MAX);
    assert_true(bounds[sum->id].low == INT64_MIN && bounds[sum->id].high == INT64_MAX);
    assert_true(bounds[most->id].low == -9 && bounds[most->id].high == 9);
}

static struct value *variable(struct fixture *f, const char *label)
{
    static int64_t one = 1;
    static struct tensor tensor = {.shape = {.rank = 1, .extent = {1}}, .dtype = DTYPE_INTEGER};
    struct value *v = graph_add_source(f->graph, VALUE_VARIABLE, DTYPE_INTEGER, &tensor.shape,
                                       (struct span){0, 0});

    tensor.data = &one;
    v->source->tensor = &tensor;
    v->source->label = label;
    return v;
}

/* Its items are those of the file in the first step only, under whatever name. */
static void a_variable_that_is_updated_has_any_items(void **state)
{
    struct fixture *f = *state;
    const struct op_origin origin = {{0, 0}, NULL, DTYPE_INTEGER};
    struct value *v = variable(f, "v"), *again = variable(f, "v");

    show(f, in_64(f, OP_integer_add, v, number(f, 1)));
    assert_true(is_written(f));
    assert_non_null(op_append(f->graph, op_plain(OP_update),
                              (struct value *[]){again, f->graph->outputs[0].value}, 2, &origin));
    assert_false(is_written(f));
}

static void unknown_extents_bound_nothing(void **state)
{
    struct fixture *f = *state;
    const int64_t axis = 0;
    const struct wrap_reduce_attrs attrs = {{1, &axis}, 64, true};
    struct value *x = input(f, (struct shape){.rank = 1, .extent = {EXTENT_UNKNOWN}});
    struct value *small = in_width(f, OP_integer_abs, (struct width){8, true}, x, NULL);
    struct value *sum = made(f, (struct op_spec){OP_integer_sum_reduce, &attrs}, small, NULL);
    const struct interval *bounds = bounds_of_values(f->graph, false);

    assert_true(bounds[small->id].high == INT8_MAX);
    assert_true(bounds[sum->id].high == INT64_MAX);
}

/* Each value is looked at once, however many ways lead to it. */
static void bounds_are_found_in_one_pass(void **state)
{
    struct fixture *f = *state;
    struct value *x = in_width(f, OP_integer_abs, (struct width){8, true}, row(f), NULL);
    struct value *condition = in_64(f, OP_integer_lt, x, number(f, 3));

    for (int i = 0; i < 5000; i++)
        x = chosen(f, condition, x, x);
    show(f, in_64(f, OP_integer_add, x, number(f, 1)));
    assert_true(is_written(f));
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(comparisons_with_less_than_2_24_are_exact),
        TEST(a_refusal_says_whether_other_numbers_would_do),
        TEST(two_operands_may_be_2_24),
        TEST(operands_of_a_modulus_are_2_24_together),
        TEST(a_divisor_that_may_be_0_is_refused),
        TEST(sums_stay_within_2_24),
        TEST(sums_stay_above_minus_2_24),
        TEST(products_of_matrices_stay_within_2_24),
        TEST(chains_of_8_bits_are_written),
        TEST(scalars_become_integers_that_wrap),
        TEST(bounds_of_scalars_are_followed),
        TEST(bounds_of_scalars_have_the_cast_of_nan),
        TEST(negative_indices_are_written),
        TEST(indices_that_are_seen_are_refused),
        TEST(differences_of_large_integers_are_no_indices),
        TEST(sums_of_sums_are_no_indices),
        TEST(indices_without_a_sign_are_refused),
        TEST(an_argmax_is_below_the_extent),
        TEST(a_variable_that_is_updated_has_any_items),
        TEST(unknown_extents_bound_nothing),
        TEST(extents_that_are_open_bound_nothing),
        TEST(bounds_are_found_in_one_pass),
        TEST(what_is_written_computes_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
