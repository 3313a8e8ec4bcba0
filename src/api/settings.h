/* settings.h - structs that clients fill in, as clients of any version have them (nnefc.h) */
#ifndef NNEFC_API_SETTINGS_H
#define NNEFC_API_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

struct nnefc_model;

/*
 * Copy a struct of a client, which begins with its size, to `to`, which has `known` bytes: members
 * that the client does not know are 0, and so are all for NULL.  False after a report if the size
 * is none, or a member that this library does not know is not 0.
 */
bool settings_take(const struct nnefc_model *model, const void *from, void *to, size_t known);

#endif
