/* test_diag.c - what is counted, and what is printed to the byte */
#include "diag_fixture.h"

static void the_short_style_is_one_line(void **state)
{
    struct fixture *f = *state;

    enter(f, "graph g");
    diag_error(f->diag, at(f, "g"), DIAG_SYNTAX, "e");
    diag_note(f->diag, at(f, "g"), "n");
    diag_help(f->diag, "h");
    diag_file_error(f->diag, "w.dat", DIAG_DATA_HEADER, "bad\x1b");
    diag_file_error(f->diag, NULL, DIAG_RUN_MEMORY, "gone");
    assert_string_equal(print(f, DIAG_STYLE_SHORT, false), "g.nnef:1:1: error[N0001]: e\n"
                                                           "w.dat: error[N0182]: bad?\n"
                                                           "error[N0171]: gone\n");
}

static void beyond_the_limit_errors_are_counted_which_is_said_once(void **state)
{
    struct fixture *f = *state;

    diag_set_limit(f->diag, 2);
    for (int i = 0; i < 5; i++) {
        if (i < 2)
            diag_file_warning(f->diag, "f", WARNING_DEPRECATED, "w%d", i);
        assert_int_equal(diag_hidden_count(f->diag), i > 2 ? i - 2 : 0);
        diag_file_error(f->diag, "f", DIAG_SYNTAX, "e%d", i);
        diag_note(f->diag, (struct span){0, 0}, "n%d", i);
    }
    diag_file_warning(f->diag, "f", WARNING_DEPRECATED, "beyond");
    assert_int_equal(diag_error_count(f->diag), 5);
    assert_int_equal(diag_hidden_count(f->diag), 3);
    assert_false(diag_full(f->diag));
    assert_int_equal(diag_count(f->diag), 4);
    assert_string_equal(diag_note_at(f->diag, 3, 0).text, "n1");
    assert_null(diag_note_at(f->diag, 3, 1).text);
    assert_string_equal(print(f, DIAG_STYLE_SHORT, false),
                        "f: warning[N0200]: w0 [-Wdeprecated]\n"
                        "f: error[N0001]: e0\n"
                        "f: warning[N0200]: w1 [-Wdeprecated]\n"
                        "f: error[N0001]: e1\n"
                        "note[N0190]: 3 more errors are not shown; --error-limit=0 shows all\n");
    assert_string_equal(print(f, DIAG_STYLE_SHORT, false), "");
}

static void counting_ends_as_well(void **state)
{
    struct fixture *f = *state;

    diag_set_limit(f->diag, 1);
    for (int i = 0; i < DIAG_MOST_HIDDEN + 10; i++) {
        assert_int_equal(diag_full(f->diag), i > DIAG_MOST_HIDDEN);
        diag_file_error(f->diag, "f", DIAG_SYNTAX, "e");
    }
    assert_int_equal(diag_hidden_count(f->diag), DIAG_MOST_HIDDEN);
    assert_string_equal(
        print(f, DIAG_STYLE_SHORT, false),
        "f: error[N0001]: e\n"
        "note[N0190]: at least 1000 more errors are not shown; --error-limit=0 shows all\n");
    diag_clear(f->diag);
    assert_false(diag_full(f->diag));
    assert_int_equal(diag_error_count(f->diag), 0);
}

static void a_warning_is_given_once_for_a_place(void **state)
{
    struct fixture *f = *state;

    enter(f, "a b\n");
    for (int i = 0; i < 3; i++) {
        diag_warning(f->diag, at(f, "a"), WARNING_DEPRECATED, "w%d", i);
        diag_note(f->diag, (struct span){0, 0}, "n%d", i);
    }
    diag_warning(f->diag, at(f, "a"), WARNING_DIALECT, "another warning");
    diag_warning(f->diag, at(f, "b"), WARNING_DEPRECATED, "other place");
    assert_int_equal(diag_count(f->diag), 3);
    assert_string_equal(print(f, DIAG_STYLE_SHORT, false),
                        "g.nnef:1:1: warning[N0200]: w0 [-Wdeprecated]\n"
                        "g.nnef:1:1: warning[N0016]: another warning [-Wdialect]\n"
                        "g.nnef:1:3: warning[N0200]: other place [-Wdeprecated]\n");
}

static void a_note_is_given_once_for_a_report(void **state)
{
    struct fixture *f = *state;

    for (int i = 0; i < 4; i++) {
        if (i % 2 == 0)
            diag_file_error(f->diag, "f", DIAG_SYNTAX, "e");
        diag_note(f->diag, (struct span){0, 0}, "n");
    }
    for (int i = 0; i < 2; i++) {
        assert_string_equal(diag_note_at(f->diag, i, 0).text, "n");
        assert_null(diag_note_at(f->diag, i, 1).text);
    }
}

static void the_standard_limit_is_twenty_and_none_is_zero(void **state)
{
    struct fixture *f = *state;

    for (int i = 0; i < 30; i++)
        diag_file_error(f->diag, "f", DIAG_SYNTAX, "e");
    assert_int_equal(diag_count(f->diag), 20);
    diag_set_limit(f->diag, 0);
    for (int i = 0; i < 30; i++)
        diag_file_error(f->diag, "f", DIAG_SYNTAX, "e");
    assert_int_equal(diag_count(f->diag), 50);
}

static void warnings_become_errors_when_asked(void **state)
{
    struct fixture *f = *state;

    diag_file_warning(f->diag, "f", WARNING_DEPRECATED, "w");
    assert_int_equal(diag_error_count(f->diag), 0);
    diag_set_werror(f->diag, true);
    diag_file_warning(f->diag, "f", WARNING_DEPRECATED, "w");
    assert_int_equal(diag_error_count(f->diag), 1);
    assert_int_equal(diag_at(f->diag, 1).severity, SEVERITY_ERROR);
    assert_string_equal(print(f, DIAG_STYLE_SHORT, false),
                        "f: warning[N0200]: w [-Wdeprecated]\n"
                        "f: error[N0200]: w [-Werror=deprecated]\n");
}

/* Gives each of two warnings, and one that is off by itself; returns how they are printed. */
static const char *warn(struct fixture *f)
{
    diag_clear(f->diag);
    diag_file_warning(f->diag, "f", WARNING_DEPRECATED, "a");
    diag_help(f->diag, "ha.");
    diag_file_warning(f->diag, "f", WARNING_LEGACY_DATA, "b");
    diag_help(f->diag, "hb.");
    diag_file_warning(f->diag, "f", WARNING_UNUSED_EXTENSION, "c");
    return print(f, DIAG_STYLE_SHORT, false);
}

#define A   "f: warning[N0200]: a [-Wdeprecated]\n"
#define B   "f: warning[N0186]: b [-Wlegacy-data]\n"
#define C   "f: warning[N0201]: c [-Wunused-extension]\n"
#define A_E "f: error[N0200]: a [-Werror=deprecated]\n"
#define B_E "f: error[N0186]: b [-Werror=legacy-data]\n"
#define C_E "f: error[N0201]: c [-Werror=unused-extension]\n"

static void a_warning_is_turned_on_and_off_by_name(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(warn(f), A B);
    diag_set_warning(f->diag, WARNING_DEPRECATED, WARNING_OFF);
    assert_string_equal(warn(f), B);
    assert_string_equal(diag_help_at(f->diag, 0), "hb.");
    assert_false(diag_warns(f->diag, WARNING_DEPRECATED));
    diag_set_warning(f->diag, WARNING_UNUSED_EXTENSION, WARNING_ON);
    assert_string_equal(warn(f), B C);
    diag_set_warning(f->diag, WARNING_DEPRECATED, WARNING_ERROR);
    assert_string_equal(warn(f), A_E B C);
    diag_set_warning(f->diag, WARNING_DEPRECATED, WARNING_OFF);
    assert_string_equal(warn(f), B C);
}

static void what_is_said_of_one_warning_counts_more_than_what_is_said_of_all(void **state)
{
    struct fixture *f = *state;

    diag_set_warning(f->diag, WARNING_DEPRECATED, WARNING_OFF);
    diag_set_warning(f->diag, WARNING_ALL, WARNING_ON);
    assert_string_equal(warn(f), B C);
    diag_set_warning(f->diag, WARNING_LEGACY_DATA, WARNING_NO_ERROR);
    diag_set_werror(f->diag, true);
    assert_string_equal(warn(f), B C_E);
    diag_set_warning(f->diag, WARNING_LEGACY_DATA, WARNING_ERROR);
    diag_set_warning(f->diag, WARNING_ALL, WARNING_OFF);
    assert_string_equal(warn(f), B_E);
}

static void the_pedantic_are_given_what_is_off(void **state)
{
    struct fixture *f = *state;

    diag_set_pedantic(f->diag, true);
    assert_string_equal(warn(f), A B C);
    diag_set_warning(f->diag, WARNING_UNUSED_EXTENSION, WARNING_OFF);
    assert_string_equal(warn(f), A B);
}

static void warnings_are_found_by_their_names(void **state)
{
    (void)state;
    for (enum diag_warning w = WARNING_NONE + 1; w < WARNING_COUNT; w++)
        assert_int_equal(diag_warning_find(diag_warning_info(w)->name), w);
    assert_int_equal(diag_warning_find("all"), WARNING_ALL);
    assert_int_equal(diag_warning_find("depre"), WARNING_NONE);
    assert_int_equal(diag_warning_find(""), WARNING_NONE);
}

static void codes_ascend_and_have_a_title(void **state)
{
    (void)state;
    for (int i = 0; i < DIAG_CODE_COUNT; i++) {
        const struct diag_info *info = diag_info((enum diag_code)i);
        assert_true(strlen(info->code) == 5 && *info->section && *info->title);
        assert_true(i == 0 || strcmp(diag_info((enum diag_code)(i - 1))->code, info->code) < 0);
    }
}

#define test(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(the_short_style_is_one_line),
        test(beyond_the_limit_errors_are_counted_which_is_said_once),
        test(counting_ends_as_well),
        test(the_standard_limit_is_twenty_and_none_is_zero),
        test(a_warning_is_given_once_for_a_place),
        test(a_note_is_given_once_for_a_report),
        test(warnings_become_errors_when_asked),
        test(a_warning_is_turned_on_and_off_by_name),
        test(what_is_said_of_one_warning_counts_more_than_what_is_said_of_all),
        test(the_pedantic_are_given_what_is_off),
        test(warnings_are_found_by_their_names),
        test(codes_ascend_and_have_a_title),
    };
    return cmocka_run_group_tests_name("diag", tests, NULL, NULL);
}
