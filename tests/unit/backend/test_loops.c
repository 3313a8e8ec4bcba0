/*
 * test_loops.c - loops of the portable backend on tensors that are larger than what they do at once
 *
 * `x` and `q` are in NNEF's order; `n` is made by a convolution, which has the channels last.
 */
#include "diag/context.h"
#include "exec/backend.h"
#include "exec/execute.h"
#include "exec/plan.h"
#include "ir/graph.h"
#include "support/doc.h"
#include "support/doc_backend.h"

#include "support/t.h"

#include <inttypes.h>
#include <string.h>

static const char *const expressions[] = {
    /* item by item */
    "n + c",
    "x * c + p",
    "c - n * p",
    "max(n, q) * 0.5",
    "select(n < c, n, p)",
    "select(n < p && x > 0.0, n, exp(x))",
    "n * 1.5 >= c",
    "exp(n) * sigmoid(x + q) - c",
    "clamp(x * 3.0, -0.5, p)",
    "relu(n + x) / (abs(c) + 1.0)",
    "prelu(n, c)",
    "leaky_relu(elu(x + p), alpha = 0.25)",
    "tanh(sin(n) + cos(x) * 0.1)",
    "pow(abs(n) + 0.1, abs(p))",
    "gelu(softplus(n) - silu(q))",
    /* a window that fits needs no border */
    ("max_pool(x, size = [1,1,2,3], stride = [1,1,1,2], padding = [(0,0),(0,0),(0,0),(0,0)], "
     "border = 'reflect')"),
    /* back again */
    "deconv(n, k, 0.5)",
    "relu(deconv(x, k, stride = [2,2], padding = [(1,0),(1,1)]))",
    "deconv(x, w, 0.25, stride = [2,1])",
    "deconv(n, k, stride = [1,3], dilation = [2,2], output_shape = [2,5,9,33])",
    /* put elsewhere */
    "transpose(x, axes = [0,2,3,1])",
    "transpose(n, axes = [0,2,3,1]) * 2.0",
    "transpose(x, axes = [0,3,1,2])",
    "transpose(n, axes = [0,3,1,2]) + 0.5",
    ("transpose(max(n, x), axes = [0,2,3,1]) + transpose(transpose(n, axes = [0,2,3,1]) + "
     "1.0, axes = [0,1,2,3])"),
    "conv(transpose(transpose(x, axes = [0,2,3,1]) * 2.0, axes = [0,3,1,2]), w)",
    "transpose(n, axes = [0,3,2,1])",
    "transpose(x, axes = [3,2,1,0])",
    "transpose(n, axes = [1,0,2,3])",
    "transpose(reshape(x, shape = [74,99]), axes = [1,0])",
    "concat([n, n, x], axis = 1)",
    "concat([n, relu(n)], axis = 2)",
    "concat([x, q, x], axis = 3)",
    "concat([x, q], axis = 0)",
    "stack([x, q], axis = 4)",
    "stack([x, q], axis = 1)",
    "slice(n, axes = [1,2], begin = [3,1], end = [-2,0], stride = [1,1])",
    "slice(x, axes = [3,2], begin = [1,8], end = [-3,2], stride = [2,-3])",
    "slice(n, axes = [3], begin = [9], end = [2], stride = [-3])",
    "tile(n, repeats = [1,2,3,1])",
    "tile(x, repeats = [2,1,1,3])",
    "nearest_upsample(n, factor = [2,3])",
    "nearest_upsample(x, factor = [2,2])",
    "nearest_downsample(nearest_upsample(x, factor = [1,2]), factor = [3,2])",
    "pad(n, padding = [(0,0),(0,0),(1,2),(3,1)], border = 'constant', value = 0.5)",
    "pad(x, padding = [(0,1),(0,0),(2,2),(3,3)], border = 'reflect')",
    "pad(n, padding = [(0,0),(2,0),(2,2),(3,3)], border = 'reflect-even')",
    "pad(x, padding = [(1,0),(0,0),(2,2),(3,3)], border = 'replicate')",
    /* over windows */
    "multilinear_upsample(n, factor = [2,3], method = 'symmetric', border = 'replicate')",
    "multilinear_upsample(x, factor = [2,2], method = 'asymmetric', border = 'constant')",
    "multilinear_upsample(n, factor = [1,2], method = 'aligned', border = 'replicate')",
    ("multilinear_upsample(reshape(n, shape = [2,37,99]), factor = [3], method = "
     "'symmetric', border = 'constant')"),
    ("multilinear_upsample(reshape(x, shape = [74,1,9,11]), factor = [3,1], method = "
     "'symmetric', border = 'reflect')"),
    ("max_pool(n, size = [1,1,3,3], stride = [1,1,2,2], padding = "
     "[(0,0),(0,0),(1,1),(0,1)], border = 'ignore')"),
    "max_pool(x, size = [1,1,2,3], padding = [(0,0),(0,0),(1,1),(0,1)], border = 'constant')",
    ("avg_pool(n, size = [1,1,3,3], stride = [1,1,2,1], padding = "
     "[(0,0),(0,0),(1,1),(2,1)], border = 'ignore')"),
    "avg_pool(x, size = [1,1,3,2], padding = [(0,0),(0,0),(1,1),(1,1)], border = 'constant')",
    ("box(n, size = [1,1,2,2], dilation = [1,1,2,3], padding = [(0,0),(0,0),(1,1),(1,1)], "
     "border = 'ignore', normalize = true)"),
    "box(n, size = [1,1,9,11], padding = [(0,0),(0,0),(0,0),(0,0)])",
    /* products */
    "matmul(x, q, transposeB = true)",
    "matmul(x, q, transposeA = true)",
    "matmul(reshape(x, shape = [37,18,11]), reshape(q, shape = [37,11,18]))",
    "matmul(reshape(x, shape = [11,666]), reshape(q, shape = [666,11]))",
    "matmul(reshape(x, shape = [11,666]), reshape(q, shape = [11,666]), transposeA = true)",
    "matmul(reshape(p, shape = [1,1,2,9]), q)",
    ("matmul(softmax(matmul(reshape(x, shape = [2,3,111,11]), reshape(q, shape = "
     "[2,3,111,11]), transposeB = true) * 0.3, axes = [3]), reshape(x + q, shape = "
     "[2,3,111,11]))"),
    ("matmul(softmax(matmul(x, q, transposeB = true) * 0.3 + reshape(p, shape = "
     "[2,1,1,9]), axes = [3]), x)"),
    ("matmul(softmax(matmul(reshape(x, shape = [2,37,99]), reshape(q, shape = [2,37,99]), "
     "transposeB = true) * 0.1 + slice(reshape(q, shape = [2,37,99]), axes = [2], begin = [0], "
     "end = [37]), axes = [2]), reshape(x, shape = [2,37,99]))"),
    ("matmul(softmax(matmul(reshape(x, shape = [2,37,99]), reshape(q, shape = [2,37,99]), "
     "transposeB = true) * 0.1 + slice(reshape(q, shape = [2,37,99]), axes = [2], begin = [0], "
     "end = [1]), axes = [2]), reshape(x, shape = [2,37,99]))"),
    /* products with a matrix that is known: of one row, of few, of many */
    "linear(c, f, b)",
    "matmul(c, g)",
    "relu(matmul(c, f, transposeB = true))",
    "linear(slice(reshape(x, shape = [198,37]), axes = [0], begin = [5], end = [12]), f, b)",
    ("gelu(matmul(slice(reshape(x, shape = [198,37]), axes = [0], begin = [5], end = [8]), g) "
     "+ b)"),
    "linear(reshape(x, shape = [198,37]), f, 0.5)",
    "tanh(matmul(reshape(x, shape = [198,37]), g) + linear(reshape(q, shape = [198,37]), f, b))",
    "relu(matmul(reshape(x, shape = [2,99,37]), h) + reshape(b, shape = [1,1,19]))",
    /* along axes */
    "softmax(n, axes = [1])",
    "softmax(x, axes = [1])",
    "softmax(n, axes = [2,3])",
    "softmax(x, axes = [2,3])",
    "softmax(x + q, axes = [3])",
    "mean_reduce(n, axes = [2,3])",
    "mean_reduce(x, axes = [2,3])",
    "sum_reduce(x, axes = [1])",
    "sum_reduce(n, axes = [1])",
    "sum_reduce(n, axes = [1], normalize = true)",
    "max_reduce(n, axes = [2])",
    "min_reduce(x, axes = [0])",
    "max_reduce(x, axes = [0,1,2,3])",
    "mean_reduce(reshape(x, shape = [1,7326]), axes = [1])",
    ("(x - mean_reduce(x, axes = [3])) * rsqrt(mean_reduce(sqr(x - mean_reduce(x, axes = "
     "[3])), axes = [3]) + 0.01)"),
    ("(n - mean_reduce(n, axes = [1])) * rsqrt(mean_reduce(sqr(n - mean_reduce(n, axes = "
     "[1])), axes = [1]) + 0.01) * c + c"),
};

/* Numbers between -1 and 1. */
static double next(uint64_t *state)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return (double)(*state >> 40) / (1 << 23) - 1;
}

static void add_tensor(struct text *to, const char *definition, int count, uint64_t *state)
{
    text_add(to, "    %s;\n    #<", definition);
    for (int i = 0; i < count; i++)
        text_add(to, i % 20 == 19 ? " %.4f\n    #<" : " %.4f", next(state));
    text_add(to, "\n");
}

/* No operation is left to the reference, but for those that only give another shape. */
static void check_steps(void *to, const struct doc *doc, struct graph *graph, const struct run *run)
{
    const struct plan_options options = {.backend = &backend_portable, .threads = 1};
    struct plan *plan = plan_new(graph, &options);
    struct execution *e = execution_new(plan, graph->context->diag, NULL);

    (void)doc;
    (void)run;
    for (int i = 0; i < execution_step_count(e); i++) {
        const struct step *step = execution_step_time(e, i).step;
        if (strcmp(step->kernel->name, "reference") == 0)
            fail_msg("%s: '%s' is left to the reference", *(const char **)to,
                     step->nodes[0]->op->name);
    }
    execution_free(e);
    plan_free(plan);
}

static void compute_text(const char *expression, const struct text *text)
{
    const struct doc_watcher watcher = {.computed = check_steps, .to = &expression};
    struct doc doc;

    doc_read_text(&doc, "graph.nnef", text->data);
    if (!doc_run_planned(&doc))
        fail_msg("%s: %s", expression, doc.complaints.data);
    doc_watch(&doc, &watcher);
    doc_clear(&doc);
}

static void compute(const char *expression)
{
    struct text text = {0};
    uint64_t state = 1;

    text_add(&text, "version 1.0;\nextension KHR_enable_operator_expressions;\n"
                    "extension KHR_enable_fragment_definitions;\n"
                    "graph g(x, c, p, q) -> (z) {\n");
    add_tensor(&text, "x = external<scalar>(shape = [2,37,9,11])", 2 * 37 * 9 * 11, &state);
    add_tensor(&text, "c = external<scalar>(shape = [1,37])", 37, &state);
    add_tensor(&text, "p = external<scalar>(shape = [2,1,9])", 2 * 9, &state);
    add_tensor(&text, "q = external<scalar>(shape = [2,37,9,11])", 2 * 37 * 9 * 11, &state);
    add_tensor(&text, "w = variable<scalar>(shape = [37,37,1,1], label = 'w')", 37 * 37, &state);
    add_tensor(&text, "k = variable<scalar>(shape = [37,5,3,4], label = 'k')", 37 * 5 * 12, &state);
    add_tensor(&text, "f = variable<scalar>(shape = [19,37], label = 'f')", 19 * 37, &state);
    add_tensor(&text, "g = variable<scalar>(shape = [37,19], label = 'g')", 37 * 19, &state);
    add_tensor(&text, "h = variable<scalar>(shape = [1,37,19], label = 'h')", 37 * 19, &state);
    add_tensor(&text, "b = variable<scalar>(shape = [1,19], label = 'b')", 19, &state);
    text_add(&text, "    n = conv(x, w);\n    z = %s;\n}\n", expression);
    compute_text(expression, &text);
    text_free(&text);
}

/* All channels of a pixel are read for each part of the results, which may not lie there then. */
static void what_is_added_to_its_own_convolution_stays_until_the_end(void **to)
{
    struct text text = {0};
    uint64_t state = 1;

    (void)to;
    text_add(&text, "version 1.0;\ngraph g(x) -> (z) {\n");
    add_tensor(&text, "x = external<scalar>(shape = [1,3,2,5])", 30, &state);
    add_tensor(&text, "w = variable<scalar>(shape = [150,3,1,1], label = 'w')", 450, &state);
    add_tensor(&text, "v = variable<scalar>(shape = [150,150,1,1], label = 'v')", 22500, &state);
    text_add(&text, "    n = conv(x, w);\n    m = conv(n, v);\n    z = add(m, n);\n}\n");
    compute_text("conv(n, v) + n", &text);
    text_free(&text);
}

/* --- several layers in one step --------------------------------------------------------------- */

struct cascades {
    const char *kept;  /* a value that is to be seen; NULL: only the result is */
    int nodes;         /* that such a step does */
    int wanted, found; /* steps that do several layers */
};

static const struct value *named(const struct graph *graph, const char *name)
{
    for (const struct node *n = graph->first; n && name; n = n->next)
        if (n->out[0].name && strcmp(n->out[0].name, name) == 0)
            return &n->out[0];
    return NULL;
}

static void count_cascades(void *to, const struct doc *doc, struct graph *graph,
                           const struct run *run)
{
    struct cascades *c = to;
    const struct value *kept = named(graph, c->kept);
    const struct plan_options options = {
        .backend = &backend_portable, .threads = 1, .retained = &kept, .nretained = kept != NULL};
    struct plan *plan = plan_new(graph, &options);
    struct execution *e = execution_new(plan, graph->context->diag, NULL);

    (void)doc;
    (void)run;
    c->found = 0;
    for (int i = 0; i < execution_step_count(e); i++) {
        const struct step *step = execution_step_time(e, i).step;
        bool is_cascade = strcmp(step->kernel->name, "cascade") == 0;
        c->found += is_cascade;
        assert_true(!is_cascade || step->count == c->nodes);
    }
    execution_free(e);
    plan_free(plan);
}

/* Pixels of `rows` rows are expanded, convolved channel by channel and projected.  The first layer
 * and the last have something added. */
static void compute_layers(int rows, struct cascades *c)
{
    const struct doc_watcher watcher = {.computed = count_cascades, .to = c};
    struct text text = {0}, input = {0}, added = {0};
    uint64_t state = 1;
    struct doc doc;

    text_add(&input, "x = external<scalar>(shape = [1,4,%d,64])", rows);
    text_add(&added, "r = external<scalar>(shape = [1,37,%d,64])", rows);
    text_add(&text, "version 1.0;\ngraph g(x, r) -> (z) {\n");
    add_tensor(&text, input.data, 4 * rows * 64, &state);
    add_tensor(&text, added.data, 37 * rows * 64, &state);
    add_tensor(&text, "u = variable<scalar>(shape = [37,4,1,1], label = 'u')", 148, &state);
    add_tensor(&text, "v = variable<scalar>(shape = [37,1,3,3], label = 'v')", 333, &state);
    add_tensor(&text, "w = variable<scalar>(shape = [4,37,1,1], label = 'w')", 148, &state);
    text_add(&text, "    a = conv(x, u);\n    s = add(a, r);\n    b = relu(s);\n    c = conv(b, v, "
                    "groups = 0);\n"
                    "    d = relu(c);\n    e = conv(d, w);\n    z = add(e, x);\n}\n");
    doc_read_text(&doc, "graph.nnef", text.data);
    if (!doc_run_planned(&doc))
        fail_msg("%s", doc.complaints.data);
    doc_watch(&doc, &watcher);
    assert_int_equal(c->found, c->wanted);
    doc_clear(&doc);
    text_free(&text);
    text_free(&input);
    text_free(&added);
}

static void layers_that_leave_much_between_them_are_one_step(void **state)
{
    (void)state;
    compute_layers(16, &(struct cascades){.wanted = 0});
    compute_layers(64, &(struct cascades){.nodes = 7, .wanted = 1});
    compute_layers(64, &(struct cascades){.kept = "b", .nodes = 4, .wanted = 1});
}

static void count_steps(void *to, const struct doc *doc, struct graph *graph, const struct run *run)
{
    struct plan *plan =
        plan_new(graph, &(struct plan_options){.backend = &backend_portable, .threads = 1});
    struct execution *e = execution_new(plan, graph->context->diag, NULL);

    (void)doc;
    (void)run;
    *(int *)to = execution_step_count(e);
    execution_free(e);
    plan_free(plan);
}

/* What follows are a row, a matrix and an activation. */
static void what_follows_a_product_is_done_in_its_step(void **state)
{
    int steps = 0;
    const struct doc_watcher watcher = {.computed = count_steps, .to = &steps};
    struct text text = {0};
    uint64_t seed = 1;
    struct doc doc;

    (void)state;
    text_add(&text, "version 1.0;\ngraph g(x, r) -> (z) {\n");
    add_tensor(&text, "x = external<scalar>(shape = [9,64])", 9 * 64, &seed);
    add_tensor(&text, "r = external<scalar>(shape = [9,37])", 9 * 37, &seed);
    add_tensor(&text, "w = variable<scalar>(shape = [64,37], label = 'w')", 64 * 37, &seed);
    add_tensor(&text, "b = variable<scalar>(shape = [1,37], label = 'b')", 37, &seed);
    text_add(&text, "    p = matmul(x, w);\n    s = add(p, b);\n    t = add(s, r);\n"
                    "    z = relu(t);\n}\n");
    doc_read_text(&doc, "graph.nnef", text.data);
    if (!doc_run_planned(&doc))
        fail_msg("%s", doc.complaints.data);
    doc_watch(&doc, &watcher);
    assert_int_equal(steps, 1);
    doc_clear(&doc);
    text_free(&text);
}

static void loops_compute_what_the_reference_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof expressions / sizeof expressions[0]; i++)
        compute(expressions[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_that_leave_much_between_them_are_one_step),
        cmocka_unit_test(what_follows_a_product_is_done_in_its_step),
        cmocka_unit_test(loops_compute_what_the_reference_does),
        cmocka_unit_test(what_is_added_to_its_own_convolution_stays_until_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
