/*
 * emit_c.h - the part of nnefc.h that writes models as C
 *
 *     const struct nnefc_emit_c how = {.size = sizeof how};
 *
 *     nnefc_model_write_c(model, "net.c", &how);
 *
 * The C needs no library but memcpy() and functions of math.h, which its header names, allocates
 * nothing, and compiles as C99 and C++11.  docs/emit-c.md describes it.
 */
#ifndef NNEFC_EMIT_C_H
#define NNEFC_EMIT_C_H

#include "nnefc.h"

#ifdef __cplusplus
extern "C" {
#endif

enum nnefc_c_weights {
    NNEFC_C_WEIGHTS_ARRAY,  /* numbers in the C file */
    NNEFC_C_WEIGHTS_STRING, /* bytes in strings there, for C on little-endian machines */
    NNEFC_C_WEIGHTS_FILE,   /* such bytes in a file beside it, which the program passes */
};

/* Zeroed but for size, it asks for what is usual, and so does NULL. */
struct nnefc_emit_c {
    size_t size;        /* sizeof(struct nnefc_emit_c) */
    const char *prefix; /* of all names, an identifier; NULL: the name of the file */
    enum nnefc_c_weights weights;
    bool caller_arena; /* the caller has the memory for tensors; else it is static */
    bool main;         /* a program beside it that reads inputs and prints results */
    bool self_test;    /* a function that compares results with those of the reference */
    uint64_t seed;     /* of the input that it makes */
    struct nnefc_c_summary *summary; /* to be filled in if all goes well; may be NULL */

    /* Tensors between convolutions are kept in bands of single rows wherever that saves memory. */
    bool small;
    bool channels_last; /* inputs and results of 4 dimensions or more lie as (batch, .., channel) */
    int64_t arena_limit; /* bytes; what needs more is planned as if `small` were set, and if it
                            needs more all the same, NNEFC_UNSUPPORTED; 0: there is no limit */
};

/* What is in use in the arena during a step. */
struct nnefc_c_tensor {
    const char *name; /* "scratch": what the step alone has */
    int64_t at, bytes;
};

struct nnefc_c_step {
    const char *name; /* its number, its operations, where they stand, and its result */
    int64_t bytes;    /* of all tensors; a result that takes the place of an operand counts once */
    int ntensor;
    const struct nnefc_c_tensor *tensor; /* by their places */
};

/* What the C takes.  The caller sets `size`; names and steps live as long as the model. */
struct nnefc_c_summary {
    size_t size;           /* sizeof(struct nnefc_c_summary) */
    int64_t arena_bytes;   /* for tensors while it runs */
    int64_t weights_bytes; /* of constants */
    int steps;
    int peak_step;         /* the first, from 1, where most of the arena is in use; -1: none is */
    int64_t peak_bytes;    /* so much of it */
    const char *peak_name; /* its operations, where they stand, and its result; NULL: none */
    const struct nnefc_c_step *step; /* `steps` of them, in their order */
};

/*
 * Write the graph of a model as C: NAME.c with NAME.h, and as asked NAME.bin and NAME_main.c, all
 * of them or none.  "-" writes the C to standard output, with the header in it and nothing beside
 * it.  The same model makes the same bytes.
 *
 * NNEFC_UNSUPPORTED: there is something that has no form in C, or the limit of the arena is too
 * low.  NNEFC_USAGE: `path` is NULL or no name that C can include, `prefix` is no identifier, or a
 * field has a value that is none of its own.  NNEFC_FILE: a file of weights cannot be read, or a
 * file cannot be written; what the model was read from is kept (nnefc_model_set_force()).
 * NNEFC_INVALID: with `self_test`, computing the results fails.  The model belongs to one thread at
 * a time; several models may be written at once.
 */
NNEFC_API enum nnefc_status nnefc_model_write_c(struct nnefc_model *model, const char *path,
                                                const struct nnefc_emit_c *how);

#ifdef __cplusplus
}
#endif

#endif
