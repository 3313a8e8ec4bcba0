/* test_quantize_graph.c - which values are quantized, which of them alike, and by which integers */
#include "base/text.h"
#include "diag/context.h"
#include "diag/diag.h"
#include "ir/graph_edit.h"
#include "lower/lower.h"
#include "op/graph_print.h"
#include "op/op.h"
#include "parser/parser.h"
#include "pass/edit.h"
#include "pass/quantize_adapt.h"
#include "tensor/retained.h"

#include "support/t.h"

#include <string.h>

/* w has a channel of small weights, and v a bias beyond what its input and weights can reach. */
static const char document[] =
    "version 1.0;\n"
    "graph net( x, h ) -> ( y, z, o )\n"
    "{\n"
    "    x = external<scalar>( shape = [1,2,4,4] );\n"
    "    w = constant<scalar>( shape = [2,2,1,1], value = [1.0, -2.54, 0.001, 0.0005] );\n"
    "    v = constant<scalar>( shape = [2,2,1,1], value = [1.0, 0.5, 0.0, 1e-12] );\n"
    "    c = constant<scalar>( shape = [1,2], value = [0.5, 1000.0] );\n"
    "    a1 = conv( x, w );\n"
    "    a2 = relu( a1 );\n"
    "    b1 = conv( a2, v, c );\n"
    "    b2 = add( b1, a2 );\n" /* b1 ends in the add, a2 is quantized for the conv */
    "    p = max_pool( b2, size = [1,1,2,2], stride = [1,1,2,2],\n"
    "                  padding = [(0,0),(0,0),(0,0),(0,0)] );\n"
    "    q = conv( p, w );\n"
    "    r = sigmoid( q );\n"
    "    s = tanh( p );\n"
    "    t = concat( [r, s], axis = 1 );\n"
    "    f = slice( t, axes = [1], begin = [1], end = [3] );\n"
    "    y = conv( f, w );\n"
    "    z = conv( r, w );\n" /* r is read alone, too */
    "    h = external<scalar>( shape = [2,3] );\n"
    "    m = constant<scalar>( shape = [1,3], value = [0.4, 0.4, 127.0] );\n"
    "    o = linear( h, m );\n"
    "}\n";

struct fixture {
    struct context *context;
    struct graph *graph;
    struct quantize_plan *plan;
    struct retained_tensor *kept;
};

static bool keeps_none(const void *data, const struct node *node)
{
    (void)data;
    (void)node;
    return false;
}

static int setup(void **state)
{
    static struct fixture f;

    f = (struct fixture){.context = context_new()};
    uint32_t base = sources_add(f.context->sources, "net.nnef", document, sizeof document - 1);
    struct document *parsed =
        parse_text(f.context, base, document, sizeof document - 1, &(struct parse_options){0});
    const struct checked *checked = sema_check(f.context, parsed, &(struct sema_options){0});
    struct graph *graph = checked ? lower(checked, &(struct lower_options){0}) : NULL;
    if (!graph) {
        diag_print(f.context->diag, stderr, DIAG_STYLE_SHORT, false);
        return -1;
    }
    f.graph = graph_copy(graph);
    f.plan = quantize_find(f.graph, &(struct quantize_wish){.bits = 8, .keeps = keeps_none});
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    quantize_weights_free(f->plan);
    retained_tensors_free(f->context, f->kept);
    context_free(f->context);
    return 0;
}

static const struct value *find(const struct graph *graph, const char *name)
{
    for (struct value *const *v = graph_values(graph); *v; v++)
        if ((*v)->name && strcmp((*v)->name, name) == 0)
            return *v;
    fail_msg("there is no '%s'", name);
    return NULL;
}

static int group(const struct fixture *f, const char *name)
{
    return f->plan->group_of[find(f->graph, name)->id];
}

static void set_scales(const struct fixture *f, float scale)
{
    for (int i = 0; i < f->plan->groups; i++)
        f->plan->group[i] = (struct quantize_group){scale, 0, false};
}

static struct graph *applied(struct fixture *f)
{
    struct text why = {0};
    struct graph *copy = graph_copy(f->graph);

    assert_true(quantize_apply(f->plan, copy, &f->kept));
    assert_true(graph_verify(copy, &why));
    return copy;
}

static int count(const struct graph *graph, enum op_id op)
{
    int found = 0;

    for (const struct node *n = graph->first; n; n = n->next)
        found += n->op->id == op;
    return found;
}

static void nothing_within_a_region_is_quantized(void **state)
{
    const struct fixture *f = *state;

    assert_int_equal(f->plan->layers, 6);
    assert_true(group(f, "x") >= 0);
    assert_int_equal(group(f, "a1"), -1);
    assert_true(group(f, "a2") >= 0);
    assert_int_equal(group(f, "b1"), -1);
    assert_int_equal(group(f, "q"), -1);
    assert_int_equal(group(f, "y"), -1);
    assert_int_equal(group(f, "z"), -1);
}

static void moves_share_the_quantization_of_their_operand(void **state)
{
    const struct fixture *f = *state;

    assert_int_equal(group(f, "p"), group(f, "b2"));
    assert_int_equal(group(f, "f"), group(f, "t"));
    assert_true(group(f, "a2") != group(f, "b2"));
}

/* What something else reads, too, keeps its own. */
static void parts_that_only_a_concat_reads_have_that_of_the_whole(void **state)
{
    const struct fixture *f = *state;

    assert_int_equal(group(f, "s"), group(f, "t"));
    assert_true(group(f, "r") >= 0 && group(f, "r") != group(f, "t"));
}

static void weights_are_symmetric_by_channel(void **state)
{
    struct fixture *f = *state;

    assert_true(quantize_weights(f->plan, false));
    const int64_t *items = f->plan->layer[0].items.data;
    const float *scale = f->plan->layer[0].scale.data;
    assert_true(scale[0] == 2.54F / 127 && scale[1] == 0.001F / 127);
    assert_int_equal(items[0], 50);
    assert_int_equal(items[1], -127);
    assert_int_equal(items[2], 127);
    assert_true(items[3] == 63 || items[3] == 64); /* 63.5, but for what floats round */
}

static void weights_of_a_tensor_have_one_scale(void **state)
{
    struct fixture *f = *state;

    assert_true(quantize_weights(f->plan, true));
    const int64_t *items = f->plan->layer[0].items.data;
    assert_int_equal(shape_volume(&f->plan->layer[0].scale.shape), 1);
    assert_int_equal(items[1], -127);
    assert_int_equal(items[2], 0);
}

/* Both of the small weights are multiplied with nearly the same number: one step is nearer to 0.8
 * than none. */
static void errors_of_weights_are_passed_on(void **state)
{
    struct fixture *f = *state;
    struct quantize_layer *layer = &f->plan->layer[5];
    static float items[] = {1, 1, 0, 2, 2, 0};
    const struct tensor input = {
        .shape = {.rank = 2, .extent = {2, 3}}, .dtype = DTYPE_SCALAR, .data = items};
    struct moments moments;

    assert_true(quantize_weights(f->plan, false));
    assert_true(quantize_adapts(layer) && quantize_moments_begin(layer, &moments));
    assert_true(quantize_moments_add(layer, &moments, &input, 2));
    assert_true(moments.sums[0] == 5 && moments.sums[3] == 5 && moments.sums[8] == 0);
    assert_true(quantize_adapt(layer, &moments));
    moments_free(&moments);
    for (int adapted = 0; adapted < 2; adapted++) {
        quantize_use_adapted(f->plan, adapted);
        const int64_t *integers = layer->items.data;
        assert_int_equal(integers[0], 0);
        assert_int_equal(integers[1], adapted);
        assert_int_equal(integers[2], 127);
    }
}

/* Two of the 16 positions are asked for: both channels there. */
static void windows_are_spread_over_the_results(void **state)
{
    struct fixture *f = *state;
    struct quantize_layer *layer = &f->plan->layer[0];
    float items[32];
    const struct tensor input = {
        .shape = {.rank = 4, .extent = {1, 2, 4, 4}}, .dtype = DTYPE_SCALAR, .data = items};
    struct moments moments;

    for (int i = 0; i < 32; i++)
        items[i] = (float)i;
    assert_true(quantize_moments_begin(layer, &moments));
    assert_true(quantize_moments_add(layer, &moments, &input, 2)); /* of 0 and 8 */
    assert_true(moments.sums[0] == 8 * 8 && moments.sums[2] == 8 * 24);
    assert_true(moments.sums[3] == 16 * 16 + 24 * 24);
    moments_free(&moments);
}

static void weights_in_blocks_are_rows_with_a_scale_and_zero_each(void **state)
{
    struct fixture *f = *state;
    float items[32], *scale;
    struct quantize_layer *layer = &f->plan->layer[5];
    struct tensor *tensor = layer->node->in[1].value->source->tensor;
    const struct tensor before = *tensor;
    const struct shape shape = {.rank = 2, .extent = {1, 32}},
                       *was = layer->node->in[1].value->shape;

    for (int i = 0; i < 32; i++) /* half steps from -8 to 7, and whole ones from 0 to 15 */
        items[i] = i < 16 ? 0.5F * (float)(i - 8) : (float)(i - 16);
    *tensor = (struct tensor){.shape = shape, .dtype = DTYPE_SCALAR, .data = items};
    layer->node->in[1].value->shape = &shape;
    layer->bits = 4;
    layer->block = 16;
    assert_true(quantize_weights(f->plan, false));
    scale = layer->scale.data;
    assert_true(scale[0] == 0.5F && scale[1] == 1);
    assert_int_equal(((const int64_t *)layer->zero.data)[0], 0);
    assert_int_equal(((const int64_t *)layer->zero.data)[1], -8);
    for (int i = 0; i < 32; i++)
        assert_int_equal(((const int64_t *)layer->items.data)[i], i % 16 - 8);
    *tensor = before;
    layer->node->in[1].value->shape = was;
}

static void layers_that_are_not_enabled_change_nothing(void **state)
{
    struct fixture *f = *state;

    assert_true(quantize_weights(f->plan, false));
    set_scales(f, 0.01F);
    struct graph *copy = applied(f);
    assert_int_equal(count(copy, OP_quantize), 0);
    assert_int_equal(copy->node_count, f->graph->node_count);
}

static void each_value_is_quantized_once(void **state)
{
    struct fixture *f = *state;

    assert_true(quantize_weights(f->plan, false));
    set_scales(f, 0.01F);
    for (int i = 0; i < f->plan->layers; i++)
        f->plan->layer[i].enabled = true;
    struct graph *copy = applied(f);
    /* x, a2, b2, p, r, s, t, f, h */
    assert_int_equal(count(copy, OP_quantize), 9);
    /* and the weights of six layers, and one bias */
    assert_int_equal(count(copy, OP_dequantize), 9 + 6 + 1);
    const struct node *add = find(copy, "b2")->producer;
    assert_int_equal(add->in[0].value->producer->op->id, OP_conv);
    assert_int_equal(add->in[1].value->producer->op->id, OP_dequantize);
}

/* 1000 / (scale * 2^30), which leaves the integer of the bias below 2^31. */
static void a_bias_widens_the_scale_of_small_weights(void **state)
{
    struct fixture *f = *state;

    assert_true(quantize_weights(f->plan, false));
    set_scales(f, 0.01F);
    f->plan->layer[1].enabled = true;
    struct graph *copy = applied(f);
    const struct node *conv = find(copy, "b1")->producer;
    const struct node *weights = conv->in[1].value->producer, *bias = conv->in[2].value->producer;
    const double scale = value_item(weights->in[1].value, 1), exact = 1000 / 0.01 * 0x1p-30;
    assert_true(scale > exact * 0.999999 && scale < exact * 1.000001);
    assert_true(value_item(weights->in[0].value, 3) == 0);
    const double b = value_item(bias->in[0].value, 1);
    assert_true(b > 0x1p30 * 0.99999 && b < 0x1p30 * 1.00001);
    assert_true(value_item(bias->in[0].value, 0) == rint(0.5 / (double)(0.01F * (1.0F / 127))));
}

int main(void)
{
#define TEST_OF(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST_OF(nothing_within_a_region_is_quantized),
        TEST_OF(moves_share_the_quantization_of_their_operand),
        TEST_OF(parts_that_only_a_concat_reads_have_that_of_the_whole),
        TEST_OF(weights_are_symmetric_by_channel),
        TEST_OF(weights_of_a_tensor_have_one_scale),
        TEST_OF(errors_of_weights_are_passed_on),
        TEST_OF(windows_are_spread_over_the_results),
        TEST_OF(weights_in_blocks_are_rows_with_a_scale_and_zero_each),
        TEST_OF(layers_that_are_not_enabled_change_nothing),
        TEST_OF(each_value_is_quantized_once),
        TEST_OF(a_bias_widens_the_scale_of_small_weights),
    };
    return cmocka_run_group_tests_name("quantize_graph", tests, NULL, NULL);
}
