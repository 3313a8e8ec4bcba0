/* test_diag_print.c - what people see of a report, to the byte */
#include "diag_fixture.h"

/* Reports of a code with a rule of its own, behind the one that says how to learn more. */
static int begin(void **state)
{
    setup(state);
    struct fixture *f = *state;

    diag_file_error(f->diag, NULL, DIAG_NESTING, "first");
    print(f, DIAG_STYLE_FULL, false);
    return 0;
}

static void fault(struct fixture *f, const char *part)
{
    diag_error(f->diag, at(f, part), DIAG_NESTING, "e");
}

#define expect(f, text) assert_string_equal(print((f), DIAG_STYLE_FULL, false), (text))

/* From the first byte of `from` to the last of `to`. */
static struct span from_to(const struct fixture *f, const char *from, const char *to)
{
    return span_join(at(f, from), at(f, to));
}

static void marks_labels_help_and_rule_stand_in_one_frame(void **state)
{
    struct fixture *f = *state;

    enter(f, "version 1.0;\n"
             "graph net( input ) -> ( output )\n"
             "{\n"
             "\n"
             "    input = external<scalar>(shape = [2, 1, 3]);\n"
             "    output = softmax( input, axes = [3] );\n"
             "}\n");
    diag_error(f->diag, at(f, "3] )"), DIAG_AXIS, "axis 3 is out of range for a tensor of rank 3");
    diag_label(f->diag, at(f, "3] )"), "valid axes are 0 to 2");
    diag_label(f->diag, at(f, "input = "), "'input' has shape [2,1,3]");
    diag_help(f->diag, "for the last axis write axes = [2]");
    expect(f, "error[N0142]: axis 3 is out of range for a tensor of rank 3\n"
              "  --> g.nnef:6:38\n"
              "   |\n"
              " 5 |     input = external<scalar>(shape = [2, 1, 3]);\n"
              "   |     -------- 'input' has shape [2,1,3]\n"
              " 6 |     output = softmax( input, axes = [3] );\n"
              "   |                                      ^^^^ valid axes are 0 to 2\n"
              "   |\n"
              "   = help: for the last axis write axes = [2]\n"
              "   = note: NNEF 1.0.5, section 4\n"
              "\n");
    expect(f, "");
}

static void the_first_report_says_how_to_learn_more(void **state)
{
    struct fixture *f = *state;

    diag_file_error(f->diag, "w.dat", DIAG_DATA_HEADER, "bad");
    diag_note(f->diag, (struct span){0, 0}, "in general");
    diag_file_error(f->diag, NULL, DIAG_RUN_MEMORY, "gone");
    diag_error(f->diag, (struct span){0, 0}, DIAG_RUN_MEMORY, "gone again");
    diag_help(f->diag, "buy some.");
    expect(f, "error[N0182]: bad\n"
              "  --> w.dat\n"
              "   |\n"
              "   = note: in general\n"
              "   = note: NNEF 1.0.5, section 5.2; run 'nnefc explain N0182'\n"
              "\n"
              "error[N0171]: gone\n"
              "\n"
              "error[N0171]: gone again\n"
              "   |\n"
              "   = help: buy some.\n"
              "\n");
}

static void labels_of_one_line_hang_from_right_to_left(void **state)
{
    struct fixture *f = *state;

    enter(f, "abc = f( def, ghi );\n");
    fault(f, "ghi");
    diag_label(f->diag, at(f, "abc"), "A");
    diag_label(f->diag, at(f, "def"), "D");
    diag_label(f->diag, at(f, "ghi"), "G");
    expect(f, "error[N0006]: e\n"
              "  --> g.nnef:1:15\n"
              "   |\n"
              " 1 | abc = f( def, ghi );\n"
              "   | ---      ---  ^^^ G\n"
              "   | |        |\n"
              "   | |        D\n"
              "   | A\n"
              "\n");
}

static void marks_within_marks_keep_their_labels(void **state)
{
    struct fixture *f = *state;

    enter(f, "abc = f( def, ghi );\n");
    fault(f, "f( def, ghi )");
    diag_label(f->diag, at(f, "f( def, ghi )"), "F");
    diag_label(f->diag, at(f, "def"), "D");
    diag_label(f->diag, at(f, "def"), "D again");
    diag_label(f->diag, at(f, "abc = f( def, ghi );"), "all");
    expect(f, "error[N0006]: e\n"
              "  --> g.nnef:1:7\n"
              "   |\n"
              " 1 | abc = f( def, ghi );\n"
              "   | ------^^^^^^^^^^^^^- all\n"
              "   |       |  |\n"
              "   |       |  D\n"
              "   |       |  D again\n"
              "   |       F\n"
              "\n");
}

static void one_line_between_is_shown_and_more_are_a_gap(void **state)
{
    struct fixture *f = *state;

    enter(f, "one\r\ntwo\rthree\n\n\nsix\n");
    fault(f, "three");
    diag_label(f->diag, at(f, "one"), "1");
    diag_label(f->diag, at(f, "six"), "6");
    expect(f, "error[N0006]: e\n"
              "  --> g.nnef:3:1\n"
              "   |\n"
              " 1 | one\n"
              "   | --- 1\n"
              " 2 | two\n"
              " 3 | three\n"
              "   | ^^^^^\n"
              "...\n"
              " 6 | six\n"
              "   | --- 6\n"
              "\n");
}

static void a_label_in_another_file_has_a_snippet_of_its_own(void **state)
{
    struct fixture *f = *state;

    enter(f, "\n\n\n\n\n\n\n\n\nfragment relu(x);\n");
    struct span declared = at(f, "relu");
    enter(f, "y = relu(x, x);\n");
    sources_add(f->sources, "other", "", 0);
    fault(f, "x);");
    diag_label(f->diag, declared, "declared here");
    expect(f, "error[N0006]: e\n"
              "   --> g.nnef:1:13\n"
              "    |\n"
              "  1 | y = relu(x, x);\n"
              "    |             ^^^\n"
              "    |\n"
              "   ::: g.nnef:10:10\n"
              "    |\n"
              " 10 | fragment relu(x);\n"
              "    |          ---- declared here\n"
              "\n");
}

static void a_mark_over_several_lines_is_on_the_first_and_the_last(void **state)
{
    struct fixture *f = *state;

    enter(f, "y = f(\n    a,\n    b,\n    c );\n");
    diag_error(f->diag, from_to(f, "f(", "c )"), DIAG_NESTING, "e");
    diag_label(f->diag, from_to(f, "f(", "c )"), "all of this");
    expect(f, "error[N0006]: e\n"
              "  --> g.nnef:1:5\n"
              "   |\n"
              " 1 | y = f(\n"
              "   |     ^^\n"
              "...\n"
              " 4 |     c );\n"
              "   |     ^^^ all of this\n"
              "\n");
}

static void line_ends_are_no_part_of_a_mark(void **state)
{
    struct fixture *f = *state;

    enter(f, "a = b\r\nc = d\n");
    fault(f, "b\r\n");
    fault(f, "\n");
    fault(f, "b\r\nc");
    expect(f, "error[N0006]: e\n"
              "  --> g.nnef:1:5\n"
              "   |\n"
              " 1 | a = b\n"
              "   |     ^\n"
              "\n"
              "error[N0006]: e\n"
              "  --> g.nnef:1:7\n"
              "   |\n"
              " 1 | a = b\n"
              "   |      ^\n"
              "\n"
              "error[N0006]: e\n"
              "  --> g.nnef:1:5\n"
              "   |\n"
              " 1 | a = b\n"
              "   |     ^\n"
              " 2 | c = d\n"
              "   | ^\n"
              "\n");
}

static void an_empty_place_and_the_end_of_the_text_have_one_caret(void **state)
{
    struct fixture *f = *state;

    enter(f, "graph");
    diag_error(f->diag, (struct span){f->base + 2, f->base + 2}, DIAG_NESTING, "e");
    diag_error(f->diag, (struct span){f->base + 5, f->base + 5}, DIAG_NESTING, "end");
    diag_label(f->diag, (struct span){f->base + 5, f->base + 5}, "expected 'g'");
    expect(f, "error[N0006]: e\n"
              "  --> g.nnef:1:3\n"
              "   |\n"
              " 1 | graph\n"
              "   |   ^\n"
              "\n"
              "error[N0006]: end\n"
              "  --> g.nnef:1:6\n"
              "   |\n"
              " 1 | graph\n"
              "   |      ^ expected 'g'\n"
              "\n");
}

static void an_empty_text_is_a_place(void **state)
{
    struct fixture *f = *state;

    enter(f, "");
    diag_error(f->diag, (struct span){f->base, f->base}, DIAG_NESTING, "e");
    expect(f, "error[N0006]: e\n"
              "  --> g.nnef:1:1\n"
              "   |\n"
              " 1 |\n"
              "   | ^\n"
              "\n");
}

static void marks_are_as_wide_as_what_they_mark(void **state)
{
    struct fixture *f = *state;

    enter(f, "\tx\t'cafe\xcc\x81' '\xe4\xb8\xad\xe6\x96\x87' here\n");
    fault(f, "\xe4\xb8\xad\xe6\x96\x87");
    diag_label(f->diag, at(f, "x"), "\xe4\xb8\xad");
    diag_label(f->diag, at(f, "e\xcc\x81"), "accent");
    diag_label(f->diag, at(f, "here"), "h");
    expect(f, "error[N0006]: e\n"
              "  --> g.nnef:1:14\n"
              "   |\n"
              " 1 |         x       'cafe\xcc\x81' '\xe4\xb8\xad\xe6\x96\x87' here\n"
              "   |         -           -   ^^^^  ---- h\n"
              "   |         |           |\n"
              "   |         |           accent\n"
              "   |         \xe4\xb8\xad\n"
              "\n");
}

static void nothing_commands_the_terminal(void **state)
{
    struct fixture *f = *state;

    enter(f, "a\x1b[31m\xff\xe2\x80\xae b\n");
    diag_error(f->diag, at(f, "b"), DIAG_NESTING, "\x1b[2J\r\a");
    diag_label(f->diag, at(f, "b"), "\x1b]0;\n");
    diag_help(f->diag, "\b");
    diag_fix(f->diag, at(f, "b"), "\x1b");
    diag_file_error(f->diag, "\x1b.dat", DIAG_NESTING, "\x7f");
    expect(f, "error[N0006]: ?[2J?\?\n"
              "  --> g.nnef:1:12\n"
              "   |\n"
              " 1 | a?[31m?? b\n"
              "   |          ^ ?]0;?\n"
              "   |\n"
              "   = help: ?\n"
              "   |\n"
              " 1 | a?[31m?? ?\n"
              "   |          ~\n"
              "\n"
              "error[N0006]: ?\n"
              "  --> ?.dat\n"
              "\n");
}

static void a_long_line_is_cut_around_each_mark(void **state)
{
    struct fixture *f = *state;
    char text[1001], expected[600];

    memset(text, 'x', 1000);
    text[1000] = '\0';
    text[99] = 'y';
    text[899] = 'z';
    enter(f, text);
    fault(f, "y");
    diag_label(f->diag, at(f, "z"), "Z");
    snprintf(expected, sizeof expected,
             "error[N0006]: e\n"
             "  --> g.nnef:1:100\n"
             "   |\n"
             " 1 | ...%.40sy%.40s...%.40sz%.40s...\n"
             "   | %43s^%83s- Z\n"
             "\n",
             text, text, text, text, "", "");
    expect(f, expected);
}

static void a_long_mark_is_cut_in_its_middle(void **state)
{
    struct fixture *f = *state;
    char text[1001], expected[600], marks[84];

    memset(text, 'x', 1000);
    memcpy(text, "y = ", 4);
    text[1000] = '\0';
    enter(f, text);
    fault(f, text + 4);
    memset(marks, '^', 83);
    marks[83] = '\0';
    snprintf(expected, sizeof expected,
             "error[N0006]: e\n"
             "  --> g.nnef:1:5\n"
             "   |\n"
             " 1 | y = %.40s...%.40s\n"
             "   |     %s\n"
             "\n",
             text + 4, text + 4, marks);
    expect(f, expected);
}

static void a_long_line_is_cut_between_characters(void **state)
{
    struct fixture *f = *state;
    char text[400] = "", *end = text;

    for (int i = 0; i < 120; i++)
        end = stpcpy(end, i == 60 ? "y" : "\xe4\xb8\xad");
    enter(f, text);
    fault(f, "y");
    expect(f,
           "error[N0006]: e\n"
           "  --> g.nnef:1:181\n"
           "   |\n"
           " 1 | ...\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad"
           "\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad"
           "y\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad"
           "\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad...\n"
           "   |                              ^\n"
           "\n");
}

static void a_long_name_in_a_message_is_cut(void **state)
{
    struct fixture *f = *state;
    char name[1001], expected[200];

    memset(name, 'x', 1000);
    name[1000] = '\0';
    diag_file_error(f->diag, NULL, DIAG_NESTING, "unknown '%s', expected 'y'", name);
    snprintf(expected, sizeof expected, "error[N0006]: unknown '%.40s...%.20s', expected 'y'\n\n",
             name, name);
    expect(f, expected);
}

static void a_long_string_in_a_message_is_cut(void **state)
{
    struct fixture *f = *state;
    char string[3001], expected[2100];

    memset(string, '/', 3000);
    string[3000] = '\0';
    diag_file_error(f->diag, NULL, DIAG_NESTING, "it is '%s'", string);
    snprintf(expected, sizeof expected, "error[N0006]: it is '%.993s...%.999s'\n\n", string,
             string);
    expect(f, expected);
}

static void a_note_with_a_place_follows_and_keeps_its_remarks(void **state)
{
    struct fixture *f = *state;

    enter(f, "y = f(x);\nz = g(y);\n");
    diag_error(f->diag, at(f, "f(x)"), DIAG_AXIS, "e");
    diag_note(f->diag, at(f, "g(y)"), "in fragment 'g', expanded here");
    diag_note(f->diag, (struct span){0, 0}, "... and 3 more");
    expect(f, "error[N0142]: e\n"
              "  --> g.nnef:1:5\n"
              "   |\n"
              " 1 | y = f(x);\n"
              "   |     ^^^^\n"
              "   |\n"
              "   = note: NNEF 1.0.5, section 4\n"
              "note: in fragment 'g', expanded here\n"
              "  --> g.nnef:2:5\n"
              "   |\n"
              " 2 | z = g(y);\n"
              "   |     ^^^^\n"
              "   |\n"
              "   = note: ... and 3 more\n"
              "\n");
}

static void a_label_without_a_place_is_a_note(void **state)
{
    struct fixture *f = *state;

    enter(f, "y");
    fault(f, "y");
    diag_label(f->diag, (struct span){0, 0}, "of the library");
    expect(f, "error[N0006]: e\n"
              "  --> g.nnef:1:1\n"
              "   |\n"
              " 1 | y\n"
              "   | ^\n"
              "   |\n"
              "   = note: of the library\n"
              "\n");
}

static void a_fix_is_the_line_as_it_should_read(void **state)
{
    struct fixture *f = *state;

    enter(f, "\ty = neg(x)\n");
    fault(f, ")");
    diag_fix(f->diag, (struct span){at(f, ")").end, at(f, ")").end}, ";");
    diag_fix(f->diag, at(f, "neg"), "abs");
    expect(f, "error[N0006]: e\n"
              "  --> g.nnef:1:11\n"
              "   |\n"
              " 1 |         y = neg(x)\n"
              "   |                  ^\n"
              "   |\n"
              "   = help: as 'nnefc check --fix' writes it:\n"
              "   |\n"
              " 1 |         y = abs(x);\n"
              "   |             ~~~   +\n"
              "\n");
}

static void a_fix_that_removes_or_adds_lines_shows_both_states(void **state)
{
    struct fixture *f = *state;

    enter(f, "version 1.0;\nextension a;\ngraph;;\n");
    fault(f, "extension");
    diag_help(f->diag, "remove it.");
    diag_fix(f->diag, at(f, "extension a;\n"), "");
    fault(f, "graph");
    diag_fix(f->diag, (struct span){at(f, "graph").begin, at(f, "graph").begin}, "b;\n");
    fault(f, ";;");
    diag_fix(f->diag, (struct span){at(f, ";;").end - 1, at(f, ";;").end}, "");
    expect(f, "error[N0006]: e\n"
              "  --> g.nnef:2:1\n"
              "   |\n"
              " 2 | extension a;\n"
              "   | ^^^^^^^^^\n"
              "   |\n"
              "   = help: remove it.\n"
              "   |\n"
              " 2 - extension a;\n"
              "\n"
              "error[N0006]: e\n"
              "  --> g.nnef:3:1\n"
              "   |\n"
              " 3 | graph;;\n"
              "   | ^^^^^\n"
              "   |\n"
              "   = help: as 'nnefc check --fix' writes it:\n"
              "   |\n"
              " 3 + b;\n"
              "\n"
              "error[N0006]: e\n"
              "  --> g.nnef:3:6\n"
              "   |\n"
              " 3 | graph;;\n"
              "   |      ^^\n"
              "   |\n"
              "   = help: as 'nnefc check --fix' writes it:\n"
              "   |\n"
              " 3 - graph;;\n"
              " 3 + graph;\n"
              "\n");
}

static void colour_comes_only_when_asked(void **state)
{
    struct fixture *f = *state;

    enter(f, "g h");
    fault(f, "g");
    diag_label(f->diag, at(f, "h"), "l");
    diag_fix(f->diag, at(f, "h"), "i");
    assert_string_equal(
        print(f, DIAG_STYLE_FULL, true),
        "\033[1;31merror[N0006]:\033[0m \033[1me\033[0m\n"
        "  \033[1;34m-->\033[0m g.nnef:1:1\n"
        "   \033[1;34m|\033[0m\n"
        "\033[1;34m 1 |\033[0m g h\n"
        "   \033[1;34m|\033[0m \033[1;31m^\033[0m \033[1;34m-\033[0m "
        "\033[1;34ml\033[0m\n"
        "   \033[1;34m|\033[0m\n"
        "   \033[1;34m=\033[0m \033[1mhelp: \033[0mas 'nnefc check --fix' writes it:\n"
        "   \033[1;34m|\033[0m\n"
        "\033[1;34m 1 |\033[0m g i\n"
        "   \033[1;34m|\033[0m   \033[32m~\033[0m\n"
        "\n");
}

static void a_place_in_no_text_is_none(void **state)
{
    struct fixture *f = *state;

    enter(f, "g");
    diag_error(f->diag, (struct span){f->base + 100, f->base + 101}, DIAG_NESTING, "e");
    diag_fix(f->diag, (struct span){f->base + 100, f->base + 101}, "x");
    diag_error(f->diag, (struct span){f->base, f->base + 101}, DIAG_NESTING, "e");
    expect(f, "error[N0006]: e\n"
              "\n"
              "error[N0006]: e\n"
              "  --> g.nnef:1:1\n"
              "   |\n"
              " 1 | g\n"
              "   | ^\n"
              "\n");
}

#define test(function) cmocka_unit_test_setup_teardown(function, begin, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(marks_labels_help_and_rule_stand_in_one_frame),
        cmocka_unit_test_setup_teardown(the_first_report_says_how_to_learn_more, setup, teardown),
        test(labels_of_one_line_hang_from_right_to_left),
        test(marks_within_marks_keep_their_labels),
        test(one_line_between_is_shown_and_more_are_a_gap),
        test(a_label_in_another_file_has_a_snippet_of_its_own),
        test(a_mark_over_several_lines_is_on_the_first_and_the_last),
        test(line_ends_are_no_part_of_a_mark),
        test(an_empty_place_and_the_end_of_the_text_have_one_caret),
        test(an_empty_text_is_a_place),
        test(marks_are_as_wide_as_what_they_mark),
        test(nothing_commands_the_terminal),
        test(a_long_line_is_cut_around_each_mark),
        test(a_long_mark_is_cut_in_its_middle),
        test(a_long_line_is_cut_between_characters),
        test(a_long_name_in_a_message_is_cut),
        test(a_long_string_in_a_message_is_cut),
        test(a_note_with_a_place_follows_and_keeps_its_remarks),
        test(a_label_without_a_place_is_a_note),
        test(a_fix_is_the_line_as_it_should_read),
        test(a_fix_that_removes_or_adds_lines_shows_both_states),
        test(colour_comes_only_when_asked),
        test(a_place_in_no_text_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
