/* test_names.c - names that NNEF does not have are changed, and the text says which */
#include "base/text.h"
#include "convert/nnef/names.h"
#include "diag/context.h"
#include "op/op_build.h"

#include "support/t.h"

struct fixture {
    struct context *context;
    struct graph *graph;
    struct port input, outputs[2];
};

static struct value *add_source(struct fixture *f, enum value_kind kind, const char *name)
{
    const struct shape shape = {2, {1, 3}};
    struct value *value =
        graph_add_source(f->graph, kind, DTYPE_SCALAR, &shape, (struct span){0, 0});

    value->name = name;
    return value;
}

static int setup(void **state)
{
    static struct fixture f;

    f.context = context_new();
    f.graph = graph_new(f.context, "g");
    f.graph->inputs = &f.input;
    f.graph->outputs = f.outputs;
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    context_free(f->context);
    return 0;
}

/* x -> relu -> the outputs of these names. */
static void make_graph(struct fixture *f, const char *input, const char *first, const char *second)
{
    struct value *x = add_source(f, VALUE_EXTERNAL, input);
    const struct op_operand operand = {.param = "x", .value = x};
    const struct op_call call = {.op = op_table[OP_relu], .in = &operand, .nin = 1};
    struct node *node = op_build(f->graph, &call);

    f->input = (struct port){.name = input, .value = x};
    f->outputs[0] = (struct port){.name = first, .value = &node->out[0]};
    f->outputs[1] = (struct port){.name = second, .value = &node->out[0]};
    f->graph->ninput = 1;
    f->graph->noutput = second ? 2 : 1;
}

static void expect_table(const struct fixture *f, const char *expected)
{
    struct text table = {0};

    names_table(f->graph, names_new(f->graph), &table);
    assert_string_equal(table.data ? table.data : "", expected);
    text_free(&table);
}

static void names_that_are_legal_are_not_told(void **state)
{
    struct fixture *f = *state;

    make_graph(f, "x", "y", NULL);
    expect_table(f, "");
}

static void changed_names_are_told_with_what_they_were(void **state)
{
    struct fixture *f = *state;

    make_graph(f, "input:0", "53", "it's");
    expect_table(f, "# input_0 = 'input:0'\n# _53 = '53'\n# it_s = \"it's\"\n");
}

/* The first and last letters and digits, and the characters next to them. */
static void a_changed_name_keeps_letters_and_digits(void **state)
{
    struct fixture *f = *state;

    make_graph(f, "`az{@AZ[/09:", "y", NULL);
    expect_table(f, "# _az__AZ__09_ = '`az{@AZ[/09:'\n");
}

static void a_name_of_two_lines_does_not_end_the_comment(void **state)
{
    struct fixture *f = *state;

    make_graph(f, "a\nb", "y", NULL);
    expect_table(f, "# a_b = 'a\\x0ab'\n");
}

static void labels_are_told_too(void **state)
{
    struct fixture *f = *state;

    make_graph(f, "x", "y", NULL);
    add_source(f, VALUE_VARIABLE, NULL)->source->label = "conv:1";
    expect_table(f, "# label 'conv_1' = 'conv:1'\n");
}

static void variables_are_told_as_other_tensors(void **state)
{
    struct fixture *f = *state;

    make_graph(f, "x", "y", NULL);
    add_source(f, VALUE_VARIABLE, "conv:1")->source->label = "conv_1";
    expect_table(f, "# conv_1 = 'conv:1'\n");
}

static void a_changed_name_is_that_of_no_other_tensor(void **state)
{
    struct fixture *f = *state;

    make_graph(f, "a:0", "y", NULL);
    add_source(f, VALUE_VARIABLE, "a_0")->source->label = "a_0";
    expect_table(f, "# a_0_1 = 'a:0'\n");
}

/* The source had these, which the graph has no more. */
static void a_fresh_name_is_that_of_no_tensor_of_the_source(void **state)
{
    static const char *gone[] = {"variable_0", "a_0", "a_0_1"};
    struct fixture *f = *state;

    make_graph(f, "a:0", "y", NULL);
    add_source(f, VALUE_VARIABLE, NULL)->source->label = "variable/0";
    f->graph->source_names = gone;
    f->graph->nsource_name = 3;
    const struct names *names = names_new(f->graph);
    assert_string_equal(names->value[f->input.value->id], "a_0_2");
    assert_string_equal(names->value[f->graph->variables.first->value->id], "variable_0_1");
}

static void a_label_that_is_changed_is_that_of_no_other_variable(void **state)
{
    struct fixture *f = *state;

    make_graph(f, "x", "y", NULL);
    add_source(f, VALUE_VARIABLE, NULL)->source->label = "w:1";
    add_source(f, VALUE_VARIABLE, NULL)->source->label = "w_1";
    expect_table(f, "# label 'w_1_1' = 'w:1'\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_that_are_legal_are_not_told, setup, teardown),
        cmocka_unit_test_setup_teardown(changed_names_are_told_with_what_they_were, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_changed_name_keeps_letters_and_digits, setup, teardown),
        cmocka_unit_test_setup_teardown(a_name_of_two_lines_does_not_end_the_comment, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(labels_are_told_too, setup, teardown),
        cmocka_unit_test_setup_teardown(variables_are_told_as_other_tensors, setup, teardown),
        cmocka_unit_test_setup_teardown(a_changed_name_is_that_of_no_other_tensor, setup, teardown),
        cmocka_unit_test_setup_teardown(a_fresh_name_is_that_of_no_tensor_of_the_source, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_label_that_is_changed_is_that_of_no_other_variable, setup,
                                        teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
