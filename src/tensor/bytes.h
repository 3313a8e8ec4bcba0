/*
 * bytes.h - numbers as bytes of files, on a machine of any byte order
 *
 * Little-endian, unless the name of a function says big.  `count` is at most 8 bytes.
 */
#ifndef NNEFC_TENSOR_BYTES_H
#define NNEFC_TENSOR_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* Whether the machine is little-endian. */
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

/* `count` items of `size` bytes, with the bytes of each in the other order; both do not overlap. */
static inline void bytes_reverse(unsigned char *to, const unsigned char *from, size_t count,
                                 size_t size)
{
    for (size_t i = 0; i < count; i++, to += size, from += size)
        for (size_t k = 0; k < size; k++)
            to[k] = from[size - 1 - k];
}

/* The float with these bits (IEEE 754 binary32), and the bits of a float. */
static inline float float_of_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t bits_of_float(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/*
 * Numbers of variable length: 7 bits in each byte, the lowest first; the highest bit says that more
 * bytes follow.
 */
enum { VARINT_MAX = 10 }; /* bytes */

/* Returns the number of bytes stored, which is the least possible. */
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

/* Returns the number of bytes read; 0 if the number does not end in `size` bytes or 64 bits. */
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
