/*
 * recurrent.h - what rnn, gru and lstm have in common, and their single steps (nnefc-ext.nnef)
 *
 * A cell goes through a sequence in one direction.  Gates lie one after the other: z, r, h of gru;
 * i, o, f, c of lstm.
 */
#ifndef NNEFC_OP_RECURRENT_H
#define NNEFC_OP_RECURRENT_H

#include "op/op.h"

enum { GATES_MAX = 4, ACTIVATIONS_MAX = 3, PEEPHOLES = 3 };

/* Operands of an operation on sequences; rnn and gru end before the memory. */
enum { INPUT, FILTER, RECURRENCE, BIAS, STATE, MEMORY, PEEPHOLE };

struct cell_kind {
    int gates, activations;
    const char *const *standard; /* activations */
    bool has_memory;
};
extern const struct cell_kind rnn_kind, gru_kind, lstm_kind;

/* --- activations --------------------------------------------------------------------------- */

struct activation {
    const char *name, *onnx;
    bool takes_alpha, takes_beta;
    double alpha, beta; /* if they are not told */
    double (*apply)(double x, double alpha, double beta);
};

/* By name, or by that which ONNX has, in whatever case; NULL: none. */
const struct activation *activation_find(const char *name);
const struct activation *activation_of_onnx(const char *name);

/* One as a cell has it. */
struct cell_activation {
    const struct activation *function;
    double alpha, beta;
};

/* Number `which` of a direction; shape rules saw to it that there is one. */
struct cell_activation cell_activation(const struct cell_kind *kind,
                                       const struct recurrent_attrs *attrs, int direction,
                                       int which);

/* --- kernels ------------------------------------------------------------------------------- */

/* Items of an operand, or one for all: step 0. */
struct cell_operand {
    const float *item;
    int64_t step;
};

struct cell {
    const struct eval *eval;
    const struct cell_kind *kind;
    int64_t batch, features, hidden;
    const float *filter;                     /* [gates * hidden, features] */
    const float *recurrence[2];              /* [.., hidden]; gru: of the gates, then of h */
    struct cell_operand bias, recurrent[2];  /* by gates; likewise */
    struct cell_operand peephole[PEEPHOLES]; /* i, o, f */
    struct cell_activation activation[ACTIVATIONS_MAX];
    double clip;
    bool linear_before_reset, input_forget;
    double *scratch; /* batch * hidden */
};

/* What a step reads and writes: [batch, features] and [batch, hidden]; no two are the same. */
struct cell_step {
    const float *input, *state, *memory;
    float *next_state, *next_memory;
};

bool rnn_eval(const struct eval *eval);
bool gru_eval(const struct eval *eval);
bool lstm_eval(const struct eval *eval);
bool rnn_step_eval(const struct eval *eval);
bool gru_step_eval(const struct eval *eval);
bool lstm_step_eval(const struct eval *eval);

/* --- unrolled ------------------------------------------------------------------------------ */

bool rnn_unroll(struct graph *graph, struct node *node, struct value **results);
bool gru_unroll(struct graph *graph, struct node *node, struct value **results);
bool lstm_unroll(struct graph *graph, struct node *node, struct value **results);

#endif
