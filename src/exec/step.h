/*
 * step.h - the parts of a plan: buffers, and steps that read and write them
 *
 * All of this is read-only once the plan is made, so that several executions of one plan may run at
 * a time.
 */
#ifndef NNEFC_EXEC_STEP_H
#define NNEFC_EXEC_STEP_H

#include "exec/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diag;
struct node;
struct step;
struct team;
struct value;

enum { BUFFER_ALIGNMENT = 64 };

/* The place of the data of a buffer. */
enum buffer_place {
    PLACE_ARENA,    /* memory of the run, at an offset; shared with buffers of other times */
    PLACE_INPUT,    /* the tensor that a graph parameter was given */
    PLACE_VARIABLE, /* what a variable that is updated holds */
    PLACE_CONSTANT, /* memory that outlives the plan, or is the plan's own */
    PLACE_HEAP,     /* memory of its own while it is in use; plans of the reference only */
};

struct buffer {
    enum buffer_place place;
    const struct value *value; /* that it was made for; others may lie there, too */
    size_t size;               /* bytes */
    size_t offset;             /* ARENA; in the plan being made: in `whole` */
    int whole;      /* the buffer that has its memory, if that is part of it; STEP_NONE */
    bool is_signed; /* of integers that lie as bytes */
    int index;      /* INPUT: of the parameter; VARIABLE: of its storage */
    void *data;     /* CONSTANT: only to be read */
    const struct tensor *from; /* HEAP: what a constant or variable is spread out of; else NULL */
    bool swaps;      /* ARENA: a variable takes over its memory, which is not in the arena */
    int first, last; /* ARENA, HEAP: the steps that write it first and use it last; STEP_NONE */
};

enum { STEP_NONE = -1, STEP_FOREVER = INT32_MAX };

/* The data of a run, for the kernel of a step. */
struct step_frame {
    void *const *data; /* by buffer; of inputs and constants only to be read */
    void *scratch;     /* as much as the step asked for */
    void *own;         /* made by open() of its kernel; NULL */
    struct team *team;
    struct diag *diag;
    bool zeroed;   /* results are 0 before the step */
    uint64_t seed; /* for random numbers, as in struct eval */
    uint32_t cycle;
};

/* The functions that do a step. */
struct kernel {
    const char *name;
    bool shortens; /* it takes fewer products than the definition of what it computes has */
    bool (*run)(const struct step *step, const struct step_frame *frame); /* false after a report */
    void (*drop)(void *state);                                            /* NULL: nothing to do */

    /* Make and free the data that an execution keeps for the step alone; open() gives NULL if there
     * is not enough memory.  Either both or none. */
    void *(*open)(const struct step *step);
    void (*close)(void *own);
};

struct step {
    const struct kernel *kernel;
    const char *backend;             /* name of the backend that made it */
    void *state;                     /* the kernel's own: packed weights, geometry */
    const struct node *const *nodes; /* what it computes, in order; NULL: data moved only */
    int count;                       /* of them */
    enum layout layout;              /* of results */
    int nin, nout;
    int *in, *out;  /* buffers */
    int reused;     /* operand whose buffer the first result may overwrite, unless it is another
                       operand's, too; STEP_NONE */
    size_t scratch; /* bytes */
    size_t packed;  /* bytes of the plan's memory that were filled for it */
    const float *weights;    /* packed, which it reads from the first one on; NULL */
    size_t weights_size;     /* bytes of them */
    const struct step *then; /* the next step that has such weights; NULL: none */
};

/* The sort of work, for profiles: "conv", "depthwise", "product", "items", "move"; the name of the
 * first operator if it is none of these. */
const char *step_kind(const struct step *step);

/* The data of operand or result `index`. */
static inline const void *step_in(const struct step *step, const struct step_frame *frame,
                                  int index)
{
    return frame->data[step->in[index]];
}

static inline void *step_out(const struct step *step, const struct step_frame *frame, int index)
{
    return frame->data[step->out[index]];
}

#endif
