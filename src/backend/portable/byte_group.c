/*
 * byte_group.c - what is done to bytes, or their numbers, until there are bytes again
 *
 * Any chain of functions of one byte is a table of 256 results, which the reference kernels
 * compute: also if several of them read the byte.  Results are repeated if the image is upsampled
 * in between.  A maximum of numbers is that of their bytes.  Without 'quantize' at the end the
 * result is numbers.
 */
#include "backend/portable/portable.h"

#include "backend/portable/moves.h"
#include "backend/portable/quantized.h"
#include "base/arena.h"
#include "base/team.h"
#include "exec/geometry.h"
#include "exec/planner.h"
#include "kernel/kernels.h"
#include "tensor/quantization.h"
#include "tensor/tensor.h"

#include <assert.h>
#include <string.h>

enum { ITEMS, SCALE, ZERO, BYTES = 256, PART = 1 << 14 };

/* --- the ends of a group --------------------------------------------------------------------- */

bool known_code(const struct planner *planner, const struct node *node, struct known_code *code)
{
    double scale;

    if (!plan_number(planner, node->in[SCALE].value, &scale) ||
        !plan_integer(planner, node->in[ZERO].value, &code->zero))
        return false;
    code->scale = (float)scale;
    return true;
}

/* Does the group begin with bytes of one known scale and zero? */
static bool begins(const struct planner *planner, const struct group *group, struct byte_group *g)
{
    const struct node *first = group->nodes[0];

    return is_op(first, OP_dequantize) && group->count > 1 &&
           shape_volume(first->out[0].shape) > 0 &&
           plan_has_bytes(planner, first->in[ITEMS].value, &g->is_signed) &&
           known_code(planner, first, &g->from) && is_byte(g->from.zero);
}

/* Does it end with bytes, or else with numbers?  *quantizes: with bytes. */
static bool ends(const struct planner *planner, const struct group *group, bool *quantizes)
{
    bool is_signed;

    *quantizes = group_result(group)->dtype == DTYPE_INTEGER;
    return *quantizes ? plan_has_bytes(planner, group_result(group), &is_signed)
                      : has_numbers(group_result(group));
}

/* --- tables ---------------------------------------------------------------------------------- */

/* The bytes that all is a function of: what the first node reads that is no constant. */
static const struct value *source_of(const struct planner *planner, const struct group *group)
{
    const struct node *first = group->nodes[0];

    return is_op(first, OP_dequantize) || !plan_constant(planner, first->in[0].value)
               ? first->in[0].value
               : first->in[1].value;
}

/* Has each item of the result an item of the operand?  Sums and products have one scale, and one
 * zero, for all. */
static bool goes_by_items(const struct node *node, uint32_t operand)
{
    return operand < 2 || !is_pair(node);
}

/* The node that repeats the items of the one before; NULL: none does. */
static const struct node *repetition_of(const struct group *group)
{
    for (int i = 1; i < group->count; i++)
        if (is_op(group->nodes[i], OP_nearest_upsample) && group_is_inner(group, i, 0))
            return group->nodes[i];
    return NULL;
}

/* Has the result that shape, and is each operand the result before, the bytes in that shape, or a
 * constant of one item? */
static bool is_function(const struct planner *planner, const struct group *group, int at,
                        const struct shape *shape)
{
    const struct node *node = group->nodes[at];
    const struct value *source = source_of(planner, group);
    const unsigned never = OP_EFFECT | OP_CUSTOM | OP_RANDOM;
    int varying = 0;

    if (!(node->op->traits & OP_ELEMENTWISE) || node->op->traits & never || !node->op->eval ||
        node->nout != 1 || !shape_equal(node->out[0].shape, shape))
        return false;
    for (uint32_t i = 0; i < node->nin; i++) {
        const struct tensor *constant = plan_constant(planner, node->in[i].value);
        if (goes_by_items(node, i) &&
            (group_is_inner(group, at, i) ||
             (node->in[i].value == source && shape_equal(source->shape, shape))))
            varying++;
        else if (!constant || shape_volume(&constant->shape) != 1)
            return false;
    }
    return varying > 0;
}

/* One 'dequantize' is no matter for a table. */
unsigned portable_byte_table_match(const struct planner *planner, const struct group *group,
                                   void *match)
{
    const struct node *first = group->nodes[0];
    const struct value *source = source_of(planner, group);
    const struct node *repetition = repetition_of(group);
    const struct shape *shape = source->shape;
    struct byte_group *g = match;

    *g = (struct byte_group){.kernels = planner->plan->kernels->bytes,
                             .count = shape_volume(source->shape)};
    if (g->count == 0 || (group->count == 1 && is_op(first, OP_dequantize)) ||
        !plan_has_bytes(planner, source, &g->is_signed) || !ends(planner, group, &g->quantizes))
        return 0;
    for (int i = 0; i < group->count; i++) {
        const struct node *node = group->nodes[i];
        if (node == repetition && node->out[0].shape->rank == shape->rank)
            shape = node->out[0].shape;
        else if (!is_function(planner, group, i, shape) || node->out[0].dtype == DTYPE_LOGICAL)
            return 0;
        g->computes |= i > 0 && node != repetition;
    }
    g->computes |= !begins(planner, group, g);
    g->repeats = repetition != NULL;
    return source->shape->rank > 2 ? IN_PLAIN | IN_CHANNELS_LAST : IN_PLAIN;
}

/* Results for all bytes, as they lie in memory. */
struct table {
    union {
        int64_t integers[BYTES];
        float numbers[BYTES];
    } of;
    struct tensor tensor;
};

/* A table in the making: the bytes, and the results of the last two nodes in turns. */
struct filling {
    const struct planner *planner;
    const struct group *group;
    struct table source, results[2];
};

static void table_begin(struct table *table, enum dtype dtype)
{
    table->tensor = (struct tensor){
        .shape = {.rank = 1, .extent = {BYTES}}, .dtype = dtype, .data = &table->of};
}

/* The results of a node, by those of the node before; false after a report. */
static bool compute(struct filling *f, int at)
{
    const struct group *group = f->group;
    const struct value *bytes = source_of(f->planner, group);
    const struct node *node = group->nodes[at];
    const struct table *before = &f->results[(at + 1) % 2];
    struct table *results = &f->results[at % 2];
    const struct tensor *in[OP_OPERANDS];
    struct tensor constant[OP_OPERANDS];
    int64_t integer[OP_OPERANDS];
    struct tensor *out[] = {&results->tensor};
    const struct eval eval = {
        .node = node, .attrs = node->attrs, .in = in, .out = out, .diag = f->planner->diag};

    assert(node->nin <= OP_OPERANDS);
    table_begin(results, node->out[0].dtype);
    if (node == repetition_of(group)) {
        results->of = before->of;
        return true;
    }
    for (uint32_t i = 0; i < node->nin; i++) {
        if (group_is_inner(group, at, i) || node->in[i].value == bytes) {
            in[i] = node->in[i].value == bytes ? &f->source.tensor : &before->tensor;
            continue;
        }
        constant[i] = *plan_constant(f->planner, node->in[i].value);
        if (constant[i].dtype == DTYPE_INTEGER) {
            integer[i] = tensor_integer(&constant[i], 0);
            constant[i] = (struct tensor){.dtype = DTYPE_INTEGER, .data = &integer[i]};
        }
        constant[i].shape = (struct shape){0};
        in[i] = &constant[i];
    }
    return node->op->eval(&eval);
}

/* By the byte as it lies in memory. */
static bool fill_table(const struct planner *planner, const struct group *group,
                       struct byte_group *g)
{
    struct filling f = {.planner = planner, .group = group};
    const struct table *last = &f.results[(group->count - 1) % 2];

    table_begin(&f.source, DTYPE_INTEGER);
    for (int i = 0; i < BYTES; i++)
        f.source.of.integers[i] = g->is_signed ? (int8_t)i : i;
    for (int i = 0; i < group->count; i++)
        if (!compute(&f, i))
            return false;
    for (int i = 0; i < BYTES && g->quantizes; i++)
        g->byte[i] = (uint8_t)last->of.integers[i];
    if (!g->quantizes)
        memcpy(g->number, last->of.numbers, sizeof g->number);
    return true;
}

static size_t item_size(const struct byte_group *g)
{
    return g->quantizes ? 1 : sizeof(float);
}

struct table_job {
    const struct byte_group *group;
    const struct byte_kernels *kernels;
    const uint8_t *from;
    void *to;
};

static void look_up(void *data, int64_t begin, int64_t end, int member)
{
    const struct table_job *job = data;
    const struct byte_group *g = job->group;
    const struct byte_code code = {.is_signed = g->is_signed, .zero = (int32_t)g->from.zero};
    float *numbers = job->to;

    (void)member;
    if (g->quantizes)
        job->kernels->look_up((uint8_t *)job->to + begin, job->from + begin, g->byte, end - begin);
    else if (!g->computes)
        job->kernels->numbers(numbers + begin, job->from + begin, &code, g->from.scale,
                              end - begin);
    else
        for (int64_t i = begin; i < end; i++)
            numbers[i] = g->number[job->from[i]];
}

static bool run_table(const struct step *step, const struct step_frame *frame)
{
    const struct byte_group *g = step->state;
    void *out = step_out(step, frame, 0);
    struct table_job job = {g, g->kernels, step_in(step, frame, 0),
                            g->moves ? frame->scratch : out};

    team_share(frame->team, g->count, PART, look_up, &job);
    if (g->moves)
        move_run(g->moves, item_size(g), out, job.to, frame->team);
    return true;
}

static const struct kernel portable_table = {.name = "table of bytes", .run = run_table};

/* Room for what a match found. */
static struct byte_group *begin_step(struct planner *planner, const struct group *group,
                                     const struct kernel *kernel, struct step *step)
{
    struct byte_group *g = arena_new_of(planner->plan->arena, struct byte_group);

    *g = *(const struct byte_group *)group->match;
    step->kernel = kernel;
    step->state = g;
    return g;
}

/* Results for the bytes, in scratch memory, are moved to where they are repeated. */
static const struct move *moves_of(const struct planner *planner, const struct group *group,
                                   const struct node *repetition, enum layout layout)
{
    struct move *moves = arena_new_of(planner->plan->arena, struct move);
    const struct strided_view from = view_in_order(repetition->in[0].value->shape, layout);
    struct strided_view to = plan_target(planner, group_result(group), layout);

    to.at = 0;
    *moves = move_repeated(repetition, layout, &from, &to);
    return moves;
}

bool portable_byte_table_make(struct planner *planner, const struct group *group, struct step *step)
{
    struct byte_group *g = begin_step(planner, group, &portable_table, step);
    const struct node *repetition = repetition_of(group);
    const struct value *result = group_result(group);

    if (!fill_table(planner, group, g) ||
        !plan_read(planner, step, source_of(planner, group), step->layout))
        return false;
    if (!repetition)
        return plan_write(planner, step, result);
    g->moves = moves_of(planner, group, repetition, step->layout);
    step->scratch = (size_t)g->count * item_size(g);
    return plan_write_view(planner, step, result);
}

/* --- maxima ---------------------------------------------------------------------------------- */

/* The bytes are those of the numbers if both ends have one scale and zero. */
static bool is_same_code(const struct planner *planner, const struct byte_group *g,
                         const struct node *last)
{
    struct known_code to;
    bool is_signed;

    return known_code(planner, last, &to) && to.scale == g->from.scale && to.zero == g->from.zero &&
           plan_has_bytes(planner, &last->out[0], &is_signed) && is_signed == g->is_signed &&
           attr_low(last) <= (g->is_signed ? INT8_MIN : 0) &&
           attr_high(last) >= (g->is_signed ? INT8_MAX : UINT8_MAX);
}

/* The same windows as portable_pool_match() takes.  Numbers grow with the bytes, for they are
 * finite, and 0 has one. */
unsigned portable_byte_pool_match(const struct planner *planner, const struct group *group,
                                  void *match)
{
    struct byte_group *g = match;
    const struct node *pool = group->count > 1 ? group->nodes[1] : NULL;
    struct image_pool windows;

    *g = (struct byte_group){0};
    if (!begins(planner, group, g) || group->count > 3 || !is_op(pool, OP_max_pool) ||
        !ends(planner, group, &g->quantizes) || (group->count == 3) != g->quantizes ||
        (g->quantizes && !is_same_code(planner, g, group_last(group))) || !(g->from.scale > 0) ||
        !(g->from.scale * UINT16_MAX < HUGE_VALF) ||
        !is_code(g->from.zero, &(struct byte_code){.is_signed = g->is_signed}) ||
        !match_pool(pool, &windows))
        return 0;
    g->pool = (struct byte_pool){.conv = windows.conv,
                                 .is_signed = g->is_signed,
                                 .zeros = windows.zeros,
                                 .zero = (uint8_t)g->from.zero};
    g->count = shape_volume(pool->out[0].shape);
    return IN_CHANNELS_LAST;
}

/* Numbers are made of the bytes in scratch memory. */
static bool run_pool(const struct step *step, const struct step_frame *frame)
{
    const struct byte_group *g = step->state;
    const struct byte_kernels *k = kernels_variant(0)->bytes;
    const struct byte_code code = {.is_signed = g->is_signed, .zero = (int32_t)g->from.zero};
    void *out = step_out(step, frame, 0), *bytes = g->quantizes ? out : frame->scratch;

    k->max_pool(&g->pool, step_in(step, frame, 0), bytes, frame->team);
    if (!g->quantizes)
        k->numbers(out, bytes, &code, g->from.scale, g->count);
    return true;
}

static const struct kernel portable_byte_pool = {.name = "maxima of bytes", .run = run_pool};

bool portable_byte_pool_make(struct planner *planner, const struct group *group, struct step *step)
{
    const struct byte_group *g = begin_step(planner, group, &portable_byte_pool, step);

    step->scratch = g->quantizes ? 0 : (size_t)g->count;
    return plan_read(planner, step, group->nodes[0]->in[ITEMS].value, step->layout) &&
           plan_write(planner, step, group_result(group));
}
