/* test_import_integers.c - what models of ONNX compute with integers */
#include "import_fixture.h"

#include "tensor/shape.h"

struct integer_case {
    const char *type, *attribute; /* of the operator; the attribute is 1, or text with '=' */
    enum onnx_data_type item;
    double x[2], y[2], z[2]; /* of UINT64 as they are stored, with a sign */
};

/* Known integers of another type than INT64, which they are cast from. */
static void narrow(struct fixture *f, const char *name, enum onnx_data_type type,
                   const int64_t *items, const struct shape *shape)
{
    const char *wide = *name == 'x' ? "x of 64 bits" : "y of 64 bits";
    struct onnx_tensor *t = onnx_tensor_new(f->arena, wide, ONNX_INT64, shape->extent, shape->rank);

    onnx_tensor_ints(f->arena, t, items, (size_t)shape_volume(shape));
    f->graph->initializer = onnx_tensor_append(f->graph->initializer, t);
    onnx_node_int(f->arena, node(f, "Cast", wide, name), "to", type);
}

/* Operands are inputs, so that nothing is known when the model is read, or else all is known. */
static void check_integers(struct fixture *f, const struct integer_case *c, bool folded)
{
    const struct shape two = {.rank = 1, .extent = {2}};

    if (folded) {
        narrow(f, "x", c->item, (int64_t[]){(int64_t)c->x[0], (int64_t)c->x[1]}, &two);
        narrow(f, "y", c->item, (int64_t[]){(int64_t)c->y[0], (int64_t)c->y[1]}, &two);
    } else {
        input(f, "x", c->item, two.extent, 1);
        input(f, "y", c->item, two.extent, 1);
    }
    struct onnx_node *n = node(f, c->type, "x,y", "z");
    const char *equals = c->attribute ? strchr(c->attribute, '=') : NULL;
    if (equals)
        onnx_node_string(f->arena, n,
                         arena_strndup(f->arena, c->attribute, (size_t)(equals - c->attribute)),
                         equals + 1);
    else if (c->attribute)
        onnx_node_int(f->arena, n, c->attribute, 1);
    output(f, "z");
    must_load(f);
    f->run = nnefc_run_new(f->model);
    assert_non_null(f->run);
    if (!folded) {
        feed(f, 0, c->x);
        feed(f, 1, c->y);
    }
    assert_int_equal(nnefc_run_step(f->run), NNEFC_OK);
    for (int i = 0; i < 2; i++) {
        double got = nnefc_tensor_item(nnefc_run_output(f->run, 0), i);
        if (got < c->z[i] || got > c->z[i])
            fail_msg("%s: item %d is %.17g, expected %.17g", c->type, i, got, c->z[i]);
    }
}

static void integers_are_exact_and_wrap(void **state)
{
    static const struct integer_case cases[] = {
        {"Add",
         NULL,
         ONNX_INT64,
         {16777217, -9007199254740991.},
         {1, -1},
         {16777218, -9007199254740992.}},
        {"Equal", NULL, ONNX_INT64, {16777217, 5}, {16777216, 5}, {0, 1}},
        {"Add", NULL, ONNX_UINT8, {200, 1}, {100, 2}, {44, 3}},
        {"Mul", NULL, ONNX_INT32, {65536, -3}, {65536, 7}, {0, -21}},
        {"Sub", NULL, ONNX_INT16, {-32768, 1}, {1, 2}, {32767, -1}},
        {"Mod", NULL, ONNX_INT64, {1099511627777., -7}, {2, 3}, {1, 2}},
        {"Mod", "fmod", ONNX_INT64, {1099511627777., -7}, {2, 3}, {1, -1}},
        {"Div", NULL, ONNX_INT32, {2147483647, -7}, {2, 2}, {1073741823, -3}},
        {"Max", NULL, ONNX_INT64, {16777217, -1}, {16777216, -2}, {16777217, -1}},
        {"Mod", NULL, ONNX_INT32, {30000, -30000}, {100003, 100003}, {30000, 70003}},
        {"Pow", NULL, ONNX_INT64, {3, 2}, {33, 40}, {5559060566555523., 1099511627776.}},
        {"PRelu", NULL, ONNX_INT64, {16777217, -16777217}, {2, 3}, {16777217, -50331651}},
        {"BitwiseAnd", NULL, ONNX_INT64, {16777217, -1}, {16777219, 8388609}, {16777217, 8388609}},
        {"BitwiseOr", NULL, ONNX_UINT8, {129, 64}, {3, 32}, {131, 96}},
        {"BitwiseXor", NULL, ONNX_INT8, {-1, 1}, {1, 1}, {-2, 0}},
        {"BitShift", "direction=LEFT", ONNX_UINT8, {129, 3}, {1, 7}, {2, 128}},
        {"BitShift", "direction=RIGHT", ONNX_UINT16, {32768, 3}, {15, 16}, {1, 0}},
        {"BitShift", "direction=RIGHT", ONNX_UINT64, {-0x1p63, -0x1p63}, {63, 40}, {1, 8388608}},
        {"Less", NULL, ONNX_UINT64, {-0x1p63, 5}, {5, -0x1p63}, {0, 1}},
    };

    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(teardown(state), 0);
        assert_int_equal(setup(state), 0);
        check_integers(*state, &cases[i / 2], i % 2);
    }
}

struct single_case {
    const char *type, *in; /* of the operator, whose inputs are x and what is known */
    enum onnx_data_type item;
    enum onnx_data_type to; /* of a Cast; else UNDEFINED */
    double x[2], y[2];
    int count; /* items of y */
};

static void check_single(struct fixture *f, const struct single_case *c)
{
    input(f, "x", c->item, (int64_t[]){1, 2}, 2);
    integers(f, "one", (int64_t[]){1}, 1);
    struct onnx_node *n = node(f, c->type, c->in, "y");
    if (c->to)
        onnx_node_int(f->arena, n, "to", c->to);
    if (strcmp(c->type, "ReduceMean") == 0 || strcmp(c->type, "ReduceL1") == 0)
        onnx_node_ints(f->arena, n, "axes", (int64_t[]){1}, 1);
    output(f, "y");
    must_load(f);
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 0);
    runs(f, c->x, c->y, c->count);
}

static void operators_on_one_integer_are_exact(void **state)
{
    static const struct single_case cases[] = {
        {"Relu", "x", ONNX_INT64, 0, {16777217, -16777217}, {16777217, 0}, 2},
        {"Abs", "x", ONNX_INT8, 0, {-128, -1}, {-128, 1}, 2},
        {"Neg",
         "x",
         ONNX_INT64,
         0,
         {16777217, -9007199254740991.},
         {-16777217, 9007199254740991.},
         2},
        {"BitwiseNot", "x", ONNX_UINT8, 0, {0, 254}, {255, 1}, 2},
        {"ReduceMean", "x", ONNX_INT64, 0, {33554433, 33554433}, {33554433}, 1},
        {"ReduceL1", "x", ONNX_INT64, 0, {-16777217, 2}, {16777219}, 1},
        {"ReduceSumSquare", "x", ONNX_INT64, 0, {4097, 0}, {16785409}, 1},
        {"CumSum", "x,one", ONNX_INT64, 0, {16777216, 1}, {16777216, 16777217}, 2},
        {"Cast", "x", ONNX_INT64, ONNX_INT8, {384, -129}, {-128, 127}, 2},
        {"Cast", "x", ONNX_INT64, ONNX_UINT16, {-1, 65536}, {65535, 0}, 2},
        {"Cast", "x", ONNX_FLOAT, ONNX_UINT8, {255.5, 1.9}, {255, 1}, 2},
        {"Cast", "x", ONNX_UINT64, ONNX_FLOAT, {-1, 3}, {0x1p64, 3}, 2},
        {"Cast", "x", ONNX_FLOAT, ONNX_UINT64, {0x1p63, 3}, {0x1p63, 3}, 2},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(teardown(state), 0);
        assert_int_equal(setup(state), 0);
        check_single(*state, &cases[i]);
    }
}

/* Item k of the output must be that integer, more than a double can tell. */
static void gives(struct fixture *f, const double *items, const int64_t *expected, int count)
{
    must_load(f);
    const int64_t *got = nnefc_tensor_items(result_of(f, items, count));
    for (int i = 0; i < count; i++)
        if (got[i] != expected[i])
            fail_msg("item %d is %lld, expected %lld", i, (long long)got[i],
                     (long long)expected[i]);
}

/* Known integers of any type, x and y as they are stored. */
static void known_of(struct fixture *f, const char *name, enum onnx_data_type type,
                     const int64_t *items, int count)
{
    narrow(f, name, type, items, &(struct shape){.rank = 1, .extent = {count}});
}

/* -7 / 2 is -3: sums of quotients and of rests, each toward zero, would give -4 or 0. */
static void means_of_integers_do_not_wrap(void **state)
{
    static const struct {
        enum onnx_data_type type;
        int64_t x[2], mean;
    } cases[] = {
        {ONNX_INT32, {INT32_MAX, INT32_MAX}, INT32_MAX},
        {ONNX_INT32, {INT32_MIN, INT32_MIN}, INT32_MIN},
        {ONNX_INT32, {-7, 0}, -3},
        {ONNX_INT8, {127, 127}, 127},
        {ONNX_UINT8, {255, 254}, 254},
        {ONNX_INT64, {INT64_MAX, INT64_MAX}, INT64_MAX},
        {ONNX_INT64, {INT64_MIN, INT64_MIN}, INT64_MIN},
        {ONNX_INT64, {-7, 0}, -3},
        {ONNX_INT64, {3, -2}, 0},
        {ONNX_INT64, {-3, 2}, 0},
        {ONNX_INT64, {5, -2}, 1},
        {ONNX_INT64, {3, -8}, -2},
        {ONNX_UINT64, {-1, -3}, -2},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(teardown(state), 0);
        assert_int_equal(setup(state), 0);
        struct fixture *f = *state;
        known_of(f, "x", cases[i].type, cases[i].x, 2);
        onnx_node_ints(f->arena, node(f, "ReduceMean", "x", "y"), "axes", (int64_t[]){0}, 1);
        output(f, "y");
        gives(f, NULL, &cases[i].mean, 1);
    }
}

static void integers_are_padded_with_exact_ones(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_INT64, (int64_t[]){1}, 1);
    integers(f, "pads", (int64_t[]){1, 1}, 2);
    integers(f, "value", (int64_t[]){9007199254740993}, 1);
    node(f, "Pad", "x,pads,value", "y");
    output(f, "y");
    gives(f, (double[]){5}, (int64_t[]){9007199254740993, 5, 9007199254740993}, 3);
}

/* Nothing of the result is made before its size is known to be allowed. */
static void huge_pads_of_integers_are_refused(void **state)
{
    static const char *const codes[] = {"N0118", "N0150"};

    for (int i = 0; i < 2; i++) {
        assert_int_equal(teardown(state), 0);
        assert_int_equal(setup(state), 0);
        struct fixture *f = *state;
        const int64_t pads[][4] = {{100000000, 0}, {2000000000, 2000000000, 0, 0}};
        input(f, "x", ONNX_INT64, (int64_t[]){4, 4}, i + 1);
        integers(f, "pads", pads[i], 2 * (i + 1));
        onnx_node_string(f->arena, node(f, "Pad", "x,pads", "y"), "mode", "edge");
        output(f, "y");
        assert_int_not_equal(load(f), NNEFC_OK);
        assert_string_equal(nnefc_model_diagnostics(f->model)->at[0]->code, codes[i]);
    }
}

/* 3^(2^32 + 1) is 3^1 * 3^(2^32), which is 1 in 32 bits; exponents of odd bases repeat by 2^30. */
static void exponents_have_a_type_of_their_own(void **state)
{
    static const struct {
        enum onnx_data_type base, exponent;
        int64_t x[2], y[2], z[2];
    } cases[] = {
        {ONNX_INT32, ONNX_INT64, {3, 2}, {4294967297, 4294967297}, {3, 0}},
        {ONNX_INT8, ONNX_INT32, {3, 2}, {257, 6}, {3, 64}},
        {ONNX_INT32, ONNX_UINT64, {-1, 3}, {-1, INT64_MIN}, {-1, 1}},
        {ONNX_INT64, ONNX_UINT64, {3, 2}, {INT64_MIN + 1, INT64_MIN}, {3, 0}},
        {ONNX_INT64, ONNX_INT32, {-1, 2}, {-3, -1}, {-1, 0}},
        {ONNX_UINT64, ONNX_INT64, {2, 1}, {-1, -3}, {0, 1}},
        {ONNX_UINT64, ONNX_INT32, {-1, 3}, {-1, -2}, {0, 0}}, /* the first is 2^64 - 1 */
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(teardown(state), 0);
        assert_int_equal(setup(state), 0);
        struct fixture *f = *state;
        known_of(f, "x", cases[i].base, cases[i].x, 2);
        known_of(f, "y", cases[i].exponent, cases[i].y, 2);
        node(f, "Pow", "x,y", "z");
        output(f, "z");
        gives(f, NULL, cases[i].z, 2);
    }
}

/* 2^64 - 1 is not -1, the last one. */
static void hot_items_beyond_2_63_are_out_of_range(void **state)
{
    struct fixture *f = *state;

    known_of(f, "x", ONNX_UINT64, (int64_t[]){-1, 1}, 2);
    integers(f, "depth", (int64_t[]){2}, 1);
    integers(f, "values", (int64_t[]){0, 1}, 2);
    node(f, "OneHot", "x,depth,values", "y");
    output(f, "y");
    gives(f, NULL, (int64_t[]){0, 0, 0, 1}, 4);
}

static void different_types_of_integers_are_refused(void **state)
{
    static const char *const types[] = {"BitwiseAnd", "Add", "Max", "Mod", "Less"};

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        assert_int_equal(teardown(state), 0);
        assert_int_equal(setup(state), 0);
        struct fixture *f = *state;
        input(f, "x", ONNX_INT8, (int64_t[]){2}, 1);
        input(f, "y", ONNX_UINT64, (int64_t[]){2}, 1);
        node(f, types[i], "x,y", "z");
        output(f, "z");
        assert_int_not_equal(load(f), NNEFC_OK);
        expect(f, 0, "N0225", "inputs 0 and 1 have different types of integers");
    }
}

/* Sums of a [2, 3] and b [3, 2], whose rows or columns have the zeros 1 and 2, or 1 if it is one.
 */
static void expect_sums(struct fixture *f, bool right, bool single)
{
    const double a[] = {0, 50, 100, 150, 200, 250}, b[] = {255, 3, 17, 128, 0, 99};

    f->run = nnefc_run_new(f->model);
    assert_non_null(f->run);
    feed(f, 0, a);
    feed(f, 1, b);
    assert_int_equal(nnefc_run_step(f->run), NNEFC_OK);
    for (int i = 0; i < 4; i++) {
        double sum = 0, zero = single ? 1 : (right ? i % 2 : i / 2) + 1;
        for (int k = 0; k < 3; k++)
            sum +=
                (a[i / 2 * 3 + k] - (right ? 0 : zero)) * (b[k * 2 + i % 2] - (right ? zero : 0));
        assert_true(fabs(nnefc_tensor_item(nnefc_run_output(f->run, 0), i) - sum) <= 0);
    }
}

/* Of x [2, 3] and y [3, 2]: one for all, one for each row of x or each column of y. */
static void zero_points_of_products_have_a_shape(void **state)
{
    static const struct {
        struct shape shape;
        bool right, fits;
    } cases[] = {
        {{.rank = 1, .extent = {1}}, false, true},     {{.rank = 1, .extent = {2}}, false, true},
        {{.rank = 2, .extent = {2, 1}}, false, true},  {{.rank = 1, .extent = {3}}, false, false},
        {{.rank = 2, .extent = {1, 3}}, false, false}, {{.rank = 1, .extent = {2}}, true, true},
        {{.rank = 1, .extent = {3}}, true, false},     {{.rank = 2, .extent = {3, 1}}, true, false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(teardown(state), 0);
        assert_int_equal(setup(state), 0);
        struct fixture *f = *state;
        input(f, "a", ONNX_UINT8, (int64_t[]){2, 3}, 2);
        input(f, "b", ONNX_UINT8, (int64_t[]){3, 2}, 2);
        narrow(f, "x", ONNX_UINT8, (int64_t[]){1, 2, 3}, &cases[i].shape);
        node(f, "MatMulInteger", cases[i].right ? "a,b,,x" : "a,b,x", "y");
        output(f, "y");
        assert_int_equal(load(f) == NNEFC_OK, cases[i].fits);
        if (!cases[i].fits) {
            expect(f, 0, "N0225", "expected a single item or one for each");
            continue;
        }
        const bool single = shape_volume(&cases[i].shape) == 1;
        expect_sums(f, cases[i].right, single);
        go_on_with(f, reread_as(f, NNEFC_PROFILE_STRICT));
        expect_sums(f, cases[i].right, single);
    }
}

static void a_scale_that_is_not_above_0_is_named(void **state)
{
    static const struct {
        const char *type;
        float scale;
        int warnings;
    } cases[] = {{"DequantizeLinear", 0, 1},    {"DequantizeLinear", -0.5F, 1},
                 {"DequantizeLinear", NAN, 1},  {"QuantizeLinear", INFINITY, 1},
                 {"QuantizeLinear", 1e-40F, 0}, {"DequantizeLinear", 1e38F, 0}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(teardown(state), 0);
        assert_int_equal(setup(state), 0);
        struct fixture *f = *state;
        const bool encodes = strcmp(cases[i].type, "QuantizeLinear") == 0;
        input(f, "x", encodes ? ONNX_FLOAT : ONNX_UINT8, (int64_t[]){2}, 1);
        onnx_node_float(f->arena, node(f, "Constant", "", "scale"), "value_float", cases[i].scale);
        node(f, cases[i].type, "x,scale", "y");
        output(f, "y");
        must_load(f);
        const struct nnefc_diagnostic_list *list = nnefc_model_diagnostics(f->model);
        assert_int_equal(list->count, cases[i].warnings);
        if (list->count)
            expect(f, 0, "N0219", "expected a number above 0");
    }
}

static void integers_that_floats_round_are_named(void **state)
{
    static const struct {
        enum onnx_data_type type;
        int warnings;
    } cases[] = {{ONNX_INT64, 1}, {ONNX_INT32, 1}, {ONNX_INT16, 0}};

    for (int i = 0; i < 3; i++) {
        assert_int_equal(teardown(state), 0);
        assert_int_equal(setup(state), 0);
        struct fixture *f = *state;
        input(f, "x", cases[i].type, (int64_t[]){2}, 1);
        node(f, "Shrink", "x", "y"); /* of several operations */
        output(f, "y");
        must_load(f);
        const struct nnefc_diagnostic_list *list = nnefc_model_diagnostics(f->model);
        assert_int_equal(list->count, cases[i].warnings);
        if (list->count)
            assert_non_null(strstr(list->at[0]->text, "beyond 2^24"));
    }
}

/* 255 * 255 * 259 is beyond 2^24: a float drops the last 1. */
static void convolutions_of_integers_are_exact(void **state)
{
    const struct shape shape = {.rank = 4, .extent = {1, 260, 1, 1}};
    struct fixture *f = *state;
    int64_t items[260];

    for (int i = 0; i < 260; i++)
        items[i] = i < 259 ? 255 : 1;
    narrow(f, "y", ONNX_UINT8, items, &shape);
    input(f, "x", ONNX_UINT8, shape.extent, 4);
    node(f, "ConvInteger", "x,y", "z");
    output(f, "z");
    must_load(f);
    double x[260];
    for (int i = 0; i < 260; i++)
        x[i] = (double)items[i];
    runs(f, x, (double[]){16841476}, 1);
}

/* A known tensor of UINT8. */
static void bytes(struct fixture *f, const char *name, const int64_t *items,
                  const struct shape *shape)
{
    const char *wide = arena_strndup(f->arena, name, 1);
    struct onnx_tensor *t = onnx_tensor_new(f->arena, wide, ONNX_INT64, shape->extent, shape->rank);

    onnx_tensor_ints(f->arena, t, items, (size_t)shape_volume(shape));
    f->graph->initializer = onnx_tensor_append(f->graph->initializer, t);
    onnx_node_int(f->arena, node(f, "Cast", wide, name), "to", ONNX_UINT8);
}

/* The model, and then what is written of it in NNEF with integers. */
static void computes_integers(struct fixture *f, const double *x, const double *z, int count)
{
    must_load(f);
    runs(f, x, z, count);
    go_on_with(f, reread_as(f, NNEFC_PROFILE_CUSTOM));
    runs(f, x, z, count);
}

/* 258 products of 255 * 255 are below 2^24, and 259 are odd and beyond it. */
static void sums_of_bytes_are_exact(void **state)
{
    static const int64_t lengths[] = {256, 258, 259, 516, 517, 4096};
    static int64_t items[4096];
    static double x[4096];

    for (int i = 0; i < 24; i++) {
        int length = (int)lengths[i / 4], zero = i & 1 ? 255 : 0;
        bool is_conv = i & 2;
        assert_int_equal(teardown(state), 0);
        assert_int_equal(setup(state), 0);
        struct fixture *f = *state;
        for (int k = 0; k < length; k++) {
            items[k] = 255 - zero;
            x[k] = 255 - zero;
        }
        x[0] = zero ? 1 : 254; /* a product of 254 * 255, so that the sum of 4096 is odd, too */
        const struct shape column = {.rank = 2, .extent = {length, 1}},
                           filter = {.rank = 4, .extent = {1, length, 1, 1}};
        bytes(f, "yy", items, is_conv ? &filter : &column);
        bytes(f, "zero", (int64_t[]){zero}, &(struct shape){0});
        input(f, "x", ONNX_UINT8, is_conv ? filter.extent : (int64_t[]){1, length},
              is_conv ? 4 : 2);
        node(f, is_conv ? "ConvInteger" : "MatMulInteger", "x,yy,zero,zero", "result");
        output(f, "result");
        computes_integers(f, x, (double[]){65025. * length - 255}, 1);
    }
}

/*
 * Products of 255 less the zero 128 on the left: a sum of n is 127 * 255 * n, less 255 where an
 * item is less by one.  NNEF has no integers beyond 2^24, but scalars of them, rounded once: those
 * of 2^24 and more are even, of 2^25 and more multiples of 4.
 */
static void sums_of_bytes_are_written_with_scalars(void **state)
{
    static const int64_t lengths[] = {1, 512, 1036, 1037, 4096};
    static int64_t items[4096];
    static double x[4096];

    for (int i = 0; i < 20; i++) {
        int length = (int)lengths[i / 4];
        bool is_conv = i & 1, is_cast = i & 2;
        assert_int_equal(teardown(state), 0);
        assert_int_equal(setup(state), 0);
        struct fixture *f = *state;
        for (int k = 0; k < length; k++)
            x[k] = (double)(items[k] = 255);
        x[0] = 254;
        const struct shape column = {.rank = 2, .extent = {length, 1}},
                           filter = {.rank = 4, .extent = {1, length, 1, 1}};
        bytes(f, "yy", items, is_conv ? &filter : &column);
        bytes(f, "zero", (int64_t[]){128}, &(struct shape){0});
        input(f, "x", ONNX_UINT8, is_conv ? filter.extent : (int64_t[]){1, length},
              is_conv ? 4 : 2);
        node(f, is_conv ? "ConvInteger" : "MatMulInteger", "x,yy,zero", "sums");
        if (is_cast)
            onnx_node_int(f->arena, node(f, "Cast", "sums", "result"), "to", ONNX_FLOAT);
        output(f, is_cast ? "result" : "sums");
        const double sum = 32385. * length - 255;
        must_load(f);
        runs(f, x, (double[]){is_cast ? (double)(float)sum : sum}, 1);
        if (128. * 255 * length > 16777216 && !is_cast) {
            assert_int_equal(nnefc_model_write_profile(f->model, "-", NNEFC_PROFILE_STRICT),
                             NNEFC_UNSUPPORTED);
            expect(f, 0, "N0231",
                   is_conv ? "'quantized_conv' cannot be written as an operation on scalars"
                           : "'quantized_matmul' cannot be written as an operation on scalars");
            continue;
        }
        go_on_with(f, reread_as(f, NNEFC_PROFILE_STRICT));
        runs(f, x, (double[]){(double)(float)sum}, 1);
    }
}

/* The model, and then what is written of it in NNEF with integers, by the fast backend.  `zero` is
 * a second input; NULL: there is none. */
static void runs_fast(struct fixture *f, const double *x, const double *zero, const double *z,
                      int count)
{
    for (int again = 0; again < 2; again++) {
        if (again)
            go_on_with(f, reread_as(f, NNEFC_PROFILE_CUSTOM));
        else
            must_load(f);
        f->run = nnefc_run_new_with(f->model, NULL);
        assert_non_null(f->run);
        feed(f, 0, x);
        if (zero)
            feed(f, 1, zero);
        assert_int_equal(nnefc_run_step(f->run), NNEFC_OK);
        for (int i = 0; i < count; i++)
            if (fabs(nnefc_tensor_item(nnefc_run_output(f->run, 0), i) - z[i]) > 0)
                fail_msg("item %d is %.17g, expected %.17g", i,
                         nnefc_tensor_item(nnefc_run_output(f->run, 0), i), z[i]);
    }
}

/* Large enough for the products of matrices and the convolutions that round sums. */
static void large_products_of_bytes_are_exact(void **state)
{
    enum { ROWS = 64, DEPTH = 256, COLUMNS = 128 };
    static int64_t items[DEPTH * COLUMNS];
    static double x[ROWS * DEPTH], z[ROWS * COLUMNS];
    const struct shape shape = {.rank = 2, .extent = {DEPTH, COLUMNS}};
    struct fixture *f = *state;

    for (int i = 0; i < ROWS * DEPTH; i++)
        x[i] = (i + i / DEPTH) % 2 ? 255 : i % 7;
    for (int i = 0; i < DEPTH * COLUMNS; i++)
        items[i] = (i / COLUMNS + i % COLUMNS / 64) % 2 ? 255 : i % 5;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        for (int k = 0; k < DEPTH; k++)
            z[i] += x[i / COLUMNS * DEPTH + k] * (double)items[k * COLUMNS + i % COLUMNS];
    bytes(f, "yy", items, &shape);
    input(f, "x", ONNX_UINT8, (int64_t[]){ROWS, DEPTH}, 2);
    node(f, "MatMulInteger", "x,yy", "result");
    output(f, "result");
    runs_fast(f, x, NULL, z, ROWS * COLUMNS);
    expect_dump(f, "= integer_matmul(", false); /* fast products of floats, whose sums are exact */
}

/* A convolution by 3 x 3 taps of bytes less `zero`, which is an input unless it is 0.  Weights are
 * below `weights`.  The window leaves the image at its border only, where items are `zero`. */
static void convolves(struct fixture *f, int channels, int side, int weights, double zero)
{
    enum { MOST = 64, SIDE = 40 };
    static int64_t items[MOST * MOST * 9];
    static double x[MOST * SIDE * SIDE], z[MOST * SIDE * SIDE];
    const struct shape shape = {.rank = 4, .extent = {channels, channels, 3, 3}};
    const int count = channels * side * side;

    assert_true(channels <= MOST && side <= SIDE);
    for (int i = 0; i < count; i++)
        x[i] = i * 37 % 256;
    for (int i = 0; i < channels * channels * 9; i++)
        items[i] = i * 101 % weights;
    for (int i = 0; i < count; i++) {
        z[i] = 0;
        for (int k = 0; k < channels * 9; k++) {
            int row = i / side % side + k % 9 / 3 - 1, column = i % side + k % 3 - 1;
            int weight = i / (side * side) * channels * 9 + k;
            if (row >= 0 && row < side && column >= 0 && column < side)
                z[i] += (x[(k / 9 * side + row) * side + column] - zero) * (double)items[weight];
        }
    }
    bytes(f, "yy", items, &shape);
    input(f, "x", ONNX_UINT8, (int64_t[]){1, channels, side, side}, 4);
    if (zero > 0)
        input(f, "zero", ONNX_UINT8, NULL, 0);
    struct onnx_node *conv = node(f, "ConvInteger", zero > 0 ? "x,yy,zero" : "x,yy", "result");
    onnx_node_string(f->arena, conv, "auto_pad", "SAME_UPPER");
    output(f, "result");
    runs_fast(f, x, zero > 0 ? &zero : NULL, z, count);
}

/* Winograd's algorithm of floats would divide these items by 3. */
static void large_convolutions_of_bytes_are_exact(void **state)
{
    convolves(*state, 16, 32, 256, 0);
}

/* With weights below 128 and 64 channels, Winograd's algorithm of integers computes this. */
static void zeros_of_a_run_are_subtracted(void **state)
{
    convolves(*state, 64, 40, 128, 77);
}

/* ONNX Runtime refuses both, too. */
static void a_window_is_that_of_its_filter(void **state)
{
    static const char *const operators[] = {"ConvInteger", "Conv"};

    for (int i = 0; i < 2; i++) {
        assert_int_equal(teardown(state), 0);
        assert_int_equal(setup(state), 0);
        struct fixture *f = *state;
        const int64_t size[] = {3, 1};
        enum onnx_data_type type = i == 0 ? ONNX_UINT8 : ONNX_FLOAT;
        input(f, "x", type, (int64_t[]){1, 1, 4, 4}, 4);
        input(f, "w", type, (int64_t[]){1, 1, 3, 3}, 4);
        onnx_node_ints(f->arena, node(f, operators[i], "x,w", "y"), "kernel_shape", size, 2);
        output(f, "y");
        assert_int_not_equal(load(f), NNEFC_OK);
        expect(f, 0, "N0225", "extent 1 along dimension 3, but the filter has shape [1,1,3,3]");
    }
}

static void ranges_of_integers_are_exact(void **state)
{
    static const struct {
        int64_t start, limit, delta, item[3];
        int count;
    } cases[] = {
        {2, 9, 3, {2, 5, 8}, 3},
        {2, 8, 3, {2, 5}, 2},
        {5, -1, -2, {5, 3, 1}, 3},
        {INT64_MAX - 1, INT64_MAX, 1, {INT64_MAX - 1}, 1},
        {INT64_MIN, INT64_MAX, INT64_MAX, {INT64_MIN, -1, INT64_MAX - 1}, 3},
        {3, 3, 1, {0}, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(teardown(state), 0);
        assert_int_equal(setup(state), 0);
        struct fixture *f = *state;
        integers(f, "start", &cases[i].start, 1);
        integers(f, "limit", &cases[i].limit, 1);
        integers(f, "delta", &cases[i].delta, 1);
        node(f, "Range", "start,limit,delta", "y");
        output(f, "y");
        gives(f, NULL, cases[i].item, cases[i].count);
    }
}

static void integers_are_divided_toward_zero(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_INT64, (int64_t[]){3}, 1);
    integers(f, "d", (int64_t[]){2}, 1);
    node(f, "Div", "x,d", "y");
    output(f, "y");
    must_load(f);
    runs(f, (double[]){7, -7, 4}, (double[]){3, -3, 2}, 3);
    go_on_with(f, reread_as(f, NNEFC_PROFILE_CUSTOM)); /* no bounds are known */
    runs(f, (double[]){7, -7, 4}, (double[]){3, -3, 2}, 3);
}

static void quotients_that_are_not_negative_are_floors(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_INT64, (int64_t[]){3}, 1);
    integers(f, "low", (int64_t[]){0}, 1);
    integers(f, "high", (int64_t[]){100}, 1);
    integers(f, "d", (int64_t[]){3}, 1);
    node(f, "Clip", "x,low,high", "c");
    node(f, "Div", "c,d", "y");
    output(f, "y");
    computes(f, (double[]){-7, 8, 200}, (double[]){0, 2, 33}, 3);
    expect_dump(f, "= floor(", true);
    expect_dump(f, "= ceil(", false);
}

/* More integers of 4 bits than BYTES_MANY, so that they stay in the file as they are; rows of odd
 * length begin within a byte.  Item i is i * 7 + i / 16, in 4 bits. */
enum { NIBBLE_ROWS = 70, NIBBLE_COLUMNS = 61, NIBBLES = NIBBLE_ROWS * NIBBLE_COLUMNS };

static int nibble(int64_t i, bool is_signed)
{
    int item = (int)((i * 7 + i / 16) % 16);

    return is_signed && item > 7 ? item - 16 : item;
}

static void add_nibbles(struct fixture *f, const char *name, bool is_signed, const int64_t *dim,
                        int rank)
{
    const int64_t count = rank > 1 ? NIBBLES : NIBBLE_COLUMNS;
    struct onnx_tensor *t =
        onnx_tensor_new(f->arena, name, is_signed ? ONNX_INT4 : ONNX_UINT4, dim, rank);
    uint8_t *bytes = arena_array_of(f->arena, uint8_t, (size_t)(count + 1) / 2);

    for (int64_t i = 0; i < count; i++)
        bytes[i / 2] |= (uint8_t)((nibble(i, is_signed) & 15) << (i % 2 * 4));
    onnx_tensor_raw(t, bytes, (size_t)(count + 1) / 2);
    f->graph->initializer = onnx_tensor_append(f->graph->initializer, t);
}

/* (item - zero) * scale, of which each column has its own. */
static void check_nibbles(struct fixture *f, bool is_signed)
{
    const int64_t dim[] = {NIBBLE_ROWS, NIBBLE_COLUMNS}, columns[] = {NIBBLE_COLUMNS};
    struct onnx_tensor *scales = onnx_tensor_new(f->arena, "s", ONNX_FLOAT, columns, 1);
    float scale[NIBBLE_COLUMNS];

    for (int i = 0; i < NIBBLE_COLUMNS; i++)
        scale[i] = (float)(i + 1) / 8;
    onnx_tensor_floats(f->arena, scales, scale, NIBBLE_COLUMNS);
    f->graph->initializer = onnx_tensor_append(f->graph->initializer, scales);
    f->onnx->opset_import.first->version = 21;
    add_nibbles(f, "w", is_signed, dim, 2);
    add_nibbles(f, "z", is_signed, columns, 1);
    onnx_node_int(f->arena, node(f, "DequantizeLinear", "w,s,z", "d"), "axis", 1);
    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    node(f, "Add", "d,x", "y");
    output(f, "y");
    must_load(f);
    f->run = nnefc_run_new(f->model);
    feed(f, 0, (double[]){0.5});
    assert_int_equal(nnefc_run_step(f->run), NNEFC_OK);
    for (int64_t i = 0; i < NIBBLES; i++) {
        const int64_t column = i % NIBBLE_COLUMNS;
        const int steps = nibble(i, is_signed) - nibble(column, is_signed);
        const double number = nnefc_tensor_item(nnefc_run_output(f->run, 0), i);
        assert_true(number == (double)((float)steps * scale[column] + 0.5F));
    }
}

static void many_integers_of_4_bits_are_numbers(void **state)
{
    check_nibbles(*state, false);
}

static void many_integers_of_4_bits_with_a_sign_are_numbers(void **state)
{
    check_nibbles(*state, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(integers_are_exact_and_wrap),
        TEST(operators_on_one_integer_are_exact),
        TEST(means_of_integers_do_not_wrap),
        TEST(integers_are_padded_with_exact_ones),
        TEST(huge_pads_of_integers_are_refused),
        TEST(exponents_have_a_type_of_their_own),
        TEST(hot_items_beyond_2_63_are_out_of_range),
        TEST(different_types_of_integers_are_refused),
        TEST(zero_points_of_products_have_a_shape),
        TEST(a_scale_that_is_not_above_0_is_named),
        TEST(integers_that_floats_round_are_named),
        TEST(convolutions_of_integers_are_exact),
        TEST(sums_of_bytes_are_exact),
        TEST(sums_of_bytes_are_written_with_scalars),
        TEST(large_products_of_bytes_are_exact),
        TEST(large_convolutions_of_bytes_are_exact),
        TEST(zeros_of_a_run_are_subtracted),
        TEST(a_window_is_that_of_its_filter),
        TEST(ranges_of_integers_are_exact),
        TEST(integers_are_divided_toward_zero),
        TEST(quotients_that_are_not_negative_are_floors),
        TEST(many_integers_of_4_bits_are_numbers),
        TEST(many_integers_of_4_bits_with_a_sign_are_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
