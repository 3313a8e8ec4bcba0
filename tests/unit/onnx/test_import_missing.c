/* test_import_missing.c - operators of ONNX models that nothing imports */
#include "import_fixture.h"

static void operators_that_are_not_supported_are_told_together(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    node(f, "StringSplit", "x", "a")->name = "first";
    node(f, "StringSplit", "a", "b");
    node(f, "Inverse", "b", "c")->domain = "com.microsoft";
    node(f, "Neg", "c", "y");
    output(f, "y");
    assert_int_equal(load(f), NNEFC_UNSUPPORTED);
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 2);
    expect(f, 0, "N0231", "node 0 'first' (StringSplit)");
    expect(f, 0, "N0231", "is not supported (2 nodes)");
    expect(f, 1, "N0231", "operator 'Inverse' of domain 'com.microsoft' is not supported");
}

/* A branch of `choice` of nodes of these types, the last of which makes its output. */
static void branch_of(struct fixture *f, struct onnx_node *choice, const char *name,
                      const char *const *types)
{
    struct onnx_graph *outer = f->graph;

    f->graph = onnx_graph_new(f->arena, name);
    for (; *types; types++)
        node(f, *types, "x", types[1] ? "" : name);
    output(f, name);
    onnx_node_graph(f->arena, choice, name, f->graph);
    f->graph = outer;
}

/* Of all graphs and functions that nodes reach. */
static void missing_operators_are_told_wherever_they_are(void **state)
{
    struct fixture *f = *state;
    struct onnx_graph *outer = f->graph;
    struct onnx_function *within = onnx_function_new(f->arena, f->onnx, "Within", "own");
    struct onnx_function *unused = onnx_function_new(f->arena, f->onnx, "Unused", "own");

    onnx_opset_add(f->arena, &f->onnx->opset_import, "own", 1);
    f->graph = onnx_graph_new(f->arena, "aside");
    node(f, "RegexFullMatch", "a", "b");
    within->node = f->graph->node;
    f->graph = onnx_graph_new(f->arena, "aside");
    node(f, "OptionalGetElement", "a", "b");
    unused->node = f->graph->node;
    f->graph = outer;
    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    input(f, "c", ONNX_BOOL, NULL, 0);
    struct onnx_node *choice = node(f, "If", "c", "z");
    branch_of(f, choice, "then_branch",
              (const char *const[]){"StringSplit", "TfIdfVectorizer", NULL});
    branch_of(f, choice, "else_branch", (const char *const[]){"Neg", NULL});
    node(f, "StringSplit", "z", "a");
    node(f, "Within", "a", "y")->domain = "own";
    output(f, "y");
    assert_int_equal(load(f), NNEFC_UNSUPPORTED);
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 3);
    expect(f, 0, "N0231", "node 0 (If) at byte ");
    expect(f, 0, "N0231", ", node 0 (StringSplit) at byte ");
    expect(f, 0, "N0231", "operator 'StringSplit' is not supported (2 nodes)");
    expect(f, 1, "N0231", "operator 'TfIdfVectorizer' is not supported");
    expect(f, 2, "N0231", "node 2 (Within) at byte ");
    expect(f, 2, "N0231", ", node 0 (RegexFullMatch) at byte ");
}

/* As long as nobody knows the condition, both branches are read. */
static void missing_operators_of_branches_are_told_together(void **state)
{
    struct fixture *f = *state;
    struct onnx_node *choice;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    input(f, "c", ONNX_BOOL, NULL, 0);
    choice = node(f, "If", "c", "y");
    branch_of(f, choice, "then_branch", (const char *const[]){"StringSplit", NULL});
    branch_of(f, choice, "else_branch",
              (const char *const[]){"TfIdfVectorizer", "StringSplit", NULL});
    output(f, "y");
    assert_int_equal(load(f), NNEFC_UNSUPPORTED);
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 2);
    expect(f, 0, "N0231", "operator 'StringSplit' is not supported (2 nodes)");
    expect(f, 1, "N0231", "operator 'TfIdfVectorizer' is not supported");
}

static void missing_operators_are_told_before_open_extents(void **state)
{
    struct fixture *f = *state;
    struct onnx_node *choice;

    input(f, "x", ONNX_FLOAT, (int64_t[]){-1}, 1);
    input(f, "c", ONNX_BOOL, NULL, 0);
    choice = node(f, "If", "c", "y");
    branch_of(f, choice, "then_branch", (const char *const[]){"Neg", NULL});
    branch_of(f, choice, "else_branch", (const char *const[]){"TfIdfVectorizer", NULL});
    output(f, "y");
    load(f);
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 2);
    expect(f, 0, "N0231", "operator 'TfIdfVectorizer' is not supported");
    expect(f, 1, "N0226", "input 'x' has shape [?]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(operators_that_are_not_supported_are_told_together),
        TEST(missing_operators_are_told_wherever_they_are),
        TEST(missing_operators_of_branches_are_told_together),
        TEST(missing_operators_are_told_before_open_extents),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
