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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(digests_are_those_of_the_standard)};

    return cmocka_run_group_tests_name("sha1", tests, NULL, NULL);
}
