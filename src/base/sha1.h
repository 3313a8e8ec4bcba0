/* sha1.h - the digest SHA-1 (FIPS 180-4), which names data and is no protection against forgery */
#ifndef NNEFC_BASE_SHA1_H
#define NNEFC_BASE_SHA1_H

#include <stddef.h>
#include <stdint.h>

enum { SHA1_DIGITS = 40 };

/* Starts by sha1_begin(). */
struct sha1 {
    uint32_t state[5];
    uint64_t size;           /* bytes so far */
    unsigned char block[64]; /* of which size % 64 are there */
};

void sha1_begin(struct sha1 *sha1);
void sha1_add(struct sha1 *sha1, const void *data, size_t size);

/* The digest in lower-case hexadecimal digits, with a NUL behind. */
void sha1_end(struct sha1 *sha1, char digits[SHA1_DIGITS + 1]);

#endif
