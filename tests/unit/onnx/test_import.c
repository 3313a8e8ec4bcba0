/* test_import.c - graphs made of ONNX models: what is folded, what is reported, what is computed */
#include "nnefc/nnefc.h"
#include "proto/onnx_build.h"
#include "proto/onnx_write.h"

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#include "support/t.h"

struct fixture {
    struct arena *arena;
    struct onnx_model *onnx;
    struct onnx_graph *graph;
    struct nnefc_model *model;
    struct nnefc_run *run;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    assert_non_null(f);
    f->arena = arena_new();
    f->onnx = onnx_model_new(f->arena, 8, "g");
    f->graph = f->onnx->graph;
    f->model = nnefc_model_new();
    onnx_model_opset(f->arena, f->onnx, "", 17);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    nnefc_run_free(f->run);
    nnefc_model_free(f->model);
    arena_free(f->arena);
    free(f);
    return 0;
}

/* --- making models ------------------------------------------------------------------------- */

static struct onnx_value_info *input(struct fixture *f, const char *name, enum onnx_data_type type,
                                     const int64_t *dim, int rank)
{
    struct onnx_value_info *info = onnx_value_info_new(f->arena, name, type, dim, rank);

    f->graph->input = onnx_value_info_append(f->graph->input, info);
    return info;
}

static void output(struct fixture *f, const char *name)
{
    struct onnx_value_info *info = onnx_value_info_new(f->arena, name, ONNX_FLOAT, NULL, 0);

    f->graph->output = onnx_value_info_append(f->graph->output, info);
}

/* `in` are names with ',' between them. */
static struct onnx_node *node(struct fixture *f, const char *type, const char *in, const char *out)
{
    struct onnx_node *n = onnx_node_new(f->arena, f->graph, type);

    for (const char *at = in; *in && at;) {
        size_t size = strcspn(at, ",");
        onnx_node_input(f->arena, n, arena_strndup(f->arena, at, size));
        at = at[size] ? at + size + 1 : NULL;
    }
    onnx_node_output(f->arena, n, out);
    return n;
}

static void integers(struct fixture *f, const char *name, const int64_t *items, int count)
{
    int64_t dim[] = {count};
    struct onnx_tensor *t = onnx_tensor_new(f->arena, name, ONNX_INT64, dim, 1);

    onnx_tensor_ints(f->arena, t, items, (size_t)count);
    f->graph->initializer = onnx_tensor_append(f->graph->initializer, t);
}

/* 0, 1, 2, ... */
static void floats(struct fixture *f, const char *name, const int64_t *dim, int rank)
{
    struct onnx_tensor *t = onnx_tensor_new(f->arena, name, ONNX_FLOAT, dim, rank);
    float items[256];
    int64_t count = 1;

    for (int i = 0; i < rank; i++)
        count *= dim[i];
    assert_true(count <= 256);
    for (int64_t i = 0; i < count; i++)
        items[i] = (float)i;
    onnx_tensor_floats(f->arena, t, items, (size_t)count);
    f->graph->initializer = onnx_tensor_append(f->graph->initializer, t);
}

static void put_in_text(void *to, const void *data, size_t size)
{
    text_add_bytes(to, data, size);
}

static enum nnefc_status load(struct fixture *f)
{
    struct diag *diag = diag_new(NULL);
    struct text bytes = {0};

    assert_true(onnx_model_put(diag, &(struct sink){"t.onnx", put_in_text, &bytes}, f->onnx));
    enum nnefc_status status = nnefc_model_load_text(f->model, "t.onnx", bytes.data, bytes.size);
    text_free(&bytes);
    diag_free(diag);
    return status;
}

static void must_load(struct fixture *f)
{
    if (load(f) != NNEFC_OK)
        fail_msg("%s", nnefc_model_diagnostic(f->model, 0).text);
}

/* The report of that index has that code, and says that. */
static void expect(const struct fixture *f, int index, const char *code, const char *text)
{
    struct nnefc_diagnostic d = nnefc_model_diagnostic(f->model, index);

    assert_true(index < nnefc_model_diagnostic_count(f->model));
    assert_string_equal(d.file, "t.onnx");
    if (!strstr(d.text, text))
        fail_msg("'%s' has no '%s'", d.text, text);
    assert_string_equal(d.code, code);
}

static void expect_dump(const struct fixture *f, const char *text, bool there)
{
    char *dump = nnefc_model_dump(f->model, NNEFC_STAGE_GRAPH);

    assert_non_null(dump);
    if (!strstr(dump, text) == there)
        fail_msg("'%s' is %sin:\n%s", text, there ? "not " : "", dump);
    free(dump);
}

static void feed(struct fixture *f, const double *items)
{
    struct nnefc_type type = nnefc_model_input_type(f->model, 0);
    struct nnefc_tensor *tensor = nnefc_tensor_new(&type);

    for (int64_t i = 0; i < nnefc_tensor_count(tensor); i++) {
        if (type.dtype == NNEFC_INTEGER)
            ((int64_t *)nnefc_tensor_data(tensor))[i] = (int64_t)items[i];
        else
            ((float *)nnefc_tensor_data(tensor))[i] = (float)items[i];
    }
    assert_int_equal(nnefc_run_set_input(f->run, 0, tensor), NNEFC_OK);
    nnefc_tensor_free(tensor);
}

/* The items of output 0 for these of input 0, if there is one. */
static void computes(struct fixture *f, const double *items, const double *expected, int count)
{
    must_load(f);
    f->run = nnefc_run_new(f->model);
    assert_non_null(f->run);
    if (nnefc_model_input_count(f->model) > 0)
        feed(f, items);
    assert_int_equal(nnefc_run_step(f->run), NNEFC_OK);
    const struct nnefc_tensor *got = nnefc_run_output(f->run, 0);
    assert_int_equal(nnefc_tensor_count(got), count);
    for (int i = 0; i < count; i++)
        assert_float_equal(nnefc_tensor_item(got, i), expected[i], 1e-5);
}

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
    assert_int_equal(nnefc_model_variable_count(f->model), 2);
    assert_string_equal(nnefc_model_variable_label(f->model, 0), "W_0");
    assert_string_equal(nnefc_model_variable_label(f->model, 1), "w_0_2");
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
    computes(f, (double[]){(1 << 20) + 3}, (double[]){2}, 1);
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
    node(f, "Compress", "x", "b");
    output(f, "b");
    f->graph = outer;
    struct onnx_node *choice = node(f, "If", "c", "y");
    onnx_node_graph(f->arena, choice, "then_branch", yes);
    onnx_node_graph(f->arena, choice, "else_branch", no);
    output(f, "y");
    computes(f, (double[]){3}, (double[]){-3}, 1);
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
    assert_non_null(strstr(nnefc_model_diagnostic(f->model, 0).help, "--shape 'x=1,3,1'"));
    assert_non_null(strstr(nnefc_model_diagnostic(f->model, 0).help, "--dim 'batch=1'"));
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
    assert_int_equal(nnefc_model_input_count(f->model), 1);
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
    assert_non_null(strstr(nnefc_model_diagnostic(f->model, 0).help, "--bind 'shape=FILE'"));
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
    assert_int_equal(nnefc_model_diagnostic_count(f->model), 1);
}

static void a_tensor_is_made_before_it_is_read(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    node(f, "Add", "x,b", "a");
    node(f, "Neg", "a", "b");
    node(f, "Add", "a,none", "y");
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0225", "reads 'b', which node '' (Neg)");
    expect(f, 1, "N0225", "reads 'none', which is neither an input nor made");
    assert_int_equal(nnefc_model_diagnostic_count(f->model), 2);
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

static void operators_that_are_not_supported_are_told_together(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){1}, 1);
    node(f, "NonZero", "x", "a")->name = "first";
    node(f, "NonZero", "a", "b");
    node(f, "FusedGemm", "b", "c")->domain = "com.microsoft";
    node(f, "Neg", "c", "y");
    output(f, "y");
    assert_int_equal(load(f), NNEFC_UNSUPPORTED);
    assert_int_equal(nnefc_model_diagnostic_count(f->model), 2);
    expect(f, 0, "N0231", "node 0 'first' (NonZero)");
    expect(f, 0, "N0231", "nor are 1 more of its kind");
    expect(f, 1, "N0231", "operator 'FusedGemm' of domain 'com.microsoft' is not supported");
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

/* --- what is computed ------------------------------------------------------------------------- */

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

static void before_opset_13_softmax_is_over_all_later_axes(void **state)
{
    struct fixture *f = *state;

    f->onnx->opset_import.first->version = 11;
    input(f, "x", ONNX_FLOAT, (int64_t[]){1, 2, 2}, 3);
    node(f, "Softmax", "x", "y");
    output(f, "y");
    computes(f, (double[]){1, 1, 1, 1}, (double[]){.25, .25, .25, .25}, 4);
}

static void integers_are_divided_toward_zero(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_INT64, (int64_t[]){3}, 1);
    integers(f, "d", (int64_t[]){2}, 1);
    node(f, "Div", "x,d", "y");
    output(f, "y");
    computes(f, (double[]){7, -7, 4}, (double[]){3, -3, 2}, 3);
}

static void an_input_that_is_shown_is_copied(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){2}, 1);
    node(f, "Identity", "x", "y");
    output(f, "y");
    computes(f, (double[]){1, 2}, (double[]){1, 2}, 2);
}

static void functions_of_the_model_are_expanded(void **state)
{
    struct fixture *f = *state;
    struct onnx_function *function = arena_new_of(f->arena, struct onnx_function);
    struct onnx_graph *outer = f->graph, *body = onnx_graph_new(f->arena, "body");
    const char *in[] = {"a"}, *out[] = {"b"};

    input(f, "x", ONNX_FLOAT, (int64_t[]){2}, 1);
    f->graph = body;
    struct onnx_node *leaky = node(f, "LeakyRelu", "a", "b");
    onnx_node_float(f->arena, leaky, "alpha", 0);
    leaky->attribute.first->ref_attr_name = "slope";
    f->graph = outer;
    function->name = "Slope";
    function->domain = "mine";
    function->doc_string = function->overload = onnx_absent;
    function->input = (struct onnx_texts){in, 1, 1};
    function->output = (struct onnx_texts){out, 1, 1};
    function->node = body->node;
    function->opset_import = f->onnx->opset_import;
    f->onnx->functions.first = f->onnx->functions.last = function;
    f->onnx->functions.count = 1;
    struct onnx_node *call = node(f, "Slope", "x", "y");
    call->domain = "mine";
    onnx_node_float(f->arena, call, "slope", 0.5F);
    output(f, "y");
    computes(f, (double[]){4, -4}, (double[]){4, -2}, 2);
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
        char name[2][8];
        snprintf(name[0], sizeof name[0], "f%d", i);
        snprintf(name[1], sizeof name[1], "f%d", i + 1);
        f->graph = onnx_graph_new(f->arena, "body");
        const char *next = i + 1 < FUNCTIONS ? arena_strndup(f->arena, name[1], 8) : "Neg";
        node(f, next, "a", "b")->domain = i + 1 < FUNCTIONS ? "mine" : "";
        node(f, next, "b", "c")->domain = i + 1 < FUNCTIONS ? "mine" : "";
        function->name = arena_strndup(f->arena, name[0], 8);
        function->domain = "mine";
        function->doc_string = function->overload = onnx_absent;
        function->input = (struct onnx_texts){in, 1, 1};
        function->output = (struct onnx_texts){out, 1, 1};
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
    assert_int_equal(nnefc_model_diagnostic_count(f->model), 1);
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

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(initializers_become_variables_or_constants),
        TEST(external_data_stay_below_the_folder),
        TEST(arithmetic_on_shapes_leaves_no_operations),
        TEST(known_integers_have_64_bits),
        TEST(a_known_division_by_zero_is_reported),
        TEST(a_known_condition_chooses_a_branch),
        TEST(a_loop_is_unrolled),
        TEST(sizes_that_are_not_known_are_asked_for),
        TEST(symbolic_extents_have_a_value_each),
        TEST(an_input_that_is_bound_is_no_parameter),
        TEST(an_input_that_has_to_be_known_is_named),
        TEST(a_tensor_is_made_once),
        TEST(a_tensor_is_made_before_it_is_read),
        TEST(inputs_are_as_many_as_the_operator_takes),
        TEST(operators_that_are_not_supported_are_told_together),
        TEST(an_attribute_has_the_type_of_its_operator),
        TEST(before_opset_7_operands_meet_at_an_axis),
        TEST(operands_meet_at_their_last_dimension),
        TEST(before_opset_13_softmax_is_over_all_later_axes),
        TEST(integers_are_divided_toward_zero),
        TEST(an_input_that_is_shown_is_copied),
        TEST(functions_of_the_model_are_expanded),
        TEST(functions_do_not_grow_without_end),
        TEST(elements_are_gathered_along_an_axis),
        TEST(sections_are_gathered_by_several_indices),
        TEST(sections_are_gathered_in_their_batch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
