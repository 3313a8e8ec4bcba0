/* dtype.c - names and sizes of data types */
#include "tensor/dtype.h"

#include <stdint.h>

size_t dtype_size(enum dtype dtype)
{
    switch (dtype) {
    case DTYPE_SCALAR:
        return sizeof(float);
    case DTYPE_INTEGER:
        return sizeof(int64_t);
    case DTYPE_LOGICAL:
        return sizeof(unsigned char);
    case DTYPE_UNKNOWN:
    case DTYPE_STRING:
        return 0;
    }
    return 0;
}

const char *dtype_name(enum dtype dtype)
{
    switch (dtype) {
    case DTYPE_SCALAR:
        return "scalar";
    case DTYPE_INTEGER:
        return "integer";
    case DTYPE_LOGICAL:
        return "logical";
    case DTYPE_STRING:
        return "string";
    case DTYPE_UNKNOWN:
        return "?";
    }
    return "?";
}
