/* test_hostile.c - no text, however broken, deep or long, brings the parser down */
#include "parse_fixture.h"

/* In `text`: `count` times `open`, then `middle`, then `count` times `close`. */
static void add_nest(struct text *text, int count, const char *open, const char *middle,
                     const char *close)
{
    for (int i = 0; i < count; i++)
        text_add(text, "%s", open);
    text_add(text, "%s", middle);
    for (int i = 0; i < count; i++)
        text_add(text, "%s", close);
}

static const struct {
    const char *open, *middle, *close;
} nests[] = {
    {"(", "x", ")"},
    {"[", "x", "]"},
    {"f(", "x", ")"},
    {"-", "x", ""},
    {"", "x", "+x"},
    {"", "x", "[0]"},
    {"", "x", "[0:1]"},
    {"x^(", "x", ")"},
    {"!", "x", ""},
    {"", "x", " if x else x"},
    {"x[", "x", "]"},
    {"f(a = ", "x", ")"},
    {"[for i in ", "x", " yield i]"},
    {"shape_of(", "x", ")"},
    {"x[:", "x", "]"},
};

static void check_nest(struct fixture *f, int form, int count, bool too_deep)
{
    struct text body = {0};

    text_add(&body, "y = ");
    add_nest(&body, count, nests[form].open, nests[form].middle, nests[form].close);
    text_add(&body, ";\n");
    parse_body(f, body.data);
    text_free(&body);
    assert_int_equal(diag_error_count(f->context->diag), too_deep);
    if (too_deep)
        assert_int_equal(diag_at(f->context->diag, diag_count(f->context->diag) - 1).code,
                         DIAG_NESTING);
}

static void nesting_beyond_the_limit_is_one_error(void **state)
{
    for (int form = 0; form < (int)(sizeof nests / sizeof *nests); form++) {
        check_nest(*state, form, 100, false);
        check_nest(*state, form, 1000, false);
        check_nest(*state, form, 3000, form != 0);
        check_nest(*state, form, 100000, true);
    }
}

static void types_beyond_the_limit_are_one_error(void **state)
{
    static const char *const parts[][3] = {{"(", "scalar", ", scalar)"}, {"", "scalar", "[]"}};
    struct fixture *f = *state;

    for (int form = 0; form < 2; form++)
        for (int count = 100; count <= 100000; count *= 1000) {
            struct text text = {0};
            text_add(&text, "version 1.0;\nfragment f(x: ");
            add_nest(&text, count, parts[form][0], parts[form][1], parts[form][2]);
            text_add(&text, ") -> (y: tensor<>);\ngraph g(x) -> (y) { y = f(x); }");
            parse(f, text.data);
            assert_int_equal(diag_error_count(f->context->diag), count > 100);
            text_free(&text);
        }
}

static void the_limit_is_the_one_of_the_context(void **state)
{
    struct fixture *f = *state;
    const char *text = "version 1.0;\ngraph g(x) -> (y) { y = [[[x]]]; }";

    parse_nested(f, text, strlen(text), 4);
    assert_clean(f);
    parse_nested(f, text, strlen(text), 3);
    assert_report(f, "2:25 N0006 nested more than 3 deep");
}

static void a_list_may_be_as_long_as_it_likes(void **state)
{
    struct fixture *f = *state;
    struct text body = {0};

    text_add(&body, "y = [");
    add_nest(&body, 1000000, "1,", "1", "");
    text_add(&body, "];\n");
    add_nest(&body, 10000, "a = x;\n", "", "");
    parse_body(f, body.data);
    assert_clean(f);
    assert_int_equal(f->document->graph->body.first->value->items.count, 1000001);
    assert_int_equal(f->document->graph->body.count, 10001);
    text_free(&body);
}

static void a_token_may_be_as_long_as_it_likes(void **state)
{
    static const char *const parts[][3] = {{"y = x", "x", ";"},
                                           {"y = f('", "s", "');"},
                                           {"y = x; #", "c", "\n"},
                                           {"y = ", "\t", "x;"},
                                           {"y = 0.", "1", ";"}};
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct text body = {0};
        text_add(&body, "%s", parts[i][0]);
        add_nest(&body, 300000, parts[i][1], parts[i][2], "");
        parse_body(f, body.data);
        assert_clean(f);
        text_free(&body);
    }
}

static const char *const documents[] = {
    "# comment\nversion 1.0;\nextension A B, C;\nfragment f<? = scalar>(x: tensor<?>, "
    "b: tensor<scalar>= 0.0, e: (integer, string[])[] = [(-1, ['a'])]) -> (y: tensor<?>)\n{\n"
    "    (a, [b]) = g<scalar>(x, 'it\\'s', \"q\", k = 1.5e-3);\n"
    "    y = [for i in a, j in b if i in c && !d yield i + j if e else k][1:];\n}\n"
    "fragment h(x: tensor<>) -> (y: tensor<>);\n"
    "graph g(i) -> (o)\n{\n    i = external<integer>(shape = [1]);\n    o = f(i, x = 1 < 2);\n}\n",
    "version 1.0\nfragment f(x: tensor, p: (extent,extent)[] = []) -> (y: tensor)\n{\n"
    "    a = x\n    [b, c] = split(x, axis = 1)\n    (d, e) = h(a) g, h = b, c\n"
    "    k = [b * s for s in [1.0, 2e0] if s > 1.0 if true else false]\n    y = p[1:]\n}\n"
    "graph g(i) -> (o) { i = external(shape = [1]) o = f(i) }\n",
};
enum { DOCUMENT_COUNT = sizeof documents / sizeof *documents };

/* Parse, and print whatever came of it. A copy of its own shows any reading past the end. */
static void survive(struct fixture *f, const char *text, size_t size)
{
    char *copy = malloc(size ? size : 1);

    assert_non_null(copy);
    if (size)
        memcpy(copy, text, size);
    if (parse_nested(f, copy, size, 0))
        print_document(f);
    else
        assert_true(diag_error_count(f->context->diag) > 0);
    free(copy);
}

static void every_prefix_of_a_document_is_survived(void **state)
{
    for (int d = 0; d < DOCUMENT_COUNT; d++)
        for (size_t size = 0; size <= strlen(documents[d]); size++)
            survive(*state, documents[d], size);
}

static void every_document_without_a_part_is_survived(void **state)
{
    for (int d = 0; d < DOCUMENT_COUNT; d++) {
        size_t size = strlen(documents[d]);
        for (size_t at = 0; at < size; at++)
            for (size_t gap = 1; gap <= 4 && at + gap <= size; gap++) {
                struct text text = {0};
                text_add(&text, "%.*s%s", (int)at, documents[d], documents[d] + at + gap);
                survive(*state, text.data, text.size);
                text_free(&text);
            }
    }
}

static void every_document_with_a_byte_changed_is_survived(void **state)
{
    static const char bytes[] = "\0\n'\"#(){}[]<>=?;:,.-^!&|1aeI\\\x80\xff";

    for (int d = 0; d < DOCUMENT_COUNT; d++) {
        size_t size = strlen(documents[d]);
        struct text text = {0};
        text_add(&text, "%s", documents[d]);
        for (size_t i = 0; i < size * (sizeof bytes - 1); i++) {
            size_t at = i / (sizeof bytes - 1);
            text.data[at] = bytes[i % (sizeof bytes - 1)];
            survive(*state, text.data, size);
            text.data[at] = documents[d][at];
        }
        text_free(&text);
    }
}

static void every_dialect_and_kind_survives_the_other_documents(void **state)
{
    struct fixture *f = *state;

    for (int i = 0; i < 6 * DOCUMENT_COUNT; i++) {
        f->options.dialect = (enum parse_dialect)(i % 3);
        f->options.library = i / 3 % 2;
        survive(f, documents[i / 6], strlen(documents[i / 6]));
    }
}

static void nul_bytes_are_errors_like_others(void **state)
{
    static const char text[] = "version 1.0;\ngraph g(x) -> (y) { y = f(x);\0 z = f(y); # \0\n}";
    struct fixture *f = *state;

    parse_nested(f, text, sizeof text - 1, 0);
    assert_report(f, "2:30 N0005 stray byte 0x00");
    parse_nested(f, "\0", 1, 0);
    assert_null(f->document);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nesting_beyond_the_limit_is_one_error),
        TEST(types_beyond_the_limit_are_one_error),
        TEST(the_limit_is_the_one_of_the_context),
        TEST(a_list_may_be_as_long_as_it_likes),
        TEST(a_token_may_be_as_long_as_it_likes),
        TEST(every_prefix_of_a_document_is_survived),
        TEST(every_document_without_a_part_is_survived),
        TEST(every_document_with_a_byte_changed_is_survived),
        TEST(every_dialect_and_kind_survives_the_other_documents),
        TEST(nul_bytes_are_errors_like_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
