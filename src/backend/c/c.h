/*
 * c.h - the backend 'c', whose steps are printed as C instead of run
 *
 * make() of a row (struct fast_op) chooses layouts and buffers as any backend does, and leaves in
 * the step a struct c_kernel, which prints the body of a C function for it.  The kernel texts that
 * such a body calls are the files of text/, written once for all processors.  docs/emit-c.md.
 */
#ifndef NNEFC_BACKEND_C_C_H
#define NNEFC_BACKEND_C_C_H

#include "base/text.h"
#include "exec/backend.h"
#include "exec/step.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct c_check;
struct c_writer;
struct plan;
struct sink;

extern const struct backend backend_c;

/* Can a step compute it, or does it take none?  What is false here is to be expanded. */
bool c_knows(const struct node *node);

/* Let nodes that take no step give way to what their bodies make; `library` is that of NNEF 1.0.
 * Others stay, and are refused when they are printed.  False after a report. */
struct library;
bool c_expand(struct graph *graph, const struct library *library);

/* --- writing a plan -------------------------------------------------------------------------- */

enum c_weights { C_WEIGHTS_ARRAY, C_WEIGHTS_STRING, C_WEIGHTS_FILE };

struct c_options {
    const char *prefix; /* of all names; an identifier */
    const char *header; /* the name of the header in net.c; NULL: it is part of net.c */
    enum c_weights weights;
    bool caller_arena;           /* run() is given its memory */
    bool main;                   /* write a program, too */
    const struct c_check *check; /* what a function compares the results with; NULL: none */
    const char *from;            /* what the title says of the model; NULL: nothing */
};

/* What a plan takes. */
struct c_summary {
    int steps;
    size_t arena;
    int64_t weights;
    size_t peak;           /* most bytes of the arena that are in use at a time */
    int peak_step;         /* where, the first such; -1: there is none */
    struct text peak_name; /* what its comment begins with */
};

/* The files of a network.  `weights`: bytes of net.bin; empty unless they are wanted in a file. */
struct c_files {
    struct text header, source, main, weights;
    struct c_summary summary;
};
void c_files_free(struct c_files *files);

/* Print a plan for backend_c.  False after a report: a step cannot be printed. */
bool c_write(const struct plan *plan, const struct c_options *options, struct c_files *files);

/* An identifier made of that name; the stem of a file for a prefix. */
void c_identifier(struct text *to, const char *name, size_t size);

/* --- families: print functions of steps ------------------------------------------------------- */

/* The kernel of a step for this backend. */
struct c_kernel {
    struct kernel kernel;
    void (*print)(struct c_writer *writer, const struct step *step);
};

/* kernel.run of all of them, which nobody calls. */
bool c_run_nothing(const struct step *step, const struct step_frame *frame);
#define C_KERNEL(name_, print_)                                            \
    {                                                                      \
        .kernel = {.name = (name_), .run = c_run_nothing}, .print = print_ \
    }

/* Kernel texts, in the order in which they are written. */
enum c_text {
#define TEXT(name, needs) C_TEXT_##name,
#include "backend/c/text.def"
#undef TEXT
    C_TEXTS
};

/* The body of the function of a step.  Its operands are in0, in1, ..; its results out0, ..
 * "@_" stands for the prefix and '_', "@@" for the same in capitals. */
void c_code(struct c_writer *writer, const char *fmt, ...) PRINTF_LIKE(2, 3);
void c_code_v(struct c_writer *writer, const char *text, size_t size);

/* The body calls functions of that text, or of math.h. */
void c_needs(struct c_writer *writer, enum c_text text);
void c_needs_math(struct c_writer *writer, const char *function, size_t size);

/* Constants of the step: the name of a parameter, the address of `count` floats with room for 15
 * more behind them.  They stay where they are until the file is written. */
const char *c_floats(struct c_writer *writer, const float *items, int64_t count);

/* A float literal, in parentheses if it has a sign. */
void c_number(struct text *to, double value);

/* A step for the group's nodes that reads all operands and writes all results in plain layout. */
bool c_make_plain(struct planner *planner, const struct group *group, struct step *step,
                  const struct c_kernel *kernel);

/* The functions of struct fast_op, by the file that has them. */
#define FAMILY(name)                                                                    \
    unsigned c_##name##_match(const struct planner *planner, const struct group *group, \
                              void *match);                                             \
    bool c_##name##_make(struct planner *planner, const struct group *group, struct step *step);
#include "backend/c/family.def"
#undef FAMILY

/* Steps without nodes: a tensor put into another layout, or copied. */
void c_print_reordering(struct c_writer *writer, const struct step *step);

/* y = the formula of a node of one operand, for all items of out0 in place. */
void c_print_activation(struct c_writer *writer, const struct node *node);

#endif
