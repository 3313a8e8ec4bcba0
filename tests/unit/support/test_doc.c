/* test_doc.c - the runner of documents complains where it should, see support/doc.h */
#include "support/t.h"

#include "support/doc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD "version 1.0;\ngraph net(x) -> (y)\n{\n"
#define TAIL "\n}\n"

/* Run a document of a name that ends with six X; what the complaints say is the caller's to free.
 */
static char *complaints_of(const char *text, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/nnefc-%s", name);
    int file = mkstemp(path);
    struct doc doc;
    char *complaints;

    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    doc_read(&doc, path);
    bool ok = doc_run(&doc);
    assert_int_equal(ok, doc.complaints.size == 0);
    complaints = strdup(doc.complaints.data ? doc.complaints.data : "");
    doc_clear(&doc);
    unlink(path);
    assert_non_null(complaints);
    return complaints;
}

static void expect_content(const char *text)
{
    char *complaints = complaints_of(text, "doc-XXXXXX");

    assert_string_equal(complaints, "");
    free(complaints);
}

/* Every complaint is a line; one of them has `part` in it. */
static void expect_complaints(char *complaints, int count, const char *part)
{
    int lines = 0;

    for (const char *c = complaints; *c; c++)
        lines += *c == '\n';
    if (lines != count || !strstr(complaints, part))
        fail_msg("expected %d complaints with '%s', found: %s", count, part, complaints);
    free(complaints);
}

static void expect_complaint(const char *text, int count, const char *part)
{
    expect_complaints(complaints_of(text, "doc-XXXXXX"), count, part);
}

static void a_document_that_keeps_its_word_is_content(void **state)
{
    (void)state;
    expect_content(HEAD "x = external<scalar>(shape = [2]);  #< 1 2\n"
                        "y = add(x, 0.5);  #> [2] 1.5 2.5" TAIL);
    expect_content(HEAD "x = external<scalar>(shape = [2]);\n"
                        "y = foo(x);  #! N0050" TAIL);
}

static void a_wrong_value_is_a_complaint_in_both_passes(void **state)
{
    (void)state;
    expect_complaint(HEAD "x = external<scalar>(shape = [2]);  #< 1 2\n"
                          "y = add(x, 0.5);  #> [2] 1.5 2.6" TAIL,
                     2, ":5: 'y'[1] is 2.5, expected 2.6");
}

static void a_tolerance_is_absolute_and_relative(void **state)
{
    (void)state;
    expect_content(HEAD "x = external<scalar>(shape = [1]);  #< 1000\n"
                        "y = copy(x);  #> [1] ~1e-3 1000.9" TAIL);
    expect_complaint(HEAD "x = external<scalar>(shape = [1]);  #< 0.5\n"
                          "y = copy(x);  #> [1] ~1e-3 0.502" TAIL,
                     2, "'y'[0] is 0.5");
}

static void integers_compare_exactly(void **state)
{
    (void)state;
    expect_complaint(HEAD "x = external<integer>(shape = [1]);  #< 1000000\n"
                          "y = copy(x);  #> [1] 1000001" TAIL,
                     2, "'y'[0] is 1000000");
}

static void infinities_and_nan_are_values(void **state)
{
    (void)state;
    expect_content(HEAD "x = external<scalar>(shape = [3]);  #< 1 -1 0\n"
                        "y = div(x, 0.0);  #> [3] inf -inf nan" TAIL);
    expect_complaint(HEAD "x = external<scalar>(shape = [1]);  #< 1\n"
                          "y = div(x, 0.0);  #> [1] -inf" TAIL,
                     2, "'y'[0] is inf");
}

static void a_wrong_shape_is_a_complaint(void **state)
{
    (void)state;
    expect_complaint(HEAD "x = external<scalar>(shape = [2]);\n"
                          "y = copy(x);  #> [2,1]" TAIL,
                     2, "'y' has shape [2], expected [2,1]");
}

static void values_have_to_fill_the_shape(void **state)
{
    (void)state;
    expect_content(HEAD "x = external<scalar>(shape = [3]);  #< 7\n"
                        "y = copy(x);  #> [3] 7" TAIL);
    expect_complaint(HEAD "x = external<scalar>(shape = [3]);  #< 1 2\n"
                          "y = copy(x);  #> [3] 1 2 3" TAIL,
                     2, ":4: '#<' of 'x' has too few values");
    expect_complaint(HEAD "x = external<scalar>(shape = [3]);  #< 1..3\n"
                          "y = copy(x);  #> [3] 1 2" TAIL,
                     2, "'y' has 3 values, expected 2");
}

static void an_input_without_values_is_a_complaint(void **state)
{
    (void)state;
    expect_complaint(HEAD "x = external<scalar>(shape = [1]);\n"
                          "y = copy(x);  #> [1] 1" TAIL,
                     2, "unexpected error[N0187]");
}

static void an_error_that_was_not_announced_is_a_complaint(void **state)
{
    (void)state;
    expect_complaint(HEAD "x = external<scalar>(shape = [1]);\n"
                          "y = foo(x);" TAIL,
                     1, ":5: unexpected error[N0050]");
}

static void an_announced_error_has_to_come_on_its_line_with_its_code(void **state)
{
    (void)state;
    expect_complaint(HEAD "x = external<scalar>(shape = [1]);\n"
                          "y = copy(x);  #! N0050" TAIL,
                     1, ":5: expected error N0050, found none");
    expect_complaint(HEAD "x = external<scalar>(shape = [1]);  #! N0050\n"
                          "y = foo(x);" TAIL,
                     2, ":5: unexpected error[N0050]");
    expect_complaint(HEAD "x = external<scalar>(shape = [1]);\n"
                          "y = foo(x);  #! N0051" TAIL,
                     2, ":5: expected error N0051, found none");
    expect_content("#! N0050 @6\n" HEAD "x = external<scalar>(shape = [1]);\n"
                   "y = foo(x);" TAIL);
}

static void several_errors_on_a_line_are_announced_together(void **state)
{
    (void)state;
    expect_content(HEAD "x = external<scalar>(shape = [1]);\n"
                        "y = add(foo(x), bar(x));  #! N0050 N0050" TAIL);
}

static void warnings_count_once_one_is_announced(void **state)
{
    (void)state;
    expect_content(HEAD "x = external<scalar>(shape = [1]);\n"
                        "y = relu(x = x);" TAIL);
    expect_content(HEAD "x = external<scalar>(shape = [1]);\n"
                        "y = relu(x = x);  #? N0057" TAIL);
    expect_complaint(HEAD "x = external<scalar>(shape = [1]);\n"
                          "a = relu(x = x);  #? N0057\n"
                          "y = relu(x = a);" TAIL,
                     1, ":6: unexpected warning[N0057]");
}

static void values_are_checked_without_the_faulty_lines(void **state)
{
    (void)state;
    expect_content(HEAD "x = external<scalar>(shape = [1]);  #< 1\n"
                        "y = neg(x);  #> [1] -1\n"
                        "z = foo(x);  #! N0050" TAIL);
    expect_complaint(HEAD "x = external<scalar>(shape = [1]);  #< 1\n"
                          "y = neg(x);  #> [1] 1\n"
                          "z = foo(x);  #! N0050" TAIL,
                     2, "(without its faults)");
}

static void marks_in_strings_are_none(void **state)
{
    (void)state;
    expect_content(HEAD "x = external<scalar>(shape = [1]);\n"
                        "v = variable<scalar>(shape = [1], label = \"it's#!\"); #! N0084\n"
                        "y = copy(x);" TAIL);
}

static void a_malformed_mark_is_a_complaint(void **state)
{
    (void)state;
    expect_complaint("#: --fast\n" HEAD TAIL, 1, "unknown option '--fast'");
    expect_complaint(HEAD "x = foo(x);  #! N9999" TAIL, 1, "unknown code 'N9999'");
    expect_complaint(HEAD "x = foo(x);  #!" TAIL, 1, "'#!' without a code");
}

static void a_near_miss_has_neither_errors_nor_warnings_that_are_not_marked(void **state)
{
    static const char warned[] = HEAD "x = external<scalar>(shape = [2]);\n"
                                      "y = add(x = x, y = x);  #> [2]" TAIL;
    static const char refused[] = HEAD "x = external<scalar>(shape = [2]);\n"
                                       "y = foo(x);  #! N0050" TAIL;

    (void)state;
    expect_content(warned);
    expect_complaints(complaints_of(warned, "R056-ok-XXXXXX"), 1, "unexpected warning[N0057]");
    expect_complaints(complaints_of(refused, "R048-ok-XXXXXX"), 1, "a near miss has no errors");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_that_keeps_its_word_is_content),
        cmocka_unit_test(a_wrong_value_is_a_complaint_in_both_passes),
        cmocka_unit_test(a_tolerance_is_absolute_and_relative),
        cmocka_unit_test(integers_compare_exactly),
        cmocka_unit_test(infinities_and_nan_are_values),
        cmocka_unit_test(a_wrong_shape_is_a_complaint),
        cmocka_unit_test(values_have_to_fill_the_shape),
        cmocka_unit_test(an_input_without_values_is_a_complaint),
        cmocka_unit_test(an_error_that_was_not_announced_is_a_complaint),
        cmocka_unit_test(an_announced_error_has_to_come_on_its_line_with_its_code),
        cmocka_unit_test(several_errors_on_a_line_are_announced_together),
        cmocka_unit_test(warnings_count_once_one_is_announced),
        cmocka_unit_test(values_are_checked_without_the_faulty_lines),
        cmocka_unit_test(a_near_miss_has_neither_errors_nor_warnings_that_are_not_marked),
        cmocka_unit_test(marks_in_strings_are_none),
        cmocka_unit_test(a_malformed_mark_is_a_complaint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
