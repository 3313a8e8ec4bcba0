/* test_compare.c - tensors compared, recorded results, and steps in parts, as clients use them */
#include "nnefc/nnefc.h"

#include <math.h>

#include "unit/base/scratch.h"

static const struct nnefc_tolerance fine = {1e-5, 1e-5};

static struct nnefc_model *model_of(const char *text)
{
    struct nnefc_model *model = nnefc_model_new();

    assert_int_equal(nnefc_model_load_text(model, "g.nnef", text, strlen(text)), NNEFC_OK);
    return model;
}

static struct nnefc_tensor *tensor_of(enum nnefc_dtype dtype, int rows, int columns)
{
    const struct nnefc_type type = {dtype, 2, {rows, columns}};
    struct nnefc_tensor *tensor = nnefc_tensor_new(&type);

    assert_non_null(tensor);
    return tensor;
}

/* --- tensors ------------------------------------------------------------------------------ */

static void a_difference_has_its_place(void **state)
{
    struct nnefc_tensor *a = tensor_of(NNEFC_SCALAR, 2, 3), *b = tensor_of(NNEFC_SCALAR, 2, 3);
    struct nnefc_difference d;

    (void)state;
    assert_int_equal(nnefc_tensor_compare(a, b, &fine, &d), NNEFC_OK);
    assert_int_equal(d.agreement, NNEFC_AGREES);
    assert_int_equal(d.worst, -1);
    ((float *)nnefc_tensor_data(a))[4] = 0.5F;
    ((float *)nnefc_tensor_data(b))[4] = 0.25F;
    assert_int_equal(nnefc_tensor_compare(a, b, &fine, &d), NNEFC_DIFFERENT);
    assert_int_equal(d.agreement, NNEFC_OTHER_ITEMS);
    assert_true(d.count == 6 && d.beyond == 1 && d.worst == 4);
    assert_true(d.index[0] == 1 && d.index[1] == 1);
    assert_true(d.max_absolute == 0.25 && d.max_relative == 1);
    nnefc_tensor_free(a);
    nnefc_tensor_free(b);
}

static void other_types_and_shapes_are_told_apart(void **state)
{
    struct nnefc_tensor *a = tensor_of(NNEFC_SCALAR, 2, 3), *b = tensor_of(NNEFC_SCALAR, 3, 2);
    struct nnefc_tensor *c = tensor_of(NNEFC_INTEGER, 3, 2);
    struct nnefc_difference d;

    (void)state;
    assert_int_equal(nnefc_tensor_compare(a, b, &fine, &d), NNEFC_DIFFERENT);
    assert_int_equal(d.agreement, NNEFC_OTHER_SHAPE);
    assert_int_equal(nnefc_tensor_compare(a, c, &fine, &d), NNEFC_DIFFERENT);
    assert_int_equal(d.agreement, NNEFC_OTHER_TYPE);
    assert_int_equal(nnefc_tensor_compare(b, c, &fine, NULL), NNEFC_DIFFERENT);
    nnefc_tensor_free(a);
    nnefc_tensor_free(b);
    nnefc_tensor_free(c);
}

static void tensors_and_a_tolerance_are_needed(void **state)
{
    const struct nnefc_tolerance negative = {-1, 0}, none = {0, (double)NAN};
    struct nnefc_tensor *a = tensor_of(NNEFC_SCALAR, 1, 1);

    (void)state;
    assert_int_equal(nnefc_tensor_compare(a, NULL, &fine, NULL), NNEFC_USAGE);
    assert_int_equal(nnefc_tensor_compare(NULL, a, &fine, NULL), NNEFC_USAGE);
    assert_int_equal(nnefc_tensor_compare(a, a, NULL, NULL), NNEFC_USAGE);
    assert_int_equal(nnefc_tensor_compare(a, a, &negative, NULL), NNEFC_USAGE);
    assert_int_equal(nnefc_tensor_compare(a, a, &none, NULL), NNEFC_USAGE);
    nnefc_tensor_free(a);
}

/* --- recorded results --------------------------------------------------------------------- */

static void write_one(struct scratch *s, struct nnefc_model *model, const char *file, float value)
{
    struct nnefc_tensor *tensor = tensor_of(NNEFC_SCALAR, 1, 1);

    *(float *)nnefc_tensor_data(tensor) = value;
    assert_int_equal(nnefc_tensor_write(model, tensor, scratch_path(s, file)), NNEFC_OK);
    nnefc_tensor_free(tensor);
}

static void expect_result(struct nnefc_results *results, int index, const char *name, double value)
{
    struct nnefc_tensor *tensor = nnefc_results_read(results, index);

    assert_string_equal(nnefc_results_list(results)->at[index]->name, name);
    assert_non_null(tensor);
    assert_true(nnefc_tensor_item(tensor, 0) == value);
    nnefc_tensor_free(tensor);
}

static void results_of_a_folder_are_sorted_by_name(void **state)
{
    struct scratch *s = *state;
    struct nnefc_model *model = nnefc_model_new();

    write_one(s, model, "y.npy", 2);
    write_one(s, model, "b.dat", 1);
    scratch_put(s, "notes.txt", "none", 4);
    struct nnefc_results *results = nnefc_results_open(model, s->folder);
    assert_int_equal(nnefc_results_list(results)->count, 2);
    expect_result(results, 0, "b", 1);
    expect_result(results, 1, "y", 2);
    assert_null(nnefc_results_list(results)->at[2]);
    assert_null(nnefc_results_read(results, 2));
    assert_int_equal(nnefc_model_status(model), NNEFC_USAGE);
    nnefc_results_free(results);
    nnefc_model_free(model);
}

static void expect_refused(struct nnefc_model *model, const char *path, const char *part)
{
    nnefc_model_clear_diagnostics(model);
    assert_null(nnefc_results_open(model, path));
    assert_int_equal(nnefc_model_status(model), NNEFC_FILE);
    const char *text = nnefc_model_diagnostics(model)->at[0]->text;
    if (!strstr(text, part))
        fail_msg("'%s' lacks '%s'", text, part);
}

static void what_holds_no_results_is_refused(void **state)
{
    struct scratch *s = *state;
    struct nnefc_model *model = nnefc_model_new();

    expect_refused(model, scratch_path(s, "nowhere"), "No such file");
    expect_refused(model, s->folder, "no results");
    write_one(s, model, "y.npy", 2);
    write_one(s, model, "y.dat", 2);
    expect_refused(model, s->folder, "two files of result 'y'");
    nnefc_model_free(model);
}

static const char chain[] = "version 1.0;\n"
                            "extension KHR_enable_fragment_definitions;\n"
                            "extension KHR_enable_operator_expressions;\n"
                            "fragment twice( a: tensor<scalar> ) -> ( b: tensor<scalar> )\n"
                            "{\n"
                            "    b = add(a, a);\n"
                            "}\n"
                            "graph g( x ) -> ( y )\n"
                            "{\n"
                            "    x = external<scalar>(shape = [1,2]);\n"
                            "    v = variable<scalar>(shape = [1,2], label = 'state');\n"
                            "    t = twice(x);\n"
                            "    y = neg(t + v);\n"
                            "    w = update(v, t);\n"
                            "    u = copy(y);\n"
                            "}\n";

static void an_archive_holds_results_by_name(void **state)
{
    struct scratch *s = *state;
    struct nnefc_model *model =
        model_of("version 1.0; graph g( x ) -> ( y ) { x = external<scalar>(shape = [1,1]);"
                 " y = copy(x); }");
    struct nnefc_run *run = nnefc_run_new(model);

    assert_int_equal(nnefc_run_randomize_input(run, 0, 1), NNEFC_OK);
    assert_int_equal(nnefc_run_step(run), NNEFC_OK);
    assert_int_equal(nnefc_run_write_outputs(run, scratch_path(s, "r.npz")), NNEFC_OK);
    struct nnefc_results *results = nnefc_results_open(model, s->path);
    assert_int_equal(nnefc_results_list(results)->count, 1);
    for (int again = 0; again < 2; again++)
        expect_result(results, 0, "y", nnefc_tensor_item(nnefc_run_output(run, 0), 0));
    nnefc_results_free(results);
    nnefc_run_free(run);
    nnefc_model_free(model);
}

/* --- steps in parts ----------------------------------------------------------------------- */

static struct nnefc_run *run_of_chain(struct scratch *s, struct nnefc_model **model)
{
    struct nnefc_run *run;

    scratch_put(s, "graph.nnef", chain, sizeof chain - 1);
    *model = nnefc_model_new();
    assert_int_equal(nnefc_model_load(*model, s->folder), NNEFC_OK);
    assert_int_equal(nnefc_model_init_weights(*model, 1, true), NNEFC_OK);
    run = nnefc_run_new(*model);
    assert_non_null(run);
    assert_null(nnefc_run_input(run, 0));
    assert_int_equal(nnefc_run_randomize_input(run, 0, 1), NNEFC_OK);
    return run;
}

static void expect_computed(struct nnefc_model *model, int index, const char *name,
                            const char *operation, int line)
{
    const struct nnefc_computed *computed = nnefc_model_computed(model)->at[index];

    if (name)
        assert_string_equal(computed->name, name);
    else
        assert_null(computed->name);
    assert_string_equal(computed->operation, operation);
    assert_int_equal(computed->line, line);
    assert_int_equal(computed->type.extent[1], 2);
}

static void computed_tensors_tell_where_they_come_from(void **state)
{
    struct nnefc_model *model;
    struct nnefc_run *run = run_of_chain(*state, &model);

    assert_int_equal(nnefc_model_computed(model)->count, 5);
    expect_computed(model, 0, "t", "add", 6);
    assert_string_equal(nnefc_model_computed(model)->at[0]->fragment, "twice");
    expect_computed(model, 1, NULL, "add", 13);
    expect_computed(model, 2, "y", "neg", 13);
    assert_null(nnefc_model_computed(model)->at[2]->fragment);
    expect_computed(model, 3, "w", "update", 14);
    assert_null(nnefc_model_computed(model)->at[5]);
    nnefc_run_free(run);
    nnefc_model_free(model);
}

static void a_step_goes_on_from_tensor_to_tensor(void **state)
{
    struct nnefc_model *model;
    struct nnefc_run *run = run_of_chain(*state, &model);

    assert_null(nnefc_run_computed(run, 0));
    assert_int_equal(nnefc_run_advance(run, 0), NNEFC_OK);
    double x = nnefc_tensor_item(nnefc_run_input(run, 0), 1);
    assert_true(nnefc_tensor_item(nnefc_run_computed(run, 0), 1) == 2 * x);
    assert_null(nnefc_run_computed(run, 2));
    assert_null(nnefc_run_output(run, 0));
    assert_int_equal(nnefc_run_advance(run, 4), NNEFC_OK);
    assert_null(nnefc_run_computed(run, 4));
    assert_true(nnefc_tensor_item(nnefc_run_variable(run, 0), 1) != 2 * x);
    assert_null(nnefc_run_variable(run, 1));
    assert_int_equal(nnefc_run_step(run), NNEFC_OK);
    assert_non_null(nnefc_run_output(run, 0));
    assert_true(nnefc_tensor_item(nnefc_run_variable(run, 0), 1) == 2 * x);
    assert_true(nnefc_model_variables(model)->at[0]->is_updated);
    assert_null(nnefc_model_variables(model)->at[1]);
    assert_int_equal(nnefc_run_advance(run, 5), NNEFC_USAGE);
    nnefc_run_free(run);
    nnefc_model_free(model);
}

static void a_computed_tensor_can_be_kept(void **state)
{
    struct nnefc_model *model;
    struct nnefc_run *run = run_of_chain(*state, &model);

    assert_int_equal(nnefc_run_keep_computed(run, 1), NNEFC_OK);
    assert_int_equal(nnefc_run_keep_computed(run, 7), NNEFC_USAGE);
    assert_int_equal(nnefc_run_step(run), NNEFC_OK);
    double sum = nnefc_tensor_item(nnefc_run_computed(run, 1), 0);
    assert_true(nnefc_tensor_item(nnefc_run_output(run, 0), 0) == -sum);
    nnefc_run_free(run);
    nnefc_model_free(model);
}

/* A tensor file of 64 x 64 quantized items of 8 bits with a sign; section 5.2 of the standard. */
static void put_integers(struct scratch *s, const char *name)
{
    enum { HEADER = 128, SIDE = 64, QUANTIZED_SIGNED = 3 };
    unsigned char file[HEADER + SIDE * SIDE] = {0x4E, 0xEF, 1, 0, 0, SIDE * SIDE / 256, 0, 0, 2};

    file[12] = file[16] = SIDE; /* extents */
    file[44] = 8;               /* bits of an item */
    file[48] = QUANTIZED_SIGNED;
    for (int i = 0; i < SIDE * SIDE; i++)
        file[HEADER + i] = (unsigned char)(i % 255 - 127);
    scratch_put(s, name, file, sizeof file);
}

/* Before the first step, after it, and from the file that the model is written to. */
static void integers_of_a_file_are_what_a_variable_holds(void **state)
{
    static const char text[] = "version 1.0; graph g( x ) -> ( y ) {"
                               " x = external<scalar>(shape = [1,64]);"
                               " w = variable<scalar>(shape = [64,64], label = 'w');"
                               " y = matmul(x, w); }";
    static const char quant[] =
        "'x': zero_point_linear_quantize(zero_point = 0, scale = 0.5, bits = 8, signed = true,"
        " symmetric = true);"
        "'w': zero_point_linear_quantize(zero_point = 0, scale = 0.25, bits = 8, signed = true,"
        " symmetric = true);";
    struct nnefc_model *model = nnefc_model_new();
    struct scratch *s = *state;

    put_integers(s, "w.dat");
    scratch_put(s, "graph.quant", quant, sizeof quant - 1);
    scratch_put(s, "graph.nnef", text, sizeof text - 1);
    assert_int_equal(nnefc_model_set_quantization(model, NNEFC_QUANTIZATION_INTEGERS), NNEFC_OK);
    assert_int_equal(nnefc_model_load(model, s->folder), NNEFC_OK);
    struct nnefc_run *run = nnefc_run_new(model);
    assert_int_equal(nnefc_run_fill_input(run, 0, 1), NNEFC_OK);
    for (int step = 0; step < 2; step++) {
        assert_int_equal(nnefc_run_step(run), NNEFC_OK);
        const struct nnefc_tensor *w = nnefc_run_variable(run, 0);
        const int64_t *items = nnefc_tensor_items(w);
        assert_int_equal(nnefc_tensor_type(w).dtype, NNEFC_INTEGER);
        for (int i = 0; i < 64 * 64; i++) {
            assert_true(items[i] == i % 255 - 127);
            assert_true(nnefc_tensor_item(w, i) == i % 255 - 127);
        }
    }
    /* 1 is 2 * 0.5, and column 0 has items of those that put_integers() has put. */
    double sum = 0;
    for (int k = 0; k < 64; k++)
        sum += 0.25 * (64 * k % 255 - 127);
    assert_true(nnefc_tensor_item(nnefc_run_output(run, 0), 0) == sum);
    assert_int_equal(nnefc_model_write_graph(model, scratch_path(s, "w.ng")), NNEFC_OK);
    nnefc_run_free(run);
    nnefc_model_free(model);
    model = nnefc_model_new();
    assert_int_equal(nnefc_model_load(model, s->path), NNEFC_OK);
    run = nnefc_run_new(model);
    assert_int_equal(nnefc_run_fill_input(run, 0, 1), NNEFC_OK);
    assert_int_equal(nnefc_run_step(run), NNEFC_OK);
    assert_true(nnefc_tensor_item(nnefc_run_output(run, 0), 0) == sum);
    nnefc_run_free(run);
    nnefc_model_free(model);
}

static void a_step_that_cannot_begin_says_why(void **state)
{
    struct nnefc_model *model =
        model_of("version 1.0; graph g( x ) -> ( y ) { x = external<scalar>(shape = [1,1]);"
                 " y = neg(x); }");
    struct nnefc_run *run = nnefc_run_new(model);

    (void)state;
    assert_int_equal(nnefc_run_advance(run, 0), NNEFC_USAGE);
    assert_string_equal(nnefc_model_diagnostics(model)->at[0]->code, "N0187");
    nnefc_run_free(run);
    nnefc_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_difference_has_its_place),
        cmocka_unit_test(other_types_and_shapes_are_told_apart),
        cmocka_unit_test(tensors_and_a_tolerance_are_needed),
        scratch_test(results_of_a_folder_are_sorted_by_name),
        scratch_test(what_holds_no_results_is_refused),
        scratch_test(an_archive_holds_results_by_name),
        scratch_test(computed_tensors_tell_where_they_come_from),
        scratch_test(a_step_goes_on_from_tensor_to_tensor),
        scratch_test(a_computed_tensor_can_be_kept),
        scratch_test(integers_of_a_file_are_what_a_variable_holds),
        cmocka_unit_test(a_step_that_cannot_begin_says_why),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
