/* bytes.h - integers in files, little-endian unless named so, on a machine of any byte order */
#ifndef NNEFC_TENSOR_BYTES_H
#define NNEFC_TENSOR_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline uint64_t bytes_load(const unsigned char *from, int count)
{
    uint64_t value = 0;

    for (int i = count - 1; i >= 0; i--)
        value = value << 8 | from[i];
    return value;
}

static inline void bytes_store(unsigned char *to, int count, uint64_t value)
{
    for (int i = 0; i < count; i++, value >>= 8)
        to[i] = (unsigned char)(value & 0xFF);
}

/* Whether numbers lie in memory as they do in files. */
static inline bool bytes_are_native(void)
{
    const uint16_t one = 1;

    return *(const unsigned char *)&one == 1;
}

static inline uint32_t bytes_load32(const unsigned char *from)
{
    return (uint32_t)bytes_load(from, 4);
}

static inline uint32_t bytes_load_big32(const unsigned char *from)
{
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

static inline uint16_t bytes_load16(const unsigned char *from)
{
    return (uint16_t)bytes_load(from, 2);
}

/*
 * Numbers of variable length: 7 bits a byte, the lowest first; the highest bit says that there are
 * more.
 */
enum { VARINT_MAX = 10 }; /* bytes */

/* Returns how many bytes it took, the fewest that will do. */
static inline int varint_store(unsigned char to[VARINT_MAX], uint64_t value)
{
    int count = 0;

    while (value >= 0x80) {
        to[count++] = (unsigned char)(value & 0x7F) | 0x80;
        value >>= 7;
    }
    to[count++] = (unsigned char)value;
    return count;
}

/* Returns how many bytes of `size` it took; 0 if they end before, or if it exceeds 64 bits. */
static inline int varint_load(const unsigned char *from, size_t size, uint64_t *value)
{
    uint64_t bits = 0;

    for (int i = 0; i < VARINT_MAX && (size_t)i < size; i++) {
        bits |= (uint64_t)(from[i] & 0x7F) << (7 * i);
        if (from[i] & 0x80)
            continue;
        *value = bits;
        return i == VARINT_MAX - 1 && from[i] > 1 ? 0 : i + 1;
    }
    return 0;
}

#endif
