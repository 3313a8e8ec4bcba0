/* operations.h - what clients are told of a node */
#ifndef NNEFC_API_OPERATIONS_H
#define NNEFC_API_OPERATIONS_H

#include <stdint.h>

struct nnefc_model;
struct node;

/* operations.c: where it comes from, as struct nnefc_operation has it. */
struct node_place {
    const char *fragment, *node, *file;
    int line, column;
};
struct node_place node_place(const struct nnefc_model *model, const struct node *node);

/* inspect.c: its multiply-adds; NNEFC_UNKNOWN if they depend on shapes that are not known. */
int64_t macs_of(const struct node *node);

#endif
