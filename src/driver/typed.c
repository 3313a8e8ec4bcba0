/* typed.c - tensors by name and type */
#include "driver/typed.h"

#include "driver/json_build.h"
#include "driver/report.h"

#include <inttypes.h>
#include <stdio.h>

void print_type(const struct nnefc_type *type)
{
    printf("%s[%s", nnefc_dtype_name(type->dtype), type->rank == NNEFC_UNKNOWN ? "..." : "");
    for (int i = 0; i < type->rank; i++)
        if (type->extent[i] == NNEFC_UNKNOWN)
            printf("%s?", i ? "," : "");
        else
            printf("%s%" PRId64, i ? "," : "", type->extent[i]);
    putchar(']');
}

void print_word(const char *name)
{
    for (; *name; name++) {
        unsigned char byte = (unsigned char)*name;
        putchar(byte <= ' ' || byte == 0x7F ? '_' : byte);
    }
}

json_t *json_typed(const char *name, const struct nnefc_type *type)
{
    return json_pack("{s:o, s:s, s:o}", "name", json_text(name), "type",
                     nnefc_dtype_name(type->dtype), "shape", json_shape(type));
}
