/* test_plan.c - plans of random graphs and of some made for it: what they compute, and together */
#include "diag/diag.h"
#include "exec/backend.h"
#include "exec/execute.h"
#include "exec/plan.h"
#include "exec/run.h"
#include "op/op.h"
#include "support/doc.h"
#include "support/doc_backend.h"
#include "support/random_graph.h"
#include "tensor/compare.h"

#include "support/t.h"

#include <pthread.h>
#include <string.h>

enum { GRAPHS = 150, TOGETHER = 4, STEPS = 5 };

static const char *const stateful =
    "version 1.0;\n"
    "extension KHR_enable_operator_expressions;\n"
    "graph g(x, w) -> (y, z, x2) {\n"
    "    x = external<scalar>(shape = [2,3,4,5]);              #< 0.5\n"
    "    w = external<scalar>(shape = [2,60]);                 #< 2\n"
    "    v = variable<scalar>(shape = [2,3,4,5], label = 'v'); #< 1\n"
    "    r = reshape(w, shape = [2,3,4,5]);\n"
    "    s = v * 1.5 + r + x;\n"
    "    v2 = update(v, s);\n"
    "    y = reshape(v + s, shape = [6,20]);                   #> [6,20]\n"
    "    z = reshape(v2 * x, shape = [120]);                   #> [120]\n"
    "    x2 = reshape(x, shape = [120]);                       #> [120]\n"
    "}\n";

/* Sums of products, with what follows and what they are added to; one of them is read twice. */
static const char *const layered =
    "version 1.0;\n"
    "graph g(x) -> (y, z) {\n"
    "    x = external<scalar>(shape = [1,2,5,5]);              #< 0.5\n"
    "    f = variable<scalar>(shape = [2,2,3,3], label = 'f'); #< 0.25\n"
    "    a1 = conv(x, f, 1.0);                                 \n"
    "    a = relu(a1);\n"
    "    b1 = conv(a, f, 0.5);                                 \n"
    "    b = add(b1, a);\n"
    "    p = max_pool(b, size = [1,1,2,2], border = 'ignore');\n"
    "    c1 = conv(p, f, -0.5);                                \n"
    "    c2 = add(p, c1);\n"
    "    c = clamp(c2, 0.0, 100.0);                            #> [1,2,5,5]\n"
    "    m = variable<scalar>(shape = [7,50], label = 'm'); #< 0.125\n"
    "    r = reshape(c, shape = [1,50]);\n"
    "    l = linear(r, m, 1.0);\n"
    "    y = tanh(l);                                          #> [1,7]\n"
    "    z = matmul(l, l, transposeA = true);                  #> [7,7]\n"
    "}\n";

/* Windows that are all within the padding, and a tensor whose items are all different. */
static const char *const padded =
    "version 1.0;\n"
    "graph g(x, r) -> (y) {\n"
    "    x = external<scalar>(shape = [1,33,1,5]);             #< 0.5\n"
    "    r = external<scalar>(shape = [1,3,2,9]);              #< 0 1 2 3 4 5 6 7 8 9 10 11 12\n"
    "    #< 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39\n"
    "    #< 40 41 42 43 44 45 46 47 48 49 50 51 52 53\n"
    "    f = variable<scalar>(shape = [3,33,3,3], label = 'f'); #< 0.25\n"
    "    c = conv(x, f, 0.0, padding = [(1,2), (3,3)]);\n"
    "    a = add(c, r);\n"
    "    y = relu(a);                                          #> [1,3,2,9]\n"
    "}\n";

/* --- beside the reference ------------------------------------------------------------------- */

static void compute(const char *text, bool scaled)
{
    struct doc doc;

    doc_read_text(&doc, "graph.nnef", text);
    doc.scaled = scaled;
    doc.steps = STEPS;
    if (!doc_run_planned(&doc))
        fail_msg("%s%s", doc.complaints.data, text);
    doc_clear(&doc);
}

static void random_graphs_compute_the_same_planned(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
        struct random_graph *graph = random_graph_new(seed);
        struct text text = {0};
        random_graph_text(graph, &text);
        compute(text.data, true);
        text_free(&text);
        random_graph_free(graph);
    }
}

static void layers_compute_the_same_planned(void **state)
{
    (void)state;
    compute(layered, true);
    compute(padded, true);
}

static void variables_are_what_the_last_step_made_them(void **state)
{
    (void)state;
    compute(stateful, false);
}

/* Sums of products of all kinds, large enough for Winograd's algorithm, and what surrounds them. */
static const char *const choosy =
    "version 1.0;\n"
    "graph g(x) -> (y, z) {\n"
    "    x = external<scalar>(shape = [1,16,24,24]);           #< 0.5\n"
    "    f = variable<scalar>(shape = [16,16,3,3], label = 'f'); #< 0.0625\n"
    "    a1 = conv(x, f, 1.0);                                 \n"
    "    a = relu(a1);\n"
    "    b1 = conv(a, f, 0.5);                                 \n"
    "    b = add(b1, a);\n"
    "    e = variable<scalar>(shape = [16,1,3,3], label = 'e'); #< 0.125\n"
    "    c1 = conv(b, e, 0.5, groups = 0);                     \n"
    "    c = concat([c1, x], axis = 1);\n"
    "    p = max_pool(c, size = [1,1,2,2], stride = [1,1,2,2], border = 'ignore');\n"
    "    t = transpose(p, axes = [0,2,3,1]);\n"
    "    s = softmax(t, axes = [3]);\n"
    "    y = mean_reduce(p, axes = [2,3]);                     #> [1,32,1,1]\n"
    "    m = variable<scalar>(shape = [7,32], label = 'm'); #< 0.125\n"
    "    r = reshape(y, shape = [1,32]);\n"
    "    l = linear(r, m, 1.0);\n"
    "    z = matmul(l, l, transposeA = true);                  #> [7,7]\n"
    "}\n";

static void sums_of_all_kinds_compute_the_same_planned(void **state)
{
    (void)state;
    compute(choosy, true);
}

/* --- several at a time ---------------------------------------------------------------------- */

struct part {
    const struct plan *plan;
    const struct graph *graph;
    const struct run *run;
    struct diag *diag;
    bool same;
};

static bool same(const struct tensor *found, const struct tensor *expected)
{
    const struct tolerance tolerance = {1e-5, 1e-5};

    return shape_equal(&found->shape, &expected->shape) &&
           tensor_difference(found, expected, &tolerance).beyond == 0;
}

static bool execute_once(const struct part *part)
{
    struct execution *e = execution_new(part->plan, part->diag, NULL);
    bool ok = e != NULL;

    for (int i = 0; ok && i < part->graph->ninput; i++)
        execution_set_input(e, i, run_input(part->run, i));
    ok = ok && execution_step(e);
    for (int i = 0; ok && i < part->graph->noutput; i++)
        ok = same(execution_result(e, part->graph->outputs[i].value),
                  run_tensor(part->run, part->graph->outputs[i].value));
    execution_free(e);
    return ok;
}

static void *execute(void *data)
{
    struct part *part = data;

    for (int i = 0; i < STEPS; i++)
        part->same &= execute_once(part);
    return NULL;
}

static void execute_together(void *to, const struct doc *doc, struct graph *graph,
                             const struct run *run)
{
    const struct plan_options options = {.backend = &backend_portable, .threads = 2};
    struct plan *plan = plan_new(graph, &options);
    struct part part = {plan, graph, run, graph->context->diag, true}, parts[TOGETHER];
    pthread_t threads[TOGETHER];

    (void)doc;
    assert_non_null(plan);
    for (int i = 0; i < TOGETHER; i++) {
        parts[i] = part;
        assert_int_equal(pthread_create(&threads[i], NULL, execute, &parts[i]), 0);
    }
    for (int i = 0; i < TOGETHER; i++) {
        pthread_join(threads[i], NULL);
        assert_true(parts[i].same);
    }
    plan_free(plan);
    *(bool *)to = true;
}

static void compute_together(const char *text)
{
    bool done = false;
    const struct doc_watcher watcher = {.computed = execute_together, .to = &done};
    struct doc doc;

    doc_read_text(&doc, "graph.nnef", text);
    doc_watch(&doc, &watcher);
    assert_true(done);
    doc_clear(&doc);
}

static void executions_of_one_plan_do_not_disturb_each_other(void **state)
{
    (void)state;
    compute_together(stateful);
    compute_together(layered);
}

/* --- what is kept --------------------------------------------------------------------------- */

static const struct value *find(const struct graph *graph, const char *name)
{
    for (const struct node *n = graph->first; n; n = n->next)
        if (n->out[0].name && strcmp(n->out[0].name, name) == 0)
            return &n->out[0];
    return NULL;
}

/* Of y = v + s with v = 1, s = 1.5 + 2 + 0.5. */
static void look_at_kept(void *to, const struct doc *doc, struct graph *graph,
                         const struct run *run)
{
    const struct value *kept[] = {find(graph, "s"), find(graph, "r")};
    const struct plan_options options = {
        .backend = &backend_portable, .threads = 1, .retained = kept, .nretained = 2};
    struct plan *plan = plan_new(graph, &options);
    struct execution *e = execution_new(plan, graph->context->diag, NULL);

    (void)doc;
    for (int i = 0; i < graph->ninput; i++)
        execution_set_input(e, i, run_input(run, i));
    assert_true(execution_step(e));
    assert_int_equal(shape_volume(&execution_result(e, kept[0])->shape), 120);
    for (int i = 0; i < 120; i++) {
        assert_true(tensor_item(execution_result(e, kept[0]), i) == 4);
        assert_true(tensor_item(execution_result(e, kept[1]), i) == 2);
    }
    execution_free(e);
    plan_free(plan);
    *(bool *)to = true;
}

static void what_is_kept_can_be_looked_at(void **state)
{
    bool done = false;
    const struct doc_watcher watcher = {.computed = look_at_kept, .to = &done};
    struct doc doc;

    (void)state;
    doc_read_text(&doc, "graph.nnef", stateful);
    doc_watch(&doc, &watcher);
    assert_true(done);
    doc_clear(&doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_graphs_compute_the_same_planned),
        cmocka_unit_test(layers_compute_the_same_planned),
        cmocka_unit_test(sums_of_all_kinds_compute_the_same_planned),
        cmocka_unit_test(variables_are_what_the_last_step_made_them),
        cmocka_unit_test(executions_of_one_plan_do_not_disturb_each_other),
        cmocka_unit_test(what_is_kept_can_be_looked_at),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
