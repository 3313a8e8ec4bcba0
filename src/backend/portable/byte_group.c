/*
 * byte_group.c - what is done to the numbers of bytes before they are bytes again
 *
 * Any chain of functions of one item is a table of 256 results, which the reference kernels
 * compute. A maximum of numbers is that of their bytes.  Without 'quantize' at the end the result
 * is numbers.
 */
#include "backend/portable/portable.h"

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

/* Does it end with bytes?  *quantizes: the last node makes bytes of numbers. */
static bool ends(const struct planner *planner, const struct group *group, bool *quantizes)
{
    bool is_signed;

    *quantizes = is_op(group_last(group), OP_quantize);
    return *quantizes ? plan_has_bytes(planner, group_result(group), &is_signed)
                      : has_numbers(group_result(group));
}

/* --- tables ---------------------------------------------------------------------------------- */

/* Are all operands but that one constants of one item? */
static bool is_function(const struct planner *planner, const struct group *group, int at)
{
    const struct node *node = group->nodes[at];
    const unsigned never = OP_EFFECT | OP_CUSTOM | OP_RANDOM;
    int inner = 0;

    if (!(node->op->traits & OP_ELEMENTWISE) || node->op->traits & never || !node->op->eval ||
        node->nout != 1 || !shape_equal(node->out[0].shape, group->nodes[0]->out[0].shape))
        return false;
    for (uint32_t i = 0; i < node->nin; i++) {
        const struct tensor *constant = plan_constant(planner, node->in[i].value);
        if (group_is_inner(group, at, i))
            inner++;
        else if (!constant || shape_volume(&constant->shape) != 1)
            return false;
    }
    return inner == 1;
}

unsigned portable_byte_table_match(const struct planner *planner, const struct group *group,
                                   void *match)
{
    struct byte_group *g = match;

    *g = (struct byte_group){.count = shape_volume(group->nodes[0]->out[0].shape)};
    if (!begins(planner, group, g) || !ends(planner, group, &g->quantizes))
        return 0;
    for (int i = 1; i < group->count; i++)
        if (!is_function(planner, group, i) ||
            (i + 1 < group->count && group->nodes[i]->out[0].dtype != DTYPE_SCALAR))
            return 0;
    return group->nodes[0]->out[0].shape->rank > 2 ? IN_PLAIN | IN_CHANNELS_LAST : IN_PLAIN;
}

/* The results of a node for 256 numbers; false after a report. */
static bool compute(const struct planner *planner, const struct group *group, int at,
                    const struct tensor *from, struct tensor *to)
{
    const struct node *node = group->nodes[at];
    const struct tensor *in[OP_OPERANDS];
    struct tensor constant[OP_OPERANDS];
    struct tensor *out[] = {to};
    const struct eval eval = {
        .node = node, .attrs = node->attrs, .in = in, .out = out, .diag = planner->diag};

    assert(node->nin <= OP_OPERANDS);
    for (uint32_t i = 0; i < node->nin; i++) {
        if (group_is_inner(group, at, i)) {
            in[i] = from;
            continue;
        }
        constant[i] = *plan_constant(planner, node->in[i].value);
        constant[i].shape = (struct shape){0};
        in[i] = &constant[i];
    }
    return node->op->eval(&eval);
}

/* By the byte as it lies in memory. */
static bool fill_table(const struct planner *planner, const struct group *group,
                       struct byte_group *g)
{
    const struct shape shape = {.rank = 1, .extent = {BYTES}};
    float numbers[2][BYTES];
    int64_t integers[BYTES] = {0};
    int last = 0;

    for (int i = 0; i < BYTES; i++)
        numbers[0][i] = quantized_number(g->is_signed ? (int8_t)i : i, g->from.zero, g->from.scale);
    for (int i = 1; i < group->count; i++, last = !last) {
        const struct tensor from = {.shape = shape, .dtype = DTYPE_SCALAR, .data = numbers[last]};
        bool ends_here = is_op(group->nodes[i], OP_quantize);
        struct tensor to = {.shape = shape,
                            .dtype = ends_here ? DTYPE_INTEGER : DTYPE_SCALAR,
                            .data = ends_here ? (void *)integers : numbers[!last]};
        if (!compute(planner, group, i, &from, &to))
            return false;
    }
    for (int i = 0; i < BYTES; i++)
        g->byte[i] = (uint8_t)integers[i];
    memcpy(g->number, numbers[last], sizeof g->number);
    return true;
}

struct table_job {
    const struct byte_group *group;
    const uint8_t *from;
    void *to;
};

static void look_up(void *data, int64_t begin, int64_t end, int member)
{
    const struct table_job *job = data;
    const struct byte_group *g = job->group;
    uint8_t *restrict bytes = job->to;
    float *numbers = job->to;

    (void)member;
    if (g->quantizes)
        for (int64_t i = begin; i < end; i++)
            bytes[i] = g->byte[job->from[i]];
    else
        for (int64_t i = begin; i < end; i++)
            numbers[i] = g->number[job->from[i]];
}

static bool run_table(const struct step *step, const struct step_frame *frame)
{
    const struct byte_group *g = step->state;
    struct table_job job = {g, step_in(step, frame, 0), step_out(step, frame, 0)};

    team_share(frame->team, g->count, PART, look_up, &job);
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

bool portable_byte_table_make(struct planner *planner, const struct group *group, struct step *step)
{
    struct byte_group *g = begin_step(planner, group, &portable_table, step);

    return fill_table(planner, group, g) &&
           plan_read(planner, step, group->nodes[0]->in[ITEMS].value, step->layout) &&
           plan_write(planner, step, group_result(group));
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
