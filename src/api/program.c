/*
 * program.c - models of ONNX in parts: what is behind a node that has to know what is computed
 *
 * The graph of a model ends before such a node.  Once the tensors are there, the next part begins
 * with it, and is made for their shapes, and for the items that it has to know.  Conditionals and
 * loops that cannot be part of a graph are computed here: a branch, or the body of a loop, is a
 * graph with parts of its own, which sees the tensors around it.
 */
#include "api/open.h"

#include "api/prepare.h"
#include "base/arena.h"
#include "base/intern.h"
#include "base/pool.h"
#include "convert/proto/onnx_data.h"
#include "diag/context.h"
#include "ir/graph.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A tensor by its name. */
struct slot {
    const char *name; /* interned */
    int32_t type;     /* enum onnx_data_type */
    struct tensor tensor;
};

/* The tensors of a graph while it is computed. */
struct frame {
    const struct frame *outer; /* NULL: of the model */
    const struct onnx_graph *graph;
    struct slot *slot;
    int count, room;
};

/* A part that a run has computed, for the next time. */
struct piece {
    struct special *special;
    struct run *run;
};

struct computed {
    struct pool *pool; /* of tensors */
    struct frame frame;
    struct piece *piece;
    int npiece;
    struct onnx_slot *slots;       /* of the part at hand */
    int room;                      /* for slots */
    const struct tensor **outputs; /* of the model; NULL: not computed */
};

/* --- tensors -----------------------------------------------------------------------------------
 */

static const char *key_of(const struct nnefc_run *run, const char *name)
{
    return intern(run->model->context->names, name, strlen(name));
}

/* Takes over the tensor. */
static void add_slot(struct frame *frame, const char *name, int32_t type,
                     const struct tensor *tensor)
{
    if (frame->count == frame->room) {
        frame->slot = heap_list(frame->slot, frame->count, sizeof *frame->slot);
        frame->room++;
    }
    frame->slot[frame->count++] = (struct slot){name, type, *tensor};
}

/* In the frame itself; NULL: it has none of that name. */
static struct slot *own_slot(const struct frame *frame, const char *name)
{
    for (int i = frame->count - 1; i >= 0; i--)
        if (frame->slot[i].name == name)
            return &frame->slot[i];
    return NULL;
}

static struct slot *find_slot(const struct frame *frame, const char *name)
{
    struct slot *slot = NULL;

    for (; frame && !slot; frame = frame->outer)
        slot = own_slot(frame, name);
    return slot;
}

/* Its room stays. */
static void empty_frame(struct frame *frame)
{
    for (int i = 0; i < frame->count; i++)
        tensor_clear(&frame->slot[i].tensor);
    frame->count = 0;
}

static void clear_frame(struct frame *frame)
{
    empty_frame(frame);
    free(frame->slot);
    frame->slot = NULL;
    frame->room = 0;
}

static bool no_memory(const struct nnefc_run *run, const struct shape *shape)
{
    return diag_file_error(run->diag, NULL, DIAG_RUN_MEMORY,
                           "not enough memory for a tensor of shape %s", SHAPE_TEXT(shape));
}

/* False after a report. */
static bool copy_tensor(const struct nnefc_run *run, const struct tensor *from, struct tensor *to)
{
    if (!tensor_allocate_in(to, from->dtype, &from->shape, run->computed->pool))
        return no_memory(run, &from->shape);
    memcpy(to->data, from->data, tensor_bytes(from));
    return true;
}

/* Nobody has computed that tensor: the file is at fault. */
static bool not_there(const struct nnefc_run *run, const char *name)
{
    return diag_file_error(run->diag, run->model->onnx.options.file, DIAG_ONNX_GRAPH,
                           "tensor '%s' is read, but no node makes it before", name);
}

/* Move the tensor of a name out of a frame, or copy it if another frame has it. */
static bool take_tensor(const struct nnefc_run *run, const struct frame *frame, const char *name,
                        struct slot *to)
{
    struct slot *own = own_slot(frame, name);
    const struct slot *slot = own ? own : find_slot(frame, name);

    if (!slot)
        return not_there(run, name);
    *to = *slot;
    if (!own || !own->tensor.release)
        return copy_tensor(run, &slot->tensor, &to->tensor);
    own->tensor.release = NULL; /* it is a view now */
    return true;
}

/* --- parts -------------------------------------------------------------------------------------
 */

/* The graphs around a body, as long as the model. */
static const struct onnx_graph *const *graphs_around(const struct nnefc_run *run,
                                                     const struct frame *outer)
{
    struct arena *arena = run->model->context->arena;
    int count = 0;

    for (const struct frame *f = outer; f; f = f->outer)
        count++;
    const struct onnx_graph **around = arena_array_of(arena, const struct onnx_graph *, count + 1);
    count = 0;
    for (const struct frame *f = outer; f; f = f->outer)
        around[count++] = f->graph;
    return around;
}

/* The caller holds the lock. */
static struct part_info *find_info(const struct nnefc_run *run, const struct frame *frame,
                                   int first, bool single)
{
    struct nnefc_model *model = run->model;
    struct arena *arena = model->context->arena;
    struct part_info *info = model->open.parts;

    while (info && !(info->graph == frame->graph && info->first == first && info->single == single))
        info = info->next;
    if (info)
        return info;
    info = arena_new_of(arena, struct part_info);
    *info = (struct part_info){.graph = frame->graph,
                               .around = frame->outer ? graphs_around(run, frame->outer) : NULL,
                               .first = first,
                               .single = single,
                               .deciding = arena_new_of(arena, struct onnx_deciding),
                               .next = model->open.parts};
    const struct onnx_part part = {.graph = frame->graph, .first = first, .single = single};
    info->reads = onnx_part_reads(model->context, model->open.order, &part);
    model->open.parts = info;
    return info;
}

/* What a part reads that is computed; its number.  Others are constants, which it makes itself. */
static int collect_slots(struct computed *computed, const struct frame *frame,
                         const struct part_info *info)
{
    int count = 0;

    for (int i = 0; info->reads[i]; i++) {
        const struct slot *slot = find_slot(frame, info->reads[i]);
        if (!slot)
            continue;
        if (count == computed->room) {
            computed->slots = heap_list(computed->slots, count, sizeof *computed->slots);
            computed->room++;
        }
        computed->slots[count++] =
            (struct onnx_slot){slot->name, slot->type, slot->tensor.shape, &slot->tensor};
    }
    return count;
}

static void drop_piece(struct piece *piece)
{
    run_free(piece->run);
    part_release(piece->special);
}

/* What computes a part; NULL after a report.  The caller holds the lock. */
static struct run *run_of_part(struct nnefc_run *run, struct special *special)
{
    const struct prepared *prepared = special_prepared(special);
    struct run *part = run_new_open(special_graph(special));

    if (!part)
        return NULL;
    run_set_diag(part, run->diag);
    run_own_outputs(part, run->computed->pool);
    bool ok = prepared
                  ? run_set_graph(part, prepared_graph(prepared), NULL, prepared_plan(prepared))
                  : run_set_graph(part, special_graph(special), NULL, NULL);
    run_set_threads(part, run->threads);
    run_set_seed(part, run->seed);
    if (ok)
        return part;
    run_free(part);
    return NULL;
}

/* The one of a special, which it takes over; the oldest goes if there are too many. */
static struct run *find_piece(struct nnefc_run *run, struct special *special)
{
    struct computed *computed = run->computed;

    for (int i = 0; i < computed->npiece; i++)
        if (computed->piece[i].special == special) {
            part_release(special);
            return computed->piece[i].run;
        }
    if (computed->npiece >= run->model->context->limits.plans && computed->npiece > 0) {
        drop_piece(&computed->piece[0]);
        memmove(computed->piece, computed->piece + 1,
                (size_t)--computed->npiece * sizeof *computed->piece);
    }
    struct run *part = run_of_part(run, special);
    if (!part) {
        part_release(special);
        return NULL;
    }
    computed->piece = heap_list(computed->piece, computed->npiece, sizeof *computed->piece);
    computed->piece[computed->npiece++] = (struct piece){special, part};
    return part;
}

/* Known results become slots. */
static bool add_known(const struct nnefc_run *run, struct frame *frame,
                      const struct onnx_part *part)
{
    for (int i = 0; i < part->nmade; i++) {
        struct tensor copy;
        if (!copy_tensor(run, part->made[i].known, &copy))
            return false;
        add_slot(frame, key_of(run, part->made[i].name), part->made[i].type, &copy);
    }
    return true;
}

/* Results of a graph become slots. */
static bool add_results(const struct nnefc_run *run, struct frame *frame, struct run *part,
                        const struct graph *graph, const int32_t *types)
{
    for (int i = 0; i < graph->noutput; i++) {
        struct tensor tensor;
        if (!run_take_output(part, i, run->computed->pool, &tensor))
            return false;
        add_slot(frame, key_of(run, graph->outputs[i].name), types[i], &tensor);
    }
    return true;
}

/* Compute the graph of a part from slots. */
static bool compute(struct nnefc_run *run, struct frame *frame, struct run *part,
                    const struct special *special)
{
    const struct graph *graph = special_graph(special);

    for (int i = 0; i < graph->ninput; i++) {
        const struct slot *slot = find_slot(frame, key_of(run, graph->inputs[i].name));
        if (!slot)
            return not_there(run, graph->inputs[i].name);
        struct tensor view = slot->tensor;
        view.release = NULL;
        run_set_input(part, i, &view);
    }
    return graph->noutput == 0 ||
           (run_step(part) && add_results(run, frame, part, graph, special_part(special)->types));
}

/* Where a part has ended. */
struct ending {
    int first; /* the next node */
    bool within, stuck;
};

static bool run_part(struct nnefc_run *run, struct frame *frame, int first, bool single,
                     struct ending *end)
{
    struct computed *computed = run->computed;

    model_lock(run->model);
    struct part_info *info = find_info(run, frame, first, single);
    int count = collect_slots(computed, frame, info);
    struct special *special = part_take(run, info, computed->slots, count);
    struct run *part = NULL;
    if (special) {
        const struct onnx_part *made = special_part(special);
        *end = (struct ending){made->end, made->within, made->end == first && !made->within};
        part = single ? run_of_part(run, special) : find_piece(run, special);
    }
    model_unlock(run->model);
    bool ok =
        part && compute(run, frame, part, special) && add_known(run, frame, special_part(special));
    if (special && single) {
        model_lock(run->model);
        run_free(part);
        part_release(special);
        model_unlock(run->model);
    }
    return ok;
}

/* --- conditionals and loops --------------------------------------------------------------------
 */

static bool run_nodes(struct nnefc_run *run, struct frame *frame, struct ending at);

static const struct onnx_graph *body_of(const struct onnx_node *node, const char *name)
{
    for (const struct onnx_attribute *a = node->attribute.first; a; a = a->next)
        if (strcmp(a->name, name) == 0)
            return a->g;
    return NULL;
}

/* All nodes of a graph within. */
static bool run_body(struct nnefc_run *run, struct frame *body)
{
    return run_nodes(run, body, (struct ending){0});
}

/* The operand of a node; NULL: it is left out. */
static const struct slot *operand(const struct nnefc_run *run, const struct frame *frame,
                                  const struct onnx_node *node, int index)
{
    const char *name = index < node->input.count ? node->input.item[index] : "";

    return *name ? find_slot(frame, key_of(run, name)) : NULL;
}

/* A single item of a slot; false after a report. */
static bool read_item(const struct nnefc_run *run, const struct slot *slot, double *item)
{
    *item = 0;
    if (shape_volume(&slot->tensor.shape) != 1)
        return diag_file_error(run->diag, run->model->onnx.options.file, DIAG_ONNX_GRAPH,
                               "'%s' has shape %s, expected a single item", slot->name,
                               SHAPE_TEXT(&slot->tensor.shape));
    *item = tensor_item(&slot->tensor, 0);
    return true;
}

/* Outputs of the body from number `from` on become those of the node. */
static bool hand_over(struct nnefc_run *run, struct frame *frame, const struct frame *body,
                      const struct onnx_node *node)
{
    int i = 0;

    for (const struct onnx_value_info *o = body->graph->output.first; o; o = o->next, i++) {
        struct slot slot;
        if (i >= node->output.count || !*node->output.item[i])
            continue;
        if (!take_tensor(run, body, key_of(run, o->name), &slot))
            return false;
        add_slot(frame, key_of(run, node->output.item[i]), slot.type, &slot.tensor);
    }
    return true;
}

static bool run_if(struct nnefc_run *run, struct frame *frame, const struct onnx_node *node)
{
    const struct slot *slot = operand(run, frame, node, 0);
    double condition;

    if (!slot)
        return not_there(run, node->input.item[0]);
    if (!read_item(run, slot, &condition))
        return false;
    struct frame body = {.outer = frame,
                         .graph = body_of(node, condition > 0 ? "then_branch" : "else_branch")};
    bool ok = run_body(run, &body) && hand_over(run, frame, &body, node);
    clear_frame(&body);
    return ok;
}

/* Items that a loop collects, one for each trip. */
struct collection {
    struct slot *item;
    int count;
};

struct looping {
    struct nnefc_run *run;
    struct frame *frame; /* around the loop */
    const struct onnx_node *node;
    const struct onnx_graph *body;
    struct frame inner; /* of a trip */
    struct slot *state; /* the condition, and what is carried */
    int carried, collected;
    struct collection *collections;
    int64_t trips;
};

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

/* The tensors that a trip begins with. */
static void enter_trip(const struct looping *l, struct frame *body)
{
    const struct onnx_value_info *input = l->body->input.first;
    const struct tensor trip = item_tensor(DTYPE_INTEGER, l->trips);

    add_slot(body, key_of(l->run, input->name), ONNX_INT64, &trip);
    for (int i = 0; i <= l->carried; i++) {
        input = input->next;
        add_slot(body, key_of(l->run, input->name), l->state[i].type, &l->state[i].tensor);
        l->state[i].tensor = (struct tensor){0};
    }
}

/* What it gives: state, and an item for each collection. */
static bool leave_trip(const struct looping *l, const struct frame *body)
{
    int i = 0;

    for (const struct onnx_value_info *o = l->body->output.first; o; o = o->next, i++) {
        struct slot slot;
        if (!take_tensor(l->run, body, key_of(l->run, o->name), &slot))
            return false;
        if (i <= l->carried) {
            l->state[i] = slot;
            continue;
        }
        struct collection *to = &l->collections[i - l->carried - 1];
        to->item = heap_list(to->item, to->count, sizeof *to->item);
        to->item[to->count++] = slot;
        if (!shape_equal(&to->item[0].tensor.shape, &slot.tensor.shape))
            return diag_file_error(
                l->run->diag, l->run->model->onnx.options.file, DIAG_SHAPE_MISMATCH,
                "'%s' has shape %s in one trip and %s in another", o->name,
                SHAPE_TEXT(&to->item[0].tensor.shape), SHAPE_TEXT(&slot.tensor.shape));
    }
    return true;
}

/* Add to the report, which is of the run, or of the model if a graph could not be made. */
static void note_trip(const struct looping *l)
{
    const struct nnefc_model *model = l->run->model;

    model_lock(model);
    diag_move(model->context->diag, l->run->diag);
    diag_note(model->context->diag, (struct span){0},
              "this is trip %" PRId64 " of node '%s' (Loop)", l->trips, l->node->name);
    model_unlock(model);
}

static bool run_trip(struct looping *l)
{
    struct nnefc_run *run = l->run;
    const struct context *context = run->model->context;

    if (context_cancelled(context))
        return false;
    if (l->trips >= context->limits.trips) {
        diag_file_error(run->diag, run->model->onnx.options.file, DIAG_WORK_LIMIT,
                        "node '%s' (Loop) makes more than %" PRId64 " trips", l->node->name,
                        context->limits.trips);
        return diag_help(run->diag, "raise the limit with --limit=trips=N.");
    }
    enter_trip(l, &l->inner);
    bool ok = run_body(run, &l->inner) && leave_trip(l, &l->inner);
    empty_frame(&l->inner);
    if (!ok)
        note_trip(l);
    return ok;
}

/* The items of all trips along a new first dimension. */
static bool stack(const struct looping *l, const struct collection *c, struct slot *to)
{
    struct shape shape = {.rank = c->item[0].tensor.shape.rank + 1, .extent = {c->count}};

    if (shape.rank > MAX_RANK)
        return diag_file_error(l->run->diag, l->run->model->onnx.options.file, DIAG_NOT_IN_NNEF,
                               "node '%s' (Loop) collects %d dimensions, expected at most %d",
                               l->node->name, shape.rank, MAX_RANK);
    for (int i = 1; i < shape.rank; i++)
        shape.extent[i] = c->item[0].tensor.shape.extent[i - 1];
    to->type = c->item[0].type;
    if (!tensor_allocate_in(&to->tensor, c->item[0].tensor.dtype, &shape, l->run->computed->pool))
        return no_memory(l->run, &shape);
    size_t size = tensor_bytes(&c->item[0].tensor);
    for (int i = 0; i < c->count; i++)
        memcpy((char *)to->tensor.data + (size_t)i * size, c->item[i].tensor.data, size);
    return true;
}

/* Results of the node: what was carried, then collections. */
static bool end_loop(const struct looping *l)
{
    for (int i = 0; i < l->node->output.count; i++) {
        const char *name = l->node->output.item[i];
        struct slot slot = {0};
        if (!*name)
            continue;
        if (i >= l->carried && l->collections[i - l->carried].count == 0)
            return diag_file_error(l->run->diag, l->run->model->onnx.options.file, DIAG_NOT_IN_NNEF,
                                   "node '%s' (Loop) makes no trips, so that output '%s' has no "
                                   "items",
                                   l->node->name, name);
        if (i < l->carried) {
            slot = l->state[1 + i];
            l->state[1 + i].tensor = (struct tensor){0};
        } else if (!stack(l, &l->collections[i - l->carried], &slot)) {
            return false;
        }
        add_slot(l->frame, key_of(l->run, name), slot.type, &slot.tensor);
    }
    return true;
}

static bool run_loop(struct nnefc_run *run, struct frame *frame, const struct onnx_node *node)
{
    struct looping l = {.run = run,
                        .frame = frame,
                        .node = node,
                        .body = body_of(node, "body"),
                        .inner = {.outer = frame, .graph = body_of(node, "body")},
                        .carried = node->input.count > 2 ? node->input.count - 2 : 0};
    const struct slot *count = operand(run, frame, node, 0), *go = operand(run, frame, node, 1);
    double most = (double)INT64_MAX, holds = 1;
    bool ok = (!count || read_item(run, count, &most)) && (!go || read_item(run, go, &holds));

    l.collected = node->output.count - l.carried;
    l.state = heap_array((size_t)l.carried + 1, sizeof *l.state);
    l.collections = heap_array((size_t)l.collected + 1, sizeof *l.collections);
    l.state[0] = (struct slot){.type = ONNX_BOOL, .tensor = item_tensor(DTYPE_LOGICAL, holds > 0)};
    for (int i = 0; i < l.carried && ok; i++) {
        const struct slot *from = operand(run, frame, node, 2 + i);
        ok = from || not_there(run, node->input.item[2 + i]);
        if (!ok)
            break;
        l.state[1 + i].type = from->type;
        ok = copy_tensor(run, &from->tensor, &l.state[1 + i].tensor);
    }
    while (ok && holds > 0 && (double)l.trips < most) {
        ok = run_trip(&l) && read_item(run, &l.state[0], &holds);
        l.trips++;
    }
    ok = ok && end_loop(&l);
    for (int i = 0; i <= l.carried; i++)
        tensor_clear(&l.state[i].tensor);
    for (int i = 0; i < l.collected; i++) {
        for (int k = 0; k < l.collections[i].count; k++)
            tensor_clear(&l.collections[i].item[k].tensor);
        free(l.collections[i].item);
    }
    clear_frame(&l.inner);
    free(l.collections);
    free(l.state);
    return ok;
}

/* A node with graphs that have parts of their own. */
static bool run_within(struct nnefc_run *run, struct frame *frame, int index)
{
    const struct nnefc_model *model = run->model;
    const struct onnx_node *node = onnx_order_node(model->open.order, frame->graph, index);

    if (strcmp(node->op_type, "If") == 0)
        return run_if(run, frame, node);
    if (strcmp(node->op_type, "Loop") == 0)
        return run_loop(run, frame, node);
    return diag_file_error(run->diag, model->onnx.options.file, DIAG_ONNX_UNKNOWN,
                           "node '%s' (%s) has to know what is computed within it", node->name,
                           node->op_type);
}

/* --- programs ----------------------------------------------------------------------------------
 */

static bool has_outputs(const struct nnefc_run *run, const struct frame *frame)
{
    for (const struct onnx_value_info *o = frame->graph->output.first; o; o = o->next)
        if (!find_slot(frame, key_of(run, o->name)))
            return false;
    return true;
}

/* The nodes of a graph from there on. */
static bool run_nodes(struct nnefc_run *run, struct frame *frame, struct ending at)
{
    const struct onnx_order *order = run->model->open.order;
    bool ok = true;

    while (ok && onnx_order_node(order, frame->graph, at.first)) {
        int first = at.first;
        if (at.within) {
            ok = run_within(run, frame, first);
            at = (struct ending){.first = first + 1};
        } else {
            ok = run_part(run, frame, first, at.stuck, &at);
        }
    }
    /* A part without nodes has outputs that are constants. */
    return ok && (has_outputs(run, frame) || run_part(run, frame, at.first, false, &at));
}

/* Inputs of the model, those too that the client has bound. */
static void add_inputs(const struct nnefc_run *run, struct frame *frame)
{
    const struct nnefc_model *model = run->model;
    const struct onnx_import_options *options = &model->onnx.options;
    const struct graph *interface = model->open.interface;

    for (int i = 0; i < interface->ninput; i++) {
        struct tensor view = *run_input(run->run, i);
        view.release = NULL;
        if (view.data)
            add_slot(frame, key_of(run, interface->inputs[i].name), model->open.inputs[i].type,
                     &view);
    }
    for (const struct onnx_value_info *i = frame->graph->input.first; i; i = i->next)
        for (int k = 0; k < options->nbound; k++)
            if (strcmp(options->bounds[k].input, i->name) == 0) {
                struct tensor view = options->bounds[k].tensor;
                view.release = NULL;
                add_slot(frame, key_of(run, i->name), i->type->tensor_type->elem_type, &view);
            }
}

/* The results of the model by their names. */
static bool find_outputs(struct nnefc_run *run)
{
    const struct graph *interface = run->model->open.interface;
    struct computed *computed = run->computed;

    for (int i = 0; i < interface->noutput; i++) {
        const struct slot *slot =
            find_slot(&computed->frame, key_of(run, interface->outputs[i].name));
        if (!slot)
            return not_there(run, interface->outputs[i].name);
        computed->outputs[i] = &slot->tensor;
    }
    return run_feed_states(run->run, computed->outputs);
}

struct pool *computed_pool(struct nnefc_run *run)
{
    if (!run->computed) {
        run->computed = heap_array(1, sizeof *run->computed);
        run->computed->pool = pool_new();
        run->computed->outputs =
            heap_array((size_t)run->model->open.interface->noutput + 1, sizeof(struct tensor *));
        if (!run->computed->pool)
            arena_out_of_memory();
    }
    return run->computed->pool;
}

bool run_rest(struct nnefc_run *run)
{
    const struct nnefc_model *model = run->model;
    const struct onnx_part *part = special_part(run->special);
    struct frame *frame = &run->computed->frame;
    empty_frame(frame);
    frame->graph = model->onnx.file->graph;
    add_inputs(run, frame);
    const struct ending at = {part->end, part->within, part->end == 0 && !part->within};
    return add_results(run, frame, run->run, special_graph(run->special), part->types) &&
           add_known(run, frame, part) && run_nodes(run, frame, at) && find_outputs(run);
}

const struct tensor *computed_output(const struct nnefc_run *run, int index)
{
    return run->computed->outputs[index];
}

void run_clear_parts(struct nnefc_run *run)
{
    struct computed *computed = run->computed;

    if (!computed)
        return;
    clear_frame(&computed->frame);
    for (int i = 0; i < computed->npiece; i++)
        drop_piece(&computed->piece[i]);
    free(computed->piece);
    free(computed->slots);
    free((void *)computed->outputs);
    pool_free(computed->pool);
    free(computed);
    run->computed = NULL;
}
