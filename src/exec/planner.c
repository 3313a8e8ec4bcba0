/* planner.c - from a graph to steps: one for each group, in the order of what they compute */
#include "exec/planner.h"

#include "base/arena.h"
#include "base/pool.h"
#include "base/team.h"
#include "diag/context.h"
#include "diag/diag.h"
#include "kernel/kernels.h"
#include "tensor/shared.h"
#include "tensor/tensor.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* --- memory ------------------------------------------------------------------------------- */

static bool no_plan_memory(const struct planner *planner, size_t bytes)
{
    return diag_file_error(planner->diag, NULL, DIAG_RUN_MEMORY,
                           "not enough memory to plan a run: %zu bytes", bytes);
}

void *plan_memory(struct planner *planner, size_t bytes)
{
    struct plan *plan = planner->plan;
    void *memory = pool_take(plan->pool, bytes);

    if (!memory) {
        no_plan_memory(planner, bytes);
        return NULL;
    }
    plan->blocks = arena_list(plan->arena, plan->blocks, plan->nblock, sizeof *plan->blocks);
    plan->blocks[plan->nblock++] = (struct plan_block){memory, bytes};
    plan->packed += bytes;
    return memory;
}

void *plan_share(struct shared_key *key, size_t size, bool *made)
{
    const struct shape shape = {.rank = 1, .extent = {(int64_t)size}};
    const struct tensor *found = shared_find(key);
    struct tensor tensor;

    *made = !found && key->user &&
            tensor_allocate_in(&tensor, DTYPE_LOGICAL, &shape, shared_pool(key->user));
    if (*made)
        found = shared_put(key, &tensor);
    shared_key_free(key);
    return found ? found->data : NULL;
}

enum { SHARED = 1 << 18 /* bytes; threads share the work from there on */ };

struct team *plan_team(struct planner *planner, size_t bytes)
{
    if (bytes < SHARED || planner->plan->threads == 1)
        return NULL;
    if (!planner->team)
        planner->team = team_new(planner->plan->threads);
    return planner->team;
}

/* --- buffers ------------------------------------------------------------------------------- */

static int add_buffer(struct planner *planner, const struct buffer *buffer)
{
    struct plan *plan = planner->plan;

    plan->buffers =
        arena_list(planner->scratch, plan->buffers, plan->nbuffer, sizeof *plan->buffers);
    plan->buffers[plan->nbuffer] = *buffer;
    plan->buffers[plan->nbuffer].whole = STEP_NONE;
    return plan->nbuffer++;
}

const struct tensor *plan_constant(const struct planner *planner, const struct value *value)
{
    bool constant = value->kind == VALUE_CONSTANT ||
                    (value->kind == VALUE_VARIABLE &&
                     !planner->varies[planner->plan->storage.place[value->id]]);

    return constant ? value->source->tensor : NULL;
}

/* With the reference its items are spread out while they are in use. */
static int spread_buffer(struct planner *planner, const struct value *value,
                         const struct tensor *from)
{
    const int buffer = result_buffer(planner, value);

    planner->plan->buffers[buffer].from = from;
    return buffer;
}

/* The buffer of a constant or variable, which has its items before the first step; NO_BUFFER after
 * a report. */
static int source_buffer(struct planner *planner, const struct value *value)
{
    const struct tensor *tensor = plan_constant(planner, value);
    struct buffer buffer = {
        .place = PLACE_VARIABLE, .value = value, .size = plan_size(planner, value)};

    assert(value->kind == VALUE_VARIABLE || value->kind == VALUE_CONSTANT);
    if (!tensor) {
        buffer.index = (int)planner->plan->storage.place[value->id];
        return add_buffer(planner, &buffer);
    }
    const size_t narrow = plan_narrow_size(planner, value, &buffer.is_signed);
    buffer.place = PLACE_CONSTANT;
    buffer.data = tensor->data;
    if (narrow == 0 && tensor_is_whole(tensor, value->shape))
        return add_buffer(planner, &buffer);

    /* One item may stand for all, and bytes for integers; kernels see all items. */
    if (plan_is_reference(planner->plan))
        return spread_buffer(planner, value, tensor);
    buffer.data = plan_memory(planner, buffer.size);
    if (!buffer.data)
        return NO_BUFFER;
    if (narrow > 0)
        narrow_fill(buffer.data, tensor, narrow, shape_volume(value->shape));
    else
        tensor_fill(buffer.data, tensor, shape_volume(value->shape));
    return add_buffer(planner, &buffer);
}

int result_buffer(struct planner *planner, const struct value *value)
{
    bool is_signed;

    plan_narrow_size(planner, value, &is_signed);
    return add_buffer(
        planner,
        &(struct buffer){.place = plan_is_reference(planner->plan) ? PLACE_HEAP : PLACE_ARENA,
                         .value = value,
                         .size = plan_size(planner, value),
                         .is_signed = is_signed,
                         .first = STEP_NONE,
                         .last = STEP_NONE});
}

int part_buffer(struct planner *planner, const struct value *value, int whole, size_t at)
{
    int root = buffer_root(planner->plan, whole), part = result_buffer(planner, value);

    assert(planner->plan->buffers[root].place == PLACE_ARENA);
    planner->plan->buffers[part].whole = root;
    planner->plan->buffers[part].offset = at;
    return part;
}

/* A buffer for a constant in another layout than that of the buffer `from`; NO_BUFFER after a
 * report. */
static int reordered_buffer(struct planner *planner, const struct value *value, int from,
                            enum layout layout)
{
    struct buffer buffer = planner->plan->buffers[from];
    void *data = plan_memory(planner, buffer.size);

    if (!data)
        return NO_BUFFER;
    reorder_now(planner, value, buffer.data, data, layout);
    buffer.data = data;
    return add_buffer(planner, &buffer);
}

int buffer_of(struct planner *planner, const struct value *value, enum layout layout)
{
    int *buffer = planner->placement[value->id].buffer, have = NO_BUFFER;

    assert(layout == LAYOUT_PLAIN || layout == LAYOUT_CHANNELS_LAST);
    assert(value->id < planner->graph->value_count);
    if (buffer[layout] != NO_BUFFER)
        return buffer[layout];
    for (int other = 0; other < LAYOUT_COUNT && have == NO_BUFFER; other++)
        have = buffer[other];
    if (have == NO_BUFFER && value->kind == VALUE_RESULT)
        return postpone_make(planner, value) ? buffer_of(planner, value, layout) : NO_BUFFER;
    if (have == NO_BUFFER)
        have = buffer[LAYOUT_PLAIN] = source_buffer(planner, value);
    if (have == NO_BUFFER || buffer[layout] != NO_BUFFER)
        return have;
    if (layout_is_moot(value->shape))
        return buffer[layout] = have;
    if (planner->plan->buffers[have].place == PLACE_CONSTANT)
        return buffer[layout] = reordered_buffer(planner, value, have, layout);
    buffer[layout] = result_buffer(planner, value);
    reorder_make(planner, value, have, buffer[layout], layout);
    return buffer[layout];
}

/* --- steps --------------------------------------------------------------------------------- */

/* The step uses the buffer, or a part of it: the whole stays until then. */
static void use_buffer(struct plan *plan, int buffer, int at)
{
    struct buffer *b = &plan->buffers[buffer_root(plan, buffer)];

    assert(buffer >= 0 && buffer < plan->nbuffer);
    if (b->last < at)
        b->last = at;
}

void add_step(struct planner *planner, const struct step *step)
{
    struct plan *plan = planner->plan;

    assert(step->kernel && step->kernel->run && step->reused < step->nin);
    assert(!step->kernel->open == !step->kernel->close);
    assert(plan->packed >= planner->charged);
    plan->steps = arena_list(planner->scratch, plan->steps, plan->nstep, sizeof *plan->steps);
    plan->steps[plan->nstep] = *step;
    plan->steps[plan->nstep].packed = plan->packed - planner->charged;
    planner->charged = plan->packed;
    for (int i = 0; i < step->nin; i++)
        use_buffer(plan, step->in[i], plan->nstep);
    for (int i = 0; i < step->nout; i++) {
        struct buffer *root = &plan->buffers[buffer_root(plan, step->out[i])];
        if (root->first == STEP_NONE) /* nothing of it is written before */
            root->first = plan->nstep;
        use_buffer(plan, step->out[i], plan->nstep);
    }
    plan->scratch = step->scratch > plan->scratch ? step->scratch : plan->scratch;
    plan->nstep++;
}

bool plan_read(struct planner *planner, struct step *step, const struct value *value,
               enum layout layout)
{
    int buffer = buffer_of(planner, value, layout);

    step->in[step->nin++] = buffer;
    return buffer != NO_BUFFER;
}

/* --- groups --------------------------------------------------------------------------------- */

static struct step step_for(const struct planner *planner, const struct group *group,
                            enum layout layout)
{
    struct arena *arena = planner->plan->arena;
    size_t operands = 0;

    assert(group->count > 0 && group->count <= GROUP_NODES);
    for (int i = 0; i < group->count; i++)
        operands += group->nodes[i]->nin;
    const struct node **nodes = arena_array_of(arena, const struct node *, group->count);
    memcpy(nodes, group->nodes, (size_t)group->count * sizeof *nodes);
    return (struct step){.nodes = nodes,
                         .count = group->count,
                         .layout = layout,
                         .in = arena_array_of(arena, int, operands + 1),
                         .out = arena_array_of(arena, int, group_last(group)->nout + 1),
                         .reused = STEP_NONE};
}

/* The layout in which most of the operands lie, and in no other. */
static enum layout choose_layout(const struct planner *planner, const struct group *group)
{
    const int *result = planner->placement[group_result(group)->id].buffer;
    int64_t items[LAYOUT_COUNT] = {0}, most = -1;
    int best = LAYOUT_PLAIN;

    assert(group->layouts != 0);
    static_assert(LAYOUT_COUNT == 2, "an operand lies in one layout or in both");
    for (int layout = 0; layout < LAYOUT_COUNT; layout++)
        if (result[layout] != NO_BUFFER)
            return (enum layout)layout; /* parts of it were written in that one */

    for (int i = 0; i < group->count; i++)
        for (uint32_t k = 0; k < group->nodes[i]->nin; k++) {
            const struct value *value = group->nodes[i]->in[k].value;
            const int *buffer = planner->placement[value->id].buffer;
            bool plain = buffer[LAYOUT_PLAIN] != NO_BUFFER,
                 last = buffer[LAYOUT_CHANNELS_LAST] != NO_BUFFER;
            if (plain != last)
                items[plain ? LAYOUT_PLAIN : LAYOUT_CHANNELS_LAST] += shape_volume(value->shape);
        }
    for (int layout = 0; layout < LAYOUT_COUNT; layout++)
        if (group->layouts & 1U << layout && items[layout] > most) {
            most = items[layout];
            best = layout;
        }
    return (enum layout)best;
}

/* The step is planned: each operand of the group has one reader less to come. */
static void note_reads(struct planner *planner, const struct group *group)
{
    for (int i = 0; i < group->count; i++)
        for (uint32_t k = 0; k < group->nodes[i]->nin; k++)
            planner->left[group->nodes[i]->in[k].value->id]--;
}

static bool emit(struct planner *planner, const struct group *group);

static bool emit_by_reference(struct planner *planner, const struct group *group)
{
    struct step step = step_for(planner, group, LAYOUT_PLAIN);

    planner->npacked = 0;
    return reference_make(planner, &step);
}

bool emit_group(struct planner *planner, const struct group *group)
{
    int before = diag_count(planner->diag);
    bool made = false;

    if (group->count == 1 && alias_fits(planner, group->nodes[0])) {
        note_reads(planner, group);
        return alias_make(planner, group->nodes[0]);
    }
    if (group->op) {
        struct step step = step_for(planner, group, choose_layout(planner, group));
        step.backend = planner->plan->backend->name;
        planner->npacked = 0;
        made = group->op->make(planner, group, &step);
        if (!made && diag_count(planner->diag) > before)
            return false;
        if (made && step.kernel)
            add_step(planner, &step);
    }
    if (!made && group->count > 1) { /* the backend declines it after all: part by part */
        const struct group *part;
        for (int at = 0; at < group->count; at += part->count) {
            part = group_part(planner, group, at);
            if (!emit(planner, part))
                return false;
        }
        return true;
    }
    if (!made && !emit_by_reference(planner, group))
        return false;
    unload_packed(planner);
    note_reads(planner, group);
    return true;
}

static bool emit(struct planner *planner, const struct group *group)
{
    if (target_begun(planner, group) && !is_op(group->nodes[0], OP_concat)) {
        note_reads(planner, group);
        return true; /* its operand was written in the place of its result */
    }
    return postpone_fits(planner, group) || emit_group(planner, group);
}

static bool emit_all(struct planner *planner)
{
    bool reference = plan_is_reference(planner->plan), ok = true;

    if (!reference) {
        find_groups(planner);
        target_prepare(planner);
    }
    for (const struct node *n = planner->graph->first; n && ok; n = n->next) {
        if (!reference && planner->due[n->id])
            ok = emit(planner, planner->due[n->id]);
        if (!reference || !planner->live.node[n->id])
            continue;
        struct group *group = arena_new_of(planner->scratch, struct group);
        *group = (struct group){.nodes = {n}, .count = 1};
        ok = emit_by_reference(planner, group);
    }
    return ok;
}

/* --- inputs and outputs ---------------------------------------------------------------------- */

enum layout plan_outer_layout(bool channels_last, const struct value *value)
{
    bool kept = value->kind == VALUE_RESULT && (value->producer->op->traits & OP_EFFECT);

    return channels_last && !kept && value->shape->rank >= 4 && !layout_is_moot(value->shape)
               ? LAYOUT_CHANNELS_LAST
               : LAYOUT_PLAIN;
}

static enum layout outer_layout(const struct planner *planner, const struct value *value)
{
    return plan_outer_layout(planner->options->channels_last, value);
}

static void enter_inputs(struct planner *planner)
{
    struct plan *plan = planner->plan;

    plan->inputs = arena_array_of(plan->arena, int, planner->graph->ninput + 1);
    for (int i = 0; i < planner->graph->ninput; i++) {
        const struct value *value = planner->graph->inputs[i].value;
        const struct buffer buffer = {
            .place = PLACE_INPUT, .value = value, .size = plan_size(planner, value), .index = i};
        bool read = planner->live.holds[value->id] > 0 || plan_is_reference(plan);
        plan->inputs[i] = read ? add_buffer(planner, &buffer) : NO_BUFFER;
        planner->placement[value->id].buffer[outer_layout(planner, value)] = plan->inputs[i];
    }
}

/* Make a value visible until the next run.  A copy of an input is shown, as the input may be
 * another tensor by then.  False after a report. */
static bool show(struct planner *planner, const struct value *value)
{
    if (planner->plan->shown[value->id] != NO_BUFFER)
        return true;
    int buffer = buffer_of(planner, value, outer_layout(planner, value));
    if (buffer == NO_BUFFER)
        return false;
    if (planner->plan->buffers[buffer].place == PLACE_INPUT && !plan_is_reference(planner->plan))
        buffer = copy_make(planner, value, buffer);
    planner->plan->shown[value->id] = buffer;
    use_buffer(planner->plan, buffer, STEP_FOREVER);
    return true;
}

static bool show_results(struct planner *planner)
{
    const struct plan_options *options = planner->options;
    bool ok = true;

    for (int i = 0; i < planner->graph->noutput && ok; i++)
        ok = show(planner, planner->graph->outputs[i].value);
    for (int i = 0; i < options->nretained && ok; i++) {
        const struct value *value = options->retained[i];
        bool computed = value->kind != VALUE_RESULT || planner->live.node[value->producer->id];
        ok = !computed || show(planner, value); /* retaining a result does not make it live */
    }
    return ok;
}

/* May the variable take over the memory of the buffer?  Else its items are copied.  That is as fast
 * if there are few. */
static bool may_swap(const struct plan *plan, int index, size_t size)
{
    enum { WORTH_IT = 4096 }; /* bytes */
    const struct buffer *buffer = &plan->buffers[index];
    bool taken = false;

    for (int i = 0; i < plan->nrenewal; i++)
        taken |= plan->renewals[i].buffer == index;
    return !plan_is_reference(plan) && !taken && buffer->place == PLACE_ARENA &&
           buffer->whole == STEP_NONE && buffer->size == size && size >= WORTH_IT;
}

/* Results that update variables stay until the next run begins. */
static bool renew_variables(struct planner *planner)
{
    struct plan *plan = planner->plan;
    int count = 0;

    for (const struct node *n = planner->graph->first; n; n = n->next)
        count += (n->op->traits & OP_EFFECT) != 0;
    plan->renewals = arena_array_of(plan->arena, struct renewal, count + 1);
    for (const struct node *n = planner->graph->first; n; n = n->next) {
        if (!(n->op->traits & OP_EFFECT))
            continue;
        if (!show(planner, &n->out[0]))
            return false;
        struct renewal renewal = {.storage = (int)planner->plan->storage.place[n->in[0].value->id],
                                  .buffer = plan->shown[n->out[0].id],
                                  .size = plan_size(planner, &n->out[0])};
        renewal.swaps = may_swap(plan, renewal.buffer, renewal.size);
        plan->buffers[renewal.buffer].swaps |= renewal.swaps;
        plan->renewals[plan->nrenewal++] = renewal;
    }
    return true;
}

/* --- planning ------------------------------------------------------------------------------ */

static bool allocate_planner(struct planner *planner)
{
    const struct graph *graph = planner->graph;
    struct arena *arena = planner->scratch;
    size_t values = (size_t)graph->value_count + 1;

    planner->placement = arena_array_of(arena, struct placement, values);
    planner->plan->shown = arena_array_of(planner->plan->arena, int, values);
    planner->due = arena_array_of(arena, const struct group *, (size_t)graph->node_count + 1);
    planner->left = arena_array_of(arena, uint32_t, values);
    planner->varies = arena_array_of(arena, bool, (size_t)graph->variables.count + 1);
    planner->depth = arena_array_of(arena, uint8_t, values);
    planner->order = arena_array_of(arena, uint32_t, (size_t)graph->node_count + 1);
    for (size_t i = 0; i < values; i++) {
        planner->plan->shown[i] = NO_BUFFER;
        for (int layout = 0; layout < LAYOUT_COUNT; layout++)
            planner->placement[i].buffer[layout] = NO_BUFFER;
    }
    return (live_find(graph, &planner->live) &&
            storage_fill(&planner->plan->storage, graph, NULL)) ||
           no_plan_memory(planner, values * sizeof(uint32_t));
}

static bool plan_all(struct planner *planner)
{
    const struct graph *graph = planner->graph;
    const struct plan_options *options = planner->options;
    struct plan *plan = planner->plan;
    bool reference = plan_is_reference(plan), ok = true;

    if (!reference) { /* only a backend packs anything */
        plan->pool = options->pool ? options->pool : (plan->own = pool_new());
        if (!plan->pool)
            return no_plan_memory(planner, 0);
    }
    if (!allocate_planner(planner) || !support_check(graph, &planner->live) ||
        !peak_check(graph, &planner->live, context_budget(graph->context)) ||
        !work_check(graph, &planner->live))
        return false;
    for (int i = 0; i < options->nretained; i++)
        planner->live.holds[options->retained[i]->id]++;
    memcpy(planner->left, planner->live.holds, graph->value_count * sizeof *planner->left);
    for (const struct node *n = graph->first; n; n = n->next)
        if (n->op->traits & OP_EFFECT)
            planner->varies[planner->plan->storage.place[n->in[0].value->id]] = true;

    bytes_find(planner);
    enter_inputs(planner);
    if (!emit_all(planner) || !show_results(planner) || !renew_variables(planner))
        return false;
    if (!reference) {
        place_buffers(plan, planner->scratch);
        return true;
    }
    /* A plan of the reference shows every value while it is in memory, variables from the start. */
    for (const struct source *s = graph->variables.first; s && ok; s = s->next)
        ok = buffer_of(planner, s->value, LAYOUT_PLAIN) != NO_BUFFER;
    for (uint32_t i = 0; i < graph->value_count; i++)
        plan->shown[i] = planner->placement[i].buffer[LAYOUT_PLAIN];
    return ok;
}

static void *settled(struct arena *arena, const void *items, int count, size_t size)
{
    void *copy = arena_array(arena, (size_t)count + 1, size);

    return count > 0 ? memcpy(copy, items, (size_t)count * size) : copy;
}

/* Steps whose kernels may fetch the weights of a later one meanwhile. */
static void link_weights(struct plan *plan)
{
    const struct step *then = NULL;

    for (int i = plan->nstep - 1; i >= 0; i--) {
        struct step *step = &plan->steps[i];
        step->then = then;
        then = step->weights ? step : then;
    }
}

struct plan *plan_new(const struct graph *graph, const struct plan_options *options)
{
    struct arena *arena = arena_new_in(options->warm ? options->pool : NULL);
    struct plan *plan = arena_new_of(arena, struct plan);
    struct planner planner = {
        .plan = plan, .graph = graph, .options = options, .diag = graph->context->diag};

    planner.scratch = arena_new_beside(arena);

    *plan = (struct plan){.graph = graph,
                          .backend = options->backend,
                          .kernels = kernels_variant(0),
                          .arena = arena,
                          .threads = team_usable(options->threads),
                          .exact = options->exact,
                          .warm = options->warm};
    bool ok = plan_all(&planner);
    /* As many as there are: lists that grow have more room. */
    plan->steps = settled(arena, plan->steps, plan->nstep, sizeof *plan->steps);
    plan->buffers = settled(arena, plan->buffers, plan->nbuffer, sizeof *plan->buffers);
    link_weights(plan);
    arena_free(planner.scratch);
    team_free(planner.team);
    live_clear(&planner.live);
    if (ok)
        return plan;
    plan_free(plan);
    return NULL;
}

void plan_free(struct plan *plan)
{
    if (!plan)
        return;
    for (int i = 0; i < plan->nstep; i++)
        if (plan->steps[i].kernel->drop)
            plan->steps[i].kernel->drop(plan->steps[i].state);
    for (int i = 0; i < plan->nblock; i++)
        pool_give(plan->pool, plan->blocks[i].memory, plan->blocks[i].size);
    storage_clear(&plan->storage);
    pool_free(plan->own);
    arena_free(plan->arena);
}

int64_t plan_bytes(const struct plan *plan)
{
    return (int64_t)arena_used(plan->arena);
}

int plan_packings(const struct plan *plan, int *taken)
{
    *taken = plan->taken;
    return plan->packings;
}
