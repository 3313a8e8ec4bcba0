/*
 * invocation.h - documents that invoke one operation on random arguments
 *
 * Arguments follow from the signature alone: what they may be is told by the names and types of
 * parameters, not by that of the operation.  Not every document is valid (a window may turn out
 * larger than its input); whoever asks draws again.
 */
#ifndef NNEFC_TESTS_SUPPORT_INVOCATION_H
#define NNEFC_TESTS_SUPPORT_INVOCATION_H

#include "base/text.h"
#include "exec/random.h"
#include "sema/sema.h"
#include "tensor/tensor.h"

#include <stdbool.h>

struct invocation {
    const struct signature *signature;
    bool provisional;
    struct random random;
    struct shape shape; /* of the first tensor */
    enum dtype generic; /* what '?' stands for */
    int64_t length;     /* of an array result */
    struct text text;   /* the document */
};

/* Draw arguments for a first tensor of this rank; text_free() the text. */
void invocation_draw(struct invocation *inv, const struct signature *signature, bool provisional,
                     int rank, uint64_t seed);

/* Random data for a parameter of the graph. */
void invocation_fill(struct invocation *inv, const char *input, struct tensor *tensor);

#endif
