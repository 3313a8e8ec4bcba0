/*
 * test_print.c - documents are printed as tests/syntax has them, and read back the same
 *
 * Each tests/syntax/DIALECT/NAME.nnef is printed as NAME.ast says; with BLESS=1 in the
 * environment that file is written instead.
 */
#include <dirent.h>

#include "parse_fixture.h"
#include "same_document.h"

static struct text read_file(const char *path)
{
    struct text text = {0};
    char bytes[4096];
    size_t size;
    FILE *file = fopen(path, "rb");

    if (!file)
        fail_msg("cannot read %s", path);
    text_add_bytes(&text, "", 0);
    while ((size = fread(bytes, 1, sizeof bytes, file)) > 0)
        text_add_bytes(&text, bytes, size);
    fclose(file);
    return text;
}

static void bless(const char *path, const struct text *text)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(text->data, 1, text->size, file), text->size);
    fclose(file);
}

/* Parse what was printed of the document parsed last, and compare the two. */
static void check_read_back(struct fixture *f, const char *path)
{
    struct fixture again = {.options = f->options};
    const char *printed = print_document(f);

    assert_non_null(parse(&again, printed));
    if (diag_error_count(again.context->diag))
        fail_msg("%s as printed: %s", path, report(&again, 0));
    if (!same_document(f->document, again.document))
        fail_msg("%s as printed is another document:\n%s", path, printed);
    assert_string_equal(print_document(&again), printed);
    context_free(again.context);
    text_free(&again.printed);
}

static void check_document(struct fixture *f, const char *path)
{
    struct text source = read_file(path), expected_path = {0};

    parse_nested(f, source.data, source.size, 0);
    if (diag_error_count(f->context->diag))
        fail_msg("%s: %s", path, report(f, 0));
    check_read_back(f, path);
    text_add(&expected_path, "%.*s.ast", (int)(strlen(path) - strlen(".nnef")), path);
    if (getenv("BLESS")) /* NOLINT(concurrency-mt-unsafe) */
        bless(expected_path.data, &f->printed);
    struct text expected = read_file(expected_path.data);
    assert_string_equal(f->printed.data, expected.data);
    text_free(&source);
    text_free(&expected_path);
    text_free(&expected);
}

static int check_folder(struct fixture *f, const char *folder)
{
    DIR *listing = opendir(folder);
    struct dirent *entry;
    int count = 0;

    while (listing && (entry = readdir(listing))) { /* NOLINT(concurrency-mt-unsafe) */
        struct text path = {0};
        const char *suffix = strrchr(entry->d_name, '.');
        if (!suffix || strcmp(suffix, ".nnef") != 0)
            continue;
        text_add(&path, "%s/%s", folder, entry->d_name);
        check_document(f, path.data);
        text_free(&path);
        count++;
    }
    if (listing)
        closedir(listing);
    return count;
}

static void every_construct_of_1_0_is_printed_and_read_back(void **state)
{
    assert_true(check_folder(*state, "tests/syntax/1.0") >= 20);
}

static void every_construct_of_the_provisional_dialect_is_printed_and_read_back(void **state)
{
    assert_true(check_folder(*state, "tests/syntax/provisional") >= 10);
}

static void the_libraries_are_read_back_the_same(void **state)
{
    static const char *const libraries[] = {"stdlib/stdlib.nnef", "stdlib/provisional.nnef"};
    struct fixture *f = *state;

    f->options.library = true;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        struct text source = read_file(libraries[i]);
        parse_nested(f, source.data, source.size, 0);
        assert_clean(f);
        check_read_back(f, libraries[i]);
        text_free(&source);
    }
}

static void check_prints(struct fixture *f, const char *written, const char *printed)
{
    struct text body = {0};

    text_add(&body, "y = %s;", written);
    parse_body(f, body.data);
    assert_int_equal(diag_error_count(f->context->diag), 0);
    assert_string_equal(print_value(f), printed);
    check_read_back(f, written);
    text_free(&body);
}

static void only_the_parentheses_that_precedence_asks_for_are_printed(void **state)
{
    struct fixture *f = *state;

    check_prints(f, "(a + b) + c", "a + b + c");
    check_prints(f, "a + (b + c)", "a + (b + c)");
    check_prints(f, "((a * b)) + (-c)", "a * b + -c");
    check_prints(f, "(a + b) * c", "(a + b) * c");
    check_prints(f, "(a[0])[1]", "a[0][1]");
    check_prints(f, "(-a)[0]", "(-a)[0]");
    check_prints(f, "a ^ (-b)", "a ^ -b");
    check_prints(f, "(-a) ^ b", "(-a) ^ b");
    check_prints(f, "-(a ^ b)", "-a ^ b");
    check_prints(f, "(a if b else c) if d else (e if f else g)",
                 "(a if b else c) if d else e if f else g");
    check_prints(f, "[for i in (a if b else c) yield (i)]", "[for i in (a if b else c) yield i]");
}

static void parentheses_against_a_misreading_stay(void **state)
{
    struct fixture *f = *state;

    check_prints(f, "(a && b) || c", "(a && b) || c");
    check_prints(f, "(a ^ b) ^ c", "(a ^ b) ^ c");
    check_prints(f, "(a < b) == c", "(a < b) == c");
    check_prints(f, "a in (b && c)", "a in (b && c)");
    check_prints(f, "(a && b) && c", "(a && b) && c");
}

static void a_sign_stays_where_it_was_written(void **state)
{
    struct fixture *f = *state;

    check_prints(f, "-2 ^ 2", "-2 ^ 2");
    check_prints(f, "(-2) ^ 2", "(-2) ^ 2");
    check_prints(f, "- 2", "-2");
    check_prints(f, "--2", "--2");
    check_prints(f, "-(2)", "-(2)");
    check_prints(f, "a - -0.0", "a - -0.0");
    check_prints(f, "-9223372036854775808", "-9223372036854775808");
}

static void scalars_are_printed_in_the_shortest_way_that_reads_back(void **state)
{
    struct fixture *f = *state;

    check_prints(f, "0.1", "0.1");
    check_prints(f, "1.50", "1.5");
    check_prints(f, "100.0", "100.0");
    check_prints(f, "1e-7", "1.0e-07");
    check_prints(f, "0.30000000000000004", "0.30000000000000004");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_construct_of_1_0_is_printed_and_read_back, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(
            every_construct_of_the_provisional_dialect_is_printed_and_read_back, setup, teardown),
        cmocka_unit_test_setup_teardown(the_libraries_are_read_back_the_same, setup, teardown),
        cmocka_unit_test_setup_teardown(only_the_parentheses_that_precedence_asks_for_are_printed,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(parentheses_against_a_misreading_stay, setup, teardown),
        cmocka_unit_test_setup_teardown(a_sign_stays_where_it_was_written, setup, teardown),
        cmocka_unit_test_setup_teardown(scalars_are_printed_in_the_shortest_way_that_reads_back,
                                        setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
