/* test_quantized.c - passes of quantized values leave values that a caller wants to keep */
#include "diag/context.h"
#include "diag/diag.h"
#include "lower/lower.h"
#include "op/op.h"
#include "parser/parser.h"
#include "pass/pass.h"
#include "tensor/retained.h"

#include "support/t.h"

#include <assert.h>
#include <string.h>

static const char document[] =
    "version 1.0;\n"
    "extension KHR_enable_fragment_definitions;\n"
    "fragment quantize( x: tensor<scalar>, scale: tensor<scalar>, zero: tensor<integer> = 0,\n"
    "                   low: integer = 0, high: integer = 255 ) -> ( y: tensor<integer> );\n"
    "fragment dequantize( x: tensor<integer>, scale: tensor<scalar>,\n"
    "                     zero: tensor<integer> = 0 ) -> ( y: tensor<scalar> );\n"
    "graph net( x ) -> ( y )\n"
    "{\n"
    "    x = external<scalar>( shape = [1,2] );\n"
    "    w = constant<integer>( shape = [2,2], value = [1, 2, 3, 4] );\n"
    "    b = constant<integer>( shape = [1,2], value = [5, 6] );\n"
    "    q = quantize( x, 0.5 );\n"
    "    n = dequantize( q, 0.5 );\n"
    "    again = quantize( n, 0.5 );\n"
    "    m = dequantize( again, 0.5 );\n"
    "    moved = reshape( m, shape = [1,2] );\n"
    "    wn = dequantize( w, 0.25 );\n"
    "    bn = dequantize( b, 0.125 );\n"
    "    product = matmul( moved, wn );\n"
    "    sum = add( product, bn );\n"
    "    bounded = relu( sum );\n"
    "    y = quantize( bounded, 0.5 );\n"
    "}\n";

static bool is_named(const void *name, const struct value *value)
{
    return value->name && strcmp(value->name, name) == 0;
}

/* What the passes leave if that value has to stay: of each of these operators. */
struct left {
    int quantize, matmul, add, relu, quantized_matmul, requantize;
    bool stays;
};

static void count(struct left *left, const struct node *node, const char *pinned)
{
    left->quantize += node->op->id == OP_quantize;
    left->matmul += node->op->id == OP_matmul;
    left->add += node->op->id == OP_add;
    left->relu += node->op->id == OP_relu;
    left->quantized_matmul += node->op->id == OP_quantized_matmul;
    left->requantize += node->op->id == OP_requantize;
    left->stays |= is_named(pinned, &node->out[0]);
}

static struct left rewritten(const char *pinned)
{
    struct context *context = context_new();
    uint32_t base = sources_add(context->sources, "net.nnef", document, sizeof document - 1);
    struct document *parsed =
        parse_text(context, base, document, sizeof document - 1, &(struct parse_options){0});
    const struct checked *checked = sema_check(context, parsed, &(struct sema_options){0});
    struct graph *graph = checked ? lower(checked, &(struct lower_options){0}) : NULL;
    bool *enabled = calloc((size_t)pass_count(), sizeof *enabled);
    struct retained_tensor *kept = NULL;
    struct pass_report report;
    struct left left = {0};

    assert_true(graph && enabled);
    assert(graph);
    enabled[pass_find("remove-dead")] = true;
    enabled[pass_find("move-quantized")] = true;
    enabled[pass_find("find-quantized-layers")] = true;
    enabled[pass_find("dequantize-constants")] = true;
    const struct pass_options options = {.enabled = enabled,
                                         .rounds = PASS_ROUNDS,
                                         .growth = PASS_GROWTH,
                                         .verify = true,
                                         .pinned = is_named,
                                         .pin_data = pinned};
    assert_true(passes_run(graph, &options, &kept, &report));
    for (const struct node *n = graph->first; n; n = n->next)
        count(&left, n, pinned);
    retained_tensors_free(context, kept);
    context_free(context);
    free(enabled);
    return left;
}

static void everything_becomes_one_layer(void **state)
{
    struct left left = rewritten("");

    (void)state;
    assert_int_equal(left.quantize, 1);
    assert_int_equal(left.matmul + left.add + left.relu, 0);
    assert_int_equal(left.quantized_matmul, 1);
    assert_int_equal(left.requantize, 1);
}

static void values_that_are_kept_stay(void **state)
{
    static const char *const names[] = {"q", "n", "again", "moved", "product", "sum", "bounded"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!rewritten(names[i]).stays)
            fail_msg("'%s' is gone", names[i]);
}

static void a_product_that_is_kept_is_no_layer(void **state)
{
    struct left left = rewritten("product");

    (void)state;
    assert_int_equal(left.matmul, 1);
    assert_int_equal(left.quantized_matmul, 0);
}

static void a_sum_that_is_kept_is_no_bias(void **state)
{
    struct left left = rewritten("sum");

    (void)state;
    assert_int_equal(left.quantized_matmul, 1);
    assert_int_equal(left.add, 1);
    assert_int_equal(left.requantize, 0);
}

static void numbers_that_are_kept_are_bounded(void **state)
{
    struct left left = rewritten("bounded");

    (void)state;
    assert_int_equal(left.relu, 1);
    assert_int_equal(left.requantize, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_becomes_one_layer),
        cmocka_unit_test(values_that_are_kept_stay),
        cmocka_unit_test(a_product_that_is_kept_is_no_layer),
        cmocka_unit_test(a_sum_that_is_kept_is_no_bias),
        cmocka_unit_test(numbers_that_are_kept_are_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
