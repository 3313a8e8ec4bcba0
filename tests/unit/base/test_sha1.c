/* test_sha1.c - digests of the examples of FIPS 180 */
#include "base/sha1.h"

#include <string.h>

#include "support/t.h"

/* The digest of `times` copies of the text. */
static void expect(const char *text, int times, const char *digest)
{
    char digits[SHA1_DIGITS + 1];
    struct sha1 sha1;

    sha1_begin(&sha1);
    for (int i = 0; i < times; i++)
        sha1_add(&sha1, text, strlen(text));
    sha1_end(&sha1, digits);
    assert_string_equal(digits, digest);
}

static void digests_are_those_of_the_standard(void **state)
{
    (void)state;
    expect("", 1, "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    expect("abc", 1, "a9993e364706816aba3e25717850c26c9cd0d89d");
    expect("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
           "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    expect("a", 1000000, "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
    expect("aaaaaaaaaa", 100000, "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

/* ten equal blocks, the first of them before the state is taken */
static void a_digest_goes_on_from_a_state(void **state)
{
    static const char text[] = "0123456701234567012345670123456701234567012345670123456701234567";
    char digits[SHA1_DIGITS + 1], whole[SHA1_DIGITS + 1];
    struct sha1 sha1;

    (void)state;
    sha1_begin(&sha1);
    sha1_add(&sha1, text, SHA1_BLOCK);
    sha1_state(&sha1, digits);
    assert_true(sha1_resume(&sha1, digits, SHA1_BLOCK));
    for (int i = 1; i < 10; i++)
        sha1_add(&sha1, text, SHA1_BLOCK);
    sha1_end(&sha1, whole);
    assert_string_equal(whole, "dea356a2cddd90c7a7ecedc5ebb563934f460452"); /* RFC 3174, TEST4 */
    *digits = 'g';
    assert_false(sha1_resume(&sha1, digits, SHA1_BLOCK));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_are_those_of_the_standard),
        cmocka_unit_test(a_digest_goes_on_from_a_state),
    };

    return cmocka_run_group_tests_name("sha1", tests, NULL, NULL);
}
