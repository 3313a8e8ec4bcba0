/* sha1.h - the digest SHA-1 (FIPS 180-4), which names data and is no protection against forgery */
#ifndef NNEFC_BASE_SHA1_H
#define NNEFC_BASE_SHA1_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHA1_DIGITS = 40, SHA1_BLOCK = 64 };

/* Starts by sha1_begin(). */
struct sha1 {
    uint32_t state[5];
    uint64_t size;                   /* bytes so far */
    unsigned char block[SHA1_BLOCK]; /* of which size % SHA1_BLOCK are there */
};

void sha1_begin(struct sha1 *sha1);
void sha1_add(struct sha1 *sha1, const void *data, size_t size);

/* The digest in lower-case hexadecimal digits, with a NUL behind. */
void sha1_end(struct sha1 *sha1, char digits[SHA1_DIGITS + 1]);

/* The state after whole blocks, in lower-case hexadecimal digits, with a NUL behind. */
void sha1_state(const struct sha1 *sha1, char digits[SHA1_DIGITS + 1]);

/* Goes on from the state after `size` bytes, whole blocks; false if the digits are not such. */
bool sha1_resume(struct sha1 *sha1, const char *digits, uint64_t size);

#endif
