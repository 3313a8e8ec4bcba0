/* test_check.c - what the check fills in, and how it reports (NNEF 1.0.5, section 3.3) */
#include "sema_fixture.h"

/* --- what is filled in -------------------------------------------------------------------- */

static void arguments_find_their_parameters(void **state)
{
    struct fixture *f = *state;
    const struct checked *checked =
        check_statements(f, "y = pad(x, value = 1.0, padding = [(0,0),(1,1)]);");

    assert_non_null(checked);
    const struct expr *call = checked->document->graph->body.last->value;
    const struct expr *value = call->call.args->next, *padding = value->next;
    assert_string_equal(call->call.signature->name, "pad");
    assert_int_equal(call->call.args->slot, 0);
    assert_int_equal(value->named.param, 3);
    assert_int_equal(padding->named.param, 1);
}

static void slots_are_parameters_then_results_then_others(void **state)
{
    struct fixture *f = *state;
    const struct checked *checked =
        check(f, EXTENDED "fragment f(a: tensor<scalar>[], b: scalar) -> (c: tensor<scalar>)\n"
                          "{ d = [for e in a, g in range_of(a) yield e]; c = d[0] * b; }\n"
                          "graph net(x) -> (y) { x = external(shape = [1]); z = copy(x);\n"
                          "y = f([x, z], b = 1.0); }");

    assert_non_null(checked);
    const struct signature *s = checked->signatures[0];
    const struct stmt *first = s->fragment->body.first;
    const struct comprehension *loop = first->value->comprehension;
    assert_int_equal(s->nslot, 6);
    assert_int_equal(s->fragment->body.last->target->slot, 2);
    assert_int_equal(loop->iters.first->iterable->slot, 0);
    assert_int_equal(loop->item->slot, loop->iters.first->slot);
    assert_int_equal(s->fragment->body.last->value->binary.right->slot, 1);
    assert_int_equal(checked->graph_slots, 3);
    assert_int_equal(checked->document->graph->body.first->next->target->slot, 2);
}

static void defaults_are_evaluated(void **state)
{
    struct fixture *f = *state;
    const struct checked *checked =
        check(f, EXTENDED "fragment f(x: tensor<scalar>, a: (integer,scalar)[] = [(-1,2.0)],\n"
                          "  b: string = 'c') -> (y: tensor<scalar>) { y = copy(x); }\n"
                          "graph net(x) -> (y) { x = external(shape = [1]); y = f(x); }");

    assert_non_null(checked);
    const struct sig_param *params = checked->signatures[0]->params;
    assert_false(params[0].has_default);
    assert_int_equal(params[1].value.kind, DATUM_ARRAY);
    assert_int_equal(params[1].value.items[0].kind, DATUM_TUPLE);
    assert_int_equal(params[1].value.items[0].items[0].integer, -1);
    assert_string_equal(params[2].value.string, "c");
}

struct deduction {
    const char *statements;
    enum type_name type;
};

static const struct deduction deductions[] = {
    {"y = copy(x);", TYPE_NAME_SCALAR},
    {"y = copy(1.0);", TYPE_NAME_SCALAR},
    {"y = copy(true);", TYPE_NAME_LOGICAL},
    {"y = use(x); i = copy(argmax_reduce(x, axes = [0]));", TYPE_NAME_INTEGER},
    {"y = use(x); i = copy<integer>(2);", TYPE_NAME_INTEGER},
    {"y = use(x); i = concat([x < 1.0, true], axis = 0);", TYPE_NAME_LOGICAL},
    {"y = use(x); i = select(true, 1, 2);", TYPE_NAME_INTEGER},
    {"y = constant(shape = [1], value = [1.0]);", TYPE_NAME_SCALAR},
    {"y = use(x); i = constant<integer>(shape = [1], value = [1]);", TYPE_NAME_INTEGER},
    {"y = use(x); i = cast<logical>(x);", TYPE_NAME_LOGICAL},
};

static void generic_type_is_deduced(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof deductions / sizeof *deductions; i++) {
        struct fixture *fresh = fixture_new();
        const struct checked *checked = check_statements(fresh, deductions[i].statements);
        assert_string_equal(codes(fresh), "");
        assert_non_null(checked);
        assert_int_equal(checked->document->graph->body.last->value->slot, deductions[i].type);
        fixture_free(fresh);
    }
}

static void generic_type_is_passed_on_within_a_generic_fragment(void **state)
{
    struct fixture *f = *state;
    const struct checked *checked =
        check(f, EXTENDED "fragment f<?>(x: tensor<?>) -> (y: tensor<?>) { y = copy(x); }\n"
                          "graph net(x) -> (y) { x = external(shape = [1]); y = f(x); }");

    assert_non_null(checked);
    const struct expr *call = checked->signatures[0]->fragment->body.first->value;
    assert_int_equal(call->slot, TYPE_NAME_GENERIC);
}

static void checked_document_has_all_arguments(void **state)
{
    struct fixture *f = *state;
    const struct checked *checked = check_statements(
        f, "y = conv(x, 1.0, padding = [(-1, 2)] * 2);\n[a, b] = split(x, ratios = [1,1],"
           " axis = 0);");
    struct text text = {0};

    assert_non_null(checked);
    checked_print(checked, &text);
    const char *const parts[] = {
        "x = external<scalar>(shape = [2, 3]);",
        "conv(x, 1.0, 0.0, border = 'constant', padding = [(-1, 2)] * 2, stride = [], dilation = ",
        "[a, b] = split<scalar>(x, axis = 0, ratios = [1, 1]);",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_non_null(strstr(text.data, parts[i]));
    text_free(&text);
}

/* --- how faults are reported -------------------------------------------------------------- */

struct fault {
    const char *statements, *codes;
};

static const struct fault faults[] = {
    {"a = relu(z); b = relu(z); y = add(a, b);", "N0079"},
    {"a = x + 1; b = a * 2.0 - c; y = relu(a > b);", "N0090 N0079"},
    {"y = nothing(q, k = 1 + 'a');", "N0050 N0079 N0092"},
    {"y = relu(x, x, x);", "N0051"},
    {"y = leaky_relu(alpha = 1);", "N0052 N0090"},
    {"y = leaky_relu(x, alhpa = 1.0);", "N0054"},
    {"(a, a) = moments(x, axes = [0]); y = a;", "N0078"},
    {"(a, b, c) = moments(x, axes = [0]); y = a + b + c;", "N0070"},
    {"[a, b] = moments(x, axes = [0]); y = a + b;", "N0071"},
    {"y = x if z else x > 1;", "N0079 N0090"},
    {"y = concat([x, argmax_reduce(x, axes = [0])], axis = 0);", "N0091"},
    {"y = (x < 1.0) + 1.0; z = y + y;", "N0090"},
    {"y = [x, x][z] * shape_of([x])[0];", "N0079 N0099 N0090"},
};

static void each_fault_is_reported_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct fixture *fresh = fixture_new();
        assert_null(check_statements(fresh, faults[i].statements));
        if (strcmp(codes(fresh), faults[i].codes) != 0)
            fail_msg("%s: %s, expected %s", faults[i].statements, codes(fresh), faults[i].codes);
        fixture_free(fresh);
    }
}

static void syntax_error_hides_what_may_have_been_there(void **state)
{
    struct fixture *f = *state;

    assert_null(check_statements(f, "z = relu(x x);\ny = relu(z);\nw = relu(x, 1);"));
    assert_string_equal(codes(f), "N0001 N0051");
}

static void type_too_large_is_one_fault(void **state)
{
    struct fixture *f = *state;
    struct text text = {0};

    text_add(&text, EXTENDED "fragment f(x: tensor<scalar>) -> (y: tensor<scalar>)\n{\n"
                             "    t0 = (x, x);\n");
    for (int i = 0; i < 40; i++)
        text_add(&text, "    t%d = (t%d, t%d);\n", i + 1, i, i);
    text_add(&text, "    y = relu(t40);\n}\ngraph net(x) -> (y) { x = external(shape = [1]); "
                    "y = f(x); }");
    assert_null(check(f, text.data));
    text_free(&text);
    assert_string_equal(codes(f), "N0006");
}

struct hint {
    const char *statements, *help;
};

static const struct hint hints[] = {
    {"y = rleu(x);", "did you mean 'relu'?"},
    {"y = idn(x);", "it is called 'copy' since NNEF 1.0."},
    {"y = transpose(x, perm = [1,0]);", "it is called 'axes' since NNEF 1.0."},
    {"y = softmax(x, axis = [1]);", "did you mean 'axes'?"},
    {"value = relu(x); y = relu(valeu);", "did you mean 'value'?"},
    {"y = relu(z); z = relu(x);", "assigned here"},
    {"y = elu(x, alpha = 2);", "write 2.0 instead of 2."},
    {"y = tile(x, repeats = [1.0, 2.0]);", "without a decimal point"},
    {"y = squeeze(x, axes = 1.0);", "expected integer[]"},
    {"y = box(x, size = [1,1], normalize = 1);", "write 'true' instead."},
    {"y = relu(argmax_reduce(x, axes = [0]));", "convert it by 'cast<scalar>(...)'."},
    {"y = x if x > 1.0 else 0.0;", "write 'select(condition, a, b)'"},
    {"y = x * (1.0 if 1 in [1] && true else 2.0);", "put '... in ...' in parentheses."},
    {"y = x[0];", "use 'slice'"},
    {"y = concat([for i in 3 yield x], axis = 0);", "range_of"},
    {"[y, z] = moments(x, axes = [0]);", "write '(a, b) = ...'."},
    {"(y, z) = split(x, axis = 0, ratios = [1,1]);", "write '[a, b] = ...'."},
    {"y = leaky_relu(x, 0.5, 0.5);", "is declared here"},
};

static void report_says_what_could_help(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        struct fixture *fresh = fixture_new();
        assert_null(check_statements(fresh, hints[i].statements));
        assert_reported(fresh, hints[i].help);
        fixture_free(fresh);
    }
}

/* One tensor is neither several results nor an array. */
static void help_is_for_what_can_be_unpacked_otherwise(void **state)
{
    struct fixture *f = *state;

    assert_null(check_statements(f, "[y, z] = relu(x);"));
    assert_string_equal(codes(f), "N0071");
    assert_false(is_reported(f, "are unpacked by", false));
}

struct warning {
    const char *statements, *text;
};

static const struct warning warnings[] = {
    {"y = add(x = x, y = 1.0);", "given by name"},
    {"y = x * scalar(shape_of(x)[0]);", "'shape_of' is deprecated"},
};

static void doubtful_style_is_a_warning(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof warnings / sizeof *warnings; i++) {
        struct fixture *fresh = fixture_new();
        assert_non_null(check_statements(fresh, warnings[i].statements));
        assert_int_equal(diag_count(fresh->diag), 1);
        assert_reported(fresh, warnings[i].text);
        fixture_free(fresh);
    }
}

static void unused_extensions_are_boilerplate(void **state)
{
    struct fixture *f = *state;

    assert_non_null(check(f, EXTENDED "graph net(x) -> (y) { x = external(shape = [1]);"
                                      " y = copy(x); }"));
    assert_int_equal(diag_count(f->diag), 0);
}

static void provisional_tensor_takes_any_data_type(void **state)
{
    struct fixture *f = *state;

    assert_non_null(check(f, "version 1.0\n"
                             "fragment below(x: tensor, t: tensor) -> (c: tensor) { c = x < t }\n"
                             "fragment gate(c: tensor, x: tensor) -> (y: tensor)\n"
                             "{ y = select(c && below(x, 1.0), x, 0.0) }\n"
                             "graph net(x) -> (y) { x = external(shape = [2])\n"
                             "c = below(x, 1.0)\ny = gate(c, x) }"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(arguments_find_their_parameters, begin, end),
        cmocka_unit_test_setup_teardown(slots_are_parameters_then_results_then_others, begin, end),
        cmocka_unit_test_setup_teardown(defaults_are_evaluated, begin, end),
        cmocka_unit_test(generic_type_is_deduced),
        cmocka_unit_test_setup_teardown(generic_type_is_passed_on_within_a_generic_fragment, begin,
                                        end),
        cmocka_unit_test_setup_teardown(checked_document_has_all_arguments, begin, end),
        cmocka_unit_test(each_fault_is_reported_once),
        cmocka_unit_test_setup_teardown(syntax_error_hides_what_may_have_been_there, begin, end),
        cmocka_unit_test_setup_teardown(type_too_large_is_one_fault, begin, end),
        cmocka_unit_test(report_says_what_could_help),
        cmocka_unit_test_setup_teardown(help_is_for_what_can_be_unpacked_otherwise, begin, end),
        cmocka_unit_test(doubtful_style_is_a_warning),
        cmocka_unit_test_setup_teardown(unused_extensions_are_boilerplate, begin, end),
        cmocka_unit_test_setup_teardown(provisional_tensor_takes_any_data_type, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
