/*
 * test_import_kinds.c - inputs and outputs that are no tensors, and sequences where a tensor has
 * to be
 *
 * Each model is loaded as one graph and as an open model, which may run in parts.
 */
#include "import_fixture.h"

/* Tensors of a type that stands for several of them, or for one or none. */
static struct onnx_type *some_of(const struct fixture *f, struct onnx_type *item, bool optional)
{
    struct onnx_type *type = arena_new_of(f->arena, struct onnx_type);
    struct onnx_type_of *of = arena_new_of(f->arena, struct onnx_type_of);

    *type = (struct onnx_type){.tensor_type = NULL};
    *of = (struct onnx_type_of){.elem_type = item};
    *(optional ? &type->optional_type : &type->sequence_type) = of;
    return type;
}

/* x[9,9], too large to decide by its items, and the sequence s = [x, x]. */
static void begin_sequence(struct fixture *f)
{
    input(f, "x", ONNX_FLOAT, (int64_t[]){9, 9}, 2);
    node(f, "SequenceConstruct", "x,x", "s");
}

static struct onnx_type *square(struct fixture *f)
{
    return onnx_value_info_new(f->arena, "", ONNX_FLOAT, (int64_t[]){9, 9}, 2)->type;
}

/* An output of that type. */
static void show(struct fixture *f, const char *name, struct onnx_type *type)
{
    output(f, name);
    f->graph->output.last->type = type;
}

/* The graph is refused, open or not, with one report that has that code and says that. */
static void expect_refusal(void (*make)(struct fixture *f), const char *code, const char *text)
{
    for (int open = 0; open < 2; open++) {
        void *state = NULL;
        assert_int_equal(setup(&state), 0);
        struct fixture *f = state;
        make(f);
        if (open)
            nnefc_model_keep_open(f->model);
        assert_int_not_equal(load(f), NNEFC_OK);
        expect(f, 0, code, text);
        assert_int_equal(nnefc_model_diagnostics(f->model)->count, 1);
        teardown(&state);
    }
}

/* --- declarations ------------------------------------------------------------------------------
 */

static void give_sequence(struct fixture *f)
{
    begin_sequence(f);
    f->graph->input.last->type = some_of(f, square(f), false);
    output(f, "x");
}

static void give_optional(struct fixture *f)
{
    begin_sequence(f);
    f->graph->input.last->type = some_of(f, some_of(f, square(f), false), true);
    output(f, "x");
}

static void an_input_is_a_tensor(void **state)
{
    (void)state;
    expect_refusal(give_sequence, "N0231", "input 'x' is declared as a sequence, which NNEF");
    expect_refusal(give_optional, "N0231", "input 'x' is declared as an optional, which NNEF");
}

static void show_sequence(struct fixture *f)
{
    begin_sequence(f);
    show(f, "s", some_of(f, square(f), false));
}

static void show_as_optional(struct fixture *f)
{
    input(f, "x", ONNX_FLOAT, (int64_t[]){9, 9}, 2);
    node(f, "Relu", "x", "y");
    show(f, "y", some_of(f, square(f), true));
}

static void show_as_tensor(struct fixture *f)
{
    begin_sequence(f);
    show(f, "s", square(f));
}

static void an_output_is_a_tensor(void **state)
{
    (void)state;
    expect_refusal(show_sequence, "N0231", "output 's' is declared as a sequence, which NNEF");
    expect_refusal(show_as_optional, "N0231", "output 'y' is declared as an optional, which NNEF");
    expect_refusal(show_as_tensor, "N0194",
                   "makes 's' as a sequence, but the file declares it as FLOAT[9,9]");
}

/* Its size is computed, so that an open model is cut before the sequence is there. */
static void an_output_of_a_later_part_is_a_tensor(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){9, 9}, 2);
    node(f, "NonZero", "x", "places");
    node(f, "SequenceConstruct", "places,places", "s");
    show(f, "s", some_of(f, square(f), false));
    nnefc_model_keep_open(f->model);
    assert_int_equal(load(f), NNEFC_UNSUPPORTED);
    expect(f, 0, "N0231", "output 's' is declared as a sequence, which NNEF");
}

/* --- operands ----------------------------------------------------------------------------------
 */

static void branch_on_sequence(struct fixture *f)
{
    struct onnx_graph *outer = f->graph, *yes = onnx_graph_new(f->arena, "yes");

    begin_sequence(f);
    f->graph = yes;
    node(f, "Neg", "x", "a");
    output(f, "a");
    f->graph = outer;
    struct onnx_node *choice = node(f, "If", "s", "y");
    onnx_node_graph(f->arena, choice, "then_branch", yes);
    onnx_node_graph(f->arena, choice, "else_branch", yes);
    output(f, "y");
}

static void loop_over_sequence(struct fixture *f)
{
    struct onnx_graph *outer = f->graph, *body = onnx_graph_new(f->arena, "body");

    begin_sequence(f);
    f->graph = body;
    input(f, "i", ONNX_INT64, NULL, 0);
    input(f, "go", ONNX_BOOL, NULL, 0);
    input(f, "v", ONNX_FLOAT, (int64_t[]){9, 9}, 2);
    node(f, "Identity", "go", "on");
    node(f, "Neg", "v", "w");
    output(f, "on");
    output(f, "w");
    f->graph = outer;
    onnx_node_graph(f->arena, node(f, "Loop", "s,,x", "y"), "body", body);
    output(f, "y");
}

static void conditions_and_trips_are_tensors(void **state)
{
    (void)state;
    expect_refusal(branch_on_sequence, "N0225", "input 0, 's', is a sequence, expected a tensor");
    expect_refusal(loop_over_sequence, "N0225", "input 0, 's', is a sequence, expected a tensor");
}

static void optionals_are_refused_by_name(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){2}, 1);
    node(f, "Optional", "x", "o");
    node(f, "OptionalHasElement", "o", "y");
    output(f, "y");
    assert_int_equal(load(f), NNEFC_UNSUPPORTED);
    expect(f, 0, "N0231", "node 0 (Optional) at byte ");
    expect(f, 0, "N0231", "operator 'Optional' is not supported: optionals");
    expect(f, 1, "N0231", "operator 'OptionalHasElement' is not supported: optionals");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_input_is_a_tensor),
        cmocka_unit_test(an_output_is_a_tensor),
        TEST(an_output_of_a_later_part_is_a_tensor),
        cmocka_unit_test(conditions_and_trips_are_tensors),
        TEST(optionals_are_refused_by_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
