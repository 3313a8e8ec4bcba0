/* wire.h - numbers as protocol buffers have them */
#ifndef NNEFC_CONVERT_PROTO_WIRE_H
#define NNEFC_CONVERT_PROTO_WIRE_H

#include <stddef.h>
#include <stdint.h>

enum wire_type { WIRE_VARINT, WIRE_64, WIRE_SIZED, WIRE_GROUP, WIRE_GROUP_END, WIRE_32 };

enum { VARINT_MAX = 10 }; /* bytes */

/* Returns how many bytes it took, the fewest that will do. */
int varint_store(unsigned char to[VARINT_MAX], uint64_t value);

/* Returns how many bytes of `size` it took; 0 if they end before, or if it exceeds 64 bits. */
int varint_load(const unsigned char *from, size_t size, uint64_t *value);

#endif
