/* test_import.c - graphs made of ONNX models: what is folded, and what is reported */
#include "import_fixture.h"
#include "tensor/bytes.h"

/* --- initializers --------------------------------------------------------------------------- */

static void initializers_become_variables_or_constants(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){4, 8}, 2);
    floats(f, "W:0", (int64_t[]){4, 8}, 2);
    floats(f, "w_0", (int64_t[]){4, 8}, 2);
    floats(f, "small", (int64_t[]){8}, 1);
    node(f, "Add", "x,W:0", "a");
    node(f, "Mul", "a,w_0", "b");
    node(f, "Sub", "b,small", "y");
    output(f, "y");
    must_load(f);
    assert_int_equal(nnefc_model_variables(f->model)->count, 2);
    assert_string_equal(nnefc_model_variables(f->model)->at[0]->label, "W_0_2");
    assert_string_equal(nnefc_model_variables(f->model)->at[1]->label, "w_0");
    expect_dump(f, "W:0", true); /* the name stays what it was */
}

/* What is added is twice c, so that it has neither that name nor c_2. */
static void what_is_computed_has_the_name_of_no_tensor(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 2}, 2);
    floats(f, "w", (int64_t[]){2, 20}, 2);
    floats(f, "c", (int64_t[]){20}, 1);
    floats(f, "c_2", (int64_t[]){20}, 1);
    onnx_node_float(f->arena, node(f, "Gemm", "x,w,c", "a"), "beta", 2);
    node(f, "Add", "a,c_2", "y");
    output(f, "y");
    must_load(f);
    assert_int_equal(nnefc_model_variables(f->model)->count, 3);
    assert_string_equal(nnefc_model_variables(f->model)->at[0]->label, "w");
    assert_string_equal(nnefc_model_variables(f->model)->at[1]->label, "c_3");
    assert_string_equal(nnefc_model_variables(f->model)->at[2]->label, "c_2");
}

/* data in "./w.bin" */
static void external_data_may_be_named_from_the_folder(void **state)
{
    struct fixture *f = *state;
    struct onnx_tensor *t = onnx_tensor_new(f->arena, "w", ONNX_FLOAT, (int64_t[]){2}, 1);
    char folder[] = "/tmp/nnefc-import-XXXXXX", path[64];

    onnx_tensor_external(f->arena, t, &(struct onnx_extern){"./w.bin", 0, 8});
    f->graph->initializer = onnx_tensor_append(f->graph->initializer, t);
    node(f, "Neg", "w", "y");
    output(f, "y");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/w.bin", folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite("\0\0\x40\x40\0\0\x80\x40", 4, 2, file), 2); /* 3, 4 */
    assert_int_equal(fclose(file), 0);
    nnefc_model_set_data_folder(f->model, folder);
    must_load(f);
    runs(f, NULL, (double[]){-3, -4}, 2);
    assert_int_equal(remove(path), 0);
    assert_int_equal(remove(folder), 0);
}

static void an_initializer_without_items_is_told(void **state)
{
    struct fixture *f = *state;
    struct onnx_tensor *t = onnx_tensor_new(f->arena, "w", ONNX_FLOAT, (int64_t[]){2}, 1);

    f->graph->initializer = onnx_tensor_append(f->graph->initializer, t);
    node(f, "Neg", "w", "y");
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0222", "tensor 'w' of shape [2] has no items");
}

static void external_data_stay_below_the_folder(void **state)
{
    struct fixture *f = *state;
    struct onnx_tensor *t = onnx_tensor_new(f->arena, "w", ONNX_FLOAT, (int64_t[]){4}, 1);
    char folder[] = "/tmp/nnefc-import-XXXXXX", path[64];

    onnx_tensor_external(f->arena, t, &(struct onnx_extern){"../w.bin", 0, 16});
    f->graph->initializer = onnx_tensor_append(f->graph->initializer, t);
    node(f, "Neg", "w", "y");
    output(f, "y");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s", folder);
    nnefc_model_set_data_folder(f->model, path);
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0245", "tensor 'w': its external data are in '../w.bin'");
    assert_int_equal(remove(folder), 0);
}

/* --- what is known -------------------------------------------------------------------------- */

static void arithmetic_on_shapes_leaves_no_operations(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){2, 3, 4}, 3);
    integers(f, "zero", (int64_t[]){0}, 1);
    integers(f, "two", (int64_t[]){2}, 1);
    integers(f, "rest", (int64_t[]){-1}, 1);
    node(f, "Shape", "x", "s");
    node(f, "Gather", "s,zero", "n");
    node(f, "Mul", "n,two", "m");
    onnx_node_int(f->arena, node(f, "Concat", "m,rest", "to"), "axis", 0);
    node(f, "Reshape", "x,to", "y");
    output(f, "y");
    must_load(f);
    expect_dump(f, "y: scalar[4,6] = reshape", true);
    expect_dump(f, "gather", false);
    expect_dump(f, "concat", false);
    expect_dump(f, "mul", false);
}

static void known_integers_have_64_bits(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_INT64, (int64_t[]){1}, 1);
    integers(f, "a", (int64_t[]){1LL << 40}, 1);
    integers(f, "b", (int64_t[]){(1LL << 20) + 1}, 1);
    integers(f, "c", (int64_t[]){1LL << 40}, 1);
    node(f, "Mul", "a,b", "ab");
    node(f, "Div", "ab,c", "d");
    node(f, "Sub", "x,d", "y");
    output(f, "y");
    must_load(f);
    runs(f, (double[]){(1 << 20) + 3}, (double[]){2}, 1);
}

static void a_known_division_by_zero_is_reported(void **state)
{
    struct fixture *f = *state;

    integers(f, "a", (int64_t[]){7}, 1);
    integers(f, "b", (int64_t[]){0}, 1);
    node(f, "Div", "a,b", "y");
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0110", "node 0 (Div) at byte ");
}

static void a_way_to_round_that_is_unknown_is_reported(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){4}, 1);
    integers(f, "size", (int64_t[]){2}, 1);
    struct onnx_node *resize = node(f, "Resize", "x,,,size", "y");
    onnx_node_string(f->arena, resize, "nearest_mode", "round");
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0139",
           "'nearest_mode' is 'round', expected 'round_prefer_floor', 'round_prefer_ceil', 'floor' "
           "or 'ceil'");
}

static void a_known_condition_chooses_a_branch(void **state)
{
    struct fixture *f = *state;
    struct onnx_graph *yes = onnx_graph_new(f->arena, "yes"), *no = onnx_graph_new(f->arena, "no");
    struct onnx_graph *outer = f->graph;
    struct onnx_tensor *t = onnx_tensor_new(f->arena, "c", ONNX_BOOL, NULL, 0);

    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    onnx_tensor_raw(t, "\1", 1);
    outer->initializer = onnx_tensor_append(outer->initializer, t);
    f->graph = yes;
    node(f, "Neg", "x", "a");
    output(f, "a");
    f->graph = no;
    node(f, "StringSplit", "x", "b");
    output(f, "b");
    f->graph = outer;
    struct onnx_node *choice = node(f, "If", "c", "y");
    onnx_node_graph(f->arena, choice, "then_branch", yes);
    onnx_node_graph(f->arena, choice, "else_branch", no);
    output(f, "y");
    computes(f, (double[]){3}, (double[]){-3}, 1);
}

/* A fault in a branch that would not be taken has a cure. */
static void both_branches_of_an_unknown_condition_are_read(void **state)
{
    struct fixture *f = *state;
    struct onnx_graph *yes = onnx_graph_new(f->arena, "yes"), *no = onnx_graph_new(f->arena, "no");
    struct onnx_graph *outer = f->graph;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    input(f, "c", ONNX_BOOL, NULL, 0);
    f->graph = yes;
    node(f, "Neg", "x", "a");
    output(f, "a");
    f->graph = no;
    onnx_node_int(f->arena, node(f, "Softmax", "x", "b"), "axis", 7);
    output(f, "b");
    f->graph = outer;
    struct onnx_node *choice = node(f, "If", "c", "y");
    onnx_node_graph(f->arena, choice, "then_branch", yes);
    onnx_node_graph(f->arena, choice, "else_branch", no);
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    const struct nnefc_diagnostic_list *notes = nnefc_model_diagnostics(f->model)->at[0]->notes;
    assert_int_equal(notes->count, 1);
    assert_non_null(strstr(notes->at[0]->text, "both branches are read"));
}

static void a_loop_is_unrolled(void **state)
{
    struct fixture *f = *state;
    struct onnx_graph *body = onnx_graph_new(f->arena, "body"), *outer = f->graph;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    integers(f, "trips", (int64_t[]){3}, 1);
    f->graph = body;
    input(f, "i", ONNX_INT64, NULL, 0);
    input(f, "go", ONNX_BOOL, NULL, 0);
    input(f, "sum", ONNX_FLOAT, (int64_t[]){1}, 1);
    node(f, "Add", "sum,x", "more");
    node(f, "Identity", "go", "on");
    output(f, "on");
    output(f, "more");
    f->graph = outer;
    onnx_node_graph(f->arena, node(f, "Loop", "trips,,x", "y"), "body", body);
    output(f, "y");
    computes(f, (double[]){5}, (double[]){20}, 1);
}

static void a_range_of_logicals_is_refused(void **state)
{
    struct fixture *f = *state;

    integers(f, "n", (int64_t[]){1000}, 1);
    onnx_node_int(f->arena, node(f, "Cast", "n", "start"), "to", ONNX_BOOL);
    onnx_node_int(f->arena, node(f, "Cast", "start", "step"), "to", ONNX_INT64);
    node(f, "Range", "start,n,step", "y");
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0225", "has a start of type logical, expected a number");
}

/* --- sizes ---------------------------------------------------------------------------------- */

static void sizes_that_are_not_known_are_asked_for(void **state)
{
    struct fixture *f = *state;
    struct onnx_value_info *x = input(f, "x", ONNX_FLOAT, (int64_t[]){-1, 3, -1}, 3);

    onnx_value_info_param(x, 0, "batch");
    node(f, "Relu", "x", "y");
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0226", "input 'x' has shape [batch,3,?]");
    assert_non_null(strstr(nnefc_model_diagnostics(f->model)->at[0]->help, "--shape 'x=1,3,1'"));
    assert_non_null(strstr(nnefc_model_diagnostics(f->model)->at[0]->help, "--dim 'batch=1'"));
}

static void symbolic_extents_have_a_value_each(void **state)
{
    struct fixture *f = *state;

    onnx_value_info_param(input(f, "x", ONNX_FLOAT, (int64_t[]){-1, 3}, 2), 0, "batch");
    node(f, "Relu", "x", "y");
    output(f, "y");
    assert_int_equal(nnefc_model_set_extent(f->model, "batch", 5), NNEFC_OK);
    must_load(f);
    expect_dump(f, "y: scalar[5,3] = relu", true);
}

static void an_input_that_is_bound_is_no_parameter(void **state)
{
    struct fixture *f = *state;
    struct nnefc_type type = {.dtype = NNEFC_INTEGER, .rank = 1, .extent = {2}};
    struct nnefc_tensor *shape = nnefc_tensor_new(&type);

    input(f, "x", ONNX_FLOAT, (int64_t[]){2, 3}, 2);
    input(f, "shape", ONNX_INT64, (int64_t[]){2}, 1);
    node(f, "Reshape", "x,shape", "y");
    output(f, "y");
    memcpy(nnefc_tensor_data(shape), (int64_t[]){3, -1}, 2 * sizeof(int64_t));
    assert_int_equal(nnefc_model_bind(f->model, "shape", shape), NNEFC_OK);
    nnefc_tensor_free(shape);
    must_load(f);
    assert_int_equal(nnefc_model_inputs(f->model)->count, 1);
    expect_dump(f, "y: scalar[3,2] = reshape", true);
}

static void an_input_that_has_to_be_known_is_named(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){2, 3}, 2);
    input(f, "shape", ONNX_INT64, (int64_t[]){2}, 1);
    node(f, "Reshape", "x,shape", "y")->name = "flat";
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0226", "node 0 'flat' (Reshape) at byte ");
    assert_non_null(strstr(nnefc_model_diagnostics(f->model)->at[0]->help, "--bind 'shape=FILE'"));
}

/* --- graphs that are wrong -------------------------------------------------------------------- */

static void a_tensor_is_made_once(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    node(f, "Relu", "x", "y");
    node(f, "Neg", "x", "y");
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0225", "makes 'y', which is there already");
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 1);
}

static void an_input_is_there_once(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    node(f, "Relu", "x", "y");
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0225", "input 'x' is there twice");
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 1);
}

static void an_output_is_there_once(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    node(f, "Relu", "x", "y");
    output(f, "y");
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0225", "output 'y' is there twice");
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 1);
}

static void inputs_are_as_many_as_the_operator_takes(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    node(f, "Conv", "x", "a");
    node(f, "Add", "x,", "b");
    node(f, "Relu", "x,x", "y");
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0225", "has 1 inputs, expected 2 to 3");
    expect(f, 1, "N0225", "input 1 is left out");
    expect(f, 2, "N0225", "has 2 inputs, expected 1");
}

static void an_attribute_has_the_type_of_its_operator(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){2, 2}, 2);
    onnx_node_float(f->arena, node(f, "Softmax", "x", "y"), "axis", 1);
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0225", "attribute 'axis' has type FLOAT, expected INT");
}

/* --- numbers of 64 bits ----------------------------------------------------------------------- */

/* y = x + w, where w has these items in 64 bits. */
static void doubles(struct fixture *f, const double *items)
{
    struct onnx_tensor *w = onnx_tensor_new(f->arena, "w", ONNX_DOUBLE, (int64_t[]){3}, 1);

    unsigned char *bytes = arena_alloc(f->arena, 3 * sizeof *items);
    for (int i = 0; i < 3; i++) {
        uint64_t bits;
        memcpy(&bits, &items[i], sizeof bits);
        bytes_store(bytes + (size_t)i * sizeof bits, sizeof bits, bits);
    }
    input(f, "x", ONNX_DOUBLE, (int64_t[]){3}, 1);
    onnx_tensor_raw(w, bytes, 3 * sizeof *items);
    f->graph->initializer = onnx_tensor_append(f->graph->initializer, w);
    node(f, "Add", "x,w", "y");
    output(f, "y");
}

static void doubles_that_floats_hold_are_silent(void **state)
{
    struct fixture *f = *state;

    doubles(f, (double[]){0.1, 1e38, 1e-37});
    nnefc_model_set_pedantic(f->model, true);
    must_load(f);
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 0);
}

static void doubles_that_floats_lose_are_warned_of_once(void **state)
{
    struct fixture *f = *state;

    doubles(f, (double[]){1, 1e300, 1e-300});
    must_load(f);
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 1);
    assert_int_equal(nnefc_model_diagnostics(f->model)->at[0]->severity, NNEFC_WARNING);
    expect(f, 0, "N0195", "tensor 'w': item 1 is 1");
    expect(f, 0, "N0195", "but inf in the 32 bits that nnefc computes with");
}

static void doubles_that_floats_lose_are_errors_to_the_pedantic(void **state)
{
    struct fixture *f = *state;

    doubles(f, (double[]){1, 2, 1e-300});
    nnefc_model_set_pedantic(f->model, true);
    assert_int_equal(load(f), NNEFC_INVALID);
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 1);
    assert_int_equal(nnefc_model_diagnostics(f->model)->at[0]->severity, NNEFC_ERROR);
    expect(f, 0, "N0195", "tensor 'w': item 2 is 1");
}

/* --- what the file declares ------------------------------------------------------------------- */

/* y = Relu(x) of shape [2,3], an output of which one thing is declared. */
static void relu_declared(struct fixture *f, enum onnx_data_type type, const int64_t *dim, int rank)
{
    input(f, "x", ONNX_FLOAT, (int64_t[]){2, 3}, 2);
    node(f, "Relu", "x", "y")->name = "r";
    f->graph->output = onnx_value_info_append(f->graph->output,
                                              onnx_value_info_new(f->arena, "y", type, dim, rank));
}

/* The first report is the warning `declared` with this text. */
static void expect_declared_warning(struct fixture *f, const char *text)
{
    must_load(f);
    expect(f, 0, "N0194", text);
    assert_int_equal(nnefc_model_diagnostics(f->model)->at[0]->severity, NNEFC_WARNING);
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 1);
}

static void a_declared_shape_holds_or_is_an_error_that_names_both(void **state)
{
    struct fixture *f = *state;

    relu_declared(f, ONNX_FLOAT, (int64_t[]){2, 4}, 2);
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0194", "node 0 'r' (Relu) at byte ");
    expect(f, 0, "N0194", "makes 'y' as FLOAT[2,3], but the file declares it as FLOAT[2,4]");
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 1);
}

static void a_declared_rank_holds_or_is_an_error(void **state)
{
    struct fixture *f = *state;

    relu_declared(f, ONNX_FLOAT, (int64_t[]){2, 3, 1}, 3);
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0194", "as FLOAT[2,3], but the file declares it as FLOAT[2,3,1]");
}

static void a_declared_type_holds_or_is_an_error(void **state)
{
    struct fixture *f = *state;

    relu_declared(f, ONNX_DOUBLE, (int64_t[]){2, 3}, 2);
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0194", "as FLOAT[2,3], but the file declares it as DOUBLE[2,3]");
}

static void open_extents_that_are_declared_may_be_any(void **state)
{
    struct fixture *f = *state;

    relu_declared(f, ONNX_FLOAT, (int64_t[]){2, -1}, 2);
    must_load(f);
}

static void an_output_that_is_an_input_has_its_declared_shape(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){2, 3}, 2);
    f->graph->output = onnx_value_info_append(
        f->graph->output, onnx_value_info_new(f->arena, "x", ONNX_FLOAT, (int64_t[]){3, 2}, 2));
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0194", "input 'x' is FLOAT[2,3], but the file declares it as FLOAT[3,2]");
}

static void an_initializer_has_its_declared_shape(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){2}, 1);
    input(f, "w", ONNX_FLOAT, (int64_t[]){2}, 1);
    floats(f, "w", (int64_t[]){3}, 1);
    node(f, "Identity", "x", "y");
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0194", "initializer 'w' is FLOAT[3], but the file declares it as FLOAT[2]");
    assert_null(strstr(nnefc_model_diagnostics(f->model)->at[0]->text, "null"));
}

static void shapes_declared_in_a_branch_are_only_warned_of(void **state)
{
    struct fixture *f = *state;
    struct onnx_graph *yes = onnx_graph_new(f->arena, "yes"), *outer = f->graph;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    struct onnx_tensor *t = onnx_tensor_new(f->arena, "c", ONNX_BOOL, NULL, 0);
    onnx_tensor_raw(t, "\1", 1);
    outer->initializer = onnx_tensor_append(outer->initializer, t);
    f->graph = yes;
    node(f, "Neg", "x", "a");
    f->graph->output = onnx_value_info_append(
        f->graph->output, onnx_value_info_new(f->arena, "a", ONNX_FLOAT, (int64_t[]){7}, 1));
    f->graph = outer;
    struct onnx_node *choice = node(f, "If", "c", "y");
    onnx_node_graph(f->arena, choice, "then_branch", yes);
    onnx_node_graph(f->arena, choice, "else_branch", yes);
    output(f, "y");
    expect_declared_warning(f, "makes 'a' as FLOAT[1], but the file declares it as FLOAT[7]");
}

/* z = Neg(y), y = Relu(x) of shape [2,3], of which [2,4] is declared. */
static void between_declared(struct fixture *f, enum onnx_data_type type)
{
    input(f, "x", ONNX_FLOAT, (int64_t[]){2, 3}, 2);
    node(f, "Relu", "x", "y");
    node(f, "Neg", "y", "z");
    declare(f, "y", type, (int64_t[]){2, 4}, 2);
    output(f, "z");
}

static void shapes_declared_in_between_are_only_warned_of(void **state)
{
    struct fixture *f = *state;

    between_declared(f, ONNX_FLOAT);
    expect_declared_warning(f, "makes 'y' as FLOAT[2,3], but the file declares it as FLOAT[2,4]");
}

static void types_declared_in_between_hold(void **state)
{
    struct fixture *f = *state;

    between_declared(f, ONNX_DOUBLE);
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0194", "but the file declares it as DOUBLE[2,4]");
}

static void an_extent_of_0_stands_for_one_that_is_not_known(void **state)
{
    struct fixture *f = *state;

    relu_declared(f, ONNX_FLOAT, (int64_t[]){0, 3}, 2);
    expect_declared_warning(f, "as FLOAT[2,3], but the file declares it as FLOAT[0,3]");
}

static void an_extent_of_0_does_not_excuse_the_others(void **state)
{
    struct fixture *f = *state;

    relu_declared(f, ONNX_FLOAT, (int64_t[]){0, 4}, 2);
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0194", "as FLOAT[2,3], but the file declares it as FLOAT[0,4]");
}

static void a_negative_extent_is_open(void **state)
{
    struct fixture *f = *state;

    relu_declared(f, ONNX_FLOAT, (int64_t[]){7, 3}, 2);
    f->graph->output.first->type->tensor_type->shape->dim.first->dim_value = -7;
    must_load(f);
    assert_int_equal(nnefc_model_diagnostics(f->model)->count, 0);
}

static void a_shape_without_extents_is_only_warned_of(void **state)
{
    struct fixture *f = *state;

    relu_declared(f, ONNX_FLOAT, NULL, 0);
    expect_declared_warning(f, "as FLOAT[2,3], but the file declares it as FLOAT[]");
}

static void a_scalar_that_is_declared_as_one_item_is_only_warned_of(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, NULL, 0);
    node(f, "Relu", "x", "y");
    f->graph->output = onnx_value_info_append(
        f->graph->output, onnx_value_info_new(f->arena, "y", ONNX_FLOAT, (int64_t[]){1}, 1));
    expect_declared_warning(f, "makes 'y' as FLOAT[], but the file declares it as FLOAT[1]");
}

/* Exporters with a dynamic axis of the input only say of outputs what they traced. */
static void an_open_extent_that_is_given_goes_before_declared_ones(void **state)
{
    struct fixture *f = *state;
    struct onnx_value_info *x = input(f, "x", ONNX_FLOAT, (int64_t[]){-1, 3}, 2);

    onnx_value_info_param(x, 0, "N");
    node(f, "Relu", "x", "y");
    f->graph->output = onnx_value_info_append(
        f->graph->output, onnx_value_info_new(f->arena, "y", ONNX_FLOAT, (int64_t[]){1, 3}, 2));
    nnefc_model_set_shape(f->model, "x", 2, (int64_t[]){4, 3});
    must_load(f);
    assert_int_equal(nnefc_model_outputs(f->model)->at[0]->type.extent[0], 4);
    struct nnefc_model *named = nnefc_model_new();
    nnefc_model_free(f->model);
    f->model = named;
    nnefc_model_set_extent(f->model, "N", 4);
    must_load(f);
    assert_int_equal(nnefc_model_outputs(f->model)->at[0]->type.extent[0], 4);
}

/* --- extents that are too large ----------------------------------------------------------------
 */

/* Resize of [1,1,1,1] to [1,1,extent,width] by nearest items. */
static void resized_to(struct fixture *f, int64_t extent, int64_t width)
{
    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 1, 1, 1}, 4);
    integers(f, "sizes", (int64_t[]){1, 1, extent, width}, 4);
    node(f, "Resize", "x,,,sizes", "y")->name = "r";
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
}

static void an_extent_that_no_float_reaches_is_refused_before_any_item(void **state)
{
    resized_to(*state, 1000000000, 4);
    expect(*state, 0, "N0150", "resizes extent 1 to 1000000000, expected at most 16777216");
}

static void a_resized_volume_is_checked_before_any_item(void **state)
{
    resized_to(*state, 1000000000, 1000000000);
    expect(*state, 0, "N0150", "resizes to shape [1,1,1000000000,1000000000], more than the limit");
}

static void no_items_of_a_shape_that_overflows_are_refused_by_name(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){0}, 1);
    integers(f, "shape", (int64_t[]){1LL << 40, 1LL << 40, 0}, 3);
    node(f, "Expand", "x,shape", "y")->name = "e";
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0150", "node 0 'e' (Expand)");
}

static void who_trusts_shapes_is_only_warned(void **state)
{
    struct fixture *f = *state;

    relu_declared(f, ONNX_FLOAT, (int64_t[]){2, 4}, 2);
    assert_int_equal(nnefc_model_set_trust_shapes(f->model, true), NNEFC_OK);
    must_load(f);
    expect(f, 0, "N0194", "as FLOAT[2,3], but the file declares it as FLOAT[2,4]");
    assert_int_equal(nnefc_model_diagnostics(f->model)->at[0]->severity, NNEFC_WARNING);
    assert_int_equal(nnefc_model_outputs(f->model)->at[0]->type.extent[1], 3);
}

/* What was declared of other extents says nothing of these, but for types and ranks. */
static void shapes_that_are_asked_for_go_before_declared_ones(void **state)
{
    struct fixture *f = *state;

    relu_declared(f, ONNX_FLOAT, (int64_t[]){2, 3}, 2);
    nnefc_model_set_shape(f->model, "x", 2, (int64_t[]){5, 3});
    must_load(f);
    assert_int_equal(nnefc_model_outputs(f->model)->at[0]->type.extent[0], 5);
}

static void shapes_that_are_asked_for_leave_ranks_and_types(void **state)
{
    struct fixture *f = *state;

    relu_declared(f, ONNX_FLOAT, (int64_t[]){2, 3, 1}, 3);
    nnefc_model_set_shape(f->model, "x", 2, (int64_t[]){5, 3});
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0194", "as FLOAT[5,3], but the file declares it as FLOAT[2,3,1]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(initializers_become_variables_or_constants),
        TEST(what_is_computed_has_the_name_of_no_tensor),
        TEST(external_data_may_be_named_from_the_folder),
        TEST(an_initializer_without_items_is_told),
        TEST(external_data_stay_below_the_folder),
        TEST(arithmetic_on_shapes_leaves_no_operations),
        TEST(known_integers_have_64_bits),
        TEST(a_known_division_by_zero_is_reported),
        TEST(a_known_condition_chooses_a_branch),
        TEST(both_branches_of_an_unknown_condition_are_read),
        TEST(a_loop_is_unrolled),
        TEST(sizes_that_are_not_known_are_asked_for),
        TEST(symbolic_extents_have_a_value_each),
        TEST(an_input_that_is_bound_is_no_parameter),
        TEST(an_input_that_has_to_be_known_is_named),
        TEST(a_tensor_is_made_once),
        TEST(an_input_is_there_once),
        TEST(an_output_is_there_once),
        TEST(inputs_are_as_many_as_the_operator_takes),
        TEST(an_attribute_has_the_type_of_its_operator),
        TEST(doubles_that_floats_hold_are_silent),
        TEST(doubles_that_floats_lose_are_warned_of_once),
        TEST(doubles_that_floats_lose_are_errors_to_the_pedantic),
        TEST(a_declared_shape_holds_or_is_an_error_that_names_both),
        TEST(a_declared_rank_holds_or_is_an_error),
        TEST(a_declared_type_holds_or_is_an_error),
        TEST(open_extents_that_are_declared_may_be_any),
        TEST(an_output_that_is_an_input_has_its_declared_shape),
        TEST(an_initializer_has_its_declared_shape),
        TEST(shapes_declared_in_a_branch_are_only_warned_of),
        TEST(shapes_declared_in_between_are_only_warned_of),
        TEST(types_declared_in_between_hold),
        TEST(an_extent_of_0_stands_for_one_that_is_not_known),
        TEST(an_extent_of_0_does_not_excuse_the_others),
        TEST(a_negative_extent_is_open),
        TEST(a_shape_without_extents_is_only_warned_of),
        TEST(a_scalar_that_is_declared_as_one_item_is_only_warned_of),
        TEST(an_open_extent_that_is_given_goes_before_declared_ones),
        TEST(an_extent_that_no_float_reaches_is_refused_before_any_item),
        TEST(a_resized_volume_is_checked_before_any_item),
        TEST(no_items_of_a_shape_that_overflows_are_refused_by_name),
        TEST(who_trusts_shapes_is_only_warned),
        TEST(shapes_that_are_asked_for_go_before_declared_ones),
        TEST(shapes_that_are_asked_for_leave_ranks_and_types),
        TEST(a_way_to_round_that_is_unknown_is_reported),
        TEST(a_range_of_logicals_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
