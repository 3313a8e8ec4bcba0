/*
 * emit_c.h - the part of nnefc.h that writes models as C
 *
 *     const struct nnefc_emit_c how = {.size = sizeof how};
 *
 *     nnefc_model_write_c(model, "net.c", &how);
 *
 * The C allocates nothing and compiles as C99 and C++11.  It needs no library but memcpy(),
 * memset() and the functions of math.h that its header names.  docs/emit-c.md describes it.
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

/* With all members but `size` zero, it asks for the defaults, and so does NULL. */
struct nnefc_emit_c {
    size_t size;        /* sizeof(struct nnefc_emit_c) */
    const char *prefix; /* of all names, an identifier; NULL: the name of the file */
    enum nnefc_c_weights weights;
    bool caller_arena; /* the caller passes the memory for tensors; else it is static */
    bool main;         /* write a program, too, that reads inputs and prints results */
    bool self_test;    /* write a function, too, that compares results with the reference */
    uint64_t seed;     /* of the random inputs of that function */
    struct nnefc_c_summary *summary; /* to be filled in if all goes well; may be NULL */

    /* Compute convolutions row by row wherever that saves memory. */
    bool small;
    bool channels_last; /* inputs and results of 4 dimensions or more lie as (batch, .., channel) */
    int64_t arena_limit; /* bytes of the arena, 0: any.  If it needs more, it is planned as if
                            `small` were set; if it still needs more, NNEFC_UNSUPPORTED */
};

/* A tensor in the arena during a step. */
struct nnefc_c_tensor {
    const char *name; /* "scratch": memory of the step alone */
    int64_t at, bytes;
};

struct nnefc_c_step {
    const char *name; /* its number, its operations, their place in the text, and its result */
    int64_t bytes;    /* of all tensors; a result that takes the place of an operand counts once */
    int ntensor;
    const struct nnefc_c_tensor *tensor; /* in the order of their places */
};

/* What the C needs.  The caller sets `size`; names and steps live as long as the model. */
struct nnefc_c_summary {
    size_t size;           /* sizeof(struct nnefc_c_summary) */
    int64_t arena_bytes;   /* for tensors while it runs */
    int64_t weights_bytes; /* of constants */
    int steps;
    int peak_step;         /* the first step, from 1, with the most bytes in use; -1: no step */
    int64_t peak_bytes;    /* the bytes in use at that step */
    const char *peak_name; /* its operations, their place, and its result; NULL: no step */
    const struct nnefc_c_step *step; /* `steps` of them, in their order */
};

/*
 * Write the graph of a model as C: NAME.c and NAME.h, and if they are asked for NAME.bin and
 * NAME_main.c.  All files are written or none.  "-" writes only the C, including the header, to
 * standard output.  The same model makes the same bytes.
 *
 * NNEFC_UNSUPPORTED: an operation cannot be written in C, or the limit of the arena is too low.
 * NNEFC_USAGE: `path` is NULL or no name that C can include, `prefix` is no identifier, or a field
 * has an invalid value.  NNEFC_FILE: a file of weights cannot be read, a file cannot be written, or
 * it is one that the model was read from (nnefc_model_set_force()).  NNEFC_INVALID: with
 * `self_test`, computing the results fails.  The model belongs to one thread at a time; several
 * models may be written at the same time.
 */
NNEFC_API enum nnefc_status nnefc_model_write_c(struct nnefc_model *model, const char *path,
                                                const struct nnefc_emit_c *how);

#ifdef __cplusplus
}
#endif

#endif
