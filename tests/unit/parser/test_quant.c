/* test_quant.c - quantization files in both dialects, and their errors */
#include "parse_fixture.h"

static struct quant_entry_list parse_entries(struct fixture *f, const char *text, size_t size,
                                             enum dialect dialect)
{
    context_free(f->context);
    f->context = context_new();
    uint32_t base = sources_add(f->context->sources, "graph.quant", text, size);
    return parse_quant(f->context, base, text, size, dialect);
}

static struct quant_entry_list entries_1_0(struct fixture *f, const char *text)
{
    return parse_entries(f, text, strlen(text), DIALECT_1_0);
}

static struct quant_entry_list entries_provisional(struct fixture *f, const char *text)
{
    return parse_entries(f, text, strlen(text), DIALECT_PROVISIONAL);
}

static const char *print_call(struct fixture *f, const struct quant_entry *entry)
{
    text_free(&f->printed);
    expr_print(entry->call, DIALECT_1_0, &f->printed);
    return f->printed.data;
}

static const char two[] =
    "# a comment\n"
    "\"filter1\": linear_quantize(min = -2.0, max = [[2.5, 1.0]], bits = 8);\n"
    "'bias1' :\n  q(bits = 4, signed = true); # another\n";

static void an_entry_is_a_name_and_an_algorithm(void **state)
{
    struct fixture *f = *state;
    struct quant_entry_list list = entries_1_0(f, two);

    assert_clean(f);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.first->name, "filter1");
    assert_string_equal(print_call(f, list.first),
                        "linear_quantize(min = -2.0, max = [[2.5, 1.0]], bits = 8)");
    assert_string_equal(list.last->name, "bias1");
    assert_string_equal(print_call(f, list.last), "q(bits = 4, signed = true)");
}

static void a_file_may_be_empty(void **state)
{
    static const char *const texts[] = {"", "\n", "# nothing", "\xef\xbb\xbf\n"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(entries_1_0(*state, texts[i]).count, 0);
        assert_int_equal(diag_error_count(((struct fixture *)*state)->context->diag), 0);
    }
}

static void a_provisional_entry_ends_without_semicolon(void **state)
{
    struct fixture *f = *state;
    struct quant_entry_list list = entries_provisional(
        f, "'a': f(min = 0.0,\n  max = constant(shape = [1,2], value = [1.0, 2.0]))\n"
           "\"b\": g(bits = 8) # end\n");

    assert_clean(f);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.last->name, "b");
}

static void a_missing_semicolon_is_one_error(void **state)
{
    struct fixture *f = *state;
    const struct quant_entry_list list = entries_1_0(f, "'a': f(b = 1)\n'b': f(b = 2);\n");

    assert_report(f, "1:14 N0017 missing ';'");
    assert_int_equal(list.count, 2);
    entries_1_0(f, "'a': f(b = 1)");
    assert_report(f, "1:14 N0017 missing ';'");
}

static void what_follows_an_error_is_read(void **state)
{
    static const struct {
        const char *text, *report;
    } cases[] = {
        {"'a': f(b = ;\n'b': f(b = 1);", "1:12 N0001 unexpected ';', expected an expression"},
        {"'a': f(b = 1\n'b': f(b = 1);",
         "1:13 N0001 unexpected end of entry, expected ',', ')' or an operator"},
        {"a: f(b = 1);\n'b': f(b = 1);",
         "1:1 N0001 unexpected identifier 'a', expected end of text or string literal"},
        {"version 1.0;\n'b': f(b = 1);",
         "1:1 N0001 unexpected 'version', expected end of text or string literal"},
        {"'a' = f(b = 1);\n'b': f(b = 1);", "1:5 N0001 unexpected '=', expected ':'"},
        {"'a': 8;\n'b': f(b = 1);",
         "1:6 N0001 quantization algorithm is not an invocation, expected 'operation(...)'"},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct quant_entry_list list = entries_1_0(f, cases[i].text);
        assert_report(f, cases[i].report);
        assert_int_equal(list.count, 1);
        assert_string_equal(list.first->name, "b");
    }
}

static void an_unended_entry_is_one_error(void **state)
{
    struct fixture *f = *state;

    entries_1_0(f, "'b': f(b = 1);\n'a': f(b = [1,");
    assert_int_equal(diag_error_count(f->context->diag), 1);
    entries_provisional(f, "'a': f(b = [1, 2\n'b': f(b = 1)");
    assert_report(f, "1:17 N0001 unexpected end of entry, expected ',', ']' or an operator");
}

static void a_file_may_end_anywhere(void **state)
{
    for (size_t size = 0; size < strlen(two); size++) {
        parse_entries(*state, two, size, DIALECT_1_0);
        parse_entries(*state, two, size, DIALECT_PROVISIONAL);
    }
}

static void every_byte_may_be_any_other(void **state)
{
    static const char bytes[] = {'\0', '"', '\'', '(', ']', ';', ':', '=', '#', '\\', '\n', '\xff'};
    char text[sizeof two];

    for (size_t at = 0; at < strlen(two); at++)
        for (size_t i = 0; i < sizeof bytes; i++) {
            memcpy(text, two, sizeof two);
            text[at] = bytes[i];
            parse_entries(*state, text, strlen(two), DIALECT_1_0);
            parse_entries(*state, text, strlen(two), DIALECT_PROVISIONAL);
        }
}

static void arrays_beyond_the_limit_are_one_error(void **state)
{
    struct fixture *f = *state;
    struct text text = {0};

    text_add(&text, "'a': f(b = ");
    for (int i = 0; i < 100000; i++)
        text_add(&text, "[");
    entries_1_0(f, text.data);
    text_free(&text);
    assert_int_equal(diag_error_count(f->context->diag), 1);
    assert_int_equal(diag_at(f->context->diag, 0).code, DIAG_NESTING);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_entry_is_a_name_and_an_algorithm),
        TEST(a_file_may_be_empty),
        TEST(a_provisional_entry_ends_without_semicolon),
        TEST(a_missing_semicolon_is_one_error),
        TEST(what_follows_an_error_is_read),
        TEST(an_unended_entry_is_one_error),
        TEST(a_file_may_end_anywhere),
        TEST(every_byte_may_be_any_other),
        TEST(arrays_beyond_the_limit_are_one_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
