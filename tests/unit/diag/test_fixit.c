/* test_mend.c - which of the proposed changes are made, and what the text is then */
#include "diag/diag.h"

#include "base/arena.h"

#include "diag_fixture.h"

/* A report that proposes this instead of `part`, or before it if `insert`. */
static void propose(struct fixture *f, const char *part, const char *replacement, bool insert)
{
    struct span where = at(f, part);

    diag_error(f->diag, where, DIAG_SYNTAX, "e");
    if (insert)
        where.end = where.begin;
    diag_fix(f->diag, where, replacement);
}

static void also(struct fixture *f, const char *part, const char *replacement)
{
    diag_fix(f->diag, at(f, part), replacement);
}

static void assert_mends(struct fixture *f, int count, const char *expected)
{
    struct span all = {f->base, f->base + (uint32_t)strlen(f->text)};
    struct text mended = {0};

    assert_int_equal(fixit_apply(f->diag, all, &mended), count);
    if (expected)
        assert_string_equal(mended.data, expected);
    else
        assert_null(mended.data);
    text_free(&mended);
}

static void without_changes_nothing_is_mended(void **state)
{
    struct fixture *f = *state;

    enter(f, "a b c");
    assert_mends(f, 0, NULL);
    diag_error(f->diag, at(f, "b"), DIAG_SYNTAX, "e");
    assert_mends(f, 0, NULL);
    propose(f, "b", "b", false);
    assert_mends(f, 0, NULL);
}

static void changes_are_made_whatever_their_order(void **state)
{
    struct fixture *f = *state;

    enter(f, "a b c");
    propose(f, "c", "three", false);
    propose(f, "a", "", false);
    propose(f, "b", "<", true);
    assert_mends(f, 3, " <b three");
}

static void what_is_replaced_and_put_behind_it_do_not_touch(void **state)
{
    struct fixture *f = *state;

    enter(f, "a b c");
    propose(f, "b", "B", false);
    propose(f, " c", ";", true);
    assert_mends(f, 2, "a B; c");
}

static void of_changes_that_touch_the_first_report_is_mended(void **state)
{
    struct fixture *f = *state;

    enter(f, "a b c d");
    propose(f, "b c", "1", false);
    propose(f, "c d", "2", false);
    propose(f, "b", "3", true);
    propose(f, "a", "A", false);
    assert_mends(f, 2, "A 1 d");
}

static void changes_of_a_report_are_made_together_or_not_at_all(void **state)
{
    struct fixture *f = *state;

    enter(f, "a b c d");
    propose(f, "b", "1", false);
    propose(f, "a", "2", false);
    also(f, "b", "2");
    also(f, "d", "2");
    propose(f, "c", "3", false);
    also(f, "d", "3");
    assert_mends(f, 2, "a 1 3 3");
}

static void the_same_changes_are_made_once_and_mend_all_that_propose_them(void **state)
{
    struct fixture *f = *state;

    enter(f, "a b c");
    for (int i = 0; i < 3; i++) {
        propose(f, "b", "(", true);
        also(f, "c", "d)");
    }
    propose(f, "b", "[", true);
    assert_mends(f, 3, "a (b d)");
}

static void changes_of_other_texts_are_left_alone(void **state)
{
    struct fixture *f = *state;

    enter(f, "other");
    propose(f, "other", "lost", false);
    propose(f, "th", "", false);
    enter(f, "a b c");
    also(f, "c", "lost");
    propose(f, "b", "B", false);
    assert_mends(f, 1, "a B c");
}

static void both_ends_of_a_text_can_be_changed(void **state)
{
    struct fixture *f = *state;

    enter(f, "ab");
    diag_error(f->diag, at(f, "ab"), DIAG_SYNTAX, "e");
    diag_fix(f->diag, (struct span){f->base, f->base}, "<");
    diag_fix(f->diag, (struct span){f->base + 2, f->base + 2}, ">");
    assert_mends(f, 1, "<ab>");
}

static void changes_that_touch_others_of_their_own_report_are_not_made(void **state)
{
    struct fixture *f = *state;

    enter(f, "a b c");
    propose(f, "a b", "x", false);
    also(f, "b c", "y");
    propose(f, "c", "C", false);
    assert_mends(f, 1, "a b C");
}

/* Each round mends the first at least. */
static void looking_again_comes_to_an_end(void **state)
{
    struct fixture *f = *state;
    int rounds = 0, left = 20;
    struct text text = {0};

    for (int count = 1; count > 0; left -= count, rounds++) {
        diag_clear(f->diag);
        text_free(&text);
        text_add(&text, "x");
        enter(f, text.data);
        for (int i = 0; i < left; i++)
            propose(f, "x", i % 2 ? "(" : "[", true);
        struct text mended = {0};
        count = fixit_apply(f->diag, at(f, "x"), &mended);
        text_free(&mended);
    }
    assert_int_equal(left, 0);
    assert_int_equal(rounds, 6); /* each leaves about half of them */
    text_free(&text);
}

#define test(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(without_changes_nothing_is_mended),
        test(changes_are_made_whatever_their_order),
        test(what_is_replaced_and_put_behind_it_do_not_touch),
        test(of_changes_that_touch_the_first_report_is_mended),
        test(changes_of_a_report_are_made_together_or_not_at_all),
        test(the_same_changes_are_made_once_and_mend_all_that_propose_them),
        test(changes_of_other_texts_are_left_alone),
        test(both_ends_of_a_text_can_be_changed),
        test(changes_that_touch_others_of_their_own_report_are_not_made),
        test(looking_again_comes_to_an_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
