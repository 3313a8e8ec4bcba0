/* test_run.c - what a run keeps, frees, updates and refuses, on graphs made by hand */
#include "exec/run.h"

#include "diag/context.h"
#include "diag/diag.h"
#include "ir/graph.h"
#include "op/op.h"

#include "support/t.h"

/* y = x + 1, for each item */
static bool increment(const struct eval *eval)
{
    const float *x = eval->in[0]->data;
    float *y = eval->out[0]->data;

    for (int64_t i = 0; i < shape_volume(&eval->in[0]->shape); i++)
        y[i] = x[i] + 1;
    return true;
}

/* The new value of a variable is the second operand. */
static bool second(const struct eval *eval)
{
    const float *value = eval->in[1]->data;
    float *result = eval->out[0]->data;

    for (int64_t i = 0; i < shape_volume(&eval->in[1]->shape); i++)
        result[i] = value[i];
    return true;
}

static bool refuse(const struct eval *eval)
{
    return diag_error(eval->diag, eval->node->span, DIAG_RUN_INDEX, "no");
}

static const struct op_desc op_plus = {.name = "plus", .eval = increment};
static const struct op_desc op_store = {.name = "store", .eval = second, .traits = OP_EFFECT};
static const struct op_desc op_refuse = {.name = "refuse", .eval = refuse};
static const struct op_desc op_missing = {.name = "missing"};

struct fixture {
    struct context *context;
    struct graph *graph;
    struct port inputs[2], outputs[2];
    struct run *run;
};

static const struct shape pair = {2, {1, 2}};

static int setup(void **state)
{
    static struct fixture f;

    f = (struct fixture){.context = context_new()};
    f.graph = graph_new(f.context, "g");
    f.graph->inputs = f.inputs;
    f.graph->outputs = f.outputs;
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    run_free(f->run);
    context_free(f->context);
    return 0;
}

static struct value *add_source(struct fixture *f, enum value_kind kind, const char *label)
{
    struct value *v = graph_add_source(f->graph, kind, DTYPE_SCALAR, &pair, (struct span){0, 0});

    v->source->label = label;
    return v;
}

static struct value *add_input(struct fixture *f, const char *name)
{
    struct value *v = add_source(f, VALUE_EXTERNAL, NULL);

    v->name = name;
    f->inputs[f->graph->ninput++] = (struct port){.name = name, .value = v};
    return v;
}

static void add_output(struct fixture *f, struct value *value)
{
    f->outputs[f->graph->noutput++] = (struct port){.name = "out", .value = value};
}

static struct value *add_node(struct fixture *f, const struct op_desc *op, struct value *a,
                              struct value *b)
{
    struct value *in[] = {a, b};
    struct node *node = graph_add_node(f->graph, op, in, b ? 2 : 1, 1);

    node->out[0].shape = a->shape;
    node->out[0].dtype = DTYPE_SCALAR;
    return &node->out[0];
}

static void feed(struct fixture *f, int index, float a, float b)
{
    struct tensor tensor;

    assert_true(tensor_allocate(&tensor, DTYPE_SCALAR, &pair));
    ((float *)tensor.data)[0] = a;
    ((float *)tensor.data)[1] = b;
    run_set_input(f->run, index, &tensor);
    assert_null(tensor.data);
}

static double item(const struct fixture *f, const struct value *value, int index)
{
    return tensor_item(run_tensor(f->run, value), index);
}

static void begin(struct fixture *f)
{
    f->run = run_new(f->graph);
    assert_non_null(f->run);
}

static void results_follow_from_inputs(void **state)
{
    struct fixture *f = *state;
    struct value *y = add_node(f, &op_plus, add_input(f, "x"), NULL);

    add_output(f, y);
    begin(f);
    feed(f, 0, 1, 5);
    assert_true(run_step(f->run));
    assert_true(item(f, y, 0) == 2 && item(f, y, 1) == 6);
    feed(f, 0, 7, 8);
    assert_true(run_step(f->run));
    assert_true(item(f, y, 0) == 8 && item(f, y, 1) == 9);
}

static void a_result_is_freed_after_its_last_use(void **state)
{
    struct fixture *f = *state;
    struct value *y = add_node(f, &op_plus, add_input(f, "x"), NULL);
    struct value *z = add_node(f, &op_plus, y, NULL);

    add_output(f, add_node(f, &op_plus, z, NULL));
    begin(f);
    run_keep(f->run, z);
    feed(f, 0, 1, 1);
    assert_true(run_step(f->run));
    assert_null(run_tensor(f->run, y)->data);
    assert_true(item(f, z, 0) == 3);
}

/* x -> y -> z -> out */
static void a_step_can_be_made_in_parts(void **state)
{
    struct fixture *f = *state;
    struct value *y = add_node(f, &op_plus, add_input(f, "x"), NULL);
    struct value *z = add_node(f, &op_plus, y, NULL);
    struct value *out = add_node(f, &op_plus, z, NULL);

    add_output(f, out);
    begin(f);
    feed(f, 0, 1, 5);
    assert_true(run_until(f->run, y));
    assert_true(run_is_going(f->run));
    assert_true(item(f, y, 1) == 6);
    assert_null(run_tensor(f->run, z)->data);
    assert_true(run_until(f->run, z));
    assert_null(run_tensor(f->run, y)->data);
    assert_true(item(f, z, 0) == 3);
    assert_true(run_until(f->run, y));
    assert_null(run_tensor(f->run, y)->data);
    assert_true(run_step(f->run));
    assert_false(run_is_going(f->run));
    assert_true(item(f, out, 0) == 4 && item(f, out, 1) == 8);
}

static void a_new_input_begins_a_new_step(void **state)
{
    struct fixture *f = *state;
    struct value *y = add_node(f, &op_plus, add_input(f, "x"), NULL);
    struct value *out = add_node(f, &op_plus, y, NULL);

    add_output(f, out);
    begin(f);
    feed(f, 0, 1, 5);
    assert_true(run_until(f->run, y));
    feed(f, 0, 10, 20);
    assert_false(run_is_going(f->run));
    assert_true(run_step(f->run));
    assert_true(item(f, out, 0) == 12 && item(f, out, 1) == 22);
}

static void what_need_not_run_is_not_computed(void **state)
{
    struct fixture *f = *state;
    struct value *x = add_input(f, "x");
    struct value *unused = add_node(f, &op_plus, x, NULL);

    add_output(f, add_node(f, &op_plus, x, NULL));
    begin(f);
    feed(f, 0, 1, 5);
    assert_true(run_until(f->run, unused));
    assert_null(run_tensor(f->run, unused)->data);
    assert_true(run_step(f->run));
}

static void an_input_may_be_an_output(void **state)
{
    struct fixture *f = *state;
    struct value *x = add_input(f, "x");

    add_output(f, x);
    begin(f);
    feed(f, 0, 3, 4);
    assert_true(run_step(f->run));
    assert_true(item(f, x, 1) == 4);
}

static void one_item_stands_for_a_whole_constant(void **state)
{
    struct fixture *f = *state;
    struct value *c = add_source(f, VALUE_CONSTANT, NULL);
    float value = 9;
    struct tensor one = {.dtype = DTYPE_SCALAR, .data = &value};

    c->source->tensor = &one;
    struct value *y = add_node(f, &op_plus, c, NULL);
    add_output(f, y);
    add_output(f, c);
    begin(f);
    assert_true(run_step(f->run));
    assert_true(item(f, y, 1) == 10 && item(f, c, 1) == 9);
}

/* v is read before and after its update; each read sees the old value. */
static void an_update_is_seen_in_the_next_step(void **state)
{
    struct fixture *f = *state;
    float start[] = {1, 2};
    struct tensor data = {.dtype = DTYPE_SCALAR, .shape = pair, .data = start};
    struct value *v = add_source(f, VALUE_VARIABLE, "v");
    struct value *same = add_source(f, VALUE_VARIABLE, "V");

    v->source->tensor = same->source->tensor = &data;
    struct value *next = add_node(f, &op_plus, v, NULL);
    add_node(f, &op_store, v, next);
    struct value *after = add_node(f, &op_plus, same, NULL);
    add_output(f, after);
    add_output(f, v);
    begin(f);
    for (int step = 0; step < 3; step++) {
        assert_true(run_step(f->run));
        assert_true(item(f, after, 0) == step + 2 && item(f, v, 1) == step + 2);
        assert_true(tensor_item(run_variable(f->run, v), 0) == step + 2);
        assert_true(tensor_item(run_variable(f->run, same), 1) == step + 3);
    }
    assert_true(start[0] == 1);
}

static void a_failed_step_updates_nothing(void **state)
{
    struct fixture *f = *state;
    float start[] = {1, 2};
    struct tensor data = {.dtype = DTYPE_SCALAR, .shape = pair, .data = start};
    struct value *v = add_source(f, VALUE_VARIABLE, "v");

    v->source->tensor = &data;
    struct value *next = add_node(f, &op_plus, v, NULL);
    add_node(f, &op_store, v, next);
    add_output(f, add_node(f, &op_refuse, next, NULL));
    add_output(f, v);
    begin(f);
    assert_false(run_step(f->run));
    assert_false(run_step(f->run));
    assert_true(item(f, v, 0) == 1);
    assert_true(tensor_item(run_variable(f->run, v), 0) == 1);
    assert_int_equal(diag_error_count(f->context->diag), 2);
}

static void every_missing_kernel_is_reported(void **state)
{
    struct fixture *f = *state;
    struct value *x = add_input(f, "x");

    add_output(f, add_node(f, &op_missing, x, NULL));
    add_output(f, add_node(f, &op_missing, x, NULL));
    assert_null(run_new(f->graph));
    assert_int_equal(diag_error_count(f->context->diag), 2);
    assert_int_equal(diag_at(f->context->diag, 0).code, DIAG_NO_IMPLEMENTATION);
}

static void what_no_result_needs_is_not_run(void **state)
{
    struct fixture *f = *state;
    struct value *x = add_input(f, "x"), *unused = add_input(f, "unused");

    add_node(f, &op_missing, unused, NULL);
    add_output(f, add_node(f, &op_plus, x, NULL));
    begin(f);
    feed(f, 0, 1, 1);
    assert_true(run_step(f->run));
}

static void every_missing_input_is_reported(void **state)
{
    struct fixture *f = *state;

    add_output(f, add_node(f, &op_plus, add_input(f, "a"), NULL));
    add_output(f, add_node(f, &op_plus, add_input(f, "b"), NULL));
    begin(f);
    assert_false(run_step(f->run));
    assert_int_equal(diag_error_count(f->context->diag), 2);
    assert_int_equal(diag_at(f->context->diag, 1).code, DIAG_INPUT_MISSING);
}

static void an_open_shape_is_refused(void **state)
{
    struct fixture *f = *state;
    struct value *x = add_input(f, "x");

    x->shape = graph_shape(f->graph, &(struct shape){2, {EXTENT_UNKNOWN, 2}});
    add_output(f, add_node(f, &op_plus, x, NULL));
    assert_null(run_new(f->graph));
    assert_int_equal(diag_at(f->context->diag, 0).code, DIAG_NOT_SUPPORTED);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(results_follow_from_inputs),         TEST(a_result_is_freed_after_its_last_use),
        TEST(an_input_may_be_an_output),          TEST(one_item_stands_for_a_whole_constant),
        TEST(an_update_is_seen_in_the_next_step), TEST(a_failed_step_updates_nothing),
        TEST(every_missing_kernel_is_reported),   TEST(what_no_result_needs_is_not_run),
        TEST(every_missing_input_is_reported),    TEST(an_open_shape_is_refused),
        TEST(a_step_can_be_made_in_parts),        TEST(a_new_input_begins_a_new_step),
        TEST(what_need_not_run_is_not_computed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
