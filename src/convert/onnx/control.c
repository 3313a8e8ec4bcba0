/*
 * control.c - graphs in attributes
 *
 * NNEF has no control flow.  A loop is unrolled; of a conditional one branch is taken if the
 * condition is known, else both are computed and the results selected.
 */
#include "base/arena.h"
#include "convert/onnx/import_make.h"
#include "convert/onnx/import_priv.h"
#include "diag/context.h"

#include <assert.h>

/* The outputs of a graph in an attribute, as many as the node has; NULL after a report. */
static struct imported **branch(struct translation *t, const char *name)
{
    const struct onnx_attribute *attribute = get_attribute(t, name);
    const struct onnx_graph *graph = attribute ? attribute->g : NULL;
    int count = graph ? graph->output.count : -1;
    struct imported **out = import_alloc(t, count + 2, sizeof *out);

    if (graph && count == t->nout)
        return import_subgraph(t, graph, NULL, out) ? out : NULL;
    return import_refuse(t, DIAG_ONNX_GRAPH, "'%s' has %d outputs, expected %d", name, count,
                         t->nout);
}

/*
 * The branches of a condition that is not known are graphs without inputs, which see the tensors
 * around them.  Their outputs must have equal shapes, since a select takes both.
 */
struct imported *import_if(struct translation *t)
{
    bool known = input_at(t, 0)->known;
    double condition;

    if (known && !input_number(t, 0, &condition))
        return NULL;
    bool holds = known && condition > 0;
    struct imported **yes = known && !holds ? NULL : branch(t, "then_branch");
    struct imported **no = holds ? NULL : branch(t, "else_branch");
    struct imported **taken = yes ? yes : no;
    if (!taken || (!known && (!yes || !no)))
        return NULL;
    for (int i = 0; i < t->nout; i++) {
        if (!known && (!yes[i] || !no[i] || !shape_equal(&yes[i]->shape, &no[i]->shape)))
            return import_unsupported(t,
                                      "has branches of different shapes, and its condition is not "
                                      "known when the model is read");
        set_output(t, i, known ? taken[i] : op3(t, OP_select, input_at(t, 0), yes[i], no[i]));
    }
    return t->nout ? t->out[0] : NULL;
}

/* --- loops ---------------------------------------------------------------------------------- */

/*
 * Inputs of the node are the number of trips, the condition and what is carried; its outputs what
 * is carried, and scans, which collect an item of each trip.  The body takes the number of the
 * trip, the condition and what is carried; it gives the condition, what is carried and the items.
 */
struct onnx_loop {
    const struct onnx_graph *body;
    int carried, scanned;
    int64_t trips;            /* at most */
    struct imported **state;  /* condition, NULL if there is none; then what is carried */
    struct imported ***scans; /* by output, then by trip */
};

/* False after a report. */
static bool read_loop(struct translation *t, struct onnx_loop *loop)
{
    const struct onnx_attribute *body = get_attribute(t, "body");
    int64_t most = t->builder->context->limits.array_length;
    double trips = (double)INT64_MAX;

    loop->body = body ? body->g : NULL;
    loop->carried = t->nin - 2;
    loop->scanned = t->nout - loop->carried;
    if (!loop->body || loop->carried < 0 || loop->scanned < 0 ||
        loop->body->input.count != loop->carried + 2 || loop->body->output.count != t->nout + 1)
        return import_error(t, DIAG_ONNX_GRAPH,
                            "has a body that does not fit its %d inputs and %d outputs", t->nin,
                            t->nout);
    if (has_input(t, 0) && !input_number(t, 0, &trips))
        return false;
    loop->trips = trips > (double)most ? most : (int64_t)trips;
    loop->state = import_alloc(t, t->nout + 1, sizeof *loop->state);
    loop->scans = import_alloc(t, loop->scanned, sizeof *loop->scans);
    for (int i = 0; i < loop->carried; i++)
        if (!(loop->state[1 + i] = input_at(t, 2 + i)))
            return import_error(t, DIAG_ONNX_GRAPH, "input %d is left out", 2 + i);
    loop->state[0] = input_at(t, 1);
    return true;
}

/* One trip; false after a report. */
static bool run_trip(struct translation *t, struct onnx_loop *loop, int64_t trip)
{
    struct imported **in = import_alloc(t, loop->carried + 2, sizeof *in);
    struct imported **out = import_alloc(t, t->nout + 1, sizeof *out);

    assert(trip >= 0 && trip < loop->trips);
    in[0] = known_integer(t, trip, ONNX_INT64);
    in[1] = loop->state[0] ? loop->state[0] : convert(t, literal(t, 1), ONNX_BOOL);
    for (int i = 0; i < loop->carried; i++)
        in[2 + i] = loop->state[1 + i];
    if (!in[0] || !in[1] || !import_subgraph(t, loop->body, in, out))
        return false;
    for (int i = 0; i <= loop->carried; i++)
        loop->state[i] = out[i];
    for (int i = 0; i < loop->scanned; i++) {
        loop->scans[i] =
            arena_list(t->builder->context->arena, loop->scans[i], trip, sizeof *loop->scans[i]);
        loop->scans[i][trip] = unsqueeze_at(t, out[1 + loop->carried + i], 0);
    }
    return !t->failed;
}

/* Number of trips and conditions have to be known. */
struct imported *import_loop(struct translation *t)
{
    struct onnx_loop loop = {0};
    int64_t trip = 0;

    if (!read_loop(t, &loop) || !loop.state)
        return NULL;
    for (; !t->failed && trip < loop.trips; trip++) {
        const struct imported *condition = loop.state[0];
        if (condition && !condition->known)
            return import_unsupported(
                t, "ends by a condition that is not known when the model is read");
        if (condition && !(tensor_item(condition->known, 0) > 0))
            break;
        if (!run_trip(t, &loop, trip))
            return NULL;
    }
    if (t->failed)
        return NULL;
    for (int i = 0; i < t->nout; i++) {
        int scan = i - loop.carried;
        if (scan >= 0 && trip == 0)
            return import_unsupported(t, "makes no trips, so that output %d has no items", i);
        set_output(t, i, scan < 0 ? loop.state[1 + i] : join(t, loop.scans[scan], (int)trip, 0));
    }
    return t->nout ? t->out[0] : NULL;
}
