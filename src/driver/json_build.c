/* json_build.c - a value that lacks a part is dropped */
#include "driver/json_build.h"

#include "nnefc/nnefc.h"

#include <math.h>
#include <stdio.h>

static void keep_if(json_t **value, int failed)
{
    if (!failed)
        return;
    json_decref(*value);
    *value = NULL;
}

void json_add(json_t **list, json_t *item)
{
    keep_if(list, json_array_append_new(*list, item));
}

void json_set(json_t **object, const char *key, json_t *item)
{
    keep_if(object, json_object_set_new(*object, key, item));
}

void json_merge(json_t **object, json_t *members)
{
    keep_if(object, !members || json_object_update(*object, members));
    json_decref(members);
}

json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_shape(const struct nnefc_type *type)
{
    if (type->rank == NNEFC_UNKNOWN)
        return json_null();
    json_t *shape = json_array();

    for (int i = 0; i < type->rank; i++)
        json_add(&shape,
                 type->extent[i] == NNEFC_UNKNOWN ? json_null() : json_integer(type->extent[i]));
    return shape;
}

bool json_print(json_t *value, size_t flags)
{
    bool ok = value && json_dumpf(value, stdout, flags) == 0;

    json_decref(value);
    if (ok)
        putchar('\n');
    return ok;
}
