/* test_pnnx_text.c - what the text of a model of PNNX says is there, whether or not it can be
 * computed */
#include "nnefc/nnefc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/t.h"

static const char text[] = "7767517\n"
                           "4 3\n"
                           "pnnx.Input in 0 1 0 #0=(1,?,%w)f32\n"
                           "torch.chunk c 1 2 0 1 2 chunks=2 dim=-1 $input=0 #1=(1,?,8)f16\n"
                           "my.Op o 2 0 1 1 ceil_mode=True scale=(1.5,2) @weight=(3,4)i8\n"
                           "pnnx.Output out 1 0 2\n";

/* A model that was read from these bytes. */
static struct nnefc_model *read_text(enum nnefc_pnnx_reading reading, enum nnefc_status expected)
{
    struct nnefc_model *model = nnefc_model_new();
    char path[] = "/tmp/nnefc-XXXXXX";
    int file = mkstemp(path);

    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    assert_int_equal(nnefc_model_set_pnnx_reading(model, reading), NNEFC_OK);
    assert_int_equal(nnefc_model_load(model, path), expected);
    remove(path);
    return model;
}

static void operators_and_operands_know_each_other(void **state)
{
    struct nnefc_model *model = read_text(NNEFC_PNNX_TO_READ, NNEFC_OK);

    (void)state;
    assert_int_equal(nnefc_pnnx_operators(model)->count, 4);
    assert_int_equal(nnefc_pnnx_operands(model)->count, 3);
    const struct nnefc_pnnx_operator *chunk = nnefc_pnnx_operators(model)->at[1];
    assert_string_equal(chunk->type, "torch.chunk");
    assert_string_equal(chunk->name, "c");
    assert_int_equal(chunk->line, 4);
    assert_int_equal(chunk->outputs->count, 2);
    assert_int_equal(nnefc_pnnx_operators(model)->at[1]->inputs->at[0]->operand, 0);
    assert_string_equal(nnefc_pnnx_operators(model)->at[1]->inputs->at[0]->argument, "input");
    assert_int_equal(nnefc_pnnx_operators(model)->at[1]->outputs->at[1]->operand, 2);
    assert_null(nnefc_pnnx_operators(model)->at[2]->inputs->at[1]->argument);
    const struct nnefc_pnnx_operand *half = nnefc_pnnx_operands(model)->at[1];
    assert_string_equal(half->name, "1");
    assert_int_equal(half->producer, 1);
    assert_int_equal(half->port, 0);
    assert_int_equal(half->uses->count, 2);
    assert_int_equal(nnefc_pnnx_operands(model)->at[1]->uses->at[1]->reader, 2);
    assert_int_equal(nnefc_pnnx_operands(model)->at[1]->uses->at[1]->input, 1);
    assert_int_equal(nnefc_pnnx_operands(model)->at[2]->uses->at[0]->reader, 3);
    nnefc_model_free(model);
}

static void parameters_and_shapes_are_as_written(void **state)
{
    struct nnefc_model *model = read_text(NNEFC_PNNX_TO_READ, NNEFC_OK);

    (void)state;
    const struct nnefc_pnnx_parameter *ceil_mode =
        nnefc_pnnx_operators(model)->at[2]->parameters->at[0];
    assert_string_equal(ceil_mode->key, "ceil_mode");
    assert_int_equal(ceil_mode->value->kind, NNEFC_PNNX_LOGICAL);
    const struct nnefc_pnnx_value *scale =
        nnefc_pnnx_operators(model)->at[2]->parameters->at[1]->value;
    assert_int_equal(scale->kind, NNEFC_PNNX_LIST);
    assert_int_equal(scale->items->count, 2);
    assert_true(scale->items->at[0]->real == 1.5);
    assert_int_equal(scale->items->at[1]->kind, NNEFC_PNNX_INTEGER);
    assert_null(scale->items->at[2]);
    const struct nnefc_pnnx_attribute *weight =
        nnefc_pnnx_operators(model)->at[2]->attributes->at[0];
    assert_string_equal(weight->name, "weight");
    assert_string_equal(weight->shape->type, "i8");
    const struct nnefc_pnnx_shape *shape = nnefc_pnnx_operands(model)->at[0]->shape;
    assert_int_equal(shape->extents->count, 3);
    assert_int_equal(shape->extents->at[0]->extent, 1);
    assert_int_equal(shape->extents->at[1]->extent, NNEFC_UNKNOWN);
    assert_null(shape->extents->at[1]->symbol);
    assert_string_equal(shape->extents->at[2]->symbol, "w");
    assert_null(nnefc_pnnx_operands(model)->at[2]->shape);
    nnefc_model_free(model);
}

static void they_are_there_though_the_model_cannot_be_computed(void **state)
{
    struct nnefc_model *model = read_text(NNEFC_PNNX_TO_COMPUTE, NNEFC_UNSUPPORTED);

    (void)state;
    assert_null(nnefc_model_name(model));
    assert_string_equal(nnefc_pnnx_operators(model)->at[2]->type, "my.Op");
    assert_int_equal(nnefc_model_set_pnnx_reading(model, NNEFC_PNNX_TO_READ), NNEFC_USAGE);
    nnefc_model_free(model);
}

static void what_cannot_be_computed_is_in_order_yet(void **state)
{
    struct nnefc_model *model = read_text(NNEFC_PNNX_TO_INFORM, NNEFC_OK);

    (void)state;
    assert_null(nnefc_model_name(model));
    assert_int_equal(nnefc_model_status(model), NNEFC_OK);
    assert_int_equal(nnefc_model_diagnostics(model)->count, 2); /* the weights, and the operator */
    const struct nnefc_diagnostic *said = nnefc_model_diagnostics(model)->at[1];
    assert_string_equal(said->warning, "not-computable");
    assert_int_equal(said->line, 5);
    nnefc_model_free(model);
    nnefc_model_free(read_text(NNEFC_PNNX_TO_VERIFY, NNEFC_FILE));
    model = nnefc_model_new();
    assert_int_equal(nnefc_model_set_pnnx_reading(model, (enum nnefc_pnnx_reading)4), NNEFC_USAGE);
    nnefc_model_free(model);
}

static void what_is_not_there_is_not_listed(void **state)
{
    struct nnefc_model *model = nnefc_model_new();

    (void)state;
    assert_int_equal(nnefc_pnnx_operators(model)->count, 0);
    assert_int_equal(nnefc_pnnx_operands(NULL)->count, 0);
    nnefc_model_free(model);
    model = read_text(NNEFC_PNNX_TO_READ, NNEFC_OK);
    assert_null(nnefc_pnnx_operators(model)->at[4]);
    assert_int_equal(nnefc_pnnx_operators(model)->at[0]->inputs->count, 0);
    assert_int_equal(nnefc_pnnx_operators(model)->at[3]->outputs->count, 0);
    assert_null(nnefc_pnnx_operators(model)->at[1]->parameters->at[2]);
    assert_null(nnefc_pnnx_operators(model)->at[1]->attributes->at[0]);
    assert_int_equal(nnefc_pnnx_operands(model)->at[2]->uses->count, 1);
    nnefc_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_and_operands_know_each_other),
        cmocka_unit_test(parameters_and_shapes_are_as_written),
        cmocka_unit_test(they_are_there_though_the_model_cannot_be_computed),
        cmocka_unit_test(what_cannot_be_computed_is_in_order_yet),
        cmocka_unit_test(what_is_not_there_is_not_listed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
