/* test_label.c - which labels are valid, and which name the same data */
#include "file/label.h"

#include "diag/context.h"

#include "unit/base/scratch.h"

static void labels_of_the_standard_are_valid(void **state)
{
    static const char *const good[] = {"a", "/conv1/filter", "conv1\\filter", "v-1.0_x", "..a/b."};
    static const char *const bad[] = {"",     "/",    "a b",    "a//b", "//a",
                                      "a/",   "../x", "a/../b", ".",    "a/./b",
                                      "\\..", "a:b",  "a\nb",   "c:/x", "\xc3\xa9"};

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(label_valid(good[i], NULL));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *why = NULL;
        assert_false(label_valid(bad[i], &why));
        assert_non_null(why);
    }
}

static void labels_are_compared_without_case(void **state)
{
    (void)state;
    assert_true(label_equal("/Conv1/Filter", "conv1\\filter"));
    assert_false(label_equal("conv1", "conv"));
    assert_false(label_equal("conv", "conv1"));
}

static void case_is_the_last_to_tell_labels_apart(void **state)
{
    (void)state;
    assert_int_equal(label_compare("/Conv1/Filter", "conv1\\filter", false), 0);
    assert_int_equal(label_compare("/conv1/filter", "conv1\\filter", true), 0);
    assert_true(label_compare("Conv1", "/conv1", true) < 0);
    assert_true(label_compare("conv1", "/Conv1", true) > 0);
    assert_true(label_compare("conv", "Conv1", true) < 0);
    assert_true(label_compare("b", "A", true) > 0);
}

static void a_label_in_use_gets_the_next_free_number(void **state)
{
    struct context *context = context_new();
    struct labels labels = {.context = context};

    (void)state;
    assert_string_equal(labels_take(&labels, "/Conv"), "/Conv");
    assert_string_equal(labels_take(&labels, "conv_2"), "conv_2");
    assert_string_equal(labels_take(&labels, "conv"), "conv_3");
    assert_string_equal(labels_take(&labels, "conv"), "conv_4");
    labels_free(&labels);
    context_free(context);
}

static void a_reserved_label_is_for_its_owner(void **state)
{
    struct context *context = context_new();
    struct labels labels = {.context = context};

    (void)state;
    labels_reserve(&labels, "w");
    assert_string_equal(labels_take(&labels, "w"), "w_2");
    assert_string_equal(labels_take_own(&labels, "W", label_key(context, "W", false)), "W");
    assert_string_equal(labels_take_own(&labels, "w", label_key(context, "w", false)), "w_3");
    labels_free(&labels);
    context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_of_the_standard_are_valid),
        cmocka_unit_test(labels_are_compared_without_case),
        cmocka_unit_test(case_is_the_last_to_tell_labels_apart),
        cmocka_unit_test(a_label_in_use_gets_the_next_free_number),
        cmocka_unit_test(a_reserved_label_is_for_its_owner),
    };
    return cmocka_run_group_tests_name("label", tests, NULL, NULL);
}
