/*
 * reduction.c - reductions, softmax and layer normalization
 *
 * The axes are rows, whose items follow each other, or columns, which come in blocks of neighbours.
 */
#include "backend/portable/portable.h"

#include "base/arena.h"
#include "base/num.h"
#include "base/team.h"
#include "exec/planner.h"
#include "exec/view.h"
#include "kernel/kernels.h"
#include "tensor/tensor.h"

#include <assert.h>

/* Columns of a block; items of a part of the work. */
enum { COLUMNS = 64, PART = 1 << 13 };

/* An operand with an item for each item of a row. */
struct by_item {
    const float *data; /* NULL: an operand of the step */
    int operand;
};

enum reduction_work { WORK_FOLD, WORK_SOFTMAX, WORK_NORMALIZE };

/* The state of a step. */
struct reduction_step {
    enum reduction_work work;
    const struct reduction_kernels *kernels;
    struct row_layout along;
    enum fold_kind fold;          /* of a fold */
    struct by_item scale, offset; /* of a normalization, like what follows */
    double epsilon;
    bool centered;
};

/* A run, shared among members by rows or by blocks of columns. */
struct reduction_job {
    const struct reduction_step *reductions;
    const float *from;
    float *to;
    struct row_normalization how;
};

/* --- running -------------------------------------------------------------------------------- */

/* Blocks of columns for each outer index; one if the axes are rows. */
static int64_t block_count(const struct row_layout *b)
{
    return num_divide_up(b->inner, COLUMNS);
}

/* Rows begin <= i < end; a fold makes one item of each. */
static void reduce_rows(void *data, int64_t begin, int64_t end, int member)
{
    const struct reduction_job *job = data;
    const struct reduction_step *s = job->reductions;
    int64_t length = s->along.length;

    (void)member;
    for (int64_t i = begin; i < end; i++) {
        const float *from = job->from + i * length;
        float *to = job->to + i * length;
        switch (s->work) {
        case WORK_FOLD:
            s->kernels->fold_row(s->fold, job->to + i, from, length);
            break;
        case WORK_SOFTMAX:
            s->kernels->softmax_row(to, from, length);
            break;
        case WORK_NORMALIZE: /* all at once */
            s->kernels->normalize(to, from, end - begin, &job->how);
            return;
        }
    }
}

/* Blocks of columns begin <= i < end; a fold makes a row of items of each. */
static void reduce_columns(void *data, int64_t begin, int64_t end, int member)
{
    const struct reduction_job *job = data;
    const struct reduction_step *s = job->reductions;
    const struct row_layout *b = &s->along;

    (void)member;
    assert(s->work != WORK_NORMALIZE); /* its rows are rows in memory, see its match */
    for (int64_t i = begin; i < end; i++) {
        int64_t outer = i / block_count(b), first = i % block_count(b) * COLUMNS;
        int64_t at = outer * b->length * b->inner + first;
        const struct reduction_columns columns = {num_min(b->inner - first, COLUMNS), b->length,
                                                  b->inner};
        if (s->work == WORK_FOLD)
            s->kernels->fold_columns(s->fold, job->to + outer * b->inner + first, job->from + at,
                                     &columns);
        else
            s->kernels->softmax_columns(job->to + at, job->from + at, &columns);
    }
}

/* The items of scale or offset, known to the plan or read by the run. */
static const float *items_of(const struct step *step, const struct step_frame *frame,
                             const struct by_item *by)
{
    return by->data ? by->data : step_in(step, frame, by->operand);
}

static bool run_reduction(const struct step *step, const struct step_frame *frame)
{
    const struct reduction_step *s = step->state;
    const struct row_layout *b = &s->along;
    struct reduction_job job = {
        .reductions = s, .from = step_in(step, frame, 0), .to = step_out(step, frame, 0)};
    bool rows = b->inner == 1;

    if (s->work == WORK_NORMALIZE)
        job.how = (struct row_normalization){.length = b->length,
                                             .scale = items_of(step, frame, &s->scale),
                                             .offset = items_of(step, frame, &s->offset),
                                             .epsilon = s->epsilon,
                                             .centered = s->centered};
    team_share(frame->team, b->outer * block_count(b),
               PART / (b->length * num_min(b->inner, COLUMNS)), rows ? reduce_rows : reduce_columns,
               &job);
    return true;
}

/* --- planning ------------------------------------------------------------------------------- */

/* By enum reduction_work. */
static const struct kernel kernels[] = {
    {.name = "reduction", .run = run_reduction},
    {.name = "softmax", .run = run_reduction},
    {.name = "normalization", .run = run_reduction},
};

/* Are the axes rows or columns in this layout? */
static bool lies_so(const struct node *node, enum layout layout, struct row_layout *along)
{
    const struct integers *axes = attr_axes(node);
    const struct value *in = node->in[0].value;

    return axes->count > 0 && in->dtype == DTYPE_SCALAR && node->out[0].dtype == DTYPE_SCALAR &&
           row_layout_of(in->shape, axes, layout, along);
}

/* Reductions and softmax: the axes must be rows or columns, in either layout. */
unsigned portable_reduction_match(const struct planner *planner, const struct group *group,
                                  void *match)
{
    const struct node *node = group->nodes[0];
    struct row_layout along;
    unsigned layouts = 0;

    (void)planner;
    (void)match;
    if (group->count > 1)
        return 0;
    if (lies_so(node, LAYOUT_PLAIN, &along))
        layouts |= IN_PLAIN;
    if (!layout_is_moot(node->in[0].value->shape) && lies_so(node, LAYOUT_CHANNELS_LAST, &along))
        layouts |= IN_CHANNELS_LAST;
    return layouts;
}

/* Make the step, up to its first operand; NULL after a report. */
static struct reduction_step *add_reduction(struct planner *planner, const struct group *group,
                                            struct step *step, enum reduction_work work)
{
    struct reduction_step *reductions = arena_new_of(planner->plan->arena, struct reduction_step);
    const struct node *node = group->nodes[0];

    assert(group->layouts & 1U << step->layout);
    reductions->work = work;
    reductions->kernels = planner->plan->kernels->reductions;
    step->kernel = &kernels[work];
    step->state = reductions;
    bool ok = lies_so(node, step->layout, &reductions->along) &&
              plan_read(planner, step, node->in[0].value, step->layout);
    return ok ? reductions : NULL;
}

bool portable_reduction_make(struct planner *planner, const struct group *group, struct step *step)
{
    const struct node *node = group->nodes[0];
    struct reduction_step *reductions = add_reduction(planner, group, step, WORK_FOLD);

    if (!reductions)
        return false;
    if (is_op(node, OP_max_reduce))
        reductions->fold = FOLD_MAX;
    else if (is_op(node, OP_min_reduce))
        reductions->fold = FOLD_MIN;
    else
        reductions->fold =
            is_op(node, OP_mean_reduce) || attr_normalize(node) ? FOLD_MEAN : FOLD_SUM;
    return plan_write(planner, step, group_result(group));
}

bool portable_softmax_make(struct planner *planner, const struct group *group, struct step *step)
{
    if (!add_reduction(planner, group, step, WORK_SOFTMAX))
        return false;
    step->reused = 0;
    return plan_write(planner, step, group_result(group));
}

/* --- planning of layer normalization -------------------------------------------------------- */

/* Does scale or offset have an item for each item of a row, or one for all? */
static bool goes_by_item(const struct planner *planner, const struct node *node,
                         const struct value *value)
{
    const struct shape *in = node->in[0].value->shape;
    const struct integers *axes = attr_axes(node);
    const struct tensor *constant = plan_constant(planner, value);
    int64_t across = shape_volume(value->shape), length = 1;

    if (value->dtype != DTYPE_SCALAR || (constant && shape_volume(&constant->shape) == 1))
        return value->dtype == DTYPE_SCALAR;
    for (int i = 0; i < axes->count; i++) {
        int64_t extent = shape_extent(in, (int)axes->item[i]);
        length *= extent;
        if (shape_extent(value->shape, (int)axes->item[i]) != extent)
            return false;
    }
    return across == length;
}

/* Rows only, so that items of a row meet items of scale and offset. */
unsigned portable_normalize_match(const struct planner *planner, const struct group *group,
                                  void *match)
{
    const struct node *node = group->nodes[0];
    unsigned layouts = portable_reduction_match(planner, group, match);
    struct row_layout along;

    for (uint32_t i = 1; i < node->nin; i++)
        if (!goes_by_item(planner, node, node->in[i].value))
            return 0;
    for (int layout = 0; layout < LAYOUT_COUNT; layout++)
        if (layouts & 1U << layout &&
            (!lies_so(node, (enum layout)layout, &along) || along.inner > 1))
            layouts &= ~(1U << layout);
    return layouts;
}

/* A list in memory of the plan, of one number. */
static bool repeat_by_item(struct planner *planner, const struct step *step, float number,
                           struct by_item *by)
{
    const struct reduction_step *reductions = step->state;
    float *all = plan_memory(planner, (size_t)reductions->along.length * sizeof *all);

    for (int64_t i = 0; all && i < reductions->along.length; i++)
        all[i] = number;
    by->data = all;
    return all != NULL;
}

/* Read scale or offset, of which one item may stand for all. */
static bool add_by_item(struct planner *planner, struct step *step, const struct value *value,
                        struct by_item *by)
{
    const struct tensor *constant = plan_constant(planner, value);

    if (constant && shape_volume(&constant->shape) == 1)
        return repeat_by_item(planner, step, (float)tensor_item(constant, 0), by);
    by->operand = step->nin;
    return plan_read(planner, step, value, step->layout);
}

bool portable_normalize_make(struct planner *planner, const struct group *group, struct step *step)
{
    const struct node *node = group->nodes[0];
    struct reduction_step *reductions = add_reduction(planner, group, step, WORK_NORMALIZE);

    if (!reductions)
        return false;
    assert(reductions->along.inner == 1);
    step->reused = 0;
    reductions->epsilon = attr_epsilon(node);
    reductions->centered = is_op(node, OP_layer_normalization);
    return add_by_item(planner, step, node->in[1].value, &reductions->scale) &&
           (reductions->centered
                ? add_by_item(planner, step, node->in[2].value, &reductions->offset)
                : repeat_by_item(planner, step, 0, &reductions->offset)) &&
           plan_write(planner, step, group_result(group));
}
