/* reduction.c - reductions, softmax and layer normalization, lane by lane */
#include "backend/portable/portable.h"

#include "base/arena.h"
#include "base/team.h"
#include "exec/planner.h"
#include "exec/view.h"
#include "kernel/kernels.h"
#include "tensor/tensor.h"

#include <assert.h>

/* Columns that are done together; items of a part. */
enum { COLUMNS = 64, PART = 1 << 13 };

/* An operand with an item for each item of a lane. */
struct by_item {
    const float *data; /* NULL: an operand of the step */
    int operand;
};

struct reduction_step {
    const struct reduction_kernels *kernels;
    struct row_layout along;
    enum fold_kind fold;
    struct by_item scale, offset;
    double epsilon;
};

struct reduction_job {
    const struct reduction_step *reductions;
    const float *from;
    float *to;
    struct row_normalization how;
};

/* --- sharing -------------------------------------------------------------------------------- */

static void share(const struct step_frame *frame, struct reduction_job *job, int64_t count,
                  team_part *part)
{
    const struct row_layout *b = &job->reductions->along;
    int64_t width = b->inner < COLUMNS ? b->inner : COLUMNS;

    team_share(frame->team, count, PART / (b->length * width), part, job);
}

/* Columns of the whole come in blocks. */
static int64_t block_count(const struct row_layout *b)
{
    return (b->inner + COLUMNS - 1) / COLUMNS;
}

struct column_block {
    int64_t outer, first; /* column */
    struct reduction_columns columns;
};

static struct column_block block_at(const struct row_layout *b, int64_t index)
{
    int64_t blocks = block_count(b), first = index % blocks * COLUMNS, left = b->inner - first;

    assert(index >= 0);
    return (struct column_block){
        index / blocks, first, {left < COLUMNS ? left : COLUMNS, b->length, b->inner}};
}

static struct reduction_job job_of(const struct step *step, const struct step_frame *frame)
{
    return (struct reduction_job){
        .reductions = step->state, .from = step_in(step, frame, 0), .to = step_out(step, frame, 0)};
}

/* --- reductions ----------------------------------------------------------------------------- */

static void fold_rows(void *data, int64_t begin, int64_t end, int member)
{
    const struct reduction_job *job = data;
    int64_t length = job->reductions->along.length;

    (void)member;
    for (int64_t i = begin; i < end; i++)
        job->reductions->kernels->fold_row(job->reductions->fold, job->to + i,
                                           job->from + i * length, length);
}

static void fold_blocks(void *data, int64_t begin, int64_t end, int member)
{
    const struct reduction_job *job = data;
    const struct row_layout *b = &job->reductions->along;

    (void)member;
    for (int64_t i = begin; i < end; i++) {
        const struct column_block at = block_at(b, i);
        job->reductions->kernels->fold_columns(
            job->reductions->fold, job->to + at.outer * b->inner + at.first,
            job->from + at.outer * b->length * b->inner + at.first, &at.columns);
    }
}

static bool run_fold(const struct step *step, const struct step_frame *frame)
{
    struct reduction_job job = job_of(step, frame);
    const struct row_layout *b = &job.reductions->along;

    if (b->inner == 1)
        share(frame, &job, b->outer, fold_rows);
    else
        share(frame, &job, b->outer * block_count(b), fold_blocks);
    return true;
}

/* --- softmax -------------------------------------------------------------------------------- */

static void softmax_rows(void *data, int64_t begin, int64_t end, int member)
{
    const struct reduction_job *job = data;
    int64_t length = job->reductions->along.length;

    (void)member;
    for (int64_t i = begin; i < end; i++)
        job->reductions->kernels->softmax_row(job->to + i * length, job->from + i * length, length);
}

static void softmax_blocks(void *data, int64_t begin, int64_t end, int member)
{
    const struct reduction_job *job = data;
    const struct row_layout *b = &job->reductions->along;

    (void)member;
    for (int64_t i = begin; i < end; i++) {
        const struct column_block at = block_at(b, i);
        int64_t offset = at.outer * b->length * b->inner + at.first;
        job->reductions->kernels->softmax_columns(job->to + offset, job->from + offset,
                                                  &at.columns);
    }
}

static bool run_softmax(const struct step *step, const struct step_frame *frame)
{
    struct reduction_job job = job_of(step, frame);
    const struct row_layout *b = &job.reductions->along;

    if (b->inner == 1)
        share(frame, &job, b->outer, softmax_rows);
    else
        share(frame, &job, b->outer * block_count(b), softmax_blocks);
    return true;
}

/* --- layer normalization -------------------------------------------------------------------- */

static void normalize_rows(void *data, int64_t begin, int64_t end, int member)
{
    const struct reduction_job *job = data;
    int64_t length = job->reductions->along.length;

    (void)member;
    for (int64_t i = begin; i < end; i++)
        job->reductions->kernels->normalize_row(job->to + i * length, job->from + i * length,
                                                length, &job->how);
}

static const float *items_of(const struct step *step, const struct step_frame *frame,
                             const struct by_item *by)
{
    return by->data ? by->data : step_in(step, frame, by->operand);
}

static bool run_normalize(const struct step *step, const struct step_frame *frame)
{
    struct reduction_job job = job_of(step, frame);

    job.how = (struct row_normalization){.scale = items_of(step, frame, &job.reductions->scale),
                                         .offset = items_of(step, frame, &job.reductions->offset),
                                         .epsilon = job.reductions->epsilon};
    share(frame, &job, job.reductions->along.outer, normalize_rows);
    return true;
}

/* --- planning ------------------------------------------------------------------------------- */

static const struct kernel portable_fold = {.name = "reduction", .run = run_fold};
static const struct kernel portable_softmax = {.name = "softmax", .run = run_softmax};
static const struct kernel portable_normalize = {.name = "normalization", .run = run_normalize};

static bool lies_so(const struct node *node, enum layout layout, struct row_layout *along)
{
    const struct integers *axes = attr_axes(node);
    const struct value *in = node->in[0].value;

    return axes->count > 0 && in->dtype == DTYPE_SCALAR && node->out[0].dtype == DTYPE_SCALAR &&
           row_layout_of(in->shape, axes, layout, along);
}

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

static struct reduction_step *add_reduction(struct planner *planner, const struct group *group,
                                            struct step *step)
{
    struct reduction_step *reductions = arena_new_of(planner->plan->arena, struct reduction_step);
    const struct value *in = group->nodes[0]->in[0].value;

    assert(group->layouts & 1U << step->layout);
    reductions->kernels = kernels_variant(0)->reductions;
    step->state = reductions;
    return lies_so(group->nodes[0], step->layout, &reductions->along) &&
                   plan_read(planner, step, in, step->layout)
               ? reductions
               : NULL;
}

static enum fold_kind fold_of(const struct node *node)
{
    if (is_op(node, OP_max_reduce))
        return FOLD_MAX;
    if (is_op(node, OP_min_reduce))
        return FOLD_MIN;
    bool mean = is_op(node, OP_mean_reduce) || attr_normalize(node);
    return mean ? FOLD_MEAN : FOLD_SUM;
}

bool portable_reduction_make(struct planner *planner, const struct group *group, struct step *step)
{
    struct reduction_step *reductions = add_reduction(planner, group, step);

    if (!reductions)
        return false;
    step->kernel = &portable_fold;
    reductions->fold = fold_of(group->nodes[0]);
    return plan_write(planner, step, group_result(group));
}

bool portable_softmax_make(struct planner *planner, const struct group *group, struct step *step)
{
    if (!add_reduction(planner, group, step))
        return false;
    step->kernel = &portable_softmax;
    step->reused = 0;
    return plan_write(planner, step, group_result(group));
}

/* --- planning of layer normalization -------------------------------------------------------- */

/* Has it an item for each item of a lane, or one for all? */
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
        int64_t extent = axes->item[i] < in->rank ? in->extent[axes->item[i]] : 1;
        length *= extent;
        if (shape_extent(value->shape, (int)axes->item[i]) != extent)
            return false;
    }
    return across == length;
}

/* Rows only, so that an item of a lane goes with an item of scale and offset. */
unsigned portable_normalize_match(const struct planner *planner, const struct group *group,
                                  void *match)
{
    const struct node *node = group->nodes[0];
    unsigned layouts = portable_reduction_match(planner, group, match);
    struct row_layout along;

    if (layouts == 0 || !goes_by_item(planner, node, node->in[1].value) ||
        !goes_by_item(planner, node, node->in[2].value))
        return 0;
    for (int layout = 0; layout < LAYOUT_COUNT; layout++)
        if (layouts & 1U << layout &&
            (!lies_so(node, (enum layout)layout, &along) || along.inner > 1))
            layouts &= ~(1U << layout);
    return layouts;
}

static bool add_by_item(struct planner *planner, struct step *step, const struct value *value,
                        struct by_item *by)
{
    const struct reduction_step *reductions = step->state;
    const struct tensor *constant = plan_constant(planner, value);

    if (!constant || shape_volume(&constant->shape) > 1) {
        by->operand = step->nin;
        return plan_read(planner, step, value, step->layout);
    }
    float *all = plan_memory(planner, (size_t)reductions->along.length * sizeof *all);
    for (int64_t i = 0; all && i < reductions->along.length; i++)
        all[i] = (float)tensor_item(constant, 0);
    by->data = all;
    return all != NULL;
}

bool portable_normalize_make(struct planner *planner, const struct group *group, struct step *step)
{
    const struct node *node = group->nodes[0];
    struct reduction_step *reductions = add_reduction(planner, group, step);

    if (!reductions)
        return false;
    step->kernel = &portable_normalize;
    step->reused = 0;
    reductions->epsilon = attr_epsilon(node);
    return add_by_item(planner, step, node->in[1].value, &reductions->scale) &&
           add_by_item(planner, step, node->in[2].value, &reductions->offset) &&
           plan_write(planner, step, group_result(group));
}
