/* stamp.c - the end of a file of weights; see stamp.h */
#include "convert/onnx/stamp.h"

#include <assert.h>
#include <string.h>

static const char title[] = "nnefc: SHA-1 up to here:";

_Static_assert(sizeof title - 1 + SHA1_DIGITS == STAMP_SIZE, "a stamp is a block");

void stamp_make(const struct sha1 *sha1, char stamp[STAMP_SIZE])
{
    char digits[SHA1_DIGITS + 1];

    sha1_state(sha1, digits);
    memcpy(stamp, title, sizeof title - 1);
    memcpy(stamp + sizeof title - 1, digits, SHA1_DIGITS);
}

bool stamp_digest(const void *data, size_t size, char digits[SHA1_DIGITS + 1])
{
    struct sha1 sha1;

    assert(data || size == 0);
    if (size < STAMP_SIZE || size % STAMP_SIZE != 0)
        return false;
    const char *stamp = (const char *)data + size - STAMP_SIZE;
    if (memcmp(stamp, title, sizeof title - 1) != 0 ||
        !sha1_resume(&sha1, stamp + sizeof title - 1, size - STAMP_SIZE))
        return false;
    sha1_add(&sha1, stamp, STAMP_SIZE);
    sha1_end(&sha1, digits);
    return true;
}
