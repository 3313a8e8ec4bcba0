/*
 * chain.c - one loop for operations that go item by item, and for chains of them
 *
 * The items of the result are gone through in tiles that fit into the fastest memory.  What has
 * been computed of a tile so far is in one place, where each operation of the chain finds its
 * operand and leaves its result; other operands are read where they are if they lie like the
 * result, and are put in the order of its items before.
 */
#include "backend/portable/portable.h"

#include "base/arena.h"
#include "base/team.h"
#include "exec/move.h"
#include "exec/planner.h"
#include "kernel/kernels.h"
#include "tensor/tensor.h"

enum { TILE = 1024, OPERANDS = 3, IN_PLACE = -1, SO_FAR = 0 };

/* How long operations take, beside an addition: exp() and its like, and calls of a function. */
enum { WEIGHT_PLAIN = 1, WEIGHT_CURVE = 4, WEIGHT_CALL = 64, WEIGHT_OF_PART = 24 };

/* What operations read: 0 is what was computed so far, others are operands of the step or
 * numbers. */
struct feed {
    int operand; /* of the step; STEP_NONE: a number */
    int slot;    /* of the tile's memory that it is put into; IN_PLACE */
    bool truth;  /* bytes */
    float number;
    struct move items;
};

struct operation {
    map_function *map; /* NULL: one of these, item by item */
    double (*unary)(double x), (*binary)(double x, double y);
    struct map_numbers numbers;
    int source[OPERANDS];
};

struct item_chain {
    const struct maps *maps;
    int64_t count, grain; /* items; tiles of a part */
    int nslot, nsource, noperation;
    struct feed *source;
    struct operation *operation;
    bool truth; /* the result is bytes */
};

/* --- what it knows -------------------------------------------------------------------------- */

static const struct chain_operator {
    enum op_id op;
    enum map_id map; /* MAP_COUNT: by the function that the operator's descriptor names */
    int weight;
} known[] = {
#define MAP(name, weight) {OP_##name, MAP_##name, WEIGHT_##weight},
#include "kernel/map.def"
#undef MAP
#define CALL(name) {OP_##name, MAP_COUNT, WEIGHT_CALL},
#include "backend/portable/chain.def"

#include <assert.h>
#undef CALL
};

static const struct chain_operator *chain_operator_of(const struct node *node)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (is_op(node, known[i].op))
            return &known[i];
    return NULL;
}

static bool is_number(const struct value *value)
{
    return value->dtype == DTYPE_SCALAR || value->dtype == DTYPE_LOGICAL;
}

static bool takes(const struct node *node)
{
    bool ok = chain_operator_of(node) && node->nin <= OPERANDS && node->nout == 1 &&
              is_number(&node->out[0]);
    for (uint32_t i = 0; ok && i < node->nin; i++)
        ok = is_number(node->in[i].value);
    return ok;
}

unsigned portable_chain_match(const struct planner *planner, const struct group *group, void *match)
{
    const struct shape *shape = group->nodes[0]->out[0].shape;

    (void)planner;
    (void)match;
    for (int i = 0; i < group->count; i++)
        if (!takes(group->nodes[i]) || !shape_equal(group->nodes[i]->out[0].shape, shape))
            return 0;
    return layout_is_moot(shape) ? IN_PLAIN : IN_PLAIN | IN_CHANNELS_LAST;
}

/* --- running -------------------------------------------------------------------------------- */

struct chain_job {
    const struct item_chain *chain;
    const struct step *step;
    const struct step_frame *frame;
};

/* What a member works with: where the sources of the present tile are. */
struct desk {
    const struct chain_job *job;
    float *slots;
    int64_t begin, end; /* items */
    const float *where[GROUP_NODES * OPERANDS + 1];
};

static float *slot_of(const struct desk *desk, int slot)
{
    return desk->slots + (size_t)slot * TILE;
}

/* The bytes are put into the slot behind it first, unless they are as they should be. */
static void load_truth(struct desk *desk, const struct feed *source, const uint8_t *from)
{
    const struct maps *maps = desk->job->chain->maps;
    uint8_t *bytes = (uint8_t *)slot_of(desk, source->slot + 1);
    const int64_t range[] = {desk->begin, desk->end};

    if (move_is_dense(&source->items)) {
        maps->from_truth(slot_of(desk, source->slot), from + desk->begin, desk->end - desk->begin);
        return;
    }
    move_range(&source->items, sizeof *bytes, bytes, from, range);
    maps->from_truth(slot_of(desk, source->slot), bytes, desk->end - desk->begin);
}

static void load(struct desk *desk, int index)
{
    const struct feed *source = &desk->job->chain->source[index];
    const void *from = step_in(desk->job->step, desk->job->frame, source->operand);
    const int64_t range[] = {desk->begin, desk->end};

    if (source->slot == IN_PLACE) {
        desk->where[index] = (const float *)from + desk->begin;
        return;
    }
    desk->where[index] = slot_of(desk, source->slot);
    if (source->truth)
        load_truth(desk, source, from);
    else
        move_range(&source->items, sizeof(float), slot_of(desk, source->slot), from, range);
}

static bool is_same_in_all_tiles(const struct feed *source)
{
    return source->operand == STEP_NONE || (move_is_constant(&source->items) && !source->truth);
}

/* What is the same for all tiles of a part. */
static void prepare(struct desk *desk)
{
    const struct chain_job *job = desk->job;

    desk->where[SO_FAR] = slot_of(desk, 0);
    for (int i = 1; i < job->chain->nsource; i++) {
        const struct feed *source = &job->chain->source[i];
        if (!is_same_in_all_tiles(source))
            continue;
        float number = source->operand == STEP_NONE
                           ? source->number
                           : *(const float *)step_in(job->step, job->frame, source->operand);
        float *to = slot_of(desk, source->slot);
        for (int k = 0; k < TILE; k++)
            to[k] = number;
        desk->where[i] = to;
    }
}

static void call(const struct operation *o, float *to, const float *const in[OPERANDS],
                 int64_t count)
{
    assert(o->unary || o->binary);
    for (int64_t i = 0; i < count; i++)
        to[i] = (float)(o->unary ? o->unary((double)in[0][i])
                                 : o->binary((double)in[0][i], (double)in[1][i]));
}

static void operate(const struct desk *desk, const struct operation *o, float *to)
{
    const float *in[OPERANDS];

    for (int i = 0; i < OPERANDS; i++)
        in[i] = desk->where[o->source[i]];
    if (o->map)
        o->map(to, in, &o->numbers, desk->end - desk->begin);
    else
        call(o, to, in, desk->end - desk->begin);
}

static void do_tile(struct desk *desk)
{
    const struct item_chain *chain = desk->job->chain;
    void *out = step_out(desk->job->step, desk->job->frame, 0);
    float *so_far = slot_of(desk, 0);
    int last = chain->noperation - 1;

    for (int i = 1; i < chain->nsource; i++)
        if (!is_same_in_all_tiles(&chain->source[i]))
            load(desk, i);
    for (int i = 0; i < last; i++)
        operate(desk, &chain->operation[i], so_far);
    if (!chain->truth) {
        operate(desk, &chain->operation[last], (float *)out + desk->begin);
        return;
    }
    operate(desk, &chain->operation[last], so_far);
    chain->maps->to_truth((uint8_t *)out + desk->begin, so_far, desk->end - desk->begin);
}

static void do_tiles(void *data, int64_t begin, int64_t end, int member)
{
    const struct chain_job *job = data;
    const struct item_chain *chain = job->chain;
    struct desk desk = {
        .job = job, .slots = (float *)job->frame->scratch + (size_t)(member * chain->nslot) * TILE};

    prepare(&desk);
    for (int64_t i = begin; i < end; i++) {
        desk.begin = i * TILE;
        desk.end = desk.begin + TILE < chain->count ? desk.begin + TILE : chain->count;
        do_tile(&desk);
    }
}

static bool run_chain(const struct step *step, const struct step_frame *frame)
{
    const struct item_chain *chain = step->state;
    struct chain_job job = {chain, step, frame};

    team_share(frame->team, (chain->count + TILE - 1) / TILE, chain->grain, do_tiles, &job);
    return true;
}

static const struct kernel portable_chain = {.name = "items", .run = run_chain};

/* --- making --------------------------------------------------------------------------------- */

static struct feed source_of(const struct value *value, const struct step *step,
                             const struct shape *result)
{
    return (struct feed){.operand = step->nin,
                         .truth = value->dtype == DTYPE_LOGICAL,
                         .items = move_broadcast(value->shape, result, step->layout)};
}

static bool lies_alike(const struct feed *source)
{
    return move_is_dense(&source->items) && !source->truth;
}

/* Does anybody read it besides this group? */
static bool is_used_up(const struct planner *planner, const struct group *group,
                       const struct value *value)
{
    uint32_t here = 0;

    for (int i = 0; i < group->count; i++)
        for (uint32_t k = 0; k < group->nodes[i]->nin; k++)
            here += group->nodes[i]->in[k].value == value;
    return value->kind == VALUE_RESULT && planner->live.holds[value->id] == here;
}

/* Add a source for an operand; its index, or -1 after a report. */
static int add_source(struct planner *planner, const struct group *group, struct step *step,
                      const struct value *value)
{
    struct item_chain *chain = step->state;
    struct feed *source = &chain->source[chain->nsource];
    const struct tensor *constant = plan_constant(planner, value);

    if (constant && shape_volume(&constant->shape) == 1) {
        *source = (struct feed){.operand = STEP_NONE, .number = (float)tensor_item(constant, 0)};
    } else {
        *source = source_of(value, step, group_result(group)->shape);
        if (!plan_read(planner, step, value, step->layout))
            return -1;
    }
    if (source->operand != STEP_NONE && lies_alike(source)) {
        source->slot = IN_PLACE;
        if (step->reused == STEP_NONE && group_result(group)->dtype == DTYPE_SCALAR &&
            is_used_up(planner, group, value))
            step->reused = source->operand;
    } else {
        source->slot = chain->nslot;
        chain->nslot += source->truth && !move_is_dense(&source->items) ? 2 : 1;
    }
    return chain->nsource++;
}

static struct map_numbers numbers_of(const struct node *node)
{
    struct map_numbers numbers = {0};

    if (is_op(node, OP_leaky_relu) || is_op(node, OP_elu) || is_op(node, OP_selu))
        numbers.alpha = (float)attr_alpha(node);
    if (is_op(node, OP_selu))
        numbers.lambda = (float)attr_lambda(node);
    return numbers;
}

/* Adds how long it takes to *weight.  False after a report. */
static bool add_operation(struct planner *planner, const struct group *group, int at,
                          struct step *step, int *weight)
{
    struct item_chain *chain = step->state;
    const struct node *node = group->nodes[at];
    const struct chain_operator *k = chain_operator_of(node);
    struct operation *o = &chain->operation[chain->noperation++];

    assert(k && node->nin <= OPERANDS);
    *o = (struct operation){.map = k->map < MAP_COUNT ? chain->maps->map[k->map] : NULL,
                            .unary = node->op->unary,
                            .binary = node->op->binary,
                            .numbers = numbers_of(node)};
    for (uint32_t i = 0; i < node->nin; i++) {
        o->source[i] = group_is_inner(group, at, i)
                           ? SO_FAR
                           : add_source(planner, group, step, node->in[i].value);
        if (o->source[i] < 0)
            return false;
    }
    for (uint32_t i = node->nin; i < OPERANDS; i++)
        o->source[i] = o->source[0];
    *weight += k->weight;
    return true;
}

bool portable_chain_make(struct planner *planner, const struct group *group, struct step *step)
{
    struct arena *arena = planner->plan->arena;
    struct item_chain *chain = arena_new_of(arena, struct item_chain);
    int weight = 1;

    assert(group->count > 0 && step->reused == STEP_NONE);
    *chain = (struct item_chain){
        .maps = kernels_variant(0)->maps,
        .count = shape_volume(group_result(group)->shape),
        .nslot = 1,
        .nsource = 1,
        .source = arena_array_of(arena, struct feed, group->count * OPERANDS + 1),
        .operation = arena_array_of(arena, struct operation, group->count),
        .truth = group_result(group)->dtype == DTYPE_LOGICAL};
    step->kernel = &portable_chain;
    step->state = chain;
    for (int i = 0; i < group->count; i++)
        if (!add_operation(planner, group, i, step, &weight))
            return false;
    chain->grain = 1 + WEIGHT_OF_PART / weight;
    step->scratch = (size_t)(plan_threads(planner) * chain->nslot) * TILE * sizeof(float);
    return plan_write(planner, step, group_result(group));
}
