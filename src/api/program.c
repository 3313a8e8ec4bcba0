/*
 * program.c - models of ONNX in parts: what is behind a node that has to know what is computed
 *
 * The graph of a model ends before such a node.  Once the tensors are there, the next part begins
 * with it, and is made for their shapes, and for the items that it has to know.  A branch, or the
 * body of a loop, is a graph with parts of its own, which sees the tensors around it
 * (control_flow.c).
 *
 * Names are interned when a model is read (onnx_intern_names()), so that they are compared by their
 * addresses.
 */
#include "api/program.h"

#include "api/open.h"
#include "api/prepare.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/intern.h"
#include "base/pool.h"
#include "convert/proto/onnx_data.h"
#include "diag/context.h"
#include "ir/graph.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The time of a part that is a node of known operands, which the reference computes. */
struct single_time {
    const struct part_info *info;
    int64_t runs;
    double least, total, begin, end; /* seconds; the last run */
    struct single_time *next;
};

/* A part that a run has computed, for the next time. */
struct piece {
    struct special *special;
    struct run *run;
    int64_t used; /* by the clock of uses */
};

struct computed {
    struct pool *pool; /* of tensors */
    struct frame frame;
    struct piece *piece;
    int npiece;
    struct single_time *single;    /* if times are taken */
    struct run_arena *arena;       /* of pieces, one after the other */
    int64_t uses, uses_before;     /* of pieces; those before the step */
    int64_t trips, computes;       /* that the step has made so far */
    int64_t budget;                /* bytes that the pool may have */
    struct onnx_slot *slots;       /* of the part at hand */
    struct onnx_slot *items;       /* tensors of sequences among them */
    int room, item_room;           /* for slots, for items */
    const struct tensor **outputs; /* of the model; NULL: not computed */
};

/* --- tensors ------------------------------------------------------------------------------ */

/* Another slot; the caller sets what it has. */
static struct slot *new_slot(struct frame *frame)
{
    if (frame->count == frame->room) {
        frame->slot = heap_list(frame->slot, frame->count, sizeof *frame->slot);
        frame->room++;
    }
    return &frame->slot[frame->count++];
}

void frame_add(struct frame *frame, const char *name, const struct slot *slot)
{
    struct slot *to = new_slot(frame);

    *to = *slot;
    to->name = name;
}

void slot_clear(struct slot *slot)
{
    tensor_clear(&slot->tensor);
    for (int i = 0; slot->list && i < slot->list->count; i++)
        tensor_clear(&slot->list->item[i]);
    free(slot->list);
    slot->list = NULL;
}

/* In the frame itself; NULL: it has none of that name. */
static struct slot *own_slot(const struct frame *frame, const char *name)
{
    for (int i = frame->count - 1; i >= 0; i--)
        if (frame->slot[i].name == name)
            return &frame->slot[i];
    return NULL;
}

struct slot *frame_find(const struct frame *frame, const char *name)
{
    struct slot *slot = NULL;

    for (; frame && !slot; frame = frame->outer)
        slot = own_slot(frame, name);
    return slot;
}

void frame_empty(struct frame *frame)
{
    for (int i = 0; i < frame->count; i++)
        if (frame->slot[i].tensor.release || frame->slot[i].list)
            slot_clear(&frame->slot[i]);
    frame->count = 0;
}

void frame_clear(struct frame *frame)
{
    frame_empty(frame);
    free(frame->slot);
    frame->slot = NULL;
    frame->room = 0;
}

/* May the tensors that parts hand over take so many bytes more?  False after a report. */
static bool has_room(const struct nnefc_run *run, int64_t bytes)
{
    int64_t used = (int64_t)pool_used(run->computed->pool);

    if (bytes <= run->computed->budget - used)
        return true;
    diag_file_error(run->diag, run->model->onnx.options.file, DIAG_MEMORY_LIMIT,
                    "tensors that parts of the model hand over take %" PRId64
                    " bytes of memory, but %" PRId64 " are left",
                    bytes > INT64_MAX - used ? INT64_MAX : used + bytes, run->computed->budget);
    return diag_help(run->diag, "raise the limit with --max-memory.");
}

bool frame_allocate(const struct nnefc_run *run, enum dtype dtype, const struct shape *shape,
                    struct tensor *tensor)
{
    int64_t volume, most = INT64_MAX / (int64_t)dtype_size(dtype);

    if (!shape_volume_checked(shape, most, &volume))
        volume = most;
    return has_room(run, volume * (int64_t)dtype_size(dtype)) &&
           (tensor_allocate_in(tensor, dtype, shape, run->computed->pool) ||
            diag_file_error(run->diag, NULL, DIAG_RUN_MEMORY,
                            "not enough memory for a tensor of shape %s", SHAPE_TEXT(shape)));
}

static bool copy(const struct nnefc_run *run, const struct tensor *from, struct tensor *to)
{
    if (!frame_allocate(run, from->dtype, &from->shape, to))
        return false;
    memcpy(to->data, from->data, tensor_bytes(from));
    return true;
}

struct slot_list *sequence_new(int count)
{
    struct slot_list *list =
        heap_array(1, sizeof(struct slot_list) + (size_t)count * sizeof *list->item);

    list->count = count;
    return list;
}

bool slot_copy(const struct nnefc_run *run, const struct slot *from, struct slot *to)
{
    bool ok = true;

    *to = (struct slot){.name = from->name, .type = from->type};
    if (!from->list)
        return copy(run, &from->tensor, &to->tensor);
    to->list = sequence_new(from->list->count);
    for (int i = 0; i < from->list->count && ok; i++)
        ok = copy(run, &from->list->item[i], &to->list->item[i]);
    return ok;
}

bool not_there(const struct nnefc_run *run, const char *name)
{
    return diag_file_error(run->diag, run->model->onnx.options.file, DIAG_ONNX_GRAPH,
                           "tensor '%s' is read, but no node makes it before", name);
}

/* Are the tensors of the slot its own? */
static bool has_own(const struct slot *slot)
{
    bool own = slot->list || slot->tensor.release;

    for (int i = 0; slot->list && i < slot->list->count; i++)
        own &= slot->list->item[i].release != NULL;
    return own;
}

static struct slot_list *views_of(const struct slot_list *list)
{
    struct slot_list *views = sequence_new(list->count);

    for (int i = 0; i < list->count; i++) {
        views->item[i] = list->item[i];
        views->item[i].release = NULL;
    }
    return views;
}

bool frame_take(const struct nnefc_run *run, const struct frame *frame, const char *name,
                struct slot *to)
{
    struct slot *own = own_slot(frame, name);
    const struct slot *slot = own ? own : frame_find(frame, name);

    if (!slot)
        return not_there(run, name);
    if (!own || !has_own(own)) {
        bool ok = slot_copy(run, slot, to);
        if (!ok)
            slot_clear(to);
        return ok;
    }
    *to = *own; /* of which the frame has views now */
    own->tensor.release = NULL;
    own->list = own->list ? views_of(own->list) : NULL;
    return true;
}

/* Where a part has ended. */
struct ending {
    int first; /* the next node */
    bool within, stuck;
};

static bool run_nodes(struct nnefc_run *run, struct frame *frame, struct ending at);

/* --- parts -------------------------------------------------------------------------------- */

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

    while (info && !(info->graph == frame->graph && info->caller == frame->caller &&
                     info->first == first && info->single == single))
        info = info->next;
    if (info)
        return info;
    info = arena_new_of(arena, struct part_info);
    *info = (struct part_info){.graph = frame->graph,
                               .around = frame->outer ? graphs_around(run, frame->outer) : NULL,
                               .caller = frame->caller,
                               .first = first,
                               .single = single,
                               .deciding = arena_new_of(arena, struct onnx_deciding),
                               .next = model->open.parts};
    const struct onnx_part part = {.graph = frame->graph, .first = first, .single = single};
    info->reads = onnx_part_reads(model->context, model->open.order, &part);
    model->open.parts = info;
    return info;
}

/* Room for one more behind `count` of them. */
static void make_room(struct onnx_slot **slots, int *room, int count)
{
    if (count < *room)
        return;
    *slots = heap_list(*slots, count, sizeof **slots);
    ++*room;
}

static void describe(struct onnx_slot *to, const struct slot *slot, const struct tensor *tensor)
{
    to->name = slot->name;
    to->type = slot->type;
    to->shape = tensor->shape;
    to->known = tensor;
    to->list = NULL;
    to->count = 0;
}

/* The tensors of a sequence, behind others. */
static void collect_items(struct computed *computed, const struct slot *slot, int count)
{
    for (int i = 0; i < slot->list->count; i++) {
        make_room(&computed->items, &computed->item_room, count);
        describe(&computed->items[count++], slot, &slot->list->item[i]);
    }
    make_room(&computed->items, &computed->item_room, count);
}

/* What a part reads that is computed; its number.  Others are constants, which it makes itself. */
static int collect_slots(struct computed *computed, const struct frame *frame,
                         const struct part_info *info)
{
    int count = 0, items = 0;

    for (int i = 0; info->reads[i]; i++) {
        const struct slot *slot = frame_find(frame, info->reads[i]);
        if (!slot)
            continue;
        make_room(&computed->slots, &computed->room, count);
        struct onnx_slot *to = &computed->slots[count++];
        describe(to, slot, &slot->tensor);
        if (!slot->list)
            continue;
        collect_items(computed, slot, items);
        to->list = computed->items; /* which may move yet */
        to->count = slot->list->count;
        items += to->count;
    }
    const struct onnx_slot *item = computed->items;
    for (int i = 0; i < count && items > 0; i++)
        if (computed->slots[i].list) {
            computed->slots[i].list = item;
            item += computed->slots[i].count;
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
    run_share_arena(part, run->computed->arena);
    bool ok = prepared
                  ? run_set_graph(part, prepared_graph(prepared), NULL, prepared_plan(prepared))
                  : run_set_graph(part, special_graph(special), NULL, NULL);
    run_set_threads(part, run->threads);
    if (ok)
        return part;
    run_free(part);
    return NULL;
}

/* The one of that part that was used longest ago, if there are `most` of them; else -1. */
static int oldest_piece(const struct computed *computed, const struct part_info *info, int64_t most)
{
    int oldest = -1, count = 0;

    for (int i = 0; i < computed->npiece; i++) {
        const struct piece *piece = &computed->piece[i];
        if (special_info(piece->special) != info)
            continue;
        count++;
        if (oldest < 0 || piece->used < computed->piece[oldest].used)
            oldest = i;
    }
    return count >= most ? oldest : -1;
}

static void drop_piece_at(struct computed *computed, int index)
{
    drop_piece(&computed->piece[index]);
    computed->piece[index] = computed->piece[--computed->npiece];
}

/* What computes the special, which it takes over; NULL after a report.  The caller holds the lock.
 */
static struct run *find_piece(struct nnefc_run *run, struct special *special)
{
    struct computed *computed = run->computed;
    const struct part_info *info = special_info(special);
    int oldest;

    computed->uses++;
    for (int i = 0; i < computed->npiece; i++)
        if (computed->piece[i].special == special) {
            part_release(special);
            computed->piece[i].used = computed->uses;
            return computed->piece[i].run;
        }
    while ((oldest = oldest_piece(computed, info, run->model->context->limits.plans)) >= 0)
        drop_piece_at(computed, oldest);
    for (int i = computed->npiece - 1; i >= 0 && plans_are_large(run->model); i--)
        if (computed->piece[i].used <= computed->uses_before) {
            drop_piece_at(computed, i);
            evict(run->model, info);
        }
    struct run *part = run_of_part(run, special);
    if (!part) {
        part_release(special);
        return NULL;
    }
    computed->piece = heap_list(computed->piece, computed->npiece, sizeof *computed->piece);
    computed->piece[computed->npiece++] = (struct piece){special, part, computed->uses};
    return part;
}

/* Sequences become slots, before the tensors that they are made of. */
static void add_lists(struct frame *frame, const struct onnx_part *part)
{
    for (int i = 0; i < part->nlist; i++) {
        const struct onnx_slot *made = &part->lists[i];
        frame_add(frame, made->name,
                  &(struct slot){.type = made->type, .list = sequence_new(made->count)});
    }
}

/* A tensor becomes a slot, or one of a sequence. */
static void add_tensor(struct frame *frame, const struct onnx_place *place,
                       const struct tensor *tensor)
{
    if (place->at >= 0) {
        own_slot(frame, place->name)->list->item[place->at] = *tensor;
        return;
    }
    struct slot *to = new_slot(frame);
    to->name = place->name;
    to->type = place->type;
    to->tensor = *tensor;
    to->list = NULL;
}

/* Known results become slots. */
static bool add_known(const struct nnefc_run *run, struct frame *frame,
                      const struct onnx_part *part)
{
    for (int i = 0; i < part->nknown; i++) {
        struct tensor own;
        if (!copy(run, part->known[i].tensor, &own))
            return false;
        add_tensor(frame, &part->known[i].place, &own);
    }
    return true;
}

/* Results of a graph become slots. */
static bool add_results(const struct nnefc_run *run, struct frame *frame, struct run *computes,
                        const struct onnx_part *part)
{
    for (int i = 0; i < graph_of_run(computes)->noutput; i++) {
        struct tensor tensor;
        if (!run_take_output(computes, i, run->computed->pool, &tensor))
            return false;
        add_tensor(frame, &part->results[i], &tensor);
    }
    return true;
}

/* Compute the graph of a part from slots. */
static bool compute(struct nnefc_run *run, struct frame *frame, struct run *computes,
                    const struct special *special)
{
    const struct graph *graph = special_graph(special);
    const struct onnx_part *part = special_part(special);

    for (int i = 0; i < graph->ninput; i++) {
        const struct onnx_place *place = &part->inputs[i];
        const struct slot *slot = frame_find(frame, place->name);
        if (!slot)
            return not_there(run, place->name);
        assert((place->at >= 0) == (slot->list != NULL));
        struct tensor view = slot->list ? slot->list->item[place->at] : slot->tensor;
        view.release = NULL;
        run_set_input(computes, i, &view);
    }
    run_set_cycle(computes, run->run, ++run->computed->computes);
    add_lists(frame, part);
    return graph->noutput == 0 || (run_step(computes) && add_results(run, frame, computes, part));
}

/* Does the client want to see that tensor? */
static bool is_kept(const struct nnefc_run *run, const struct frame *frame, const char *name)
{
    for (int i = 0; i < run->nkept && !frame->outer && !frame->caller; i++)
        if (run->kept[i] == name)
            return true;
    return false;
}

/* Tensors that nothing behind the part reads make room. */
static void drop_slots(const struct nnefc_run *run, struct frame *frame,
                       const struct part_info *info)
{
    int kept = 0;

    for (int i = 0; i < frame->count; i++) {
        int k = 0;
        while (info->reads[k] && info->reads[k] != frame->slot[i].name)
            k++;
        if (info->reads[k] || is_kept(run, frame, frame->slot[i].name))
            frame->slot[kept++] = frame->slot[i];
        else
            slot_clear(&frame->slot[i]);
    }
    frame->count = kept;
}

static void add_time(struct computed *computed, const struct part_info *info, double begin)
{
    struct single_time *time = computed->single;
    double end = clock_seconds(), seconds = end - begin;

    while (time && time->info != info)
        time = time->next;
    if (!time) {
        time = heap_array(1, sizeof *time);
        *time = (struct single_time){.info = info, .least = seconds, .next = computed->single};
        computed->single = time;
    }
    time->least = seconds < time->least ? seconds : time->least;
    time->total += seconds;
    time->runs++;
    time->begin = begin;
    time->end = end;
}

void steps_list_parts(struct list *list, const struct nnefc_run *run)
{
    const struct computed *computed = run->computed;

    for (int i = 0; computed && i < computed->npiece; i++)
        if (special_prepared(computed->piece[i].special))
            steps_list(list, run->listed, run_execution(computed->piece[i].run), NULL);
    for (const struct single_time *t = computed ? computed->single : NULL; t; t = t->next) {
        const struct onnx_node *node =
            onnx_order_node(run->model->open.order, t->info->graph, t->info->first);
        struct list *last = list_new(run->listed);
        LIST_ADD(last, (struct nnefc_span){0, t->begin, t->end});
        LIST_ADD(list, (struct nnefc_step){.name = node->output.count ? node->output.item[0] : NULL,
                                           .operations = node->op_type,
                                           .operation = -1,
                                           .kind = node->op_type,
                                           .backend = "reference",
                                           .kernel = "reference",
                                           .layout = "plain",
                                           .runs = t->runs,
                                           .least = t->least,
                                           .total = t->total,
                                           .last = (const void *)last});
    }
}

static bool run_part(struct nnefc_run *run, struct frame *frame, int first, bool single,
                     struct ending *end)
{
    struct nnefc_model *model = run->model;
    struct computed *computed = run->computed;

    model_lock(model);
    struct diag *diag = model->context->diag;
    int before = diag_count(diag);
    struct part_info *info = find_info(run, frame, first, single);
    if (!single && first > 0) /* a body begins with what it reads */
        drop_slots(run, frame, info);
    int count = collect_slots(computed, frame, info);
    struct special *special = part_take(run, info, computed->slots, count);
    struct run *part = NULL;
    if (special) {
        const struct onnx_part *made = special_part(special);
        *end = (struct ending){made->end, made->within, made->end == first && !made->within};
        part = single ? run_of_part(run, special) : find_piece(run, special);
    }
    if (part && run->measured && special_prepared(special))
        execution_measure(run_execution(part));
    computed->budget = context_budget(model->context);
    diag_move_since(run->diag, diag, before); /* the caller is told when the step is over */
    model_unlock(model);
    bool timed = single && run->measured;
    double begin = timed ? clock_seconds() : 0;
    bool ok = part && !context_cancelled(model->context) && has_room(run, 0) &&
              compute(run, frame, part, special) && add_known(run, frame, special_part(special));
    if (timed)
        add_time(computed, info, begin);
    if (special && single) {
        model_lock(model);
        run_free(part);
        part_release(special);
        model_unlock(model);
    }
    return ok;
}

bool frame_run(struct nnefc_run *run, struct frame *body)
{
    return run_nodes(run, body, (struct ending){0});
}

bool count_trip(struct nnefc_run *run, const char *node)
{
    const struct context *context = run->model->context;

    if (context_cancelled(context))
        return false;
    if (run->computed->trips++ < context->limits.trips)
        return true;
    diag_file_error(run->diag, run->model->onnx.options.file, DIAG_WORK_LIMIT,
                    "%s: the step makes more than %" PRId64 " trips", node, context->limits.trips);
    return diag_help(run->diag, "raise the limit with --limit=trips=N.");
}

/* --- programs ----------------------------------------------------------------------------- */

static bool has_outputs(const struct frame *frame)
{
    for (const struct onnx_value_info *o = frame->graph->output.first; o; o = o->next)
        if (!frame_find(frame, o->name))
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
            ok = run_control(run, frame, first);
            at = (struct ending){.first = first + 1};
        } else {
            ok = run_part(run, frame, first, at.stuck, &at);
        }
    }
    /* A part without nodes has outputs that are constants. */
    return ok && (has_outputs(frame) || run_part(run, frame, at.first, false, &at));
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
            frame_add(frame, interface->inputs[i].name,
                      &(struct slot){.type = model->open.inputs[i].type, .tensor = view});
    }
    for (const struct onnx_value_info *i = frame->graph->input.first; i; i = i->next)
        for (int k = 0; k < options->nbound; k++)
            if (strcmp(options->bounds[k].input, i->name) == 0) {
                struct tensor view = options->bounds[k].tensor;
                view.release = NULL;
                frame_add(frame, i->name,
                          &(struct slot){.type = i->type->tensor_type->elem_type, .tensor = view});
            }
}

/* Is the result what the interface of the model says of it?  False after a report. */
static bool is_declared(const struct nnefc_run *run, const struct port *port,
                        const struct tensor *tensor)
{
    const struct value *value = port->value;
    bool any = value->dtype == DTYPE_UNKNOWN;

    if (!tensor->data)
        return diag_file_error(run->diag, run->model->onnx.options.file, DIAG_NOT_IN_NNEF,
                               "output '%s' is a sequence, where NNEF has tensors only",
                               port->name);
    return any || value->dtype == tensor->dtype ||
           diag_file_error(run->diag, run->model->onnx.options.file, DIAG_DECLARED,
                           "output '%s' is computed as %s, but the file declares it as %s",
                           port->name, dtype_name(tensor->dtype), dtype_name(value->dtype));
}

/* The results of the model by their names, in memory of their own. */
static bool find_outputs(struct nnefc_run *run)
{
    const struct graph *interface = run->model->open.interface;
    struct computed *computed = run->computed;

    for (int i = 0; i < interface->noutput; i++) {
        const struct port *port = &interface->outputs[i];
        struct slot *slot = frame_find(&computed->frame, port->name);
        if (!slot)
            return not_there(run, port->name);
        struct tensor view = slot->tensor;
        if (!is_declared(run, port, &view) || (!view.release && !copy(run, &view, &slot->tensor)))
            return false;
        slot->tensor.is_unsigned = slot->type == ONNX_UINT64;
        computed->outputs[i] = &slot->tensor;
    }
    return run_feed_states(run->run, computed->outputs);
}

struct pool *computed_pool(struct nnefc_run *run)
{
    if (!run->computed) {
        run->computed = heap_array(1, sizeof *run->computed);
        run->computed->pool = pool_new_alone();
        run->computed->outputs =
            heap_array((size_t)run->model->open.interface->noutput + 1, sizeof(struct tensor *));
        run->computed->arena = run_arena_new();
        if (!run->computed->pool || !run->computed->arena)
            arena_out_of_memory();
    }
    return run->computed->pool;
}

bool run_rest(struct nnefc_run *run)
{
    const struct nnefc_model *model = run->model;
    const struct onnx_part *part = special_part(run->special);
    struct computed *computed = run->computed;
    struct frame *frame = &computed->frame;

    frame_empty(frame);
    computed->uses_before = computed->uses;
    computed->trips = computed->computes = 0;
    model_lock(model);
    computed->budget = context_budget(model->context);
    model_unlock(model);
    frame->graph = model->onnx.file->graph;
    add_inputs(run, frame);
    const struct ending at = {part->end, part->within, part->end == 0 && !part->within};
    add_lists(frame, part);
    return add_results(run, frame, run->run, part) && add_known(run, frame, part) &&
           run_nodes(run, frame, at) && find_outputs(run);
}

const struct tensor *computed_output(const struct nnefc_run *run, int index)
{
    return run->computed->outputs[index];
}

const struct tensor *computed_tensor(const struct nnefc_run *run, const char *name)
{
    const struct slot *slot = frame_find(&run->computed->frame, name);

    return slot && !slot->list ? &slot->tensor : NULL;
}

void run_clear_parts(struct nnefc_run *run)
{
    struct computed *computed = run->computed;

    if (!computed)
        return;
    frame_clear(&computed->frame);
    for (int i = 0; i < computed->npiece; i++)
        drop_piece(&computed->piece[i]);
    free(computed->piece);
    for (struct single_time *t = computed->single, *next; t; t = next) {
        next = t->next;
        free(t);
    }
    free(computed->slots);
    free(computed->items);
    free((void *)computed->outputs);
    run_arena_free(computed->arena);
    pool_free(computed->pool);
    free(computed);
    run->computed = NULL;
}
