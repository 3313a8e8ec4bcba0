/* json_build.h - JSON that is printed as a whole or, without the memory for it, not at all */
#ifndef NNEFC_DRIVER_JSON_BUILD_H
#define NNEFC_DRIVER_JSON_BUILD_H

#include <jansson.h>
#include <stdbool.h>

/* Adds an item, which may be NULL for want of memory, and takes it over; then all of it is NULL. */
void json_add(json_t **list, json_t *item);
void json_set(json_t **object, const char *key, json_t *item);
void json_merge(json_t **object, json_t *members);

/* Digits that tell any two floats apart. */
enum { FLOAT_DIGITS = 9 };

/* null for what is not finite. */
json_t *json_number(double value);

struct nnefc_type;
/* null for a rank, or an extent, that is not known. */
json_t *json_shape(const struct nnefc_type *type);

/* Print and free it, and end the line.  False if it is NULL or cannot be printed. */
bool json_print(json_t *value, size_t flags);

#endif
