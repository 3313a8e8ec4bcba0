/* pairs.h - what of one subject corresponds to what of the other */
#ifndef NNEFC_DRIVER_PAIRS_H
#define NNEFC_DRIVER_PAIRS_H

#include "driver/subject.h"

struct pair {
    int index[2];  /* in A and in B; -1: there is none */
    bool by_order; /* their names differ, or they have none */
};

struct pairs {
    enum part part;
    struct pair *pair; /* in the order of A, then those that are in B only */
    int count;
};

bool type_equal(const struct nnefc_type *a, const struct nnefc_type *b);

/*
 * Of equal names first.  Of what is left, in its order: inputs, outputs and state one by one, with
 * recorded results only if one is left on either side, for their order means nothing.  Computed
 * tensors from the first on, and from the last back, as long as operations, types and shapes are
 * the same.  Variables correspond by their labels only.  False if there is not enough memory.
 */
bool pairs_match(struct pairs *pairs, const struct subject subjects[2], enum part part);
void pairs_free(struct pairs *pairs);

#endif
