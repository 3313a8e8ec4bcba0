/* test_recovery.c - several faults a run, each reported once, and what is good is kept */
#include "parse_fixture.h"

/* The lines of the errors, as "4 6 9". */
static const char *error_lines(struct fixture *f)
{
    text_free(&f->printed);
    text_add_bytes(&f->printed, "", 0);
    for (int i = 0; i < diag_count(f->context->diag); i++) {
        struct location where;
        struct diag_report r = diag_at(f->context->diag, i);
        assert_true(sources_locate(f->context->sources, r.at.begin, &where));
        text_add(&f->printed, i ? " %d" : "%d", where.line);
    }
    return f->printed.data;
}

static void a_bad_assignment_does_not_hide_the_next_one(void **state)
{
    struct fixture *f = *state;

    parse_body(f, "a = ;\nb = 1 +;\nc = f(x);\nd = (1;\ne = f(c;\ng = 1;");
    assert_string_equal(error_lines(f), "4 5 7 8");
    assert_int_equal(f->document->graph->body.count, 2);
}

static void an_unbalanced_bracket_costs_one_assignment(void **state)
{
    struct fixture *f = *state;

    parse_body(f, "a = [1, 2;\nb = f(x);\nc = f(x));\nd = g(x);");
    assert_string_equal(error_lines(f), "4 6");
}

static void a_missing_semicolon_does_not_hide_another_one(void **state)
{
    struct fixture *f = *state;

    parse_body(f, "a = f(x)\nb = f(a)\n[c] = f(b)\ny = f(c)");
    assert_string_equal(error_lines(f), "4 5 6 7");
    assert_int_equal(f->document->graph->body.count, 4);
}

static void a_body_that_is_not_closed_ends_at_the_next_definition(void **state)
{
    struct fixture *f = *state;

    parse(f, "version 1.0;\nfragment f(x: tensor<>) -> (y: tensor<>) {\ny = x;\n"
             "fragment g(x: tensor<>) -> (y: tensor<>) {\ny = x; z = ;\n"
             "graph g(x) -> (y) { y = f(x); }");
    assert_string_equal(error_lines(f), "4 5 6");
    assert_int_equal(f->document->fragments.count, 2);
    assert_non_null(f->document->graph);
}

static void a_bad_heading_does_not_hide_its_body(void **state)
{
    struct fixture *f = *state;

    parse(f, "version 1.0;\nfragment f(x tensor<>) -> (y: tensor<>) {\ny = ;\n}\n"
             "fragment g(x: tensor<>) (y: tensor<>);\n"
             "graph g(x -> (y) {\ny = f(x;\nz = 1; }");
    assert_string_equal(error_lines(f), "2 3 5 6 7");
}

static void what_stands_between_definitions_is_reported_once(void **state)
{
    struct fixture *f = *state;

    parse(f, "version 1.0;\nfragmen f(x: tensor<>) -> (y: tensor<>) {\ny = x;\n}\n"
             "graph g(x) -> (y) { y = f(x); }");
    assert_string_equal(error_lines(f), "2");
    assert_non_null(f->document->graph);
}

static void the_provisional_dialect_resumes_at_the_next_assignment(void **state)
{
    struct fixture *f = *state;

    parse_provisional_body(f, "a = 1 + * 2\nb = f(x)\nc = = 2\nd = f(x)\ny = 1");
    assert_string_equal(error_lines(f), "4 6");
    assert_int_equal(f->document->graph->body.count, 3);
}

static void a_graph_that_cannot_be_read_is_not_missed_as_well(void **state)
{
    struct fixture *f = *state;

    parse(f, "version 1.0;\ngraph (x) -> (y) { y = f(x); }");
    assert_string_equal(error_lines(f), "2");
}

static void reading_stops_after_too_many_errors(void **state)
{
    struct fixture *f = *state;
    struct text body = {0};

    for (int i = 0; i < 2000; i++)
        text_add(&body, "a = ;\n");
    parse_body(f, body.data);
    assert_int_equal(diag_count(f->context->diag), 20);
    assert_int_equal(diag_error_count(f->context->diag), 20 + DIAG_MOST_HIDDEN);
    text_free(&body);
}

static void signs_of_the_other_dialect_are_pointed_out_once(void **state)
{
    struct fixture *f = *state;
    char *printed = NULL;
    size_t size;
    FILE *stream;

    parse(f, "version 1.0;\nfragment f(x: tensor, n: extent) -> (y: tensor) { y = x }\n"
             "graph g(x) -> (y) { y = f(x); }");
    assert_string_equal(error_lines(f), "2 2 2 2");
    stream = open_memstream(&printed, &size);
    assert_non_null(stream);
    diag_print(f->context->diag, stream, DIAG_STYLE_FULL, false);
    fclose(stream);
    const char *note = strstr(printed, "read as NNEF 1.0 because of the ';'");
    assert_non_null(note);
    assert_null(strstr(note + 1, "read as NNEF 1.0 because of the ';'"));
    free(printed);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_bad_assignment_does_not_hide_the_next_one),
        TEST(an_unbalanced_bracket_costs_one_assignment),
        TEST(a_missing_semicolon_does_not_hide_another_one),
        TEST(a_body_that_is_not_closed_ends_at_the_next_definition),
        TEST(a_bad_heading_does_not_hide_its_body),
        TEST(what_stands_between_definitions_is_reported_once),
        TEST(the_provisional_dialect_resumes_at_the_next_assignment),
        TEST(a_graph_that_cannot_be_read_is_not_missed_as_well),
        TEST(reading_stops_after_too_many_errors),
        TEST(signs_of_the_other_dialect_are_pointed_out_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
