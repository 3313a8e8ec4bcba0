/* test_inspect.c - what is said of a model: where it comes from, its operations, its costs */
#include "api/api_priv.h"
#include "ir/graph.h"
#include "nnefc/nnefc.h"

#include <string.h>

#include "support/api_model.h"
#include "support/t.h"

static const char text[] = "version 1.0;\n"
                           "extension KHR_enable_fragment_definitions;\n"
                           "fragment twice(x: tensor<scalar>) -> (y: tensor<scalar>)\n"
                           "{\n"
                           "    y = add(x, x);\n"
                           "}\n"
                           "graph g(x) -> (y)\n"
                           "{\n"
                           "    x = external<scalar>(shape = [2,3]);\n"
                           "    w = variable<scalar>(shape = [4,3], label = 'w');\n"
                           "    m = matmul(x, w, transposeB = true);\n"
                           "    t = twice(m);\n"
                           "    y = concat([t, m], axis = 0);\n"
                           "}\n";

static void load(struct nnefc_model *model)
{
    assert_int_equal(nnefc_model_load_text(model, "g.nnef", text, sizeof text - 1), NNEFC_OK);
}

/* --- where it comes from -------------------------------------------------------------------- */

static void a_model_that_is_not_loaded_is_nothing(void **state)
{
    struct nnefc_model *model = *state;

    assert_int_equal(nnefc_model_identity(model)->format, NNEFC_FORMAT_AUTO);
    assert_int_equal(nnefc_model_operations(model)->count, 0);
    assert_int_equal(nnefc_model_operators(model)->count, 0);
    assert_null(nnefc_model_operations(model)->at[0]);
    assert_null(nnefc_model_extensions(model)->at[0]);
    assert_null(nnefc_model_opsets(model)->at[0]);
    assert_int_equal(nnefc_model_declared_inputs(model)->count, 0);
    assert_null(nnefc_model_declared_outputs(model)->at[0]);
    assert_null(nnefc_model_node_types(model)->at[0]);
    assert_int_equal(nnefc_model_operations(NULL)->count, 0);
    assert_int_equal(nnefc_model_cost(model)->macs, 0);
    assert_int_equal(nnefc_model_verify(model, false), NNEFC_USAGE);
    assert_int_equal(nnefc_model_identity(NULL)->format, NNEFC_FORMAT_AUTO);
    assert_int_equal(nnefc_model_verify(NULL, false), NNEFC_USAGE);
}

static void a_text_tells_version_and_extensions(void **state)
{
    struct nnefc_model *model = *state;

    load(model);
    const struct nnefc_identity *identity = nnefc_model_identity(model);
    assert_int_equal(identity->format, NNEFC_FORMAT_NNEF);
    assert_int_equal(identity->dialect, NNEFC_DIALECT_1_0);
    assert_string_equal(identity->version, "1.0");
    assert_null(identity->producer);
    assert_int_equal(nnefc_model_extensions(model)->count, 1);
    assert_string_equal(nnefc_model_extensions(model)->at[0]->name,
                        "KHR_enable_fragment_definitions");
    assert_null(nnefc_model_extensions(model)->at[1]);
    assert_int_equal(nnefc_model_opsets(model)->count, 0);
}

static void a_format_is_chosen_before_loading(void **state)
{
    struct nnefc_model *model = *state;

    assert_string_equal(nnefc_format_name(NNEFC_FORMAT_ONNX), "onnx");
    assert_null(nnefc_format_name((enum nnefc_format)99));
    assert_int_equal(nnefc_model_set_format(model, (enum nnefc_format)99), NNEFC_USAGE);
    nnefc_model_clear_diagnostics(model);
    assert_int_equal(nnefc_model_set_format(model, NNEFC_FORMAT_ONNX), NNEFC_OK);
    assert_int_equal(nnefc_model_load_text(model, "g.nnef", text, sizeof text - 1), NNEFC_INVALID);
    assert_int_equal(nnefc_model_set_format(model, NNEFC_FORMAT_NNEF), NNEFC_USAGE);
}

/* --- its operations -------------------------------------------------------------------------- */

static void operations_stand_in_their_order(void **state)
{
    struct nnefc_model *model = *state;

    load(model);
    assert_int_equal(nnefc_model_operations(model)->count, 3);
    const struct nnefc_operation *add = nnefc_model_operations(model)->at[1];
    assert_string_equal(add->operation, "add");
    assert_string_equal(add->fragment, "twice");
    assert_int_equal(add->line, 5);
    assert_null(add->node);
    assert_int_equal(add->operands->count, 2);
    assert_int_equal(nnefc_model_operations(model)->at[0]->macs, 2 * 4 * 3);
    assert_int_equal(add->macs, 0);
    assert_null(nnefc_model_operations(model)->at[3]);
    assert_ptr_equal(nnefc_model_operations(model)->at[1], add);
}

static void operands_tell_where_they_come_from(void **state)
{
    struct nnefc_model *model = *state;

    load(model);
    const struct nnefc_value *w = nnefc_model_operations(model)->at[0]->operands->at[1];
    assert_string_equal(w->name, "w");
    assert_int_equal(w->kind, NNEFC_VALUE_VARIABLE);
    assert_int_equal(w->producer, -1);
    assert_int_equal(w->type.extent[0], 4);
    const struct nnefc_value *m = nnefc_model_operations(model)->at[2]->operands->at[1];
    assert_string_equal(m->name, "m");
    assert_int_equal(m->producer, 0);
    assert_int_equal(m->port, 0);
    assert_int_equal(m->array, 1);
    assert_string_equal(nnefc_model_operations(model)->at[2]->results->at[0]->name, "y");
    assert_null(nnefc_model_operations(model)->at[2]->operands->at[2]);
    assert_null(nnefc_model_operations(model)->at[2]->results->at[1]);
}

static void operations_tell_the_fragments_around_them(void **state)
{
    static const char nested[] =
        "version 1.0;\nextension KHR_enable_fragment_definitions;\n"
        "fragment inner(x: tensor<scalar>) -> (y: tensor<scalar>)\n{\n    y = relu(neg(x));\n}\n"
        "fragment outer(x: tensor<scalar>) -> (y: tensor<scalar>)\n{\n    y = inner(x);\n}\n"
        "graph g(x) -> (z)\n{\n    x = external<scalar>(shape = [2]);\n"
        "    y = outer(x);\n    z = exp(outer(y));\n}\n";
    struct nnefc_model *model = *state;

    assert_int_equal(nnefc_model_load_text(model, "g.nnef", nested, sizeof nested - 1), NNEFC_OK);
    const struct nnefc_operation_list *operations = nnefc_model_operations(model);
    assert_int_equal(operations->count, 5);
    const struct nnefc_expansion *inner = operations->at[0]->expansion;
    assert_string_equal(inner->fragment, "inner");
    assert_int_equal(inner->line, 9);
    assert_false(inner->standard);
    assert_string_equal(inner->caller->fragment, "outer");
    assert_string_equal(inner->caller->file, "g.nnef");
    assert_int_equal(inner->caller->line, 14);
    assert_null(inner->caller->caller);
    assert_ptr_equal(operations->at[1]->expansion, inner);
    assert_ptr_not_equal(operations->at[2]->expansion, inner);
    assert_int_equal(operations->at[2]->expansion->caller->line, 15);
    assert_null(operations->at[4]->expansion);
}

static void values_have_numbers_and_labels(void **state)
{
    struct nnefc_model *model = *state;

    load(model);
    const struct nnefc_operation_list *operations = nnefc_model_operations(model);
    const struct nnefc_value *m = operations->at[0]->results->at[0];
    assert_string_equal(operations->at[0]->operands->at[1]->label, "w");
    assert_null(m->label);
    assert_int_equal(operations->at[1]->operands->at[0]->id, m->id);
    assert_int_equal(operations->at[1]->operands->at[1]->id, m->id);
    assert_int_not_equal(operations->at[1]->results->at[0]->id, m->id);
    assert_int_equal(nnefc_model_inputs(model)->at[0]->id, operations->at[0]->operands->at[0]->id);
    assert_int_equal(nnefc_model_outputs(model)->at[0]->id, operations->at[2]->results->at[0]->id);
}

static void attributes_have_names_and_values(void **state)
{
    struct nnefc_model *model = *state;

    load(model);
    assert_int_equal(nnefc_model_operations(model)->at[0]->attributes->count, 2);
    const struct nnefc_attribute *transposed =
        nnefc_model_operations(model)->at[0]->attributes->at[1];
    assert_string_equal(transposed->name, "transposeB");
    assert_int_equal(nnefc_datum_kind(transposed->value), NNEFC_DATUM_LOGICAL);
    assert_true(nnefc_datum_logical(transposed->value));
    assert_int_equal(
        nnefc_datum_integer(nnefc_model_operations(model)->at[2]->attributes->at[0]->value), 0);
    assert_null(nnefc_model_operations(model)->at[0]->attributes->at[2]);
    assert_int_equal(nnefc_datum_kind(NULL), NNEFC_DATUM_NONE);
}

static void operators_are_counted_most_first_then_by_name(void **state)
{
    static const char chain[] = "version 1.0;\ngraph g(x) -> (y)\n{\n"
                                "    x = external<scalar>(shape = [2]);\n    a = neg(x);\n"
                                "    b = relu(a);\n    c = exp(b);\n    y = relu(c);\n}\n";
    struct nnefc_model *model = *state;

    assert_int_equal(nnefc_model_load_text(model, "g", chain, sizeof chain - 1), NNEFC_OK);
    assert_int_equal(nnefc_model_operators(model)->count, 3);
    assert_string_equal(nnefc_model_operators(model)->at[0]->operation, "relu");
    assert_int_equal(nnefc_model_operators(model)->at[0]->count, 2);
    assert_string_equal(nnefc_model_operators(model)->at[1]->operation, "exp");
    assert_string_equal(nnefc_model_operators(model)->at[2]->operation, "neg");
    assert_null(nnefc_model_operators(model)->at[3]);
}

/* --- whether it is sound ---------------------------------------------------------------------- */

static void a_graph_that_is_broken_is_our_fault(void **state)
{
    struct nnefc_model *model = *state;

    load(model);
    assert_int_equal(nnefc_model_verify(model, false), NNEFC_OK);
    assert_int_equal(nnefc_model_diagnostics(model)->count, 0);
    model->graph->first->work++;
    assert_int_equal(nnefc_model_verify(model, false), NNEFC_INTERNAL);
    const struct nnefc_diagnostic *d = nnefc_model_diagnostics(model)->at[0];
    assert_string_equal(d->code, "N0250");
    assert_non_null(strstr(d->text, "node 0 (matmul): work is 25, expected 24"));
}

static void data_that_are_missing_are_told(void **state)
{
    struct nnefc_model *model = *state;

    load(model);
    assert_int_equal(nnefc_model_verify(model, true), NNEFC_FILE);
}

#define TEST(function) \
    cmocka_unit_test_setup_teardown(function, api_model_setup, api_model_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_model_that_is_not_loaded_is_nothing),
        TEST(a_text_tells_version_and_extensions),
        TEST(a_format_is_chosen_before_loading),
        TEST(operations_stand_in_their_order),
        TEST(operands_tell_where_they_come_from),
        TEST(operations_tell_the_fragments_around_them),
        TEST(values_have_numbers_and_labels),
        TEST(attributes_have_names_and_values),
        TEST(operators_are_counted_most_first_then_by_name),
        TEST(a_graph_that_is_broken_is_our_fault),
        TEST(data_that_are_missing_are_told),
    };
    return cmocka_run_group_tests_name("inspect", tests, NULL, NULL);
}
