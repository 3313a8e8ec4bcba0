/* wire.c - 7 bits a byte, the lowest first; the highest bit says that there are more */
#include "convert/proto/wire.h"

int varint_store(unsigned char to[VARINT_MAX], uint64_t value)
{
    int count = 0;

    while (value >= 0x80) {
        to[count++] = (unsigned char)(value & 0x7F) | 0x80;
        value >>= 7;
    }
    to[count++] = (unsigned char)value;
    return count;
}

int varint_load(const unsigned char *from, size_t size, uint64_t *value)
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
