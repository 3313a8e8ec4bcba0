/* test_import_scan.c - scans in models of ONNX, by hand */
#include "import_fixture.h"

/* Running sums of what is taken, and twice each of them. */
static void make_body(struct fixture *f, struct onnx_graph *body)
{
    struct onnx_graph *outer = f->graph;

    f->graph = body;
    input(f, "sum", ONNX_FLOAT, (int64_t[]){2}, 1);
    input(f, "item", ONNX_FLOAT, (int64_t[]){2}, 1);
    node(f, "Add", "sum,item", "next");
    node(f, "Add", "next,next", "twice");
    output(f, "next");
    output(f, "twice");
    f->graph = outer;
}

static struct onnx_node *scan(struct fixture *f, const char *in)
{
    struct onnx_graph *body = onnx_graph_new(f->arena, "body");
    struct onnx_node *n = node(f, "Scan", in, "last");

    make_body(f, body);
    onnx_text_add(f->arena, &n->output, "y");
    onnx_node_graph(f->arena, n, "body", body);
    onnx_node_int(f->arena, n, "num_scan_inputs", 1);
    output(f, "y");
    output(f, "last");
    return n;
}

static void items_of_each_step_are_collected(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){3, 2}, 2);
    floats(f, "begin", (int64_t[]){2}, 1); /* 0 1 */
    scan(f, "begin,x");
    computes(f, (double[]){1, 2, 3, 4, 5, 6}, (double[]){2, 6, 8, 14, 18, 26}, 6);
}

static void axes_and_directions_are_those_of_each_sequence(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){2, 3}, 2);
    floats(f, "begin", (int64_t[]){2}, 1);
    struct onnx_node *n = scan(f, "begin,x");
    onnx_node_ints(f->arena, n, "scan_input_axes", (int64_t[]){-1}, 1);
    onnx_node_ints(f->arena, n, "scan_input_directions", (int64_t[]){1}, 1);
    onnx_node_ints(f->arena, n, "scan_output_axes", (int64_t[]){1}, 1);
    onnx_node_ints(f->arena, n, "scan_output_directions", (int64_t[]){1}, 1);
    /* 5 6, 3 4, 1 2 are taken, and the last sums stand first */
    computes(f, (double[]){1, 3, 5, 2, 4, 6}, (double[]){18, 16, 10, 26, 22, 14}, 6);
}

static void batches_are_scanned_by_themselves(void **state)
{
    struct fixture *f = *state;

    f->onnx->opset_import.first->version = 8;
    input(f, "x", ONNX_FLOAT, (int64_t[]){2, 2, 2}, 3);
    floats(f, "begin", (int64_t[]){2, 2}, 2); /* 0 1, 2 3 */
    scan(f, ",begin,x");
    computes(f, (double[]){1, 2, 3, 4, 5, 6, 7, 8}, (double[]){2, 6, 8, 14, 14, 18, 28, 34}, 8);
}

static void sequences_have_one_length(void **state)
{
    struct fixture *f = *state;
    struct onnx_graph *body = onnx_graph_new(f->arena, "body");

    input(f, "a", ONNX_FLOAT, (int64_t[]){3, 2}, 2);
    input(f, "b", ONNX_FLOAT, (int64_t[]){4, 2}, 2);
    struct onnx_node *n = node(f, "Scan", "a,b", "y");
    onnx_text_add(f->arena, &n->output, "z");
    make_body(f, body);
    onnx_node_graph(f->arena, n, "body", body);
    onnx_node_int(f->arena, n, "num_scan_inputs", 2);
    output(f, "y");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0145", "has sequences of 3 and 4 items");
}

static void a_body_fits_the_node(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){3, 2}, 2);
    scan(f, "x");
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0225",
           "has a body that does not fit 1 inputs, 1 of them scanned, and 2 outputs");
}

static void an_axis_is_one_of_the_sequence(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){3, 2}, 2);
    floats(f, "begin", (int64_t[]){2}, 1);
    onnx_node_ints(f->arena, scan(f, "begin,x"), "scan_input_axes", (int64_t[]){2}, 1);
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0142", "axis 2 is out of range");
}

static void axes_are_as_many_as_sequences(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){3, 2}, 2);
    floats(f, "begin", (int64_t[]){2}, 1);
    onnx_node_ints(f->arena, scan(f, "begin,x"), "scan_output_axes", (int64_t[]){0, 0}, 2);
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0134", "attribute 'scan_output_axes' has 2 items, expected 1");
}

static void a_direction_is_0_or_1(void **state)
{
    struct fixture *f = *state;

    input(f, "x", ONNX_FLOAT, (int64_t[]){3, 2}, 2);
    floats(f, "begin", (int64_t[]){2}, 1);
    onnx_node_ints(f->arena, scan(f, "begin,x"), "scan_input_directions", (int64_t[]){2}, 1);
    assert_int_equal(load(f), NNEFC_INVALID);
    expect(f, 0, "N0139", "attribute 'scan_input_directions' has 2 at 0, expected 0 or 1");
}

static void batches_are_bounded(void **state)
{
    struct fixture *f = *state;
    const int64_t many = (int64_t)1 << 24;

    f->onnx->opset_import.first->version = 8;
    input(f, "x", ONNX_FLOAT, (int64_t[]){many, 2, 2}, 3);
    input(f, "begin", ONNX_FLOAT, (int64_t[]){many, 2}, 2);
    scan(f, ",begin,x");
    assert_int_equal(load(f), NNEFC_UNSUPPORTED);
    expect(f, 0, "N0231", "has 16777216 batches, expected 1 to ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(items_of_each_step_are_collected),
        TEST(axes_and_directions_are_those_of_each_sequence),
        TEST(batches_are_scanned_by_themselves),
        TEST(sequences_have_one_length),
        TEST(a_body_fits_the_node),
        TEST(an_axis_is_one_of_the_sequence),
        TEST(axes_are_as_many_as_sequences),
        TEST(a_direction_is_0_or_1),
        TEST(batches_are_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
