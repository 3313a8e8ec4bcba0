/*
 * test_import_parts.c - open models whose sizes, conditions and trips are computed
 *
 * What such models compute is worked out by hand here; test_libonnx_data.c has more of them.
 */
#include "import_fixture.h"

static const char *const backends[] = {"reference", "portable"};

enum { BACKENDS = 2 };

static void load_by(struct fixture *f, const char *backend)
{
    const struct nnefc_run_options options = {.size = sizeof options, .backend = backend};

    assert_int_equal(nnefc_model_keep_open(f->model), NNEFC_OK);
    if (load(f) != NNEFC_OK)
        fail_msg("%s", nnefc_model_diagnostics(f->model)->at[0]->text);
    f->run = nnefc_run_new_with(f->model, &options);
    assert_non_null(f->run);
}

static void give(const struct fixture *f, const char *name, const float *items, int count)
{
    int index = nnefc_model_find_input(f->model, name);

    assert_int_equal(nnefc_run_view_input_as(f->run, index,
                                             &(struct nnefc_type){.rank = 1, .extent = {count}},
                                             items, (size_t)count * sizeof *items),
                     NNEFC_OK);
}

static void step(const struct fixture *f)
{
    if (nnefc_run_step(f->run) != NNEFC_OK)
        fail_msg("%s", nnefc_model_diagnostics(f->model)->at[0]->text);
}

static void expect_items(const struct fixture *f, int index, const double *items, int count)
{
    const struct nnefc_tensor *got = nnefc_run_output(f->run, index);

    assert_non_null(got);
    assert_int_equal(nnefc_tensor_count(got), count);
    for (int i = 0; i < count; i++)
        if (!(fabs(nnefc_tensor_item(got, i) - items[i]) <= 1e-5))
            fail_msg("item %d is %g, expected %g", i, nnefc_tensor_item(got, i), items[i]);
}

/* A test of each backend, in a model of its own. */
static void with_each(void (*test)(struct fixture *f, const char *backend))
{
    for (int i = 0; i < BACKENDS; i++) {
        void *fresh = NULL;
        assert_int_equal(setup(&fresh), 0);
        test(fresh, backends[i]);
        assert_int_equal(teardown(&fresh), 0);
    }
}

/* --- sizes -------------------------------------------------------------------------------------
 */

/* Twice the positive items of x: Relu, NonZero, Gather, Add. */
static void choose_positive(struct fixture *f, const char *backend)
{
    const float x[6] = {-1, 3, 0, 5, -2, 7}, none[4] = {-1, -1, 0, -3}, all[2] = {1, 2};

    input(f, "x", ONNX_FLOAT, (int64_t[]){-1}, 1);
    integers(f, "flat", (int64_t[]){-1}, 1);
    node(f, "Relu", "x", "r");
    node(f, "NonZero", "r", "where");
    node(f, "Reshape", "where,flat", "index");
    onnx_node_int(f->arena, node(f, "Gather", "r,index", "taken"), "axis", 0);
    node(f, "Add", "taken,taken", "y");
    node(f, "Shape", "taken", "count");
    output(f, "y");
    output(f, "count");
    load_by(f, backend);
    assert_int_equal(nnefc_model_cuts(f->model)->count, 0);
    for (int i = 0; i < 2; i++) {
        give(f, "x", x, 6);
        step(f);
        const struct nnefc_cut_list *cuts = nnefc_model_cuts(f->model);
        assert_int_equal(cuts->count, 1);
        assert_string_equal(cuts->at[0]->operation, "NonZero");
        assert_string_equal(cuts->at[0]->why, "it has to know the items of input 0, 'r'");
        expect_items(f, 0, (const double[]){6, 10, 14}, 3);
        expect_items(f, 1, (const double[]){3}, 1);
        give(f, "x", none, 4);
        step(f);
        expect_items(f, 0, NULL, 0);
        expect_items(f, 1, (const double[]){0}, 1);
        give(f, "x", all, 2);
        step(f);
        expect_items(f, 0, (const double[]){2, 4}, 2);
    }
}

static void a_size_is_counted(void **state)
{
    (void)state;
    with_each(choose_positive);
}

/* An intermediate is read by two later parts, and is an output, too. */
static void share_slots(struct fixture *f, const char *backend)
{
    const float x[5] = {4, 0, 9, 0, 1};

    input(f, "x", ONNX_FLOAT, (int64_t[]){-1}, 1);
    integers(f, "flat", (int64_t[]){-1}, 1);
    integers(f, "one", (int64_t[]){1}, 1);
    node(f, "Sqrt", "x", "root");
    node(f, "NonZero", "root", "where");
    node(f, "Reshape", "where,flat", "index");
    node(f, "Size", "index", "count");
    node(f, "Reshape", "count,one", "size");
    node(f, "Expand", "x,size", "wide"); /* a computed size decides: it fits if that is 5 or 1 */
    onnx_node_int(f->arena, node(f, "Gather", "root,index", "taken"), "axis", 0);
    node(f, "ReduceSum", "taken", "sum");
    output(f, "root");
    output(f, "sum");
    output(f, "wide");
    load_by(f, backend);
    give(f, "x", x, 5);
    assert_int_not_equal(nnefc_run_step(f->run), NNEFC_OK); /* x of 5 items does not become 3 */
    assert_non_null(strstr(nnefc_model_diagnostics(f->model)->at[0]->text, "(Expand)"));
    const float full[3] = {1, 4, 9};
    give(f, "x", full, 3);
    step(f);
    expect_items(f, 0, (const double[]){1, 2, 3}, 3);
    expect_items(f, 1, (const double[]){6}, 1);
    expect_items(f, 2, (const double[]){1, 4, 9}, 3);
}

static void a_tensor_is_read_by_several_parts(void **state)
{
    (void)state;
    with_each(share_slots);
}

/* --- conditions --------------------------------------------------------------------------------
 */

/* Branches of different shapes: the sum of x, or x itself times a weight of the outer graph. */
static void branch_on_sum(struct fixture *f, const char *backend)
{
    const float rising[3] = {1, 2, 3}, falling[2] = {-5, 1};
    struct onnx_graph *outer = f->graph, *yes = onnx_graph_new(f->arena, "yes");
    struct onnx_graph *no = onnx_graph_new(f->arena, "no");

    input(f, "x", ONNX_FLOAT, (int64_t[]){-1}, 1);
    floats(f, "zero", NULL, 0); /* one item, 0 */
    integers(f, "two", (int64_t[]){2}, 1);
    onnx_node_int(f->arena, node(f, "ReduceSum", "x", "sum"), "keepdims", 0);
    node(f, "Greater", "sum,zero", "positive");
    onnx_node_int(f->arena, node(f, "Cast", "two", "weight"), "to", ONNX_FLOAT);
    f->graph = yes;
    node(f, "Neg", "sum", "a");
    output(f, "a");
    f->graph = no;
    node(f, "Mul", "x,weight", "b");
    output(f, "b");
    f->graph = outer;
    struct onnx_node *choice = node(f, "If", "positive", "c");
    onnx_node_graph(f->arena, choice, "then_branch", yes);
    onnx_node_graph(f->arena, choice, "else_branch", no);
    node(f, "Abs", "c", "y");
    output(f, "y");
    load_by(f, backend);
    for (int i = 0; i < 2; i++) {
        give(f, "x", rising, 3);
        step(f);
        expect_items(f, 0, (const double[]){6}, 1);
        give(f, "x", falling, 2);
        step(f);
        expect_items(f, 0, (const double[]){10, 2}, 2);
    }
    assert_true(nnefc_model_plans(f->model).taken > 0);
}

static void a_condition_is_computed(void **state)
{
    (void)state;
    with_each(branch_on_sum);
}

/* The branch gives a tensor, and the same items in another shape. */
static void branch_to_views(struct fixture *f, const char *backend)
{
    const float rising[3] = {1, 2, 3}, falling[2] = {-5, 1};
    struct onnx_graph *outer = f->graph, *yes = onnx_graph_new(f->arena, "yes");
    struct onnx_graph *no = onnx_graph_new(f->arena, "no");

    input(f, "x", ONNX_FLOAT, (int64_t[]){-1}, 1);
    floats(f, "zero", NULL, 0);
    integers(f, "first", (int64_t[]){0}, 1);
    onnx_node_int(f->arena, node(f, "ReduceSum", "x", "sum"), "keepdims", 0);
    node(f, "Greater", "sum,zero", "positive");
    f->graph = yes;
    node(f, "Neg", "x", "a");
    node(f, "Unsqueeze", "a,first", "b");
    output(f, "a");
    output(f, "b");
    f->graph = no;
    node(f, "Abs", "x", "c");
    output(f, "c");
    output(f, "x"); /* a tensor of the graph around it */
    f->graph = outer;
    struct onnx_node *choice = node(f, "If", "positive", "p");
    onnx_text_add(f->arena, &choice->output, "q");
    onnx_node_graph(f->arena, choice, "then_branch", yes);
    onnx_node_graph(f->arena, choice, "else_branch", no);
    output(f, "p");
    output(f, "q");
    load_by(f, backend);
    for (int i = 0; i < 2; i++) {
        give(f, "x", rising, 3);
        step(f);
        expect_items(f, 0, (const double[]){-1, -2, -3}, 3);
        expect_items(f, 1, (const double[]){-1, -2, -3}, 3);
        assert_int_equal(nnefc_tensor_type(nnefc_run_output(f->run, 1)).rank, 2);
        give(f, "x", falling, 2);
        step(f);
        expect_items(f, 0, (const double[]){5, 1}, 2);
        expect_items(f, 1, (const double[]){-5, 1}, 2);
    }
}

static void results_of_a_branch_share_memory(void **state)
{
    (void)state;
    with_each(branch_to_views);
}

/* --- what decides ------------------------------------------------------------------------------
 */

/* `ids` decide by the number of those that are not 0, and are added, too: a graph that was kept
 * goes by the items that it was made for, though the client has given others since. */
static void add_ids(struct fixture *f, const char *backend)
{
    enum { COUNT = 20 };
    int64_t ids[COUNT];
    struct nnefc_type type = {NNEFC_INTEGER, 1, {COUNT}};

    input(f, "ids", ONNX_INT64, (int64_t[]){-1}, 1);
    onnx_node_int(f->arena, node(f, "Cast", "ids", "numbers"), "to", ONNX_FLOAT);
    node(f, "NonZero", "ids", "where");
    onnx_node_int(f->arena, node(f, "Cast", "where", "places"), "to", ONNX_FLOAT);
    onnx_node_int(f->arena, node(f, "ReduceSum", "places", "sum"), "keepdims", 0);
    node(f, "Add", "numbers,sum", "y");
    output(f, "y");
    load_by(f, backend);
    for (int i = 0; i < 4; i++) {
        double expected[COUNT];
        for (int k = 0; k < COUNT; k++)
            ids[k] = i % 2 ? k + 1 : k == 3; /* the sum of places: 3, or 190 */
        for (int k = 0; k < COUNT; k++)
            expected[k] = (double)ids[k] + (i % 2 ? 190 : 3);
        assert_int_equal(nnefc_run_view_input_as(f->run, 0, &type, ids, sizeof ids), NNEFC_OK);
        step(f);
        expect_items(f, 0, expected, COUNT);
    }
    assert_true(nnefc_model_open(f->model)->at[1]->decides);
    assert_int_equal(nnefc_model_plans(f->model).made, 2);
}

static void what_decides_is_kept_with_the_graph(void **state)
{
    (void)state;
    with_each(add_ids);
}

/* Numbers are drawn once for all parts, and anew for each step; a seed gives the same again. */
static void draw_numbers(struct fixture *f, const char *backend)
{
    const float x[3] = {0, 1, 0};
    double first = 0, second = 0;

    input(f, "x", ONNX_FLOAT, (int64_t[]){-1}, 1);
    floats(f, "shape", (int64_t[]){2, 2}, 2);
    node(f, "RandomUniformLike", "shape", "drawn");
    onnx_node_int(f->arena, node(f, "ReduceSum", "drawn", "one"), "keepdims", 0);
    node(f, "NonZero", "x", "where");
    onnx_node_int(f->arena, node(f, "Cast", "where", "places"), "to", ONNX_FLOAT);
    onnx_node_int(f->arena, node(f, "ReduceSum", "drawn", "again"), "keepdims", 0);
    node(f, "Add", "again,places", "more");
    node(f, "Sub", "more,one", "y");
    output(f, "y");
    output(f, "one");
    load_by(f, backend);
    give(f, "x", x, 3);
    nnefc_run_set_seed(f->run, 5);
    for (int i = 0; i < 3; i++) {
        step(f);
        expect_items(f, 0, (const double[]){1}, 1); /* the place of 1 */
        double drawn = nnefc_tensor_item(nnefc_run_output(f->run, 1), 0);
        if (i == 0)
            first = drawn;
        else if (i == 1)
            second = drawn;
        assert_true(i != 1 || fabs(second - first) > 1e-6);
        assert_true(i != 2 || fabs(drawn - first) <= 0);
        if (i == 1)
            nnefc_run_set_seed(f->run, 5);
    }
}

static void numbers_are_drawn_once(void **state)
{
    (void)state;
    with_each(draw_numbers);
}

/* Tensors of any part may be kept, but none that there is not. */
static void keep_tensors(struct fixture *f, const char *backend)
{
    const float x[3] = {0, 2, 4};

    input(f, "x", ONNX_FLOAT, (int64_t[]){-1}, 1);
    node(f, "Exp", "x", "before");
    node(f, "Sin", "x", "sine");
    node(f, "NonZero", "sine", "where");
    onnx_node_int(f->arena, node(f, "Cast", "where", "places"), "to", ONNX_FLOAT);
    node(f, "Neg", "places", "behind");
    node(f, "Abs", "behind", "y");
    output(f, "y");
    load_by(f, backend);
    assert_int_equal(nnefc_run_keep(f->run, "behind"), NNEFC_OK);
    assert_int_equal(nnefc_run_keep(f->run, "before"), NNEFC_OK);
    give(f, "x", x, 3);
    step(f);
    expect_items(f, 0, (const double[]){1, 2}, 2);
    assert_true(fabs(nnefc_tensor_item(nnefc_run_tensor(f->run, "behind"), 1) + 2) <= 0);
    assert_true(fabs(nnefc_tensor_item(nnefc_run_tensor(f->run, "before"), 0) - 1) <= 0);
    assert_int_equal(nnefc_run_keep(f->run, "none"), NNEFC_OK); /* which the step tells */
    assert_int_equal(nnefc_run_step(f->run), NNEFC_USAGE);
}

static void a_tensor_of_any_part_is_kept(void **state)
{
    (void)state;
    with_each(keep_tensors);
}

/* A result that is the input itself becomes that again. */
static void give_back_input(struct fixture *f, const char *backend)
{
    const float x[3] = {0, 2, 4};

    input(f, "x", ONNX_FLOAT, (int64_t[]){-1}, 1);
    node(f, "NonZero", "x", "where");
    onnx_node_int(f->arena, node(f, "Cast", "where", "places"), "to", ONNX_FLOAT);
    node(f, "Reshape", "places,flat", "y");
    integers(f, "flat", (int64_t[]){-1}, 1);
    output(f, "x");
    output(f, "y");
    load_by(f, backend);
    give(f, "x", x, 3);
    assert_int_equal(nnefc_run_set_state(f->run, "x", "y"), NNEFC_OK);
    step(f);
    expect_items(f, 0, (const double[]){0, 2, 4}, 3);
    expect_items(f, 1, (const double[]){1, 2}, 2);
    step(f);
    expect_items(f, 0, (const double[]){1, 2}, 2);
    expect_items(f, 1, (const double[]){0, 1}, 2);
}

static void an_input_is_a_result_and_a_state(void **state)
{
    (void)state;
    with_each(give_back_input);
}

/* --- loops -------------------------------------------------------------------------------------
 */

/* Trips of none: what the body declares of its items, 0 for what it leaves open.  As many trips as
 * an input says, or by a condition that is computed. */
static void make_no_trips(struct fixture *f, const char *backend)
{
    const float x[2] = {1, 2}, no[2] = {-1, -1};
    struct onnx_graph *outer = f->graph, *body = onnx_graph_new(f->arena, "body");
    const int64_t none = 0, two = 2;

    input(f, "count", ONNX_INT64, NULL, 0);
    input(f, "x", ONNX_FLOAT, (int64_t[]){-1}, 1);
    floats(f, "zero", NULL, 0);
    onnx_node_int(f->arena, node(f, "ReduceSum", "x", "sum"), "keepdims", 0);
    node(f, "Greater", "sum,zero", "positive");
    f->graph = body;
    input(f, "i", ONNX_INT64, NULL, 0);
    input(f, "go", ONNX_BOOL, NULL, 0);
    input(f, "v", ONNX_FLOAT, (int64_t[]){-1}, 1);
    node(f, "Identity", "go", "again");
    node(f, "Add", "v,v", "w");
    node(f, "Neg", "w", "item");
    output(f, "again");
    output(f, "w");
    f->graph->output = onnx_value_info_append(
        f->graph->output, onnx_value_info_new(f->arena, "item", ONNX_FLOAT, (int64_t[]){-1}, 1));
    f->graph = outer;
    struct onnx_node *loop = node(f, "Loop", "count,positive,x", "y");
    onnx_text_add(f->arena, &loop->output, "all");
    onnx_node_graph(f->arena, loop, "body", body);
    output(f, "y");
    output(f, "all");
    load_by(f, backend);
    for (int i = 0; i < 3; i++) {
        struct nnefc_type type = {.dtype = NNEFC_INTEGER};
        assert_int_equal(
            nnefc_run_view_input_as(f->run, 0, &type, i == 1 ? &none : &two, sizeof none),
            NNEFC_OK);
        give(f, "x", i == 2 ? no : x, 2);
        step(f);
        struct nnefc_type all = nnefc_tensor_type(nnefc_run_output(f->run, 1));
        assert_int_equal(all.rank, 2);
        assert_int_equal(all.extent[0], i ? 0 : 2);
        assert_int_equal(all.extent[1], i ? 0 : 2);
        const double expected[2] = {i == 0 ? 4 : i == 1 ? 1 : -1, i == 0 ? 8 : i == 1 ? 2 : -1};
        expect_items(f, 0, expected, 2);
    }
}

static void a_loop_makes_no_trips(void **state)
{
    (void)state;
    with_each(make_no_trips);
}

/*
 * A scan whose body has to know a condition: `s` is the sum so far of the columns of x, from the
 * last one on, and a negative one is doubled.  Sums are collected in rows, and in columns the other
 * way round.
 */
static void scan_columns(struct fixture *f, const char *backend)
{
    static const float x[6] = {1, -5, 2, 0, 1, 3}; /* columns (1, 0), (-5, 1), (2, 3) */
    struct onnx_graph *outer = f->graph, *body = onnx_graph_new(f->arena, "body");
    struct onnx_graph *yes = onnx_graph_new(f->arena, "yes"), *no = onnx_graph_new(f->arena, "no");
    const struct nnefc_type type = {NNEFC_SCALAR, 2, {2, 3}};

    input(f, "x", ONNX_FLOAT, (int64_t[]){2, -1}, 2);
    floats(f, "start", (int64_t[]){1}, 1); /* 0 */
    f->graph = body;
    input(f, "s", ONNX_FLOAT, (int64_t[]){1}, 1);
    input(f, "column", ONNX_FLOAT, (int64_t[]){2}, 1);
    node(f, "ReduceSum", "column", "part");
    node(f, "Less", "part,start", "negative");
    f->graph = yes;
    node(f, "Add", "part,part", "twice");
    output(f, "twice");
    f->graph = no;
    node(f, "Identity", "part", "once");
    output(f, "once");
    f->graph = body;
    struct onnx_node *choice = node(f, "If", "negative", "chosen");
    onnx_node_graph(f->arena, choice, "then_branch", yes);
    onnx_node_graph(f->arena, choice, "else_branch", no);
    node(f, "Add", "s,chosen", "t");
    node(f, "Identity", "t", "row");
    node(f, "Neg", "t", "back");
    output(f, "t");
    output(f, "row");
    output(f, "back");
    f->graph = outer;
    struct onnx_node *scan = node(f, "Scan", "start,x", "last");
    onnx_text_add(f->arena, &scan->output, "rows");
    onnx_text_add(f->arena, &scan->output, "columns");
    onnx_node_graph(f->arena, scan, "body", body);
    onnx_node_int(f->arena, scan, "num_scan_inputs", 1);
    onnx_node_ints(f->arena, scan, "scan_input_axes", (int64_t[]){-1}, 1);
    onnx_node_ints(f->arena, scan, "scan_input_directions", (int64_t[]){1}, 1);
    onnx_node_ints(f->arena, scan, "scan_output_axes", (int64_t[]){0, -1}, 2);
    onnx_node_ints(f->arena, scan, "scan_output_directions", (int64_t[]){0, 1}, 2);
    output(f, "last");
    output(f, "rows");
    output(f, "columns");
    load_by(f, backend);
    assert_int_equal(nnefc_run_view_input_as(f->run, 0, &type, x, sizeof x), NNEFC_OK);
    step(f); /* 5, then 2 * -4, then 1 */
    expect_items(f, 0, (const double[]){-2}, 1);
    expect_items(f, 1, (const double[]){5, -3, -2}, 3);
    expect_items(f, 2, (const double[]){2, 3, -5}, 3);
    assert_int_equal(nnefc_tensor_type(nnefc_run_output(f->run, 1)).extent[0], 3);
    assert_int_equal(nnefc_tensor_type(nnefc_run_output(f->run, 2)).extent[1], 3);
    /* Without columns there are no trips. */
    const struct nnefc_type empty = {NNEFC_SCALAR, 2, {2, 0}};
    assert_int_equal(nnefc_run_view_input_as(f->run, 0, &empty, x, 0), NNEFC_OK);
    assert_int_equal(nnefc_run_step(f->run), NNEFC_UNSUPPORTED); /* it declares no type of items */
    assert_non_null(strstr(nnefc_model_diagnostics(f->model)->at[0]->text, "makes no trips"));
}

static void a_scan_has_parts_within(void **state)
{
    (void)state;
    with_each(scan_columns);
}

/*
 * v doubles, and 1 is added to n, until the first item of v is beyond `limit`: a condition that is
 * computed in the body, which reads the outer graph.  Each v is collected, too.
 */
static void double_until(struct fixture *f, const char *backend)
{
    const float x[2] = {1, 10}, limits[3] = {20, 0.5F, 3};
    struct onnx_graph *outer = f->graph, *body = onnx_graph_new(f->arena, "body");

    input(f, "x", ONNX_FLOAT, (int64_t[]){-1}, 1);
    input(f, "limit", ONNX_FLOAT, (int64_t[]){1}, 1);
    integers(f, "nothing", (int64_t[]){0}, 1);
    integers(f, "one", (int64_t[]){1}, 1);
    integers(f, "first", (int64_t[]){0}, 1);
    f->graph = body;
    input(f, "i", ONNX_INT64, NULL, 0);
    input(f, "go", ONNX_BOOL, NULL, 0);
    input(f, "v", ONNX_FLOAT, (int64_t[]){-1}, 1);
    input(f, "n", ONNX_INT64, (int64_t[]){1}, 1);
    node(f, "Add", "v,v", "twice");
    node(f, "Add", "n,one", "more");
    node(f, "Gather", "twice,first", "head");
    node(f, "Less", "head,limit", "less");
    node(f, "Squeeze", "less", "again");
    node(f, "Identity", "twice", "seen");
    output(f, "again");
    output(f, "twice");
    output(f, "more");
    output(f, "seen");
    f->graph = outer;
    struct onnx_node *loop = node(f, "Loop", ",,x,nothing", "last");
    onnx_text_add(f->arena, &loop->output, "count");
    onnx_text_add(f->arena, &loop->output, "all");
    onnx_node_graph(f->arena, loop, "body", body);
    node(f, "Neg", "last", "y");
    output(f, "y");
    output(f, "count");
    output(f, "all");
    load_by(f, backend);
    for (int i = 0; i < 3; i++) {
        give(f, "x", x, 2);
        give(f, "limit", &limits[i], 1);
        step(f);
        int trips = i == 0 ? 5 : i == 1 ? 1 : 2; /* 32, 2, 4 are the first that are not less */
        double factor = (double)(1 << trips);
        expect_items(f, 0, (const double[]){-factor, -10 * factor}, 2);
        expect_items(f, 1, (const double[]){trips}, 1);
        const struct nnefc_tensor *all = nnefc_run_output(f->run, 2);
        assert_int_equal(nnefc_tensor_type(all).rank, 2);
        assert_int_equal(nnefc_tensor_type(all).extent[0], trips);
        assert_true(fabs(nnefc_tensor_item(all, 1) - 20) <= 0);
    }
    /* Trips of one shape are planned once. */
    assert_true(nnefc_model_plans(f->model).made < 8);
}

static void a_loop_ends_by_what_it_computes(void **state)
{
    (void)state;
    with_each(double_until);
}

/* A state that grows: each trip has a shape of its own. */
static void grow(struct fixture *f, const char *backend)
{
    const float x[2] = {1, 2};
    struct onnx_graph *outer = f->graph, *body = onnx_graph_new(f->arena, "body");

    input(f, "x", ONNX_FLOAT, (int64_t[]){-1}, 1);
    floats(f, "limit", (int64_t[]){8}, 1); /* 0 .. 7 */
    f->graph = body;
    input(f, "i", ONNX_INT64, NULL, 0);
    input(f, "go", ONNX_BOOL, NULL, 0);
    input(f, "v", ONNX_FLOAT, (int64_t[]){-1}, 1);
    onnx_node_int(f->arena, node(f, "Concat", "v,x", "w"), "axis", 0);
    onnx_node_int(f->arena, node(f, "ReduceSum", "w", "sum"), "keepdims", 0);
    onnx_node_int(f->arena, node(f, "ReduceMax", "limit", "most"), "keepdims", 0);
    node(f, "Less", "sum,most", "again");
    output(f, "again");
    output(f, "w");
    f->graph = outer;
    onnx_node_graph(f->arena, node(f, "Loop", ",,x", "y"), "body", body);
    output(f, "y");
    load_by(f, backend);
    give(f, "x", x, 2);
    step(f); /* sums 6, 9 */
    expect_items(f, 0, (const double[]){1, 2, 1, 2, 1, 2}, 6);
}

static void a_state_has_another_shape_in_each_trip(void **state)
{
    (void)state;
    with_each(grow);
}

/* A loop that never ends is ended by a limit; one whose body fails names the trip.  The run goes on
 * with other inputs. */
static void a_loop_is_ended_by_a_limit(void **state)
{
    const float x[1] = {1}, zero[1] = {0};
    struct fixture *f = *state;
    struct onnx_graph *outer = f->graph, *body = onnx_graph_new(f->arena, "body");

    input(f, "x", ONNX_FLOAT, (int64_t[]){-1}, 1);
    floats(f, "nothing", NULL, 0);
    f->graph = body;
    input(f, "i", ONNX_INT64, NULL, 0);
    input(f, "go", ONNX_BOOL, NULL, 0);
    input(f, "v", ONNX_FLOAT, (int64_t[]){-1}, 1);
    node(f, "Mul", "v,x", "w");
    onnx_node_int(f->arena, node(f, "ReduceMax", "w", "most"), "keepdims", 0);
    node(f, "Greater", "most,nothing", "again");
    output(f, "again");
    output(f, "w");
    f->graph = outer;
    onnx_node_graph(f->arena, node(f, "Loop", ",,x", "y"), "body", body);
    output(f, "y");
    nnefc_model_set_limit(f->model, NNEFC_LIMIT_TRIPS, 100);
    load_by(f, "portable");
    give(f, "x", x, 1);
    assert_int_not_equal(nnefc_run_step(f->run), NNEFC_OK);
    const struct nnefc_diagnostic *d = nnefc_model_diagnostics(f->model)->at[0];
    assert_string_equal(d->code, "N0242");
    assert_non_null(strstr(d->text, "the step makes more than 100 trips"));
    assert_non_null(strstr(d->help, "--limit=trips=N"));
    give(f, "x", zero, 1);
    step(f);
    expect_items(f, 0, (const double[]){0}, 1);
}

/* A loop that collects more than there is memory for, each of its 1,000 trips 400 kB. */
static void what_parts_hand_over_is_limited(void **state)
{
    enum { COUNT = 100000 };
    struct fixture *f = *state;
    struct onnx_graph *outer = f->graph, *body = onnx_graph_new(f->arena, "body");
    float *x = calloc(COUNT, sizeof *x);

    assert_non_null(x);
    input(f, "x", ONNX_FLOAT, (int64_t[]){-1}, 1);
    integers(f, "trips", (int64_t[]){1000}, 1);
    f->graph = body;
    input(f, "i", ONNX_INT64, NULL, 0);
    input(f, "go", ONNX_BOOL, NULL, 0);
    input(f, "v", ONNX_FLOAT, (int64_t[]){-1}, 1);
    node(f, "ReduceMax", "v", "most");
    node(f, "Equal", "most,most", "same");
    node(f, "Squeeze", "same", "again");
    node(f, "Add", "v,most", "w");
    node(f, "Neg", "w", "item");
    output(f, "again");
    output(f, "w");
    output(f, "item");
    f->graph = outer;
    struct onnx_node *loop = node(f, "Loop", "trips,,x", "y");
    onnx_text_add(f->arena, &loop->output, "all");
    onnx_node_graph(f->arena, loop, "body", body);
    output(f, "y");
    output(f, "all");
    nnefc_model_set_limit(f->model, NNEFC_LIMIT_MEMORY, 64 << 20);
    load_by(f, "portable");
    give(f, "x", x, COUNT);
    assert_int_equal(nnefc_run_step(f->run), NNEFC_INVALID);
    const struct nnefc_diagnostic *d = nnefc_model_diagnostics(f->model)->at[0];
    assert_string_equal(d->code, "N0241");
    assert_non_null(strstr(d->text, "parts of the model hand over"));
    give(f, "x", x, 10); /* 40 kB in all */
    step(f);
    assert_int_equal(nnefc_tensor_count(nnefc_run_output(f->run, 1)), 10000);
    free(x);
}

/* The shape of trip 2 does not fit. */
static void a_body_that_fails_names_the_trip(void **state)
{
    const float x[6] = {1, 1, 1, 1, 1, 1};
    struct fixture *f = *state;
    struct onnx_graph *outer = f->graph, *body = onnx_graph_new(f->arena, "body");

    input(f, "x", ONNX_FLOAT, (int64_t[]){-1}, 1);
    integers(f, "pairs", (int64_t[]){2, -1}, 2);
    integers(f, "zero", (int64_t[]){0}, 1);
    floats(f, "nothing", NULL, 0);
    f->graph = body;
    input(f, "i", ONNX_INT64, NULL, 0);
    input(f, "go", ONNX_BOOL, NULL, 0);
    input(f, "v", ONNX_FLOAT, (int64_t[]){-1}, 1);
    node(f, "Reshape", "v,pairs", "m"); /* [2,n/2] */
    onnx_node_int(f->arena, node(f, "Gather", "m,zero", "row"), "axis", 0);
    onnx_node_int(f->arena, node(f, "Flatten", "row", "half"), "axis", 0);
    integers(f, "flat", (int64_t[]){-1}, 1);
    node(f, "Reshape", "half,flat", "w");
    onnx_node_int(f->arena, node(f, "ReduceSum", "w", "sum"), "keepdims", 0);
    node(f, "Greater", "sum,nothing", "again");
    output(f, "again");
    output(f, "w");
    f->graph = outer;
    onnx_node_graph(f->arena, node(f, "Loop", ",,x", "y"), "body", body);
    output(f, "y");
    load_by(f, "portable");
    give(f, "x", x, 6);
    nnefc_run_set_note(f->run, "of the second list");
    assert_int_equal(nnefc_run_step(f->run), NNEFC_INVALID); /* 6, 3: which is no pairs */
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 1);
    const struct nnefc_diagnostic *d = nnefc_model_diagnostics(f->model)->at[0];
    assert_non_null(strstr(d->text, "(Reshape)"));
    assert_string_equal(d->notes->at[0]->text, "of the second list");
    bool told = false;
    for (int i = 0; i < d->notes->count; i++)
        told |= strstr(d->notes->at[i]->text, "this is trip 1 of node") != NULL;
    assert_true(told);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_size_is_counted),
        cmocka_unit_test(a_tensor_is_read_by_several_parts),
        cmocka_unit_test(a_condition_is_computed),
        cmocka_unit_test(results_of_a_branch_share_memory),
        cmocka_unit_test(what_decides_is_kept_with_the_graph),
        cmocka_unit_test(numbers_are_drawn_once),
        cmocka_unit_test(a_tensor_of_any_part_is_kept),
        cmocka_unit_test(an_input_is_a_result_and_a_state),
        cmocka_unit_test(a_loop_makes_no_trips),
        cmocka_unit_test(a_scan_has_parts_within),
        cmocka_unit_test(a_loop_ends_by_what_it_computes),
        cmocka_unit_test(a_state_has_another_shape_in_each_trip),
        TEST(a_loop_is_ended_by_a_limit),
        TEST(what_parts_hand_over_is_limited),
        TEST(a_body_that_fails_names_the_trip),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
