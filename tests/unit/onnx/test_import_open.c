/* test_import_open.c - ONNX models that are kept open: each step has extents of its own, and inputs
 * that have to be known decide by their items */
#include "import_fixture.h"

static void keep_open(const struct fixture *f)
{
    assert_int_equal(nnefc_model_keep_open(f->model), NNEFC_OK);
}

static void load_open(struct fixture *f)
{
    keep_open(f);
    if (load(f) != NNEFC_OK)
        fail_msg("%s", nnefc_model_diagnostics(f->model)->at[0]->text);
    const struct nnefc_run_options options = {.size = sizeof options};
    f->run = nnefc_run_new_with(f->model, &options);
    assert_non_null(f->run);
}

/* x [n,3] and y [n,3] give z = x + y + w; w has 0, 1, 2 in each row. */
static void make_sum(struct fixture *f)
{
    onnx_value_info_param(input(f, "x", ONNX_FLOAT, (int64_t[]){-1, 3}, 2), 0, "n");
    onnx_value_info_param(input(f, "y", ONNX_FLOAT, (int64_t[]){-1, 3}, 2), 0, "n");
    floats(f, "w", (int64_t[]){3}, 1);
    node(f, "Add", "x,y", "s");
    node(f, "Add", "s,w", "z");
    output(f, "z");
}

/* Numbers 0, 1, 2, ... times `factor`. */
static enum nnefc_status view(const struct fixture *f, int index, int64_t rows, float factor)
{
    static float items[2][64];

    for (int i = 0; i < 64; i++)
        items[index][i] = factor * (float)i;
    return nnefc_run_view_input_as(f->run, index,
                                   &(struct nnefc_type){.rank = 2, .extent = {rows, 3}},
                                   items[index], (size_t)rows * 3 * sizeof(float));
}

static void expect_sum(const struct fixture *f, int64_t rows)
{
    const struct nnefc_tensor *z = nnefc_run_output(f->run, 0);

    assert_non_null(z);
    assert_int_equal(nnefc_tensor_type(z).rank, 2);
    assert_int_equal(nnefc_tensor_type(z).extent[0], rows);
    for (int i = 0; i < 3 * (int)rows; i++) /* i + 10 i + the column */
        assert_true(fabs(nnefc_tensor_item(z, i) - (11 * i + i % 3)) <= 0);
}

static void step(const struct fixture *f)
{
    if (nnefc_run_step(f->run) != NNEFC_OK)
        fail_msg("%s", nnefc_model_diagnostics(f->model)->at[0]->text);
}

static void each_step_has_extents_of_its_own(void **state)
{
    static const int64_t rows[] = {4, 1, 7, 4, 0, 1};
    struct fixture *f = *state;

    make_sum(f);
    load_open(f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(view(f, 0, rows[i], 1), NNEFC_OK);
        assert_int_equal(view(f, 1, rows[i], 10), NNEFC_OK);
        step(f);
        expect_sum(f, rows[i]);
    }
    struct nnefc_plans plans = nnefc_model_plans(f->model);
    assert_int_equal(plans.made, 4);
    assert_int_equal(plans.taken, 2);
    assert_int_equal(plans.kept, 4);
    assert_true(plans.bytes > 0);
}

/* Types say what is open, and a list by which name. */
static void what_is_open_is_listed(void **state)
{
    struct fixture *f = *state;

    make_sum(f);
    load_open(f);
    const struct nnefc_open_list *open = nnefc_model_open(f->model);
    assert_int_equal(open->count, 2);
    assert_int_equal(open->at[1]->input, 1);
    assert_int_equal(open->at[1]->axis, 0);
    assert_string_equal(open->at[1]->name, "n");
    assert_false(open->at[1]->decides);
    assert_int_equal(nnefc_model_inputs(f->model)->count, 2);
    assert_int_equal(nnefc_model_inputs(f->model)->at[0]->type.extent[0], NNEFC_UNKNOWN);
    assert_int_equal(nnefc_model_inputs(f->model)->at[0]->type.extent[1], 3);
    assert_int_equal(nnefc_model_outputs(f->model)->count, 1);
    assert_int_equal(nnefc_model_find_output(f->model, "z"), 0);
    assert_int_equal(nnefc_model_operations(f->model)->count, 0);
}

/* What looks at a graph says what is open, and what would close it. */
static void a_graph_is_not_there_before_the_first_step(void **state)
{
    struct fixture *f = *state;

    make_sum(f);
    keep_open(f);
    assert_int_equal(load(f), NNEFC_OK);
    assert_int_equal(nnefc_model_write_nnef(f->model, "/tmp/nnefc-open.tar"), NNEFC_INVALID);
    assert_int_equal(nnefc_model_rewrite(
                         f->model, &(struct nnefc_rewrite){.size = sizeof(struct nnefc_rewrite)}),
                     NNEFC_INVALID);
    const struct nnefc_diagnostic *d = nnefc_model_diagnostics(f->model)->at[0];
    assert_string_equal(d->code, "N0226");
    assert_non_null(strstr(d->text, "input 'x' has shape [n,3]"));
    assert_non_null(strstr(d->help, "--dim 'n=1'"));
    assert_int_not_equal(access("/tmp/nnefc-open.tar", F_OK), 0);
}

/* Without nnefc_model_keep_open() a model is read as ever. */
static void a_model_is_open_for_who_asks(void **state)
{
    struct fixture *f = *state;

    make_sum(f);
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0226", "input 'x' has shape [n,3]");
}

static void extents_that_are_set_are_closed(void **state)
{
    struct fixture *f = *state;

    make_sum(f);
    nnefc_model_set_extent(f->model, "n", 2);
    load_open(f);
    assert_int_equal(nnefc_model_open(f->model)->count, 0);
    assert_int_equal(nnefc_model_inputs(f->model)->at[0]->type.extent[0], 2);
    assert_int_equal(nnefc_model_operations(f->model)->count, 2);
    assert_int_equal(view(f, 0, 4, 1), NNEFC_FILE);
}

/* A step that cannot be made says why, once, and the run goes on with other inputs. */
static void names_that_disagree_are_told(void **state)
{
    struct fixture *f = *state;

    make_sum(f);
    load_open(f);
    assert_int_equal(view(f, 0, 5, 1), NNEFC_OK);
    assert_int_equal(view(f, 1, 7, 10), NNEFC_OK);
    assert_int_not_equal(nnefc_run_step(f->run), NNEFC_OK);
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 1);
    assert_string_equal(nnefc_model_diagnostics(f->model)->at[0]->text,
                        "extent 'n' is 5 in 'x', but 7 in 'y'");
    assert_null(nnefc_run_output(f->run, 0));
    assert_int_equal(view(f, 1, 5, 10), NNEFC_OK);
    step(f);
    expect_sum(f, 5);
}

static void inputs_do_not_fit(void **state)
{
    static const float items[16];
    struct fixture *f = *state;
    int64_t huge = INT64_C(1) << 40;

    make_sum(f);
    load_open(f);
    assert_int_equal(nnefc_run_step(f->run), NNEFC_USAGE); /* nothing is fed */
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 2);
    assert_int_equal(nnefc_run_view_input_as(
                         f->run, 0, &(struct nnefc_type){.rank = 2, .extent = {2, 4}}, items, 32),
                     NNEFC_FILE);
    assert_int_equal(nnefc_run_view_input_as(f->run, 0,
                                             &(struct nnefc_type){.rank = 3, .extent = {2, 3, 1}},
                                             items, 24),
                     NNEFC_FILE);
    assert_int_equal(
        nnefc_run_view_input_as(f->run, 0, &(struct nnefc_type){.rank = 2, .extent = {huge, huge}},
                                items, 24),
        NNEFC_USAGE);
    assert_int_equal(nnefc_run_view_input(f->run, 0, items, 24), NNEFC_USAGE);
    assert_int_equal(view(f, 0, 2, 1), NNEFC_OK);
    assert_int_equal(view(f, 1, 2, 10), NNEFC_OK);
    step(f);
    expect_sum(f, 2);
}

/* A node that cannot have the extents is named, with what was fed. */
static void a_node_cannot_have_the_extents(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){-1, 3}, 2);
    integers(f, "to", (int64_t[]){2, -1}, 2);
    integers(f, "four", (int64_t[]){4, 3}, 2);
    node(f, "Reshape", "x,four", "z");
    output(f, "z");
    load_open(f);
    assert_int_equal(view(f, 0, 5, 1), NNEFC_OK);
    assert_int_not_equal(nnefc_run_step(f->run), NNEFC_OK);
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 1);
    const struct nnefc_diagnostic *d = nnefc_model_diagnostics(f->model)->at[0];
    assert_non_null(strstr(d->text, "node 0 (Reshape)"));
    assert_int_equal(d->notes->count, 1);
    assert_string_equal(d->notes->at[0]->text, "this is for inputs 'x' [5,3]");
    assert_int_equal(view(f, 0, 4, 1), NNEFC_OK);
    step(f);
}

/* --- inputs that decide ---------------------------------------------------------------------- */

static struct nnefc_tensor *integer_tensor(const int64_t *items, int count, int rank)
{
    struct nnefc_type type = {.dtype = NNEFC_INTEGER, .rank = rank, .extent = {count}};
    struct nnefc_tensor *tensor = nnefc_tensor_new(&type);

    assert_non_null(tensor);
    memcpy(nnefc_tensor_data(tensor), items, (size_t)count * sizeof *items);
    return tensor;
}

static void feed_integers(const struct fixture *f, const char *name, const int64_t *items,
                          int count, int rank)
{
    struct nnefc_tensor *tensor = integer_tensor(items, count, rank);

    assert_int_equal(nnefc_run_set_input(f->run, nnefc_model_find_input(f->model, name), tensor),
                     NNEFC_OK);
    nnefc_tensor_free(tensor);
}

/* The shape of a result is computed from an input. */
static void a_shape_decides(void **state)
{
    static const float items[6] = {0, 1, 2, 3, 4, 5};
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){6}, 1);
    input(f, "half", ONNX_INT64, (int64_t[]){2}, 1);
    integers(f, "one", (int64_t[]){1}, 1);
    node(f, "Add", "half,one", "shape");
    node(f, "Reshape", "x,shape", "y");
    output(f, "y");
    load_open(f);
    const struct nnefc_open_list *open = nnefc_model_open(f->model);
    assert_int_equal(open->count, 1);
    assert_int_equal(open->at[0]->input, 1);
    assert_true(open->at[0]->decides);
    for (int i = 0; i < 3; i++) {
        int64_t rows = i % 2 ? 3 : 2;
        assert_int_equal(nnefc_run_view_input_as(f->run, 0,
                                                 &(struct nnefc_type){.rank = 1, .extent = {6}},
                                                 items, sizeof items),
                         NNEFC_OK);
        feed_integers(f, "half", (int64_t[]){rows - 1, 6 / rows - 1}, 2, 1);
        step(f);
        const struct nnefc_tensor *y = nnefc_run_output(f->run, 0);
        assert_int_equal(nnefc_tensor_type(y).extent[0], rows);
        assert_int_equal(nnefc_tensor_type(y).extent[1], 6 / rows);
        assert_true(nnefc_tensor_item(y, 5) >= 5);
    }
    assert_int_equal(nnefc_model_plans(f->model).made, 2);
    /* A shape that does not fit is told with the node; the next one is computed. */
    feed_integers(f, "half", (int64_t[]){3, 3}, 2, 1);
    assert_int_not_equal(nnefc_run_step(f->run), NNEFC_OK);
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 1);
    assert_non_null(strstr(nnefc_model_diagnostics(f->model)->at[0]->notes->at[0]->text,
                           "'half' [2] with its items"));
    feed_integers(f, "half", (int64_t[]){0, 5}, 2, 1);
    step(f);
}

/* x + x as often as `trips` says. */
static void a_number_of_trips_decides(void **state)
{
    static const float items[2] = {1, 3};
    struct fixture *f = *state;
    struct onnx_graph *body = onnx_graph_new(f->arena, "body"), *outer = f->graph;

    input(f, "trips", ONNX_INT64, NULL, 0);
    input(f, "x", ONNX_FLOAT, (int64_t[]){-1}, 1);
    f->graph = body;
    input(f, "i", ONNX_INT64, NULL, 0);
    input(f, "go", ONNX_BOOL, NULL, 0);
    input(f, "v", ONNX_FLOAT, (int64_t[]){-1}, 1);
    node(f, "Add", "v,v", "twice");
    output(f, "go");
    output(f, "twice");
    f->graph = outer;
    onnx_node_graph(f->arena, node(f, "Loop", "trips,,x", "y"), "body", body);
    output(f, "y");
    load_open(f);
    for (int64_t trips = 0; trips < 5; trips++) {
        feed_integers(f, "trips", &trips, 1, 0);
        assert_int_equal(nnefc_run_view_input_as(f->run, 1,
                                                 &(struct nnefc_type){.rank = 1, .extent = {2}},
                                                 items, sizeof items),
                         NNEFC_OK);
        step(f);
        double got = nnefc_tensor_item(nnefc_run_output(f->run, 0), 1);
        assert_true(fabs(got - 3 * (double)(1 << trips)) <= 0);
    }
    assert_int_equal(nnefc_model_open(f->model)->count, 2);
}

/* What is computed from many items decides, too: the model is run in parts. */
static void what_is_computed_decides(void **state)
{
    static const int64_t extents[] = {100, 60, 100};
    static float items[100];
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){-1}, 1);
    onnx_node_int(f->arena, node(f, "ReduceMax", "x", "most"), "keepdims", 1);
    onnx_node_int(f->arena, node(f, "Cast", "most", "rows"), "to", ONNX_INT64);
    integers(f, "rest", (int64_t[]){-1}, 1);
    onnx_node_int(f->arena, node(f, "Concat", "rows,rest", "shape"), "axis", 0);
    node(f, "Reshape", "x,shape", "y");
    node(f, "Neg", "y", "z");
    output(f, "z");
    load_open(f);
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++) {
        items[7] = (float)(i + 4); /* rows: 4, 5, 6 */
        bool fits = extents[i] % (int64_t)(i + 4) == 0;
        assert_int_equal(nnefc_run_view_input_as(
                             f->run, 0, &(struct nnefc_type){.rank = 1, .extent = {extents[i]}},
                             items, (size_t)extents[i] * sizeof *items),
                         NNEFC_OK);
        assert_int_equal(nnefc_run_step(f->run) == NNEFC_OK, fits);
        if (!fits) /* the node of the second part is named, and the run goes on */
            continue;
        const struct nnefc_tensor *z = nnefc_run_output(f->run, 0);
        assert_int_equal(nnefc_tensor_type(z).extent[0], i + 4);
        assert_int_equal(nnefc_tensor_type(z).extent[1], extents[i] / (int64_t)(i + 4));
        assert_true(fabs(nnefc_tensor_item(z, 7) + (double)i + 4) <= 0);
    }
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 1);
    assert_non_null(strstr(nnefc_model_diagnostics(f->model)->at[0]->text, "(Reshape)"));
    /* There is no graph that could be written. */
    assert_int_not_equal(nnefc_model_write_nnef(f->model, "/tmp/nnefc-open.tar"), NNEFC_OK);
    assert_non_null(
        strstr(nnefc_model_diagnostics(f->model)->at[1]->text, "the model is no single graph"));
}

/* --- plans that are kept -----------------------------------------------------------------------
 */

static void only_so_many_plans_are_kept(void **state)
{
    struct fixture *f = *state;

    make_sum(f);
    nnefc_model_set_limit(f->model, NNEFC_LIMIT_PLANS, 2);
    load_open(f);
    for (int i = 0; i < 20; i++) {
        int64_t rows = 1 + i % 4;
        assert_int_equal(view(f, 0, rows, 1), NNEFC_OK);
        assert_int_equal(view(f, 1, rows, 10), NNEFC_OK);
        step(f);
        expect_sum(f, rows);
    }
    struct nnefc_plans plans = nnefc_model_plans(f->model);
    assert_int_equal(plans.kept, 2);
    assert_int_equal(plans.made, 20);
    assert_int_equal(plans.dropped, 18);
}

/* A filter is packed once, and what a batch normalization makes of it is computed once, for each
 * batch, height and width. */
static void another_shape_works_on_no_weights(void **state)
{
    static float items[8 * 3 * 12 * 12];
    struct fixture *f = *state;
    int64_t weights = 0;

    input(f, "x", ONNX_FLOAT, (int64_t[]){-1, 3, -1, -1}, 4);
    floats(f, "w", (int64_t[]){8, 3, 3, 3}, 4);
    floats(f, "c", (int64_t[]){8}, 1);
    node(f, "Conv", "x,w", "a");
    node(f, "BatchNormalization", "a,c,c,c,c", "b");
    node(f, "Relu", "b", "y");
    output(f, "y");
    load_open(f);
    for (int i = 0; i < 4; i++) {
        struct nnefc_type type = {.rank = 4, .extent = {1 + i % 3, 3, 8 + i, 12 - i}};
        size_t count = (size_t)(1 + i % 3) * 3 * (size_t)(8 + i) * (size_t)(12 - i);
        assert_int_equal(nnefc_run_view_input_as(f->run, 0, &type, items, count * sizeof *items),
                         NNEFC_OK);
        step(f);
        struct nnefc_plans plans = nnefc_model_plans(f->model);
        assert_int_equal(plans.made, i + 1);
        assert_true(plans.weight_bytes > 0);
        assert_true(i == 0 || plans.weight_bytes == weights);
        weights = plans.weight_bytes;
    }
}

/* Two runs have each their own inputs and share what is planned. */
static void runs_share_plans(void **state)
{
    struct fixture *f = *state;

    make_sum(f);
    load_open(f);
    struct nnefc_run *first = f->run, *second = nnefc_run_new_like(f->run);
    assert_non_null(second);
    for (int i = 0; i < 6; i++) {
        f->run = i % 2 ? second : first;
        int64_t rows = 2 + i / 2;
        assert_int_equal(view(f, 0, rows, 1), NNEFC_OK);
        assert_int_equal(view(f, 1, rows, 10), NNEFC_OK);
        step(f);
        expect_sum(f, rows);
    }
    assert_int_equal(nnefc_model_plans(f->model).made, 3);
    f->run = first;
    nnefc_run_free(second);
}

/* A tensor that is kept goes by its name, before there is a graph and after. */
static void a_kept_tensor_is_shown_for_each_shape(void **state)
{
    struct fixture *f = *state;

    make_sum(f);
    load_open(f);
    assert_int_equal(nnefc_run_keep(f->run, "s"), NNEFC_OK);
    for (int64_t rows = 1; rows < 4; rows++) {
        assert_int_equal(view(f, 0, rows, 1), NNEFC_OK);
        assert_int_equal(view(f, 1, rows, 10), NNEFC_OK);
        step(f);
        const struct nnefc_tensor *s = nnefc_run_tensor(f->run, "s");
        assert_non_null(s);
        assert_int_equal(nnefc_tensor_type(s).extent[0], rows);
        assert_true(fabs(nnefc_tensor_item(s, 2) - 22) <= 0);
    }
    assert_int_equal(nnefc_run_keep(f->run, "gone"), NNEFC_OK);
    assert_int_not_equal(nnefc_run_step(f->run), NNEFC_OK);
    assert_non_null(strstr(nnefc_model_diagnostics(f->model)->at[0]->text, "'gone'"));
}

/* --- state --------------------------------------------------------------------------------------
 */

static const char *const backends[] = {"reference", "portable"};

static void load_by(struct fixture *f, const char *backend)
{
    const struct nnefc_run_options options = {.size = sizeof options, .backend = backend};

    keep_open(f);
    assert_int_equal(load(f), NNEFC_OK);
    f->run = nnefc_run_new_with(f->model, &options);
    assert_non_null(f->run);
}

static enum nnefc_status feed_pair(const struct fixture *f, int index, const float items[2])
{
    return nnefc_run_view_input_as(f->run, index, &(struct nnefc_type){.rank = 2, .extent = {1, 2}},
                                   items, 2 * sizeof(float));
}

/* Rows are put behind those of the steps before; two results are sums of the past, so that one is
 * what the other one was.  The first past has no rows. */
static void a_state_grows(void **state)
{
    (void)state;
    for (size_t b = 0; b < 2; b++) {
        void *fresh = NULL;
        assert_int_equal(setup(&fresh), 0);
        struct fixture *f = fresh;
        onnx_value_info_param(input(f, "past.0", ONNX_FLOAT, (int64_t[]){-1, 2}, 2), 0, "past");
        input(f, "x", ONNX_FLOAT, (int64_t[]){1, 2}, 2);
        onnx_node_int(f->arena, node(f, "Concat", "past.0,x", "present.0"), "axis", 0);
        onnx_node_int(f->arena, node(f, "ReduceSum", "present.0", "sum"), "keepdims", 0);
        output(f, "present.0");
        output(f, "sum");
        load_by(f, backends[b]);
        assert_int_equal(nnefc_run_set_state(f->run, "past.*", "present.*"), NNEFC_OK);
        float items[2] = {0, 10}; /* which the run views */
        double sum = 0;
        for (int i = 0; i < 6; i++) {
            items[0] = (float)i;
            sum += i + 10;
            assert_int_equal(feed_pair(f, 1, items), NNEFC_OK);
            step(f);
            const struct nnefc_tensor *present = nnefc_run_output(f->run, 0);
            assert_int_equal(nnefc_tensor_type(present).extent[0], i + 1);
            assert_true(fabs(nnefc_tensor_item(present, 2 * (int64_t)i) - i) <= 0);
            assert_true(fabs(nnefc_tensor_item(nnefc_run_output(f->run, 1), 0) - sum) <= 0);
        }
        /* What is given in between takes the place of the state. */
        const float other[2] = {5, 5};
        assert_int_equal(feed_pair(f, 0, other), NNEFC_OK);
        step(f);
        assert_int_equal(nnefc_tensor_type(nnefc_run_output(f->run, 0)).extent[0], 2);
        assert_int_equal(teardown(&fresh), 0);
    }
}

/* a and b change places with each step, and c is a sum: extents are known, nothing is planned anew.
 */
static void states_of_a_closed_model_change_places(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        void *fresh = NULL;
        assert_int_equal(setup(&fresh), 0);
        struct fixture *f = fresh;
        const float a[2] = {1, 2}, b[2] = {10, 20}, c[2] = {0, 0};
        input(f, "a", ONNX_FLOAT, (int64_t[]){1, 2}, 2);
        input(f, "b", ONNX_FLOAT, (int64_t[]){1, 2}, 2);
        input(f, "c", ONNX_FLOAT, (int64_t[]){1, 2}, 2);
        node(f, "Identity", "b", "next_a");
        node(f, "Identity", "a", "next_b");
        node(f, "Add", "a,c", "next_c");
        output(f, "next_a");
        output(f, "next_b");
        output(f, "next_c");
        load_by(f, backends[k]);
        assert_int_equal(nnefc_run_set_state(f->run, "*", "next_*"), NNEFC_OK);
        assert_int_equal(feed_pair(f, 0, a), NNEFC_OK);
        assert_int_equal(feed_pair(f, 1, b), NNEFC_OK);
        assert_int_equal(feed_pair(f, 2, c), NNEFC_OK);
        double sum = 0;
        for (int i = 0; i < 5; i++) {
            step(f);
            sum += i % 2 ? 20 : 2;
            assert_true(
                fabs(nnefc_tensor_item(nnefc_run_output(f->run, 0), 1) - (i % 2 ? 2 : 20)) <= 0);
            assert_true(
                fabs(nnefc_tensor_item(nnefc_run_output(f->run, 1), 1) - (i % 2 ? 20 : 2)) <= 0);
            assert_true(fabs(nnefc_tensor_item(nnefc_run_output(f->run, 2), 1) - sum) <= 0);
        }
        assert_int_equal(teardown(&fresh), 0);
    }
}

/* a and b are one result, c a view of it: y = a + x, z = b + c. */
static void make_shared_states(struct fixture *f)
{
    input(f, "a", ONNX_FLOAT, (int64_t[]){1, 2}, 2);
    input(f, "b", ONNX_FLOAT, (int64_t[]){1, 2}, 2);
    input(f, "c", ONNX_FLOAT, (int64_t[]){2, 1}, 2);
    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 2}, 2);
    integers(f, "upright", (int64_t[]){2, 1}, 2);
    integers(f, "flat", (int64_t[]){1, 2}, 2);
    node(f, "Add", "a,x", "y");
    node(f, "Reshape", "y,upright", "column");
    node(f, "Reshape", "c,flat", "row");
    node(f, "Add", "b,row", "z");
    output(f, "y");
    output(f, "column");
    output(f, "z");
}

/* Between steps a plan may be dropped, or be made for the next one. */
static void disturb(struct fixture *f, int step)
{
    if (step == 1)
        nnefc_run_set_threads(f->run, 2);
    if (step == 2)
        assert_int_equal(nnefc_run_keep(f->run, "row"), NNEFC_OK);
    if (step == 3) { /* results move to where inputs are */
        assert_int_equal(nnefc_run_prepare(f->run), NNEFC_OK);
        assert_null(nnefc_run_output(f->run, 0));
    }
}

static void states_may_be_one_result(void **state)
{
    const float x[2] = {1, 10};

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        void *fresh = NULL;
        assert_int_equal(setup(&fresh), 0);
        struct fixture *f = fresh;
        make_shared_states(f);
        load_by(f, backends[k]);
        assert_int_equal(nnefc_run_set_state(f->run, "a", "y"), NNEFC_OK);
        assert_int_equal(nnefc_run_set_state(f->run, "b", "y"), NNEFC_OK);
        assert_int_equal(nnefc_run_set_state(f->run, "c", "column"), NNEFC_OK);
        assert_int_equal(feed_pair(f, 3, x), NNEFC_OK);
        for (int i = 0; i < 6; i++) {
            step(f);
            const struct nnefc_tensor *y = nnefc_run_output(f->run, 0);
            const struct nnefc_tensor *z = nnefc_run_output(f->run, 2);
            assert_true(fabs(nnefc_tensor_item(y, 1) - 10 * (i + 1)) <= 0);
            assert_true(fabs(nnefc_tensor_item(z, 1) - 20 * i) <= 0);
            disturb(f, i);
        }
        assert_int_equal(teardown(&fresh), 0);
    }
}

static void a_state_has_a_parameter_and_a_result(void **state)
{
    struct fixture *f = *state;

    make_sum(f);
    load_open(f);
    assert_int_equal(nnefc_run_set_state(f->run, "none*", "z*"), NNEFC_USAGE);
    assert_int_equal(nnefc_run_set_state(f->run, "x*", "z"), NNEFC_USAGE);
    assert_int_equal(nnefc_run_set_state(f->run, "x", "none"), NNEFC_USAGE);
    assert_int_equal(nnefc_run_set_state(f->run, "x", "z"), NNEFC_OK);
    assert_int_equal(nnefc_run_set_state(f->run, "x", "z"), NNEFC_USAGE); /* twice */
    /* x begins with as many rows of zeros as y has. */
    assert_int_equal(view(f, 1, 2, 10), NNEFC_OK);
    step(f);
    assert_true(fabs(nnefc_tensor_item(nnefc_run_output(f->run, 0), 5) - 52) <= 0);
    step(f);
    assert_true(fabs(nnefc_tensor_item(nnefc_run_output(f->run, 0), 5) - 104) <= 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_step_has_extents_of_its_own),
        TEST(what_is_open_is_listed),
        TEST(a_graph_is_not_there_before_the_first_step),
        TEST(a_model_is_open_for_who_asks),
        TEST(extents_that_are_set_are_closed),
        TEST(names_that_disagree_are_told),
        TEST(inputs_do_not_fit),
        TEST(a_node_cannot_have_the_extents),
        TEST(a_shape_decides),
        TEST(a_number_of_trips_decides),
        TEST(what_is_computed_decides),
        TEST(only_so_many_plans_are_kept),
        TEST(another_shape_works_on_no_weights),
        TEST(runs_share_plans),
        TEST(a_kept_tensor_is_shown_for_each_shape),
        cmocka_unit_test(a_state_grows),
        cmocka_unit_test(states_of_a_closed_model_change_places),
        cmocka_unit_test(states_may_be_one_result),
        TEST(a_state_has_a_parameter_and_a_result),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
