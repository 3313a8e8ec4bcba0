/* hash.h - a hash of numbers and bytes, for tables in memory; it differs between machines */
#ifndef NNEFC_BASE_HASH_H
#define NNEFC_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Mix `item` into a hash, which begins with any number.  The order of the items matters. */
static inline uint64_t hash_mix(uint64_t hash, uint64_t item)
{
    hash = (hash ^ item) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

static inline uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *at = data;
    uint64_t word;

    for (; size >= sizeof word; size -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = hash_mix(hash, word);
    }
    word = 0;
    if (size)
        memcpy(&word, at, size);
    return hash_mix(hash, word);
}

#endif
