/* sha1.c - FIPS 180-4, sections 5.1.1, 5.3.1 and 6.1.2 */
#include "base/sha1.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = SHA1_BLOCK, ROUNDS = 80, LENGTH_SIZE = 8, WORD_DIGITS = 8 };

static uint32_t turn(uint32_t word, int bits)
{
    return word << bits | word >> (32 - bits);
}

static void add_block(uint32_t state[5], const unsigned char *block)
{
    static const uint32_t constants[] = {0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6};
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], w[ROUNDS];

    for (int i = 0; i < 16; i++, block += 4)
        w[i] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 | (uint32_t)block[2] << 8 |
               block[3];
    for (int i = 16; i < ROUNDS; i++)
        w[i] = turn(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t f = i < 20              ? (b & c) | (~b & d)
                     : i >= 40 && i < 60 ? (b & c) | (b & d) | (c & d)
                                         : b ^ c ^ d;
        uint32_t next = turn(a, 5) + f + e + constants[i / 20] + w[i];
        e = d;
        d = c;
        c = turn(b, 30);
        b = a;
        a = next;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
}

void sha1_begin(struct sha1 *sha1)
{
    *sha1 = (struct sha1){{0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0}, 0, {0}};
}

void sha1_add(struct sha1 *sha1, const void *data, size_t size)
{
    const unsigned char *from = data;
    size_t used = sha1->size % BLOCK;

    sha1->size += size;
    while (size > 0) {
        size_t part = BLOCK - used < size ? BLOCK - used : size;
        if (part == BLOCK) {
            add_block(sha1->state, from);
        } else {
            memcpy(sha1->block + used, from, part);
            if (used + part == BLOCK)
                add_block(sha1->state, sha1->block);
        }
        used = (used + part) % BLOCK;
        from += part;
        size -= part;
    }
}

static void put_state(const struct sha1 *sha1, char digits[SHA1_DIGITS + 1])
{
    for (int i = 0; i < 5; i++, digits += WORD_DIGITS)
        snprintf(digits, WORD_DIGITS + 1, "%08x", (unsigned)sha1->state[i]);
}

/* A bit 1, zeros up to the end of a block but for 8 bytes, and the number of bits. */
void sha1_end(struct sha1 *sha1, char digits[SHA1_DIGITS + 1])
{
    static const unsigned char padding[BLOCK] = {0x80};
    const uint64_t bits = 8 * sha1->size;
    size_t used = sha1->size % BLOCK, most = BLOCK - LENGTH_SIZE;
    unsigned char length[LENGTH_SIZE];

    for (int i = 0; i < LENGTH_SIZE; i++)
        length[i] = (unsigned char)(bits >> 8 * (LENGTH_SIZE - 1 - i));
    sha1_add(sha1, padding, (used < most ? most : most + BLOCK) - used);
    sha1_add(sha1, length, sizeof length);
    put_state(sha1, digits);
}

void sha1_state(const struct sha1 *sha1, char digits[SHA1_DIGITS + 1])
{
    assert(sha1->size % BLOCK == 0);
    put_state(sha1, digits);
}

bool sha1_resume(struct sha1 *sha1, const char *digits, uint64_t size)
{
    static const char all[] = "0123456789abcdef";

    assert(size % BLOCK == 0);
    sha1_begin(sha1);
    sha1->size = size;
    for (int i = 0; i < SHA1_DIGITS; i++) {
        const char *digit = memchr(all, digits[i], sizeof all - 1);
        if (!digit)
            return false;
        uint32_t *word = &sha1->state[i / WORD_DIGITS];
        *word = *word << 4 | (uint32_t)(digit - all);
    }
    return true;
}
