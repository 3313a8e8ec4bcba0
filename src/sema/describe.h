/* describe.h - what the library's text says about its operations, for people */
#ifndef NNEFC_SEMA_DESCRIBE_H
#define NNEFC_SEMA_DESCRIBE_H

#include "sema/sema.h"

/* Texts live in the arena of the context. */
struct description {
    const char *declaration;     /* "conv(input: tensor<scalar>, ...) -> (output: ...)" */
    const char *section, *title; /* under which it stands: "4.3.1", "sliding window ..." */
    const char *shape;           /* of the results, in a few words */
    const char *since;           /* version, NULL if the text does not say */
    const char *borders;         /* that it takes, NULL if it has none */
};

struct description library_describe(struct context *context, const struct library *library,
                                    const struct signature *signature);

#endif
