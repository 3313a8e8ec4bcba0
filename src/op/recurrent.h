/*
 * recurrent.h - what rnn, gru and lstm have in common, and their single steps (nnefc-ext.nnef)
 *
 * A cell goes through a sequence in one direction.  Gates lie one after the other: z, r, h of gru;
 * i, o, f, c of lstm.
 */
#ifndef NNEFC_OP_RECURRENT_H
#define NNEFC_OP_RECURRENT_H

#include "op/op.h"

enum { GATES_MAX = 4, ACTIVATIONS_MAX = 3, PEEPHOLES = 3, STEP_OPERANDS = 10 };

/* Operands of an operation on sequences; rnn and gru end before the memory. */
enum { INPUT, FILTER, RECURRENCE, BIAS, STATE, MEMORY, PEEPHOLE };

struct cell_kind {
    int gates, activations;      /* how many */
    const char *const *standard; /* the activations, unless the text names others */
    bool has_memory;
};
extern const struct cell_kind rnn_kind, gru_kind, lstm_kind;

/* Of an operation on sequences, or of a single step. */
const struct cell_kind *cell_kind_of(const struct op_desc *op);

/* --- activations --------------------------------------------------------------------------- */

struct activation {
    const char *name;
    bool takes_alpha, takes_beta;
    double alpha, beta; /* if they are not given */
    double (*of)(double x, double alpha, double beta);
};

/* All that cells may have; the last row has no name. */
extern const struct activation cell_activations[];

/* By name; NULL if there is none. */
const struct activation *activation_find(const char *name);

/* An activation with the parameters that a cell has for it. */
struct cell_activation {
    const struct activation *function;
    double alpha, beta;
};

/* Activation `which` of a direction; the shape rule has checked that there is one. */
struct cell_activation cell_activation(const struct cell_kind *kind,
                                       const struct recurrent_attrs *attrs, int direction,
                                       int which);

/* --- kernels ------------------------------------------------------------------------------- */

/* Reference kernels of rnn, gru, lstm, and of their single steps. */
bool sequence_eval(const struct eval *eval);
bool step_eval(const struct eval *eval);

/* --- unrolled ------------------------------------------------------------------------------ */

/* See op_desc.unroll: a single step for each of the sequence, in each direction. */
bool sequence_unroll(struct graph *graph, struct node *node, struct value **results);

#endif
