/* test_surgery.c - parts of models compute what the models computed there (surgery.h) */
#include "nnefc/nnefc.h"

#include "base/text.h"
#include "support/random_graph.h"
#include "unit/api/loaded.h"
#include "unit/base/scratch.h"

enum { NETWORKS = 20, CUTS = 10, MOST = 4096 };

static const char small[] = "version 1.0;\n"
                            "extension KHR_enable_fragment_definitions;\n"
                            "fragment twice( x: tensor<scalar> ) -> ( y: tensor<scalar> )\n"
                            "{\n"
                            "    t = exp(x);\n"
                            "    y = add(t, x);\n"
                            "}\n"
                            "graph net( x, mask ) -> ( y, z )\n"
                            "{\n"
                            "    x = external<scalar>(shape = [2]);\n"
                            "    mask = external<scalar>(shape = [2]);\n"
                            "    v = variable<scalar>(shape = [2], label = 'v');\n"
                            "    w = variable<scalar>(shape = [2], label = 'w');\n"
                            "    a = mul(x, v);\n"
                            "    b = twice(a);\n"
                            "    c = mul(mask, w);\n"
                            "    d = add(c, 1.0);\n"
                            "    y = add(b, d);\n"
                            "    z = neg(b);\n"
                            "    n = update(v, a);\n"
                            "}\n";

static struct nnefc_model *load_small(void **state)
{
    return loaded_model(scratch_put(*state, "graph.nnef", small, sizeof small - 1));
}

/* From and to are names with a blank between; NULL: none are given. */
static enum nnefc_status extract(struct nnefc_model *model, const char *from, const char *to)
{
    const char *names[2][8] = {{NULL}};
    struct nnefc_extract how = {.size = sizeof how, .to = names[1]};
    char text[2][64];

    for (int i = 0; i < 2; i++) {
        int count = 0;
        snprintf(text[i], sizeof text[i], "%s", i ? to : from ? from : "");
        for (char *rest = text[i], *name; (name = strtok_r(rest, " ", &rest));)
            names[i][count++] = name;
        *(i ? &how.to_count : &how.from_count) = count;
    }
    how.from = from ? names[0] : NULL;
    return nnefc_model_extract(model, &how);
}

static void expect_names(const struct nnefc_port_list *ports, const char *expected)
{
    char names[128] = "";

    for (int i = 0; i < ports->count; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? " " : "",
                 ports->at[i]->name);
    assert_string_equal(names, expected);
}

static void expect_error(void **state, const char *from, const char *to, const char *text)
{
    struct nnefc_model *model = load_small(state);
    const int before = nnefc_model_operations(model)->count;

    assert_int_equal(extract(model, from, to), NNEFC_USAGE);
    assert_string_equal(nnefc_model_diagnostics(model)->at[0]->text, text);
    assert_int_equal(nnefc_model_operations(model)->count, before);
    expect_names(nnefc_model_inputs(model), "x mask");
    nnefc_model_free(model);
}

/* --- edits ---------------------------------------------------------------------------------- */

static void an_operation_left_out_leaves_its_operand(void **state)
{
    static const char *const d[] = {"d"}, *const y[] = {"y"}, *const mask[] = {"mask"};
    const struct nnefc_edit how = {.size = sizeof how, .bridges = d, .bridge_count = 1};
    const struct nnefc_edit output = {.size = sizeof output, .bridges = y, .bridge_count = 1};
    const struct nnefc_edit input = {.size = sizeof input, .bridges = mask, .bridge_count = 1};
    struct nnefc_model *model = load_small(state);
    const int before = nnefc_model_operations(model)->count;

    assert_int_equal(nnefc_model_edit(model, &how), NNEFC_OK);
    assert_int_equal(nnefc_model_operations(model)->count, before - 1);
    expect_names(nnefc_model_inputs(model), "x mask");
    assert_int_equal(nnefc_model_verify(model, false), NNEFC_OK);
    assert_int_equal(nnefc_model_edit(model, &output), NNEFC_USAGE);
    assert_string_equal(nnefc_model_diagnostics(model)->at[0]->text,
                        "'y' is an output, so that its operation cannot be left out");
    nnefc_model_free(model);
    model = load_small(state);
    assert_int_equal(nnefc_model_edit(model, &input), NNEFC_USAGE);
    nnefc_model_free(model);
}

static void what_is_left_out_takes_its_inputs_along(void **state)
{
    static const char text[] = "version 1.0;\n"
                               "graph net( x, m ) -> ( y )\n"
                               "{\n"
                               "    x = external<scalar>(shape = [2]);\n"
                               "    m = external<scalar>(shape = [2]);\n"
                               "    a = add(x, neg(m));\n"
                               "    y = exp(a);\n"
                               "}\n";
    static const char *const a[] = {"a"};
    static const struct nnefc_rename names[] = {{"y", "z"}, {"x", "y"}};
    const struct nnefc_edit how = {
        .size = sizeof how, .bridges = a, .bridge_count = 1, .tensors = names, .tensor_count = 2};
    struct nnefc_model *model =
        loaded_model(scratch_put(*state, "graph.nnef", text, sizeof text - 1));

    assert_int_equal(nnefc_model_edit(model, &how), NNEFC_OK);
    assert_int_equal(nnefc_model_operations(model)->count, 1);
    expect_names(nnefc_model_inputs(model), "y");
    expect_names(nnefc_model_outputs(model), "z");
    nnefc_model_free(model);
}

static void an_attribute_gets_its_default_and_shapes_follow(void **state)
{
    static const char text[] = "version 1.0;\n"
                               "graph net( x ) -> ( y )\n"
                               "{\n"
                               "    x = external<scalar>(shape = [1,1,4,4]);\n"
                               "    a = box(x, size = [1,1,2,2], stride = [1,1,2,2], "
                               "padding = [(0,0),(0,0),(0,0),(0,0)]);\n"
                               "    y = exp(a);\n"
                               "}\n";
    static const struct nnefc_attribute_edit strides[] = {{"a", "stride", NULL}};
    static const struct nnefc_attribute_edit sizes[] = {{"a", "size", NULL}};
    struct nnefc_edit how = {.size = sizeof how, .attributes = strides, .attribute_count = 1};
    struct nnefc_model *model =
        loaded_model(scratch_put(*state, "graph.nnef", text, sizeof text - 1));

    assert_int_equal(nnefc_model_outputs(model)->at[0]->type.extent[3], 2);
    assert_int_equal(nnefc_model_edit(model, &how), NNEFC_OK);
    assert_int_equal(nnefc_model_outputs(model)->at[0]->type.extent[3], 3);
    assert_int_equal(nnefc_model_verify(model, false), NNEFC_OK);
    how.attributes = sizes;
    assert_int_equal(nnefc_model_edit(model, &how), NNEFC_USAGE);
    assert_string_equal(nnefc_model_diagnostics(model)->at[0]->text,
                        "attribute 'size' of 'box' has no default");
    nnefc_model_free(model);
}

static void a_model_that_runs_is_not_edited(void **state)
{
    const struct nnefc_edit how = {.size = sizeof how};
    const struct nnefc_edit lacking = {.size = sizeof lacking, .tensor_count = 1};
    struct nnefc_model *model = load_small(state), *empty = nnefc_model_new();

    assert_int_equal(nnefc_model_edit(empty, &how), NNEFC_USAGE);
    nnefc_model_free(empty);
    assert_int_equal(nnefc_model_edit(model, NULL), NNEFC_USAGE);
    assert_int_equal(nnefc_model_edit(model, &lacking), NNEFC_USAGE);
    assert_int_equal(nnefc_model_init_weights(model, 1, true), NNEFC_OK);
    struct nnefc_run *run = nnefc_run_new(model);
    assert_int_equal(nnefc_model_edit(model, &how), NNEFC_USAGE);
    nnefc_run_free(run);
    assert_int_equal(nnefc_model_edit(model, &how), NNEFC_OK);
    nnefc_model_free(model);
}

/* --- shapes and items ----------------------------------------------------------------------- */

/* x * w, where w counts from -1 row by row. */
static struct nnefc_model *load_product(struct scratch *s)
{
    static const char text[] = "version 1.0;\n"
                               "graph net( x ) -> ( y )\n"
                               "{\n"
                               "    x = external<scalar>(shape = [2,4]);\n"
                               "    w = variable<scalar>(shape = [4,3], label = 'w');\n"
                               "    p = matmul(x, w);\n"
                               "    y = reshape(p, shape = [6]);\n"
                               "}\n";
    struct nnefc_model *model = loaded_model(scratch_put(s, "graph.nnef", text, sizeof text - 1));
    struct nnefc_tensor *w = nnefc_tensor_new(&nnefc_model_variables(model)->at[0]->type);

    for (int i = 0; i < 12; i++)
        ((float *)nnefc_tensor_data(w))[i] = (float)(i - 1);
    assert_int_equal(nnefc_tensor_write(model, w, scratch_path(s, "w.dat")), NNEFC_OK);
    nnefc_tensor_free(w);
    return model;
}

/* What the model computes of ones. */
static void expect_result(struct nnefc_model *model, int count, const double *expected)
{
    const struct nnefc_type type = nnefc_model_inputs(model)->at[0]->type;
    struct nnefc_tensor *x = nnefc_tensor_new(&type);
    struct nnefc_run *run = nnefc_run_new(model);

    for (int i = 0; i < nnefc_tensor_count(x); i++)
        ((float *)nnefc_tensor_data(x))[i] = 1;
    assert_int_equal(nnefc_run_set_input(run, 0, x), NNEFC_OK);
    assert_int_equal(nnefc_run_step(run), NNEFC_OK);
    assert_int_equal(nnefc_tensor_count(nnefc_run_output(run, 0)), count);
    for (int i = 0; i < count; i++)
        assert_true(nnefc_tensor_item(nnefc_run_output(run, 0), i) == expected[i]);
    nnefc_run_free(run);
    nnefc_tensor_free(x);
}

static void a_variable_that_is_cut_keeps_its_first_items(void **state)
{
    static const struct nnefc_shape_edit shapes[] = {{"x", 2, {1, 2}}, {"w", 2, {2, 3}}};
    static const struct nnefc_attribute_edit vector[] = {{"y", "shape", "[3]"}};
    static const double sums[] = {-1 + 2, 0 + 3, 1 + 4};
    struct nnefc_edit how = {.size = sizeof how, .shapes = shapes, .shape_count = 2};
    struct nnefc_model *model = load_product(*state);

    assert_int_equal(nnefc_model_edit(model, &how), NNEFC_INVALID); /* 3 items are not 6 */
    nnefc_model_free(model);
    model = load_product(*state);
    how.attributes = vector;
    how.attribute_count = 1;
    assert_int_equal(nnefc_model_edit(model, &how), NNEFC_OK);
    assert_int_equal(nnefc_model_verify(model, true), NNEFC_OK);
    expect_result(model, 3, sums);
    assert_int_equal(nnefc_model_write_nnef(model, scratch_path(*state, "cut/")), NNEFC_OK);
    nnefc_model_free(model);
    model = loaded_model(scratch_path(*state, "cut/graph.nnef"));
    expect_result(model, 3, sums);
    nnefc_model_free(model);
}

static void items_become_zeros_ones_or_signs(void **state)
{
    static const double expected[][6] = {
        [NNEFC_ITEMS_ONES] = {4, 4, 4, 4, 4, 4}, [NNEFC_ITEMS_SIGNS] = {2, 3, 4, 2, 3, 4}};
    struct nnefc_items_edit items = {.label = "w"};
    const struct nnefc_edit how = {.size = sizeof how, .items = &items, .items_count = 1};

    for (int i = NNEFC_ITEMS_ZEROS; i <= NNEFC_ITEMS_SIGNS; i++) {
        struct nnefc_model *model = load_product(*state);
        items.items = (enum nnefc_items)i;
        assert_int_equal(nnefc_model_edit(model, &how), NNEFC_OK);
        expect_result(model, 6, expected[i]);
        nnefc_model_free(model);
    }
}

static void what_cannot_have_another_shape_is_reported(void **state)
{
    static const struct {
        struct nnefc_shape_edit shape;
        const char *text;
    } faults[] = {
        {{"w", 2, {4, 4}}, "variable 'w' has items for the shape [4,3], which [4,4] is not within"},
        {{"w", 1, {4}}, "variable 'w' has items for the shape [4,3], which [4] is not within"},
        {{"p", 2, {2, 3}},
         "'p' is neither an input nor a variable, so that its shape follows from theirs"},
        {{"x", 2, {INT64_MAX, 2}},
         "the shape [9223372036854775807,2] of 'x' has more items than the limit"},
        {{"v", 2, {2, 3}}, "graph 'net' has no tensor 'v'"},
    };

    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const struct nnefc_edit how = {
            .size = sizeof how, .shapes = &faults[i].shape, .shape_count = 1};
        struct nnefc_model *model = load_product(*state);
        /* A limit is a property of the model that it would be. */
        assert_int_equal(nnefc_model_edit(model, &how),
                         strstr(faults[i].text, "limit") ? NNEFC_INVALID : NNEFC_USAGE);
        assert_string_equal(nnefc_model_diagnostics(model)->at[0]->text, faults[i].text);
        nnefc_model_free(model);
    }
    static const struct nnefc_shape_edit negative = {"x", 1, {-1}},
                                         twice[] = {{"x", 1, {4}}, {"x", 1, {4}}};
    static const struct nnefc_items_edit unknown = {"v", NNEFC_ITEMS_ONES};
    const struct nnefc_edit misuse = {.size = sizeof misuse, .shapes = &negative, .shape_count = 1};
    const struct nnefc_edit both = {.size = sizeof both, .shapes = twice, .shape_count = 2};
    const struct nnefc_edit label = {.size = sizeof label, .items = &unknown, .items_count = 1};
    struct nnefc_model *model = load_product(*state);
    assert_int_equal(nnefc_model_edit(model, &misuse), NNEFC_USAGE);
    assert_int_equal(nnefc_model_edit(model, &both), NNEFC_USAGE);
    assert_int_equal(nnefc_model_edit(model, &label), NNEFC_USAGE);
    nnefc_model_free(model);
}

/* --- random cuts of random networks --------------------------------------------------------- */

/* Numbers that are the same everywhere. */
static unsigned draw(uint64_t *seed, unsigned below)
{
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    return (unsigned)(*seed >> 33) % below;
}

/* A network, and all that it computed from random inputs. */
struct network {
    struct nnefc_model *model;
    struct nnefc_run *run;
    const struct nnefc_operation_list *operations;
    int first[MOST]; /* among what is computed, by operation */
};

static void open_network(struct network *n, struct scratch *s, uint64_t seed)
{
    struct random_graph *graph = random_graph_new(seed);
    struct text text = {0};
    int count = 0;

    random_graph_text(graph, &text);
    n->model = loaded_model(scratch_put(s, "graph.nnef", text.data, text.size));
    text_free(&text);
    random_graph_free(graph);
    assert_int_equal(nnefc_model_init_weights(n->model, seed, true), NNEFC_OK);
    n->run = nnefc_run_new(n->model);
    assert_non_null(n->run);
    for (int i = 0; i < nnefc_model_inputs(n->model)->count; i++)
        assert_int_equal(nnefc_run_randomize_input(n->run, i, seed + (unsigned)i), NNEFC_OK);
    n->operations = nnefc_model_operations(n->model);
    assert_true(n->operations->count <= MOST);
    for (int i = 0; i < n->operations->count; i++) {
        n->first[i] = count;
        count += n->operations->at[i]->results->count;
    }
    for (int i = 0; i < count; i++)
        assert_int_equal(nnefc_run_keep_computed(n->run, i), NNEFC_OK);
    assert_int_equal(nnefc_run_step(n->run), NNEFC_OK);
}

/* The tensor of that name, fed or computed. */
static const struct nnefc_tensor *tensor_of(const struct network *n, const char *name)
{
    for (int i = 0; i < nnefc_model_inputs(n->model)->count; i++)
        if (strcmp(nnefc_model_inputs(n->model)->at[i]->name, name) == 0)
            return nnefc_run_input(n->run, i);
    for (int i = 0; i < n->operations->count; i++)
        for (int k = 0; k < n->operations->at[i]->results->count; k++)
            if (strcmp(n->operations->at[i]->results->at[k]->name, name) == 0)
                return nnefc_run_computed(n->run, n->first[i] + k);
    return NULL;
}

struct random_cut {
    const char *from[MOST], *to[MOST], *seen[MOST];
    int nfrom, nto, nseen;
    uint64_t seed;
};

/* Go back from a value to where the part begins: at inputs, and at some of the others. */
static void go_back(struct random_cut *cut, const struct network *n,
                    const struct nnefc_value *value) /* NOLINT(misc-no-recursion) */
{
    if (value->kind != NNEFC_VALUE_RESULT && value->kind != NNEFC_VALUE_EXTERNAL)
        return;
    for (int i = 0; i < cut->nseen; i++)
        if (strcmp(cut->seen[i], value->name) == 0)
            return;
    assert_true(cut->nseen < MOST);
    cut->seen[cut->nseen++] = value->name;
    if (value->kind == NNEFC_VALUE_EXTERNAL || draw(&cut->seed, 4) == 0) {
        cut->from[cut->nfrom++] = value->name;
        return;
    }
    const struct nnefc_value_list *operands = n->operations->at[value->producer]->operands;
    for (int i = 0; i < operands->count; i++)
        go_back(cut, n, operands->at[i]);
}

/* Up to three results that were computed. */
static void draw_cut(struct random_cut *cut, const struct network *n)
{
    for (int i = 0; i < 3; i++) {
        const int at = (int)draw(&cut->seed, (unsigned)n->operations->count);
        const struct nnefc_value *value = n->operations->at[at]->results->at[0];
        bool fresh = nnefc_run_computed(n->run, n->first[at]);
        for (int k = 0; k < cut->nto; k++)
            fresh = fresh && strcmp(cut->to[k], value->name) != 0;
        if (!fresh)
            continue;
        cut->to[cut->nto++] = value->name;
        go_back(cut, n, value);
    }
}

static bool is_equal(const struct nnefc_tensor *a, const struct nnefc_tensor *b)
{
    static const size_t size[] = {[NNEFC_SCALAR] = 4, [NNEFC_INTEGER] = 8, [NNEFC_LOGICAL] = 1};
    const struct nnefc_type x = nnefc_tensor_type(a), y = nnefc_tensor_type(b);
    const int64_t count = nnefc_tensor_count(a);

    return x.dtype == y.dtype && x.rank == y.rank && count == nnefc_tensor_count(b) &&
           memcmp(x.extent, y.extent, (size_t)x.rank * sizeof *x.extent) == 0 &&
           memcmp(nnefc_tensor_items(a), nnefc_tensor_items(b), (size_t)count * size[x.dtype]) == 0;
}

/* Feed the part what the network had there, and compare. */
static void check_cut(struct scratch *s, const struct network *n, const struct random_cut *cut)
{
    struct nnefc_model *part = loaded_model(scratch_path(s, "graph.nnef"));
    const struct nnefc_extract how = {sizeof how, cut->from, cut->nfrom, cut->to, cut->nto};

    if (nnefc_model_extract(part, &how) != NNEFC_OK)
        fail_msg("%s", nnefc_model_diagnostics(part)->at[0]->text);
    assert_int_equal(nnefc_model_verify(part, true), NNEFC_OK);
    struct nnefc_run *run = nnefc_run_new(part);
    assert_non_null(run);
    for (int i = 0; i < cut->nfrom; i++)
        assert_int_equal(nnefc_run_set_input(run, i, tensor_of(n, cut->from[i])), NNEFC_OK);
    assert_int_equal(nnefc_run_step(run), NNEFC_OK);
    for (int i = 0; i < cut->nto; i++)
        if (!is_equal(nnefc_run_output(run, i), tensor_of(n, cut->to[i])))
            fail_msg("'%s' differs in %s", cut->to[i], s->folder);
    nnefc_run_free(run);
    nnefc_model_free(part);
}

static void parts_compute_what_the_network_computed(void **state)
{
    static struct network network;
    static struct random_cut cut;
    int smaller = 0;

    for (uint64_t seed = 1; seed <= NETWORKS; seed++) {
        open_network(&network, *state, seed);
        for (unsigned i = 0; i < CUTS; i++) {
            memset(&cut, 0, sizeof cut);
            for (cut.seed = seed * CUTS + i; cut.nto == 0;)
                draw_cut(&cut, &network);
            check_cut(*state, &network, &cut);
            smaller += cut.nfrom > 0 && cut.nseen > cut.nfrom;
        }
        nnefc_run_free(network.run);
        nnefc_model_free(network.model);
    }
    assert_true(smaller > NETWORKS * CUTS / 2); /* else nothing was computed */
}

/* --- what a part is ------------------------------------------------------------------------- */

static void a_part_has_what_it_reads(void **state)
{
    struct nnefc_model *model = load_small(state);

    assert_int_equal(extract(model, "b d", "y"), NNEFC_OK);
    expect_names(nnefc_model_inputs(model), "b d");
    expect_names(nnefc_model_outputs(model), "y");
    assert_int_equal(nnefc_model_operations(model)->count, 1);
    assert_int_equal(nnefc_model_variables(model)->count, 0);
    nnefc_model_free(model);
    model = load_small(state);
    assert_int_equal(extract(model, NULL, "d"), NNEFC_OK);
    expect_names(nnefc_model_inputs(model), "mask");
    assert_int_equal(nnefc_model_variables(model)->count, 1);
    assert_string_equal(nnefc_model_variables(model)->at[0]->label, "w");
    nnefc_model_free(model);
}

static void a_tensor_may_be_an_input_and_an_output(void **state)
{
    struct nnefc_model *model = load_small(state);

    assert_int_equal(extract(model, "a", "a b z"), NNEFC_OK); /* b is read by z, too */
    expect_names(nnefc_model_outputs(model), "a_out b z");
    assert_int_equal(nnefc_model_verify(model, false), NNEFC_OK);
    nnefc_model_free(model);
}

static void a_tensor_without_a_name_is_cut_by_its_number(void **state)
{
    struct nnefc_model *model = load_small(state);
    const char *name = nnefc_model_operations(model)->at[1]->results->at[0]->name; /* exp */
    char to[64];

    assert_int_equal(*name, '%');
    snprintf(to, sizeof to, "exp_%s", name + 1);
    assert_int_equal(extract(model, "a", name), NNEFC_OK);
    expect_names(nnefc_model_outputs(model), to);
    assert_int_equal(nnefc_model_verify(model, false), NNEFC_OK);
    nnefc_model_free(model);
}

static void an_update_stays_if_it_is_part_of_the_cut(void **state)
{
    struct nnefc_model *model = load_small(state);

    assert_int_equal(extract(model, NULL, "b"), NNEFC_OK);
    assert_true(nnefc_model_variables(model)->at[0]->is_updated);
    nnefc_model_free(model);
    model = load_small(state);
    assert_int_equal(extract(model, "a mask", "y"), NNEFC_OK);
    assert_int_equal(nnefc_model_variables(model)->count, 1); /* w */
    nnefc_model_free(model);
}

static void what_cannot_be_cut_is_reported(void **state)
{
    expect_error(state, "b", "y", "'y' also depends on 'mask', by 'c', 'd'");
    expect_error(state, "b c x", "y", "no result that is asked for depends on 'x'");
    expect_error(state, NULL, "ya", "graph 'net' has no tensor 'ya'");
    expect_error(state, NULL, "y y", "tensor 'y' is named twice");
    expect_error(state, NULL, "1.0", "graph 'net' has no tensor '1.0'");
}

static void a_part_cannot_be_written_as_it_was_read(void **state)
{
    struct nnefc_model *model = load_small(state);

    assert_int_equal(extract(model, NULL, "y"), NNEFC_OK);
    assert_int_equal(nnefc_model_write_profile(model, "-", NNEFC_PROFILE_DOCUMENT),
                     NNEFC_UNSUPPORTED);
    nnefc_model_free(model);
}

static void a_model_with_runs_is_not_cut(void **state)
{
    struct nnefc_model *model = load_small(state);

    assert_int_equal(nnefc_model_init_weights(model, 1, true), NNEFC_OK);
    struct nnefc_run *run = nnefc_run_new(model);
    assert_int_equal(extract(model, NULL, "y"), NNEFC_USAGE);
    nnefc_run_free(run);
    assert_int_equal(extract(model, NULL, "y"), NNEFC_OK);
    nnefc_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(parts_compute_what_the_network_computed),
        scratch_test(a_part_has_what_it_reads),
        scratch_test(a_tensor_may_be_an_input_and_an_output),
        scratch_test(a_tensor_without_a_name_is_cut_by_its_number),
        scratch_test(an_update_stays_if_it_is_part_of_the_cut),
        scratch_test(what_cannot_be_cut_is_reported),
        scratch_test(a_part_cannot_be_written_as_it_was_read),
        scratch_test(a_model_with_runs_is_not_cut),
        scratch_test(an_operation_left_out_leaves_its_operand),
        scratch_test(what_is_left_out_takes_its_inputs_along),
        scratch_test(an_attribute_gets_its_default_and_shapes_follow),
        scratch_test(a_model_that_runs_is_not_edited),
        scratch_test(a_variable_that_is_cut_keeps_its_first_items),
        scratch_test(items_become_zeros_ones_or_signs),
        scratch_test(what_cannot_have_another_shape_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
