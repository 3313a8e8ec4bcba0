/* test_tuning.c - what tuning remembers: texts that are sound, damaged, somebody else's */
#include "base/text.h"
#include "exec/tuning.h"

#include "support/t.h"

#include <string.h>

#define HEAD   "nnefc tuning 1\n"
#define MINE   "\nmachine this one\n"
#define OTHERS "\nmachine another\n"
#define CONV   "portable channels-last direct | 0.5000 ms | conv(scalar[1,1,8,8], a | b)\n"
#define POOL   "onednn plain | 0.0250 ms | max_pool(scalar[1,1,8,8])\n"

static const char conv[] = "conv(scalar[1,1,8,8], a | b)", pool[] = "max_pool(scalar[1,1,8,8])";

static int setup(void **state)
{
    *state = tuning_new("this one");
    return 0;
}

static int teardown(void **state)
{
    tuning_free(*state);
    return 0;
}

static enum tuning_text take(struct tuning *tuning, const char *text)
{
    return tuning_read(tuning, text, strlen(text));
}

static void assert_printed(const struct tuning *tuning, const char *expected)
{
    struct text text = {0};

    tuning_print(tuning, &text);
    assert_string_equal(text.data, expected);
    text_free(&text);
}

static void what_is_printed_can_be_read(void **state)
{
    static const char text[] = HEAD MINE CONV POOL;

    assert_int_equal(take(*state, text), TUNING_SOUND);
    assert_string_equal(tuning_find(*state, conv), "portable channels-last direct");
    assert_string_equal(tuning_find(*state, pool), "onednn plain");
    assert_null(tuning_find(*state, "conv"));
    assert_false(tuning_has_more(*state));
    assert_printed(*state, text);
}

static void an_empty_file_knows_nothing(void **state)
{
    assert_int_equal(take(*state, ""), TUNING_SOUND);
    assert_null(tuning_find(*state, conv));
    assert_printed(*state, HEAD);
}

static void another_machine_is_not_asked_but_kept(void **state)
{
    assert_int_equal(take(*state, HEAD OTHERS CONV), TUNING_SOUND);
    assert_null(tuning_find(*state, conv));
    tuning_add(*state, pool, "onednn plain", 25e-6);
    assert_true(tuning_has_more(*state));
    assert_printed(*state, HEAD MINE POOL OTHERS CONV);
}

static void what_is_added_takes_the_place_of_what_was_known(void **state)
{
    take(*state, HEAD MINE CONV POOL);
    tuning_add(*state, conv, "reference plain", 1e-3);
    assert_string_equal(tuning_find(*state, conv), "reference plain");
    assert_printed(*state,
                   HEAD MINE "reference plain | 1.0000 ms | conv(scalar[1,1,8,8], a | b)\n" POOL);
}

static void comments_and_empty_lines_say_nothing(void **state)
{
    assert_int_equal(take(*state, HEAD "# by hand\n\n\n" MINE "#\n" POOL), TUNING_SOUND);
    assert_string_equal(tuning_find(*state, pool), "onednn plain");
}

static void lines_that_say_nothing_are_left_out(void **state)
{
    static const char *const bad[] = {
        "portable plain | 1 ms\n",
        "portable plain | 1 ms | \n",
        " | 1 ms | conv()\n",
        "portable plain | one ms | conv()\n",
        "portable plain | 1 s | conv()\n",
        "portable plain | -1 ms | conv()\n",
        "portable plain | nan ms | conv()\n",
        "portable plain | inf ms | conv()\n",
        "portable plain | 1000000000000000000000000000000000 ms | conv()\n",
        "portable plain | 1 ms | conv(\t)\n",
        "nonsense\n",
        "portable plain | 1 ms | conv()", /* cut off */
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct tuning *tuning = tuning_new("this one");
        struct text text = {0};
        text_add(&text, HEAD MINE CONV "%s", bad[i]);
        if (take(tuning, text.data) != TUNING_DAMAGED)
            fail_msg("taken for sound: %s", bad[i]);
        assert_string_equal(tuning_find(tuning, conv), "portable channels-last direct");
        assert_printed(tuning, HEAD MINE CONV);
        text_free(&text);
        tuning_free(tuning);
    }
    (void)state;
}

static void ways_of_no_machine_are_left_out(void **state)
{
    assert_int_equal(take(*state, HEAD POOL MINE CONV), TUNING_DAMAGED);
    assert_null(tuning_find(*state, pool));
    assert_non_null(tuning_find(*state, conv));
}

static void bytes_of_any_kind_are_read_to_the_end(void **state)
{
    char text[] = HEAD MINE CONV;

    text[sizeof text - 5] = '\0';
    assert_int_equal(tuning_read(*state, text, sizeof text - 1), TUNING_DAMAGED);
    assert_null(tuning_find(*state, conv));
}

static void nothing_is_taken_of_what_is_something_else(void **state)
{
    static const char *const foreign[] = {"hello\n", "nnefc tuning 2\n" MINE CONV, "nnefc tuning 1",
                                          " " HEAD MINE CONV, "\n" HEAD MINE CONV};

    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
        assert_int_equal(take(*state, foreign[i]), TUNING_FOREIGN);
    assert_null(tuning_find(*state, conv));
}

static void what_others_have_added_stays(void **state)
{
    struct tuning *latest = tuning_new_like(*state);

    take(*state, HEAD MINE CONV);
    tuning_add(*state, pool, "onednn plain", 25e-6);
    take(latest, HEAD OTHERS POOL MINE CONV "reference plain | 0.1000 ms | relu(x)\n");
    tuning_add_more(latest, *state);
    assert_printed(latest,
                   HEAD MINE CONV "reference plain | 0.1000 ms | relu(x)\n" POOL OTHERS POOL);
    tuning_free(latest);
}

static void machines_beyond_a_thousand_are_left_out(void **state)
{
    struct text text = {0};

    text_add(&text, HEAD);
    for (int i = 0; i < 1100; i++)
        text_add(&text, "machine %d\n" POOL, i);
    text_add(&text, "machine this one\n" CONV);
    assert_int_equal(take(*state, text.data), TUNING_DAMAGED);
    assert_non_null(tuning_find(*state, conv));
    text_free(&text);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    static const struct CMUnitTest tests[] = {
        TEST(what_is_printed_can_be_read),
        TEST(an_empty_file_knows_nothing),
        TEST(another_machine_is_not_asked_but_kept),
        TEST(what_is_added_takes_the_place_of_what_was_known),
        TEST(comments_and_empty_lines_say_nothing),
        TEST(lines_that_say_nothing_are_left_out),
        TEST(ways_of_no_machine_are_left_out),
        TEST(bytes_of_any_kind_are_read_to_the_end),
        TEST(nothing_is_taken_of_what_is_something_else),
        TEST(what_others_have_added_stays),
        TEST(machines_beyond_a_thousand_are_left_out),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
