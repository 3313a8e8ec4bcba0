/* test_import_values.c - what models of ONNX compute */
#include "import_fixture.h"

#include "convert/proto/onnx_data.h"
#include "tensor/shape.h"

static void before_opset_7_operands_meet_at_an_axis(void **state)
{
    struct fixture *f = *state;

    f->onnx->opset_import.first->version = 6;
    input(f, "x", ONNX_FLOAT, (int64_t[]){2, 2}, 2);
    floats(f, "b", (int64_t[]){2}, 1);
    struct onnx_node *sum = node(f, "Add", "x,b", "y");
    onnx_node_int(f->arena, sum, "broadcast", 1);
    onnx_node_int(f->arena, sum, "axis", 0);
    output(f, "y");
    computes(f, (double[]){10, 20, 30, 40}, (double[]){10, 20, 31, 41}, 4);
}

static void operands_meet_at_their_last_dimension(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){2, 2}, 2);
    floats(f, "b", (int64_t[]){2}, 1);
    node(f, "Add", "x,b", "y");
    output(f, "y");
    computes(f, (double[]){10, 20, 30, 40}, (double[]){10, 21, 30, 41}, 4);
}

static void one_end_may_be_padded_by_items_of_the_other(void **state)
{
    struct fixture *f = *state;

    f->onnx->opset_import.first->version = 19;
    input(f, "x", ONNX_FLOAT, (int64_t[]){2, 3}, 2);
    integers(f, "pads", (int64_t[]){1, 0, 0, 2}, 4);
    onnx_node_string(f->arena, node(f, "Pad", "x,pads", "y"), "mode", "wrap");
    output(f, "y");
    computes(f, (double[]){1, 2, 3, 4, 5, 6},
             (double[]){4, 5, 6, 4, 5, 1, 2, 3, 1, 2, 4, 5, 6, 4, 5}, 15);
}

/* A last window that sticks out then divides by the items that it has. */
static void pads_mean_nothing_beside_auto_pad(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 1, 5}, 3);
    struct onnx_node *pool = node(f, "AveragePool", "x", "y");
    onnx_node_ints(f->arena, pool, "kernel_shape", (int64_t[]){2}, 1);
    onnx_node_ints(f->arena, pool, "strides", (int64_t[]){2}, 1);
    onnx_node_ints(f->arena, pool, "pads", (int64_t[]){0, 1}, 2);
    onnx_node_string(f->arena, pool, "auto_pad", "VALID");
    onnx_node_int(f->arena, pool, "ceil_mode", 1);
    onnx_node_int(f->arena, pool, "count_include_pad", 1);
    output(f, "y");
    computes(f, (double[]){2, 4, 6, 8, 10}, (double[]){3, 7, 10}, 3);
}

static void before_opset_13_softmax_is_over_all_later_axes(void **state)
{
    struct fixture *f = *state;

    f->onnx->opset_import.first->version = 11;
    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 2, 2}, 3);
    node(f, "Softmax", "x", "y");
    output(f, "y");
    computes(f, (double[]){1, 1, 1, 1}, (double[]){.25, .25, .25, .25}, 4);
}

static void a_model_older_than_opsets_has_opset_1(void **state)
{
    struct fixture *f = *state;

    f->onnx->ir_version = 2;
    f->onnx->opset_import.first = NULL;
    input(f, "x", ONNX_FLOAT, (int64_t[]){3}, 1);
    node(f, "Softsign", "x", "y"); /* has no older form */
    output(f, "y");
    computes(f, (double[]){1, -3, 0}, (double[]){.5, -.75, 0}, 3);
}

static void an_input_that_is_shown_is_copied(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){2}, 1);
    node(f, "Identity", "x", "y");
    output(f, "y");
    computes(f, (double[]){1, 2}, (double[]){1, 2}, 2);
}

static void what_is_known_can_be_shown(void **state)
{
    struct fixture *f = *state;
    const double expected[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17};
    char path[] = "/tmp/nnefc-import-XXXXXX";
    int file = mkstemp(path);

    assert_true(file >= 0 && close(file) == 0);
    floats(f, "y", (int64_t[]){18}, 1);
    output(f, "y");
    assert_int_equal(nnefc_model_set_keep(f->model, NNEFC_KEEP_ONNX), NNEFC_OK);
    must_load(f);
    runs(f, NULL, expected, 18);
    assert_int_equal(nnefc_model_write_onnx(f->model, path, NULL), NNEFC_OK);
    struct nnefc_model *again = nnefc_model_new();
    assert_int_equal(nnefc_model_load(again, path), NNEFC_OK);
    nnefc_model_free(again);
    assert_int_equal(remove(path), 0);
}

static void written_inputs_and_outputs_keep_their_types(void **state)
{
    static const enum onnx_data_type types[] = {ONNX_FLOAT, ONNX_FLOAT16, ONNX_DOUBLE, ONNX_BOOL,
                                                ONNX_INT8,  ONNX_INT16,   ONNX_INT32,  ONNX_INT64,
                                                ONNX_UINT8, ONNX_UINT16,  ONNX_UINT32, ONNX_UINT64};
    enum { COUNT = sizeof types / sizeof types[0] };
    static char names[COUNT][2][16];
    struct fixture *f = *state;
    char path[] = "/tmp/nnefc-import-XXXXXX";
    int file = mkstemp(path);

    assert_true(file >= 0 && close(file) == 0);
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i][0], sizeof names[i][0], "x%d", i);
        snprintf(names[i][1], sizeof names[i][1], "y%d", i);
        input(f, names[i][0], types[i], (int64_t[]){2}, 1);
        node(f, "Identity", names[i][0], names[i][1]);
        output(f, names[i][1]);
    }
    assert_int_equal(nnefc_model_set_keep(f->model, NNEFC_KEEP_ONNX), NNEFC_OK);
    must_load(f);
    assert_int_equal(nnefc_model_rewrite(
                         f->model, &(struct nnefc_rewrite){.size = sizeof(struct nnefc_rewrite)}),
                     NNEFC_OK);
    assert_int_equal(nnefc_model_write_onnx(f->model, path, NULL), NNEFC_OK);
    struct nnefc_model *again = nnefc_model_new();
    assert_int_equal(nnefc_model_load(again, path), NNEFC_OK);
    for (int i = 0; i < COUNT; i++) {
        char expected[32];
        snprintf(expected, sizeof expected, "%s[2]", onnx_type_name((int32_t)types[i]));
        assert_string_equal(nnefc_model_declared_inputs(again)->at[i]->type, expected);
        assert_string_equal(nnefc_model_declared_outputs(again)->at[i]->type, expected);
    }
    nnefc_model_free(again);
    assert_int_equal(remove(path), 0);
}

/* A function of one node, whose attribute is that of the call by another name; it may be left out
 * if there is a default. */
static struct onnx_function *slope_function(struct fixture *f, const char *name, const char *type,
                                            const char *attribute, const char *of_call)
{
    struct onnx_function *function = onnx_function_new(f->arena, f->onnx, name, "mine");
    struct onnx_graph *outer = f->graph;

    onnx_text_add(f->arena, &function->input, "a");
    onnx_text_add(f->arena, &function->output, "b");
    f->graph = onnx_graph_new(f->arena, "body");
    struct onnx_node *inner = node(f, type, "a", "b");
    inner->domain = strcmp(type, "LeakyRelu") == 0 ? "" : "mine";
    onnx_node_float(f->arena, inner, attribute, 0);
    inner->attribute.first->ref_attr_name = of_call;
    function->node = f->graph->node;
    f->graph = outer;
    function->opset_import = f->onnx->opset_import;
    return function;
}

/* Of the call, through two functions; else the default of the inner or of the outer one. */
static void attributes_go_through_calls(void **state)
{
    struct fixture *f = *state;
    struct onnx_node defaults = {0};

    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    onnx_opset_add(f->arena, &f->onnx->opset_import, "mine", 1);
    onnx_node_float(f->arena, &defaults, "slope", 0.25F);
    slope_function(f, "Inner", "LeakyRelu", "alpha", "slope")->attribute_proto = defaults.attribute;
    slope_function(f, "Outer", "Inner", "slope", "angle");
    defaults = (struct onnx_node){0};
    onnx_node_float(f->arena, &defaults, "angle", 2);
    slope_function(f, "Steep", "Inner", "slope", "angle")->attribute_proto = defaults.attribute;
    struct onnx_node *given = node(f, "Outer", "x", "by_call"),
                     *inner = node(f, "Inner", "x", "own");
    struct onnx_node *outer = node(f, "Steep", "x", "steep");
    given->domain = inner->domain = outer->domain = "mine";
    onnx_node_float(f->arena, given, "angle", 0.5F);
    node(f, "Concat", "by_call,own,steep", "y")->attribute = (struct onnx_attribute_list){0};
    onnx_node_int(f->arena, f->graph->node.last, "axis", 0);
    output(f, "y");
    computes(f, (double[]){-4}, (double[]){-2, -1, -8}, 3);
}

/* Each function calls the next one twice. */
static void functions_do_not_grow_without_end(void **state)
{
    enum { FUNCTIONS = 40 };
    static const char *in[] = {"a"}, *out[] = {"c"};
    struct fixture *f = *state;
    struct onnx_graph *outer = f->graph;
    struct onnx_function_list *list = &f->onnx->functions;

    input(f, "x", ONNX_FLOAT, (int64_t[]){2}, 1);
    for (int i = 0; i < FUNCTIONS; i++) {
        struct onnx_function *function = arena_new_of(f->arena, struct onnx_function);
        char name[2][16];
        snprintf(name[0], sizeof name[0], "f%d", i);
        snprintf(name[1], sizeof name[1], "f%d", i + 1);
        f->graph = onnx_graph_new(f->arena, "body");
        const char *next =
            i + 1 < FUNCTIONS ? arena_strndup(f->arena, name[1], strlen(name[1])) : "Neg";
        node(f, next, "a", "b")->domain = i + 1 < FUNCTIONS ? "mine" : "";
        node(f, next, "b", "c")->domain = i + 1 < FUNCTIONS ? "mine" : "";
        function->name = arena_strndup(f->arena, name[0], strlen(name[0]));
        function->domain = "mine";
        function->doc_string = function->overload = onnx_absent;
        function->input = (struct onnx_texts){in, 1};
        function->output = (struct onnx_texts){out, 1};
        function->node = f->graph->node;
        function->opset_import = f->onnx->opset_import;
        function->next = list->first;
        list->first = function;
        list->last = list->last ? list->last : function;
        list->count++;
    }
    f->graph = outer;
    node(f, "f0", "x", "y")->domain = "mine";
    output(f, "y");
    assert_int_equal(nnefc_model_set_limit(f->model, NNEFC_LIMIT_WORK, 1000), NNEFC_OK);
    assert_int_equal(load(f), NNEFC_INVALID);
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 1);
    expect(f, 0, "N0118", "more than 1000 nodes are read");
}

static void elements_are_gathered_along_an_axis(void **state)
{
    struct fixture *f = *state;

    input(f, "i", ONNX_INT64, (int64_t[]){1, 2}, 2);
    floats(f, "x", (int64_t[]){3, 3}, 2);
    onnx_node_int(f->arena, node(f, "GatherElements", "x,i", "y"), "axis", 0);
    output(f, "y");
    computes(f, (double[]){2, -2}, (double[]){6, 4}, 2);
}

/* So that their products, in 32 bits, are known to be scalars. */
static void integers_of_an_input_have_its_width(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_UINT8, (int64_t[]){3}, 1);
    onnx_node_int(f->arena, node(f, "Cast", "x", "wide"), "to", ONNX_INT32);
    node(f, "Mul", "wide,wide", "y");
    output(f, "y");
    computes(f, (double[]){255, 16, 0}, (double[]){65025, 256, 0}, 3);
}

static void hot_items_are_found_without_sums_of_indices(void **state)
{
    struct fixture *f = *state;

    input(f, "i", ONNX_INT64, (int64_t[]){3}, 1);
    integers(f, "depth", (int64_t[]){2}, 1);
    floats(f, "values", (int64_t[]){2}, 1);
    node(f, "OneHot", "i,depth,values", "y");
    output(f, "y");
    computes(f, (double[]){1, -2, 16777217}, (double[]){0, 1, 1, 0, 0, 0}, 6);
}

/* Index 4 of 3 would be a valid one into all 9 items. */
static void an_index_beyond_its_dimension_is_refused(void **state)
{
    struct fixture *f = *state;

    input(f, "i", ONNX_INT64, (int64_t[]){1, 2}, 2);
    floats(f, "x", (int64_t[]){3, 3}, 2);
    onnx_node_int(f->arena, node(f, "GatherElements", "x,i", "y"), "axis", 1);
    output(f, "y");
    must_load(f);
    f->run = nnefc_run_new(f->model);
    assert_non_null(f->run);
    feed(f, 0, (double[]){-3, 2});
    assert_int_equal(nnefc_run_step(f->run), NNEFC_OK);
    feed(f, 0, (double[]){4, 0});
    assert_int_not_equal(nnefc_run_step(f->run), NNEFC_OK);
}

static void sections_are_gathered_by_several_indices(void **state)
{
    struct fixture *f = *state;

    input(f, "i", ONNX_INT64, (int64_t[]){2, 2}, 2);
    floats(f, "x", (int64_t[]){2, 2, 2}, 3);
    node(f, "GatherND", "x,i", "y");
    output(f, "y");
    computes(f, (double[]){0, 1, 1, -2}, (double[]){2, 3, 4, 5}, 4);
}

static void sections_are_gathered_in_their_batch(void **state)
{
    struct fixture *f = *state;

    input(f, "i", ONNX_INT64, (int64_t[]){2, 1}, 2);
    floats(f, "x", (int64_t[]){2, 3, 2}, 3);
    onnx_node_int(f->arena, node(f, "GatherND", "x,i", "y"), "batch_dims", 1);
    output(f, "y");
    computes(f, (double[]){2, 1}, (double[]){4, 5, 8, 9}, 4);
}

/* The last dimension of the indices is no batch. */
static void a_batch_leaves_a_dimension_of_indices(void **state)
{
    struct fixture *f = *state;

    input(f, "i", ONNX_INT64, (int64_t[]){2, 1}, 2);
    floats(f, "x", (int64_t[]){2, 1, 3}, 3);
    onnx_node_int(f->arena, node(f, "GatherND", "x,i", "y"), "batch_dims", 2);
    output(f, "y");
    assert_int_not_equal(load(f), NNEFC_OK);
    expect(f, 0, "N0145", "has indices of shape [2,1] for shape [2,1,3]");
}

/* Items 0, 1, 2, ... along one axis; what is taken was worked out with 32-bit floats. */
struct nearest {
    int64_t opset;
    const char *transform, *mode; /* NULL: none */
    int64_t from;
    float scale; /* 0: by the size */
    int to;
    const double *items;
};

static void resizes_to_the_nearest(struct fixture *f, const struct nearest *c)
{
    struct onnx_tensor *scale = onnx_tensor_new(f->arena, "scale", ONNX_FLOAT, (int64_t[]){1}, 1);
    double x[64];

    assert_true(c->from <= 64);
    for (int i = 0; i < c->from; i++)
        x[i] = i;
    f->onnx->opset_import.first->version = c->opset;
    input(f, "x", ONNX_FLOAT, &c->from, 1);
    onnx_tensor_floats(f->arena, scale, &c->scale, 1);
    f->graph->initializer = onnx_tensor_append(f->graph->initializer, scale);
    integers(f, "size", (int64_t[]){c->to}, 1);
    const char *in = c->opset < 11 ? "x,scale" : c->scale > 0 ? "x,,scale" : "x,,,size";
    struct onnx_node *resize = node(f, "Resize", in, "y");
    onnx_node_string(f->arena, resize, "mode", "nearest");
    if (c->transform)
        onnx_node_string(f->arena, resize, "coordinate_transformation_mode", c->transform);
    if (c->mode)
        onnx_node_string(f->arena, resize, "nearest_mode", c->mode);
    output(f, "y");
    if (c->to > 0) {
        computes(f, x, c->items, c->to);
        return;
    }
    must_load(f); /* NNEF has nothing without items */
    runs(f, x, c->items, 0);
}

/* 10 * 0.7 is less than 7 in doubles: the number in the file is 0.69999999. */
static void an_extent_is_scaled_as_a_float(void **state)
{
    resizes_to_the_nearest(*state, &(struct nearest){13, "asymmetric", "floor", 10, 0.7F, 7,
                                                     (double[]){0, 1, 2, 4, 5, 7, 8}});
}

/* 3 / 0.6 is 5 in floats, 4.9999998 in doubles. */
static void a_coordinate_is_a_float(void **state)
{
    resizes_to_the_nearest(
        *state, &(struct nearest){13, "asymmetric", "floor", 7, 0.6F, 4, (double[]){0, 1, 3, 5}});
}

/* (9 + 0.5) / (19 / 14) - 0.5 is 6.5, in floats 6.5000005; 0.5 / (1 / 14) - 0.5 is 6.4999996. */
static void what_is_near_the_middle_is_a_tie(void **state)
{
    resizes_to_the_nearest(*state, &(struct nearest){13, "half_pixel", NULL, 14, 0, 19,
                                                     (double[]){0, 1, 1, 2, 3, 4, 4, 5, 6, 6, 7, 8,
                                                                9, 9, 10, 11, 12, 12, 13}});
}

static void a_tie_goes_up_if_that_is_preferred(void **state)
{
    resizes_to_the_nearest(
        *state, &(struct nearest){13, "half_pixel", "round_prefer_ceil", 14, 0, 1, (double[]){7}});
}

/* Coordinates are 0, 1.25, 2.5, ... */
static void before_opset_11_less_takes_the_next(void **state)
{
    resizes_to_the_nearest(
        *state, &(struct nearest){10, NULL, NULL, 10, 0.8F, 8, (double[]){0, 2, 3, 4, 5, 7, 8, 9}});
}

static void before_opset_11_more_takes_the_last(void **state)
{
    resizes_to_the_nearest(
        *state, &(struct nearest){10, NULL, NULL, 4, 1.5F, 6, (double[]){0, 0, 1, 2, 2, 3}});
}

static void an_extent_shrinks_to_nothing(void **state)
{
    resizes_to_the_nearest(*state, &(struct nearest){13, NULL, NULL, 3, 0.3F, 0, (double[]){0}});
}

/* As in ONNX Runtime, though 5 / 1.1 is 4.5. */
static void an_extent_that_stays_is_copied(void **state)
{
    resizes_to_the_nearest(*state, &(struct nearest){13, "asymmetric", "floor", 6, 1.1F, 6,
                                                     (double[]){0, 1, 2, 3, 4, 5}});
}

/* In the middle of two items a cubic weighs 19/32 each of them, and -3/32 those beside. */
static void what_is_outside_has_no_weight(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){4}, 1);
    integers(f, "size", (int64_t[]){2}, 1);
    struct onnx_node *resize = node(f, "Resize", "x,,,size", "y");
    onnx_node_string(f->arena, resize, "mode", "cubic");
    onnx_node_int(f->arena, resize, "exclude_outside", 1);
    output(f, "y");
    computes(f, (double[]){10, 20, 30, 40},
             (double[]){(19 * 10 + 19 * 20 - 3 * 30) / 35., (19 * 40 + 19 * 30 - 3 * 20) / 35.}, 2);
}

static void a_slice_goes_back_to_the_first_item(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){4}, 1);
    integers(f, "begin", (int64_t[]){2}, 1);
    integers(f, "end", (int64_t[]){INT32_MAX}, 1);
    integers(f, "axis", (int64_t[]){0}, 1);
    integers(f, "step", (int64_t[]){-1}, 1);
    node(f, "Slice", "x,begin,end,axis,step", "y");
    output(f, "y");
    computes(f, (double[]){10, 20, 30, 40}, (double[]){30, 20, 10}, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(before_opset_7_operands_meet_at_an_axis),
        TEST(operands_meet_at_their_last_dimension),
        TEST(one_end_may_be_padded_by_items_of_the_other),
        TEST(pads_mean_nothing_beside_auto_pad),
        TEST(before_opset_13_softmax_is_over_all_later_axes),
        TEST(a_model_older_than_opsets_has_opset_1),
        TEST(an_input_that_is_shown_is_copied),
        TEST(what_is_known_can_be_shown),
        TEST(written_inputs_and_outputs_keep_their_types),
        TEST(attributes_go_through_calls),
        TEST(functions_do_not_grow_without_end),
        TEST(elements_are_gathered_along_an_axis),
        TEST(integers_of_an_input_have_its_width),
        TEST(hot_items_are_found_without_sums_of_indices),
        TEST(an_index_beyond_its_dimension_is_refused),
        TEST(sections_are_gathered_by_several_indices),
        TEST(sections_are_gathered_in_their_batch),
        TEST(a_batch_leaves_a_dimension_of_indices),
        TEST(an_extent_is_scaled_as_a_float),
        TEST(a_coordinate_is_a_float),
        TEST(what_is_near_the_middle_is_a_tie),
        TEST(a_tie_goes_up_if_that_is_preferred),
        TEST(before_opset_11_less_takes_the_next),
        TEST(before_opset_11_more_takes_the_last),
        TEST(an_extent_shrinks_to_nothing),
        TEST(an_extent_that_stays_is_copied),
        TEST(what_is_outside_has_no_weight),
        TEST(a_slice_goes_back_to_the_first_item),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
