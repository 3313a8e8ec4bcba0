/* test_scanner.c - tokens that depend on the dialect or on what stands around them */
#include "parse_fixture.h"

static void check_value(struct fixture *f, const char *written, const char *printed)
{
    struct text body = {0};

    text_add(&body, "y = %s;", written);
    parse_body(f, body.data);
    text_free(&body);
    assert_clean(f);
    assert_string_equal(print_value(f), printed);
}

static void a_name_before_a_type_in_angles_and_a_bracket_is_generic(void **state)
{
    struct fixture *f = *state;

    check_value(f, "a<scalar>(b)", "a<scalar>(b)");
    check_value(f, "a <\n # comment >\n? > (b)", "a<?>(b)");
    check_value(f, "a < scalar(b)", "a < scalar(b)");
    check_value(f, "a<b>(c)", "a < b > c");
    check_value(f, "a < integer(b) > (c)", "a < integer(b) > c");
}

static void an_angle_that_ends_a_type_is_never_part_of_another_operator(void **state)
{
    struct fixture *f = *state;

    parse(f, "version 1.0;\nfragment f<?=scalar>(x: tensor<scalar>=1.0, y: tensor<>= 2.0, "
             "z: tensor<?>=3.0) -> (w: tensor<>);\ngraph g(x) -> (y) { y = f(a >= b); }");
    assert_clean(f);
    assert_string_equal(print_document(f),
                        "version 1.0;\n\nfragment f<? = scalar>(x: tensor<scalar> = 1.0, "
                        "y: tensor<> = 2.0, z: tensor<?> = 3.0) -> (w: tensor<>);\n\n"
                        "graph g(x) -> (y)\n{\n    y = f(a >= b);\n}\n");
}

static void the_semicolon_behind_the_version_decides_the_dialect(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(parse(f, "version 1.0;")->dialect, DIALECT_1_0);
    assert_int_equal(parse(f, "version 1.0 graph g(x) -> (y) { y = f(x) }")->dialect,
                     DIALECT_PROVISIONAL);
    assert_clean(f);
    assert_int_equal(parse(f, "# version 1.0\n version # ;\n 1.0 #\n ; ")->dialect, DIALECT_1_0);
}

static void a_wanted_dialect_is_taken_whatever_the_text_says(void **state)
{
    struct fixture *f = *state;

    f->options.dialect = PARSE_PROVISIONAL;
    parse(f, "version 1.0;\ngraph g(x) -> (y) { y = f(x) }");
    assert_int_equal(f->document->dialect, DIALECT_PROVISIONAL);
    assert_clean(f);
    f->options.dialect = PARSE_1_0;
    parse(f, "version 1.0\ngraph g(x) -> (y) { y = f(x); }");
    assert_int_equal(f->document->dialect, DIALECT_1_0);
    assert_report(f, "1:12 N0017 missing ';'");
}

static void keywords_of_one_dialect_are_names_in_the_other(void **state)
{
    struct fixture *f = *state;

    parse_body(f, "extent = f(x);\ny = g(extent, extent = 1);");
    assert_clean(f);
    parse_provisional_body(f, "yield = f(x)\ninteger = yield\nversion = integer\n"
                              "extension = [yield, version]\ny = extension");
    assert_clean(f);
    assert_int_equal(f->document->graph->body.count, 5);
}

static void assignments_end_without_semicolons_in_the_provisional_dialect(void **state)
{
    struct fixture *f = *state;

    parse_provisional_body(f, "a = x [b] = x (c, d) = x e = x[0] [g], h = f(x) y = 'a'");
    assert_clean(f);
    assert_int_equal(f->document->graph->body.count, 6);
    parse_provisional_body(f, "a = b(c, d)[0]\ny = x\n[0] == a");
    assert_clean(f);
    assert_int_equal(f->document->graph->body.count, 2);
    parse_provisional_body(f, "a = f('])') [b, # ])\n c] = x");
    assert_clean(f);
    assert_int_equal(f->document->graph->body.count, 2);
}

static void all_line_ends_are_blanks_and_end_comments(void **state)
{
    struct fixture *f = *state;

    parse(f, "version 1.0;\r\n# one\r\ngraph g(x)\f->\v(y)\t{ # two\ry = f(x); # three\f}");
    assert_clean(f);
    assert_int_equal(f->document->graph->body.count, 1);
}

static void a_byte_order_mark_is_skipped(void **state)
{
    struct fixture *f = *state;

    parse(f, "\xef\xbb\xbfversion 1.0;\ngraph g(x) -> (y) { y = f(x); }");
    assert_report(f, "1:1 N0005 byte order mark at the beginning of the text");
    assert_non_null(f->document->graph);
}

static void numbers_have_the_value_that_is_written(void **state)
{
    struct fixture *f = *state;

    check_value(f, "[0, 007, 9223372036854775807, -9223372036854775808]",
                "[0, 7, 9223372036854775807, -9223372036854775808]");
    check_value(f, "[1.0, 1e3, 1E-3, 1.5e+2, 0.1]", "[1.0, 1000.0, 0.001, 150.0, 0.1]");
}

static void a_whole_number_with_an_exponent_is_an_integer_in_the_provisional_dialect(void **state)
{
    struct fixture *f = *state;

    parse_provisional_body(f, "y = [1e3, 1.0e3, 1e-3, 1e30]");
    assert_report(f, "4:6 N0016 '1e3' is an integer in provisional NNEF only");
    assert_string_equal(print_value(f), "[1000, 1000.0, 0.001, 1.0e+30]");
}

static void a_point_without_digits_behind_it_is_a_warning(void **state)
{
    struct fixture *f = *state;

    parse_body(f, "y = 12.;");
    assert_report(f, "4:5 N0002 number '12.' lacks digits after the point");
    assert_string_equal(print_value(f), "12.0");
    parse_body(f, "y = 1.e2;");
    assert_string_equal(print_value(f), "100.0");
}

static void spans_cover_what_was_written(void **state)
{
    struct fixture *f = *state;
    size_t size;

    parse_body(f, "y = 1 + f(x, a = -2);");
    const struct expr *sum = f->document->graph->body.first->value;
    const struct expr *named = sum->binary.right->call.args->next;
    const char *text = sources_text(f->context->sources, sum->span, &size);
    assert_int_equal(size, strlen("1 + f(x, a = -2)"));
    assert_memory_equal(text, "1 + f(x, a = -2)", size);
    text = sources_text(f->context->sources, named->named.value->span, &size);
    assert_int_equal(size, 2);
    assert_memory_equal(text, "-2", 2);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_name_before_a_type_in_angles_and_a_bracket_is_generic),
        TEST(an_angle_that_ends_a_type_is_never_part_of_another_operator),
        TEST(the_semicolon_behind_the_version_decides_the_dialect),
        TEST(a_wanted_dialect_is_taken_whatever_the_text_says),
        TEST(keywords_of_one_dialect_are_names_in_the_other),
        TEST(assignments_end_without_semicolons_in_the_provisional_dialect),
        TEST(all_line_ends_are_blanks_and_end_comments),
        TEST(a_byte_order_mark_is_skipped),
        TEST(numbers_have_the_value_that_is_written),
        TEST(a_whole_number_with_an_exponent_is_an_integer_in_the_provisional_dialect),
        TEST(a_point_without_digits_behind_it_is_a_warning),
        TEST(spans_cover_what_was_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
