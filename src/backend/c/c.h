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
    const char *source; /* the name of net.c */
    const char *header; /* that of the header in it; NULL: it is part of net.c */
    enum c_weights weights;
    bool caller_arena;           /* run() is given its memory */
    bool channels_last;          /* as the option of the plan */
    size_t limit;                /* bytes of the arena; 0: any */
    bool main;                   /* write a program, too */
    const struct c_check *check; /* what a function compares the results with; NULL: none */
    const char *from;            /* what the title says of the model; NULL: nothing */
};

/* What is in use in the arena during a step. */
struct c_tensor {
    const char *name;
    size_t at, bytes;
};
struct c_step {
    const char *name;         /* what its comment begins with; NULL: it was not written */
    size_t bytes;             /* of all tensors: a result may take the place of an operand */
    struct c_tensor *tensors; /* by their places; and the memory that the step alone has */
    int count;
};

/* What a plan takes.  Steps and names live as long as the graph. */
struct c_summary {
    int steps;
    size_t arena;
    int64_t weights;
    struct c_step *step;
    int peak_step; /* where most of the arena is in use, the first such, from 1; -1: there is none
                    */
};

/* The files of a network.  `weights`: bytes of net.bin; empty unless they are wanted in a file. */
struct c_files {
    struct text header, source, main, weights;
    struct c_summary summary;
};
void c_files_free(struct c_files *files);

/* Bytes of the arena that a plan for backend_c takes. */
size_t c_arena_of(const struct plan *plan, const struct c_options *options);

/* Print a plan for backend_c.  False after a report: a step cannot be printed, or the arena exceeds
 * the limit. */
bool c_write(const struct plan *plan, const struct c_options *options, struct c_files *files);

/* An identifier made of that name; the stem of a file for a prefix. */
void c_identifier(struct text *to, const char *name, size_t size);

/* --- families: print functions of steps ------------------------------------------------------- */

/* The kernel of a step for this backend. */
struct c_kernel {
    struct kernel kernel;
    void (*print)(struct c_writer *writer, const struct step *step);
    bool narrow; /* it takes items of operands and results one by one, so that integers can have any
                    type */
};

/* kernel.run of all of them, which nobody calls. */
bool c_run_nothing(const struct step *step, const struct step_frame *frame);
#define C_KERNEL(name_, print_)                                            \
    {                                                                      \
        .kernel = {.name = (name_), .run = c_run_nothing}, .print = print_ \
    }

#define C_NARROW(name_, print_)                                                            \
    {                                                                                      \
        .kernel = {.name = (name_), .run = c_run_nothing}, .print = print_, .narrow = true \
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

/* The body has "return 1;" for data at fault. */
void c_may_fail(struct c_writer *writer);

/* The body reads `state`, what the network keeps from run to run. */
void c_reads_state(struct c_writer *writer);

/* Constants of the step: the name of a parameter, the address of `count` floats with room for 15
 * more behind them.  They stay where they are until the file is written. */
const char *c_floats(struct c_writer *writer, const float *items, int64_t count);

/* A type of items in C, of which each has one record. */
struct c_type {
    const char *name;
    int size;
    bool is_signed;
};
extern const struct c_type c_float, c_truth, c_uint8, c_int8, c_int16, c_int32, c_int64;

/* The same of integers, which are written as that type. */
const char *c_integers(struct c_writer *writer, const int64_t *items, int64_t count,
                       const struct c_type *type);

/* The same of bytes. */
const char *c_bytes(struct c_writer *writer, const uint8_t *items, int64_t count);

/* A float literal, and one of double, in parentheses if it has a sign; and an integer. */
void c_number(struct text *to, double value);
void c_double(struct text *to, double value);
void c_integer(struct text *to, int64_t value);

/* The type of the first result if it is narrower than integers are, else NULL. */
const struct c_type *c_narrows(const struct c_writer *writer, const struct step *step);

/* What the integers of an operand of the step can be, as far as that is known; false: anything. */
bool c_range(const struct c_writer *writer, const struct step *step, int operand, int64_t *low,
             int64_t *high);

/* Do sums of `depth` products of operands 0 and 1 less their zeros, operands `zero` and the next,
 * and of operand 2, fit 32 bits? */
bool c_sums_fit(const struct c_writer *writer, const struct step *step, int64_t depth, int zero);

/* The items of a constant, or of a variable that stays as it is; NULL: it is another value. */
struct tensor;
const struct tensor *c_constant(const struct value *value);

/* Is the value such a one of integers from `low` to `high`? */
bool c_is_within(const struct value *value, int64_t low, int64_t high);

/* A step for the group's node that reads all operands and writes all results in plain layout. */
bool c_make_plain(struct planner *planner, const struct group *group, struct step *step,
                  const struct c_kernel *kernel);

/* The functions of struct fast_op, by the file that has them. */
#define FAMILY(name)                                                                    \
    unsigned c_##name##_match(const struct planner *planner, const struct group *group, \
                              void *match);                                             \
    bool c_##name##_make(struct planner *planner, const struct group *group, struct step *step);
#include "backend/c/family.def"
#undef FAMILY

/* Literals of the limits of results, or of 0 where there are none. */
struct epilogue;
void c_limits(const struct epilogue *epilogue, bool clamps, struct text *low, struct text *high);

/* Are the integers in blocks of a block_matmul constants that text/blocks.h knows? */
bool c_knows_blocks(const struct node *node);

/* The constant `window` of text/window.h. */
struct window;
void c_window(struct c_writer *writer, const struct window *w);

/* The constant `pool` of text/pool.h. */
struct image_pool;
void c_pool(struct c_writer *writer, const struct image_pool *p);

/* Does an int of C count the places of all its taps?  And those of windows on images? */
struct conv;
bool c_window_fits(const struct window *w);
bool c_image_fits(const struct conv *conv);

/* Steps without nodes: a tensor put into another layout, or copied, or integers given another size.
 * The number of items if that is what the step does, else 0. */
int64_t c_converts(const struct c_writer *writer, const struct step *step);
void c_print_reordering(struct c_writer *writer, const struct step *step);

/* y = the formula of a node of one operand, for all items of out0 in place. */
void c_print_activation(struct c_writer *writer, const struct node *node);

#endif
