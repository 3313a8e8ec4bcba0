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
#include <inttypes.h>
#include <string.h>

static const char *const rnn_standard[] = {"tanh"};
static const char *const gru_standard[] = {"sigmoid", "tanh"};
static const char *const lstm_standard[] = {"sigmoid", "tanh", "tanh"};

const struct cell_kind rnn_kind = {1, 1, rnn_standard, false};
const struct cell_kind gru_kind = {3, 2, gru_standard, false};
const struct cell_kind lstm_kind = {4, 3, lstm_standard, true};

/* --- attributes ---------------------------------------------------------------------------- */

static bool check_activation(const struct infer *infer, const char *name)
{
    if (activation_find(name))
        return true;
    return infer_error(infer, "activations", DIAG_ENUM_VALUE,
                       "'%s' of '%s' is none of the activations there are, such as 'sigmoid', "
                       "'tanh', 'relu' and 'hard_sigmoid'",
                       name, infer_name(infer));
}

static bool check_parameters(const struct infer *infer, const char *param,
                             const struct values *values, int expected)
{
    return values->count == 0 || check_count(infer, param, values->count, expected);
}

/* `expected` activations, and as many of what goes with them. */
static bool check_attrs(const struct infer *infer, int expected)
{
    const struct recurrent_attrs *attrs = infer->attrs;
    bool ok = check_parameters(infer, "activations", &attrs->activations, expected);

    ok &= check_parameters(infer, "alpha", &attrs->alpha, expected);
    ok &= check_parameters(infer, "beta", &attrs->beta, expected);
    for (int i = 0; ok && i < attrs->activations.count; i++)
        ok = check_activation(infer, attrs->activations.item[i].string);
    if (attrs->clip < 0)
        ok = infer_error(infer, "clip", DIAG_NEGATIVE, "clip of '%s' is %g, expected 0 or more",
                         infer_name(infer), attrs->clip);
    return ok;
}

/* --- shapes -------------------------------------------------------------------------------- */

static bool check_rank(const struct infer *infer, int index, int rank)
{
    const struct op_operand *operand = &infer->call->in[index];

    return operand->value->shape->rank == rank ||
           infer_error(infer, operand->param, DIAG_RANK, "'%s' of '%s' has rank %d, expected %d",
                       operand->param, infer_name(infer), operand->value->shape->rank, rank);
}

/* From operand `first_optional` on, a single number stands for all. */
static bool check_shape(const struct infer *infer, int index, const struct shape *expected,
                        int first_optional)
{
    const struct op_operand *operand = &infer->call->in[index];
    const struct shape *shape = operand->value->shape;

    assert(index >= 0 && index < infer->nin);
    return shape_equal(shape, expected) || (shape->rank == 0 && index >= first_optional) ||
           infer_error(infer, operand->param, DIAG_SHAPE_MISMATCH,
                       "'%s' of '%s' has shape %s, expected %s", operand->param, infer_name(infer),
                       SHAPE_TEXT(shape), SHAPE_TEXT(expected));
}

static struct shape shape_of(int rank, int64_t a, int64_t b, int64_t c)
{
    assert(rank >= 0 && rank <= MAX_RANK);
    return (struct shape){.rank = rank, .extent = {a, b, c}};
}

static int direction_count(const struct recurrent_attrs *attrs)
{
    return attrs->direction == DIRECTION_BIDIRECTIONAL ? 2 : 1;
}

static bool check_operands(const struct infer *infer, const struct cell_kind *kind)
{
    const struct shape *input = infer_in(infer, INPUT);
    int64_t hidden = infer_in(infer, RECURRENCE)->extent[2], width = kind->gates * hidden;
    int64_t n = direction_count(infer->attrs), batch = input->extent[1];
    const struct shape expected[] = {
        [INPUT] = *input,
        [FILTER] = shape_of(3, n, width, input->extent[2]),
        [RECURRENCE] = shape_of(3, n, width, hidden),
        [BIAS] = shape_of(2, n, 2 * width, 0),
        [STATE] = shape_of(3, n, batch, hidden),
        [MEMORY] = shape_of(3, n, batch, hidden),
        [PEEPHOLE] = shape_of(2, n, PEEPHOLES * hidden, 0),
    };
    bool ok = true;

    for (int i = FILTER; ok && i < infer->nin; i++)
        ok = check_shape(infer, i, &expected[i], BIAS);
    return ok;
}

static bool sequence_infer(struct infer *infer, const struct cell_kind *kind)
{
    const struct recurrent_attrs *attrs = infer->attrs;
    int n = direction_count(attrs);

    if (!check_rank(infer, INPUT, 3) || !check_rank(infer, RECURRENCE, 3) ||
        !check_operands(infer, kind) || !check_attrs(infer, n * kind->activations))
        return false;
    const struct shape *input = infer_in(infer, INPUT);
    int64_t hidden = infer_in(infer, RECURRENCE)->extent[2];
    infer->out[0] =
        (struct shape){.rank = 4, .extent = {input->extent[0], n, input->extent[1], hidden}};
    for (int i = 1; i < infer->nout; i++)
        infer->out[i] = shape_of(3, n, input->extent[1], hidden);
    infer_reads(infer, &infer->out[0], kind->gates * (input->extent[2] + hidden));
    return true;
}

static bool rnn_infer(struct infer *infer)
{
    return sequence_infer(infer, &rnn_kind);
}

static bool gru_infer(struct infer *infer)
{
    return sequence_infer(infer, &gru_kind);
}

static bool lstm_infer(struct infer *infer)
{
    return sequence_infer(infer, &lstm_kind);
}

/* --- single steps -------------------------------------------------------------------------- */

/* `expected` has a shape for each operand, of rank 2. */
static bool step_infer(struct infer *infer, const struct cell_kind *kind,
                       const struct shape *expected, int first_optional)
{
    bool ok = true;

    assert(first_optional <= infer->nin);
    for (int i = 0; ok && i < infer->nin; i++)
        ok = check_shape(infer, i, &expected[i], first_optional);
    if (!ok || !check_attrs(infer, kind->activations))
        return false;
    for (int i = 0; i < infer->nout; i++)
        infer->out[i] = *infer_in(infer, 1);
    infer_reads(infer, &infer->out[0],
                kind->gates * (expected[0].extent[1] + expected[1].extent[1]));
    return true;
}

static bool rnn_step_infer(struct infer *infer)
{
    if (!check_rank(infer, 0, 2) || !check_rank(infer, 1, 2))
        return false;
    const struct shape *x = infer_in(infer, 0), *h = infer_in(infer, 1);
    int64_t hidden = h->extent[1];
    const struct shape bias = shape_of(2, 1, hidden, 0);
    const struct shape expected[] = {*x,
                                     shape_of(2, x->extent[0], hidden, 0),
                                     shape_of(2, hidden, x->extent[1], 0),
                                     shape_of(2, hidden, hidden, 0),
                                     bias,
                                     bias};

    return step_infer(infer, &rnn_kind, expected, 4);
}

static bool gru_step_infer(struct infer *infer)
{
    if (!check_rank(infer, 0, 2) || !check_rank(infer, 1, 2))
        return false;
    const struct shape *x = infer_in(infer, 0), *h = infer_in(infer, 1);
    int64_t hidden = h->extent[1];
    const struct shape expected[] = {*x,
                                     shape_of(2, x->extent[0], hidden, 0),
                                     shape_of(2, 3 * hidden, x->extent[1], 0),
                                     shape_of(2, 2 * hidden, hidden, 0),
                                     shape_of(2, hidden, hidden, 0),
                                     shape_of(2, 1, 3 * hidden, 0),
                                     shape_of(2, 1, 2 * hidden, 0),
                                     shape_of(2, 1, hidden, 0)};

    return step_infer(infer, &gru_kind, expected, 5);
}

static bool lstm_step_infer(struct infer *infer)
{
    if (!check_rank(infer, 0, 2) || !check_rank(infer, 1, 2))
        return false;
    const struct shape *x = infer_in(infer, 0), *h = infer_in(infer, 1);
    int64_t hidden = h->extent[1], width = 4 * hidden;
    const struct shape state = shape_of(2, x->extent[0], hidden, 0);
    const struct shape bias = shape_of(2, 1, width, 0), seen = shape_of(2, 1, hidden, 0);
    const struct shape expected[] = {*x,
                                     state,
                                     state,
                                     shape_of(2, width, x->extent[1], 0),
                                     shape_of(2, width, hidden, 0),
                                     bias,
                                     bias,
                                     seen,
                                     seen,
                                     seen};

    return step_infer(infer, &lstm_kind, expected, 5);
}

/* --- descriptors --------------------------------------------------------------------------- */

#define SEQUENCE(operator)                                                               \
    {                                                                                    \
        .infer = operator##_infer, .eval = operator##_eval, .unroll = operator##_unroll, \
        OP_SIGNATURE(operator, 0),                                                       \
    }
#define STEP(operator)                                                                 \
    {                                                                                  \
        .infer = operator##_infer, .eval = operator##_eval, OP_SIGNATURE(operator, 0), \
    }

const struct op_desc op_rnn = SEQUENCE(rnn);
const struct op_desc op_gru = SEQUENCE(gru);
const struct op_desc op_lstm = SEQUENCE(lstm);
const struct op_desc op_rnn_step = STEP(rnn_step);
const struct op_desc op_gru_step = STEP(gru_step);
const struct op_desc op_lstm_step = STEP(lstm_step);
