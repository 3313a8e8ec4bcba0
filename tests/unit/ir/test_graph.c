/* test_graph.c - operands and uses mirror each other through every edit */
#include "base/text.h"
#include "diag/context.h"
#include "ir/datum.h"
#include "ir/graph_edit.h"
#include "op/graph_print.h"
#include "op/op.h"

#include "support/t.h"

static bool pair_infer(struct infer *infer)
{
    infer->out[0] = *infer_in(infer, 0);
    return true;
}

static const struct op_desc pair = {.name = "pair", .infer = pair_infer};

struct fixture {
    struct context *context;
    struct graph *graph;
    struct value *x, *y;
    struct port inputs[2];
};

static struct value *external(struct graph *graph, const char *name)
{
    struct shape shape = {2, {1, 3}};
    struct value *v =
        graph_add_source(graph, VALUE_EXTERNAL, DTYPE_SCALAR, &shape, (struct span){0, 0});

    v->name = name;
    return v;
}

static struct node *add_pair(struct graph *graph, struct value *a, struct value *b)
{
    struct value *in[] = {a, b};
    struct node *node = graph_add_node(graph, &pair, in, 2, 1);

    node->out[0].shape = a->shape;
    node->out[0].dtype = DTYPE_SCALAR;
    return node;
}

static int setup(void **state)
{
    static struct fixture f;

    f.context = context_new();
    f.graph = graph_new(f.context, "g");
    f.x = external(f.graph, "x");
    f.y = external(f.graph, "y");
    f.inputs[0] = (struct port){.name = "x", .value = f.x};
    f.inputs[1] = (struct port){.name = "y", .value = f.y};
    f.graph->inputs = f.inputs;
    f.graph->ninput = 2;
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    context_free(f->context);
    return 0;
}

static int use_count(const struct value *value)
{
    int count = 0;

    for (const struct use *u = value->uses; u; u = u->next)
        count++;
    return count;
}

static void assert_sound(const struct graph *graph)
{
    struct text why = {0};
    bool ok = graph_verify(graph, &why);

    if (!ok)
        print_error("%s\n", why.data);
    text_free(&why);
    assert_true(ok);
}

static void an_operand_given_twice_is_two_uses(void **state)
{
    struct fixture *f = *state;

    add_pair(f->graph, f->x, f->x);
    assert_int_equal(use_count(f->x), 2);
    assert_sound(f->graph);
}

static void replacing_uses_moves_operands_and_outputs(void **state)
{
    struct fixture *f = *state;
    struct node *n = add_pair(f->graph, f->x, f->x);
    struct port output = {.name = "x", .value = f->x};

    f->graph->outputs = &output;
    f->graph->noutput = 1;
    graph_replace_operands(f->x, f->y);
    graph_replace_outputs(f->graph, f->x, f->y);
    assert_int_equal(use_count(f->x), 0);
    assert_int_equal(use_count(f->y), 2);
    assert_ptr_equal(n->in[1].value, f->y);
    assert_ptr_equal(output.value, f->y);
    assert_string_equal(output.name, "x");
    assert_sound(f->graph);
}

static void an_erased_node_leaves_order_and_uses_sound(void **state)
{
    struct fixture *f = *state;
    struct node *first = add_pair(f->graph, f->x, f->y);
    struct node *middle = add_pair(f->graph, f->y, &first->out[0]);
    struct node *last = add_pair(f->graph, f->x, &first->out[0]);

    graph_erase_node(f->graph, middle);
    assert_ptr_equal(first->next, last);
    assert_ptr_equal(last->prev, first);
    assert_int_equal(use_count(f->y), 1);
    assert_sound(f->graph);
    graph_erase_node(f->graph, last);
    assert_ptr_equal(f->graph->last, first);
    assert_sound(f->graph);
}

static void equal_shapes_and_equal_literals_are_one(void **state)
{
    struct fixture *f = *state;
    struct shape shape = {2, {1, 3}};
    struct datum one = {.kind = DATUM_SCALAR, .scalar = 1.0};
    struct datum integer_one = {.kind = DATUM_INTEGER, .integer = 1};

    assert_ptr_equal(graph_shape(f->graph, &shape), f->x->shape);
    assert_ptr_equal(graph_literal(f->graph, &one), graph_literal(f->graph, &one));
    assert_ptr_not_equal(graph_literal(f->graph, &one), graph_literal(f->graph, &integer_one));
}

static void literals_print_as_written(void **state)
{
    struct fixture *f = *state;
    struct datum tenth = {.kind = DATUM_SCALAR, .scalar = 0.1};
    struct datum yes = {.kind = DATUM_LOGICAL, .logical = true};

    assert_string_equal(VALUE_TEXT(graph_literal(f->graph, &tenth)), "0.1");
    assert_string_equal(VALUE_TEXT(graph_literal(f->graph, &yes)), "true");
}

static void the_verifier_sees_a_use_before_its_producer(void **state)
{
    struct fixture *f = *state;
    struct text why = {0};
    struct node *a = add_pair(f->graph, f->x, f->y);
    struct node *b = add_pair(f->graph, f->x, f->y);

    graph_set_operand(&a->in[0], &b->out[0]);
    assert_false(graph_verify(f->graph, &why));
    assert_non_null(why.data);
    text_free(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_operand_given_twice_is_two_uses, setup, teardown),
        cmocka_unit_test_setup_teardown(replacing_uses_moves_operands_and_outputs, setup, teardown),
        cmocka_unit_test_setup_teardown(an_erased_node_leaves_order_and_uses_sound, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(equal_shapes_and_equal_literals_are_one, setup, teardown),
        cmocka_unit_test_setup_teardown(literals_print_as_written, setup, teardown),
        cmocka_unit_test_setup_teardown(the_verifier_sees_a_use_before_its_producer, setup,
                                        teardown),
    };
    return cmocka_run_group_tests_name("graph", tests, NULL, NULL);
}
