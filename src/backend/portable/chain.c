/*
 * chain.c - one loop for operations that go item by item, and for chains of them
 *
 * The result is computed in tiles that fit into the fastest memory.  Slot 0 of a member holds the
 * tile as computed so far: each operation of the chain finds its operand there and leaves its
 * result there.  Other operands are read in place if they lie like the result; if not, each tile is
 * first copied to a slot, in the order of the result.
 */
#include "backend/portable/portable.h"

#include "base/arena.h"
#include "base/num.h"
#include "base/team.h"
#include "exec/move.h"
#include "exec/planner.h"
#include "kernel/kernels.h"
#include "tensor/tensor.h"

#include <assert.h>
#include <string.h>

enum { TILE = 1024, RUN = 64, OPERANDS = ITEM_OPERANDS, IN_PLACE = -1, SO_FAR = 0 };
static_assert(TILE % RUN == 0, "a tile is filled in runs");

/* Cost of an operation, in additions: exp() and its like, and calls of a function. */
enum { WEIGHT_PLAIN = 1, WEIGHT_CURVE = 4, WEIGHT_CALL = 64, WEIGHT_OF_PART = 24 };

/* A source of operations: an operand of the step, or a number.  Source 0 is the tile as computed so
 * far. */
struct feed {
    int operand;       /* of the step; STEP_NONE: a number */
    int slot;          /* of the tile's memory that it is copied to; IN_PLACE */
    bool truth;        /* its items are bytes; slot + 1 holds them if they are not in order */
    float number;      /* if it is no operand */
    struct move items; /* from the operand to the order of the result */
};

/* One operation of the chain. */
struct operation {
    map_function *map; /* NULL: one of these, item by item */
    double (*unary)(double x), (*binary)(double x, double y);
    struct map_numbers numbers;
    int source[OPERANDS]; /* those that the function lacks are the first */
};

/* The state of a step.  Sources and operations are in the arena of the plan. */
struct item_chain {
    const struct maps *maps;
    int64_t count, grain; /* items; tiles of a part */
    int nslot, nsource, noperation;
    struct feed *source;
    struct operation *operation;
    bool truth; /* the result is bytes */
};

/* --- operators ------------------------------------------------------------------------------ */

/* All operators that can be part of a chain, with their cost. */
static const struct chain_operator {
    enum op_id op;
    enum map_id map; /* MAP_COUNT: by the function that the operator's descriptor names */
    int weight;
} known[] = {
#define MAP(name, weight, formula) {OP_##name, MAP_##name, WEIGHT_##weight},
#include "kernel/map.def"
#undef MAP
#define CALL(name) {OP_##name, MAP_COUNT, WEIGHT_CALL},
#include "backend/portable/chain.def"
#undef CALL
};

static const struct chain_operator *chain_operator_of(const struct node *node)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (is_op(node, known[i].op))
            return &known[i];
    return NULL;
}

static bool is_known(const struct node *node)
{
    const bool copies = is_op(node, OP_cast) && node->in[0].value->dtype == node->out[0].dtype;

    return chain_operator_of(node) != NULL && !copies;
}

/* Kernels compute in float; logical items are 0 and 1 on the way. */
unsigned portable_chain_match(const struct planner *planner, const struct group *group, void *match)
{
    (void)planner;
    (void)match;
    return group_item_layouts(group, is_known);
}

/* --- running -------------------------------------------------------------------------------- */

struct chain_job {
    const struct item_chain *chain;
    const struct step *step;
    const struct step_frame *frame;
};

/* The memory of a member, and its present tile. */
struct desk {
    const struct chain_job *job;
    float *slots;
    int64_t begin, end;                             /* items of the tile */
    const float *where[GROUP_NODES * OPERANDS + 1]; /* by source: its items for the tile */
};

static float *slot_of(const struct desk *desk, int slot)
{
    return desk->slots + (size_t)slot * TILE;
}

/* Is it one number, which fills a slot once for all tiles? */
static bool is_same_in_all_tiles(const struct feed *source)
{
    return source->operand == STEP_NONE || (move_is_constant(&source->items) && !source->truth);
}

/* Compute the present tile of one operation; `to` may be the tile as computed so far. */
static void operate(const struct desk *desk, const struct operation *o, float *to)
{
    const float *in[OPERANDS];
    int64_t count = desk->end - desk->begin;

    for (int i = 0; i < OPERANDS; i++)
        in[i] = desk->where[o->source[i]];
    if (o->map) {
        o->map(to, in, &o->numbers, count);
        return;
    }
    assert(o->unary || o->binary);
    for (int64_t i = 0; i < count; i++)
        to[i] = (float)(o->unary ? o->unary((double)in[0][i])
                                 : o->binary((double)in[0][i], (double)in[1][i]));
}

/* Fetch the sources of the present tile and compute the chain; the last operation writes to the
 * result itself, unless that is bytes. */
static void do_tile(struct desk *desk)
{
    const struct item_chain *chain = desk->job->chain;
    void *out = step_out(desk->job->step, desk->job->frame, 0);
    float *so_far = slot_of(desk, 0);
    const int64_t range[] = {desk->begin, desk->end}, count = desk->end - desk->begin;
    int last = chain->noperation - 1;

    for (int i = 1; i < chain->nsource; i++) {
        const struct feed *source = &chain->source[i];
        if (is_same_in_all_tiles(source))
            continue;
        const void *from = step_in(desk->job->step, desk->job->frame, source->operand);
        if (source->slot == IN_PLACE) {
            desk->where[i] = (const float *)from + desk->begin;
            continue;
        }
        float *slot = slot_of(desk, source->slot);
        desk->where[i] = slot;
        if (!source->truth) {
            move_range(&source->items, sizeof(float), slot, from, range);
        } else if (move_is_dense(&source->items)) {
            chain->maps->from_truth(slot, (const uint8_t *)from + desk->begin, count);
        } else {
            uint8_t *bytes = (uint8_t *)slot_of(desk, source->slot + 1);
            move_range(&source->items, sizeof *bytes, bytes, from, range);
            chain->maps->from_truth(slot, bytes, count);
        }
    }
    for (int i = 0; i < last; i++)
        operate(desk, &chain->operation[i], so_far);
    if (!chain->truth) {
        operate(desk, &chain->operation[last], (float *)out + desk->begin);
        return;
    }
    operate(desk, &chain->operation[last], so_far);
    chain->maps->to_truth((uint8_t *)out + desk->begin, so_far, count);
}

/* Tiles begin <= i < end; numbers fill their slots once for all of them. */
static void do_tiles(void *data, int64_t begin, int64_t end, int member)
{
    const struct chain_job *job = data;
    const struct item_chain *chain = job->chain;
    int64_t most = num_min(TILE, chain->count - begin * TILE); /* items of the first tile */
    struct desk desk;                                          /* of which few sources are used */

    desk.job = job;
    desk.slots = (float *)job->frame->scratch + (size_t)(member * chain->nslot) * TILE;
    assert(begin >= 0 && chain->noperation > 0);
    desk.where[SO_FAR] = slot_of(&desk, 0);
    for (int i = 1; i < chain->nsource; i++) {
        const struct feed *source = &chain->source[i];
        if (!is_same_in_all_tiles(source))
            continue;
        float number = source->operand == STEP_NONE
                           ? source->number
                           : *(const float *)step_in(job->step, job->frame, source->operand);
        float *to = slot_of(&desk, source->slot);
        for (int64_t k = 0; k < most; k += RUN)
            for (int j = 0; j < RUN; j++) /* a number of them that the compiler knows */
                to[k + j] = number;
        desk.where[i] = to;
    }
    for (int64_t i = begin; i < end; i++) {
        desk.begin = i * TILE;
        desk.end = num_min(desk.begin + TILE, chain->count);
        do_tile(&desk);
    }
}

static bool run_chain(const struct step *step, const struct step_frame *frame)
{
    const struct item_chain *chain = step->state;
    struct chain_job job = {chain, step, frame};

    team_share(frame->team, num_divide_up(chain->count, TILE), chain->grain, do_tiles, &job);
    return true;
}

static const struct kernel portable_chain = {.name = "items", .run = run_chain};

/* --- making --------------------------------------------------------------------------------- */

/* Add a source for an operand; its index, or -1 after a report. */
static int add_source(struct planner *planner, const struct group *group, struct step *step,
                      const struct value *value)
{
    struct item_chain *chain = step->state;
    struct feed *source = &chain->source[chain->nsource];
    const struct tensor *constant = plan_constant(planner, value);
    const struct value *result = group_result(group);

    assert(chain->nsource <= group->count * OPERANDS);
    if (constant && shape_volume(&constant->shape) == 1) {
        *source = (struct feed){.operand = STEP_NONE,
                                .slot = chain->nslot++,
                                .number = (float)tensor_item(constant, 0)};
        return chain->nsource++;
    }
    *source = (struct feed){.operand = step->nin,
                            .truth = value->dtype == DTYPE_LOGICAL,
                            .items = move_broadcast(value->shape, result->shape, step->layout)};
    if (!plan_read(planner, step, value, step->layout))
        return -1;
    if (source->truth || !move_is_dense(&source->items)) {
        source->slot = chain->nslot;
        chain->nslot += source->truth && !move_is_dense(&source->items) ? 2 : 1;
        return chain->nsource++;
    }
    /* It lies like the result, which may take its memory if only this group reads it. */
    uint32_t reads = 0;
    for (int i = 0; i < group->count; i++)
        for (uint32_t k = 0; k < group->nodes[i]->nin; k++)
            reads += group->nodes[i]->in[k].value == value;
    bool used_up = value->kind == VALUE_RESULT && planner->live.holds[value->id] == reads;
    source->slot = IN_PLACE;
    if (step->reused == STEP_NONE && result->dtype == DTYPE_SCALAR && used_up)
        step->reused = source->operand;
    return chain->nsource++;
}

/* The operations of the chain, and where each operand of them comes from; false after a report. */
static bool add_operations(struct planner *planner, const struct group *group, struct step *step)
{
    struct item_chain *chain = step->state;
    int weight = 1;

    for (int at = 0; at < group->count; at++) {
        const struct node *node = group->nodes[at];
        const struct chain_operator *k = chain_operator_of(node);
        struct operation *o = &chain->operation[at];

        assert(k && node->nin > 0 && node->nin <= OPERANDS);
        *o = (struct operation){.map = k->map < MAP_COUNT ? chain->maps->map[k->map] : NULL,
                                .unary = node->op->unary,
                                .binary = node->op->binary};
        if (is_op(node, OP_leaky_relu) || is_op(node, OP_elu) || is_op(node, OP_selu))
            o->numbers.alpha = (float)attr_alpha(node);
        if (is_op(node, OP_selu))
            o->numbers.lambda = (float)attr_lambda(node);
        for (uint32_t i = 0; i < OPERANDS; i++) {
            bool inner = i < node->nin && group_is_inner(group, at, i);
            o->source[i] = i >= node->nin ? o->source[0]
                           : inner        ? SO_FAR
                                          : add_source(planner, group, step, node->in[i].value);
            if (o->source[i] < 0)
                return false;
        }
        weight += k->weight;
    }
    chain->grain = 1 + WEIGHT_OF_PART / weight;
    return true;
}

bool portable_chain_make(struct planner *planner, const struct group *group, struct step *step)
{
    struct arena *arena = planner->plan->arena;
    struct item_chain *chain = arena_new_of(arena, struct item_chain);
    struct feed sources[GROUP_NODES * OPERANDS + 1]; /* most chains have far fewer */

    assert(group->count <= GROUP_NODES);
    assert(group->count > 0 && step->reused == STEP_NONE);
    *chain = (struct item_chain){.maps = planner->plan->kernels->maps,
                                 .count = shape_volume(group_result(group)->shape),
                                 .nslot = 1,
                                 .nsource = 1,
                                 .source = sources,
                                 .operation = arena_array_of(arena, struct operation, group->count),
                                 .noperation = group->count,
                                 .truth = group_result(group)->dtype == DTYPE_LOGICAL};
    step->kernel = &portable_chain;
    step->state = chain;
    bool ok = add_operations(planner, group, step);
    chain->source = arena_array_of(arena, struct feed, chain->nsource);
    memcpy(chain->source, sources, (size_t)chain->nsource * sizeof *sources);
    if (!ok)
        return false;
    step->scratch = (size_t)(planner->plan->threads * chain->nslot) * TILE * sizeof(float);
    return plan_write(planner, step, group_result(group));
}
