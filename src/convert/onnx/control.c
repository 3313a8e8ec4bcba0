/*
 * control.c - graphs in attributes
 *
 * NNEF has no control flow.  Loops and scans are unrolled; of a conditional one branch is taken if
 * the condition is known, else both are computed and the results selected.
 */
#include "base/arena.h"
#include "convert/onnx/import_make.h"
#include "convert/onnx/import_priv.h"
#include "diag/context.h"

#include <assert.h>
#include <inttypes.h>

/* Nodes that a loop is unrolled to, if it can be run in trips instead. */
enum { UNROLLED_MAX = 2000 };

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

/* What one graph cannot do, though several can. */
static void *refuse_computed(struct translation *t, const char *why)
{
    import_unsupported(t, "%s", why);
    diag_help(t->builder->context->diag,
              "one graph cannot have it; 'run', 'bench' and 'info' compute the model in parts.");
    return NULL;
}

/*
 * The branches of a condition that is not known are graphs without inputs, which see the tensors
 * around them.  Their outputs must have equal shapes, since a select takes both.
 */
struct imported *import_if(struct translation *t)
{
    bool known = input_at(t, 0)->known;
    double condition;

    if (!known && import_decides(t->import, input_at(t, 0))) {
        t->failed = true;
        return NULL;
    }
    if (!known && import_cut(t, false, "its condition is computed"))
        return NULL;
    if (known && !input_number(t, 0, &condition))
        return NULL;
    bool holds = known && condition > 0;
    struct imported **yes = known && !holds ? NULL : branch(t, "then_branch");
    struct imported **no = holds ? NULL : branch(t, "else_branch");
    struct imported **taken = yes ? yes : no;
    if (!known && (!yes || !no) && t->import->depth == 0)
        diag_note(
            t->builder->context->diag, (struct span){0},
            "both branches are read, because the condition is not known; bind the inputs that "
            "it is computed from with --bind NAME=FILE");
    if (!taken || (!known && (!yes || !no)))
        return NULL;
    for (int i = 0; i < t->nout; i++) {
        if (!known && (!yes[i] || !no[i] || !shape_equal(&yes[i]->shape, &no[i]->shape)))
            return refuse_computed(t, "has branches of different shapes, and its condition is not "
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

/* What trips collect along an axis of an output of the body if there are none: what that declares,
 * with 0 for what it leaves open, as ONNX Runtime has it. */
static struct imported *collect_nothing(struct translation *t, const struct onnx_graph *body,
                                        int output, int64_t along)
{
    const struct onnx_value_info *info = body->output.first;
    struct shape item, shape;
    struct tensor *to;
    int32_t type;
    int axis;

    while (output-- > 0)
        info = info->next;
    if (onnx_declared_item(info, &type, &item) == DTYPE_UNKNOWN)
        return import_unsupported(
            t, "makes no trips, and its body does not declare the type of output '%s'", info->name);
    if (!resolve_axis(t, along, item.rank + 1, &axis))
        return NULL;
    shape = (struct shape){.rank = item.rank + 1};
    for (int i = 0; i < shape.rank; i++)
        shape.extent[i] = i == axis ? 0 : item.extent[i < axis ? i : i - 1];
    return known_new(t, type, &shape, &to);
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
    if (loop.trips > UNROLLED_MAX / (loop.body->node.count + 1) &&
        import_cut(t, true, "it makes many trips"))
        return NULL;
    for (; !t->failed && trip < loop.trips; trip++) {
        const struct imported *condition = loop.state[0];
        if (condition && !condition->known && import_decides(t->import, condition)) {
            t->failed = true;
            return NULL;
        }
        if (condition && !condition->known && import_cut(t, true, "it ends by what it computes"))
            return NULL;
        if (condition && !condition->known)
            return refuse_computed(t,
                                   "ends by a condition that is not known when the model is read");
        if (condition && !(tensor_item(condition->known, 0) > 0))
            break;
        if (!run_trip(t, &loop, trip))
            return NULL;
    }
    if (t->failed)
        return NULL;
    for (int i = 0; i < t->nout; i++) {
        int scan = i - loop.carried;
        set_output(t, i,
                   scan < 0    ? loop.state[1 + i]
                   : trip == 0 ? collect_nothing(t, loop.body, 1 + i, 0)
                               : join(t, loop.scans[scan], (int)trip, 0));
    }
    return t->nout ? t->out[0] : NULL;
}

/* --- scans ---------------------------------------------------------------------------------- */

/*
 * Inputs of the node are states and sequences, its outputs the states at the end and collections.
 * The body takes the states and an item of each sequence; it gives states and an item for each
 * collection.
 */
struct onnx_scan {
    const struct onnx_graph *body;
    int states, sequences, collections;
    struct integers axes, directions;         /* of sequences; none: 0 */
    struct integers out_axes, out_directions; /* of collections; none: 0 */
};

/* An attribute with an integer for each of `count`, or for none; false after a report. */
static bool read_list(struct translation *t, const char *name, int count, struct integers *list)
{
    get_ints(t, name, list);
    return !t->failed &&
           (list->count == 0 || list->count == count ||
            import_error(t, DIAG_ITEM_COUNT, "attribute '%s' has %d items, expected %d", name,
                         list->count, count));
}

/* The same of directions, 0 or 1. */
static bool read_directions(struct translation *t, const char *name, int count,
                            struct integers *list)
{
    if (!read_list(t, name, count, list))
        return false;
    for (int i = 0; i < list->count; i++)
        if (list->item[i] != 0 && list->item[i] != 1)
            return import_error(t, DIAG_ENUM_VALUE,
                                "attribute '%s' has %" PRId64 " at %d, expected 0 or 1", name,
                                list->item[i], i);
    return true;
}

/* Before opset 9 there are batches, whose lengths stand in front of the other inputs. */
static bool read_scan(struct translation *t, struct onnx_scan *scan)
{
    const struct onnx_attribute *body = get_attribute(t, "body");
    int64_t sequences = get_int(t, "num_scan_inputs", 0);
    int first = t->opset < 9, inputs = t->nin - first;

    scan->body = body ? body->g : NULL;
    if (!scan->body || sequences < 1 || sequences > inputs || scan->body->input.count != inputs ||
        scan->body->output.count != t->nout || t->nout < inputs - sequences)
        return import_error(t, DIAG_ONNX_GRAPH,
                            "has a body that does not fit %d inputs, %" PRId64
                            " of them scanned, and %d outputs",
                            inputs, sequences, t->nout);
    scan->sequences = (int)sequences;
    scan->states = inputs - scan->sequences;
    scan->collections = t->nout - scan->states;
    for (int i = first; i < t->nin; i++)
        if (!input_at(t, i))
            return import_error(t, DIAG_ONNX_GRAPH, "input %d is left out", i);
    if (first && has_input(t, 0))
        return import_unsupported(t, "has sequences of different lengths");
    return read_list(t, "scan_input_axes", scan->sequences, &scan->axes) &&
           read_directions(t, first ? "directions" : "scan_input_directions", scan->sequences,
                           &scan->directions) &&
           read_list(t, "scan_output_axes", scan->collections, &scan->out_axes) &&
           read_directions(t, "scan_output_directions", scan->collections, &scan->out_directions);
}

static int64_t listed(const struct integers *list, int index)
{
    return list->count > 0 ? list->item[index] : 0;
}

/* Item `at` along an axis, without that. */
static struct imported *item_at(struct translation *t, struct imported *x, int axis, int64_t at)
{
    return squeeze_at(t, slice_at(t, x, axis, at, at + 1), axis);
}

/* The length of all sequences; -1 after a report. */
static int64_t scan_length(struct translation *t, const struct onnx_scan *scan,
                           struct imported *const *in, int axes[])
{
    int64_t length = -1, most = t->builder->context->limits.array_length;

    for (int i = 0; i < scan->sequences; i++) {
        const struct shape *shape = &in[scan->states + i]->shape;
        if (!resolve_axis(t, listed(&scan->axes, i), shape->rank, &axes[i]))
            return -1;
        if (i > 0 && shape->extent[axes[i]] != length)
            import_error(t, DIAG_SHAPE_MISMATCH,
                         "has sequences of %" PRId64 " and %" PRId64 " items", length,
                         shape->extent[axes[i]]);
        length = shape->extent[axes[i]];
    }
    if (length > most)
        import_unsupported(t, "has sequences of %" PRId64 " items, expected at most %" PRId64,
                           length, most);
    return t->failed ? -1 : length;
}

/* All steps, for states and sequences; NULL after a report. */
static struct imported **run_scan(struct translation *t, const struct onnx_scan *scan,
                                  struct imported *const *in)
{
    const int count = scan->states + scan->sequences;
    int *axes = import_alloc(t, scan->sequences, sizeof *axes), axis;
    int64_t length = scan_length(t, scan, in, axes);
    struct imported **now = import_alloc(t, count, sizeof *now);
    struct imported **out = import_alloc(t, t->nout + 1, sizeof *out);

    if (length < 0)
        return NULL;
    struct imported **items = import_alloc(t, length * scan->collections, sizeof *items);
    for (int i = 0; i < scan->states; i++)
        out[i] = in[i];
    for (int64_t at = 0; at < length; at++) {
        for (int i = 0; i < count; i++) {
            int k = i - scan->states;
            bool back = k >= 0 && listed(&scan->directions, k) == 1;
            now[i] = k < 0 ? out[i] : item_at(t, in[i], axes[k], back ? length - 1 - at : at);
        }
        if (t->failed || !import_subgraph(t, scan->body, now, out))
            return NULL;
        for (int k = 0; k < scan->collections; k++) {
            bool back = listed(&scan->out_directions, k) == 1;
            struct imported *item = out[scan->states + k];
            if (!item || !resolve_axis(t, listed(&scan->out_axes, k), item->shape.rank + 1, &axis))
                return NULL;
            items[k * length + (back ? length - 1 - at : at)] = unsqueeze_at(t, item, axis);
        }
    }
    for (int k = 0; k < scan->collections && length == 0 && !t->failed; k++)
        out[scan->states + k] =
            collect_nothing(t, scan->body, scan->states + k, listed(&scan->out_axes, k));
    for (int k = 0; k < scan->collections && length > 0 && !t->failed; k++) {
        resolve_axis(t, listed(&scan->out_axes, k), out[scan->states + k]->shape.rank + 1, &axis);
        out[scan->states + k] = join(t, items + k * length, (int)length, axis);
    }
    return t->failed ? NULL : out;
}

/* Each batch by itself, put together again. */
static struct imported **run_batches(struct translation *t, const struct onnx_scan *scan,
                                     struct imported *const *in)
{
    const int count = scan->states + scan->sequences;
    int64_t batches = shape_extent(&in[0]->shape, 0);
    int64_t most = t->builder->context->limits.array_length;

    for (int i = 0; i < count; i++)
        if (in[i]->shape.rank < 1 || in[i]->shape.extent[0] != batches)
            return import_refuse(t, DIAG_SHAPE_MISMATCH,
                                 "has an input of shape %s, expected %" PRId64 " batches",
                                 SHAPE_TEXT(&in[i]->shape), batches);
    if (batches < 1 || batches > most)
        return import_unsupported(t, "has %" PRId64 " batches, expected 1 to %" PRId64, batches,
                                  most);
    struct imported **own = import_alloc(t, count, sizeof *own);
    struct imported **parts = import_alloc(t, batches * t->nout, sizeof *parts);
    struct imported **all = import_alloc(t, t->nout + 1, sizeof *all);

    for (int64_t b = 0; b < batches; b++) {
        for (int i = 0; i < count; i++)
            own[i] = item_at(t, in[i], 0, b);
        struct imported **out = t->failed ? NULL : run_scan(t, scan, own);
        for (int i = 0; i < t->nout && out; i++)
            parts[i * batches + b] = unsqueeze_at(t, out[i], 0);
        if (!out)
            return NULL;
    }
    for (int i = 0; i < t->nout; i++)
        all[i] = join(t, parts + i * batches, (int)batches, 0);
    return all;
}

struct imported *import_scan(struct translation *t)
{
    struct onnx_scan scan = {0};

    if (!read_scan(t, &scan))
        return NULL;
    struct imported **out =
        t->opset < 9 ? run_batches(t, &scan, t->in + 1) : run_scan(t, &scan, t->in);
    for (int i = 0; i < t->nout && out; i++)
        set_output(t, i, out[i]);
    return out && t->nout ? t->out[0] : NULL;
}
