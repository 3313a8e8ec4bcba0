/* writer.h - a file of C in the making; shared by the files that write it */
#ifndef NNEFC_BACKEND_C_WRITER_H
#define NNEFC_BACKEND_C_WRITER_H

#include "backend/c/c.h"
#include "base/sha1.h"
#include "tensor/tensor.h"

struct arena;
struct diag;

/* Items that are printed once, however many steps read them. */
struct c_block {
    const void *items;
    int64_t count;
    enum dtype dtype;          /* LOGICAL: of bytes, whatever these are */
    const struct c_type *type; /* of its items in C */
    const char *address;       /* an expression */
};

/* A parameter for constants. */
struct c_passed {
    const char *address;
    const struct c_type *type;
};

/* The parameters and the body of a function, and the step that it was written for. */
struct c_function {
    const char *text;
    int step;
};

/* The steps that have to do with a buffer; STEP_NONE: there are none. */
struct c_use {
    int first, last;
};

enum { C_MATHS = 40, C_ROOM = 15 }; /* functions of math.h; items behind an array */

struct c_writer {
    const struct plan *plan;
    const struct c_options *options;
    struct c_files *files;
    struct arena *arena;
    struct diag *diag;
    const char *capitals; /* the prefix in capital letters */
    const char **input;   /* by parameter, and by result: the names in run() */
    const char **result;
    const char **initial;   /* by renewal: the address of what its variable begins with */
    const char **address;   /* by buffer: what run() has it at, if it is not in the arena */
    struct text body;       /* steps that are done */
    struct text data, code; /* of the step in the making: its constants, its function */
    int indent;
    int step;
    bool overflows;          /* constants of the step are more than an int of C counts */
    bool reads_state;        /* the function of the step does, what is kept */
    bool may_fail;           /* it returns whether data is at fault */
    bool any_fails;          /* of all steps */
    bool keeps;              /* there is something to be kept from run to run */
    struct c_passed *passed; /* constants that its function is given: w0, w1, .. */
    int npassed;
    struct c_function *functions; /* of the steps so far, those that differ */
    int nfunction;
    bool text[C_TEXTS];
    const char *math[C_MATHS]; /* functions of math.h */
    int nmath;
    struct c_block *blocks;
    int nblock;
    int64_t weight_bytes;
    struct sha1 sha1; /* of items that were printed, and its digits in the end */
    char digest[SHA1_DIGITS + 1];
    size_t memory;     /* bytes of the arena */
    struct c_use *use; /* by buffer */
    size_t *at; /* where in the arena a buffer lies that is no part of another; behind these, what
                   each step alone has */
    bool ok;
};

/* The type of an item in C. */
const struct c_type *c_type_of(enum dtype dtype);

/* The narrowest type of C that holds these integers. */
const struct c_type *c_narrowest(const int64_t *items, int64_t count);

/* The address of constants, whose own one is NULL; prints their definition to `to`, unless that was
 * done. */
const char *c_block(struct c_writer *writer, const struct c_block *wanted, struct text *to);

/* Begin a function that is given the file of weights as `items`. */
void c_open_weights(struct text *to);

/* Append a text in which "@_" is the prefix and '_', "@@" the same in capitals, or one where "nn_"
 * and "NN_" are. */
void c_prefixed(const struct c_writer *writer, struct text *to, const char *text, size_t size);
void c_renamed(const struct c_writer *writer, struct text *to, const char *text, size_t size);

/* How run() or check() is declared, without a semicolon; the inputs of the second are written. */
void c_prototype(const struct c_writer *writer, struct text *to, const char *function);

/* Do integers of the buffer lie as bytes? */
bool c_has_bytes(const struct c_writer *writer, int index);

/* place.c: results that fill a buffer of the arena lie where the caller wants them; the rest is
 * memory, and between it lies what steps have for themselves.  And what of it is in use at each
 * step. */
void c_place_results(struct c_writer *writer);
void c_report_memory(struct c_writer *writer);

/* Where in the arena a buffer lies, and what the step alone has. */
size_t c_place(const struct c_writer *writer, int index);
size_t c_scratch(const struct c_writer *writer, const struct step *step);

/* A buffer as the step has it, or run() if that is NULL: the type of its items, and its address. */
const struct c_type *c_type_at(const struct c_writer *writer, const struct step *step, int index);
void c_add_address(struct c_writer *writer, struct text *to, const struct step *step, int index);

/* state.c: is anything kept from run to run; struct NAME_state and NAME_reset(); what variables
 * begin with; and what run() does with them in the end. */
void c_find_state(struct c_writer *writer);
void c_declare_state(struct c_writer *writer, struct text *to);
void c_write_reset(struct c_writer *writer, struct text *to);
void c_find_initial(struct c_writer *writer);
void c_write_renewals(struct c_writer *writer, struct text *calls);

/* main.c: the program. */
void c_write_main(struct c_writer *writer);

/* check.c: the function check(), and its declaration. */
void c_write_check(const struct c_writer *writer, struct text *to);
void c_declare_check(const struct c_writer *writer, struct text *to);

/* Unique names of parameters and results. */
void c_name_ports(struct c_writer *writer);

#endif
