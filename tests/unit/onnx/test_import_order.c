/* test_import_order.c - nodes of ONNX models that do not follow the makers of what they read */
#include "import_fixture.h"

/* --- what is sorted --------------------------------------------------------------------------- */

static void nodes_in_reverse_order_are_sorted(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    node(f, "Add", "b,a", "y");
    node(f, "Mul", "a,x", "b");
    node(f, "Neg", "x", "a");
    output(f, "y");
    computes(f, (double[]){3}, (double[]){-12}, 1);
}

/* A node goes in front of the first one that reads what it makes, and no others move. */
static void nodes_that_are_in_order_keep_it(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    node(f, "Sin", "x", "first");
    node(f, "Add", "first,late", "second");
    node(f, "Cos", "x", "third");
    node(f, "Neg", "x", "late");
    node(f, "Add", "second,third", "y");
    output(f, "y");
    must_load(f);
    char *dump = nnefc_model_dump(f->model, NNEFC_STAGE_GRAPH);
    const char *at = dump;
    for (const char *const *name =
             (const char *const[]){"first:", "late:", "second:", "third:", "y:", NULL};
         *name; name++) {
        at = strstr(at, *name);
        assert_non_null(at);
    }
    free(dump);
}

static void messages_name_the_place_in_the_file(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    node(f, "Relu", "a,a", "y")->name = "wrong";
    node(f, "Neg", "x", "a");
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0225", "node 0 'wrong' (Relu) at byte ");
}

static void a_tensor_that_nothing_makes_is_told(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    node(f, "Add", "a,none", "y");
    node(f, "Neg", "x", "a");
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0225", "node 0 (Add) at byte ");
    expect(f, 0, "N0225", "reads 'none', which is neither an input nor made by a node before");
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 1);
}

/* As many as a quadratic search would take minutes for, in a path through all of them. */
static void a_long_path_backwards_is_sorted(void **state)
{
    enum { COUNT = 200000 };
    struct fixture *f = *state;
    char in[16], out[16];

    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    for (int i = COUNT; i > 0; i--) {
        snprintf(in, sizeof in, i > 1 ? "t%d" : "x", i - 1);
        snprintf(out, sizeof out, "t%d", i);
        node(f, "Identity", in, arena_strndup(f->arena, out, strlen(out)));
    }
    node(f, "Neg", out, "y");
    output(f, "y");
    must_load(f);
    runs(f, (double[]){3}, (double[]){-3}, 1);
}

/* --- graphs within ---------------------------------------------------------------------------- */

/* If c: a node of that type and operands; else: x. */
static struct onnx_node *branches(struct fixture *f, const char *type, const char *in,
                                  const char *out)
{
    struct onnx_graph *yes = onnx_graph_new(f->arena, "yes"), *no = onnx_graph_new(f->arena, "no");
    struct onnx_graph *outer = f->graph;

    f->graph = yes;
    node(f, type, in, "inner");
    output(f, "inner");
    f->graph = no;
    node(f, "Identity", "x", "other");
    output(f, "other");
    f->graph = outer;
    struct onnx_node *choice = node(f, "If", "c", out);
    onnx_node_graph(f->arena, choice, "then_branch", yes);
    onnx_node_graph(f->arena, choice, "else_branch", no);
    return choice;
}

static void condition(struct fixture *f)
{
    struct onnx_tensor *t = onnx_tensor_new(f->arena, "c", ONNX_BOOL, NULL, 0);

    onnx_tensor_raw(t, "\1", 1);
    f->graph->initializer = onnx_tensor_append(f->graph->initializer, t);
}

static void a_branch_reads_what_a_later_node_makes(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    condition(f);
    branches(f, "Neg", "late", "y");
    node(f, "Add", "x,x", "late");
    output(f, "y");
    computes(f, (double[]){3}, (double[]){-6}, 1);
}

/* Both by nodes within and as an output of the graph itself. */
static void graphs_within_graphs_read_what_later_nodes_make(void **state)
{
    struct fixture *f = *state;
    struct onnx_graph *outer = f->graph, *body = onnx_graph_new(f->arena, "body");

    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    condition(f);
    integers(f, "trips", (int64_t[]){2}, 1);
    f->graph = body;
    input(f, "i", ONNX_INT64, NULL, 0);
    input(f, "go", ONNX_BOOL, NULL, 0);
    input(f, "sum", ONNX_FLOAT, (int64_t[]){1}, 1);
    node(f, "Add", "sum,chosen", "more");
    branches(f, "Neg", "late", "chosen");
    output(f, "on");
    output(f, "more");
    f->graph = outer;
    onnx_node_graph(f->arena, node(f, "Loop", "trips,,x", "y"), "body", body);
    node(f, "Identity", "c", "on");
    node(f, "Add", "x,x", "late");
    output(f, "y");
    computes(f, (double[]){3}, (double[]){-9}, 1);
}

/* The later node makes a tensor of that name from the result: no cycle. */
static void a_name_that_a_graph_within_has_is_its_own(void **state)
{
    struct fixture *f = *state;
    struct onnx_node *choice;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    condition(f);
    choice = branches(f, "Neg", "x", "z");
    f->graph = choice->attribute.first->g;
    node(f, "Abs", "inner", "again");
    f->graph->output.first->name = "again";
    f->graph = f->onnx->graph;
    node(f, "Neg", "z", "inner");
    node(f, "Neg", "inner", "y");
    output(f, "y");
    computes(f, (double[]){3}, (double[]){3}, 1);
}

static void nodes_of_functions_are_sorted(void **state)
{
    struct fixture *f = *state;
    struct onnx_function *twice = onnx_function_new(f->arena, f->onnx, "Twice", "own");
    struct onnx_graph *outer = f->graph, *aside = onnx_graph_new(f->arena, "aside");

    onnx_opset_add(f->arena, &f->onnx->opset_import, "own", 1);
    onnx_opset_add(f->arena, &twice->opset_import, "", 17);
    onnx_text_add(f->arena, &twice->input, "a");
    onnx_text_add(f->arena, &twice->output, "b");
    f->graph = aside;
    node(f, "Neg", "c", "b");
    node(f, "Add", "a,a", "c");
    twice->node = aside->node;
    f->graph = outer;
    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    node(f, "Twice", "z", "y")->domain = "own";
    node(f, "Twice", "x", "z")->domain = "own";
    output(f, "y");
    computes(f, (double[]){3}, (double[]){12}, 1);
}

/* --- cycles ----------------------------------------------------------------------------------- */

static void expect_cycle(struct fixture *f, const char *text)
{
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0225", text);
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 1);
}

static void a_cycle_is_one_error_with_its_members(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    node(f, "Neg", "c", "y");
    node(f, "Abs", "b", "c")->name = "last";
    node(f, "Add", "x,c", "a");
    node(f, "Neg", "a", "b");
    node(f, "Neg", "b", "d");
    expect_cycle(f, ": is in a cycle of 3 nodes: it reads 'b' of node 3 (Neg), which reads 'a' of "
                    "node 2 (Add), which reads 'c' of node 1 'last' (Abs)");
    expect(f, 0, "N0225", "node 1 'last' (Abs) at byte ");
}

static void a_node_that_reads_itself_is_a_cycle(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    node(f, "Add", "x,y", "y");
    expect_cycle(f, "node 0 (Add) at byte ");
    expect(f, 0, "N0225", "reads 'y', which it makes itself: a cycle");
}

static void a_long_cycle_is_told_in_part(void **state)
{
    struct fixture *f = *state;
    char in[16], out[16];

    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    for (int i = 0; i < 1000; i++) {
        snprintf(in, sizeof in, "t%d", i);
        snprintf(out, sizeof out, "t%d", (i + 1) % 1000);
        node(f, "Neg", in, arena_strndup(f->arena, out, strlen(out)));
    }
    node(f, "Add", "x,t0", "y");
    expect_cycle(f, "is in a cycle of 1000 nodes: it reads 't0' of node 999 (Neg), which reads ");
    expect(f, 0, "N0225", "'t993' of node 992 (Neg), and so on");
}

static void a_branch_may_close_a_cycle(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    condition(f);
    branches(f, "Neg", "late", "y");
    node(f, "Abs", "y", "late");
    expect_cycle(f, "node 0 (If) at byte ");
    expect(f, 0, "N0225", "it reads 'late' of node 1 (Abs), which reads 'y' of node 0 (If)");
}

static void a_cycle_in_a_branch_is_told_with_the_nodes_around(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    condition(f);
    branches(f, "Neg", "inner", "y");
    expect_cycle(f, "node 0 (If) at byte ");
    expect(f, 0, "N0225", ", node 0 (Neg) at byte ");
    expect(f, 0, "N0225", "reads 'inner', which it makes itself: a cycle");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nodes_in_reverse_order_are_sorted),
        TEST(nodes_that_are_in_order_keep_it),
        TEST(messages_name_the_place_in_the_file),
        TEST(a_tensor_that_nothing_makes_is_told),
        TEST(a_long_path_backwards_is_sorted),
        TEST(a_branch_reads_what_a_later_node_makes),
        TEST(graphs_within_graphs_read_what_later_nodes_make),
        TEST(a_name_that_a_graph_within_has_is_its_own),
        TEST(nodes_of_functions_are_sorted),
        TEST(a_cycle_is_one_error_with_its_members),
        TEST(a_node_that_reads_itself_is_a_cycle),
        TEST(a_long_cycle_is_told_in_part),
        TEST(a_branch_may_close_a_cycle),
        TEST(a_cycle_in_a_branch_is_told_with_the_nodes_around),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
