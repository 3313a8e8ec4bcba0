/*
 * control_flow.c - conditionals, loops, scans, maps of sequences and functions that are computed
 * one branch, trip or call at a time
 *
 * convert/onnx/control.c takes them for operations of a graph where it can: it has checked the
 * attributes of all, and that bodies have the inputs and outputs which belong to the node.
 */
#include "api/program.h"

#include "api/open.h"
#include "base/arena.h"
#include "base/text.h"
#include "convert/proto/onnx_data.h"
#include "diag/context.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct onnx_attribute *attribute_of(const struct frame *frame,
                                                 const struct onnx_node *node, const char *name)
{
    return onnx_node_attribute(node, frame->caller, name);
}

static struct frame frame_within(const struct frame *frame, const struct onnx_node *node,
                                 const char *name)
{
    return (struct frame){.outer = frame,
                          .graph = attribute_of(frame, node, name)->g,
                          .caller = frame->caller,
                          .depth = frame->depth};
}

/* The operand of a node; NULL: it is left out. */
static const struct slot *operand(const struct frame *frame, const struct onnx_node *node,
                                  int index)
{
    const char *name = index < node->input.count ? node->input.item[index] : "";

    return *name ? frame_find(frame, name) : NULL;
}

/* The same, which has to be there; NULL after a report. */
static const struct slot *need_operand(const struct nnefc_run *run, const struct frame *frame,
                                       const struct onnx_node *node, int index)
{
    const struct slot *slot = operand(frame, node, index);

    if (!slot)
        not_there(run, node->input.item[index]);
    return slot;
}

/* A single item of a slot; false after a report. */
static bool read_item(const struct nnefc_run *run, const struct slot *slot, double *item)
{
    *item = 0;
    if (slot->list || shape_volume(&slot->tensor.shape) != 1)
        return diag_file_error(run->diag, run->model->onnx.options.file, DIAG_ONNX_GRAPH,
                               "'%s' %s%s, expected a single item", slot->name,
                               slot->list ? "is a sequence" : "has shape ",
                               slot->list ? "" : SHAPE_TEXT(&slot->tensor.shape));
    *item = tensor_item(&slot->tensor, 0);
    return true;
}

/* --- conditionals ------------------------------------------------------------------------- */

/* Outputs of the branch become those of the node. */
static bool hand_over(struct nnefc_run *run, struct frame *frame, const struct frame *branch,
                      const struct onnx_node *node)
{
    int i = 0;

    for (const struct onnx_value_info *o = branch->graph->output.first; o; o = o->next, i++) {
        struct slot slot;
        if (i >= node->output.count || !*node->output.item[i])
            continue;
        if (!frame_take(run, branch, o->name, &slot))
            return false;
        frame_add(frame, node->output.item[i], &slot);
    }
    return true;
}

static bool run_if(struct nnefc_run *run, struct frame *frame, const struct onnx_node *node)
{
    const struct slot *slot = need_operand(run, frame, node, 0);
    double condition;

    if (!slot || !read_item(run, slot, &condition))
        return false;
    struct frame branch = frame_within(frame, node, condition > 0 ? "then_branch" : "else_branch");
    bool ok = frame_run(run, &branch) && hand_over(run, frame, &branch, node);
    frame_clear(&branch);
    return ok;
}

/* --- trips -------------------------------------------------------------------------------- */

/* Along which axis of a sequence or collection the items of trips lie, the last one first? */
struct along {
    int64_t axis;
    bool back;
};

/* Items of an output of the body, one for each trip. */
struct collection {
    struct along along;
    struct slot *item;
    int count;
};

/* What trips read an item each of. */
struct sequence {
    struct along along;
    const struct slot *slot;
};

/*
 * Inputs of the body are, of a loop, the number of the trip; the states; an item of each sequence.
 * Its outputs are the states, and an item for each collection.  The first state of a loop is its
 * condition, which is no output of the node.
 */
struct looping {
    struct nnefc_run *run;
    struct frame *frame; /* around the node */
    const struct onnx_node *node;
    struct text title;    /* of the node, for reports */
    bool is_loop, counts; /* the body reads the number of the trip */
    struct frame inner;   /* of a trip */
    struct slot *state;
    int states;
    struct sequence *sequence;
    int sequences;
    struct collection *collection;
    int collections;
    int64_t trip;
};

static bool fault(const struct looping *l, enum diag_code code, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

static bool fault(const struct looping *l, enum diag_code code, const char *fmt, ...)
{
    struct text text = {0};
    va_list args;

    va_start(args, fmt);
    text_add_v(&text, fmt, args);
    va_end(args);
    diag_file_error(l->run->diag, l->run->model->onnx.options.file, code, "%s: %s", l->title.data,
                    text.data);
    text_free(&text);
    return false;
}

static struct tensor item_tensor(enum dtype dtype, int64_t item)
{
    const struct shape shape = {.rank = 0};
    struct tensor tensor;

    if (!tensor_allocate(&tensor, dtype, &shape))
        arena_out_of_memory();
    if (dtype == DTYPE_INTEGER)
        *(int64_t *)tensor.data = item;
    else
        *(unsigned char *)tensor.data = item != 0;
    return tensor;
}

/* The shape with another dimension at an axis. */
static struct shape widened(const struct shape *shape, int axis, int64_t extent)
{
    struct shape wide = {.rank = shape->rank + 1};

    assert(wide.rank <= MAX_RANK);
    for (int i = 0; i < wide.rank; i++)
        wide.extent[i] = i == axis ? extent : shape->extent[i < axis ? i : i - 1];
    return wide;
}

/* How often, and in what pieces, the items along an axis are repeated in memory. */
struct strips {
    size_t count, bytes;
};

static struct strips strips_of(const struct tensor *item, int axis)
{
    struct strips strips = {1, dtype_size(item->dtype)};

    for (int i = 0; i < item->shape.rank; i++)
        *(i < axis ? &strips.count : &strips.bytes) *= (size_t)item->shape.extent[i];
    return strips;
}

/* A negative axis counts from the last one; false after a report. */
static bool find_axis(const struct looping *l, const struct along *along, int rank, int *axis)
{
    *axis = (int)(along->axis < 0 ? along->axis + rank : along->axis);
    return (along->axis >= -rank && along->axis < rank) ||
           fault(l, DIAG_ONNX_GRAPH, "axis %" PRId64 " is none of %d", along->axis, rank);
}

/* The item of a sequence that the trip reads. */
static bool read_sequence(const struct looping *l, const struct sequence *s, struct tensor *to)
{
    const struct tensor *from = &s->slot->tensor;
    struct shape shape = {.rank = from->shape.rank - 1};
    int axis;

    if (!find_axis(l, &s->along, from->shape.rank, &axis))
        return false;
    for (int i = 0; i < shape.rank; i++)
        shape.extent[i] = from->shape.extent[i < axis ? i : i + 1];
    if (!frame_allocate(l->run, from->dtype, &shape, to))
        return false;
    const struct strips strips = strips_of(to, axis);
    size_t length = (size_t)from->shape.extent[axis];
    size_t at = s->along.back ? length - 1 - (size_t)l->trip : (size_t)l->trip;
    for (size_t i = 0; i < strips.count; i++)
        memcpy((char *)to->data + i * strips.bytes,
               (const char *)from->data + (i * length + at) * strips.bytes, strips.bytes);
    return true;
}

/* The tensors that a trip begins with. */
static bool enter_trip(struct looping *l)
{
    const struct onnx_value_info *input = l->inner.graph->input.first;

    if (l->counts) {
        const struct slot trip = {.type = ONNX_INT64,
                                  .tensor = item_tensor(DTYPE_INTEGER, l->trip)};
        frame_add(&l->inner, input->name, &trip);
    }
    input = l->is_loop ? input->next : input;
    for (int i = 0; i < l->states; i++, input = input->next) {
        frame_add(&l->inner, input->name, &l->state[i]);
        l->state[i] = (struct slot){0};
    }
    for (int i = 0; i < l->sequences; i++, input = input->next) {
        struct slot item = {.type = l->sequence[i].slot->type};
        if (!read_sequence(l, &l->sequence[i], &item.tensor))
            return false;
        frame_add(&l->inner, input->name, &item);
    }
    return true;
}

/* What it gives. */
static bool leave_trip(const struct looping *l)
{
    int i = 0;

    for (const struct onnx_value_info *o = l->inner.graph->output.first; o; o = o->next, i++) {
        struct slot slot;
        if (!frame_take(l->run, &l->inner, o->name, &slot))
            return false;
        if (i < l->states) {
            l->state[i] = slot;
            continue;
        }
        if (slot.list) {
            slot_clear(&slot);
            return fault(l, DIAG_ONNX_GRAPH,
                         "it collects '%s', which is a sequence, expected a tensor", o->name);
        }
        struct collection *to = &l->collection[i - l->states];
        to->item = heap_list(to->item, to->count, sizeof *to->item);
        to->item[to->count++] = slot;
        if (!shape_equal(&to->item[0].tensor.shape, &slot.tensor.shape))
            return fault(l, DIAG_SHAPE_MISMATCH, "'%s' has shape %s in one trip and %s in another",
                         o->name, SHAPE_TEXT(&to->item[0].tensor.shape),
                         SHAPE_TEXT(&slot.tensor.shape));
    }
    return true;
}

static bool run_trip(struct looping *l)
{
    bool ok = count_trip(l->run, l->title.data);

    if (!ok)
        return false;
    ok = enter_trip(l) && frame_run(l->run, &l->inner) && leave_trip(l);
    frame_empty(&l->inner);
    if (!ok)
        diag_note(l->run->diag, (struct span){0}, "this is trip %" PRId64 " of %s", l->trip,
                  l->title.data);
    l->trip++;
    return ok;
}

/* Without a trip: what the body declares, with 0 for what it does not, as ONNX Runtime has it. */
static bool collect_nothing(const struct looping *l, int index, struct slot *to)
{
    const struct onnx_value_info *output = l->inner.graph->output.first;
    struct shape shape;
    int axis;

    for (int i = 0; i < l->states + index; i++)
        output = output->next;
    enum dtype dtype = onnx_declared_item(output, &to->type, &shape);
    if (dtype == DTYPE_UNKNOWN)
        return fault(l, DIAG_NOT_IN_NNEF,
                     "it makes no trips, and its body does not declare the type of '%s'",
                     output->name);
    if (!find_axis(l, &l->collection[index].along, shape.rank + 1, &axis))
        return false;
    shape = widened(&shape, axis, 0);
    return frame_allocate(l->run, dtype, &shape, &to->tensor);
}

/* The items of all trips along a new dimension. */
static bool stack(const struct looping *l, int index, struct slot *to)
{
    const struct collection *c = &l->collection[index];
    const struct tensor *first = c->count ? &c->item[0].tensor : NULL;
    int axis;

    if (!first)
        return collect_nothing(l, index, to);
    if (first->shape.rank >= MAX_RANK)
        return fault(l, DIAG_NOT_IN_NNEF, "it collects %d dimensions, expected at most %d",
                     first->shape.rank + 1, MAX_RANK);
    if (!find_axis(l, &c->along, first->shape.rank + 1, &axis))
        return false;
    const struct shape shape = widened(&first->shape, axis, c->count);
    to->type = c->item[0].type;
    if (!frame_allocate(l->run, first->dtype, &shape, &to->tensor))
        return false;
    const struct strips strips = strips_of(first, axis);
    size_t count = (size_t)c->count;
    for (size_t k = 0; k < count; k++) {
        const char *from = c->item[c->along.back ? count - 1 - k : k].tensor.data;
        for (size_t i = 0; i < strips.count; i++)
            memcpy((char *)to->tensor.data + (i * count + k) * strips.bytes,
                   from + i * strips.bytes, strips.bytes);
    }
    return true;
}

/* Results of the node: states, then collections. */
static bool end_trips(const struct looping *l)
{
    int condition = l->is_loop;

    for (int i = 0; i < l->node->output.count; i++) {
        int state = i + condition;
        struct slot slot = {0};
        if (!*l->node->output.item[i])
            continue;
        if (state < l->states) {
            slot = l->state[state];
            l->state[state] = (struct slot){0};
        } else if (!stack(l, state - l->states, &slot)) {
            return false;
        }
        frame_add(l->frame, l->node->output.item[i], &slot);
    }
    return true;
}

static struct looping begin_trips(struct nnefc_run *run, struct frame *frame, int index)
{
    const struct onnx_order *order = run->model->open.order;
    struct looping l = {
        .run = run, .frame = frame, .node = onnx_order_node(order, frame->graph, index)};

    l.inner = frame_within(frame, l.node, "body");
    onnx_order_title(order, frame->graph, index, &l.title);
    return l;
}

/* The states at the beginning; of a loop behind its condition. */
static bool begin_states(struct looping *l, int states, int first_input)
{
    int condition = l->is_loop;

    l->states = states + condition;
    l->collections = l->node->output.count - states;
    l->state = heap_array((size_t)l->states + 1, sizeof *l->state);
    l->collection = heap_array((size_t)l->collections + 1, sizeof *l->collection);
    for (int i = 0; i < states; i++) {
        const struct slot *from = need_operand(l->run, l->frame, l->node, first_input + i);
        if (!from || !slot_copy(l->run, from, &l->state[condition + i]))
            return false;
    }
    return true;
}

static void free_trips(struct looping *l)
{
    for (int i = 0; i < l->states; i++)
        slot_clear(&l->state[i]);
    for (int i = 0; i < l->collections; i++) {
        for (int k = 0; k < l->collection[i].count; k++)
            slot_clear(&l->collection[i].item[k]);
        free(l->collection[i].item);
    }
    frame_clear(&l->inner);
    free(l->sequence);
    free(l->collection);
    free(l->state);
    text_free(&l->title);
}

static bool run_loop(struct nnefc_run *run, struct frame *frame, int index)
{
    struct looping l = begin_trips(run, frame, index);
    const struct slot *count = operand(frame, l.node, 0), *go = operand(frame, l.node, 1);
    double most = (double)INT64_MAX, holds = 1;
    bool ok = (!count || read_item(run, count, &most)) && (!go || read_item(run, go, &holds));

    l.is_loop = true;
    l.counts =
        onnx_order_reads(run->model->open.order, l.inner.graph, l.inner.graph->input.first->name);
    ok = ok && begin_states(&l, l.node->input.count > 2 ? l.node->input.count - 2 : 0, 2);
    if (ok)
        l.state[0] =
            (struct slot){.type = ONNX_BOOL, .tensor = item_tensor(DTYPE_LOGICAL, holds > 0)};
    while (ok && holds > 0 && (double)l.trip < most)
        ok = run_trip(&l) && read_item(run, &l.state[0], &holds);
    ok = ok && end_trips(&l);
    free_trips(&l);
    return ok;
}

/* Item `index` of a list of axes or directions; 0 without one. */
static int64_t listed(const struct looping *l, const char *name, int index)
{
    const struct onnx_attribute *list = attribute_of(l->frame, l->node, name);

    return list && index < list->ints.count ? list->ints.item[index] : 0;
}

/* What the trips read; their number, or -1 after a report. */
static int64_t begin_sequences(struct looping *l)
{
    int64_t length = -1;

    l->sequence = heap_array((size_t)l->sequences + 1, sizeof *l->sequence);
    for (int i = 0; i < l->sequences; i++) {
        struct sequence *s = &l->sequence[i];
        int axis;
        s->along = (struct along){listed(l, "scan_input_axes", i),
                                  listed(l, "scan_input_directions", i) == 1};
        s->slot = need_operand(l->run, l->frame, l->node, l->states + i);
        if (s->slot && s->slot->list) {
            fault(l, DIAG_ONNX_GRAPH, "it scans '%s', which is a sequence, expected a tensor",
                  s->slot->name);
            return -1;
        }
        if (!s->slot || !find_axis(l, &s->along, s->slot->tensor.shape.rank, &axis))
            return -1;
        int64_t own = s->slot->tensor.shape.extent[axis];
        if (length >= 0 && own != length) {
            fault(l, DIAG_SHAPE_MISMATCH, "it has sequences of %" PRId64 " and %" PRId64 " items",
                  length, own);
            return -1;
        }
        length = own;
    }
    return length;
}

static bool run_scan(struct nnefc_run *run, struct frame *frame, int index)
{
    struct looping l = begin_trips(run, frame, index);
    const struct onnx_attribute *sequences = attribute_of(frame, l.node, "num_scan_inputs");
    int64_t length = -1;

    l.sequences = sequences ? (int)sequences->i : 0;
    if (l.inner.graph->input.count != l.node->input.count)
        fault(&l, DIAG_ONNX_UNKNOWN,
              "it has to know what is computed within it, which opset 8 is not supported for");
    else if (begin_states(&l, l.node->input.count - l.sequences, 0))
        length = begin_sequences(&l);
    for (int i = 0; i < l.collections && length >= 0; i++)
        l.collection[i].along = (struct along){listed(&l, "scan_output_axes", i),
                                               listed(&l, "scan_output_directions", i) == 1};
    bool ok = length >= 0;
    while (ok && l.trip < length)
        ok = run_trip(&l);
    ok = ok && end_trips(&l);
    free_trips(&l);
    return ok;
}

/* --- functions ---------------------------------------------------------------------------- */

/* A call of a function of the model, or all calls of it that are alike.  It lives as long as the
 * model. */
struct function_call {
    struct onnx_call call;
    struct onnx_graph *graph; /* the body */
    struct function_call *next;
};

/* Calls without attributes, of all inputs, are alike. */
static bool is_plain(const struct onnx_call *call)
{
    bool plain = call->node->attribute.count == 0 && call->function->attribute_proto.count == 0 &&
                 call->function->attribute.count == 0 &&
                 call->node->input.count == call->function->input.count;

    for (int i = 0; i < call->node->input.count; i++)
        plain &= *call->node->input.item[i] != '\0';
    return plain;
}

static struct function_call *new_call(struct nnefc_model *model, const struct onnx_call *call)
{
    struct arena *arena = model->context->arena;
    struct function_call *made = arena_new_of(arena, struct function_call);
    const struct function_call *same = model->open.calls;

    while (same && same->call.function != call->function)
        same = same->next;
    *made = (struct function_call){
        *call, same ? same->graph : onnx_function_graph(model->context, call->function),
        model->open.calls};
    model->open.calls = made;
    return made;
}

/* NULL after a report. */
static const struct function_call *find_call(const struct nnefc_run *run, const struct frame *frame,
                                             const struct onnx_node *node,
                                             const struct onnx_function *function)
{
    enum { CALLS_MAX = 4096 }; /* different ones */
    struct nnefc_model *model = run->model;
    struct onnx_call call = {node, function, frame->caller};
    int count = 0;

    model_lock(model);
    bool plain = is_plain(&call);
    if (plain)
        call.outer = NULL;
    struct function_call *found = model->open.calls;
    for (; found; found = found->next, count++)
        if (found->call.outer == call.outer &&
            (plain ? found->call.function == function && is_plain(&found->call)
                   : found->call.node == node))
            break;
    if (!found && count < CALLS_MAX)
        found = new_call(model, &call);
    model_unlock(model);
    if (!found)
        diag_file_error(run->diag, model->onnx.options.file, DIAG_WORK_LIMIT,
                        "the model has more than %d different calls of functions", CALLS_MAX);
    return found;
}

/* The inputs of the body are views of the operands of the call; false after a report. */
static bool add_operands(const struct nnefc_run *run, const struct frame *frame, struct frame *body,
                         const struct onnx_node *node)
{
    int i = 0;

    for (const struct onnx_value_info *o = body->graph->input.first; o; o = o->next, i++) {
        struct slot view;
        if (i >= node->input.count || !*node->input.item[i])
            continue;
        const struct slot *slot = need_operand(run, frame, node, i);
        if (!slot)
            return false;
        view = *slot;
        view.tensor.release = NULL;
        bool ok = !slot->list || slot_copy(run, slot, &view);
        frame_add(body, o->name, &view);
        if (!ok)
            return false;
    }
    return true;
}

static bool run_call(struct nnefc_run *run, struct frame *frame, int index,
                     const struct onnx_function *function)
{
    const struct onnx_order *order = run->model->open.order;
    const struct onnx_node *node = onnx_order_node(order, frame->graph, index);

    if (frame->depth >= ONNX_DEPTH_MAX)
        return diag_file_error(run->diag, run->model->onnx.options.file, DIAG_EXPANSION_DEPTH,
                               "function '%s': functions are nested more than %d deep",
                               function->name, ONNX_DEPTH_MAX);
    if (!count_trip(run, function->name))
        return false;
    const struct function_call *called = find_call(run, frame, node, function);
    if (!called)
        return false;
    struct frame body = {
        .graph = called->graph, .caller = &called->call, .depth = frame->depth + 1};
    bool ok = add_operands(run, frame, &body, node) && frame_run(run, &body) &&
              hand_over(run, frame, &body, node);
    frame_clear(&body);
    if (!ok) {
        struct text title = {0};
        onnx_order_title(order, frame->graph, index, &title);
        diag_note(run->diag, (struct span){0}, "this is in function '%s', which %s calls",
                  function->name, title.data);
        text_free(&title);
    }
    return ok;
}

/* --- sequences ---------------------------------------------------------------------------- */

/* What the body of a SequenceMap reads of tensor `trip`; false after a report. */
static bool enter_map(const struct nnefc_run *run, const struct frame *frame, struct frame *body,
                      const struct onnx_node *node, int trip)
{
    const struct onnx_value_info *input = body->graph->input.first;

    for (int i = 0; i < node->input.count; i++, input = input->next) {
        const struct slot *from = need_operand(run, frame, node, i);
        if (!from)
            return false;
        struct slot view = {.type = from->type, .tensor = from->tensor};
        if (from->list && from->list->count <= trip)
            return diag_file_error(run->diag, run->model->onnx.options.file, DIAG_SHAPE_MISMATCH,
                                   "sequence '%s' has %d tensors, expected more than %d",
                                   from->name, from->list->count, trip);
        if (from->list)
            view.tensor = from->list->item[trip];
        view.tensor.release = NULL;
        frame_add(body, input->name, &view);
    }
    return true;
}

/* The results of a trip; false after a report. */
static bool leave_map(const struct nnefc_run *run, const struct frame *body, struct slot *results,
                      int trip)
{
    int i = 0;

    for (const struct onnx_value_info *o = body->graph->output.first; o; o = o->next, i++) {
        struct slot slot;
        if (!frame_take(run, body, o->name, &slot))
            return false;
        results[i].type = slot.type;
        if (slot.list) {
            slot_clear(&slot);
            return diag_file_error(run->diag, run->model->onnx.options.file, DIAG_ONNX_GRAPH,
                                   "output '%s' of the body is a sequence, expected a tensor",
                                   o->name);
        }
        results[i].list->item[trip] = slot.tensor;
    }
    return true;
}

/* The body computes a tensor of each sequence; the import has checked that it fits the node. */
static bool run_map(struct nnefc_run *run, struct frame *frame, const struct onnx_node *node)
{
    const struct slot *first = need_operand(run, frame, node, 0);
    struct frame body = frame_within(frame, node, "body");
    struct slot *results = heap_array((size_t)node->output.count + 1, sizeof *results);
    bool ok = first && first->list;

    for (int i = 0; i < node->output.count && ok; i++)
        results[i].list = sequence_new(first->list->count);
    for (int trip = 0; ok && trip < first->list->count; trip++) {
        ok = count_trip(run, "SequenceMap") && enter_map(run, frame, &body, node, trip) &&
             frame_run(run, &body) && leave_map(run, &body, results, trip);
        frame_empty(&body);
    }
    for (int i = 0; i < node->output.count; i++)
        if (ok)
            frame_add(frame, node->output.item[i], &results[i]);
        else
            slot_clear(&results[i]);
    frame_clear(&body);
    free(results);
    return ok;
}

bool run_control(struct nnefc_run *run, struct frame *frame, int index)
{
    const struct onnx_order *order = run->model->open.order;
    const struct onnx_node *node = onnx_order_node(order, frame->graph, index);
    const struct onnx_function *function = onnx_order_function(order, frame->graph, index);

    if (function)
        return run_call(run, frame, index, function);
    if (strcmp(node->op_type, "SequenceMap") == 0)
        return run_map(run, frame, node);
    if (strcmp(node->op_type, "If") == 0)
        return run_if(run, frame, node);
    if (strcmp(node->op_type, "Scan") == 0)
        return run_scan(run, frame, index);
    if (strcmp(node->op_type, "Loop") == 0)
        return run_loop(run, frame, index);
    struct text title = {0};
    onnx_order_title(order, frame->graph, index, &title);
    diag_file_error(run->diag, run->model->onnx.options.file, DIAG_ONNX_UNKNOWN,
                    "%s needs items that are computed within it, which is not supported",
                    title.data);
    text_free(&title);
    return false;
}
