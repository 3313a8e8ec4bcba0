/*
 * test_verify.c - whatever is broken in a graph by hand, the verifier names it
 *
 * Each row compiles one document, breaks one thing and expects the sentence about it.
 */
#include "base/arena.h"
#include "base/text.h"
#include "diag/context.h"
#include "diag/diag.h"
#include "ir/graph_edit.h"
#include "lower/lower.h"
#include "op/graph_print.h"
#include "op/op_build.h"
#include "parser/parser.h"

#include "support/t.h"

#include <string.h>

static const char document[] = "version 1.0;\n"
                               "graph net( x, z ) -> ( y, q )\n"
                               "{\n"
                               "    x = external<scalar>(shape = [1,2,4,4]);\n"
                               "    z = external<integer>(shape = [2]);\n"
                               "    w = variable<scalar>(shape = [3,2,3,3], label = 'conv/w');\n"
                               "    v = variable<scalar>(shape = [3,2,3,3], label = 'conv/v');\n"
                               "    s = variable<scalar>(shape = [1,3,4,4], label = 'state');\n"
                               "    b = constant<scalar>(shape = [1,3], value = [1.0, 2.0, 3.0]);\n"
                               "    c = constant<scalar>(shape = [1,3], value = [7.0]);\n"
                               "    h = conv(x, w, b, padding = [(1,1),(1,1)]);\n"
                               "    g = conv(x, v, c, padding = [(1,1),(1,1)]);\n"
                               "    j = concat([h, s], axis = 1);\n"
                               "    t = update(s, g);\n"
                               "    [p, q] = split(j, axis = 1, ratios = [1,1]);\n"
                               "    y = max_pool(p, size = [1,1,2,2], stride = [1,1,2,2], padding "
                               "= [(0,0),(0,0),(1,1),(1,1)],\n"
                               "                 border = 'constant');\n"
                               "}\n";

/* --- a graph, and its parts by name ---------------------------------------------------------- */

static struct graph *compile(struct context *c)
{
    uint32_t base = sources_add(c->sources, "net.nnef", document, sizeof document - 1);
    struct document *parsed =
        parse_text(c, base, document, sizeof document - 1, &(struct parse_options){0});
    const struct checked *checked = sema_check(c, parsed, &(struct sema_options){0});
    struct graph *graph = checked ? lower(checked, &(struct lower_options){0}) : NULL;

    if (!graph)
        diag_print(c->diag, stderr, DIAG_STYLE_SHORT, false);
    assert_non_null(graph);
    return graph;
}

static struct source *source_in(const struct source_list *list, const char *name)
{
    struct source *s = list->first;

    while (s && (!s->value->name || strcmp(s->value->name, name) != 0))
        s = s->next;
    return s;
}

static struct source *source(struct graph *graph, const char *name)
{
    struct source *s = source_in(&graph->externals, name);

    if (!s)
        s = source_in(&graph->variables, name);
    if (!s)
        s = source_in(&graph->constants, name);
    assert_non_null(s);
    return s;
}

static struct node *node(struct graph *graph, const char *op)
{
    struct node *n = graph->first;

    while (n && strcmp(n->op->name, op) != 0)
        n = n->next;
    assert_non_null(n);
    return n;
}

/* A copy that may be written to. */
static void *copy(struct graph *graph, const void *from, size_t size)
{
    void *to = arena_alloc(graph->context->arena, size);

    memcpy(to, from, size);
    return to;
}

/* A field of the attributes, to be written to. */
static void *attr(struct graph *graph, const char *op, const char *name)
{
    struct node *n = node(graph, op);
    const struct op_attr *a = n->op->attrs;
    unsigned char *attrs = copy(graph, n->attrs, n->op->attrs_size);

    while (a->name && strcmp(a->name, name) != 0)
        a++;
    assert_non_null(a->name);
    n->attrs = attrs;
    return attrs + a->offset;
}

static const struct shape *shape_of(struct graph *graph, int rank, int64_t extent)
{
    struct shape shape = {.rank = rank};

    for (int i = 0; i < rank && i < MAX_RANK; i++)
        shape.extent[i] = extent;
    struct shape *kept = arena_new_of(graph->context->arena, struct shape);
    *kept = shape;
    return kept;
}

/* --- what can be broken ---------------------------------------------------------------------- */

static void value_id(struct graph *g)
{
    source(g, "w")->value->id = g->value_count;
}

static void value_id_twice(struct graph *g)
{
    source(g, "w")->value->id = source(g, "v")->value->id;
}

static void value_name_twice(struct graph *g)
{
    source(g, "w")->value->name = arena_strndup(g->context->arena, "h", 1);
}

static void value_rank(struct graph *g)
{
    source(g, "x")->value->shape = shape_of(g, MAX_RANK + 1, 1);
}

static void value_extent(struct graph *g)
{
    source(g, "x")->value->shape = shape_of(g, 2, -7);
}

static void value_volume(struct graph *g)
{
    source(g, "x")->value->shape = shape_of(g, 3, INT64_C(1) << 30);
}

static void use_unlinked(struct graph *g)
{
    source(g, "x")->value->uses = source(g, "x")->value->uses->next;
}

static void use_of_another(struct graph *g)
{
    node(g, "conv")->in[0].value = source(g, "z")->value;
}

static void use_circle(struct graph *g)
{
    struct value *x = source(g, "x")->value;

    x->uses->next->next = x->uses;
}

static void use_of_no_node(struct graph *g)
{
    node(g, "conv")->in[1].node = node(g, "split");
}

static void source_alone(struct graph *g)
{
    source(g, "w")->value->source = source(g, "v");
}

static void source_kind(struct graph *g)
{
    source(g, "w")->value->kind = VALUE_CONSTANT;
}

static void source_count(struct graph *g)
{
    g->variables.count++;
}

static void source_last(struct graph *g)
{
    g->variables.last = g->variables.first;
}

static void label_none(struct graph *g)
{
    source(g, "w")->label = NULL;
}

static void label_upwards(struct graph *g)
{
    source(g, "w")->label = "../w";
}

static void label_of_another_shape(struct graph *g)
{
    source(g, "w")->label = "STATE";
}

static void label_unknown_shape(struct graph *g)
{
    source(g, "w")->value->shape = shape_of(g, RANK_UNKNOWN, 0);
}

static void data_none(struct graph *g)
{
    source(g, "b")->tensor = NULL;
}

static void data_type(struct graph *g)
{
    source(g, "b")->tensor->dtype = DTYPE_INTEGER;
}

static void data_shape(struct graph *g)
{
    source(g, "b")->tensor->shape = *shape_of(g, 1, 2);
}

static void data_of_variable(struct graph *g)
{
    source(g, "w")->tensor = source(g, "c")->tensor; /* one item is enough for constants only */
}

static void node_order(struct graph *g)
{
    node(g, "split")->prev = node(g, "conv");
}

static void node_circle(struct graph *g)
{
    g->last->next = g->first;
}

static void node_last(struct graph *g)
{
    g->last = g->last->prev;
}

static void node_id(struct graph *g)
{
    node(g, "split")->id = node(g, "conv")->id;
}

static void node_source(struct graph *g)
{
    node(g, "split")->op = op_find("external");
}

static void operand_before(struct graph *g)
{
    graph_set_operand(&node(g, "conv")->in[0], &node(g, "concat")->out[0]);
}

static void result_producer(struct graph *g)
{
    node(g, "split")->out[1].producer = node(g, "conv");
}

static void result_port(struct graph *g)
{
    node(g, "split")->out[1].port = 0;
}

static void result_type(struct graph *g)
{
    node(g, "split")->out[1].dtype = DTYPE_INTEGER;
}

static void result_shape(struct graph *g)
{
    node(g, "conv")->out[0].shape = source(g, "x")->value->shape;
}

/* Operands that do not fit any more are the same fault: the rule makes nothing of them. */
static void result_of_other_operands(struct graph *g)
{
    graph_set_operand(&node(g, "conv")->in[1], source(g, "s")->value);
}

static void result_count(struct graph *g)
{
    node(g, "split")->nout--;
}

static void work(struct graph *g)
{
    node(g, "conv")->work++;
}

static void attr_enum(struct graph *g)
{
    *(int *)attr(g, "max_pool", "border") = 99;
}

static void attr_minimum(struct graph *g)
{
    struct integers *size = attr(g, "max_pool", "size");
    int64_t *item = copy(g, size->item, (size_t)size->count * sizeof *item);

    item[2] = 0;
    size->item = item;
}

static void attr_array(struct graph *g)
{
    ((struct pairs *)attr(g, "conv", "padding"))->item = NULL;
}

static void attr_item_count(struct graph *g)
{
    ((struct integers *)attr(g, "split", "ratios"))->count = -1;
}

static void attrs_none(struct graph *g)
{
    node(g, "split")->attrs = NULL;
}

static void group(struct graph *g)
{
    static const int two_of_one[] = {2};

    node(g, "split")->group = two_of_one;
}

static void update_of_a_result(struct graph *g)
{
    graph_set_operand(&node(g, "update")->in[0], &node(g, "conv")->out[0]);
}

static void update_twice(struct graph *g)
{
    const struct node *first = node(g, "update");
    struct op_operand in[] = {{.param = "variable", .value = first->in[0].value},
                              {.param = "value", .value = first->in[1].value}};
    struct op_call call = {.op = first->op, .in = in, .nin = 2, .generic = DTYPE_SCALAR};

    assert_non_null(op_build(g, &call));
}

static void input_no_external(struct graph *g)
{
    g->inputs[0].value = source(g, "w")->value;
}

static void input_twice(struct graph *g)
{
    g->inputs[1].name = g->inputs[0].name;
}

static void output_dead(struct graph *g)
{
    struct node *last = g->last;

    graph_erase_node(g, last);
}

static void output_twice(struct graph *g)
{
    g->outputs[1].name = arena_strndup(g->context->arena, "y", 1);
}

static void output_nameless(struct graph *g)
{
    g->outputs[1].name = NULL;
}

static void output_none(struct graph *g)
{
    g->outputs[1].value = NULL;
}

struct row {
    const char *what;
    void (*breaks)(struct graph *graph);
    const char *says;
};
#define ROW(function, says)           \
    {                                 \
#function, (function), (says) \
    }

static const struct row values[] = {
    ROW(value_id, "w: id out of range"),
    ROW(value_id_twice, "v: made twice, or its id is that of another"),
    ROW(value_name_twice, "h: name used twice"),
    ROW(value_rank, "x: no shape, or one of an impossible rank"),
    ROW(value_extent, "x: extent 0 of its shape is negative"),
    ROW(value_volume, "x: the volume of its shape overflows"),
    {0},
};

static const struct row uses[] = {
    ROW(use_unlinked, "x: list of uses is broken"),
    ROW(use_of_another, "x: list of uses is broken"),
    ROW(use_circle, "x: list of uses is broken"),
    ROW(use_of_no_node, "w: use is not in the list of uses"),
    {0},
};

static const struct row sources[] = {
    ROW(source_alone, "w: source and value do not mirror each other"),
    ROW(source_kind, "w: source and value do not mirror each other"),
    ROW(source_count, "a list of sources is of another length, or has another end"),
    ROW(source_last, "a list of sources is of another length, or has another end"),
    ROW(label_none, "w: variable without a label"),
    ROW(label_upwards, "w: label '../w' has component '..'"),
    ROW(label_of_another_shape, "s: label 'state' is that of 'w', of another type or shape"),
    ROW(label_unknown_shape, "w: data of unknown shape"),
    ROW(data_none, "b: constant without data"),
    ROW(data_type, "b: its data are none, or of type integer"),
    ROW(data_shape, "b: its data have shape [2], expected [1,3]"),
    ROW(data_of_variable, "w: its data have shape [], expected [3,2,3,3]"),
    {0},
};

static const struct row nodes[] = {
    ROW(node_order, "(split): order is broken"),
    ROW(node_circle, "node 0 (conv): order is broken"),
    ROW(node_last, "last node or number of uses is wrong"),
    ROW(node_id, "(split): id out of range, or that of another"),
    ROW(node_source, "(external): no operator, or one that makes no node"),
    ROW(operand_before, "node 0 (conv): operand 0 is used before it is made"),
    ROW(result_producer, "q: result does not point to its producer"),
    ROW(result_port, "q: result does not point to its producer"),
    ROW(group, "(split): its arrays have more items than it has operands"),
    ROW(update_of_a_result, "(update): updates what is no variable"),
    ROW(update_twice, "(update): updates 's' a second time"),
    {0},
};

static const struct row results[] = {
    ROW(result_type, "(split): result 1 has type integer, expected scalar"),
    ROW(result_shape, "node 0 (conv): result 0 has shape [1,2,4,4], expected [1,3,4,4]"),
    ROW(result_of_other_operands, "node 0 (conv): result 0 has shape [1,3,4,4], expected [...]"),
    ROW(result_count, "(split): 1 results, expected 2"),
    ROW(work, "node 0 (conv): work is "),
    ROW(attr_enum, "(max_pool): attribute 'border' has a value that it cannot have"),
    ROW(attr_minimum, "(max_pool): attribute 'size' has a value that it cannot have"),
    ROW(attr_array, "(conv): attribute 'padding' has a value that it cannot have"),
    ROW(attr_item_count, "(split): attribute 'ratios' has a value that it cannot have"),
    ROW(attrs_none, "(split): no attributes"),
    {0},
};

static const struct row ports[] = {
    ROW(input_no_external, "w: input is no external"),
    ROW(input_twice, "z: input or output 'x' is there twice"),
    ROW(output_dead, "input or output 'y' is made by nothing"),
    ROW(output_twice, "q: input or output 'y' is there twice"),
    ROW(output_nameless, "an input or output without a name"),
    ROW(output_none, "input or output 'q' is made by nothing"),
    {0},
};

static void expect_all(const struct row *row)
{
    for (; row->what; row++) {
        struct context *context = context_new();
        struct graph *graph = compile(context);
        struct text why = {0};

        if (!graph_verify(graph, &why))
            fail_msg("%s: a sound graph is refused: %s", row->what, why.data);
        row->breaks(graph);
        if (graph_verify(graph, &why))
            fail_msg("%s: passes", row->what);
        else if (!strstr(why.data, row->says))
            fail_msg("%s: '%s' has no '%s'", row->what, why.data, row->says);
        text_free(&why);
        context_free(context);
    }
}

static void a_value_that_cannot_be_is_named(void **state)
{
    (void)state;
    expect_all(values);
}

static void operands_and_uses_that_differ_are_named(void **state)
{
    (void)state;
    expect_all(uses);
}

static void sources_labels_and_data_are_checked(void **state)
{
    (void)state;
    expect_all(sources);
}

static void a_node_out_of_place_is_named(void **state)
{
    (void)state;
    expect_all(nodes);
}

static void results_are_those_of_the_rule(void **state)
{
    (void)state;
    expect_all(results);
}

static void inputs_and_outputs_are_checked(void **state)
{
    (void)state;
    expect_all(ports);
}

/* Warnings of shape rules are given once, and a check leaves nothing behind. */
static void a_check_reports_nothing_and_takes_no_memory(void **state)
{
    struct context *context = context_new();
    struct graph *graph = compile(context);
    struct text why = {0};
    size_t used = arena_used(context->arena);

    (void)state;
    assert_int_equal(diag_count(context->diag), 1); /* zeros beside the data of max_pool */
    assert_true(graph_verify(graph, &why));
    assert_int_equal(arena_used(context->arena), used);
    assert_int_equal(diag_count(context->diag), 1);
    context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_that_cannot_be_is_named),
        cmocka_unit_test(operands_and_uses_that_differ_are_named),
        cmocka_unit_test(sources_labels_and_data_are_checked),
        cmocka_unit_test(a_node_out_of_place_is_named),
        cmocka_unit_test(results_are_those_of_the_rule),
        cmocka_unit_test(inputs_and_outputs_are_checked),
        cmocka_unit_test(a_check_reports_nothing_and_takes_no_memory),
    };
    return cmocka_run_group_tests_name("verify", tests, NULL, NULL);
}
