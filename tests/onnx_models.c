/*
 * onnx_models.c - models of ONNX, good and bad, for the tests of the command line
 *
 *     onnx_models FOLDER
 *
 * Writes FOLDER/NAME.onnx for each row of the table at the end, and the external data of some.
 */
#include "convert/proto/onnx_build.h"
#include "convert/proto/onnx_write.h"

#include "base/arena.h"
#include "diag/diag.h"
#include "file/out.h"
#include "support/onnx_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 1024, DATA_SIZE = 256 };

/* A model while it is made; new ones import opset 17. */
struct maker {
    struct arena *arena;
    struct onnx_model *model;
    struct onnx_graph *graph;
};

/* --- parts of models ------------------------------------------------------------------------ */

static void add_input(struct maker *m, const char *name, const int64_t *dim, int rank)
{
    m->graph->input = onnx_value_info_append(
        m->graph->input, onnx_value_info_new(m->arena, name, ONNX_FLOAT, dim, rank));
}

static void add_output(struct maker *m, const char *name)
{
    m->graph->output = onnx_value_info_append(
        m->graph->output, onnx_value_info_new(m->arena, name, ONNX_FLOAT, NULL, -1));
}

/* `in` and `out` are names with ',' between them; a node of that name, NULL: of none. */
static struct onnx_node *add_node(struct maker *m, const char *type, const char *name,
                                  const char *in, const char *out)
{
    struct onnx_node *node = onnx_node_new(m->arena, m->graph, type);

    for (size_t size; *in; in += size + (in[size] == ',')) {
        size = strcspn(in, ",");
        onnx_text_add(m->arena, &node->input, arena_strndup(m->arena, in, size));
    }
    for (size_t size; *out; out += size + (out[size] == ',')) {
        size = strcspn(out, ",");
        onnx_text_add(m->arena, &node->output, arena_strndup(m->arena, out, size));
    }
    if (name)
        node->name = name;
    return node;
}

static struct onnx_tensor *add_tensor(struct maker *m, const char *name, const int64_t *dim,
                                      int rank)
{
    struct onnx_tensor *tensor = onnx_tensor_new(m->arena, name, ONNX_FLOAT, dim, rank);

    m->graph->initializer = onnx_tensor_append(m->graph->initializer, tensor);
    return tensor;
}

/* Items are all `item`; every other tensor of a file has them as bytes. */
static void add_weights(struct maker *m, const char *name, const int64_t *dim, int rank, float item)
{
    struct onnx_tensor *tensor = add_tensor(m, name, dim, rank);
    size_t count = 1;

    for (int i = 0; i < rank; i++)
        count *= (size_t)dim[i];
    float *items = arena_array_of(m->arena, float, count);
    for (size_t i = 0; i < count; i++)
        items[i] = item;
    if (m->graph->initializer.count % 2)
        onnx_tensor_raw(tensor, items, count * sizeof *items);
    else
        onnx_tensor_floats(m->arena, tensor, items, count);
}

static void add_external(struct maker *m, const char *location, uint64_t offset, uint64_t length)
{
    struct onnx_tensor *tensor = add_tensor(m, "w", (int64_t[]){4, 8}, 2);

    onnx_tensor_external(m->arena, tensor, &(struct onnx_extern){location, offset, length});
    add_input(m, "x", (int64_t[]){4, 8}, 2);
    add_node(m, "Add", "sum", "x,w", "y");
    add_output(m, "y");
}

/* y = relu(x), to be spoilt. */
static struct onnx_node *add_relu(struct maker *m)
{
    add_input(m, "x", (int64_t[]){2, 3}, 2);
    add_output(m, "y");
    return add_node(m, "Relu", "rectify", "x", "y");
}

/* --- good ones ------------------------------------------------------------------------------- */

static void add_convolution(struct maker *m, const char *in, const char *out, const char *w)
{
    struct onnx_node *conv = add_node(m, "Conv", out, arena_strndup(m->arena, in, strlen(in)), out);

    onnx_text_add(m->arena, &conv->input, w);
    onnx_node_ints(m->arena, conv, "kernel_shape", (int64_t[]){3, 3}, 2);
    onnx_node_ints(m->arena, conv, "pads", (int64_t[]){1, 1, 1, 1}, 4);
    onnx_node_string(m->arena, conv, "auto_pad", "NOTSET");
    add_weights(m, w, (int64_t[]){4, 4, 3, 3}, 4, 0.125F);
}

/* Unnamed, with the statistics of four channels. */
static void add_normalization(struct maker *m, const char *in, const char *out)
{
    static const char *const names[] = {"scale", "offset", "mean", "variance"};
    struct onnx_node *node = add_node(m, "BatchNormalization", NULL, in, out);

    for (int i = 0; i < 4; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s.%s", out, names[i]);
        const char *kept = arena_strndup(m->arena, name, strlen(name));
        onnx_text_add(m->arena, &node->input, kept);
        add_weights(m, kept, (int64_t[]){4}, 1, i == 3 ? 2.0F : 0.5F);
    }
    onnx_node_float(m->arena, node, "epsilon", 1e-3F);
}

static void make_resnet_block(struct maker *m)
{
    m->model->producer_name = "onnx_models";
    m->model->producer_version = "1.0";
    add_input(m, "x", (int64_t[]){1, 4, 8, 8}, 4);
    add_convolution(m, "x", "c1", "w1");
    add_normalization(m, "c1", "n1");
    add_node(m, "Relu", NULL, "n1", "r1");
    add_convolution(m, "r1", "c2", "w2");
    add_normalization(m, "c2", "n2");
    add_node(m, "Add", "skip", "n2,x", "s");
    add_node(m, "Relu", NULL, "s", "r2");
    add_node(m, "GlobalAveragePool", "pool", "r2", "p");
    onnx_node_int(m->arena, add_node(m, "Flatten", NULL, "p", "f"), "axis", 1);
    onnx_node_int(m->arena, add_node(m, "Gemm", "fc", "f,w3,b3", "y"), "transB", 1);
    add_weights(m, "w3", (int64_t[]){10, 4}, 2, 0.25F);
    add_weights(m, "b3", (int64_t[]){10}, 1, 1.0F);
    m->graph->value_info = onnx_value_info_append(
        m->graph->value_info,
        onnx_value_info_new(m->arena, "s", ONNX_FLOAT, (int64_t[]){1, 4, 8, 8}, 4));
    add_output(m, "y");
}

static void make_external(struct maker *m)
{
    add_external(m, "external.bin", 64, 128);
}

static void make_opset7(struct maker *m)
{
    m->model->opset_import = (struct onnx_opset_list){0};
    onnx_opset_add(m->arena, &m->model->opset_import, "", 7);
    onnx_opset_add(m->arena, &m->model->opset_import, "com.example", 3);
    add_relu(m);
}

/* As files were before IR version 4: what is known is an input, too. */
static void make_ir3(struct maker *m)
{
    m->model->ir_version = 3;
    add_input(m, "x", (int64_t[]){4, 8}, 2);
    add_input(m, "w", (int64_t[]){4, 8}, 2);
    add_weights(m, "w", (int64_t[]){4, 8}, 2, 3.0F);
    add_node(m, "Mul", "scale", "x,w", "y");
    add_output(m, "y");
}

static void make_identity_outputs(struct maker *m)
{
    add_input(m, "x", (int64_t[]){2, 3}, 2);
    add_node(m, "Identity", NULL, "x", "same");
    add_node(m, "Relu", NULL, "x", "r");
    add_node(m, "Identity", NULL, "r", "second");
    add_node(m, "Identity", NULL, "r", "first");
    add_output(m, "first");
    add_output(m, "same");
    add_output(m, "second");
}

static void make_unused_inputs(struct maker *m)
{
    add_input(m, "x", (int64_t[]){2, 3}, 2);
    add_input(m, "u", (int64_t[]){2, 3}, 2);
    add_input(m, "never", (int64_t[]){5}, 1);
    add_node(m, "Relu", NULL, "u", "dead");
    add_node(m, "Neg", NULL, "x", "y");
    add_output(m, "y");
}

static void make_blanks(struct maker *m)
{
    add_input(m, "x", (int64_t[]){2, 3}, 2);
    add_node(m, "Relu", NULL, "x", "a b");
    add_node(m, "Neg", NULL, "a b", "y");
    add_output(m, "y");
}

static void make_broadcast(struct maker *m)
{
    add_input(m, "a", (int64_t[]){2, 3, 4, 5}, 4);
    add_input(m, "b", (int64_t[]){4, 1}, 2);
    add_node(m, "Add", "sum", "a,b", "y");
    add_output(m, "y");
}

/* Known extents, a named one, and one of which nothing is known. */
static void make_open_extents(struct maker *m)
{
    add_relu(m);
    onnx_value_info_param(m->graph->input.first, 0, "batch");
    add_input(m, "z", (int64_t[]){-1, 3}, 2);
}

/* A function that is called twice makes tensors of one name twice. */
static void make_called_twice(struct maker *m)
{
    struct onnx_function *f = onnx_function_new(m->arena, m->model, "Twice", "local");
    struct onnx_graph *graph = m->graph;
    struct onnx_graph body = {0};

    onnx_opset_add(m->arena, &m->model->opset_import, "local", 1);
    onnx_opset_add(m->arena, &f->opset_import, "", 17);
    onnx_text_add(m->arena, &f->input, "a");
    onnx_text_add(m->arena, &f->output, "c");
    m->graph = &body;
    add_node(m, "Relu", "inner", "a", "b");
    add_node(m, "Neg", NULL, "b", "c");
    f->node = body.node;
    m->graph = graph;
    add_input(m, "x", (int64_t[]){2, 3}, 2);
    add_node(m, "Twice", "one", "x", "t")->domain = "local";
    add_node(m, "Twice", "two", "t", "y")->domain = "local";
    add_output(m, "y");
}

/* The positive items of x are doubled until their sum is beyond `limit`: their number and that of
 * the trips are computed. */
static void make_parts(struct maker *m)
{
    struct onnx_graph *outer = m->graph, *body = onnx_graph_new(m->arena, "body");
    struct onnx_tensor *flat = onnx_tensor_new(m->arena, "flat", ONNX_INT64, (int64_t[]){1}, 1);

    onnx_tensor_ints(m->arena, flat, (int64_t[]){-1}, 1);
    outer->initializer = onnx_tensor_append(outer->initializer, flat);
    add_input(m, "x", (int64_t[]){-1}, 1);
    add_weights(m, "limit", (int64_t[]){1}, 1, 100);
    add_node(m, "Relu", NULL, "x", "r");
    add_node(m, "NonZero", NULL, "r", "where");
    add_node(m, "Reshape", NULL, "where,flat", "index");
    add_node(m, "Gather", NULL, "r,index", "taken");
    m->graph = body;
    add_input(m, "i", NULL, 0);
    body->input.first->type->tensor_type->elem_type = ONNX_INT64;
    add_input(m, "go", NULL, 0);
    body->input.first->next->type->tensor_type->elem_type = ONNX_BOOL;
    add_input(m, "v", (int64_t[]){-1}, 1);
    add_node(m, "Add", NULL, "v,v", "twice");
    add_node(m, "ReduceSum", NULL, "twice", "sum");
    add_node(m, "Less", NULL, "sum,limit", "again");
    add_output(m, "again");
    body->output.first->type->tensor_type->elem_type = ONNX_BOOL;
    add_output(m, "twice");
    m->graph = outer;
    onnx_node_graph(m->arena, add_node(m, "Loop", "grow", ",,taken", "y"), "body", body);
    add_output(m, "y");
}

/* --- bad ones -------------------------------------------------------------------------------- */

static void make_external_dotdot(struct maker *m)
{
    add_external(m, "../external.bin", 0, 128);
}

static void make_external_absolute(struct maker *m)
{
    add_external(m, "/etc/hostname", 0, 128);
}

static void make_external_short(struct maker *m)
{
    add_external(m, "external.bin", 192, 128);
}

static void make_external_length(struct maker *m)
{
    add_external(m, "external.bin", 0, 64);
}

static void make_external_missing(struct maker *m)
{
    add_external(m, "nowhere.bin", 0, 128);
}

static void make_two_producers(struct maker *m)
{
    add_relu(m);
    add_node(m, "Neg", "negate", "x", "y");
}

/* The second one is in another part than the first. */
static void make_parts_two_producers(struct maker *m)
{
    add_relu(m);
    add_node(m, "NonZero", "find", "x", "places");
    onnx_node_int(m->arena, add_node(m, "Cast", "cast", "places", "y"), "to", ONNX_FLOAT);
}

static void make_input_produced(struct maker *m)
{
    add_relu(m);
    add_node(m, "Neg", "negate", "y", "x");
}

static void make_weight_produced(struct maker *m)
{
    add_relu(m);
    add_weights(m, "w", (int64_t[]){3}, 1, 1);
    add_node(m, "Neg", "negate", "y", "w");
}

static void make_cycle(struct maker *m)
{
    add_input(m, "x", (int64_t[]){2, 3}, 2);
    add_node(m, "Add", "first", "x,b", "a");
    add_node(m, "Relu", "second", "a", "b");
    add_output(m, "b");
}

static void make_own_input(struct maker *m)
{
    add_input(m, "x", (int64_t[]){2, 3}, 2);
    add_node(m, "Add", "self", "x,a", "a");
    add_output(m, "a");
}

static void make_unordered(struct maker *m)
{
    add_input(m, "x", (int64_t[]){2, 3}, 2);
    add_node(m, "Neg", "late", "a", "y");
    add_node(m, "Relu", "early", "x", "a");
    add_output(m, "y");
}

static void make_nothing_made(struct maker *m)
{
    add_relu(m);
    add_node(m, "Neg", "negate", "ghost", "z");
}

static void make_output_missing(struct maker *m)
{
    add_relu(m);
    add_output(m, "ghost");
}

static void make_raw_size(struct maker *m)
{
    static const unsigned char bytes[10];

    add_relu(m);
    onnx_tensor_raw(add_tensor(m, "w", (int64_t[]){3}, 1), bytes, sizeof bytes);
}

static void make_raw_size_in_node(struct maker *m)
{
    static const unsigned char bytes[10];
    struct onnx_tensor *tensor = onnx_tensor_new(m->arena, "", ONNX_FLOAT, (int64_t[]){3}, 1);

    add_relu(m);
    onnx_tensor_raw(tensor, bytes, sizeof bytes);
    onnx_node_tensor(m->arena, add_node(m, "Constant", "three", "", "k"), "value", tensor);
}

static void make_new_opset(struct maker *m)
{
    m->model->opset_import = (struct onnx_opset_list){0};
    onnx_opset_add(m->arena, &m->model->opset_import, "", 99);
    add_relu(m);
}

static void make_old_opset(struct maker *m)
{
    m->model->opset_import = (struct onnx_opset_list){0};
    onnx_opset_add(m->arena, &m->model->opset_import, "", 0);
    add_relu(m);
}

static void make_no_opset(struct maker *m)
{
    m->model->opset_import = (struct onnx_opset_list){0};
    add_relu(m);
}

static void make_other_domain(struct maker *m)
{
    onnx_opset_add(m->arena, &m->model->opset_import, "com.example", 1);
    add_relu(m);
    add_node(m, "Frobnicate", "odd", "y", "z")->domain = "com.example";
}

static void make_domain_not_imported(struct maker *m)
{
    add_relu(m);
    add_node(m, "Relu", "odd", "y", "z")->domain = "com.example";
}

/* Branches in branches. */
static void nest(struct maker *m, int depth, const char *in)
{
    struct onnx_tensor *yes = onnx_tensor_new(m->arena, "yes", ONNX_BOOL, NULL, 0);
    struct onnx_graph *outer = m->graph, *inner = onnx_graph_new(m->arena, "branch");

    if (depth == 0) {
        add_node(m, "Relu", "innermost", in, "deep");
        add_output(m, "deep");
        return;
    }
    onnx_tensor_raw(yes, "\1", 1);
    onnx_node_tensor(m->arena, add_node(m, "Constant", NULL, "", "c"), "value", yes);
    struct onnx_node *choose = add_node(m, "If", "choose", "c", "deep");
    m->graph = inner;
    nest(m, depth - 1, in);
    m->graph = onnx_graph_new(m->arena, "other");
    add_node(m, "Neg", NULL, in, "deep");
    add_output(m, "deep");
    onnx_node_graph(m->arena, choose, "then_branch", inner);
    onnx_node_graph(m->arena, choose, "else_branch", m->graph);
    m->graph = outer;
    add_output(m, "deep");
}

static void make_nested(struct maker *m)
{
    add_input(m, "x", (int64_t[]){2, 3}, 2);
    nest(m, 8, "x");
}

static void make_nested_deeply(struct maker *m)
{
    add_input(m, "x", (int64_t[]){2, 3}, 2);
    nest(m, 30, "x");
}

static void make_calls_itself(struct maker *m)
{
    struct onnx_function *f = onnx_function_new(m->arena, m->model, "Again", "local");
    struct onnx_graph *graph = m->graph;
    struct onnx_graph body = {0};

    onnx_opset_add(m->arena, &m->model->opset_import, "local", 1);
    onnx_opset_add(m->arena, &f->opset_import, "local", 1);
    onnx_text_add(m->arena, &f->input, "a");
    onnx_text_add(m->arena, &f->output, "b");
    m->graph = &body;
    add_node(m, "Again", "inner", "a", "b")->domain = "local";
    f->node = body.node;
    m->graph = graph;
    add_input(m, "x", (int64_t[]){2, 3}, 2);
    add_node(m, "Again", "outer", "x", "y")->domain = "local";
    add_output(m, "y");
}

/* --- files ----------------------------------------------------------------------------------- */

/* An input whose first extent has no name, and is open. */
static void add_open_input(struct maker *m, const char *name)
{
    static const int64_t dim[] = {1, 3};

    add_input(m, name, dim, 2);
    onnx_value_info_param(m->graph->input.last, 0, onnx_absent);
}

/* Both have to be equally long, and nobody says so. */
static void make_open_twins(struct maker *m)
{
    add_open_input(m, "a");
    add_open_input(m, "b");
    add_node(m, "Add", "sum", "a,b", "y");
    add_output(m, "y");
}

/* A table of 32 rows, of which there are fewer if x is shorter: what that divides by differs. */
static void make_open_short(struct maker *m)
{
    static const char begin[sizeof(int64_t)] = {0}, end[sizeof(int64_t)] = {32};
    struct onnx_tensor *from = onnx_tensor_new(m->arena, "from", ONNX_INT64, (int64_t[]){1}, 1);
    struct onnx_tensor *to = onnx_tensor_new(m->arena, "to", ONNX_INT64, (int64_t[]){1}, 1);

    add_open_input(m, "x");
    onnx_tensor_raw(from, begin, sizeof begin);
    onnx_tensor_raw(to, end, sizeof end);
    m->graph->initializer = onnx_tensor_append(m->graph->initializer, from);
    m->graph->initializer = onnx_tensor_append(m->graph->initializer, to);
    add_node(m, "Slice", "first", "x,from,to", "few");
    add_node(m, "Shape", "count", "few", "n");
    onnx_node_int(m->arena, add_node(m, "Cast", "number", "n", "f"), "to", ONNX_FLOAT);
    add_node(m, "ReduceProd", "all", "f", "p");
    add_node(m, "Div", "mean", "few,p", "y");
    add_output(m, "y");
}

/* What is behind NonZero is known only when it was computed. */
static void make_open_cut(struct maker *m)
{
    add_open_input(m, "x");
    add_node(m, "NonZero", "find", "x", "places");
    onnx_node_int(m->arena, add_node(m, "Cast", "cast", "places", "y"), "to", ONNX_FLOAT);
    add_output(m, "y");
}

/* The same, a sum of weights, and a shape that an input decides. */
static void make_open_kept(struct maker *m)
{
    static const float ones[300] = {[7] = 2, [299] = 1};
    struct onnx_tensor *w = onnx_tensor_new(m->arena, "w", ONNX_FLOAT, (int64_t[]){300}, 1);

    make_open_cut(m);
    onnx_tensor_raw(w, ones, sizeof ones);
    m->graph->initializer = onnx_tensor_append(m->graph->initializer, w);
    m->graph->input = onnx_value_info_append(
        m->graph->input, onnx_value_info_new(m->arena, "k", ONNX_INT64, (int64_t[]){1}, 1));
    add_node(m, "ReduceSum", "all", "w", "sum");
    add_node(m, "Squeeze", "single", "sum", "item");
    add_node(m, "Expand", "spread", "item,k", "z");
    add_output(m, "z");
}

/* A function that calls itself with what only a run can tell the size of. */
static void make_parts_without_end(struct maker *m)
{
    static const char item[sizeof(int64_t)] = {1};
    struct onnx_tensor *one = onnx_tensor_new(m->arena, "one", ONNX_INT64, (int64_t[]){1}, 1);
    struct onnx_function *f = onnx_function_new(m->arena, m->model, "Again", "local");
    struct onnx_graph *graph = m->graph;
    struct onnx_graph body = {0};

    onnx_opset_add(m->arena, &m->model->opset_import, "local", 1);
    onnx_opset_add(m->arena, &f->opset_import, "local", 1);
    onnx_opset_add(m->arena, &f->opset_import, "", 17);
    onnx_text_add(m->arena, &f->input, "a");
    onnx_text_add(m->arena, &f->input, "one");
    onnx_text_add(m->arena, &f->output, "b");
    m->graph = &body;
    add_node(m, "NonZero", "find", "a", "places");
    onnx_node_int(m->arena, add_node(m, "Cast", "cast", "places", "numbers"), "to", ONNX_FLOAT);
    add_node(m, "ReduceMax", "max", "numbers", "last");
    add_node(m, "Reshape", "single", "last,one", "item");
    add_node(m, "Add", "sum", "a,item", "more");
    add_node(m, "Again", "inner", "more,one", "b")->domain = "local";
    f->node = body.node;
    m->graph = graph;
    add_input(m, "x", (int64_t[]){100}, 1);
    onnx_tensor_raw(one, item, sizeof item);
    m->graph->initializer = onnx_tensor_append(m->graph->initializer, one);
    add_node(m, "Again", "outer", "x,one", "y")->domain = "local";
    add_output(m, "y");
}

/* x[9,9], too large to decide by its items, and the sequence s = [x, x]. */
static void begin_sequence(struct maker *m)
{
    static const int64_t dim[] = {9, 9};

    add_input(m, "x", dim, 2);
    add_node(m, "SequenceConstruct", "list", "x,x", "s");
}

static void make_sequence_shown(struct maker *m)
{
    begin_sequence(m);
    add_output(m, "s");
}

static void make_sequence_added(struct maker *m)
{
    begin_sequence(m);
    add_node(m, "Add", "sum", "s,x", "y");
    add_output(m, "y");
}

static void make_sequence_of_none(struct maker *m)
{
    begin_sequence(m);
    add_node(m, "SequenceLength", "count", "x", "y");
    add_output(m, "y");
}

static void make_sequence_mixed(struct maker *m)
{
    begin_sequence(m);
    onnx_node_int(m->arena, add_node(m, "Cast", "whole", "x", "i"), "to", ONNX_INT64);
    add_node(m, "SequenceInsert", "more", "s,i", "t");
    add_node(m, "ConcatFromSequence", "join", "t", "y");
    add_output(m, "y");
}

/* There are two tensors, at 0 and 1. */
static void make_sequence_place(struct maker *m)
{
    static const char two[sizeof(int64_t)] = {2};
    struct onnx_tensor *place = onnx_tensor_new(m->arena, "place", ONNX_INT64, NULL, 0);

    begin_sequence(m);
    onnx_tensor_raw(place, two, sizeof two);
    m->graph->initializer = onnx_tensor_append(m->graph->initializer, place);
    add_node(m, "SequenceAt", "take", "s,place", "y");
    add_output(m, "y");
}

static void make_sequence_fraction(struct maker *m)
{
    begin_sequence(m);
    add_weights(m, "place", NULL, 0, -0.5F);
    add_node(m, "SequenceAt", "take", "s,place", "y");
    add_output(m, "y");
}

/* Which tensor is taken depends on items of x, so the list goes from part to part. */
static void make_sequence_cut(struct maker *m)
{
    begin_sequence(m);
    add_node(m, "NonZero", "find", "x", "places");
    add_node(m, "Size", "count", "places", "n");
    add_node(m, "SequenceAt", "take", "s,n", "y");
    add_output(m, "y");
}

/* A function that makes a sequence of what only a run can tell the size of, as both results. */
static void make_sequence_twice(struct maker *m)
{
    struct onnx_function *f = onnx_function_new(m->arena, m->model, "Both", "local");
    struct onnx_graph *graph = m->graph;
    struct onnx_graph body = {0};

    onnx_opset_add(m->arena, &m->model->opset_import, "local", 1);
    onnx_opset_add(m->arena, &f->opset_import, "", 17);
    onnx_text_add(m->arena, &f->input, "a");
    onnx_text_add(m->arena, &f->output, "s");
    onnx_text_add(m->arena, &f->output, "s");
    m->graph = &body;
    add_node(m, "NonZero", "find", "a", "places");
    onnx_node_int(m->arena, add_node(m, "Cast", "cast", "places", "numbers"), "to", ONNX_FLOAT);
    add_node(m, "SequenceConstruct", "list", "numbers,numbers", "s");
    f->node = body.node;
    m->graph = graph;
    add_input(m, "x", (int64_t[]){9, 9}, 2);
    add_node(m, "Both", "both", "x", "s,t")->domain = "local";
    onnx_node_int(m->arena, add_node(m, "ConcatFromSequence", "join", "s", "u"), "axis", 0);
    onnx_node_int(m->arena, add_node(m, "ConcatFromSequence", "again", "t", "v"), "axis", 0);
    add_node(m, "Sub", "apart", "u,v", "y");
    add_output(m, "y");
}

static void make_sequence_mapped(struct maker *m)
{
    begin_sequence(m);
    onnx_text_add(m->arena, &add_node(m, "SequenceMap", "map", "s", "y")->input, "");
    add_output(m, "y");
}

struct row {
    const char *name;
    void (*make)(struct maker *m);
};
#define ROW(name)          \
    {                      \
#name, make_##name \
    }

static const struct row rows[] = {
    ROW(resnet_block),
    ROW(external),
    ROW(opset7),
    ROW(ir3),
    ROW(identity_outputs),
    ROW(unused_inputs),
    ROW(open_extents),
    ROW(blanks),
    ROW(broadcast),
    ROW(called_twice),
    ROW(parts),
    ROW(external_dotdot),
    ROW(external_absolute),
    ROW(external_short),
    ROW(external_length),
    ROW(external_missing),
    ROW(two_producers),
    ROW(parts_two_producers),
    ROW(input_produced),
    ROW(weight_produced),
    ROW(cycle),
    ROW(own_input),
    ROW(unordered),
    ROW(nothing_made),
    ROW(output_missing),
    ROW(raw_size),
    ROW(raw_size_in_node),
    ROW(new_opset),
    ROW(old_opset),
    ROW(no_opset),
    ROW(other_domain),
    ROW(domain_not_imported),
    ROW(nested),
    ROW(nested_deeply),
    ROW(calls_itself),
    ROW(open_twins),
    ROW(open_cut),
    ROW(open_short),
    ROW(open_kept),
    ROW(parts_without_end),
    ROW(sequence_shown),
    ROW(sequence_added),
    ROW(sequence_of_none),
    ROW(sequence_mixed),
    ROW(sequence_place),
    ROW(sequence_cut),
    ROW(sequence_fraction),
    ROW(sequence_twice),
    ROW(sequence_mapped),
    {0},
};

/* Complete, or false after a report. */
static bool write_row(struct diag *diag, const char *folder, const struct row *row)
{
    struct maker m = {.arena = arena_new()};
    struct out_set set = {diag, .force = true};
    char path[PATH_SIZE];

    snprintf(path, sizeof path, "%s/%s.onnx", folder, row->name);
    m.model = onnx_model_new(m.arena, 8, row->name);
    m.graph = m.model->graph;
    onnx_opset_add(m.arena, &m.model->opset_import, "", 17);
    row->make(&m);
    struct out_file *file = out_open(&set, path);
    struct sink sink = file ? out_sink(file) : (struct sink){.name = path};
    bool ok = out_commit(&set, file && onnx_model_put(diag, &sink, m.model));
    arena_free(m.arena);
    return ok;
}

static bool write_data(struct diag *diag, const char *folder)
{
    static const unsigned char bytes[DATA_SIZE];
    struct out_set set = {diag, .force = true};
    char path[PATH_SIZE];

    snprintf(path, sizeof path, "%s/external.bin", folder);
    struct out_file *file = out_open(&set, path);
    if (file)
        out_write(file, bytes, sizeof bytes);
    return out_commit(&set, file);
}

int main(int argc, char **argv)
{
    struct diag *diag = diag_new(NULL);
    bool ok = argc == 2;

    if (!ok)
        fputs("usage: onnx_models FOLDER\n", stderr);
    ok = ok && write_data(diag, argv[1]);
    for (const struct row *row = rows; ok && row->name; row++)
        ok = write_row(diag, argv[1], row);
    diag_print(diag, stderr, DIAG_STYLE_SHORT, false);
    diag_free(diag);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
