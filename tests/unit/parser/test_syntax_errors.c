/* test_syntax_errors.c - each rule that the text alone decides, and what its violation is called */
#include "parse_fixture.h"

/* The one report about a body of NNEF 1.0. */
static void check_body(struct fixture *f, const char *body, const char *expected)
{
    parse_body(f, body);
    assert_report(f, expected);
}

static void check_provisional_body(struct fixture *f, const char *body, const char *expected)
{
    parse_provisional_body(f, body);
    assert_report(f, expected);
}

static void check_text(struct fixture *f, const char *text, const char *expected)
{
    parse(f, text);
    assert_report(f, expected);
}

#define GRAPH "\ngraph g(x) -> (y) { y = f(x); }"

static void malformed_numbers_are_named(void **state)
{
    struct fixture *f = *state;

    check_body(f, "1x = copy(x);", "4:1 N0002 number '1x' runs into a word");
    check_body(f, "y = 0x10;", "4:5 N0002 number '0x10' runs into a word");
    check_body(f, "y = 1_000;", "4:5 N0002 number '1_000' runs into a word");
    check_body(f, "y = add(x, .5);", "4:12 N0002 number '.5' needs digits before the point");
    check_body(f, "y = add(x, 1e);", "4:12 N0002 number '1e' has no digits in its exponent");
    check_body(f, "y = add(x, 1.5e+);", "4:12 N0002 number '1.5e+' has no digits in its exponent");
}

static void numbers_out_of_range_are_refused(void **state)
{
    struct fixture *f = *state;

    check_body(f, "y = 99999999999999999999;",
               "4:5 N0003 integer '99999999999999999999' is out of range");
    check_body(f, "y = 9223372036854775808;",
               "4:5 N0003 integer '9223372036854775808' is out of range");
    check_body(f, "y = -(9223372036854775808);",
               "4:6 N0003 integer '9223372036854775808' is out of range");
    check_body(f, "y = 1 - 9223372036854775808;",
               "4:9 N0003 integer '9223372036854775808' is out of range");
    check_body(f, "y = 1e999;", "4:5 N0003 scalar '1e999' is out of range");
    check_text(f,
               "version 1.0;\nfragment f(x: integer = 9223372036854775808) -> (y: tensor<>);" GRAPH,
               "2:25 N0003 integer '9223372036854775808' is out of range");
}

static void malformed_strings_are_named(void **state)
{
    struct fixture *f = *state;

    check_body(f, "y = f(x, a = 'a\");\nz = f(x);", "4:14 N0004 string without its closing '");
    check_body(f, "y = f(x, a = 'a\\nb');", "4:16 N0004 unknown escape in a string");
    check_body(f, "y = f(x, a = 'a\\\"b');", "4:16 N0004 unknown escape in a string");
    check_body(f, "y = f(x, a = 'a\tb');",
               "4:16 N0004 byte 0x09 in a string, expected printable ASCII");
    check_body(f, "y = f(x, a = 'a\xc3\xa4');",
               "4:16 N0004 byte 0xc3 in a string, expected printable ASCII");
}

static void characters_outside_the_language_are_named(void **state)
{
    struct fixture *f = *state;

    check_body(f, "y = x @ x;", "4:7 N0005 stray '@'");
    check_body(f, "y = x & x;", "4:7 N0005 stray '&'");
    check_body(f, "y = x;\n\xc3\xa4 = x;", "5:1 N0005 stray byte 0xc3");
    check_body(f, "y = x?;", "4:6 N0001 unexpected '?', expected ';', ',' or an operator");
}

static void keywords_are_no_identifiers(void **state)
{
    struct fixture *f = *state;

    check_body(f, "yield = relu(x);", "4:1 N0007 keyword 'yield' used as identifier");
    check_body(f, "scalar = relu(x);", "4:1 N0007 keyword 'scalar' used as identifier");
    check_body(f, "graph = relu(x);", "4:1 N0007 keyword 'graph' used as identifier");
    check_body(f, "y = f(x, in);", "4:10 N0007 keyword 'in' used as identifier");
    check_body(f, "y = f(if = x);", "4:7 N0007 keyword 'if' used as identifier");
    check_provisional_body(f, "extent = f(x)", "4:1 N0007 keyword 'extent' used as identifier");
    check_text(f, "version 1.0;\nfragment graph(x: scalar) -> (y: tensor<>);" GRAPH,
               "2:10 N0007 keyword 'graph' used as identifier");
}

static void the_version_comes_first_and_is_1_0(void **state)
{
    struct fixture *f = *state;

    check_text(f, "graph g(x) -> (y) { y = f(x); }",
               "1:1 N0010 text does not begin with 'version 1.0'");
    check_text(f, "", "1:1 N0010 text does not begin with 'version 1.0'");
    assert_null(f->document);
    check_text(f, "verison 1.0;" GRAPH, "1:1 N0010 text does not begin with 'version 1.0'");
    check_text(f, "version 2.0;" GRAPH, "1:9 N0010 this is NNEF 2.0, expected version 1.0");
    check_text(f, "version 1.00;" GRAPH, "1:9 N0010 unsupported version '1.00', expected 1.0");
    check_text(f, "version 1;" GRAPH, "1:9 N0010 unsupported version '1', expected 1.0");
    check_text(f, "version;" GRAPH,
               "1:8 N0001 unexpected ';', expected integer literal or scalar literal");
}

static void a_version_may_be_missing_where_the_dialect_is_wanted(void **state)
{
    struct fixture *f = *state;

    f->options.dialect = PARSE_1_0;
    check_text(f, "graph g(x) -> (y) { y = f(x); }",
               "1:1 N0010 text does not begin with 'version 1.0'");
    assert_int_equal(diag_error_count(f->context->diag), 0);
    assert_non_null(f->document->graph);
}

static void extensions_stand_behind_the_version(void **state)
{
    struct fixture *f = *state;

    check_text(f, "version 1.0;\nfragment f(x: scalar) -> (y: tensor<>);\nextension E;" GRAPH,
               "3:1 N0012 extension statement behind a definition, expected next to the version");
    check_text(f, "version 1.0\nextension E;" GRAPH,
               "2:1 N0016 extension statements require NNEF 1.0");
    check_text(f, "version 1.0;\nextension A B" GRAPH, "2:14 N0017 missing ';'");
    check_text(f, "version 1.0;\nextension;" GRAPH,
               "2:10 N0001 unexpected ';', expected identifier");
}

static void there_is_one_graph_and_nothing_behind_it(void **state)
{
    struct fixture *f = *state;

    check_text(f, "version 1.0; # c\n\n", "1:13 N0013 document without a graph");
    check_text(f, "version 1.0;" GRAPH GRAPH, "3:7 N0013 second graph 'g', expected exactly one");
    check_text(f, "version 1.0;" GRAPH "\nfragment f(x: scalar) -> (y: tensor<>);",
               "3:10 N0024 fragment 'f' after the graph");
    check_text(f, "version 1.0;" GRAPH "\n}", "3:1 N0024 unexpected '}' after the graph");
    f->options.library = true;
    check_text(f, "version 1.0;" GRAPH, "2:7 N0013 graph 'g' in a library");
    parse(f, "version 1.0\nfragment f<?>(x: tensor<?>) -> (y: tensor<?>);");
    assert_clean(f);
}

static void lists_have_items(void **state)
{
    struct fixture *f = *state;

    check_body(f, "y = f();", "4:5 N0018 invocation of 'f' without arguments");
    check_body(f, "y = f<scalar>();", "4:5 N0018 invocation of 'f' without arguments");
    check_text(f, "version 1.0;\ngraph g() -> (y) { y = f(x); }",
               "2:7 N0018 graph 'g' without parameters");
    check_text(f, "version 1.0;\ngraph g(x) -> () { y = f(x); }",
               "2:7 N0018 graph 'g' without results");
    check_text(f, "version 1.0;\ngraph g(x) -> (y) { }", "2:19 N0018 body without assignments");
    check_text(f, "version 1.0;\nfragment f() -> (y: tensor<>);" GRAPH,
               "2:10 N0018 fragment 'f' without parameters");
    check_text(f, "version 1.0;\nfragment f(x: scalar) -> ();" GRAPH,
               "2:10 N0018 fragment 'f' without results");
    check_body(f, "y = [1,];", "4:7 N0001 ',' without an item behind it");
    check_body(f, "y = f(x,);", "4:8 N0001 ',' without an item behind it");
    check_body(f, "y = x;;", "4:7 N0001 ';' without an assignment in front of it");
}

static void a_missing_semicolon_is_reported_where_it_belongs(void **state)
{
    struct fixture *f = *state;

    check_body(f, "y = f(x)", "4:9 N0017 missing ';'");
    check_body(f, "a = f(x)\ny = f(a);", "4:9 N0017 missing ';'");
    check_body(f, "a = x # comment\n[b, c] = f(a);", "4:6 N0017 missing ';'");
    check_body(f, "a = x\n(b, c) = f(a);", "4:6 N0017 missing ';'");
    assert_int_equal(f->document->graph->body.count, 2);
}

static void tuples_on_the_right_have_parentheses_in_1_0(void **state)
{
    struct fixture *f = *state;

    check_body(f, "a, b = c, d;", "4:8 N0019 tuple without parentheses");
    check_body(f, "y = (c, d;", "4:10 N0001 unexpected ';', expected ',', ')' or an operator");
    check_provisional_body(f, "y = c, d)",
                           "4:9 N0001 unexpected ')', expected ';', ',' or an operator");
}

static void tuples_have_two_items(void **state)
{
    struct fixture *f = *state;

    check_body(f, "(y) = f(x);", "4:1 N0021 tuple of one item, expected at least two");
    check_body(f, "y = ();", "4:5 N0021 tuple without items, expected at least two");
    check_text(f, "version 1.0;\nfragment f(p: (integer)) -> (y: tensor<>);" GRAPH,
               "2:15 N0021 tuple type of one item, expected at least two");
}

static void tensor_types_have_brackets_in_1_0(void **state)
{
    struct fixture *f = *state;

    check_text(f, "version 1.0;\nfragment f(x: tensor) -> (y: tensor<>);" GRAPH,
               "2:15 N0020 tensor type without its data-type");
    check_text(f, "version 1.0;\nfragment f(x: tensor<tensor<>>) -> (y: tensor<>);" GRAPH,
               "2:22 N0001 unexpected 'tensor', expected '>' or a type name");
    check_text(f, "version 1.0;\nfragment f(x: foo) -> (y: tensor<>);" GRAPH,
               "2:15 N0001 unknown type 'foo'");
}

static void types_are_named_as_the_dialect_names_them(void **state)
{
    struct fixture *f = *state;

    check_text(f, "version 1.0;\nfragment f(x: extent) -> (y: tensor<>);" GRAPH,
               "2:15 N0016 type 'extent' is called 'integer' in NNEF 1.0");
    check_text(f, "version 1.0\nfragment f(x: integer) -> (y: tensor) { y = x }" GRAPH,
               "2:15 N0016 type 'integer' is called 'extent' in provisional NNEF");
}

static void left_sides_are_identifiers_or_made_of_them(void **state)
{
    struct fixture *f = *state;

    const char *expected =
        "4:1 N0023 left side of an assignment is not an identifier, or an array or tuple of them";

    check_body(f, "f(x) = y;", expected);
    check_body(f, "a[0] = y;", expected);
    check_body(f, "1 = y;", expected);
    check_body(f, "a + b = y;", expected);
}

static void constructs_of_1_0_are_refused_in_the_provisional_dialect(void **state)
{
    struct fixture *f = *state;

    check_provisional_body(f, "y = x in a",
                           "4:5 N0016 operator 'in' is not available in provisional NNEF");
    check_provisional_body(f, "y = f<scalar>(x)",
                           "4:5 N0016 an explicit type of an invocation is not available in "
                           "provisional NNEF");
    check_provisional_body(f, "y = [for i in x yield i]",
                           "4:5 N0016 a comprehension that begins with 'for' is not available in "
                           "provisional NNEF");
    check_text(f, "version 1.0\nfragment f<?>(x: tensor) -> (y: tensor) { y = x }" GRAPH,
               "2:11 N0016 a generic declaration is not available in provisional NNEF");
    check_text(f, "version 1.0\nfragment f(x: ?) -> (y: tensor) { y = x }" GRAPH,
               "2:15 N0016 type '?' is not available in provisional NNEF");
    check_text(f, "version 1.0\nfragment f(x: tensor) -> (y: tensor);" GRAPH,
               "2:10 N0043 fragment 'f' without a body, which provisional NNEF requires");
}

static void the_provisional_comprehension_is_refused_in_1_0(void **state)
{
    check_body(*state, "y = [f(i) for i in x];",
               "4:5 N0016 a comprehension that ends with 'for' is provisional NNEF");
}

static void an_if_behind_an_iterable_is_its_filter(void **state)
{
    check_body(*state, "y = [for i in a if c else b yield i];",
               "4:22 N0001 unexpected 'else', expected 'yield' or an operator");
}

static void graphs_declare_identifiers_only(void **state)
{
    struct fixture *f = *state;

    check_text(f, "version 1.0;\ngraph g(x: tensor<>) -> (y) { y = f(x); }",
               "2:12 N0001 type or default of 'x', but a graph declares identifiers only");
    check_text(f, "version 1.0;\ngraph g(x = 1) -> (y) { y = f(x); }",
               "2:13 N0001 type or default of 'x', but a graph declares identifiers only");
}

static void messages_say_what_was_found_and_what_was_expected(void **state)
{
    struct fixture *f = *state;

    check_body(f, "y = neg(x) yield;",
               "4:12 N0001 unexpected 'yield', expected ';', ',' or an operator");
    check_body(f, "a b = c;",
               "4:3 N0001 unexpected identifier 'b', expected ',', '=' or an operator");
    check_body(f, "y = x 'a';",
               "4:7 N0001 unexpected string 'a', expected ';', ',' or an operator");
    check_body(f, "y = 1 +;", "4:8 N0001 unexpected ';', expected an expression");
    check_body(f, "y = x if a;", "4:11 N0001 unexpected ';', expected 'else' or an operator");
    check_body(f, "y = x[1;", "4:8 N0001 unexpected ';', expected ':', ']' or an operator");
    check_text(f, "version 1.0;\nfragment f(x) -> (y: tensor<>);" GRAPH,
               "2:13 N0001 unexpected ')', expected ':'");
    check_text(f, "version 1.0;\nfragment f(x: ) -> (y: tensor<>);" GRAPH,
               "2:15 N0001 unexpected ')', expected a type");
    check_text(f, "version 1.0;\ngraph g(x) -> (y) { y = f(x);\n# c\n",
               "2:30 N0001 unexpected end of text, expected '}' or an assignment");
}

static void surprising_precedence_is_a_warning(void **state)
{
    struct fixture *f = *state;

    check_body(f, "y = a && b || c;",
               "4:5 N0100 '&&' and '||' have one precedence and group from the left");
    check_body(f, "y = a ^ b ^ c ^ d;", "4:5 N0100 '^' groups from the left");
    check_body(f, "y = a && b in c;",
               "4:5 N0100 'in' has the lowest precedence, below '&&' and '||'");
    parse_body(f, "y = (a && b) || (c ^ (d ^ e)) && f;\nz = (a in b) && c; u = a in b && c;");
    assert_int_equal(diag_error_count(f->context->diag), 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(malformed_numbers_are_named),
        TEST(numbers_out_of_range_are_refused),
        TEST(malformed_strings_are_named),
        TEST(characters_outside_the_language_are_named),
        TEST(keywords_are_no_identifiers),
        TEST(the_version_comes_first_and_is_1_0),
        TEST(a_version_may_be_missing_where_the_dialect_is_wanted),
        TEST(extensions_stand_behind_the_version),
        TEST(there_is_one_graph_and_nothing_behind_it),
        TEST(lists_have_items),
        TEST(a_missing_semicolon_is_reported_where_it_belongs),
        TEST(tuples_on_the_right_have_parentheses_in_1_0),
        TEST(tuples_have_two_items),
        TEST(tensor_types_have_brackets_in_1_0),
        TEST(types_are_named_as_the_dialect_names_them),
        TEST(left_sides_are_identifiers_or_made_of_them),
        TEST(constructs_of_1_0_are_refused_in_the_provisional_dialect),
        TEST(the_provisional_comprehension_is_refused_in_1_0),
        TEST(an_if_behind_an_iterable_is_its_filter),
        TEST(graphs_declare_identifiers_only),
        TEST(messages_say_what_was_found_and_what_was_expected),
        TEST(surprising_precedence_is_a_warning),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
