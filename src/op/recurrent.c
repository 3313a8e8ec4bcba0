/*
 * recurrent.c - rnn, gru and lstm: shape rules and descriptors (nnefc-ext.nnef)
 *
 * Sequences are [steps, batch, features] and become [steps, directions, batch, hidden].
 */
#include "op/recurrent.h"

#include "op/check.h"
#include "op/op_build.h"

#include "base/text.h"

#include <assert.h>
#include <string.h>

static const char *const rnn_standard[] = {"tanh"};
static const char *const gru_standard[] = {"sigmoid", "tanh"};
static const char *const lstm_standard[] = {"sigmoid", "tanh", "tanh"};

const struct cell_kind rnn_kind = {1, 1, rnn_standard, false};
const struct cell_kind gru_kind = {3, 2, gru_standard, false};
const struct cell_kind lstm_kind = {4, 3, lstm_standard, true};

const struct cell_kind *cell_kind_of(const struct op_desc *op)
{
    if (op->id == OP_rnn || op->id == OP_rnn_step)
        return &rnn_kind;
    if (op->id == OP_gru || op->id == OP_gru_step)
        return &gru_kind;
    assert(op->id == OP_lstm || op->id == OP_lstm_step);
    return &lstm_kind;
}

/* --- attributes ---------------------------------------------------------------------------- */

static bool check_parameters(const struct infer *infer, const char *param,
                             const struct values *values, int expected)
{
    return values->count == 0 || check_count(infer, param, values->count, expected);
}

/* `expected` activations, each with one item of 'alpha' and 'beta'. */
static bool check_attrs(const struct infer *infer, int expected)
{
    const struct recurrent_attrs *attrs = infer->attrs;
    bool ok = check_parameters(infer, "activations", &attrs->activations, expected);

    ok &= check_parameters(infer, "alpha", &attrs->alpha, expected);
    ok &= check_parameters(infer, "beta", &attrs->beta, expected);
    for (int i = 0; ok && i < attrs->activations.count; i++) {
        const char *name = attrs->activations.item[i].string;
        if (!activation_find(name))
            ok = infer_error(infer, "activations", DIAG_ENUM_VALUE,
                             "'%s' of '%s' is none of the activations there are, such as "
                             "'sigmoid', 'tanh', 'relu' and 'hard_sigmoid'",
                             name, infer_name(infer));
    }
    if (attrs->clip < 0)
        ok = infer_error(infer, "clip", DIAG_NEGATIVE, "clip of '%s' is %g, expected 0 or more",
                         infer_name(infer), attrs->clip);
    return ok;
}

/* --- shapes -------------------------------------------------------------------------------- */

static struct shape shape_of(int rank, int64_t a, int64_t b, int64_t c)
{
    assert(rank >= 0 && rank <= MAX_RANK);
    return (struct shape){.rank = rank, .extent = {a, b, c}};
}

static bool sequence_infer(struct infer *infer)
{
    const struct cell_kind *kind = cell_kind_of(infer->call->op);
    const struct recurrent_attrs *attrs = infer->attrs;
    int n = attrs->direction == DIRECTION_BIDIRECTIONAL ? 2 : 1;

    if (!check_rank(infer, INPUT, 3, false) || !check_rank(infer, RECURRENCE, 3, false))
        return false;
    const struct shape *input = infer_in(infer, INPUT);
    int64_t steps = input->extent[0], batch = input->extent[1], features = input->extent[2];
    int64_t hidden = infer_in(infer, RECURRENCE)->extent[2], width = kind->gates * hidden;
    const struct shape expected[] = {
        [INPUT] = *input,
        [FILTER] = shape_of(3, n, width, features),
        [RECURRENCE] = shape_of(3, n, width, hidden),
        [BIAS] = shape_of(2, n, 2 * width, 0),
        [STATE] = shape_of(3, n, batch, hidden),
        [MEMORY] = shape_of(3, n, batch, hidden),
        [PEEPHOLE] = shape_of(2, n, PEEPHOLES * hidden, 0),
    };

    for (int i = FILTER; i < infer->nin; i++)
        if (!check_shape(infer, i, &expected[i], i >= BIAS))
            return false;
    if (!check_attrs(infer, n * kind->activations))
        return false;

    /* All states, and the last one of each direction. */
    infer->out[0] = (struct shape){.rank = 4, .extent = {steps, n, batch, hidden}};
    for (int i = 1; i < infer->nout; i++)
        infer->out[i] = shape_of(3, n, batch, hidden);
    infer_reads(infer, &infer->out[0], kind->gates * (features + hidden));
    return true;
}

/* Operands are the input, the states, the filter, the parts of the recurrence, the bias and as many
 * parts of that of the recurrence, and peepholes. */
static bool step_infer(struct infer *infer)
{
    const struct cell_kind *kind = cell_kind_of(infer->call->op);
    bool parted = kind == &gru_kind; /* its last gate reads a state of its own */
    struct shape expected[STEP_OPERANDS];
    int n = 0;

    if (!check_rank(infer, 0, 2, false) || !check_rank(infer, 1, 2, false))
        return false;
    const struct shape *x = infer_in(infer, 0);
    int64_t hidden = infer_in(infer, 1)->extent[1], width = kind->gates * hidden;
    int64_t gates = parted ? width - hidden : width;

    expected[n++] = *x;
    for (int i = 0; i <= kind->has_memory; i++)
        expected[n++] = shape_of(2, x->extent[0], hidden, 0);
    expected[n++] = shape_of(2, width, x->extent[1], 0);
    expected[n++] = shape_of(2, gates, hidden, 0);
    if (parted)
        expected[n++] = shape_of(2, hidden, hidden, 0);
    int first_optional = n;
    expected[n++] = shape_of(2, 1, width, 0);
    expected[n++] = shape_of(2, 1, gates, 0);
    if (parted)
        expected[n++] = shape_of(2, 1, hidden, 0);
    for (int i = 0; kind->has_memory && i < PEEPHOLES; i++)
        expected[n++] = shape_of(2, 1, hidden, 0);

    assert(n == infer->nin && n <= STEP_OPERANDS);
    for (int i = 0; i < n; i++)
        if (!check_shape(infer, i, &expected[i], i >= first_optional))
            return false;
    if (!check_attrs(infer, kind->activations))
        return false;
    for (int i = 0; i < infer->nout; i++)
        infer->out[i] = *infer_in(infer, 1);
    infer_reads(infer, &infer->out[0], kind->gates * (x->extent[1] + hidden));
    return true;
}

/* --- descriptors --------------------------------------------------------------------------- */

DESCRIPTOR(rnn, 0, .infer = sequence_infer, .eval = sequence_eval, .unroll = sequence_unroll);
DESCRIPTOR(gru, 0, .infer = sequence_infer, .eval = sequence_eval, .unroll = sequence_unroll);
DESCRIPTOR(lstm, 0, .infer = sequence_infer, .eval = sequence_eval, .unroll = sequence_unroll);

DESCRIPTOR(rnn_step, 0, .infer = step_infer, .eval = step_eval);
DESCRIPTOR(gru_step, 0, .infer = step_infer, .eval = step_eval);
DESCRIPTOR(lstm_step, 0, .infer = step_infer, .eval = step_eval);
