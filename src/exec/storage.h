/*
 * storage.h - the tensors that variables hold between steps; variables of one label share one
 *
 * A tensor begins as a view of the data of the graph.  An execution gives a variable memory of its
 * own before it writes to it.
 */
#ifndef NNEFC_EXEC_STORAGE_H
#define NNEFC_EXEC_STORAGE_H

#include "tensor/tensor.h"

#include <stdbool.h>
#include <stdint.h>

struct graph;
struct value;

struct storage {
    struct tensor *tensor;
    int count;
    uint32_t *place; /* by value id: which tensor is the variable's */
};

/* All variables of the graph, with the data they have.  `like` has the same variables; NULL: they
 * are brought together here.  False if there is not enough memory. */
bool storage_fill(struct storage *storage, const struct graph *graph, const struct storage *like);
void storage_clear(struct storage *storage);

/* The tensor of a variable of the graph. */
struct tensor *storage_of(const struct storage *storage, const struct value *variable);

#endif
